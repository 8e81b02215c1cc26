"""What a user types for a section → the section: its id or the beginning of it, path#anchor, path:line, or a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from schema.errors import NotIndexedError
from schema.results import SectionLink
from schema.sections import LINES_BEHIND, looks_like_id
from schema.text.names import caseless
from search.context.advice import did_you_mean
from search.sources.base import Source

#: Gives the id of the section of a document that holds an anchor which is no section's own, and the line of the anchor.
HolderOf: TypeAlias = Callable[[str, str], tuple[str, int] | None]

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


def find_place(source: Source, reference: str, holder_of: HolderOf) -> tuple[SectionLink, int | None]:
    """Return the section that a reference names: its id or the beginning of it (6 digits or more), path#anchor, path:line, a
    citation as answers show it, or a path for the first section of a document; and the line of the file (1-based) that it
    names, or at which the part begins whose anchor it names, None for the section itself.

    Raises:
        NotIndexedError: there is none, or several ids begin so.
    """
    path, outline = find_document(source, reference.removeprefix("./"))
    if outline:
        return outline[0], None
    if (section_id := whole_id(source, reference)) is not None and (named := source.snapshot_with(section_id)) is not None:
        snapshot, row = named
        path = snapshot.path(row)
        return next(each for each in source.outlines([path])[path] if each.id == section_id), None
    place = path[1:-1] if path.startswith("[") and path.endswith("]") else path
    lines = LINES_BEHIND.search(place)
    line = int(lines[1]) if lines else None
    for typed in (place, *([place[: lines.start()]] if lines else [])):
        path, outline = find_document(source, typed)
        if outline:
            if line is not None and line > outline[-1].end_line:
                raise NotIndexedError(
                    f"{path[:500]} has no line {line:,} in the index: it ends at {outline[-1].end_line:,}."
                )
            return _at_line(outline, line or 1), line
        path, mark, anchor = typed.rpartition("#")
        path, outline = find_document(source, path) if mark else (typed, [])
        if found := with_anchor(outline, anchor):
            return found, line if line is not None and found.start_line <= line <= found.end_line else None
        held = holder_of(outline[0].document_path, anchor) if outline else None
        found = next((each for each in outline if held is not None and each.id == held[0]), None)
        if found is not None and held is not None:
            return found, line if line is not None and found.start_line <= line <= found.end_line else held[1]
    if not outline:
        raise unknown_document(source, path if mark else reference, "document" if mark else "document or section")
    near = did_you_mean(anchor, [each.anchor for each in outline if each.anchor])
    raise NotIndexedError(
        f"{path[:500]} has no section with the anchor {anchor[:200]}{near or '; its outline shows its sections.'}"
    )


def with_anchor(outline: Sequence[SectionLink], anchor: str) -> SectionLink | None:
    """The section with an anchor, or else with one that differs from it in case alone; None for none."""
    for fold in (str, caseless):
        found = next((each for each in outline if fold(each.anchor) == fold(anchor)), None)
        if found is not None:
            return found
    return None


def _at_line(outline: list[SectionLink], line: int) -> SectionLink:
    """Return the section of a document that holds a line, 1-based; the first one for a line before all."""
    return next((each for each in reversed(outline) if each.start_line <= line), outline[0])
