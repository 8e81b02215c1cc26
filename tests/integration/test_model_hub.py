"""Names of models that are no folders: the cache of this machine is asked first, then a hub, once."""

import http.server
import threading
from types import SimpleNamespace

import pytest
from huggingface_hub import constants

from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.hub import is_on_this_machine
from schema.errors import ModelError
from search.ranking.rerank import CrossEncoderReranker

pytestmark = [pytest.mark.process, pytest.mark.model]


class Hub(http.server.BaseHTTPRequestHandler):
    """A hub that has one model: `team/words`."""

    asked: list[str]

    def do_HEAD(self):
        type(self).asked.append(self.path)
        has = self.path.startswith("/team/words/")
        self.send_response(200 if has else 404)
        if has:
            self.send_header("ETag", '"0123456789"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("Content-Length", "2")
        else:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()

    def log_message(self, *_args):
        """Be silent."""


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """The paths that were asked for of a hub on this machine, which the libraries know as the only one."""
    handler = type("Handler", (Hub,), {"asked": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    use(monkeypatch, f"http://127.0.0.1:{server.server_port}", tmp_path)
    yield handler.asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def no_hub(monkeypatch, tmp_path):
    """No hub answers."""
    use(monkeypatch, "http://127.0.0.1:9", tmp_path)


def use(monkeypatch, address, folder):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder))
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")


def keep(folder, name, *files):
    """Put a model with these files into the cache in a folder."""
    place = folder / f"models--{name.replace('/', '--')}"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("abc")
    (place / "snapshots" / "abc").mkdir(parents=True)
    for file in files:
        (place / "snapshots" / "abc" / file).parent.mkdir(exist_ok=True)
        (place / "snapshots" / "abc" / file).write_text("{}")


def test_model_in_the_cache_is_taken_without_a_question_to_the_hub(hub, tmp_path):
    keep(tmp_path, "team/words", "config.json", "model.safetensors")
    assert is_on_this_machine("team/words")
    assert hub == []


def test_model_with_its_weights_in_a_folder_is_in_the_cache(no_hub, tmp_path):
    keep(tmp_path, "team/words", "config.json", "0_Transformer/model.safetensors")
    assert is_on_this_machine("team/words")


def test_model_whose_weights_were_not_downloaded_is_taken_from_the_hub(hub, tmp_path):
    keep(tmp_path, "team/words", "config.json")
    assert not is_on_this_machine("team/words")


def test_model_without_owner_is_in_the_cache_as_one_of_sentence_transformers(no_hub, tmp_path):
    keep(tmp_path, "sentence-transformers/words", "model.safetensors")
    assert is_on_this_machine("words")


def test_model_that_the_hub_has_is_left_to_it(hub):
    assert not is_on_this_machine("team/words")
    assert hub == ["/team/words/resolve/main/config.json"]


def test_model_that_nobody_has_is_told_so(hub):
    with pytest.raises(LookupError, match=r"^neither this machine nor the model hub has it$"):
        is_on_this_machine("team/other")


@pytest.mark.parametrize("name", ["minilm", "all-minilm-l6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_name_near_that_of_a_bundled_model_names_it(hub, name):
    with pytest.raises(LookupError, match=r"has it; the nearest name of one that it has is all-MiniLM-L6-v2$"):
        is_on_this_machine(name)


def test_hub_that_does_not_answer_is_asked_once(no_hub, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
    with pytest.raises(ModelError, match="this machine does not have it, and no model hub answers"):
        SentenceTransformerEmbedder("team/words", device="cpu").embed_query("x")


def test_reranker_that_is_nowhere_is_told_without_waiting(no_hub, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
    with pytest.raises(ModelError, match=r"The reranker team/judge cannot be loaded \(this machine does not have it"):
        CrossEncoderReranker("team/judge", device="cpu").rerank("x", [SimpleNamespace(breadcrumb=("A",), body="x")])


def test_hub_is_not_asked_where_the_environment_forbids_it(hub, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(LookupError, match="HF_HUB_OFFLINE forbids"):
        is_on_this_machine("team/words")
    assert hub == []


@pytest.mark.parametrize("name", ["/no/such/folder", "./words", "team/words/more", "team--words"])
def test_name_that_no_hub_could_have_is_a_missing_folder(hub, name):
    with pytest.raises(LookupError, match="there is no such folder"):
        is_on_this_machine(name)
    assert hub == []
