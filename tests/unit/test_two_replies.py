"""Replies that hold two documents or answers: the first one is read where it has an end, and none where words can be of either."""

import pytest

from indexer.llm.reply import Field, ReplyError, ReplySpec, parse_reply
from tests.replies import JSON, KNOWLEDGE, SUMMARY, refusals

refusal, kind = refusals(JSON)
REPORT = ReplySpec(format="tags", fields=(Field("SALES_ANALYSIS"), Field("SUMMARY"), Field("RISKS", required=False)))

FIRST = "# A\n\n## Summary\n\ns1\n\n## Content\n\nc1\n\n"
SECOND = "# B\n\n## Summary\n\ns2\n\n## Content\n\nc2"


@pytest.mark.parametrize(
    "reply",
    [
        FIRST + SECOND,
        FIRST + FIRST,
        FIRST + "---\n\n" + SECOND,
        FIRST + "## Option 2\n\n" + SECOND,
        FIRST.replace("##", "###") + SECOND,
        FIRST + SECOND.replace("##", "###"),
        FIRST.replace("##", "#") + SECOND.replace("##", "#"),
        FIRST + "# B\n\n## Content\n\nc2\n\n## Summary\n\ns2",
        FIRST + "B\n===\n\nSummary\n---\ns2\n\nContent\n---\nc2",
        FIRST + "## Summary\n\ns2",
        "**Title**: A\n**Summary**: s1\n**Content**: c1\n\n**Title**: B\n**Summary**: s2\n**Content**: c2",
        "```\n" + FIRST + "```\n\n```\n" + SECOND + "\n```",
        "```markdown\n" + FIRST + "```\n\nOr:\n\n```markdown\n" + SECOND + "\n```",
    ],
)
def test_first_of_two_documents_ends_where_the_second_begins(reply):
    assert parse_reply(reply, KNOWLEDGE) == {"title": "A", "summary": "s1", "content": "c1"}


def test_headings_of_the_last_section_stay_with_it_before_a_second_document():
    reply = FIRST + "### More\n\nx\n\n" + SECOND
    assert parse_reply(reply, KNOWLEDGE) == {"title": "A", "summary": "s1", "content": "c1\n\n### More\n\nx"}


@pytest.mark.parametrize(
    "reply",
    [
        FIRST + "Here is another version:\n\n" + SECOND,
        FIRST + "---\n\nAlternatively\n\n" + SECOND,
        FIRST + "```markdown\n" + SECOND + "\n```",
        "# A\n\n## Summary\n\ns1\n\n" + SECOND,
    ],
)
def test_words_that_can_belong_to_either_document_are_malformed(reply):
    assert refusal(reply, KNOWLEDGE).kind == "malformed"


@pytest.mark.parametrize(
    "reply",
    [
        "<<SECTION:SUMMARY>>S.<</SECTION:SUMMARY>>",
        "[[SECTION:SUMMARY]]S.[[/SECTION:SUMMARY]]",
        "{SECTION:SUMMARY}S.{/SECTION:SUMMARY}",
        "〈SECTION:SUMMARY〉S.〈/SECTION:SUMMARY〉",
        "<!-- SECTION:SUMMARY -->S.<!-- /SECTION:SUMMARY -->",
        '<section id="SUMMARY">S.</section>',
        '<SECTION: "SUMMARY">S.</SECTION>',
        "<SECTION:[SUMMARY]>S.</SECTION:[SUMMARY]>",
        "<SECTION:SUMMARY:>S.</SECTION:SUMMARY:>",
        "<SECTION:SUMMARY>S.<\\SECTION:SUMMARY>",
        "<SECTION:SUMMARY>S.<SECTION:/SUMMARY>",
        "<SECTION:SUMMARY>S.<END SECTION:SUMMARY>",
        "[SECTION:SUMMARY]\nS.\n[END SECTION]",
        "> <SECTION:SUMMARY>\n> S.\n> </SECTION:SUMMARY>",
        "## SUMMARY\n\nS.",
        "**Summary**: S.",
        "SUMMARY: S.",
        '```json\n{"SUMMARY": "S."}\n```',
        "Sure: {'summary': 'S.'}",
    ],
)
def test_sections_in_another_dress_are_read(reply):
    assert parse_reply(reply, SUMMARY) == {"SUMMARY": "S."}


@pytest.mark.parametrize("name", ["SALES ANALYSIS", "SALES-ANALYSIS", "SalesAnalysis", "SALES\\_ANALYSIS", "sales_analysis"])
def test_name_of_a_section_may_be_written_in_another_way(name):
    reply = f"<SECTION:{name}>x</SECTION:{name}><SECTION:SUMMARY>S.</SECTION:SUMMARY>"
    assert parse_reply(reply, REPORT) == {"SALES_ANALYSIS": "x", "SUMMARY": "S."}


def section(name, text):
    return f"<SECTION:{name}>{text}</SECTION:{name}>"


@pytest.mark.parametrize(
    "reply",
    [
        section("TITLE", "A") + section("SUMMARY", "s1") + section("TITLE", "B") + section("SUMMARY", "s2"),
        section("SUMMARY", "s1") + section("TITLE", "A") + section("SUMMARY", "s2") + section("TITLE", "B"),
    ],
)
def test_first_of_two_replies_in_tags_is_read(reply):
    assert parse_reply(reply, SUMMARY) == {"TITLE": "A", "SUMMARY": "s1"}


def test_section_of_a_second_reply_in_tags_is_no_part_of_the_first():
    reply = section("SUMMARY", "s1") + section("SUMMARY", "s2") + section("TITLE", "B")
    assert parse_reply(reply, SUMMARY) == {"SUMMARY": "s1"}


def test_section_between_two_replies_in_tags_is_malformed():
    reply = section("SUMMARY", "s1") + section("TITLE", "B") + section("SUMMARY", "s2")
    assert refusal(reply, SUMMARY).kind == "malformed"


def test_headings_in_a_section_that_nobody_asked_for_are_no_sections():
    assert refusal("<SECTION:OTHER>\n## SUMMARY\n\nS.\n</SECTION:OTHER>", SUMMARY).kind == "missing_field"
    assert refusal("==SECTION:SUMMARY==\nS.\n==/SECTION:SUMMARY==", SUMMARY).kind == "missing_field"


@pytest.mark.parametrize("raw", ["0｛}", "｛]", "Reply: ｛}]}"])
def test_wide_bracket_that_an_ascii_one_closes_is_an_error_and_no_crash(raw):
    with pytest.raises(ReplyError):
        parse_reply(raw, ReplySpec("markdown", (Field("summary"),)))
