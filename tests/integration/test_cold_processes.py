"""What a process of its own loads for a query, and several processes that want one graph."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.models.loading import embedder_of
from schema.settings import Settings
from tests.tiny_model import embedder, make_model

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.model, pytest.mark.process]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


def run(code, *arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **environment},
        cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


HEAVY = "torch", "transformers", "sentence_transformers", "onnxruntime", "tokenizers"
SEARCH = f"""
import json, sys
from search.cli import main
sys.argv = ["search", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(json.dumps([name for name in {HEAVY} if name in sys.modules]))
"""


@pytest.fixture
def indexed(manual):
    """Documents indexed by the default models, which left what queries need in the session's cache folder."""
    manual.index(embedder=embedder_of(Settings()))
    return manual.index_dir


def test_cold_hybrid_search_loads_no_model(indexed):
    assert run(SEARCH, "crank", "--no-server", "--index", indexed) == ["onnxruntime", "tokenizers"]


def test_cold_lexical_search_loads_nothing_of_models(indexed):
    assert run(SEARCH, "crank", "--mode", "lexical", "--no-server", "--index", indexed) == []


INDEX = f"""
import json, sys
from indexer import Indexer
report = Indexer(sys.argv[1], root=sys.argv[2]).index(sys.argv[2] + "/docs")
counts = [report.sections_embedded, report.sections_embedded_again]
print(json.dumps([counts, [name for name in {HEAVY} if name in sys.modules]]))
"""


def test_run_without_changes_loads_no_model(indexed):
    assert run(INDEX, indexed, indexed.parent) == [[0, 0], []]


def test_run_over_one_appended_line_does_not_load_torch(indexed):
    guide = indexed.parent / "docs" / "guide.md"
    guide.write_text(f"{guide.read_text()}\nA line about the mango.\n")
    assert run(INDEX, indexed, indexed.parent) == [[1, 1], ["onnxruntime", "tokenizers"]]


def test_japanese_question_needs_no_english_model(indexed):
    assert "onnxruntime" not in run(SEARCH, "全文を検索する仕組み", "--no-server", "--index", indexed)


NAMED = f"""
import json, sys
from indexer.models.embedder import SentenceTransformerEmbedder
own = SentenceTransformerEmbedder("acme/tiny", device="cpu", precision="float32", cache_dir=sys.argv[1])
vector = own.embed_query("How do I rotate a key?")
facts = [own.dimension, own.max_tokens, own.coverage("a key")]
print(json.dumps([facts, own.graph.opened is not None, [n for n in {HEAVY} if n in sys.modules], vector.tolist()]))
"""


def test_model_known_by_name_needs_no_transformers_once_it_is_exported(tiny, tmp_path):
    hub, cache = tmp_path / "hub" / "models--acme--tiny", tmp_path / "cache"
    shutil.copytree(tiny, hub / "snapshots" / ("a" * 40))
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("a" * 40)
    where = {"HF_HUB_CACHE": str(hub.parent), "HF_HUB_OFFLINE": "1"}
    first, second = (run(NAMED, cache, **where) for _ in range(2))
    assert first[:2] == second[:2] == [[32, 46, 1.0], True]
    assert second[2] == ["onnxruntime", "tokenizers"]
    assert first[3] == second[3]
    os.rename(hub / "snapshots" / ("a" * 40), hub / "snapshots" / ("b" * 40))
    (hub / "refs" / "main").write_text("b" * 40)
    assert "torch" in run(NAMED, cache, **where)[2]


def test_processes_may_export_at_once(tiny, tmp_path):
    code = (
        "import sys; from indexer.models.embedder import SentenceTransformerEmbedder as E\n"
        "own = E(sys.argv[1], device='cpu', precision='float32', cache_dir=sys.argv[2])\n"
        "own.prepare_queries(); sys.exit(not own.graph.folder.is_settled())"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, tiny, tmp_path], cwd=ROOT) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    later = embedder(tiny, tmp_path)
    assert later.graph.open() is not None
