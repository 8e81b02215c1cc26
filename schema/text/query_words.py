"""A query → its terms with what each counts; the words that ask and say nothing are left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import chain

import regex

from schema.text.analyzer import acronyms, searchable, signed_terms, terms
from schema.text.dates import days, months
from schema.text.function_words import FUNCTION_WORDS
from schema.text.language import language
from schema.text.ordinals import parts
from schema.text.runs import (
    CJK_WORD,
    HAN_KANA,
    HANGUL,
    MAX_TERM_CHARACTERS,
    NEVER_ALONE,
    RUN,
    UNSPACED,
    run_terms,
    stem,
    word_terms,
)
from schema.text.spelling import one_spelling, without_final_marks
from schema.text.stems import OPEN_SYLLABLES, korean_stem, without_particles
from schema.text.stop_words import ACRONYMS, ASKING_WORDS, LIGHT_WORDS, STOP_WORDS

_SCRIPT_RUN = regex.compile(
    r"(?P<hiragana>\p{Hiragana}[\p{Hiragana}ー]*)|\p{Han}[\p{Han}々〆]*|(?P<other>[^\p{Hiragana}\p{Han}]+)"
)
_PAIR = regex.compile(rf"[{HAN_KANA}{HANGUL}]{{2}}|[{UNSPACED}][{UNSPACED}\p{{M}}]")
#: A letter that capitals among it are told from.
_OTHER_CASE = regex.compile(r"\p{Ll}|\p{Lo}")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,64}+")
#: Letters that name something: beside those of a script without small letters, or a capital A that is not the first word.
_NAMING = regex.compile(
    rf"(?<!\p{{Latin}})[A-Za-z]{{1,64}}(?=[{HAN_KANA}{HANGUL}])|(?<=[{HAN_KANA}{HANGUL}])[A-Za-z]{{1,64}}(?!\p{{Latin}})"
    rf"|(?<=[\p{{L}}\p{{N}}] )A(?![\p{{L}}\p{{N}}'’])",
    regex.VERSION1,
)
#: A word in Chinese, Japanese or Korean counts once in a query, however long it is: its run, its pairs and its characters
#: share these weights. Pairs over the border of two scripts, and of hiragana, are mostly endings.
_RUN_WEIGHT, _PAIRS_WEIGHT, _CHARACTERS_WEIGHT = 1.0, 1.0, 1.0
_BORDER_WEIGHT, _HIRAGANA_PAIR_WEIGHT = 0.5, 0.3
_HANGUL_RUN_WEIGHT, _HANGUL_PAIRS_WEIGHT = 1.0, 1.0
#: What the words and numbers of a date or numbered part count, and the day without the year where that is there.
_AS_WRITTEN, _WITHOUT_YEAR = 0.3, 0.3
#: What a word of a script that sets blanks, which is one term, counts beside words of those.
_BESIDE = {"cjk": 3.0, "hangul": 1.5}
#: A number behind these is the name of a part (第15条), and no amount.
_ORDINAL = frozenset("第제")

# what asks in Japanese, Korean and Chinese, as the stop words do in English; not inside a longer word (幾何学, ぶどう)
_ASKING = regex.compile(
    r"(?<!\p{Han})何(?:です|でしょう)?か?|誰"
    r"|(?<![\p{Hiragana}--[はがをにでともの]])"
    r"(?:いつ|どこ|どの(?:よう(?:な|に)?)?|どれ(?:くらい|ぐらい)?|どうやって|どうすれば|どんな|なぜ|いくつ|いくら)"
    r"|(?:でしょうか|ですか|ますか|ましたか|とは|を?教えて(?:ください)?)(?=[\s?？。]*$)"
    r"|为什么|为何|怎么办|怎么样|多少|是否|能不能|可不可以|有没有|什么是|是什么(?:意思)?(?=[\s?？。]*$)|什么|怎么|怎样|如何|哪[里个些]|谁|请问|[吗呢](?=[\s?？。]*$)"
    rf"|(?<=[{HANGUL}]{{2}})(?:(?<={OPEN_SYLLABLES})란|(?<!{OPEN_SYLLABLES})이란)(?=[\s?？]*(?:무엇|뭐|뭔|$))"
    rf"|(?<![{HANGUL}])(?:무엇|뭐|뭔|뭘|어떻게|어디|언제|누구|왜|어떤|어느|몇(?:번|개|시|명|일|주|분|달|가지)?|며칠|얼마나?|누가|알려|줘요?|주세요|주(?:나요?|는지|시나요|는가요)|나오(?:나요?|는데요?|네요|는지)|나와요|나옵니다"
    rf"|(?:며칠|얼마나?)?걸(?:리나요?|려요?|립니까|릴까요?|리는지)|있나요|하나요|되나요|있습니까|합니까|됩니까"
    rf"|(?:뭐|뭘)해야|해야(?:하나요|되나요|돼요?|하죠|되죠|함)|하죠|되죠|(?:것|거)같은데요?|같은데요?|뭐임|뭐냐|뭐죠|뭡니까|뭔가요|뭔데|뭔지|도대체|대체|않(?:습니다|음|아|네요|는다|았\S{{0,3}})|됩니다|되네요|돼요?|안됨|안됩니다|안돼요?"
    rf"|못합니다|못해요?|합니다|해요|하네요|없(?:습니다|네요)"
    rf"|싶(?:어요?|은데요?|습니다|다)|모르겠(?:어요?|는데요?|습니다)|있(?:어요|을까요|는데요)|않아요|없어요|그런가요|할까요|될까요|해야)"
    rf"(?:을|를|이|가|은|는|에|에서|서|에게|한테|까지|부터|이고|인지|인가|인가요|입니까|나요|가요|지|지요|죠|야|예요|에요|냐)?(?![{HANGUL}])"
    # what says no, or stands for a thing, before a verb
    rf"|(?<![{HANGUL}])(?:안|못|좀|거|게|걸|건|것)(?=\s+[{HANGUL}])|(?<![{HANGUL}])수(?=\s+(?:있|없))",
    regex.VERSION1,
)
#: A question for how a thing works, which is its only subject; not "how does it work" or "how do I cancel work".
HOW_IT_WORKS = re.compile(
    r"\s*how (?:do|does|did) (?!(?:i|we|you|one|it|this|that|these|those|they|things?)\b)"
    r"(?P<thing>\S.{0,100}?) works?[\s?!.]*",
    re.IGNORECASE,
)
#: The verbs that a "not" is joined to, as a part of a pattern: don't, can't.
NEGATED_VERBS = "(?:do|does|did|is|are|was|were|wo|ca|could|should|would|has|have|had|must|need|ai)n"
#: A verb with a "not" that is cut off from it as no term of its own: what is left says nothing.
_NEGATED = re.compile(rf"(?<![^\W_])({NEGATED_VERBS})['’]t(?![^\W_])", re.IGNORECASE)
#: Such words as people type them without the sign; IM and IVE are names.
_WITHOUT_APOSTROPHE = re.compile(
    rf"(?<![^\W_])(?:[Ii](?:m|ve)|(?i:{NEGATED_VERBS}t|youre|youve|theyre|theyve|weve))(?![^\W_])"
)
#: What the stop words become among terms.
STOP_TERMS = frozenset(map(stem, STOP_WORDS))
LIGHT_TERMS = frozenset(map(stem, LIGHT_WORDS))
ASKING_TERMS = frozenset(map(stem, ASKING_WORDS))
#: The same of the small words of each language; those of Vietnamese are other words without their accents.
_SMALL_TERMS = {
    code: frozenset(chain.from_iterable(map(terms, words)))
    for code, words in FUNCTION_WORDS.items()
    if code not in ("en", "vi")
}


def query_terms(text: str) -> dict[str, float]:
    """Return the terms of a query with their weights, in order of appearance, without stop words if there are others.

    A word counts 1, one beside Chinese, Japanese or Korean ones as much as these, whose terms are several.

    >>> query_terms("How do I rotate the keys?")
    {'rotat': 1.0, 'key': 1.0}
    >>> query_terms("to be or not to be")
    {'to': 1.0, 'be': 1.0, 'or': 1.0, 'not': 1.0}
    >>> query_terms("検索")
    {'検': 0.5, '索': 0.5, '検索': 1.0}
    """
    works = HOW_IT_WORKS.fullmatch(text)
    if works is not None and not STOP_TERMS.issuperset(terms(works["thing"])):
        text = works["thing"]
    plain = without_particles(one_spelling(unicodedata.normalize("NFKC", text)))
    names = [*signed_terms(text), *(acronyms(text) if _has_small_letters(text) else ())]
    found = dict.fromkeys(names, 1.0) | (_weighted(_ASKING.sub(" ", plain)) or _weighted(text))
    found = _with_marks(found, plain)
    kept = _meant(text) if STOP_TERMS.intersection(found) else frozenset()
    dropped = (STOP_TERMS - kept) | small_terms([language(text)])
    dropped |= set(map(stem, (*_NEGATED.findall(text), *map(str.lower, _WITHOUT_APOSTROPHE.findall(text)))))
    return {term: weight for term, weight in found.items() if term not in dropped} or found


def small_terms(languages: Collection[str]) -> frozenset[str]:
    """The terms of the small words of some languages but English, which say nothing about what is asked for."""
    return frozenset().union(*(_SMALL_TERMS.get(code, ()) for code in languages))


def _with_marks(weights: dict[str, float], plain: str) -> dict[str, float]:
    """The terms of a query with those of its days and numbered parts, which count as a word each; what they are written with
    counts little."""
    marks = [(day.start, day.end, day.terms) for day in days(plain)]
    marks += [(part.start, part.end, (part.term,)) for part in parts(plain)]
    marks += [(month.start, month.end, ()) for month in months(plain, list(days(plain)))]
    written = " ".join(plain[start:end] for start, end, _ in marks)
    lowered = {term: _AS_WRITTEN * weights[term] for term in terms(written) if term in weights}
    most = _word_weight(plain) if marks else 1.0
    shares = ((term, most * _WITHOUT_YEAR**number) for *_, own in marks for number, term in enumerate(own))
    return {**weights, **lowered, **dict(shares)}


def word_weight(text: str) -> float:
    """What a word of a script that sets blanks counts in a query: more beside Chinese, Japanese or Korean ones.

    >>> word_weight("HTTP_TIMEOUTのデフォルト"), word_weight("default of HTTP_TIMEOUT")
    (3.0, 1.0)
    """
    return _word_weight(searchable(text))


def _word_weight(plain: str) -> float:
    return max((_BESIDE.get(match.lastgroup or "", 1.0) for match in RUN.finditer(plain)), default=1.0)


def _meant(text: str) -> frozenset[str]:
    """The terms of words that are no stop words although their stems are (owns), and of letters that name something: those
    beside a letter of another script (A社), and a capital A that is not the first word (vitamin A)."""
    words = (word for word in map(str.lower, _LATIN_WORD.findall(text)) if word not in STOP_WORDS)
    naming = map(str.lower, _NAMING.findall(text)) if _has_small_letters(text) else ()
    return frozenset(map(stem, words)).union(naming)


def _has_small_letters(text: str) -> bool:
    """Whether capitals say something in a text: it has small letters or those of a script without, or is an acronym."""
    return _OTHER_CASE.search(text) is not None or text.strip() in ACRONYMS


def _weighted(text: str) -> dict[str, float]:
    """The terms of a text in order of appearance, with what each counts in a query."""
    found: dict[str, float] = {}
    plain = searchable(text)
    runs = [(match.lastgroup or "", match.group(), match.start()) for match in RUN.finditer(plain)]
    beside = max((_BESIDE.get(kind, 1.0) for kind, _, _ in runs), default=1.0)
    for kind, run, start in runs:
        weights = list(_WEIGHTS.get(kind, _plain_weights)(run))
        is_word = kind == "word" and (not run.isdecimal() or plain[start - 1 : start] in _ORDINAL)
        factor = max(1.0, beside / len(weights)) if is_word else 1.0
        for whole, weight in weights:
            term = whole[:MAX_TERM_CHARACTERS]
            found[term] = max(factor * weight, found.get(term, 0.0))
    return found


def _plain_weights(run: str) -> Iterator[tuple[str, float]]:
    for term in word_terms(run):
        yield term, 1.0


def _unspaced_weights(run: str) -> Iterator[tuple[str, float]]:
    for term in run_terms(run):
        yield term, 0.5 if _PAIR.fullmatch(term) else 1.0


def _hangul_weights(run: str) -> Iterator[tuple[str, float]]:
    word = korean_stem(run)
    yield word, _HANGUL_RUN_WEIGHT
    pairs = len(run) - 1
    if pairs > 1:
        for i in range(len(word) - 1):  # those of an ending say nothing; in a compound the first ones say most
            yield run[i : i + 2], _HANGUL_PAIRS_WEIGHT * 2 * (pairs - i) / (pairs * (pairs + 1))


def _cjk_weights(run: str) -> Iterator[tuple[str, float]]:
    at = 0
    for match in _SCRIPT_RUN.finditer(run):
        word, n = match.group(), len(match.group())
        if at:
            yield run[at - 1 : at + 1], _BORDER_WEIGHT
        at = match.end()
        is_hiragana = match.lastgroup == "hiragana"
        if not is_hiragana:
            alone = [character for character in word if len(run) == 1 or character not in NEVER_ALONE]
            for character in alone:
                yield character, _CHARACTERS_WEIGHT / len(alone)
        for i in range(n - 1):
            yield word[i : i + 2], _HIRAGANA_PAIR_WEIGHT if is_hiragana else _PAIRS_WEIGHT / (n - 1)
        if not is_hiragana:
            for whole in CJK_WORD.findall(word):
                yield without_final_marks(whole), _RUN_WEIGHT


_WEIGHTS = {"cjk": _cjk_weights, "hangul": _hangul_weights, "unspaced": _unspaced_weights}
