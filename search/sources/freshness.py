"""The files of an index as they are now → which documents are no longer what was indexed, and which changed lately."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import is_changed, read_manifest
from schema.settings import Settings
from schema.status import DIALECTS_KEY, ROOT_KEY, ROOTS_KEY, indexed_roots, noted_dialects, roots_of
from search.sources.addresses import page_address


def modified_since(index_dir: Path, earliest: datetime, *, is_own: bool) -> list[str]:
    """The documents whose files were modified at `earliest` or later; for a file that is gone, the stored time counts."""
    times = modified_times(index_dir, is_own=is_own)
    return [path for path, modified in times.items() if modified >= earliest.timestamp()]


def modified_times(index_dir: Path, *, is_own: bool) -> dict[str, float]:
    """When the file of each document was modified, in seconds since 1970; for a file that is gone, the stored time."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)))
    roots = roots_of(index_dir, manifest.metadata, is_own=is_own)
    times = {}
    for path, record in manifest.files.items():
        location = roots.locate(path)
        try:
            times[path] = record.mtime_ns / 1e9 if location is None else location.stat().st_mtime
        except OSError:
            times[path] = record.mtime_ns / 1e9
    return times


@dataclass(frozen=True, slots=True)
class DocumentStates:
    """What the files and the manifest say about some documents.

    `stale`: those whose files are gone or no longer what was indexed, as far as they may be looked at. `addresses`: those
    of their pages on the published site, none without the setting `base_url`.
    """

    stale: frozenset[str] = frozenset()
    addresses: Mapping[str, str] = field(default_factory=dict)


def states_of(index_dir: Path, paths: Sequence[str], *, is_own: bool, settings: Settings) -> DocumentStates:
    """Return the states of these documents; the manifest may not know some of them."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)), paths)
    if ROOT_KEY not in manifest.metadata:
        return DocumentStates()
    roots = roots_of(index_dir, manifest.metadata, is_own=is_own)
    places = {path: roots.locate(path) for path in manifest.files}
    changed = frozenset(
        path
        for path, record in manifest.files.items()
        if (location := places[path]) is not None and is_changed(location, record, max_bytes=settings.max_file_bytes)
    )
    if not settings.base_url:
        return DocumentStates(changed)
    shown = {folder: name for folder, name in noted_dialects(manifest.metadata.get(DIALECTS_KEY)).items() if folder != "*"}
    walked = dict.fromkeys(indexed_roots(manifest.metadata.get(ROOTS_KEY)), "")
    addresses = {}
    for path, record in manifest.files.items():
        folder, dialect = _nearest(path, shown) or _nearest(path, walked) or ("", "")
        addresses[path] = page_address(
            path,
            base_url=settings.base_url,
            style=settings.url_style,
            folder=folder,
            dialect=dialect,
            front_matter=record.front_matter,
        )
    return DocumentStates(changed, addresses)


def _nearest(path: str, folders: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the longest of these folders that holds a document, with its value; "" holds all."""
    holders = [folder for folder in folders if not folder or path.startswith(f"{folder}/")]
    found = max(holders, key=len, default=None)
    return None if found is None else (found, folders[found])
