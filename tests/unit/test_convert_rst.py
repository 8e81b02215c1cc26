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


def markdown_of(*some: str) -> str:
    return read_with_pandoc("rst", lines(*some, "").encode())[0].strip()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (".. py:function:: run(*tasks, **options)", r".. function:: run(\*tasks, \*\*options)"),
        ("   .. c:macro:: SIZE", "   .. macro:: SIZE"),
        (".. class:: Spider(name)", ".. describe:: class Spider(name)"),
        (".. py:class:: scrapy.Spider", ".. describe:: class scrapy.Spider"),
        (".. class:: no-border", ".. class:: no-border"),
        (".. _py:label: x", ".. _py:label: x"),
    ],
)
def test_a_directive_of_sphinx_becomes_one_that_pandoc_knows(text, read):
    assert as_pandoc_reads(text) == read


def test_directives_in_code_stay():
    text = lines("::", "", "   .. py:function:: run(*tasks)", "   .. class:: Spider")
    assert as_pandoc_reads(text) == text


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ([".. _the-label:", ""], ["Title", "-----"]),
        ([".. _The-Label:", "", ".. _other:", ""], ["=====", "Title", "====="]),
        ([".. _`the-label`:"], ["Title", "====="]),
    ],
    ids=["one label", "two labels", "in quotes"],
)
def test_a_reference_to_a_label_becomes_the_title_below_it(above, title):
    read = as_pandoc_reads(lines("See :ref:`the-label`.", "", *above, *title))
    assert read.startswith("See Title.\n")


@pytest.mark.parametrize(
    "text",
    [
        lines("See :ref:`label`.", "", ".. _other:", "", "Title", "-----"),
        lines("See :ref:`label`.", "", ".. _label:", "", "Some text,", "and more."),
        lines("See :ref:`label`.", "", ".. _label:"),
        lines("See :class:`label`.", "", ".. _label:", "", "Title", "-----"),
    ],
    ids=["another label", "no title", "nothing below", "no reference"],
)
def test_a_reference_stays_without_a_title(text):
    assert as_pandoc_reads(text) == text


@NEEDS_CONVERT
@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "read"),
    [
        (":class:`~scrapy.http.Request`", "`Request`"),
        (":meth:`~.run`", "`run`"),
        (":func:`!print`", "`print`"),
        (":class:`.Request`", "`Request`"),
        (":file:`.env`", "`.env`"),
        (":class:`scrapy.Request`", "`scrapy.Request`"),
        (":file:`~/.config`", "`~/.config`"),
        (":term:`spider`", "spider"),
        (":guilabel:`Save as`", "Save as"),
        (":pep:`8` and :rfc:`2822`", "PEP 8 and RFC 2822"),
    ],
)
def test_roles_are_shown_as_sphinx_shows_them(text, read):
    assert markdown_of(text) == read


@NEEDS_CONVERT
@pytest.mark.process
@pytest.mark.parametrize(
    ("some", "read"),
    [
        ([".. versionadded:: 2.3"], "New in version 2.3"),
        ([".. versionchanged:: 2.4", "   Now with a limit."], "Changed in version 2.4: Now with a limit."),
        ([".. deprecated:: 3 Use runs."], "Deprecated since version 3: Use runs."),
        ([".. class:: Spider(name)", "", "   Crawls a site."], "`class Spider(name)`\n\nCrawls a site."),
        ([".. function:: run(*tasks)"], "`run(*tasks)`"),
        ([".. module:: scrapy.http", "   :synopsis: Requests", "", "Text."], "Text."),
        ([".. toctree::", "", "   intro", "   Install <install>", "", "Text."], "Text."),
        ([".. autoclass:: scrapy.Spider"], "scrapy.Spider"),
        ([".. seealso:: More."], "More."),
        ([".. toctree::", "   :glob:", "", "Text."], "Text."),
        ([".. class:: no-border", "", "Text."], "Text."),
        ([".. program:: run", "", "Text."], "Text."),
        ([":orphan:", ":tocdepth: 3", "", "Text."], "Text."),
    ],
)
def test_directives_are_shown_as_sphinx_shows_them(some, read):
    assert markdown_of(*some) == read


@NEEDS_CONVERT
@pytest.mark.process
def test_names_before_a_heading_belong_to_the_section_that_it_begins():
    above = ["Limits", "======", "", ".. setting:: OLD_TIMEOUT", "", ".. setting:: TIMEOUT", ""]
    read = markdown_of(*above, "TIMEOUT", "-------", "", "Seconds.", "", ".. signal:: ended", "", "Sent at the end.")
    assert read == "# Limits\n\n## TIMEOUT\n\nOLD_TIMEOUT\n\nSeconds.\n\nended\n\nSent at the end."


@NEEDS_CONVERT
@pytest.mark.process
def test_a_name_below_a_label_belongs_to_the_section_that_it_begins():
    assert (
        markdown_of(".. _limit:", "", ".. setting:: LIMIT", "", "Most runs", "---------", "", "Two.")
        == "# Most runs\n\nLIMIT\n\nTwo."
    )


@NEEDS_CONVERT
@pytest.mark.process
def test_fields_at_the_top_that_say_something_are_text():
    assert "1.2" in markdown_of(":orphan:", ":version: 1.2", "", "Text.")
