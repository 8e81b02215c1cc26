"""`convert`: the bytes of a PDF, Word, HTML, notebook, reStructuredText or AsciiDoc file → Markdown, and its pages or cells.

A process of its own reads the file, with limits of time and memory and without the network, and is killed when its time is
over. Refuses what is too large, damaged, protected or takes too much, and what holds no text, such as a scan.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import PurePath

from indexer.convert.limits import (
    FORMATS,
    MAX_PLACES,
    MAX_TEXT,
    MISSING,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    REFUSED,
    TEXTS,
    Places,
)
from indexer.decoding import decode, decode_page
from schema.errors import ConversionError

#: The largest file that is read (bytes).
MAX_BYTES = 50_000_000
#: The limits for reading a file: seconds, and bytes of memory of each process.
MAX_SECONDS = 60
MAX_MEMORY = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as Markdown: its `text`, where the parts of the text stood in the file, and what was left out.

    `places` are offsets in `text` (characters), each with the label that holds from it on, such as "page 3" or "cell 5".
    """

    text: str
    places: Places = ()
    warnings: tuple[str, ...] = ()


def format_of(name: str) -> str | None:
    """Return the format of a file by the ending of its name; None if it is none that is converted."""
    before, _, ending = name.rpartition("/")[2].rpartition(".")
    return FORMATS.get(f".{ending.lower()}") if before else None


def convert(name: str, data: bytes, *, has_headings: bool = True) -> Converted:
    """Return a file as Markdown; the ending of `name` says its format.

    `has_headings`: a PDF gets headings, of its title and of its bookmarks or pages.

    Raises:
        ConversionError: what is wrong with the file and what to do.
    """
    kind = format_of(name)
    if kind is None:
        raise ConversionError(f"is of no kind that can be converted ({', '.join(FORMATS)}).", name=name)
    if len(data) > MAX_BYTES:
        raise ConversionError(f"has {len(data):,} bytes, more than {MAX_BYTES:,}; split it into smaller files.", name=name)
    warnings: tuple[str, ...] = ()
    if kind in TEXTS:
        decoded = decode_page(data) if kind == "html" else decode(data)
        if "\0" in decoded.text:
            raise ConversionError("is no text file, whatever its name says; correct the name.", name=name)
        data, warnings = decoded.text.encode("utf-8", "replace"), decoded.warnings
    title = PurePath(name).stem if has_headings else ""
    answer = _answer(name, [kind, title.replace("\0", "")], data)
    converted = _parsed(answer)
    if converted is None:
        raise ConversionError(_FAILED, name=name)
    is_empty = not converted.text.strip()
    if is_empty and kind not in TEXTS:
        raise ConversionError("holds no text; a scanned document needs text recognition first.", name=name)
    empty = ("it holds no text",) if is_empty else ()
    return Converted(converted.text, converted.places, (*warnings, *converted.warnings, *empty))


_FAILED = "cannot be read: it made the program that reads such files fail; save it again and try that."


def _answer(name: str, arguments: list[str], data: bytes) -> bytes:
    """Return what the process that reads the file answers.

    Raises:
        ConversionError: there is no answer.
    """
    command = [sys.executable, "-P", "-m", "indexer.convert.process", *arguments, str(MAX_SECONDS), str(MAX_MEMORY)]
    started = time.monotonic()
    most = MAX_TEXT + MAX_PLACES
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        start_new_session=True,  # so that the programs it starts end with it
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(MAX_SECONDS, _kill, [process])
        timer.start()
        try:
            # the process reads everything before it writes, so that neither waits for the other
            with contextlib.suppress(OSError), process.stdin as pipe:
                pipe.write(data)
            answer = process.stdout.read(most + 1)
            if len(answer) > most:
                raise ConversionError(f"holds more than {MAX_TEXT:,} bytes of text; split it into smaller files.", name=name)
            code = process.wait()
        finally:
            timer.cancel()
            if process.returncode != 0:
                _kill(process)
    if code == 0:
        return answer
    if code in (REFUSED, MISSING):
        raise ConversionError(answer.decode("utf-8", "replace"), name=name, is_lasting=code == REFUSED)
    if code == OUT_OF_MEMORY:
        raise ConversionError(f"takes more than {MAX_MEMORY:,} bytes of memory to read; {_SPLIT}", name=name)
    is_over = time.monotonic() - started >= MAX_SECONDS
    if code == OUT_OF_TIME or is_over or -code == getattr(signal, "SIGXCPU", None):
        raise ConversionError(f"takes more than {MAX_SECONDS} seconds to read; {_SPLIT}", name=name)
    raise ConversionError(_FAILED, name=name)


_SPLIT = "split it into smaller files."


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and those it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _parsed(answer: bytes) -> Converted | None:
    """Return what an answer holds; None if it is none."""
    head, _, body = answer.partition(b"\n")
    if len(head) > MAX_PLACES:
        return None
    try:
        left_out, places = json.loads(head)
        checked = tuple((int(offset), str(label)) for offset, label in places)
        text = body.decode("utf-8")
    except (ValueError, TypeError, RecursionError):
        return None
    many = "1 include of another file is" if left_out == 1 else f"{left_out} includes of other files are"
    return Converted(text, checked, (f"{many} left out",) if left_out else ())
