"""What the library raises for the files of an index → one error that says what to do, damage told from denial."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from schema.errors import IndexAccessError, IndexDamagedError, SectionaryError

#: What the library's messages say when the disk or the rights are to blame, and what to do then.
_DENIALS = {
    "ermission denied": "check the rights of its folder",
    "ead-only file system": "it is on a read-only disk; choose another place with --index",
    "o space left on device": "the disk is full; free some space and run again, what was searchable still is",
    "uota exceeded": "the disk quota is used up; free some space and run again, what was searchable still is",
    "File too large": "a file may not grow further here; free some space and run again, what was searchable still is",
}


@contextlib.contextmanager
def translate_storage_errors(store_dir: Path) -> Iterator[None]:
    """Turn what the library raises for its files, or rows that make no sense, into one error that says what to do.

    Damaged files end in errors of every class, and in panics of the library's Rust code. So only calls of the library and
    the reading of its rows belong inside; what is written is prepared outside, where a fault of ours stays one.

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
        reason = (str(error) or type(error).__name__).split("\n", 1)[0][:300]
        index_dir = store_dir.parent
        for sign, advice in _DENIALS.items():
            if sign in str(error):
                raise IndexAccessError(
                    f"The index in {index_dir} cannot be used: {advice} ({reason}).",
                    index_dir=index_dir,
                ) from error
        raise IndexDamagedError(
            f"The index in {index_dir} is damaged ({reason}); repair it with `index verify --repair`, "
            "or rebuild it with `index FOLDER --rebuild`.",
            index_dir=index_dir,
        ) from error


def is_panic(error: BaseException) -> bool:
    """Whether it is a panic of the library's Rust code."""
    # PyO3 derives it from BaseException and gives no way to import it; other panics of lancedb derive from Exception
    return type(error).__name__ == "PanicException"
