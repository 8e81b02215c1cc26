"""What runs of an index were told to read, how and under which names, as `roots.json` in the index folder keeps it.

A document of the project is named by its path from the project's folder; one of another folder by the name that the index
has for that folder, and its path in it. The file is written before the documents and outlives a rebuild of the table. The
user's own memory holds its digest, so that a file that somebody else wrote chooses neither what is read nor where.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from schema.errors import SettingsError
from schema.index_files.layout import ROOTS_FILE, remembered_texts, replace_remembered
from schema.index_files.plain_files import refused_write
from schema.remote.folders import project_of, remote_of
from schema.text.characters import encodable, one_line
from schema.text.names import caseless
from schema.trust import read_small_file

_VERSION = 1
#: The name of the manifest's metadata that says where documents are.
ROOT_KEY = "root"
#: Most characters of a name and of a description.
MAX_NAME, MAX_DESCRIPTION = 100, 1000
#: A larger file is not read (bytes).
_MAX_BYTES = 4_000_000
#: The beginning of what the user's memory holds about the file, and its end where a run without it would do something else.
_NOTE, _NEEDED = "roots ", " needed"
#: Roots that a message names.
_MOST_NAMED = 10
#: What a name must not hold, since it is the beginning of a path, a filter and a line of text.
_NOT_IN_NAMES = frozenset('/\\*?[]:#"<>|')


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChoice:
    """Which files of a root are documents, as the options of these names say; None: as the settings do."""

    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    convert: bool | None = None
    hidden: bool | None = None
    gitignore: bool | None = None

    def __bool__(self) -> bool:
        return self != FileChoice()

    def over(self, earlier: FileChoice) -> FileChoice:
        """Return this choice, with what it leaves open as the earlier one has it."""
        mine = {name: getattr(self, name) for name in _CHOICES}
        return replace(earlier, **{name: value for name, value in mine.items() if value is not None})


_CHOICES = tuple(each.name for each in fields(FileChoice))


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A folder or file that runs read. `path` is its path in the index ("." for the project's folder)."""

    path: str
    name: str = ""
    description: str = ""
    files: FileChoice = FileChoice()


@dataclass(frozen=True, slots=True)
class IndexRoots:
    """The roots of an index and the folders outside of the `project`, by the names that documents' paths begin with.

    A folder is None where it must not be looked at, since the index is not the user's own. `is_here` is False for an index
    in an object store that was never written from this machine: its documents are elsewhere.
    """

    project: Path
    roots: tuple[Root, ...] = ()
    folders: Mapping[str, Path | None] = field(default_factory=dict)
    is_here: bool = True

    def locate(self, path: str) -> Path | None:
        """Return where the file or folder of a path in the index is; None where that must not be looked at."""
        if not self.is_here:
            return None
        name, _, rest = path.partition("/")
        if name not in self.folders:
            return self.project / path
        folder = self.folders[name]
        return None if folder is None else folder / rest

    def spell(self, location: Path) -> str | None:
        """Return the path in the index of an absolute path; None if it is in no folder of the index."""
        return next(iter(self.spellings(location)), None)

    def spellings(self, location: Path) -> list[str]:
        """Return the paths that an absolute path has from each folder that it is in; the index uses the first one."""
        places = [("", self.project), *((name, folder) for name, folder in self.folders.items() if folder is not None)]
        inside = sorted((p for p in places if location.is_relative_to(p[1])), key=lambda place: -len(place[1].parts))
        return [(PurePosixPath(name) / location.relative_to(folder).as_posix()).as_posix() for name, folder in inside]

    def with_folder_of(self, location: Path, *, is_folder: bool) -> IndexRoots:
        """Return the same with a name for the folder of a location, if it is in none that is known."""
        if self.spell(location) is not None:
            return self
        folder = location if is_folder else location.parent
        return replace(self, folders={**self.folders, self._free_name(folder): folder})

    def _free_name(self, folder: Path) -> str:
        """Return the folder's name, with a number if something else has it."""
        letters = (character if character not in _NOT_IN_NAMES else "-" for character in one_line(encodable(folder.name)))
        name = "".join(letters).lstrip(".").strip()[: MAX_NAME - 10] or "root"
        number, free = 1, name
        while self.is_taken(free):
            number += 1
            free = f"{name}-{number}"
        return free

    def is_taken(self, name: str) -> bool:
        """Whether a name stands for something already: a folder outside, a root, or what the project holds under it."""
        taken = {one.casefold() for one in (*self.folders, *(self.name_of(root) for root in self.roots))}
        return name.casefold() in taken or os.path.lexists(self.project / name)

    def name_of(self, root: Root) -> str:
        """Return what a root is called: its own name, or its path; the project's folder by its own name."""
        return root.name or (root.path if root.path != "." else self.project.name or ".")

    def root_of(self, path: str) -> Root | None:
        """Return the innermost root that a document is in, None for none."""
        by_path = {root.path: root for root in self.roots}
        return next((by_path[each] for each in and_above(path, self.folders) if each in by_path), None)

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return for each document the name of the innermost root that it is in; "" for none."""
        names = {root.path: self.name_of(root) for root in self.roots}
        return {path: next((names[each] for each in and_above(path, self.folders) if each in names), "") for path in paths}

    def chooser(self, names: Sequence[str]) -> Callable[[str], bool]:
        """Return what tells whether a document is in one of the roots with these names or paths."""
        wanted = dict.fromkeys((root.path for root in self.roots), False)
        wanted |= {root.path: True for root in map(self.called, names) if root is not None}
        return lambda path: innermost(path, wanted, self.folders)

    def unknown(self, names: Iterable[str]) -> str:
        """Return a sentence about the first of these names that no root has; "" if there is none."""
        strange = next((name for name in names if self.called(name) is None), None)
        if strange is None:
            return ""
        known = ", ".join(self.name_of(each) for each in self.roots[:_MOST_NAMED])
        more = ", …" * (len(self.roots) > _MOST_NAMED)
        told = f"There is no root {one_line(strange)[:MAX_NAME]} in the index"
        return f"{told}; its roots are {one_line(known)}{more}." if known else f"{told}."

    def called(self, word: str) -> Root | None:
        """Return the root with this name or path, without regard to case if none has exactly this one; None for none."""
        exact = [root for root in self.roots if word in (self.name_of(root), root.path)]
        alike = [root for root in self.roots if caseless(word) in (caseless(self.name_of(root)), caseless(root.path))]
        return next(iter((*exact, *alike)), None)


def and_above(path: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield a path and every folder it is in, innermost first; "." last for what is in the project."""
    yield path
    whole = path
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
    if whole != "." and path not in names and path != "..":
        yield "."


def innermost(path: str, candidates: Mapping[str, bool], names: Mapping[str, Any], *, otherwise: bool = False) -> bool:
    """Return the value of the innermost of the candidates that a path is or is in; `otherwise` if it is in none."""
    return next((candidates[each] for each in and_above(path, names) if each in candidates), otherwise)


def check_name(name: str) -> str:
    """Return a name that a user gave to a root, without blanks around it.

    Raises:
        SettingsError: it cannot stand at the beginning of a path.
    """
    name = name.strip()
    if not _is_name(name):
        raise SettingsError(
            f"A root cannot be called {one_line(name)[:MAX_NAME]!r}; take a name of at most {MAX_NAME} characters without a "
            'dot at the front and without / \\ * ? [ ] : # " < > |.'
        )
    return name


@dataclass(frozen=True, slots=True)
class RootsNote:
    """What the user's memory holds of the file: the digests of its bytes, and whether a run without it would differ."""

    digests: tuple[str, ...]
    is_needed: bool


def remembered_roots(index_dir: Path) -> RootsNote | None:
    """Return what is remembered of the file that a run of this user wrote; None for nothing."""
    texts = remembered_texts(index_dir, _NOTE)
    if not texts:
        return None
    return RootsNote(tuple(text.removesuffix(_NEEDED) for text in texts), any(text.endswith(_NEEDED) for text in texts))


def remember_roots(index_dir: Path, digests: Sequence[str], *, is_needed: bool) -> None:
    """Remember the digests of the file, in place of earlier ones."""
    replace_remembered(index_dir, _NOTE, [f"{digest}{_NEEDED * is_needed}" for digest in digests])


def read_roots(index_dir: Path, project: Path, *, is_own: bool, is_trusted: bool = False) -> IndexRoots:
    """Return the roots as readers may use them; without folders outside and patterns if the file is not the user's own.

    `is_own`: the index is this user's own. `is_trusted`: everything is. Without a file that makes sense there are no roots.
    """
    data = read_roots_file(index_dir)
    kept = None if data is None else parse_roots(data, project)
    if data is None or kept is None:
        return IndexRoots(project)
    noted = remembered_roots(index_dir)
    if is_trusted or (is_own and noted is not None and digest_of(data) in noted.digests):
        return kept
    plain = tuple(replace(root, files=FileChoice()) for root in kept.roots)
    return IndexRoots(project, plain, dict.fromkeys(kept.folders))


def documents_root(index_dir: Path, metadata: Mapping[str, str], *, is_ours: bool) -> Path:
    """The folder that documents' paths are relative to; in an index of somebody else, always the one that holds it."""
    if remote_of(index_dir) is not None:
        return project_of(index_dir)
    root = metadata.get(ROOT_KEY, "..") if is_ours else ".."
    return Path(os.path.normpath(index_dir.resolve() / root))


def roots_of(index_dir: Path, metadata: Mapping[str, str], *, is_own: bool, is_trusted: bool = False) -> IndexRoots:
    """The roots of an index and where its documents are, as `read_roots` has them; `metadata` are the manifest's."""
    project = documents_root(index_dir, metadata, is_ours=is_own or is_trusted)
    found = read_roots(index_dir, project, is_own=is_own, is_trusted=is_trusted)
    remote = remote_of(index_dir)
    return found if remote is None else replace(found, is_here=remote.project is not None)


def trust_roots(index_dir: Path) -> None:
    """Take the file as the user's own, because the user allowed the index."""
    data = read_roots_file(index_dir)
    if data is not None:
        remember_roots(index_dir, [digest_of(data)], is_needed=True)


def read_roots_file(index_dir: Path) -> bytes | None:
    """Return the bytes of the file; None if it is not there or cannot be read."""
    try:
        return read_small_file(index_dir / ROOTS_FILE, limit=_MAX_BYTES)
    except OSError:
        return None


def digest_of(data: bytes) -> str:
    """Return the digest by which the user's memory knows the file again."""
    return hashlib.sha256(data).hexdigest()


@lru_cache(maxsize=4)
def parse_roots(data: bytes, project: Path) -> IndexRoots | None:
    """Return what the file's bytes say; None if they make no sense."""
    try:
        held = json.loads(data)
        folders = {name: Path(folder) for name, folder in held["folders"].items()}
        roots = tuple(_root(one) for one in held["roots"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    is_sound = held.get("version") == _VERSION and all(map(_is_name, folders))
    return IndexRoots(project, roots, folders) if is_sound and all(map(Path.is_absolute, folders.values())) else None


def write_roots(index_dir: Path, roots: IndexRoots) -> None:
    """Write the file in one step, and note its digest in the user's memory before; the caller holds the writer's lock.

    Raises:
        IndexAccessError: the folder cannot be written.
    """
    held = {
        "version": _VERSION,
        "folders": {name: str(folder) for name, folder in roots.folders.items()},
        "roots": [_as_json(root) for root in roots.roots],
    }
    data = json.dumps(held, indent=1, ensure_ascii=True).encode("ascii")
    if data == read_roots_file(index_dir):
        remember_roots(index_dir, [digest_of(data)], is_needed=_is_needed(roots))
        return
    earlier = remembered_roots(index_dir)
    # both, in case this process dies before the file has its place
    remember_roots(index_dir, [*(earlier.digests if earlier else ()), digest_of(data)], is_needed=_is_needed(roots))
    try:
        new = index_dir / f"{ROOTS_FILE}.new"
        new.unlink(missing_ok=True)
        # other users who search the index may read it
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as stream:
            stream.write(data)
        new.replace(index_dir / ROOTS_FILE)
    except OSError as error:
        raise refused_write(index_dir / ROOTS_FILE, error, index_dir=index_dir) from error
    remember_roots(index_dir, [digest_of(data)], is_needed=_is_needed(roots))


def _is_needed(roots: IndexRoots) -> bool:
    """Whether a run without the file would read other files, or call documents by other names."""
    return bool(roots.folders) or any(root.files for root in roots.roots)


def _as_json(root: Root) -> dict[str, Any]:
    chosen = {name: value for name, value in asdict(root.files).items() if value is not None}
    texts = {name: value for name in ("name", "description") if (value := getattr(root, name))}
    return {"path": root.path, **texts, **chosen}


def _root(one: Mapping[str, Any]) -> Root:
    """Return a root as the file has it.

    Raises:
        ValueError, TypeError, KeyError: it makes no sense.
    """
    path, name, description = one["path"], one.get("name", ""), one.get("description", "")
    patterns = {kind: one.get(kind) for kind in ("include", "exclude")}
    switches = {kind: one.get(kind) for kind in ("convert", "hidden", "gitignore")}
    texts = [path, name, description, *(text for some in patterns.values() for text in some or ())]
    if not all(isinstance(text, str) and "\0" not in text for text in texts) or not path:
        raise ValueError("a text is none")
    if (name and not _is_name(name)) or not all(value in (None, True, False) for value in switches.values()):
        raise ValueError("a root is called what none can be")
    chosen: dict[str, Any] = {kind: None if some is None else tuple(some) for kind, some in patterns.items()}
    return Root(path=path, name=name, description=description[:MAX_DESCRIPTION], files=FileChoice(**chosen, **switches))


def _is_name(name: str) -> bool:
    is_plain = isinstance(name, str) and name == name.strip() and name == one_line(name) and _NOT_IN_NAMES.isdisjoint(name)
    return is_plain and 0 < len(name) <= MAX_NAME and not name.startswith(".")


def by_path(roots: Iterable[Root]) -> tuple[Root, ...]:
    """Return roots in the order of their paths, each path once; the last one with it counts."""
    unique = {root.path: root for root in roots}
    return tuple(unique[path] for path in sorted(unique))


def is_gone(place: Path) -> bool:
    """Tell whether there is nothing at a place.

    Raises:
        OSError: nobody can tell now, since it must not be looked at or its disk does not answer.
    """
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a path that no file can have is a ValueError
        return True
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            return True
        raise
    return False
