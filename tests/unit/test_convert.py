"""Files of other formats → Markdown: what is kept of each format, and where its parts stood."""

import json
import time

import pytest

from indexer.convert.headings import candidates_of, lines_of_headings, numbers_of_headings
from indexer.convert.html_page import page_content
from indexer.convert.includes import without_includes
from indexer.convert.limits import Refusal
from indexer.convert.notebook import read_notebook
from indexer.convert.pandoc import read_with_pandoc
from indexer.splitter import MarkdownSplitter
from tests.attached import NEEDS_CONVERT, docx, notebook

# -- PDF ---------------------------------------------------------------------------------------------------------------


# -- notebooks ---------------------------------------------------------------------------------------------------------


def test_cells_are_kept_in_order_with_their_numbers():
    text, places = read_notebook(notebook("# Sum\n\nAdds.", ("1 + 1", "2"), "", "## Next"))
    assert text == ("# Sum\n\nAdds.\n\n<!-- cell 2 -->\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n\n## Next\n\n")
    assert places == ((0, "cell 1"), (text.index("<!--"), "cell 2"), (text.index("## Next"), "cell 4"))


def test_code_is_in_the_language_of_the_kernel():
    assert "```r\nx <- 1\n```" in read_notebook(notebook(("x <- 1", ""), language="r"))[0]
    cells = {"cells": [{"cell_type": "code", "source": "1"}], "metadata": {"kernelspec": {"language": "julia"}}}
    assert read_notebook(json.dumps(cells).encode())[0] == "```julia\n1\n```\n\n"
    assert read_notebook(notebook(("1", ""), language="a b\n# c"))[0] == "```\n1\n```\n\n"


def test_a_fence_is_longer_than_those_inside():
    assert read_notebook(notebook(("'''````'''", "")))[0].startswith("`````python\n")


def test_long_results_are_cut():
    text, _ = read_notebook(notebook(("x", "line\n" * 50)))
    assert text.count("line") == 20
    assert text.endswith("…\n```\n\n")
    assert len(read_notebook(notebook(("x", "y" * 10_000)))[0]) < 2000


def test_pictures_errors_and_colours_are_left_out():
    outputs = [
        {"output_type": "display_data", "data": {"image/png": "QUJD", "text/plain": "<Figure>"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["trace"]},
        {"output_type": "execute_result", "data": {"text/plain": ["\x1b[31mred", "\x1b[0m"], "text/html": "<b>"}},
    ]
    cells = [
        {"cell_type": "markdown", "source": "![a](data:image/png;base64,QUJD) ![b](attachment:b.png) [c](c.md)"},
        {"cell_type": "code", "source": "plot()", "outputs": outputs},
    ]
    text, _ = read_notebook(json.dumps({"cells": cells}).encode())
    assert text == "![a]() ![b]() [c](c.md)\n\n<!-- cell 2 -->\n\n```\nplot()\n```\n\n```text\nred\n```\n\n"


def test_a_notebook_of_version_3_is_read():
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old\ntimes"},
        {
            "cell_type": "code",
            "language": "python",
            "input": "print(1)",
            "outputs": [{"output_type": "stream", "text": "1"}],
        },
    ]
    text, _ = read_notebook(json.dumps({"worksheets": [{"cells": cells}]}).encode())
    assert text == "## Old times\n\n<!-- cell 2 -->\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n"


@pytest.mark.parametrize(
    ("open_cell", "end"),
    [
        ("a\n\n````sh\n```\nls", "````"),
        ("~~~\nls", "~~~"),
        ("a\n<!-- later", "-->"),
        ("<pre>\nls\n\nls", "</pre>"),
        ("<?php", "?>"),
        ("<![CDATA[x", "]]>"),
    ],
)
def test_what_a_cell_leaves_open_ends_with_it(open_cell, end):
    text, _ = read_notebook(notebook(open_cell, "## Next", "Text."))
    assert text == f"{open_cell}\n{end}\n\n## Next\n\n<!-- cell 3 -->\n\nText.\n\n"
    assert [section.heading for section in MarkdownSplitter().split(text, "a.md")][-1] == "Next"


@pytest.mark.parametrize(
    "cell", ["```\nls\n```", "- a\n  ```\n  ls", "> ~~~\n> ls", "<div>", "<!-- a -->", "    ```", "a <b", "`` ``` ``"]
)
def test_a_cell_that_leaves_nothing_open_stays(cell):
    assert read_notebook(notebook(cell))[0] == f"{cell}\n\n"


def test_front_matter_in_a_raw_first_cell_stays():
    cells = [{"cell_type": "raw", "source": "---\ntitle: Plan\n---"}, {"cell_type": "markdown", "source": "Text."}]
    text, places = read_notebook(json.dumps({"cells": cells}).encode())
    split = MarkdownSplitter().parse(text, "a.ipynb", dialects=(), places=places)
    assert (split.title, split.sections[0].place) == ("Plan", "cell 1")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"[" * 200_000, b'{"cells": [1]}', b'{"cells": 5}', b'{"worksheets": [{}]}']
)
def test_what_is_no_notebook_is_refused(data):
    with pytest.raises(Refusal, match="cannot be read as a notebook"):
        read_notebook(data)


def test_a_notebook_with_too_much_text_is_refused(monkeypatch):
    monkeypatch.setattr("indexer.convert.notebook.MAX_TEXT", 10)
    with pytest.raises(Refusal, match="holds more than"):
        read_notebook(notebook("x" * 20))


# -- HTML --------------------------------------------------------------------------------------------------------------


def words_of(html):
    return page_content(html).html


def test_only_what_main_holds_is_kept():
    html = "<nav>N</nav><header>H</header><main><header>h</header>Text<nav>n</nav></main><footer>F</footer>"
    assert words_of(html) == "<main><header>h</header>Text</main>"
    assert words_of("<div role=main>Text<div>In</div></div>Out") == "<div>Text<div>In</div></div>"


def test_articles_are_kept_where_there_is_no_main():
    assert words_of("A<article>B<article>C</article></article>D<article>E</article>") == (
        "<article>B<article>C</article></article><article>E</article>"
    )


def test_without_either_what_is_around_is_left_out():
    assert words_of("<header>H</header><h1>A</h1>B<aside>C</aside><div role=navigation>D</div><footer>E</footer>F") == (
        "<h1>A</h1>BF"
    )


def test_an_empty_main_does_not_hide_the_page():
    assert words_of("<main> <img src=x></main><p>Text</p>") == "<main> <img></main><p>Text</p>"


def test_scripts_and_what_loads_something_are_left_out():
    html = "a<script>alert('<p>x')</script><style>b</style><iframe src=x>c</iframe><svg><text>d</text></svg><template>e</template>f"
    assert words_of(html) == "af"
    assert words_of('<img src="http://x/y.png" alt="Key"><a href="b.html" onclick="x()">b</a><link href=x>') == (
        '<img alt="Key"><a href="b.html">b</a>'
    )
    assert words_of('<a href="data:text/html,x">b</a><p hidden>c</p>') == "<a>b</a>"


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        ("<p hidden>x<p>one<p>two<h2>X</h2>", "<p>one</p><p>two</p><h2>X</h2>"),
        ("<ul><li hidden>x<ul><li>y<li>z</ul>w<li>a</ul>", "<ul><li>a</li></ul>"),
        ("<table><tr><td hidden>x<b>y</b><td>a<tr hidden><td>z<tr><td>b</table>", "<table><tr><td>a</td></tr><tr><td>b</td></tr></table>"),
        ("<div><span hidden>x<i>y</div>a", "<div></div>a"),
        ("<div><p role=search>x</i></div>a", "<div></div>a"),
        ("<p>a<div hidden>x</p>y</div>b", "<p>a</p>b"),
        ("<div><div hidden>x<div>y</div>z</div>a</div>", "<div>a</div>"),
    ],
)  # fmt: skip
def test_a_hidden_element_without_its_end_tag_ends_where_a_browser_ends_it(html, kept):
    assert words_of(html) == kept


def test_what_a_search_of_the_page_shows_is_kept():
    assert words_of('<p hidden="Until-Found">a</p><p hidden="">b</p>') == "<p>a</p>"


def test_many_elements_in_a_hidden_one_take_no_time():
    started = time.process_time()
    page_content("<div hidden>" + "<div>" * 20_000 + "</b>" * 20_000)
    assert time.process_time() - started < 3


def test_a_title_and_headings_have_their_lines():
    page = page_content("<title>\nThe\npage</title>\n<h1>One\n<b>bold</b></h1>\n<svg><title>no</title></svg>\n<h2></h2>x")
    assert page.title == "The page"
    assert page.headings == [(1, "The page"), (4, "One\nbold"), (7, "The page")]


def test_end_tags_that_are_missing_are_added():
    html = "<table><tr><td>a<td><p>b<tr><th>c</table><ul><li>d<li>e<ul><li>f</ul></ul><p>g<div>h</div>"
    assert words_of(html) == (
        "<table><tr><td>a</td><td><p>b</p></td></tr><tr><th>c</th></tr></table>"
        "<ul><li>d</li><li>e<ul><li>f</li></ul></li></ul><p>g</p><div>h</div>"
    )


def test_deep_elements_are_read_as_text():
    html = words_of("<div>" * 1000 + "deep" + "</div>" * 1000)
    assert html.count("<div>") == 60
    assert "deep" in html


@pytest.mark.parametrize("unit", ["<div>", "<p>", "<main>", "<article>", "<b></i>", "<script>", "&amp;", "<td>"])
@pytest.mark.usefixtures("untraced")
def test_odd_html_takes_no_time(unit):
    started = time.process_time()
    page_content(unit * 20_000)
    assert time.process_time() - started < 3


@NEEDS_CONVERT
@pytest.mark.process
def test_a_page_of_html_becomes_markdown():
    html = (
        "<title>Keys</title><nav>Home</nav><main><h2>Use</h2><p>Turn&shy;ing <em>it</em>.</p><pre><code class='language-sh'>"
        "turn key</code></pre><table><tr><td>a<td>b<tr><td>1<td>2</table><script>x()</script></main>"
    )
    text, places, _ = read_with_pandoc("html", html.encode())
    assert text == (
        "# Keys\n\n## Use\n\nTurning *it*.\n\n``` sh\nturn key\n```\n\n| a   | b   |\n|-----|-----|\n| 1   | 2   |\n"
    )
    assert places == ((0, "line 1"), (0, "line 1"), (8, "line 1"))


@NEEDS_CONVERT
@pytest.mark.process
def test_headings_that_are_links_keep_their_texts_and_lines():
    html = (
        '<main><h1 id="use"><a class="header" href="#use">Use <code>it</code></a></h1>\n'
        '<p>See <a class="more" href="b.html">more</a>.</p>\n<h2><a href="c.html">Version 2</a></h2></main>'
    )
    text, places, _ = read_with_pandoc("html", html.encode())
    assert text == "# Use `it`\n\nSee [more](b.html).\n\n## [Version 2](c.html)\n"
    assert [label for _, label in places] == ["line 1", "line 1", "line 3"]


# -- reStructuredText and AsciiDoc ------------------------------------------------------------------------------------

RST = """Keys
====

.. include:: /etc/passwd

.. toctree::

   other

Use
---

.. function:: turn(key)

   Turns it, see :class:`Lock`.

.. code-block:: python

   # no heading
   turn(key)
"""


@NEEDS_CONVERT
@pytest.mark.process
def test_restructured_text_becomes_markdown():
    text, places, left_out = read_with_pandoc("rst", RST.encode())
    assert text == ("# Keys\n\n## Use\n\n`turn(key)`\n\nTurns it, see `Lock`.\n\n``` python\n# no heading\nturn(key)\n```\n")
    assert places == ((0, "line 1"), (0, "line 1"), (text.index("## Use"), "line 10"))
    assert left_out == 1


ADOC = """= Keys
:toc:

include::/etc/passwd[]

ifdef::web[]
Turn it.
endif::[]

== Use

NOTE: Slowly.

image::http://127.0.0.1:9/key.png[A key]

[source,sh]
----
turn key
----
"""


@NEEDS_CONVERT
@pytest.mark.process
def test_asciidoc_becomes_markdown():
    text, places, left_out = read_with_pandoc("asciidoc", ADOC.encode())
    assert text == "# Keys\n\nTurn it.\n\n## Use\n\nNote\n\nSlowly.\n\nA key\n\n``` sh\nturn key\n```\n"
    assert places == ((0, "line 1"), (0, "line 1"), (text.index("## Use"), "line 10"))
    assert left_out == 1


@pytest.mark.parametrize(
    ("text", "kept", "left_out"),
    [
        ("a\n\n.. include:: x\n   :lines: 1\n\nb", "a\n\n\nb", 1),
        (".. raw:: html\n   :file: x\n\nb", "\nb", 1),
        (".. raw:: html\n\n   <b>\n\nb", ".. raw:: html\n\n   <b>\n\nb", 0),
        (".. csv-table:: T\n   :url: http://x\n\n   a,b\n", "", 1),
        ("- item\n\n  .. literalinclude:: x\n\n  more", "- item\n\n\n  more", 1),
        (".. |x| include:: y", "", 1),
        (".. note:: include:: x", ".. note:: include:: x", 0),
    ],
)
def test_directives_that_read_files_are_left_out(text, kept, left_out):
    assert without_includes("rst", text.replace("\n", "\r\n")) == (kept, left_out)


@pytest.mark.parametrize(
    ("text", "kept", "left_out"),
    [
        ("a\ninclude::x[]\nb", "a\nb", 1),
        ("include::http://x/{y}[lines=1..2]", "", 1),
        ("ifdef::x[shown]\nifeval::[1 == 1]\nb\nendif::[]", "shown\nb", 0),
        ("see include::x[] here", "see include::x[] here", 0),
    ],
)
def test_includes_and_conditions_are_left_out(text, kept, left_out):
    assert without_includes("asciidoc", text) == (kept, left_out)


def test_a_heading_that_the_file_does_not_show_stands_after_the_one_before():
    places = lines_of_headings("# A\n\n````\n# no\n```\n````\n# B\n\n#no\n\n# A\n", [(2, "A"), (9, "A")])
    assert [label for _, label in places] == ["line 1", "line 2", "after line 2", "line 9"]


def test_headings_are_numbered_where_a_file_has_no_lines():
    assert numbers_of_headings("x\n") == ((0, "beginning"),)


def test_underlines_show_headings():
    assert candidates_of("rst", "A\n==\n\n    x\n\n--\n\nB\n~ ~\nC\naa") == [(1, "A")]


# -- Word --------------------------------------------------------------------------------------------------------------


@NEEDS_CONVERT
@pytest.mark.process
def test_headings_of_a_word_file_become_headings():
    text, places, _ = read_with_pandoc("docx", docx("Before.", "# 鍵", "Use it.", "## Locks", [["a", "b"], ["1", "2"]]))
    assert text == "Before.\n\n# 鍵\n\nUse it.\n\n## Locks\n\n| a   | b   |\n|-----|-----|\n| 1   | 2   |\n"
    assert [label for _, label in places] == ["beginning", "heading 1", "heading 2"]


@NEEDS_CONVERT
@pytest.mark.process
def test_the_title_of_a_word_file_stands_above_its_headings():
    from io import BytesIO

    from docx import Document

    document = Document()
    document.add_heading("The plan", 0)
    document.add_heading("Use", 1)
    document.add_paragraph("Text.")
    data = BytesIO()
    document.save(data)
    assert read_with_pandoc("docx", data.getvalue())[0] == "# The plan\n\n## Use\n\nText.\n"


# -- the cache, and reading documents ----------------------------------------------------------------------------------


def test_link_of_a_heading_to_itself_is_no_part_of_it():
    page = page_content('<h2>URL<a href="#url">#</a></h2><p>C# <a href="x">#</a></p><h2>About #1 <a href="#a">a</a></h2>')
    assert [text for _, text in page.headings] == ["URL", "About #1 a"]
    assert "C# <a" in page.html
