"""`SearchClient`: a question → the answer as JSON, from the running server of the index or else from this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from schema.commands import print_error
from schema.errors import NotIndexedError
from schema.filters import Filters
from schema.requests import FILTERS, NAMES, OF_A_CONTEXT, SearchRequest, parameters
from schema.settings import Settings
from search.answers.local_server import NoAnswerError, NoServerError, find_server, find_servers, is_served

if TYPE_CHECKING:
    from schema.results import SearchResult, SectionLink, Translation
    from search.answers.service import SearchService

_Value = TypeVar("_Value")
#: Hits that are asked for to find documents: so many for each, and at most as many at once as a server gives.
_HITS_OF_DOCUMENT = 4
_MOST_HITS: int = parameters("limit")[0].value_schema("http")["maximum"]


class Hits(NamedTuple):
    """The results of a request, whether a section answers the question, the phrases and identifiers that none has, and the
    question as it was searched if words of it were misspelt."""

    results: Sequence[SearchResult]
    answered: bool
    not_found: Sequence[str]
    respelt: str


class SearchClient:
    """Answers about the index in `place`; `is_server_asked` allows to ask a server. While `asks_once` is true, this process
    reads no more of the index than one question needs.

    An answer is made by `locally` in this process, or read from the JSON of a server; what `search_json` and the like give
    is that JSON.
    """

    def __init__(self, place: Path, settings: Settings, *, is_server_asked: bool = True) -> None:
        self.place = place
        self._settings = settings
        self._is_server_asked = is_server_asked
        self.asks_once = True
        self._answers: SearchService | None = None

    def search(self, request: SearchRequest) -> Hits:
        """The results of a request, and what is to be said of them."""

        def locally(service: SearchService) -> Hits:
            page = service.engine().answer(request)
            return Hits(page.results, page.answered, service.not_found(request, page), page.respelt)

        def read(answer: dict[str, Any]) -> Hits:
            from search.answers.wire import result_from_json

            results = [result_from_json(result) for result in answer["results"]]
            return Hits(results, answer["answered"], answer.get("phrases_not_found", ()), answer.get("respelt", ""))

        return self._ask("/api/search", _pairs(request), locally, read)

    def search_documents(self, request: SearchRequest) -> tuple[Hits, bool]:
        """What `search` gives, with the best hit of each document, and whether there are more documents; limit and offset of
        the request count documents."""
        end = request.offset + request.limit
        size = min(_HITS_OF_DOCUMENT * (end + 1), _MOST_HITS)
        first = page = self.search(replace(request, offset=0, limit=size))
        best: dict[str, SearchResult] = {}
        start = 0
        while True:
            for hit in page.results:
                best.setdefault(hit.section.document_path, hit)
            if len(page.results) < size or len(best) > end:
                break
            start, size = start + size, 2 * size
            if self._answers is None:  # a server answers, and gives at most so many at once
                size = min(size, _MOST_HITS)
            page = self.search(replace(request, offset=start, limit=size))
        return first._replace(results=list(best.values())[request.offset : end]), len(best) > end

    def search_json(self, request: SearchRequest) -> dict[str, Any]:
        """The JSON of the results of a request."""
        return self._ask("/api/search", _pairs(request), lambda service: service.search(request), _as_it_is)

    def context_json(self, request: SearchRequest, *, max_tokens: int) -> dict[str, Any]:
        """The JSON of a context for a request."""
        pairs = [*_pairs(request, OF_A_CONTEXT), ("max_tokens", str(max_tokens))]
        return self._ask("/api/context", pairs, lambda service: service.context(request, max_tokens=max_tokens), _as_it_is)

    def section(self, section_id: str) -> SearchResult:
        """One section by its id."""

        def read(answer: dict[str, Any]) -> SearchResult:
            from search.answers.wire import result_from_json

            return result_from_json(answer)

        return self._ask(f"/api/sections/{section_id}", (), lambda service: service.find_section(section_id), read)

    def section_json(self, section_id: str) -> dict[str, Any]:
        """The JSON of one section."""
        return self._ask(f"/api/sections/{section_id}", (), lambda service: service.section(section_id), _as_it_is)

    def outline(self, path: str) -> tuple[Sequence[SectionLink], Sequence[Translation], bool]:
        """The sections of a document, the same page in other languages, and whether its file is no longer what was
        indexed."""

        def read(answer: dict[str, Any]) -> tuple[Sequence[SectionLink], Sequence[Translation], bool]:
            from schema.results import Translation
            from search.answers.wire import link_from_json

            links = [link_from_json(link, document_path=answer["document_path"]) for link in answer["sections"]]
            return links, [Translation(**one) for one in answer["other_languages"]], bool(answer["stale"])

        return self._ask("/api/outline", [("path", path)], lambda service: service.find_outline(path), read)

    def outline_json(self, path: str) -> dict[str, Any]:
        """The JSON of a document's sections."""
        return self._ask("/api/outline", [("path", path)], lambda service: service.outline(path), _as_it_is)

    def links_json(self, reference: str) -> dict[str, Any]:
        """The JSON of the links of a section, named by id or path#anchor, or of a document, named by its path; and to it."""
        return self._ask("/api/links", [("section", reference)], lambda service: service.links(reference), _as_it_is)

    def similar(self, reference: str, *, limit: int, filters: Filters) -> Sequence[SearchResult]:
        """The sections most like one."""

        def read(answer: dict[str, Any]) -> Sequence[SearchResult]:
            from search.answers.wire import result_from_json

            return [result_from_json(result) for result in answer["results"]]

        return self._ask(
            "/api/similar",
            _similar_pairs(reference, limit, filters),
            lambda service: service.engine().similar(reference, limit=limit, filters=filters),
            read,
        )

    def similar_json(self, reference: str, *, limit: int, filters: Filters) -> dict[str, Any]:
        """The JSON of the sections most like one."""
        pairs = _similar_pairs(reference, limit, filters)
        return self._ask(
            "/api/similar", pairs, lambda service: service.similar(reference, limit=limit, filters=filters), _as_it_is
        )

    def changes_json(self, since: str | None, *, path: Sequence[str], limit: int) -> dict[str, Any]:
        """The JSON of what changed since a moment, or since the last run that changed something."""
        pairs = [*([] if since is None else [("since", since)]), *(("path", one) for one in path), ("limit", str(limit))]
        return self._ask("/api/changes", pairs, lambda service: service.changes(since, path=path, limit=limit), _as_it_is)

    def changes_since_commit(self, revision: str, *, path: Sequence[str], limit: int) -> dict[str, Any]:
        """The JSON of what changed since a commit, which no server is asked for."""
        return self._own().changes(since_commit=revision, path=path, limit=limit)

    def documents(self) -> list[str]:
        """The paths of all documents."""
        return self._ask(
            "/api/documents",
            (),
            lambda service: [document.path for document in service.engine().documents()],
            lambda answer: [document["path"] for document in answer["documents"]],
        )

    def tags(self) -> list[str]:
        """The tags of all documents, each once."""
        found = self._ask(
            "/api/documents",
            (),
            lambda service: [tag for document in service.engine().documents() for tag in document.tags],
            lambda answer: [tag for document in answer["documents"] for tag in document["tags"]],
        )
        return list(dict.fromkeys(found))

    def meant(self, paths: Sequence[str]) -> tuple[str, Sequence[SectionLink]]:
        """The first of these paths, at least one, that is a document's, and the document's sections.

        Raises:
            NotIndexedError: none of them is.
        """
        refused = []
        for path in paths:
            try:
                return path, self.outline(path)[0]
            except NotIndexedError as error:
                refused.append(error)
        raise next((error for error in refused if "did you mean" in str(error)), refused[0])

    def _ask(
        self,
        path: str,
        parameters: Sequence[tuple[str, str]],
        locally: Callable[[SearchService], _Value],
        read: Callable[[dict[str, Any]], _Value],
    ) -> _Value:
        """What `read` makes of a server's answer to GET `path` with these parameters, or what `locally` gives."""
        may_ask = self._is_server_asked and self._answers is None
        for server in find_servers(self.place, self._settings) if may_ask else ():
            try:
                answer = server.ask(path, parameters, token=self._settings.server_token)
            except NoAnswerError:
                break
            except NoServerError:
                continue
            return read(json.loads(answer))
        return locally(self._own())

    def server_address(self) -> str | None:
        """The address of the page of a running server of the index; None without one."""
        server = find_server(self.place, self._settings)
        return None if server is None else server.url

    def keep_warm(self) -> None:
        """Leave a server behind that ends itself after idling, if the settings say so and this process had to answer."""
        is_wanted = self._settings.keep_warm and self._is_server_asked and self._answers is not None
        if not is_wanted or is_served(self.place):  # one that is busy, or has other settings
            return
        import importlib.util
        import subprocess

        if importlib.util.find_spec("fastapi") is None:
            print_error("search", "keep_warm needs the extra `server`: install sectionary[server] with pip.")
            return

        # -P: nothing in the working folder is taken for one of our modules
        command = [sys.executable, "-P", "-m", "search", "serve", "--quiet", "--port", "0"]
        command += ["--index", str(self.place.resolve()), "--model", self._settings.model]
        if self._settings.reranker:
            command += ["--reranker", self._settings.reranker]
        subprocess.Popen(
            [*command, "--idle", str(self._settings.keep_warm)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def _own(self) -> SearchService:
        if self._answers is None:
            from search.answers.service import SearchService

            self._answers = SearchService(self.place, settings=self._settings, asks_once=self.asks_once)
        return self._answers


def _as_it_is(answer: dict[str, Any]) -> dict[str, Any]:
    return answer


def _similar_pairs(reference: str, limit: int, filters: Filters) -> list[tuple[str, str]]:
    """A section, a limit and filters, as HTTP takes them."""
    request = SearchRequest(query="-", filters=filters)
    return [("section", reference), ("limit", str(limit)), *_pairs(request, FILTERS)[1:]]


def _pairs(request: SearchRequest, names: Sequence[str] = NAMES) -> list[tuple[str, str]]:
    """The query and the parameters with these names, as HTTP takes them; what has its default is left out."""
    pairs = [("q", request.query)]
    for parameter in parameters(*names):
        value = getattr(request.filters if parameter.name in FILTERS else request, parameter.name)
        values = value if parameter.most > 1 else [] if value == parameter.default_at("http") else [value]
        pairs.extend((parameter.outer_name, _text(one)) for one in values)
    return pairs


def _text(value: Any) -> str:
    """One value of a parameter, as HTTP takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    return "=".join(value) if isinstance(value, tuple) else str(value)
