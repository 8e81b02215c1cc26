"""Questions as long as a message: what is asked is found, whatever is written around it."""

import pytest

import schema.storage.indexes
from search.sources.stored import TableSource
from tests.conftest import Project, WordEmbedder
from tests.large import page

MANUAL = """# Manual

## Rotating a certificate

A certificate is rotated every ninety days.

## Cleaning the sieve

The sieve is cleaned with warm water.

## 証明書の更新

証明書は九十日ごとに更新する。

## Good morning. Where are the keys?

They hang behind the door.
"""
MESSAGES = {
    "english": (
        "Good morning all! I started on Monday and my boss is away. How is a certificate rotated? Thanks a lot.",
        "How is a certificate rotated?",
    ),
    "instruction": ("Search the documentation and answer the following: cleaning the sieve", "cleaning the sieve"),
    "japanese": ("お世話になっております。証明書の更新について書かれているページを教えてください。", "証明書の更新"),
}


@pytest.fixture
def manual(tmp_path):
    project = Project(tmp_path, WordEmbedder(max_tokens=256))
    project.write("docs/manual.md", MANUAL)
    project.index()
    return project


@pytest.mark.parametrize("name", MESSAGES)
def test_message_has_the_hits_of_the_question_in_it(manual, name):
    message, question = MESSAGES[name]
    engine = manual.engine()
    wrapped, plain = engine.page(message), engine.page(question)
    assert [hit.section.heading for hit in wrapped.results][:1] == [hit.section.heading for hit in plain.results][:1]
    assert (wrapped.answered, wrapped.results[0].relevance) == (plain.answered, plain.results[0].relevance)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("I use SQLite. How do I copy a table? Thanks", "SQLite"),
        ("we moved to mysql last year. How do I copy a table?", "MySQL"),
        ("My boss likes Oracle. How do I copy a table in MySQL?", "MySQL"),
    ],
)
def test_name_in_another_sentence_tells_which_page_is_meant(project, message, title):
    for name in ("MySQL", "Oracle", "SQLite"):
        project.write(f"docs/{name}.md", f"# {name}\n\nAbout it.\n\n## Copy a table\n\nA table is copied with the tool.\n")
    project.index()
    assert project.engine().search(message)[0].section.document_title == title


def test_heading_of_several_sentences_is_found_by_its_name(manual):
    assert manual.engine().search("Good morning. Where are the keys?")[0].section.heading.startswith("Good morning")


def test_text_in_quotes_is_not_cut_at_its_sentences(manual):
    found = manual.engine().search('Hello there. Who wrote "rotated every ninety days. cleaned"?', limit=1)
    assert found[0].section.heading == "Rotating a certificate"


def test_search_by_words_alone_reads_every_sentence(manual):
    headings = {hit.section.heading for hit in manual.engine().search("rotated certificate. warm water.", mode="lexical")}
    assert headings >= {"Rotating a certificate", "Cleaning the sieve"}


def test_pasted_text_of_many_sentences_is_read_as_it_is(manual):
    pasted = " ".join(["Nothing was said of it."] * 12 + ["The certificate is rotated."])
    assert manual.engine().search(pasted)[0].section.heading == "Rotating a certificate"


def test_table_of_a_large_index_finds_the_same_for_a_message(tmp_path, monkeypatch):
    project = Project(tmp_path, WordEmbedder(max_tokens=256))
    project.write("docs/manual.md", MANUAL)
    for number in range(30):
        project.write(f"docs/{number}.md", page(number))
    monkeypatch.setattr(schema.storage.indexes, "LARGE", 100)
    project.index()
    message, question = MESSAGES["english"]
    with project.engine() as engine:
        assert isinstance(engine.source(), TableSource)
        assert engine.search(message)[0].section.heading == "Rotating a certificate"
        assert [hit.section.id for hit in engine.search(message)] == [hit.section.id for hit in engine.search(question)]
