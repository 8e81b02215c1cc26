"""Pages that are made of their front matter: its texts are their content."""

import pytest

from indexer.markdown.frontmatter import property_lines
from indexer.splitter import MarkdownSplitter

HOME = """---
layout: home
hero:
  name: Sails
  tagline: "A boat's best part"
  actions:
    - theme: brand
      text: Set sail
      link: /start
features:
  - icon: x
    title: Fast
    details: >
      Goes with
      the wind.
head:
  - [meta, {name: description, content: no}]
---

<script setup>
const a = 1
</script>
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_page_of_front_matter_alone_shows_its_texts(ends):
    source = HOME.replace("\n", ends)
    document = MarkdownSplitter().parse(source, "index.md", dialects=["vitepress"])
    (section,) = document.sections
    assert section.body.split() == "Sails A boat's best part Set sail Fast Goes with the wind.".split()
    assert (document.title, section.content, document.front_matter_raw) == ("Sails", source, "")
    assert document.front_matter["layout"] == "home"
    assert (section.start_line, section.end_line) == (4, 15)  # from the name to the wind


def test_page_of_toml_alone_shows_its_texts():
    source = '+++\ntitle = "Boats"\ndescription = "All that sails"\nweight = 3\n+++\n'
    (section,) = MarkdownSplitter().parse(source, "_index.md", dialects=["hugo"]).sections
    assert (section.body.split("\n")[0].split(), section.document_title) == (["Boats"], "Boats")
    assert section.text.split() == ["Boats", "All", "that", "sails"]
    assert (section.start_line, section.end_line) == (2, 3)


@pytest.mark.parametrize("fields", ["title: Boats", "weight: 3", "name: x\ntext: y", "menu:\n  title: x\n  description: y"])
def test_front_matter_without_a_text_but_the_title_makes_no_section(fields):
    assert MarkdownSplitter().parse(f"---\n{fields}\n---\n", "a.md").sections == ()


def test_front_matter_above_a_text_is_no_content():
    (section,) = MarkdownSplitter().parse("---\ndescription: Boats\n---\n\ntext\n", "a.md").sections
    assert section.content == "\ntext\n"


CARD = """---
aliases: [Wolf]
species: Canis lupus
seen in:
  - Tatra
  - Bieszczady
layout: card
---
"""


def test_fields_that_tell_of_a_subject_make_a_section_where_they_are_asked_for():
    (section,) = MarkdownSplitter().parse(CARD, "wolf.md", with_properties=True).sections
    assert section.text.split() == "species: Canis lupus seen in: - Tatra - Bieszczady".split()
    assert (section.start_line, section.end_line, section.document_title) == (3, 6, "wolf")


def test_fields_that_tell_of_a_subject_make_no_section_of_a_text_alone():
    split = MarkdownSplitter().parse(CARD, "wolf.md")
    assert (split.sections, split.front_matter_raw) == ((), CARD)


def test_fields_of_a_site_make_no_section():
    assert MarkdownSplitter().parse("---\nlayout: home\ndraft: true\n---\n", "a.md", with_properties=True).sections == ()


@pytest.mark.parametrize(
    ("raw", "names", "lines"),
    [
        ("---\na: 1\nb: 2\n---\n", ["b"], ["b: 2"]),
        ("---\r\na:\r\n- 1\r\n- 2\r\nb: 3\r\n---\r\n", ["a"], ["a:\r\n- 1\r\n- 2"]),
        ("---\na: >\n  one\n  two\n\nb: 2\n---\n", ["a"], ["a: >\n  one\n  two"]),
        ("---\na: [1,\n  2\n]\nb: 2\n---\n", ["a"], ["a: [1,\n  2\n]"]),
        ('---\n"seen in": x\n出生: y\nhttp://a: z\n---\n', ["seen in", "出生"], ['"seen in": x', "出生: y"]),
        (
            '+++\nowner = "Jun"\nbudget = 3000\n[extra]\nx = 1\n+++\n',
            ["owner", "budget"],
            ['owner = "Jun"', "budget = 3000"],
        ),
        ("---\nbelow:\n  a: 1\n---\n", ["a"], []),
    ],
)
def test_fields_are_found_with_all_their_lines(raw, names, lines):
    assert [raw[first:last] for first, last in property_lines(raw, names)] == lines
