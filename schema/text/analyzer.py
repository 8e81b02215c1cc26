"""Text → the terms a full-text search compares, in the language of the text, and where its terms and sentences stand.

One analysis serves sections and queries, so both always agree. Words of alphabetic scripts become lower-case words without
accents, endings taken off by Snowball's stemmers (Russian's for Cyrillic letters, English's for others); an identifier
(`max_tokens_per_section`, `--time-budget`, `OAuthClient`) becomes itself and its parts. Chinese and Japanese, written
without spaces, become characters in one spelling (`spelling`; hiragana left out: alone they are particles),
overlapping pairs of characters, and whole runs of kanji or katakana. Korean words become their stems (`stems`) and
pairs of syllables, so that 검색 meets 검색합니다. Other scripts without spaces (Thai, Lao, Khmer, Burmese) become pairs.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain, islice, pairwise

import regex
import Stemmer

from schema.text.spelling import one_spelling, without_final_marks, word_end
from schema.text.stems import korean_stem

#: Longer terms are cut: nobody types them, and base64 blobs would fill the index.
MAX_TERM_CHARACTERS = 64
#: A run of letters that is longer is no word anybody writes: it is not remembered, and searched only near a match.
_MAX_RUN = 256
#: Places of a text that are looked at for the terms of a query; more matches than that help nobody.
_MAX_PLACES = 20_000

_HAN_KANA = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆ヶﾞﾟ"  # half-width sound marks too: they are of no script
_HANGUL = r"\p{Hangul}"
_UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = r"[\p{L}\p{M}\p{N}--[" + _HAN_KANA + _HANGUL + _UNSPACED + r"]]"
_RUN = regex.compile(
    rf"(?P<cjk>[{_HAN_KANA}]+)"
    rf"|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}]*)"
    # a word may be joined by the signs that join identifiers, but neither begin nor end with one
    rf"|(?P<word>{_WORD}+(?:[_\-./:]+{_WORD}+)*)",
    regex.VERSION1,
)
# the runs of a text whose other characters are ASCII or dashes, quotation marks and the like: several times as fast
_PLAIN_RUN = re.compile(r"[A-Za-z0-9]++(?:[_\-./:]++[A-Za-z0-9]++)*+")
_NOT_PLAIN = re.compile("[^\x00-\x7f\u2010-\u2027]")
# what a run of any kind is made of
_TELLING = regex.compile(rf"[\p{{L}}\p{{M}}\p{{N}}{_HAN_KANA}{_HANGUL}{_UNSPACED}]", regex.VERSION1)
_PART = regex.compile(rf"{_WORD}+", regex.VERSION1)
# userId → user Id; HTTPServer → HTTP Server
_HUMP = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
# the rest of don't, we'll and model's says nothing, and as a term of its own it would match everything
_CLITIC = regex.compile(r"(?<=\p{L})['’](?:s|t|d|m|re|ve|ll)\b", regex.IGNORECASE)
_HIRAGANA = frozenset(map(chr, (*range(0x3041, 0x3097), *range(0x309D, 0x30A0), ord("ー"))))
# a kanji or katakana run is mostly one word; its pair counts twice where it is all of the word
_CJK_WORD = regex.compile(r"[\p{Han}々]{2,}|[\p{Katakana}ー]{2,}")
_SCRIPT_RUN = regex.compile(
    r"(?P<hiragana>\p{Hiragana}[\p{Hiragana}ー]*)|\p{Han}[\p{Han}々〆]*|(?P<other>[^\p{Hiragana}\p{Han}]+)"
)
_PAIR = regex.compile(rf"[{_HAN_KANA}{_HANGUL}]{{2}}|[{_UNSPACED}][{_UNSPACED}\p{{M}}]")
_SENTENCE_END = re.compile(r"[。！？．]+|[.!?]\s+|[\r\n]+")
_HALF_WIDTH = regex.compile(r"[ｦ-ﾟ]+")
# from a place back to where the run that holds it begins; some signs before it do no harm
_RUN_BEGIN = regex.compile(r"(?r)[\p{L}\p{M}\p{N}_\-./:]*", regex.VERSION1)
_ACCENT = re.compile("[\u00c0-\u024fЁё]")
_WITHOUT_ACCENTS = {
    code: base
    for code in range(0xC0, 0x250)
    if (base := unicodedata.normalize("NFKD", chr(code))[0]).isascii() and base.isalpha()
} | {ord("Ё"): "Е", ord("ё"): "е"}  # as `_fold` does
_ENGLISH = Stemmer.Stemmer("english", 0)  # its own cache is a plain dictionary; ours below is bounded
# the script tells it: other languages in Cyrillic letters are stemmed so on both sides alike
_RUSSIAN = Stemmer.Stemmer("russian", 0)
_CYRILLIC = frozenset(map(chr, range(0x400, 0x530)))
_HIRAGANA_PAIR = regex.compile(r"[\p{Hiragana}ー]{2}")
#: A word in Chinese, Japanese or Korean counts once in a query, however long it is: its run, its pairs and its characters
#: share these weights. Pairs over the border of two scripts, and of hiragana, are mostly endings.
_RUN_WEIGHT, _PAIRS_WEIGHT, _CHARACTERS_WEIGHT = 1.0, 1.0, 1.0
_BORDER_WEIGHT, _HIRAGANA_PAIR_WEIGHT = 0.5, 0.3
_HANGUL_RUN_WEIGHT, _HANGUL_PAIRS_WEIGHT = 1.0, 1.0

#: English words that say nothing about what is asked; a query drops them, unless it has no others. Sections keep them.
STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being between both but by can could did do does
    doing done down during each few for from further get had has have having he her here hers him his how i if in into is
    it its itself just let make may me might more most must my no nor not of off on once only or other our ours out over
    own per same shall she should so some such than that the their theirs them then there these they this those through to
    too under until up upon us use used uses using very was we were what when where whether which while who whom whose why
    will with within without would you your yours
    """.split()
)
# what asks in Japanese, Korean and Chinese, as the stop words do in English; inside a word (幾何学, ぶどう) it asks nothing
_ASKING = regex.compile(
    r"(?<!\p{Han})何(?:です|でしょう)?か?|誰"
    r"|(?<![\p{Hiragana}--[はがをにでともの]])"
    r"(?:いつ|どこ|どの(?:よう(?:な|に)?)?|どれ(?:くらい|ぐらい)?|どうやって|どうすれば|どんな|なぜ|いくつ|いくら)"
    r"|(?:でしょうか|ですか|ますか|ましたか|とは|を?教えて(?:ください)?)(?=[\s?？。]*$)"
    r"|什么|怎么|怎样|如何|哪[里个些]|谁|请问|[吗呢](?=[\s?？。]*$)"
    rf"|(?<![{_HANGUL}])(?:무엇|뭐|어떻게|어디|언제|누구|왜|어떤|어느|몇|얼마|알려|주세요|있나요|하나요|되나요|있습니까|합니까|됩니까)"
    rf"(?:을|를|이|가|은|는|에|에서|인가요|입니까|나요)?(?![{_HANGUL}])",
    regex.VERSION1,
)


def query_terms(text: str) -> dict[str, float]:
    """The terms of a query with their weights 0..1, in order of appearance, stop words left out where there are others.

    >>> query_terms("How do I rotate the keys?")
    {'rotat': 1.0, 'key': 1.0}
    >>> query_terms("to be or not to be")
    {'to': 1.0, 'be': 1.0, 'or': 1.0, 'not': 1.0}
    >>> query_terms("検索")
    {'検': 0.5, '索': 0.5, '検索': 1.0}
    """
    found = _weighted(_ASKING.sub(" ", one_spelling(unicodedata.normalize("NFKC", text)))) or _weighted(text)
    return {term: weight for term, weight in found.items() if term not in STOP_TERMS} or found


def sets_blanks(letter: str) -> bool:
    """Whether a letter is of a script with blanks between words whose terms are words: all that come before Thai in Unicode.

    >>> [sets_blanks(letter) for letter in "aжงか검"]
    [True, True, False, False, False]
    """
    return letter < "\u0e00"


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences and lines of a text stand, in order; those without a letter or digit are left out.

    >>> text = "One. Two\\n\\n三。四"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['One.', 'Two', '三。', '四']
    """
    start = 0
    for match in _SENTENCE_END.finditer(text):
        stop = match.group()[0]
        end = match.start() + 1 if stop in ".!?" else match.start() if stop in "\r\n" else match.end()
        if _TELLING.search(text, start, end):
            yield start, end
        start = match.end()
    if _TELLING.search(text, start):
        yield start, len(text)


def term_lines(text: str) -> Iterator[str]:
    """The terms of each sentence in `sentence_spans`, in order, as one line with blanks between them.

    >>> list(term_lines("One. Two\\n\\n三。四"))
    ['one', 'two', '三', '四']
    """
    for sentence in _SENTENCE_END.split(text):  # without the stops, which are in no term
        line = " ".join(terms(sentence))
        # in ASCII, only letters and digits have terms; elsewhere a sign such as ℃ has, too
        if line if sentence.isascii() else _TELLING.search(sentence):
            yield line


def term_spans(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Where the `wanted` terms stand in a text, in no order, a run of several signs once for each term it holds.

    >>> text = "Keys of max_tokens"
    >>> [text[start:end] for start, end in sorted(term_spans(text, {"key", "token"}))]
    ['Keys', 'tokens']
    """
    sought = frozenset(wanted)
    spans: list[tuple[int, int]] = []
    left = _MAX_PLACES
    # searching plain strings is many times as fast as any pattern
    # of all letters only İ becomes two when small, and it has lost its dot by then
    folded = (text.translate(_WITHOUT_ACCENTS) if _ACCENT.search(text) else text).lower()
    spelt = one_spelling(text)
    done = bytearray(len(text) + 1)  # 1 for every character of a run that was looked at
    for term in sorted(sought):
        if not sets_blanks(term[0]):
            found = list(islice(_places(spelt, term), left))
            spans += [(place, word_end(spelt, place + len(term))) for place in found]
            left -= len(found)
            continue
        # a word begins as its stem does, except for a last letter
        part = term[: max(2, len(term) - 1)]
        place = folded.find(part)
        while place >= 0 and left > 0:
            left -= 1
            after = place + 1
            before_it = folded[place - 1 : place]
            if done[place]:
                after = done.index(0, place)
            elif text[place].isupper() or not (before_it.isalnum() and sets_blanks(before_it)):
                before = _RUN_BEGIN.search(text, max(0, place - MAX_TERM_CHARACTERS), place)  # read backwards
                begin = place if before is None else before.start()
                runs = (run for run in _RUN.finditer(text, begin, place + _MAX_RUN) if run.end() > place)
                for run in islice(runs, 1):
                    done[run.start() : run.end()] = b"\1" * len(run.group())
                    spans.extend(_word_spans(run, sought))
            place = folded.find(part, after)
    # none of their signs is one of the full-width text they stand for
    if not text.isascii():
        spans += [run.span() for run in _HALF_WIDTH.finditer(text) if not sought.isdisjoint(terms(run.group()))]
    return spans


def _places(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def _word_spans(match: regex.Match[str], sought: frozenset[str]) -> Iterator[tuple[int, int]]:
    start, run = match.start(), match.group()
    plain = run if run.isascii() else unicodedata.normalize("NFKC", run)
    if len(plain) != len(run):  # ligatures: no character of the one is one of the other
        if not sought.isdisjoint(terms(run)):
            yield match.span()
        return
    found = _word_terms(plain)
    if sought.isdisjoint(found):
        return
    parts = list(_PART.finditer(plain))
    if len(parts) > 1 and found[0] in sought:
        yield match.span()
    for part in parts:
        if not sought.isdisjoint(_word_terms(part.group())):
            yield start + part.start(), start + part.end()


def terms(text: str) -> list[str]:
    """The terms of a text in order of appearance, repeats kept; empty for a text without letters or digits.

    >>> terms("Set max_tokens, then restart")
    ['set', 'max_tokens', 'max', 'token', 'then', 'restart']
    >>> terms("検索する")
    ['検', '検索', '索', '索す', 'する', '検索']
    >>> terms("검색합니다")
    ['검색', '색합', '합니', '니다']
    """
    return _terms(_normal(text))


def _normal(text: str) -> str:
    plain = text if text.isascii() else one_spelling(unicodedata.normalize("NFKC", text))
    return _CLITIC.sub("", plain) if "'" in plain or "’" in plain else plain


def _terms(text: str) -> list[str]:
    if not _NOT_PLAIN.search(text):
        terms_of = _known_word if len(text) <= _MAX_RUN else _word_terms
        return list(chain.from_iterable(map(terms_of, _PLAIN_RUN.findall(text))))
    found: list[str] = []
    for match in _RUN.finditer(text):
        found += _TERMS[match.lastgroup or ""](match.group())
    return found


def _unspaced_terms(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _hangul_terms(run: str) -> tuple[str, ...]:
    return _split_hangul(run) if len(run) > _MAX_RUN else _known_hangul(run)


@functools.lru_cache(maxsize=1 << 16)
def _known_hangul(run: str) -> tuple[str, ...]:
    return _split_hangul(run)


def _split_hangul(run: str) -> tuple[str, ...]:
    if len(run) < 3:
        return (run,)
    stem = korean_stem(run)[:MAX_TERM_CHARACTERS]
    pairs = [run[i : i + 2] for i in range(len(stem) == 2, len(run) - 1)]  # a stem of one pair counts once
    return (stem, *pairs)


def _word_terms(run: str) -> tuple[str, ...]:
    return _split_word(run) if len(run) > _MAX_RUN else _known_word(run)


@functools.lru_cache(maxsize=1 << 16)  # words repeat: half the time of analysing prose
def _known_word(run: str) -> tuple[str, ...]:
    return _split_word(run)


def _split_word(run: str) -> tuple[str, ...]:
    if run.isalnum():
        return _part_terms(run)
    parts = _PART.findall(run)
    found = [_fold(run)[:MAX_TERM_CHARACTERS]] if len(parts) > 1 else []
    return (*found, *chain.from_iterable(map(_part_terms, parts)))


def _part_terms(part: str) -> tuple[str, ...]:
    return _split_part(part) if len(part) > _MAX_RUN else _known_part(part)


@functools.lru_cache(maxsize=1 << 16)  # addresses and paths repeat the parts of others
def _known_part(part: str) -> tuple[str, ...]:
    return _split_part(part)


def _split_part(part: str) -> tuple[str, ...]:
    humps = _HUMP.split(part) if not (part.islower() or part.isupper() or part.istitle()) else ()
    found = (part, *humps) if len(humps) > 1 else (part,)
    return tuple(_stem(word)[:MAX_TERM_CHARACTERS] for word in found)


def _stem(word: str) -> str:
    folded = _fold(word)
    if not folded.isalpha():
        return folded
    return str((_RUSSIAN if folded[0] in _CYRILLIC else _ENGLISH).stemWord(folded))


def _fold(word: str) -> str:
    """Lower case; without accents where only Latin letters remain, since other scripts' marks are letters of their own."""
    folded = word.casefold()
    if not folded.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
        return plain if plain and plain.isascii() else folded.replace("ё", "е")  # most Russian is written without its dots
    return folded


def _weighted(text: str) -> dict[str, float]:
    """The terms of a text in order of appearance, with what each counts in a query."""
    found: dict[str, float] = {}
    for match in _RUN.finditer(_normal(text)):
        run = match.group()
        weights = _WEIGHTS.get(match.lastgroup or "", _plain_weights)(run)
        for whole, weight in weights:
            term = whole[:MAX_TERM_CHARACTERS]
            found[term] = max(weight, found.get(term, 0.0))
    return found


def _plain_weights(run: str) -> Iterator[tuple[str, float]]:
    for term in _word_terms(run):
        yield term, 1.0


def _unspaced_weights(run: str) -> Iterator[tuple[str, float]]:
    for term in _terms(run):
        yield term, 0.5 if _PAIR.fullmatch(term) else 1.0


def _hangul_weights(run: str) -> Iterator[tuple[str, float]]:
    yield korean_stem(run), _HANGUL_RUN_WEIGHT
    pairs = len(run) - 1
    if pairs > 1:
        for i in range(pairs):  # the stem comes first, endings come last
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
            for character in word:
                yield character, _CHARACTERS_WEIGHT / n
        for i in range(n - 1):
            yield word[i : i + 2], _HIRAGANA_PAIR_WEIGHT if is_hiragana else _PAIRS_WEIGHT / (n - 1)
        if n > 1 and not is_hiragana:
            yield without_final_marks(word), _RUN_WEIGHT


_WEIGHTS = {"cjk": _cjk_weights, "hangul": _hangul_weights, "unspaced": _unspaced_weights}


#: What the stop words become among terms.
STOP_TERMS = frozenset(map(_stem, STOP_WORDS))


def _cjk_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    found = []
    for character, following in pairwise(run):
        if character not in _HIRAGANA:
            found.append(character)
        found.append(character + following)
    if run[-1] not in _HIRAGANA:
        found.append(run[-1])
    found += [without_final_marks(word)[:MAX_TERM_CHARACTERS] for word in _CJK_WORD.findall(run)]
    return found


_TERMS: dict[str, Callable[[str], Iterable[str]]] = {
    "word": _word_terms,
    "cjk": _cjk_terms,
    "hangul": _hangul_terms,
    "unspaced": _unspaced_terms,
}
