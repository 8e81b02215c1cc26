"""A question for what something is → its subject, and how far a section says it: "A slice is …", スライスとは…, 슬라이스란 …

Such questions have hardly any words but the subject, which all sections about it hold. The one that says what it is has a
sentence of a certain form, best near its beginning, or an entry of a glossary: a term in bold, in the first column of two,
or above a line with a colon, and what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex as re

from schema.text.analyzer import terms
from schema.text.fences import BLOCK_OF_CODE
from schema.text.normal_form import compatible
from schema.text.stems import OPEN_SYLLABLES
from search.index.ranges import Indices
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows whose texts are read, what a clear definition adds to a score of 0..1, and one far below or less clear.
_READ_ROWS, _WORTH, _LESS = 15, 0.2, 0.5
#: The paragraphs at the beginning of a section in which a definition counts fully, and what is read of a section
#: (characters).
_FIRST_PARAGRAPHS, _MOST_READ = 3, 6_000
#: A longer subject is no name of a thing (words, characters).
_MOST_WORDS, _MOST_CHARACTERS = 4, 40

_THING = r"(?P<subject>\S.{0,60}?)"
_IS = r"what(?:['’]?s| is| are| was| were)"
#: What a Korean particle has one form behind, and what it has the other form behind; words of other scripts take either.
_VOWEL, _CONSONANT = rf"(?:(?<={OPEN_SYLLABLES})|(?<![가-힣]))", rf"(?<!{OPEN_SYLLABLES})"
_JAPANESE = (
    "とは(?:何|なに|なん)?(?:か|ですか|でしょうか|だろう|ぞや|のこと(?:ですか)?)?",
    "とはどういう(?:意味|もの|こと)(?:ですか)?",
    "って(?:何|なに|なん)(?:なん)?(?:ですか|だっけ|なの|者(?:ですか)?|のこと(?:ですか)?)?",
    "って(?:どういう(?:意味|もの|こと)|どんなもの)(?:ですか|なの)?",
    "というのは(?:何|なん)(?:ですか|でしょうか)?",
    "は(?:何|なん)(?:なん)?(?:ですか|でしょうか|の略(?:ですか)?)",
    "の(?:意味|定義)は?",
)
#: The articles of languages in Latin letters but English.
_ARTICLE = r"(?:(?:ein(?:e[mnrs]?)?|de[mnrs]?|die|das|une?|l[aeo]s?|el|uma?|[ao]s?|il|gli|een|het|ett?|en) |l['’])?"
#: How other languages ask it: what stands before the thing, articles included, and what stands behind it.
_ASKED_BEFORE = (
    r"was (?:ist|sind|bedeute[tn]|heißt|versteht man unter)(?: (?:ein(?:e[mnrs]?)?|de[mnrs]|die|das))?",
    r"(?:qu['’]est[- ]ce qu(?:e|['’])|c['’]est quoi|que (?:signifie|veut dire))(?: ?(?:une?|l[ea]s?|l['’]|des))?",
    r"¿? ?qu[eé] (?:es|son|significan?|quiere decir)(?: (?:una?|el|l[ao]s?))?",
    r"o que (?:é|e|são|significam?|quer dizer)(?: (?:uma?|[ao]s?))?",
    r"(?:che )?cos(?:['’]|a )(?:è|e|sono|significa|vuol dire)(?: ?(?:una?|uno|un['’]|il|l[aeo]|gli|i|l['’]))?",
    r"wat (?:is|zijn|betekent)(?: (?:een|de|het))?",
    r"(?:vad|hvad|hva) (?:är|er|betyder|betyr)(?: (?:ett?|en|ei))?",
    r"(?:co to (?:jest|są|znaczy)|co to|czym (?:jest|są)|co oznacza|co je(?: to)?|co znamená)",
    r"(?:что|шо|що) (?:такое|так[аои]й?|таке|значит|означает|означає)",
)
_ASKED_BEHIND = (r"c['’]est quoi", r"nedir|ne demek(?:tir)?", r"(?:это|що) (?:что|це)")
_QUESTIONS = tuple(
    re.compile(rf"(?:{form})[?？。.!\s]*", re.IGNORECASE)
    for form in (
        rf"(?:so |and )?{_IS} (?:the )?(?:definition|meaning) of (?:an? |the )?{_THING}",
        rf"(?:so |and )?{_IS} meant by (?:an? |the )?{_THING}",
        rf"(?:so |and )?{_IS} (?:an? |the )?{_THING}",
        rf"what (?:does|do|did) (?:an? |the )?{_THING} (?:mean|do|stand for)",
        rf"(?:define: ?|(?:the )?(?:definition|meaning) of )(?:an? |the )?{_THING}",
        rf"{_THING} meaning",
        rf"who (?:is|are) (?:an?|the) {_THING}",
        rf"(?:そもそも)?{_THING}(?:{'|'.join(_JAPANESE)})",
        rf"{_THING}(?:{_CONSONANT}이란|(?<=[가-힣]{{2}}|[^가-힣]){_VOWEL}란)(?: ?(?:무엇|뭐|뭔)\S{{0,6}})?",
        rf"{_THING}(?:{_CONSONANT}(?:이라는|이란)|{_VOWEL}라는)[ ]?(?:게|것이|건|것은) (?:무엇|뭐|뭔)\S{{0,6}}",
        rf"{_THING}(?:{_CONSONANT}[이은]|{_VOWEL}[가는])? (?:(?:도)?대체 )?(?:무엇|뭐|뭔|뭡)\S{{0,6}}",
        rf"{_THING}(?:{_CONSONANT}[이은]|{_VOWEL}[가는])? 무슨 (?:뜻|의미|말)\S{{0,6}}",
        rf"{_THING}(?:의? ?(?:뜻|의미)|의 ?정의)(?:이|가|은|는)?(?: (?:무엇|뭐|뭔)\S{{0,6}})?",
        rf"(?:什么是|何谓|什麼是|何謂){_THING}|{_THING}(?:是什么|是什麼)(?:意思)?",
        *(rf"{before}(?:(?<=['’])| ){_THING}" for before in _ASKED_BEFORE),
        *(rf"{_ARTICLE}{_THING},? (?:{behind})" for behind in _ASKED_BEHIND),
    )
)
#: Signs around a subject that are no part of it; and words that only point at something.
_QUOTES = "`'\"“”‘’「」『』*"
_POINTING = re.compile(
    r"it|this|that|these|those|they|there|the|an?|i|you|we|he|she|(?:これ|それ|あれ|どれ|ここ|そこ)(?:ら)?|何|なに|[이그저]것들?|[이그저]거|뭐|[这那這](?:个|個|些)?",
    re.IGNORECASE,
)
_SPACED = re.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{N}]")
_ENDINGS = re.compile(r"(?P<y>ies|(?<![aeiou])y)$|(?P<e>(?<=\w{2})es)$|(?P<s>(?<=\w{2}[^s])s)$")
_LINK, _MARKS = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)"), re.compile(r"[*_`]+|</?[a-z][^<>\n]{0,200}>")
#: The heading that a section begins with, without its number.
_HEADING = re.compile(r"#{1,6}[ \t]+(?:[\d.]{1,12}[ \t]+|Q[.:][ \t]*)?(?P<heading>[^\n]{1,100})")
_FENCE = re.compile(r"[ \t>]{0,20}(?:```|~~~)")
_SKIPPED = re.compile(r"[ \t>]*(?:#{1,6}\s|\||!\[|:::|<!--|\[[^\]\n]{1,200}\]:|---)")
#: What may stand before the subject of a sentence, in English.
_BEGIN = (
    r"(?:^|(?<=[.!?:;]['\"”’)]? ))(?:(?:in|for|with) [\p{L}\p{N}’'. -]{1,40}, )?"
    r"(?:(?:so|thus|basically|simply put|here),? )?"
    r"(?:(?:an?|the|our|[\p{L}\p{N}.-]+[’']s?) )?"
)
#: What follows とは where a sentence tells it from something else, or says "though".
_NO_DEFINITION = r"(?!異|こと|別|違|ちが|限|無|関|い[えうっ]|言|逆|反|対|独立|似|互換|比べ|思|呼[ばべ])"
_ASIDE = r"(?: ?[(（][^()（）]{0,60}[)）])?"
#: What follows the subject where a sentence says what it is, and where it says something of it; and all of these.
_STRONG, _WEAK = (
    r" (?:is|are|was|were|refers to|means|stands for) ",
    r" (?:lets?|allows?|enables?|provides?|represents?|describes?|consists?|contains?) ",
)
#: What stands behind the subject where sentences of other languages say what it is.
_STRONG_ELSEWHERE = (
    r"(?: (?:ist|sind|bezeichne[tn]) (?:ein|d(?:er|ie|as)\b)| (?:est|sont|désigne(?:nt)?) (?:une?\b|l[ae]s?\b|l['’]|des\b)"
    r"| (?:es|son) (?:un|el\b|l[ao]s?\b)| (?:é|são) (?:um|[ao]s?\b)| (?:è|sono) (?:un|il\b|l[aeo]\b|l['’]|gli\b)"
    r"| (?:is|zijn) (?:een|de|het)\b| (?:är|er) (?:ett?|en|ei)\b| (?:to )?(?:jest|są) | ?[—–-] (?:это|це)\b| это )"
)
_FOLLOWING = rf"(?:{_STRONG}|{_WEAK}|{_STRONG_ELSEWHERE}|[」』]?(?:と|란|이|라|은|는|は|是|指|的))"
#: What follows "is" where a sentence does not say what a thing is.
_OTHER = (
    r"(?!(?:not|no|also|only|in|on|at|to|of|for|from|why|how|what|when|where|that|it|as|by|with|now|then|already|still|"
    r"always|never|often|just|very|too|so|available|useful|different|similar|possible|necessary|important|built|made|set|run|"
    r"written|given|shown|done|kept|sent|found|held|known|put|taken|seen|hidden|chosen|broken|more|less|much|optional|ready|"
    r"here|there|up|down|out|off|over|easy|safe|valid|invalid|true|false|null|equal|new|good|great|best|better|"
    r"\p{L}+(?:ed|ing|ly))\b)"
)


@lru_cache(maxsize=64)
def subject_of(text: str) -> str:
    """What a question asks the meaning of; empty for another question.

    >>> subject_of("What is a trait object?"), subject_of("算出プロパティとは"), subject_of("JSX란 무엇인가요?")
    ('trait object', '算出プロパティ', 'JSX')
    >>> subject_of("what is the best way to stop the server"), subject_of("stop the server")
    ('', '')
    """
    for question in _QUESTIONS:
        match = question.fullmatch(text)
        found = match and next(filter(None, match.captures("subject")), "").strip(_QUOTES)
        if found:
            is_long = len(found) > _MOST_CHARACTERS or len(found.split()) > _MOST_WORDS
            return "" if is_long or _POINTING.fullmatch(found) or not terms(found) else found
    return ""


def defines(subject: str, similar: Iterable[str] = ()) -> Callable[[str], float]:
    """Return what tells how far a Markdown text says what the subject is: 1 near its beginning, less far below or where it
    only says something of it, 0 nowhere. `similar` are terms that may stand for a word that no text has.

    >>> says = defines("slices")
    >>> says("A *slice* is a kind of reference."), says("Slices let you look."), says("Take a slice.")
    (1.0, 0.5, 0.0)
    """
    name = _pattern(subject, tuple(similar))
    strong, weak = (re.compile(form) for form in _forms(name, is_spaced=_SPACED.search(subject) is not None))
    some = re.compile(rf"{name}{_ASIDE}{_FOLLOWING}")  # looked for in a tenth of the time, and seldom there
    own = frozenset(terms(subject))
    entry, item = (re.compile(form, re.MULTILINE) for form in _entry_forms(name))

    def strength(text: str) -> float:
        written = BLOCK_OF_CODE.sub("", compatible(text[:_MOST_READ])).casefold()
        if entry.search(written) or _asks_same(text, own):
            return 1.0
        best = _LESS if item.search(written) else 0.0
        for number, paragraph in enumerate(_paragraphs(text[:_MOST_READ])):
            share = 1.0 if number < _FIRST_PARAGRAPHS else _LESS
            if share <= best:
                break
            if not some.search(paragraph):
                continue
            if strong.search(paragraph):
                best = share
            elif share * _LESS > best and weak.search(paragraph):
                best = share * _LESS
        return best

    return strength


def definitions_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> tuple[Ranking, dict[int, float]]:
    """Return the ranking in which the best rows gain by how far they say what the question asks the meaning of, as the part
    "definition", and how far each of these does, 0..1; the same ranking for another question. The page with that name gains
    too, as a text that says something of it does."""
    subject = subject_of(query.text)
    rows = ranking.order[:_READ_ROWS]
    if not subject or not len(rows):
        return ranking, {}
    similar = [term for term in ranking.weights if term not in query.weights]
    says = defines(subject, similar)
    texts = snapshot.contents(rows.tolist())
    found = [says(text) for text in texts]
    is_page = _are_pages_of(subject, snapshot, rows)
    if not any(found) and not is_page.any():
        return ranking, {}
    added = np.zeros(len(ranking.total))
    added[rows] = _WORTH * np.maximum(found, _LESS * is_page)
    if similar:  # what says what a word is that is only spelt alike is no answer
        says = defines(subject)
        found = [strength and says(text) for strength, text in zip(found, texts, strict=True)]
    strengths = {row: strength for row, strength in zip(rows.tolist(), found, strict=True) if strength}
    return ranking.plus("definition", added, most=_WORTH), strengths


def _are_pages_of(subject: str, snapshot: IndexSnapshot, rows: Indices) -> npt.NDArray[np.bool_]:
    """Which of some rows are the beginning of a page with the subject as its name; shape of `rows`."""
    written, named, _ = snapshot.inverted.named(subject)
    return np.asarray(np.isin(rows, np.concatenate([written, named])) & (snapshot.position[rows] == 0), np.bool_)


def _asks_same(text: str, subject: Collection[str]) -> bool:
    """Whether the heading of a section asks what the subject is, given by its terms: "2. What is a slice?"."""
    heading = _HEADING.match(text)
    return heading is not None and subject == frozenset(terms(subject_of(heading["heading"])))


def _pattern(subject: str, similar: Sequence[str]) -> str:
    words = compatible(subject).casefold().split()
    found = []
    for word in words:
        if not _SPACED.search(word):
            found.append(re.escape(word.removesuffix("ー")) + "ー?")
            continue
        forms = [_singular_or_plural(word)]
        forms += [re.escape(term) + r"\p{L}{0,3}" for term in similar if term[:2] == word[:2] and term not in terms(word)]
        found.append(rf"(?:{'|'.join(forms)})")
    return r"[\s-]?".join(found)


def _singular_or_plural(word: str) -> str:
    ending = _ENDINGS.search(word)
    begin = re.escape(word[: ending.start()] if ending else word)
    return begin + {"y": "(?:y|ies)", "e": "(?:es?)?", "s": "s?", None: "(?:e?s)?"}[ending.lastgroup if ending else None]


def _forms(name: str, *, is_spaced: bool) -> tuple[str, str]:
    """The forms of sentences that say what a name stands for, and of those that say something of it."""
    wide = rf"{name}{_ASIDE}[」』]?"
    strong = [
        rf"(?:^|[。、「『（ ]){wide}(?:という(?:用語|言葉|概念|もの|の)は|とは{_NO_DEFINITION})",
        rf"(?:^|[.!?。] ?){wide}(?:이란|란|이라는 것은|라는 것은)",
        rf"(?:^|。){wide}(?:是(?:一|指)|指的?是)",
    ]
    weak = [rf"(?:^|。){wide}(?:は|是)", rf"(?:^|[.!?] ){wide}(?:은|는) (?![^.]{{0,100}}(?:않|없|못|모르|모릅))"]
    if is_spaced:
        strong.append(rf"{_BEGIN}{name}{_ASIDE}{_STRONG}{_OTHER}")
        strong.append(rf"(?:^|(?<=[.!?:;] )){_ARTICLE}{name}{_ASIDE}{_STRONG_ELSEWHERE}")
        weak.append(rf"{_BEGIN}{name}{_ASIDE}{_WEAK}")
    return "|".join(strong), "|".join(weak)


def _entry_forms(name: str) -> tuple[str, str]:
    """The forms of entries that say what a name stands for, and of items that may be such entries."""
    mark, begin = r"(?:\*\*|__|`)", r"^[ \t>]{0,20}(?:[-*+][ \t]|\d{1,3}[.)][ \t])?"
    meaning = r"[ \t]{0,20}(?=[^\n|]{0,200}\p{L}{2})"  # a word, and not a number alone
    forms = (
        rf"{begin}{mark}{name}{_ASIDE}(?::{mark}|{mark}{_ASIDE}[ \t]?[:—–-]){meaning}",
        rf"^{mark}?{name}{_ASIDE}{mark}?[ \t]{{0,9}}\n[ \t]{{0,9}}\n?[ ]{{0,3}}:[ \t]{meaning}",
        # the row of a table of two columns which is not that of their names
        (
            rf"^[ \t]{{0,3}}\|[ \t]{{0,20}}{mark}?{name}{_ASIDE}{mark}?[ \t]{{0,99}}\|{meaning}[^|\n]*+\|?[ \t]*+$"
            r"(?!\n[ \t]{0,3}\|?[ \t]{0,9}:?-)"
        ),
    )
    return "|".join(forms), rf"^[ \t]{{0,20}}[-*+][ \t]{name}{_ASIDE}[ \t]?[:—–]{meaning}"


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a Markdown text that are prose, in one line each and small letters, without marks."""
    lines: list[str] = []
    fence = False
    for line in (*text.splitlines(), ""):
        if _FENCE.match(line):
            fence, line = not fence, ""  # noqa: PLW2901 — a paragraph ends at a fence
        if fence or _SKIPPED.match(line):
            line = ""  # noqa: PLW2901
        if line.strip():
            lines.append(line.strip(" \t>-+"))
        elif lines:
            plain = _MARKS.sub("", _LINK.sub(r"\1", " ".join(lines)))
            yield " ".join(compatible(plain).casefold().split())
            lines = []
