"""A folder that came from somebody else, and what a user runs in it."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

from search import SearchEngine

SECRET = "the-secret-text-of-another-folder"


class Listener:
    """A server on loopback that counts who comes, and what is said."""

    def __init__(self):
        self.heard = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.heard.append(connection)
            connection.close()

    def close(self):
        self._socket.close()


def wish(project, url, **more):
    """The settings file that a hostile project brings."""
    lines = [f'summaries = "llm"\nllm_base_url = "{url}"\nllm_model = "m"\ninclude = ["**"]\nhidden = true\n']
    lines += [f"{name} = {json.dumps(value)}\n" for name, value in more.items()]
    project.write("sectionary.toml", "".join(lines))


def index_of_somebody_else(project, **scopes):
    """An index that the user did not make: its manifest leads out of the folder."""
    project.index()
    with sqlite3.connect(project.index_dir / "store" / "ledger.sqlite") as manifest:
        if scopes:
            manifest.execute("insert or replace into facts values ('scopes', ?)", ("\n".join(scopes.values()),))
    (project.index_dir / "identity").unlink()


def manifest_roots(project, *paths):
    """Let the index name other roots, as a later version of the project could that overwrites the user's index."""
    folders = {f"folder{number}": path for number, path in enumerate(paths) if path.startswith("/")}
    roots = [{"path": path, "include": ["**"], "hidden": True} for path in (*paths, *folders)]
    (project.index_dir / "roots.json").write_text(json.dumps({"version": 1, "folders": folders, "roots": roots}))
    with sqlite3.connect(project.index_dir / "store" / "ledger.sqlite") as manifest:
        manifest.execute("insert or replace into facts values ('scopes', ?)", ("\n".join(paths),))


def run(project, *arguments, module="indexer", **environment):
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=project.home,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def texts(project):
    """Everything that the index holds."""
    engine = SearchEngine(project.index_dir, embedder=project.embedder)
    return "\n".join(
        hit.section.content
        for word in ("secret", "text", "private")
        for hit in engine.search(word, limit=100, mode="lexical")
    )


def at_a_terminal(project, *arguments, answer):
    """What the command `index` says to a person at a terminal who answers every question so."""
    import pty

    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "TERM": "dumb", "COLUMNS": "200"}
    command = [sys.executable, "-m", "indexer", *arguments]
    process = subprocess.Popen(
        command, cwd=project.home, env=environment, stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    os.close(follower)
    said = b""
    while True:
        try:
            some = os.read(leader, 4096)
        except OSError:
            break
        if not some:
            break
        said += some
        if some.rstrip().endswith(b"[y/N]:"):
            os.write(leader, f"{answer}\n".encode())
    process.wait(60)
    os.close(leader)
    return said.decode()
