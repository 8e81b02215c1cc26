"""A user's own program, checked by mypy and by pyright: a right one passes, and what is misspelt or of the wrong type does not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import indexer
import schema
import search

pytestmark = [pytest.mark.slow, pytest.mark.process]
ROOT = Path(__file__).resolve().parents[2]
RIGHT = """
from pathlib import Path

from indexer import Indexer
from indexer.discover import decode
from indexer.llm.reply import Field, ReplySpec, parse_reply
from indexer.splitter import MarkdownSplitter
from indexer.tokens import TokenCounter
from schema import ContextPack, Filters, IndexReport, SearchResult, Section, SectionaryError, load_settings
from search import SearchEngine


def changed(report: IndexReport) -> int:
    return report.documents_added + report.sections_updated + len(report.failed)


def best(engine: SearchEngine, question: str) -> SearchResult | None:
    hits = engine.search(question, limit=1, mode="hybrid", filters=Filters(path=("docs/",)))
    return hits[0] if hits else None


report: IndexReport = Indexer(".sectionary", root=".").index("docs")
engine = SearchEngine(".sectionary", settings=load_settings(Path("."), environ={}))
hit = best(engine, "how do I rotate a key?")
line: int = hit.section.start_line if hit else changed(report)
pack: ContextPack = engine.context("how do I rotate a key?", max_tokens=2000)
sections: list[Section] = MarkdownSplitter(max_depth=2).split(decode(b"# A").text, "a.md")
tokens: int = TokenCounter().count(pack.text)
record: dict[str, object] = parse_reply("{}", ReplySpec(fields=(Field("summary", required=False),)))
try:
    engine.outline("a.md")
except SectionaryError as error:
    print(error, line, sections, tokens, record)
"""
#: Another one: everything from its package, closing, tables and the event loop.
RIGHT_TOO = """
import asyncio
from pathlib import Path

from indexer import Decoded, FileChoice, Indexer, MarkdownSplitter, SourceError, TokenCounter, decode
from search import (
    ArgumentError, AsyncSearchEngine, ClosedError, ContextPack, Filters, ResultPage, Results, SearchEngine, SearchRequest,
    SearchResult, SectionLink, Settings,
)


def plain(hits: Results) -> list[dict[str, object]]:
    first: list[SearchResult] = hits[:1]
    return [hit.to_dict() for hit in first] + hits.to_dicts()


with Indexer(Path(".sectionary"), files=FileChoice(hidden=True)) as indexer:
    counts: dict[str, object] = indexer.index("docs").to_dict()
with SearchEngine(".sectionary", settings=Settings(min_relevance=0.5)) as engine:
    listed: list[SearchResult] = engine.search("q")
    one: SearchResult = engine.search("q")[0]
    page: ResultPage = engine.answer(SearchRequest(query="q", filters=Filters(depth=(1,))))
    rows: int = engine.search("q").to_arrow().num_rows


async def ask() -> tuple[Results, ContextPack, list[SectionLink]]:
    async with AsyncSearchEngine(".sectionary", threads=2) as awaited:
        return await awaited.search("q", limit=2), await awaited.context("q", max_tokens=9), await awaited.outline("a.md")


hits, pack, outline = asyncio.run(ask())
text: Decoded = decode(b"# A")
try:
    MarkdownSplitter(token_counter=TokenCounter()).split(text.text, "a.md")
except (ArgumentError, ClosedError, SourceError) as error:
    kept: ValueError | SourceError = error
print(plain(hits), counts, listed, one, page, rows, outline, pack.to_dict())
"""
#: What is wrong, and the line that is it.
WRONG = {
    "a misspelt import": "from schema import NoSuchThing",
    "a misspelt import of the search": "from search import SearchEngin",
    "a misspelt import of the indexer": "from indexer import Indexr",
    "an unknown mode": 'from search import SearchEngine\nSearchEngine(".").search("q", mode="fuzzy")',
    "a number as a text": 'from search import SearchEngine\nSearchEngine(".").search("q", limit="ten")',
    "an unknown argument": 'from indexer import Indexer\nIndexer(".", rooot=".")',
    "a misspelt argument of an awaited search": (
        "from search import AsyncSearchEngine\nasync def f(one: AsyncSearchEngine) -> object:\n    "
        'return await one.search("q", limti=3)'
    ),
    "a missing attribute": "from schema import Section\ndef f(one: Section) -> int:\n    return one.first_line",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The programs as files, beside a file that imports every public name."""
    folder = tmp_path_factory.mktemp("consumer")
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    (folder / "right_too.py").write_text(RIGHT_TOO, encoding="utf-8")
    for number, text in enumerate(WRONG.values()):
        (folder / f"wrong{number}.py").write_text(text + "\n", encoding="utf-8")
    for package in (schema, indexer, search):
        names = sorted(set(package.__all__))
        text = f"from {package.__name__} import {', '.join(names)}\n__all__ = {names}\n"
        (folder / f"every_{package.__name__}.py").write_text(text, encoding="utf-8")
    return folder


def faulty_by_mypy(folder):
    done = subprocess.run(
        # the settings of the project are strict too, and what `make check` found before is known with them
        [sys.executable, "-m", "mypy", "--output", "json", *map(str, sorted(folder.glob("*.py")))],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return {Path(json.loads(line)["file"]).name for line in done.stdout.splitlines() if line.startswith("{")}


def faulty_by_pyright(folder):
    config = {"pythonVersion": "3.11", "typeCheckingMode": "standard", "extraPaths": [str(ROOT)], "include": ["*.py"]}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {Path(one["file"]).name for one in found if one["severity"] == "error"}


@pytest.mark.parametrize("checker", [faulty_by_mypy, faulty_by_pyright], ids=["mypy", "pyright"])
def test_wrong_programs_of_users_fail_and_right_ones_pass(programs, checker):
    assert checker(programs) == {f"wrong{number}.py" for number in range(len(WRONG))}
