"""An index that several processes made: the same table as one process makes, also where a process was killed."""

import os
import signal
import sys
import threading
from dataclasses import dataclass, fields, replace
from multiprocessing.spawn import get_preparation_data

import numpy as np
import pytest

import indexer.sync.embedding
import indexer.workers.pool
from indexer.sync.jobs import EmbedAgain, EmbedRows, Tools, WorkerSetup, who_works
from indexer.workers.base import Packed
from indexer.workers.processes import ProcessWorker
from schema.errors import ModelError, SettingsError, WorkersError
from schema.index_files.manifest import Manifest
from schema.settings import Settings, load_settings
from tests.conftest import Project, WordEmbedder


@pytest.fixture
def many_jobs(monkeypatch):
    """Every file and every section is a job that is sent alone."""
    monkeypatch.setattr(indexer.workers.pool, "SENT_BYTES", 1)
    monkeypatch.setattr(indexer.sync.embedding, "PORTION_TOKENS", 0)


def facts(project):
    """What must be the same in every index of the same files: ids, contents and all that is made of them but times."""
    return {
        identity: (row.section.content, row.section.is_dirty, row.terms, row.language, row.prose_below, row.front_matter)
        for identity, row in project.stored().items()
    }


def vectors(project):
    found = {identity: row.embedding for identity, row in project.stored().items()}
    return {identity: np.vstack([each.vector, each.window_vectors]) for identity, each in found.items() if each is not None}


def assert_same(one, other):
    assert facts(one) == facts(other)
    left, right = vectors(one), vectors(other)
    assert left.keys() == right.keys()
    assert all(np.allclose(left[each], right[each], atol=1e-5) for each in left)


def write_files(project, count=12):
    for number in range(count):
        text = f"# Page {number}\n\nwidget {number}\n\n## Part\n\ncrank {'very ' * number}long\n"
        project.write(f"docs/{number:02}.md", text)
    project.write("docs/front.md", "---\ntitle: Front\ndate: 2024-01-01\n---\n# 検索\r\n\r\n全文を検索する。\r\n")


class KilledOnce(WordEmbedder):
    """Ends its process within the work, the first time in all processes; `path` notes that it did."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def embed_sections(self, texts):
        if any("widget 7" in text for text in texts):
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_sections(texts)


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_two_processes_make_the_same_index_as_one_although_one_is_killed(tmp_path, many_jobs):
    here, there = Project(tmp_path / "here", WordEmbedder()), Project(tmp_path / "there", KilledOnce(tmp_path / "killed"))
    for project in (here, there):
        write_files(project)
    alone = here.index()
    together = there.index(settings=Settings(workers=2))
    assert (tmp_path / "killed").exists()
    assert_same(here, there)
    assert there.embedder.embedded == []
    assert alone.to_dict() | {"timings": 0} == together.to_dict() | {"timings": 0}


@pytest.mark.process
def test_a_worker_that_ends_as_it_starts_is_noticed_however_large_its_setup_is(tmp_path, monkeypatch):
    (tmp_path / "main.py").write_text("import os\nos._exit(3)\n")  # as a script that begins its work when it is imported
    data = {**get_preparation_data("worker"), "init_main_from_path": str(tmp_path / "main.py")}
    data.pop("init_main_from_name", None)
    monkeypatch.setattr("multiprocessing.spawn.get_preparation_data", lambda name: data)
    made = []
    thread = threading.Thread(target=lambda: made.append(ProcessWorker(Packed(b"x" * 1_000_000), 1)), daemon=True)
    thread.start()
    thread.join(30)
    [worker] = made
    error = worker.ready.exception(30)
    assert worker.why_lost(error) == "a worker process ended with exit status 3"
    worker.stop()


@dataclass
class Broken(WordEmbedder):
    """A model that cannot be loaded."""

    name = "words-32"
    dimension = 32
    max_tokens = 24

    def token_spans(self, texts):
        raise ModelError("The model x cannot be loaded; give a folder.")


@pytest.mark.process
def test_a_model_that_a_worker_cannot_load_ends_the_run_and_the_next_goes_on(manual, many_jobs):
    settings = Settings(workers=2)
    with pytest.raises(ModelError, match="The model x cannot be loaded"):
        manual.index(embedder=Broken(), settings=settings)
    assert len(manual.headings(dirty=True)) == 9
    assert manual.index().sections_embedded == 9


def test_an_interrupted_end_of_the_workers_does_not_keep_the_index_open(manual, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    def close(manifest):
        closed.append(manifest)
        real(manifest)

    closed, real = [], Manifest.close
    monkeypatch.setattr("indexer.workers.base.Here.close", interrupted)
    monkeypatch.setattr(Manifest, "close", close)
    with pytest.raises(KeyboardInterrupt):
        manual.index()
    assert closed


def test_an_embedder_that_cannot_be_sent_is_refused_with_a_sentence(manual):
    manual.embedder.lock = threading.Lock()
    with pytest.raises(WorkersError, match=r"cannot be sent to other processes .*; use one worker"):
        manual.index(settings=Settings(workers=2))


def test_one_changed_file_starts_no_process(manual):
    manual.index()
    manual.write("docs/sub/notes.md", "# Other\n\nother words\n")
    assert manual.index(settings=Settings(workers=8)).sections_embedded == 1


def test_rows_are_sent_without_what_no_model_reads(manual):
    manual.index()
    rows = [row for row in manual.stored().values() if row.embedding is not None]
    job = EmbedRows.of(rows, manual.embedder)
    assert {(row.embedding, row.terms, len(row.front_matter)) for row in job.rows} == {(None, None, 0)}
    again = EmbedAgain.of(rows, manual.embedder)
    assert [row.embedding.windows for row in again.rows] == [row.embedding.windows for row in rows]
    assert {row.embedding.window_vectors.size for row in again.rows} == {0}


def test_keys_are_not_sent_to_a_cluster(monkeypatch):
    sent = []
    monkeypatch.setattr("indexer.sync.jobs.workers_of", lambda *_, setup, **__: sent.append(setup.settings))
    keys = [field.name for field in fields(Settings) if not field.repr]
    settings = Settings(**dict.fromkeys(keys, "a key of sixteen characters"))
    who_works(replace(settings, cluster="ray"), WordEmbedder())
    who_works(replace(settings, workers=2), WordEmbedder())
    assert [{name for name in keys if getattr(each, name)} for each in sent] == [set(), {"embedding_api_key"}]
    assert len(keys) >= 3


def test_the_folder_of_a_model_is_found_by_workers_in_another_folder(tmp_path, monkeypatch):
    sent = []
    monkeypatch.setattr("indexer.sync.jobs.workers_of", lambda *_, setup, **__: sent.append(setup.settings.model))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    for model in ("mine", "use-multilingual-v3+mine", "all-MiniLM-L6-v2", "use-multilingual-v3", "other/name"):
        who_works(Settings(model=model, workers=2), WordEmbedder())
    folder = str(tmp_path / "mine")
    assert sent == [
        folder,
        f"use-multilingual-v3+{folder}",
        "all-MiniLM-L6-v2",
        "use-multilingual-v3",
        "other/name",
    ]


def test_a_cluster_beside_an_embedding_server_is_refused():
    settings = Settings(cluster="ray", embedding_base_url="http://127.0.0.1:1/v1", embedding_model="x")
    with pytest.raises(SettingsError, match="not with the server of embedding_base_url; use --workers"):
        who_works(settings, None)


def test_a_worker_has_the_tools_that_its_setup_names(make_embedder, monkeypatch):
    monkeypatch.setattr("indexer.sync.jobs.use_cores", lambda cores: None)
    tools = WorkerSetup(Settings(), make_embedder("mine")).tools(1)
    assert isinstance(tools, Tools)
    assert (tools.embedder.name, len(tools.splitter.split("# A\n\n# B\n", "a.md"))) == ("mine", 2)


@pytest.mark.parametrize("value", ["ray", "ray://head:10001", "10.0.0.1:6379", "[::1]:6379"])
def test_addresses_of_a_cluster(tmp_path, value):
    assert load_settings(tmp_path, environ={"SECTIONARY_CLUSTER": value}).cluster == value


@pytest.mark.parametrize("value", ["dask", "auto", "http://head:1", "ray://", "head", "ray://head:1/x?y", "a b:1"])
def test_other_texts_are_no_address_of_a_cluster(tmp_path, value):
    with pytest.raises(SettingsError, match="The setting cluster must be ray or an address"):
        load_settings(tmp_path, environ={"SECTIONARY_CLUSTER": value})


@pytest.mark.parametrize(("name", "value"), [("workers", "8"), ("cluster", '"ray://evil.example:10001"')])
def test_a_project_cannot_choose_who_works(tmp_path, name, value):
    (tmp_path / "sectionary.toml").write_text(f"{name} = {value}\n")
    with pytest.raises(SettingsError, match=f"The setting {name} .* is a user's, not a project's"):
        load_settings(tmp_path, environ={})
