"""The project's folder → whether a path in it exists; follows no link, and looks at nothing outside the folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

#: Entries that a search for a file by its name looks at, at most.
_MAX_ENTRIES = 200_000
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "target", "dist", "build"})


class FolderFiles:
    """The files under the folder `root`, by paths relative to it, each looked at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, bool | None] = {"": True}
        self._names: frozenset[str] | None = None
        self._is_cut = False

    def exists(self, path: str) -> bool | None:
        """Whether there is a file or folder at a path of the form a/b; None if a link leads there, which is not
        followed, or if the path leads out of the folder."""
        if path == ".." or path.startswith("../"):
            return None
        if path not in self._known:
            above = self.exists(path.rpartition("/")[0])
            self._known[path] = self._is_there(path) if above else above
        return self._known[path]

    def has_name(self, name: str) -> bool | None:
        """Whether a file in any folder has this name, whatever its case; None if there are too many files to tell."""
        if self._names is None:
            self._names = frozenset(self._walk())
        return name.casefold() in self._names or (None if self._is_cut else False)

    def _is_there(self, path: str) -> bool | None:
        try:
            return None if stat.S_ISLNK(os.lstat(self._root / path).st_mode) else True
        except (OSError, ValueError):  # a name that no file can have is a ValueError
            return False

    def _walk(self) -> set[str]:
        names: set[str] = set()
        for _, folders, files in os.walk(self._root):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _LEFT_OUT]
            names.update(name.casefold() for name in files)
            if len(names) > _MAX_ENTRIES:
                self._is_cut = True
                break
        return names
