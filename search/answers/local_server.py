"""Finds and asks the running servers of an index on this machine; and registers such a server in the index folder.

The index folder has two files for each. `server.json` (mode 0600) names the server. `server.lock` is locked by the server as
long as it runs, and contains the digest of `server.json`. So a `server.json` that a dead server left behind is not believed,
and neither is one that somebody else wrote. A server that finds the first pair of files taken uses `server-2.json` and
`server-2.lock`, and so on up to `MOST_KNOWN`.

Only a server on loopback of this machine (or container) is asked, and only if its version and its settings are those of this
process. Asking imports the standard library alone, since importing more would take longer than the answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlencode

import schema
from schema.errors import NotIndexedError, QueryError, SectionaryError
from schema.settings import Settings

#: Servers of one index that its folder can name; further ones answer too, but `search` in a terminal does not find them.
MOST_KNOWN = 16
#: Longest wait for an answer (seconds): a server that has just started loads its model first.
ANSWER_TIMEOUT = 30.0
_MAX_ANSWER_BYTES = 1 << 28
_MAX_FILE_BYTES = 2000
#: How long a server waits for the lock (seconds): a process that tests whether it is locked holds it for a moment.
_LOCK_TIMEOUT = 0.3
#: Offset of the digest in the lock file: on Windows other processes cannot read the first byte of a locked file.
_DIGEST_OFFSET = 1
#: Settings that change an answer: a server with other values is not asked.
_RELEVANT_SETTINGS = (
    "model", "query_prompt", "document_prompt", "device", "precision", "token_encoding", "dense_weight", "reranker",
    "rerank_depth", "max_file_bytes", "embedding_base_url", "embedding_model", "embedding_dimension", "min_relevance",
    "prefer_own_language", "recency_half_life", "base_url", "url_style",
)  # fmt: skip
_ERRORS: dict[str, type[SectionaryError]] = {"invalid_query": QueryError, "not_indexed": NotIndexedError}
#: Statuses of a server that tried to answer: it met a fault, or its time was over.
_TRIED = (500, 504)


class NoServerError(Exception):
    """Raised when there is no server that can be asked; the caller asks another one, or computes the answer itself."""


class NoAnswerError(NoServerError):
    """Raised when a server tried and failed, or took too long; another one would do so again."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server of an index on this machine.

    `instance` is a secret name that it repeats in its answers; `settings` is the digest of its settings; `machine` names the
    machine and its network (see `this_machine`), since an index folder may be mounted by several.
    """

    host: str
    port: int
    instance: str
    settings: str
    version: str = schema.VERSION
    machine: str = ""

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    @classmethod
    def new(cls, host: str, port: int, settings: Settings) -> Self:
        """Return a server with these settings and a new `instance`."""
        return cls(host, port, os.urandom(16).hex(), settings_digest(settings), machine=this_machine())

    def ask(self, path: str, parameters: Iterable[tuple[str, str]], *, token: str = "") -> bytes:
        """Return the answer to GET `path`, as JSON.

        Raises:
            NoAnswerError: it takes too long, or fails.
            NoServerError: it does not answer, or is busy, or is another server.
            SectionaryError: the server reports an error of the query or of the index.
        """
        status, instance, body = self._get(path, parameters, token)
        if instance != self.instance:
            raise NoServerError
        if status == 200:
            return body
        try:
            problem = json.loads(body)["error"]
            kind, message = problem["kind"], str(problem["message"])
        except (ValueError, KeyError, TypeError) as error:
            raise NoServerError from error
        if kind in _ERRORS:
            raise _ERRORS[kind](message)
        raise NoAnswerError if status in _TRIED else NoServerError

    def _get(self, path: str, parameters: Iterable[tuple[str, str]], token: str) -> tuple[int, str, bytes]:
        """Return status, instance and body of an answer."""
        # http.client could do this, but imports the parser of e-mails and TLS: a fifth of the time of a whole search
        address = f"{quote(path, errors='replace')}?{urlencode(list(parameters), errors='replace')}"
        request = f"GET {address} HTTP/1.0\r\nHost: {self.url[7:-1]}\r\n"
        if token:
            request += f"Authorization: Bearer {token}\r\n"
        try:
            with socket.create_connection((self.host, self.port), timeout=ANSWER_TIMEOUT) as connection:
                connection.sendall(f"{request}\r\n".encode("latin-1"))
                with connection.makefile("rb") as stream:
                    answer = stream.read(_MAX_ANSWER_BYTES)
        except TimeoutError as error:
            raise NoAnswerError from error
        except (OSError, UnicodeError) as error:
            raise NoServerError from error
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        status = first.split(" ")[1:2]
        if headers.get("content-length") != str(len(body)) or not status or not status[0].isdigit():
            raise NoServerError
        return int(status[0]), headers.get("sectionary-instance", ""), body


def find_server(index_dir: Path, settings: Settings) -> Server | None:
    """Return a server of an index that gives the same answers as this process would, or None."""
    return next(find_servers(index_dir, settings), None)


def find_servers(index_dir: Path, settings: Settings) -> Iterator[Server]:
    """Yield the servers of an index that give the same answers as this process would."""
    for file, lock in _pairs(index_dir):
        server = _server_of(file, lock, settings)
        if server is not None:
            yield server


def _server_of(file: Path, lock: Path, settings: Settings) -> Server | None:
    """Return the server that a pair of files names, or None."""
    try:
        written = _own_file(file)
        server = Server(**json.loads(written))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    texts = (server.host, server.instance, server.settings, server.version, server.machine)
    if not all(isinstance(text, str) for text in texts) or not isinstance(server.port, int):
        return None
    is_like_this = (server.version, server.settings) == (schema.VERSION, settings_digest(settings))
    if not is_like_this or server.host not in _LOOPBACK or not 0 < server.port < 1 << 16:
        return None
    return server if server.machine == this_machine() and _digest_of_holder(lock) == _digest(written) else None


def is_served(index_dir: Path) -> bool:
    """Return whether a process of this user holds a server's lock of an index."""
    return any(_digest_of_holder(lock) is not None for _, lock in _pairs(index_dir))


def this_machine() -> str:
    """Return a name of this machine since it was started, and of the network that this process has there; "" if unknown.

    By it a process knows that 127.0.0.1 of a server is its own: containers and machines that mount one index folder have
    addresses of their own.
    """
    try:
        boot = _BOOT.read_bytes().strip()
        network = bytes(_NETWORK.readlink())
    except OSError:  # not Linux
        return ""
    return hashlib.sha256(boot + b" " + network).hexdigest()[:32]


def _pairs(index_dir: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files that name a server and their locks; those that are not there too."""
    for number in range(1, MOST_KNOWN + 1):
        name = "server" if number == 1 else f"server-{number}"
        yield index_dir / f"{name}.json", index_dir / f"{name}.lock"


def _digest_of_holder(lock: Path) -> bytes | None:
    """Return the digest that the process holding the lock wrote into it, or None if no process holds it.

    The lock is tested on the same open file that is read: a file that replaced it, such as one from a version control
    system, is not locked.
    """
    try:
        with os.fdopen(_opened(lock), "rb", buffering=0) as stream:
            if not _is_held(stream.fileno(), lock):
                return None
            stream.seek(_DIGEST_OFFSET)
            return stream.read(len(_digest(b"")))
    except OSError:
        return None


def _digest(written: bytes) -> bytes:
    return hashlib.sha256(written).hexdigest().encode()


def _is_held(descriptor: int, lock: Path) -> bool:
    """Return whether a process holds the lock; raise `OSError` where the file system has no locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        import filelock

        try:
            with filelock.FileLock(lock, timeout=0):
                return False
        except filelock.Timeout:
            return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    return False


def _own_file(path: Path) -> bytes:
    """Return the beginning of a small file of this user."""
    with os.fdopen(_opened(path), "rb") as stream:
        return stream.read(_MAX_FILE_BYTES)


def _opened(path: Path) -> int:
    """Open a regular file that only this user can write, and return its descriptor.

    Another user who could write it could name a server of his own, and would get the queries.

    Raises:
        PermissionError: it is not a regular file, or others can write it.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(descriptor)
    is_ours = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    if not stat.S_ISREG(status.st_mode) or not is_ours:
        os.close(descriptor)
        raise PermissionError(f"{path} is not a file of this user alone")
    return descriptor


_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_BOOT, _NETWORK = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/net")


def settings_digest(settings: Settings) -> str:
    """Return a digest of the settings that change an answer."""
    return hashlib.sha256(repr([getattr(settings, name) for name in _RELEVANT_SETTINGS]).encode()).hexdigest()


class ServerRegistration:
    """The entry of a server in its index folder; none, and no error, where the folder cannot be written or is the user's."""

    def __init__(self, index_dir: Path, server: Server) -> None:
        import threading

        import filelock

        self._index_dir = index_dir
        fields = ("host", "port", "instance", "settings", "version", "machine")
        self._written = json.dumps({name: getattr(server, name) for name in fields}).encode()
        # used by several threads; like the file, the lock is readable by its owner alone
        options: dict[str, Any] = {"thread_local": False, "mode": 0o600}
        if hasattr(filelock.FileLock, "fallback_to_soft"):  # to a lock that would outlive a killed server
            options["fallback_to_soft"] = False
        self._locks = [(file, filelock.FileLock(lock, **options)) for file, lock in _pairs(index_dir)]
        self._taken: tuple[Path, filelock.BaseFileLock] | None = None
        self._is_withdrawn = self._is_told = False
        self._changing = threading.Lock()

    def renew(self) -> bool:
        """Write the entry unless it is there, such as after the index was deleted and made again.

        Return False if `MOST_KNOWN` other servers of the index hold the locks.
        """
        try:
            with self._changing:
                if self._is_withdrawn or self._is_registered() or not self._is_place():
                    return True
                self._release()
                return self._take()
        except (OSError, NotImplementedError) as error:  # a folder that cannot be written or locked, or a disk that is away
            if not self._is_told:
                import logging  # here, since processes that ask do not need it

                logging.getLogger(__name__).info("the server cannot make itself known in %s: %s", self._index_dir, error)
            self._is_told = True
        return True

    def withdraw(self) -> None:
        """Remove the entry for good, so that no process asks the server any more."""
        with self._changing:
            self._is_withdrawn = True
            if self._taken is not None and self._taken[1].is_locked:
                with contextlib.suppress(OSError):
                    self._taken[0].unlink(missing_ok=True)
            self._release()

    def _take(self) -> bool:
        """Write the entry into the first pair of files that no other server holds; return whether there was one."""
        import filelock

        timeout = _LOCK_TIMEOUT
        for file, lock in self._locks:
            try:
                lock.acquire(timeout=timeout)
            except filelock.Timeout:
                timeout = 0.0
                continue
            self._taken = file, lock
            self._write(file)
            return True
        return False

    def _is_place(self) -> bool:
        """Whether the folder is there, and is no folder with files of the user, such as a `server.json` of a program."""
        from schema.index_files.layout import holds_other_files  # here, since processes that ask do not need it

        return self._index_dir.is_dir() and not holds_other_files(self._index_dir)

    def _release(self) -> None:
        if self._taken is not None:
            self._taken[1].release(force=True)
            self._taken = None

    def _is_registered(self) -> bool:
        if self._taken is None or not self._taken[1].is_locked:
            return False
        file = self._taken[0]
        try:
            return _own_file(file) == self._written and _digest_of_holder(file.with_suffix(".lock")) == _digest(
                self._written
            )
        except OSError:
            return False

    def _write(self, file: Path) -> None:
        lock = os.open(file.with_suffix(".lock"), os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(lock, "wb", buffering=0) as stream:
            stream.seek(_DIGEST_OFFSET)
            stream.write(_digest(self._written))
        new = file.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(self._written)
        new.replace(file)
