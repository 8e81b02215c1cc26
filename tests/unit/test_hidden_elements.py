"""The text of HTML elements that no browser shows is hidden, in any Markdown."""

import pytest

from indexer.dialects import read_markup
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
        "<div hidden>`</div>` secret\n\n```\n</div>\n```\n\nsecret</div>",
        "<template>\n\nsecret\n\n</template>",
        "<div hidden><details><summary>secret</summary>secret</details></div>",
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
    ],
)
def test_text_of_other_elements_is_shown(source):
    assert "seen" in read_markup(source, ()).shown(source)


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
