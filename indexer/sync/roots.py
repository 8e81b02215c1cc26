"""Which files a run reads: those the user names, or those that the user named for earlier runs.

A path that only the index names must be in the project's folder, or in one that this user named for an earlier run: an
index that somebody else wrote must not choose what is read.
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
        """Return the files under these paths."""
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
        """Return the files under the paths indexed before; a path that is gone counts as walked: its documents are gone too.

        Raises:
            IndexDamagedError: these paths can be read neither from the manifest nor from the table.
        """
        store = store_dir(self._index_dir)
        known = indexed_roots(read_manifest(manifest_path(store), []).metadata.get(ROOTS_KEY))
        if not known:  # the manifest is lost: the documents of the table are taken as the paths
            try:
                known = tuple(sorted(SectionTable.open(store).paths()))
            except IndexDamagedError as error:
                raise IndexDamagedError(
                    f"The index in {self._index_dir} is damaged and does not know what it was made from; rebuild it "
                    "with `index FOLDER --rebuild`.",
                    index_dir=self._index_dir,
                ) from error
        allowed = [path for path in known if self._may_be_read(path)]
        found = self.discover(self.existing(allowed))
        found.roots = allowed
        found.warnings.extend(self.left_out(known))
        return found

    def existing(self, known: Sequence[str]) -> list[Path]:
        """Return those paths of an index that exist and may be read."""
        return [self._root / path for path in known if self._may_be_read(path) and self._exists(path)]

    def left_out(self, known: Sequence[str]) -> list[str]:
        """Return a sentence for each path of an index that may not be read."""
        refused = dict.fromkeys(self._real(path) for path in known if not self._may_be_read(path))
        return [
            f"{path} lies outside the project's folder and is not looked at again; name it, as in `index {path}`"
            for path in refused
        ]

    def remember(self, found: Discovery) -> None:
        """Note the paths outside the project's folder that the user named, so that later runs read them too."""
        outside = [path for path in map(self._real, found.roots) if not path.is_relative_to(self._root)]
        if outside:
            remember_outside(self._index_dir, outside)

    def _exists(self, path: str) -> bool:
        try:
            return (self._root / path).exists()
        except OSError:  # a name that no file can have
            return False

    def _real(self, path: str) -> Path:
        return Path(os.path.realpath(self._root / path))  # Path.resolve raises for links to themselves

    def _may_be_read(self, path: str) -> bool:
        if self._is_trusted:
            return True
        real = self._real(path)
        allowed = (self._root, *map(Path, outside_paths(self._index_dir)))
        return any(real.is_relative_to(folder) for folder in allowed)
