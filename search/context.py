"""A section's place in its document's outline: what stands above, before, after and below it."""

from __future__ import annotations

from collections.abc import Sequence

from schema.results import Context, SectionLink


def context_of(section_id: str, outline: Sequence[SectionLink]) -> Context:
    """The context of a section in its document's outline (in reading order); empty if the section is not in it.

    Ancestors come outermost first; previous and next are the neighbours in reading order, whatever their depth; children
    are the direct ones.
    """
    by_id = {link.id: link for link in outline}
    own = by_id.get(section_id)
    if own is None:
        return Context()
    place = next(i for i, link in enumerate(outline) if link.id == section_id)
    ancestors: list[SectionLink] = []
    above = by_id.get(own.parent_id or "")
    while above is not None and above not in ancestors:
        ancestors.insert(0, above)
        above = by_id.get(above.parent_id or "")
    return Context(
        ancestors=tuple(ancestors),
        previous=outline[place - 1] if place > 0 else None,
        next=outline[place + 1] if place + 1 < len(outline) else None,
        children=tuple(link for link in outline if link.parent_id == section_id),
    )
