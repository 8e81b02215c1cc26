"""What pandoc gets of reStructuredText: sessions of Python as code, titles with a whole line below."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.convert.pandoc import read_with_pandoc
from indexer.convert.rst import as_pandoc_reads
from tests.attached import NEEDS_CONVERT


def lines(*some: str) -> str:
    return "\n".join(some)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            lines("Do:", "", ">>> f()", "1", "", "End"),
            lines("Do:", "", ".. code:: pycon", "", "   >>> f()", "   1", "", "End"),
        ),
        (lines("term", "  >>> f()", "end"), lines("term", "  .. code:: pycon", "", "     >>> f()", "", "end")),
        (lines(".. doctest::", "  >>> f"), lines(".. doctest::", "", "  .. code:: pycon", "", "     >>> f")),
        (">>>", lines(".. code:: pycon", "", "   >>>")),
    ],
    ids=["paragraph", "indented", "directive", "empty"],
)
def test_a_session_of_python_becomes_code(text, read):
    assert as_pandoc_reads(text) == read


@pytest.mark.parametrize(
    "text",
    [
        lines("Do::", "", "   a", "", "   >>> f()", "", "End"),
        lines(".. code-block:: python", "", "   >>> f()"),
        lines(".. a comment", "   >>> f()"),
        lines("A sentence that goes on", ">>> so"),
        "Shift a >>> b",
    ],
    ids=["literal", "directive of code", "comment", "inside a paragraph", "inside a line"],
)
def test_what_is_no_session_stays(text):
    assert as_pandoc_reads(text) == text


def test_code_ends_where_the_indent_does():
    assert as_pandoc_reads(lines("::", "", "  a", "", ">>> f()")).endswith(lines("", ".. code:: pycon", "", "   >>> f()"))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (lines("A long title", "-----"), lines("A long title", "------------")),
        (lines("=====", "Over it too", "====="), lines("===========", "Over it too", "===========")),
        (lines("\u306f\u3058\u3081\u306b", "===="), lines("\u306f\u3058\u3081\u306b", "========")),
    ],
    ids=["below", "above and below", "wide letters"],
)
def test_a_line_below_a_title_that_is_too_short_becomes_whole(text, read):
    assert as_pandoc_reads(text) == read


@pytest.mark.parametrize(
    "text",
    [
        lines("Two words", "---"),
        lines("A paragraph", "of two lines", "----"),
        lines("   quoted words", "----"),
        lines("Title", "=========="),
        lines("====  ====", "a long one  b", "====  ===="),
        lines("", "----", "----"),
    ],
    ids=["three marks", "paragraph", "indented", "longer", "table", "no title"],
)
def test_other_lines_of_marks_stay(text):
    assert as_pandoc_reads(text) == text


@given(st.text(alphabet=">=-:. ab\n\t", max_size=60))
def test_no_word_is_lost(text):
    def words(some: str) -> list[str]:
        return [letter for letter in some.replace(".. code:: pycon", "") if letter in "ab>:."]

    assert words(as_pandoc_reads(text)) == words(text)


@NEEDS_CONVERT
@pytest.mark.process
def test_session_and_title_are_read_as_written():
    text = lines("", "", "Usage of f", "=====", "", "Call it:", "", ">>> f(*b, **c)", "'x'", "", "Done.")
    markdown, places, _ = read_with_pandoc("rst", text.encode())
    assert markdown.split("\n\n") == ["# Usage of f", "Call it:", "``` pycon\n>>> f(*b, **c)\n'x'\n```", "Done.\n"]
    assert places == ((0, "line 1"), (0, "line 3"))
