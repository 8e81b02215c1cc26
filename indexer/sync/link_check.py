"""The table of sections and the files of its folder → the links that lead to nothing; reads all, and writes nothing.

Links are read from the table again and resolved with the files as they are now.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from rapidfuzz import fuzz, process

from indexer.sync.folder_files import FolderFiles
from indexer.sync.link_names import without_ending
from indexer.sync.link_targets import LinkTargets
from indexer.sync.links import read_documents
from schema.index_files.layout import is_own, manifest_path, store_dir
from schema.index_files.links import DocumentNames, Resolution
from schema.index_files.manifest import read_manifest
from schema.index_files.roots import roots_of
from schema.links import Link
from schema.reports import BrokenLink, LinkReport
from schema.storage.table import SectionTable

#: Documents that are read at once.
_DOCUMENTS = 200
#: Suggestions compare a name with all others, so only so many broken links get one.
_MOST_SUGGESTIONS = 1000
#: How much a name has to be like a missing one to be suggested, of 100.
_LEAST_LIKE = 75.0


def check_links(index_dir: Path) -> LinkReport:
    """Return the broken links of an index, by document and line.

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError, IndexUntrustedError: the index cannot be read.
    """
    store = store_dir(index_dir)
    table = SectionTable.open(store).snapshot()
    metadata = read_manifest(manifest_path(store), []).metadata
    roots = roots_of(index_dir, metadata, is_own=is_own(index_dir))
    paths = sorted(table.paths())
    names: dict[str, DocumentNames] = {}
    links: list[Link] = []
    for start in range(0, len(paths), _DOCUMENTS):
        for document in read_documents(table, paths[start : start + _DOCUMENTS]):
            names[document.path] = document.names
            links.extend(document.links)
    targets = LinkTargets(names, FolderFiles(roots))
    suggest = _Suggestions(names, targets)
    statuses: Counter[str] = Counter()
    broken: list[BrokenLink] = []
    for resolution, link in targets.resolve(enumerate(links)):
        statuses[resolution.status] += 1
        if resolution.status in _MISSING:
            broken.append(
                BrokenLink(
                    path=link.document_path,
                    line=link.line,
                    target=link.target,
                    missing=_MISSING[resolution.status](link, resolution),
                    place=link.place,
                    suggestion=suggest(link, resolution) if len(broken) < _MOST_SUGGESTIONS else "",
                )
            )
    return LinkReport(documents=len(names), links=len(links), statuses=dict(statuses), broken=tuple(sorted(broken)))


def _no_file(link: Link, _: Resolution) -> str:
    return "there is no note of this name" if link.kind in ("wiki", "embed") else "there is no such file"


def _no_anchor(link: Link, resolution: Resolution) -> str:
    what = "block" if "#^" in link.target else "heading or id"
    fragment = unquote(link.target.partition("#")[2]).removeprefix("^")
    return f"{resolution.to_path} has no {what} {fragment}"


#: What is missing, by the status of a broken link.
_MISSING: dict[str, Callable[[Link, Resolution], str]] = {"no file": _no_file, "no anchor": _no_anchor}


class _Suggestions:
    """Finds what a broken link may have meant."""

    def __init__(self, names: dict[str, DocumentNames], targets: LinkTargets) -> None:
        self._targets = targets
        self._by_stem: dict[str, list[str]] = {}
        for path in names:
            self._by_stem.setdefault(without_ending(path).rpartition("/")[2].casefold(), []).append(path)

    def __call__(self, link: Link, resolution: Resolution) -> str:
        """Return a target to write instead; empty where nothing is near."""
        address, _, fragment = link.target.partition("#")
        if resolution.status == "no anchor":
            near = _nearest(unquote(fragment).removeprefix("^"), self._targets.anchors(resolution.to_path).written)
            return f"{address}#{near}" if near else ""
        name = without_ending(unquote(address.partition("?")[0]).rstrip("/").rpartition("/")[2]).casefold()
        stem = name if name in self._by_stem else _nearest(name, self._by_stem)
        if not stem:
            return ""
        folder = link.document_path.rpartition("/")[0]
        relative = {path: posixpath.relpath(path, folder or ".") for path in self._by_stem[stem]}
        path = min(relative, key=lambda one: (relative[one].count("/"), one))
        if link.kind in ("wiki", "embed"):
            return without_ending(path).rpartition("/")[2]
        return path if address.startswith("/") else relative[path]


def _nearest(name: str, others: list[str] | dict[str, list[str]]) -> str:
    found = process.extractOne(name, list(others), scorer=fuzz.ratio, score_cutoff=_LEAST_LIKE) if name else None
    return str(found[0]) if found else ""
