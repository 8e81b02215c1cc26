"""Stored tables → refused where they are not ours: files elsewhere, metadata of others, other columns, another fingerprint.

The library would follow what a foreign table names, so its files are checked before the library opens it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from schema.errors import IndexAccessError, IndexDamagedError, IndexUntrustedError
from schema.index_files.lance_manifests import read_manifests
from schema.index_files.plain_files import refuse_links
from schema.storage.fingerprint import Fingerprint, check_fingerprint
from schema.storage.rows import get_sections_schema

#: The entry of a table's metadata that holds its fingerprint and its id, as JSON.
_METADATA_KEY = b"sectionary"
#: Beginning of the entries that the library itself makes for a column, as for the primary key.
_LIBRARY_PREFIX = b"lance-schema:"
#: A column that is read row by row for each question; compressed it would take twice the time.
_UNCOMPRESSED, _NO_COMPRESSION = "terms", (b"lance-encoding:compression", b"none")


def table_schema(made: Fingerprint) -> pa.Schema:
    """Return the columns of a table with this fingerprint, without metadata of the table."""
    schema = get_sections_schema(made.dimension, made.second_dimension)
    schema = schema.set(0, schema.field(0).with_nullable(False))  # a primary key must not be nullable
    terms = schema.get_field_index(_UNCOMPRESSED)
    return schema.set(terms, schema.field(terms).with_metadata(dict((_NO_COMPRESSION,))))


def new_table_schema(made: Fingerprint) -> pa.Schema:
    """Return the schema of a new table: its columns, and its fingerprint and a new id as metadata."""
    stamp = json.dumps({**asdict(made), "store_id": uuid.uuid4().hex}, sort_keys=True)
    return table_schema(made).with_metadata({_METADATA_KEY: stamp.encode()})


def check_files(table_dir: Path, *, store_dir: Path) -> None:
    """Look at the files of the table in `table_dir` before the library does.

    Raises:
        IndexUntrustedError: a link is in `store_dir`, or a manifest names files elsewhere.
        IndexAccessError: the system does not let a manifest be read.
        IndexDamagedError: a manifest makes no sense.
    """
    index_dir = store_dir.parent
    refuse_links(store_dir, index_dir=index_dir)
    found = read_manifests(table_dir)
    if found.leads_out:
        raise IndexUntrustedError(
            f"The index in {index_dir} has files elsewhere ({found.leads_out}), which are not read; delete the index "
            "folder and run `index FOLDER` again.",
            index_dir=index_dir,
        )
    if found.refused:  # which is no damage, so that nothing is made again
        raise IndexAccessError(
            f"The index in {index_dir} cannot be read ({found.refused}); correct that and try again.", index_dir=index_dir
        )
    if found.unreadable:
        raise IndexDamagedError(
            f"The index in {index_dir} is damaged ({found.unreadable} cannot be read); repair it with `index verify "
            "--repair`, or rebuild it with `index FOLDER --rebuild`.",
            index_dir=index_dir,
        )


def check_schema(schema: pa.Schema, expected: Mapping[str, Any], *, index_dir: Path) -> tuple[Fingerprint, str]:
    """Return the fingerprint and the id of a stored table with this schema.

    Raises:
        IndexIncompatibleError: the fingerprint has other values than `expected`, by field name.
        IndexDamagedError: there is no fingerprint, or the columns are not those of a table that has it.
        IndexUntrustedError: there is metadata that is neither ours nor the library's own.
    """
    try:
        found = json.loads((schema.metadata or {}).get(_METADATA_KEY, b""))
        store_id = str(found.pop("store_id"))
        check_fingerprint(found, expected, index_dir=index_dir)
        made = Fingerprint(**found)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise IndexDamagedError(
            f"The index in {index_dir} does not say what made it; rebuild it with `index FOLDER --rebuild`.",
            index_dir=index_dir,
        ) from error
    if set(schema.metadata) != {_METADATA_KEY} or any(
        not entry[0].startswith(_LIBRARY_PREFIX) and (field.name, entry) != (_UNCOMPRESSED, _NO_COMPRESSION)
        for field in schema
        for entry in (field.metadata or {}).items()
    ):  # some entries name what the library would run
        raise IndexUntrustedError(
            f"The index in {index_dir} holds settings that Sectionary did not write; delete the index folder and run "
            "`index FOLDER` again.",
            index_dir=index_dir,
        )
    if [(field.name, field.type) for field in schema] != [(f.name, f.type) for f in table_schema(made)]:
        raise IndexDamagedError(
            f"The index in {index_dir} has other columns than Sectionary gives it; rebuild it with "
            "`index FOLDER --rebuild`.",
            index_dir=index_dir,
        )
    return made, store_id
