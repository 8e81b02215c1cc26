"""docs/reference: what it lists is what the code has; `python -m tests.documentation.reference` writes it again."""

import re

import pytest

import indexer
import schema
import search
from tests.documentation.reference import FOLDER, PAGES, page


@pytest.mark.parametrize("name", PAGES)
def test_page_of_the_reference_says_what_the_code_has(name):
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == page(name)


def test_reference_has_no_page_that_nothing_makes():
    assert {path.stem for path in FOLDER.iterdir()} == set(PAGES)


@pytest.mark.parametrize("package", [search, indexer, schema], ids=lambda package: package.__name__)
def test_every_public_name_is_in_the_reference(package):
    text = (FOLDER / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:### |\| )`(\w+)`", text, re.MULTILINE))
    assert set(package.__all__) - listed - {"DISTRIBUTION", "VERSION"} == set()
