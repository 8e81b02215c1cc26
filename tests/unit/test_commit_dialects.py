"""A document of a commit is split as an index run would split it now, whatever the setting and the folders say."""

import pytest

from indexer.dialects.folders import Dialects
from indexer.splitter import MarkdownSplitter
from indexer.versions import sections_of

TEXT = (
    "export const x = `\n# Exported\n`;\n\n%%\n# Noted\n%%\n\n{{< highlight md >}}\n# Coded\n{{< /highlight >}}\n\n# Shown\n"
)


@pytest.mark.parametrize("path", ["c.mdx", "c.md", "notes/c.mdx", "notes/c.md"])
@pytest.mark.parametrize("setting", [("auto",), ("hugo",), ("auto", "hugo"), ()], ids=" ".join)
def test_headings_of_a_commit_are_those_of_a_run(tmp_path, setting, path):
    (tmp_path / "notes/.obsidian").mkdir(parents=True)
    dialects = Dialects(tmp_path, setting)
    run = MarkdownSplitter().parse(TEXT, path, dialects=dialects.of(path)).sections
    then = sections_of(path, TEXT.encode(), dialects.shown([path]))
    assert [(one.heading, one.hidden) for one in then] == [(one.heading, one.hidden) for one in run]


@pytest.mark.parametrize(
    ("noted", "path", "headings"),
    [
        ({}, "c.md", ["Exported", "Noted", "Coded", "Shown"]),
        ({}, "c.mdx", ["Noted", "Coded", "Shown"]),
        ({"*": "hugo"}, "c.mdx", ["Exported", "Noted", "Shown"]),
        ({"*": "auto hugo", "a": "obsidian"}, "a/c.md", ["Exported", "Shown"]),
        ({"*": "hugo", "a": "obsidian"}, "a/c.md", ["Exported", "Noted", "Shown"]),
        ({"*": ""}, "c.mdx", ["Exported", "Noted", "Coded", "Shown"]),
    ],
)
def test_what_the_index_noted_decides_about_the_dialects_of_a_commit(noted, path, headings):
    assert [one.heading for one in sections_of(path, TEXT.encode(), noted) if one.depth] == headings
