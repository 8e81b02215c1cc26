"""A run of letters of one kind → its terms: a word or identifier, Chinese or Japanese, Korean, or another unspaced script.

The text must be in one spelling and in Unicode's form NFKC; `schema.text.analyzer` prepares it and says what the terms are.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, pairwise

import regex
import Stemmer

from schema.text.spelling import without_final_marks
from schema.text.stems import korean_stem
from schema.text.stop_words import STOP_WORDS

#: Longer terms are cut: nobody types them, and base64 blobs would fill the index.
MAX_TERM_CHARACTERS = 64
#: The letters of an acronym that looks like a stop word with an ending (UPS, AED).
_SHORT = 3
#: Longer runs are no words: their terms are not cached, and only the part of them near a match is searched (characters).
MAX_RUN = 256

HAN_KANA = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆ヶﾞﾟ"  # Unicode gives half-width sound marks no script
HANGUL = r"\p{Hangul}"
UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = r"[\p{L}\p{M}\p{N}--[" + HAN_KANA + HANGUL + UNSPACED + r"]]"
#: What joins the digits of a number: 10,000.
_THOUSANDS = r"(?<=\d),(?=\d{3}(?!\d))"
#: A run; the name of the group that matched is its kind.
RUN = regex.compile(
    rf"(?P<cjk>[{HAN_KANA}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<unspaced>[{UNSPACED}][{UNSPACED}\p{{M}}]*)"
    # characters such as _ and . join the parts of an identifier, but neither begin nor end it
    rf"|(?P<word>{_WORD}+(?:(?:[_\-./:]+|{_THOUSANDS}){_WORD}+)*)",
    regex.VERSION1,
)
#: A character that a run of any kind may hold.
RUN_CHARACTER = regex.compile(rf"[\p{{L}}\p{{M}}\p{{N}}{HAN_KANA}{HANGUL}{UNSPACED}]", regex.VERSION1)
#: A part of an identifier.
PART = regex.compile(rf"{_WORD}+", regex.VERSION1)
# the runs of a text of ASCII, dashes and quotation marks: found several times as fast as by RUN
_PLAIN_RUN = re.compile(rf"[A-Za-z0-9]++(?>(?:(?:[_\-./:]++|{_THOUSANDS})[A-Za-z0-9]++)*)")
#: What joins a name to those above it, as in Hub.max_age.
_JOINT = re.compile(r"[.:]+")
#: A name with a dot between the slashes of a path, such as a file with its ending; no host.
_SEGMENT = re.compile(r"(?<![^/])(?<!//)[^/.:]+(?:\.[^/.:]+)+(?=[_\-.]*(?:/|:|\Z))")
#: The letter before the number of a version, which people type or leave out.
_VERSION = re.compile(r"[vV](?=\d+\.\d)")
_NOT_PLAIN = re.compile("[^\x00-\x7f\u2010-\u2027]")
# userId → user Id; HTTPServer → HTTP Server
_HUMP = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
#: Characters that are no terms of their own in a run of several.
NEVER_ALONE = frozenset(map(chr, (*range(0x3041, 0x3097), *range(0x309D, 0x30A0), ord("ー"))))
#: A run of kanji or katakana, mostly one word: it is a term beside its pairs, so a word of one pair is a term twice.
CJK_WORD = regex.compile(r"[\p{Han}々]{2,}|[\p{Katakana}ー]{2,}")
_ENGLISH = Stemmer.Stemmer("english", 0)  # 0: without its own cache, which is a plain dictionary; ours below is bounded
_RUSSIAN = Stemmer.Stemmer("russian", 0)  # for every language in Cyrillic letters, in sections and queries alike
_ARABIC = Stemmer.Stemmer("arabic", 0)
_CYRILLIC, _ARABIC_LETTERS = frozenset(map(chr, range(0x400, 0x530))), frozenset(map(chr, range(0x620, 0x650)))
#: Letters of Ukrainian that the stemmer of Russian does not know, and an ending; and the vowel signs of Arabic.
_UKRAINIAN = str.maketrans("іїєґ", "ииег")
_UKRAINIAN_ENDING, _ARABIC_VOWELS = re.compile(r"(?<=\w{3})ці$"), re.compile("[\u064b-\u0652\u0640]")
#: Latin letters with a stroke or without a dot, and joined ones, which Unicode does not take apart.
_STROKES = str.maketrans({"ł": "l", "đ": "d", "ð": "d", "ı": "i", "ø": "o", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe"})


def run_terms(text: str) -> list[str]:
    """Return the terms of every run of a text, in order of appearance, repeats kept."""
    if not _NOT_PLAIN.search(text):
        terms_of = known_word if len(text) <= MAX_RUN else word_terms
        return list(chain.from_iterable(map(terms_of, _PLAIN_RUN.findall(text))))
    found: list[str] = []
    for match in RUN.finditer(text):
        found += _TERMS[match.lastgroup or ""](match.group())
    return found


def word_terms(run: str) -> tuple[str, ...]:
    """Return the terms of a word or identifier: the identifier as a whole first, then the names behind dots and
    colons in it, and its parts.

    >>> word_terms("max_tokens"), word_terms("v2.1"), word_terms("10,000")
    (('max_tokens', 'max', 'token'), ('2.1', '2', '1'), ('10000', '10'))
    >>> word_terms("Hub.max_age")
    ('hub.max_age', 'max_age', 'hub', 'max', 'age')
    """
    return _split_word(run) if len(run) > MAX_RUN else known_word(run)


@functools.lru_cache(maxsize=1 << 16)  # words repeat: this halves the time of analysing prose
def known_word(run: str) -> tuple[str, ...]:
    """Return the terms of a word or identifier of at most `MAX_RUN` characters, which are kept for the next time."""
    return _split_word(run)


def _split_word(run: str) -> tuple[str, ...]:
    if run.isalnum():
        return _part_terms(run)
    if _VERSION.match(run):
        run = run[1:]
    parts = PART.findall(run)
    whole = [folded_word(run)[:MAX_TERM_CHARACTERS]] if len(parts) > 1 else []
    if "," in run:  # nobody looks for the zeros of a number
        whole, parts = [whole[0].replace(",", "")], [part for part in parts if part != "000"]
    return (*whole, *(name for name, _, _ in names_in(run)), *chain.from_iterable(map(_part_terms, parts)))


def names_in(run: str) -> Iterator[tuple[str, int, int]]:
    """Yield the names of several parts that stand behind dots and colons in an identifier, as members of what is before, and
    those between the slashes of a path: each as a term, and where it begins and ends.

    >>> list(names_in("Hub.max_age")), list(names_in("etc/nginx/conf.d"))
    ([('max_age', 4, 11)], [('conf.d', 10, 16)])
    """
    if "/" in run:
        yield from _names_between_slashes(run)
        return
    if not ("_" in run or "-" in run):
        return
    joints = [joint.span() for joint in _JOINT.finditer(run)]
    for (_, first), (last, _) in pairwise([*joints, (len(run), len(run))]):
        name = run[first:last].strip("_-")
        if ("_" in name or "-" in name) and name[0].isalpha():
            begin = run.index(name, first)
            yield folded_word(name)[:MAX_TERM_CHARACTERS], begin, begin + len(name)


def _names_between_slashes(run: str) -> Iterator[tuple[str, int, int]]:
    for found in _SEGMENT.finditer(run):
        if any(map(str.isalpha, found[0])):
            yield folded_word(found[0])[:MAX_TERM_CHARACTERS], *found.span()


def _part_terms(part: str) -> tuple[str, ...]:
    return _split_part(part) if len(part) > MAX_RUN else _known_part(part)


@functools.lru_cache(maxsize=1 << 16)  # addresses and paths repeat the parts of others
def _known_part(part: str) -> tuple[str, ...]:
    return _split_part(part)


def _split_part(part: str) -> tuple[str, ...]:
    humps = _HUMP.split(part) if not (part.islower() or part.isupper() or part.istitle()) else ()
    found = (part, *humps) if len(humps) > 1 else (part,)
    return tuple(stem(word)[:MAX_TERM_CHARACTERS] for word in found)


def stem(word: str) -> str:
    """Return a word in lower case, without accents and without its ending. A word of three letters becomes no stop word.

    >>> stem("Letters"), stem("IDs"), stem("UPS"), stem("its")
    ('letter', 'id', 'ups', 'it')
    >>> stem("збірки") == stem("збірка"), stem("القاموس") == stem("قاموس")
    (True, True)
    """
    folded = folded_word(word)
    if folded[:1] in _ARABIC_LETTERS:
        return str(_ARABIC.stemWord(_ARABIC_VOWELS.sub("", folded)))
    if not folded.isalpha():
        return folded
    if folded[0] in _CYRILLIC:
        return str(_RUSSIAN.stemWord(_UKRAINIAN_ENDING.sub("ки", folded).translate(_UKRAINIAN)))
    stemmed = str(_ENGLISH.stemWord(folded))
    return folded if len(folded) == _SHORT and stemmed in STOP_WORDS and folded not in STOP_WORDS else stemmed


def folded_word(word: str) -> str:
    """Return a word in lower case; without accents if it then is in ASCII, since marks of other scripts are letters."""
    folded = word.casefold()
    if not folded.isascii():
        folded = folded.translate(_STROKES)
    if not folded.isascii() and len(folded) <= MAX_RUN:  # of a longer row of marks Unicode would take quadratic time
        plain = "".join(c for c in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(c))
        return plain if plain and plain.isascii() else folded.replace("ё", "е")  # most Russian writes е for ё
    return folded


def _cjk_terms(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    found = []
    for character, following in pairwise(run):
        if character not in NEVER_ALONE:
            found.append(character)
        found.append(character + following)
    if run[-1] not in NEVER_ALONE:
        found.append(run[-1])
    found += [without_final_marks(word)[:MAX_TERM_CHARACTERS] for word in CJK_WORD.findall(run)]
    return found


def _hangul_terms(run: str) -> tuple[str, ...]:
    return _split_hangul(run) if len(run) > MAX_RUN else _known_hangul(run)


@functools.lru_cache(maxsize=1 << 16)
def _known_hangul(run: str) -> tuple[str, ...]:
    return _split_hangul(run)


def _split_hangul(run: str) -> tuple[str, ...]:
    if len(run) < 3:
        return (run,)
    stemmed = korean_stem(run)[:MAX_TERM_CHARACTERS]
    pairs = [run[i : i + 2] for i in range(len(stemmed) == 2, len(run) - 1)]  # a stem of one pair counts once
    return (stemmed, *pairs)


def _unspaced_terms(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_TERMS: dict[str, Callable[[str], Iterable[str]]] = {
    "word": word_terms,
    "cjk": _cjk_terms,
    "hangul": _hangul_terms,
    "unspaced": _unspaced_terms,
}
