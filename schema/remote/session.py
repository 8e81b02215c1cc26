"""Writing an index in an object store: the lease is held, the copies are the newest, and what changed is published.

| when | what |
|---|---|
| the writer begins | conditional writes are tried, the lease is taken, `current` is marked as open, newer files come here |
| while it writes | the lease is renewed; once a minute the files beside the table are published |
| before each commit | the lease is looked at: who lost it writes no more |
| a new store is complete | its files are published, and `current` names it from then on |
| the writer ends | the files are published, `current` is marked as closed, the lease is given back |

The table is written before the files beside it, which are caches: a writer that dies has lost nothing that was committed.
But files that it published may then be older than the table. So whoever finds `current` open doubts them and reads all
documents again. With the mark, nothing that an earlier writer sent late can replace `current` any more.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from schema.clock import now
from schema.errors import IndexAccessError, IndexDamagedError, IndexLockedError, SectionaryError
from schema.remote.caches import (
    cache_errors,
    copy_current,
    forget,
    left_to_writer,
    local_identity,
    snapshot,
    temporary_folder,
    write_state,
)
from schema.remote.conditions import note_passed, probe, tried_lately
from schema.remote.current import Current, SmallFile, read_current, write_current
from schema.remote.folders import STORE_NAME, RemoteIndex, point_to, store_name
from schema.remote.gate import Doubt, Places
from schema.remote.lease import LEASE_SECONDS, RENEWAL_SECONDS, Lease
from schema.remote.objects import ConflictError, Objects, objects_of

_log = logging.getLogger(__name__)
_LEASE = "lease"
#: How often the files beside the table are published in a long run (seconds).
PUBLISH_SECONDS = 60.0
#: How long files stay that were replaced (seconds).
KEPT_SECONDS = 120.0
_POLL = 0.5
#: Files that are written at the same time.
_AT_ONCE = 4
#: Writes of earlier writers that may come late, one after the other.
_LATE_WRITES = 3

#: What this process writes now, by the folder that stands for the index.
sessions: dict[Path, Session] = {}


@contextlib.contextmanager
def writing(
    remote: RemoteIndex,
    places: Places,
    doubt: Doubt,
    *,
    wait: float,
    give_up: Callable[[], bool] | None,
    is_single: bool,
) -> Iterator[None]:
    """Be the only writer of an index, as `schema.remote.gate.writing` says."""
    objects = objects_of(remote)
    with (
        _held_lease(objects, _LEASE, "writing to", wait=wait, give_up=give_up, is_single=is_single) as lease,
        left_to_writer(remote, give_up=give_up),
        contextlib.ExitStack() as stack,
    ):
        session = Session(objects, lease, places)
        with cache_errors(remote):
            session.begin(doubt)
        stack.push(session.end)
        sessions[remote.folder] = session
        stack.callback(sessions.pop, remote.folder)
        stack.enter_context(_repeated(PUBLISH_SECONDS, session.publish))
        yield


@contextlib.contextmanager
def leased(
    remote: RemoteIndex, name: str, doing: str, *, wait: float, give_up: Callable[[], bool] | None, is_single: bool
) -> Iterator[None]:
    """Hold another lease of an index, as `schema.remote.gate.leased` says."""
    with _held_lease(objects_of(remote), name, doing, wait=wait, give_up=give_up, is_single=is_single):
        yield


@contextlib.contextmanager
def _held_lease(
    objects: Objects, name: str, doing: str, *, wait: float, give_up: Callable[[], bool] | None, is_single: bool
) -> Iterator[Lease | None]:
    """Hold a lease and renew it; None where the store cannot keep two processes apart, and the user `is_single`."""
    tried = None if tried_lately(objects) else probe(objects)
    if tried is not None and tried.fault:
        if not is_single:
            raise IndexAccessError(
                f"The object store of the index in {objects.remote.address.uri} does not keep two writers apart: "
                f"{tried.fault}; if only one process ever writes this index, say so with SECTIONARY_SINGLE_WRITER=1, or "
                "else use a store with conditional writes.",
                index_dir=objects.remote.folder,
            )
        yield None
        return
    if tried is not None:
        note_passed(objects)
    store_time = functools.cache(lambda: (tried or probe(objects)).time)
    lease = Lease(objects, name, seconds=LEASE_SECONDS)
    with contextlib.ExitStack() as stack:
        stack.callback(lease.give_back)
        _take(lease, objects, store_time, doing, wait=wait, give_up=give_up)
        stack.enter_context(_repeated(RENEWAL_SECONDS, lease.renew))
        yield lease


def is_leased(remote: RemoteIndex) -> bool:
    """Tell whether some process writes an index, by this machine's clock; False if nothing shows it."""
    try:
        return Lease(objects_of(remote), _LEASE).is_held(now())
    except SectionaryError:
        return False


def require_lease(remote: RemoteIndex) -> None:
    """Make sure, before a commit, that this process may still write; a process without a session may."""
    session = sessions.get(remote.folder)
    if session is not None:
        session.require()
        session.has_committed = True


def begin_store(new: Path) -> None:
    """Let a new store folder stand for a new folder of the object store."""
    point_to(new, uuid.uuid4().hex)


def publish_store(remote: RemoteIndex, new: Path) -> None:
    """Make a complete new store the one that everybody reads."""
    session = sessions.get(remote.folder)
    if session is not None:
        session.publish(new)


class Session:
    """What one process does while it writes an index in an object store."""

    def __init__(self, objects: Objects, lease: Lease | None, places: Places) -> None:
        self._objects = objects
        self._lease = lease
        self._places = places
        self._folder = objects.remote.folder
        self._name = uuid.uuid4().hex
        #: Whether a commit was made or tried.
        self.has_committed = False
        self._current = Current()
        self._publishing = threading.Lock()

    def begin(self, doubt: Doubt) -> None:
        """Mark `current` as open, copy what is newer, and delete what is left of our stores that are the index no more."""
        # listed before the mark, so that none of them is of a writer that comes after this one
        stores = self._objects.folders("stores")
        before = self._opened(is_used=bool(stores))
        try:
            copy_current(self._objects, before, self._places)
        except IndexDamagedError:  # the files are caches, which are made again
            self._current = replace(self._current, files={})
            copy_current(self._objects, replace(before, files={}), self._places)
        if before.is_open:
            doubt(self._folder / "store")
        if before.store:
            write_state(self._folder, self._current, session=self._name)
        for name in stores:
            if name != before.store and STORE_NAME.fullmatch(name):
                self._objects.delete([entry.name for entry in self._objects.entries(f"stores/{name}/")])

    def _opened(self, *, is_used: bool) -> Current:
        """Mark `current` as open, and return what it said before; `is_used`: there are objects where stores are."""
        for _ in range(_LATE_WRITES):
            before = read_current(self._objects)
            if before.version is None and is_used:  # ours are made after `current`
                raise IndexAccessError(
                    f"There are objects in {self._objects.remote.address.uri}/stores, but no index; choose another prefix "
                    "for the index, or delete them.",
                    index_dir=self._folder,
                )
            with contextlib.suppress(ConflictError):  # a write of an earlier writer came late
                self._write(replace(before, session=self._name, is_open=True))
                return before
        raise self._overtaken()

    def _write(self, fresh: Current) -> None:
        self.require()
        self._current = write_current(self._objects, fresh, is_conditional=self._lease is not None)

    def _overtaken(self) -> IndexLockedError:
        return IndexLockedError(
            f"Another process changed the index in {self._objects.remote.address.uri} meanwhile; run again.",
            index_dir=self._folder,
        )

    def require(self) -> None:
        """Refuse to go on without the lease."""
        if self._lease is not None and not self._lease.is_valid:
            raise IndexLockedError(
                f"This process lost its right to write the index in {self._objects.remote.address.uri}: it could not renew "
                "its lease in time, or another process took over; what was committed is there, and the next run goes on.",
                index_dir=self._folder,
            )

    def publish(self, new: Path | None = None, *, is_last: bool = False) -> None:
        """Publish the files beside the table that changed, of the store that is the index or of a `new` one."""
        with self._publishing, cache_errors(self._objects.remote):
            store, before = new or self._folder / "store", self._current
            name = store_name(store)
            if name is None or (new is None and before.store != name):
                return
            identity = local_identity(self._folder) or before.identity
            with temporary_folder(self._folder) as folder:
                made = {file: snapshot(place, folder / file) for file, place in self._places(self._folder, store).items()}
                files = {file: one for file, one in made.items() if one is not None}
                self._upload(
                    folder, name, {file: one for file, one in files.items() if new or one != before.files.get(file)}
                )
            fresh = replace(before, store=name, identity=identity, files=files, is_open=not is_last)
            if fresh == before:
                return
            try:
                self._write(fresh)
            except ConflictError as error:
                raise self._overtaken() from error
            self._forget_files(self._current)
            if new is None:
                write_state(self._folder, self._current, session="" if is_last else self._name)

    def _upload(self, folder: Path, store: str, files: Mapping[str, SmallFile]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda file: self._objects.upload(files[file].name_in(store, file), folder / file), files))

    def _forget_files(self, current: Current) -> None:
        """Delete files that were replaced minutes ago, by the store's clock: a reader may still be copying later ones."""
        kept = {one.name_in(current.store, name) for name, one in current.files.items()}
        replaced_at: dict[str, datetime] = {}
        old = []
        with contextlib.suppress(IndexAccessError):
            there = sorted(
                self._objects.entries(f"stores/{current.store}/files/"), key=lambda one: one.modified, reverse=True
            )
            for entry in there:
                file = entry.name.rpartition(".")[0]
                age = there[0].modified - replaced_at.get(file, there[0].modified)
                if entry.name not in kept and file in replaced_at and age.total_seconds() >= KEPT_SECONDS:
                    old.append(entry.name)
                replaced_at[file] = entry.modified
            self._objects.delete(old)

    def end(self, failure: type[BaseException] | None, *_: object) -> None:
        """Publish what changed, and mark `current` as closed unless a commit may have landed that failed."""
        if self._lease is None or self._lease.is_valid:
            try:
                self.publish(is_last=failure is None or not self.has_committed)
            except SectionaryError as error:
                _log.warning("the files beside the table were not published, which the next run does: %s", error)
        forget(self._folder)


def _take(
    lease: Lease,
    objects: Objects,
    store_time: Callable[[], datetime],
    doing: str,
    *,
    wait: float,
    give_up: Callable[[], bool] | None,
) -> None:
    end = time.monotonic() + wait
    while holder := lease.take(store_time):
        if (wait >= 0 and time.monotonic() >= end) or (give_up is not None and give_up()):
            raise IndexLockedError(
                f"Another process ({holder}) is {doing} the index in {objects.remote.address.uri}; try again when it is "
                f"done, or use --wait. If it died, its lease ends within {LEASE_SECONDS:.0f} seconds.",
                index_dir=objects.remote.folder,
            )
        time.sleep(_POLL)


@contextlib.contextmanager
def _repeated(seconds: float, work: Callable[[], None]) -> Iterator[None]:
    """Do some work again and again in a thread; a failure of it is tried again the next time."""
    stop = threading.Event()

    def repeat() -> None:
        while not stop.wait(seconds):
            try:
                work()
            except SectionaryError as error:
                _log.info("%s", error)

    thread = threading.Thread(target=repeat, name="sectionary-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
