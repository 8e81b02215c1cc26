"""MyST: directives, roles, targets and comments are hidden, and what a reader of the built page sees stays."""

import os

import pytest

from indexer.dialects.folders import Dialects
from indexer.dialects.markup import read_markup
from indexer.splitter import MarkdownSplitter

NEEDS_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def shown(source):
    return " ".join(read_markup(source, ["myst"]).shown(source).split())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{doc}`one` two", "`one` two"),
        ("{ref}`one two <target>` three", "one two three"),
        ("{py:func}``a`b <c>`` d", "a`b d"),
        ("{doc}`a>`", "`a>`"),
        ("{py:func}`list<int>`", "`list<int>`"),
        ("{ref}`never closed", "`never closed"),
        ("`{x}` and {x} stay", "`{x}` and {x} stay"),
        ("(a-target)=\none", "one"),
        ("(a)= one", "(a)= one"),
        ("% a comment\none", "one"),
        ("+++ {'a': 1}\none", "one"),
        ("version {{ version }} of it", "version of it"),
    ],
)
def test_marks_in_a_line_are_hidden(source, expected):
    assert shown(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("```{note} Take care\n:class: wide\n:name: a\none\n```\ntwo", "Take care one two"),
        ("~~~{note}\n---\nclass: wide\n---\none\n~~~\ntwo", "one two"),
        ("````{tab-set}\n```{tab-item} Unix\none\n```\n```{tab-item} Windows\ntwo\n```\n````", "Unix one Windows two"),
        ("````{note}\n```sh\n# one\n```\n````", "```sh # one ```"),
        ("```{note} never closed\none", "never closed one"),
        ("```{toctree}\n:maxdepth: 2\na\nb\n```\none", "one"),
        ("```{toctree}\na", ""),
        ("```{only} html\none\n```", "one"),
        ("```{raw} html\n<div class='v'>\n  <iframe src='a' allow='b'></iframe>\n</div>\n```\none", "one"),
        ("```{raw} html\n<b>one</b>\n```\ntwo", "one two"),
        ("```{raw} latex\n\\\\clearpage\n```\none", "one"),
        (":::{raw} latex\na\n:::\none", "one"),
        ("```{figure} a.png\n:alt: x\nThe caption.\n```", "The caption."),
        ("```{code-block} python\n:caption: x\nprint(1)\n```", "```{code-block} python print(1) ```"),
        ("```{pip-cli}\n$ pip\n```", "```{pip-cli} $ pip ```"),
        ("```{py:function} f(x)\none\n```", "f(x) one"),
        (":::{versionadded} 8.0\none\n:::", "versionadded 8.0 one"),
        ("```python\n:name: value\n{note}`a`\n```", "```python :name: value {note}`a` ```"),
        (":::{tip} Titled\n:class: a\none\n:::\ntwo", "Titled one two"),
        ("::::{grid}\n:::{card} A\none\n:::\n::::", "A one"),
        (":::{toctree}\na\n:::\none", "one"),
        (":::{toctree}\na", ""),
        ("::: warning\none", "::: warning one"),
    ],
)
def test_lines_of_directives_are_hidden(source, expected):
    assert shown(source) == expected


def test_headings_stand_in_directives_but_not_in_code_of_them():
    source = "# A\n\n```{note}\n## B\n```\n\n```{code-block} sh\n# no\n```\n\n## C\n"
    sections = MarkdownSplitter().parse(source, "a.md", dialects=["myst"]).sections
    assert [(section.depth, section.heading) for section in sections] == [(1, "A"), (2, "B"), (2, "C")]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("conf.py", "extensions = ['myst_parser']\n", ("myst",)),
        ("conf.py", "extensions = ['sphinx.ext.autodoc']\n", ()),
        ("_toc.yml", "", ("myst",)),
        ("myst.yml", "", ("myst",)),
    ],
)
def test_folder_shows_that_its_documents_are_myst(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert Dialects(tmp_path).of("guide/a.md") == expected


@pytest.mark.parametrize("make", [os.mkdir, pytest.param(getattr(os, "mkfifo", None), marks=NEEDS_PIPES)])
def test_what_is_no_file_but_named_as_the_configuration_of_sphinx_shows_nothing(tmp_path, make):
    make(tmp_path / "conf.py")
    assert Dialects(tmp_path).of("a.md") == ()
