"""The names of roots: what the user calls one, the root that a word names, and the names that folders had before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.sync.allowed import real_path
from schema.errors import SettingsError
from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import (
    MAX_DESCRIPTION,
    ROOT_KEY,
    FileChoice,
    IndexRoots,
    Root,
    by_path,
    check_name,
    documents_root,
)
from schema.text.characters import one_line


@dataclass(frozen=True, slots=True)
class Calling:
    """What a root is called: the path that the user named, a name ("" for the one it has) and a text that describes it."""

    path: Path
    name: str = ""
    description: str | None = None


def with_called(known: IndexRoots, location: Path, calling: Calling) -> IndexRoots:
    """Return the roots with one of this location, under the name given.

    Raises:
        SettingsError: the name stands for something else already, or cannot be one.
    """
    known = known.with_folder_of(location, is_folder=location.is_dir())
    path = known.spell(location) or "."
    root = next((root for root in known.roots if root.path == path), None)
    if root is None:
        around = known.root_of(path)
        root = Root(path=path, files=around.files if around is not None else FileChoice())
    if calling.description is not None:
        root = replace(root, description=calling.description.strip()[:MAX_DESCRIPTION])
    others = replace(known, roots=tuple(each for each in known.roots if each.path != path))
    if not calling.name:
        return replace(others, roots=by_path([*others.roots, root]))
    name = check_name(calling.name)
    if known.folders.get(path) == location:  # the paths of its documents begin with the name
        others = replace(others, folders={each: place for each, place in known.folders.items() if each != path})
        if others.is_taken(name):
            raise _taken(name)
        roots = tuple(replace(each, path=_moved(each.path, path, name)) for each in others.roots)
        others = replace(others, roots=roots, folders={**others.folders, name: location})
        return replace(others, roots=by_path([*roots, replace(root, path=name)]))
    if name.casefold() in {each.casefold() for each in (*known.folders, *map(others.name_of, others.roots))}:
        raise _taken(name)
    return replace(others, roots=by_path([*others.roots, replace(root, name=name)]))


def other_names(index_dir: Path, known: IndexRoots, places: Mapping[str, Path]) -> set[str]:
    """Return the paths that these places do not have now, but had if an earlier run named them from another folder.

    `places` are the folders and files of a run by their paths in the index.
    """
    metadata = read_manifest(manifest_path(store_dir(index_dir)), []).metadata
    earlier = documents_root(index_dir, metadata, is_ours=True) if ROOT_KEY in metadata else known.project
    projects = (known, replace(known, project=earlier))
    return {path for place in places.values() for roots in projects for path in roots.spellings(place)} - places.keys()


def find_root(known: IndexRoots, word: str) -> Root:
    """Return the root with this name or path, as the index has it or as it leads there from the working folder.

    Raises:
        SettingsError: there is none.
    """
    root = known.called(word)
    if root is None and "\0" not in word:
        spelt = known.spell(real_path(Path(os.path.abspath(word))))
        root = next((root for root in known.roots if root.path == spelt), None)
    if root is None:
        names = ", ".join(map(known.name_of, known.roots)) or "none"
        raise SettingsError(f"There is no root {one_line(word)[:200]} in the index; its roots are {one_line(names)}.")
    return root


def _taken(name: str) -> SettingsError:
    return SettingsError(f"The name {name} stands for something else in the project or the index; take another one.")


def _moved(path: str, before: str, after: str) -> str:
    """Return a path with another name in the place of the folder `before` that it begins with."""
    return f"{after}{path.removeprefix(before)}" if path == before or path.startswith(f"{before}/") else path
