"""A store that takes connections and never answers."""

import socket
import threading
from pathlib import Path

import pytest

pytest.importorskip("obstore", reason="the extra `remote` is not installed")

from schema.errors import IndexAccessError
from schema.remote import objects
from schema.remote.address import parse_address
from schema.remote.folders import RemoteIndex


@pytest.fixture
def silent(monkeypatch):
    """The connections to a store that says nothing; the environment leads to it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        accepted = []

        def accept():
            while True:
                try:
                    accepted.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        yield accepted
        server.shutdown(socket.SHUT_RDWR)
        for connection in accepted:
            connection.close()


def test_a_request_without_an_answer_is_tried_again_and_then_told(silent, monkeypatch):
    monkeypatch.setattr(objects, "RETRY_SECONDS", objects.RETRY_SECONDS / objects.REQUEST_SECONDS)
    monkeypatch.setattr(objects, "REQUEST_SECONDS", 1)
    store = objects.objects_of(RemoteIndex(Path("/nowhere"), parse_address("s3://bucket/silent"), None))
    with pytest.raises(IndexAccessError, match="cannot be used now"):
        store.entries("")
    assert len(silent) >= 2
