"""Documents whose names would mean something in SQL: only the rows of that name are met."""

import pytest

from schema.storage import lance
from tests.lance_tables import lance_table

NAMES = ["z\\') OR true --.md", "it\\'s.md", "a''b.md", "a'b.md", '"x".md', "x;--.md", "%_.md", "back\\.md", "end\\"]


@pytest.fixture
def filled(table, rows):
    for name in NAMES:
        table.add(rows(name, f"# {name}\n\nwords about apples\n"))
    return table


@pytest.mark.parametrize("name", NAMES)
def test_removing_a_document_removes_its_rows_alone(filled, name):
    filled.remove_documents([name])
    assert filled.paths() == set(NAMES) - {name}


@pytest.mark.parametrize("name", NAMES)
def test_replacing_a_document_replaces_its_rows_alone(filled, rows, name):
    filled.replace_documents([name], rows(name, "# Other\n\npears\n\n## More\n\nplums\n"))
    assert filled.paths() == set(NAMES)
    assert [section.heading for section in filled.sections([name])] == ["Other", "More"]
    assert filled.count() == len(NAMES) + 1
    filled.replace_documents([name], rows(name, "# Only\n\npears\n"))  # a heading goes
    assert filled.count() == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_filter_lets_through_the_rows_of_its_name_alone(filled, name):
    condition = lance.col("document_path").isin([name])
    found = filled.retrieval
    row = found.columns_where(["document_path"], condition)
    assert row["document_path"].to_pylist() == [name]
    vector = [1.0, *[0.0] * (filled.fingerprint.dimension - 1)]
    near = found.nearest("window_vectors", vector, most=100, where=condition)
    assert near == row["_rowid"].to_pylist()


@pytest.mark.parametrize("name", NAMES)
def test_full_text_finds_the_rows_of_its_name_alone(filled, name):
    words = lance.FTS(base_tokenizer="whitespace", stem=False, remove_stop_words=False)
    lance_table(filled.store_dir).create_index("terms", config=words)
    condition = lance.col("document_path").isin([name])
    (row,) = filled.retrieval.columns_where(["document_path"], condition)["_rowid"].to_pylist()
    assert filled.retrieval.matching({"appl": 1.0}, most=100, where=condition) == [row]


def test_run_after_such_a_file_is_gone_removes_it_alone(project):
    names = ["z') OR true --.md", "it's.md", "a''b.md", "plain.md"]
    for name in [*names, "z\\') OR true --.md"]:
        project.write(f"docs/{name}", f"# {name}\n\nwords\n")
    project.index()
    (project.home / "docs" / "z\\') OR true --.md").unlink()
    project.index()
    assert {row.section.document_path for row in project.stored().values()} == {f"docs/{name}" for name in names}
