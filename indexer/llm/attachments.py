"""Bytes of an attached file → its text with its paragraphs; nothing is written to the disk.

PDF and Word files need the extra `attachments` and are read by a process of their own with limits of time and memory.
Refuses unknown kinds, files that are too large, damaged or protected or that take too long to read, and files without text,
such as scans.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import PurePath

from indexer.decoding import decode
from indexer.llm.converters import MAX_TEXT, OUT_OF_MEMORY, REFUSED, too_long
from schema.errors import AttachmentError

#: The largest file that is read (bytes).
MAX_BYTES = 20_000_000
#: The limits for reading a PDF or Word file: seconds, and bytes of memory.
MAX_SECONDS = 30
MAX_MEMORY = 1_000_000_000
#: Begins only behind a character that is no blank and never backtracks, so that each blank is read once.
_BLANK_LINES = re.compile(r"(?<![ \t])[ \t]*+\n(?:[ \t]*+\n)++")


def attachment_text(name: str, data: bytes) -> str:
    """Return the text of the file `name`, whose ending says its kind: .txt, .md, .markdown, .pdf, .docx.

    Raises:
        AttachmentError: what is wrong with the file and what to do.
    """
    shown = PurePath(name).name or name
    if len(data) > MAX_BYTES:
        raise AttachmentError(f"{shown} has {len(data):,} bytes; attach a file of at most {MAX_BYTES:,}.")
    kind = PurePath(name).suffix.lower()
    if kind in (".txt", ".md", ".markdown"):
        text = _plain(shown, data)
    elif kind in (".pdf", ".docx"):
        text = _converted(shown, kind[1:], data)
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


def _converted(name: str, kind: str, data: bytes) -> str:
    """Return the text of a PDF or Word file, converted by another process that is killed after `MAX_SECONDS`."""
    command = [sys.executable, "-P", "-m", "indexer.llm.converters", kind, str(MAX_SECONDS), str(MAX_MEMORY)]
    started = time.monotonic()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(MAX_SECONDS, process.kill)
        timer.start()
        try:
            # the process reads everything before it writes, so that neither waits for the other
            with contextlib.suppress(OSError), process.stdin as pipe:
                pipe.write(data)
            answer = process.stdout.read(MAX_TEXT + 1)
            if len(answer) > MAX_TEXT:
                raise AttachmentError(f"{name} {too_long()}")
            code = process.wait()
        finally:
            timer.cancel()
            process.kill()
    text = answer.decode("utf-8", "replace")
    if code == 0:
        return text
    if code == REFUSED:
        raise AttachmentError(f"{name} {text}")
    if code == OUT_OF_MEMORY:
        raise AttachmentError(f"{name} takes more than {MAX_MEMORY:,} bytes of memory to read; attach a part of it.")
    if time.monotonic() - started >= MAX_SECONDS or -code == getattr(signal, "SIGXCPU", None):
        raise AttachmentError(f"{name} takes more than {MAX_SECONDS} seconds to read; attach a part of it.")
    raise AttachmentError(
        f"{name} cannot be read: it made the program that reads such files fail; save it again and attach that."
    )
