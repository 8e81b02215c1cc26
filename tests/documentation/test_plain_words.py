"""No private word comes back: the field's terms stand in docs/glossary.md."""

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for package in ("schema", "indexer", "search") for path in (ROOT / package).rglob("*.py"))
SCRIPTS = sorted((ROOT / "search" / "server" / "page").glob("*.js"))
#: Private words of earlier versions for things that have a usual name.
REFUSED = re.compile(
    "lexicon|ledger|zygote|stand_?in|census|shelf|complain|adjacency|is_dear|tend|patience|guesses|anew"
    "|announcement|earlier_?index|evidence",
    re.IGNORECASE,
)


def names_in(path):
    with io.StringIO(path.read_text(encoding="utf-8")) as source:
        return {token.string for token in tokenize.generate_tokens(source.readline) if token.type == tokenize.NAME}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_refused_word_is_a_name(path):
    assert [name for name in sorted(names_in(path) | {path.stem}) if REFUSED.fullmatch(name.strip("_"))] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_refused_word_is_a_name_on_the_page(path):
    names = set(re.findall(r"\b[A-Za-z_$][\w$]*\b", path.read_text(encoding="utf-8"))) | {path.stem}
    assert [name for name in sorted(names) if REFUSED.fullmatch(name)] == []


def test_each_word_of_the_glossary_is_explained_once():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = [word.strip() for row in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) for word in row.split(",")]
    assert len(words) == len(set(words))
