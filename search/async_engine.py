"""`AsyncSearchEngine`: the methods of `SearchEngine` for an event loop, which goes on while threads do the work."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from schema import arguments
from schema.errors import ClosedError
from schema.protocols import Embedder, Reranker
from schema.settings import Settings
from search.engine import SearchEngine, check_parts

_P = ParamSpec("_P")
_T = TypeVar("_T")
#: Searches that run at the same time unless told otherwise; more of them wait. One search uses several cores by itself.
_THREADS = 4


def _awaited(
    method: Callable[Concatenate[SearchEngine, _P], _T],
) -> Callable[Concatenate[AsyncSearchEngine, _P], Coroutine[Any, Any, _T]]:
    """Return a method of `SearchEngine` as one that is awaited."""

    @functools.wraps(method)
    async def run(self: AsyncSearchEngine, /, *args: _P.args, **given: _P.kwargs) -> _T:
        return await self._run(lambda engine: method(engine, *args, **given))

    return run


class AsyncSearchEngine:
    """Searches the index in `index_dir` for programs with an event loop; several tasks, and loops, may ask at once.

    The methods are those of `SearchEngine`, with `await`. At most `threads` of them (1..64) run at the same time, the others
    wait in turn. A task that is cancelled stops waiting at once: what has not begun is left out, and what runs goes on to
    its end in its thread, and its answer is dropped. The index is opened by the first call, or by `async with`, which closes
    the engine in the end.

    Raises:
        ArgumentError: an argument is of the wrong type or out of its range.
    """

    def __init__(
        self,
        index_dir: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        threads: int = _THREADS,
    ) -> None:
        self._index_dir = arguments.path("index_dir", index_dir)
        check_parts(settings, embedder, reranker)
        self._make = functools.partial(
            SearchEngine, self._index_dir, settings=settings, embedder=embedder, reranker=reranker
        )
        self._pool = ThreadPoolExecutor(arguments.whole("threads", threads, least=1, most=64), "sectionary-search")
        self._opening = threading.Lock()
        self._engine: SearchEngine | None = None
        self._is_closed = False

    search = _awaited(SearchEngine.search)
    page = _awaited(SearchEngine.page)
    answer = _awaited(SearchEngine.answer)
    answer_parts = _awaited(SearchEngine.answer_parts)
    context = _awaited(SearchEngine.context)
    context_of = _awaited(SearchEngine.context_of)
    get_section = _awaited(SearchEngine.get_section)
    section_links = _awaited(SearchEngine.section_links)
    document_links = _awaited(SearchEngine.document_links)
    similar = _awaited(SearchEngine.similar)
    changes = _awaited(SearchEngine.changes)
    outline = _awaited(SearchEngine.outline)
    translations = _awaited(SearchEngine.translations)
    documents = _awaited(SearchEngine.documents)
    roots = _awaited(SearchEngine.roots)
    prepare = _awaited(SearchEngine.prepare)

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._is_closed

    async def close(self) -> None:
        """Refuse further calls, wait for those that run, and release the index and the models; again does nothing."""
        self._is_closed = True
        await asyncio.to_thread(self._shut)

    async def __aenter__(self) -> Self:
        await self._run(lambda _: None)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        shown = f"AsyncSearchEngine({self._index_dir!r})"
        return f"<closed {shown}>" if self._is_closed else shown

    async def _run(self, what: Callable[[SearchEngine], _T]) -> _T:
        if self._is_closed:
            raise self._closed_error()
        context = contextvars.copy_context()
        try:
            waiting = asyncio.get_running_loop().run_in_executor(self._pool, context.run, self._do, what)
        except RuntimeError as error:
            if self._is_closed:  # another thread closed it just now
                raise self._closed_error() from error
            raise
        return await waiting

    def _do(self, what: Callable[[SearchEngine], _T]) -> _T:
        with self._opening:
            if self._is_closed:
                raise self._closed_error()
            if self._engine is None:
                self._engine = self._make()
            engine = self._engine
        return what(engine)

    def _shut(self) -> None:
        self._pool.shutdown(wait=True)
        with self._opening:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    @staticmethod
    def _closed_error() -> ClosedError:
        return ClosedError("This AsyncSearchEngine is closed; make a new one.")
