"""How the servers for agents live: processes, streams, threads, indexes that come and go, and who may ask over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from schema.index_files.layout import store_dir, writer_lock
from schema.settings import Settings
from schema.text.characters import to_json
from search import SearchEngine
from search.answers.wire import result_to_json
from search.server.pool import WorkPool
from tests.conftest import Project
from tests.mcp_agent import FIND, agent_of_process, agent_within, answers_over, calling, command, heading, program

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SECRET = "xylophone-4711"
#: A server whose answers print, start programs that print, warn, log, and fail with a message that holds what was asked.
NOISY = """
import logging, os, subprocess, sys, warnings
from pathlib import Path
from schema.settings import Settings
from search.answers.service import SearchService
from search.server.mcp import run_stdio
class Noisy(SearchService):
    def search(self, request):
        print("printed"); sys.stdout.flush(); os.write(1, b"written\\n"); subprocess.run(["echo", "echoed"])
        warnings.warn("warned"); logging.getLogger("any").warning("logged")
        return super().search(request)
    def outline(self, document_path):
        raise RuntimeError(f"cannot read {document_path}")
run_stdio(Noisy(Path(sys.argv[1]), settings=Settings(model="words-32")))
"""
#: `index` with the word embedder, slowly.
INDEX = """
import sys, time
sys.path.insert(0, sys.argv[1])
from indexer import Indexer
from tests.conftest import WordEmbedder
real = WordEmbedder.embed_sections
WordEmbedder.embed_sections = lambda self, texts: (time.sleep(0.5), real(self, texts))[1]
Indexer(sys.argv[2] + "/.sectionary", root=sys.argv[2], embedder=WordEmbedder()).index(sys.argv[2] + "/docs")
"""


@pytest.fixture
def indexed(manual):
    manual.index()
    return manual


def served(project):
    return command("--index", str(project.index_dir), "--model", project.embedder.name)


# -- stdin and stdout --------------------------------------------------------------------------------------------------


def opening(version="2025-11-25"):
    client = {"name": "test", "version": "0"}
    return [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize",
         "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]  # fmt: skip


def talk(parameters, lines, answers):
    """What a process says to these lines: (messages, all of stdout, stderr); its input ends after so many answers."""
    process = subprocess.Popen(
        [parameters.command, *parameters.args], env={**os.environ, **parameters.env}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    for line in lines:
        process.stdin.write(line if isinstance(line, str) else json.dumps(line) + "\n")
    process.stdin.flush()
    said = [process.stdout.readline() for _ in range(answers)]
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return [json.loads(line) for line in said], "".join(said) + out, err


def test_stdout_carries_nothing_but_the_protocol(indexed):
    messages, out, err = talk(program(NOISY, str(indexed.index_dir)), [*opening(), calling(1, "search", **FIND)], 2)
    assert [message["id"] for message in messages] == [0, 1]
    assert messages[1]["result"]["structuredContent"]["results"][0]["heading"] == "Linux"
    assert out.count("\n") == 2
    assert all(word in err for word in ("printed", "written", "echoed", "warned", "logged"))


def test_nothing_that_was_asked_is_written_to_stderr(indexed):
    lines = [
        *opening(),
        calling(1, "search", query=f"{SECRET} penguins", mode="lexical"),
        calling(2, "outline", document_path=SECRET),
        calling(3, "search", query=SECRET, limit=SECRET),
        f"{SECRET}\n",
        f'{{"jsonrpc": "2.0", "method": "notifications/progress", "params": "{SECRET}"}}\n',
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": SECRET, "arguments": SECRET}},
        calling(5, SECRET),
    ]
    messages, _, err = talk(program(NOISY, str(indexed.index_dir)), lines, 8)
    assert {message["id"] for message in messages} == {None, *range(6)}
    assert SECRET not in str([message for message in messages if message["id"] is None])
    assert "the tool outline failed: RuntimeError" in err
    assert SECRET not in err


def test_fault_of_a_tool_is_told_without_its_details(indexed, tmp_path):
    with agent_of_process(program(NOISY, str(indexed.index_dir)), tmp_path / "stderr") as agent:
        said = agent.refused("outline", document_path="docs/guide.md")
        assert said == "The call failed by a fault of the server, whose log says more; other calls may work."
        assert heading(agent) == "Linux"


NO_MESSAGES = {
    "{not JSON": -32700,
    "[]": -32600,
    '{"id": 7.5}': -32600,
    '{"id": true}': -32600,
    '{"jsonrpc": "2.0", "method": "tools/call", "params": [1]}': -32600,
}


def test_lines_that_are_no_messages_are_answered_and_the_next_ones_too(indexed):
    lines = [part for line in NO_MESSAGES for part in (f"{line}\n", calling(8, "search", **FIND))]
    messages, _, _ = talk(served(indexed), [*opening(), *lines], 1 + len(lines))
    refused = [message["error"]["code"] for message in messages if message["id"] is None]
    answered = [bool(message["result"]["structuredContent"]["results"]) for message in messages if message["id"] == 8]
    assert (sorted(refused), answered) == (sorted(NO_MESSAGES.values()), [True] * len(NO_MESSAGES))


UNDER_THEIR_IDS = [
    ('{"id": 7}', 7),
    ('{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": [1]}', "a"),
    ('{"jsonrpc": "2.0", "id": 0, "method": 7, "params": {"q": "\\ud83d"}}', 0),
]


def test_lines_that_are_no_messages_are_answered_under_their_ids(indexed):
    lines = [f"{line}\n" for line, _ in UNDER_THEIR_IDS]
    messages, _, _ = talk(served(indexed), [*opening()[1:], *lines], len(lines))
    assert [(message["id"], message["error"]["code"]) for message in messages] == [(n, -32600) for _, n in UNDER_THEIR_IDS]
    assert {message["error"]["message"] for message in messages} == {
        "The message is none of JSON-RPC 2.0; send an object with jsonrpc, id and method, and an object as params."
    }


def test_half_of_an_emoji_is_a_question_mark(indexed):
    call = calling(7, "search", query="penguins crank \ud83d", mode="lexical", limit=1)
    messages, _, _ = talk(served(indexed), [*opening(), call], 2)
    assert messages[1]["id"] == 7
    assert messages[1]["result"]["structuredContent"]["results"][0]["heading"] == "Linux"


def test_server_ends_when_its_input_ends(indexed):
    assert talk(served(indexed), [], 0) == ([], "", "")


def started(indexed):
    """A server process that a test writes to and reads from itself."""
    parameters = served(indexed)
    return subprocess.Popen(
        [parameters.command, *parameters.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_server_ends_at_an_interrupt(indexed):
    process = started(indexed)
    process.stdin.write("".join(json.dumps(line) + "\n" for line in opening()))
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert (process.wait(timeout=20), process.stderr.read()) == (-signal.SIGINT, "")
    process.communicate()


def test_server_ends_quietly_when_nobody_reads_its_answers(indexed):
    process = started(indexed)
    process.stdout.close()
    process.stdin.write("".join(json.dumps(line) + "\n" for line in opening()))
    process.stdin.flush()
    time.sleep(1)
    process.stdin.close()
    assert (process.wait(timeout=20), process.stderr.read()) == (0, "")
    process.stderr.close()


def test_what_is_offered_is_told_before_anything_heavy_is_loaded(tmp_path):
    code = NOISY.replace(
        "run_stdio(Noisy(",
        "import atexit; atexit.register(lambda: sys.stderr.write(repr('torch' in sys.modules)))\nrun_stdio(Noisy(",
    )
    lines = [*opening(), {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]
    messages, _, err = talk(program(code, str(tmp_path / "nowhere")), lines, 2)
    assert len(messages[1]["result"]["tools"]) == 8
    assert err == "False"


# -- indexes that come and go ------------------------------------------------------------------------------------------


def test_missing_index_is_told_and_found_when_it_is_there(manual, tmp_path):
    with agent_of_process(served(manual), tmp_path / "stderr") as agent:
        assert "index" in agent.refused("search", **FIND)
        assert "There is no index" in agent.refused("status")
        manual.index()
        assert heading(agent) == "Linux"


def test_index_that_another_process_builds_is_answered_from_as_far_as_it_is(manual, tmp_path):
    for number in range(40):
        manual.write(f"docs/many/{number}.md", f"# Number {number}\n\nWalrus {number}.\n")
    said = []
    with agent_of_process(served(manual), tmp_path / "stderr") as agent:
        builder = subprocess.Popen([sys.executable, "-c", INDEX, str(ROOT), str(manual.home)])
        while builder.poll() is None:
            said.append(agent.call("search", **FIND))
            time.sleep(0.05)
        assert heading(agent) == "Linux"
        assert agent.ask("status")["documents"] == 42
    assert builder.returncode == 0
    assert len(said) > 3
    for result in said:
        assert result.structured_content is not None or "index" in result.content[0].text


def test_index_that_is_being_written_answers(indexed, tmp_path):
    with writer_lock(indexed.index_dir), agent_of_process(served(indexed), tmp_path / "stderr") as agent:
        assert heading(agent) == "Linux"
        assert agent.ask("status")["is_being_written"] is True


def test_deleted_index_is_told_and_found_again_when_it_is_rebuilt(indexed, tmp_path):
    with agent_of_process(served(indexed), tmp_path / "stderr") as agent:
        assert heading(agent) == "Linux"
        shutil.rmtree(indexed.index_dir)
        for tool, arguments in (("search", FIND), ("status", {}), ("outline", {"document_path": "docs/guide.md"})):
            assert "There is no index" in agent.refused(tool, **arguments)
        indexed.index()
        assert heading(agent) == "Linux"


def test_index_of_another_model_is_told_until_the_right_one_is_back(indexed, make_embedder):
    with agent_within(answers_over(indexed)) as agent:
        assert heading(agent) == "Linux"
        indexed.indexer(embedder=make_embedder("other")).rebuild(indexed.home / "docs")
        said = agent.refused("search", **FIND)
        assert "other" in said
        assert "\n" not in said
        indexed.indexer().rebuild(indexed.home / "docs")
        assert heading(agent) == "Linux"


def test_damaged_index_is_told_in_a_sentence(indexed):
    with agent_within(answers_over(indexed)) as agent:
        for path in store_dir(indexed.index_dir).rglob("*.lance"):
            if path.is_file():
                path.write_bytes(b"nothing")
        said = agent.refused("search", **FIND)
        assert "Traceback" not in said
        assert said.endswith(".")


def test_changed_text_is_found_by_the_next_call(indexed):
    with agent_within(answers_over(indexed)) as agent:
        assert heading(agent) == "Linux"
        indexed.write("docs/guide.md", "# Guide\n\n## Antarctica\n\nPenguins turn a crank.\n")
        assert agent.ask("search", **FIND)["results"][0]["stale"] is True
        indexed.index()
        hit = agent.ask("search", **FIND)["results"][0]
        assert (hit["heading"], hit["stale"]) == ("Antarctica", False)


# -- several calls at once ---------------------------------------------------------------------------------------------


class Slow:
    """Answers that wait: `outline` until told, everything else not at all."""

    def __init__(self, answers):
        self._answers = answers
        self.go_on = threading.Event()
        self.inside = threading.Semaphore(0)

    def __getattr__(self, name):
        return getattr(self._answers, name)

    def outline(self, document_path):
        self.inside.release()
        self.go_on.wait(30)
        return self._answers.outline(document_path)


@contextmanager
def slow(project, **pool):
    answers = Slow(answers_over(project))
    with agent_within(answers, pool=WorkPool(**pool), mode="legacy") as agent:
        try:
            yield answers, agent
        finally:
            answers.go_on.set()


def test_many_calls_at_once_get_their_own_answers(indexed):
    with agent_within(answers_over(indexed), mode="legacy") as agent:
        words = ["penguins", "apples", "bananas", "widget"] * 5
        started = [agent.start("search", query=word, mode="lexical", content=True) for word in words]
        assert [agent.answer("search", call.result(60))["query"] for call in started] == words


def test_slow_call_does_not_hold_up_others(indexed):
    with slow(indexed) as (answers, agent):
        waiting = agent.start("outline", document_path="docs/guide.md")
        assert answers.inside.acquire(timeout=20)
        assert heading(agent) == "Linux"
        assert not waiting.done()
        answers.go_on.set()
        assert len(agent.answer("outline", waiting.result(20))["sections"]) == 6


def test_call_that_takes_too_long_is_given_up_with_a_sentence(indexed):
    with slow(indexed, time_limit=3.0) as (_, agent):
        said = agent.refused("outline", document_path="docs/guide.md")
        assert said.startswith("The answer took too long and was given up; ask again in a moment")
        assert heading(agent) == "Linux"


def test_cancelled_call_leaves_the_server_answering(indexed):
    with slow(indexed) as (answers, agent):
        waiting = agent.start("outline", document_path="docs/guide.md")
        assert answers.inside.acquire(timeout=20)
        waiting.cancel()
        assert heading(agent) == "Linux"


def test_call_beyond_the_queue_is_told_to_come_again(indexed):
    with slow(indexed, workers=1, waiting=0) as (answers, agent):
        waiting = agent.start("outline", document_path="docs/guide.md")
        assert answers.inside.acquire(timeout=20)
        assert agent.refused("search", **FIND) == "Too many calls are being answered; ask again in a moment."
        answers.go_on.set()
        assert not waiting.result(20).is_error


def test_failing_model_is_told_in_its_own_sentence(indexed, make_embedder):
    from schema.errors import ModelError

    class Broken(make_embedder):
        def embed_query(self, text):
            raise ModelError("The model words-32 cannot be loaded; install it.")

    with agent_within(answers_over(indexed, Broken())) as agent:
        assert agent.refused("search", query="penguins") == "The model words-32 cannot be loaded; install it."
        assert heading(agent) == "Linux"


@pytest.mark.model
@pytest.mark.slow
def test_real_model_answers_over_stdio(tmp_path):
    project = Project(tmp_path, None)
    project.write("docs/a.md", "# Keys\n\nReplace the signing key every month.\n\n# Soup\n\nBoil leeks in salted water.\n")
    project.index()
    hit = SearchEngine(project.index_dir, settings=Settings()).search("how do I cook vegetables?", limit=1)[0]
    with agent_of_process(command("--index", str(project.index_dir)), tmp_path / "stderr") as agent:
        said = "The answer took too long"
        while said.startswith("The answer took too long"):  # on a busy machine the model is loaded by the second call
            said = agent.text("search", query="how do I cook vegetables?", limit=1, content=True)
    (found,) = json.loads(said)["results"]
    assert found["heading"] == "Soup"
    assert json.loads(to_json(found)) == json.loads(to_json(result_to_json(hit)))
