"""What a model wrote → Markdown documents in a folder: safe names, safe text, whole files, and none replaced by accident.

Nothing that a source or a model says can choose more of a file's name than letters and digits, end the front matter early,
or write outside of the folder.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import secrets
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from indexer.markdown.blocks import read_headings
from schema.text.characters import encodable, one_line, printable
from schema.text.normal_form import compatible

#: The most characters of a file's name without its ending, and the most bytes, since some systems count these.
_NAME, _NAME_BYTES = 60, 160
#: The most characters of a title.
_TITLE = 200
_UNFIT = re.compile(r"[^\w]+", re.UNICODE)
_MARKS = re.compile(r" {0,3}#{1,6}")
#: Names that stand for devices on Windows, whatever their ending.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{device}{number}" for device in ("com", "lpt") for number in range(1, 10))}
)


def safe_name(text: str) -> str:
    """Return a file's name without its ending: the letters and digits of a text, joined by hyphens.

    >>> safe_name("../../etc/Passwd"), safe_name("…")
    ('etc-passwd', 'entry')
    """
    plain = _UNFIT.sub("-", compatible(encodable(text)).casefold()).replace("_", "-").strip("-")
    short = plain[:_NAME].encode()[:_NAME_BYTES].decode("utf-8", "ignore").strip("-")
    return f"{short}-entry" if short in _DEVICES else short or "entry"


def safe_title(text: str) -> str:
    r"""Return a title as one line of at most 200 characters, with unsafe characters spelt out.

    >>> safe_title("a\n---\nb")
    'a --- b'
    """
    title = one_line(encodable(" ".join(text.split())))
    return (title if len(title) <= _TITLE else title[: _TITLE - 1].rstrip() + "…") or "Untitled"


def safe_text(text: str) -> str:
    """Return the text of a document with unsafe characters spelt out, and without blank lines around it."""
    return printable(encodable(text)).strip("\n")


def front_matter(values: Mapping[str, Any]) -> str:
    """Return values as front matter with its fences; each value takes one line, so that none can close it."""
    return f"---\n{yaml.safe_dump(dict(values), allow_unicode=True, sort_keys=False, width=2**31)}---\n"


def below_heading(text: str, level: int) -> str:
    """Return Markdown as safe text with its headings below those of `level`: all go down as far as the highest has to.

    Headings in code, quotes and lists stay as they are; so do those of a text whose headings are low enough.

    >>> below_heading("# A\\n\\ntext\\n\\n## B", 2)
    '### A\\n\\ntext\\n\\n#### B'
    """
    text = safe_text(text)
    found, _ = read_headings(text, {})
    headings = [heading for heading in found if not heading.is_nested]
    down = level + 1 - min((heading.level for heading in headings), default=level + 1)
    if down <= 0:
        return text
    lines: list[str | None] = list(text.split("\n"))
    for heading in headings:
        marks = "#" * min(heading.level + down, 6)
        if heading.end_line == heading.line + 1:
            lines[heading.line] = _MARKS.sub(marks, lines[heading.line] or "", count=1)
        else:  # underlined, which only the two highest levels can be
            lines[heading.line] = f"{marks} {' '.join(heading.source.split())}"
            lines[heading.line + 1 : heading.end_line] = [None] * (heading.end_line - heading.line - 1)
    return "\n".join(line for line in lines if line is not None)


def write_new(folder: Path, name: str, text: str) -> Path:
    """Write a new document, whole or not at all, and return its path: NAME.md, or NAME-2.md … if files have these names.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _beside(folder, text) as new:
        taken: set[str] = set()
        while True:
            path = folder / free_name(name, taken)
            if not os.path.lexists(path):
                with contextlib.suppress(FileExistsError):
                    _claim(new, path)
                    return path
            taken.add(path.name)


def replace_document(path: Path, text: str) -> None:
    """Put a document in the place of one that exists, in one step; a link there is replaced and not followed.

    Raises:
        OSError: it cannot be written.
    """
    with _beside(path.parent, text) as new:
        new.replace(path)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return NAME.md, or NAME-2.md … if these file names are taken."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(each for each in (f"{one}.md" for one in names) if each not in taken)


def _claim(new: Path, path: Path) -> None:
    """Give a whole file its name; raise FileExistsError if something has it."""
    try:
        os.link(new, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: an empty file takes the name first
        path.open("x").close()
        new.replace(path)


@contextlib.contextmanager
def _beside(folder: Path, text: str) -> Iterator[Path]:
    """Yield a hidden file with this text, which is removed in the end unless it was renamed."""
    new = folder / f".{secrets.token_hex(8)}.new"
    try:
        with new.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        yield new
    finally:
        new.unlink(missing_ok=True)
