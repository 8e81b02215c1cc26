"""The library lancedb, imported without what nobody calls."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
CLIENT = "lance_namespace_urllib3_client"


def run(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_nothing_is_imported_before_it_is_asked_for():
    assert run("import sys, schema.storage.table, indexer.pipeline; print('lancedb' in sys.modules)") == ["False"]


def test_names_that_are_not_taken_from_it_are_missing():
    assert run("from schema.storage import lance; print(hasattr(lance, 'connect'), hasattr(lance, 'col'))") == [
        "False",
        "True",
    ]


def test_calls_of_remote_catalogues_are_not_imported():
    assert run(
        f"import sys; from schema.storage.lance import lancedb; print('{CLIENT}.api' in sys.modules, '{CLIENT}.models' in sys.modules)"
    ) == [
        "False",
        "True",
    ]


def test_whoever_wants_them_gets_them():
    code = (
        f"from schema.storage.lance import lancedb; import {CLIENT} as client\n"
        "print(client.__version__ != '', client.TableApi.__name__)\n"
        f"from {CLIENT} import ApiClient; from {CLIENT}.api import DataApi; import inspect\n"
        f"print(ApiClient is client.ApiClient, DataApi is client.DataApi, type(client).__name__, inspect.getfile(client) != '')"
    )
    assert run(code) == ["True", "TableApi", "True", "True", "module", "True"]


def test_missing_names_are_missing():
    code = f"from schema.storage.lance import lancedb; import {CLIENT} as client\nprint(hasattr(client, '__wrapped__'), hasattr(client, 'Nothing'))"
    assert run(code) == ["False", "False"]


def test_classes_of_others_are_built_and_their_methods_checked_as_before():
    code = (
        "from pydantic import BaseModel; from schema.storage.lance import lancedb\n"
        "class Own(BaseModel): number: int\n"
        "from overrides import override\n"
        "print(BaseModel.model_config, Own.__pydantic_complete__, override.__module__)"
    )
    pytest.importorskip("overrides", reason="lancedb has it before Python 3.12 alone")
    assert run(code) == ["{}", "True", "overrides.overrides"]


def test_one_that_was_imported_before_stays():
    assert run(
        f"import {CLIENT} as client; from schema.storage.lance import lancedb; print(type(client).__name__, client.TableApi.__name__)"
    ) == [
        "module",
        "TableApi",
    ]


@pytest.mark.parametrize("kind", ["IvfSq", "IvfRq"])
def test_index_of_equal_vectors_tells_nothing_on_the_terminal(tmp_path, kind):
    code = (
        "import pyarrow as pa\n"
        f"from schema.storage.lance import {kind}, lancedb\n"
        "rows = pa.table({'v': pa.array([[1.0] * 8] * 400, pa.list_(pa.float32(), 8))})\n"
        f"table = lancedb.connect({str(tmp_path)!r}).create_table('t', rows)\n"
        f"table.create_index('v', config={kind}(num_partitions=16))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
