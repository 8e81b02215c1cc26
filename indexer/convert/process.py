"""A file on standard input → its Markdown on standard output, in a process of its own with limits.

A hostile file can make the libraries that read it take any time and memory, or crash. So `indexer.convert.conversion`
starts this module as a command and kills it when its time is over; it opens no connection. The first line of its answer is
JSON: how many includes were left out, and where the parts of the text stood in the file. It exits with 0 behind the text, or
with the code of a refusal behind the rest of a sentence that says why there is no text.
"""

from __future__ import annotations

import contextlib
import json
import sys

from indexer.convert.limits import MAX_TEXT, OutOfMemoryRefusal, Places, Refusal, too_long

#: Events of the interpreter that mean the network.
_NETWORK = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "poplib.", "imaplib.", "telnetlib.")


def convert_data(kind: str, title: str, data: bytes) -> tuple[str, Places, int]:
    """Return the Markdown of a file of this format, where its parts stood in it, and how many includes are left out.

    Raises:
        Refusal: why the file cannot be read.
    """
    if kind == "pdf":
        from indexer.convert.pdf import read_pdf

        return (*read_pdf(data, title), 0)
    if kind == "ipynb":
        from indexer.convert.notebook import read_notebook

        return (*read_notebook(data), 0)
    from indexer.convert.pandoc import read_with_pandoc

    return read_with_pandoc(kind, data)


def refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    """Raise for an event that means the network (PEP 578)."""
    if event.startswith(_NETWORK):
        raise PermissionError(f"{event} is refused: a file that is read may not use the network ({len(arguments)})")


def _limit(seconds: int, memory: int) -> None:
    """Limit the processor seconds and the bytes of memory of this process, if the system has such limits."""
    sys.addaudithook(refuse_network)
    with contextlib.suppress(ImportError):
        import resource

        for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory)):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))


def main(kind: str, title: str, seconds: str, memory: str) -> int:
    """Convert standard input and return the exit code."""
    _limit(int(seconds), int(memory))
    try:
        text, places, left_out = convert_data(kind, title, sys.stdin.buffer.read())
        answer = text.encode("utf-8", "replace")
        if len(answer) > MAX_TEXT:
            raise too_long()
    except Refusal as refusal:
        sys.stdout.buffer.write(str(refusal).encode("utf-8", "replace"))
        return refusal.code
    except MemoryError:
        return OutOfMemoryRefusal.code
    sys.stdout.buffer.write(json.dumps([left_out, places]).encode() + b"\n" + answer)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
