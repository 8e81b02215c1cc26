"""The files a scan found and what the manifest knows → documents that are gone, files as before, failures that are over."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from indexer.found import Discovery
from indexer.reading import FoundFile
from schema.index_files.manifest import FileLook, FileRecord
from schema.index_files.roots import IndexRoots, innermost
from schema.reports import Failure


def find_vanished(found: Discovery, known: Iterable[str]) -> set[str]:
    """Return the known documents under the walked paths that are gone; a file that failed is still there."""
    present = {file.path for file in found.files} | {failure.path for failure in found.failed}
    # a folder that cannot be read may hold its files still; "." is that of the project
    unread = tuple("" if failure.path == "." else f"{failure.path}/" for failure in found.failed)
    walked, after = _walked(found), found.after
    names = after.folders if after is not None else {}
    return {
        path
        for path in known
        if path not in present
        and innermost(_as_named(path, after), walked, names, otherwise=found.is_whole)
        and not path.startswith(unread)
    }


def looks_the_same(file: FoundFile, record: FileRecord | FileLook) -> bool:
    """Whether a file has the size and times of its record, so that nobody has written to it since."""
    return (record.size, record.mtime_ns, record.ctime_ns) == (file.size, file.mtime_ns, file.ctime_ns)


def _as_named(path: str, after: IndexRoots | None) -> str:
    """Return the path that a document has now; an older index names one outside the project by the way there."""
    if after is None or not path.startswith("../"):
        return path
    return after.spell(Path(os.path.normpath(after.project / path))) or path


def find_resolved_failures(earlier: Iterable[Failure], found: Discovery, now: Iterable[Failure]) -> set[str]:
    """Return the paths under the walked ones that failed in an earlier run and do not fail any more."""
    paths = {failure.path for failure in earlier} - {failure.path for failure in now}
    names = found.after.folders if found.after is not None else {}
    walked = _walked(found)
    return {path for path in paths if innermost(path, walked, names)}


def _walked(found: Discovery) -> dict[str, bool]:
    """Return the paths that were walked or given up, with True, and those that were not looked at, with False."""
    return {**dict.fromkeys(found.spared, False), **dict.fromkeys((*found.roots, *found.retired), True)}
