"""The brackets of links: where a label and a target end, and where there is none."""

import pytest

from indexer.markdown.link_brackets import MAX_LABEL, MAX_TARGET, inline_target, label_end


def test_label_ends_at_its_bracket():
    assert label_end("[a] [b]", 1) == 2


def test_escaped_bracket_ends_no_label():
    assert label_end("[a\\] b]", 1) == 6


@pytest.mark.parametrize("text", ["[a [b]]", "[a", "[a\\]", f"[{'x' * MAX_LABEL}]"])
def test_label_that_is_not_closed_or_holds_a_bracket_or_is_too_long_has_no_end(text):
    assert label_end(text, 1) is None


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("(a.md)", "a.md"),
        ("()", ""),
        ("(<a b.md>)", "a b.md"),
        ("(a\\)b.md)", "a)b.md"),
        ("(a(b)c.md 'A title')", "a(b)c.md"),
        ("(a.md\n(title) )", "a.md"),
        (f"({'(' * 32}{')' * 32})", "(" * 32 + ")" * 32),
    ],
)
def test_target_in_parentheses_ends_with_them(text, target):
    assert inline_target(text, 0) == (target, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "a.md)",
        "(a.md",
        "(",
        "(a.md\\",
        "(<a.md)",
        "(a\\ b.md)",
        "(a b.md)",
        "(a(b.md)",
        "(a.md 'A title)",
        f"({'(' * 33}{')' * 33})",
        f"({'x' * (MAX_TARGET + 1)})",
    ],
    ids=lambda text: text[:12],
)
def test_target_that_is_not_closed_or_not_balanced_or_too_long_is_none(text):
    assert inline_target(text, 0) == (None, 0)
