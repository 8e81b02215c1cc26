"""The lease of an index in an object store, conditional writes and the object `current`, over a store in memory."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("obstore", reason="the extra `remote` is not installed")

import obstore
from obstore.exceptions import GenericError
from obstore.store import MemoryStore

from schema.errors import IndexAccessError, IndexDamagedError
from schema.remote.address import parse_address
from schema.remote.conditions import probe
from schema.remote.current import Current, SmallFile, read_current, write_current
from schema.remote.folders import RemoteIndex
from schema.remote.lease import LEASE_SECONDS, Lease
from schema.remote.objects import ConflictError, Objects, UnchangedError

REMOTE = RemoteIndex(Path("/nowhere"), parse_address("s3://bucket/prefix"), None)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


class Watched(Objects):
    """A store whose writes all go through `written`: a kind of write, and what it is given."""

    def create(self, *given):
        return self.written(super().create, *given)

    def replace(self, *given):
        return self.written(super().replace, *given)

    def put(self, *given):
        return self.written(super().put, *given)


class Careless(Watched):
    """A store that ignores the conditions of writes."""

    def written(self, write, name, data, *version):
        return Objects.put(self, name, data)


class Unreachable(Watched):
    """A store that can be cut off, before a write or after it was done."""

    cut = ""

    def written(self, write, *given):
        done = None if self.cut == "before" else write(*given)
        if self.cut:
            raise IndexAccessError("no answer", index_dir=REMOTE.folder)
        return done


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def objects(store):
    return Objects(store, REMOTE)


@pytest.fixture
def clock():
    return Clock()


def lease_of(objects, clock, seconds=30.0):
    return Lease(objects, "lease", seconds=seconds, clock=clock)


def long_ago():
    return NOW - timedelta(days=400)


def far_on():
    return datetime.now(UTC) + timedelta(seconds=40)


def test_one_of_two_gets_a_free_lease(objects, clock):
    one, two = lease_of(objects, clock), lease_of(objects, clock)
    assert one.take(long_ago) == ""
    assert one.is_valid
    assert "process" in two.take(long_ago)
    assert not two.is_valid


def test_lease_that_was_given_back_is_taken_at_once(objects, clock):
    one, two = lease_of(objects, clock), lease_of(objects, clock)
    one.take(long_ago)
    one.give_back()
    assert not one.is_valid
    assert two.take(long_ago) == ""


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="the system tells in another way how long it slept")
def test_lease_is_not_valid_after_a_sleep_of_the_machine(objects, monkeypatch):
    held = Lease(objects, "lease")
    held.take(long_ago)
    assert held.is_valid
    awake = time.clock_gettime
    monkeypatch.setattr(time, "clock_gettime", lambda clock: awake(clock) + 600 * (clock == time.CLOCK_BOOTTIME))
    assert not held.is_valid


def test_lease_of_a_dead_writer_is_taken_when_the_stores_clock_says_that_it_ended(objects, clock):
    lease_of(objects, clock).take(long_ago)
    assert lease_of(objects, clock).take(far_on) == ""


def test_lease_of_a_dead_writer_is_taken_by_who_watched_it_for_its_whole_time(objects, clock):
    lease_of(objects, clock).take(long_ago)
    waiting = lease_of(objects, clock)
    assert waiting.take(long_ago)
    clock.seconds = 29
    assert waiting.take(long_ago)
    clock.seconds = 31
    assert waiting.take(long_ago) == ""


def test_renewed_lease_is_not_taken(objects, clock):
    held, waiting = lease_of(objects, clock), lease_of(objects, clock)
    held.take(long_ago)
    for moment in range(10, 100, 10):
        clock.seconds = moment
        held.renew()
        assert waiting.take(long_ago)
    assert held.is_valid


def test_writer_that_cannot_renew_stops_before_others_may_take_over(store, clock):
    objects = Unreachable(store, REMOTE)
    held = lease_of(objects, clock)
    held.take(long_ago)
    objects.cut = "before"
    clock.seconds = 23
    with pytest.raises(IndexAccessError):
        held.renew()
    assert held.is_valid
    clock.seconds = 25
    assert not held.is_valid


def test_renewal_whose_answer_was_lost_counts(store, clock):
    objects = Unreachable(store, REMOTE)
    held = lease_of(objects, clock)
    held.take(long_ago)
    objects.cut = "after"
    clock.seconds = 10
    with pytest.raises(IndexAccessError):
        held.renew()
    objects.cut = ""
    held.renew()  # the version there is not the one that is known, but is this process's own
    clock.seconds = 30
    assert held.is_valid


class Faltering(Watched):
    """A store whose answer to the next write is lost."""

    is_lost = False

    def written(self, write, *given):
        done = write(*given)
        if self.is_lost:
            self.is_lost = False
            raise IndexAccessError("no answer", index_dir=REMOTE.folder)
        return done


def test_lease_is_taken_renewed_and_given_back_where_an_answer_is_lost(store, clock):
    objects = Faltering(store, REMOTE)
    held, other = lease_of(objects, clock), lease_of(objects, clock)
    objects.is_lost = True
    assert held.take(long_ago) == ""
    clock.seconds = 20
    objects.is_lost = True
    held.renew()
    clock.seconds = 40
    assert held.is_valid
    objects.is_lost = True
    held.renew()
    held.give_back()
    assert other.take(long_ago) == ""


def test_lease_is_given_back_after_a_renewal_whose_answer_was_lost(store, clock):
    objects = Unreachable(store, REMOTE)
    held, other = lease_of(objects, clock), lease_of(objects, clock)
    held.take(long_ago)
    objects.cut = "after"
    with pytest.raises(IndexAccessError):
        held.renew()
    objects.cut = ""
    held.give_back()
    assert other.take(long_ago) == ""


def test_writer_whose_lease_was_taken_notices_and_does_not_take_it_back(objects, clock):
    slept = lease_of(objects, clock)
    slept.take(long_ago)
    other = lease_of(objects, clock)
    other.take(far_on)
    slept.renew()
    assert not slept.is_valid
    slept.give_back()
    assert other.is_valid
    other.renew()
    assert other.is_valid


@pytest.mark.parametrize("rest", ['"seconds": 1e99, "holder": 7', '"is_free": "yes"', '"seconds": null'])
def test_lease_that_says_nonsense_ends_like_any_other(objects, clock, rest):
    objects.put("lease", f'{{"token": "{"0" * 32}", {rest}}}'.encode())
    waiting = lease_of(objects, clock)
    assert waiting.take(long_ago)
    clock.seconds = 601
    assert waiting.take(long_ago) == ""


@pytest.mark.parametrize("length", ["NaN", "Infinity", "-Infinity", "-5", "0", "true", "601", "1" + "0" * 400, '"30"', "[]"])
def test_lease_of_a_damaged_length_lasts_as_long_as_one_of_ours(objects, clock, length):
    objects.put("lease", f'{{"token": "{"0" * 32}", "seconds": {length}}}'.encode())
    waiting = lease_of(objects, clock)
    assert waiting.take(long_ago)
    clock.seconds = LEASE_SECONDS - 1
    assert waiting.take(long_ago)
    clock.seconds = LEASE_SECONDS + 1
    assert waiting.take(long_ago) == ""


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"\xff", b"[" * 5000, b'{"flat": 7, "rent": 900}', b'{"token": "mine"}', b'{"token": null}']
)
def test_object_of_somebody_else_where_the_lease_would_be_is_refused_and_left_as_it_is(objects, clock, data):
    objects.put("lease", data)
    lease = lease_of(objects, clock)
    with pytest.raises(
        IndexAccessError, match=r"The object lease in s3://bucket/prefix is not one of Sectionary's.*another prefix"
    ):
        lease.take(far_on)
    assert not lease.is_held(NOW)
    assert objects.get("lease", limit=10_000).data == data


def test_store_with_conditional_writes_passes_the_probe_and_keeps_nothing_of_it(objects):
    assert probe(objects).fault == ""
    assert objects.entries("probes") == []


def test_store_that_ignores_conditions_is_found_out(store):
    assert "overwrites an object that was to be written only if there is none" in probe(Careless(store, REMOTE)).fault


def test_store_that_cannot_be_written_is_an_error_and_no_finding(store):
    objects = Unreachable(store, REMOTE)
    objects.cut = "before"
    with pytest.raises(IndexAccessError):
        probe(objects)


CURRENT = Current("a" * 32, "b" * 32, {"ledger.sqlite": SmallFile(5, "c" * 64)}, session="d" * 32, is_open=True)


def test_current_comes_back_as_it_was_written(objects):
    assert read_current(objects) == Current()
    written = write_current(objects, CURRENT, is_conditional=True)
    assert read_current(objects) == written
    assert (written.number, written.files) == (1, CURRENT.files)
    with pytest.raises(UnchangedError):
        read_current(objects, unless=written.e_tag)


def test_second_of_two_changes_of_current_is_refused(objects):
    written = write_current(objects, CURRENT, is_conditional=True)
    write_current(objects, replace(written, session="e" * 32), is_conditional=True)
    with pytest.raises(ConflictError):
        write_current(objects, written, is_conditional=True)
    with pytest.raises(ConflictError):
        write_current(objects, CURRENT, is_conditional=True)


def test_session_replaces_what_it_wrote_without_learning_of_it(store):
    objects = Unreachable(store, REMOTE)
    first = write_current(objects, CURRENT, is_conditional=True)
    objects.cut = "after"
    with pytest.raises(IndexAccessError):
        write_current(objects, replace(first, store="e" * 32), is_conditional=True)
    objects.cut = ""
    written = write_current(objects, replace(first, store="f" * 32), is_conditional=True)
    assert (read_current(objects), written.store, written.number) == (written, "f" * 32, 3)


@pytest.mark.parametrize(
    "change",
    [
        ('"store": "', '"store": "../'), ('"store": "a', '"store": "A'), ('"format": 1', '"format": 2'), ('"size": 5', '"size": -1'),
        ('"size": 5', '"size": 99999999999999999999'), ('"size": 5', '"size": "5"'), ("c" * 64, "c" * 63), ('"files": {', '"files": [{'),
        ('"identity": "b', '"identity": "\\n'), ('"identity": "' + "b" * 32, '"identity": "'), ('"store": "' + "a" * 32, '"store": "'),
        ('"is_open": true', '"is_open": 1'), ('"session": "d', '"session": "D'), ('"session": "' + "d" * 32 + '"', '"session": 0'),
        ('{"format"', "[" * 9000 + '{"format"'),
    ],
)  # fmt: skip
def test_current_that_makes_no_sense_is_damage(objects, change):
    write_current(objects, CURRENT, is_conditional=True)
    text = objects.get("current", limit=10_000).data.decode()
    assert change[0] in text
    objects.put("current", text.replace(*change).encode())
    with pytest.raises(
        IndexDamagedError, match=r"The index in s3://bucket/prefix is damaged .*; delete that object and those in stores/"
    ):
        read_current(objects)


def test_larger_object_than_any_of_ours_is_not_read(objects):
    objects.put("current", b" " * 200_000)
    with pytest.raises(IndexDamagedError, match="more than 100,000 bytes"):
        read_current(objects)


def test_download_of_other_bytes_than_were_promised_is_damage(objects, tmp_path):
    objects.put("file", b"12345")
    digest = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
    objects.download("file", tmp_path / "whole", size=5, sha256=digest)
    assert (tmp_path / "whole").read_bytes() == b"12345"
    for number, (size, sha256) in enumerate([(4, digest), (6, digest), (5, "0" * 64)]):
        with pytest.raises(IndexDamagedError, match="not what was written"):
            objects.download("file", tmp_path / str(number), size=size, sha256=sha256)
    with pytest.raises(IndexDamagedError, match="not there"):
        objects.download("nothing", tmp_path / "none", size=1, sha256=digest)


@pytest.mark.parametrize(
    ("scheme", "variables"), [("s3", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), ("gs", "GOOGLE_SERVICE_ACCOUNT")]
)
def test_missing_credentials_are_named(monkeypatch, scheme, variables):
    def refused(*_, **__):
        raise GenericError("Generic error: Error performing PUT http://169.254.169.254/latest/api/token in 2ms - no route")

    monkeypatch.setattr(obstore, "get", refused)
    objects = Objects(MemoryStore(), RemoteIndex(Path("/nowhere"), parse_address(f"{scheme}://bucket/prefix"), None))
    with pytest.raises(
        IndexAccessError, match=rf"{scheme}://bucket/prefix cannot be used: there are no credentials; set {variables}, or"
    ):
        objects.get("current", limit=10)
