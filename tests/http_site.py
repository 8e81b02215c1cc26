"""A real HTTP server on loopback over `SearchService`, and a client that can say anything."""

import contextlib
import http.client
import json
import socket
import threading
from dataclasses import dataclass

import uvicorn

from schema.settings import Settings
from search.answers.service import SearchService
from search.server.http import create_app
from search.server.run import configured
from search.server.security import Access


@dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def kind(self):
        return self.json["error"]["kind"]

    @property
    def code(self):
        return self.json["error"]["code"]

    @property
    def message(self):
        return self.json["error"]["message"]


class Site:
    """Asks the server at `port`; headers given replace those of the same name, None leaves one out."""

    def __init__(self, port):
        self.port = port
        self.url = f"http://127.0.0.1:{port}/"

    def get(self, path, *, method="GET", body=b"", headers=None):
        sent = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                for one in value if isinstance(value, list) else [value]:
                    if one is not None:
                        connection.putheader(name, one)
            if body and "Content-Length" not in sent:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Reply(answer.status, {n.lower(): v for n, v in answer.getheaders()}, answer.read())


@contextlib.contextmanager
def site_of(app):
    """A `Site` of an ASGI application, served by uvicorn in a thread as `search serve` does it."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(configured(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Site(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        listener.close()


def site_over(project, **access):
    """A `Site` of a project's index, with the project's embedder."""
    answers = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    return site_of(create_app(answers, access=Access(**access)))
