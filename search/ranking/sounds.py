"""A loanword in katakana or Hangul → its sounds, in one notation for both scripts.

A consonant is written in Latin letters: "N" is a nasal at the end of a syllable, "K", "T" and "P" are what ends one in
Korean, and "b/v" stands for either. A vowel is one of "a i u e o", long with ":" behind it, "eo" of Korean, or a diphthong.
"-" is a vowel that the language needs and English may lack (ス in "test"). What few letters stand for in English is one
sound: "x", "xi", "tion", "sion", "ture", "sure", "ing".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_VOWELS = "aiueo"
#: Each consonant and the letters of katakana that have it, by vowel; a vowel alone begins with a dot.
_ROWS = {
    ".": "アイウエオ", "k ": "カキクケコ", "g ": "ガギグゲゴ", "s ": "サ_スセソ", "z ": "ザ_ズゼゾ",
    "t ": "タ__テト", "d ": "ダ__デド", "n ": "ナニヌネノ", "h ": "ハヒ_ヘホ", "b ": "バビブベボ",
    "p ": "パピプペポ", "m ": "マミムメモ", "y ": "ヤ_ユ_ヨ", "r ": "ラリルレロ", "w ": "ワ____",
    "v ": "__ヴ__", "f ": "__フ__", "sh ": "_シ___", "j ": "_ジ___", "ch ": "_チ___", "ts ": "__ツ__",
}  # fmt: skip
_MORAE = {kana: consonant + vowel for consonant, row in _ROWS.items() for vowel, kana in zip(_VOWELS, row, strict=True)}
_MORAE |= {"ー": ":", "ッ": "", "ン": "N", "ヂ": "j i", "ヅ": "z u", "ヲ": ".o"}
_CONTRACTED = {
    kana + small: f"{sounds.split()[0]} {'' if sounds[:2] in ('sh', 'j ', 'ch') or small in 'ァィゥェォ' else 'y '}{vowel}"
    for kana, sounds in _MORAE.items()
    if " " in sounds
    for small, vowel in zip("ァィゥェォャュョ", f"{_VOWELS}auo", strict=True)
}
_CONTRACTED |= {f"ウ{small}": f"w {vowel}" for small, vowel in zip("ィェォ", "ieo", strict=True)}
_WHOLE = {
    "ション": "tion",
    "ジョン": "sion",
    "チャー": "ture",
    "ジャー": "sure",
    "クス": "x",
    "クション": "k tion",
    "クシ": "xi",
    "キシ": "xi",
    "キスト": "x t -",
    "ホイ": "wh i",
}
_KATAKANA = {**_MORAE, **_CONTRACTED, **_WHOLE}
_IN_KATAKANA = re.compile("|".join(sorted(_KATAKANA, key=len, reverse=True)))

#: The letters of a syllable in the order of Unicode; "?" are those that the rules for writing loanwords do not use.
_INITIALS = "g |?|n |d/th |?|r |m |b/v |?|s |?|.|j/z |?|ch |k |t |p/f |h ".split("|")
_MEDIALS = "a|e|y a|e|eo|e|y eo|e|o|w a|w e|w e|y o|u|w eo|w e|w i|y u|-|?|i".split("|")
_FINALS = "|K|?|?|N|?|?|?|r|?|?|?|?|?|?|?|m|P|?|T|?|ng|?|?|?|?|?|?".split("|")
_FIRST_SYLLABLE, _LAST_SYLLABLE = "가", "힣"
#: What is frequent in loanwords and rare in other words: syllables that begin so, and these.
_FOREIGN_FIRST, _FOREIGN_LAST, _FOREIGN = "카", "핗", frozenset("스즈츠브듀뷰뮤슈션링딩릭닉렉랙")

#: What sounds in a row stand for, in this order: long vowels and diphthongs, then vowels that English may lack.
_JOINED = (
    (r"\b([aiueo]) :", r"\1:"), (r"(?:\A| ):(?= |\Z)", ""), (r"\ba \.i\b(?!:| ng)", "ai"), (r"\be \.i\b(?!:| ng)", "e:"),
    (r"\ba \.u\b(?!:)", "au"), (r"\bo \.u\b(?!:)", "o:"), (r"\bo \.i\b(?!:)", "oi"), (r"\bk (?:u \.|w )(?=[aieo])", "kw "),
    (r"\.", ""),
)  # fmt: skip
_OF_KATAKANA = (
    (r"\b([kgszfbpmrvn]) u(?!:)\b", r"\1 -"), (r"\b([td]) o(?!:)\b", r"\1 -"), (r"\b(ch|j) i(?= [b-z]|\Z)", r"\1 -"),
    (r"\bsh u\Z", "sh -"), (r"\bj a\Z", "sure"), (r"\bch a\Z", "ture"),
    (r"\bi N g -", "ing"),
)  # fmt: skip
_OF_HANGUL = (
    (r"\bs (?=i|y)", "sh "), (r"\b[gk] - s -|\bK s -", "x"), (r"\bK sh i\b", "xi"), (r"\bsh (?:y )?e?o N\b", "tion"),
    (r"\bj/z eo N\Z", "sion"), (r"\br r\b", "r"), (r"\bi ng\b", "ing"), (r"\b(ch|sh|j/z|j) i\Z", r"\1 -"),
)  # fmt: skip


def katakana_sounds(word: str) -> tuple[str, ...]:
    """Return the sounds of a word in katakana, none for any other.

    >>> katakana_sounds("スマート"), katakana_sounds("タイムアウト")
    (('s', '-', 'm', 'a:', 't', '-'), ('t', 'ai', 'm', '-', 'au', 't', '-'))
    """
    found = _IN_KATAKANA.findall(word)
    if not word or sum(map(len, found)) != len(word):
        return ()
    return _rewritten(" ".join(_KATAKANA[part] for part in found), (*_JOINED, *_OF_KATAKANA))


def hangul_sounds(word: str) -> tuple[str, ...]:
    """Return the sounds of a word in Hangul, none for any other, and none if loanwords are not written with its letters.

    >>> hangul_sounds("벡터"), hangul_sounds("인덱스"), hangul_sounds("읽기")
    (('b/v', 'e', 'K', 't', 'eo'), ('i', 'N', 'd/th', 'e', 'x'), ())
    """
    if not word or not all(_FIRST_SYLLABLE <= syllable <= _LAST_SYLLABLE for syllable in word):
        return ()
    numbers = [ord(syllable) - ord(_FIRST_SYLLABLE) for syllable in word]
    syllables = [f"{_INITIALS[n // 588]}{_MEDIALS[n // 28 % 21]} {_FINALS[n % 28]}" for n in numbers]
    sounds = " ".join(" ".join(syllables).split())
    return () if "?" in sounds else _rewritten(sounds, (*_JOINED, *_OF_HANGUL))


def is_surely_loanword(word: str) -> bool:
    """Whether a word in Hangul has a syllable that is frequent in loanwords and rare in other words.

    >>> is_surely_loanword("리듀서"), is_surely_loanword("그래서")
    (True, False)
    """
    return any(syllable in _FOREIGN or _FOREIGN_FIRST <= syllable <= _FOREIGN_LAST for syllable in word)


def _rewritten(sounds: str, rules: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    for old, new in rules:
        sounds = re.sub(old, new, sounds)
    return tuple(sounds.split())
