"""A running server of an index → answers at once; and how such a server makes itself known in the index folder.

The folder holds `server.json` (mode 0600) and `server.lock`, which the server holds while it lives and which has the digest
of `server.json` in it: a file left behind by a server that died is not believed, nor one somebody else put in its place.
Only loopback is asked, and only where version and settings are the asker's own. Asking needs the standard library alone:
importing more takes longer than an answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import quote, urlencode

import schema
from schema.errors import NotIndexedError, QueryError, SectionaryError
from schema.settings import Settings

_FILE, _LOCK = "server.json", "server.lock"
#: Longest wait for an answer: a server that is just starting loads its model first (seconds).
_ANSWER_TIMEOUT = 30.0
_MAX_ANSWER_BYTES = 1 << 28
_MAX_FILE_BYTES = 2000
#: Who only looks whether the lock is held holds it for a moment itself (seconds).
_GLANCE = 0.3
#: Where the digest stands in the lock file: on Windows nobody else may read the first byte of a file that is held so.
_DIGEST_PLACE = 1
#: What changes an answer: a server that has other values is not asked.
_THAT_MATTER = (
    "model", "query_prompt", "document_prompt", "device", "precision", "token_encoding", "dense_weight", "reranker",
    "rerank_depth", "max_file_bytes", "embedding_base_url", "embedding_model", "embedding_dimension",
)  # fmt: skip
_ERRORS: dict[str, type[SectionaryError]] = {"invalid_query": QueryError, "not_indexed": NotIndexedError}


class NoServerError(Exception):
    """There is no server that can be asked; the asker answers itself."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server of an index on this machine; `instance` is a secret name that it repeats in its answers."""

    host: str
    port: int
    instance: str
    settings: str
    version: str = schema.VERSION

    @property
    def url(self) -> str:
        """Where its page is."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}/"

    @classmethod
    def new(cls, host: str, port: int, settings: Settings) -> Self:
        """A server with these settings, under a new name."""
        return cls(host, port, os.urandom(16).hex(), settings_digest(settings))

    def ask(self, path: str, parameters: Iterable[tuple[str, str]], *, token: str = "") -> bytes:
        """The answer to GET `path`, as JSON.

        Raises:
            NoServerError: it does not answer, or is busy, or is another one.
            SectionaryError: the index or the query is at fault, as told by the server.
        """
        status, instance, body = self._get(path, parameters, token)
        if instance != self.instance:
            raise NoServerError
        if status == 200:
            return body
        try:
            told = json.loads(body)["error"]
            kind, message = told["kind"], str(told["message"])
        except (ValueError, KeyError, TypeError) as error:
            raise NoServerError from error
        raise _ERRORS[kind](message) if kind in _ERRORS else NoServerError

    def _get(self, path: str, parameters: Iterable[tuple[str, str]], token: str) -> tuple[int, str, bytes]:
        """Status, instance and body of an answer."""
        # http.client does this too, after importing the parser of e-mails and TLS: a fifth of the time of a warm search
        address = f"{quote(path, errors='replace')}?{urlencode(list(parameters), errors='replace')}"
        asked = f"GET {address} HTTP/1.0\r\nHost: {self.url[7:-1]}\r\n"
        if token:
            asked += f"Authorization: Bearer {token}\r\n"
        try:
            with socket.create_connection((self.host, self.port), timeout=_ANSWER_TIMEOUT) as connection:
                connection.sendall(f"{asked}\r\n".encode("latin-1"))
                with connection.makefile("rb") as stream:
                    answer = stream.read(_MAX_ANSWER_BYTES)
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
    """The server of an index that answers as this process would, or None."""
    try:
        written = _own_file(index_dir / _FILE)
        server = Server(**json.loads(written))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    texts = (server.host, server.instance, server.settings, server.version)
    if not all(isinstance(text, str) for text in texts) or not isinstance(server.port, int):
        return None
    is_like_us = (server.version, server.settings) == (schema.VERSION, settings_digest(settings))
    if not is_like_us or server.host not in _LOOPBACK or not 0 < server.port < 1 << 16:
        return None
    return server if _digest_of_holder(index_dir / _LOCK) == _digest(written) else None


def is_served(index_dir: Path) -> bool:
    """Whether a process of this user holds the server's lock of an index."""
    return _digest_of_holder(index_dir / _LOCK) is not None


def _digest_of_holder(lock: Path) -> bytes | None:
    """What the process that holds the lock wrote into it; None where nobody holds it.

    It is read from the very file that is held: one that took its place, as from a version control system, is held by nobody.
    """
    try:
        with os.fdopen(_opened(lock), "rb", buffering=0) as stream:
            if not _is_held(stream.fileno(), lock):
                return None
            stream.seek(_DIGEST_PLACE)
            return stream.read(len(_digest(b"")))
    except OSError:
        return None


def _digest(written: bytes) -> bytes:
    return hashlib.sha256(written).hexdigest().encode()


def _is_held(descriptor: int, lock: Path) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        import filelock

        try:
            with filelock.FileLock(lock, timeout=0):
                return False
        except (filelock.Timeout, OSError):
            return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _own_file(path: Path) -> bytes:
    """The beginning of a small file of this user."""
    with os.fdopen(_opened(path), "rb") as stream:
        return stream.read(_MAX_FILE_BYTES)


def _opened(path: Path) -> int:
    """A descriptor of a plain file that nobody but this user could have written; who else can could get the queries."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(descriptor)
    is_ours = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    if not stat.S_ISREG(status.st_mode) or not is_ours:
        os.close(descriptor)
        raise PermissionError(f"{path} is not a file of this user alone")
    return descriptor


_LOOPBACK = frozenset({"127.0.0.1", "::1"})


def settings_digest(settings: Settings) -> str:
    """Identity of the settings that change an answer."""
    return hashlib.sha256(repr([getattr(settings, name) for name in _THAT_MATTER]).encode()).hexdigest()


class ServerRegistration:
    """A server made known in its index folder, as long as it is wanted; a folder that cannot be written stays silent."""

    def __init__(self, index_dir: Path, server: Server) -> None:
        import filelock

        self._place = index_dir / _FILE
        told = {name: getattr(server, name) for name in ("host", "port", "instance", "settings", "version")}
        self._written = json.dumps(told).encode()
        # made known in one thread, renewed in others; readable to its owner alone, as the file
        self._lock = filelock.FileLock(index_dir / _LOCK, thread_local=False, mode=0o600)

    def renew(self) -> bool:
        """Make the server known if it is not, as after its index was deleted and made again; False if another one is."""
        import filelock

        try:
            if self._lock.is_locked and self._is_known():
                return True
            if not self._place.parent.is_dir():
                return True
            self._lock.release(force=True)
            self._lock.acquire(timeout=_GLANCE)
            self._write()
        except filelock.Timeout:
            return False
        except OSError as error:  # a folder that cannot be written, or a disk that is away for a moment
            import logging  # who asks does without

            logging.getLogger(__name__).info("the server cannot make itself known in %s: %s", self._place.parent, error)
        return True

    def withdraw(self) -> None:
        """Let nobody ask any more."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                self._place.unlink(missing_ok=True)
            self._lock.release(force=True)

    def _is_known(self) -> bool:
        try:
            return _own_file(self._place) == self._written and _digest_of_holder(self._place.with_name(_LOCK)) == _digest(
                self._written
            )
        except OSError:
            return False

    def _write(self) -> None:
        lock = os.open(self._place.with_name(_LOCK), os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(lock, "wb", buffering=0) as stream:
            stream.seek(_DIGEST_PLACE)
            stream.write(_digest(self._written))
        new = self._place.with_suffix(".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(self._written)
        new.replace(self._place)
