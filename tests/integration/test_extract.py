"""`index extract`: what a language model on loopback is asked, and which documents are written."""

import hashlib
import json
import re
import shutil
from dataclasses import replace

import pytest

from indexer.llm.prompts import load_prompt
from tests.attached import docx, pdf
from tests.extracting import ROTATION, Extracting, asked_text, entry, fixed_time
from tests.integration.test_commands import run  # noqa: F401 — a fixture

pytest.importorskip("openai")


@pytest.fixture
def extract(run, manual, monkeypatch):  # noqa: F811
    monkeypatch.setattr("indexer.llm.extraction.now", fixed_time)
    return Extracting(run, manual.home, monkeypatch)


def test_entry_is_a_document_that_names_its_source(extract):
    source = extract.write("notes/keys.md")
    code, out, err = extract("notes/keys.md")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "wrote knowledge/keys.md from notes/keys.md (18 tokens)",
        "documents  1 written, 0 replaced, 0 unchanged, 0 failed",
        "requests   1, with 18 tokens of text",
    ]
    front = extract.front("keys.md")
    body = extract.text("keys.md").split("---\n", 2)[2]
    assert front == {
        "title": "Key rotation",
        "tags": ["knowledge"],
        "language": "en",
        "source": "notes/keys.md",
        "source_sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "date": "2026-11-23T04:05:06+00:00",
        "model": "scripted",
        "prompt": "knowledge_extraction/1",
        "format": "knowledge/1",
        "text_sha256": hashlib.sha256(body.encode()).hexdigest(),
    }
    assert body == "\n# Key rotation\n\nThe operator of the service rotates the key.\n\n- every ninety days\n"
    assert asked_text(extract.server.requests[0]) == ROTATION.strip()


def test_report_is_a_second_document(extract):
    extract.write("notes/keys.md")
    assert extract("notes/keys.md", "--report")[0] == 0
    assert extract.written() == ["keys-report.md", "keys.md"]
    assert extract.front("keys-report.md")["format"] == "report/1"
    assert extract.text("keys-report.md").split("---\n", 2)[2] == (
        "\n# Report on keys.md\n\nThe service answers the requests of all its users.\n\n## Analysis\n\n### Requests\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n## Risks\n\nThe disk is nearly full.\n\n## Figures\n\n"
        '```json\n{\n  "requests": 1200\n}\n```\n'
    )


def test_written_documents_are_indexed_and_found(extract, run):  # noqa: F811
    extract.write("notes/keys.md")
    extract("notes/keys.md")
    assert run("index", "knowledge")[0] == 0
    (hit,) = json.loads(
        run("search", "--json", "--mode", "lexical", "--field", "source=notes/keys.md", "operator rotates")[1]
    )["results"]
    assert (hit["document_path"], hit["heading"]) == ("knowledge/keys.md", "Key rotation")


def test_dry_run_tells_requests_and_names_and_sends_and_writes_nothing(extract):
    extract.write("notes/keys.md")
    extract.write("notes/team/talk.txt", "a few words")
    code, out, err = extract("notes", "--report", "--dry-run")
    assert (code, err, extract.server.requests, extract.written()) == (0, "", [], [])
    assert out.splitlines() == [
        "would write knowledge/keys.md from notes/keys.md (18 tokens)",
        "would write knowledge/keys-report.md from notes/keys.md (18 tokens)",
        "would write knowledge/team-talk.md from notes/team/talk.txt (3 tokens)",
        "would write knowledge/team-talk-report.md from notes/team/talk.txt (3 tokens)",
        "documents  4 to write, 0 to replace, 0 unchanged, 0 failed",
        "requests   4, with 42 tokens of text; nothing was sent or written",
    ]
    would = extract.report("notes", "--report", "--dry-run")
    did = extract.report("notes", "--report")
    assert sorted(map(str, would["documents"])) == sorted(map(str, did["documents"]))
    assert (would["dry_run"], did["dry_run"]) == (True, False)


def test_dry_run_needs_no_server(run, manual):  # noqa: F811
    code, out, _ = run("index", "extract", "docs", "--out", "knowledge", "--dry-run")
    assert code == 0
    assert "would write knowledge/guide.md from docs/guide.md" in out


def test_without_a_server_it_says_what_to_set(run, manual):  # noqa: F811
    code, out, err = run("index", "extract", "docs", "--out", "knowledge")
    assert (code, out) == (2, "")
    assert err == (
        "index: A language model is needed, but llm_base_url and llm_model are not set; set them in sectionary.toml or the "
        "environment, as docs/summaries.md tells.\n"
    )
    assert not (manual.home / "knowledge").exists()


def test_source_that_has_its_entry_is_not_asked_about_again(extract):
    extract.write("notes/keys.md")
    extract("notes")
    before = extract.text("keys.md")
    extract.write("moved/elsewhere.md")
    report = extract.report("notes", "moved")
    assert (report["unchanged"], report["documents"], extract.server.requests) == (["knowledge/keys.md"], [], [])
    assert extract.text("keys.md") == before


def test_entry_that_is_there_needs_no_second_for_a_report(extract):
    extract.write("notes/keys.md")
    extract("notes")
    report = extract.report("notes", "--report")
    assert [document["path"] for document in report["documents"]] == ["knowledge/keys-report.md"]
    assert report["unchanged"] == ["knowledge/keys.md"]


def test_another_prompt_version_asks_again(extract, monkeypatch):
    extract.write("notes/keys.md")
    extract("notes")
    monkeypatch.setattr("indexer.llm.planning.load_prompt", lambda name: replace(load_prompt(name), version=99))
    report = extract.report("notes")
    assert [document["path"] for document in report["documents"]] == ["knowledge/keys-2.md"]
    assert report["outdated"] == ["knowledge/keys.md"]


def test_changed_source_gets_a_document_beside_the_old_one(extract):
    extract.write("notes/keys.md")
    extract("notes")
    before = extract.text("keys.md")
    extract.write("notes/keys.md", ROTATION + "\nMore.\n")
    code, _, err = extract("notes")
    assert code == 0
    assert err == (
        "index: warning: knowledge/keys.md is of an earlier version of its source; delete it if it is of no use, or give "
        "--replace before the next change.\n"
    )
    assert extract.written() == ["keys-2.md", "keys.md"]
    assert extract.text("keys.md") == before


def test_replace_puts_the_new_document_in_the_place_of_the_old_one(extract):
    extract.write("notes/keys.md")
    extract("notes")
    changed = extract.write("notes/keys.md", ROTATION + "\nMore.\n")
    report = extract.report("notes", "--replace")
    assert [(one["path"], one["is_replacement"]) for one in report["documents"]] == [("knowledge/keys.md", True)]
    assert report["outdated"] == []
    assert extract.written() == ["keys.md"]
    assert extract.front("keys.md")["source_sha256"] == hashlib.sha256(changed.read_bytes()).hexdigest()


def test_replace_leaves_a_document_that_was_edited(extract):
    extract.write("notes/keys.md")
    extract("notes")
    edited = extract.text("keys.md") + "\nMy own words.\n"
    extract.write("knowledge/keys.md", edited)
    extract.write("notes/keys.md", ROTATION + "\nMore.\n")
    report = extract.report("notes", "--replace")
    assert extract.text("keys.md") == edited
    assert [one["path"] for one in report["documents"]] == ["knowledge/keys-2.md"]
    assert report["warnings"] == ["knowledge/keys.md was edited and is not replaced; the new document is put beside it."]


def test_document_that_is_edited_while_the_model_is_asked_is_not_replaced(extract):
    extract.write("notes/keys.md")
    extract("notes")
    extract.write("notes/keys.md", ROTATION + "\nMore.\n")

    def edit(_body):
        extract.write("knowledge/keys.md", extract.text("keys.md") + "\nMy own words.\n")
        return entry()

    report = extract.report("notes", "--replace", script=edit)
    assert "My own words." in extract.text("keys.md")
    assert [(one["path"], one["is_replacement"]) for one in report["documents"]] == [("knowledge/keys-2.md", False)]
    assert report["warnings"] == [
        "knowledge/keys.md was edited meanwhile and is not replaced; the new document is knowledge/keys-2.md."
    ]


def test_replace_leaves_what_nobody_extracted(extract):
    extract.write("notes/keys.md")
    extract.write("knowledge/keys.md", "# My own\n")
    extract("notes", "--replace")
    assert extract.text("keys.md") == "# My own\n"
    assert extract.written() == ["keys-2.md", "keys.md"]


@pytest.mark.parametrize("arguments", [("archive", "notes.md"), ("notes.md", "archive")], ids=["before", "after"])
def test_replace_leaves_the_entry_of_a_source_that_was_moved(extract, arguments):
    source = extract.write("notes.md")
    extract("notes.md")
    before = extract.text("notes.md")
    extract.write("archive/notes.md", source.read_bytes())
    extract.write("notes.md", "# Another\n\nAnother note of the operator.\n")
    report = extract.report(*arguments, "--replace")
    assert [(one["path"], one["is_replacement"]) for one in report["documents"]] == [("knowledge/notes-2.md", False)]
    assert (report["unchanged"], report["outdated"]) == (["knowledge/notes.md"], [])
    assert extract.text("notes.md") == before


def test_replace_leaves_the_entry_that_stands_for_a_copy(extract):
    extract.write("notes/a.md")
    extract.write("notes/b.md")
    extract("notes")
    before = extract.text("a.md")
    extract.write("notes/a.md", ROTATION + "\nMore.\n")
    assert [one["path"] for one in extract.report("notes", "--replace")["documents"]] == ["knowledge/a-2.md"]
    assert extract.text("a.md") == before


def test_entry_of_another_source_is_not_outdated(extract):
    extract.write("notes/a.md", "# A\n\nThe first text.\n")
    extract.write("notes/b.md", "# B\n\nThe second text.\n")
    extract("notes")
    a, b = (extract.home / "notes" / name for name in ("a.md", "b.md"))
    first, second = a.read_bytes(), b.read_bytes()
    a.write_bytes(second)
    b.write_bytes(first)
    report = extract.report("notes")
    assert (sorted(report["unchanged"]), report["outdated"]) == (["knowledge/a.md", "knowledge/b.md"], [])


def test_edited_entry_still_counts_as_there(extract):
    extract.write("notes/keys.md")
    extract("notes")
    extract.write("knowledge/keys.md", extract.text("keys.md") + "\nMy own words.\n")
    assert extract.report("notes")["unchanged"] == ["knowledge/keys.md"]


def test_copy_gets_no_document_of_its_own(extract):
    extract.write("notes/a.md")
    extract.write("notes/b.md")
    report = extract.report("notes")
    assert report["warnings"] == ["notes/b.md is a copy of notes/a.md; the documents of one stand for both."]
    assert extract.written() == ["a.md"]


def test_files_of_one_name_get_numbers(extract):
    extract.write("a/notes.md", "# One\n")
    extract.write("b/notes.md", "# Two\n")
    extract.write("b/README.md", "# Three\n")
    extract("a/notes.md", "b/notes.md", "b/README.md")
    assert extract.written() == ["b.md", "notes-2.md", "notes.md"]
    assert extract.front("notes-2.md")["source"] == "b/notes.md"


LONG = "".join(f"# Chapter {i}\n\n" + f"Words of chapter {i}, one after the other.\n" * 8 + "\n" for i in range(4))


def test_long_source_is_cut_at_headings_and_each_part_gets_an_entry(extract):
    extract.write("notes/long.md", LONG)
    report = extract.report("notes", llm_document_tokens=200)
    assert [(one["path"], one["part"], one["parts"]) for one in report["documents"]] == [
        ("knowledge/long-part-1.md", 1, 2), ("knowledge/long-part-2.md", 2, 2)
    ]  # fmt: skip
    texts = [asked_text(request) for request in extract.server.requests]
    assert [text.split("\n")[0] for text in texts] == ["long.md, part 1 of 2", "long.md, part 2 of 2"]
    assert [re.findall(r"# Chapter \d", text) for text in texts] == [
        ["# Chapter 0", "# Chapter 1"],
        ["# Chapter 2", "# Chapter 3"],
    ]
    front = [extract.front(f"long-part-{part}.md") for part in (1, 2)]
    middle = LONG.index("# Chapter 2")
    assert [(one["source_part"], one["source_parts"], one["source_characters"]) for one in front] == [
        (1, 2, f"0-{middle}"), (2, 2, f"{middle}-{len(LONG.strip())}")
    ]  # fmt: skip


def test_run_that_broke_off_goes_on_with_the_parts_that_lack(extract):
    extract.write("notes/long.md", LONG)
    extract("notes", "--limit", "1", llm_document_tokens=200)
    assert extract.written() == ["long-part-1.md"]
    report = extract.report("notes", llm_document_tokens=200)
    assert ([one["path"] for one in report["documents"]], report["unchanged"]) == (
        ["knowledge/long-part-2.md"], ["knowledge/long-part-1.md"]
    )  # fmt: skip


def test_source_whose_parts_are_all_there_is_not_cut_again_by_another_setting(extract):
    extract.write("notes/long.md", LONG)
    extract("notes", llm_document_tokens=200)
    assert extract.report("notes", llm_document_tokens=100)["documents"] == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "data"), [("case.pdf", pdf("The key is rotated.")), ("case.docx", docx("The key is rotated."))]
)
def test_pdf_and_word_files_are_sources(extract, name, data):
    extract.write(f"cases/{name}", data)
    assert extract("cases")[0] == 0
    assert asked_text(extract.server.requests[0]) == "The key is rotated."
    assert extract.front("case.md")["source_sha256"] == hashlib.sha256(data).hexdigest()


def test_folder_gives_its_documents_and_not_those_that_were_made_of_them(extract):
    shutil.rmtree(extract.home / "docs")
    extract.write("case.MD", "# One\n")
    extract.write("sub/case.txt", "Two")
    extract.write("sheet.xlsx", b"PK")
    extract.write(".hidden.md", "# Hidden\n")
    extract.write("ignored/a.md", "# Ignored\n")
    extract.write(".gitignore", "ignored/\n")
    extract(".")
    report = extract.report(".", "--dry-run")
    assert extract.written() == ["case.md", "sub-case.md"]
    assert report["documents"] == []
    assert report["warnings"] == ["2 files in knowledge are left out, since the documents are written there."]


def test_standard_input_is_a_source_with_the_name_it_is_given(extract, monkeypatch):
    class Stdin:
        buffer = __import__("io").BytesIO(b"What was said in the meeting.")

        @staticmethod
        def isatty():
            return False

    monkeypatch.setattr("sys.stdin", Stdin)
    assert extract("-", "--name", "2026/standup")[0] == 0
    assert extract.written() == ["2026-standup.md"]
    assert extract.front("2026-standup.md")["source"] == "2026/standup.txt"


def test_language_is_that_of_the_source_or_the_one_that_is_asked_for(extract):
    extract.write("notes/ja.md", "署名鍵は九十日ごとに運用者が更新する。古い鍵は使えない。\n")
    japanese = entry("鍵の更新", "署名鍵は運用者が更新する。", "- 九十日ごと")
    extract("notes", script=[japanese])
    assert "Write in Japanese:" in extract.server.requests[0]["messages"][0]["content"]
    assert extract.front("ja.md")["language"] == "ja"
    report = extract.report("notes", "--language", "en")
    assert "Write in English:" in extract.server.requests[0]["messages"][0]["content"]
    assert [one["path"] for one in report["documents"]] == ["knowledge/ja-2.md"]
    assert (extract.report("notes")["documents"], report["outdated"]) == ([], [])
