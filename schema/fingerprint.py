"""What an index was made with, and the refusal of one that was made with something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schema.errors import IndexIncompatibleError

#: Raised whenever stored rows or terms change their meaning; an index of another version is refused.
SCHEMA_VERSION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What an index was made with; an index with another fingerprint cannot be searched or added to."""

    model: str
    dimension: int
    token_encoding: str
    schema_version: int = SCHEMA_VERSION


def check_fingerprint(found: Mapping[str, Any], expected: Mapping[str, Any], *, index_dir: Path) -> None:
    """Compare the fingerprint read from an index with the expected values, by field name, and the schema version.

    Raises:
        IndexIncompatibleError: naming every value that differs, and what to do.
    """
    expected = {"schema_version": SCHEMA_VERSION, **expected}
    differing = {name: value for name, value in expected.items() if found.get(name) != value}
    if not differing:
        return
    was = {name: str(found.get(name)) for name in differing}
    wants = {name: str(value) for name, value in differing.items()}
    words = " and ".join(f"{name.replace('_', ' ')} {was[name]}, not {wants[name]}" for name in differing)
    settable = [name for name in differing if name in ("model", "token_encoding")]
    advice = f"set {' and '.join(settable)} to what it was made with, or " if settable == list(differing) else ""
    raise IndexIncompatibleError(
        f"The index in {index_dir} was made with {words}; {advice}rebuild it with `index FOLDER --rebuild`.",
        index_dir=index_dir,
        expected=wants,
        found=was,
    )
