"""Sections → the links to them; and of a first section how much it says itself, and the documents that it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from schema.sections import file_name
from schema.text.fields import own_and_quoted_words
from search.context.hits import sections_at
from search.context.links import LinkReader
from search.index.snapshot import IndexSnapshot
from search.ranking.placeholders import Lead
from search.sources.base import Source

#: What of a section is read for facts (characters).
_READ = 2_000
#: Links, addresses, tags, definitions of links and headings: what stands in them says nothing of the section's own.
_ELSEWHERE = re.compile(
    r"!?\[[^\[\]\n]{0,500}\](?:\([^)\n]{0,1000}\)|\[[^\]\n]{0,200}\])|<[^<>\n]{1,500}>|https?://\S{1,1000}"
    r"|^[ \t]*(?:\[[^\]\n]{1,200}\]:|#).*",
    re.MULTILINE,
)
_FACT = re.compile(r"[0-9]|`[^`\s]")


def leads(source: Source, snapshot: IndexSnapshot, links: LinkReader) -> Callable[[int], Lead]:
    """Return a function that reads the section in a row of a snapshot.

    A link to a page that only a site has, or that several documents may be, counts by the name of its file. An address
    counts by its path, since documents link to each other where they are published too.
    """

    def lead_of(row: int) -> Lead:
        (section,) = sections_at(source, snapshot, [row])
        found = links.first_links(section.id)
        unknown = (link.target for link in found if not link.to_path and link.status in ("unknown", "ambiguous"))
        names = (file_name(_plain(target)).casefold() for target in unknown)
        return Lead(
            *own_and_quoted_words(section),
            paths=frozenset(link.to_path for link in found if link.to_path),
            names=frozenset(filter(None, names)),
            addresses=tuple(_plain(link.target) for link in found if link.status == "external"),
            has_facts=has_facts(section.body),
        )

    return lead_of


def _plain(target: str) -> str:
    """The target of a link without an anchor or a question."""
    return target.partition("#")[0].partition("?")[0]


def has_facts(text: str) -> bool:
    """Whether a text holds a number or code outside of its links and headings.

    >>> has_facts("The port is 8080. See [ports](ports.md)."), has_facts("Moved to [chapter 3](ch03.md).")
    (True, False)
    """
    return _FACT.search(_ELSEWHERE.sub(" ", text[:_READ])) is not None


def backlinks(source: Source, snapshot: IndexSnapshot, links: LinkReader) -> Callable[[Sequence[int]], list[int]]:
    """Return a function that counts the links from other sections to the sections in some rows of a snapshot."""
    return lambda rows: [links.backlink_count(section.id) for section in sections_at(source, snapshot, rows)]
