"""`SearchEngine`: a question → the sections that answer it, best first, each with its place in its document."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from indexer.models.loading import embedder_of
from indexer.tokens import TokenCounter
from schema import arguments
from schema.clock import days_of
from schema.errors import EmbeddingServerError
from schema.filters import Filters
from schema.kept import kept_settings
from schema.protocols import Embedder, Reranker
from schema.remote.folders import index_place, project_of
from schema.requests import Mode, SearchRequest
from schema.result_list import Results
from schema.results import ContextPack, ResultPage, SearchResult
from schema.settings import Settings, load_settings
from schema.tracing import search_attributes, traced
from search.context.context_pack import build_context
from search.context.hits import hits_of, sections_at, shown_at
from search.context.links import LinkReader
from search.context.requirements import best_of_parts
from search.exploring import Exploring
from search.index.snapshot import IndexSnapshot
from search.ordering import ordered
from search.query_vectors import QueryEmbedder
from search.ranking.folding import current_first, folded
from search.ranking.rank import Ranked, Ranking
from search.ranking.recency import prefer_recent
from search.ranking.relevance import Relevance
from search.ranking.rerank import CrossEncoderReranker, reranked
from search.sources.base import FIRST_ROWS, Question, Source, sizes_in
from search.sources.freshness import DocumentDates, changed_at
from search.sources.reader import IndexReader
from search.sources.signs import places_of_signs, sections_with_signs

_log = logging.getLogger(__name__)
#: Sections that are offered to a context pack.
PACK_HITS = 50
#: Hits of the whole ranking of which one has to answer the question.
FIRST_HITS = 3


class SearchEngine(Exploring):
    """Searches the index in `index_dir`, a folder or an address as `s3://bucket/prefix`.

    One engine may be used for many queries and by many threads at once; it follows updates of the index.
    `with SearchEngine(…) as engine` closes it in the end, and so does `close`.

    Settings come from the project's settings file unless given; the embedder must be the one the index was made with.
    The newest version of the index is held in memory and read again when it changed; every answer is from one version.
    With `once`, for a process that asks a question or two, an index of 1,000 sections or more is not held: it is open in a
    moment and in little memory, and each question takes longer. (One of 20,000 or more is never held.)

    Raises:
        IndexNotFoundError, IndexIncompatibleError, IndexDamagedError: the index cannot be searched; each says what to do.
        ArgumentError: an argument of this or of a method is of the wrong type or out of its range.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        once: bool = False,
    ) -> None:
        check_parts(settings, embedder, reranker)
        cache_dir = settings.cache_dir if settings is not None else ""
        self._index_dir = index_place(arguments.path("index_dir", index_dir), cache_dir=cache_dir).resolve()
        self._settings = settings or load_settings(
            project_of(self._index_dir), environ={}, kept=kept_settings(self._index_dir)
        )
        embedder = embedder or embedder_of(self._settings)
        if reranker is None and self._settings.reranker:
            reranker = CrossEncoderReranker(self._settings.reranker, device=self._settings.device)
        self._reranker = reranker
        self._tokens = TokenCounter(self._settings.token_encoding)
        expected = {"model": embedder.name, "token_encoding": self._settings.token_encoding}
        self._reader = IndexReader(self._index_dir, expected=expected, once=arguments.flag("once", once))
        self._links = LinkReader(self._reader.table)
        self._asking = QueryEmbedder(
            embedder,
            dense_weight=self._settings.dense_weight,
            check=lambda dimension: self._reader.table().require_dimension(dimension),
            place=self._tokens.place,
        )
        self._dates = DocumentDates(self._index_dir)
        self._changes = DocumentDates(self._index_dir, changed_at)

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        mode: Mode = "hybrid",
        filters: Filters | Mapping[str, Any] | None = None,
        fold: bool = False,
        prefer_own_language: bool | None = None,
        prefer_recent: str | None = None,
        literal: bool = False,
    ) -> Results:
        """The sections `offset`..`offset + limit` of the ranking, best first, as a list; fewer or none if no more match.

        Misspelt words are read as sections have them, except by the mode lexical and in "quotes": words in these must
        stand so in a section, unless none has them. The query may have fields and exclusions
        such as `path:guide/ -draft` (`schema.query_language`), unless it is `literal`; fields alone list the sections that
        they allow, those of the documents that were modified last first. `filters` is `Filters` or a mapping such as
        `{"path": "docs/guide/", "depth": [1, 2], "tags": "api", "fields": {"status": "draft"}, "since": "7d"}`. With
        `fold`, sections that say nearly the same as a better one stand in its `similar` and not in the list.
        `prefer_own_language` (by default the setting of that name): sections in the query's language stand before others
        that answer about as well. `prefer_recent` (by default the setting `recency_half_life`): newer documents do, with
        this half-life, such as "90d".

        Raises:
            QueryError: the query is blank, or a filter makes no sense.
        """
        page = self.page(
            query,
            limit=limit,
            offset=offset,
            mode=mode,
            filters=filters,
            fold=fold,
            prefer_own_language=prefer_own_language,
            prefer_recent=prefer_recent,
            literal=literal,
        )
        return Results(page.results)

    def page(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        mode: Mode = "hybrid",
        filters: Filters | Mapping[str, Any] | None = None,
        fold: bool = True,
        min_relevance: float | None = None,
        prefer_own_language: bool | None = None,
        prefer_recent: str | None = None,
        literal: bool = False,
    ) -> ResultPage:
        """What `search` gives, and whether any section answers the question: whether one of the first hits of the ranking
        reaches `min_relevance`, 0..1 (by default the setting of that name).

        Raises:
            QueryError: the query is blank, or a filter makes no sense.
        """
        return self.answer(
            SearchRequest(
                query=query,
                mode=mode,
                filters=Filters.of(filters),
                limit=limit,
                offset=offset,
                fold=fold,
                min_relevance=min_relevance,
                prefer_own_language=prefer_own_language,
                prefer_recent=prefer_recent,
                literal=literal,
            )
        )

    @traced("search", lambda page, self, request: search_attributes(page, request, shows_query=self._settings.trace_queries))
    def answer(self, request: SearchRequest) -> ResultPage:
        """Return what `page` gives for the same values."""
        arguments.instance("request", request, SearchRequest)
        least = self._settings.min_relevance if request.min_relevance is None else request.min_relevance
        parsed = request.parsed
        if not parsed.words:
            return self.read(lambda newest: self._listing(newest, parsed.filters, request, least))
        if parsed.is_of_signs:
            page = self.read(lambda newest: self._of_signs(newest, parsed.words, parsed.filters, request, least))
            if page is not None:
                return page
        question = self.read(lambda newest: self._question(newest, request))
        # the newest, whatever was written while the model was loaded
        return self.read(lambda newest: self._answer(newest, question, least))

    def _question(self, source: Source, request: SearchRequest) -> Question:
        """What a request asks for, its words as a version of the index has them, with the query's vectors."""
        mode, parsed = request.mode, request.parsed
        asked = self._asking.query_of(parsed.words, mode, source)
        try:
            vector, weight = self._asking.vectors_of(asked.for_model or asked.text, mode, source)
        except EmbeddingServerError as error:
            if mode == "dense":
                raise
            _log.warning("%s This answer is by words alone.", error)
            vector, weight = None, 0.0
        prefers = self._settings.prefer_own_language if request.prefer_own_language is None else request.prefer_own_language
        recency = self._settings.recency_half_life if request.prefer_recent is None else request.prefer_recent
        return Question(
            asked,
            vector,
            weight,
            parsed.filters,
            mode,
            request.limit,
            request.offset,
            fold=request.fold,
            prefers=prefers,
            half_life=days_of(recency),
        )

    def _answer(self, source: Source, question: Question, least: float) -> ResultPage:
        asked, vector, limit, offset = question.asked, question.vector, question.limit, question.offset
        snapshot, relevance, ranking = self._ranked(source, question)
        order = ranking.order.tolist()
        depth = 0 if self._reranker is None else self._settings.rerank_depth
        wanted = max(offset + limit, depth, FIRST_HITS)  # the verdict is the same for every limit
        most = None if source.is_whole else FIRST_ROWS
        groups = folded(snapshot.inverted, order[:most], wanted, fold=question.fold, sizes=sizes_in(source, snapshot))
        first = max(relevance.of([group.row for group in groups[:FIRST_HITS]]), default=0.0)
        if question.half_life:  # after that, since age must not decide whether a section answers
            ranking = self._recent(snapshot, ranking, question)
            order = ranking.order.tolist()
            groups = folded(snapshot.inverted, order[:most], wanted, fold=question.fold, sizes=sizes_in(source, snapshot))
        if len(groups) < wanted and len(order) > len(order[:most]):
            # a later page: what stands first stays as it is, and more sections are ranked for the rest
            after = snapshot.keys[order[:most]].tolist()
            snapshot, relevance, ranking = self._ranked(source, replace(question, after=tuple(after)))
            ranking = self._recent(snapshot, ranking, question)
            rows = {key: row for row, key in enumerate(snapshot.keys.tolist())}
            order = list(dict.fromkeys([*(rows[key] for key in after), *ranking.order.tolist()]))
            groups = folded(snapshot.inverted, order, wanted, fold=question.fold, sizes=sizes_in(source, snapshot))
        if self._reranker is None:
            groups = groups[offset : offset + limit]
        documents = {row: snapshot.path(row) for group in groups for row in group.rows}
        states = self.states(sorted(set(documents.values())))
        groups = current_first(groups, {row for row, path in documents.items() if path in states.stale})
        ranked = ranking.at([group.row for group in groups])
        if self._reranker is not None:
            sections = sections_at(source, snapshot, [hit.row for hit in ranked[:depth]])
            ranked = reranked(self._reranker, asked.text, ranked, sections)[offset : offset + limit]
        hits = hits_of(
            source,
            snapshot,
            ranked,
            states=lambda _: states,
            weights=ranking.weights,
            vector=vector,
            query=asked.text,
            others={group.row: group.others for group in groups},
        )
        lacking = {
            hit.section.id for hit in hits if vector is not None and self._asking.lacks_vector(hit.section, question.mode)
        }
        relevant = relevance.of([hit.row for hit in ranked])
        results = [
            replace(hit, relevance=value, is_pending=hit.section.id in lacking)
            for hit, value in zip(hits, relevant, strict=True)
        ]
        respelt = asked.text if asked.typed else ""
        return ResultPage(results=tuple(self._completed(results)), relevance=first, min_relevance=least, respelt=respelt)

    def _ranked(self, source: Source, question: Question) -> tuple[IndexSnapshot, Relevance, Ranking]:
        """The candidates, how likely each answers, and their ranking, where age does not count yet."""
        snapshot, allowed = source.candidates(question, self._files())
        relevance, ranking = ordered(
            source, snapshot, question, allowed=allowed, links=self._links, model=self._asking.embedder.name
        )
        return snapshot, relevance, ranking

    def _recent(self, snapshot: IndexSnapshot, ranking: Ranking, question: Question) -> Ranking:
        """The ranking with recent documents preferred, if the question asks for it."""
        return prefer_recent(ranking, self._dates.ages(snapshot), question.half_life) if question.half_life else ranking

    def _listing(self, source: Source, where: Filters, request: SearchRequest, least: float) -> ResultPage:
        """The sections that filters allow, of the documents that were modified last first, then by path and place."""
        paths, keys = source.listing(where, self._files())
        times = self._changes.of(list(dict.fromkeys(paths)))
        order = sorted(range(len(keys)), key=lambda index: -times.get(paths[index], 0.0))
        snapshot, rows = source.snapshot_of([keys[i] for i in order[request.offset : request.offset + request.limit]])
        hits = hits_of(source, snapshot, [Ranked(row, 0.0, {}, {}) for row in rows], states=self.states)
        results = self._completed([replace(hit, relevance=1.0) for hit in hits])
        return ResultPage(results=tuple(results), relevance=float(bool(keys)), min_relevance=least)

    def _of_signs(
        self, source: Source, signs: str, where: Filters, request: SearchRequest, least: float
    ) -> ResultPage | None:
        """The sections that have each of the signs of a query; None for a large index, which is searched by vectors."""
        found = sections_with_signs(source, signs, source.listing(where, self._files())[1])
        if found is None:
            return None
        keys = list(found)[request.offset : request.offset + request.limit]
        snapshot, rows = source.snapshot_of(keys)
        ranked = [Ranked(row, found[key], {}, {}) for key, row in zip(keys, rows, strict=True)]
        hits = [
            shown_at(hit, places_of_signs(hit.section.text, signs))
            for hit in hits_of(source, snapshot, ranked, states=self.states)
        ]
        results = self._completed([replace(hit, relevance=hit.score) for hit in hits])
        return ResultPage(results=tuple(results), relevance=max(found.values(), default=0.0), min_relevance=least)

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 2000,
        mode: Mode = "hybrid",
        filters: Filters | Mapping[str, Any] | None = None,
        literal: bool = False,
    ) -> ContextPack:
        """The best passages for a query within `max_tokens` tokens (as the index counts them), with citations.

        Raises:
            QueryError: the query is blank, or a filter makes no sense.
        """
        arguments.whole("max_tokens", max_tokens, least=1)
        request = SearchRequest(query=query, mode=mode, filters=Filters.of(filters), limit=PACK_HITS, literal=literal)
        return self.context_of(self.answer(request), max_tokens=max_tokens, parts=self.answer_parts(request))

    def context_of(self, page: ResultPage, *, max_tokens: int, parts: Sequence[SearchResult] = ()) -> ContextPack:
        """The context of hits that were found before, as `context` makes it of the first 50, and of `parts`, the best
        sections for several things that were asked for.

        Raises:
            ArgumentError: an argument is of the wrong kind.
        """
        arguments.instance("page", page, ResultPage)
        arguments.whole("max_tokens", max_tokens, least=1)
        hits, counter = page.results, self._tokens
        return build_context(hits, max_tokens=max_tokens, counter=counter, answered=page.answered, parts=parts)

    def answer_parts(self, request: SearchRequest) -> tuple[SearchResult, ...]:
        """The best section for each of several things that a query lists ("read a file, hash it and write the result"), if
        one answers it; none for a query that asks for one thing."""
        arguments.instance("request", request, SearchRequest)
        return best_of_parts(self.answer, request)

    @property
    def window_tokens(self) -> int:
        """Most tokens of a text that the embedding model reads at once, in its own tokens."""
        return self._asking.embedder.max_tokens

    def prepare(self) -> None:
        """Read the newest version of the index and load the model of queries, which the first search would do."""
        source = self.source()
        with contextlib.suppress(EmbeddingServerError):  # the first search tells it
            self._asking.prepare()
        if self._reranker is not None:
            self._reranker.rerank("a first question", [each.section for each in source.found(source.first_keys(1))])

    def _release(self) -> None:
        self._links.close()

    def _shown(self) -> str:
        return f"SearchEngine({str(self._index_dir)!r})"


def check_parts(settings: Settings | None, embedder: Embedder | None, reranker: Reranker | None) -> None:
    """Refuse what an engine cannot be made with; None is left to the settings.

    Raises:
        ArgumentError: naming the argument, its value and what it takes.
    """
    if settings is not None:
        arguments.instance("settings", settings, Settings)
        settings.check()
    if embedder is not None:
        arguments.offers("embedder", embedder, "embed_query", "coverage")
    if reranker is not None:
        arguments.offers("reranker", reranker, "rerank")
