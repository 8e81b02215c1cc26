"""What a walk over folders found: `Discovery`; and a path that a user named → where it leads to."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from indexer.reading import FoundFile
from schema.errors import SectionaryError, SourceError
from schema.index_files.roots import IndexRoots
from schema.reports import Failure


@dataclass(slots=True)
class Discovery:
    """What a walk found. Paths are those of the index.

    `failed` are the files it could not take. `left_out` counts by their ending the documents of other kinds that it saw.
    `plain` are documents of other formats that are not converted. `roots` are the paths walked, `retired` paths that no
    document has any more, and `spared` paths below the walked ones that were not looked at. `linked` holds where files that
    were reached through a link really are.

    `before` and `after` are the roots of the index, as the walk found them and as they are once it is written; `given` are
    the paths that the user named. `again` looks for the same once more, and `last_run` is what the manifest said of the last
    run before the walk. `is_whole`: all roots were looked at, and what is in none of them is gone. `closed` is a folder
    outside the project that later runs must not read.
    """

    files: list[FoundFile] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    spared: list[str] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    linked: dict[str, str] = field(default_factory=dict)
    reached: set[str] = field(default_factory=set)
    before: IndexRoots | None = None
    after: IndexRoots | None = None
    given: tuple[Path, ...] = ()
    again: Callable[[], Discovery] | None = None
    last_run: str | None = None
    is_whole: bool = False
    closed: Path | None = None

    def add(self, other: Discovery) -> None:
        """Add what another walk found; a file that both found counts once."""
        for name in ("files", "failed", "warnings", "roots"):
            getattr(self, name).extend(getattr(other, name))
        self.linked |= other.linked
        self.reached |= other.reached
        self.plain |= other.plain
        for ending, count in other.left_out.items():
            self.left_out[ending] = self.left_out.get(ending, 0) + count

    def leave_out_clashes(self, known: IndexRoots) -> None:
        """Leave out files of the project whose paths are those of documents outside; they count as failed."""
        for name, outside in known.folders.items():
            if outside == known.project / name or not os.path.lexists(known.project / name):
                continue
            reason = (
                f"the folder {outside} is called {name} in the index; give it another name, as in "
                f"`index roots add {shlex.quote(str(outside))} --name OTHER`"
            )
            inside = f"{known.project}/{name}/"
            taken = [file.path for file in self.files if file.location.startswith(inside)]
            self.failed.extend(Failure(path, reason) for path in taken)
            self.files = [file for file in self.files if not file.location.startswith(inside)] if taken else self.files

    def paths_after(self, known: Iterable[str]) -> set[str]:
        """Return the paths of the index's roots once this walk is written; `known` are those that it had."""
        if self.after is not None:
            return {root.path for root in self.after.roots}
        return {*known, *self.roots}

    def sort(self) -> None:
        """Put the files in order, each file, failure and warning once; one that is found at its own place needs no link."""
        unique = {file.path: file for file in self.files}
        own = {file.location for path, file in unique.items() if path not in self.linked}
        self.files = [unique[path] for path in sorted(unique) if self.linked.get(path) not in own]
        self.failed = list(dict.fromkeys(self.failed))
        self.warnings = list(dict.fromkeys(self.warnings))


class WalkStoppedError(SectionaryError):
    """A walk over folders was stopped before its end, so that nobody knows which files there are."""


def folder_of(location: Path) -> Path:
    """Return a folder itself, and of a file the one that it is in."""
    return location if location.is_dir() else location.parent


def given_path(path: Path, root: Path) -> Path:
    """Return where a path that a user named leads to, absolute and without links.

    Raises:
        SourceError: it does not exist, or is a link from inside the project's folder `root` to the outside.
    """
    link = _link_out(path, root)
    if link is not None:
        raise SourceError(
            f"{link} is a link out of the project's folder, to {os.path.realpath(link)}; name that if you mean it.",
            path=path,
        )
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise SourceError(f"There is no folder or file {path}; check the path.", path=path) from error


def _link_out(path: Path, root: Path) -> Path | None:
    """Return the part of a path that is a link from inside the project's folder to the outside, if there is one."""
    whole = Path(os.path.abspath(path))
    for part in (whole, *whole.parents):
        if os.path.islink(part):  # noqa: PTH114 — Path.is_symlink raises where rights are missing
            folder, target = Path(os.path.realpath(part.parent)), Path(os.path.realpath(part))
            if folder.is_relative_to(root) and not target.is_relative_to(root):
                return part
    return None


def reason_of(error: OSError) -> str:
    """Return why a file or folder could not be looked at, for a message."""
    if error.errno == errno.ELOOP:
        return "the link leads to itself"
    if error.errno == errno.ENOENT:
        return "the link leads nowhere, or the file vanished while it was looked at"
    return (error.strerror or str(error)).lower()
