"""Pages that are made of their front matter: its texts are their content."""

import pytest

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
