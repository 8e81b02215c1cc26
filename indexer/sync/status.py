"""An index → its status, with the files that the next run would add."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from indexer.sync.roots import Roots
from schema.errors import SectionaryError
from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.reports import IndexStatus
from schema.status import read_status


def status_of(index_dir: Path, roots: Roots) -> IndexStatus:
    """Return the status of an index; its new files are not looked for where its roots cannot be read.

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError, IndexUntrustedError: it cannot be read.
        SettingsError: the project's settings file cannot be read.
    """
    status = read_status(index_dir)
    try:
        found = roots.discover_known()
    except (SectionaryError, OSError):
        return status
    manifest = read_manifest(manifest_path(store_dir(index_dir)))
    known = {*manifest.files, *(failure.path for failure in (*manifest.failures, *found.failed))}
    return replace(status, new=tuple(sorted({file.path for file in found.files} - known)))
