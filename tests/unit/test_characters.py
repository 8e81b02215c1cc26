"""Characters that could hide, reorder or fake what is read are spelt out; what languages and emoji need is kept."""

import json

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from schema.text.characters import javascript_pattern, moves, one_line, printable, to_json
from search.answers.wire import spelt

_ALL = "".join(map(chr, range(0x110000)))
_BY_UNICODE = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb--[\t\n]]", regex.VERSION1
)


def test_what_is_spelt_out_is_what_unicode_calls_so():
    changed = {character for character in _ALL if printable(character) != character}
    assert changed == set(_BY_UNICODE.findall(_ALL))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31m", r"a\x1b[31m"),
        ("soft\xadhyphen", r"soft\xadhyphen"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("a\u200db\u200cc", r"a\u200db\u200cc"),
        ("\u202egnp", r"\u202egnp"),
        ("2\u2062x", r"2\u2062x"),
        ("\ufff9a\ufffab\ufffb", r"\ufff9a\ufffab\ufffb"),
        ("\u3164", r"\u3164"),
        ("x\ufe00", r"x\ufe00"),
        ("x\ufe0f", r"x\ufe0f"),
        ("\ufeffx", r"\ufeffx"),
        ("hi\U000e0068\U000e0069", r"hi\U000e0068\U000e0069"),
        ("😀\U000e0101\U000e0145", r"😀\U000e0101\U000e0145"),
        ("葛\U000e0100", r"葛\U000e0100"),
        ("🏴\U000e0067\U000e0062\U000e007f", r"🏴\U000e0067\U000e0062\U000e007f"),
        ("😀\ufe0f\ufe0f\ufe0f", "😀\ufe0f\\ufe0f\\ufe0f"),
        ("می\u200c\u200c\u200d", "می\u200c\\u200c\\u200d"),
        ("\ud83d", r"\ud83d"),
        ("a\rb\r\nc", "a\\x0db\nc"),
    ],
)
def test_what_hides_text_is_spelt_out(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nindex: b", r"a\x0aindex: b"),
        ("a\tb", r"a\x09b"),
        ("a\r\nb", r"a\x0d\x0ab"),
        ("\u2028\x1b", r"\u2028\x1b"),
        ("日本 é", "日本 é"),
    ],
)
def test_what_stands_in_a_line_begins_no_other(text, shown):
    assert one_line(text) == shown
    assert one_line(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم", "ه\u200d", "क्\u200dष", "क्\u200cष", "ශ්\u200dරී", "ক্\u200dষ", "ក\u200bខ", "กา\u200bร", "ᠠ\u180b",
        "👨\u200d👩\u200d👧\u200d👦", "❤\ufe0f\u200d🔥", "👍🏽", "🏳\ufe0f\u200d🌈", "1\ufe0f\u20e3", "#\ufe0f\u20e3", "☎\ufe0e", "🇯🇵",
        "日本語と 한국어", "e\u0301", "ال\u0600عربية", "a\tb\nc",
    ],
)  # fmt: skip
def test_what_languages_and_emoji_need_is_kept(text):
    assert printable(text) == text
    assert to_json(text) == f'"{text}"'.replace("\t", "\\t").replace("\n", "\\n")


hostile = st.text(
    st.one_of(st.characters(), st.sampled_from("\u200d\u200c\u200b\ufe0f\U000e0041می👩❤क\r\n\x7f\x9b\xad")), max_size=40
)


@given(hostile)
def test_what_is_spelt_out_stays_so(text):
    assert printable(printable(text)) == printable(text)


@given(hostile)
def test_json_is_read_as_it_was_and_shows_nothing_unsafe(text):
    told = to_json({"a": text})
    assert json.loads(told) == {"a": text}
    assert printable(told) == told


def test_json_escapes_what_could_fool_a_terminal():
    assert to_json({"a": "\x9b\u202e日本\x1b\x7f\U000e0041"}) == '{"a": "\\u009b\\u202e日本\\u001b\\u007f\\udb40\\udc41"}'


@given(hostile)
def test_offsets_move_with_the_text(text):
    moved, shown = moves(text), printable(text)
    assert moved(len(text)) == len(shown)
    for i, character in enumerate(text):
        if character.isalpha():
            assert shown[moved(i) : moved(i + 1)] == character


def test_spans_of_a_spelt_section_fit_its_content():
    content = "# A\u200b\r\n\r\nSee \U000e0041the \x1bkey now"
    start = content.index("key")
    hit = {
        "content": content, "body_start": content.index("See"), "window": {"start": start, "end": start + 3}, "passage": None,
        "snippet": {"text": "the \x1bkey", "start": start - 5, "end": start + 3, "matches": [[5, 8]]},
        "matches": [[start, start + 3]], "hidden": [], "score": 0.5, "tags": ["a\u2066"],
    }  # fmt: skip
    shown = spelt(hit)
    assert shown["content"] == "# A\\u200b\n\nSee \\U000e0041the \\x1bkey now"
    assert shown["content"][shown["body_start"] :].startswith("See")
    assert [shown["content"][start:end] for start, end in shown["matches"]] == ["key"]
    assert shown["content"][shown["window"]["start"] : shown["window"]["end"]] == "key"
    snippet = shown["snippet"]
    assert shown["content"][snippet["start"] : snippet["end"]] == snippet["text"] == "the \\x1bkey"
    assert [snippet["text"][start:end] for start, end in snippet["matches"]] == ["key"]
    assert spelt({**hit, "snippet": None})["snippet"] is None
    assert (shown["passage"], shown["score"], shown["tags"]) == (None, 0.5, ["a\\u2066"])


def test_what_needs_no_spelling_is_the_same_json():
    told = {"results": [{"content": "plain", "matches": [[0, 5]], "window": None}], "took_ms": 1.0, "none": None}
    assert spelt(told) == told


def test_javascript_gets_the_same_rule():
    pattern = javascript_pattern()
    assert pattern.isascii()
    assert "\\U" not in pattern
    assert r"\u{000e0000}-\u{000e0fff}" in pattern
