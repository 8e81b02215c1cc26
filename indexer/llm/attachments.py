"""Bytes of an attached file → its text, paragraphs kept; nothing is written to the disk.

Text and Markdown need nothing more; PDF and Word files need the extra `attachments`. Refuses unknown kinds, files that are
too large, damaged or protected, and files without text (a scan has none).
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import PurePath

from indexer.decoding import decode
from schema.errors import AttachmentError

#: The largest file that is read, and the largest content of a Word file, which is packed (bytes).
MAX_BYTES = 20_000_000
_MAX_UNPACKED = 200_000_000
_MAX_PAGES = 2000
#: Begins only where no blank stands before, and gives nothing back: each blank is looked at once.
_BLANK_LINES = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)++")


def attachment_text(name: str, data: bytes) -> str:
    """The text of the file called `name` (its ending tells its kind: .txt, .md, .markdown, .pdf, .docx).

    Raises:
        AttachmentError: saying what is wrong with the file and what to do.
    """
    shown = PurePath(name).name or name
    if len(data) > MAX_BYTES:
        raise AttachmentError(f"{shown} has {len(data):,} bytes; attach a file of at most {MAX_BYTES:,}.")
    kind = PurePath(name).suffix.lower()
    if kind in (".txt", ".md", ".markdown"):
        text = _plain(shown, data)
    elif kind == ".pdf":
        text = _pdf(shown, data)
    elif kind == ".docx":
        text = _docx(shown, data)
    else:
        raise AttachmentError(f"{shown} is of no kind that can be read; attach a .txt, .md, .pdf or .docx file.")
    text = _BLANK_LINES.sub("\n\n", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not text:
        raise AttachmentError(f"{shown} holds no text; a scanned document needs text recognition first.")
    return text


def _plain(name: str, data: bytes) -> str:
    text = decode(data).text
    if "\0" in text:
        raise AttachmentError(f"{name} is no text file, whatever its name says; attach one.")
    return text


def _pdf(name: str, data: bytes) -> str:
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, PyPdfError
    except ImportError as error:
        raise _missing(name, "PDF", "pypdf") from error
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise AttachmentError(f"{name} is protected by a password; attach it without one.")
        pages = [page.extract_text() for page in reader.pages[:_MAX_PAGES]]
    # a damaged file makes the library fail in many ways, which its maintainers count as its users' to catch
    except DependencyError as error:
        raise _missing(name, "protected PDF", "pypdf[crypto]") from error
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise AttachmentError(f"{name} cannot be read as PDF ({error}); save it anew and attach that.") from error
    return "\n\n".join(pages)


def _docx(name: str, data: bytes) -> str:
    try:
        from docx import Document
        from docx.opc.exceptions import PackageNotFoundError
        from docx.table import Table
    except ImportError as error:
        raise _missing(name, "Word", "python-docx") from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(entry.file_size for entry in packed.infolist()) > _MAX_UNPACKED:
                raise AttachmentError(f"{name} unpacks to more than {_MAX_UNPACKED:,} bytes; attach a smaller file.")
        document = Document(io.BytesIO(data))
        parts = []
        for block in document.iter_inner_content():
            if isinstance(block, Table):
                parts.append("\n".join(" | ".join(cell.text.strip() for cell in row.cells) for row in block.rows))
            else:
                parts.append(block.text)
    except (
        PackageNotFoundError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        KeyError,
        OSError,
        SyntaxError,
        RuntimeError,
    ) as error:
        raise AttachmentError(f"{name} cannot be read as a Word file ({error}); save it anew as .docx.") from error
    return "\n\n".join(part for part in parts if part.strip())


def _missing(name: str, kind: str, package: str) -> AttachmentError:
    return AttachmentError(
        f"Reading {name} needs the package {package}, since it is a {kind} file; install it with "
        "`pip install 'sectionary[attachments]'`."
    )
