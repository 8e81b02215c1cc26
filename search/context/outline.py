"""A section's place in its document's outline: what stands above, before, after and below it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schema.results import Context, SectionLink

#: Children of one section that are told; an outline has them all.
MAX_CHILDREN = 1000


def contexts_of(section_ids: Collection[str], outline: Sequence[SectionLink]) -> dict[str, Context]:
    """The contexts of sections in their document's outline (in reading order), by id; empty for one that is not in it.

    Ancestors come outermost first; previous and next are the neighbours in reading order, whatever their depth; children
    are the direct ones, the first thousand of them.
    """
    places = {link.id: place for place, link in enumerate(outline)}
    children: dict[str, list[SectionLink]] = {identity: [] for identity in section_ids}
    for link in outline:
        siblings = children.get(link.parent_id or "")
        if siblings is not None and len(siblings) < MAX_CHILDREN:
            siblings.append(link)
    contexts = {}
    for identity, below in children.items():
        place = places.get(identity)
        if place is None:
            contexts[identity] = Context()
            continue
        ancestors: list[SectionLink] = []
        above = places.get(outline[place].parent_id or "")
        while above is not None and outline[above] not in ancestors:
            ancestors.append(outline[above])
            above = places.get(outline[above].parent_id or "")
        contexts[identity] = Context(
            ancestors=tuple(reversed(ancestors)),
            previous=outline[place - 1] if place > 0 else None,
            next=outline[place + 1] if place + 1 < len(outline) else None,
            children=tuple(below),
        )
    return contexts
