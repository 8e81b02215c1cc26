"""Patterns of `re` have no possessive quantifier behind a group, which it matches wrongly before Python 3.11.5 (cpython#106052)."""

import io
import re
import tokenize
from pathlib import Path

import pytest

from schema.text.analyzer import terms

ROOT = Path(__file__).parents[2]
#: A group, not an empty one, and a possessive quantifier; an atomic group, `(?>(?:…)*)`, says the same.
POSSESSIVE = re.compile(r"[^(\\]\)(?:[*+?]|\{\d*,?\d*\})\+")
IMPORTS_RE = re.compile(r"^import re$", re.MULTILINE)
MODULES = [path for folder in ("indexer", "search", "schema") for path in sorted((ROOT / folder).rglob("*.py"))]


def possessive_groups(source):
    """The texts of a module with such a quantifier; none in a module that takes `regex` for `re`."""
    if not IMPORTS_RE.search(source):
        return []
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts = [token.string for token in tokens if "STRING" in tokenize.tok_name[token.type]]
    return [text for text in texts if POSSESSIVE.search(text)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_has_no_possessive_group_in_patterns_of_re(path):
    assert possessive_groups(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("pattern", [r"(?:ab)*+", r"(a|b)++c", r"(?:a)?+", r"(?:ab){2,}+"])
def test_such_a_quantifier_is_seen(pattern):
    assert possessive_groups(f"import re\n_X = re.compile(r'{pattern}')\n") != []
    assert possessive_groups(f"import regex as re\n_X = re.compile(r'{pattern}')\n") == []


@pytest.mark.parametrize("pattern", [r"(?>(?:ab)*)", r"[ab)]*+", r"a\)*+", r"\)++"])
def test_what_re_matches_right_is_allowed(pattern):
    assert possessive_groups(f"import re\n_X = re.compile(r'{pattern}')\n") == []


def test_identifier_ends_before_the_signs_behind_it():
    assert terms("see foo_bar.baz.. or c/d/ now") == terms("see foo_bar.baz or c/d now")
    assert "foo_bar.baz" in terms("foo_bar.baz..")
