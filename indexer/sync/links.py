"""The table of sections → the file of its links, true to the table after each scan: what changed is read, all are resolved.

Links are read from the sections' contents, which are exact, so that a lost file needs no documents. A failure here is logged
and fails no run, since the index is complete without links; the next scan tries again.
"""

from __future__ import annotations

import bisect
import json
import logging
import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from indexer.dialects.markup import resolved
from indexer.markdown.links import read_links
from indexer.sync.earlier_links import EarlierLinks
from indexer.sync.folder_files import FolderFiles
from indexer.sync.link_targets import LinkTargets, is_external
from schema.errors import IndexStoreError
from schema.index_files.layout import links_path
from schema.index_files.links import DocumentNames, LinkedDocument, LinkFile, NamedAnchor, NamedSection, Resolution
from schema.index_files.roots import ROOT_KEY, IndexRoots, roots_of
from schema.index_files.sqlite import delete_sqlite
from schema.links import Link
from schema.sections import Section, blank_out
from schema.storage import lance
from schema.storage.table import SectionTable
from schema.text.characters import one_line
from schema.text.fields import is_front_matter

_log = logging.getLogger(__name__)

#: Documents that are read from the table and written in one transaction.
_DOCUMENTS = 200
#: Up to so many changed documents only the links of and to these are resolved again, if their names are the same.
_FEW = 100
_LINE_END = re.compile(r"\r\n|\r|\n")
#: Fields of the front matter with addresses of the page on a site.
_ADDRESSES = ("slug", "permalink", "url", "redirect_from", "aliases")


def update_links(table: SectionTable, root: str | None) -> bool:
    """Make the file of links true to the table; `root` is what the manifest says about where documents are.

    False if that failed.
    """
    path = links_path(table.store_dir)
    roots = roots_of(table.store_dir.parent, {ROOT_KEY: root} if root else {}, is_own=True)
    try:
        try:
            _update(table, roots, path)
        except (sqlite3.DatabaseError, ValueError) as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            _log.info("the links %s are damaged (%s) and are read again", one_line(str(path)), one_line(str(error)))
            delete_sqlite(path)
            _update(table, roots, path)
    except (OSError, ValueError, sqlite3.Error, IndexStoreError) as error:
        _log.warning("the links of the index were not brought up to date (%s)", one_line(str(error)))
        return False
    return True


def _update(table: SectionTable, roots: IndexRoots, path: Path) -> None:
    with LinkFile(path, store_id=table.store_id) as file:
        version, known = table.version, file.table_version
        if known == version:
            return
        stored = file.hashes()
        rows = table.contents(["document_path", "document_hash", "id"])
        current = _states(*(rows[name].to_pylist() for name in ("document_path", "document_hash", "id")))
        changed = sorted(path for path, digest in current.items() if stored.get(path) != digest)
        gone = stored.keys() - current.keys()
        is_resolved = known >= 0  # an earlier run may have been killed before
        if is_resolved and not changed and not gone:
            file.resolve([], table_version=version, verdicts=file.verdicts())
            return
        earlier = EarlierLinks(file, changed) if is_resolved and _may_be_few(changed, gone, stored) else None
        for start in range(0, max(len(changed), 1), _DOCUMENTS):
            documents = list(read_documents(table, changed[start : start + _DOCUMENTS]))
            file.replace(documents, gone=() if start else gone)
        if earlier is not None and not earlier.are_named_alike():
            earlier = None
        kept = earlier.kept() if earlier is not None else None
        if kept is not None:
            resolved, verdicts = kept, file.verdicts()
        else:  # the names of all documents are needed
            noted = file.verdicts() if earlier is not None else None
            targets = LinkTargets(dict(file.names()), FolderFiles(roots), verdicts=noted)
            resolved = list(targets.resolve(file.links() if earlier is None else earlier.now().items()))
            verdicts = targets.verdicts
        changes = [new for new, old in resolved if _differs(new, old)]
        file.resolve(changes, table_version=version, verdicts=verdicts)


def _states(paths: Sequence[str], hashes: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
    """Return a text for each document that is another one when its text or its sections are: dialects can change these."""
    numbers: dict[str, int] = {}
    texts: dict[str, str] = {}
    for path, digest, identity in zip(paths, hashes, ids, strict=True):
        numbers[path] = numbers.get(path, 0) ^ int(identity, 16)
        texts[path] = digest
    return {path: f"{digest}:{numbers[path]:x}" for path, digest in texts.items()}


def _may_be_few(changed: Sequence[str], gone: Collection[str], stored: Collection[str]) -> bool:
    """Whether only some documents changed, and none came or went: then other links may lead where they did."""
    return not gone and len(changed) <= _FEW and all(path in stored for path in changed)


def _differs(new: Resolution, old: Link) -> bool:
    return (new.status, new.to_path, new.to_section) != (old.status, old.to_path, old.to_id)


def read_documents(table: SectionTable, paths: Sequence[str]) -> Iterator[LinkedDocument]:
    """Yield the documents with their links, which are not resolved, and their names."""
    if not paths:
        return
    rows = table.retrieval.columns_where(["document_path", "front_matter"], lance.col("document_path").isin(list(paths)))
    front_matters: dict[str, str] = {}
    for path, text in zip(rows["document_path"].to_pylist(), rows["front_matter"].to_pylist(), strict=True):
        front_matters[path] = max(front_matters.get(path, ""), text or "", key=len)  # a long one is with one section alone
    sections: dict[str, list[Section]] = {}
    for section in table.sections(paths):
        sections.setdefault(section.document_path, []).append(section)
    for path, of_document in sections.items():
        yield linked_document(of_document, json.loads(front_matters.get(path) or "{}"))


def linked_document(sections: Sequence[Section], front_matter: Mapping[str, Any]) -> LinkedDocument:
    """Return a document, given by its sections in reading order, with its links and names."""
    first = sections[0]
    path = first.document_path
    found = read_links(
        "".join(section.content for section in sections),
        first_line=first.content_line,
        is_mdx=path.endswith(".mdx"),
        shown="".join(blank_out(s.content, s.hidden) for s in sections) if any(s.hidden for s in sections) else None,
        resolve=lambda name: resolved(name, front_matter),
    )
    starts = [section.content_line for section in sections]

    def holder(line: int) -> Section:
        return sections[max(bisect.bisect_right(starts, line) - 1, 0)]

    places = _places(sections, starts)

    def place(line: int) -> str:
        return places[max(bisect.bisect_right(places, line, key=itemgetter(0)) - 1, 0)][1]

    names = DocumentNames(
        sections=tuple(NamedSection(s.id, s.content_line, s.anchor, s.heading if s.depth else "") for s in sections),
        anchors=tuple(NamedAnchor(anchor.name, anchor.line, anchor.kind) for anchor in found.anchors),
        aliases=tuple(dict.fromkeys(name for name in (*_aliases(front_matter), first.document_title) if name)),
        addresses=_addresses(path, front_matter),
        has_includes=found.has_includes or is_front_matter(first),
    )
    links = tuple(
        Link(
            status="external" if one.kind not in ("wiki", "embed") and is_external(one.target) else "unknown",
            document_path=path,
            section_id=holder(one.line).id,
            line=one.line,
            kind=one.kind,
            target=one.target,
            text=one.text,
            place=place(one.line),
        )
        for one in found.links
    )
    (state,) = _states(*zip(*((path, first.document_hash, section.id) for section in sections), strict=True)).values()
    return LinkedDocument(path, state, names, links)


def _places(sections: Iterable[Section], first_lines: Iterable[int]) -> list[tuple[int, str]]:
    """Return the places of a document, each with the first line that is in it; "" where it was not converted."""
    found = []
    for section, line in zip(sections, first_lines, strict=True):
        marks = section.places() or [(0, "")]
        starts = [0, *(end.end() for end in _LINE_END.finditer(section.content))] if len(marks) > 1 else [0]
        found += [(line + bisect.bisect_left(starts, offset), place) for offset, place in marks]
    return found


def _addresses(path: str, front_matter: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the addresses on a site that the front matter gives a page, without a slash at the ends."""
    folder = path.rpartition("/")[0]
    found: dict[str, None] = {}
    for name in _ADDRESSES:
        for value in _texts(front_matter, name):
            if name == "aliases" and not value.startswith("/"):
                continue  # other names of a note
            address = value.strip("/")
            for base in ("", folder, folder.partition("/")[0]):
                found[f"{base}/{address}".strip("/")] = None
    return tuple(one for one in found if one)


def _aliases(front_matter: Mapping[str, Any]) -> list[str]:
    return [*_texts(front_matter, "aliases"), *_texts(front_matter, "alias"), *_texts(front_matter, "title")[:1]]


def _texts(front_matter: Mapping[str, Any], name: str) -> list[str]:
    value = front_matter.get(name)
    if isinstance(value, str):  # a list in one line; names may hold blanks
        value = value.split(",")
    return [str(one).strip() for one in value if isinstance(one, str | int | float)] if isinstance(value, list) else []
