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
    ("text", "read"),
    [
        (lines("See `A B`__.", "", ".. _`A  b`: x"), lines("See `A B`_.", "", ".. _`A  b`: x")),
        (lines("See `A`__.", "", ".. _a: x"), lines("See `A`_.", "", ".. _a: x")),
        (lines("See `A", "B`__ and `C <d`__."), lines("See A", "B and C <d.")),
        (lines("`A`__ `B`__", "", "__ a"), lines("`A`__ B", "", "__ a")),
    ],
    ids=["name in quotes", "name", "no name", "a target for one"],
)
def test_a_reference_without_a_target_gets_one_by_its_name_or_becomes_text(text, read):
    assert as_pandoc_reads(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "See `A <b>`__ and `C",
        lines("See `A`__ and `B`__.", "", "__ a", ".. __: b"),
        lines("::", "", "   `A`__"),
        "``A`__``",
    ],
    ids=["address", "targets", "code", "literal"],
)
def test_other_references_stay(text):
    assert as_pandoc_reads(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("See :ref:`a b <c>` and :py:func:`d`.", "See a b and :py:func:`d`."),
        (lines("See :doc:`a", "b <c>`."), lines("See a", "b.")),
        (lines("::", "", "  :ref:`a <b>`"), lines("::", "", "  :ref:`a <b>`")),
        ("``:ref:`a <b>```", "``:ref:`a <b>```"),
    ],
    ids=["role", "two lines", "code", "literal"],
)
def test_of_a_role_with_a_target_the_text_stays(text, read):
    assert as_pandoc_reads(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (lines("See: ::", "", "   a"), lines("See:", "", "::", "", "   a")),
        (lines("  b", "  See ::  ", "", "   a"), lines("  b", "  See", "", "  ::", "", "   a")),
        (lines("See::", "", "   a ::"), lines("See::", "", "   a ::")),
        (lines("- See ::", "", "     a"), lines("- See ::", "", "     a")),
        (lines(".. note:: a ::", "", "     a"), lines(".. note:: a ::", "", "     a")),
    ],
    ids=["text", "indented", "code", "item", "directive"],
)
def test_a_mark_of_code_behind_a_blank_gets_its_own_line(text, read):
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


@NEEDS_CONVERT
@pytest.mark.process
def test_a_file_whose_references_have_no_targets_is_read():
    text = lines("See `A b`__, `C`__: ::", "", "   x", "", ".. _`A b`: d.html")
    markdown, _, _ = read_with_pandoc("rst", text.encode())
    assert markdown == "See [A b](d.html), C:\n\n    x\n"
