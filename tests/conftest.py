"""Shared fixtures: an embedder that needs no model, and small projects on disk."""

import contextlib
import functools
import gc
import hashlib
import os
import pkgutil
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import settings

SAMPLES = Path(__file__).resolve().parents[1] / "sample_docs"

#: A file system in memory: tests make hundreds of small indexes, and most of their time would be waiting for a disk.
MEMORY = Path("/dev/shm")


def pytest_configure():
    """Forget the developer's own settings, and put files into memory where there is room, unless TMPDIR names a place.

    Until the tests are known, objects are made that stay: looking through them for garbage took two fifths of that time.
    """
    gc.disable()
    for name in [name for name in os.environ if name.startswith("SECTIONARY_") and name != "SECTIONARY_SCREENSHOTS"]:
        del os.environ[name]
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4e9:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def pytest_collection_finish():
    """Leave the thousands of tests out of what is looked through for garbage from now on."""
    gc.collect()
    gc.freeze()
    gc.enable()


#: What a test without the marker of this name must not do, and where that is noticed.
_GUARDED = {
    "process": ("subprocess.Popen", "multiprocessing.process.BaseProcess"),
    "model": (
        "indexer.models.embedder.SentenceTransformerEmbedder",
        "indexer.models.multilingual.embedder.MultilingualEmbedder",
    ),
}
#: A program that is no process of the test's own: ctypes asks it for the place of a library, as a CUDA build of torch has it do.
_LOOKUP = "/sbin/ldconfig"
#: The test that runs now; none between tests.
_running = []


def _guard(marker, owner, method):
    """Let a call fail in a test that has not the marker, so that `make test-fast` keeps its promise."""
    real = getattr(owner, method)

    @functools.wraps(real)
    def guarded(*args, **given):
        is_lookup = any(isinstance(one, list) and one[:1] == [_LOOKUP] for one in args)
        if (
            _running
            and not is_lookup
            and not any(map(_running[-1].get_closest_marker, (marker, "browser", "llm", "cluster")))
        ):
            pytest.fail(f"mark this test with @pytest.mark.{marker}: it uses {owner.__name__}")
        return real(*args, **given)

    setattr(owner, method, guarded)


for _marker, _owners in _GUARDED.items():
    for _owner in _owners:
        _guard(_marker, pkgutil.resolve_name(_owner), "start" if _owner.endswith("BaseProcess") else "__init__")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """Note which test runs, with its fixtures."""
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.pop()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Begin with the files of long tests, so that processes that run a file each end together; chance orders the rest."""
    long = {item.path for item in items if any(map(item.get_closest_marker, ("slow", "process", "model")))}
    items.sort(key=lambda item: item.path not in long)


@contextlib.contextmanager
def _shared_by_tests():
    """Let a fixture of the session do what its first test by chance is not marked for."""
    held = _running[:]
    _running.clear()
    try:
        yield
    finally:
        _running[:] = held


# shared machines stall at times, and the first example may load a vocabulary: time is no property of these modules
settings.register_profile("sectionary", deadline=None)
settings.load_profile("sectionary")


@pytest.fixture(scope="session", autouse=True)
def config_dir(tmp_path_factory):
    """The folder of the user's own settings and of what the user allowed, also for the processes that tests start."""
    folder = tmp_path_factory.mktemp("config")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTIONARY_CONFIG_DIR", str(folder))
        patch.setenv("SECTIONARY_STATE_DIR", str(folder / "state"))
        yield folder


@pytest.fixture(scope="session")
def common_dir(tmp_path_factory):
    """A folder for what takes long to make, shared by all processes that run tests."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def sample_manual(common_dir, config_dir, cache_dir):
    """A folder with `sample_docs`, indexed with the real model; to be read, or copied before it is changed."""
    from indexer import Indexer

    home = common_dir / "sample_manual"
    with FileLock(common_dir / "sample_manual.lock"):
        if not home.exists():
            shutil.copytree(SAMPLES, home / "sample_docs")
            with _shared_by_tests():
                report = Indexer(home / ".sectionary", root=home).index(home / "sample_docs")
            assert report.failed == []
    return home


@pytest.fixture(scope="session", autouse=True)
def cache_dir(common_dir):
    """The folder for models' graphs, also of the processes that tests start: nothing of the user's is touched."""
    import schema.cache_folder

    folder = common_dir / "cache" / "sectionary"
    folder.mkdir(exist_ok=True, parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECTIONARY_CACHE_DIR", str(folder))
        patch.setenv("XDG_CACHE_HOME", str(folder.parent))  # of processes that read no environment for their settings
        patch.setattr(schema.cache_folder, "user_cache", lambda: folder)
        yield folder


def word_settings(**changes):
    """The settings of commands over an index that `WordEmbedder` made."""
    from schema.settings import Settings

    return Settings(**{"model": "words-32", **changes})


class WordEmbedder:
    """A function of its input: each word pushes one of 32 directions; keeps what it was given."""

    def __init__(self, name="words-32", max_tokens=24):
        self.name = name
        self.dimension = 32
        self.max_tokens = max_tokens
        self.embedded = []

    def token_spans(self, texts):
        return [[m.span() for m in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]

    def coverage(self, text):
        letters = [c for c in text if c.isalpha()]
        return sum(c.isascii() for c in letters) / len(letters) if letters else 1.0

    def embed_sections(self, texts):
        self.embedded.extend(texts)
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, 32), np.float32)

    def embed_query(self, text):
        return self._vector(text)

    def _vector(self, text):
        vector = np.full(self.dimension, 0.01, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            vector[hashlib.sha256(word.encode()).digest()[0] % self.dimension] += 1
        return vector / np.linalg.norm(vector)


@pytest.fixture
def make_embedder():
    return WordEmbedder


@pytest.fixture
def embedder():
    return WordEmbedder()


class Project:
    """A folder with documents, and short ways to index and search it with the word embedder."""

    def __init__(self, home: Path, embedder):
        self.home = home
        self.embedder = embedder
        self.index_dir = home / ".sectionary"

    def write(self, path, text):
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def indexer(self, **options):
        from indexer import Indexer

        return Indexer(self.index_dir, root=self.home, embedder=options.pop("embedder", self.embedder), **options)

    def index(self, *paths, **options):
        return self.indexer(**options).index(*[self.home / p for p in paths or ("docs",)])

    def stored(self):
        """Every row of the index, by id."""
        from schema.index_files.layout import store_dir
        from schema.storage.table import SectionTable

        table = SectionTable.open(store_dir(self.index_dir))
        return {row.section.id: row for row in table.stored(sorted(table.paths()))}

    def headings(self, *, dirty=None):
        """The headings of all sections, sorted, or of those that are dirty, or are not."""
        sections = [row.section for row in self.stored().values()]
        return sorted(each.heading for each in sections if dirty is None or each.is_dirty == dirty)

    def engine(self, **options):
        from search import SearchEngine

        return SearchEngine(self.index_dir, embedder=options.pop("embedder", self.embedder), **options)


@pytest.fixture
def project(tmp_path, embedder):
    return Project(tmp_path, embedder)


@pytest.fixture(scope="session")
def copied(tmp_path_factory):
    """Fills a project with what a function writes and indexes in one, which is done once for all tests."""
    from schema.index_files.layout import claim
    from schema.index_files.roots import trust_roots

    made = {}

    def copy(make, project):
        if make not in made:
            made[make] = Project(tmp_path_factory.mktemp(make.__name__), WordEmbedder())
            make(made[make])
            (made[make].index_dir / "identity").unlink()  # so that each copy is an index of its own
        shutil.copytree(made[make].home, project.home, dirs_exist_ok=True, symlinks=True)
        assert claim(project.index_dir)
        trust_roots(project.index_dir)
        return project

    return copy


GUIDE = """---
title: The Guide
tags: [guide, API]
---
# Guide

Welcome to the widget guide.

## Install

Put the widget into the frame and turn the crank.

### Linux

Penguins need a special crank.

## Empty parent

### First child

Apples are red.

### Second child

Bananas are yellow.
"""
NOTES = (
    "Loose words before any heading.\n\n# 検索エンジン\n\n全文を検索する仕組みです。\n\n# 검색 안내\n\n문서를 검색합니다.\n"
)


@pytest.fixture
def manual(project):
    write_manual(project)
    return project


def write_manual(project):
    project.write("docs/guide.md", GUIDE)
    project.write("docs/sub/notes.md", NOTES)


@pytest.fixture
def indexed_manual(project, copied):
    """The manual with its index."""
    return copied(index_manual, project)


def index_manual(project):
    write_manual(project)
    project.index()


@pytest.fixture
def search_command(monkeypatch, capsys):
    """Runs the command `search` in this process: arguments → exit status, standard output, standard error."""
    from search.cli import main

    def run(*args):
        monkeypatch.setattr("sys.argv", ["search", *args])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capsys.readouterr()
        return int(code), out, err

    return run


@pytest.fixture
def command_in(monkeypatch, search_command):
    """Gives what runs `search` in the folder of a project, with its embedder."""

    def enter(project):
        monkeypatch.chdir(project.home)
        monkeypatch.setattr("search.engine.embedder_of", lambda _settings: project.embedder)
        return search_command

    return enter


@pytest.fixture
def deep_folders():
    """Makes so many folders in each other below a place, deeper than any path may be long, with a document in each."""
    if os.mkdir not in os.supports_dir_fd:
        pytest.skip("needs paths that are relative to an open folder")
    made = []

    def stepped(here, to):
        there = os.open(to, os.O_RDONLY, dir_fd=here)
        os.close(here)
        return there

    def make(place, depth, name="d"):
        here = os.open(place, os.O_RDONLY)
        for level in range(depth):
            os.mkdir(name, dir_fd=here)
            here = stepped(here, name)
            with os.fdopen(os.open("a.md", os.O_WRONLY | os.O_CREAT, dir_fd=here), "w") as stream:
                stream.write(f"# Level {level + 1}\n")
        made.append((here, depth, name))

    yield make
    for lowest, depth, name in made:
        here = lowest
        for _ in range(depth):  # what removes folders would call itself as often
            os.unlink("a.md", dir_fd=here)
            here = stepped(here, "..")
            os.rmdir(name, dir_fd=here)
        os.close(here)
