"""One-line edits of a real book embed what they must and nothing else."""

import shutil
from pathlib import Path

import pytest

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"

pytestmark = pytest.mark.skipif(not (CORPORA / "rust-book").is_dir(), reason="the corpora are not beside the project")


@pytest.fixture
def book(project):
    shutil.copytree(CORPORA / "rust-book" / "src", project.home / "docs")
    project.index()
    return project


def test_one_line_edit_embeds_one_section_and_a_blank_line_none(book):
    place = book.home / "docs/ch16-01-threads.md"
    lines = place.read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("Splitting the computation"))
    lines[at] += " indeed"
    place.write_text("\n".join(lines))
    report = book.index()
    assert (report.sections_embedded, report.sections_updated, report.documents_updated) == (1, 1, 1)
    place.write_text("\n" + place.read_text())
    report = book.index()
    assert (report.sections_embedded, report.vectors_reused, report.documents_updated) == (0, 0, 1)
    assert book.indexer().verify().differences == ()
