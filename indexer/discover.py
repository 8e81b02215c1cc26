"""Folders and files → the Markdown files to index, each with size and time, and why others cannot be indexed.

Nothing outside the given folders and the project's root is ever read, and nothing is ever written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from indexer.decoding import Decoded, decode
from indexer.reading import FoundFile, gitignore_lines, read_file
from schema.errors import SettingsError, SourceError
from schema.formats.globs import MAX_WILDCARDS, Globs, TooManyWildcardsError
from schema.reports import Failure
from schema.settings import INCLUDE, MAX_FILE_BYTES
from schema.text.characters import encodable

__all__ = ["Decoded", "Discovery", "FoundFile", "decode", "discover", "read_file", "relative_path"]

#: Never worth indexing, whatever the settings say about hidden folders.
NEVER_INDEXED = frozenset({".git", ".hg", ".svn", ".sectionary", "node_modules", "__pycache__"})
#: A folder with this file is a Python environment: the documents inside are of its packages.
_ENVIRONMENT_MARK = "pyvenv.cfg"


@dataclass(slots=True)
class Discovery:
    """What a walk found. `roots` are the paths walked, relative to the root; `failed` are the files it could not take."""

    files: list[FoundFile] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


def discover(
    paths: Sequence[Path],
    *,
    root: Path,
    include: Sequence[str] = INCLUDE,
    exclude: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
    hidden: bool = False,
    gitignore: bool = True,
) -> Discovery:
    """Walk `paths`, folders or Markdown files, in sorted order.

    A path given by name is walked even if it is hidden or ignored; below it, .gitignore files, `exclude` and `hidden`
    decide. Links are followed if they lead to something inside `root` or the path given.

    Raises:
        SourceError: a path does not exist, or is neither a folder nor a file that `include` matches.
        SettingsError: `include` or `exclude` is too long.
    """
    walk = _Walk(
        root=root.resolve(),
        include=_globs("include", include),
        exclude=_globs("exclude", exclude),
        max_file_bytes=max_file_bytes,
        hidden=hidden,
        gitignore=gitignore,
    )
    for path in paths:
        walk.start(path)
    unique = {file.path: file for file in walk.found.files}
    walk.found.files = [unique[path] for path in sorted(unique)]
    walk.found.failed = list(dict.fromkeys(walk.found.failed))
    walk.found.warnings = list(dict.fromkeys(walk.found.warnings))
    return walk.found


def relative_path(path: Path, root: Path) -> str:
    """Return `path` as the index writes it: POSIX, relative to `root`, with leading ".." if it is outside of it."""
    return PurePosixPath(Path(os.path.relpath(path, root))).as_posix()


def _globs(setting: str, patterns: Sequence[str]) -> Globs:
    try:
        return Globs(patterns)
    except TooManyWildcardsError as error:
        raise SettingsError(f"The globs of {setting} have more than {MAX_WILDCARDS:,} characters; use fewer.") from error


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file or folder: its path on disk, and its POSIX paths relative to the root and to the path given ("" for itself)."""

    location: str
    path: str
    below: str

    def child(self, name: str) -> _Entry:
        """Return the entry of this name in this folder."""
        return _Entry(f"{self.location}/{name}", _joined(self.path, name), _joined(self.below, name))


#: .gitignore files, outermost first: for each its folder, as the paths of everything below begin, and its rules.
_Ignores = tuple[tuple[str, Globs], ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What decides about the entries of a folder: the .gitignore files, and what was decided about the folder itself.

    `is_included`, `is_excluded` and `is_ignored` hold for each entry that no pattern matches.
    """

    ignores: _Ignores
    is_included: bool
    is_excluded: bool
    is_ignored: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to walk, and the rules for what it holds.

    `real`: its real path, after the real paths of those folders above it that hold a link that was followed.
    """

    entry: _Entry
    real: tuple[str, ...]
    rules: _Rules


@dataclass(slots=True)
class _Walk:
    root: Path
    include: Globs
    exclude: Globs
    max_file_bytes: int
    hidden: bool
    gitignore: bool
    found: Discovery = field(default_factory=Discovery)

    def _link_out(self, path: Path) -> Path | None:
        """Return the part of a path that is a link from inside the project's folder to the outside, if there is one."""
        whole = Path(os.path.abspath(path))
        for part in (whole, *whole.parents):
            if part.is_symlink():
                folder, target = Path(os.path.realpath(part.parent)), Path(os.path.realpath(part))
                if folder.is_relative_to(self.root) and not target.is_relative_to(self.root):
                    return part
        return None

    def start(self, path: Path) -> None:
        """Walk a path that was given; errors are those of `discover`."""
        link = self._link_out(path)
        if link is not None:
            raise SourceError(
                f"{link} is a link out of the project's folder, to {os.path.realpath(link)}; name that if you mean it.",
                path=path,
            )
        try:
            location = path.resolve(strict=True)
            is_folder = location.is_dir()
        except (OSError, RuntimeError) as error:
            raise SourceError(f"There is no folder or file {path}; check the path.", path=path) from error
        relative = relative_path(location, self.root)
        self.found.roots.append(relative)
        if is_folder:
            given = _Entry(str(location), "" if relative == "." else relative, "")
            self._folders(given, location)
        elif self.include.decides(location.name):
            self._file(_Entry(str(location), relative, location.name), str(location), is_link=False)
        elif location.is_file():
            raise SourceError(f"{path} is a file, but neither a folder nor a Markdown file; give one of those.", path=path)
        else:
            raise SourceError(f"{path} is neither a folder nor a regular file; give one of those.", path=path)

    def _rules_for(self, given: _Entry, folder: Path) -> _Rules:
        """Return the rules for the entries of a folder that was given."""
        ignores: _Ignores = ()
        for parent in reversed(folder.parents):
            if parent.is_relative_to(self.root):
                relative = relative_path(parent, self.root)
                ignores = self._with_ignores_in(_Entry(str(parent), "" if relative == "." else relative, ""), ignores)
        verdicts = (globs.decides_below(given.path[len(base) :], is_folder=True) for base, globs in reversed(ignores))
        is_ignored = next((verdict for verdict in verdicts if verdict is not None), False)
        return _Rules(ignores, False, bool(self.exclude.decides_below(given.path, is_folder=True)), is_ignored)

    def _with_ignores_in(self, folder: _Entry, ignores: _Ignores) -> _Ignores:
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
            return (*ignores, (f"{folder.path}/" if folder.path else "", rules)) if rules else ignores
        self.found.warnings.append(f"{location} is not respected: {reason}")
        return ignores

    def _folders(self, given: _Entry, real: Path) -> None:
        """Walk a folder and everything below it, in order; without recursion, since folders may be nested very deep."""
        opened = [self._entries(_Folder(given, (str(real),), self._rules_for(given, real)), given)]
        while opened:
            below = next(opened[-1], None)
            if below is None:
                opened.pop()
            else:
                opened.append(self._entries(below, given))

    def _entries(self, folder: _Folder, given: _Entry) -> Iterator[_Folder]:
        """Take the files of a folder in order, and yield each folder in it to be walked before the next entry."""
        rules = folder.rules
        try:
            entries = sorted(os.scandir(folder.entry.location), key=lambda found: found.name)
        except OSError as error:
            self._fail(folder.entry, f"the folder cannot be read: {_reason(error)}")
            return
        if any(found.name == ".gitignore" for found in entries):
            rules = replace(rules, ignores=self._with_ignores_in(folder.entry, rules.ignores))
        for found in entries:
            if found.name in NEVER_INDEXED or (found.name.startswith(".") and not self.hidden):
                continue
            entry = folder.entry.child(found.name)
            try:
                is_folder = found.is_dir()
                if self._is_left_out(entry, is_folder, rules):
                    continue
                included = self.include.decides(entry.below, is_folder=is_folder)
                is_included = rules.is_included if included is None else included
                if is_folder:
                    real = self._subfolder(entry, found.is_symlink(), given, folder.real)
                    if real:
                        yield _Folder(entry, real, replace(rules, is_included=is_included))
                elif is_included:
                    self._file(entry, given.location, is_link=found.is_symlink())
            except OSError as error:
                self._fail(entry, _reason(error))

    def _subfolder(self, entry: _Entry, is_link: bool, given: _Entry, above: tuple[str, ...]) -> tuple[str, ...]:
        """Return the real paths of a folder below `above`, as in `_Folder`; empty if it is not walked."""
        if is_link:
            real = Path(entry.location).resolve()
            if not self._is_inside(real, Path(given.location)):
                self._fail(entry, f"the link leads out of the indexed folder, to {real}; index that folder itself")
                return ()
            if any(Path(folder).is_relative_to(real) for folder in above):
                self.found.warnings.append(f"{entry.path}: the link leads back to a folder above it")
                return ()
        if os.path.exists(f"{entry.location}/{_ENVIRONMENT_MARK}"):  # noqa: PTH110 — a Path of a deep folder costs more
            return ()
        return (*above, str(real)) if is_link else (*above[:-1], f"{above[-1]}/{entry.location.rpartition('/')[2]}")

    def _file(self, entry: _Entry, given: str, *, is_link: bool) -> None:
        if is_link and not self._is_inside(Path(entry.location).resolve(strict=True), Path(given)):
            self._fail(entry, "the link leads out of the indexed folder; index its target itself")
            return
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
            size, mtime, ctime = status.st_size, status.st_mtime_ns, status.st_ctime_ns
            self.found.files.append(FoundFile(entry.path, entry.location, size, mtime, ctime))

    def _is_left_out(self, entry: _Entry, is_folder: bool, rules: _Rules) -> bool:
        if self.exclude:
            excluded = self.exclude.decides(entry.path, is_folder=is_folder)
            if (rules.is_excluded if excluded is None else excluded) or self.exclude.decides(
                entry.below, is_folder=is_folder
            ):
                return True
        for base, globs in reversed(rules.ignores):  # the nearest file with a matching line decides
            verdict = globs.decides(entry.path[len(base) :], is_folder=is_folder)
            if verdict is not None:
                return verdict
        return rules.is_ignored

    def _is_inside(self, real: Path, given: Path) -> bool:
        return real.is_relative_to(self.root) or real.is_relative_to(given.resolve())

    def _fail(self, entry: _Entry, reason: str) -> None:
        self.found.failed.append(Failure(encodable(entry.path or "."), reason))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "the link leads to itself"
    if error.errno == errno.ENOENT:
        return "the link leads nowhere, or the file vanished while it was looked at"
    return (error.strerror or str(error)).lower()
