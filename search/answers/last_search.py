"""The hits of the last search in a terminal, by their numbers: remembered in the user's state folder, never in the project.

There is one file for each index and terminal, mode 0600, with ids, paths and lines, without the query. What cannot be
written or read counts as not remembered.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from schema.trust import read_small_file

#: Names another folder for what is remembered.
STATE_VARIABLE = "SECTIONARY_STATE_DIR"
#: Files of other terminals and indexes that are kept.
_MOST_FILES = 50
_MAX_BYTES = 1_000_000


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """The folder of what this program remembers for the user; None for a user without a home."""
    given = environ.get(STATE_VARIABLE)
    if given:
        return Path(given).expanduser().absolute()
    from platformdirs import user_state_dir

    folder = Path(user_state_dir("sectionary", appauthor=False))
    return folder if folder.is_absolute() else None


def remember_hits(index_dir: Path, hits: Sequence[tuple[str, int]], *, first: int, environ: Mapping[str, str]) -> None:
    """Remember the hits of a search, each by its id and how many lines below its first one to open it; the first hit has the
    number `first`."""
    folder = state_folder(environ)
    if folder is None:
        return
    body = json.dumps({"index": str(index_dir.resolve()), "first": first, "hits": list(hits)})
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = folder / f"{os.urandom(8).hex()}.new"
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
                stream.write(body)
            new.replace(folder / _name(index_dir))
        except BaseException:
            new.unlink(missing_ok=True)
            raise
        files = sorted(folder.glob("search-*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for old in files[_MOST_FILES:]:
            old.unlink(missing_ok=True)


def remembered_hit(index_dir: Path, number: int, environ: Mapping[str, str]) -> tuple[tuple[str, int] | None, range]:
    """Return the id of the hit with this number and how far below its first line to open it, None if there is no such hit,
    and the numbers that there are."""
    folder = state_folder(environ)
    try:
        found = json.loads(read_small_file(folder / _name(index_dir), limit=_MAX_BYTES)) if folder else {}
        hits, first = [(str(section), int(below)) for section, below in found["hits"]], int(found["first"])
        if found["index"] != str(index_dir.resolve()):
            return None, range(0)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None, range(0)
    numbers = range(first, first + len(hits))
    return (hits[number - first] if number in numbers else None), numbers


def _name(index_dir: Path) -> str:
    subject = f"{index_dir.resolve()}\0{_terminal()}"
    return f"search-{hashlib.sha256(subject.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def _terminal() -> str:
    """The name of the terminal that this process belongs to; "" without one."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.ttyname(stream.fileno())
    return ""
