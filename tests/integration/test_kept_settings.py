"""The model and the vocabulary of an index hold for later commands, unless somebody names others."""

import pytest

from indexer import Indexer
from schema.errors import IndexIncompatibleError
from schema.index_files.layout import disown
from schema.kept import kept_settings
from schema.settings import DEFAULT_MODEL, Settings, load_settings
from search import SearchEngine
from tests.conftest import WordEmbedder


def made_with(manual, name, **settings):
    """The settings that an index keeps which a model of this name made."""
    manual.index(embedder=WordEmbedder(name), settings=Settings(**settings))
    return kept_settings(manual.index_dir)


def test_model_and_vocabulary_are_kept(manual):
    kept = made_with(manual, "models/mine", token_encoding="o200k_base")
    assert kept == {"model": "models/mine", "token_encoding": "o200k_base"}


@pytest.mark.parametrize("name", ["server:words", "words with prompt 'passage: '"])
def test_model_that_no_setting_names_alone_is_not_kept(manual, name):
    assert made_with(manual, name) == {"token_encoding": "cl100k_base"}


@pytest.mark.parametrize(("name", "is_kept"), [("models/mine", False), ("all-MiniLM-L6-v2", True)])
def test_index_of_somebody_else_chooses_among_installed_models_alone(manual, name, is_kept):
    made_with(manual, name)
    disown(manual.index_dir)
    assert ("model" in kept_settings(manual.index_dir)) == is_kept


def test_nothing_is_kept_where_there_is_no_index(tmp_path):
    assert kept_settings(tmp_path / ".sectionary") == {}


def test_nothing_is_kept_of_a_manifest_that_is_damaged(manual):
    made_with(manual, "models/mine")
    for path in (manual.index_dir / "store").glob("**/_versions/*.manifest"):
        path.write_bytes(b"\xff" * 100)
    assert kept_settings(manual.index_dir) == {}


def test_what_is_kept_stands_below_every_setting_that_is_named(tmp_path):
    kept = {"model": "kept"}
    assert load_settings(tmp_path, environ={}, kept=kept).model == "kept"
    assert load_settings(tmp_path, environ={}).model == DEFAULT_MODEL
    assert load_settings(tmp_path, environ={"SECTIONARY_MODEL": "own"}, kept=kept).model == "own"
    assert load_settings(tmp_path, environ={}, overrides={"model": "given"}, kept=kept).model == "given"


@pytest.mark.model
def test_index_of_another_installed_model_is_asked_and_updated_without_naming_it(tmp_path):
    (tmp_path / "a.md").write_text("# Keys\n\nRotate the key.\n")
    place = tmp_path / ".sectionary"
    Indexer(place, root=tmp_path, settings=Settings(model="all-MiniLM-L6-v2")).index(tmp_path)
    assert SearchEngine(place).search("rotating keys")[0].section.heading == "Keys"
    (tmp_path / "a.md").write_text("# Keys\n\nRotate the key each year.\n")
    assert Indexer(place, root=tmp_path).index(tmp_path).sections_embedded == 1
    with pytest.raises(IndexIncompatibleError, match="name no model to go on with that"):
        Indexer(place, root=tmp_path, settings=Settings()).scan(tmp_path)
