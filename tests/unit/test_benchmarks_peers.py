"""The parts of benchmarks/peers that start nothing: files and questions, chunks → sections, ratios, tables, the chart."""

import importlib.util
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks.peers import corpora, scoring, table
from benchmarks.peers.bars import chart
from benchmarks.peers.catalog import PEERS
from benchmarks.peers.environments import why
from benchmarks.peers.figures import FIGURES, paired, summarize
from benchmarks.peers.measuring import percentile
from benchmarks.peers.processes import FailedError, StoppedError, process, run
from indexer.splitter import MarkdownSplitter

PEERS_FOLDER = Path(corpora.__file__).parent
TEXT = """Before any heading.

# Buffers

A buffer holds batches.

```sh
# no heading
```

## Flush a buffer

Call `flush`   when the
gateway answers.

#### Deep

Part of the flush.

## Empty
"""
START = {"Buffers": 3, "Flush a buffer": 11, "Empty": 20}


@pytest.fixture(scope="module")
def interface():
    spec = importlib.util.spec_from_file_location("interface", PEERS_FOLDER / "workers" / "interface.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def file():
    sections = MarkdownSplitter().split(TEXT, "a.md")
    return scoring.FileText(TEXT, [(one.start_line, one.depth) for one in sections])


# -- chunks and sections


def test_a_chunk_lies_in_the_section_of_its_first_character(file):
    hits = [
        {"path": "a.md", "text": "## Flush a buffer\n\nCall `flush` when the gateway"},
        {"path": "a.md", "text": "Part of the flush.\n\n## Empty"},
        {"path": "a.md", "text": "# Buffers\n\nA buffer"},
        {"path": "a.md", "text": "Before any heading."},
    ]
    assert scoring.section_keys(hits, {"a.md": file}) == [("a.md", 11), ("a.md", 3), ("a.md", None)]


def test_a_chunk_is_found_whose_spaces_were_changed(file):
    assert file.line_of("Call   `flush` when\n\nthe gateway") == 13


def test_a_line_that_the_peer_tells_is_taken(file):
    assert scoring.section_keys([{"path": "a.md", "line": 8, "text": "elsewhere"}], {"a.md": file}) == [("a.md", 3)]


def test_a_chunk_that_stands_nowhere_takes_a_rank_and_meets_no_section(file):
    hits = [{"path": "a.md", "text": "invented"}, {"path": "a.md", "line": 20}]
    assert scoring.section_keys(hits, {"a.md": file}) == [("a.md", -1), ("a.md", START["Empty"])]


def test_hits_in_unknown_files_are_left_out_of_sections(file):
    assert scoring.section_keys([{"path": "b.md", "line": 1}], {"a.md": file}) == []


def test_files_of_hits_count_once():
    assert scoring.file_keys([{"path": "a"}, {"path": "b"}, {"path": "a"}]) == ["a", "b"]


# -- quality


def test_the_answer_at_the_first_rank_is_perfect():
    assert scoring.score([("a", 1), ("b", 2)], {("a", 1): 2}) == (1.0, 1.0)


def test_an_acceptable_section_first_is_no_success_but_has_gain():
    first, gain = scoring.score([("b", 2), ("a", 1)], {("a", 1): 2, ("b", 2): 1})
    assert first == 0.0
    assert gain == pytest.approx((1 + 3 / 1.58496) / (3 + 1 / 1.58496), abs=1e-4)


def test_only_ten_hits_count():
    assert scoring.score([*range(10), "gold"], {"gold": 2}) == (0.0, 0.0)


def test_a_file_has_the_best_grade_of_its_sections():
    assert scoring.of_files({("a", 1): 1, ("a", 9): 2, ("b", None): 1}) == {"a": 2, "b": 1}


# -- files and questions


def test_files_with_answers_are_always_taken_and_others_up_to_the_limit():
    sizes = {"gold.md": 900, "a.md": 200, "b.md": 60, "c.md": 60}
    chosen = corpora.choose(sizes, {"gold.md", "gone.md"}, 1000)
    assert "gold.md" in chosen
    assert "a.md" not in chosen
    assert len(chosen) == 2


def test_without_a_limit_all_files_are_taken():
    assert corpora.choose({"b": 1, "a": 5}, set(), 0) == ["a", "b"]


def test_questions_without_an_answer_in_the_files_are_left_out(tmp_path):
    def line(path, heading, grade):
        return json.dumps({"query": path, "gold": [{"path": path, "heading": heading, "start_line": 4, "grade": grade}]})

    questions = tmp_path / "q.jsonl"
    questions.write_text(
        "\n".join([line("a.md", "A", 2), line("a.md", None, 2), line("b.md", "B", 2), line("a.md", "C", 1), ""])
    )
    assert [one.gold for one in corpora.read_questions(questions, ["a.md"])] == [{("a.md", 4): 2}, {("a.md", None): 2}]
    assert corpora.gold_paths(questions) == {"a.md", "b.md"}


def test_hidden_files_and_links_are_no_part_of_a_corpus(tmp_path, tree):
    tree.write("docs/a.md")
    tree.write("docs/.github/b.md")
    tree.write("other/c.md")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "other" / "c.md")
    assert corpora.sizes_under(tmp_path, "docs/") == {"docs/a.md": 4}


def test_an_edit_adds_a_line_below_the_heading_in_the_middle():
    made = corpora.edited(TEXT, "Turnips grow.")
    assert "## Flush a buffer\n\nTurnips grow.\n\nCall" in made
    assert made.replace("\nTurnips grow.\n", "") == TEXT


@pytest.mark.parametrize(("text", "made"), [("words", "words\nX\n"), ("# A", "# A\n\nX\n"), ("", "\nX\n")])
def test_an_edit_of_a_text_without_end_or_heading(text, made):
    assert corpora.edited(text, "X") == made


# -- what adapters share


def test_parts_begin_at_headings_outside_of_code(interface):
    assert [(part.line, part.heading) for part in interface.parts_of(TEXT)] == [
        (1, ""),
        (3, "Buffers"),
        (11, "Flush a buffer"),
        (20, "Empty"),
    ]
    assert "".join(part.text for part in interface.parts_of(TEXT)) == TEXT


def test_pieces_keep_the_text_and_their_lines(interface):
    part = interface.Part(5, "A", "one\ntwo\n" + "x" * 25 + "\nend\n")
    pieces = list(interface.cut(part, 10))
    assert "".join(piece.text for piece in pieces) == part.text
    assert [piece.line for piece in pieces] == [5, 7, 7, 7]
    assert max(len(piece.text) for piece in pieces) <= 10


def test_digests_tell_changed_and_removed_files(interface, tree):
    docs, store = tree.root / "docs", tree.root / "store"
    for name in ("a", "b", "c"):
        tree.write(f"docs/{name}.md", name)
    store.mkdir()
    digests = interface.Digests(store)
    assert [path for path, _ in digests.changes(docs)[0]] == ["a.md", "b.md", "c.md"]
    digests.save()
    (docs / "a.md").write_text("other")
    (docs / "b.md").unlink()
    new, old = interface.Digests(store).changes(docs)
    assert [path for path, _ in new] == ["a.md"]
    assert old == ["a.md", "b.md"]


def test_every_peer_has_what_it_needs_or_cannot_run():
    for entry in PEERS:
        adapter = PEERS_FOLDER / "adapters" / (entry.adapter or f"{entry.name}.py")
        requirements = PEERS_FOLDER / "requirements" / f"{entry.environment}.txt"
        assert adapter.is_file() or entry.name == "haiku_rag"
        assert not entry.environment or all("==" in line for line in requirements.read_text().split("\n") if line)


def test_the_reason_of_an_installer_is_its_errors():
    said = "WARNING: old\nERROR: No matching distribution found for haiku-rag-slim==0.101.1\nhint"
    assert why(said) == "ERROR: No matching distribution found for haiku-rag-slim==0.101.1"
    assert why("") == "no message"


# -- figures and tables


def repeat(peer, number, seconds, **more):
    return {
        "corpus": "book", "peer": peer, "repeat": number,
        "index": {"wall_s": seconds, "cpu_s": 2 * seconds, "peak_mb": 100.0}, "disk_mb": 3.0,
        "unchanged": {"wall_s": 1.0}, "edit": {"wall_s": 2.0, "found": True}, "cold": {"wall_s": 0.5},
        "warm": {"p50_ms": 12.0, "p95_ms": 30.0}, "running": {"unchanged_s": 0.0, "edit_s": 0.25, "peak_mb": 90.0}, **more,
    }  # fmt: skip


def result_of(runs):
    scores = {"sections": {"S@1": 0.5, "nDCG@10": 0.625}, "files": {"S@1": 0.75, "nDCG@10": 0.875}}
    runs[0]["quality"] = {"hybrid": {"asked": {"questions": 4, **scores}}}
    return {
        "date": "2026-11-23T10:00:00+00:00", "commit": "0123456789abcdef",
        "machine": {"processor": "CPU", "cores": 2, "python": "3.11.7"},
        "titles": {entry.name: entry.title for entry in PEERS},
        "unavailable": {"haiku_rag": "ERROR: needs `3.12`\nmore"},
        "corpora": {"book": {"files": 5, "bytes": 1_500_000, "sections": 40, "questions": {"asked": 4}}},
        "runs": runs, "summary": summarize(runs),
    }  # fmt: skip


RUNS = [repeat("sectionary", 0, 2.0), repeat("bare", 0, 6.0), repeat("sectionary", 1, 4.0), repeat("bare", 1, 8.0)]


def test_ratios_are_of_the_same_repeat():
    assert paired(RUNS[1::2], RUNS[0::2], "index_wall_s") == {"median": 2.5, "min": 2.0, "max": 3.0}


def test_a_repeat_that_was_stopped_has_no_ratio():
    stopped = {"corpus": "book", "peer": "bare", "repeat": 0, "stopped": "index: late"}
    assert paired([stopped], RUNS, "index_wall_s") is None
    assert summarize([RUNS[0], stopped])["medians"]["book"]["bare"] == dict.fromkeys(FIGURES)


def test_a_figure_of_nothing_has_no_ratio():
    assert paired(RUNS[1::2], RUNS[0::2], "running_unchanged_s") is None


def test_medians_are_over_repeats():
    assert summarize(RUNS)["medians"]["book"]["bare"]["index_cpu_s"] == 14.0


def test_tables_show_the_figures_and_the_reasons():
    result = result_of([dict(run) for run in RUNS])
    told = table.markdown(result)
    assert "| Sectionary, default settings | 3.00 | 6.00 |" in told
    assert "| Sectionary, default settings | hybrid | 0.500, 0.625 | 0.750, 0.875 |" in told
    assert "2.50 (2.00 – 3.00)" in told
    assert "* haiku.rag: `ERROR: needs '3.12' more`" in told
    assert "| Sectionary, default settings | 3.00 | 1.00 | 2.00 | 0.50 | 12.0 | 100 | 0.500, 0.625 |" in table.readme(result)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.00"), (0.0123, "0.012"), (1.2345, "1.23"), (12.34, "12.3"), (1234.5, "1,234")]
)
def test_figures_have_three_digits(value, text):
    assert table.written(value) == text


def test_a_block_takes_the_place_of_the_one_before():
    page = table.replaced("# A\n\n<!-- peers -->\nold\n<!-- /peers -->\nend\n", "new")
    assert page == "# A\n\n<!-- peers -->\n\nnew\n\n<!-- /peers -->\nend\n"
    assert table.block_of(page) == "new"
    assert table.replaced(page, "new") == page
    with pytest.raises(ValueError, match="once each"):
        table.replaced("# A\n", "new")


def test_the_newest_result_is_that_of_the_latest_date(tmp_path):
    assert table.newest(tmp_path) is None
    for name, date in (("peers-a", "2026-11-02"), ("peers-b", "2026-11-01"), ("scale-c", "2027-01-01")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"date": date}))
    assert table.newest(tmp_path) == tmp_path / "peers-a.json"


def test_the_chart_is_an_image_that_says_its_figures():
    image = chart(result_of([dict(run) for run in RUNS]))
    assert ET.fromstring(image).tag.endswith("svg")
    assert "Sectionary, default settings 3" in image


def test_percentiles_are_values():
    assert percentile([5, 1, 4, 2, 3], 95) == 5
    assert percentile(range(1, 101), 95) == 95


# -- processes


def python(*lines):
    return [sys.executable, "-c", "\n".join(lines)]


@pytest.mark.process
def test_a_process_is_measured_and_stopped_at_its_limit(tmp_path):
    answering = python(
        "import sys, json",
        "for line in sys.stdin: print(json.dumps({'n': json.loads(line)['n'] + 1}), flush=True)",
        "print(json.dumps({'peak_mb': 12.34}))",
    )
    with process(answering, {}, tmp_path, 60) as one:
        assert one.ask({"n": 1}) == {"n": 2}
        measured = one.end()
    assert measured.wall_s > 0
    assert measured.figures()["peak_mb"] == 12.3
    with pytest.raises(StoppedError):
        run(python("import time", "time.sleep(60)"), {}, tmp_path, 0.3)
    with pytest.raises(FailedError, match="no JSON"), process(python("print('words')"), {}, tmp_path, 60) as one:
        one.read()
    with pytest.raises(FailedError, match="ValueError: no such thing"):
        run(python("raise ValueError('no such thing')"), {}, tmp_path, 60)
