"""The links of a section or a document → their JSON form, which all doors share, and text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from schema.links import BROKEN, SectionLinks
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


def document_links_to_json(sections: Sequence[SectionLink], found: SectionLinks) -> dict[str, Any]:
    """Return the links of all sections of a document and those to it from other documents, in the form of `links_to_json`.

    `id` and `heading` are those of its first section, and there is no anchor. `sections` has those that links are in or lead
    to, and `section_id` of each link says which; None for a link to the document whose anchor is not there.
    """
    answer = links_to_json(sections[0], found)
    for entry, link in zip(answer["links"], found.links, strict=True):
        entry["section_id"] = link.section_id
    for entry, link in zip(answer["backlinks"], found.backlinks, strict=True):
        entry["section_id"] = link.to_id or None
    named = {link.section_id for link in found.links} | {link.to_id for link in found.backlinks}
    told = [{"id": one.id, "heading": one.heading, "anchor": one.anchor} for one in sections if one.id in named]
    return {**answer, "anchor": "", "sections": told}


def render_links(answer: Mapping[str, Any]) -> str:
    """Return the text of an answer: a line for each link with its line number, where it leads, and its text."""
    return "\n".join(map(one_line, _lines(answer)))


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    here = f"{answer['document_path']}#{answer['anchor']}" if answer["anchor"] else answer["document_path"]
    yield here if "sections" in answer else f"{here}  {answer['heading']}"
    for name, count in (("links", answer["link_count"]), ("backlinks", answer["backlink_count"])):
        shown = answer[name]
        broken = answer["broken_count"] if name == "links" else 0
        yield (
            f"{name}: {count:,}"
            + (f", {broken:,} broken" if broken else "")
            + (f", {len(shown)} of them shown" if len(shown) < count else "")
        )
        yield from _grouped(answer, shown, is_back=name == "backlinks")


def _grouped(answer: Mapping[str, Any], links: Sequence[Mapping[str, Any]], *, is_back: bool) -> Iterator[str]:
    """Yield the lines of links, below the sections of the document that they are in or lead to if there are several."""
    names = {one["id"]: f"{one['heading']}  #{one['anchor']}" for one in answer.get("sections", ())}
    order = {section: number for number, section in enumerate(names)}
    ranked = sorted(links, key=lambda link: order.get(link.get("section_id"), -1))
    groups = [(section, list(group)) for section, group in groupby(ranked, key=lambda link: link.get("section_id"))]
    for section, group in groups:
        margin = "    " if len(groups) > 1 else "  "
        if len(groups) > 1:
            yield f"  {names.get(section, 'an anchor that is not there')}".rstrip("# ")
        for link in group:
            yield margin + (_back(link) if is_back else _out(answer["document_path"], link))


def _back(link: Mapping[str, Any]) -> str:
    told = f"{_where(link['document_path'], link)}  {link['heading'] or ''}  ({link['target']})"
    return f"{told} → {link['status']}" if link["status"] in BROKEN else told


def _out(path: str, link: Mapping[str, Any]) -> str:
    where = f"{link['document_path']}  {link['heading'] or ''}".rstrip() if link["id"] else link["status"]
    return f"{_where(path, link)}  {link['target']} → {where}"


def _where(path: str, link: Mapping[str, Any]) -> str:
    """Return where a link of a document stands: in its line, or in the page or cell of a file that was converted."""
    return f"{path}, {link['place']}" if link["place"] else f"{path}:{link['line']}"
