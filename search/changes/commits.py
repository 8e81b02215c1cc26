"""One version of an index and a commit → the sections that were added, changed or removed since then.

What the index holds is compared with the documents as they were in the commit, by their texts; the files of the working tree
are not read. A file that is not Markdown is compared as a whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping

from indexer.versions import sections_of
from schema.changes import ChangedSection, Changes, by_document, counted
from schema.errors import QueryError
from schema.formats.endings import MARKDOWN, ending_of
from schema.index_files.layout import manifest_path
from schema.index_files.manifest import ManifestContents, read_manifest
from schema.index_files.roots import IndexRoots, innermost
from schema.sections import Section
from schema.status import DIALECTS_KEY, ROOTS_KEY, indexed_roots, noted_dialects
from schema.storage.table import SectionTable
from search.changes.git import Blob, Repository

#: Documents whose sections are read at once.
_PORTION = 100
_Sections = dict[str, Section]


def changes_since_commit(
    table: SectionTable,
    roots: Callable[[Mapping[str, str]], IndexRoots],
    revision: str,
    *,
    allows: Callable[[str], bool],
    limit: int,
    max_bytes: int,
) -> Changes:
    """Return what the index has that a commit has not, and the other way round, in documents that are allowed.

    `roots` gives those of the index by the manifest's metadata. Documents outside of the project are left out. Larger files
    than `max_bytes` are compared as a whole.

    Raises:
        QueryError: git or a repository is missing, or there is no such commit.
    """
    manifest = read_manifest(manifest_path(table.store_dir))
    known = roots(manifest.metadata)
    repository = Repository(known.project)
    commit = repository.commit(revision)
    before = repository.files(commit)
    indexed = {path for path in table.paths() if path.partition("/")[0] not in known.folders and not path.startswith("../")}
    if indexed and not manifest.files:
        raise QueryError("The index does not know the files that it was made of; run `index` once, and ask again.")
    walked = dict.fromkeys(indexed_roots(manifest.metadata.get(ROOTS_KEY)), True)
    gone = [path for path in sorted(before.keys() - indexed) if allows(path) and _was_document(path, walked, known)]
    both = [path for path in sorted(indexed) if allows(path)]
    older = _differing(repository, {path: before[path] for path in (*both, *gone) if path in before}, manifest, max_bytes)
    noted = noted_dialects(manifest.metadata.get(DIALECTS_KEY))

    found: list[ChangedSection] = []
    changed = [path for path in both if path not in before or path in older]
    for start in range(0, len(changed), _PORTION):
        some = changed[start : start + _PORTION]
        now: dict[str, _Sections] = {path: {} for path in some}
        for section in table.sections(some):
            now[section.document_path][section.id] = section
        for path in some:
            data = older.get(path)
            is_split = path in before and data is not None and ending_of(path) in MARKDOWN
            then = _by_id(sections_of(path, data, noted)) if is_split and data is not None else None
            found += _compared(now[path], then, is_new=path not in before)
    for path in gone:
        data = older.get(path)
        found += [ChangedSection.of(one, "removed") for one in (sections_of(path, data, noted) if data is not None else ())]
    documents, omitted = by_document(found, limit=limit)
    return Changes(documents=documents, commit=commit, counts=counted(found), omitted=omitted)


def _was_document(path: str, walked: Mapping[str, bool], roots: IndexRoots) -> bool:
    """Whether a file of the commit is a document that is gone: of a folder that is indexed, and not on the disk."""
    if ending_of(path) not in MARKDOWN or not innermost(path, walked, roots.folders):
        return False
    place = roots.locate(path)
    return place is not None and not place.exists()


def _differing(
    repository: Repository, files: Mapping[str, Blob], manifest: ManifestContents, max_bytes: int
) -> dict[str, bytes | None]:
    """The documents whose bytes were others in the commit, with those bytes; None for those too large to be compared."""
    found: dict[str, bytes | None] = {path: None for path, blob in files.items() if blob.size > max_bytes}
    rest = {path: blob for path, blob in files.items() if blob.size <= max_bytes}
    for path, data in zip(rest, repository.contents(rest.values()), strict=True):
        record = manifest.files.get(path)
        if record is None or record.hash != hashlib.sha256(data).hexdigest():
            found[path] = data
    return found


def _by_id(sections: Iterable[Section]) -> _Sections:
    return {section.id: section for section in sections}


def _compared(now: _Sections, then: _Sections | None, *, is_new: bool) -> list[ChangedSection]:
    """The changes from the sections `then` to those of now; without them, all are new or changed."""
    if then is None:
        return [ChangedSection.of(section, "added" if is_new else "changed") for section in now.values()]
    found = []
    for identity, section in now.items():
        earlier = then.get(identity)
        if earlier is None:
            found.append(ChangedSection.of(section, "added"))
        elif _text(earlier) != _text(section):
            found.append(ChangedSection.of(section, "changed"))
    return [*found, *(ChangedSection.of(section, "removed") for identity, section in then.items() if identity not in now)]


def _text(section: Section) -> str:
    """The text of a section without regard to line ends, which git may change, and to blank lines at its end."""
    return section.content.replace("\r\n", "\n").replace("\r", "\n").rstrip()
