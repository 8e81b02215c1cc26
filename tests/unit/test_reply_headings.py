"""Headings with the names of fields inside the texts of fields: they stay there, or the reply is refused."""

import pytest

from indexer.llm.reply import KNOWLEDGE, Field, ReplySpec, parse_reply
from tests.replies import TRANSLATION, refusals

refusal, kind = refusals(KNOWLEDGE)


def record(summary, content, title="T"):
    return {"title": title, "summary": summary, "summary_content": content}


@pytest.mark.parametrize(
    "lower", ["**Details**", "### Details", "#### 詳細", "【内容】", "**내용**", "- **Details**: y", "### 1. Body"]
)
def test_lower_heading_inside_a_summary_stays_there_where_the_content_has_a_higher_one(lower):
    reply = f"# T\n\n## Summary\n\nS.\n\n{lower}\n\n- x\n\n## Content\n\nC."
    assert parse_reply(reply, KNOWLEDGE) == record(f"S.\n\n{lower}\n\n- x", "C.")


def test_lower_heading_inside_the_content_stays_there_where_the_summary_has_a_higher_one():
    reply = "# T\n\n## Content\n\nC.\n\n### Summary\n\nx\n\n## Summary\n\nS."
    assert parse_reply(reply, KNOWLEDGE) == record("S.", "C.\n\n### Summary\n\nx")


def test_lower_headings_inside_the_summaries_of_two_records_stay_there():
    reply = "# T\n\n## Summary\n\nS.\n\n### Details\n\nx\n\n## Content\n\nC.\n\n"
    assert parse_reply(reply + reply, KNOWLEDGE) == record("S.\n\n### Details\n\nx", "C.")


def test_lower_content_of_two_records_is_read_where_none_has_a_higher_one():
    reply = "# T\n\n## Summary\n\nS.\n\n### Content\n\nC.\n\n"
    assert parse_reply(reply + reply, KNOWLEDGE) == record("S.", "C.")


def test_lower_content_before_another_summary_and_a_higher_content_is_malformed():
    assert kind("# T\n\n## Summary\n\nS.\n\n### Details\n\nx\n\n## Summary\n\ns\n\n## Content\n\nC.") == "malformed"


@pytest.mark.parametrize("heading", ["## {}", "## 1. {}", "# {}", "**{}**"])
def test_second_heading_of_the_content_is_a_part_of_it(heading):
    summary, content, details, body = map(heading.format, ("Summary", "Content", "Details", "Body"))
    reply = f"# T\n\n{summary}\n\nS.\n\n{content}\n\nC.\n\n{details}\n\nD.\n\n{body}\n\nB."
    assert parse_reply(reply, KNOWLEDGE) == record("S.", f"C.\n\n{details}\n\nD.\n\n{body}\n\nB.")


def test_second_heading_of_the_content_before_the_summary_is_a_part_of_the_content():
    reply = "# T\n\n## Content\n\nC.\n\n## Details\n\nD.\n\n## Summary\n\nS."
    assert parse_reply(reply, KNOWLEDGE) == record("S.", "C.\n\n## Details\n\nD.")


def test_second_record_with_its_content_first_is_cut_off_below_its_own_title():
    reply = "# T\n\n## Summary\n\nS.\n\n## Content\n\nC.\n\n# U\n\n## Content\n\nc\n\n## Summary\n\ns"
    assert parse_reply(reply, KNOWLEDGE) == record("S.", "C.")


@pytest.mark.parametrize(
    "reply",
    [
        "## Content\n\nC.\n\n## Summary\n\nS.\n\n## Details\n\nD.",
        "## Summary\n\nS.\n\n## Content\n\nC.\n\n## Details\n\nD.\n\n## Summary\n\ns",
        "## Summary\n\nS.\n\n## Content\n\nC.\n\n# U\n\n## Details\n\nD.",
        "### Summary\n\nS.\n\n### Content\n\nC.\n\n## Details\n\nD.",
    ],
)
def test_second_heading_of_the_content_that_may_be_of_another_record_is_malformed(reply):
    assert kind(f"# T\n\n{reply}") == "malformed"


@pytest.mark.parametrize(
    "block",
    [
        "<pre>\n## Summary\n\n**Details**\n</pre>",
        "<script type='x'>\n# U\n\n## Summary\n</script>",
        "<STYLE>\n## Summary\n</STYLE>",
        "<textarea>\n\nSummary\n---\n</textarea>",
        "<div>\n## Summary\n</div>",
        "<div class='x'>\n<div>y</div>\n## Summary\n</div>",
        "<details>\n<summary>x</summary>\n## Summary\n",
        "<table>\n```\n## Summary\n\n## Content\n```\n</table>",
        "<pre>\n## Summary\n\nnever closed",
    ],
)
def test_heading_in_a_block_of_html_is_text(block):
    text = f"{block}\n\nC."
    assert parse_reply(f"# T\n\n## Summary\n\nS.\n\n## Content\n\n{text}", KNOWLEDGE) == record("S.", text)


@pytest.mark.parametrize(
    "text", ["<p>S.</p>", "<div>\nS.\n</div>", "<p>S.\n", "</div>", "<hr>", "<p/>", "<b>", "<preface>", "x <pre>"]
)
def test_heading_after_a_block_of_html_counts(text):
    assert parse_reply(f"# T\n\n## Summary\n{text}\n## Content\nC.", KNOWLEDGE) == record(text.strip(), "C.")


def test_heading_of_html_in_a_block_of_html_counts():
    reply = "<div>\n<h1>T</h1>\n<h2>Summary</h2>\nS.\n<h2>Content</h2>\nC."
    assert parse_reply(reply, KNOWLEDGE) == record("S.", "C.")


EXAMPLE = "See:\n\n```{}\n# U\n\n## Summary\n\nu\n\n## Content\n\nv\n```"


@pytest.mark.parametrize("label", ["markdown", "md", "text", ""])
def test_fence_inside_the_content_stays_there_with_the_fields_that_it_shows(label):
    text = EXAMPLE.format(label) + "\n\nThen save it."
    assert parse_reply(f"# T\n\n## Summary\n\nS.\n\n## Content\n\n{text}", KNOWLEDGE) == record("S.", text)


def test_fence_with_a_record_at_the_end_of_another_or_before_its_content_is_malformed():
    assert kind("# T\n\n## Summary\n\nS.\n\n## Content\n\n" + EXAMPLE.format("md")) == "malformed"
    assert kind("# T\n\n## Summary\n\nS.\n\n" + EXAMPLE.format("md") + "\n\n## Content\n\nC.") == "malformed"


def test_fence_that_repeats_the_only_field_of_a_reply_is_malformed():
    assert kind("## Summary\n\nS.\n\n```md\n## Summary\n\ns\n```\n\nDone.", TRANSLATION) == "malformed"


@pytest.mark.parametrize(
    "above",
    [
        "# 1) Analysis\n\nx\n\n# 2) Answer\n\n## T",
        "# Analysis\n\nx\n\n# T",
        "# A\n\n## B\n\n# C\n\n## T",
        "# T\n\n## A\n\n## B",
    ],
)
def test_title_is_the_heading_above_the_first_field_where_several_are_the_highest(above):
    assert parse_reply(f"{above}\n\n### Summary\n\nS.\n\n### Content\n\nC.", KNOWLEDGE) == record("S.", "C.")


def test_first_of_several_titles_without_fields_is_the_title():
    fields = (Field("title", source="h1"), Field("summary", required=False))
    assert parse_reply("# A\n\n# B", ReplySpec("markdown", fields)) == {"title": "A"}
