"""Definitions of links are read by no one: they are hidden in any Markdown, where CommonMark takes them for such."""

import pytest

from indexer.dialects.markup import read_markup
from indexer.splitter import MarkdownSplitter
from schema.sections import blank_out
from schema.text.fields import section_terms


def shown(source):
    return " ".join(blank_out(source, read_markup(source, ()).hidden_in(0, len(source))).split())


@pytest.mark.parametrize(
    "source",
    [
        "[a]: /u",
        "one\n\n[a]: /u",
        "# H\n[a]: /u",
        "[`fs.rm()`]: #fsrmpath",
        "[a]: <u v> 'title'",
        '[a]:\n  /u\n  "a title"',
        "[a]: /u\n[b]: /v (title)\n   [c]: /w",
        "[//]: # (a comment)",
        "```\ncode\n```\n[a]: /u",
        "one\n===\n[a]: /u",
        "***\n[a]: /u",
        "[a\\]b]: /u",
    ],
)
def test_definition_is_hidden(source):
    assert "/u" not in shown(source)
    assert not {"[a", "[`fs", "comment", "[b", "[c"} & set(shown(source).replace("]", " ]").split())


@pytest.mark.parametrize(
    "source",
    [
        "one\n[a]: /u",
        "[a]: /u and more",
        "[^a]: /u",
        "```\n[a]: /u\n```",
        "    [a]: /u",
        "[a] : /u",
        "- [ ]: /u",
        "[]: /u",
    ],
)
def test_what_is_text_to_commonmark_stays(source):
    assert shown(source) == " ".join(source.split())


def test_content_keeps_its_definitions_and_terms_do_not_have_them():
    (section,) = MarkdownSplitter().split("# Files\n\nText.\n\n[`fs.rm()`]: #fsrm\n", "a.md")
    assert section.content.endswith("[`fs.rm()`]: #fsrm\n")
    assert section.body == "Text."
    assert "fsrm" not in section_terms(section, {})


def test_definitions_before_the_first_heading_are_a_section_as_they_are_to_commonmark():
    sections = MarkdownSplitter().split("[a]: /u\n\n# One\n\nText.\n", "a.md")
    assert [(section.depth, section.start_line, section.body) for section in sections] == [(0, 1, ""), (1, 3, "Text.")]
