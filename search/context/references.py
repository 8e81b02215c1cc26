"""What a user types for a section → the section: its id or the beginning of it, path#anchor, or a document's path."""

from __future__ import annotations

from schema.errors import NotIndexedError
from schema.results import SectionLink
from schema.sections import looks_like_id
from schema.text.names import caseless
from search.context.advice import did_you_mean
from search.sources.base import Source

#: Ids that are named in a sentence, at most.
_MOST_NAMED = 3


def whole_id(source: Source, typed: str) -> str | None:
    """Return the id that begins so; None if there is none.

    Raises:
        NotIndexedError: several ids begin so.
    """
    if not looks_like_id(typed):
        return None
    found = source.ids_from(typed, _MOST_NAMED + 1)
    if len(found) > 1:
        named = ", ".join(found[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
        raise NotIndexedError(f"Several ids begin with {typed} ({named}); give more digits.")
    return found[0] if found else None


def find_document(source: Source, typed: str) -> tuple[str, list[SectionLink]]:
    """Return a document's path in the index and its sections in reading order; `typed` is its path in either form of Unicode
    (NFC or NFD). For an unknown document it is the path as it is, and no sections."""
    path = typed
    found = source.outlines([path]).get(path)
    if not found and not typed.isascii():  # which has one form alone; reading all paths takes time in a large index
        path = source.documents.spelt(typed)
        found = source.outlines([path]).get(path)
    return path, found or []


def unknown_document(source: Source, typed: str, what: str = "document") -> NotIndexedError:
    """Return the error for what names no document (or `what` else); it names paths like it."""
    paths = [document.path for document in source.documents.all]
    folder = caseless(typed.rstrip("/")) + "/"
    inside = next((path for path in paths if caseless(path).startswith(folder)), None)
    if inside is not None:
        return NotIndexedError(f"{typed[:500]} is a folder; name one of its documents, such as {inside[:500]}.")
    near = did_you_mean(typed, paths) or "; a search shows paths and ids."
    return NotIndexedError(f"There is no {what} {typed[:500]} in the index{near}")


def find_section(source: Source, reference: str) -> SectionLink:
    """Return the section that a reference names: its id or the beginning of it (6 digits or more), path#anchor, or a path
    for the first section of a document.

    Raises:
        NotIndexedError: there is none, or several ids begin so.
    """
    anchor = ""
    path, outline = find_document(source, reference.removeprefix("./"))
    if not outline and (section_id := whole_id(source, reference)) is not None:
        named = source.snapshot_with(section_id)
        if named is not None:
            snapshot, row = named
            path = snapshot.path(row)
            return next(each for each in source.outlines([path])[path] if each.id == section_id)
    if not outline and "#" in path:
        path, _, anchor = path.rpartition("#")
        path, outline = find_document(source, path)
    if not outline:
        raise unknown_document(source, path if anchor else reference, "document" if anchor else "document or section")
    if not anchor:
        return outline[0]
    for fold in (str, caseless):
        found = next((each for each in outline if fold(each.anchor) == fold(anchor)), None)
        if found is not None:
            return found
    near = did_you_mean(anchor, [each.anchor for each in outline if each.anchor])
    raise NotIndexedError(
        f"{path[:500]} has no section with the anchor {anchor[:200]}{near or '; `search outline` shows its sections.'}"
    )
