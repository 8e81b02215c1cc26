"""Errors of LanceDB → one of ours that says what to do: the index is damaged, or rights or space are missing."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from schema.errors import IndexAccessError, IndexDamagedError, SectionaryError
from schema.remote.gate import require_lease


class _Denial(NamedTuple):
    """A cause that is not in the files themselves, such as rights or space.

    `phrases` are what messages of the library say, by the system (`Permission denied`) or by Rust's own words for the same
    error (`permission denied`). `advice` is what to do. `example` is the end of such a message.
    """

    phrases: tuple[str, ...]
    advice: str
    example: str


#: The first row with a phrase that is in a message tells its cause; a message of no row means damage.
_DENIALS = (
    _Denial(
        ("Permission denied", "permission denied"),
        "check the rights of its folder",
        'LanceError(IO): Permission denied (os error 13) at path "/home/ada/.sectionary/store/sections.lance/data/x"',
    ),
    _Denial(
        ("Read-only file system", "read-only file system"),
        "it is on a read-only disk; choose another place with --index",
        'LanceError(IO): Read-only file system (os error 30) at path "/mnt/.sectionary/store/sections.lance/data/x"',
    ),
    _Denial(
        ("No space left on device", "no space left on device"),
        "the disk is full; free some space and run again, what was searchable still is",
        "LanceError(IO): No space left on device (os error 28), lance-file-13.0.0/src/writer/structural.rs:191:9",
    ),
    _Denial(
        ("Disk quota exceeded", "Quota exceeded", "quota exceeded"),
        "the disk quota is used up; free some space and run again, what was searchable still is",
        "LanceError(IO): Disk quota exceeded (os error 122), lance-file-13.0.0/src/writer/structural.rs:191:9",
    ),
    _Denial(
        ("Too many open files", "too many open files"),
        "this process may open no more files; raise that limit (`ulimit -n`) and run again",
        'LanceError(IO): Too many open files (os error 24) at path "/home/ada/.sectionary/store/sections.lance/data/x"',
    ),
    _Denial(
        ("File too large",),
        "a file may not grow further here; free some space and run again, what was searchable still is",
        "LanceError(IO): File too large (os error 27), lance-file-13.0.0/src/writer/structural.rs:191:9",
    ),
    _Denial(
        ("necessary privileges", "valid authentication credentials"),
        "the object store refuses access; check the credentials in the environment",
        "The operation lacked the necessary privileges to complete for path manuals/current: Error performing GET",
    ),
    _Denial(
        ("Generic S3 error", "Generic GCS error", "Generic MicrosoftAzure error"),
        "the object store did not answer; check the address, the network and the store, and run again: what was committed "
        "is there",
        "lance error: LanceError(IO): Generic S3 error: Error performing list request: Error performing GET http://x/b",
    ),
)


#: Where an error was raised in the library's own code: `…, /home/ci/lance/src/dataset.rs:191:9`.
_OF_CODE = re.compile(r",? *\S+\.rs:\d+(?::\d+)?")


@contextlib.contextmanager
def translate_storage_errors(store_dir: Path) -> Iterator[None]:
    """Turn what the library raises for its files, or rows that make no sense, into one error that says what to do.

    Damaged files end in errors of every class, and in panics of the library's Rust code. So the block must only call the
    library and read its rows; rows to be written are prepared outside of it, where an error of ours stays what it is.

    Raises:
        IndexAccessError: rights or space are missing.
        IndexDamagedError: a file is missing or does not hold what it should.
    """
    try:
        yield
    except SectionaryError:
        raise
    except BaseException as error:
        if not (isinstance(error, Exception) or is_panic(error)):
            raise
        reason = _reason(error)
        index_dir = store_dir.parent
        advice = _advice(str(error))
        if advice is not None:
            raise IndexAccessError(
                f"The index in {index_dir} cannot be used: {advice} ({reason}).", index_dir=index_dir
            ) from error
        raise IndexDamagedError(
            f"The index in {index_dir} is damaged ({reason}); repair it with `index verify --repair`, "
            "or rebuild it with `index FOLDER --rebuild`.",
            index_dir=index_dir,
        ) from error


@contextlib.contextmanager
def commit_errors(store_dir: Path) -> Iterator[None]:
    """As `translate_storage_errors`, for a commit: in an object store, only a process that has the lease may make one.

    Raises:
        IndexLockedError: this process lost its lease.
    """
    require_lease(store_dir)
    with translate_storage_errors(store_dir):
        yield


def _reason(error: BaseException) -> str:
    """Return the first line of the library's message, without the place in its code.

    >>> _reason(OSError("Not found: store/x.lance, /home/ci/.cargo/lance-io-13.0.0/src/local.rs:191:9"))
    'Not found: store/x.lance'
    """
    return _OF_CODE.sub("", (str(error) or type(error).__name__).split("\n", 1)[0])[:300]


def _advice(message: str) -> str | None:
    """Return what to do about the cause that a message of the library tells; None for damage.

    >>> all(_advice(row.example) == row.advice for row in _DENIALS)
    True
    >>> _advice("lance error: Not found: /home/ada/.sectionary/store/sections.lance/data/x.lance") is None
    True
    """
    return next((row.advice for row in _DENIALS if any(phrase in message for phrase in row.phrases)), None)


def is_panic(error: BaseException) -> bool:
    """Tell whether an error is a panic of the library's Rust code."""
    # PyO3 derives it from BaseException and gives no way to import it; other panics of lancedb derive from Exception
    return type(error).__name__ == "PanicException"
