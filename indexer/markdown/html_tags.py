"""HTML and component tags in a Markdown text → their attributes; bounded, whatever quotes and brackets the text holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_NAME = re.compile(r"</?([A-Za-z][\w.:-]{0,99})")
#: One attribute with its value: quoted, in braces (JSX, a literal text or an expression) or bare.
#: An expression in braces, which may hold objects in lists in objects.
_FLAT = r"\{[^{}]{0,2000}+\}"
_NESTED = rf"\{{(?:[^{{}}]|{_FLAT}){{0,5000}}+\}}"
_IN_BRACES = rf"\{{(?:[^{{}}]|{_NESTED}){{0,20000}}+\}}"
_ATTRIBUTE = re.compile(
    r"""\s+([^\s"'<>/={}]{1,100})(?:\s{0,100}=\s{0,100}"""
    r"""(?:"([^"]{0,2000})"|'([^']{0,2000})'|\{[ \t]*["'`]([^"'`{}]{0,2000})["'`][ \t]*\}|"""
    rf"""({_IN_BRACES})|([^\s"'=<>`{{}}]{{1,2000}})))?"""
)
#: JSX: all properties of an object.
_SPREAD = re.compile(r"\s*\{[^{}]{0,2000}\}")
_END = re.compile(r"\s*/?>")
_MAX_ATTRIBUTES = 60
#: Characters that tags without an end may cost, all together.
_MAX_WASTED = 2_000_000


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag: its name as written, whether its element is empty, its attributes (lower case) and the offset after it."""

    name: str
    is_empty: bool
    attributes: Mapping[str, str]
    end: int


class TagReader:
    """Reads the tags of one document."""

    def __init__(self) -> None:
        self._wasted_left = _MAX_WASTED

    def read(self, text: str, start: int) -> Tag | None:
        """Return the tag at the `<` at an offset, or None if there is none.

        Of an attribute that is given as an expression the value is the expression in braces.
        """
        opening = _NAME.match(text, start)
        if opening is None or self._wasted_left < 0:
            return None
        attributes: dict[str, str] = {}
        offset = opening.end()
        for _ in range(_MAX_ATTRIBUTES):
            end = _END.match(text, offset)
            if end is not None:
                is_empty = end[0].endswith("/>") or text.startswith("</", end.end())
                return Tag(opening[1], is_empty, attributes, end.end())
            found = _ATTRIBUTE.match(text, offset)
            if found is None:
                found = _SPREAD.match(text, offset)
                if found is None:
                    break
            else:
                value = next((value for value in found.groups()[1:] if value is not None), "")
                attributes.setdefault(found[1].lower(), value)
            offset = found.end()
        self._wasted_left -= offset - start
        return None
