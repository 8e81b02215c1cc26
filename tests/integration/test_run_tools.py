"""What is known of an index before the tools of a run are made."""

import pytest

from indexer.models.loading import embedder_of
from indexer.sync.tools import RunTools
from schema.settings import Settings
from tests.conftest import WordEmbedder


@pytest.mark.model
@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(model="use-multilingual-v3"),
        Settings(model="all-MiniLM-L6-v2", document_prompt="passage: "),
        Settings(embedding_base_url="http://localhost:9/v1", embedding_model=" words ", document_prompt="p"),
    ],
    ids=["default", "one model", "prompt", "server"],
)
def test_name_of_the_model_is_known_without_the_model(settings):
    assert RunTools(settings).made_with["model"] == embedder_of(settings).name


def test_given_embedder_is_known_by_its_own_name():
    embedder = WordEmbedder()
    assert RunTools(Settings(), embedder).made_with["model"] == embedder.name
    assert RunTools(Settings(), embedder).embedder is embedder


def test_another_vocabulary_is_another_index():
    made = [RunTools(Settings(token_encoding=name)).made_with for name in ("o200k_base", "cl100k_base")]
    assert [one["token_encoding"] for one in made] == ["o200k_base", "cl100k_base"]
