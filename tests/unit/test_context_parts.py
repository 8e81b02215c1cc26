"""Parts of sections in context packs: where tables and blocks of code are cut, and which parts are left out."""

from dataclasses import replace

import pytest

from schema.results import Snippet, Window
from search.context.context_pack import build_context
from tests.unit.test_context_pack import COUNTER, hits

ROWS = "".join(f"| city {number} | {number}00 yen | {number}000 yen |\n" for number in range(1, 40))
RATES = f"# Rates\n\n| place | day | hotel |\n|---|---|---|\n{ROWS}\nAsk before.\n"


@pytest.mark.parametrize("room", [60, 120, 400])
def test_part_of_a_table_has_the_names_of_its_columns(room):
    (hit,) = hits({"r.md": RATES})
    start = hit.section.content.index("| city 30")
    hit = replace(hit, passage=Window(start, start + 20))
    made = build_context([hit], max_tokens=room, counter=COUNTER)
    assert "| place | day | hotel |\n|---|---|---|\n| city" in made.text
    assert "| city 30 | 3000 yen" in made.text
    assert made.token_count == COUNTER.count(made.text) <= room


def test_lines_of_code_that_begin_with_a_bar_are_no_table():
    steps = "".join(f"|> step{number}(:a_long_name_{number})\n" for number in range(60))
    (hit,) = hits({"e.md": f"# Chain\n\n```elixir\nstart\n{steps}```\n"})
    start = hit.section.content.index("|> step40")
    made = build_context([replace(hit, passage=Window(start, start + 20))], max_tokens=150, counter=COUNTER)
    assert "step0(" not in made.text


def rates(room):
    """What a pack shows of the row of city 30, and of the three rows of its snippet, below the citation."""
    (hit,) = hits({"r.md": RATES})
    content = hit.section.content
    start, end = content.index("| city 30"), content.index("| city 33")
    snippet = Snippet(text="x", start=start, end=end - 1, start_line=1, end_line=3, matches=(), place="")
    hit = replace(hit, passage=Window(start, start + 20), snippet=snippet)
    return build_context([hit], max_tokens=room, counter=COUNTER).text.split("\n")[1:]


def test_row_stands_alone_where_the_names_of_columns_find_no_room():
    assert rates(44) == ["| city 30 | 3000 yen | 30000 yen |"]


def test_later_rows_give_way_to_the_names_of_columns():
    assert rates(76)[:2] == ["| place | day | hotel |", "|---|---|---|"]
    assert [row[:9] for row in rates(76)[2:]] == ["| city 30", "| city 31"]


CODE = "# Guide\n\nOne line of text.\n\n```js\n" + "".join(f"step({n});\n" for n in range(60)) + "```\n\nThe end of it.\n"


def test_part_that_is_cut_from_a_block_of_code_has_both_its_fences():
    (hit,) = hits({"l.md": CODE})
    at = hit.section.content.index("step(30)")
    (piece,) = build_context([replace(hit, passage=Window(at, at + 9))], max_tokens=80, counter=COUNTER).pieces
    first, *code, last = piece.text.split("\n")
    assert (first, last) == ("```js", "```")
    assert "step(30);" in code
    assert piece.end_line - piece.start_line == len(code) - 1


def test_part_has_both_fences_though_the_first_one_is_long():
    (hit,) = hits({"l.md": CODE.replace("```js", '```js title="a/long/path/to/the/file.js" {1,3-5} showLineNumbers')})
    at = hit.section.content.index("step(30)")
    for most in range(60, 200, 10):
        for piece in build_context([replace(hit, passage=Window(at, at + 9))], max_tokens=most, counter=COUNTER).pieces:
            first, *_, last = piece.text.split("\n")
            assert (first[:3], last) == ("```", "```")


def test_part_does_not_begin_with_a_fence_that_closes():
    (hit,) = hits({"l.md": CODE + "".join(f"Line {n} says nothing.\n" for n in range(60))})
    at = hit.section.content.index("The end")
    (piece,) = build_context([replace(hit, passage=Window(at, at + 11))], max_tokens=90, counter=COUNTER).pieces
    assert not piece.text.startswith("```\n\nThe end")
    assert piece.text.count("```") in (0, 2)


def test_scrap_of_a_sentence_is_left_out():
    long = "# A\n\n" + "Set a\n" + "handler for every error that this very long sentence is about, " * 40 + "\n"
    first, second = hits({"a.md": "# First\n\nAnswer.\n", "b.md": long})
    end = len(second.section.content) - 1
    found = [first, replace(second, passage=Window(5, end), snippet=None)]
    packs = [build_context(found, max_tokens=most, counter=COUNTER) for most in range(30, 120, 5)]
    assert {piece.text for pack in packs for piece in pack.pieces} == {"# First\n\nAnswer."}
    assert packs[-1].left_out == (f"b.md#a:L1-L{second.section.end_line}",)


def test_part_does_not_begin_in_the_middle_of_a_sentence():
    filler = "".join(f"A line that goes on\nover two lines {n}.\n" for n in range(60))
    (hit,) = hits({"l.md": f"# Guide\n\n{filler}"})
    at = hit.section.content.index("A line that goes on\nover two lines 30")
    (piece,) = build_context([replace(hit, passage=Window(at, at + 30))], max_tokens=100, counter=COUNTER).pieces
    assert piece.text.startswith("A line that goes on")
    assert piece.text.endswith(".")


def test_small_pack_has_the_row_that_answers_below_the_names_of_the_columns():
    (hit,) = hits({"r.md": RATES})
    start = hit.section.content.index("| city 30")
    snippet = Snippet(
        text="x",
        start=hit.section.content.index("| place"),
        end=start + 40,
        start_line=3,
        end_line=34,
        answer=Window(start, start + 20),
    )
    made = build_context([replace(hit, snippet=snippet)], max_tokens=90, counter=COUNTER)
    assert "| place | day | hotel |\n|---|---|---|\n| city 2" in made.text
    assert "| city 30 | 3000 yen" in made.text


def test_piece_of_a_file_that_has_changed_says_so():
    found = [replace(hit, stale=hit.section.document_path == "a.md") for hit in hits({"a.md": CODE, "b.md": "# B\n\ny\n"})]
    made = build_context(found, max_tokens=80, counter=COUNTER)
    assert [piece.stale for piece in made.pieces] == [piece.citation.startswith("a.md") for piece in made.pieces]
    assert "] (part, stale)\n" in made.text
    assert made.text.count("stale") == 1
