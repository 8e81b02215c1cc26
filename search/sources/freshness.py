"""The files of an index as they are now → which documents are no longer what was indexed, and which changed lately."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import is_changed, read_manifest
from schema.status import ROOT_KEY, documents_root


def modified_since(index_dir: Path, earliest: datetime, *, is_own: bool) -> list[str]:
    """The documents whose files were modified at `earliest` or later; for a file that is gone, the stored time counts."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)))
    base = documents_root(index_dir, manifest.metadata, is_ours=is_own)
    found = []
    for path, record in manifest.files.items():
        try:
            modified = (base / path).stat().st_mtime
        except OSError:
            modified = record.mtime_ns / 1e9
        if modified >= earliest.timestamp():
            found.append(path)
    return found


def stale(index_dir: Path, paths: Sequence[str], *, is_own: bool, max_file_bytes: int) -> set[str]:
    """Those of these documents whose files are gone or no longer what was indexed."""
    manifest = read_manifest(manifest_path(store_dir(index_dir)), paths)
    if ROOT_KEY not in manifest.metadata:
        return set()
    base = documents_root(index_dir, manifest.metadata, is_ours=is_own)
    return {path for path, record in manifest.files.items() if is_changed(base / path, record, max_bytes=max_file_bytes)}
