"""The folders of an index → whether a path in it exists; follows no link, and looks at nothing outside of these folders."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from schema.index_files.roots import IndexRoots

#: Entries that a search for a file by its name looks at, at most.
_MAX_ENTRIES = 200_000
_LEFT_OUT = frozenset({"node_modules", "__pycache__", "target", "dist", "build"})


class FolderFiles:
    """The files of the project's folder and of the other folders of an index, by paths in the index, each looked at once."""

    def __init__(self, roots: IndexRoots) -> None:
        self._roots = roots
        self._known: dict[str, bool | None] = {"": True if roots.is_here else None}
        # a folder that the user named may be a link
        self._known |= {name: _is_folder(folder) or None for name, folder in roots.folders.items()}
        self._names: frozenset[str] | None = None
        self._is_cut = False

    @property
    def folders(self) -> list[str]:
        """The paths of the project's folder ("") and of the others."""
        return ["", *self._roots.folders]

    def exists(self, path: str) -> bool | None:
        """Whether there is a file or folder at a path of the form a/b; None if a link leads there, which is not followed, if
        the path leads out of the folders, or if its folder must not be looked at."""
        if path == ".." or path.startswith("../"):
            return None
        if path not in self._known:
            above = self.exists(path.rpartition("/")[0])
            self._known[path] = self._is_there(path) if above else above
        return self._known[path]

    def leads_out(self, source: str, path: str) -> bool:
        """Whether a path is not in the folder outside of the project that the document `source` is in."""
        name = source.partition("/")[0]
        return name in self._roots.folders and path.partition("/")[0] != name

    def has_name(self, name: str) -> bool | None:
        """Whether a file in any folder has this name, whatever its case; None if there are too many files to tell."""
        if self._names is None:
            self._names = frozenset(self._walk())
        return name.casefold() in self._names or (None if self._is_cut else False)

    def _is_there(self, path: str) -> bool | None:
        place = self._roots.locate(path)
        try:
            return None if place is None or stat.S_ISLNK(os.lstat(place).st_mode) else True
        except (OSError, ValueError):  # a name that no file can have is a ValueError
            return False

    def _walk(self) -> set[str]:
        names: set[str] = set()
        for start in self._walked():
            for _, folders, files in os.walk(start):
                folders[:] = [name for name in folders if not name.startswith(".") and name not in _LEFT_OUT]
                names.update(name.casefold() for name in files)
                if len(names) > _MAX_ENTRIES:
                    self._is_cut = True
                    return names
        return names

    def _walked(self) -> list[Path]:
        """Return the folders in which documents are; the project's is left out if all of them are elsewhere."""
        outside = self._roots.folders
        is_inside = not outside or any(root.path.partition("/")[0] not in outside for root in self._roots.roots)
        return [place for path in (*([""] * is_inside), *outside) if (place := self._roots.locate(path)) is not None]


def _is_folder(place: Path | None) -> bool:
    """Tell whether there is a folder that can be looked at; Path.is_dir raises where it cannot."""
    return place is not None and os.path.isdir(place)  # noqa: PTH112
