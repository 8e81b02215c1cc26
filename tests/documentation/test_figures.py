"""Figures in docs/scaling.md against the result files that they come from."""

import inspect
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import arithmetic  # noqa: E402

PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def test_every_table_of_figures_is_what_the_result_files_give():
    made = arithmetic.tables()
    assert arithmetic.with_tables(PAGE, made) == PAGE, "run `python benchmarks/arithmetic.py --write`"
    assert re.findall(r"<!-- table: (\w+) -->", PAGE) == list(made)


def test_results_that_tables_name_are_committed():
    for name in re.findall(r"`benchmarks/results/([^`]+)`", PAGE):
        assert json.loads((ROOT / "benchmarks" / "results" / name).read_text(encoding="utf-8"))["commit"], name


def test_a_figure_that_changes_in_a_result_changes_in_the_page(tmp_path):
    shutil.copytree(ROOT / "benchmarks" / "results", tmp_path, dirs_exist_ok=True)
    name, result = arithmetic.newest(tmp_path, "fleet")
    result["phases"][0]["errors_but_503"] = 77
    (tmp_path / name).write_text(json.dumps(result), encoding="utf-8")
    assert arithmetic.with_tables(PAGE, arithmetic.tables(tmp_path)) != PAGE


def test_no_question_was_lost_by_a_kill_or_by_a_rolling_restart():
    _, fleet = arithmetic.newest(ROOT / "benchmarks" / "results", "fleet")
    assert (fleet["servers"], fleet["clients"]) == (3, 32)
    assert [phase["errors_but_503"] for phase in fleet["phases"]] == [0, 0, 0]
    assert fleet["phases"][0]["seconds"] >= 30
    assert fleet["index_runs"] > 1
    assert [restart["exit_code"] for restart in fleet["restarts"]] == [0, 0, 0]
    assert [phase["moved_after_a_failed_connection"] for phase in fleet["phases"][1:]] == [0, 0]


@pytest.mark.parametrize(
    ("value", "shown"), [(1234.5, "1,200"), (3.0, "3.0"), (99.6, "100"), (0.567, "0.57"), (10.0, "10"), (12_649, "13,000")]
)
def test_two_digits_are_given(value, shown):
    assert arithmetic.two_digits(value) == shown


def test_arithmetic_is_in_proportion_to_the_sections():
    size = {
        "build": {"sections": 100_000, "cpu_ms_per_section_without_model": 3.6},
        "disk": {"text_bytes": 10**8},
        "optimize": {"index_bytes": 2 * 10**9},
        "warm": {"resident_mb": 1000, "cpu_mean_ms": 500},
    }
    models = [
        {"texts": 300, "sections": 100, "dimension": 512, "cpu_s": 0.36},
        {"texts": 200, "sections": 100, "dimension": 384, "cpu_s": 3.6},
    ]
    rows = {
        cells[0]: cells[1:4]
        for line in arithmetic.arithmetic_table({"sizes": [size]}, {"models": models}).splitlines()
        if (cells := [cell.strip() for cell in line.strip("|").split("|")])
    }
    assert rows["text"] == ["10 GB", "100 GB", "1.0 TB"]
    assert rows["index"] == ["200 GB", "2.0 TB", "20 TB"]
    assert rows["split, write, index"] == ["10 CPU-hours", "100 CPU-hours", "1,000 CPU-hours"]
    assert rows["second model, if all is English"] == ["100 CPU-hours", "1,000 CPU-hours", "10,000 CPU-hours"]
    assert rows["first build on 100 cores"] == ["1.2 hours", "12 hours", "5.0 days"]
    # two windows of 512 + 384 dimensions and a heading of 512, for each section
    assert rows["index of vectors, IVF_SQ"][0] == "23 GB"
    assert rows["the same, IVF_RQ"][0] == "2.9 GB"
    assert rows["the same, IVF_PQ"][0] == "1.4 GB"
    assert rows["indexes of the size that was run"] == ["100", "1,000", "10,000"]
    assert rows["CPU of a question that asks all of them"][0] == "50 s"


def test_cells_are_those_that_the_code_makes():
    from schema.storage import indexes

    assert indexes.CELLS == arithmetic.CELLS


def test_limits_of_a_servers_memory_are_set_where_the_page_says():
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    section = page.partition("## What a server holds in memory\n")[2].partition("\n## ")[0]
    file = ""
    named = {}
    for name, path in re.findall(r"`(\w+)`(?: in `([\w/]+\.py)`|, there)", section):
        file = path or file
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^(?:class )?.*\b{name}\b", text, re.MULTILINE), name
        named[name] = re.search(rf"^(?:.*, )?{name}(?:, \w+)* = (.+)$", text, re.MULTILINE)
    assert named.keys() >= {"LARGE", "INDEX_CACHE_BYTES", "METADATA_CACHE_BYTES", "KEPT_QUERIES", "MAX_CONNECTIONS"}
    told = {name: found[1] for name, found in named.items() if found}
    assert told["LARGE"] == "20_000"
    assert (told["INDEX_CACHE_BYTES"], told["METADATA_CACHE_BYTES"]) == ("256 << 20", "64 << 20")
    assert (told["KEPT_QUERIES"], told["CACHE_SIZE"], told["MAX_CONNECTIONS"]) == ("1024", "128", "128")


def test_seconds_of_stopping_are_those_of_the_code():
    from search.server import run
    from search.server.pool import WorkPool

    assert inspect.signature(WorkPool.__init__).parameters["time_limit"].default == run.LAST_ANSWERS
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    assert f"has {run.LAST_ANSWERS} seconds, the most that an answer may take" in page
    assert f"at most {run.LAST_ANSWERS + run.LAST_WORK} seconds after `--drain`" in page
