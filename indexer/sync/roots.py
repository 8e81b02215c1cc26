"""Which files a run reads, how, and under which names: by the options of this run, by what earlier runs kept, by settings.

A path that only the index names must be in the project's folder, or in one that this user named for an earlier run: an
index that somebody else wrote must not choose what is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from indexer.convert.conversion import format_of
from indexer.convert.documents import CONVERTED_FILES, require_converters
from indexer.discover import Walk, discover, walk_of
from indexer.found import Discovery, folder_of, given_path, reason_of
from indexer.sync.allowed import Allowed, real_path
from indexer.sync.calling import Calling, find_root, other_names, with_called
from schema import arguments
from schema.errors import IndexDamagedError, SettingsError, SourceError
from schema.index_files.layout import ROOTS_FILE, forget_outside, is_own, manifest_path, remember_outside, store_dir
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import (
    FileChoice,
    IndexRoots,
    Root,
    and_above,
    by_path,
    digest_of,
    innermost,
    is_gone,
    parse_roots,
    read_roots_file,
    remembered_roots,
    write_roots,
)
from schema.reports import Failure
from schema.settings import Settings
from schema.status import ROOTS_KEY, RUN_KEY, indexed_roots


@dataclass(frozen=True, slots=True)
class _Target:
    """A folder or file to walk: where it is, its path in the index, which files are taken, what patterns are relative to."""

    location: Path
    path: str
    files: FileChoice
    base: Path


class Roots:
    """The roots of the index in `index_dir`, whose paths are relative to the project's folder `root`.

    `files` are the options of this run. `is_trusted`: every path that the index names may be read.
    """

    def __init__(
        self, index_dir: Path, root: Path, settings: Settings, *, is_trusted: bool, files: FileChoice | None = None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self._index_dir = index_dir
        self._root = root
        self._settings = settings
        self._is_trusted = is_trusted
        self._files = files or FileChoice()
        self._should_stop = should_stop
        self._allowed = Allowed(index_dir, root, is_trusted=is_trusted)
        #: What the root that this run is over is called from now on.
        self.calling: Calling | None = None

    # -- what is walked ------------------------------------------------------------------------------------------------

    def discover(self, paths: Sequence[str | os.PathLike[str]]) -> Discovery:
        """Return the files under these paths, and those of the roots below them.

        Raises:
            SourceError: a path does not exist or cannot be indexed.
            SettingsError: what was kept about the roots is lost, or packages that convert files are not installed.
        """
        last_run = self._last_run()
        found = self._discover([Path(arguments.path("path", path)) for path in paths], self.load())
        found.again, found.last_run = lambda: self.discover(paths), last_run
        return found

    def discover_known(self) -> Discovery:
        """Return the files under the paths indexed before; a path that is gone counts as walked: its documents are gone too.

        Raises:
            IndexDamagedError: these paths can be read neither from the index's files nor from the table.
            SettingsError: what was kept about the roots is lost.
        """
        last_run, known = self._last_run(), self.load()
        if not known.roots:  # everything is lost: the documents of the table are taken as the paths
            from schema.storage.table import SectionTable

            try:
                paths = sorted(SectionTable.open(store_dir(self._index_dir)).paths())
            except IndexDamagedError as error:
                raise IndexDamagedError(
                    f"The index in {self._index_dir} is damaged and does not know what it was made from; rebuild it "
                    "with `index FOLDER --rebuild`.",
                    index_dir=self._index_dir,
                ) from error
            known = replace(known, roots=tuple(Root(path=path) for path in paths))
        roots = tuple(replace(root, files=self._files.over(root.files)) for root in known.roots)
        found = self.with_known((), replace(known, roots=roots))
        found.before, found.is_whole, found.again = known, self._kept() is not None, self.discover_known
        found.last_run = last_run
        return found

    def with_known(self, paths: Sequence[str | os.PathLike[str]], known: IndexRoots) -> Discovery:
        """Return the files under these paths and under the known roots that exist and may be read."""
        allowed = [root.path for root in known.roots if self._allowed.may_be_read(known, root.path)]
        found = self._discover([Path(arguments.path("path", path)) for path in paths], known, also=allowed)
        found.roots = sorted({*found.roots, *allowed})
        found.warnings.extend(self._allowed.left_out(known))
        return found

    def load(self, *, is_replaced: bool = False) -> IndexRoots:
        """Return the roots that are kept with the index, or those that an older index knows.

        Raises:
            SettingsError: they are lost, and a run without them would read other files; not if the index `is_replaced`.
        """
        kept = self._kept()
        if kept is not None:
            return kept
        noted = remembered_roots(self._index_dir)
        is_lost = noted is not None and noted.is_needed and is_own(self._index_dir)
        if is_lost and not (self._files or is_replaced or self._is_trusted):
            raise SettingsError(
                f"What runs keep about the folders of this index, in {self._index_dir / ROOTS_FILE}, is lost or was changed "
                "by somebody else; so that no document is removed by mistake, name each folder with its patterns again, as "
                "in `index FOLDER --include '**/*.md'`."
            )
        return self._of_an_older_index()

    def _kept(self) -> IndexRoots | None:
        """Return the roots that were kept and are this user's own; None where there are none."""
        data, noted = read_roots_file(self._index_dir), remembered_roots(self._index_dir)
        is_ours = self._is_trusted or (data is not None and noted is not None and digest_of(data) in noted.digests)
        return parse_roots(data, self._root) if data is not None and is_ours else None

    def _last_run(self) -> str | None:
        """Return what the manifest says of the last run, which each run changes."""
        return read_manifest(manifest_path(store_dir(self._index_dir)), []).metadata.get(RUN_KEY)

    def _of_an_older_index(self) -> IndexRoots:
        paths = indexed_roots(read_manifest(manifest_path(store_dir(self._index_dir)), []).metadata.get(ROOTS_KEY))
        return self._with_named(IndexRoots(self._root, tuple(Root(path=path) for path in paths)))

    def _does_convert(self, files: FileChoice) -> bool:
        return self._settings.convert if files.convert is None else files.convert

    def places(self) -> list[Path]:
        """Return where the known roots are, of those that exist and may be read."""
        known = self.load()
        paths = [root.path for root in known.roots if self._allowed.may_be_read(known, root.path)]
        return [place for path in paths if (place := known.locate(path)) is not None and os.path.lexists(place)]

    def empty(self) -> IndexRoots:
        """Return the roots of an index that knows of none."""
        return IndexRoots(self._root)

    def _discover(self, given: Sequence[Path], known: IndexRoots, also: Sequence[str] = ()) -> Discovery:
        """Walk the paths given, the roots below them, and the paths `also` of the index, those that exist.

        One of which nobody can tell whether it exists is a failure, so that nothing below it counts as gone.
        """
        before = known
        if self.calling is not None:
            known = with_called(known, given_path(self.calling.path, self._root), self.calling)
        locations = [given_path(path, self._root) for path in given]
        for location in locations:
            known = known.with_folder_of(location, is_folder=location.is_dir())
        known, targets = self._with_given(known, locations)
        named = frozenset(targets)
        files = {root.path: root.files for root in known.roots}
        failed = []
        for path in (*self._roots_below(known, locations), *also):
            place = known.locate(path)
            if place is None or path not in files or path in targets:
                continue
            try:
                if not is_gone(place):
                    location = real_path(place)
                    targets[path] = _Target(location, path, files[path], folder_of(location))
            except OSError as error:
                failed.append(Failure(path, f"the folder cannot be read: {reason_of(error)}"))
        found = self._walked(targets.values(), known, named)
        found.failed.extend(failed)
        other = other_names(self._index_dir, known, {path: target.location for path, target in targets.items()})
        known = replace(known, roots=tuple(root for root in known.roots if root.path not in other))
        found.before, found.after, found.given = before, known, tuple(given)
        found.retired = sorted({*other, *(root.path for root in before.roots)} - {root.path for root in known.roots})
        walked = {*found.roots, *found.retired}
        found.spared = sorted(path for path in (*known.folders, *(r.path for r in known.roots)) if path not in walked)
        return self._without_links(found, known)

    def _with_named(self, known: IndexRoots) -> IndexRoots:
        """Return the roots with a name for each folder outside that an older index has by its way there."""
        roots = []
        for root in known.roots:
            real = real_path(known.project / root.path)
            is_outside = (root.path.startswith("..") or Path(root.path).is_absolute()) and not real.is_relative_to(
                known.project
            )
            if is_outside and self._allowed.allows(real) and os.path.lexists(real):
                known = known.with_folder_of(real, is_folder=real.is_dir())
                root = replace(root, path=known.spell(real) or root.path)  # noqa: PLW2901
            roots.append(root)
        return replace(known, roots=by_path(roots))

    def _with_given(self, known: IndexRoots, locations: Iterable[Path]) -> tuple[IndexRoots, dict[str, _Target]]:
        """Return the roots with those that the user gives now, and what is to be walked of them."""
        targets: dict[str, _Target] = {}
        roots = {root.path: root for root in known.roots}
        walks: dict[str, Walk] = {}
        for location in locations:
            path = known.spell(location) or "."
            around = next((roots[each] for each in and_above(path, known.folders) if each in roots), None)
            files = self._files.over(around.files if around is not None else FileChoice())
            if (
                around is None
                or around.path == path
                or files != around.files
                or not self._reaches(known, around, location, walks)
            ):
                if self._files:
                    inside = [each for each in roots if each != path and (path == "." or each.startswith(f"{path}/"))]
                    roots |= {each: replace(roots[each], files=self._files.over(roots[each].files)) for each in inside}
                roots[path] = replace(roots.get(path, Root(path=path)), files=files)
                targets[path] = _Target(location, path, files, folder_of(location))
            else:
                targets[path] = _Target(location, path, files, folder_of(known.locate(around.path) or location))
        return replace(known, roots=by_path(roots.values())), targets

    def without(self, word: str) -> Discovery:
        """Return what a run reads that removes the root with this name or path from the index.

        Raises:
            SettingsError: there is no such root.
        """
        last_run, known = self._last_run(), self.load()
        root = find_root(known, word)
        left = replace(known, roots=tuple(each for each in known.roots if each.path != root.path))
        place, around = known.locate(root.path), left.root_of(root.path)
        if around is not None and place is not None and place.exists() and self._reaches(left, around, place):
            found = self._discover([place], left)
        else:
            names = {each.path.partition("/")[0] for each in left.roots}
            folders = {name: folder for name, folder in left.folders.items() if name in names}
            found = Discovery(roots=[root.path], after=replace(left, folders=folders))
            found.spared = sorted({*known.folders, *(each.path for each in left.roots)} - {root.path})
            found.closed = None if place is None or place.is_relative_to(self._root) else place
        found.before, found.given, found.again, found.last_run = known, (), lambda: self.without(word), last_run
        return found

    def _reaches(self, known: IndexRoots, around: Root, location: Path, walks: dict[str, Walk] | None = None) -> bool:
        """Whether a walk of a root gets to a path in it, so that it need not be a root of its own; `walks` are kept."""
        folder = known.locate(around.path)
        if folder is None or folder == location or not folder.is_dir():
            return folder == location
        walks = {} if walks is None else walks
        if around.path not in walks:
            walks[around.path] = walk_of(root=self._root, roots=known, base=folder, **self._how(around.files))
        return walks[around.path].reaches(folder, location)

    def _roots_below(self, known: IndexRoots, locations: Iterable[Path]) -> list[str]:
        """Return the paths of the roots that are in one of these folders, by where they are."""
        given = set(locations)
        places = {root.path: place for root in known.roots if (place := known.locate(root.path)) is not None}
        below = [path for path, place in places.items() if not given.isdisjoint(place.parents)]
        return [path for path in below if self._allowed.may_be_read(known, path)]

    def _walked(self, targets: Iterable[_Target], known: IndexRoots, named: Collection[str]) -> Discovery:
        """Walk the targets, the outer ones first; what one of them reaches in the same way is not walked again.

        One that is no folder or document any more is a failure if it is not among those that are `named` now.
        """
        found = Discovery()
        ordered = sorted(targets, key=lambda target: (len(target.location.parts), target.path))
        if any(self._does_convert(target.files) for target in ordered):
            require_converters()
        every = frozenset(str(target.location) for target in ordered)
        alike = {
            files: frozenset(str(target.location) for target in ordered if target.files == files)
            for files in {target.files for target in ordered}
        }
        apart = {files: every - same for files, same in alike.items()}
        for target in ordered:
            if str(target.location) in found.reached:
                continue
            try:
                part = discover(
                    [target.location],
                    root=self._root,
                    roots=known,
                    base=target.base,
                    separate=apart[target.files],
                    marked=alike[target.files],
                    **self._how(target.files),
                )
            except SourceError as error:
                if target.path in named:
                    raise
                found.failed.append(Failure(target.path, f"it cannot be looked through: {error}"))
                continue
            part.leave_out_clashes(known)
            if not self._does_convert(target.files):
                part.plain.update(file.path for file in part.files if format_of(file.path) is not None)
            found.add(part)
        found.roots = sorted({*found.roots, *(target.path for target in ordered)})
        found.sort()
        return found

    def _how(self, files: FileChoice) -> dict[str, Any]:
        """Return the arguments of a walk: a choice, and the settings for what it leaves open."""
        s = self._settings
        by_settings = FileChoice(
            include=s.include, exclude=s.exclude, convert=s.convert, hidden=s.hidden, gitignore=s.gitignore
        )
        chosen = files.over(by_settings)
        return {
            "include": (*(chosen.include or ()), *(CONVERTED_FILES if chosen.convert else ())),
            "exclude": chosen.exclude,
            "hidden": chosen.hidden,
            "gitignore": chosen.gitignore,
            "max_file_bytes": s.max_file_bytes,
            "should_stop": self._should_stop,
        }

    def _without_links(self, found: Discovery, known: IndexRoots) -> Discovery:
        """Leave out files that a link led to and that the index has at their own place."""
        own = {path: known.spell(Path(real)) for path, real in found.linked.items()}
        elsewhere = sorted({real for path, real in own.items() if real is not None and real != path})
        if elsewhere:
            walked = dict.fromkeys(found.roots, True)
            records = read_manifest(manifest_path(store_dir(self._index_dir)), elsewhere).files
            there = {path for path in records if not innermost(path, walked, known.folders)}
            found.files = [file for file in found.files if own.get(file.path) not in there]
        return found

    # -- what is kept --------------------------------------------------------------------------------------------------

    def keep(self, found: Discovery) -> None:
        """Write down the roots as they are after a run over `found`; the caller holds the writer's lock.

        If there was another run since they were looked for, the files are looked for again: it may have indexed some that
        were not there yet.
        """
        if found.again is not None and (self.load() != found.before or self._last_run() != found.last_run):
            fresh = found.again()
            for each in fields(Discovery):
                setattr(found, each.name, getattr(fresh, each.name))
        self.remember(found)

    def remember(self, found: Discovery) -> None:
        """Write down the roots, and the folders outside of the project that the user named."""
        outside = [folder for folder in map(real_path, found.given) if not folder.is_relative_to(self._root)]
        if outside:
            remember_outside(self._index_dir, outside)
        if found.closed is not None:
            forget_outside(self._index_dir, found.closed)
        if found.after is not None:
            write_roots(self._index_dir, found.after)
