"""Verifying, recovering and finding files take time in proportion to what there is to compare."""

import tempfile
from pathlib import Path

import pytest

from indexer import Indexer
from indexer.discover import discover
from indexer.sync.recovery import PreviousIndex
from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from tests.conftest import WordEmbedder
from tests.growing import Family, assert_grows_linearly

pytestmark = [pytest.mark.growth, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    global _folder  # noqa: PLW0603 — families are made before any fixture is
    _folder = tmp_path_factory.mktemp("growing")


_folder: Path | None = None


def home_with(files):
    """A new folder with these documents."""
    home = Path(tempfile.mkdtemp(dir=_folder))
    for path, text in files:
        place = home / "docs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return home


def indexed(files):
    """An indexer that has indexed these documents, and its index's store."""
    home = home_with(files)
    runner = Indexer(home / ".sectionary", root=home, embedder=WordEmbedder())
    runner.index(home / "docs")
    return runner, store_dir(home / ".sectionary")


def verify(made):
    runner, _ = made
    assert runner.verify().differences == ()


def recover(made):
    _, store = made
    earlier = PreviousIndex(store, SectionTable.open(store).fingerprint)
    assert earlier.summaries() == {}
    assert earlier.embeddings(["none"]) == {}


def walk(home):
    assert discover([home / "docs"], root=home).files


def many_sections(size):
    return indexed([("a.md", "".join(f"## Part {i}\n\nWords of part {i}.\n\n" for i in range(size)))])


def many_documents(size):
    return indexed((f"{i}.md", f"# Document {i}\n\nWords of document {i}.\n") for i in range(size))


def equal_documents(size):
    return indexed((f"{i}.md", "# Title\n\nThe same words everywhere.\n") for i in range(size))


def equal_sections(size):
    return indexed([("a.md", "## Part\n\nThe same words.\n\n" * size)])


def headings_alone(size):
    return indexed([("a.md", "# Top\n\n" + "## Heading\n" * size)])


def long_sections(size):
    return indexed([("a.md", "".join(f"# Part {i}\n\n{'Some words in a sentence. ' * 40}\r\n" for i in range(size)))])


def line_ends(size):
    return indexed([("a.md", "# Long\r\n\r\n" + "A line of words.\r\n" * size)])


def files_in_a_folder(size):
    return home_with((f"{i}.md", "") for i in range(size))


def folders_in_folders(size):
    return home_with(("/".join(["d"] * (1 + i % 40)) + f"/{i}/a.md", "") for i in range(size))


FAMILIES = [
    Family("many sections", many_sections, verify, 1600),
    Family("many documents", many_documents, verify, 800),
    Family("equal documents", equal_documents, verify, 800),
    Family("equal sections", equal_sections, verify, 1600),
    Family("headings alone", headings_alone, verify, 1600),
    Family("long sections", long_sections, verify, 400),
    Family("line ends of one section", line_ends, verify, 8000),
    Family("vectors of a damaged index", many_sections, recover, 1600),
    Family("files in a folder", files_in_a_folder, walk, 4000),
    Family("folders in folders", folders_in_folders, walk, 2000),
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_keeping_an_index_true_grows_linearly(family):
    assert_grows_linearly(family)
