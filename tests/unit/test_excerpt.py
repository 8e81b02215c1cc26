"""The text that a snippet shows of what an author typed: blanks, marks, links and badges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from search.context.excerpt import excerpt_of
from search.context.units import units


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Attention : ratio 1 : 2 !", "Attention : ratio 1 : 2 !"),
        ("one <!-- two -->, three", "one, three"),
        ("one `a<!--b-->c` two", "one `a<!--b-->c` two"),
        ("one\n, three", "one, three"),
        ("[build](a.md) and [b][c]", "build and b"),
        ("[![build](https://ci.example.com/b.svg)](https://ci.example.com) logo", "build logo"),
        ("![plan](plan.png) of it", "plan of it"),
        ("see [ \n text](a.md) here", "see text here"),
        ("see [](xref:guide/analytics) and [](#an-id).", "see guide/analytics and an-id."),
        ('see [](../guide/a.md "A") and [](https://example.com/b).', "see guide/a.md and https://example.com/b."),
        ("a plan ![](plan.png)of [![](b.svg)](https://example.com)it [](), here", "a plan of it , here"),
        ("`[a](b)` stays", "`[a](b)` stays"),
        ("1. Drain it. Slowly.\n2. Refill it.", "1. Drain it. Slowly.\n2. Refill it."),
        ("-   one\n\n    more\n    - two", "- one\nmore\n- two"),
        ("> * quoted", "* quoted"),
        ("・one", "・one"),
        (r"a snake\_case and 5 \* 3 \> 2", "a snake_case and 5 * 3 > 2"),
        (r"the folder C:\temp and \\share", r"the folder C:\temp and \share"),
        (r"`a\_b` stays", r"`a\_b` stays"),
        (r"the density $p(x \,|\, y)$ of a\_b", r"the density $p(x \,|\, y)$ of a_b"),
        (r"it costs $5 and \$6", "it costs $5 and $6"),
        ("Q&amp;A of Vec&lt;T&gt;,&nbsp;too&#33;", "Q&A of Vec<T>, too!"),
        ("&unknown; and R&D; stay", "&unknown; and R&D; stay"),
        ("no &#27;[31m and no &#8238; of a text", "no &#27;[31m and no &#8238; of a text"),
        (r"[a\_b](c\_d.md) here", "a_b here"),
    ],
)
def test_text_is_what_a_reader_sees(typed, shown):
    assert text_of(f"# Guide\n\n{typed}\n") == shown


@given(st.text(alphabet="ab日 \t\n.,>", max_size=40))
def test_text_is_the_same_whether_something_below_is_hidden_or_not(typed):
    body = f"# Guide\n\nIt is {typed}\n\n"
    assert text_of(f"{body}end\n") == text_of(f"{body}end\n\n<!-- more -->\n")


def text_of(source):
    section = MarkdownSplitter().split(source, "a.md")[0]
    found = list(units(section.text, section.body_offset, len(section.text), hidden=section.hidden))
    return excerpt_of(section, found, ()).text
