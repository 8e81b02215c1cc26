"""Replies of language models: what is read, what is repaired, what is refused and with which error."""

import pickle

import pytest

from indexer.llm.reply import (
    Field,
    ReplyError,
    ReplySpec,
    extract_json_from_code_block,
    extract_section,
    parse_markdown_response,
    parse_reply,
)

JSON = ReplySpec()
KNOWLEDGE = ReplySpec(
    format="markdown",
    fields=(
        Field("title", aliases=("タイトル", "Title"), source="h1"),
        Field("summary", aliases=("要約", "概要", "Summary")),
        Field("content", aliases=("内容", "Content")),
    ),
)
TRANSLATION = ReplySpec(format="markdown", fields=(Field("summary", aliases=("要約", "Summary")),))
REPORT = ReplySpec(format="tags", fields=(Field("ANALYSIS"), Field("SUMMARY"), Field("RISKS", required=False)))
SUMMARY = ReplySpec(format="tags", fields=(Field("TITLE", required=False), Field("SUMMARY")))
A = {"a": 1}


def refusal(reply, spec=JSON, **options):
    with pytest.raises(ReplyError) as caught:
        parse_reply(reply, spec, **options)
    return caught.value


def kind(reply, spec=JSON):
    return refusal(reply, spec).kind


# JSON: where the object stands


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": 1}',
        'Sure: {"a": 1} Done.',
        '```json\n{"a": 1}\n```',
        '```JSON {"a": 1} ```',
        '```{"a": 1}```',
        '````{"a": 1}```',
        "~~~json\n" + '{"a": 1}\n~~~',
        '``` json\n{"a": 1}\n```',
        '```{.json}\n{"a": 1}\n```',
        '```json title="x"\n{"a": 1}\n```',
        '1. Result:\n\n   ```json\n   {"a": 1}\n   ```',
        '> ```json\n> {"a": 1}\n> ```',
        '````markdown\n```json\n{"a": 1}\n```\n````',
        '<answer>{"a": 1}</answer>',
        '[{"a": 1}, {"a": 2}]',
        'It is [ {"a": 1} ].',
        '{{"a": 1}}',
        '{"a": 1}}',
        'The set {a, b} is {"a": 1} (see {1})',
        'f(x) = {x : x > 0} {"a": 1}',
        '"An odd quote and {"a": 1}',
        '"quoted" {"a": 1}',
        '{"title": ..., "n": ...} is {"a": 1}',
        '{"key": value} is {"a": 1}',
        '{css: 1px} is {"a": 1}',
    ],
)
def test_object_is_found_whatever_stands_around_it(reply):
    assert parse_reply(reply, JSON) == A


@pytest.mark.parametrize(
    "reply",
    [
        'First {"x": 1}\n```\n{"a": 1}\n```',
        '```\n{"x": 1}\n```\n```json\n{"a": 1}\n```',
        '```python\nx = {"x": 1}\n```\n{"a": 1}',
        '```bash\ncurl -d \'{"x": 1 2}\'\n```\n{"a": 1}',
        '```js\n{x: 1}\n```\n```json\n{"a": 1}\n```',
        'Options {x: 1}, then {"a": 1}',
        'Use ```bun test``` first.\n{"a": 1}',
        '```text\nUse ```x``` and\n```bash\nls\n```\n```\n{"a": 1}',
    ],
)
def test_better_place_wins_over_an_earlier_one(reply):
    assert parse_reply(reply, JSON) == A


def test_fence_of_another_language_is_the_last_place_to_look():
    assert parse_reply('```python\nx = {"a": 1}\n```', JSON) == A


def test_fences_and_braces_inside_texts_are_text():
    reply = 'Here:\n```json\n{"t": "A\\n```json\\n{\\"x\\": 1}\\n```\\n}"}\n```\nok'
    assert parse_reply(reply, JSON) == {"t": 'A\n```json\n{"x": 1}\n```\n}'}


def test_first_of_several_objects_is_the_answer():
    assert parse_reply('{"a": 1}{"a": 2}\n{"a": 3} ```', JSON) == A


def test_after_many_objects_nothing_more_is_read():
    assert parse_reply('{"a": 1}\n' * 10_002 + '```json\n{"a": 2}\n```', JSON) == A


# reasoning, channels, special tokens


@pytest.mark.parametrize(
    "reply",
    [
        '<think>{"x": 1}</think>{"a": 1}',
        '<THINKING>\n{"x": 1}\n</THINKING>\n{"a": 1}',
        '<think><think>{"x": 1}</think>{"x": 2}</think>{"a": 1}',
        '<think>x</think>\n<reasoning>{"x": 1}</reasoning>{"a": 1}',
        '<think>Close with "</think>" {"x": 1}</think>{"a": 1}',
        '◁think▷{"x": 1}◁/think▷{"a": 1}',
        'Let me think.\n<think>{"x": 1}</think>{"a": 1}',
        'Draft {"x": 1}\n</think>\n{"a": 1}',
        '<|channel|>analysis<|message|>{"x": 1}<|end|><|start|>assistant<|channel|>final<|message|>{"a": 1}<|return|>',
        '<|channel|>final <|constrain|>json<|message|>{"a": 1}',
        'analysis{"x": 1}assistantfinal{"a": 1}',
        'assistant\n\n{"a": 1}<|eot_id|>',
        '<start_of_turn>model\n{"a": 1}<end_of_turn>\n</s>',
        '\ufeff\u200b\u3000{"a": 1}\0\0',
    ],
)
def test_what_is_not_the_answer_is_taken_off(reply):
    assert parse_reply(reply, JSON) == A


def test_model_that_talks_on_is_not_listened_to():
    reply = "## 要約\nx<|im_end|>\n<|im_start|>user\nmore"
    assert parse_reply(reply, TRANSLATION) == {"summary": "x"}


def test_marks_of_reasoning_inside_the_answer_are_text():
    assert parse_reply('{"a": "</think>\n<think>"}', JSON) == {"a": "</think>\n<think>"}
    assert parse_reply("## 要約\nUse <think> and </think> here", TRANSLATION) == {"summary": "Use <think> and </think> here"}
    assert parse_reply("## 要約\nUse `</think>`\nhere", TRANSLATION) == {"summary": "Use `</think>`\nhere"}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n\t\u3000",
        "<|im_end|>",
        "<think>x</think>",
        '<think>{"a": 1}',
        "<think>" * 3 + "</think>",
        '<|channel|>analysis<|message|>{"a": 1}<|end|>',
        "</s>" * 30,
        "<think></think>" * 101,
    ],
)
def test_nothing_but_reasoning_is_no_answer(reply):
    if reply.startswith("</s>"):
        assert kind(reply) == "no_json"  # so many are no end
    else:
        assert kind(reply) == "empty_reply"


# JSON: repairs


@pytest.mark.parametrize(
    ("reply", "record"),
    [
        ('{"a": 1, // c\n "b": 2 /* d */ }', {"a": 1, "b": 2}),
        ('{\n# c\n"a": 1 <!-- d -->}', A),
        ('{"u": "http://x", "b": None}', {"u": "http://x", "b": None}),
        ("{'a': None, 'b': True, 'c': ['x']}", {"a": None, "b": True, "c": ["x"]}),
        ('{"a": undefined, "b": FALSE}', {"a": None, "b": False}),
        ("{'a': 'it's', 'b': \"it's\"}", {"a": "it's", "b": "it's"}),
        ("{'a': 'it\\'s'}", {"a": "it's"}),
        ("{'a': 'rock 'n' roll'}", {"a": "rock 'n' roll"}),
        ("{`a`: `b`}", {"a": "b"}),
        ("{“a”: “b”, „c“: „d“, ‘e’: ‘f’}", {"a": "b", "c": "d", "e": "f"}),
        ("{“a”: “say “b” now”}", {"a": "say “b” now"}),
        ('{"a": "x”, "b": "y"}', {"a": "x", "b": "y"}),
        ('{a: "b: c", n_1: 1}', {"a": "b: c", "n_1": 1}),
        ('{"a": 1 "b": 2,, "c": 3,}', {"a": 1, "b": 2, "c": 3}),
        ('{"a": ["x" "y",], "b": []}', {"a": ["x", "y"], "b": []}),
        ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}),
        ('{"a"："x"，"b"：1；"c": 2、"d" = 3}', {"a": "x", "b": 1, "c": 2, "d": 3}),
        ('｛"a"：［1］｝', {"a": [1]}),
        ('{\u3000"a"\xa0=>\u30001}', A),
        (
            '{"a": 007, "b": +1, "c": .5, "d": 2., "e": 0x1F, "f": -1e-2}',
            {"a": 7, "b": 1, "c": 0.5, "d": 2.0, "e": 31, "f": -0.01},
        ),
        ('{"a": [1, 2, ...], "b": [3, …, 4], "c": ["x", ...]}', {"a": [1, 2], "b": [3, 4], "c": ["x"]}),
        ('{"a": "the "b", waiting", "c": 1}', {"a": 'the "b", waiting', "c": 1}),
        ('{"a": "[L]("u")", "b": "say "c""}', {"a": '[L]("u")', "b": 'say "c"'}),
        ('{"a": ["the "x", y", "z"]}', {"a": ['the "x", y', "z"]}),
        ('{"a": """x "y"\nz""", }', {"a": 'x "y"\nz'}),
        ('{"a": "x" + "y", "b": ["z" + \'w\']}', {"a": "xy", "b": ["zw"]}),
        (
            '{"a": "C:\\dir", "b": "\\d+\\n", "c": "\\u00e9\\ud83d\\ude00\\u12"}',
            {"a": "C:\\dir", "b": "\\d+\n", "c": "é😀\\u12"},
        ),
        ('{"a": 1, COMMENT OF A MODEL "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x", and then "b": 2}', {"a": "x", "b": 2}),
        ('{"a": {"b": [{"c": 1,}]},}', {"a": {"b": [{"c": 1}]}}),
        ('{"a": {},\n"b": [ ],}', {"a": {}, "b": []}),
    ],
)
def test_what_can_mean_one_object_only_is_repaired(reply, record):
    assert parse_reply(reply, JSON) == record


@pytest.mark.parametrize(
    ("reply", "record"),
    [
        ('"{\\"a\\": 1}"', A),
        ('```json\n"{\\"a\\": 1}"\n```', A),
        ('{\\"a\\": \\"b\\"}', {"a": "b"}),
        ("{&quot;a&quot;: &#34;b&#x22;}", {"a": "b"}),
        ('1 {\n2   "a": {"b": 1}\n\n3 }', {"a": {"b": 1}}),
        ('```json\n1: {\n2:   "a": 1\n3: }\n```', A),
        ('"a": {"b": 1}}', {"a": {"b": 1}}),
        ('a": {"b": 1}}\nDone', {"a": {"b": 1}}),
        ('```json\n"a": {"b": 1}}\n```', {"a": {"b": 1}}),
    ],
)
def test_object_in_another_wrapping_is_unwrapped(reply, record):
    assert parse_reply(reply, JSON) == record


# JSON: refusals


@pytest.mark.parametrize(
    "reply",
    [
        "{",
        '{"ti',
        '{"title"',
        '{"title": "x", "summ',
        '{"title":',
        '{"title": "x",',
        '{"a": "x\\',
        '{"a": tru',
        '{"a": 12',
        '{"a": ["b"',
        '{"a": """x',
        '{"a": {"b": 1}',
        '```json\n{"a": "b\n```',
        '```json\n{"ti\n```',
        'It is: {"a": [{"b": 1}, {"b": 2}, {"b',
        '[{"a": 1}, {"a": 2}',
        '{"a": "b" \n\nI hope this helps!',
        '{"a": "b", "c": "d\n\n{"a": "b", "c": "d"}',
        '"a": {"b": 1}',
        '{title: "x", sub: {"a": 1}',
    ],
)
def test_object_that_never_ends_is_truncated(reply):
    assert kind(reply) == "truncated"


@pytest.mark.parametrize(
    "reply",
    [
        '{"a": [1, 2}',
        '[{"a": 1}, 2}',
        '{"a": 1 2}',
        '{"a": "b" "c"}',
        '{"a": }',
        '{"a": , "b": 1}',
        '{"a":: 1}',
        '{"a": 1, "b" 2}',
        '{"a": 1, ,}',
        '{"a": 1, ...}',
        '{"a": ...}',
        '{"a": b c}',
        '{"a": "x" y}',
        '{"a": """x""" y}',
        '{"a": "b", "c"}',
        '{"a": "he said "no", "b": 1}',
        '{"a": "5" tall", "b": "6" wide", "c": 1}',
        "{'a': 'the users' names', 'b': 1}",
        '{"a": "x”}, "b": "y"}',
        '{"a": "C:\\dir\\new"}',
        '{"a": "b\\\nc", }',
        '{"a": [1,000]}',
        '{"a": 1,000}',
        '{"a": 50%}',
        '{"a": 2026-01-01}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 1e999, }',
        '{"a": ' + "1" * 5000 + "}",
        '{"a": "\\ud800"}',
        '{"a": "\\ud800",}',
        '{"a": "' + 'x"' * 1001 + '"}',
        '"{\\"a\\": 1 2}"',
        '{1: {"a": 2}}',
        'It is "a": {"b": 1}, "c": 2}',
        '```json\n{"a": 1 2}\n```\nIt fits {"type": "object"}',
        '{"a": 1 2} fits {"type": "object"}',
        '{"a": x}' * 200,
        '｛"a"：1 2｝ {"b": 1}',
        '1 {\n2 "a": 1 2\n3 }',
    ],
)
def test_object_with_no_reading_or_two_is_malformed(reply):
    assert kind(reply) == "malformed"


@pytest.mark.parametrize(
    "reply",
    [
        "I cannot help with that.",
        "42",
        '"text"',
        '["a", "b"]',
        "{a b c} and {d e f}",
        '{"a"}',
        "Use {name}.",
        "```json\n\n```",
        '\\"no\\" object \\x',
        "{" * 5 + " x",
        '```json\n"\\x"\n```',
        "```\n" * 100_001,
        "1 one\n3 three",
        "1 one\nx",
    ],
)
def test_reply_without_an_object_says_so_in_the_words_of_the_specification(reply):
    error = refusal(reply)
    assert (error.kind, str(error)) == ("no_json", "JSON形式の応答がありません")


def nested(levels):
    return '{"a":' * levels + "1" + "}" * levels


def test_a_hundred_levels_are_read_and_more_are_too_deep():
    assert parse_reply(nested(100), JSON)
    assert parse_reply(nested(99) + ",}", JSON)
    assert kind(nested(101)) == "too_deep"
    assert kind("It is " + nested(101)) == "too_deep"
    assert kind(nested(5000)) == "too_deep"
    assert kind("{'a':" + nested(100) + "}") == "too_deep"
    assert kind("[" + nested(5000) + "]") == "too_deep"


def test_reply_above_ten_megabytes_is_too_large():
    text = "あ" * 3_333_330
    assert parse_reply(f'{{"a":"{text}"}}', JSON) == {"a": text}
    assert kind(f'{{"a":"{text}"   }}') == "too_large"
    assert kind("x" * 10_000_001) == "too_large"


# JSON: fields and schema


def test_fields_stand_first_under_their_own_names():
    spec = ReplySpec(fields=(Field("summary", aliases=("要約",)), Field("note", required=False)))
    assert list(parse_reply('{"x": 1, "要約": "S"}', spec).items()) == [("summary", "S"), ("x", 1)]


def test_required_key_that_is_missing_is_named():
    error = refusal('{"x": 1}', ReplySpec(fields=(Field("summary"),)))
    assert error.kind == "missing_field"
    assert "'summary'" in str(error)


def test_record_must_fit_the_schema():
    pytest.importorskip("jsonschema")
    spec = ReplySpec(schema={"type": "object", "properties": {"a": {"type": "integer"}}})
    assert parse_reply('{"a": 1}', spec) == A
    error = refusal('{"a": "b"}', spec)
    assert error.kind == "schema"
    assert "$.a: 'b' is not of type 'integer'" in str(error)


# Markdown


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
    assert parse_reply(f"## {name}\n\nx", KNOWLEDGE_OR_SUMMARY) == {"summary": "x"}


KNOWLEDGE_OR_SUMMARY = ReplySpec(format="markdown", fields=(Field("summary", aliases=("要約", "概要", "Summary")),))


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
    ]
    + ["    ## 要約", "<h2>要約", "x\n\n---", "- 要約\n\n---", "a\nb\n==", "**" + "x" * 200, "#", "## :::"],
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
        "T\n=",
        "T\n==",
        "# タイトル: T",
        "# タイトル\n\nT",
        "# 結果\n\n## Title\n<!-- x -->\nT",
        "注。\n# T",
    ]
    + ["## U\n\n# T", "# T\n\n## U", "**Title**: T", "# Title\n\n## T", "# Title\na\nb\n\n## T"],
)
def test_title_is_the_first_heading_or_what_stands_under_its_name(title):
    if title == "T\n=":  # one sign is no underline
        assert kind(f"{title}\n\n## 要約\nS。\n## 内容\n本文", KNOWLEDGE) == "missing_field"
    else:
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


# tags


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
        "<SUMMARY>S.</SUMMARY> <OTHER/> <SECTION:OTHER>",
    ],
)
def test_tags_as_models_misspell_them_are_read(reply):
    if reply.endswith("<SECTION:OTHER>"):
        assert kind(reply, SUMMARY) == "truncated"
    else:
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


def test_code_fence_on_the_line_of_its_tag_counts():
    assert parse_reply(section("~~~\n</SECTION:SUMMARY>\n~~~\n"), SUMMARY) == {"SUMMARY": "~~~\n</SECTION:SUMMARY>\n~~~"}


def test_code_fence_that_never_ends_hides_nothing_where_tags_pair_one_way():
    assert parse_reply(section("\n```\nx\n"), SUMMARY) == {"SUMMARY": "```\nx"}
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


# errors, doors, specifications


@pytest.mark.parametrize(
    ("reply", "spec", "place"),
    [
        ('<think>x</think>{"a": 1 2}', JSON, 24),
        ("\r\n# T\r\n\r\n```\r\nx", KNOWLEDGE, 9),
        ("\r\n<SECTION:SUMMARY>\r\nx\r\n", SUMMARY, 22),
    ],
)
def test_error_tells_the_place_in_the_reply_as_it_came(reply, spec, place):
    error = refusal(reply, spec)
    assert (error.position, error.raw) == (place, reply)
    assert error.context in reply
    assert f"at character {place}" in str(error)


def test_context_is_forty_characters_on_each_side():
    error = refusal("x" * 100 + '{"a": 1 2}' + "y" * 100)
    assert error.context == "x" * 32 + '{"a": 1 2}' + "y" * 38


def test_limit_of_tokens_means_truncated_however_whole_the_reply_looks():
    assert refusal('{"a": 1}', finish_reason="length").kind == "truncated"
    assert parse_reply('{"a": 1}', JSON, finish_reason="stop") == A


def test_error_can_be_sent_to_another_process():
    error = pickle.loads(pickle.dumps(ReplyError("schema", 3, "here", "raw", detail="why")))
    assert (error.kind, error.position, error.context, error.raw, error.detail) == ("schema", 3, "here", "raw", "why")
    assert str(error) == "the reply does not fit its schema: why, at character 3: here"
    assert str(ReplyError("empty_reply", 0, "", "")) == "the reply holds no answer"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Field(" "),
        lambda: Field("a", aliases="b"),
        lambda: Field("a", aliases=("",)),
        lambda: Field("a", source="h2"),
        lambda: ReplySpec(format="xml"),
        lambda: ReplySpec(fields=(Field("a"), Field("a"))),
        lambda: ReplySpec(format="tags"),
        lambda: ReplySpec(fields=(Field("a", source="h1"), Field("b", source="h1"))),
        lambda: ReplyError("odd", 0, "", ""),
    ],
)
def test_wrong_values_are_refused(wrong):
    with pytest.raises(ValueError):
        wrong()


def test_specification_with_a_schema_can_be_hashed():
    assert hash(ReplySpec(schema={"type": "object"})) == hash(ReplySpec(schema={"type": "array"}))


def test_seed_door_for_markdown_gives_a_record_or_a_message():
    record, error = parse_markdown_response("# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文")
    assert (record, error) == ({"title": "T", "summary": "S。", "summary_content": "本文"}, None)
    record, error = parse_markdown_response("# T")
    assert record == {}
    assert "'summary'" in error


@pytest.mark.parametrize(
    ("tag", "text", "found"),
    [
        ("SECTION:SUMMARY", section(" S. "), "S."),
        ("SUMMARY", section("S."), "S."),
        ("summary", section("S."), "S."),
        ("analysis", "<analysis>x</analysis>", "x"),
        ("SUMMARY", "nothing", ""),
        ("SECTION:", section("S."), ""),
    ],
)
def test_seed_door_for_sections_gives_a_text(tag, text, found):
    assert extract_section(tag, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('x\n```json\n{"a": 1}\n```', '{"a": 1}'),
        ("```\n{a: 1,}\n```", "{a: 1,}"),
        ('{"a": 1}', None),
        ('```bash\n{"a": 1}\n```', None),
        ('```json\n{"a": 1', None),
        ("nothing", None),
    ],
)
def test_seed_door_for_code_blocks_gives_the_source(text, found):
    assert extract_json_from_code_block(text) == found
