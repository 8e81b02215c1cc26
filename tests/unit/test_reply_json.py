"""Replies in JSON: where the object stands, what is repaired, what is refused."""

import json

import pytest

from indexer.llm.reply import Field, ReplyError, ReplySpec, parse_reply
from tests.replies import JSON, A, refusals

refusal, kind = refusals(JSON)


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
        '"{"a": 1}"',
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
        "```\nx\n```\n" * 200 + '{"a": 1}',
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


def test_numbers_are_read_as_python_has_them():
    reply = 'It is {"a": 1.5e-3, "b": 12345678901234567890, "c": -0, "d": 1E2}.'
    assert parse_reply(reply, JSON) == {"a": 0.0015, "b": 12345678901234567890, "c": 0, "d": 100.0}


def test_first_of_several_objects_is_the_answer():
    assert parse_reply('{"a": 1}{"a": 2}\n{"a": 3} ```', JSON) == A


def test_after_many_objects_nothing_more_is_read():
    assert parse_reply('{"a": 1}\n' * 10_002 + '```json\n{"a": 2}\n```', JSON) == A


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
        ('{\\n "b": {"a": 2}\\n}', {"b": {"a": 2}}),
        ('[{"a": 1,}, {"a": 2}]', A),
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
        '"{\\"a\\": \\"b',
    ],
)
def test_object_that_never_ends_is_truncated(reply):
    assert kind(reply) == "truncated"


@pytest.mark.parametrize("number", ["010", "-012", "+00100", "010.5"])
def test_number_with_a_leading_zero_that_may_be_octal_is_malformed(number):
    assert kind(f'{{"a": {number}}}') == "malformed"
    assert kind(f'{{"a": [{number}]}}') == "malformed"


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
        '{"a": "x"y, b} z"',
        '{"a": """x""" y}',
        '{"a": "b", "c"}',
        '{"a": "5" tall", "b": "6" wide", "c": 1}',
        "{'a': 'the users' names', 'b': 1}",
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
        '{"a": "' + 'x"' * 1002 + '"}',
        '"{\\"a\\": 1 2}"',
        '{1: {"a": 2}}',
        '{a b "c": {"a": 2}',
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
    ['{"a": "x”}, "b": "y"}', '{"a": "he said "no", "b": 1}', '{"a": "b" c", "d": 1}', '{"a": "b"c": "d"}'],
)
def test_object_with_an_odd_quote_is_refused(reply):
    assert kind(reply) in ("malformed", "truncated")


@pytest.mark.parametrize("sign", [", ", " ", "; ", "/", ".", " + x ", ""])
def test_two_texts_beside_each_other_are_not_one(sign):
    assert kind(f'{{"a": "b"{sign}"c"}}') == "malformed"


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
        "{" * 5 + " x.",
        '```json\n"\\x"\n```',
        "```\n" * 50_001 + "{x}",
        "{ x " * 50_001 + "}",
        '```json\n"\\x"\n```\n{x}',
        '{\\"no\\" object} \\x',
        '"text" {x}',
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


@pytest.mark.parametrize(
    ("reply", "position"),
    [
        ('{"a": 1, "a": 2}', 9),
        ("{'a': 1, 'a': 2,}", 9),
        ('Here it is:\n```json\n{"a": "x", "b": 0, "a": "y"}\n```', 39),
        ('{"a": 1, "a": true}', 9),
        ('{"a": 1, "a": 1.0}', 9),
        ('{"a": 1, "a": null}', 9),
        ('{"a": {"b": [1], "b": [2]}}', 17),
        ('{"a": 1, "\\u0061": 2}', 9),
    ],
)
def test_key_with_two_values_is_malformed(reply, position):
    error = refusal(reply)
    assert (error.kind, error.position) == ("malformed", position)


@pytest.mark.parametrize(
    "reply", ['{"a": {"x": 1, "y": [2]}, "a": {"y": [2], "x": 1}}', "{'a': {'x': 1, 'y': [2]}, 'a': {'y': [2], 'x': 1},}"]
)
def test_key_that_stands_twice_with_the_same_value_counts_once(reply):
    assert parse_reply(reply, JSON) == {"a": {"x": 1, "y": [2]}}


def test_key_with_two_values_in_the_arguments_of_a_call_makes_no_record():
    spec = ReplySpec(format="json", fields=(Field("title"),))
    with pytest.raises(ReplyError, match="title"):
        parse_reply(json.dumps({"arguments": '{"title": "One", "title": "Two"}'}), spec)


def test_keys_that_stand_twice_at_every_level_are_read_in_linear_time():
    value = "1"
    for _ in range(14):
        value = f'{{"a": {value}, "a": {value}}}'
    assert parse_reply(value, JSON).keys() == {"a"}
