"""A folder's configuration files → the dialects of the documents in it.

Only names of files are looked at, and in a vault of notes the settings that say where its templates are. The nearest folder
above a document that has such a file decides.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

#: Names of files and folders at the top of a site or vault, and the dialect of its documents.
MARKS: Mapping[str, str] = {
    **{f"docusaurus.config.{ending}": "docusaurus" for ending in ("js", "ts", "mjs", "cjs")},
    ".vitepress": "vitepress",
    **{f"hugo.{ending}": "hugo" for ending in ("toml", "yaml", "yml", "json")},
    "mkdocs.yml": "mkdocs",
    "mkdocs.yaml": "mkdocs",
    "book.toml": "mdbook",
    ".obsidian": "obsidian",
    "_quarto.yml": "quarto",
}
#: Endings of files, in lower case, whose dialect is known without a folder's mark.
ENDINGS: Mapping[str, tuple[str, ...]] = {".mdx": ("mdx",), ".qmd": ("quarto",), ".rmd": ("quarto",)}


def dialects_of_ending(path: str) -> tuple[str, ...]:
    """Return the dialects that a file's ending tells."""
    return ENDINGS.get(PurePosixPath(path).suffix.lower(), ())


#: Files of a vault's settings, and the key of the folder for templates in each.
_TEMPLATES = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
_MAX_SETTINGS = 1_000_000
#: The setting's value for what folders and endings show.
AUTO = "auto"


class Dialects:
    """Finds the dialects of documents below `root`.

    `setting` holds names of dialects that all documents have, or "auto". Each folder is looked at once.
    """

    def __init__(self, root: Path, setting: Sequence[str] = (AUTO,)) -> None:
        self._root = root
        self._given = tuple(name for name in setting if name != AUTO)
        self._is_auto = AUTO in setting
        self._folders: dict[str, tuple[str, str]] = {}
        self._templates: dict[str, tuple[str, ...]] = {}

    def of(self, path: str) -> tuple[str, ...]:
        """Return the dialects of a document, by its path relative to the root (POSIX), in a fixed order."""
        if not self._is_auto:
            return self._given
        _, shown = self._nearest(path.rpartition("/")[0])
        return tuple(dict.fromkeys((*self._given, *((shown,) if shown else ()), *dialects_of_ending(path))))

    def is_template(self, path: str) -> bool:
        """Whether a document is in the folder that its vault keeps templates in."""
        folder, dialect = self._nearest(path.rpartition("/")[0]) if self._is_auto else ("", "")
        if dialect != "obsidian":
            return False
        if folder not in self._templates:
            self._templates[folder] = tuple(_template_folders(self._root / folder / ".obsidian"))
        below = path.removeprefix(f"{folder}/" if folder else "")
        return any(below.startswith(f"{each}/") for each in self._templates[folder])

    def shown(self, paths: Collection[str]) -> dict[str, str]:
        """Return the folders that decide about some of these documents, each with its dialect; "" is the root.

        What the setting says stands for "*".
        """
        folders = {path.rpartition("/")[0] for path in paths} if self._is_auto else set()
        nearest = sorted({self._nearest(folder) for folder in folders})
        given = {"*": " ".join(self._given)} if self._given or not self._is_auto else {}
        return given | {folder: dialect for folder, dialect in nearest if dialect}

    def _nearest(self, folder: str) -> tuple[str, str]:
        """Return the folder that decides about documents in `folder`, and its dialect, ("", "") for none."""
        chain = []
        found = ("", "")
        while True:
            if folder in self._folders:
                found = self._folders[folder]
                break
            chain.append(folder)
            dialect = self._look(folder)
            if dialect or not folder or folder.endswith(".."):
                found = (folder, dialect)
                break
            folder = folder.rpartition("/")[0]
        self._folders.update(dict.fromkeys(chain, found))
        return found

    def _look(self, folder: str) -> str:
        """Return the dialect that a folder shows itself."""
        if folder.endswith(".."):
            return ""
        try:
            names = set(os.listdir(self._root / folder))
        except OSError:
            return ""
        return next((dialect for name, dialect in MARKS.items() if name in names), "")


def _template_folders(settings: Path) -> Iterator[str]:
    """Yield the folders that a vault's settings name for templates, relative to the vault."""
    for name, key in _TEMPLATES:
        try:
            with (settings / name).open("rb") as stream:
                values = json.loads(stream.read(_MAX_SETTINGS))
        except (OSError, ValueError, RecursionError):
            continue
        folder = values.get(key) if isinstance(values, dict) else None
        if isinstance(folder, str) and folder.strip("/"):
            yield folder.strip("/")
