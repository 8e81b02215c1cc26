"""Where graphs of models are kept, and what identifies a model."""

from indexer.models.query_graph import GraphFolder, GraphRecord, revision_identity


def test_revision_is_the_current_one(tmp_path):
    snapshot = tmp_path / "models--a--b" / "snapshots" / "abc"
    assert revision_identity(snapshot) is None
    snapshot.mkdir(parents=True)
    (tmp_path / "models--a--b" / "refs").mkdir()
    (tmp_path / "models--a--b" / "refs" / "main").write_text("abc\n")
    assert revision_identity(snapshot) == "revision abc"
    (tmp_path / "models--a--b" / "refs" / "main").write_text("def")
    assert revision_identity(snapshot) is None


def test_keys_become_folder_names(tmp_path):
    folders = [GraphFolder(tmp_path, key, lambda _: None).path for key in ("a/b", "/x/b", "..", "検索", "b" * 300)]
    assert len(set(folders)) == 5
    assert all(folder.parent == tmp_path / "graphs" and len(folder.name) < 80 for folder in folders)


def test_record_survives_its_text():
    record = GraphRecord(identity="i", refusal="no", libraries="torch 1", inputs=("input_ids",), files={"a": (1, 2)})
    assert GraphRecord.from_json(record.to_json()) == record
