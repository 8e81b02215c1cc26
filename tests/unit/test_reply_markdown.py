"""Replies in Markdown: headings in every dress, where sections end, what the title is."""

import pytest

from indexer.llm.reply import parse_reply
from tests.replies import KNOWLEDGE, TRANSLATION, refusals

refusal, kind = refusals(KNOWLEDGE)


def document(heading):
    return f"# T\n\n{heading.format('要約')}\n\nS。\n\n{heading.format('内容')}\n\n本文"


T = {"title": "T", "summary": "S。", "content": "本文"}


@pytest.mark.parametrize(
    "heading",
    "## {}|### {}|# {}|##{}|＃＃ {}|##\u3000{}|## {} ##|## 1. {}|## 1) {}|## ① {}|## (1) {}|## 1.1 {}|## 一、{}|## Ⅱ. {}|## A. {}|## 第1章 {}|"
    "## Section: {}|## Step 2: {}|## **{}**|## __{}__|## `{}`|## **1. {}**|## 【{}】|## 「{}」|## [{}]|## {}:|## {}：|## 📝 {}|## 1️⃣ {}|"
    "## {} (Overview)|## <b>{}</b>|## {} {{#id}}|<h2>{}</h2>|{}\n---|**{}**|**{}:**|**{}**：|__{}__|【{}】|[{}]|1. **{}**|- **{}**|■ {}".split(
        "|"
    ),
)
def test_heading_is_known_in_every_dress(heading):
    assert parse_reply(document(heading), KNOWLEDGE) == T


@pytest.mark.parametrize(
    "heading",
    ["## {}: {}", "## {}：{}", "## **{}**: {}", "**{}**: {}", "**{}：** {}", "【{}】{}", "- **{}**: {}", "■ {}: {}"],
)
def test_text_on_the_line_of_its_heading_begins_the_field(heading):
    reply = f"# T\n\n{heading.format('要約', 'S。')}\n\n{heading.format('内容', '本')}\n文"
    assert parse_reply(reply, KNOWLEDGE) == {**T, "content": "本\n文"}


@pytest.mark.parametrize("name", ["要約 (Summary)", "Summary / 要約", "要約｜概要", "Ｓｕｍｍａｒｙ", "Summary [draft]"])
def test_name_in_two_languages_is_one_name(name):
    assert parse_reply(f"## {name}\n\nx", TRANSLATION) == {"summary": "x"}


@pytest.mark.parametrize(
    "heading",
    [
        "## 要約 / 内容",
        "## Summary of changes",
        "#summary",
        "####### 要約",
        "> ## 要約",
        "**要約** は",
        "【注】",
        "[要約](u)",
        "要約: x",
        "## " + "x" * 101,
        "    ## 要約",
        "<h2>要約",
        "x\n\n---",
        "- 要約\n\n---",
        "a\nb\n==",
        "**" + "x" * 200,
        "#",
        "## :::",
        "## **Note**: x",
    ],
)
def test_line_that_only_looks_like_a_heading_is_none(heading):
    assert kind(f"{heading}\n\nx", KNOWLEDGE) == "missing_field"


@pytest.mark.parametrize(
    ("reply", "record"),
    [
        ("```markdown\n{}\n```", T),
        ("以下です。\n\n~~~md\n{}\n~~~\n\n以上です。", T),
        ("```\n{}\n```", T),
        ("```markdown\n{}", T),
        ("```markdown\n{}\n\n```bash\n# 要約\n```\n\n完了\n```", {**T, "content": "本文\n\n```bash\n# 要約\n```\n\n完了"}),
        ("```markdown\n{}\n\n```\n# 要約\n```\n\n完了\n```", {**T, "content": "本文\n\n```\n# 要約\n```\n\n完了"}),
        ("````markdown\n{}\n\n```\ncode\n```\n````", {**T, "content": "本文\n\n```\ncode\n```"}),
        ("```\ncode\n```\n\n{}", T),
        ("```bash\n## 要約\n```\n\n{}", T),
        ("{}\n\n```text\n## 要約\n```", {**T, "content": "本文\n\n```text\n## 要約\n```"}),
        ("{}\n\n````text\n```\n## 要約\n````", {**T, "content": "本文\n\n````text\n```\n## 要約\n````"}),
        ("---\nlang: ja\n---\n\n{}", T),
        ("<!--\n## 要約\n-->\n{}", T),
        ("<!-- never closed\n{}", T),
        ("思考\n## 要約\nx\n</think>\n\n{}", T),
        ("{}\n\n---\n", T),
    ],
)
def test_what_stands_around_a_document_is_taken_off(reply, record):
    assert parse_reply(reply.format(document("## {}")), KNOWLEDGE) == record


@pytest.mark.parametrize(
    "reply", ["以下:\n```markdown\n{}\n```\ncode\n```\n完了\n```\n以上", "```markdown\n{}\n```\n\n```\n"]
)
def test_wrapper_that_can_end_in_two_places_is_malformed(reply):
    assert kind(reply.format(document("## {}")), KNOWLEDGE) == "malformed"


def test_code_fence_that_never_ends_is_truncated():
    assert kind(document("## {}") + "\n\n```bash\nx", KNOWLEDGE) == "truncated"
    assert kind(f"```markdown\n{document('## {}')}\n\n```bash\nx", KNOWLEDGE) == "truncated"


def test_too_many_lines_that_may_be_headings_are_malformed():
    assert kind("**a**\n" * 20_002, KNOWLEDGE) == "malformed"


@pytest.mark.parametrize(
    ("reply", "record"),
    [
        ("# T\n\n## 内容\n\n本文\n\n## 要約\n\nS。", T),
        ("# T\n\n## 要約\n\nS。\n\n## 注\n\nx\n\n## 内容\n\n本文", T),
        ("# T\n\n## 要約\n\nS。\n\n---\n\n## 内容\n\n本文\n\n***", T),
        ("# T\n\n**要約**\n\nS。\n\n**注**\n\nx\n\n**内容**\n\n本文", T),
        ("T\n===\n\n要約\n---\nS。\n\n注\n---\nx\n\n内容\n---\n本文", T),
        ("# T\n\n## 要約\n\nS。\n\n### 内容\n\n本文", T),
        ("# T\n\n## 要約\n\nS。\n\n## 概要\n\nx\n\n## 内容\n\n本文", T),
        ("# T\n\n### 要約\n\nx\n\n## 要約\n\nS。\n\n## 内容\n\n本文", T),
        ("# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文\n\n## Summary\n\nx", T),
        ("# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文\n\n## 注\n\nx", {**T, "content": "本文\n\n## 注\n\nx"}),
        ("# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文\n\n### 要約\n\nx", {**T, "content": "本文\n\n### 要約\n\nx"}),
        ("# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文\n\n**要約**: x", {**T, "content": "本文\n\n**要約**: x"}),
        ("# T\r\n\r\n## 要約\r\n\r\nS。\r\n\r\n## 内容\r\n\r\n| a |\r\n|---|", {**T, "content": "| a |\n|---|"}),
    ],
)
def test_each_section_ends_where_the_next_begins(reply, record):
    assert parse_reply(reply, KNOWLEDGE) == record


def test_only_section_ends_at_any_heading_of_its_level():
    assert parse_reply("## 要約\n\nx\n\n### y\n\nz\n\n## 注\n\nw", TRANSLATION) == {"summary": "x\n\n### y\n\nz"}


@pytest.mark.parametrize(
    "title",
    [
        "# T",
        "## T",
        "# T #",
        "# **T**",
        "T\n==",
        "# タイトル: T",
        "# タイトル\n\nT",
        "# 結果\n\n## Title\n<!-- x -->\nT",
        "注。\n# T",
        "## U\n\n# T",
        "# T\n\n## U",
        "**Title**: T",
        "# Title\n\n## T",
        "# Title\na\nb\n\n## T",
    ],
)
def test_title_is_the_first_heading_or_what_stands_under_its_name(title):
    assert parse_reply(f"{title}\n\n## 要約\nS。\n## 内容\n本文", KNOWLEDGE) == T


def test_bold_line_is_a_title_only_above_bold_headings():
    assert parse_reply("**T**\n\n**要約**\nS。\n\n**内容**\n本文", KNOWLEDGE) == T
    assert kind("**T**\n\n## 要約\nS。\n\n## 内容\n本文", KNOWLEDGE) == "missing_field"


@pytest.mark.parametrize(
    "reply",
    [
        "## 要約\n\nS。\n\n## 内容\n\n本文",
        "#\n\n## 要約\n\nS。\n\n## 内容\n\n本文",
        "# タイトル\n\n## 要約\n\nS。\n\n## 内容\n\n本文",
        "# T\n\n## 要約\n\nS。",
        "# T\n\n## 要約\n\nS。\n\n## 内容\n",
        "# T\n\n## 要約\n\n## 内容\n\n本文",
        "# T\n\n## 要約\n\n---\n\n## 内容\n\n本文",
        "# T\n\n## 内容\n\n本文\n\n### 要約\n\nS。",
    ],
)
def test_section_that_is_missing_or_blank_is_a_missing_field(reply):
    assert kind(reply, KNOWLEDGE) == "missing_field"


@pytest.mark.parametrize("reply", ['{"summary": " S。 "}', '<think>x</think>{"summary": "S。"}'])
def test_json_with_the_fields_as_keys_is_read_in_every_format(reply):
    assert parse_reply(reply, TRANSLATION) == {"summary": "S。"}


@pytest.mark.parametrize("reply", ['{"summary": 1}', '{"summary": "x", "y": "z"}', '{"summary": " "}', '{"summary": "x"'])
def test_json_of_another_shape_is_no_markdown(reply):
    assert kind(reply, TRANSLATION) == "missing_field"
