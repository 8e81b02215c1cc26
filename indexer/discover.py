"""Folders and files → the Markdown files to index, each with size and time, and the reasons for those left behind.

Nothing outside the given folders and the project's root is ever read, and nothing is ever written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import pathspec

from indexer.decoding import Decoded, decode
from schema.errors import SourceError
from schema.reports import Failure

__all__ = ["Decoded", "Discovery", "FoundFile", "decode", "discover", "read_file", "relative_path"]

#: Never worth indexing, whatever the settings say about hidden folders.
NEVER_INDEXED = frozenset({".git", ".hg", ".svn", ".sectionary", "node_modules", "__pycache__"})
#: A folder with this file is a Python environment: the documents inside are of its packages.
_ENVIRONMENT_MARK = "pyvenv.cfg"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to index: `path` relative to the root, POSIX; `location` on disk; size in bytes.

    `mtime_ns` is when its content was last modified, `ctime_ns` when anything about it changed: a rename or a copied
    modification time shows there (on Windows it is the time of creation).
    """

    path: str
    location: Path
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(slots=True)
class Discovery:
    """What a walk found. `scopes` are the paths walked, relative to the root; `failed` what could not be taken."""

    files: list[FoundFile] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    scopes: list[str] = field(default_factory=list)


def discover(
    paths: Sequence[Path],
    *,
    root: Path,
    include: Sequence[str] = ("**/*.md", "**/*.markdown"),
    exclude: Sequence[str] = (),
    max_file_bytes: int = 10_000_000,
    hidden: bool = False,
    gitignore: bool = True,
) -> Discovery:
    """Walk `paths`, folders or Markdown files, in sorted order.

    A path given by name is walked even if it is hidden or ignored; below it, .gitignore files, `exclude` and `hidden`
    decide. Links are followed where they lead to something inside `root` or the path given.

    Raises:
        SourceError: a path does not exist, or is neither a folder nor a file that `include` matches.
    """
    walk = _Walk(
        root=root.resolve(),
        include=_spec(include),
        exclude=_spec(exclude),
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
    """`path` as the index writes it: POSIX, relative to `root`, with leading ".." where it lies outside."""
    return PurePosixPath(Path(os.path.relpath(path, root))).as_posix()


def read_file(file: FoundFile) -> bytes:
    """The bytes of a found file, read without following it to anything but a regular file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no longer a regular file, or changed while it was read.
    """
    descriptor = os.open(file.location, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise ValueError("it is no longer a regular file")
        data = stream.read(before.st_size + 1)
        after = os.fstat(descriptor)
    if len(data) != before.st_size or (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ValueError("it changed while it was read; the next run takes it")
    return data


def _spec(patterns: Sequence[str]) -> pathspec.GitIgnoreSpec:
    return pathspec.GitIgnoreSpec.from_lines(patterns)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk stands: on disk, and as POSIX paths relative to the root and to the path given ("" for itself)."""

    location: str
    path: str
    below: str

    def of(self, name: str) -> _Place:
        """The place of an entry of this folder."""
        return _Place(f"{self.location}/{name}", _joined(self.path, name), _joined(self.below, name))


#: A .gitignore file: the folder it stands in, as the start of the paths of what lies below, and its rules.
_Ignores = tuple[tuple[str, pathspec.GitIgnoreSpec], ...]


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to walk: its place, where it and the folders it is in really are, and the .gitignore rules above it."""

    place: _Place
    real: tuple[Path, ...]
    ignores: _Ignores


@dataclass(slots=True)
class _Walk:
    root: Path
    include: pathspec.GitIgnoreSpec
    exclude: pathspec.GitIgnoreSpec
    max_file_bytes: int
    hidden: bool
    gitignore: bool
    found: Discovery = field(default_factory=Discovery)

    def start(self, path: Path) -> None:
        try:
            location = path.resolve(strict=True)
            is_folder = location.is_dir()
        except (OSError, RuntimeError) as error:
            raise SourceError(f"There is no folder or file {path}; check the path.", path=path) from error
        relative = relative_path(location, self.root)
        self.found.scopes.append(relative)
        if is_folder:
            given = _Place(str(location), "" if relative == "." else relative, "")
            self._folders(given, location)
        elif self.include.match_file(location.name):
            self._file(_Place(str(location), relative, location.name), location, is_link=False)
        elif location.is_file():
            raise SourceError(f"{path} is a file, but neither a folder nor a Markdown file; give one of those.", path=path)
        else:
            raise SourceError(f"{path} is neither a folder nor a regular file; give one of those.", path=path)

    def _ignores_above(self, folder: Path) -> _Ignores:
        if not folder.is_relative_to(self.root):
            return ()
        above = [parent for parent in reversed(folder.parents) if parent.is_relative_to(self.root)]
        rules: _Ignores = ()
        for parent in above:
            relative = relative_path(parent, self.root)
            rules += tuple(self._ignores_in(_Place(str(parent), "" if relative == "." else relative, "")))
        return rules

    def _ignores_in(self, folder: _Place) -> Iterator[tuple[str, pathspec.GitIgnoreSpec]]:
        if not self.gitignore:
            return
        place = Path(folder.location, ".gitignore")
        try:
            lines = place.read_bytes().decode("utf-8", "replace").splitlines()
            yield (f"{folder.path}/" if folder.path else ""), pathspec.GitIgnoreSpec.from_lines(lines)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        except (OSError, ValueError) as error:
            self.found.warnings.append(f"{place} cannot be read and is not respected: {error}")

    def _folders(self, given: _Place, real: Path) -> None:
        """Walk a folder and all below it, in order. The open folders are a list, since calls may not nest so deep."""
        ignores = self._ignores_above(real)
        opened = [self._entries(_Folder(given, (real,), ignores), given)]
        while opened:
            below = next(opened[-1], None)
            if below is None:
                opened.pop()
            else:
                opened.append(self._entries(below, given))

    def _entries(self, folder: _Folder, given: _Place) -> Iterator[_Folder]:
        """Take the files of a folder, and give each folder in it at its turn."""
        ignores = folder.ignores
        try:
            entries = sorted(os.scandir(folder.place.location), key=lambda entry: entry.name)
        except OSError as error:
            self._fail(folder.place, f"the folder cannot be read: {_reason(error)}")
            return
        if any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *self._ignores_in(folder.place))
        for entry in entries:
            if entry.name in NEVER_INDEXED or (entry.name.startswith(".") and not self.hidden):
                continue
            place = folder.place.of(entry.name)
            try:
                is_folder = entry.is_dir()
                if self._is_left_out(place, is_folder, ignores):
                    continue
                if is_folder:
                    real = self._subfolder(place, entry.is_symlink(), given, folder.real)
                    if real is not None:
                        yield _Folder(place, (*folder.real, real), ignores)
                elif self.include.match_file(place.below):
                    self._file(place, Path(given.location), is_link=entry.is_symlink())
            except OSError as error:
                self._fail(place, _reason(error))

    def _subfolder(self, place: _Place, is_link: bool, given: _Place, above: tuple[Path, ...]) -> Path | None:
        """Where a folder really is, None if it is not walked; `above` are the real places of the folders it is in."""
        location = Path(place.location)
        real = location.resolve() if is_link else above[-1] / location.name
        if is_link and not self._is_inside(real, Path(given.location)):
            self._fail(place, f"the link leads out of the indexed folder, to {real}; index that folder itself")
        elif is_link and any(folder.is_relative_to(real) for folder in above):
            self.found.warnings.append(f"{place.path}: the link leads back to a folder above it")
        elif not (location / _ENVIRONMENT_MARK).exists():
            return real
        return None

    def _file(self, place: _Place, given: Path, *, is_link: bool) -> None:
        if is_link and not self._is_inside(Path(place.location).resolve(strict=True), given):
            self._fail(place, "the link leads out of the indexed folder; index its target itself")
            return
        status = os.stat(place.location)  # noqa: PTH116 — one of thousands: a Path costs more than the call
        try:
            place.path.encode("utf-8")
        except UnicodeEncodeError:
            self._fail(place, "the name is not valid UTF-8; rename the file")
            return
        if not stat.S_ISREG(status.st_mode):
            self._fail(place, "it is not a regular file (a pipe, socket or device)")
        elif status.st_size > self.max_file_bytes:
            self._fail(
                place,
                f"it has {status.st_size:,} bytes, more than the {self.max_file_bytes:,} of max_file_bytes; "
                "split it or raise the setting",
            )
        else:
            size, mtime, ctime = status.st_size, status.st_mtime_ns, status.st_ctime_ns
            self.found.files.append(FoundFile(place.path, Path(place.location), size, mtime, ctime))

    def _is_left_out(self, place: _Place, is_folder: bool, ignores: _Ignores) -> bool:
        sign = "/" if is_folder else ""
        if self.exclude and (self.exclude.match_file(place.below + sign) or self.exclude.match_file(place.path + sign)):
            return True
        for base, spec in reversed(ignores):  # the nearest file that says something decides
            verdict = spec.check_file(place.path[len(base) :] + sign).include
            if verdict is not None:
                return verdict
        return False

    def _is_inside(self, real: Path, given: Path) -> bool:
        return real.is_relative_to(self.root) or real.is_relative_to(given.resolve())

    def _fail(self, place: _Place, reason: str) -> None:
        path = (place.path or ".").encode("utf-8", "replace").decode("utf-8")
        self.found.failed.append(Failure(path, reason))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "the link leads to itself"
    if error.errno == errno.ENOENT:
        return "the link leads nowhere, or the file vanished while it was looked at"
    return (error.strerror or str(error)).lower()
