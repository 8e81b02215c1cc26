"""Reading a reply takes time in proportion to it, whatever a model repeats."""

import contextlib

import pytest

from indexer.llm.reply import ReplyError, parse_reply
from tests.growing import Family, assert_grows_linearly, fill
from tests.replies import FORGIVING, JSON, KNOWLEDGE, SUMMARY

pytestmark = [pytest.mark.growth, pytest.mark.slow]


def reading(spec):
    def read(reply):
        with contextlib.suppress(ReplyError):
            parse_reply(reply, spec)

    return read


def around(before, unit, after=""):
    return lambda size: before + fill(unit, size) + after


def nested(size):
    return '{"a":' * (size // 6) + "1" + "}" * (size // 6)


#: What is asked for → what is repeated → the reply around it.
REPLIES = [
    (
        JSON,
        {
            "braces": around("", "{"),
            "braces in prose": around("", "{x} "),
            "quotes": around("", '"'),
            "keys": around("", '{"'),
            "backslashes": around('{"a": "', "\\", '",}'),
            "escaped quotes": around('{"a": "', '\\"', '",}'),
            "quotes inside": around('{"a": "', 'x" "', '",}'),
            "texts of one text": around('"', '\\"', '"'),
            "reasoning": around("", "<think>"),
            "commas": around('{"a": [', ",", "]}"),
            "comments": around('{"a": 1', "/**/", "}"),
            "objects without quotes": around("", "{a: 1}\n"),
            "styles": around("", "p {margin: 0}\n"),
            "styles of pages": around("", "<style>"),
            "pages that end": around("", "<html></style>"),
            "nesting": nested,
            "written line ends": around("{", "\\n", "}"),
            "entities": around("{", "&quot;", "}"),
            "doubled quotes": around("{", '""', "}"),
            "doubled braces": around("", "{{"),
            "single quotes": around("{'a': '", "'", "'}"),
            "broken objects": around("", '{"a": x}\n'),
            "objects in code": around("", 'f({"a": 1,})\n'),
            "objects before a fence": around("", '{"a": 1}\n', "```"),
            "lists": around("", '[{"a":1]'),
            "numbered lines": around("", "1 {\n"),
            "numbers": around('{"a": ', "1", "}"),
        },
    ),
    (
        FORGIVING,
        {
            "labelled fences": around("", "```json\n"),
            "objects": around("", '{"a": 1}\n'),
            "objects that are cut": around("", '[{"a": 1},'),
            "wrappers": around('{"a": {}, ', '"b": {"c": 1},', '"d": 1}'),
        },
    ),
    (
        KNOWLEDGE,
        {
            "fences": around("", "```\n"),
            "headings": around("", "## Summary\n"),
            "headings of nothing": around("", "# a\n"),
            "titles and fields": around("", "# T\n## Summary\nx\n"),
            "reasoning that ends": around("", "<think></think>"),
            "comments of HTML": around("", "<!--\n"),
            "pages": around("", "<html>\n"),
            "raw blocks": around("", "<pre>x</pre>\n"),
            "blocks": around("", "<p>x</p>\n"),
            "blocks in blocks": around("", "<div>\n"),
            "headings of one field": around("# T\n## Summary\nx\n", "## Content\nx\n"),
            "lower headings": around("# T\n## Summary\nx\n", "### Content\nx\n", "## Content\nx"),
            "emphasis": around("", "**"),
            "labels": around("", "Summary: x\n"),
            "labels of many styles": around("", "- Summary: x\n1. Title\n"),
            "rows": around("| Title | Summary |\n|---|---|\n", "| a | b |\n"),
            "rulers": around("", "|---|---|\n"),
            "quote marks": around("", "> "),
            "quoted lines": around("", "> x\n"),
            "blanks": around("x", " ", "x"),
            "line ends": around("x", "\n", "x"),
            "rules": around("# T\n## Summary\nx\n## Content\n", "\n---\n\n", "# T\n## Summary\n"),
            "colons": around("", "Summary:"),
            "bold lines": around("", "**a**: b\n"),
            "underlines": around("", "a\n==\n"),
            "brackets": around("", "【"),
            "hashes": around("", "\\#"),
            "bars": around("", "|"),
        },
    ),
    (
        SUMMARY,
        {
            "opening tags": around("", "<SECTION:SUMMARY>"),
            "closing tags": around("<SECTION:SUMMARY>", "</SECTION:TITLE>"),
            "smaller than": around("", "<"),
            "attributes": around("<SECTION:SUMMARY ", 'a="b" ', ">"),
            "tags in braces": around("", "{SECTION:"),
            "sections": around("", "<SECTION:SUMMARY>x</SECTION:SUMMARY>"),
            "sections in sentences": around("", "x <SECTION:SUMMARY>x</SECTION:SUMMARY> "),
        },
    ),
]
#: Replies that take so long to read that a quarter of a megabyte tells as much.
LONG_TO_READ = {
    "braces in prose",
    "numbered lines",
    "opening tags",
    "closing tags",
    "sections",
    "titles and fields",
    "headings of one field",
}
FAMILIES = [
    Family(name, make, reading(spec), size=250_000 if name in LONG_TO_READ else 1_000_000)
    for spec, replies in REPLIES
    for name, make in replies.items()
]


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_reading_a_reply_grows_linearly(family):
    assert_grows_linearly(family)
