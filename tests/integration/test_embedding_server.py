"""`ServerEmbedder` against a scripted server on loopback: what is sent, what is taken, and one sentence for the rest."""

import logging
import re
import sys
import threading
import time

import numpy as np
import pytest

from indexer.models.embedding_server import ServerEmbedder
from schema.errors import EmbeddingServerError
from tests.embedding_server import EmbeddingServer, base64_of, directions

pytest.importorskip("httpx2")
NOW = {"Retry-After": "0.01"}


def embedder_at(url, **options):
    return ServerEmbedder(url, "m", **{"retries": 0, "timeout": 10.0, **options})


def refused(script, **options):
    """The sentence in which the embedder refuses what the script's server does with two texts, and the server."""
    with EmbeddingServer(script) as server, pytest.raises(EmbeddingServerError) as told:
        embedder_at(server.url, **options).embed_sections(["one", "two"])
    assert "\n" not in str(told.value)
    return str(told.value), server


# -- what goes well ----------------------------------------------------------------------------------------------------


def test_vectors_are_those_of_the_texts_at_unit_length():
    with EmbeddingServer() as server:
        vectors = embedder_at(server.url).embed_sections(["red apple", "green pear"])
    assert (vectors.shape, vectors.dtype) == ((2, 16), np.float32)
    assert np.allclose(vectors, [directions("red apple", 16), directions("green pear", 16)], atol=1e-6)


def test_a_request_names_the_model_and_has_the_texts():
    with EmbeddingServer() as server:
        embedder_at(server.url + "/").embed_sections(["a", "b"])
    request = server.requests[0]
    assert (request["path"], request["model"], request["input"]) == ("/v1/embeddings", "m", ["a", "b"])


@pytest.mark.parametrize("entry", [{"is_base64": True}, {"is_reversed": True}])
def test_base64_and_any_order_give_the_same_vectors(entry):
    with EmbeddingServer([entry]) as server:
        vectors = embedder_at(server.url).embed_sections(["red apple", "green pear"])
    assert np.allclose(vectors, [directions("red apple", 16), directions("green pear", 16)], atol=1e-6)


def test_prompts_stand_before_sections_and_queries():
    with EmbeddingServer() as server:
        embedder = embedder_at(server.url, query_prompt="query: ", document_prompt="passage: ")
        embedder.embed_sections(["one"])
        assert embedder.embed_query("two").shape == (16,)
    assert server.texts == ["passage: one", "query: two"]


def test_no_request_has_more_than_32_texts():
    with EmbeddingServer() as server:
        vectors = embedder_at(server.url).embed_sections([f"text {i}" for i in range(70)])
    assert [len(request["input"]) for request in server.requests] == [32, 32, 6]
    assert np.allclose(vectors[69], directions("text 69", 16), atol=1e-6)


def test_no_request_has_more_tokens_than_set_but_for_one_text():
    with EmbeddingServer() as server:
        embedder_at(server.url, batch_tokens=64).embed_sections(["a " * 30, "b " * 30, "c " * 200, "d"])
    assert [len(request["input"]) for request in server.requests] == [2, 1, 1]


def test_a_query_longer_than_a_model_reads_is_cut():
    with EmbeddingServer() as server:
        embedder_at(server.url).embed_query("word " * 2000)
    assert server.texts[0].split() == ["word"] * 512


def test_a_blank_text_gets_a_vector_although_servers_refuse_it():
    with EmbeddingServer() as server:
        vectors = embedder_at(server.url).embed_sections(["", " \n"])
    assert server.texts == [".", "."]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_no_texts_are_asked_only_for_their_dimension():
    with EmbeddingServer() as server:
        assert embedder_at(server.url).embed_sections([]).shape == (0, 16)
        assert embedder_at(server.url, dimension=8).embed_sections([]).shape == (0, 8)
    assert len(server.requests) == 1


def test_the_dimension_is_asked_for_once():
    with EmbeddingServer() as server:
        embedder = embedder_at(server.url)
        assert [embedder.dimension, embedder.dimension] == [16, 16]
    assert len(server.requests) == 1


def test_the_dimension_is_not_asked_for_once_a_vector_came():
    with EmbeddingServer() as server:
        embedder = embedder_at(server.url)
        embedder.embed_query("x")
        assert embedder.dimension == 16
    assert len(server.requests) == 1


def test_a_lone_surrogate_can_be_sent():
    with EmbeddingServer() as server:
        embedder_at(server.url).embed_sections(["a\ud83d"])
    assert server.texts == ["a?"]


# -- again -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [{"status": 429}, {"status": 500}, {"status": 503}, {"status": 408}])
def test_a_busy_or_failing_server_is_asked_again(entry):
    with EmbeddingServer([{**entry, "headers": NOW}, {}]) as server:
        assert embedder_at(server.url, retries=1).embed_sections(["x"]).shape == (1, 16)
    assert len(server.requests) == 2


@pytest.mark.parametrize("entry", [{"hang_up": True}, {"missing": 10}])
def test_a_lost_connection_is_made_again(entry):
    with EmbeddingServer([entry, {}]) as server:
        assert embedder_at(server.url, retries=1).embed_sections(["x"]).shape == (1, 16)
    assert len(server.requests) == 2


def test_a_request_waits_as_long_as_the_server_says():
    with EmbeddingServer([{"status": 429, "headers": {"Retry-After": "1"}}, {}]) as server:
        embedder_at(server.url, retries=1).embed_sections(["x"])
    assert 1 <= server.times[1] - server.times[0] < 3


def test_waits_grow_where_the_server_names_none(monkeypatch):
    own, sleep, waits = threading.get_ident(), time.sleep, []

    def wait(seconds):  # other threads of the process sleep as ever
        waits.append(seconds) if threading.get_ident() == own else sleep(seconds)

    monkeypatch.setattr("indexer.model_server.time.sleep", wait)
    with EmbeddingServer([{"hang_up": True}]) as server, pytest.raises(EmbeddingServerError):
        embedder_at(server.url, retries=6).embed_sections(["x"])
    assert waits == [0.5, 1, 2, 4, 8, 8]


def test_a_server_that_wants_a_wait_of_an_hour_is_not_waited_for():
    said, server = refused([{"status": 429, "headers": {"Retry-After": "3600"}}], retries=5)
    assert "too busy (HTTP 429: scripted); try again later" in said
    assert len(server.requests) == 1


def test_a_refused_request_is_not_sent_again():
    _, server = refused([{"status": 400}], retries=5)
    assert len(server.requests) == 1


def test_a_query_is_sent_again_once_and_no_more():
    with EmbeddingServer([{"status": 500, "headers": NOW}]) as server, pytest.raises(EmbeddingServerError):
        embedder_at(server.url, retries=5).embed_query("x")
    assert len(server.requests) == 2


def test_a_query_waits_for_no_server_that_asks_for_ten_seconds():
    started = time.monotonic()
    with EmbeddingServer([{"status": 429, "headers": {"Retry-After": "10"}}]) as server, pytest.raises(EmbeddingServerError):
        embedder_at(server.url, retries=5).embed_query("x")
    assert time.monotonic() - started < 5
    assert len(server.requests) == 1


# -- one sentence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"status": 429}, "is too busy (HTTP 429: scripted); try again later, or lower batch_tokens."),
        ({"status": 500}, "failed (HTTP 500: scripted); its log says why. Try again later."),
        ({"status": 401}, "wants a key (HTTP 401); set SECTIONARY_EMBEDDING_API_KEY, together with SECTIONARY_EMBEDDING_BASE_URL"),
        ({"status": 404}, "has no model 'm' or makes no embeddings (HTTP 404); correct embedding_model or embedding_base_url."),
        ({"status": 400, "error": "too\nlong"}, "refuses a request (HTTP 400: too long); check embedding_model, or lower"),
        ({"status": 400, "body": b"<html>"}, "refuses a request (HTTP 400); check embedding_model"),
        ({"hang_up": True}, "cannot be reached; start it or correct embedding_base_url."),
        ({"missing": 10}, "broke off; its log says why."),
        ({"body": b"<html>"}, "sent a reply that is not JSON; is embedding_base_url that of an embedding server"),
        ({"body": b""}, "sent a reply that is not JSON"),
        ({"body": b"[" * 100_000}, "sent a reply that is not JSON"),
        ({"body": b"[]"}, "sent a reply without embeddings"),
        ({"body": b'{"data": 3}'}, "sent a reply without embeddings"),
        ({"body": b'{"data": [1, 2]}'}, "sent a reply without embeddings"),
        ({"body": b'{"choices": []}'}, "sent a reply without embeddings"),
    ],
)  # fmt: skip
def test_what_a_server_says_instead_of_vectors_is_one_sentence(entry, said):
    assert said in refused([entry])[0]


def put(place, value):
    """A change of the answer: what stands there (keys and places joined by dots) becomes another value."""

    def change(answer):
        *path, last = [int(part) if part.isdigit() else part for part in place.split(".")]
        for part in path:
            answer = answer[part]
        answer[last] = value

    return {"change": change}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("data", []), "sent 0 embeddings, not one for each of 2 texts"),
        (put("data.0.index", 1), "sent 2 embeddings, not one for each of 2 texts"),
        (put("data.0.index", 2), "sent 2 embeddings, not one for each of 2 texts"),
        (put("data.0.index", True), "sent 2 embeddings, not one for each of 2 texts"),
        (put("data.0.index", None), "sent 2 embeddings, not one for each of 2 texts"),
        (put("data.0.embedding", [1.0]), "sent vectors of a length that none can have"),
        (
            put("data", [{"index": 0, "embedding": []}, {"index": 1, "embedding": ""}]),
            "sent vectors of a length that none can",
        ),
        (put("data.0.embedding", [float("nan")] * 16), "sent numbers that are not finite"),
        (put("data.0.embedding", [float("inf")] * 16), "sent numbers that are not finite"),
        (put("data.0.embedding", [0] * 16), "sent a vector of zeros"),
        (put("data.0.embedding", [10**400] * 16), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", ["1"] * 16), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", [True] * 16), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", [[1.0]] * 16), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", None), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", "not base64!"), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", "!" + base64_of(np.ones(16))), "sent an embedding that is no list of numbers"),
        (put("data.0.embedding", "QUFB"), "sent an embedding that is no list of numbers"),
    ],
)
def test_vectors_that_cannot_be_used_are_one_sentence(change, said):
    assert said in refused([change])[0]


def test_another_dimension_than_set_is_told_with_both():
    said, _ = refused([{}], dimension=8)
    assert said.endswith("vectors have 16 numbers, not 8; correct embedding_dimension or embedding_model.")


def test_another_dimension_than_before_is_told_with_both():
    with EmbeddingServer([{}, {"dimension": 8}]) as server:
        embedder = embedder_at(server.url)
        embedder.embed_query("x")
        with pytest.raises(EmbeddingServerError, match="have 8 numbers, not 16; its model was changed"):
            embedder.embed_query("y")


def test_a_server_that_is_not_there_is_told_without_credentials():
    with EmbeddingServer() as server:
        pass
    url = server.url.replace("//", "//user:s3cret@")
    with pytest.raises(EmbeddingServerError, match=re.escape(f"at {server.url} cannot be reached; start it")):
        embedder_at(url).embed_query("x")


@pytest.mark.parametrize("entry", [{"delay": 3}, {"drip": 0.05}])
def test_an_answer_that_is_late_is_given_up(entry):
    started = time.monotonic()
    assert "did not answer within 0.5 s; try again, or lower batch_tokens." in refused([entry], timeout=0.5)[0]
    assert time.monotonic() - started < 3


def test_an_answer_that_is_too_large_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr("indexer.models.embedding_server.MAX_BYTES", 2_000_000)
    assert "sent more than 2 MB; is embedding_base_url" in refused([{"body": b" " * 2_100_000}])[0]


def test_a_redirect_is_not_followed():
    with EmbeddingServer() as other:
        entry = {"status": 307, "headers": {"Location": f"{other.url}/embeddings"}}
        said, _ = refused([entry], api_key="sk-secret")
    assert "sends its callers elsewhere (HTTP 307), which is not followed; set embedding_base_url" in said
    assert other.requests == []


def test_a_missing_library_is_told_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(EmbeddingServerError, match=re.escape("install it with `pip install 'sectionary[llm]'`")):
        embedder_at("http://127.0.0.1:9/v1").embed_query("x")


# -- what is told nobody -----------------------------------------------------------------------------------------------


def test_the_key_is_sent_and_neither_logged_nor_shown(caplog):
    caplog.set_level(logging.DEBUG)
    entry = {"status": 400, "error": "who is sk-secret?"}
    said, server = refused([entry], api_key="sk-secret")
    refusal, _ = refused([{"status": 401}], api_key="sk-secret")
    assert server.requests[0]["headers"]["authorization"] == "Bearer sk-secret"
    assert "HTTP 400: who is …?" in said
    assert "refuses the key (HTTP 401)" in refusal
    assert "sk-secret" not in f"{said} {refusal} {caplog.text}"


def test_texts_are_not_logged(caplog):
    caplog.set_level(logging.DEBUG)
    with EmbeddingServer([{"status": 500}]) as server, pytest.raises(EmbeddingServerError) as told:
        embedder_at(server.url).embed_sections(["a private text"])
    assert "private" not in f"{told.value} {caplog.text}"


def test_an_embedding_server_gets_nothing_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "my-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "my-organisation")
    with EmbeddingServer() as server:
        embedder_at(server.url).embed_query("x")
    names = {"host", "connection", "accept", "accept-encoding", "content-type", "content-length", "user-agent"}
    headers = server.requests[0]["headers"]
    assert headers.keys() == names
    assert (headers["accept-encoding"], headers["user-agent"]) == ("identity", "sectionary")


def test_texts_for_this_machine_go_through_no_proxy(monkeypatch):
    with EmbeddingServer() as proxy, EmbeddingServer() as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        embedder_at(server.url).embed_query("x")
    assert (len(server.requests), proxy.requests) == (1, [])
