"""A process that has imported everything and forks a child for each job, so that hundreds of real processes are cheap.

Run as a script it reads one JSON command a line: {"job": name, "args": {…}} forks and answers the child's pid;
{"wait": pid} answers its exit code. As a module it has `ForkServer`, which speaks to that script.
"""

import json
import os
import random
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path


class ForkServer:
    """Starts jobs in forked processes."""

    def __init__(self):
        # forked children end without a word, so that measuring what they run would only cost time
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
        environment["PYTHONPATH"] = str(Path(__file__).parents[1])
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def start(self, job, **args):
        return self._ask({"job": job, "args": {name: str(value) for name, value in args.items()}})

    def wait(self, pid):
        return self._ask({"wait": pid})

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def _ask(self, command):
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def text_of(name, revision):
    """A document whose sections all name its revision and how many they are."""
    count = 2 + (revision * 7 + len(name)) % 5
    parts = [f"# Title {name}\n\nmarker {name} revision {revision} of {count}\n"]
    parts += [
        f"## Part {i}\n\nmarker {name} revision {revision} of {count}, part {i} {'word ' * i}\n" for i in range(1, count)
    ]
    return "\n".join(parts)


def indexer(home, **options):
    from indexer import Indexer
    from tests.conftest import WordEmbedder

    class Slow(WordEmbedder):
        def embed_sections(self, texts):
            time.sleep(0.002 * len(texts))
            return super().embed_sections(texts)

    home = Path(home)
    return Indexer(home / ".sectionary", root=home, embedder=Slow(), **options)


def write(home, name, revision):
    place = Path(home, "docs", f"{name}.md")
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_suffix(".tmp")
    fresh.write_text(text_of(name, revision))
    fresh.replace(place)


def edit_and_index(home, seed, first, acknowledged, names="abcdef"):
    """Edit the documents `names` and index them until killed; note each document whose indexing came back."""
    chance = random.Random(int(seed))
    runner = indexer(home, wait=30)
    revision = int(first)
    while True:
        some = chance.sample(names, chance.randint(1, 3))
        revision += 1
        for name in some:
            write(home, name, revision)
        runner.index(Path(home, "docs"))
        with open(acknowledged, "a") as notes:
            notes.write("".join(f"{name} {revision}\n" for name in some))
        action = chance.random()
        if action < 0.1:
            runner.optimize()
        elif action < 0.15:
            runner.rebuild(Path(home, "docs"))


def index_once(home, folder):
    """Index a folder once, waiting for other writers."""
    runner = indexer(home, wait=60)
    report = runner.index(Path(home, folder))
    assert not report.failed


def found(home):
    """What some searches find: ids, scores and texts."""
    from search import SearchEngine
    from tests.conftest import WordEmbedder

    engine = SearchEngine(Path(home, ".sectionary"), embedder=WordEmbedder())
    hits = (engine.search(query, limit=30) for query in ("marker part", "revision word title", "alpha"))
    return [[[hit.section.id, round(hit.score, 6), hit.section.content] for hit in some] for some in hits]


def note_found(home, report):
    """Write down what is found in a sound index."""
    Path(report).write_text(json.dumps(found(home)))


def heal(home, way, report):
    """Open every door of a damaged index, heal it, and write down what was told meanwhile and what is found afterwards."""
    from indexer.summaries.cache import SummaryCache
    from schema.errors import SectionaryError
    from schema.index_files.layout import summaries_path

    runner, docs = indexer(home), Path(home, "docs")
    told = {}

    def attempt(name, job):
        try:
            job()
        except SectionaryError as error:
            told[name] = str(error)

    attempt("status", runner.status)
    attempt("search", lambda: found(home))
    attempt("verify", runner.verify)
    if way == "index":
        attempt("index", lambda: runner.index(docs))
    if way != "rebuild":
        attempt("repair", lambda: runner.verify(repair=True))
    if way == "rebuild" or "repair" in told:
        attempt("rebuild", lambda: runner.rebuild(docs))
    with SummaryCache(summaries_path(Path(home, ".sectionary"))) as cache:
        cache.put("new", "A summary.")
    differences = [str(difference) for difference in runner.verify().differences]
    Path(report).write_text(json.dumps({"told": told, "differences": differences, "found": found(home)}))


def main():
    import schema.storage.table  # noqa: F401

    warnings.simplefilter("ignore")
    jobs = {job.__name__: job for job in (edit_and_index, index_once, note_found, heal)}
    for line in sys.stdin:
        command = json.loads(line)
        if "wait" in command:
            answer = os.waitstatus_to_exitcode(os.waitpid(command["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                sys.stdin.close()
                try:
                    jobs[command["job"]](**command["args"])
                except BaseException:  # noqa: BLE001 — a forked child must not go on as its parent
                    traceback.print_exc()
                    os._exit(1)
                os._exit(0)
        print(answer, flush=True)


if __name__ == "__main__":
    main()
