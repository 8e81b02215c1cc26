"""What an embedding server's settings, texts and answers are made of, without a server."""

import numpy as np
import pytest

from indexer.model_server import check_server, retry_after, shown_url
from indexer.models.embedding_server import ServerEmbedder, unit_vectors
from indexer.models.loading import embedder_of
from schema.errors import EmbeddingServerError, IndexIncompatibleError, SettingsError
from schema.protocols import Embedder
from schema.settings import Settings
from schema.storage.fingerprint import check_fingerprint

HERE = "http://127.0.0.1:9/v1"


def embedder(**settings):
    return embedder_of(Settings(**{"embedding_base_url": HERE, "embedding_model": "m", **settings}))


# -- settings ----------------------------------------------------------------------------------------------------------


def test_a_base_url_makes_the_server_the_embedder():
    made = embedder(embedding_dimension=8)
    assert isinstance(made, ServerEmbedder)
    assert isinstance(made, Embedder)


@pytest.mark.model
def test_without_a_base_url_the_model_is_the_embedder():
    assert embedder_of(Settings(model="all-MiniLM-L6-v2", embedding_model="m")).name == "all-MiniLM-L6-v2"


def test_the_name_says_server_and_model_and_neither_url_nor_key():
    assert embedder(embedding_api_key="k3y").name == "server:m"


def test_the_name_has_the_document_prompt():
    assert embedder(document_prompt="passage: ").name == "server:m with prompt 'passage: '"


def test_the_dimension_of_the_settings_is_taken_without_a_question():
    assert embedder(embedding_dimension=768).dimension == 768


def test_every_text_is_taken_as_covered():
    assert (embedder().coverage("検索"), embedder().coverage("")) == (1.0, 1.0)


def test_the_document_prompt_takes_its_tokens_from_the_most():
    assert (embedder().max_tokens, embedder(document_prompt="hello world").max_tokens) == (512, 510)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"embedding_model": " "}, "set embedding_model too"),
        ({"embedding_base_url": "localhost:80"}, "embedding_base_url must begin with http"),
        ({"embedding_base_url": "http://host:port/v1"}, "embedding_base_url is no URL of a server"),
        ({"embedding_base_url": "https://"}, "embedding_base_url is no URL of a server"),
        ({"embedding_base_url": "https://a b/v1"}, "embedding_base_url is no URL of a server"),
        ({"embedding_api_key": "schlüssel"}, "embedding_api_key holds signs"),
        ({"embedding_base_url": "", "model": "server:m"}, "set embedding_base_url and embedding_model instead"),
    ],
)
def test_settings_that_name_no_server_or_model_are_refused_in_one_sentence(settings, said):
    with pytest.raises(SettingsError, match=said):
        embedder(**settings)


@pytest.mark.parametrize("url", ["http://192.0.2.1/v1", "http://example.com/v1", "http://localhost.example.com/v1"])
def test_texts_are_sent_unencrypted_to_no_other_machine(url):
    with pytest.raises(SettingsError, match="would send texts or your key unencrypted to"):
        check_server("embedding_base_url", url, is_private=True)


@pytest.mark.parametrize(
    "url", ["https://example.com/v1", "http://localhost:1/v1", "http://[::1]:1/v1", "http://127.0.0.2/v1"]
)
def test_texts_are_sent_encrypted_anywhere_and_unencrypted_to_this_machine(url):
    check_server("embedding_base_url", url, is_private=True)


def test_a_shown_url_has_no_credentials_and_no_query():
    assert shown_url("https://user:s3cret@host:8/v1?key=x") == "https://host:8/v1"


def test_an_index_of_another_model_says_which_settings_name_a_server(tmp_path):
    with pytest.raises(IndexIncompatibleError, match="was made with model server:a, not server:b; set model") as told:
        check_fingerprint(
            {"model": "server:a", "schema_version": 1}, {"model": "server:b", "schema_version": 1}, index_dir=tmp_path
        )
    assert "set model, embedding_base_url, embedding_model to what it was made with, or rebuild it" in str(told.value)


# -- answers -----------------------------------------------------------------------------------------------------------


def test_very_large_and_very_small_numbers_make_unit_vectors():
    vectors = unit_vectors(np.array([[3e300, 4e300], [3e-300, 4e-300]]))
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8], [0.6, 0.8]])


def test_a_vector_of_zeros_is_refused():
    with pytest.raises(EmbeddingServerError, match="sent a vector of zeros"):
        unit_vectors(np.array([[1.0, 0.0], [0.0, 0.0]]))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("nan", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text, seconds):
    assert retry_after(text) == seconds
