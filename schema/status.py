"""An index folder → what it holds, how true it is and what it takes on the disk; nothing is written, no model is needed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from schema import arguments
from schema.index_files.layout import is_being_written, is_own, manifest_path, outside_paths, store_dir
from schema.index_files.manifest import ManifestContents, is_changed, read_manifest
from schema.index_files.roots import roots_of
from schema.remote.folders import index_place, project_of, shown_place
from schema.remote.gate import remote_bytes
from schema.reports import IndexStatus, RootInfo, RunRecord
from schema.settings import read_project_file

#: Names of the manifest's metadata: what was indexed, how the last run went, the folders' dialects.
ROOTS_KEY, RUN_KEY, DIALECTS_KEY = "scopes", "last_run", "dialects"


def read_status(index_dir: str | os.PathLike[str]) -> IndexStatus:
    """The state of an index, whatever model made it.

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError, IndexUntrustedError: it cannot be read.
        SettingsError: the project's settings file cannot be read.
    """
    from schema.storage.maintenance import disk_bytes
    from schema.storage.table import SectionTable  # whoever imports the names above does not wait for its libraries

    index_dir = index_place(arguments.path("index_dir", index_dir))
    store = store_dir(index_dir)
    table = SectionTable.open(store).snapshot()
    manifest = read_manifest(manifest_path(store))
    documents = table.paths()
    shape, made = table.statistics(), table.fingerprint
    is_ours = is_own(index_dir)
    roots = roots_of(index_dir, manifest.metadata, is_own=is_ours)
    places = {path: roots.locate(path) for path in {*documents, *manifest.files}}
    project = read_project_file(project_of(index_dir))
    wanted = tuple(sorted(project.wanted))
    gone = {path for path in documents if (place := places[path]) is not None and _is_no_file(place)}
    changed = {
        path
        for path, record in manifest.files.items()
        if path not in gone and (place := places[path]) is not None and is_changed(place, record)
    }
    return IndexStatus(
        index_dir=shown_place(index_dir),
        root=str(roots.project),
        documents=len(documents),
        without_text=len(manifest.files.keys() - documents),
        sections=shape.rows,
        dirty=table.count_dirty(),
        awaiting_second=table.count_dirty(second=True),
        summaries=table.count_summaries(),
        stale=tuple(sorted(changed)),
        orphans=tuple(sorted(gone)),
        failed=manifest.failures,
        paths=indexed_roots(manifest.metadata.get(ROOTS_KEY)),
        roots=tuple(RootInfo(path=one.path, name=roots.name_of(one), description=one.description) for one in roots.roots),
        last_run=_run(manifest),
        is_being_written=is_being_written(index_dir),
        model=made.model,
        dimension=made.dimension,
        token_encoding=made.token_encoding,
        schema_version=made.schema_version,
        data_bytes=shape.data_bytes,
        disk_bytes=disk_bytes(index_dir) + remote_bytes(store),
        fragments=shape.fragments,
        unindexed_rows=shape.unindexed_rows,
        is_own=is_ours,
        outside=outside_paths(index_dir),
        dialects=_of_folders_with(manifest.files, noted_dialects(manifest.metadata.get(DIALECTS_KEY))),
        settings_file=project.path,
        settings_allowed=wanted if project.is_allowed else (),
        settings_left_out=() if project.is_allowed else wanted,
    )


def _of_folders_with(paths: Iterable[str], noted: Mapping[str, str]) -> dict[str, str]:
    """The dialects of the folders that still have some of these files, and what holds for all."""
    folders = {"", "*"}.union(*({path[:at] for at, sign in enumerate(path) if sign == "/"} for path in paths))
    return {folder: dialect for folder, dialect in noted.items() if folder in folders}


def noted_dialects(text: str | None) -> dict[str, str]:
    """The dialect of each folder that shows one, by the text in the manifest; "" is the root, "*" what the settings say."""
    try:
        noted = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    is_plain = isinstance(noted, dict) and all(isinstance(value, str) for value in noted.values())
    return noted if is_plain else {}


def indexed_roots(text: str | None) -> tuple[str, ...]:
    """The paths that were indexed, relative to the root, from the text in the manifest."""
    return tuple(root for root in (text or "").split("\n") if root)


def run_metadata(run: RunRecord) -> str:
    """The text in which the manifest keeps the last run."""
    return json.dumps(asdict(run))


def _run(manifest: ManifestContents) -> RunRecord | None:
    try:
        run = RunRecord(**json.loads(manifest.metadata[RUN_KEY]))
        datetime.fromisoformat(run.started)
        datetime.fromisoformat(run.ended or run.started)
        is_whole = isinstance(run.outcome, str) and all(isinstance(count, int) for count in run.counts.values())
        return run if is_whole else None
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _is_no_file(place: Path) -> bool:
    """Tell whether a place has no file, as far as it can be looked at."""
    try:
        return not place.is_file()
    except OSError:
        return False
