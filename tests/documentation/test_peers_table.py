"""The tables of the peers in README and docs hold what the committed file of results holds, and nothing else."""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from benchmarks.peers.table import NOTHING, block_of, markdown, newest, readme

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"docs/peers.md": markdown, "README.md": readme}
RESULT = newest()


@pytest.fixture(scope="module")
def result():
    if RESULT is None:
        pytest.skip("no result of the peers is committed")
    return json.loads(RESULT.read_text(encoding="utf-8"))


def block(name):
    return block_of((ROOT / name).read_text(encoding="utf-8"))


def numbers_in(value):
    """Every number of a result, as texts with none to three digits behind the point."""
    if isinstance(value, dict):
        return set().union(*map(numbers_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(numbers_in, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return set()
    return {format(value, f"{comma}.{digits}f") for comma, digits in product(("", ","), range(4))}


@pytest.mark.parametrize("name", PAGES)
def test_the_block_is_what_the_command_makes_of_the_result(name, result):
    assert block(name) == PAGES[name](result).strip(), "run `python -m benchmarks.peers.table`"


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_of_a_table_stands_in_the_result(name, result):
    known = numbers_in(result)
    rows = [line for line in block(name).splitlines() if line.startswith("| ")]
    cells = [cell.strip() for row in rows for cell in row.strip("| ").split(" | ")[1:]]
    figures = {figure for cell in cells for figure in re.findall(r"(?<![@\w.])\d[\d,]*(?:\.\d+)?", cell.replace(", ", " "))}
    assert rows
    assert figures - known - {NOTHING} == set()


@pytest.mark.parametrize("name", PAGES)
def test_no_block_stands_without_a_result(name):
    assert RESULT is not None or not block(name)
