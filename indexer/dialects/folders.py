"""A folder's configuration files → the dialects of the documents in it.

Only names of files are looked at, for Sphinx whether its configuration names MyST, and in a vault of notes the settings that
say where its templates are. The nearest folder above a document that has such a file decides; the last one that is looked at
is the one that holds the indexed folder, since a site's configuration often stands beside the folder of its documents.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from schema.trust import read_small_file

#: Names of files and folders at the top of a site or vault, and the dialect of its documents.
MARKS: Mapping[str, str] = {
    **{f"docusaurus.config.{ending}": "docusaurus" for ending in ("js", "ts", "mjs", "cjs")},
    ".vitepress": "vitepress",
    **{f"hugo.{ending}": "hugo" for ending in ("toml", "yaml", "yml", "json")},
    "mkdocs.yml": "mkdocs",
    "mkdocs.yaml": "mkdocs",
    "zensical.toml": "mkdocs",
    "properdocs.yml": "mkdocs",
    ".pages": "mkdocs",
    ".nav.yml": "mkdocs",
    "book.toml": "mdbook",
    ".obsidian": "obsidian",
    "_quarto.yml": "quarto",
    "myst.yml": "myst",
    "_toc.yml": "myst",
    "conf.py": "myst",
    ".gitbook.yaml": "gitbook",
    ".gitbook": "gitbook",
    **{f"astro.config.{ending}": "starlight" for ending in ("mjs", "js", "ts", "mts", "cjs")},
    "_config.yml": "jekyll",  # the last ones, since other tools have such a file too
    "_config.yaml": "jekyll",
}
#: A file that says that a site of Jekyll is none.
_NO_JEKYLL = ".nojekyll"
#: A folder that a site must have too, beside the name.
_BESIDE: Mapping[str, str] = {"starlight": "src/content/docs"}
#: Settings that Jekyll has and other tools with a file of the same name have not.
_JEKYLL = re.compile(
    rb"^(?:baseurl|collections|defaults|exclude|include|kramdown|permalink|plugins|relative_links|remote_theme|sass)[ \t]*:",
    re.MULTILINE,
)
#: What a file of this name must hold to be a mark.
_HOLDS: Mapping[str, re.Pattern[bytes]] = {
    "conf.py": re.compile(rb"\bmyst_(?:parser|nb)\b"),
    "_config.yml": _JEKYLL,
    "_config.yaml": _JEKYLL,
}
#: Endings of files, in lower case, whose dialect is known without a folder's mark.
ENDINGS: Mapping[str, tuple[str, ...]] = {".mdx": ("mdx",), ".qmd": ("quarto",), ".rmd": ("quarto",)}
#: Part of how a document is read. Raise it with each change of the rules: the documents are read again.
RULES = "10"
#: The setting's value for what folders and endings show.
AUTO = "auto"
#: Files of a vault's settings, and the key of the folder for templates in each.
_TEMPLATES = (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"))
_MAX_SETTINGS = 1_000_000


def dialects_of_ending(path: str) -> tuple[str, ...]:
    """Return the dialects that a file's ending tells."""
    return ENDINGS.get(posixpath.splitext(path)[1].lower(), ())  # a Path costs more


def dialects_of(path: str, setting: Collection[str], shown: str) -> tuple[str, ...]:
    """Return the dialects of a document by the setting, the one that its folder shows ("" for none), and its ending."""
    given = (name for name in setting if name != AUTO)
    found = ((shown,) if shown else (), dialects_of_ending(path)) if AUTO in setting else ()
    return tuple(dict.fromkeys((*given, *(name for names in found for name in names))))


class _Nearest(NamedTuple):
    """The folder that decides about documents (its path in the index), the dialect that it shows, and where it is."""

    folder: str = ""
    dialect: str = ""
    place: str = ""


class Dialects:
    """Finds the dialects of documents of the project in `root`.

    `setting` holds names of dialects that all documents have, or "auto". Each folder is looked at once, until `learn` begins
    again.
    """

    def __init__(self, root: Path, setting: Sequence[str] = (AUTO,)) -> None:
        self._root = str(root)
        self._setting = tuple(setting)
        self._is_auto = AUTO in setting
        self._places: dict[str, str] = {}
        self._folders: dict[str, _Nearest] = {}
        self._found: dict[tuple[str, str], tuple[str, ...]] = {}
        self._templates: dict[str, tuple[str, ...]] = {}

    def learn(self, locations: Mapping[str, str]) -> None:
        """Note where documents are on the disk, by their paths in the index, and look at their folders again from now on.

        Some may be outside of the project's folder.
        """
        self._places, self._folders, self._found, self._templates = {}, {}, {}, {}
        for path, location in locations.items():
            self._places.setdefault(path.rpartition("/")[0], os.path.dirname(location))  # noqa: PTH120 — a Path costs more

    def of(self, path: str) -> tuple[str, ...]:
        """Return the dialects of a document, by its path in the index (POSIX), in a fixed order."""
        kind = path.rpartition("/")[0], posixpath.splitext(path)[1]
        if kind not in self._found:
            shown = self._nearest(kind[0]).dialect if self._is_auto else ""
            self._found[kind] = dialects_of(path, self._setting, shown)
        return self._found[kind]

    def is_template(self, path: str) -> bool:
        """Whether a document is in the folder that its vault keeps templates in."""
        found = self._nearest(path.rpartition("/")[0]) if self._is_auto else _Nearest()
        if found.dialect != "obsidian":
            return False
        if found.folder not in self._templates:
            self._templates[found.folder] = tuple(_template_folders(Path(found.place) / ".obsidian"))
        below = path.removeprefix(f"{found.folder}/" if found.folder else "")
        return any(below.startswith(f"{each}/") for each in self._templates[found.folder])

    def shown(self, paths: Collection[str]) -> dict[str, str]:
        """Return the folders that decide about some of these documents, each with its dialect; "" is the root.

        What the setting says stands for "*", if it is not the default.
        """
        folders = {path.rpartition("/")[0] for path in paths} if self._is_auto else set()
        nearest = sorted({self._nearest(folder) for folder in folders})
        given = {"*": " ".join(self._setting)} if self._setting != (AUTO,) else {}
        return given | {found.folder: found.dialect for found in nearest if found.dialect}

    def _nearest(self, folder: str) -> _Nearest:
        """Return the folder that decides about documents in `folder`.

        Above the project, or above a folder outside of it, only the folder that holds it is looked at, and only for a site.
        """
        if folder in self._folders:
            return self._folders[folder]
        chain = []
        place = self._places.get(folder) or f"{self._root}/{folder}".rstrip("/")
        while True:
            if folder in self._folders:
                found = self._folders[folder]
                break
            chain.append(folder)
            dialect = _shown_by(place)
            above, place_above = folder.rpartition("/")[0], os.path.dirname(place)  # noqa: PTH120
            is_last = not folder or (not above and place_above != self._root)
            if is_last and not dialect:
                dialect, place = _shown_by(place_above, without=".obsidian"), place_above
            if dialect or is_last:
                found = _Nearest(folder, dialect, place) if dialect else _Nearest()
                break
            folder, place = above, place_above
        self._folders.update(dict.fromkeys(chain, found))
        return found


def _shown_by(place: str, *, without: str = "") -> str:
    """Return the dialect that a folder on the disk shows itself, by another mark than `without`."""
    try:
        names = set(os.listdir(place)) - {without}
    except (OSError, ValueError):
        return ""
    if _NO_JEKYLL in names:
        names -= {name for name, dialect in MARKS.items() if dialect == "jekyll"}
    shown = (dialect for name, dialect in MARKS.items() if name in names and (name not in _HOLDS or _holds(place, name)))
    return next((one for one in shown if one not in _BESIDE or os.path.isdir(f"{place}/{_BESIDE[one]}")), "")  # noqa: PTH112


def _holds(place: str, name: str) -> bool:
    """Whether a file of a folder holds what makes it a mark."""
    path = Path(place, name)
    try:
        if not path.is_file():  # to open a pipe would wait
            return False
        with path.open("rb") as stream:
            return _HOLDS[name].search(stream.read(_MAX_SETTINGS)) is not None
    except OSError:
        return False


def _template_folders(settings: Path) -> Iterator[str]:
    """Yield the folders that a vault's settings name for templates, relative to the vault."""
    for name, key in _TEMPLATES:
        try:
            values = json.loads(read_small_file(settings / name))  # no pipe, for which it would wait
        except (OSError, ValueError, RecursionError):
            continue
        folder = values.get(key) if isinstance(values, dict) else None
        if isinstance(folder, str) and folder.strip("/"):
            yield folder.strip("/")
