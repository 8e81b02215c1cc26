"""A change of one file: what stands there and what is to stand there → a diff, and then the file, written at once.

Refuses files that are no plain files, links that lead out of the folder, texts that are not UTF-8 or very large, and a file
that changed since it was read.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from schema.text.characters import printable
from search.agents.clients import AgentSetupError

#: Largest file that is edited (bytes).
MAX_BYTES = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A text for the file at `path`: `place` is where it really is, `before` its bytes, None where there is no file.

    `context` is how many lines around each change are shown.
    """

    path: Path
    folder: Path
    place: Path
    before: bytes | None
    text: str
    context: int = 2

    @property
    def is_needed(self) -> bool:
        """Whether the file is not yet as it is to be."""
        return self.before != self.text.encode()

    def diff(self) -> str:
        """The lines that change, and those around them, for a terminal."""
        old = "" if self.before is None else self.before.decode()
        name = str(self.path)
        told = difflib.unified_diff(
            old.splitlines(), self.text.splitlines(), name if old else os.devnull, name, n=self.context, lineterm=""
        )
        return "\n".join(printable(line) for line in told)

    def write(self) -> None:
        """Put the text in place of the file, whole or not at all.

        Raises:
            AgentSetupError: the file is not what was read before, or no longer in its folder.
        """
        self.place.parent.mkdir(parents=True, exist_ok=True)
        if real_place(self.path, self.folder) != self.place or read_bytes(self.place) != self.before:
            raise AgentSetupError(f"{_shown(self.path)} has changed meanwhile; run the command again.")
        handle, name = tempfile.mkstemp(prefix=".sectionary-", dir=self.place.parent)
        written = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self.text.encode())
                file.flush()
                os.fsync(file.fileno())
            written.chmod(_mode(self.place))
            written.replace(self.place)
        except BaseException:
            written.unlink(missing_ok=True)
            raise


def read_text(path: Path, folder: Path) -> tuple[Path, bytes | None]:
    """Where a file of a folder really is, and its bytes; None where there is no file.

    Raises:
        AgentSetupError: it is not in the folder, no plain file, too large, or not UTF-8.
    """
    place = real_place(path, folder)
    found = read_bytes(place)
    if found is not None:
        try:
            found.decode()
        except UnicodeDecodeError as error:
            raise AgentSetupError(f"{_shown(path)} is not UTF-8, so it cannot be edited.") from error
    return place, found


def real_place(path: Path, folder: Path) -> Path:
    """Return the path without links.

    Raises:
        AgentSetupError: it leads out of the folder.
    """
    place, within = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    if not place.is_relative_to(within):
        raise AgentSetupError(f"{_shown(path)} leads through a link out of {_shown(folder)}; it is not written.")
    return place


def read_bytes(place: Path) -> bytes | None:
    """Return the bytes of a file; None where there is none.

    Raises:
        AgentSetupError: it is no plain file, or too large.
    """
    try:
        facts = place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(facts.st_mode) or facts.st_size > MAX_BYTES:
        raise AgentSetupError(f"{_shown(place)} is not a plain file of at most {MAX_BYTES:,} bytes; it is not written.")
    return place.read_bytes()


def _mode(place: Path) -> int:
    """Return the rights of the file, or those of a new one."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(place.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _shown(path: Path) -> str:
    return printable(str(path))
