"""Replies in tagged sections: raw text inside, tags as models write them, what is cut off."""

import pytest

from indexer.llm.reply import Field, ReplySpec, parse_reply
from tests.replies import SUMMARY, refusals

REPORT = ReplySpec(format="tags", fields=(Field("ANALYSIS"), Field("SUMMARY"), Field("RISKS", required=False)))


refusal, kind = refusals(SUMMARY)


def section(text, name="SUMMARY"):
    return f"<SECTION:{name}>{text}</SECTION:{name}>"


RAW = 'He said "hi" \\n & <b>x</b> {y} &lt; a < b ]]> <SECTION:FOO>\n\n| t |\n|---|\n\n```\n</SECTION:SUMMARY>\n```\n\tend'


def test_inside_a_section_all_is_text():
    assert parse_reply(section(f"\n{RAW}\n"), SUMMARY) == {"SUMMARY": RAW}


@pytest.mark.parametrize(
    "reply",
    [
        "Here:\n```text\n" + section("S.") + "\n```\nDone <3",
        "I use `<SECTION:SUMMARY>` tags: " + section("S."),
        section("n", "NOTES") + section("S."),
        f"<SECTION:OUTER>{section('S.')}</SECTION:OUTER>",
        section("S.") + section("again"),
        section("") + section("S."),
        "</SECTION:TITLE>" + section("S."),
        section("S.") + "<SECTION:TITLE/>",
        "<section:Summary>S.</SECTION:summary>",
        "< SECTION : SUMMARY\n>S.</ SECTION:SUMMARY >",
        '<SECTION:SUMMARY id=1 class="a>b">S.</SECTION:SUMMARY>',
        "## <SECTION:SUMMARY>\nS.\n## </SECTION:SUMMARY>",
        "**<SECTION:SUMMARY>**\nS.\n**</SECTION:SUMMARY>**",
        "<SECTION:SUMMARY>" + section("S.") + "</SECTION:SUMMARY>",
        "<think>" + section("draft") + "</think>" + section("S."),
    ],
)
def test_section_is_found_whatever_stands_around_it(reply):
    assert parse_reply(reply, SUMMARY) == {"SUMMARY": "S."}


@pytest.mark.parametrize(
    "reply",
    [
        "<SECTION:SUMMARY>S.</SECTION>",
        "<SECTION:SUMMARY>S.</SUMMARY>\nDone.",
        "<SECTION:SUMMARY>S.</>",
        "<SECTION:SUMMARY>S.</SECTION:SUMARY>",
        '<SECTION name="SUMMARY">S.</SECTION>',
        "<SUMMARY>S.</SUMMARY>",
        "[SECTION:SUMMARY]S.[/SECTION:SUMMARY]",
        "＜SECTION：SUMMARY＞S.＜/SECTION：SUMMARY＞",
        "\\<SECTION:SUMMARY\\>S.\\</SECTION:SUMMARY\\>",
        "\\<SECTION:SUMMARY>S.\\</SECTION:SUMMARY>",
        "&lt;SECTION:SUMMARY&gt;S.&lt;/SECTION:SUMMARY&gt;",
        "<SECTION-SUMMARY>S.</SECTION_SUMMARY>",
        "`<SECTION:SUMMARY>`S.`</SECTION:SUMMARY>`",
        "</SUMMARY><SUMMARY>S.</SUMMARY>",
        "<SUMMARY>S.</SUMMARY> <OTHER/>",
        "[SECTION:NOTES]n[/SECTION:NOTES]\n[SECTION:SUMMARY]S.[/SECTION:SUMMARY]",
    ],
)
def test_tags_as_models_misspell_them_are_read(reply):
    assert parse_reply(reply, SUMMARY) == {"SUMMARY": "S."}


@pytest.mark.parametrize(
    "reply",
    [
        section("x", "ANALYSIS") + section("S."),
        section("S.") + section("x", "ANALYSIS"),
        "<SECTION:ANALYSIS>x\n" + section("S."),
        "<SECTION:ANALYSIS>x</SECTION:SUMMARY>\n" + section("S."),
        "<SECTION:ANALYSIS>x</SECTION><SECTION:SUMMARY>S.</SECTION>",
    ],
)
def test_each_section_ends_at_its_tag_or_where_the_next_begins(reply):
    assert parse_reply(reply, REPORT) == {"ANALYSIS": "x", "SUMMARY": "S."}


def test_tags_in_a_code_fence_of_another_section_are_text():
    code = "```\n" + section("fake") + "\n```"
    assert parse_reply(section(code, "ANALYSIS") + section("S."), REPORT) == {"ANALYSIS": code, "SUMMARY": "S."}


def test_code_fence_ends_with_its_own_sign():
    code = "~~~~\n```\n~~~\n</SECTION:SUMMARY>\n~~~~"
    assert parse_reply(section(f"\n{code}\n"), SUMMARY) == {"SUMMARY": code}


def test_code_fence_on_the_line_of_its_tag_counts():
    assert parse_reply(section("~~~\n</SECTION:SUMMARY>\n~~~\n"), SUMMARY) == {"SUMMARY": "~~~\n</SECTION:SUMMARY>\n~~~"}


def test_code_fence_that_never_ends_hides_nothing_where_tags_pair_one_way():
    assert parse_reply(section("\n```\nx\n"), SUMMARY) == {"SUMMARY": "```\nx"}
    reply = section("\n```\nx\n", "ANALYSIS") + "\n" + section("\n```\ny\n")
    assert parse_reply(reply, REPORT) == {"ANALYSIS": "```\nx", "SUMMARY": "```\ny"}
    assert kind(section("\n```\nx\n") * 2, SUMMARY) == "truncated"


def test_text_that_ends_with_a_backslash_keeps_it():
    assert parse_reply(section("C:\\"), SUMMARY) == {"SUMMARY": "C:\\"}


@pytest.mark.parametrize(
    "reply",
    [
        "<SECTION:SUMMARY>S.",
        "<SECTION:SUMMARY>S.<",
        "<SECTION:SUMMARY>S.</SECTION",
        "<SECTION:SUMMARY>S.</SECTION:SUMMARY",
        "<SECTION:SUMM",
        section("T", "TITLE") + "<SECTION:SUMMARY>S.",
        section("S.") + "<SECTION:TITLE>T",
        section("S.") + "<SECTION:NOTES>n",
        "<SECTION:OUTER>" + section("S."),
        "<SECTION:SUMMARY>Use <>x</> in React",
        "<SECTION:SUMMARY>S.</FOO>",
        "<SECTION:SUMMARY>S.</SECTION:SU>",
        "<SECTION:SUMMARY>S.</SECTION:SPECIALITY>",
        "<SECTION:SUMMARY>S.<SECTION:SUMMARY>",
        "<SECTION:SUMMARY>S.<SECTION:TITLE/>",
        "<SECTION:SUMMARY\n",
        "<SECTION:SUMMARY>\n```\n" + "</SECTION:SUMMARY>\n```\nmore",
    ],
)
def test_reply_that_ends_inside_a_section_or_tag_is_truncated(reply):
    assert kind(reply, SUMMARY) == "truncated"


@pytest.mark.parametrize(
    "reply",
    [
        f"<SECTION:TITLE>x{section('S.')}y</SECTION:TITLE>",
        "<SECTION:SUMMARY>x</SECTION:TITLE>y</SECTION:SUMMARY>",
        "I use <SECTION:SUMMARY> tags: " + section("S."),
        "<SECTION:SUMMARY>x\n" + section("n", "NOTES"),
        section("S.") * 10_001,
    ],
)
def test_sections_that_can_be_read_in_two_ways_are_malformed(reply):
    assert kind(reply, SUMMARY) == "malformed"


@pytest.mark.parametrize(
    "reply",
    [
        "no tags",
        "SECTION:SUMMARY S.",
        "S.</SECTION:SUMMARY>",
        "<SECTION:SUMMARY/>",
        section(" \n"),
        section("x", "OTHER"),
        "<summary>S.</summary>",
    ],
)
def test_section_that_is_missing_or_empty_is_a_missing_field(reply):
    error = refusal(reply, SUMMARY)
    assert error.kind == "missing_field"
    assert "sections SUMMARY are needed" in str(error)


def test_section_may_have_other_names():
    spec = ReplySpec(format="tags", fields=(Field("SUMMARY", aliases=("要約",)),))
    assert parse_reply(section("S.", "要約"), spec) == {"SUMMARY": "S."}


def test_section_of_another_name_that_begins_twice_and_ends_once_is_cut_off():
    assert refusal(f"{section('S.')}\n<SECTION:OTHER><SECTION:OTHER>x</SECTION:OTHER>", SUMMARY).kind == "truncated"


@pytest.mark.parametrize("text", ["The key : the value", "# : # x", "A: b : c"])
def test_colon_within_the_text_below_a_label_stays(text):
    assert parse_reply(f"Summary\n{text}", SUMMARY) == {"SUMMARY": text}


def test_colon_that_begins_a_definition_goes():
    assert parse_reply("Summary\n: the text", SUMMARY) == {"SUMMARY": "the text"}


@pytest.mark.parametrize(
    "mention",
    [
        "I'll put it between <SECTION:SUMMARY> and </SECTION:SUMMARY>.",
        "It goes inside <SECTION:SUMMARY>your summary</SECTION:SUMMARY>:",
        "要約は<SECTION:SUMMARY>ここ</SECTION:SUMMARY>に書きます。",
        "The tags are <SECTION:TITLE>a</SECTION:TITLE> and <SECTION:SUMMARY>b</SECTION:SUMMARY>.",
        "<SECTION:SUMMARY>...</SECTION:SUMMARY>",
        "<SECTION:SUMMARY>…</SECTION:SUMMARY>:",
    ],
)
def test_section_in_a_sentence_or_of_dots_alone_is_only_mentioned(mention):
    assert kind(mention) == "missing_field"
    assert parse_reply(f"{mention}\n\n<SECTION:SUMMARY>\nS.\n</SECTION:SUMMARY>", SUMMARY) == {"SUMMARY": "S."}


@pytest.mark.parametrize("text", ["The plan is to move in May, and to pay later.", "五月に引っ越す計画です。"])
def test_section_with_a_sentence_of_its_own_between_words_of_a_line_is_read_where_it_is_the_only_one(text):
    inline = f"Sure! <SECTION:SUMMARY>{text}</SECTION:SUMMARY> That is all."
    assert parse_reply(inline, SUMMARY) == {"SUMMARY": text}
    assert kind(f"{inline}\n\n<SECTION:SUMMARY>\nS.\n</SECTION:SUMMARY>") == "malformed"


def test_section_with_words_on_one_side_is_read_where_no_other_has_its_name():
    assert parse_reply("Here: " + section("S."), SUMMARY) == {"SUMMARY": "S."}
    assert parse_reply(section("S.") + " I hope it helps.", SUMMARY) == {"SUMMARY": "S."}


@pytest.mark.parametrize("first", ["Format: " + section("x"), section("x") + " is the format."])
def test_section_with_words_on_one_side_before_another_of_its_name_is_malformed(first):
    assert kind(f"{first}\n\n{section('S.')}") == "malformed"
