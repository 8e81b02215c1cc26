"""`SearchService`: what readers ask of one index → the one JSON form; the command, HTTP and MCP all ask here.

The index is opened at the first question and need not be there before; threads may ask at once. Refuses what an index does
not have with `NotIndexedError`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schema.errors import NotIndexedError
from schema.filters import Filters
from schema.protocols import Embedder, Reranker
from schema.remote.folders import remote_of
from schema.requests import SearchRequest
from schema.results import ResultPage, SearchResult, SectionLink, Translation
from schema.sections import Section
from schema.settings import Settings
from schema.text.names import composed
from search.answers.changes_wire import changes_to_json, similar_to_json
from search.answers.document_files import editor_address
from search.answers.links_wire import document_links_to_json, links_to_json
from search.answers.paths import line_to_open
from search.answers.wire import (
    documents_to_json,
    editor_to_json,
    outline_to_json,
    overview_to_json,
    pack_to_json,
    search_to_json,
    section_to_json,
    sections_to_json,
    status_to_json,
)
from search.context.advice import EMPTY_INDEX, emptied_by, not_found, past_the_end, reading_told
from search.context.includes import Includes, included_texts
from search.context.properties import properties_of
from search.context.references import find_document, unknown_document
from search.engine import PACK_HITS, SearchEngine
from search.overview import overview
from search.sources.base import Source

#: References that name nothing, of which an answer tells, at most.
_MOST_UNKNOWN = 3
_NO_ROOM = "So few tokens have no room for any text: ask for more."


class SearchService:
    """Answers about the index in `index_dir`, as JSON objects (see `search.answers.wire`).

    Every method raises `IndexStoreError` while there is no index that can be searched, and goes on when there is one.
    """

    def __init__(
        self,
        index_dir: Path,
        *,
        settings: Settings,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        asks_once: bool = False,
    ) -> None:
        self.index_dir = index_dir.resolve()
        self._settings = settings
        self._embedder = embedder
        self._reranker = reranker
        self._asks_once = asks_once
        #: Called with the seconds that each search, and the search for a context, took, and whether a section answered.
        self.on_search: Callable[[float, bool], None] | None = None
        #: When the last search, or search for a context, ended (seconds of `time.monotonic`).
        self.last_asked = -math.inf
        self._engine: SearchEngine | None = None
        self._opening = threading.Lock()

    def search(self, request: SearchRequest) -> dict[str, Any]:
        """The best sections."""
        engine = self.engine()
        started = time.perf_counter()
        page = engine.answer(request)
        took = time.perf_counter() - started
        self._note(took, page.answered)
        answer = search_to_json(request.query, request.mode, page, took_ms=took * 1000)
        texts = self.not_found(request, page)
        told = {"words_left_out": request.parsed.guessed, "phrases_not_found": texts}
        advised = _advised(answer, request, texts, page.respelt)
        if not page.results and (emptied := self.emptied(request) or past_the_end(request.offset)):
            advised["advice"] = " ".join(filter(None, [emptied, advised.get("advice")]))
        return advised | {name: list(words) for name, words in told.items() if words}

    def emptied(self, request: SearchRequest) -> str:
        """The sentence for a request without results if the index is empty, or if its filters left nothing of what was
        found; "" for another one."""
        if not self.engine().documents():
            return EMPTY_INDEX
        filters = request.parsed.filters
        if not filters or request.offset or not self._finds_without_filters(request):
            return ""
        documents = self.engine().documents()
        tags = (tag for document in documents for tag in document.tags)
        given = {name: getattr(request.filters, name) for name in request.filters.set_names}
        told = emptied_by(request.told_filters(given), (document.path for document in documents), tags)
        roots = [name for each in filters.parts for name in each.root]
        return f"{told} {self.engine().roots().unknown(roots)}".rstrip()

    def not_found(self, request: SearchRequest, page: ResultPage) -> tuple[str, ...]:
        """The phrases and identifiers of a request that no section has as they are written."""
        return not_found(
            page.respelt or request.parsed.words,
            page.results,
            lambda term: self.engine().read(lambda source: source.holds(term)),
        )

    def _note(self, seconds: float, answered: bool) -> None:
        self.last_asked = time.monotonic()
        if self.on_search is not None:
            self.on_search(seconds, answered)

    def section(self, section_id: str) -> dict[str, Any]:
        """One section by its id, with the lines of files that it includes."""
        return self.with_included(self.find_section(section_id))

    def with_included(self, found: SearchResult) -> dict[str, Any]:
        """The record of one section with the lines of files that it includes."""
        answer = section_to_json(found)
        included = included_texts(found.section, Includes(self.index_dir))
        return {**answer, "included": [{"written": one, "text": text} for one, text in included]} if included else answer

    def find_section(self, section_id: str) -> SearchResult:
        """The record of one section by its id."""
        found = self.engine().get_section(section_id)
        if found is None:
            raise NotIndexedError(
                f"There is no section {section_id[:100]} in the index; a search shows ids (on the command line with --ids)."
            )
        return found

    def place_of(self, reference: str) -> tuple[str, int | None]:
        """The id of the section that path#anchor, path:line or a citation names, or of the first one of the document with
        this path; and the line (1-based) that it names inside of the section, None for none."""
        engine = self.engine()
        link, line = engine.read(lambda source: engine.resolve_place(source, reference))
        return link.id, line

    def is_document(self, path: str) -> bool:
        """Whether the index has a document with this path."""
        return bool(self.engine().outline(path))

    def sections(self, references: Sequence[str]) -> dict[str, Any]:
        """The texts of several sections, each named by its id, path#anchor or path (all sections of that document).

        Documents stand in the order in which they were first named, the sections of each in reading order, none twice.
        `advice` tells which references name nothing, unless none names anything, which is an error.
        """
        unknown: list[str] = []
        named = self.engine().resolve
        found = self._read(lambda source: _sections(source, references, named, unknown))
        return {**found, "advice": " ".join(unknown[:_MOST_UNKNOWN])} if unknown else found

    def document(self, document_path: str) -> dict[str, Any]:
        """The texts of all sections of a document, in reading order, in the form of `sections`."""

        def read(source: Source) -> list[Section]:
            path, links = find_document(source, document_path)
            if not links:
                raise self.unknown_document(document_path)
            return source.sections_of(path)

        return self._read(read)

    def _read(self, what: Callable[[Source], list[Section]]) -> dict[str, Any]:
        def read(source: Source) -> tuple[list[Section], dict[str, Mapping[str, str]]]:
            found = what(source)
            firsts = (section.id for section in found if section.position == 0)
            return found, {section_id: properties_of(source, section_id) for section_id in firsts}

        found, told = self.engine().read(read)
        now = self.engine().states(sorted({section.document_path for section in found}))
        return sections_to_json(found, now.stale, told)

    def outline(self, document_path: str) -> dict[str, Any]:
        """The sections of a document, by its path in the index, and the same page in other languages."""
        links, others, is_stale = self.find_outline(document_path)
        return outline_to_json(links, others, stale=is_stale)

    def find_outline(self, document_path: str) -> tuple[list[SectionLink], list[Translation], bool]:
        """The records that `outline` makes JSON of, and whether the file is no longer what was indexed."""
        links, others = self.engine().read(
            lambda version: (
                find_document(version, document_path)[1],
                version.documents.translations(document_path),
            )
        )
        if not links:
            raise self.unknown_document(document_path)
        path = links[0].document_path
        return links, others, path in self.engine().states([path]).stale

    def unknown_document(self, document_path: str) -> NotIndexedError:
        """The error for a path that is no document's; it names paths like it."""
        return self.engine().read(lambda source: unknown_document(source, document_path))

    def links(self, reference: str) -> dict[str, Any]:
        """The links of a section (its id or path#anchor) or of a whole document (its path), and those to it."""
        engine = self.engine()
        path, sections = engine.read(lambda source: find_document(source, reference.removeprefix("./")))
        if sections:
            return document_links_to_json(*engine.document_links(path))
        return links_to_json(*engine.section_links(reference))

    def similar(self, reference: str, *, limit: int = 10, filters: Filters | None = None) -> dict[str, Any]:
        """The sections most like one; `reference` is its id, path#anchor or path."""
        engine = self.engine()
        section = engine.read(lambda source: engine.resolve(source, reference))
        return similar_to_json(section, engine.similar(section.id, limit=limit, filters=filters))

    def changes(
        self,
        since: str | None = None,
        *,
        since_commit: str | None = None,
        path: Sequence[str] = (),
        limit: int = 100,
    ) -> dict[str, Any]:
        """What changed since a moment, the last run that changed something, or a commit; see `SearchEngine.changes`."""
        return changes_to_json(self.engine().changes(since, since_commit=since_commit, path=path, limit=limit))

    def editor(self, reference: str, line: int | None = None) -> dict[str, Any]:
        """The address that opens a section in an editor on this machine, at its first line or at `line`; "" without one.

        Nobody on another machine may learn it, since it has the path of the file.
        """
        engine = self.engine()
        link = engine.read(lambda source: engine.resolve(source, reference))
        line = line_to_open(link.place, line or link.start_line) or 1
        return editor_to_json(editor_address(self.index_dir, link.document_path, line))

    def documents(self) -> dict[str, Any]:
        """Every document that has a section, by path."""
        return documents_to_json(self.engine().documents())

    def context(self, request: SearchRequest, *, max_tokens: int = 2000) -> dict[str, Any]:
        """The best passages within a token budget, by the request's query, mode and filters; see `SearchEngine.context`."""
        return self.contexts(request)(max_tokens)

    def contexts(self, request: SearchRequest) -> Callable[[int], dict[str, Any]]:
        """Rank once, and return what gives the context of so many tokens, for a door that must try several."""
        engine, started = self.engine(), time.perf_counter()
        page = engine.answer(replace(request, limit=PACK_HITS))
        parts = engine.answer_parts(request)
        self._note(time.perf_counter() - started, page.answered or bool(parts))
        texts = self.not_found(request, page)
        return lambda max_tokens: _advised(
            pack_to_json(request.query, engine.context_of(page, max_tokens=max_tokens, parts=parts)),
            request,
            texts,
            page.respelt,
        )

    def _finds_without_filters(self, request: SearchRequest) -> bool:
        """Whether the words of a request find a section where its filters do not hold; no question of a user's own."""
        return bool(self.engine().answer(request.without_filters()).results)

    def status(self) -> dict[str, Any]:
        """What the index holds and how true it is; needs no model and reads every file's times."""
        from schema.status import read_status

        return status_to_json(read_status(self.index_dir))

    def overview(self) -> dict[str, Any]:
        """How the index's sections are made: sizes, the largest, near-duplicates."""
        return overview_to_json(overview(self.engine()))

    def engine(self) -> SearchEngine:
        """The engine over the index, opened when it is first asked for."""
        with self._opening:
            if self._engine is None:
                self._engine = SearchEngine(
                    self.index_dir,
                    settings=self._settings,
                    embedder=self._embedder,
                    reranker=self._reranker,
                    once=self._asks_once,
                )
            return self._engine

    def follow(self) -> None:
        """Read the newest version of the index if an earlier one was read; none of an object store, which costs requests."""
        if self._engine is not None and remote_of(self.index_dir) is None:
            self._engine.source()

    def prepare(self) -> None:
        """Load what the first question would wait for: the newest version of the index, and the model of queries."""
        self.engine().prepare()


def _advised(answer: dict[str, Any], request: SearchRequest, not_found: Sequence[str], respelt: str) -> dict[str, Any]:
    """Return an answer with `advice` if something is to be said of how its query was read."""
    told = reading_told(request.parsed, not_found, respelt)
    if not answer.get("text", " ") and answer["left_out"]:
        told = f"{told} {_NO_ROOM}".lstrip()
    return {**answer, "advice": told} if told else answer


def _sections(
    source: Source, references: Sequence[str], named: Callable[[Source, str], SectionLink], unknown: list[str]
) -> list[Section]:
    """Return the sections that references name, which `named` finds; a sentence on each that names nothing is added to
    `unknown`.

    Raises:
        NotIndexedError: none of them names anything.
    """
    wanted: dict[str, set[str] | None] = {}  # ids by path, None for a whole document
    unknown.clear()
    for reference in references:
        try:
            link = named(source, reference)
        except NotIndexedError as error:
            unknown.append(str(error))
            continue
        path = link.document_path
        if composed(reference.removeprefix("./")) == composed(path):
            wanted[path] = None
        elif (ids := wanted.setdefault(path, set())) is not None:
            ids.add(link.id)
    if not wanted:
        raise NotIndexedError(unknown[0])
    return [
        section for path, ids in wanted.items() for section in source.sections_of(path) if ids is None or section.id in ids
    ]
