"""The code that is shown with a passage: which lines, from where, and where none is."""

import pytest

from indexer.splitter import MarkdownSplitter
from search.context.highlight import find_matches
from search.context.snippet import snippet_of

#: A sentence that no snippet has room for.
LONG = "Nothing of interest is said " + "in this plain and very long sentence " * 12 + "here."
#: A sentence for which there is no room behind `SAID`, but which is not longer than code may be away.
APART = LONG[:300] + "."
SAID = "A `yank` calls `third` at last, which is said in a sentence that is about a hundred characters long, as here."


def shown(body, query="yank", *, heading="Publishing"):
    section = MarkdownSplitter().split(f"# {heading}\n\n{body}", "a.md")[0]
    weights = dict.fromkeys(query.split(), 1.0)
    return snippet_of(section, query, weights, find_matches(section.content, weights))


def fenced(*lines, info="console"):
    return "\n".join([f"```{info}", *lines, "```"])


def test_command_behind_the_passage_is_shown_over_what_stands_between():
    found = shown(f"{SAID}\n\n{APART}\n\n{fenced('$ cargo yank --vers 1.0.1')}\n\n{LONG}")
    assert found.text.split("\n")[-1] == "$ cargo yank --vers 1.0.1"
    assert (found.start_line, found.end_line) == (3, 8)


def test_command_before_the_passage_is_shown_before_it():
    found = shown(f"{LONG}\n\n{fenced('$ cargo fmt')}\n\nThis yank is undone by it.\n\n{LONG}")
    assert found.text.split("\n")[:2] == ["$ cargo fmt", "This yank is undone by it."]


def test_lines_that_name_what_the_prose_names_are_shown_rather_than_others():
    code = fenced("let a = first();", "let b = second();", "let c = third();", "close(all);", info="rust")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text.split("\n")[-2:] == ["let c = third();", "close(all);"]


def test_output_behind_a_command_is_not_shown():
    code = fenced("    Updating the yank of cargo", "$ cargo yank", "    Updating the yank of cargo")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text.split("\n")[-1] == "$ cargo yank"
    assert "Updating" not in found.text


def test_two_lines_are_shown_at_most():
    code = fenced("yank(1)", "yank(2)", "yank(3)", info="python")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text == f"{SAID}\nyank(1)\nyank(2)"


def test_line_that_fits_is_shown_without_the_one_below_that_does_not():
    code = fenced("yank(1)", f"yank({'1, ' * 130})", info="python")
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == f"{SAID}\nyank(1)"


@pytest.mark.parametrize(
    "far",
    [
        f"{LONG}\n\n{LONG}\n\n{fenced('$ cargo yank')}",
        f"#### Elsewhere\n\n{fenced('$ cargo yank')}",
        f"{APART}\n\n{fenced('unrelated()', info='python')}\n\n{LONG}",
        fenced(f"$ cargo yank {'--option ' * 60}"),
        fenced('"yank": "1.0"', info="json package.json hidden"),
    ],
    ids=["far away", "below another heading", "names nothing", "too long", "not shown on the page"],
)
def test_no_code_is_shown_that(far):
    body = f"{SAID}\n\n{far}\n\n{LONG}"
    assert shown(body).text.split("\n")[0] == SAID
    assert not any(sign in shown(body).text for sign in ("$ cargo", "unrelated", '"1.0"'))


def test_passage_of_code_is_not_continued_upwards_by_lines_that_name_nothing():
    code = fenced(*["x = 1"] * 200, "yank(crate)", info="python")
    assert shown(f"{code}\n\n{LONG}").text.startswith("yank(crate)")


def test_passage_and_code_have_no_more_characters_than_a_section_that_is_shown_whole():
    words = "A yank is explained in a sentence of this length, which ends here. " * 6
    found = shown(f"{words}\n\n{fenced('$ cargo yank --vers 1.0.1 --registry the-one-of-ours --quiet --locked')}\n\n{LONG}")
    assert len(found.text) <= 480
