"""Small Markdown documents and the section trees they must become: tests/goldens/splitter.

Beside each `NAME.md` stands `NAME.json` with what must come of it; the name says the rule that the document shows. A document
is read as a file called docs/kites-at-home.md. `front_matter`, `tags`, `aliases` and `warnings` are left out
where nothing of the kind is there; of a warning only a part is given. First and last lines are those that are not blank.
"""

import json
import re
from pathlib import Path

import pytest

from indexer.decoding import decode
from indexer.splitter import MarkdownSplitter

FOLDER = Path(__file__).resolve().parents[1] / "goldens" / "splitter"
DOCUMENTS = sorted(FOLDER.glob("*.md"))
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)


def split_golden(document):
    """The decoded text of a document, what the splitter makes of it, and what it must be."""
    expected = json.loads(document.with_suffix(".json").read_text(encoding="utf-8"))
    text = decode(document.read_bytes()).text
    splitter = MarkdownSplitter(max_tokens_per_section=expected.get("max_tokens_per_section", 2000))
    return text, splitter.parse(text, "docs/kites-at-home.md"), expected


def described(section):
    """A section as the goldens have it."""
    lines = [line for line in re.split(r"\r\n|\r|\n", section.content) if line.strip(" \t")]
    return {
        "depth": section.depth,
        "heading": section.heading,
        "heading_path": list(section.heading_path),
        "anchor": section.anchor,
        "start_line": section.start_line,
        "end_line": section.end_line,
        "first_line": lines[0],
        "last_line": lines[-1],
    }


@every_document
def test_document_becomes_the_expected_sections(document):
    _, split, expected = split_golden(document)
    assert [described(section) for section in split.sections] == expected["sections"]


@every_document
def test_document_has_the_expected_title_front_matter_and_warnings(document):
    _, split, expected = split_golden(document)
    assert split.title == expected["title"]
    assert split.front_matter == expected.get("front_matter", {})
    assert list(split.tags) == expected.get("tags", [])
    assert list(split.aliases) == expected.get("aliases", [])
    parts = expected.get("warnings", [])
    assert len(split.warnings) == len(parts)
    assert all(part in warning for part, warning in zip(parts, split.warnings, strict=True))


@every_document
def test_front_matter_and_contents_are_the_document_again(document):
    text, split, _ = split_golden(document)
    contents = "".join(section.content for section in split.sections)
    rest = text.removeprefix(split.front_matter_raw)
    assert contents == (rest if rest.strip(" \t\r\n") else "")


@every_document
def test_each_parent_is_the_nearest_earlier_section_of_smaller_depth(document):
    _, split, _ = split_golden(document)
    for position, section in enumerate(split.sections):
        above = [None, *(earlier.id for earlier in split.sections[:position] if 0 < earlier.depth < section.depth)]
        assert section.parent_id == above[-1]


def test_every_document_has_its_tree_and_every_tree_its_document():
    assert [path.stem for path in DOCUMENTS] == [path.stem for path in sorted(FOLDER.glob("*.json"))] != []
