"""A folder in German is searched by its words in all their forms; real tables, fakes for the models."""

import pytest

from indexer.models.loading import PairedEmbedder
from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from search import SearchEngine
from tests.conftest import Project, WordEmbedder

GUIDE = """# Handbuch

Das Handbuch ist für alle, die mit dem Gerät arbeiten und es nicht nur ansehen.

## Einstellungen ändern

Die Einstellungen stehen in einer Datei, die man mit jedem Editor öffnen kann.

## Protokoll

Was das Gerät getan hat, wird im Protokoll ausgegeben, auch die Ausgabe der Fehler.

## Schlüssel

Code: 17
"""


class First(WordEmbedder):
    """Covers every language, as the multilingual model does."""

    def coverage(self, text):
        return 1.0


class Second(First):
    """Covers the letters of German too, as a model of English does; keeps what it was asked for."""

    def __init__(self, name):
        super().__init__(name)
        self.asked = []

    def embed_query(self, text):
        self.asked.append(text)
        return super().embed_query(text)

    def token_spans(self, texts):
        return [[(0, len(text))] * (1 if text == "fehler" else 2) for text in texts]  # it knows one word whole


@pytest.fixture
def german(tmp_path):
    project = Project(tmp_path, PairedEmbedder(First("many"), Second("english")))
    project.write("docs/handbuch.md", GUIDE)
    project.write("docs/notes.md", "# Notes\n\nThe keys of the house are in the drawer of the table.\n")
    project.index()
    return project


def page(project, question, **given):
    return SearchEngine(project.index_dir, embedder=project.embedder).page(question, **given)


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Wie ist eine Einstellung zu ändern?", "Einstellungen ändern"),
        ("Einstellung", "Einstellungen ändern"),
        ("Fehlern", "Protokoll"),
        ("wo sind die Editoren", "Einstellungen ändern"),
        ("der Schlüsseln", "Schlüssel"),
    ],
)
def test_word_in_another_form_finds_the_section(german, question, heading, mode):
    found = page(german, question, mode=mode)
    assert (found.results[0].section.heading, found.respelt) == (heading, "")


def test_compound_finds_the_section_that_has_its_parts(german):
    assert page(german, "Protokollausgabe").results[0].section.heading == "Protokoll"


def test_other_form_is_marked_in_the_section(german):
    hit = page(german, "Einstellung").results[0]
    assert {hit.section.text[match.start : match.end] for match in hit.matches} == {"Einstellungen"}


def test_sections_are_filtered_by_the_language_that_their_words_show(german):
    found = page(german, "Schlüssel keys lang:de").results
    assert {hit.section.document_path for hit in found} == {"docs/handbuch.md"}


def test_model_of_english_reads_no_section_in_german(german):
    rows = list(SectionTable.open(store_dir(german.index_dir)).everything())
    read = {row.section.document_path for row in rows if row.embedding.second is not None}
    assert read == {"docs/notes.md"}
    assert not any(row.embedding.awaits_second for row in rows)


def test_small_words_of_a_language_that_few_sections_are_in_stay_in_a_short_query(german):
    english = "\n\n".join(f"# Page {at}\n\nThis is the text of the page that tells about number {at}." for at in range(20))
    german.write("docs/pages.md", english)
    german.write("docs/die.md", "# Die\n\nThe die is as large as a nail, and its size is given in the table.\n")
    german.write("docs/size.md", "# Package\n\nThe size of the package is given with its weight.\n")
    german.index()
    assert page(german, "die size", mode="lexical").results[0].section.heading == "Die"


def test_words_of_english_that_are_small_ones_elsewhere_stay_where_no_section_is_in_that_language(german):
    german.write("docs/angles.md", "# Angles\n\nThe tan of it.\n")
    german.index()
    assert page(german, "sin cos tan", mode="lexical").results[0].section.heading == "Angles"


def test_question_in_german_is_compared_by_the_model_of_several_languages(german):
    engine = SearchEngine(german.index_dir, embedder=german.embedder)
    engine.search("Wie ist eine Einstellung zu ändern?")
    engine.search("where are the keys of the house")
    assert german.embedder.second.asked == ["where are the keys of the house"]
