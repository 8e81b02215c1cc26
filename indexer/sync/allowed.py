"""Paths that an index names → which of them a run may read: those of the project, and those that this user named before."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from schema.index_files.layout import outside_paths
from schema.index_files.roots import IndexRoots


class Allowed:
    """What runs of the index in `index_dir`, of the project in `root`, may read; everything if `is_trusted`."""

    def __init__(self, index_dir: Path, root: Path, *, is_trusted: bool) -> None:
        self._index_dir = index_dir
        self._root = root
        self._is_trusted = is_trusted

    def allows(self, real: Path) -> bool:
        """Whether a path without links may be read."""
        if self._is_trusted or real.is_relative_to(self._root):
            return True
        return any(real.is_relative_to(folder) for folder in outside_paths(self._index_dir))

    def may_be_read(self, known: IndexRoots, path: str) -> bool:
        """Whether what a path of the index leads to may be read."""
        place = known.locate(path)
        return place is not None and self.allows(real_path(place))

    def left_out(self, known: IndexRoots) -> list[str]:
        """Return a sentence for each root of an index that may not be read."""
        places = (known.locate(root.path) for root in known.roots if not self.may_be_read(known, root.path))
        return [
            f"{path} lies outside the project's folder and is not looked at again; name it, as in "
            f"`index {shlex.quote(str(path))}`"
            for path in dict.fromkeys(real_path(place) for place in places if place is not None)
        ]


def real_path(path: Path) -> Path:
    """Return where a path leads to; one that leads to itself is no error here, as it is for Path.resolve."""
    return Path(os.path.realpath(path))
