"""Replies as models really send them: repaired where one reading exists, refused where there are two, and never taken from code."""

import json

import pytest

from indexer.llm.reply import ReplySpec, parse_reply
from tests.replies import FORGIVING, JSON, KNOWLEDGE, TRANSLATION, A, refusals

refusal, kind = refusals(JSON)


@pytest.mark.parametrize(
    ("reply", "record"),
    [
        ('{"a": “x"}', {"a": "x"}),
        ('{"a": "x”}', {"a": "x"}),
        ('{“a”: „x“, “b”: „y"}', {"a": "x", "b": "y"}),
        ("{“a”：“x”，“b”：1}", {"a": "x", "b": 1}),
        ("｛“a”：“x”｝", {"a": "x"}),
        ('{"a"︰ 1}', A),
        ('{"a" -> 1, "b" := 2}', {"a": 1, "b": 2}),
        ('{a": 1, b": "x"}', {"a": 1, "b": "x"}),
        ('{, "a": 1}', A),
        ('{"a": nil}', {"a": None}),
        ('{"a": true\n"b": [1]\n"c": {"d": 1}\n"e": "x"}', {"a": True, "b": [1], "c": {"d": 1}, "e": "x"}),
        ('{\n  a: "x"\n  b: 2\n}', {"a": "x", "b": 2}),
        ('{"a": [1\n2\n"x"\n"y"]}', {"a": [1, 2, "x", "y"]}),
        ('{\\n  "a": 1,\\n  "b": 2\\n}', {"a": 1, "b": 2}),
        ('{\u200b"a"\u200b: 1}', A),
        ('{""a"": ""b""}', {"a": "b"}),
        ('{{"a": {{"b": "x"}}}}', {"a": {"b": "x"}}),
        ('"{\\\\\\"a\\\\\\": 1}"', A),
        ('{\\\\\\"a\\\\\\": 1}', A),
        ("\"{'a': 1}\"", A),
        ('> {\n>   "a": 1,\n>   "b": "x"\n> }', {"a": 1, "b": "x"}),
        ('結果：\n\n> ```json\n> {\n>   "a": 1\n> }\n> ```\n\n以上です。', A),
        ("```python\n{'a': None}\n```", {"a": None}),
        ("```python\n# the answer\nresult = {'a': None}\n```", {"a": None}),
        ("```js\n{a: 1}\n```", A),
        ("```jsonc\n{a: 1} // done\n```", A),
        ("'''json\n{\"a\": 1,}\n'''", A),
        ("結果は以下の通りです：\n\n{'a': 1}\n\nご確認ください。", A),
        ("결과입니다.\n{'a': 1,}\n감사합니다.", A),
        ("The result is {'a': 1}.", A),
        ("- {'a': 1}", A),
        ("[\n  {'a': 1,},\n]", A),
        ("<json>{'a': 1}</json>", A),
        ("answer = {'a': 1}", A),
        ("JSON: {a: 1}", A),
        ("### JSON\n{a: 1}", A),
        ("Sure! Here is your JSON {'a': 1}", A),
        ("以下のJSONを返します。{'a': 1,}", A),
        ("「{'a': 1}」", A),
        ("{&#39;a&#39;: 1}", A),
        ("結果: {a: 1}。", A),
        ("Here it is.\n{a: 1}\nDone.", A),
        ("Here it is\n\n{a: 1}", A),
        ("**{a: 1}**", A),
        ("The shape is {}. It's {'a': 1}, or\n```json\n{'a': 1}\n```", A),
        ('<html>…</html>\n{"a": 1}', A),
        ('Use no <style> or <html> here: {"a": 1}', A),
        ('<style>p {margin: 0}</style> <script>var x = {"b": 1};</script> {"a": 1}', A),
    ],
)
def test_json_that_is_shown_as_the_answer_and_has_one_reading_is_repaired(reply, record):
    assert parse_reply(reply, JSON) == record


@pytest.mark.parametrize(
    "reply",
    [
        "<!DOCTYPE html><html><head><style>body {margin: 0}</style></head><body>502</body></html>",
        "<html>\n<style>\nbody {\n  margin: 0;\n}\n</style>\n<h1>502</h1></html>",
        'HTTP/1.1 502 Bad Gateway\n\n<html><body><script>var x = {"a": 1};</script></body></html>',
        '<html><script>x = {"a": 1}</script>',
        "```html\n<html><style>p {margin: 0}</style></html>\n```",
        "body {margin: 0}",
        "body\n{\n  margin: 0\n}",
        '.a{color: "red"}',
        "const x = {a: 1};",
        "return {a: 1}",
        "foo({a: 1})",
        "{a: 1};",
        'export default {name: "x"}',
        "let p = Point {x: 1, y: 2};",
        "p := Point{X: 1}",
        'Use f"{x:10}" here',
        "Hello {{ name }}, {{ x: 1 }} {% end %}",
        '"{:>10}".format(x)',
        "\\newcommand{a: 1}",
        "A = {x : 1}",
        "{x: 1} and {y: 2} are sets",
        'INFO request {id: 1, user: "x"} done',
        "label: { a: 1 }",
        "match x { a: 1 }",
        "function f() {} and int main() {}",
        "```\nfunction f() {\n  return {a: 1};\n}\n```",
        "```js\nconst x = {a: 1};\n```",
        '```python\nprint({"a": 1})\n```',
        "```bash\ncurl -d '{\"a\": 1}' x\n```",
        '```python\n{"a": 1}\nprint(1)\n```',
        "```python\n" + "x" * 400 + "\n{'a': 1}\n```",
        "Set ${x:-1} and ${y:=2}",
        "${a: 1}",
        "const x = [\n  {a: 1},\n];",
        "p {a: 1, b: {c: 2",
    ],
)
def test_code_logs_and_pages_hold_no_record(reply):
    assert kind(reply) == "no_json"


@pytest.mark.parametrize(
    "reply",
    [
        "print({'a': 1})",
        "2026-01-01 INFO payload={'id': 1}",
        "ERROR: {'code': 3}",
        "KeyError: {'a': 1}",
        "npm ERR! {'a': 1}",
        "if x: {'a': 1}",
        "```\nconst x = [\n  {'a': 1},\n];\n```",
        "f(\n  {'a': 1}\n)",
        "Error code: 429 - {'error': {'message': 'Rate limit'}}",
        "{\n  margin: 0;\n  padding: 0;\n}",
        "\"{'a': 1} {'b': 2}\"",
        'f({"a": "\\ud800"})',
        "{&quot;a&quot;: 1 2}",
    ],
)
def test_object_that_needs_repair_and_is_not_shown_as_the_answer_is_refused(reply):
    assert kind(reply) == "malformed"


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{\n"revenue": 1,234\n "churn": 2\n}\n```',
        '{"price": 3,50\n "currency": "EUR"}',
        '{"revenue": 1，234\n"b": 1}',
        '{"a": true, false\n"b": 1}',
        '{"a": 0x' + "f" * 6000 + "}",
    ],
)
def test_no_part_of_a_number_or_a_literal_is_left_out(reply):
    assert kind(reply) in ("malformed", "no_json")


def test_json_in_a_text_in_a_text_is_read_to_a_depth():
    reply = '{"a": 1}'
    for _ in range(4):
        reply = json.dumps(reply)
    assert parse_reply(reply, JSON) == A
    for _ in range(5):
        reply = json.dumps(reply)
    assert kind(reply) == "no_json"


def test_object_that_is_cut_off_in_code_is_truncated():
    assert kind('f({"a": 1, "b": {"c": 2}') == "truncated"
    assert kind('f({"a": 1, {"b": 2})') == "truncated"


F = {"title": "x", "summary_content": "y"}


@pytest.mark.parametrize(
    "reply",
    [
        '{"Title": "x", "Summary Content": "y"}',
        '{"TITLE": "x", "summaryContent": "y"}',
        '{"タイトル": "x", "summary\\\\_content": "y"}',
        '{"result": {"title": "x", "summary_content": "y"}}',
        '{"data": [{"title": "x", "内容": "y"}]}',
        '{"name": "f", "arguments": {"title": "x", "summary_content": "y"}}',
        '{"name": "f", "arguments": "{\\"title\\": \\"x\\", \\"summary_content\\": \\"y\\"}"}',
        '{"tool_calls": [{"function": {"name": "f", "arguments": {"title": "x", "summary_content": "y"}}}]}',
        '<tool_call>\n{"name": "f", "arguments": {"title": "x", "summary_content": "y"}}\n</tool_call>',
        'It fits {"type": "object"}.\n{"title": "x", "summary_content": "y"}',
        'f {a: 1}\n{"title": "x", "summary_content": "y"}',
    ],
)
def test_fields_are_found_under_names_in_other_writing_and_in_wrappers(reply):
    assert parse_reply(reply, FORGIVING) == F


@pytest.mark.parametrize(
    "reply",
    [
        '{"title": "t", "result": {"title": "x", "summary_content": "y"}}',
        '{"a": {"title": "x", "summary_content": "y"}, "b": {"title": "p", "summary_content": "q"}}',
        '{"data": [{"title": "x", "summary_content": "y"}, {"title": "p", "summary_content": "q"}]}',
        '{"title": "x"}\n{"summary_content": "y"}',
        '{"Title": "x", "TITLE": "p", "summary_content": "y"}',
        '{"arguments": "{title"}',
        '{"a": {"b": {"c": {"d": {"e": {"title": "x", "summary_content": "y"}}}}}}',
        'It fits {"type": "object"} and f {a: 1}',
    ],
)
def test_fields_that_stand_in_two_places_are_missing(reply):
    assert refusal(reply, FORGIVING).kind == "missing_field"


def test_schema_tells_the_fields_where_none_are_given():
    pytest.importorskip("jsonschema")
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}
    assert parse_reply('{"result": {"A": 1}}', ReplySpec(schema=schema)) == A
    assert refusal('{"b": 1}', ReplySpec(schema=schema)).kind == "schema"


def document(style, title="# T"):
    return f"{title}\n\n{style.format('要約')}\n\nS。\n\n{style.format('内容')}\n\n本文"


T = {"title": "T", "summary": "S。", "content": "本文"}


@pytest.mark.parametrize(
    "style",
    [
        "{}:", "{}：", "{}", "*{}*", "***{}***", "＊＊{}＊＊", "<b>{}</b>", "「{}」", "『{}』", "《{}》", "・{}", "→ {}", "== {} ==", "1. {}", "- {}:",
        "> ## {}", "\\## {}", "- ## {}", "\t## {}", "`{}`", "## {} - Summary",
    ],
)  # fmt: skip
def test_name_of_a_field_on_a_line_of_its_own_is_a_heading(style):
    reply = document(style) if "Summary" not in style else f"# T\n\n{style.format('要約')}\n\nS。\n\n## 内容\n\n本文"
    assert parse_reply(reply, KNOWLEDGE) == T


@pytest.mark.parametrize(
    "style",
    ["{}: {}", "{}：{}", "- {}: {}", "1) {}: {}", "「{}」{}", "[{}] {}", "**{}** - {}", "{}\t{}", "{} = {}", '"{}": "{}"', "{}\n: {}",
     "> **{}**: {}", "**{}**\n: {}"],
)  # fmt: skip
def test_name_of_a_field_with_its_text_is_a_label(style):
    assert parse_reply(f"# T\n\n{style.format('要約', 'S。')}\n\n{style.format('内容', '本文')}", KNOWLEDGE) == T


@pytest.mark.parametrize(
    "reply",
    [
        'title: T\nsummary: "S。"\ncontent: 本文',
        "```yaml\ntitle: T\nsummary: S。\ncontent: 本文\n```",
        "タイトル：T\n要約：S。\n内容：\n本文",
        "- Title: T\n- Summary: S。\n- Content: 本文",
        "Title: T\n\n## 要約\n\nS。\n\n## 内容\n\n本文",
        "---\ntitle: T\nlang: ja\n---\n\n## 要約\n\nS。\n\n## 内容\n\n本文",
        "---\ntitle: T\nsummary: S。\ncontent: 本文\n---",
        "| Field | Value |\n|---|---|\n| Title | T |\n| Summary | S。 |\n| Content | 本文 |",
        "| Title | Summary | Content |\n|:--|---|---|\n| T | S。 | 本文 |",
        "> # T\n>\n> ## 要約\n>\n> S。\n>\n> ## 内容\n>\n> 本文",
        "# T\\n\\n## 要約\\n\\nS。\\n\\n## 内容\\n\\n本文",
        '"# T\\n\\n## 要約\\n\\nS。\\n\\n## 内容\\n\\n本文"',
        "<answer>\n# T\n\n## 要約\n\nS。\n\n## 内容\n\n本文\n</answer>",
        "# T\n\n## 要約:\n---\n\nS。\n\n## 内容:\n---\n\n本文",
        "# T\n\n```\n~~~\n要約: x\n```\n\n要約:\n\nS。\n\n内容:\n\n本文",
        '```json\n{"title": "T", "summary": "S。", "content": "本文"}\n```',
        "Sure:\n{'Title': 'T', '要約': ' S。 ', 'Content': '本文'}",
        "<title>T</title>\n<summary>S。</summary>\n<content>本文</content>",
        "<SECTION:TITLE>T</SECTION:TITLE><SECTION:要約>S。</SECTION:要約><SECTION:CONTENT>本文</SECTION:CONTENT>",
    ],
)
def test_fields_in_another_dress_than_markdown_are_read(reply):
    assert parse_reply(reply, KNOWLEDGE) == T


@pytest.mark.parametrize(
    "reply",
    [
        "# T\n\n要約: x\n\n要約: y\n\n内容: z",
        "# T\n\n- 要約\n- 内容",
        "# T\n\n```\n要約: x\n内容: y\n```\n\n```\nz\n```",
        "title: T\nsummary: |\n  S\ncontent: |\n  C",
        "# T\n\n要約: x\n\n内容: y\n\n- 要約: p\n- 内容: q",
        "| Title | Value |\n|---|---|\n| a | b | c |",
        "|---|---|",
        "a\n|---|---|\nb",
        "| a |\n|---|\n",
        '"\\n \\x"',
        "---\nsummary: S\n---\n\nmore",
        "# T\n\n1. 要約:\n- 要約:\n* 要約:\n+ 要約:\n・要約:\n→ 要約:\n要約: x\n内容: y",
        "要約:\n" * 20_002,
        '{"title": 1, "summary": "S", "content": "C"}',
        "<!DOCTYPE html><html>\n<h1>T</h1>\n<h2>Summary</h2>\nS.\n<h2>Content</h2>\nC\n</html>",
    ],
)
def test_fields_in_another_dress_with_two_readings_are_missing(reply):
    assert refusal(reply, KNOWLEDGE).kind == "missing_field"


@pytest.mark.parametrize(
    "reply", ["Summary: x", "Summary\n\nx", "| Summary |\n|---|\n| x |", "* ## Summary\n\nx", "**Summary**\n: x"]
)
def test_only_field_may_stand_in_another_dress(reply):
    assert parse_reply(reply, TRANSLATION) == {"summary": "x"}
