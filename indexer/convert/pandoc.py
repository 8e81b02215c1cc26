"""A Word file, a page of HTML, reStructuredText or AsciiDoc → Markdown, by pandoc, which may read and fetch nothing.

The program comes with the package pypandoc-binary. It gets the file on its standard input, with `--sandbox`: without it, an
include in a document could read any file.
"""

from __future__ import annotations

import io
import re
import subprocess
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path

from indexer.convert.headings import candidates_of, lines_of_headings, numbers_of_headings
from indexer.convert.html_page import page_content
from indexer.convert.includes import without_includes
from indexer.convert.limits import (
    MAX_PACKED_FILES,
    MAX_TEXT,
    MAX_UNPACKED,
    MissingRefusal,
    OutOfMemoryRefusal,
    OutOfTimeRefusal,
    Places,
    Refusal,
    too_long,
)
from indexer.convert.rst import as_pandoc_reads

_FILTER, _SPHINX = (Path(__file__).with_name(name) for name in ("markdown.lua", "sphinx.lua"))
#: What the beginning of a file shows that was protected by a password: it is an OLE file.
_OLE = b"\xd0\xcf\x11\xe0"
_NAMES = {"docx": "a Word file", "html": "HTML", "rst": "reStructuredText", "asciidoc": "AsciiDoc"}
#: Exit codes of pandoc: a heap that is full, and an include that the sandbox refuses.
_HEAP_FULL, _NOT_FOUND = (2, 251), 99
_HAS_TITLE = re.compile(r"^# ", re.MULTILINE)


def program() -> Path | None:
    """Return the path of pandoc as it comes with the package pypandoc-binary; None if it is not installed."""
    spec = find_spec("pypandoc")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "files"
    return next((path for path in (folder / "pandoc", folder / "pandoc.exe") if path.is_file()), None)


def read_with_pandoc(kind: str, data: bytes) -> tuple[str, Places, int]:
    """Return the Markdown of a file of the format "docx", "html", "rst" or "asciidoc", its places and its lost includes.

    The places are the lines of the headings, or for a Word file their numbers. Text files are given as UTF-8.

    Raises:
        Refusal: why the file cannot be read.
    """
    if kind == "docx":
        markdown = _run(kind, _only_text(data))
        return markdown, numbers_of_headings(markdown), 0
    text = data.decode("utf-8", "replace").replace("\0", "\ufffd")
    if kind == "html":
        page = page_content(text)
        markdown = _run(kind, page.html.encode("utf-8", "replace"))
        if page.title and not _HAS_TITLE.search(markdown):
            markdown = f"# {_escaped(page.title)}\n\n{markdown}"
        return markdown, lines_of_headings(markdown, page.headings), 0
    shown, left_out = without_includes(kind, text)
    markdown = _run(kind, (as_pandoc_reads(shown) if kind == "rst" else shown).encode("utf-8", "replace"))
    return markdown, lines_of_headings(markdown, candidates_of(kind, text)), left_out


def _run(kind: str, data: bytes) -> str:
    path = program()
    if path is None:
        raise MissingRefusal("pypandoc-binary")
    filters = [f"--lua-filter={file}" for file in ([_SPHINX] if kind == "rst" else []) + [_FILTER]]
    command = [
        str(path), "--sandbox", f"--from={kind}", "--to=gfm", "--wrap=none", "--markdown-headings=atx", *filters,
    ]  # fmt: skip
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode == 0:
        if len(done.stdout) > MAX_TEXT:
            raise too_long()
        return done.stdout.decode("utf-8", "replace").replace("\r\n", "\n").replace("\u00ad", "")
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode in _HEAP_FULL or "out of memory" in said or "heap" in said:
        raise OutOfMemoryRefusal
    if done.returncode < 0:
        raise OutOfTimeRefusal
    if done.returncode == _NOT_FOUND:
        raise Refusal("reads other files in a way that cannot be left out; take out its includes.")
    raise Refusal(f"cannot be read as {_NAMES[kind]} ({' '.join(said.split())[:200]}); save it again.")


def _only_text(data: bytes) -> bytes:
    """Return a Word file with its texts alone: without pictures, macros and other embedded files.

    Raises:
        Refusal: it is no Word file, is protected, or unpacks to too much.
    """
    if data.startswith(_OLE):
        raise Refusal("is protected by a password, or of an old format; save it as .docx without a password.")
    out, size = io.BytesIO(), 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(out, "w") as kept:
            entries = packed.infolist()
            if len(entries) > MAX_PACKED_FILES or len({entry.filename for entry in entries}) < len(entries):
                raise Refusal(f"packs more than {MAX_PACKED_FILES:,} files or two of one name; save it again.")
            for entry in entries:
                if not entry.filename.endswith((".xml", ".rels")):
                    continue
                with packed.open(entry) as stream:  # what it says of its own size need not be true
                    content = stream.read(MAX_UNPACKED - size + 1)
                size += len(content)
                if size > MAX_UNPACKED:
                    raise Refusal(f"unpacks to more than {MAX_UNPACKED:,} bytes; split it into smaller files.")
                kept.writestr(entry.filename, content)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        ValueError,
        KeyError,
        OSError,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise Refusal(f"cannot be read as a Word file ({' '.join(str(error).split())[:200]}); save it again.") from error
    return out.getvalue()


def _escaped(title: str) -> str:
    return re.sub(r"([\\`*_\[\]<#])", r"\\\1", title)
