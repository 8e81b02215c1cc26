"""Searching from an event loop: it goes on meanwhile, tasks get the same answers, and cancelling is safe."""

import asyncio
import contextvars
import inspect
import threading
import time

import pytest

from schema.errors import ClosedError, IndexNotFoundError
from search import AsyncSearchEngine, SearchEngine
from tests.conftest import GUIDE, NOTES, Project, WordEmbedder


class SlowEmbedder(WordEmbedder):
    """Takes its time for a query, and notes how many threads are in it at once."""

    def __init__(self, seconds=0.2):
        super().__init__()
        self.seconds = seconds
        self.asked = []
        self.inside = self.most = 0
        self._lock = threading.Lock()

    def embed_query(self, text):
        with self._lock:
            self.asked.append(text)
            self.inside += 1
            self.most = max(self.most, self.inside)
        time.sleep(self.seconds)
        with self._lock:
            self.inside -= 1
        return super().embed_query(text)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A project that no test changes."""
    project = Project(tmp_path_factory.mktemp("awaited"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write("docs/notes.md", NOTES)
    project.index()
    return project


def engine_of(home, embedder=None, **given):
    return AsyncSearchEngine(home.index_dir, embedder=embedder or home.embedder, **given)


QUESTIONS = [
    "crank",
    "penguins",
    "apples",
    "bananas",
    "widget guide",
    "frame",
    "loose words",
    "検索",
    "검색",
    "red or yellow",
]


def test_the_loop_goes_on_while_a_search_runs(home):
    async def ask():
        ticks = 0
        async with engine_of(home, SlowEmbedder(0.3)) as engine:
            search = asyncio.create_task(engine.search("apples"))
            while not search.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return ticks, search.result()[0].section.heading

    ticks, heading = asyncio.run(ask())
    assert ticks >= 5
    assert heading == "First child"


def test_searches_at_once_give_what_they_give_one_after_another(home):
    async def ask():
        async with engine_of(home) as engine:
            return await asyncio.gather(*(engine.search(question, limit=3) for question in QUESTIONS))

    expected = [home.engine().search(question, limit=3) for question in QUESTIONS]
    found = asyncio.run(ask())
    assert [[(hit.section.id, hit.score) for hit in hits] for hits in found] == [
        [(hit.section.id, hit.score) for hit in hits] for hits in expected
    ]


def test_every_method_answers_as_the_other_engine_does(home):
    async def ask():
        async with engine_of(home) as engine:
            section = (await engine.search("penguins"))[0].section
            return (
                (await engine.page("penguins")).results[0].section.id == section.id,
                section.id in [piece.section_id for piece in (await engine.context("penguins")).pieces],
                (await engine.get_section(section.id)).section == section,
                (await engine.section_links("docs/guide.md"))[0].heading,
                [link.heading for link in await engine.outline("docs/guide.md")][:2],
                await engine.translations("docs/guide.md"),
                [document.path for document in await engine.documents()],
            )

    assert asyncio.run(ask()) == (True, True, True, "Guide", ["Guide", "Install"], [], ["docs/guide.md", "docs/notes.md"])


def test_the_methods_have_the_names_and_the_arguments_of_the_other_engine():
    names = {name for name, _ in inspect.getmembers(SearchEngine, inspect.isfunction) if not name.startswith("_")}
    awaited = {name for name, value in vars(AsyncSearchEngine).items() if inspect.iscoroutinefunction(value)}
    assert names - {"source", "read", "states", "resolve", "resolve_place", "close"} == {
        name for name in awaited if not name.startswith("_")
    } - {"close"}
    assert str(inspect.signature(AsyncSearchEngine.search)) == str(inspect.signature(SearchEngine.search))
    assert AsyncSearchEngine.search.__doc__ == SearchEngine.search.__doc__


def test_no_more_threads_than_allowed_search_at_once(home):
    embedder = SlowEmbedder(0.05)

    async def ask():
        async with engine_of(home, embedder, threads=2) as engine:
            await asyncio.gather(*(engine.search(question, mode="dense") for question in QUESTIONS))

    asyncio.run(ask())
    assert (embedder.most, len(embedder.asked)) == (2, len(QUESTIONS))


def test_a_cancelled_search_stops_waiting_and_the_next_ones_go_on(home):
    embedder = SlowEmbedder(0.3)

    async def ask():
        async with engine_of(home, embedder, threads=1) as engine:
            running = asyncio.create_task(engine.search("crank"))
            queued = asyncio.create_task(engine.search("never asked"))
            while not embedder.asked:
                await asyncio.sleep(0.01)
            started = time.monotonic()
            for task in (queued, running):
                task.cancel()
            outcomes = await asyncio.gather(running, queued, return_exceptions=True)
            waited = time.monotonic() - started
            return outcomes, waited, (await engine.search("penguins"))[0].section.heading

    outcomes, waited, heading = asyncio.run(ask())
    assert [type(each) for each in outcomes] == [asyncio.CancelledError] * 2
    assert waited < 0.25
    assert heading == "Linux"
    assert embedder.asked == ["crank", "penguins"]


def test_a_search_with_a_time_limit_gives_up(home):
    async def ask():
        async with engine_of(home, SlowEmbedder(0.3)) as engine, asyncio.timeout(0.05):
            await engine.search("crank")

    with pytest.raises(TimeoutError):
        asyncio.run(ask())


def test_one_engine_serves_several_loops(home):
    engine, found = engine_of(home), []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(engine.search("penguins"))[0].section.heading))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    asyncio.run(engine.close())
    assert found == ["Linux"] * 3


def test_a_closed_engine_says_so_and_closing_again_does_nothing(home):
    async def ask():
        async with engine_of(home) as engine:
            await engine.search("crank")
        await engine.close()
        assert engine.is_closed
        await engine.search("crank")

    with pytest.raises(ClosedError, match=r"^This AsyncSearchEngine is closed; make a new one\.$"):
        asyncio.run(ask())


def test_closing_lets_a_running_search_end_and_refuses_those_that_wait(home):
    embedder = SlowEmbedder(0.2)

    async def ask():
        engine = engine_of(home, embedder, threads=1)
        tasks = [asyncio.create_task(engine.search(question)) for question in ("apples", "penguins", "crank")]
        while not embedder.asked:
            await asyncio.sleep(0.01)
        await engine.close()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, *others = asyncio.run(ask())
    assert first[0].section.heading == "First child"
    assert [type(each) for each in others] == [ClosedError] * 2


def test_nothing_is_read_before_the_first_call(tmp_path):
    engine = AsyncSearchEngine(tmp_path / ".sectionary", embedder=WordEmbedder())
    assert repr(engine) == f"AsyncSearchEngine({str(tmp_path / '.sectionary')!r})"
    with pytest.raises(IndexNotFoundError):
        asyncio.run(engine.search("crank"))


def test_a_search_sees_the_context_of_its_task(home):
    noted = contextvars.ContextVar("noted", default="")

    class Noting(WordEmbedder):
        def embed_query(self, text):
            seen.append(noted.get())
            return super().embed_query(text)

    async def ask():
        async with engine_of(home, Noting()) as engine:
            noted.set("of this task")
            await engine.search("crank")

    seen = []
    asyncio.run(ask())
    assert seen == ["of this task"]
