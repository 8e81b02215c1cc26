"""Updates of single rows, by the index of ids or by reading all ids."""

import multiprocessing
import resource
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from schema.results import Window
from schema.storage.merging import pays_index
from tests.integration.conftest import MADE

KIB = 1024


@pytest.mark.parametrize(
    ("rows", "size", "count", "is_index"),
    [
        (1, 64 * KIB, 2001, True),
        (1, 64 * KIB, 2000, False),  # a small table is read as fast
        (1, 64 * KIB + 1, 100_000, False),  # 8,192 times its size is more than may be reserved
        (3, 192 * KIB, 100_000, True),  # the mean counts
        (3, 193 * KIB, 100_000, False),
    ],
)
def test_index_of_ids_is_used_for_few_small_rows_of_a_large_table(rows, size, count, is_index):
    assert pays_index(rows, size, count) is is_index


@pytest.mark.process
def test_large_row_is_updated_beside_rows_without_an_index_in_little_memory(table, rows):
    table.add(rows("first.md", "# First\n"))
    table.optimize(force=True)
    (one,) = rows("many.md", "# One\n")
    table.add(
        [
            *rows("long.md", "# Long\n\nwords\n"),
            *(replace(one, section=replace(one.section, id=f"{i:032}")) for i in range(2100)),
        ]
    )
    assert table.statistics().unindexed_rows == 2101
    child = multiprocessing.get_context("spawn").Process(target=_lengthen, args=(table.store_dir,))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert [len(row.embedding.windows) for row in table.stored(["long.md"])] == [12_000]


def _lengthen(store_dir: Path) -> None:
    """Give the only section of `long.md` 12,000 windows; by the index of ids, that would reserve 3 GB."""
    from schema.storage.table import SectionTable

    table = SectionTable.open(store_dir, expected={"model": MADE.model})
    (row,) = table.stored(["long.md"])
    windows, vectors = (Window(0, 1),) * 12_000, np.full((12_000, MADE.dimension), 0.1, np.float32)
    held = next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmSize" in line)
    most = (held << 10) + (2 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    table.update([replace(row, embedding=replace(row.embedding, window_vectors=vectors, windows=windows))])
