"""A second model reads again what it knows better: real tables, fakes for both models."""

import numpy as np
import pytest

from indexer.models.loading import PairedEmbedder
from schema.index_files.layout import store_dir
from schema.status import read_status
from schema.storage.table import SectionTable
from tests.conftest import WordEmbedder

#: Sections of `manual` that the second model covers, and that it does not.
ENGLISH, OTHERS = 6, 3


class First(WordEmbedder):
    """Covers every language."""

    def coverage(self, text):
        return 1.0


@pytest.fixture
def pair():
    return PairedEmbedder(First("many"), WordEmbedder("english"))


@pytest.fixture
def paired(manual, pair):
    manual.embedder = pair
    return manual


def rows(project):
    return list(SectionTable.open(store_dir(project.index_dir)).everything())


def stop_after(calls):
    asked = iter(range(10_000))
    return lambda: next(asked) >= calls


def test_addresses_of_data_do_not_keep_the_second_model_from_a_section(paired, pair):
    pair.second.coverage = lambda text: 0.0 if "N4Ig" in text else 1.0
    paired.write("docs/linked.md", f"# Linked\n\nOpen the [playground](https://example.org/#0={'N4Ig' * 30}) now.\n")
    paired.index()
    (linked,) = [row for row in rows(paired) if row.section.document_path == "docs/linked.md"]
    assert linked.embedding.second is not None


def test_second_model_reads_the_sections_that_it_covers(paired):
    report = paired.index()
    read = [row for row in rows(paired) if row.embedding.second is not None]
    assert (report.sections_embedded, report.sections_embedded_again) == (ENGLISH + OTHERS, ENGLISH)
    assert {row.section.document_path for row in read} == {"docs/guide.md"}
    assert not any(row.embedding.awaits_second or row.section.is_dirty for row in rows(paired))


def test_second_model_is_given_the_windows_of_the_first(paired, pair):
    paired.index()
    assert set(pair.second.embedded) <= set(pair.first.embedded)


def test_vectors_of_the_second_model_are_those_of_the_windows(paired, pair):
    paired.write("docs/long.md", "# Long\n\n" + " ".join(f"word{i} is told." for i in range(60)) + "\n")
    paired.index()
    (row,) = [row for row in rows(paired) if row.section.document_path == "docs/long.md"]
    body, windows = row.section.body, row.embedding.windows
    texts = ["Long\n" + body[window.start : window.end].strip() for window in windows]
    assert len(windows) > 2
    np.testing.assert_allclose(row.embedding.second, pair.second.embed_sections(texts), atol=5e-4)  # of 16 bits


def test_run_that_stops_between_the_passes_leaves_everything_searchable_by_meaning(paired):
    report = paired.indexer(should_stop=stop_after(3)).index(paired.home / "docs")
    status = read_status(paired.index_dir)
    assert report.stopped
    assert (status.dirty, status.awaiting_second) == (0, ENGLISH)
    assert paired.engine().search("penguins need a special crank", mode="dense", limit=1)[0].section.heading == "Linux"


def test_later_run_takes_up_what_the_second_model_has_yet_to_read(paired, pair):
    paired.indexer(should_stop=stop_after(3)).index(paired.home / "docs")
    pair.first.embedded.clear()
    report = paired.indexer().process_dirty()
    assert (report.sections_embedded, report.sections_embedded_again, pair.first.embedded) == (0, ENGLISH, [])


def test_limit_counts_what_both_models_read(paired):
    paired.indexer().scan(paired.home / "docs")
    report = paired.indexer().process_dirty(limit=ENGLISH + OTHERS + 2)
    assert (report.sections_embedded, report.sections_embedded_again) == (ENGLISH + OTHERS, 2)
    assert read_status(paired.index_dir).awaiting_second == ENGLISH - 2


def test_second_model_waits_until_no_section_is_dirty(paired):
    paired.indexer().scan(paired.home / "docs")
    report = paired.indexer().process_dirty(limit=3)
    assert (report.sections_embedded, report.sections_embedded_again) == (3, 0)


def test_moved_document_keeps_the_vectors_of_both_models(paired, pair):
    paired.index()
    before = {row.section.heading: row.embedding.second for row in rows(paired) if row.embedding.second is not None}
    pair.first.embedded.clear(), pair.second.embedded.clear()
    (paired.home / "docs/guide.md").rename(paired.home / "docs/moved.md")
    paired.index()
    after = {row.section.heading: row.embedding.second for row in rows(paired) if row.embedding.second is not None}
    assert (pair.first.embedded, pair.second.embedded) == ([], [])
    assert all(np.array_equal(after[heading], before[heading]) for heading in before)


def test_changed_section_alone_is_read_again_by_both(paired, pair):
    paired.index()
    pair.first.embedded.clear(), pair.second.embedded.clear()
    text = (paired.home / "docs/guide.md").read_text()
    paired.write("docs/guide.md", text.replace("Penguins", "Two penguins"))
    paired.index()
    assert len(pair.first.embedded) == len(pair.second.embedded) == 1


def test_index_of_two_models_is_verified_whole(paired):
    paired.index()
    assert paired.indexer().verify().differences == ()


def test_rebuilt_index_has_the_vectors_of_both(paired):
    paired.index()
    paired.indexer().rebuild()
    assert sum(row.embedding.second is not None for row in rows(paired)) == ENGLISH


def test_question_that_the_second_model_covers_is_asked_of_it_where_it_has_read(paired):
    paired.index()
    hits = paired.engine().search("red apples", limit=20, mode="dense")
    asked = {hit.section.heading: set(hit.scores) for hit in hits}
    assert asked["First child"] == {"dense", "section_vector", "second", "second_section_vector"}
    assert "second" not in asked["検索エンジン"]
    assert hits[0].section.heading == "First child"
    assert hits[0].parts["second"] > hits[0].parts["dense"] > 0  # it has read most of the sections


def test_question_in_another_language_is_asked_of_the_first_model_alone(paired):
    paired.index()
    hits = paired.engine().search("全文を検索する仕組みです", limit=3)
    assert hits[0].section.heading == "検索エンジン"
    assert not any("second" in hit.scores for hit in hits)


def test_first_model_is_not_asked_where_the_second_has_read_everything(project, pair):
    project.embedder = pair
    project.write("docs/a.md", "# Apples\n\nApples are red.\n\n# Pears\n\nPears are green.\n")
    project.index()
    pair.first.embed_query = pair.first.coverage = None
    assert project.engine().search("red apples")[0].section.heading == "Apples"


@pytest.mark.parametrize("large", [20_000, 2])
def test_first_model_is_not_asked_for_sections_without_text(project, pair, monkeypatch, large):
    monkeypatch.setattr("schema.storage.indexes.LARGE", large)
    project.embedder = pair
    project.write("docs/a.md", "# Apples\n\nApples are red.\n\n# 梨\n")
    project.index()
    pair.first.embed_query = pair.first.coverage = None
    assert project.engine().search("red apples")[0].section.heading == "Apples"


def test_section_that_the_second_model_has_yet_to_read_is_found_by_the_first(paired):
    paired.indexer().scan(paired.home / "docs")
    paired.indexer().process_dirty(limit=ENGLISH + OTHERS + 1)
    found = {hit.section.heading for hit in paired.engine().search("penguins crank apples", mode="dense", limit=20)}
    assert {"Linux", "First child", "Second child"} <= found


def test_report_tells_how_many_the_second_model_read(paired, monkeypatch, capsys):
    from indexer.report import tell_report

    tell_report(paired.index(), (), as_json=False, quiet=False)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("vectors")]
    assert f"{ENGLISH + OTHERS} embedded, 0 reused" in line
    assert f"; {ENGLISH} read by the second model too" in line


def test_status_tells_how_many_await_the_second_model(paired, capsys):
    from indexer.report import tell_status

    paired.indexer(should_stop=stop_after(3)).index(paired.home / "docs")
    tell_status(read_status(paired.index_dir), as_json=False)
    assert f"0 dirty, {ENGLISH} to be read by the second model, 0 with a summary" in capsys.readouterr().out


def test_model_of_several_languages_embeds_headings_too(manual):
    manual.embedder = First("many")
    manual.embedder.is_multilingual = True
    manual.index()
    found = {row.section.heading: row.embedding.heading for row in rows(manual)}
    assert all(np.allclose(found[name], manual.embedder.embed_query(name), atol=5e-4) for name in ("Linux", "Install"))


def test_model_of_one_language_embeds_no_heading(manual):
    manual.index()
    assert all(row.embedding.heading is None for row in rows(manual))


def test_heading_speaks_for_a_section_that_holds_no_word_of_the_question(manual):
    manual.embedder = First("many")
    manual.embedder.is_multilingual = True
    manual.index()
    hits = manual.engine().search("penguins", limit=20)
    by_heading = {hit.section.heading for hit in hits if "heading_vector" in hit.parts}
    assert hits[0].section.heading == "Linux"
    assert by_heading
    assert "Linux" not in by_heading


def test_headings_speak_for_every_section_where_a_question_is_partly_in_another_language(manual):
    manual.embedder = First("use-multilingual-v3")
    manual.embedder.is_multilingual = True
    manual.embedder.coverage = lambda _: 1.0
    by_words = manual.embedder.embed_sections
    manual.embedder.embed_sections = lambda texts: by_words([text.replace("ペンギン", "penguin") for text in texts])
    manual.index()
    found = manual.engine().page("ペンギンを飼う", limit=20)
    assert found.respelt == "penguin を飼う"
    assert all("heading_vector" in hit.parts for hit in found.results if hit.section.heading in ("Linux", "First child"))
    whole = manual.engine().page("ペンギン", limit=20)
    assert whole.respelt == "penguin"
    assert [hit for hit in whole.results if "heading_vector" in hit.parts and hit.section.heading == "Linux"] == []


@pytest.mark.parametrize(
    ("asked", "embedded"), [("ﾊﾟｽﾜｰﾄﾞ", "パスワード"), ("ＡＰＩ３とは？", "API3とは？"), ("サーバー", "サーバー")]
)
def test_models_are_asked_in_the_usual_width(paired, pair, asked, embedded):
    paired.index()
    found = []
    pair.first.embed_query = lambda text: found.append(text) or pair.second.embed_query(text)
    paired.engine().search(asked)
    assert found == [embedded]
