"""PDF, Word, HTML, notebook, reStructuredText and AsciiDoc files in an index: found with their page, cell or line."""

import io
import json
import os
import socket
import time
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest

from indexer.convert import conversion, process
from indexer.convert.conversion import convert
from indexer.sync import documents
from indexer.sync.link_check import check_links
from schema.errors import ConversionError, SettingsError
from schema.index_files.layout import converted_path
from schema.index_files.roots import FileChoice
from schema.settings import load_settings
from search.answers.links_wire import render_links
from search.answers.service import SearchService
from tests.attached import NEEDS_CONVERT, docx, encrypted, notebook, pdf, said, word
from tests.conftest import Project, WordEmbedder

pytestmark = [NEEDS_CONVERT, pytest.mark.process]

MANUAL = pdf(
    "Preface\nThis manual is about valves.",
    "Turning valves\nA valve opens when the wheel is turned to the left.",
    "Rust on the spindle is removed with vinegar.",
    "弁の点検\n弁は毎月点検し、漏れがあれば交換します。",
    title="Valves",
    outline=[(0, "Preface", 1), (0, "Turning valves", 2), (0, "弁の点検", 4)],
)
FILES = {
    "docs/manual.pdf": MANUAL,
    "docs/plain.pdf": pdf("Herrings swim.", "Mackerels hide in the harbour.", "버퍼 용량을 늘리려면 설정을 바꿉니다."),
    "docs/contract.docx": docx("# Term", "It lasts one year.", "## Notice", "Giraffes are told three months before."),
    "docs/page.html": (
        b"<html><head><title>Kettles</title></head>\n<body><nav>Penguin navigation</nav>\n<main><h1>Kettles</h1>\n"
        b"<h2>Descaling</h2>\n<p>Citric acid removes limescale.</p><script>var penguin</script></main></body></html>"
    ),
    "docs/sum.ipynb": notebook(
        "# Sums\n\nAdds numbers.", ("total = 1 + 1\nprint(total)", "2"), "Walruses explain the result."
    ),
    "docs/api.rst": b"API\n===\n\n.. include:: secret.txt\n\nCalls\n-----\n\nOtters are returned by the call.\n",
    "docs/guide.adoc": b"= Guide\n\ninclude::secret.txt[]\n\n== Pumps\n\nBadgers prime the pump.\n",
    "docs/notes.md": b"# Notes\n\nPlain hedgehogs.\n",
}


def settings(project, **values):
    return load_settings(project.home, environ={}, overrides={"convert": True, **values})


def indexed(project):
    for path, data in FILES.items():
        project.write(path, data)
    project.report = project.index(settings=settings(project))
    return project


@pytest.fixture
def converted(project):
    return indexed(project)


@pytest.fixture(scope="module")
def read_only(tmp_path_factory):
    """The same for tests that change nothing."""
    return indexed(Project(tmp_path_factory.mktemp("read_only"), WordEmbedder()))


def first(project, query):
    return project.engine().search(query, mode="lexical")[0]


@pytest.mark.parametrize(
    ("query", "path", "heading", "place", "begins"),
    [
        ("wheel is turned", "docs/manual.pdf", "Turning valves", "page 2", "page 2"),
        ("vinegar", "docs/manual.pdf", "Turning valves", "page 3", "page 2"),
        ("弁の漏れ", "docs/manual.pdf", "弁の点検", "page 4", "page 4"),
        ("mackerels", "docs/plain.pdf", "Page 2", "page 2", "page 2"),
        ("버퍼 용량", "docs/plain.pdf", "Page 3", "page 3", "page 3"),
        ("giraffes", "docs/contract.docx", "Notice", "heading 2", "heading 2"),
        ("limescale", "docs/page.html", "Descaling", "line 4", "line 4"),
        ("walruses", "docs/sum.ipynb", "Sums", "cell 3", "cell 1"),
        ("total", "docs/sum.ipynb", "Sums", "cell 2", "cell 1"),
        ("otters", "docs/api.rst", "Calls", "line 6", "line 6"),
        ("badgers", "docs/guide.adoc", "Pumps", "line 5", "line 5"),
        ("hedgehogs", "docs/notes.md", "Notes", "", ""),
    ],
)
def test_a_hit_cites_where_it_stands_in_its_file(read_only, query, path, heading, place, begins):
    hit = first(read_only, query)
    assert (hit.section.document_path, hit.section.heading) == (path, heading)
    assert (hit.snippet.place, hit.section.place) == (place, begins)


def test_contents_are_slices_of_the_markdown_that_is_kept(read_only):
    for path in ("docs/manual.pdf", "docs/sum.ipynb", "docs/contract.docx"):
        whole = convert(path, FILES[path]).text
        sections = [row.section for row in read_only.stored().values() if row.section.document_path == path]
        assert sections
        assert [whole[each.start : each.end] for each in sections] == [each.content for each in sections]


def test_scripts_and_navigation_are_not_found(read_only):
    assert read_only.engine().search("penguin", mode="lexical") == []


def test_includes_are_left_out_with_a_warning(converted):
    converted.write("docs/secret.txt", "secret words")
    warnings = [warning for warning in converted.report.warnings if "include" in warning]
    assert warnings == [
        "docs/api.rst: 1 include of another file is left out",
        "docs/guide.adoc: 1 include of another file is left out",
    ]


def test_without_the_setting_they_are_not_indexed(project):
    for path, data in FILES.items():
        project.write(path, data)
    assert project.index().documents_added == 1
    assert not converted_path(project.index_dir).exists()


def test_a_rebuild_and_a_lost_cache_give_the_same(converted, monkeypatch):
    before = {key: row.section.content for key, row in converted.stored().items()}
    with monkeypatch.context() as patch:
        patch.setattr("indexer.convert.documents.convert", None)  # everything is in the cache
        converted.indexer(settings=settings(converted)).rebuild(converted.home / "docs")
    assert {key: row.section.content for key, row in converted.stored().items()} == before
    for entry in converted_path(converted.index_dir).iterdir():
        entry.unlink()
    converted.indexer(settings=settings(converted)).rebuild(converted.home / "docs")
    assert {key: row.section.content for key, row in converted.stored().items()} == before


def test_an_index_of_converted_files_is_sound(read_only):
    report = read_only.indexer(settings=settings(read_only)).verify()
    assert (report.differences, report.failed) == ((), ())


def test_a_changed_file_is_stale_and_then_taken_in(converted):
    converted.write("docs/sum.ipynb", notebook("# Sums", "Seals explain the result."))
    assert first(converted, "walruses").stale
    assert not first(converted, "giraffes").stale
    assert converted.index(settings=settings(converted)).documents_updated == 1
    assert first(converted, "seals").snippet.place == "cell 2"


def test_json_terminal_and_citations_show_the_place(read_only, monkeypatch, search_command):
    monkeypatch.chdir(read_only.home)
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: read_only.embedder)
    hit = json.loads(search_command("--json", "--mode", "lexical", "vinegar")[1])["results"][0]
    assert (hit["place"], hit["snippet"]["place"]) == ("page 2", "page 3")
    shown = search_command("--mode", "lexical", "vinegar")[1]
    assert "docs/manual.pdf, page 3  section from page 2 on" in shown
    assert "docs/notes.md:" in search_command("--mode", "lexical", "hedgehogs")[1]
    assert "[docs/manual.pdf#turning-valves, page 2 to page 3]" in search_command("context", "vinegar")[1]
    assert "Turning valves" in search_command("outline", "docs/manual.pdf")[1]
    assert "page 4" in search_command("outline", "docs/manual.pdf")[1]
    pieces = json.loads(search_command("context", "vinegar", "--json")[1])["pieces"]
    assert ("docs/manual.pdf#turning-valves, page 2 to page 3", "page 2 to page 3") in [
        (piece["citation"], piece["place"]) for piece in pieces
    ]


# -- hostile files -----------------------------------------------------------------------------------------------------


def bomb(size=250_000_000):
    """A Word file whose text unpacks to this many bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx("x"))) as plain, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in plain.namelist():
            if entry != "word/document.xml":
                packed.writestr(entry, plain.read(entry))
        packed.writestr("word/document.xml", b" " * size)
    return out.getvalue()


def entities():
    grow = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghi"))
    return word(said("&i;"), f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{grow}]>')


def test_hostile_files_are_refused_in_one_sentence_each(project, monkeypatch):
    project.write("docs/good.pdf", pdf("Herrings swim."))
    project.write("docs/bomb.docx", bomb())
    project.write("docs/entities.docx", entities())
    project.write("docs/locked.pdf", encrypted(pdf("Secret."), "key"))
    project.write("docs/old.docx", b"\xd0\xcf\x11\xe0" + bytes(1000))
    project.write("docs/scan.pdf", pdf(""))
    with project.write("docs/huge.pdf", b"%PDF-1.4").open("r+b") as file:
        file.truncate(200_000_000)
    started = time.monotonic()
    report = project.index(settings=settings(project))
    assert time.monotonic() - started < 60
    assert {failure.path: failure.reason for failure in report.failed} == {
        "docs/bomb.docx": "it unpacks to more than 200,000,000 bytes; split it into smaller files.",
        "docs/entities.docx": "it cannot be read as a Word file (couldn't parse docx file: DocxError); save it again.",
        "docs/locked.pdf": "it is protected by a password; save it without one.",
        "docs/old.docx": "it is protected by a password, or of an old format; save it as .docx without a password.",
        "docs/scan.pdf": "it holds no text; a scanned document needs text recognition first.",
        "docs/huge.pdf": (
            "it has 200,000,000 bytes, more than the 10,000,000 of max_file_bytes; split it or raise the setting"
        ),
    }
    assert first(project, "herrings").section.place == "page 1"
    monkeypatch.setattr("indexer.convert.documents.convert", None)  # what was refused is not tried again
    again = project.index(settings=settings(project))
    assert len(again.failed) == 6


def test_a_file_of_200_megabytes_is_not_converted_with_a_higher_limit_either(project):
    with project.write("docs/huge.pdf", b"%PDF-1.4").open("r+b") as file:
        file.truncate(200_000_000)
    report = project.index(settings=settings(project, max_file_bytes=300_000_000))
    assert [failure.reason for failure in report.failed] == [
        "it has 200,000,000 bytes, more than 50,000,000; split it into smaller files."
    ]


def test_a_failed_file_keeps_the_sections_it_had(converted):
    converted.write("docs/manual.pdf", encrypted(MANUAL, "key"))
    report = converted.index(settings=settings(converted))
    assert [failure.path for failure in report.failed] == ["docs/manual.pdf"]
    assert first(converted, "vinegar").stale


@pytest.fixture
def listener():
    """A server that notes who connects: its address, and the connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def was_asked(server):
    try:
        server.accept()
    except TimeoutError:
        return False
    return True


def test_nothing_is_fetched(listener, tmp_path):
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/x.png"
    relation = (
        '<Relationship Id="rId99" TargetMode="External" Target="%s" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/>'
    )
    picture = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx("Text."))) as plain, zipfile.ZipFile(picture, "w") as packed:
        for entry in plain.namelist():
            data = plain.read(entry)
            if entry == "word/_rels/document.xml.rels":
                data = data.replace(b"</Relationships>", (relation % url + "</Relationships>").encode())
            packed.writestr(entry, data)
    files = {
        "a.html": f"<p>Text.<img src='{url}'><iframe src='{url}'></iframe><script src='{url}'></script>"
        f"<link rel=stylesheet href='{url}'><object data='{url}'></object><embed src='{url}'>",
        "a.rst": f"Text.\n\n.. image:: {url}\n\n.. include:: {url}\n\n.. raw:: html\n   :url: {url}\n\n.. figure:: {url}\n",
        "a.adoc": f"Text.\n\nimage::{url}[]\n\ninclude::{url}[]\n\nvideo::{url}[]\n",
        "a.docx": picture.getvalue(),
        "a.ipynb": notebook(f"Text. ![x]({url})"),
    }
    for name, data in files.items():
        assert convert(name, data if isinstance(data, bytes) else data.encode()).text.startswith("Text.")
    assert not was_asked(listener)


def test_a_reader_that_would_use_the_network_fails(listener, monkeypatch, tmp_path):
    port = listener.getsockname()[1]
    (tmp_path / "pypdfium2.py").write_text(f"import socket; socket.create_connection(('127.0.0.1', {port}))")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    with pytest.raises(ConversionError, match="it made the program that reads such files fail"):
        convert("a.pdf", pdf("x"))
    assert not was_asked(listener)
    with pytest.raises(PermissionError, match=r"socket.connect is refused"):
        process.refuse_network("socket.connect", ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.rst",
            ".. include:: {0}\n\n.. literalinclude:: {0}\n\n.. raw:: html\n   :file: {0}\n\n.. csv-table:: T\n   :file: {0}\n\nT",
        ),
        ("a.rst", ".. |x| include:: {0}\n\nT\n\n .. include:: {0}\n\n* a\n\n  .. include::  {0}"),
        ("a.rst", "T\n\n..\tinclude:: {0}\n\n..  include :: {0}\n\n.. INCLUDE:: {0}"),
        (
            "a.adoc",
            "T\n\ninclude::{0}[]\n\ninclude::{0}[lines=1]\n\n----\ninclude::{0}[]\n----\n\n|===\ninclude::{0}[]\n|===",
        ),
        ("a.adoc", "T\n\n:x: {0}\n\ninclude::{{x}}[]\n\n include::{0}[]\n\nxinclude::{0}[]"),
        ("a.html", "<p>T<iframe src='file://{0}'></iframe><object data='{0}'></object><img src='{0}'>"),
    ],
)
def test_no_file_of_the_machine_is_read(tmp_path, name, text):
    secret = tmp_path / "secret.txt"
    secret.write_text("sesame\n")
    try:
        shown = convert(name, text.format(secret).encode()).text
    except ConversionError as error:
        shown = str(error)
    assert "sesame" not in shown


def test_a_program_that_hangs_ends_with_its_process(monkeypatch, tmp_path):
    (tmp_path / "pypdfium2.py").write_text(
        f"import subprocess, time\np = subprocess.Popen(['sleep', '600'])\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid))\n"
        "time.sleep(600)"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.setattr(conversion, "MAX_SECONDS", 2)
    with pytest.raises(ConversionError, match="takes more than 2 seconds"):
        convert("a.pdf", b"x")
    pid = int((tmp_path / "pid").read_text())
    for _ in range(50):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the program still runs")


def test_a_missing_extra_is_said_before_anything_is_read(project, monkeypatch):
    project.write("docs/page.html", FILES["docs/page.html"])
    monkeypatch.setattr("indexer.convert.pandoc.program", lambda: None)
    with pytest.raises(SettingsError, match="The setting convert needs packages that are not installed"):
        project.index(settings=settings(project))
    assert list(project.home.iterdir()) == [project.home / "docs"]


def test_file_is_read_again_when_its_folder_is_converted_and_when_it_is_not(project):
    project.write("docs/page.html", FILES["docs/page.html"])
    project.write("other/page.html", FILES["docs/page.html"])
    project.indexer(files=FileChoice(include=("**/*.html",))).index(project.home / "docs", project.home / "other")
    assert [one.heading for one in project.engine().outline("docs/page.html")] == ["page"]
    project.indexer(files=FileChoice(convert=True)).index(project.home / "docs")
    assert [one.heading for one in project.engine().outline("docs/page.html")] == ["Kettles", "Descaling"]
    assert (project.indexer().index().documents_updated, project.indexer().verify().differences) == (0, ())
    assert [one.heading for one in project.engine().outline("other/page.html")] == ["page"]
    project.indexer(files=FileChoice(convert=False)).index(project.home / "docs")
    assert [one.heading for one in project.engine().outline("docs/page.html")] == ["page"]


def test_files_are_converted_again_by_another_version_of_the_converter(project, monkeypatch):
    project.write("docs/page.html", FILES["docs/page.html"])
    project.indexer(files=FileChoice(convert=True)).index(project.home / "docs")
    monkeypatch.setattr(documents, "CONVERSION", "of another version")
    assert [project.index().documents_updated for _ in range(2)] == [1, 0]


def test_an_indexer_that_lives_on_converts_what_another_one_began_to_convert(project):
    project.write("docs/page.html", FILES["docs/page.html"])
    earlier = project.indexer()
    earlier.index(project.home / "docs")
    project.indexer(files=FileChoice(convert=True)).index(project.home / "docs")
    assert (earlier.index().documents_updated, earlier.verify().differences) == (0, ())
    assert [one.heading for one in project.engine().outline("docs/page.html")] == ["Kettles", "Descaling"]


def test_links_of_a_converted_file_are_told_with_their_cell(project):
    project.write("docs/sum.ipynb", notebook("# Sums\n\nSee [notes](notes.md#notes).", ("1", "1"), "And [more](gone.md)."))
    project.write("docs/notes.md", "# Notes\n\n[sums](sum.ipynb#sums)\n")
    project.index(settings=settings(project))
    service = SearchService(project.index_dir, settings=settings(project), embedder=project.embedder)
    answer = service.links("docs/sum.ipynb")
    assert [(link["target"], link["place"], link["document_path"]) for link in answer["links"]] == [
        ("notes.md#notes", "cell 1", "docs/notes.md"),
        ("gone.md", "cell 3", None),
    ]
    assert "  docs/sum.ipynb, cell 1  notes.md#notes → docs/notes.md  Notes" in render_links(answer).split("\n")
    back = service.links("docs/notes.md")
    assert [(link["place"], link["line"]) for link in back["backlinks"]] == [("cell 1", 3)]
    (broken,) = check_links(project.index_dir).broken
    assert (broken.path, broken.place, broken.target) == ("docs/sum.ipynb", "cell 3", "gone.md")
