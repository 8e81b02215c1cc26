"""The links of a section → their JSON form, which the command, HTTP and agents share, and text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from schema.links import SectionLinks
from schema.results import SectionLink
from schema.text.characters import one_line
from search.answers.wire import WIRE_VERSION


def links_to_json(section: SectionLink, found: SectionLinks) -> dict[str, Any]:
    """Return the links of a section and the links to it; lines are 1-based and those of the document a link is in."""
    return {
        "schema_version": WIRE_VERSION,
        "id": section.id,
        "document_path": section.document_path,
        "anchor": section.anchor,
        "heading": section.heading,
        **found.to_dict(),
    }


def render_links(answer: Mapping[str, Any]) -> str:
    """Return the text of an answer: a line for each link with its line number, where it leads, and its text."""
    return "\n".join(map(one_line, _lines(answer)))


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    here = f"{answer['document_path']}#{answer['anchor']}" if answer["anchor"] else answer["document_path"]
    yield f"{here}  {answer['heading']}"
    for name, count in (("links", answer["link_count"]), ("backlinks", answer["backlink_count"])):
        shown = answer[name]
        yield f"{name}: {count:,}" + (f", the first {len(shown)}" if len(shown) < count else "")
        for link in shown:
            if name == "backlinks":
                yield f"  {_where(link['document_path'], link)}  {link['heading'] or ''}  ({link['target']})"
            else:
                where = f"{link['document_path']}  {link['heading'] or ''}".rstrip() if link["id"] else link["status"]
                yield f"  {_where(answer['document_path'], link)}  {link['target']} → {where}"


def _where(path: str, link: Mapping[str, Any]) -> str:
    """Return where a link of a document stands: in its line, or in the page or cell of a file that was converted."""
    return f"{path}, {link['place']}" if link["place"] else f"{path}:{link['line']}"
