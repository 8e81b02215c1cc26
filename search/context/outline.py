"""The sections above, before, after and below a section in its document's outline."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from schema.results import Context, SectionLink

#: Children of a section that its context lists, at most; an outline has them all.
MAX_CHILDREN = 1000


def contexts_of(section_ids: Collection[str], outline: Sequence[SectionLink]) -> dict[str, Context]:
    """The contexts of sections in their document's outline (in reading order), by id; empty for one that is not in it.

    Ancestors come outermost first; previous and next are the neighbours in reading order, whatever their depth; children
    are the direct ones, the first thousand of them.
    """
    index_of = {link.id: index for index, link in enumerate(outline)}
    children: dict[str, list[SectionLink]] = {identity: [] for identity in section_ids}
    for link in outline:
        siblings = children.get(link.parent_id or "")
        if siblings is not None and len(siblings) < MAX_CHILDREN:
            siblings.append(link)
    contexts = {}
    for identity, below in children.items():
        index = index_of.get(identity)
        if index is None:
            contexts[identity] = Context()
            continue
        ancestors: list[SectionLink] = []
        above = index_of.get(outline[index].parent_id or "")
        while above is not None and outline[above] not in ancestors:
            ancestors.append(outline[above])
            above = index_of.get(outline[above].parent_id or "")
        contexts[identity] = Context(
            ancestors=tuple(reversed(ancestors)),
            previous=outline[index - 1] if index > 0 else None,
            next=outline[index + 1] if index + 1 < len(outline) else None,
            children=tuple(below),
        )
    return contexts
