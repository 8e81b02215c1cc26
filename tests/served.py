"""`search serve` as a real process, and an index for it that no model had to be loaded for."""

import contextlib
import os
import re
import subprocess
import sys
import time

import numpy as np

from schema.settings import DEFAULT_MODEL
from tests.conftest import WordEmbedder
from tests.http_site import Site


class FakeEmbedder(WordEmbedder):
    """In the place of the default model: its name and its dimension, so that processes may search what it embedded."""

    def __init__(self):
        super().__init__(DEFAULT_MODEL, max_tokens=254)
        self.dimension = 512

    def embed_sections(self, texts):
        return super().embed_sections(texts) if texts else np.zeros((0, 512), np.float32)


@contextlib.contextmanager
def served(project, *args, command="serve", **environment):
    """A server process of the project's index and a client of it."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "search", *command.split(), "--port", "0", "--index", str(project.index_dir), *args],
        cwd=project.home,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            first = process.stderr.readline()
            port = re.search(r"http://127\.0\.0\.1:(\d+)/", first)
            assert port, first + process.stderr.read()
            yield process, Site(int(port[1]))
        finally:
            process.kill()


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.1)
    return value
