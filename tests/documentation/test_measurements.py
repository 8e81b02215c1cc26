"""Figures in docs/measurements.md, docs/retrieval-log.md and the README's first table against their result files."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import arithmetic  # noqa: E402
import measurements  # noqa: E402

PAGES, NAMES = (measurements.PAGE, measurements.README, measurements.RETRIEVAL), ("page", "readme", "retrieval")


@pytest.mark.parametrize("number", range(3), ids=NAMES)
def test_tables_are_what_the_result_files_give(number):
    page = PAGES[number].read_text(encoding="utf-8")
    made = measurements.tables()[number]
    assert arithmetic.with_tables(page, made) == page, "run `python benchmarks/measurements.py --write`"
    assert re.findall(r"<!-- table: (\w+) -->", page) == list(made)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_results_that_a_page_names_are_committed_with_their_commit(page):
    names = re.findall(r"`benchmarks/results/([^`]+)`", page.read_text(encoding="utf-8"))
    assert names
    for name in names:
        assert json.loads((ROOT / "benchmarks" / "results" / name).read_text(encoding="utf-8"))["commit"], name


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("quality", lambda result: result["questions"][0].update({"S@1": 0.123})),
        ("freshness", lambda result: result["unchanged"].update(cpu_s=99.0)),
    ],
)
def test_a_figure_that_changes_in_a_result_changes_in_both_pages(tmp_path, kind, change):
    shutil.copytree(ROOT / "benchmarks" / "results", tmp_path, dirs_exist_ok=True)
    name, result = arithmetic.newest(tmp_path, kind)
    change(result)
    (tmp_path / name).write_text(json.dumps(result), encoding="utf-8")
    for before, after in list(zip(measurements.tables(), measurements.tables(tmp_path), strict=True))[:2]:
        assert before != after


def test_a_step_in_bold_is_one_whose_interval_leaves_out_zero():
    whole = {"nDCG@10": 0.9}
    assert measurements.change({"nDCG@10": 0.88, "bounds": [-0.04, -0.001]}, whole) == "**−.020**"
    assert measurements.change({"nDCG@10": 0.91, "bounds": [-0.001, 0.02]}, whole) == "+.010"
    assert measurements.change({"nDCG@10": 0.9, "bounds": [0.0, 0.0]}, whole) == "·"


def test_each_set_of_questions_has_the_figures_of_the_newest_run_that_asked_it(tmp_path):
    def run(date, **sets):
        found = [
            {"name": name, "questions": 1, "as it is": {"nDCG@10": score}, "variants": {}} for name, score in sets.items()
        ]
        (tmp_path / f"ablation-{date}.json").write_text(json.dumps({"date": date, "sets": found}), encoding="utf-8")

    run("2026-01-01", scifact=0.1, **{"rust-book": 0.2})
    run("2026-01-02", **{"rust-book": 0.3})
    sets, files = measurements.newest_sets(tmp_path)
    assert [(one["name"], one["as it is"]["nDCG@10"]) for one in sets] == [("scifact", 0.1), ("rust-book", 0.3)]
    assert [name for name, _ in files] == ["ablation-2026-01-02.json", "ablation-2026-01-01.json"]


def test_a_variant_that_a_set_was_not_asked_with_is_a_dash():
    whole = {"nDCG@10": 0.2}
    variant = {"nDCG@10": 0.2, "bounds": [0.0, 0.0], "of": whole}
    new, old = (
        {"questions": 1, "as it is": whole, "variants": names}
        for names in ({"no names": variant, "no links": variant}, {"no names": variant})
    )
    assert measurements.step_rows([old, new])[2:] == [["no names", "·", "·"], ["no links", "–", "·"]]


def test_a_variant_that_a_newer_run_left_out_keeps_its_figures_over_those_of_its_own_run(tmp_path):
    def run(date, whole, **variants):
        figures = {name: {"nDCG@10": score, "bounds": [-0.1, 0.2]} for name, score in variants.items()}
        found = [{"name": "scifact", "questions": 1, "as it is": {"nDCG@10": whole}, "variants": figures}]
        (tmp_path / f"ablation-{date}.json").write_text(json.dumps({"date": date, "sets": found}), encoding="utf-8")

    run("2026-01-01", 0.5, **{"no names": 0.4, "no links": 0.3})
    run("2026-01-02", 0.6, **{"no links": 0.7})
    sets, files = measurements.newest_sets(tmp_path)
    assert measurements.step_rows(sets)[1:] == [["**as it is**", ".600"], ["no names", "−.100"], ["no links", "+.100"]]
    assert len(files) == 2


def test_every_set_of_questions_that_is_asked_has_a_name():
    import quality

    assert {name for sets in quality.QUESTIONS.values() for name in sets} == set(measurements.SETS)
    assert set(quality.DATASETS) == set(measurements.DATASETS)
