"""An object store on loopback (moto's), and projects whose index is in it."""

import contextlib
import http.client
import logging
import uuid

import pytest

from tests.conftest import Project, WordEmbedder
from tests.remote.proxy import Proxy

BUCKET = "manuals"


@pytest.fixture(scope="session")
def s3():
    """The port of an object store of this session, which has one bucket and the credentials in the environment."""
    pytest.importorskip("obstore", reason="the extra `remote` is not installed")
    server = pytest.importorskip("moto.server", reason="`make test-remote` installs moto's server").ThreadedMotoServer
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = server(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("PUT", f"/{BUCKET}")
    assert connection.getresponse().status == 200
    connection.close()
    settings = {
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        yield port
    server.stop()


@pytest.fixture
def proxy(s3, monkeypatch):
    """A way to the object store that can be slow, and can break."""
    with contextlib.closing(Proxy(s3)) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
        yield proxy


@pytest.fixture
def address(s3):
    """The address of an index that nobody else has."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}"


@pytest.fixture
def project(tmp_path, address, embedder, monkeypatch):
    """A project whose index is in the object store."""
    from schema.remote.folders import folder_of

    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / "cache"))
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    project = Project(home, embedder)
    project.index_dir = folder_of(address)
    return project


@pytest.fixture
def elsewhere(project, tmp_path, monkeypatch):
    """Lets what follows in a test happen on another machine: with empty caches and in an empty folder."""

    def go(name="elsewhere"):
        from schema.remote.folders import folder_of, remote_of

        address = remote_of(project.index_dir).address.uri
        (tmp_path / name).mkdir()
        monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / name / "cache"))
        monkeypatch.chdir(tmp_path / name)
        there = Project(tmp_path / name, WordEmbedder())
        there.index_dir = folder_of(address)
        return there

    return go
