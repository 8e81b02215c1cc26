"""What a walk of folders meets, and what decides whether it takes it: entries, .gitignore files and earlier decisions."""

from __future__ import annotations

from dataclasses import dataclass

from schema.formats.globs import Globs


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder: its path on disk, and its POSIX paths in the index and below the base ("" for the top)."""

    location: str
    path: str
    below: str

    def child(self, name: str) -> Entry:
        """Return the entry of this name in this folder."""
        below = f"{self.below}/{name}" if self.below else name
        return Entry(f"{self.location}/{name}", f"{self.path}/{name}" if self.path else name, below)


#: .gitignore files, outermost first: for each its folder, as the locations of everything below begin, and its rules.
Ignores = tuple[tuple[str, Globs], ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides about the entries of a folder: the .gitignore files, and what was decided about the folder itself.

    `is_included`, `is_excluded` and `is_ignored` hold for each entry that no pattern matches.
    """

    ignores: Ignores
    is_included: bool
    is_excluded: bool
    is_ignored: bool


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to walk, and the rules for what it holds.

    `real`: its real path, after the real paths of those folders above it that hold a link that was followed.
    """

    entry: Entry
    real: tuple[str, ...]
    rules: Rules
