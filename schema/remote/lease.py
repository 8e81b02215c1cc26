"""`Lease`: an object that says which process may write an index now; one that is not renewed in time is anybody's.

| event | write | if it comes second |
|---|---|---|
| take a free or ended lease | create it, or replace the version that ended | another process has it |
| renew it | replace the version that was written last | it was lost, unless the version there is this process's own |
| give it back | replace that version by one that says so | it was lost, which makes no difference any more |

Whether a lease has ended is told by the store's clock, or by watching one version for the whole time, never by comparing
clocks of two machines. A process that cannot renew its lease stops writing before the others may take it, also where its
machine slept.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable
from datetime import datetime

from schema.errors import IndexAccessError
from schema.remote.objects import ConflictError, Found, Objects, Version
from schema.text.characters import one_line

#: How long a lease lasts that is not renewed, how often it is, and how long before its end its holder stops (seconds).
LEASE_SECONDS, RENEWAL_SECONDS, MARGIN = 30.0, 8.0, 6.0
#: The store's clock may count in whole seconds.
_TICK = 1.0
_MAX_BYTES = 10_000
_TOKEN = re.compile(r"[0-9a-f]{32}")
#: Leases of other lengths were not written by this program; they are damaged and last as long as one of ours.
_SHORTEST, _LONGEST = 0.1, 600.0


#: The clock that also counts the time for which the machine is suspended; on Windows, `time.monotonic` does.
_CLOCK = getattr(time, "CLOCK_MONOTONIC" if sys.platform == "darwin" else "CLOCK_BOOTTIME", None)


def seconds_passed() -> float:
    """Return seconds since some moment, those included for which the machine was suspended."""
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)


class Lease:
    """The lease `name` of an index, for this process; `clock` gives seconds that only grow."""

    def __init__(
        self,
        objects: Objects,
        name: str,
        *,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = seconds_passed,
    ) -> None:
        self._objects = objects
        self._name = name
        self._seconds = seconds
        self._clock = clock
        self._token = uuid.uuid4().hex
        self._count = 0
        self._version: Version | None = None
        self._renewed = 0.0
        self._is_lost = False
        self._seen: tuple[Version, float] | None = None
        self._changing = threading.Lock()

    @property
    def is_valid(self) -> bool:
        """Whether this process may write: it holds the lease, and nobody else can have taken it meanwhile."""
        return (
            self._version is not None and not self._is_lost and self._clock() - self._renewed < self._seconds - self._margin
        )

    @property
    def _margin(self) -> float:
        return min(MARGIN, self._seconds / 5)

    def take(self, store_time: Callable[[], datetime]) -> str:
        """Take the lease; return "" if this process has it now, and otherwise who has it.

        `store_time` asks the store what time it is.

        Raises:
            IndexAccessError: the store cannot be reached, or the object there is no lease.
        """
        started = self._clock()
        found = self._objects.get(self._name, limit=_MAX_BYTES)
        if found is not None and not _is_lease(found):
            raise self._objects.foreign(self._name)
        if found is not None and not self._has_ended(found, store_time):
            return _holder(found)
        try:
            version = self._written(found.version if found is not None else None)
        except ConflictError:
            found = self._objects.get(self._name, limit=_MAX_BYTES)
            return "another process" if found is None else _holder(found)
        with self._changing:
            self._version, self._renewed, self._is_lost = version, started, False
        return ""

    def renew(self) -> None:
        """Renew the lease; where it was lost, `is_valid` says so from now on.

        Raises:
            IndexAccessError: the store cannot be reached; a later call may succeed in time.
        """
        with self._changing:
            if self._version is None or self._is_lost:
                return
            started = self._clock()
            try:
                self._version, self._renewed = self._written(self._version), started
            except ConflictError:
                self._is_lost = True

    def give_back(self) -> None:
        """Let another process take the lease at once; where the store cannot be reached, it ends by itself."""
        with self._changing:
            if self._version is not None and not self._is_lost:
                with contextlib.suppress(ConflictError, IndexAccessError):
                    self._written(self._version, is_free=True)
            self._version = None

    def _written(self, version: Version | None, *, is_free: bool = False) -> Version:
        """Write the lease over this version, or over one that this process wrote without learning of it; return the new one.

        Raises:
            ConflictError: it is another process's.
            IndexAccessError: the store cannot be reached.
        """
        try:
            return self._write(version, is_free=is_free)
        except (ConflictError, IndexAccessError):
            found = self._objects.get(self._name, limit=_MAX_BYTES)
            if found is None or _read(found).get("token") != self._token:
                raise
            return self._write(found.version, is_free=is_free)

    def _write(self, version: Version | None, *, is_free: bool) -> Version:
        self._count += 1  # without it the store would call two versions the same
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        held = {"token": self._token, "count": self._count, "holder": holder, "seconds": self._seconds, "is_free": is_free}
        data = json.dumps(held).encode()
        return (
            self._objects.create(self._name, data) if version is None else self._objects.replace(self._name, data, version)
        )

    def is_held(self, now: datetime) -> bool:
        """Whether some process seems to hold the lease, by this machine's clock: for reports alone."""
        found = self._objects.get(self._name, limit=_MAX_BYTES)
        if found is None or not _is_lease(found) or _is_free(found):
            return False
        return (now - found.modified).total_seconds() < _length(found)

    def _has_ended(self, found: Found, store_time: Callable[[], datetime]) -> bool:
        if _is_free(found):
            return True
        if self._seen is None or self._seen[0] != found.version:
            self._seen = (found.version, self._clock())
            return (store_time() - found.modified).total_seconds() > _length(found) + _TICK
        return self._clock() - self._seen[1] > _length(found)


def _read(found: Found) -> dict[str, object]:
    try:
        held = json.loads(found.data)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _is_lease(found: Found) -> bool:
    """Whether an object was written by this program; whatever else is there stays as it is."""
    return _TOKEN.fullmatch(str(_read(found).get("token"))) is not None


def _is_free(found: Found) -> bool:
    return _read(found).get("is_free") is True


def _length(found: Found) -> float:
    """Return how long a lease lasts (seconds)."""
    seconds = _read(found).get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not _SHORTEST <= seconds <= _LONGEST:
        return LEASE_SECONDS
    return float(seconds)


def _holder(found: Found) -> str:
    return one_line(str(_read(found).get("holder") or "another process"))[:100]
