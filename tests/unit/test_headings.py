"""Headings: ids at their end, brackets, and what the rows of other sections repeat of them."""

import pytest

from indexer.markdown.blocks import markdown
from indexer.markdown.headings import HeadingReader
from indexer.splitter import MAX_REPEATED_CHARACTERS, MAX_SECTIONS, MarkdownSplitter
from schema.sections import section_id


def split(text, path="a.md"):
    return MarkdownSplitter().split(text, path)


@pytest.mark.parametrize(
    ("source", "heading", "anchor"),
    [
        ("one {#id}", "one", "id"),
        ("one{ #id }  \t", "one", "id"),
        ("one {/* an id */}", "one", "an id"),
        ("one {/*id*/} {#b}", "one {/id/}", "b"),
        ("one {#a}{#b}", "one {#a}", "b"),
        ("{#id}", "", "id"),
        ("one \\{#id}", "one {#id}", None),
        ("one {#a b}", "one {#a b}", None),
        ("one {#a#b}", "one {#a#b}", None),
        ("one {/* */}", "one {/* */}", None),
        ("one #id}", "one #id}", None),
        ("one {#id} two", "one {#id} two", None),
        ("one {#id", "one {#id", None),
    ],
)
def test_id_at_the_end_is_the_anchor(source, heading, anchor):
    assert HeadingReader(markdown(), {}).read(source) == (heading, anchor)


@pytest.mark.usefixtures("untraced")
def test_headings_share_what_their_brackets_may_cost():
    crowded = "*a* " + "[" * 200
    reader = HeadingReader(markdown(), {})
    texts = [reader.read(crowded)[0] for _ in range(40)]
    assert (texts[0], texts[-1], reader.is_cut) == ("a " + "[" * 200, crowded, True)
    assert reader.read("*plain* [a](b) [c](d)")[0] == "plain a c"


def test_too_many_brackets_are_told_once():
    warnings = MarkdownSplitter().parse(("# " + "[" * 200 + "\n") * 40, "a.md").warnings
    assert warnings == ("a.md: the headings have too many brackets; some are shown as they are written",)


def test_badges_in_headings_are_read():
    source = "Name " + "[![build](https://example.org/badge.svg)](https://example.org/build) " * 12
    reader = HeadingReader(markdown(), {})
    assert [reader.read(source)[0] for _ in range(10)] == ["Name" + " build" * 12] * 10
    assert not reader.is_cut


def test_rows_of_other_sections_repeat_the_beginning_of_a_long_heading():
    long = "w" * (MAX_REPEATED_CHARACTERS + 1)
    clipped = "w" * (MAX_REPEATED_CHARACTERS - 1) + "…"
    one, two, three = split(f"# {long}\n## {long}\n### c\n")
    assert (one.heading, one.heading_path) == (long, (long,))
    assert (two.heading, two.heading_path) == (long, (clipped, long))
    assert three.heading_path == (clipped, clipped, "c")
    assert {s.document_title for s in (one, two, three)} == {clipped}


def test_sections_under_long_headings_that_begin_alike_have_their_own_ids():
    long = "w" * MAX_REPEATED_CHARACTERS
    sections = split(f"# {long}a\n## c\n# {long}b\n## c\n")
    assert sections[1].heading_path == sections[3].heading_path
    assert len({s.id for s in sections}) == 4


def test_heading_of_the_most_characters_is_repeated_whole_and_ids_are_those_of_whole_paths():
    long = "w" * MAX_REPEATED_CHARACTERS
    one, two = split(f"# {long}\n## b\n")
    assert two.heading_path == (long, "b")
    assert (one.id, two.id) == (section_id("a.md", (long,), 0), section_id("a.md", (long, "b"), 0))


def test_long_title_of_the_front_matter_is_repeated_in_part():
    (section,) = split(f"---\ntitle: {'t' * 5000}\n---\n# A\n")
    assert section.document_title == "t" * (MAX_REPEATED_CHARACTERS - 1) + "…"


def test_warning_of_a_long_section_names_the_beginning_of_a_long_heading():
    (warning,) = MarkdownSplitter(max_tokens_per_section=1).parse("# " + "w" * 5000 + "\n", "a.md").warnings
    assert len(warning) < MAX_REPEATED_CHARACTERS + 100


def test_tags_that_are_too_long_together_are_left_out():
    tags = [f"{i:03}{'x' * 97}" for i in range(50)]
    split = MarkdownSplitter().parse(f"---\ntags: [{', '.join(tags)}]\n---\n# A\n", "a.md")
    assert split.tags == split.sections[0].tags == tuple(tags[:40])
    assert len(split.front_matter["tags"]) == 50
    assert split.warnings == ("a.md: the tags have more than 4,096 characters; only the first 40 are kept",)


def test_text_of_too_many_sections_keeps_the_rest_in_the_last_one(monkeypatch):
    monkeypatch.setattr("indexer.splitter.MAX_SECTIONS", 3)
    text = "# A\n# B\n> # C\n# D\n# E\ntext\n#### F\n# G\n"
    split = MarkdownSplitter().parse(text, "a.md")
    assert [s.heading for s in split.sections] == ["A", "B", "D"]
    assert split.sections[-1].content == "# D\n# E\ntext\n#### F\n# G\n"
    assert split.warnings == ("a.md: the text has more than 3 sections; the last one holds the rest",)
    assert MAX_SECTIONS == 100_000


@pytest.mark.parametrize(
    ("source", "heading", "anchor"),
    [
        ("# Keys {: #keys }", "Keys", "keys"),
        ('# build, skip {: #build-skip toml env-var="SKIP" }', "build, skip", "build-skip"),
        ("# Options {: toml env-var }", "Options", "options"),
        ("## 1.0.0 - 2026 ## {: #v1.0.0 }", "1.0.0 - 2026", "v1.0.0"),
        ('# Keys {#keys .wide title="the keys"}', "Keys", "keys"),
        ("# Keys {: .no_toc }", "Keys", "keys"),
        ("# C# {: #csharp }", "C#", "csharp"),
        ("# Keys # {#keys}", "Keys", "keys"),
    ],
)
def test_attributes_at_the_end_of_a_heading_are_no_text_of_it(source, heading, anchor):
    (section,) = split(f"{source}\n\ntext\n")
    assert (section.heading, section.anchor) == (heading, anchor)


@pytest.mark.parametrize(
    "end",
    ["{each item}", "{#each items}", "{.wide}", "{key=value}", "{#id word}", "{: }", "{: a+b }", "{: #keys", "{ a: 1 }"],
)
def test_other_braces_at_the_end_of_a_heading_are_its_text(end):
    assert split(f"# Keys {end}\n\ntext\n")[0].heading == f"Keys {end}"
