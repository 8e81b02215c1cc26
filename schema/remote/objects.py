"""`Objects`: the objects of an index in an object store, read and written whole; faults become one sentence.

Writes may be conditional: `create` only where there is no such object, `replace` only a certain version of it. Whoever
comes second gets a `ConflictError`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schema.errors import IndexAccessError, IndexDamagedError, LibraryMissingError
from schema.remote.folders import RemoteIndex

if TYPE_CHECKING:
    from obstore.store import ObjectStore

#: Which object, and which version of it: what the store calls it.
Version = dict[str, Any]
#: A request that gets no answer is given up after this long, and is tried again so often, if no more time than this has
#: passed since the first try: longer than one request takes, or none would be tried again.
REQUEST_SECONDS, CONNECT_SECONDS, RETRIES, RETRY_SECONDS = 30, 5, 3, 40
_PIECE = 4 << 20
#: Most characters of the library's message that ours repeats.
_SHOWN = 200
#: The service that tells a machine in a cloud the credentials of its role, and what holds credentials of other machines.
_METADATA = "169.254.169.254"
_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_SERVICE_ACCOUNT",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}


class ConflictError(Exception):
    """A conditional write came second: the object is there already, or is no longer of that version."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object: its bytes, its version, and when the store says that it was written."""

    data: bytes
    version: Version
    modified: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """An object in a listing: its name, its length in bytes, the version that it has, and when it was written."""

    name: str
    size: int
    e_tag: str
    modified: datetime


class Objects:
    """The objects of the index `remote` in `store`; may be used by many threads at once.

    Raises:
        IndexAccessError: by all methods, where the store cannot be reached or refuses.
    """

    def __init__(self, store: ObjectStore, remote: RemoteIndex) -> None:
        self._store = store
        self._remote = remote

    @property
    def remote(self) -> RemoteIndex:
        """The index whose objects these are."""
        return self._remote

    def get(self, name: str, *, limit: int, unless: str = "") -> Found | None:
        """Return an object of at most `limit` bytes; None if there is none.

        Raises:
            UnchangedError: it still has the e_tag `unless`.
            IndexDamagedError: it is larger.
        """
        import obstore
        from obstore.exceptions import NotModifiedError

        with self._faults():
            try:
                found = obstore.get(self._store, name, options={"if_none_match": unless} if unless else None)
                meta = found.meta
                if meta["size"] > limit:
                    raise self.too_large(name, limit)
                data = bytes(found.bytes())
            except FileNotFoundError:
                return None
            except NotModifiedError as error:
                raise UnchangedError from error
        return Found(data, _version(meta), meta["last_modified"])

    def create(self, name: str, data: bytes) -> Version:
        """Write an object that is not there yet; raises `ConflictError` if it is."""
        return self._put(name, data, "create")

    def replace(self, name: str, data: bytes, version: Version) -> Version:
        """Write an object that still has this version; raises `ConflictError` if it has not."""
        return self._put(name, data, version)

    def put(self, name: str, data: bytes) -> Version:
        """Write an object, whatever was there."""
        return self._put(name, data, "overwrite")

    def _put(self, name: str, data: bytes, mode: Any) -> Version:
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with self._faults():
            try:
                return _version(obstore.put(self._store, name, data, mode=mode, use_multipart=False))
            except (AlreadyExistsError, PreconditionError) as error:
                raise ConflictError(name) from error
            except FileNotFoundError as error:
                if isinstance(mode, dict):  # the version that was to be replaced is gone
                    raise ConflictError(name) from error
                raise

    def written_at(self, name: str) -> datetime:
        """Return when the store says that an object was written."""
        import obstore

        with self._faults():
            return obstore.head(self._store, name)["last_modified"]

    def entries(self, prefix: str) -> list[Entry]:
        """Return the objects whose names begin with a folder."""
        import obstore

        with self._faults():
            batches = obstore.list(self._store, prefix)
            found = [one for batch in batches for one in batch]
            return [Entry(one["path"], one["size"], one["e_tag"] or "", one["last_modified"]) for one in found]

    def folders(self, prefix: str) -> list[str]:
        """Return the names of the folders in a folder."""
        import obstore

        with self._faults():
            return [path.rpartition("/")[2] for path in obstore.list_with_delimiter(self._store, prefix)["common_prefixes"]]

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects, many with one request where the store can; those that are gone already do not matter."""
        import obstore

        with self._faults():
            try:
                if names:
                    obstore.delete(self._store, list(names))
            except FileNotFoundError:  # some stores stop there
                for name in names:
                    with suppress(FileNotFoundError):
                        obstore.delete(self._store, name)

    def upload(self, name: str, file: Path) -> None:
        """Write an object from a file, in pieces if it is large."""
        import obstore

        with self._faults():
            obstore.put(self._store, name, file)

    def download(self, name: str, file: Path, *, size: int, sha256: str) -> None:
        """Write an object of this length and digest into a new file.

        Raises:
            IndexDamagedError: it is not there, or is another one.
            OSError: the file cannot be written.
        """
        import obstore

        digest, count = hashlib.sha256(), 0
        with self._faults():
            try:
                found = obstore.get(self._store, name)
            except FileNotFoundError as error:
                raise self.damaged(f"{name} is not there") from error
            with file.open("xb") as stream:
                for piece in found.stream(min_chunk_size=_PIECE):
                    count += len(piece)
                    if count > size:
                        break
                    digest.update(piece)
                    stream.write(piece)
        if count != size or digest.hexdigest() != sha256:
            raise self.damaged(f"{name} is not what was written")

    def too_large(self, name: str, limit: int) -> IndexDamagedError:
        """Return the error of an object that is larger than any of ours."""
        return self.damaged(f"{name} has more than {limit:,} bytes")

    def foreign(self, name: str) -> IndexAccessError:
        """Return the error of an object that is in the place of one of ours and that this program did not write."""
        return IndexAccessError(
            f"The object {name} in {self._remote.address.uri} is not one of Sectionary's, and is left as it is; choose "
            "another prefix for the index.",
            index_dir=self._remote.folder,
        )

    def damaged(self, reason: str, *, advice: str = "rebuild it with `index FOLDER --rebuild`") -> IndexDamagedError:
        """Return the error of an index whose objects make no sense."""
        return IndexDamagedError(
            f"The index in {self._remote.address.uri} is damaged ({reason}); {advice}.",
            index_dir=self._remote.folder,
        )

    @contextmanager
    def _faults(self) -> Iterator[None]:
        from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            yield
        except (BaseError, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # of a file here; those of the library have no number
                raise
            reason = str(error).split("\n", 1)[0][:_SHOWN]
            if isinstance(error, (PermissionDeniedError, UnauthenticatedError)):
                advice = "refuses access; check the credentials in the environment"
            elif _METADATA in str(error):  # where the library looks for those of the machine's role
                variables = _CREDENTIALS[self._remote.address.scheme]
                advice = f"cannot be used: there are no credentials; set {variables}, or give the machine a role"
            else:
                advice = (
                    "cannot be used now; check the address, the network and the store, and run again: what was committed "
                    "is there"
                )
            raise IndexAccessError(
                f"The object store of the index in {self._remote.address.uri} {advice} ({reason}).",
                index_dir=self._remote.folder,
            ) from error


class UnchangedError(Exception):
    """An object still is as it was when it was read last."""


_OPENED: dict[tuple[Path, str], Objects] = {}
#: What makes a store of an address; a test can put one in memory in its place.
Opening = Callable[[RemoteIndex], "ObjectStore"]


def objects_of(remote: RemoteIndex) -> Objects:
    """Return the objects of an index, with the credentials that the environment has.

    Raises:
        LibraryMissingError: the extra `remote` is not installed.
        IndexAccessError: the environment's settings of the store make no sense.
    """
    key = (remote.folder, endpoint())
    if key not in _OPENED:
        try:
            from obstore.exceptions import BaseError
        except ImportError as error:
            raise LibraryMissingError(
                "An index in an object store needs the library obstore; install it with `pip install 'sectionary[remote]'`."
            ) from error
        try:
            _OPENED[key] = Objects(_open(remote), remote)
        except (BaseError, ValueError) as error:
            raise IndexAccessError(
                f"The object store of the index in {remote.address.uri} cannot be used; check the credentials and the "
                f"settings of the store in the environment ({str(error).split(chr(10), 1)[0][:_SHOWN]}).",
                index_dir=remote.folder,
            ) from error
    return _OPENED[key]


def endpoint() -> str:
    """Return the address of the server that speaks the protocol of S3; "" for Amazon's own."""
    return os.environ.get("AWS_ENDPOINT_URL", "")


def _open(remote: RemoteIndex) -> ObjectStore:
    from obstore.store import AzureStore, GCSStore, S3Store

    kind: Any = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}[remote.address.scheme]
    store: ObjectStore = kind(
        remote.address.bucket,
        prefix=remote.address.prefix or None,
        client_options={
            "timeout": timedelta(seconds=REQUEST_SECONDS),
            "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
            "allow_http": _allows_http(remote.address.scheme),
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
    )
    return store


def _allows_http(scheme: str) -> bool:
    """Whether the environment allows a store without encryption, which is named beside options that the library reads."""
    variable = {"s3": "AWS_ALLOW_HTTP", "gs": "GOOGLE_ALLOW_HTTP", "az": "AZURE_ALLOW_HTTP"}[scheme]
    return os.environ.get(variable, "").strip().lower() in ("1", "true", "yes", "on")


def _version(meta: Any) -> Version:
    return {key: meta[key] for key in ("e_tag", "version") if meta.get(key) is not None}
