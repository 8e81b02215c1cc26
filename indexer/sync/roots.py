"""Which files a run looks at: those the user names, or those that earlier runs were led to.

A path that only the index names must lead into the project's folder, or to where this user led an earlier run: an index
that somebody else wrote must not choose what is read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from indexer.discover import Discovery, discover
from schema.errors import IndexDamagedError
from schema.index_files.layout import manifest_path, outside_paths, remember_outside, store_dir
from schema.index_files.manifest import read_manifest
from schema.settings import Settings
from schema.status import ROOTS_KEY, indexed_roots
from schema.storage.table import SectionTable


class Roots:
    """The paths of the index in `index_dir`, relative to the project's folder `root`.

    `is_trusted`: every path that the index names may be read.
    """

    def __init__(self, index_dir: Path, root: Path, settings: Settings, *, is_trusted: bool) -> None:
        self._index_dir = index_dir
        self._root = root
        self._settings = settings
        self._is_trusted = is_trusted

    def discover(self, paths: Sequence[str | os.PathLike[str]]) -> Discovery:
        """The files under these paths."""
        s = self._settings
        return discover(
            [Path(path) for path in paths],
            root=self._root,
            include=s.include,
            exclude=s.exclude,
            max_file_bytes=s.max_file_bytes,
            hidden=s.hidden,
            gitignore=s.gitignore,
        )

    def discover_known(self) -> Discovery:
        """The files under the paths indexed before; one that is gone counts as walked, since its documents are gone too.

        Raises:
            IndexDamagedError: neither the manifest nor the table tells these paths any more.
        """
        place = store_dir(self._index_dir)
        known = indexed_roots(read_manifest(manifest_path(place), []).metadata.get(ROOTS_KEY))
        if not known:  # a lost manifest: then what is indexed says what was
            try:
                known = tuple(sorted(SectionTable.open(place).paths()))
            except IndexDamagedError as error:
                raise IndexDamagedError(
                    f"The index in {self._index_dir} is damaged and does not know what it was made from; rebuild it "
                    "with `index FOLDER --rebuild`.",
                    index_dir=self._index_dir,
                ) from error
        within = [scope for scope in known if self._may_be_read(scope)]
        found = self.discover(self.existing(within))
        found.roots = within
        found.warnings.extend(self.left_out(known))
        return found

    def existing(self, known: Sequence[str]) -> list[Path]:
        """Those of the paths in an index that are there and may be read."""
        return [self._root / scope for scope in known if self._may_be_read(scope) and self._is_there(scope)]

    def left_out(self, known: Sequence[str]) -> list[str]:
        """A sentence for each of the paths in an index that may not be read."""
        places = dict.fromkeys(self._place(scope) for scope in known if not self._may_be_read(scope))
        return [
            f"{place} lies outside the project's folder and is not looked at again; name it, as in `index {place}`"
            for place in places
        ]

    def remember(self, found: Discovery) -> None:
        """Let later runs look again at what the user named outside the project's folder."""
        places = [self._place(scope) for scope in found.roots]
        outside = [place for place in places if not place.is_relative_to(self._root)]
        if outside:
            remember_outside(self._index_dir, outside)

    def _is_there(self, scope: str) -> bool:
        try:
            return (self._root / scope).exists()
        except OSError:  # a name that no file can have
            return False

    def _place(self, scope: str) -> Path:
        return Path(os.path.realpath(self._root / scope))  # a Path would refuse links to themselves

    def _may_be_read(self, scope: str) -> bool:
        if self._is_trusted:
            return True
        place = self._place(scope)
        allowed = (self._root, *map(Path, outside_paths(self._index_dir)))
        return any(place.is_relative_to(folder) for folder in allowed)
