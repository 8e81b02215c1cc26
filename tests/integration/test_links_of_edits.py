"""Links of edited documents are those that a new index has, and cost no look at the other documents where none changed."""

import pytest

from indexer.sync.link_names import Anchors
from schema.index_files.layout import links_path, store_dir
from schema.index_files.links import DocumentNames, LinkFile, NamedAnchor, NamedSection
from tests.conftest import Project, WordEmbedder
from tests.linked import led, rows

FILES = {
    "Guide.md": "# Guide\n\nSee [keys](api/Keys.md#rotate), [[Keys]], [below](#limits) and ![drawing](drawing.png).\n\n## Limits\n\nFew.\n",
    "api/Keys.md": "# Keys\n\n## Rotate\n\nBack to [the guide](../Guide.md#limits).\n\n#### By hand\n\nTurn it.\n",
    "api/Tokens.md": "# Tokens\n\nSee [rotation](Keys.md#rotate) and [hands](Keys.md#by-hand).\n",
}  # fmt: skip
#: A document, what is replaced in it, and by what.
EDITS = {
    "a word": ("Guide.md", "Few.", "Few, but enough."),
    "lines before a link": ("api/Keys.md", "# Keys\n", "# Keys\n\nOne more\nparagraph.\n"),
    "a heading that links name": ("api/Keys.md", "## Rotate", "## Renew"),
    "a heading that nobody names": ("Guide.md", "# Guide\n", "# Guide\n\n## Start\n\nHere.\n"),
    "a deep heading that a link names": ("api/Keys.md", "#### By hand", "#### By machine"),
    "a link to another document": ("api/Tokens.md", "Keys.md#by-hand", "../Guide.md#limits"),
    "a link to nothing": ("api/Tokens.md", "Keys.md#by-hand", "Doors.md"),
    "a link to its own document": ("Guide.md", "#limits", "#guide"),
    "a link taken away": ("Guide.md", "[[Keys]], ", ""),
    "the same link once more": ("Guide.md", "[[Keys]]", "[[Keys]] and [[Keys]]"),
    "the same target as a page": ("Guide.md", "[[Keys]]", "[[Keys]] or [keys](Keys)"),
    "another title": ("api/Keys.md", "# Keys", "# Locks"),
}


@pytest.fixture
def site(tmp_path):
    project = Project(tmp_path / "site", WordEmbedder())
    for path, text in FILES.items():
        project.write(path, text)
    project.write("drawing.png", b"\x89PNG")
    project.index(".")
    return project


@pytest.mark.parametrize("edit", EDITS)
def test_links_after_an_edit_are_those_of_a_fresh_index(site, edit):
    path, old, new = EDITS[edit]
    assert old in FILES[path]
    site.write(path, FILES[path].replace(old, new))
    site.index(".")
    edited = rows(site)
    links_path(store_dir(site.index_dir)).unlink()
    site.index(".")
    assert edited == rows(site)


def test_a_picture_that_is_gone_is_noticed_when_its_document_changes(site):
    (site.home / "drawing.png").unlink()
    site.write("Guide.md", FILES["Guide.md"] + "\nMore.\n")
    site.index(".")
    assert led(site, "Guide.md")[-1] != ("drawing.png", "file", "", "")


@pytest.mark.parametrize(
    ("edit", "reads_all"),
    [("lines before a link", False), ("a link taken away", True), ("a link to nothing", True), ("another title", True)],
)
def test_other_documents_are_looked_at_only_when_a_link_may_lead_elsewhere(site, monkeypatch, edit, reads_all):
    asked = []
    names = LinkFile.names
    monkeypatch.setattr(LinkFile, "names", lambda self, paths=None: asked.append(paths) or names(self, paths))
    path, old, new = EDITS[edit]
    site.write(path, FILES[path].replace(old, new))
    site.index(".")
    assert (None in asked) == reads_all


def test_anchors_are_alike_when_lines_alone_moved():
    def anchors(line, heading="Rotate", deep="by-hand"):
        section = NamedSection("1", line, "rotate", heading)
        return Anchors(DocumentNames((section,), (NamedAnchor(deep, line + 3, "heading"),)))

    assert anchors(1) == anchors(7)
    assert anchors(1) != anchors(1, heading="Renew")
    assert anchors(1) != anchors(1, deep="by-machine")
