"""`OpenAIChatClient` against a scripted server on loopback: retries, limits, errors, and what it tells nobody."""

import logging
import threading

import pytest

from indexer.llm.client import OpenAIChatClient
from schema.errors import ChatError, ChatUnavailableError, SettingsError
from schema.protocols import ChatReply
from schema.settings import Settings
from tests.chat_server import ChatServer

pytest.importorskip("openai")
HELLO = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "json_schema", "json_schema": {"name": "X", "schema": {"type": "object"}}}
NOW = {"Retry-After": "0.01"}


def client_of(server, **options):
    return OpenAIChatClient(base_url=server.url, model="m", **{"timeout": 10.0, **options})


def test_a_reply_comes_with_its_text_and_its_reason():
    with ChatServer([{"text": "hi", "finish_reason": "length"}]) as server:
        assert client_of(server).chat(HELLO, max_tokens=7) == ChatReply("hi", "length")
    request = server.requests[0]
    assert (request["path"], request["model"], request["max_tokens"]) == ("/v1/chat/completions", "m", 7)
    assert request["messages"] == HELLO


def test_429_is_asked_again_after_the_time_the_server_names():
    with ChatServer([{"status": 429, "headers": {"Retry-After": "1"}}, {"text": "hi"}]) as server:
        assert client_of(server).chat(HELLO).text == "hi"
    assert len(server.times) == 2
    assert server.times[1] - server.times[0] >= 1


def test_500_is_asked_again_as_often_as_set_and_then_told():
    with ChatServer([{"status": 500, "headers": NOW}]) as server, pytest.raises(ChatError, match="HTTP 500"):
        client_of(server, retries=2).chat(HELLO)
    assert len(server.requests) == 3


def test_a_busy_server_is_told_as_busy():
    with ChatServer([{"status": 429, "headers": NOW}]) as server, pytest.raises(ChatError, match="too busy"):
        client_of(server, retries=1).chat(HELLO)


def test_the_key_is_in_no_message_though_the_server_repeats_it():
    said = {"status": 400, "body": b'{"error": {"message": "bad header Authorization: Bearer sk-SECRET."}}'}
    with ChatServer([said]) as server, pytest.raises(ChatError) as caught:
        client_of(server, retries=0, api_key="sk-SECRET").chat(HELLO)
    assert "Bearer …" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_no_proxy_of_the_environment_reads_what_is_not_encrypted(monkeypatch):
    with ChatServer([{"text": "hi"}]) as server, ChatServer([{"text": "proxy"}]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert client_of(server).chat(HELLO).text == "hi"
    assert proxy.requests == []


@pytest.mark.parametrize(
    ("url", "key", "is_refused"),
    [
        ("http://llm.example.com/v1", "sk-SECRET", True),
        ("http://llm.example.com/v1", "", False),
        ("https://llm.example.com/v1", "sk-SECRET", False),
        ("http://127.0.0.1:9/v1", "sk-SECRET", False),
    ],
)
def test_a_key_is_not_sent_unencrypted_to_another_machine(url, key, is_refused):
    settings = Settings(llm_base_url=url, llm_model="m", llm_api_key=key)
    if is_refused:
        with pytest.raises(SettingsError, match="use https://, or a tunnel"):
            OpenAIChatClient.of(settings)
    else:
        OpenAIChatClient.of(settings)


def test_a_reply_that_drips_is_given_up_when_its_time_is_over():
    with ChatServer([{"text": "x" * 200, "drip": 0.05}]) as server, pytest.raises(ChatError, match="within 1 s"):
        client_of(server, timeout=1.0, retries=0).chat(HELLO)


def test_a_server_that_says_nothing_is_given_up():
    with ChatServer([{"text": "x", "delay": 5}]) as server, pytest.raises(ChatError, match=r"within 0\.3 s"):
        client_of(server, timeout=0.3, retries=0).chat(HELLO)


def test_a_connection_that_breaks_within_the_reply_is_told():
    with ChatServer([{"text": "hello", "missing": 100}]) as server, pytest.raises(ChatError, match="broke off"):
        client_of(server, retries=0).chat(HELLO)


def test_a_connection_lost_before_the_reply_is_made_again():
    with ChatServer([{"hang_up": True}, {"text": "hi"}]) as server:
        assert client_of(server, retries=1).chat(HELLO).text == "hi"


def test_a_server_that_is_not_there_is_unavailable():
    with ChatServer([{}]) as server:
        pass
    with pytest.raises(ChatUnavailableError, match="cannot be reached"):
        client_of(server, retries=0).chat(HELLO)


@pytest.mark.parametrize(("status", "said"), [(401, "key"), (403, "key"), (404, "no model 'm'")])
def test_a_refused_key_and_an_unknown_model_are_unavailable(status, said):
    with ChatServer([{"status": status}]) as server, pytest.raises(ChatUnavailableError, match=said):
        client_of(server).chat(HELLO)
    assert len(server.requests) == 1


def test_a_server_without_schema_mode_is_asked_without_it_from_then_on():
    def script(body):
        return {"status": 400} if "response_format" in body else {"text": "plain"}

    with ChatServer(script) as server:
        client = client_of(server)
        assert [client.chat(HELLO, format=SCHEMA).text for _ in range(2)] == ["plain", "plain"]
    assert ["response_format" in request for request in server.requests] == [True, False, False]


def test_a_schema_is_sent_where_the_server_takes_it():
    with ChatServer([{"text": "{}"}]) as server:
        client_of(server).chat(HELLO, format=SCHEMA)
    assert server.requests[0]["response_format"] == SCHEMA


def test_a_request_that_is_bad_in_itself_does_not_switch_schema_mode_off():
    with ChatServer([{"status": 400}, {"status": 400}, {"text": "{}"}]) as server:
        client = client_of(server)
        with pytest.raises(ChatError, match="HTTP 400"):
            client.chat(HELLO, format=SCHEMA)
        client.chat(HELLO, format=SCHEMA)
    assert "response_format" in server.requests[2]


def test_a_refusal_of_the_model_is_its_reply():
    with ChatServer([{"text": None, "refusal": "I will not."}]) as server:
        assert client_of(server).chat(HELLO).text == "I will not."


@pytest.mark.parametrize(
    "body", [b"hello", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 3}}]}', b'{"choices": [3]}']
)
def test_what_is_no_chat_completion_is_refused(body):
    with ChatServer([{"body": body}]) as server, pytest.raises(ChatError, match=r"chat server|no text"):
        client_of(server, retries=0).chat(HELLO)


def test_no_more_requests_are_under_way_than_set():
    with ChatServer([{"text": "x", "delay": 0.1}]) as server:
        client = client_of(server, concurrency=2)
        threads = [threading.Thread(target=client.chat, args=(HELLO,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (len(server.requests), server.most_at_once) == (6, 2)


def test_a_server_that_wants_the_limit_under_its_other_name_gets_it():
    def script(body):
        refusal = {"status": 400, "error": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}
        return refusal if "max_tokens" in body else {"text": "hi"}

    with ChatServer(script) as server:
        client = client_of(server)
        assert [client.chat(HELLO, max_tokens=9).text for _ in range(2)] == ["hi", "hi"]
    assert [request.get("max_completion_tokens") for request in server.requests] == [None, 9, 9]


def test_what_a_server_says_of_a_bad_request_is_told():
    entry = {"status": 400, "error": "context\nlength exceeded"}
    with ChatServer([entry]) as server, pytest.raises(ChatError, match="HTTP 400: context length exceeded"):
        client_of(server).chat(HELLO)


def test_a_lone_surrogate_can_be_sent():
    with ChatServer([{"text": "hi"}]) as server:
        client_of(server).chat([{"role": "user", "content": "a\ud83d"}])
    assert server.requests[0]["messages"][0]["content"] == "a?"


def test_credentials_in_the_url_are_not_shown():
    client = OpenAIChatClient(base_url="http://user:s3cret@127.0.0.1:9/v1", model="m", retries=0)
    with pytest.raises(ChatUnavailableError, match=r"at http://127\.0\.0\.1:9/v1 cannot"):
        client.chat(HELLO)


def test_a_language_models_server_that_redirects_is_not_followed():
    with ChatServer([{"text": "hi"}]) as other:
        redirect = {"status": 307, "headers": {"Location": f"{other.url}/chat/completions"}}
        with (
            ChatServer([redirect]) as server,
            pytest.raises(ChatUnavailableError, match="which is not followed; set llm_base_url"),
        ):
            client_of(server, api_key="sk-secret").chat(HELLO)
    assert other.requests == []


def test_the_key_is_sent_and_neither_logged_nor_shown(caplog):
    caplog.set_level(logging.DEBUG, logger="indexer")
    settings = Settings(llm_base_url="http://127.0.0.1:9/v1", llm_model="m", llm_api_key="sk-secret", llm_retries=0)
    with pytest.raises(ChatUnavailableError) as told:
        OpenAIChatClient.of(settings).chat(HELLO)
    with ChatServer([{"status": 401}]) as server, pytest.raises(ChatUnavailableError) as refused:
        client_of(server, api_key="sk-secret").chat(HELLO)
    assert server.requests[0]["headers"]["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in f"{settings!r} {told.value} {refused.value} {caplog.text}"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "llm_base_url and llm_model are not set"),
        ({"llm_model": "m"}, "llm_base_url is not set"),
        ({"llm_model": "m", "llm_base_url": "localhost:80"}, "must begin with http"),
        ({"llm_model": "m", "llm_base_url": "http://host:port/v1"}, "no URL of a server"),
        ({"llm_model": "m", "llm_base_url": "http://host/v1", "llm_api_key": "schlüssel"}, "no key can have"),
    ],
)
def test_settings_that_name_no_model_are_refused_in_one_sentence(given, said):
    with pytest.raises(SettingsError, match=said):
        OpenAIChatClient.of(Settings(**given))
