"""The terms of a query → how much those count that are in a language in which few sections are written.

A folder in English often has one page in Japanese. To BM25 every word of Japanese is rare there, and so that page would be
first for any question in Japanese, though sections in English answer it, which a model of several languages finds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

#: The languages that a script shows; Chinese characters are in two.
_LANGUAGES = {"kana": ("ja",), "hangul": ("ko",), "han": ("zh", "ja")}
#: Words count fully from this share of all sections in their language on, and as much as this in a single one; and the
#: share from which on a language is the main one, or one of them.
_FULL, _LEAST, _MAIN = 0.05, 0.5, 0.3


class Languages:
    """In how many sections of an index each language is: `share_of` gives the share, 0..1, that are in one of some."""

    def __init__(self, share_of: Callable[[Sequence[str]], float]) -> None:
        self._share_of = share_of

    def is_at_home(self, word: str) -> bool:
        """Whether more than a few sections are in the language of a word, which its first letter shows."""
        script = _script(word[0])
        return not script or self._share_of(_LANGUAGES[script]) >= _FULL

    def at_home(self, codes: Collection[str]) -> frozenset[str]:
        """Those of some languages in which more than a few sections are."""
        return frozenset(code for code in codes if self._share_of([code]) >= _FULL)

    def main(self, codes: Collection[str]) -> frozenset[str]:
        """Those of some languages in which a large part of the sections is."""
        return frozenset(code for code in codes if self._share_of([code]) >= _MAIN)

    def lowered(self, terms: Collection[str]) -> Mapping[str, float]:
        """By term of a language that is not at home, the share of its weight that counts, 0.5..1."""
        away = [term for term in terms if not self.is_at_home(term)]
        return {term: max(_LEAST, self._share_of(_LANGUAGES[_script(term[0])]) / _FULL) for term in away}


def _script(letter: str) -> str:
    if "가" <= letter <= "힣":
        return "hangul"
    if "ぁ" <= letter <= "ヿ":
        return "kana"
    return "han" if "一" <= letter <= "鿿" else ""
