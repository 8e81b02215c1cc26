"""The overview of real small indexes: counts, sizes, copies, facets, and what is no longer as it was indexed."""

from dataclasses import asdict

import pytest

from search import overview as module
from search.overview import near_pairs, overview

LONG = (
    "The quick brown fox jumps over the lazy dog while seven wizards mix potent brews in the dark cellar of the old tower."
)
OTHER = (
    "Backups are written every night to the second disk, and a restore begins with the newest of them unless told otherwise."
)


def values(facets):
    return {facet.value: facet.count for facet in facets}


def test_counts_are_those_of_the_index(manual):
    manual.index()
    seen = overview(manual.engine())
    assert (seen.documents, seen.sections, seen.dirty) == (2, 9, 0)
    assert seen.tokens == sum(document.token_count for document in manual.engine().documents())


def test_histogram_covers_every_section_against_the_window_of_the_model(project, make_embedder):
    project.embedder = make_embedder(max_tokens=64)
    project.write("docs/a.md", f"# A\n\n{LONG}\n\n# B\n\nShort.\n\n# C\n\n{LONG * 4}\n")
    project.index()
    seen = overview(project.engine())
    assert (seen.window_tokens, seen.over_window) == (64, 1)
    assert [(bucket.least, bucket.most) for bucket in seen.histogram] == [
        (0, 8),
        (9, 16),
        (17, 32),
        (33, 64),
        (65, 128),
        (129, 256),
        (257, 512),
        (513, None),
    ]
    assert [bucket.sections for bucket in seen.histogram] == [1, 0, 1, 0, 1, 0, 0, 0]


def test_largest_sections_come_first_and_say_where_they_are(project):
    project.write("docs/a.md", f"# A\n\n{LONG}\n\n# B\n\n{LONG} {OTHER}\n")
    project.index()
    first = overview(project.engine()).largest[0]
    assert (first.document_path, first.heading, first.anchor, first.start_line) == ("docs/a.md", "B", "b", 5)
    assert first.token_count > overview(project.engine()).largest[1].token_count


def test_copies_are_told_once_and_never_with_themselves(project):
    project.write("docs/a.md", f"# Fox\n\n{LONG}\n\n# Backups\n\n{OTHER}\n")
    project.write("docs/b.md", f"# Fox\n\n{LONG}\n")
    project.index()
    pairs = overview(project.engine()).near_duplicates
    assert [(pair.first.document_path, pair.second.document_path, pair.first.heading) for pair in pairs] == [
        ("docs/a.md", "docs/b.md", "Fox")
    ]
    assert pairs[0].cosine >= 0.98
    assert pairs[0].first.id != pairs[0].second.id


def test_short_sections_are_no_copies(project):
    project.write("docs/a.md", "# A\n\nSee above.\n")
    project.write("docs/b.md", "# A\n\nSee above.\n")
    project.index()
    seen = overview(project.engine())
    assert (seen.compared, seen.near_duplicates) == (0, ())


def test_sections_without_a_fresh_vector_are_not_compared(project):
    for name in "ab":
        project.write(f"docs/{name}.md", f"# Fox\n\n{LONG}\n")
    project.indexer().scan(project.home / "docs")
    seen = overview(project.engine())
    assert (seen.dirty, seen.compared, seen.near_duplicates) == (2, 0, ())


def test_of_a_large_index_an_even_sample_is_compared(project, monkeypatch):
    monkeypatch.setattr(module, "MAX_COMPARED", 3)
    project.write("docs/a.md", "".join(f"# {i}\n\n{LONG} {i}\n\n" for i in range(9)))
    project.index()
    assert overview(project.engine()).compared == 3


def test_documents_that_changed_or_wait_are_told(project):
    for name in "abc":
        project.write(f"docs/{name}.md", f"# {name}\n\nText {name}.\n\n# Again {name}\n\nMore.\n")
    project.index()
    project.write("docs/b.md", "# b\n\nChanged text.\n\n# Again b\n\nMore.\n")
    project.indexer().scan(project.home / "docs")
    project.write("docs/c.md", "# c\n\nChanged later, and longer.\n")
    assert [(one.path, one.dirty, one.stale) for one in overview(project.engine()).unsettled] == [
        ("docs/b.md", 1, False),
        ("docs/c.md", 0, True),
    ]


def test_tags_count_documents_whatever_their_case(project):
    project.write("docs/a.md", "---\ntags: [API, guide]\n---\n# A\n\nText.\n")
    project.write("docs/b.md", "---\ntags: [api]\n---\n# B\n\nText.\n")
    project.index()
    assert values(overview(project.engine()).tags) == {"API": 2, "guide": 1}


def test_languages_count_sections(manual):
    manual.index()
    languages = values(overview(manual.engine()).languages)
    assert (languages["ja"], languages["ko"]) == (1, 1)


def test_folders_count_sections_below_the_one_that_holds_all(project):
    for path in ("docs/a.md", "docs/x/b.md", "docs/x/y/c.md"):
        project.write(path, "# A\n\nText.\n\n# B\n\nMore.\n")
    project.index()
    assert values(overview(project.engine()).folders) == {"docs/x/": 4, "docs/x/y/": 2}


def test_documents_at_the_top_have_no_folder(project):
    project.write("a.md", "# A\n\nText.\n")
    project.write("x/b.md", "# B\n\nText.\n")
    project.index("a.md", "x")
    assert values(overview(project.engine()).folders) == {"x/": 1}


def test_version_is_reckoned_once_and_a_new_one_again(project, monkeypatch):
    made = []
    monkeypatch.setattr(module, "near_pairs", lambda vectors: made.append(1) or near_pairs(vectors))
    project.write("docs/a.md", f"# A\n\n{LONG}\n")
    project.index()
    engine = project.engine()
    assert overview(engine) == overview(engine)
    assert len(made) == 1
    project.write("docs/b.md", f"# B\n\n{OTHER}\n")
    project.index()
    assert overview(engine).documents == 2
    assert len(made) == 2


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_index_without_a_section_has_an_overview(project, text):
    project.write("docs/a.md", text)
    project.index()
    seen = overview(project.engine())
    assert (seen.sections, seen.largest, seen.near_duplicates, seen.tags, seen.folders) == (0, (), (), (), ())


def test_overview_is_plain_data(manual):
    manual.index()
    told = asdict(overview(manual.engine()))
    assert told["largest"][0]["token_count"] >= told["largest"][-1]["token_count"]
    assert {"least", "most", "sections"} == set(told["histogram"][0])
