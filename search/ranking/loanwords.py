"""A loanword in katakana or Hangul → the other ways in which people write it; and a word in one kana → in the other.

Such words have no one spelling: インターフェイス and インターフェース, 핸들러 and 헨들러. Each form differs from the word
in one place.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

#: Letters of katakana of which one is written for another: small and large ones, those with and without a voiced mark, and a
#: long vowel.
_KATAKANA = (
    "ァア ィイー ゥウー ェエ ォオ ッツヅ ャヤ ュユ ョヨ カガ キギ クグ ケゲ コゴ サザ シジ スズ セゼ ソゾ タダ チヂジ "
    "テデ トド ハバパ ヒビピ フブプ ヘベペ ホボポ ヴブ ラレ リル"
).split()
#: Letters that are left out or put in.
_SLIGHT = "ーッン"
#: The vowels of Hangul that loanwords are written with in several ways, and its consonants, as conjoining letters.
_VOWELS = ("ᅢᅦᅥ", "ᅥᅡᅩ", "ᅦᅵ", "ᅬᅫᅰ", "ᅮᅳ")
_INITIALS = ("ᄀᄁᄏ", "ᄃᄄᄐ", "ᄇᄈᄑ", "ᄉᄊ", "ᄌᄍᄎ")


def _others(groups: tuple[str, ...] | list[str]) -> dict[str, str]:
    """For each letter of some groups those that stand for it."""
    found: dict[str, str] = {}
    for group in groups:
        for letter in group:
            found[letter] = found.get(letter, "") + group.replace(letter, "")
    return found


#: Each letter of hiragana, and the one of katakana that is read alike.
_HIRAGANA = {code: code + 0x60 for code in range(ord("ぁ"), ord("ゖ") + 1)}
_IN_HIRAGANA = {katakana: hiragana for hiragana, katakana in _HIRAGANA.items()}
_OF_KATAKANA, _OF_HANGUL = _others(_KATAKANA), _others([*_VOWELS, *_INITIALS])


def in_katakana(word: str) -> str:
    """Return a word with katakana for its hiragana.

    >>> in_katakana("るーたー")
    'ルーター'
    """
    return word.translate(_HIRAGANA)


def in_hiragana(word: str) -> str:
    """Return a word with hiragana for its katakana.

    >>> in_hiragana("ジャガイモ")
    'じゃがいも'
    """
    return word.translate(_IN_HIRAGANA)


def katakana_forms(word: str) -> Iterator[str]:
    """Yield other forms of a word in katakana.

    >>> {"インターフェース", "インタフェイス", "インターフエイス"} <= set(katakana_forms("インターフェイス"))
    True
    """
    for at in range(1, len(word)):
        before, letter, after = word[:at], word[at], word[at + 1 :]
        if letter in _SLIGHT:
            yield before + after
        yield before + after[:1] + letter + after[1:]
        yield from (before + other + after for other in _OF_KATAKANA.get(letter, ""))
        yield from (before + other + letter + after for other in _SLIGHT)
    yield from (other + word[1:] for other in _OF_KATAKANA.get(word[:1], ""))


def hangul_forms(word: str) -> Iterator[str]:
    """Yield other forms of a word in Hangul: one vowel, or the consonant before it, is another.

    >>> "핸들러" in hangul_forms("헨들러"), "카페" in hangul_forms("까페")
    (True, True)
    """
    for at, syllable in enumerate(word):
        letters = unicodedata.normalize("NFD", syllable)
        for place, letter in enumerate(letters):
            for other in _OF_HANGUL.get(letter, ""):
                changed = unicodedata.normalize("NFC", letters[:place] + other + letters[place + 1 :])
                yield word[:at] + changed + word[at + 1 :]
