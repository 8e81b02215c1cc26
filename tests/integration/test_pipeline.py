"""Index runs over real files and a real table: what is embedded, reused, removed and reported."""

import os
import time

import numpy as np
import pytest

import indexer.convert.documents
import indexer.sync.changed
import indexer.sync.embedding
import indexer.sync.same_bytes
import indexer.sync.writer
from schema.errors import IndexIncompatibleError, IndexLockedError, IndexNotFoundError, SourceError
from schema.index_files.layout import store_dir, writer_lock
from schema.settings import Settings


def edit(project, path, old, new):
    place = project.home / path
    text = place.read_text()
    assert old in text
    place.write_text(text.replace(old, new))


def test_first_run_adds_and_embeds_everything(manual):
    report = manual.index()
    assert (report.documents_added, report.sections_added, report.sections_embedded, report.failed) == (2, 9, 9, [])
    assert manual.headings(dirty=True) == []


def test_second_run_embeds_nothing(manual):
    manual.index()
    manual.embedder.embedded.clear()
    report = manual.index()
    assert (report.documents_unchanged, report.sections_embedded, manual.embedder.embedded) == (2, 0, [])


def test_touched_file_is_read_but_not_embedded(manual):
    manual.index()
    os.utime(manual.home / "docs/guide.md", (1, 1))
    report = manual.index()
    assert (report.documents_unchanged, report.documents_updated, report.sections_embedded) == (2, 0, 0)


def test_file_with_trusted_times_is_not_even_opened(manual, monkeypatch):
    monkeypatch.setattr(indexer.sync.same_bytes, "RACY_NS", 0)
    manual.index()
    for module in (indexer.sync.changed, indexer.sync.same_bytes):
        monkeypatch.setattr(module, "read_file", None)
    assert manual.index().documents_unchanged == 2


def test_edit_that_keeps_size_and_modification_time_is_seen(manual, monkeypatch):
    monkeypatch.setattr(indexer.sync.same_bytes, "RACY_NS", 0)
    guide = manual.home / "docs/guide.md"
    os.utime(guide, (1000, 1000))
    manual.index()
    guide.write_text(guide.read_text().replace("widget", "gadget"))
    os.utime(guide, (1000, 1000))
    assert manual.index().documents_updated == 1


def test_fresh_file_is_read_again_even_with_the_same_time(manual):
    guide = manual.home / "docs/guide.md"
    manual.index()
    stamp = guide.stat().st_mtime_ns
    guide.write_text(guide.read_text().replace("crank", "lever"))
    os.utime(guide, ns=(stamp, stamp))
    assert manual.index().documents_updated == 1


def test_one_word_edit_embeds_one_section(manual):
    manual.index()
    edit(manual, "docs/guide.md", "Apples are red", "Apples are green")
    report = manual.index()
    assert (report.sections_updated, report.sections_unchanged, report.sections_embedded) == (1, 5, 1)


def test_blank_line_at_the_top_embeds_nothing_but_moves_lines(manual):
    manual.write("docs/plain.md", "# One\n\nx\n\n# Two\n\ny\n")
    manual.index()
    manual.write("docs/plain.md", "\n# One\n\nx\n\n# Two\n\ny\n")
    assert manual.index().sections_embedded == 0
    assert {r.section.heading: r.section.start_line for r in manual.stored().values()}["Two"] == 6


def test_childs_heading_embeds_the_parent_without_text_too(manual):
    manual.index()
    edit(manual, "docs/guide.md", "### First child", "### Eldest child")
    assert manual.index().sections_embedded == 2


def test_renamed_file_keeps_its_vectors(manual):
    manual.index()
    (manual.home / "docs/guide.md").rename(manual.home / "docs/handbook.md")
    report = manual.index()
    assert (report.documents_added, report.documents_removed, report.sections_embedded, report.vectors_reused) == (
        1,
        1,
        0,
        6,
    )


def test_section_moved_to_another_file_keeps_its_vector(project):
    project.write("docs/a.md", "---\ntitle: T\n---\n# A\n\nstays\n\n# Mover\n\nwords\n")
    project.write("docs/b.md", "---\ntitle: T\n---\n# B\n\nother\n")
    project.index()
    project.write("docs/a.md", "---\ntitle: T\n---\n# A\n\nstays\n")
    project.write("docs/b.md", "---\ntitle: T\n---\n# B\n\nother\n\n# Mover\n\nwords\n")
    report = project.index()
    assert (report.sections_embedded, report.vectors_reused, report.sections_removed) == (0, 1, 1)


def test_section_moved_in_a_later_batch_keeps_its_vector(project, monkeypatch):
    monkeypatch.setattr(indexer.sync.changed, "SCAN_FILES", 1)
    test_section_moved_to_another_file_keeps_its_vector(project)


def test_deleted_file_vanishes(manual):
    manual.index()
    (manual.home / "docs/guide.md").unlink()
    report = manual.index()
    assert (report.documents_removed, report.sections_removed) == (1, 6)
    assert manual.headings() == ["(document root)", "検索エンジン", "검색 안내"]


def test_emptied_file_has_no_section_left(manual):
    manual.index()
    manual.write("docs/guide.md", "\n")
    assert manual.index().sections_removed == 6
    assert manual.index().documents_unchanged == 2


def test_run_over_one_folder_leaves_the_others_alone(manual):
    manual.write("other/x.md", "# Other\n")
    manual.index("docs", "other")
    (manual.home / "other/x.md").unlink()
    manual.index("docs")
    assert "Other" in manual.headings()
    manual.index(".")
    assert "Other" not in manual.headings()


def test_folder_whose_name_begins_alike_is_not_pruned(manual):
    manual.write("docs2/x.md", "# Two\n")
    manual.index("docs", "docs2")
    manual.index("docs")
    assert "Two" in manual.headings()


def test_file_that_fails_is_told_and_keeps_its_old_sections(manual):
    manual.index()
    place = manual.home / "docs/guide.md"
    place.unlink()
    os.mkfifo(place)
    manual.write("docs/new.md", "# New\n")
    report = manual.index()
    assert [(f.path, "not a regular file" in f.reason) for f in report.failed] == [("docs/guide.md", True)]
    assert {"New", "Linux"} <= set(manual.headings())


def test_binary_file_is_told_and_keeps_its_old_sections(manual):
    manual.index()
    before = manual.headings()
    manual.write("docs/guide.md", b"# Pictures\n\n\xff\xd8\0\0\1")
    reason = "it holds NUL bytes, so it is binary and no text; save it as UTF-8, or name it in .gitignore"
    assert [(f.path, f.reason) for f in manual.index().failed] == [("docs/guide.md", reason)]
    assert manual.headings() == before


def test_file_that_cannot_be_opened_is_told(manual, monkeypatch):
    real = os.open

    def refuse(path, *args, **options):
        if str(path).endswith("guide.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **options)

    monkeypatch.setattr(os, "open", refuse)  # tests may run as root, whom nothing is denied
    report = manual.index()
    assert [(f.path, f.reason) for f in report.failed] == [("docs/guide.md", "it cannot be read: permission denied")]
    assert report.documents_added == 1


def test_fault_in_one_file_does_not_stop_the_run(manual, monkeypatch, caplog):
    real = indexer.convert.documents.decode

    def faulty(data):
        if b"widget" in data:
            raise ZeroDivisionError("oops")
        return real(data)

    monkeypatch.setattr(indexer.convert.documents, "decode", faulty)
    report = manual.index()
    assert [(f.path, "fault of Sectionary" in f.reason) for f in report.failed] == [("docs/guide.md", True)]
    assert report.documents_added == 1
    assert "splitting docs/guide.md failed" in caplog.text


def test_legacy_encoding_is_indexed_with_a_warning(project):
    project.write("docs/a.md", "# 設計\n分割と表\n\n## 方針\n本文だ\n".encode("cp932"))
    assert "docs/a.md: read as cp932, since it is not UTF-8" in project.index().warnings
    assert project.headings() == ["方針", "設計"]


def test_users_files_are_never_written(manual):
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in (manual.home / "docs").rglob("*.md")}
    manual.index()
    manual.indexer().rebuild(manual.home / "docs")
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in (manual.home / "docs").rglob("*") if p.is_file()} == before


def test_scan_leaves_sections_dirty_and_found_by_words(manual):
    report = manual.indexer().scan(manual.home / "docs")
    assert (report.sections_added, report.sections_embedded) == (9, 0)
    hit = manual.engine().search("penguins")[0]
    assert (hit.section.heading, hit.is_dirty, set(hit.scores)) == ("Linux", True, {"lexical", "sentence", "passage"})


def test_changed_section_is_searched_by_its_last_vector_until_embedded(manual):
    manual.index()
    edit(manual, "docs/guide.md", "Penguins need", "Penguins want")
    manual.indexer().scan(manual.home / "docs")
    hit = manual.engine().search("penguins special crank", mode="dense")[0]
    assert (hit.section.heading, hit.is_dirty, hit.window) == ("Linux", True, None)


def test_dirty_sections_are_embedded_up_to_the_limit(manual):
    manual.indexer().scan(manual.home / "docs")
    assert manual.indexer().process_dirty(limit=4).sections_embedded == 4
    assert len(manual.headings(dirty=True)) == 5
    assert manual.indexer().process_dirty().sections_embedded == 5


def test_no_batch_starts_after_the_time_budget(manual):
    manual.indexer().scan(manual.home / "docs")
    assert manual.indexer().process_dirty(time_budget=0).sections_embedded == 0


def test_stopped_run_is_finished_by_the_next(manual, monkeypatch):
    monkeypatch.setattr(indexer.sync.embedding, "COMMIT_SECTIONS", 2)
    monkeypatch.setattr(indexer.sync.writer, "COMMITS_BETWEEN_CARE", 2)
    calls = []

    def stop(phase, done, total):
        calls.append((phase, done, total))
        if phase == "embed" and done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        manual.index(progress=stop)
    assert len(manual.headings(dirty=True)) == 5
    assert manual.index().sections_embedded == 5
    assert ("scan", 2, 2) in calls


def test_dirty_without_an_index_is_refused(project):
    with pytest.raises(IndexNotFoundError):
        project.indexer().process_dirty()


def test_incremental_index_equals_a_rebuilt_one(manual):
    manual.index()
    edit(manual, "docs/guide.md", "## Install\n", "## Set up\n\nNew text.\n")
    edit(manual, "docs/guide.md", "### Second child\n\nBananas are yellow.\n", "")
    (manual.home / "docs/sub/notes.md").rename(manual.home / "docs/notes.md")
    manual.write("docs/extra.md", "# Extra\n\n" + "long text. " * 60)
    manual.index()
    before = manual.stored()
    manual.indexer().rebuild(manual.home / "docs")
    after = manual.stored()
    assert before.keys() == after.keys()
    for identity, row in before.items():
        fresh = after[identity]
        same = (
            "content",
            "order",
            "position",
            "start_line",
            "end_line",
            "parent_id",
            "section_number",
            "is_dirty",
            "token_count",
        )
        assert [getattr(row.section, n) for n in same] == [getattr(fresh.section, n) for n in same]
        assert row.embedding.windows == fresh.embedding.windows
        np.testing.assert_allclose(row.embedding.window_vectors, fresh.embedding.window_vectors, atol=1e-6)


def test_rebuild_takes_every_folder_indexed_before(manual):
    manual.write("other/x.md", "# Other\n")
    manual.index("docs", "other")
    manual.indexer().rebuild(manual.home / "docs")
    assert {"Other", "Linux"} <= set(manual.headings())


def test_rebuild_replaces_an_index_of_another_model(manual, make_embedder):
    manual.index()
    with pytest.raises(IndexIncompatibleError, match="model words-32, not other"):
        manual.index(embedder=make_embedder("other"))
    report = manual.indexer(embedder=make_embedder("other")).rebuild(manual.home / "docs")
    assert report.sections_embedded == 9


def test_rebuild_replaces_a_damaged_index(manual):
    manual.index()
    for path in (store_dir(manual.index_dir) / "sections.lance" / "_versions").iterdir():
        path.unlink()
    assert manual.indexer().rebuild(manual.home / "docs").sections_added == 9


def test_failed_rebuild_leaves_the_old_index(manual, make_embedder):
    manual.index()

    class Broken(make_embedder):
        def embed_sections(self, texts):
            raise RuntimeError("no power")

    with pytest.raises(RuntimeError, match="no power"):
        manual.indexer(embedder=Broken()).rebuild(manual.home / "docs")
    assert manual.engine().search("penguins")[0].section.heading == "Linux"


def test_lost_manifest_costs_a_reading_and_no_embedding(manual):
    manual.index()
    (store_dir(manual.index_dir) / "ledger.sqlite").unlink()
    report = manual.index()
    assert (report.documents_updated, report.sections_unchanged, report.sections_embedded) == (2, 9, 0)


def test_other_token_encoding_is_refused(manual):
    manual.index()
    with pytest.raises(IndexIncompatibleError, match="token encoding cl100k_base, not o200k_base"):
        manual.index(settings=Settings(token_encoding="o200k_base"))


def test_second_writer_is_refused(manual):
    with writer_lock(manual.index_dir), pytest.raises(IndexLockedError):
        manual.index()


def test_missing_folder_is_refused_before_anything_is_made(project):
    with pytest.raises(SourceError):
        project.index("nowhere")
    assert not project.index_dir.exists()


def test_no_path_at_all_is_refused_before_there_is_an_index(project):
    with pytest.raises(IndexNotFoundError, match="make one with `index FOLDER`"):
        project.indexer().index()
    assert not project.index_dir.exists()


def test_settings_of_the_project_are_used(project):
    project.write("sectionary.toml", 'include = ["*.txt"]\nmax_tokens_per_section = 2\n')
    project.write("docs/a.txt", "# A\n\none two three\n")
    report = project.index()
    assert report.documents_added == 1
    assert "more than 2" in report.warnings[0]


def test_large_batches_are_split_by_bytes(manual, monkeypatch):
    monkeypatch.setattr(indexer.sync.changed, "SCAN_BYTES", 10)
    assert manual.index().sections_added == 9


def test_timings_tell_each_phase(manual):
    started = time.perf_counter()
    timings = manual.index().timings
    assert set(timings) == {"scan", "embed"}
    assert 0 < sum(timings.values()) <= time.perf_counter() - started
