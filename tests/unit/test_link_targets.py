"""Where a link leads, by the names of the documents around it and the files of the folder."""

import pytest

from indexer.sync.folder_files import FolderFiles
from indexer.sync.link_targets import LinkTargets
from schema.index_files.links import DocumentNames, NamedAnchor, NamedSection
from schema.index_files.roots import IndexRoots
from schema.links import Link


def named(*headings, aliases=(), addresses=(), anchors=(), **more):
    sections = [NamedSection("top", 1, "top-heading", "Top heading")]
    sections += [
        NamedSection(heading.lower(), 10 * i, heading.lower(), heading) for i, heading in enumerate(headings, start=1)
    ]
    return DocumentNames(tuple(sections), tuple(NamedAnchor(*each) for each in anchors), aliases, addresses, **more)


def resolved(folder, names, source, *targets, kind="markdown"):
    """Where links of one document lead: the path and section, or the status."""
    links = [Link(document_path=source, section_id="", line=1, kind=kind, target=target) for target in targets]
    found = LinkTargets(names, FolderFiles(IndexRoots(folder))).resolve(enumerate(links))
    return [f"{each.to_path}#{each.to_section}" if each.status == "section" else each.status for each, _ in found]


BOOK = {
    "src/a.md": named("Keys"),
    "src/b.md": named(),
    "src/part/c.md": named(),
    "first/src/a.md": named(),
    "first/src/old.md": named(),
    "moved/d.md": named(),
    "README.md": named(),
}


def test_pages_of_a_book_are_found_where_it_publishes_them(tmp_path):
    assert resolved(tmp_path, BOOK, "src/a.md", "b.html", "part/c.html#top-heading", "first/old.html", "../first/old.html") == [
        "src/b.md#top", "src/part/c.md#top", "first/src/old.md#top", "unknown"
    ]  # fmt: skip
    # published in first/, so one folder up is the book in src/
    assert resolved(tmp_path, BOOK, "first/src/a.md", "../a.html#keys", "old.html") == [
        "src/a.md#keys",
        "first/src/old.md#top",
    ]


def test_pages_that_no_folder_tells_are_not_called_missing(tmp_path):
    targets = ["a.html", "../std/string.html", "print.html", "index.html", "../api/"]
    assert resolved(tmp_path, BOOK, "moved/d.md", *targets) == ["unknown"] * 5


def test_a_missing_page_is_broken_where_most_others_of_its_folder_work(tmp_path):
    assert resolved(tmp_path, BOOK, "src/a.md", "b.html", "c2.html")[1] == "no file"
    assert resolved(tmp_path, BOOK, "src/a.md", "b2.html", "c2.html", "b.html") == ["unknown", "unknown", "src/b.md#top"]


SITE = {
    "docs/guide/index.md": named(),
    "docs/guide/01-intro.md": named("Setup"),
    "docs/guide/Some Page.mdx": named(addresses=("begin",)),
    "docs/ja/guide/intro.md": named(),
    "docs/api/made.md": named(has_includes=True),
    "docs/api/labels.md": named("Part", anchors=[("my-label", 12, "label")]),
    "wiki/README.md": named(),
}


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        ("/guide/", "docs/guide/index.md#top"),
        ("/guide", "docs/guide/index.md#top"),
        ("/guide/intro", "docs/guide/01-intro.md#top"),
        ("./01-intro.md#Setup", "docs/guide/01-intro.md#setup"),
        ("intro#setup", "docs/guide/01-intro.md#setup"),
        ("Some%20Page", "docs/guide/Some Page.mdx#top"),
        ("some%20page.html", "docs/guide/Some Page.mdx#top"),
        ("/begin", "docs/guide/Some Page.mdx#top"),
        ("/begin/", "docs/guide/Some Page.mdx#top"),
        ("../../wiki", "wiki/README.md#top"),
        ("/wiki/", "wiki/README.md#top"),
        ("@site/docs/api/labels", "docs/api/labels.md#top"),
        ("my-label", "docs/api/labels.md#part"),
        ("/base/guide/intro", "docs/guide/01-intro.md#top"),
        ("/ko/guide/intro", "unknown"),
        ("/api/made#anything", "unknown"),
        ("/nowhere/page", "unknown"),
        ("/about", "unknown"),
        ("@/guide/intro", "unknown"),
        ("{{ base }}/guide", "unknown"),
        ("../../../x.md", "outside"),
        ("../../../../etc/passwd", "outside"),
        ("tel:123", "external"),
        ("//host/a.md", "external"),
        ("nothing.md", "no file"),
        ("#nothing", "no anchor"),
        ("#", "unknown"),
        ("a\0b.md", "no file"),
        ("x" * 3000 + ".md", "no file"),
        ("%ff%fe.md", "no file"),
    ],
)
def test_an_address_leads_to(tmp_path, target, leads_to):
    assert resolved(tmp_path, SITE, "docs/guide/index.md", target) == [leads_to]


def test_redirects_make_missing_addresses_unknown(tmp_path):
    links = ["/guide/", "/guide/intro", "/guide/gone"]
    assert resolved(tmp_path, SITE, "docs/guide/index.md", *links)[2] == "no file"
    (tmp_path / "docs" / "public").mkdir(parents=True)
    (tmp_path / "docs" / "public" / "_redirects").touch()
    assert resolved(tmp_path, SITE, "docs/guide/index.md", *links)[2] == "unknown"


def test_files_that_are_there_are_not_missing(tmp_path):
    (tmp_path / "docs" / "guide" / "img").mkdir(parents=True)
    (tmp_path / "docs" / "guide" / "img" / "a b.png").touch()
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "logo.svg").touch()
    targets = ["img/a%20b.png", "img/", "/logo.svg", "img/gone.png", "pictures/gone.png"]
    assert resolved(tmp_path, SITE, "docs/guide/index.md", *targets) == ["file", "file", "file", "no file", "unknown"]


def test_a_path_out_of_the_folder_is_not_looked_at(tmp_path):
    (tmp_path / "out").touch()
    (tmp_path / "in").mkdir()
    assert [FolderFiles(IndexRoots(tmp_path / "in")).exists(path) for path in ("../out", "..", "", "gone")] == [
        None,
        None,
        True,
        False,
    ]


NOTES = {
    "Note.md": named("Heading", aliases=("Other name", "Note: with colon")),
    "deep/er/Note.md": named(),
    "deep/Twin.md": named(),
    "high/Twin.md": named(),
    "high/v1.2.md": named(),
    "Folder/index.md": named(anchors=[("block-1", 3, "block")]),
}


@pytest.mark.parametrize(
    ("source", "target", "leads_to"),
    [
        ("deep/Twin.md", "note", "Note.md#top"),
        ("deep/er/Note.md", "Note", "deep/er/Note.md#top"),
        ("Note.md", "er/note", "deep/er/Note.md#top"),
        ("Note.md", "deep/er/Note.md", "deep/er/Note.md#top"),
        ("Note.md", "/deep/er/Note", "deep/er/Note.md#top"),
        ("deep/Twin.md", "../Note", "Note.md#top"),
        ("deep/Twin.md", "Twin", "deep/Twin.md#top"),
        ("Note.md", "Twin", "ambiguous"),
        ("Note.md", "OTHER NAME#heading", "Note.md#heading"),
        ("deep/Twin.md", "Note: with colon", "Note.md#top"),
        ("Note.md", "v1.2", "high/v1.2.md#top"),
        ("Note.md", "Folder#^block-1", "Folder/index.md#top"),
        ("Note.md", "Folder#^block-2", "no anchor"),
        ("Note.md", "#Top heading#Heading", "Note.md#heading"),
        ("Note.md", "obsidian://open?file=x", "external"),
        ("Note.md", "Nobody", "unknown"),
        ("Note.md", "gone.png", "unknown"),
    ],
)
def test_a_wikilink_leads_to(tmp_path, source, target, leads_to):
    assert resolved(tmp_path, NOTES, source, target, kind="wiki") == [leads_to]


def test_a_missing_note_is_broken_in_a_vault(tmp_path):
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "Here.PNG").touch()
    assert resolved(tmp_path, NOTES, "Note.md", "Nobody", "gone.png", "here.png", kind="wiki") == [
        "no file",
        "no file",
        "file",
    ]


def test_in_a_vault_plain_links_find_notes_by_name_too(tmp_path):
    assert resolved(tmp_path, NOTES, "high/Twin.md", "v1.2.md", "Folder/index.md") == ["high/v1.2.md#top", "no file"]
    (tmp_path / ".obsidian").mkdir()
    assert resolved(tmp_path, NOTES, "high/Twin.md", "Folder/index.md") == ["Folder/index.md#top"]
