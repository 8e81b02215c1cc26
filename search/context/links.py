"""A section's id or a document's path → its links and the links to it, with the headings at their other ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from schema.errors import IndexDamagedError
from schema.index_files.layout import links_path
from schema.index_files.stored_links import MOST_SHOWN, StoredLinks
from schema.links import Link, SectionLinks
from schema.results import SectionLink
from schema.storage.table import SectionTable
from search.sources.base import Source


class LinkReader:
    """Reads the links beside the open `table`; for many threads at once."""

    def __init__(self, table: Callable[[], SectionTable]) -> None:
        self._table = table
        self._opening = threading.Lock()
        self._opened: tuple[tuple[str, str], StoredLinks] | None = None

    def of_section(self, source: Source, section_id: str, most: int = MOST_SHOWN) -> SectionLinks:
        """Return the links of a section and the links to it; what the version `source` of the index lacks is left out.

        Nothing is found in a file of links that cannot be read.
        """
        return self._with_others(source, self._stored().of_section(section_id, most))

    def of_document(self, source: Source, path: str) -> SectionLinks:
        """Return the links of all sections of a document and the links to it from other documents, as `of_section` does."""
        return self._with_others(source, self._stored().of_document(path))

    def require(self) -> None:
        """Refuse a file of links that could not be read when it was last asked.

        Raises:
            IndexDamagedError: it could not be read.
        """
        if not self._stored().is_readable:
            index_dir = self._table().store_dir.parent
            raise IndexDamagedError(
                f"The links of the index in {index_dir} cannot be read; run `index` again, which reads them from the files.",
                index_dir=index_dir,
            )

    @staticmethod
    def _with_others(source: Source, found: SectionLinks) -> SectionLinks:
        paths = {link.to_path for link in found.links if link.to_id} | {link.document_path for link in found.backlinks}
        sections = {each.id: each for outline in source.outlines(sorted(paths)).values() for each in outline}
        backlinks = tuple(
            _with_other(link, sections[link.section_id]) for link in found.backlinks if link.section_id in sections
        )
        return replace(
            found,
            links=tuple(_with_other(link, sections.get(link.to_id)) for link in found.links),
            backlinks=backlinks,
            backlink_count=found.backlink_count - len(found.backlinks) + len(backlinks),
        )

    def first_links(self, section_id: str) -> tuple[Link, ...]:
        """The first links of a section, without what stands at their other ends."""
        return self._stored().of_section(section_id).links

    def holder_of(self, path: str, anchor: str) -> tuple[str, int] | None:
        """The id of the section of a document that holds an anchor which is no section's own, and its line."""
        return self._stored().holder_of(path, anchor)

    def backlink_count(self, section_id: str) -> int:
        """How many links of other sections lead to a section."""
        return self._stored().backlink_count(section_id)

    def backlink_counts(self) -> Mapping[str, int]:
        """How many other sections link to each section, by id."""
        return self._stored().backlink_counts()

    def close(self) -> None:
        """Close the file of links."""
        with self._opening:
            if self._opened is not None:
                self._opened[1].release()
                self._opened = None

    def _stored(self) -> StoredLinks:
        table = self._table()
        key = (str(table.store_dir), table.store_id)
        with self._opening:
            if self._opened is None or self._opened[0] != key:
                self._opened = (key, StoredLinks(links_path(table.store_dir), store_id=table.store_id))
            return self._opened[1]


def _with_other(link: Link, other: SectionLink | None) -> Link:
    return replace(link, to_id="") if other is None else replace(link, heading=other.heading, anchor=other.anchor)
