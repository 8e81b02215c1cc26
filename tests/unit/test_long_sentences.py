"""Sentences that are longer than a snippet: minutes without full stops, and one sentence of many clauses."""

from indexer.splitter import MarkdownSplitter
from search.context.highlight import find_matches
from search.context.snippet import snippet_of
from search.context.units import units


def snippet(body, term):
    section = MarkdownSplitter().split(f"# 段取り\n\n{body}\n", "a.md")[0]
    return section, snippet_of(section, term, {term: 1.0}, find_matches(section.content, {term: 1.0}))


def test_lines_that_no_full_stop_ends_are_units_of_their_own():
    lines = [f"{number} 係の者は早めに声をかけて、控室の鍵と名簿を受け取っておく" for number in range(16)]
    section = MarkdownSplitter().split("# A\n\n" + "\n".join(lines) + "\n", "a.md")[0]
    found = units(section.content, section.body_offset, len(section.content))
    assert [section.content[unit.start : unit.end] for unit in found] == lines


def test_short_paragraph_stays_one_unit_over_its_lines():
    section = MarkdownSplitter().split("# A\n\none line\nand another\n", "a.md")[0]
    found = units(section.content, section.body_offset, len(section.content))
    assert [section.content[unit.start : unit.end] for unit in found] == ["one line\nand another"]


def test_snippet_of_minutes_without_full_stops_shows_the_line_with_the_answer():
    lines = [f"{number}番の係は早めに来て、控室の鍵と名簿を受け取っておくこと" for number in range(20)]
    section, shown = snippet("\n".join([*lines, "懇親会は割烹いわしの二階を貸し切る"]), "割烹")
    assert "割烹いわしの二階" in shown.text
    assert section.content[shown.start : shown.end].startswith(tuple("0123456789"))


def test_one_long_sentence_is_shown_around_its_first_match():
    clauses = [f"手当{number}については請求明細を担当部署に提出したうえで所定の審査を受けることとし" for number in range(20)]
    section, shown = snippet("、".join([*clauses, "皆勤手当については出勤簿を出すこととする"]), "皆勤")
    assert "皆勤手当については出勤簿" in shown.text
    assert section.content[shown.start - 1] == "、"
    assert [shown.text[match.start : match.end] for match in shown.matches] == ["皆勤"]
