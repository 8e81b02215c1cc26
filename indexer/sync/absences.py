"""The files a scan found and what the manifest knows → documents that are gone, and failures that are over."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from indexer.discover import Discovery
from schema.reports import Failure


def find_vanished(found: Discovery, known: Iterable[str]) -> set[str]:
    """Return the known documents under the walked paths that are gone; a file that failed is still there."""
    present = {file.path for file in found.files} | {failure.path for failure in found.failed}
    unread = tuple(failure.path + "/" for failure in found.failed)  # a folder that cannot be read may hold its files still
    return {path for path in known if path not in present and _is_walked(path, found.roots) and not path.startswith(unread)}


def find_resolved_failures(earlier: Iterable[Failure], now: Iterable[Failure], walked: Collection[str]) -> set[str]:
    """Return the paths under the walked ones that failed in an earlier run and do not fail any more."""
    paths = {failure.path for failure in earlier} - {failure.path for failure in now}
    return {path for path in paths if _is_walked(path, walked)}


def _is_walked(path: str, walked: Collection[str]) -> bool:
    return any(_is_under(path, root) for root in walked)


def _is_under(path: str, root: str) -> bool:
    """Whether a path is in a folder, or is it; both are relative to the project's folder, which is "."."""
    if root == ".":
        return path != ".." and not path.startswith("../")
    return path == root or path.startswith(root + "/")
