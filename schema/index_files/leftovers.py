"""A file in a folder without an index → whether a run or a server left it there before there was one, or whether it is the
user's.

A folder that holds something of the user is never taken for an index folder: what a run deletes or writes there would be
the user's own.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from schema.trust import read_small_file

#: Beginnings of what the system or a version control system puts into a folder that is empty to its user.
_OF_NOBODY = ("lost+found", ".DS_Store", ".gitkeep", ".nfs")
_STORES = ("store", "store.new", "store.old")
_LOCK = re.compile(r"(summaries\.|server(-\d+)?\.)?lock")
_SERVER = re.compile(r"server(-\d+)?\.(json|new)")
#: Ours hold a digest, or the process that has them (bytes).
_MAX_LOCK = 1000


def is_leftover(path: Path) -> bool:
    """Tell whether a file or folder is what runs and servers leave in an index folder in which no index was made yet.

    A link counts as the user's; whoever may not read a file sees by its name that it is a server's.
    """
    name = path.name
    try:
        if name.startswith(_OF_NOBODY):
            return True
        if name in _STORES:
            return not path.is_symlink() and not os.listdir(path)
        if _LOCK.fullmatch(name):
            return path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_LOCK
        if _SERVER.fullmatch(name):
            return _is_of_a_server(path)
        # a process that dies right after it made one of these leaves it empty
        begun = {".gitignore": (b"", b"*"), "identity": (b"",)}.get(name, ())
        return bool(begun) and read_small_file(path).strip() in begun
    except OSError:
        return False


def _is_of_a_server(path: Path) -> bool:
    try:
        data = read_small_file(path)
    except PermissionError:
        return True
    return not data or data.startswith(b'{"host": ')
