"""Bytes of an attached file → its text with its paragraphs; nothing is written to the disk.

PDF, Word and other files that `indexer.convert` reads need the extra `convert` and come as Markdown. Refuses unknown kinds,
files that are too large, damaged or protected or that take too long to read, and files without text, such as scans.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from indexer.convert.conversion import convert, format_of
from indexer.decoding import decode
from schema.errors import AttachmentError, ConversionError
from schema.formats.endings import DOCUMENTS

#: The largest file that is read (bytes).
MAX_BYTES = 20_000_000
#: Begins only behind a character that is no blank and never backtracks, so that each blank is read once.
_BLANK_LINES = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)+")


def attachment_text(name: str, data: bytes) -> str:
    """Return the text of the file `name`, whose ending says its kind: .txt, .md, .markdown, .pdf, .docx, .html and so on.

    Raises:
        AttachmentError: what is wrong with the file and what to do.
    """
    shown = PurePath(name).name or name
    if len(data) > MAX_BYTES:
        raise AttachmentError(f"{shown} has {len(data):,} bytes; attach a file of at most {MAX_BYTES:,}.")
    if format_of(name) is not None:
        try:
            text = convert(name, data, has_headings=False).text
        except ConversionError as error:
            raise AttachmentError(str(error)) from error
    elif PurePath(name).suffix.lower() in DOCUMENTS:
        text = _plain(shown, data)
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
