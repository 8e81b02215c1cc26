"""A file on the disk → its bytes: only of a regular file, and only if it stayed the same while it was read.

Other programs may change the file, or put a link, a pipe or a device in its place, at any moment.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import BinaryIO

#: The largest .gitignore file that is respected (bytes).
_MAX_GITIGNORE = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to index: `path` relative to the root, POSIX; `location` on disk; size in bytes.

    `mtime_ns` is when its content was last modified, `ctime_ns` when anything about it changed: a rename or a copied
    modification time shows there (on Windows it is the time of creation).
    """

    path: str
    location: str  # no Path: making one costs more than everything else that is done for an unchanged file
    size: int
    mtime_ns: int
    ctime_ns: int


def read_file(file: FoundFile) -> bytes:
    """Return the bytes of a found file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a regular file, or changed while it was read.
    """
    with _opened(file.location) as stream:
        before = os.fstat(stream.fileno())
        data = stream.read(before.st_size + 1)
        after = os.fstat(stream.fileno())
    if len(data) != before.st_size or (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ValueError("it changed while it was read; the next run takes it")
    return data


def _opened(location: str, *, flags: int = 0) -> BinaryIO:
    """Open a regular file for reading; refuse anything else without waiting, also a pipe that nobody writes to."""
    flags |= os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(location, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("it is not a regular file")
    return os.fdopen(descriptor, "rb")


def gitignore_lines(path: str) -> list[str]:
    """Return the lines of a .gitignore file; none if it is a folder.

    Raises:
        OSError: it cannot be read.
        ValueError: it is a link, no regular file, or too large.
    """
    mode = os.lstat(path).st_mode
    if stat.S_ISDIR(mode):
        return []
    if stat.S_ISLNK(mode):
        raise ValueError("it is a link, which git does not follow either; put a copy in its place")
    with _opened(path, flags=getattr(os, "O_NOFOLLOW", 0)) as stream:
        data = stream.read(_MAX_GITIGNORE + 1)
    if len(data) > _MAX_GITIGNORE:
        raise ValueError(f"it has more than {_MAX_GITIGNORE:,} bytes; shorten it")
    return [line.removesuffix("\r") for line in data.decode("utf-8-sig", "surrogateescape").split("\n")]
