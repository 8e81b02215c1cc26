"""The text of HTML elements that no browser shows is hidden, in any Markdown."""

import pytest

from indexer.dialects.markup import read_markup
from indexer.splitter import MarkdownSplitter


@pytest.mark.parametrize(
    "source",
    [
        "<span hidden>secret</span>",
        "a<span hidden>secret</span>b",
        'See <span style="color: red; Display : None">secret</span>.',
        "See <em style='visibility:hidden'>secret</em>.",
        "See <em style=display:none>secret</em>.",
        "<div hidden>\n\nA *secret*.\n\n</div>",
        '<div hidden="">\n<div>secret</div>\nsecret</div>',
        "<DIV HIDDEN>secret</DIV>",
        "<div>\n<p hidden=hidden>secret</p>\n</div>",
        "<div hidden>\n\n`</div>` secret\n\n```\n</div>\n```\n\nsecret</div>",
        "<template>\n\nsecret\n\n</template>",
        "<div hidden><details><summary>secret</summary>secret</details></div>",
        "<span hidden>\n\nsecret\n\n</span>",
        "> <div hidden>\n> secret\n>\n> secret\n> </div>",
        "- <div hidden>\n\n  secret\n  </div>",
        "- one\n\n  <div hidden>\n\n  secret\n  </div>",
        "<section>\n  <div hidden>\nsecret\n  </div>\n</section>",
        "# A <b hidden>secret</b>",
        "| <b hidden>secret</b> |\n|-|",
        "<p hidden>\nsecret\n</p>",
        "<p style='display:block; display:none'>secret</p>",
        "<p style='display:none !important; display:block'>secret</p>",
    ],
)
def test_text_of_an_element_that_no_browser_shows_is_hidden(source):
    shown = read_markup(source, ()).shown(source)
    assert "secret" not in shown
    assert len(shown) == len(source)


@pytest.mark.parametrize(
    "source",
    [
        "<details>\n<summary>Keys</summary>\n\nseen\n\n</details>",
        '<div hidden="until-found">seen</div>',
        '<div title="hidden" class="hidden">seen</div>',
        '<div style="display: block; mask: none; overflow-visibility: hidden">seen</div>',
        "<div hidden>never closed, so it is seen",
        "<span hidden>never closed\n\nseen</span>",
        "<hr hidden>seen",
        "`<span hidden>seen</span>`",
        "\\<span hidden>seen</span>",
        "<span hidden/>seen</span>",
        "<div aria-hidden=true>seen</div>",
        "<template #header>seen</template>",
        "<template slot=header>seen</template>",
        "<template shadowrootmode=open>seen</template>",
        "<div class=hidden>seen</div>",
        "<div class = hidden>seen</div>",
        "<div class=a=hidden>seen</div>",
        "<div data-hidden :hidden='a' v-show=a>seen</div>",
        "<input type=hidden>seen</input>",
        "<p style='display: none; display: block'>seen</p>",
        "<p style='display: block !important; display: none'>seen</p>",
        "<p style='/* display:none */'>seen</p>",
        "<p style='a: \"display:none'>seen</p>",
        "<p style='--a: display:none'>seen</p>",
        "<Summary hidden>seen</Summary>",
    ],
)
def test_text_of_other_elements_is_shown(source):
    assert "seen" in read_markup(source, ()).shown(source)


@pytest.mark.parametrize(
    "source",
    [
        "> <div hidden>\n> a\n\nseen\n\n</div>",
        "> > <div hidden>\n> > a\n>\n> seen\n> </div>",
        "- <div hidden>\n  a\n\nseen\n\n</div>",
        "1. a\n\n   <div hidden>\n   a\n\nseen\n\n</div>",
        "-\t<div hidden>\n\ta\n\nseen\n\n</div>",
        "# A <div hidden>b\n\nseen</div>",
        "# A <b hidden>b\nseen</b>",
        "- # A <b hidden>b\n  seen</b>",
        "a <b hidden>b\n# seen\nc</b>",
        "a <b hidden>b\n- seen\nc</b>",
        "a <b hidden>b\n> seen\nc</b>",
        "a <b hidden>b\n===\nseen</b>",
        "a <b hidden>b\n<div>c</div>\nseen</b>",
        "> a <b hidden>b\n> ***\n> seen</b>",
        "> a <b hidden>b\n>\n> seen</b>",
        "| <b hidden>a | seen</b> |\n|-|-|",
        "| <div hidden>a |\n|-|\n| seen</div> |",
        "a <cite hidden>b\n\nseen</cite>",
        "a\n<b hidden>\n\nseen</b>",
        "<p hidden>\n\nseen\n\n</p>",
        "<p hidden>a <div>b</div> seen</p>",
        "<p hidden>a<p>b</p>seen</p>",
        "-     <div hidden>seen</div>",
        ">     <div hidden>seen</div>",
        "> <p hidden>\nseen</p>",
        "a <div hidden>b\n---\nseen</div>",
        "a | b\n-|-\na | <b hidden>b\nseen</b>",
        "<details hidden>\\</details>seen</details>",
        "<div hidden>`</div>seen`</div>",
        "<div hidden>\n```\n</div>\nseen\n```\n</div>",
        "<label hidden>a</p>seen</label>",
        "<label hidden>a<ul><li>seen</ul></label>",
        "<b hidden><div hidden>a</b></div>seen</b>",
        "<section hidden>\n\n- <section>\n</section>seen</section>",
    ],
)
def test_markdown_and_blocks_end_what_is_not_seen(source):
    assert "seen" in read_markup(source, ()).shown(source)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<div><span hidden>a</div> seen</span>", "a seen"),
        ("<section><div hidden>a</section> seen</div>", "a seen"),
        ("<div hidden>a <p>b</div> seen</p>", "seen"),
        ("<div hidden>a</span> b</div> seen", "seen"),
        ("<span hidden>a <div>b</span> seen</div>", "a b seen"),
        ("<ul><li hidden>a<li>seen</ul>", "seen"),
        ("<ul><li>seen<li hidden>a</ul> seen", "seen seen"),
        ("<ul><li hidden>a<ul><li>b</ul>c</li><li>seen</ul>", "seen"),
        ("<dl><dt hidden>a<dd>seen</dl>", "seen"),
        ("<tr><td hidden>a<td>seen<tr><td>seen", "seen seen"),
    ],
)
def test_elements_end_as_in_a_browser(source, words):
    assert read_markup(source, ()).shown(source).split() == words.split()


@pytest.mark.parametrize(
    "source",
    [
        "<div style={isOpen ? {} : {display: 'none'}}>seen</div>",
        "<div style={{display: isOpen ? 'block' : 'none'}}>seen</div>",
        "<div style={{display: 'none', ...style}}>seen</div>",
        "<div style={{display: none}}>seen</div>",
        '<div hidden="">seen</div>',
        '<div hidden={"until-found"}>seen</div>',
        "<div hidden={ false }>seen</div>",
        "<div {...hidden}>seen</div>",
    ],
)
def test_element_of_jsx_that_may_be_shown_is_shown(source):
    assert "seen" in read_markup(source, ["mdx"]).shown(source)


@pytest.mark.parametrize(
    "source",
    [
        "<div hidden={ true }>secret</div>",
        "<div style={{ color: 'red', display: 'none' }}>secret</div>",
        "<p hidden>\n\nsecret\n\n</p>",
        "- <div hidden>\n\n  secret\n\n</div>",
    ],
)
def test_element_of_jsx_that_is_never_shown_is_hidden(source):
    assert "secret" not in read_markup(source, ["mdx"]).shown(source)


def test_hidden_of_components_and_expressions_is_not_guessed():
    source = "<Tab hidden>seen</Tab> <div hidden={isDone}>seen</div> <div style={{display: 'none'}}>secret</div>"
    assert read_markup(source, ["mdx"]).shown(source).split() == ["seen", "seen"]


def test_no_section_begins_in_a_hidden_element_and_lines_stay_right():
    split = MarkdownSplitter().parse("# A\n\n<div hidden>\n\n## Secret\n\nx\n\n</div>\n\n## B\n\ntext\n", "a.md")
    assert [(s.heading, s.start_line, s.end_line) for s in split.sections] == [("A", 1, 10), ("B", 11, 13)]
    assert "Secret" not in split.sections[0].text
    assert "Secret" in split.sections[0].content


def test_heading_is_read_without_its_hidden_elements():
    source = "# Keys <span hidden>secret</span> here\n\nText\n\nLocks <b hidden>secret</b>\n---\n"
    assert [s.heading for s in MarkdownSplitter().split(source, "a.md")] == ["Keys here", "Locks"]


@pytest.mark.parametrize(
    ("source", "headings"),
    [
        ("Locks\n<b hidden>secret</b>\nhere\n===\n", ["Locks here"]),
        ("Locks <b hidden>a\nb</b> here\n---\n", ["Locks here"]),
        ("<b hidden>secret</b> Locks\n===\n", ["Locks"]),
        ("_Locks_<b hidden>secret</b>\n===\n", ["Locks"]),
        ("<div hidden>secret</div>\nA\n===\n", []),
        ("Text\n<div hidden>secret</div>\nA\n===\n", []),
        ("<main hidden>\n# A\n</main>\n# B\n", []),
        ("<main hidden>\n\n# A\n\n</main>\n\n# B\n", ["B"]),
        ("a <b hidden>b\n# B\n</b>\n", ["B"]),
        ("# T <b hidden>x\n\ntext</b>\n", ["T x"]),
        ("<div hidden>\n\n```\n# A\n```\n\n# B\n\n</div>\n\n# C \ufdd0", ["C"]),
    ],
)
def test_hidden_element_ends_no_paragraph_and_no_html_around_it(source, headings):
    split = MarkdownSplitter().parse(source, "a.md")
    assert [section.heading for section in split.sections if section.depth] == headings


def test_heading_of_mdx_is_read_without_its_hidden_elements():
    source = "# Keys <b hidden>secret</b> here\n\n<div hidden>\n# A\n</div>\n# B\n"
    assert [s.heading for s in MarkdownSplitter().split(source, "a.mdx")] == ["Keys here", "B"]
