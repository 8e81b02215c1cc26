"""Text → the terms a full-text search compares, in the language of the text.

One analysis serves sections and queries, so both always agree. Words of alphabetic scripts become lower-case words; an
identifier (`max_tokens_per_section`, `--time-budget`, `OAuthClient`) becomes itself and its parts. Chinese and Japanese,
written without spaces, become characters (hiragana left out: alone they are particles) and overlapping pairs of
characters. Korean words become themselves and pairs of syllables, so that 검색 meets 검색합니다. Other scripts without
spaces (Thai, Lao, Khmer, Burmese) become pairs. Stemming of English is left to the table's index.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator

import regex

#: Longer terms are cut: nobody types them, and base64 blobs would fill the index.
MAX_TERM_CHARACTERS = 64

_HAN_KANA = r"\p{Han}\p{Hiragana}\p{Katakana}ー々〆ヶ"
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
_PART = regex.compile(rf"{_WORD}+", regex.VERSION1)
# userId → user Id; HTTPServer → HTTP Server
_HUMP = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
# the rest of don't, we'll and model's says nothing, and as a term of its own it would match everything
_CLITIC = regex.compile(r"(?<=\p{L})['’](?:s|t|d|m|re|ve|ll)\b", regex.IGNORECASE)
_HIRAGANA_ONLY = regex.compile(r"[\p{Hiragana}ー]+")

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


def query_terms(text: str) -> list[str]:
    """The terms of a query, each once, stop words left out where there are others.

    >>> query_terms("How do I rotate the key?")
    ['rotate', 'key']
    >>> query_terms("to be or not to be")
    ['to', 'be', 'or', 'not']
    """
    found = list(dict.fromkeys(terms(text)))
    return [term for term in found if term not in STOP_WORDS] or found


def terms(text: str) -> list[str]:
    """The terms of a text in order of appearance, repeats kept; empty for a text without letters or digits.

    >>> terms("Set max_tokens, then restart")
    ['set', 'max_tokens', 'max', 'tokens', 'then', 'restart']
    >>> terms("検索する")
    ['検', '検索', '索', '索す', 'する']
    >>> terms("검색합니다")
    ['검색합니다', '검색', '색합', '합니', '니다']
    """
    return [term[:MAX_TERM_CHARACTERS] for term in _terms(_CLITIC.sub("", unicodedata.normalize("NFKC", text)))]


def _terms(text: str) -> Iterator[str]:
    for match in _RUN.finditer(text):
        run = match.group()
        kind = match.lastgroup
        if kind == "word":
            yield from _word_terms(run)
        elif kind == "cjk":
            yield from _cjk_terms(run)
        else:
            if kind == "hangul" or len(run) < 2:
                yield run
            if len(run) > 2 or kind == "unspaced":
                yield from (run[i : i + 2] for i in range(len(run) - 1))


@functools.lru_cache(maxsize=1 << 16)  # words repeat: half the time of analysing prose
def _word_terms(run: str) -> tuple[str, ...]:
    parts = _PART.findall(run)
    found = [run.casefold()] if len(parts) > 1 else []
    for part in parts:
        found.append(part.casefold())
        humps = _HUMP.split(part) if not (part.islower() or part.isupper() or part.istitle()) else ()
        if len(humps) > 1:
            found.extend(hump.casefold() for hump in humps)
    return tuple(found)


def _cjk_terms(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
        return
    for i, character in enumerate(run):
        if not _HIRAGANA_ONLY.fullmatch(character):
            yield character
        if i + 1 < len(run):
            yield run[i : i + 2]
