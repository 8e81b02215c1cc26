"""The numbered parts of rules and books in a text, as 第15条, 第十五条, 第2章 and 제15조 → a term for each part.

Otherwise the number is a term of its own, and an article on three days is as near to 第3条 as the third article.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from schema.text.normal_form import compatible

_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_TENS = {"十": 10, "百": 100}
_NUMBER = r"(?:\d{1,4}|[〇一二三四五六七八九十百]{1,7})"
_PART = re.compile(
    rf"(?P<mark>第)\s?(?P<number>{_NUMBER})\s?(?P<part>[条條章節节項项編编款])(?:の(?P<branch>{_NUMBER}))?"
    r"|(?P<korean>제)\s?(?P<own>\d{1,4})\s?(?P<kind>[조장절항편])(?:의\s?(?P<twig>\d{1,4}))?(?![가-힣]{3})"
)
_SPELT = str.maketrans("條节项编", "条節項編")


class Part(NamedTuple):
    """A numbered part that a text names, and its term."""

    start: int
    end: int
    term: str


def parts(text: str) -> Iterator[Part]:
    """Yield the numbered parts in a text in Unicode's form NFKC, in order.

    >>> [part.term for part in parts("第十五条、第15条の2と第 3 章。제8조에 따라")]
    ['第15条', '第15条の2', '第3章', '제8조']
    >>> list(parts("3日、第一線、제품"))
    []
    """
    for match in _PART.finditer(text):
        found = match.groupdict()
        mark, number = found["mark"] or found["korean"], _value(found["number"] or found["own"])
        kind = (found["part"] or found["kind"]).translate(_SPELT)
        branch, joint = found["branch"] or found["twig"], "の" if found["mark"] else "의"
        yield Part(*match.span(), f"{mark}{number}{kind}{f'{joint}{_value(branch)}' if branch else ''}")


def part_terms(text: str) -> list[str]:
    """The terms of the numbered parts in a text, each once."""
    return list(dict.fromkeys(part.term for part in parts(compatible(text)))) if "第" in text or "제" in text else []


def _value(number: str) -> int:
    """The value of a number in digits, or in Chinese ones with or without tens and hundreds.

    >>> _value("15"), _value("十五"), _value("二十"), _value("百三"), _value("一〇")
    (15, 15, 20, 103, 10)
    """
    if number.isdecimal():
        return int(number)
    if not set(number) & _TENS.keys():
        return int("".join(str(_DIGITS[digit]) for digit in number))
    total = digit = 0
    for sign in number:
        if sign in _TENS:
            total += max(1, digit) * _TENS[sign]
            digit = 0
        else:
            digit = _DIGITS[sign]
    return total + digit
