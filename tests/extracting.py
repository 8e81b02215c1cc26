"""The command `index extract` in a folder, with a chat server that plays a script."""

import json
import re
from datetime import UTC, datetime

from indexer.markdown.frontmatter import read_front_matter
from tests.chat_server import ChatServer

ROTATION = "# Rotation\n\nThe signing key is rotated every ninety days by the operator of the service.\n"
REPORT = (
    "<SECTION:ANALYSIS>\n## Requests\n\n| a | b |\n|---|---|\n| 1 | 2 |\n</SECTION:ANALYSIS>\n"
    "<SECTION:SUMMARY>The service answers the requests of all its users.</SECTION:SUMMARY>\n"
    '<SECTION:RISKS>The disk is nearly full.</SECTION:RISKS>\n<SECTION:METRICS>{"requests": 1200}</SECTION:METRICS>'
)


def entry(title="Key rotation", summary="The operator of the service rotates the key.", content="- every ninety days"):
    return {"text": f"# {title}\n\n## 要約\n\n{summary}\n\n## 内容\n\n{content}"}


def asked_text(body):
    """The text between the markers of a request."""
    return re.search(r"<<<DOCUMENT \w+>>>\n(.*)\n<<<END", body["messages"][0]["content"], re.DOTALL)[1]


def reply(body):
    return {"text": REPORT} if "SECTION:ANALYSIS" in body["messages"][0]["content"] else entry()


class Extracting:
    """The command in a folder, with a server that plays a script."""

    def __init__(self, run, home, monkeypatch):
        self.home = home
        self._run = run
        self._patch = monkeypatch

    def __call__(self, *arguments, script=reply, **settings):
        named = {"llm_timeout": 5, "llm_retries": 0, "llm_concurrency": 1, "llm_model": "scripted", **settings}
        with ChatServer(script) as server:
            for name, value in {"llm_base_url": server.url, **named}.items():
                self._patch.setenv(f"SECTIONARY_{name.upper()}", str(value))
            self.server = server
            return self._run("index", "extract", *arguments, "--out", "knowledge")

    def report(self, *arguments, **options):
        return json.loads(self(*arguments, "--json", **options)[1])

    def write(self, path, text=ROTATION):
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def written(self):
        folder = self.home / "knowledge"
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

    def text(self, name):
        return (self.home / "knowledge" / name).read_text(encoding="utf-8")

    def front(self, name):
        return read_front_matter(self.text(name)).values


def fixed_time():
    return datetime(2026, 11, 23, 4, 5, 6, 789_000, tzinfo=UTC)
