"""The code that is shown with a passage: which lines, from where, and where none is."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.results import Window
from search.context.excerpt import MAX_SENTENCE
from search.context.highlight import find_matches
from search.context.snippet import snippet_of

#: A sentence that no snippet has room for.
LONG = "Nothing of interest is said " + "in this plain and very long sentence " * 12 + "here."
#: A sentence for which there is no room behind `SAID`, but which is not longer than code may be away.
APART = LONG[:300] + "."
#: Sentences of a passage that has no room for a line of code of 70 characters, which the snippet has.
FULL = "A yank is explained in a sentence of this length, which ends here. " * 5
SAID = "A `yank` calls `third` at last, which is said in a sentence that is about a hundred characters long, as here."


def shown(body, query="yank", *, heading="Publishing", passage=None):
    section = MarkdownSplitter().split(f"# {heading}\n\n{body}", "a.md")[0]
    weights = dict.fromkeys(query.split(), 1.0)
    return snippet_of(section, query, weights, find_matches(section.content, weights), passage=passage)


def fenced(*lines, info="console"):
    return "\n".join([f"```{info}", *lines, "```"])


# -- where code is shown -----------------------------------------------------------------------------------------------


def test_command_right_behind_the_passage_is_shown_where_it_names_nothing():
    found = shown(f"{LONG}\n\nTo be rid of a yank, type:\n\n{fenced('$ cargo undo')}\n\n{LONG}")
    assert found.text == "To be rid of a yank, type:\n$ cargo undo"


def test_code_right_behind_the_passage_is_shown_without_a_common_name():
    command = f"$ cargo undo {'-' * 58}"
    assert shown(f"{FULL}\n\n{fenced(command)}\n\n{LONG}").text == f"{FULL.strip()}\n{command}"


def test_code_behind_the_passage_goes_before_code_above_it():
    command = f"undo({'-' * 65})"
    body = f"{LONG}\n\n{fenced('undo(1)', info='js')}\n\n{FULL}It is `undo`.\n\n{fenced(command, info='js')}\n\n{LONG}"
    assert shown(body).text.endswith(f"It is `undo`.\n{command}")


def test_nearer_code_goes_before_code_farther_away():
    calls = [fenced(f"third({i})", info="js") for i in range(2)]
    found = shown(f"{LONG}\n\n{calls[0]}\n\n{APART}{LONG[:90]}.\n\n{SAID}\n\n{APART}\n\n{calls[1]}\n\n{LONG}")
    assert found.text == f"{SAID}\n…\nthird(1)"


@pytest.mark.parametrize(("info", "command"), [("text", "$ cargo yank"), ("bash", "cargo yank"), ("{.sh}", "cargo yank")])
def test_command_farther_away_is_shown(info, command):
    code = fenced(command, info=info)
    assert shown(f"{SAID}\n\n{LONG}\n\n{LONG}\n\n{code}\n\n{LONG}").text == f"{SAID}\n…\n{command}"


def test_command_farther_away_is_shown_for_an_option_that_the_section_tells_of():
    told = f"{LONG} Use `--whole-crate`."
    found = shown(f"{SAID}\n\n{told}\n\n{LONG}\n\n{fenced('$ cargo remove --whole-crate')}")
    assert found.text == f"{SAID}\n…\n$ cargo remove --whole-crate"


def test_first_of_several_commands_farther_away_is_shown():
    calls = f"{fenced('$ cargo yank 1')}\n\nOr `undo` it:\n\n{fenced('$ cargo yank 1 --undo')}"
    assert shown(f"{SAID}\n\n{LONG}\n\n{LONG}\n\n{calls}\n\n{LONG}").text == f"{SAID}\n…\n$ cargo yank 1"


def test_shorter_line_is_shown_where_the_better_one_is_too_long():
    code = fenced("yank(2)", f"yank(third, {'1, ' * 130})", info="js")
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == f"{SAID}\n…\nyank(2)"


def test_line_above_code_of_the_passage_is_shown_once():
    code = fenced(*["x = 1"] * 200, "third(0)", "yank(1)", info="python")
    assert shown(f"{code}\n\nIt calls `third`.\n\n{LONG}").text == "third(0)\nyank(1)\nIt calls `third`."


def test_what_is_left_out_before_the_code_is_told():
    found = shown(f"{SAID}\n\n{APART}\n\n{fenced('$ cargo yank --vers 1.0.1')}\n\n{LONG}")
    assert found.text == f"{SAID}\n…\n$ cargo yank --vers 1.0.1"
    assert (found.start_line, found.end_line) == (3, 8)


def test_command_before_the_passage_is_shown_if_the_passage_names_it():
    found = shown(f"{LONG}\n\n{fenced('$ cargo undo')}\n\nThis yank is undone by `undo`.\n\n{LONG}")
    assert found.text == "$ cargo undo\nThis yank is undone by `undo`."


@pytest.mark.parametrize(
    ("lines", "info", "above"),
    [
        (["undo(1)"], "js", ["undo(1)"]),
        (["undo(1)", "stop()"], "js", ["undo(1)", "stop()"]),
        (["undo(1)", "stop()", "more()"], "js", ["undo(1)", "stop()", "more()"]),
        (["undo(1)", "stop()", "more()" * 60], "js", []),
        (["cargo undo", "cargo stop", "cargo more"], "sh", ["cargo undo", "cargo stop", "…"]),
        (["$ cargo undo", "$ stop", "$ more"], "text", ["$ cargo undo", "$ stop", "…"]),
    ],
)
def test_code_before_the_passage_is_a_command_or_the_whole_of_a_short_block(lines, info, above):
    found = shown(f"{LONG}\n\n{fenced(*lines, info=info)}\n\nThis yank is undone by `undo`.\n\n{LONG}")
    assert found.text.split("\n") == [*above, "This yank is undone by `undo`."]


def test_lines_that_name_what_the_prose_names_are_shown_rather_than_others():
    code = fenced("a = first();", "b = second();", "c = third();", "close(all);", info="rust")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text.split("\n")[-2:] == ["c = third();", "close(all);"]


def test_names_of_the_passage_count_more_than_those_of_other_prose():
    code = fenced("others();", "filler();", "third();", info="rust")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\nThen `others` are called. {LONG}")
    assert found.text.split("\n")[-1] == "third();"


def test_names_of_other_prose_count():
    code = fenced("filler();", "filler();", "others();", info="rust")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\nThen `others` are called. {LONG}")
    assert found.text.split("\n")[-1] == "others();"


def test_nearest_of_equal_lines_is_shown():
    code = fenced("third(1);", "filler();", "third(2);", info="rust")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text.split("\n")[-2:] == ["third(1);", "filler();"]


def test_two_lines_are_shown_at_most():
    code = fenced("yank(1)", "yank(2)", "yank(3)", info="python")
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == f"{SAID}\n…\nyank(1)\nyank(2)"


def test_command_that_goes_on_is_shown_with_all_its_lines():
    code = fenced("$ cargo yank \\", "    --vers 1.0.1 \\", "    --force", "done")
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == (
        f"{SAID}\n…\n$ cargo yank \\\n    --vers 1.0.1 \\\n    --force"
    )


def test_line_that_fits_is_shown_without_the_one_below_that_does_not():
    code = fenced("yank(1)", f"yank({'1, ' * 130})", info="python")
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == f"{SAID}\n…\nyank(1)"


def test_command_in_a_quotation_is_shown_without_the_mark_of_the_quote():
    code = "> ```console\n> $ cargo yank\n>     Updating\n> ```"
    assert shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}").text == f"{SAID}\n…\n$ cargo yank"


# -- where it is not ---------------------------------------------------------------------------------------------------


def test_output_behind_a_command_is_not_shown():
    code = fenced("    Updating the yank of cargo", "$ cargo yank", "    Updating the yank of cargo")
    found = shown(f"{SAID}\n\n{APART}\n\n{code}\n\n{LONG}")
    assert found.text == f"{SAID}\n…\n$ cargo yank"


def test_code_of_the_step_before_is_not_shown():
    deleted = fenced("rm -rf everything", info="sh")
    body = (
        f"{LONG}\n\nTo delete it:\n\n{deleted}\n\nTo do a yank, run this:\n\n{fenced('cargo y 1.0.1', info='sh')}\n\n{LONG}"
    )
    assert shown(body).text == "To do a yank, run this:\ncargo y 1.0.1"


@pytest.mark.parametrize(
    "far",
    [
        f"{LONG}\n\n{LONG}\n\n{LONG}\n\n{LONG}\n\n{fenced('$ cargo yank')}",
        f"{LONG}\n\n{LONG}\n\n{fenced('unrelated(yank)', info='js')}",
        f"{LONG}\n\n{LONG} Use `cargo`.\n\n{fenced('$ cargo third-party')}",
        f"{SAID}\n\n{APART}\n\n#### Elsewhere\n\n{fenced('$ cargo yank')}",
        f"{APART}\n\n{fenced('unrelated()', info='python')}\n\n{LONG}",
        fenced(f"$ cargo yank {'--option ' * 60}"),
        f"{APART}\n\n{fenced('$ cargo yank <<EOF', 'text', 'EOF')}",
        fenced('"yank": "1.0"', info="json package.json hidden"),
    ],
    ids=[
        "far away",
        "no command and farther away",
        "a command farther away that names little",
        "below another heading",
        "names nothing",
        "too long",
        "text follows",
        "not shown on the page",
    ],
)
def test_no_code_is_shown_that(far):
    body = f"{SAID}\n\n{far}\n\n{LONG}"
    assert shown(body).text.split("\n")[0] == SAID
    assert not any(sign in shown(body).text for sign in ("$ cargo", "unrelated", '"1.0"'))


def test_passage_of_code_is_not_continued_upwards_by_lines_that_name_nothing():
    code = fenced(*["x = 1"] * 200, "yank(crate)", info="python")
    assert shown(f"{code}\n\n{LONG}").text.startswith("yank(crate)")


@pytest.mark.parametrize(
    "code",
    [
        fenced(f"$ cargo yank {'--quiet ' * 20}"),
        fenced("yank(1,", " " * 160 + "1)", info="python"),
        fenced("yank {", *["\t\t\tcall(yank)"] * 36, info="go"),
        fenced("yank {", *["\t\t\tcall(yank)"] * 30, info="go"),
    ],
    ids=["long line", "indented far", "tabs", "tabs in a short section"],
)
def test_passage_and_code_have_no_more_characters_than_a_long_sentence(code):
    words = "A yank is explained in a sentence of this length, which ends here. " * 5
    assert len(shown(f"{LONG}\n\n{words}\n\n{code}\n\n{LONG}").text) <= MAX_SENTENCE
    assert len(shown(code).text) <= MAX_SENTENCE


# -- code that the page hides ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "info",
    ['html title="hidden-field.html"', "css title='un hidden'", 'css title="a hidden word"', "js {hidden}", "js hiddenly"],
)
def test_hidden_is_a_word_of_its_own(info):
    assert shown(f"{fenced('yank(1)', info=info)}\n\n{LONG}").text.startswith("yank(1)")


def test_hidden_code_is_shown_where_there_is_nothing_else():
    assert shown(fenced("yank(1)", info="js hidden")).text == "yank(1)"


def test_hidden_code_that_begins_far_above_is_not_shown():
    hidden = fenced(*['"filler": "1.0",'] * 900, '"yank": "1.0"', info="json package.json hidden")
    body = f"{hidden}\n\nA yank.\n\n{LONG}"
    begin = len("# Publishing\n\n") + body.index("A yank.")
    assert shown(body, passage=Window(begin, begin + 7)).text == "A yank."
