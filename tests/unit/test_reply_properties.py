"""What holds for every reply: a record or a typed error, never an invented record."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.llm.reply import (
    Field,
    ReplyError,
    ReplySpec,
    extract_json_from_code_block,
    extract_section,
    parse_markdown_response,
    parse_reply,
)
from tests.replies import JSON
from tests.replies import SUMMARY as TAGS

MARKDOWN = ReplySpec(
    format="markdown",
    fields=(
        Field("title", aliases=("タイトル", "Title"), required=False, source="h1"),
        Field("summary", aliases=("要約", "Summary"), required=False),
        Field("content", aliases=("内容", "Content")),
    ),
)

JSON_TOKENS = [
    *'{}[]:,"\'`“”\\\n #=｛：，', '{"a"', '": "', '": {"b": 1}', "1", "-0.5e3", "01", "true", "None", "NaN", "...", "```json\n",
    "```\n", "~~~", "//x\n", "/*", "*/", "\\u12", "\\ud800", "\\n", "key", "&quot;", "<think>", "</think>\n", '"""', " + ", "\u3000",
]  # fmt: skip
MARKDOWN_TOKENS = [
    "\n", "\n\n", "# ", "## ", "### ", "要約", "内容", "Title", "Summary", "text", "**", "__", "【", "】", ": ", "：", "```", "```markdown", "~~~",
    "---", "===", "<h2>", "</h2>", "<!--", "-->", "1. ", "- ", "■", " (", ")", " / ", "    ", "\r\n", "#", "> ", "<think>", "</think>",
]  # fmt: skip
TAG_TOKENS = [
    "<SECTION:SUMMARY>", "</SECTION:SUMMARY>", "<SECTION:TITLE>", "</SECTION:TITLE>", "<SECTION:X>", "</SECTION:X>", "</SECTION>", "</>",
    "<SUMMARY>", "</SUMMARY>", "[SECTION:SUMMARY]", "[/SECTION:SUMMARY]", "</SECTION:SUMARY>", "<SECTION:SUMM", "<", ">", "/", "`", "```\n",
    "\n", " ", "text", "## ", "**", "\\", "\r\n", "<think>", "</think>\n", "<SECTION:SUMMARY/>", "~~~\n", '<SECTION name="SUMMARY">',
]  # fmt: skip


def read(reply, spec):
    try:
        return parse_reply(reply, spec)
    except ReplyError as error:
        return error


def words(tokens):
    return st.lists(st.sampled_from(tokens), max_size=25).map("".join)


REPLIES = st.one_of(st.text(max_size=200), words(JSON_TOKENS), words(MARKDOWN_TOKENS), words(TAG_TOKENS))
KEYS = st.text(max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
RAW_TEXT = st.text(st.characters(exclude_characters="<>[]【】＜＞&`~", exclude_categories=("Cs",)), max_size=40).filter(
    lambda text: text.strip().strip("\ufeff\u200b\u200c\u200d\u2060\0.…")
)


@pytest.mark.parametrize("spec", [JSON, MARKDOWN, TAGS], ids=lambda spec: spec.format)
@given(REPLIES)
def test_every_reply_becomes_a_record_or_an_error_with_its_place(spec, reply):
    outcome = read(reply, spec)
    if isinstance(outcome, ReplyError):
        assert 0 <= outcome.position <= len(reply)
        assert outcome.context in reply
        assert outcome.raw == reply
        assert str(outcome)
    else:
        json.dumps(outcome, ensure_ascii=False).encode()


@given(REPLIES)
def test_the_doors_of_the_seed_never_raise(reply):
    record, error = parse_markdown_response(reply)
    assert (set(record) == {"title", "summary", "summary_content"}) == (error is None)
    assert isinstance(extract_section("SECTION:SUMMARY", reply), str)
    code = extract_json_from_code_block(reply)
    assert code is None or code in reply


@pytest.mark.parametrize("spec", [MARKDOWN, TAGS], ids=lambda spec: spec.format)
@given(st.one_of(words(MARKDOWN_TOKENS), words(TAG_TOKENS)))
def test_every_text_of_a_section_stands_in_the_reply(spec, reply):
    record = read(reply, spec)
    if isinstance(record, ReplyError):
        return
    plain = reply.replace("\r\n", "\n").replace("\r", "\n")
    # line by line, since marks of quoting before each line are taken off
    assert all(line in plain for text in record.values() for line in text.split("\n"))
    assert all(text and text == text.strip() for text in record.values())
    assert all(field.name in record for field in spec.fields if field.required)


@given(
    OBJECTS,
    st.sampled_from(
        [
            "",
            "Sure! Here is it:\n\n",
            "以下がJSONです: ",
            "\ufeff",
            "<think>{}</think>\n",
            "```json\n",
            "~~~\n",
            "It's {x}: ",
        ]
    ),
    st.sampled_from(
        ["", "\n\nHope this helps!", "。ご確認ください。", "<|im_end|>", "\n```\nDone {x}.", "\n```", '\n{"b": 2}', "}"]
    ),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_an_object_survives_what_stands_around_it(value, before, after, is_ascii, indent):
    reply = before + json.dumps(value, ensure_ascii=is_ascii, indent=indent) + after
    assert parse_reply(reply, JSON) == value


@given(OBJECTS, st.sampled_from(["", "Sure:\n", "```json\n", "\ufeff"]), st.booleans(), st.data())
def test_an_object_cut_off_anywhere_is_refused(value, before, is_ascii, data):
    whole = json.dumps(value, ensure_ascii=is_ascii)
    kept = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ReplyError):
        parse_reply(before + whole[:kept], JSON)


@given(st.lists(OBJECTS, min_size=1, max_size=3), st.data())
def test_a_list_of_objects_cut_off_anywhere_is_refused(values, data):
    whole = json.dumps(values)
    kept = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ReplyError):
        parse_reply(whole[:kept], JSON)


@given(RAW_TEXT, RAW_TEXT)
def test_the_text_of_a_section_is_raw(title, summary):
    reply = f"<SECTION:TITLE>{title}</SECTION:TITLE>\n<SECTION:SUMMARY>\n{summary}\n</SECTION:SUMMARY>"
    blanks = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\ufeff\u200b\u200c\u200d\u2060\0"
    plain = [text.replace("\r\n", "\n").replace("\r", "\n") for text in (title, summary)]
    found = parse_reply(reply, TAGS)
    assert found["TITLE"] in plain[0]
    assert found["SUMMARY"] in plain[1]
    assert found["SUMMARY"].strip(blanks) == found["SUMMARY"]


@given(RAW_TEXT, RAW_TEXT, st.data())
def test_sections_cut_off_anywhere_are_refused(title, summary, data):
    reply = f"<SECTION:TITLE>{title}</SECTION:TITLE>\n<SECTION:SUMMARY>\n{summary}\n</SECTION:SUMMARY>"
    kept = data.draw(st.integers(0, len(reply) - 1))
    with pytest.raises(ReplyError):
        parse_reply(reply[:kept], TAGS)


@given(REPLIES, st.sampled_from([JSON, MARKDOWN, TAGS]))
def test_a_reply_that_reached_its_limit_is_truncated(reply, spec):
    with pytest.raises(ReplyError) as caught:
        parse_reply(reply, spec, finish_reason="length")
    assert caught.value.kind == "truncated"
