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
from dataclasses import dataclass, replace
from pathlib import Path

from schema.cache_folder import cache_folder
from schema.errors import SHOWN_AS, IndexAccessError, SettingsError
from schema.remote.address import Address, parse_address
from schema.settings_files import USER_FILE, read_table
from schema.trust import read_small_file, user_folder

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


def folder_of(text: str | os.PathLike[str], *, cache_dir: str = "") -> Path | None:
    """Return the local folder for an address, making it if need be; None if the text is a path of this machine.

    `cache_dir` is the setting, where it is given and not read from the environment or the user's settings file.

    Raises:
        ArgumentError: it is the address of something that cannot hold an index.
        IndexAccessError: the folder cannot be made.
        SettingsError: the user's settings file cannot be read, or there is no cache folder.
    """
    address = parse_address(os.fspath(text))
    if address is None:
        return None
    folder = _folder(address, cache_dir)
    SHOWN_AS[str(folder)] = address.uri
    remote_of(folder)
    return folder


def index_place(given: str | os.PathLike[str], *, cache_dir: str = "") -> Path:
    """Return the index folder that is given, or the local folder of an address; as `folder_of`."""
    return folder_of(given, cache_dir=cache_dir) or Path(given)


def remote_of(index_dir: Path) -> RemoteIndex | None:
    """Return the index in an object store that a folder stands for; None for a folder that holds its index.

    The folder of an address that this process was given is made again if it is gone or damaged.

    Raises:
        IndexAccessError: it cannot be made again.
    """
    if str(index_dir) not in SHOWN_AS and not os.path.lexists(index_dir / _MARK):
        return None
    place = Path(os.path.realpath(index_dir))
    uri = SHOWN_AS.get(str(index_dir), SHOWN_AS.get(str(place)))
    found = _read_mark(place)
    if uri is not None and (found is None or found.address.uri != uri):
        address = parse_address(uri)
        assert address is not None
        found = RemoteIndex(place, address, None)
        _write_mark(found)
    elif found is None or (uri is None and place != _folder(found.address)):
        return None
    SHOWN_AS[str(index_dir)] = SHOWN_AS[str(place)] = found.address.uri
    return found


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
        _write_mark(replace(found, project=project))
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
    write_whole(store_dir / _POINTER, name)


def store_address(store_dir: Path) -> str | None:
    """Return the address of the folder that holds the table of a store; None for a store in a folder."""
    name = store_name(store_dir)
    found = remote_of(store_dir.parent) if name else None
    return f"{found.address.uri}/stores/{name}" if found is not None else None


def write_whole(path: Path, text: str) -> None:
    """Write a small file in one step, whoever else writes it at this moment.

    Raises:
        OSError: it cannot be written.
    """
    import tempfile

    number, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _read_mark(folder: Path) -> RemoteIndex | None:
    try:
        held = json.loads(read_small_file(folder / _MARK, limit=_MAX_BYTES))
        address, project = parse_address(held["address"]), held.get("project")
        return None if address is None else RemoteIndex(folder, address, Path(project) if project else None)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _write_mark(remote: RemoteIndex) -> None:
    held = {"address": remote.address.uri}
    if remote.project is not None:
        held["project"] = str(remote.project)
    try:
        remote.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(remote.folder / _MARK, json.dumps(held))
    except OSError as error:
        raise IndexAccessError(
            f"The copies of the index in {remote.address.uri} cannot be written in {remote.folder.parent}: "
            f"{error.strerror or error}; set {CACHE_VARIABLE} to a folder that can.",
            index_dir=remote.folder,
        ) from error


def _folder(address: Address, cache_dir: str = "") -> Path:
    import hashlib

    digest = hashlib.sha256(address.uri.encode()).hexdigest()[:32]
    return _caches(cache_dir) / _INDEXES / digest


def _caches(cache_dir: str) -> Path:
    given = cache_dir or os.environ.get(CACHE_VARIABLE) or _of_user()
    folder = cache_folder(given)
    if folder is None:
        raise SettingsError(
            "There is no folder for the copies of an index in an object store, since this user has no home; name one with "
            f"{CACHE_VARIABLE}."
        )
    return Path(os.path.realpath(folder))


def _of_user() -> str:
    """Return the setting of the user's own file."""
    folder = user_folder()
    found = (read_table(folder / USER_FILE) or {}).get("cache_dir") if folder else None
    return found if isinstance(found, str) else ""
