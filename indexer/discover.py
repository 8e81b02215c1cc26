"""Folders and files → the Markdown files to index, each with size and time, and why others cannot be indexed.

Nothing outside the given folders and the project's root is ever read, and nothing is ever written.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from indexer.decoding import Decoded, decode
from indexer.found import Discovery, WalkStoppedError, given_path, reason_of
from indexer.reading import FoundFile, gitignore_lines, read_file
from indexer.walk_rules import Entry, Folder, Ignores, Rules
from schema.errors import SettingsError, SourceError
from schema.formats.endings import COUNTED, ending_of, endings_of
from schema.formats.globs import MAX_WILDCARDS, Globs, TooManyWildcardsError
from schema.index_files.roots import IndexRoots
from schema.reports import Failure
from schema.settings import INCLUDE, MAX_FILE_BYTES
from schema.text.characters import encodable

__all__ = ["Decoded", "Discovery", "FoundFile", "Walk", "decode", "discover", "read_file", "walk_of"]

#: A walk that takes longer asks whether it should stop (seconds).
STOP_SECONDS = 0.5
#: A glob that cannot be read is shown up to this length (characters).
_SHOWN_CHARACTERS = 200
#: The latest time that SQLite and Arrow can hold, in the year 2262; a later one counts as this (nanoseconds).
_LAST_TIME = 2**63 - 1
#: Never worth indexing, whatever the settings say about hidden folders.
NEVER_INDEXED = frozenset({".git", ".hg", ".svn", ".sectionary", "node_modules", "__pycache__"})
#: A folder with this file is a Python environment: the documents inside are of its packages.
_ENVIRONMENT_MARK = "pyvenv.cfg"


def discover(paths: Sequence[Path], **how: Any) -> Discovery:
    """Walk `paths`, folders or Markdown files, in sorted order; `how` are the arguments of `walk_of`.

    A path given by name is walked even if it is hidden or ignored; below it, .gitignore files, `exclude` and `hidden`
    decide. Links are followed if they lead into the project's folder or the path given, to each folder once.

    Raises:
        SourceError: a path does not exist, or is neither a folder nor a file that `include` matches.
        SettingsError: `include` or `exclude` is too long.
        WalkStoppedError: `should_stop` returned true.
    """
    walk = walk_of(**how)
    for path in paths:
        walk.start(path)
    walk.found.sort()
    return walk.found


def walk_of(
    *,
    root: Path,
    include: Sequence[str] = INCLUDE,
    exclude: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
    hidden: bool = False,
    gitignore: bool = True,
    roots: IndexRoots | None = None,
    base: Path | None = None,
    separate: Collection[str] = (),
    marked: Collection[str] = (),
    should_stop: Callable[[], bool] = lambda: False,
) -> Walk:
    """Return a walk over the project in `root` that has not begun.

    `roots` name what is outside of `root`. Patterns are relative to `base`, if not to each path walked. Absolute paths in
    `separate` are left to another walk, and those in `marked` are noted in `reached`. `should_stop` is asked
    each `STOP_SECONDS`.

    Raises:
        SettingsError: `include` or `exclude` is too long.
    """
    return Walk(
        root=root.resolve(),
        roots=roots or IndexRoots(root.resolve()),
        include=_globs("include", include, fold=True),
        exclude=_globs("exclude", exclude),
        max_file_bytes=max_file_bytes,
        hidden=hidden,
        gitignore=gitignore,
        base=base,
        separate=frozenset(separate),
        marked=frozenset(marked),
        endings=endings_of(include),
        should_stop=should_stop,
    )


def _globs(setting: str, patterns: Sequence[str], *, fold: bool = False) -> Globs:
    try:
        globs = Globs(patterns, fold=fold)
    except TooManyWildcardsError as error:
        raise SettingsError(f"The globs of {setting} have more than {MAX_WILDCARDS:,} characters; use fewer.") from error
    if globs.unreadable:
        # one that matches nothing would take all documents out of the index, or leave in what should stay out
        glob = globs.unreadable[0][:_SHOWN_CHARACTERS]
        raise SettingsError(f"{setting} cannot read the glob {glob!r}; use *, **, ? and [abc] as in .gitignore.")
    return globs


@dataclass(slots=True)
class Walk:
    """A walk under way; see `discover`."""

    root: Path
    roots: IndexRoots
    include: Globs
    exclude: Globs
    max_file_bytes: int
    hidden: bool
    gitignore: bool
    base: Path | None
    separate: frozenset[str]
    marked: frozenset[str]
    endings: frozenset[str]
    should_stop: Callable[[], bool]
    names: dict[str, str] = field(default_factory=dict)
    found: Discovery = field(default_factory=Discovery)
    linked_folders: set[str] = field(default_factory=set)

    def start(self, path: Path) -> None:
        """Walk a path that was given; errors are those of `discover`."""
        location = given_path(path, self.root)
        is_folder = location.is_dir()
        self.roots = self.roots.with_folder_of(location, is_folder=is_folder)
        self.names = {str(folder): name for name, folder in self.roots.folders.items()} | {str(self.root): ""}
        self.found.roots.append(path_in_index := self.roots.spell(location) or ".")
        if is_folder:
            self._folders(self._given(location, path_in_index), location)
        elif self.include.decides_below(self._given(location, "").below or location.name):
            self._file(Entry(str(location), path_in_index, location.name), str(location), is_link=False)
        elif location.is_file():
            raise SourceError(f"{path} is a file, but neither a folder nor a Markdown file; give one of those.", path=path)
        else:
            raise SourceError(f"{path} is neither a folder nor a regular file; give one of those.", path=path)

    def _given(self, location: Path, path: str) -> Entry:
        """Return the entry of a folder that was given, by its path in the index."""
        below = "." if self.base is None else location.relative_to(self.base).as_posix()
        return Entry(str(location), "" if path == "." else path, "" if below == "." else below)

    def _rules_for(self, given: Entry, folder: Path) -> Rules:
        """Return the rules for the entries of a folder that was given."""
        ignores: Ignores = ()
        for parent in reversed(folder.parents):
            if parent.is_relative_to(self._whole(folder)):
                ignores = self._with_ignores_in(Entry(str(parent), "", ""), ignores)
        verdicts = (globs.decides_below(given.location[len(base) :], is_folder=True) for base, globs in reversed(ignores))
        is_ignored = next((verdict for verdict in verdicts if verdict is not None), False)
        is_included = bool(given.below and self.include.decides_below(given.below, is_folder=True))
        return Rules(ignores, is_included, bool(self.exclude.decides_below(given.path, is_folder=True)), is_ignored)

    def _ignores_in(self, real: str) -> Ignores:
        """Return the rules for the entries of a folder at its own place, which a link led to."""
        entry = Entry(real, "", "")
        return self._with_ignores_in(entry, self._rules_for(entry, Path(real)).ignores)

    def _whole(self, folder: Path) -> Path:
        """Return the project's folder, or the one outside that has a name, whichever a folder is in."""
        return self.roots.folders.get((self.roots.spell(folder) or "").partition("/")[0]) or self.root

    def _with_ignores_in(self, folder: Entry, ignores: Ignores) -> Ignores:
        """Return `ignores` with the rules of the folder's own .gitignore file."""
        if not self.gitignore:
            return ignores
        location = f"{folder.location}/.gitignore"
        try:
            rules = Globs(gitignore_lines(location), most=MAX_WILDCARDS - sum(globs.wildcards for _, globs in ignores))
        except (FileNotFoundError, NotADirectoryError):
            return ignores
        except TooManyWildcardsError:
            reason = (
                f"its lines with wildcards, and those of such files above it, have more than {MAX_WILDCARDS:,} characters"
            )
        except (OSError, ValueError) as error:
            reason = str(error)
        else:
            return (*ignores, (f"{folder.location.rstrip('/')}/", rules)) if rules else ignores
        self.found.warnings.append(f"{location} is not respected: {reason}")
        return ignores

    def _folders(self, given: Entry, real: Path) -> None:
        """Walk a folder and everything below it, in order; without recursion, since folders may be nested very deep."""
        opened = [self._entries(Folder(given, (str(real),), self._rules_for(given, real)), given)]
        asked = time.monotonic()
        while opened:
            if time.monotonic() - asked > STOP_SECONDS:
                if self.should_stop():
                    raise WalkStoppedError("The run was stopped while it looked for files; nothing was changed.")
                asked = time.monotonic()
            below = next(opened[-1], None)
            if below is None:
                opened.pop()
            else:
                opened.append(self._entries(below, given))

    def _entries(self, folder: Folder, given: Entry) -> Iterator[Folder]:
        """Take the files of a folder in order, and yield each folder in it to be walked before the next entry."""
        rules = folder.rules
        try:
            entries = sorted(os.scandir(folder.entry.location), key=lambda found: found.name)
        except OSError as error:
            self._fail(folder.entry, f"the folder cannot be read: {reason_of(error)}")
            return
        if any(found.name == ".gitignore" for found in entries):
            rules = replace(rules, ignores=self._with_ignores_in(folder.entry, rules.ignores))
        real = folder.real[-1]
        at_home = self._ignores_in(real) if real != folder.entry.location else ()
        for found in entries:
            if self._is_passed_over(found.name):
                continue
            entry = folder.entry.child(found.name)
            if entry.location in self.separate:
                continue
            try:
                is_folder = found.is_dir()
                if self._is_left_out(entry, is_folder, rules) or _verdict(at_home, f"{real}/{found.name}", is_folder):
                    continue
                if entry.location in self.marked:
                    self.found.reached.add(entry.location)
                ending = "" if is_folder else ending_of(found.name)
                if self.endings and not is_folder:
                    is_included = ending in self.endings or rules.is_included
                else:
                    is_included = self._is_included(entry, is_folder, rules)
                if is_folder:
                    if reals := self._subfolder(entry, found.is_symlink(), given, folder.real):
                        yield Folder(self._named(entry), reals, replace(rules, is_included=is_included))
                elif is_included:
                    real_folder = None if folder.real[-1] == folder.entry.location else folder.real[-1]
                    self._file(entry, given.location, is_link=found.is_symlink(), real_folder=real_folder)
                elif ending in COUNTED:
                    self.found.left_out[ending] = self.found.left_out.get(ending, 0) + 1
            except OSError as error:
                self._fail(entry, reason_of(error))

    def reaches(self, folder: Path, path: Path) -> bool:
        """Whether a walk of a folder takes the file, or enters the folder, of a path below it; both without links."""
        given = self._given(folder, self.roots.spell(folder) or ".")
        rules, entry, is_included = self._rules_for(given, folder), given, True
        for name in path.relative_to(folder).parts:
            rules = replace(rules, ignores=self._with_ignores_in(entry, rules.ignores))
            entry = self._named(entry.child(name))
            is_folder = os.path.isdir(entry.location)  # noqa: PTH112 — as for the others here
            if self._is_passed_over(name) or self._is_left_out(entry, is_folder, rules) or _is_environment(entry.location):
                return False
            is_included = self._is_included(entry, is_folder, rules)
            rules = replace(rules, is_included=is_included)
            is_included = is_included or is_folder
        return is_included

    def _is_passed_over(self, name: str) -> bool:
        return name in NEVER_INDEXED or (name.startswith(".") and not self.hidden)

    def _is_included(self, entry: Entry, is_folder: bool, rules: Rules) -> bool:
        included = self.include.decides(entry.below, is_folder=is_folder)
        return rules.is_included if included is None else included

    def _named(self, entry: Entry) -> Entry:
        """Return the entry of a folder; one that has a name in the index by that name."""
        if entry.location not in self.names:
            return entry
        self.found.roots.append(self.names[entry.location] or ".")
        return replace(entry, path=self.names[entry.location])

    def _subfolder(self, entry: Entry, is_link: bool, given: Entry, above: tuple[str, ...]) -> tuple[str, ...]:
        """Return the real paths of a folder below `above`, as in `Folder`; empty if it is not walked."""
        if is_link:
            real = Path(entry.location).resolve()
            if not self._is_inside(real, Path(given.location)):
                self._fail(entry, f"the link leads out of the indexed folder, to {real}; index that folder itself")
                return ()
            if any(Path(folder).is_relative_to(real) for folder in above):
                self.found.warnings.append(f"{entry.path}: the link leads back to a folder above it")
                return ()
        if _is_environment(entry.location):
            return ()
        name = entry.location.rpartition("/")[2]
        reals = (*above, str(real)) if is_link else (*above[:-1], f"{above[-1]}/{name}")
        if reals[-1] != entry.location:  # folders that link to each other are reached by more ways than anybody can walk
            if reals[-1] in self.linked_folders:
                return ()
            self.linked_folders.add(reals[-1])
        return reals

    def _file(self, entry: Entry, given: str, *, is_link: bool, real_folder: str | None = None) -> None:
        """Take a file; `real_folder` is where its folder really is, if a link led to it."""
        if is_link:
            real = Path(entry.location).resolve(strict=True)
            if not self._is_inside(real, Path(given)):
                self._fail(entry, "the link leads out of the indexed folder; index its target itself")
                return
            self.found.linked[entry.path] = str(real)
        elif real_folder is not None:
            self.found.linked[entry.path] = f"{real_folder}/{entry.location.rpartition('/')[2]}"
        status = os.stat(entry.location)  # noqa: PTH116 — a Path costs too much here
        try:
            entry.path.encode("utf-8")
        except UnicodeEncodeError:
            self._fail(entry, "the name is not valid UTF-8; rename the file")
            return
        if not stat.S_ISREG(status.st_mode):
            self._fail(entry, "it is not a regular file (a pipe, socket or device)")
        elif status.st_size > self.max_file_bytes:
            self._fail(
                entry,
                f"it has {status.st_size:,} bytes, more than the {self.max_file_bytes:,} of max_file_bytes; "
                "split it or raise the setting",
            )
        else:
            size, mtime, ctime = status.st_size, min(status.st_mtime_ns, _LAST_TIME), status.st_ctime_ns
            self.found.files.append(FoundFile(entry.path, entry.location, size, mtime, ctime))

    def _is_left_out(self, entry: Entry, is_folder: bool, rules: Rules) -> bool:
        if self.exclude:
            excluded = self.exclude.decides(entry.path, is_folder=is_folder)
            if (rules.is_excluded if excluded is None else excluded) or self.exclude.decides(
                entry.below, is_folder=is_folder
            ):
                return True
        verdict = _verdict(rules.ignores, entry.location, is_folder)
        return rules.is_ignored if verdict is None else verdict

    def _is_inside(self, real: Path, given: Path) -> bool:
        return real.is_relative_to(self.root) or real.is_relative_to(self._whole(given.resolve()))

    def _fail(self, entry: Entry, reason: str) -> None:
        self.found.failed.append(Failure(encodable(entry.path or "."), reason))


def _verdict(ignores: Ignores, location: str, is_folder: bool) -> bool | None:
    """Return whether .gitignore files leave out what is at a location; None if they say nothing of it."""
    verdicts = (globs.decides(location[len(base) :], is_folder=is_folder) for base, globs in reversed(ignores))
    return next((verdict for verdict in verdicts if verdict is not None), None)  # the nearest file with a matching line


def _is_environment(folder: str) -> bool:
    return os.path.exists(f"{folder}/{_ENVIRONMENT_MARK}")  # noqa: PTH110 — a Path of a deep folder costs more
