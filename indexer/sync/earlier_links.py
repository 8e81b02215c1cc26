"""Where the links of some documents and those to them led before a run → which of them lead there still.

An edit seldom changes a link or what it names. Those links need no other document's names, so that they cost the same in an
index of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from indexer.sync.link_names import Anchors
from schema.index_files.links import DocumentNames, LinkFile, Resolution
from schema.links import Link

#: What is decided by documents alone. Other links depend on the files beside them as well, which may have changed.
_BY_DOCUMENTS = frozenset({"section", "ambiguous", "no anchor"})


class EarlierLinks:
    """The links of `paths` and to them as a file of links holds them, before it is given these documents anew.

    The methods are for afterwards.
    """

    def __init__(self, file: LinkFile, paths: Sequence[str]) -> None:
        self._file = file
        self._paths = paths
        self._before = dict(file.names(paths))
        self._links = {_written(link): link for link in self.now().values()}

    def are_named_alike(self) -> bool:
        """Whether links can name the documents as they could before, their sections and anchors left out."""
        return all(_are_alike(self._before[path], self._after[path]) for path in self._paths)

    def kept(self) -> list[tuple[Resolution, Link]] | None:
        """Return where every link leads, with the link, if all lead where they did; None if one has to be resolved."""
        altered = {path for path in self._paths if Anchors(self._before[path]) != Anchors(self._after[path])}
        found: list[tuple[Resolution, Link]] = []
        for number, link in self.now().items():
            was = self._links.get(_written(link))
            if was is None or was.status not in _BY_DOCUMENTS or was.to_path in altered:
                return None
            found.append((Resolution(was.status, was.to_path, was.to_id, number), link))
        return found

    @cached_property
    def _after(self) -> dict[str, DocumentNames]:
        return dict(self._file.names(self._paths))

    def now(self) -> dict[int, Link]:
        """The links as the file holds them, by number, without those to external addresses."""
        return {number: link for path in self._paths for number, link in self._file.links_of(path)}


def _written(link: Link) -> tuple[str, bool, str]:
    """Return what decides where a link leads: its document, whether it names a note, and its target."""
    return link.document_path, link.kind in ("wiki", "embed"), link.target


def _are_alike(before: DocumentNames, after: DocumentNames) -> bool:
    has_labels = any(anchor.kind == "label" for anchor in (*before.anchors, *after.anchors))
    return not has_labels and (before.aliases, before.addresses) == (after.aliases, after.addresses)
