"""The processes that keep an index fresh: watching, intervals, and the signals that end them."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from indexer.daemon.schedule import StopSignals, run_every
from schema.errors import IndexNotFoundError
from schema.index_files.layout import store_dir, writer_lock
from schema.settings import DEFAULT_MODEL

pytestmark = pytest.mark.process

RUN = (
    "import sys; sys.path.insert(0, sys.argv[1]); from indexer.sync import jobs; from tests.conftest import WordEmbedder\n"
    "jobs.embedder_of = lambda settings: WordEmbedder(settings.model)\n"
    "import os, time; real = WordEmbedder.embed_sections; pause = float(os.environ.get('PAUSE', 0))\n"
    "WordEmbedder.embed_sections = lambda self, texts: (time.sleep(pause * len(texts)), real(self, texts))[1]\n"
    "from indexer.cli import main\n"
    "sys.argv = ['index', *sys.argv[2:]]; main()\n"
)
ROOT = Path(__file__).parents[2]


class Process:
    """A real `index` process with the word embedder."""

    def __init__(self, home, *arguments, **environment):
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("SECTIONARY_") or name in ("SECTIONARY_CACHE_DIR", "SECTIONARY_CONFIG_DIR")
        }
        command = [sys.executable, "-u", "-c", RUN, str(ROOT), *map(str, arguments)]
        self.log = open(home / "out.log", "w+")  # noqa: SIM115 — closed by `end`
        self.popen = subprocess.Popen(
            command, cwd=home, env={**own, **environment}, stdout=self.log, stderr=subprocess.STDOUT, text=True
        )

    def said(self):
        return Path(self.log.name).read_text()

    def end(self, number=signal.SIGTERM):
        self.popen.send_signal(number)
        code = self.popen.wait(timeout=60)
        self.log.close()
        return code


@pytest.fixture
def start(manual):
    started = []

    def call(*arguments, **environment):
        started.append(Process(manual.home, *arguments, **environment))
        return started[-1]

    yield call
    for process in started:
        if process.popen.poll() is None:
            process.popen.kill()
            process.popen.wait()
            process.log.close()


def until(check, seconds=40):
    """Wait until `check` gives something true, and give it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found = check()
        except (IndexNotFoundError, FileNotFoundError):
            found = None
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def headings(project, query):
    engine = project.engine(embedder=type(project.embedder)(DEFAULT_MODEL))
    return [hit.section.heading for hit in engine.search(query, mode="lexical")]


def paths(project):
    engine = project.engine(embedder=type(project.embedder)(DEFAULT_MODEL))
    return [document.path for document in engine.documents()]


@pytest.mark.parametrize("options", [(), ("--poll",)])
def test_watch_follows_edits_saves_renames_deletions_and_new_folders(manual, start, options):
    process = start("watch", "docs", "--settle", "200ms", *options)
    until(lambda: "documents +2" in process.said())
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text() + "\n## Walrus\n\nTusks of ivory.\n")  # an edit
    until(lambda: headings(manual, "ivory") == ["Walrus"])
    fresh = manual.write("docs/guide.md.tmp", guide.read_text().replace("ivory", "marble"))
    os.replace(fresh, guide)  # an atomic save
    until(lambda: headings(manual, "marble") == ["Walrus"])
    assert headings(manual, "ivory") == []
    guide.rename(manual.home / "docs/handbook.md")
    until(lambda: paths(manual) == ["docs/handbook.md", "docs/sub/notes.md"])
    (manual.home / "docs/handbook.md").unlink()
    until(lambda: paths(manual) == ["docs/sub/notes.md"])
    manual.write("docs/new/deep/er.md", "# Deep\n\nsubmarine\n")
    until(lambda: headings(manual, "submarine") == ["Deep"])
    assert process.end() == 0
    assert "Traceback" not in process.said()


def test_watch_goes_on_when_its_folder_comes_back(manual, start):
    process = start("watch", "docs", "--settle", "100ms")
    until(lambda: "documents +2" in process.said())
    (manual.home / "docs").rename(manual.home / "away")
    until(lambda: "There is no folder or file docs" in process.said())
    (manual.home / "away").rename(manual.home / "docs")
    time.sleep(1)
    manual.write("docs/late.md", "# Late\n\narrival\n")
    until(lambda: headings(manual, "arrival") == ["Late"])
    assert process.end(signal.SIGINT) == 0


def test_watch_looks_at_everything_at_intervals(manual, monkeypatch):
    import watchfiles

    from indexer.daemon.watch import watch_changes

    def deaf(*_paths, **_options):
        while True:
            time.sleep(0.01)
            yield set()

    monkeypatch.setattr(watchfiles, "watch", deaf)
    stop = StopSignals()
    seen = watch_changes([manual.home], stop=stop, full_every=0.2)
    started = time.monotonic()
    for _ in range(3):
        next(seen)
    assert 0.4 <= time.monotonic() - started < 5


def test_watch_polls_where_the_system_cannot_watch(manual, monkeypatch):
    import watchfiles

    from indexer.daemon.watch import watch_changes

    def refusing(*_paths, force_polling, **_options):
        if not force_polling:
            raise OSError("OS file watch limit reached")
        yield {(watchfiles.Change.added, "x")}

    monkeypatch.setattr(watchfiles, "watch", refusing)
    told = []
    next(watch_changes([manual.home], stop=StopSignals(), on_fallback=told.append))
    assert told == ["OS file watch limit reached"]


def test_own_writes_wake_no_watcher():
    from watchfiles import Change

    from indexer.daemon.watch import interest_in

    is_of_interest = interest_in([Path("/home/a")])
    assert not is_of_interest(Change.added, "/home/a/.sectionary/store/ledger.sqlite")
    assert is_of_interest(Change.added, "/home/a/docs/x.md")


def test_every_runs_again_and_ends_by_a_signal(manual, start):
    process = start("docs", "--every", "1s", "--json")
    until(lambda: process.said().count("\n") == 1)
    manual.write("docs/second.md", "# Second\n\nround\n")
    until(lambda: process.said().count("\n") == 2)
    assert process.end() == 0
    assert [json.loads(line)["documents_added"] for line in process.said().splitlines() if line.startswith("{")] == [2, 1]


def test_every_skips_a_round_while_another_writes(manual, start):
    manual.embedder.name = DEFAULT_MODEL
    manual.index()
    with writer_lock(manual.index_dir):
        process = start("docs", "--every", "1s")
        until(lambda: process.said().count("Another process is writing") >= 2)
    until(lambda: "no change" in process.said() or process.said().count("Another") < 5, seconds=5)
    assert process.end() == 0


def test_intervals_are_kept_from_start_to_start_with_jitter():
    stop = StopSignals()
    starts = []
    for _ in run_every(0.2, stop):
        starts.append(time.monotonic())
        time.sleep(0.1)
        if len(starts) == 4:
            break
    pauses = [b - a for a, b in pairwise(starts)]
    assert all(pause >= 0.18 for pause in pauses)
    assert len({round(pause, 4) for pause in pauses}) > 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_run_after_its_batch(manual, start, number):
    for i in range(300):
        manual.write(f"docs/{i}.md", f"# Title {i}\n\n" + f"words of {i}. " * 9)
    process = start("docs", PAUSE="0.01")
    until((store_dir(manual.index_dir) / "ledger.sqlite").exists)
    assert process.end(number) == 130
    assert "Traceback" not in process.said()
    assert "Interrupted; what was finished is kept" in process.said()
    status = manual.indexer().status()
    assert status.last_run.outcome == "stopped"
    manual.embedder.name = DEFAULT_MODEL
    manual.index()
    assert manual.indexer().verify().differences == ()


def test_second_signal_ends_a_run_at_once():
    with StopSignals() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        stop.sleep(100)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
