"""Replies of language models: what is taken off them, errors with their places, the doors, wrong specifications."""

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
from schema.errors import ArgumentError
from tests.replies import JSON, KNOWLEDGE, SUMMARY, TRANSLATION, A, refusals

refusal, kind = refusals(JSON)


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
        'Let me <think>{"x": 1}</think>{"a": 1}',
        'Draft {"x": 1}\n</think>\n{"a": 1}',
        'Draft {"x": 1}</think>Here: {"a": 1}',
        'Use a <think> tag: {"a": 1}',
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
        "<think></think>" * 101,
        "<think>" * 101 + "</think>" * 101,
    ],
)
def test_nothing_but_reasoning_is_no_answer(reply):
    assert kind(reply) == "empty_reply"


def test_word_that_also_names_a_channel_is_text():
    assert parse_reply('analysis: {"a": 1}', JSON) == A


def test_many_special_tokens_are_text():
    assert kind("</s>" * 30) == "no_json"


def section(text):
    return f"<SECTION:SUMMARY>{text}</SECTION:SUMMARY>"


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


@pytest.mark.parametrize("spec", [JSON, TRANSLATION, SUMMARY], ids=lambda spec: spec.format)
def test_half_a_sign_is_malformed_in_every_format(spec):
    error = refusal('{"a": "\ud800"}', spec)
    assert (error.kind, error.position) == ("malformed", 7)


def test_context_is_forty_characters_on_each_side():
    error = refusal("x" * 99 + ':{"a": 1 2}' + "y" * 100)
    assert error.context == "x" * 31 + ':{"a": 1 2}' + "y" * 38


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
        lambda: Field("a", aliases=(1,)),
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


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: parse_reply(None, JSON), "raw must be the text of a reply, not None."),
        (lambda: parse_reply(b"", JSON), "raw must be the text of a reply, not b''."),
        (lambda: parse_reply("", "json"), "spec must be a ReplySpec, not 'json'."),
        (lambda: parse_markdown_response(None), "raw must be the text of a reply, not None."),
        (lambda: extract_section(None, "x"), "tag must be the name of a tag, not None."),
        (lambda: extract_section("x", None), "text must be a text, not None."),
        (lambda: extract_json_from_code_block(b""), "text must be a text, not b''."),
        (lambda: ReplySpec(fields=("a",)), "each of fields must be a Field, not 'a'."),
        (lambda: ReplySpec(fields="a"), "fields must be a tuple of Field, not 'a'."),
        (lambda: ReplySpec(schema=3), "schema must be a JSON Schema as a mapping, not 3."),
        (lambda: Field(None), "name must be the name of a field, not None."),
    ],
)
def test_argument_of_the_wrong_type_is_refused_in_one_sentence(wrong, message):
    with pytest.raises(ArgumentError) as caught:
        wrong()
    assert str(caught.value) == message


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
