"""The address of an index in an object store → the local folder that stands for it, with caches of its small files.

The folder has the layout of an index folder. `remote.json` in it says the address, and the folder of the documents on this
machine, once a run wrote the index from here. A store folder in it has a file `remote`, which names the folder in the object
store that holds the table. Only folders in the user's own cache are taken for such: a folder that came with a project leads
nowhere.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from schema.errors import SHOWN_AS, IndexAccessError
from schema.remote.address import Address, parse_address
from schema.trust import read_small_file

#: Names another cache folder; the setting `cache_dir`.
CACHE_VARIABLE = "SECTIONARY_CACHE_DIR"
_INDEXES, _MARK, _POINTER = "indexes", "remote.json", "remote"
#: Name of a store's folder in the object store.
STORE_NAME = re.compile(r"[0-9a-f]{32}")
_MAX_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class RemoteIndex:
    """An index in an object store, the local folder that stands for it, and where its documents are on this machine."""

    folder: Path
    address: Address
    project: Path | None


def folder_of(text: str | os.PathLike[str]) -> Path | None:
    """Return the local folder for an address, making it if need be; None if the text is a path of this machine.

    Raises:
        ArgumentError: it is the address of something that cannot hold an index.
        IndexAccessError: the folder cannot be made.
    """
    address = parse_address(os.fspath(text))
    if address is None:
        return None
    folder = _folder(address)
    if not (folder / _MARK).is_file():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write(folder / _MARK, json.dumps({"address": address.uri}))
        except OSError as error:
            raise IndexAccessError(
                f"The cache of the index in {address.uri} cannot be written in {folder}: {error.strerror or error}; set "
                f"{CACHE_VARIABLE} to a folder that can.",
                index_dir=folder,
            ) from error
    SHOWN_AS[str(folder)] = address.uri
    return folder


def index_place(given: str | os.PathLike[str]) -> Path:
    """Return the index folder that is given, or the local folder of an address; raises as `folder_of`."""
    return folder_of(given) or Path(given)


def remote_of(index_dir: Path) -> RemoteIndex | None:
    """Return the index in an object store that a folder stands for; None for a folder that holds its index."""
    mark = index_dir / _MARK
    if not os.path.lexists(mark):
        return None
    try:
        held = json.loads(read_small_file(mark, limit=_MAX_BYTES))
        address = parse_address(held["address"])
        project = held.get("project")
        place = Path(os.path.realpath(index_dir))
        if address is None or (SHOWN_AS.get(str(place)) != address.uri and place != _folder(address)):
            return None
        SHOWN_AS[str(index_dir)] = SHOWN_AS[str(place)] = address.uri
        return RemoteIndex(place, address, Path(project) if project else None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def shown_place(index_dir: Path) -> str:
    """Return where an index is, as its user named it: an address or a folder."""
    found = remote_of(index_dir)
    return str(index_dir) if found is None else found.address.uri


def note_project(index_dir: Path, project: Path) -> bool:
    """Note where the documents of an index in an object store are on this machine; False for an index in a folder."""
    found = remote_of(index_dir)
    if found is None:
        return False
    if found.project != project:
        _write(found.folder / _MARK, json.dumps({"address": found.address.uri, "project": str(project)}))
    return True


def project_of(index_dir: Path) -> Path:
    """Return the folder of the project of an index: the one around its folder, or for an object store the one that was
    noted, or else the working folder."""
    found = remote_of(index_dir)
    if found is None:
        return Path(os.path.realpath(Path(os.path.abspath(index_dir)).parent))
    return found.project or Path.cwd()


def store_name(store_dir: Path) -> str | None:
    """Return the name of the folder in the object store that holds the table of a store; None for a store in a folder."""
    pointer = store_dir / _POINTER
    if not os.path.lexists(pointer) or remote_of(store_dir.parent) is None:
        return None
    try:
        name = read_small_file(pointer, limit=100).decode("ascii").strip()
    except (OSError, ValueError):
        return None
    return name if STORE_NAME.fullmatch(name) else None


def point_to(store_dir: Path, name: str) -> None:
    """Let a store folder stand for the folder of this name in the object store."""
    _write(store_dir / _POINTER, name)


def store_address(store_dir: Path) -> str | None:
    """Return the address of the folder that holds the table of a store; None for a store in a folder."""
    name = store_name(store_dir)
    found = remote_of(store_dir.parent) if name else None
    return f"{found.address.uri}/stores/{name}" if found is not None else None


def _folder(address: Address) -> Path:
    import hashlib

    digest = hashlib.sha256(address.uri.encode()).hexdigest()[:32]
    return _caches() / _INDEXES / digest


def _caches() -> Path:
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(os.path.realpath(Path(given).expanduser()))
    from platformdirs import user_cache_dir

    return Path(os.path.realpath(user_cache_dir("sectionary", appauthor=False)))


def _write(path: Path, text: str) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
