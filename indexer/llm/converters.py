"""A PDF or Word file on standard input → its text on standard output, in a process of its own with limits.

A hostile file can make the libraries that read it take any time and memory, or crash; so `indexer.llm.attachments` starts
this module as a command and kills it when its time is over. It exits with 0 after it has written the text, with `REFUSED`
after the rest of a sentence that says why there is no text, or with `OUT_OF_MEMORY`.
"""

from __future__ import annotations

import contextlib
import io
import sys
import zipfile
import zlib
from collections.abc import Iterable

#: The longest text of an attachment, in bytes of UTF-8.
MAX_TEXT = 20_000_000
#: Exit codes.
REFUSED, OUT_OF_MEMORY = 3, 4
#: The largest size of an unpacked Word file, in bytes.
MAX_UNPACKED = 200_000_000
MAX_PAGES = 2000


class Refusal(Exception):  # noqa: N818 — no fault of the program
    """Raised when a file has no text that can be read; its message follows the file's name in a sentence."""


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF file, with a blank line between its pages."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as error:
        raise _missing("PDF", "pypdf") from error
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Refusal("is protected by a password; attach it without one.")
        count = len(reader.pages)
        if count > MAX_PAGES:
            raise Refusal(f"has {count:,} pages; attach at most {MAX_PAGES:,} of them.")
        return _joined(page.extract_text() for page in reader.pages)
    # the library raises many kinds of errors for damaged files and leaves it to its users to catch them
    except DependencyError as error:
        raise _missing("protected PDF", "pypdf[crypto]") from error
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise Refusal(f"cannot be read as PDF ({_shown(error)}); save it again and attach that.") from error


def docx_text(data: bytes) -> str:
    """Return the paragraphs and tables of a Word file in their order; a row of a table is a line."""
    try:
        from docx import Document
        from docx.opc.exceptions import PackageNotFoundError
        from docx.oxml.ns import qn
    except ImportError as error:
        raise _missing("Word", "python-docx") from error
    row, cell, paragraph = qn("w:tr"), qn("w:tc"), qn("w:p")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > MAX_UNPACKED:
                raise Refusal(f"unpacks to more than {MAX_UNPACKED:,} bytes; attach a smaller file.")
        blocks = Document(io.BytesIO(data)).element.body.inner_content_elements
        # a cell that spans columns is read once; the text of a table inside a cell belongs to the cell
        return _joined(
            block.text
            if block.tag == paragraph
            else "\n".join(
                " | ".join("\n".join(p.text for p in c.iter(paragraph)).strip() for c in r.iterchildren(cell))
                for r in block.iterchildren(row)
            )
            for block in blocks
        )
    except (
        PackageNotFoundError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        KeyError,
        OSError,
        SyntaxError,
        RuntimeError,
        AttributeError,
    ) as error:
        raise Refusal(f"cannot be read as a Word file ({_shown(error)}); save it again as .docx.") from error


def _joined(parts: Iterable[str]) -> str:
    """Return the parts that are not blank, with a blank line between them."""
    kept, size = [], 0
    for part in parts:
        size += len(part)
        if size > MAX_TEXT:
            raise too_long()
        if part.strip():
            kept.append(part)
    return "\n\n".join(kept)


def too_long() -> Refusal:
    """Return the refusal of a file whose text passes the limit."""
    return Refusal(f"holds more than {MAX_TEXT:,} bytes of text; attach a part of it.")


def _missing(kind: str, package: str) -> Refusal:
    return Refusal(
        f"needs the package {package} to be read, since it is a {kind} file; install it with "
        "`pip install 'sectionary[attachments]'`."
    )


def _shown(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _limit(seconds: int, memory: int) -> None:
    """Limit the processor seconds and the bytes of memory of this process, if the system has such limits."""
    with contextlib.suppress(ImportError):
        import resource

        for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory)):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))


def main(kind: str, seconds: str, memory: str) -> int:
    """Convert standard input and return the exit code."""
    _limit(int(seconds), int(memory))
    code = 0
    try:
        text = {"pdf": pdf_text, "docx": docx_text}[kind](sys.stdin.buffer.read())
    except Refusal as refusal:
        text, code = str(refusal), REFUSED
    except MemoryError:
        return OUT_OF_MEMORY
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    return code


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
