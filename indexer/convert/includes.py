"""reStructuredText or AsciiDoc → the same without what reads other files: includes, raw files, tables from files."""

from __future__ import annotations

import re
from collections.abc import Iterator

_RST_DIRECTIVE = re.compile(r"([ \t]*)\.\.[ \t]+(?:\|[^|\n]{1,200}\|[ \t]+)?(include|literalinclude|raw|csv-table)::")
_RST_FILE = re.compile(r"[ \t]+:(?:file|url):")
_ADOC_INCLUDE = re.compile(r"include::[^\[\n]*\[.*\]?[ \t]*$")
_ADOC_CONDITION = re.compile(r"(?:ifdef|ifndef|ifeval|endif)::[^\[\n]*\[(.*)\][ \t]*$")
#: Directives that always read another file.
_ALWAYS = frozenset({"include", "literalinclude"})


def without_includes(kind: str, text: str) -> tuple[str, int]:
    """Return a text of the format "rst" or "asciidoc" without its includes, and how many were left out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept = list(_rst(lines) if kind == "rst" else _asciidoc(lines))
    return "\n".join(line for line in kept if line is not None), kept.count(None)


def _rst(lines: list[str]) -> Iterator[str | None]:
    """Yield the lines that stay, and None for each directive that reads a file."""
    position = 0
    while position < len(lines):
        directive = _RST_DIRECTIVE.match(lines[position])
        end = position + 1
        if directive:
            while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > len(directive[1])):
                end += 1
            block = lines[position + 1 : end]
            if directive[2] in _ALWAYS or any(map(_RST_FILE.match, block)):
                yield None
                yield ""
            else:
                yield from lines[position:end]
        else:
            yield lines[position]
        position = end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _asciidoc(lines: list[str]) -> Iterator[str | None]:
    """Yield the lines that stay, without the lines of conditions, and None for each include."""
    for line in lines:
        condition = _ADOC_CONDITION.match(line)
        if _ADOC_INCLUDE.match(line):
            yield None
        elif condition:
            if condition[1] and line.startswith("if") and not line.startswith("ifeval"):
                yield condition[1]
        else:
            yield line
