"""Folders and files → the Markdown files to index, each with size and time, and the reasons for those left behind.

Nothing outside the given folders and the project's root is ever read, and nothing is ever written.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from indexer.decoding import Decoded, decode
from schema.errors import SettingsError, SourceError
from schema.formats.globs import MAX_WILDCARDS, Globs, TooManyWildcardsError
from schema.reports import Failure
from schema.text.characters import encodable

__all__ = ["Decoded", "Discovery", "FoundFile", "decode", "discover", "read_file", "relative_path"]

#: Never worth indexing, whatever the settings say about hidden folders.
NEVER_INDEXED = frozenset({".git", ".hg", ".svn", ".sectionary", "node_modules", "__pycache__"})
#: A folder with this file is a Python environment: the documents inside are of its packages.
_ENVIRONMENT_MARK = "pyvenv.cfg"
#: The largest .gitignore file that is respected (bytes).
_MAX_GITIGNORE = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to index: `path` relative to the root, POSIX; `location` on disk; size in bytes.

    `mtime_ns` is when its content was last modified, `ctime_ns` when anything about it changed: a rename or a copied
    modification time shows there (on Windows it is the time of creation).
    """

    path: str
    location: str  # one of many thousands: a Path would cost more than all else that is done for an unchanged file
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(slots=True)
class Discovery:
    """What a walk found. `roots` are the paths walked, relative to the root; `failed` what could not be taken."""

    files: list[FoundFile] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


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
    """`path` as the index writes it: POSIX, relative to `root`, with leading ".." where it lies outside."""
    return PurePosixPath(Path(os.path.relpath(path, root))).as_posix()


def read_file(file: FoundFile) -> bytes:
    """The bytes of a found file, read without following it to anything but a regular file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a regular file, or changed while it was read.
    """
    with _opened(file.location) as stream:
        before = os.fstat(stream.fileno())
        data = stream.read(before.st_size + 1)
        after = os.fstat(stream.fileno())
    if len(data) != before.st_size or (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ValueError("it changed while it was read; the next run takes it")
    return data


def _opened(location: str, *, flags: int = 0) -> BinaryIO:
    """A regular file open for reading; anything else is refused at once, also a pipe that nobody writes to."""
    flags |= os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(location, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("it is not a regular file")
    return os.fdopen(descriptor, "rb")


def _gitignore_lines(place: str) -> list[str]:
    """The lines of a .gitignore file; none if it is a folder.

    Raises:
        OSError: it cannot be read.
        ValueError: it is a link, no regular file, or too large.
    """
    mode = os.lstat(place).st_mode
    if stat.S_ISDIR(mode):
        return []
    if stat.S_ISLNK(mode):
        raise ValueError("it is a link, which git does not follow either; put a copy in its place")
    with _opened(place, flags=getattr(os, "O_NOFOLLOW", 0)) as stream:
        data = stream.read(_MAX_GITIGNORE + 1)
    if len(data) > _MAX_GITIGNORE:
        raise ValueError(f"it has more than {_MAX_GITIGNORE:,} bytes; shorten it")
    return [line.removesuffix("\r") for line in data.decode("utf-8-sig", "surrogateescape").split("\n")]


def _globs(setting: str, patterns: Sequence[str]) -> Globs:
    try:
        return Globs(patterns)
    except TooManyWildcardsError as error:
        raise SettingsError(f"The globs of {setting} have more than {MAX_WILDCARDS:,} characters; use fewer.") from error


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
_Ignores = tuple[tuple[str, Globs], ...]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What decides about the entries of a folder: .gitignore files, else what is said of the folder itself."""

    ignores: _Ignores
    is_included: bool
    is_excluded: bool
    is_ignored: bool


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to walk, and the rules for what it holds.

    `real` is where it really is, after the real places of those folders above it in which a link was followed.
    """

    place: _Place
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
        """The part of a path that is a link inside the project's folder and leads out of it, if any."""
        whole = Path(os.path.abspath(path))
        for part in (whole, *whole.parents):
            if part.is_symlink():
                stands, leads = Path(os.path.realpath(part.parent)), Path(os.path.realpath(part))
                if stands.is_relative_to(self.root) and not leads.is_relative_to(self.root):
                    return part
        return None

    def start(self, path: Path) -> None:
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
            given = _Place(str(location), "" if relative == "." else relative, "")
            self._folders(given, location)
        elif self.include.decides(location.name):
            self._file(_Place(str(location), relative, location.name), str(location), is_link=False)
        elif location.is_file():
            raise SourceError(f"{path} is a file, but neither a folder nor a Markdown file; give one of those.", path=path)
        else:
            raise SourceError(f"{path} is neither a folder nor a regular file; give one of those.", path=path)

    def _rules_for(self, given: _Place, folder: Path) -> _Rules:
        """The rules for what is in a folder that was given."""
        ignores: _Ignores = ()
        for parent in reversed(folder.parents):
            if parent.is_relative_to(self.root):
                relative = relative_path(parent, self.root)
                ignores = self._with_ignores_in(_Place(str(parent), "" if relative == "." else relative, ""), ignores)
        said = (globs.decides_below(given.path[len(base) :], is_folder=True) for base, globs in reversed(ignores))
        is_ignored = next((verdict for verdict in said if verdict is not None), False)
        return _Rules(ignores, False, bool(self.exclude.decides_below(given.path, is_folder=True)), is_ignored)

    def _with_ignores_in(self, folder: _Place, ignores: _Ignores) -> _Ignores:
        """`ignores` and what the folder's own .gitignore file adds."""
        if not self.gitignore:
            return ignores
        place = f"{folder.location}/.gitignore"
        try:
            rules = Globs(_gitignore_lines(place), most=MAX_WILDCARDS - sum(globs.wildcards for _, globs in ignores))
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
        self.found.warnings.append(f"{place} is not respected: {reason}")
        return ignores

    def _folders(self, given: _Place, real: Path) -> None:
        """Walk a folder and all below it, in order. The open folders are a list, since calls may not nest so deep."""
        opened = [self._entries(_Folder(given, (str(real),), self._rules_for(given, real)), given)]
        while opened:
            below = next(opened[-1], None)
            if below is None:
                opened.pop()
            else:
                opened.append(self._entries(below, given))

    def _entries(self, folder: _Folder, given: _Place) -> Iterator[_Folder]:
        """Take the files of a folder, and give each folder in it at its turn."""
        rules = folder.rules
        try:
            entries = sorted(os.scandir(folder.place.location), key=lambda entry: entry.name)
        except OSError as error:
            self._fail(folder.place, f"the folder cannot be read: {_reason(error)}")
            return
        if any(entry.name == ".gitignore" for entry in entries):
            rules = replace(rules, ignores=self._with_ignores_in(folder.place, rules.ignores))
        for entry in entries:
            if entry.name in NEVER_INDEXED or (entry.name.startswith(".") and not self.hidden):
                continue
            place = folder.place.of(entry.name)
            try:
                is_folder = entry.is_dir()
                if self._is_left_out(place, is_folder, rules):
                    continue
                included = self.include.decides(place.below, is_folder=is_folder)
                is_included = rules.is_included if included is None else included
                if is_folder:
                    real = self._subfolder(place, entry.is_symlink(), given, folder.real)
                    if real:
                        yield _Folder(place, real, replace(rules, is_included=is_included))
                elif is_included:
                    self._file(place, given.location, is_link=entry.is_symlink())
            except OSError as error:
                self._fail(place, _reason(error))

    def _subfolder(self, place: _Place, is_link: bool, given: _Place, above: tuple[str, ...]) -> tuple[str, ...]:
        """Where a folder below `above` really is, as in `_Folder`; empty if it is not walked."""
        if is_link:
            real = Path(place.location).resolve()
            if not self._is_inside(real, Path(given.location)):
                self._fail(place, f"the link leads out of the indexed folder, to {real}; index that folder itself")
                return ()
            if any(Path(folder).is_relative_to(real) for folder in above):
                self.found.warnings.append(f"{place.path}: the link leads back to a folder above it")
                return ()
        if os.path.exists(f"{place.location}/{_ENVIRONMENT_MARK}"):  # noqa: PTH110 — a Path of a deep folder costs more
            return ()
        return (*above, str(real)) if is_link else (*above[:-1], f"{above[-1]}/{place.location.rpartition('/')[2]}")

    def _file(self, place: _Place, given: str, *, is_link: bool) -> None:
        if is_link and not self._is_inside(Path(place.location).resolve(strict=True), Path(given)):
            self._fail(place, "the link leads out of the indexed folder; index its target itself")
            return
        status = os.stat(place.location)  # noqa: PTH116 — see `FoundFile`
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
            self.found.files.append(FoundFile(place.path, place.location, size, mtime, ctime))

    def _is_left_out(self, place: _Place, is_folder: bool, rules: _Rules) -> bool:
        if self.exclude:
            excluded = self.exclude.decides(place.path, is_folder=is_folder)
            if (rules.is_excluded if excluded is None else excluded) or self.exclude.decides(
                place.below, is_folder=is_folder
            ):
                return True
        for base, globs in reversed(rules.ignores):  # the nearest file that says something decides
            verdict = globs.decides(place.path[len(base) :], is_folder=is_folder)
            if verdict is not None:
                return verdict
        return rules.is_ignored

    def _is_inside(self, real: Path, given: Path) -> bool:
        return real.is_relative_to(self.root) or real.is_relative_to(given.resolve())

    def _fail(self, place: _Place, reason: str) -> None:
        self.found.failed.append(Failure(encodable(place.path or "."), reason))


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "the link leads to itself"
    if error.errno == errno.ENOENT:
        return "the link leads nowhere, or the file vanished while it was looked at"
    return (error.strerror or str(error)).lower()
