"""What dialects of Markdown mean, as the page draws it: callouts, tabs, components, titled code, includes."""

import html
import time

import pytest

from indexer.dialects.markup import read_markup
from schema.sections import blank_out
from search.server.callouts import closing, opening
from search.server.markup import plain_html, section_html
from search.server.shown import shown_text
from tests.unit.test_markup import assert_harmless


def text_of(source, dialects="", included=None):
    flat = read_markup(source, dialects.split()).hidden
    return shown_text(source, [list(span) for span in flat], 0, included=included)


def html_of(source, dialects="", included=None):
    return section_html(text_of(source, dialects, included), document_path="docs/a.md").replace("\n", "")


def box(kind, title, inside):
    return f'<div class="callout {kind}"><p class="title">{title}</p>{inside}</div>'


def fold(kind, title, inside, state=""):
    return f'<details class="callout {kind}"{state}><summary>{title}</summary>{inside}</details>'


def tab(title, inside):
    return f'<div class="tab"><p class="title">{title}</p>{inside}</div>'


ONE, TWO = "<p>one</p>", "<p>two</p>"
#: Name, dialects, source, HTML without line ends.
CASES = [
    ("alert of GitHub", "", "> [!NOTE]\n> one", box("note", "Note", ONE)),
    ("alert with a title", "", "> [!caution] Read *me*\n> one", box("warning", "Read <em>me</em>", ONE)),
    ("folded callout of Obsidian", "obsidian", "> [!tip]- Me\n> one", fold("tip", "Me", ONE)),
    ("unfolded callout of Obsidian", "obsidian", "> [!bug]+\n> one", fold("danger", "Bug", ONE, ' open=""')),
    ("callout with options", "obsidian", "> [!tip|wide] Me\n> one", box("tip", "Me", ONE)),
    (
        "callouts in each other", "obsidian", "> [!tip]\n> one\n>\n> > [!info]\n> > two",
        box("tip", "Tip", ONE + box("info", "Info", TWO)),
    ),
    ("kind that nobody knows", "", "> [!my-kind]\n> one", box("note", "My kind", ONE)),
    ("alert below the first line of a quote", "", "> one\n>\n> [!tip] two", f"<blockquote>{ONE}{TWO}</blockquote>"),
    ("quote that is no alert", "", "> one", f"<blockquote>{ONE}</blockquote>"),
    ("container of Docusaurus", "docusaurus", ":::tip[Me]\none\n:::\ntwo", box("tip", "Me", ONE) + TWO),
    ("container without a title", "docusaurus", ":::danger\none\n:::", box("danger", "Danger", ONE)),
    (
        "containers in each other", "docusaurus", "::::info\n:::tip\none\n:::\ntwo\n::::",
        box("info", "Info", box("tip", "Tip", ONE) + TWO),
    ),
    ("container that never ends", "docusaurus", ":::tip\none\n\ntwo", box("tip", "Tip", ONE + TWO)),
    ("end of a container that never began", "docusaurus", "one\n\n:::\n\ntwo", ONE + TWO),
    ("container in a list", "docusaurus", "- one\n\n  :::tip\n  two\n  :::", f"<ul><li>{ONE}{box('tip', 'Tip', TWO)}</li></ul>"),
    (
        "list ends before its container", "docusaurus", ":::tip\n- a\n\n  :::info\n  one\n\n:::\ntwo\n:::",
        box("tip", "Tip", f"<ul><li><p>a</p>{box('info', 'Info', ONE)}</li></ul>{TWO}"),
    ),
    ("container of VitePress", "vitepress", "::: warning Me\none\n:::", box("warning", "Me", ONE)),
    ("details of VitePress", "vitepress", "::: details Me\none\n:::", fold("note", "Me", ONE)),
    ("container that arranges", "vitepress", "::: raw\none\n:::", ONE),
    ("aside of Starlight", "starlight", ":::caution[Me]{icon='x'}\none\n:::", box("warning", "Me", ONE)),
    ("callout of Quarto", "quarto", '::: {.callout-tip title="Me"}\none\n:::', box("tip", "Me", ONE)),
    ("folded callout of Quarto", "quarto", '::: {.callout-note collapse="true"}\none\n:::', fold("note", "Note", ONE)),
    (
        "tabs of Quarto",
        "quarto",
        "::: {.panel-tabset}\n#### R\none\n##### deep\n```\n#### no\n```\n#### Py {#py}\none\n:::\n#### after",
        tab("R", ONE + "<h4>deep</h4><pre><code>#### no</code></pre>") + tab("Py", ONE) + "<h4>after</h4>",
    ),
    ("directive of MyST", "myst", "```{tip} Me\n:class: a\none\n```\ntwo", box("tip", "Me", ONE) + TWO),
    ("directive in colons", "myst", ":::{seealso}\none\n:::\ntwo", box("note", "See also", ONE) + TWO),
    (
        "directives in a directive", "myst",
        "````{note}\n```{figure} a.png\none\n```\n```{toctree}\na\n```\ntwo\n````\none", box("note", "Note", ONE + TWO) + ONE,
    ),
    (
        "tabs of MyST", "myst", "````{tab-set}\n```{tab-item} R\none\n```\n```{tab-item} Py\ntwo\n```\n````\none",
        tab("R", ONE) + tab("Py", TWO) + ONE,
    ),
    ("folded directive", "myst", "```{dropdown} Me\none\n```", fold("note", "Me", ONE)),
    ("version of MyST", "myst", "```{versionadded} 8.0\none\n```\ntwo", "<p>versionadded  8.0one</p>" + TWO),
    ("query in a note", "obsidian", "one\n\n```dataview\nx\n```\n\ntwo", ONE + TWO),
    ("other container of Quarto", "quarto", "::: {.column}\none\n:::", ONE),
    ("admonition of MkDocs", "mkdocs", '!!! note "Me"\n    one\n\ntwo', box("note", "Me", ONE) + TWO),
    ("folded admonition", "mkdocs", "??? danger\n    one", fold("danger", "Danger", ONE)),
    ("unfolded admonition", "mkdocs", "???+ tip\n    one", fold("tip", "Tip", ONE, ' open=""')),
    ("admonitions in a row", "mkdocs", "!!! tip\n    one\n!!! info\n    two", box("tip", "Tip", ONE) + box("info", "Info", TWO)),
    (
        "code in an admonition", "mkdocs", "!!! tip\n    ```\n    a\n        b\n    ```",
        box("tip", "Tip", "<pre><code>a    b</code></pre>"),
    ),
    ("tabs of MkDocs", "mkdocs", '=== "a"\n\n    one\n\n=== "b"\n\n    two', tab("a", ONE) + tab("b", TWO)),
    (
        "tabs of components", "mdx", "<Tabs>\n  <TabItem value='x' label=\"a\">\n    one\n  </TabItem>\n  <TabItem value='b'>two</TabItem>\n</Tabs>",
        tab("a", ONE) + tab("b", TWO),
    ),
    (
        "code group", "vitepress", "::: code-group\n```sh [a]\none\n```\n:::",
        tab("a", '<pre><code class="language-sh">one</code></pre>'),
    ),
    ("component with a name", "mdx", "<Pitfall>\n\none\n\n</Pitfall>\n\ntwo", box("warning", "Pitfall", ONE) + TWO),
    ("component with a type", "mdx", '<Aside type="tip" title="*Me*">one</Aside>', box("tip", "*Me*", ONE)),
    ("component in a sentence", "mdx", "one <Note>two</Note> three", "<p>one  two three</p>"),
    ("empty component in a sentence", "mdx", "<Note>\none <Note></Note> two\n</Note>\nthree", box("note", "Note", "<p>one   two</p>") + "<p>three</p>"),
    ("component that closes itself", "mdx", "<Note/><Tip>one</Tip>", box("tip", "Tip", ONE)),
    ("component that nobody knows", "mdx", "<Card>\n    one\n</Card>", ONE),
    ("elements that stay", "mdx", "<p>press <kbd>A</kbd><kbd>B</kbd></p>", "<p>press <kbd>A</kbd><kbd>B</kbd></p>"),
    ("line break alone", "mdx", "<br />\n*one*", "<p><em>one</em></p>"),
    ("elements that are indented", "", "<div>\n    <p>one</p>\n    two\n</div>", "<p>onetwo</p>"),
    ("half of an element", "", "a <em>b</em>\u306f", "<p>a <em>b</em>\u306f</p>"),
    ("half of an element that nobody closed", "", "H<b>2</b> a<i>b", "<p>H<b>2</b> ab</p>"),
    ("marks in code", "docusaurus", "```\n:::tip\n> [!NOTE]\n```", "<pre><code>:::tip&gt; [!NOTE]</code></pre>"),
    ("marks of another dialect", "", ":::tip\none\n:::\n\n!!! note", "<p>:::tipone:::</p><p>!!! note</p>"),
    ("component in an export", "mdx", "export const A = () => <Note>x</Note>\n\none", ONE),
    ("component in a comment", "mdx", "{/* <Note> */}\n\none", ONE),
]  # fmt: skip


@pytest.mark.parametrize(("dialects", "source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_markup_of_a_dialect_is_drawn(dialects, source, expected):
    assert html_of(source, dialects) == expected


def test_a_block_in_a_list_loses_its_own_indent_alone():
    source = "- a\n\n    !!! tip\n        one\n\n    two\n"
    start = source.index("    !!!")
    text = shown_text(source, [[start, source.index("\n", start)]], 0)
    html = section_html(text, document_path="a.md").replace("\n", "")
    assert html == f"<ul><li><p>a</p>{box('tip', 'Tip', ONE)}{TWO}</li></ul>"


def test_definitions_of_links_stay_for_the_links():
    source = "See [the book][b].\n\n[b]: https://example.org/b\n"
    hidden = [list(span) for span in read_markup(source, ()).hidden]
    assert hidden
    assert shown_text(source, hidden, 0) == source


def test_callout_that_begins_a_section_is_drawn():
    source = "## A {#id}\n\n!!! tip\n    one\n"
    hidden = [list(span) for span in read_markup(source, ["mkdocs"]).hidden]
    text = shown_text(source, hidden, source.index("one"))
    assert section_html(text, document_path="a.md").replace("\n", "") == box("tip", "Tip", ONE)


def test_callout_that_begins_a_document_is_drawn():
    source = "<Note>\n\none\n\n</Note>\n"
    hidden = [list(span) for span in read_markup(source, ["mdx"]).hidden]
    text = shown_text(source, hidden, source.index("one"))
    assert section_html(text, document_path="a.md").replace("\n", "") == box("note", "Note", ONE)


def test_text_on_the_line_of_something_hidden_is_shown_from_its_start():
    assert shown_text("# A\n\none", [], 5) == "one"
    assert shown_text("<b>A</b> one", [[0, 3], [4, 8]], 9) == "one"


def test_text_that_is_hidden_in_no_line_keeps_its_lines():
    assert shown_text("# A\r\none\r\ntwo", [], 5) == "one\r\ntwo"


def test_title_of_code_is_shown():
    assert section_html('```js title="a <b>.js"\nx\n```', document_path="a.md").replace("\n", "") == tab(
        "a &lt;b&gt;.js", '<pre><code class="language-js">x</code></pre>'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"- a\n\n  {opening('tip', 1)}\n  one\n\ntwo\n\n{closing(1)}", f"<ul><li><p>a</p>{box('tip', 'Tip', ONE)}</li></ul>{TWO}"),
        (f"{opening('tip', 1)}\n{opening('info', 2)}\none\n\n{closing(1)}\ntwo", box("tip", "Tip", box("info", "Info", ONE)) + TWO),
        (f"{closing(9)}\none", ONE),
        (f"    {opening('tip', 1)} x", "<pre><code> x</code></pre>"),
        (f"one {opening('tip', 1)} two", "<p>one  two</p>"),
    ],
)  # fmt: skip
def test_marks_that_are_not_paired_close_nothing_else(text, expected):
    assert section_html(text, document_path="a.md").replace("\n", "") == expected


def test_document_cannot_write_marks_itself():
    forged = "\ufdd01 tip =\ufdd1 me\n\n\ufdd0/1\ufdd1"
    assert html_of(forged) == "<p>\ufffd1 tip =\ufffd me</p><p>\ufffd/1\ufffd</p>".replace("\ufffd", html_of("\ufffd")[3:-4])


def test_plain_text_has_no_marks():
    assert plain_html(text_of("> [!tip] one", "")) == '<pre class="plain">&gt;   one</pre>\n'


# -- includes ----------------------------------------------------------------------------------------------------------


def test_included_lines_stand_in_their_fence():
    def included(directive, argument):
        return f"// {directive} {argument}\nfn main() {{}}"

    html = html_of("```rust,ignore\n{{#rustdoc_include a.rs:2:5}}\n```", "mdbook", included)
    assert html == ('<pre class="included"><code class="language-rust">// rustdoc_include a.rs:2:5fn main() {}</code></pre>')


def test_include_that_cannot_be_read_is_shown_as_it_is_written():
    assert html_of("```\n{{#include ../a.rs:main}}\n```", "mdbook", lambda *_: None) == (
        "<pre><code>{{#include ../a.rs:main}}</code></pre>"
    )
    written = "<!--@include: ./a.md-->"
    assert html_of(f"one\n\n{written}", "vitepress", lambda *_: None) == f"<p>one</p><p>{html.escape(written)}</p>"


def test_include_that_is_not_read_names_its_path():
    assert html_of('--8<-- "a.md:two"', "mkdocs") == "<p>(included from a.md)</p>"
    assert html_of("<<< @/a.ts#two{1}", "vitepress") == "<p>(included from @/a.ts)</p>"
    assert html_of("one {{#include a.md}}", "mdbook") == "<p>one (included from a.md)</p>"


def test_included_blocks_of_markdown_are_blocks():
    assert html_of("{{#include a.md}}", "mdbook", lambda *_: "## One\n\ntwo") == "<h4>One</h4><p>two</p>"
    assert html_of("- <<< ./a.ts\n", "vitepress") == "<ul><li>&lt;&lt;&lt; ./a.ts</li></ul>"


def test_included_lines_of_a_site_stand_in_their_fence():
    shown = html_of('```py\n--8<-- "a.py"\n```', "mkdocs", lambda *_: "x = 1")
    assert shown == '<pre class="included"><code class="language-py">x = 1</code></pre>'


def test_include_of_nothing_is_left_as_it_is_or_out():
    assert_harmless(html_of("a {{#include   }} b {{#include}} c {{#rustdoc_include :}}", "mdbook"))


def test_included_markdown_is_as_harmless_as_other():
    html = section_html(
        text_of("{{#include a.md}}", "mdbook", lambda *_: "<script>x</script>\n\ufdd01 tip =\ufdd1"), document_path="a.md"
    )
    assert_harmless(html)
    assert "callout" not in html


# -- hostile texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload", ["<script>alert(1)</script>", '" onclick="x', "[x](javascript:0)", "\u202e", "</p></div>"]
)
@pytest.mark.parametrize(
    ("dialects", "frame"),
    [
        ("", "> [!tip] {}\n> {}"),
        ("docusaurus", ":::tip[{}]\n{}\n:::"),
        ("docusaurus", ":::{}\n{}\n:::"),
        ("mkdocs", '!!! note "{}"\n    {}'),
        ("mkdocs", '=== "{}"\n    {}'),
        ("mdx", "<TabItem label='{}'>\n{}\n</TabItem>"),
        ("mdx", "<Aside type='{}' title='{}'>x</Aside>"),
        ("", "```js title='{}' [{}]\n{}\n```"),
        ("mdbook", "{{{{#include {}}}}}"),
    ],
)
def test_nothing_in_a_title_is_alive(dialects, frame, payload):
    assert_harmless(section_html(text_of(frame.replace("{}", payload), dialects), document_path="a.md"))


MANY = [
    ("docusaurus", ":::"), ("docusaurus", ":::tip\n"), ("docusaurus", ":::tip\n:::\n"), ("docusaurus", "::::"),
    ("mkdocs", "!!! note\n"), ("mkdocs", '=== "a"\n'), ("mdx", "<Note>\n"), ("mdx", "<Note>\n</Note>\n"), ("mdx", "</Note>\n"),
    ("mdx", "<TabItem label='a'>"), ("mdx", "<TabItem label='"), ("", "> [!tip]\n"), ("", "> [!tip]- "),
    ("", "> [!"), ("mdbook", "{{#include a.rs}}\n"), ("", "<div>\n    a\n"), ("", "<br>\n"), ("", "<em>"),
    ("", "```js ["), ("", "\ufdd0"), ("", "<p>\n- a\n    b\n"),
]  # fmt: skip


@pytest.mark.parametrize(("dialects", "part"), MANY)
@pytest.mark.usefixtures("untraced")
def test_a_great_many_marks_take_little_time(dialects, part):
    source = part * (100_000 // len(part))
    hidden = [list(span) for span in read_markup(source, dialects.split()).hidden]
    begun = time.process_time()
    text = shown_text(source, hidden, 0)
    html = section_html(text, document_path="a.md")
    assert time.process_time() - begun < 8  # half a second at most; coverage takes six times as long
    assert_harmless(html)


@pytest.mark.parametrize(
    ("dialects", "source"),
    [
        ("docusaurus", "".join(f"{':' * (200 - i)}tip\n" for i in range(190))),
        ("mdx", "<Note>\n" * 200 + "one"),
        ("mkdocs", "".join(f"{'    ' * i}!!! note\n" for i in range(100))),
        ("", "\n".join("> " * i + "[!tip]" for i in range(1, 100))),
    ],
)
def test_callouts_in_each_other_have_a_limit(dialects, source):
    html = section_html(text_of(source, dialects), document_path="a.md")
    assert 1 <= html.count('class="callout') <= 20
    assert_harmless(html)


def test_what_is_hidden_anywhere_breaks_nothing():
    source = "> [!tip] a\n:::tip[b]\n<Note>c</Note> {{#include x}} \n!!! note\n    d\n"
    for first in range(len(source)):
        for last in range(first + 1, min(first + 25, len(source))):
            text = shown_text(source, [[first, last]], 0)
            assert all(
                word in text for word in blank_out(source, (first, last)).split() if word.isalpha() and len(word) == 1
            )
