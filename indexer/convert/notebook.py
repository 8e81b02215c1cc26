"""A Jupyter notebook → Markdown: its texts as they are, its code and short text results in fences; pictures are left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from indexer.convert.limits import MAX_TEXT, Places, Refusal, place_mark, too_long
from indexer.markdown.blocks import read_headings

#: Lines and characters of a result that are kept.
_MAX_LINES, _MAX_CHARACTERS = 20, 1500
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
#: A picture inside of a text.
_PICTURE = re.compile(r"\((?:data|attachment):[^()\s]*\)")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_TICKS = re.compile(r"`{3,}")
_WAVES = re.compile(r"~{3,}")
#: What may begin a block that lasts until it is closed.
_LASTING = re.compile(r"`{3}|~{3}|<[!?A-Za-z]")


def read_notebook(data: bytes) -> tuple[str, Places]:
    """Return the Markdown of a notebook (versions 3 and 4 of the format) and where each of its cells begins.

    Raises:
        Refusal: it is no notebook.
    """
    try:
        notebook = json.loads(data.decode("utf-8", "replace"))
        cells = notebook["cells"] if "cells" in notebook else [c for s in notebook["worksheets"] for c in s["cells"]]
        language = _language(notebook.get("metadata"))
        parts = [list(_parts(cell, language)) for cell in cells]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refusal(f"cannot be read as a notebook ({' '.join(str(error).split())[:200]}); save it again.") from error
    out: list[str] = []
    places: list[tuple[int, str]] = []
    size = 0
    for number, texts in enumerate(parts, start=1):
        is_first = True
        for text in texts:
            if not text.strip():
                continue
            mark = ""
            if is_first:
                label = f"cell {number}"
                mark = f"{place_mark(label)}\n\n" if places and not text.startswith("#") else ""
                places.append((size, label))
                is_first = False
            out.append(f"{mark}{text}\n\n")
            size += len(out[-1])
            if size > MAX_TEXT:
                raise too_long()
    return "".join(out), tuple(places)


def _parts(cell: dict[str, Any], language: str) -> Iterator[str]:
    """Yield the text or code of a cell, and its results."""
    kind = cell["cell_type"]
    source = _text(cell.get("source", cell.get("input", ""))).strip("\r\n")
    if kind == "heading":  # version 3
        yield f"{'#' * min(max(int(cell.get('level', 1)), 1), 6)} {' '.join(source.split())}"
    elif kind == "code":
        if source.strip():
            yield _fenced(source, _language_of(cell.get("language")) or language)
        for output in cell.get("outputs", ()):
            shown = _result(output)
            if shown.strip():
                yield _fenced(shown, "text")
    else:
        yield _closed(_PICTURE.sub("()", source))


def _result(output: dict[str, Any]) -> str:
    """Return the beginning of a result as text; nothing of pictures, HTML and errors."""
    if output.get("output_type") in ("error", "pyerr"):
        return ""
    data = output.get("data", output)
    text = _text(output.get("text") or data.get("text/plain") or "")
    if any(name.startswith("image/") for name in data):
        return ""  # beside a picture, the text is only the name of an object
    text = _COLOURS.sub("", text[: _MAX_CHARACTERS * 2]).rstrip()
    lines = text[:_MAX_CHARACTERS].split("\n")
    is_cut = len(lines) > _MAX_LINES or len(text) > _MAX_CHARACTERS
    return "\n".join([*lines[:_MAX_LINES], *(["…"] if is_cut else [])])


def _text(value: object) -> str:
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else ""


def _language(metadata: object) -> str:
    metadata = metadata if isinstance(metadata, dict) else {}
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(name)
        found = _language_of(part.get(key)) if isinstance(part, dict) else ""
        if found:
            return found
    return ""


def _language_of(value: object) -> str:
    return value if isinstance(value, str) and _LANGUAGE.fullmatch(value) else ""


def _closed(text: str) -> str:
    """Return a text with the end of what is open at its end, such as a code fence: cells are read one by one."""
    if not _LASTING.search(text) or _is_read_below(text):
        return text
    fences = (max(pattern.findall(text), key=len, default="") for pattern in (_TICKS, _WAVES))
    for end in ("-->", *filter(None, fences), "</pre>", "?>", "]]>"):
        if _is_read_below(closed := f"{text}\n{end}"):
            return closed
    return text


def _is_read_below(text: str) -> bool:
    """Whether a heading below the text is read as one."""
    headings, _ = read_headings(f"{text}\n\n# Below\n", {})
    return bool(headings) and headings[-1].line == text.count("\n") + 2


def _fenced(text: str, language: str) -> str:
    ticks = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    return f"{ticks}{language}\n{text}\n{ticks}"
