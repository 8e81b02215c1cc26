"""What the terms column holds of a section, by which names it is looked up, and how much own prose it has."""

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from schema.text.fields import (
    ABOVE,
    FIXED_LINES,
    HEADING,
    MAX_PROSE,
    NAMES,
    PATH,
    SUMMARY,
    first_key,
    identifier_key,
    identifiers,
    is_key,
    name_key,
    prose_words,
    section_terms,
    text_key,
    without_arguments,
)


def split(text, path="docs/a.md"):
    return MarkdownSplitter().split(text, path)


def lines(section, **front_matter):
    return section_terms(section, front_matter).split("\n")


def keys(section, **front_matter):
    return [entry for entry in lines(section, **front_matter)[NAMES].split() if is_key(entry)]


def test_each_field_has_its_line_and_each_sentence_one_after_them():
    _, child = split("# Engine room\n\nx\n\n## Valve seats\n\nOpen it. Close it.\n", "docs/ship/room.md")
    told = lines(replace(child, summary="Grinding of seats."))
    assert told[HEADING].split() == ["valv", "seat"]
    assert told[ABOVE].split() == ["engin", "room"]
    assert "ship" in told[PATH].split()
    assert "grind" in told[SUMMARY]
    assert "seat" not in told[SUMMARY]
    assert [line.split() for line in told[FIXED_LINES:]] == [["open", "it"], ["close", "it"]]


def test_the_first_section_answers_to_the_names_of_its_document():
    first, second = split("---\ntitle: Ship\n---\n# Engines\n\nx\n\n## Valves\n\ny\n", "docs/room.md")
    matter = {"title": "Ship", "aliases": ["Motor vessel", 7, None], "alias": "Steamer"}
    for name in ("Engines", "Ship", "Motor vessel", "7", "Steamer", "docs/room.md", "room.md", "room"):
        assert name_key(name) in keys(first, **matter)
        assert name_key(name) not in keys(second, **matter)
    assert "vessel" in lines(first, **matter)[NAMES].split()


@pytest.mark.parametrize("path", ["tax-checklist.md", "notes/tax-checklist.md", "tax-checklist/index.md"])
def test_page_answers_to_the_name_of_its_file_as_it_is_written(path):
    (section,) = split("# What to collect\n\nx\n", path)
    assert name_key("tax-checklist") in keys(section)


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Virtual Routing and Forwarding (VRF)", ["VRF", "Virtual Routing and Forwarding"]),
        ("Regional Internet Registries (RIRs)", ["RIR", "RIRs", "Regional Internet Registries"]),
        ("RBAC (role-based access control)", ["RBAC", "role-based access control"]),
        ("JavaScript Object Notation (JSON)", ["JSON"]),
        ("Extensible Markup Language (XML)", ["XML"]),
        ("Out-of-band (OOB)", ["OOB"]),
    ],
)
def test_heading_with_an_abbreviation_answers_to_both_names(heading, names):
    section = split(f"# Guide\n\nx\n\n## {heading}\n\ny\n", "a.md")[1]
    assert {key for name in names for key in (name_key(name), text_key(names[0]))} <= set(keys(section))


@pytest.mark.parametrize(
    ("heading", "other"),
    [
        ("Bulk Import (CSV)", "CSV"),
        ("December 5 (APAC)", "APAC"),
        ("Scotland (UK)", "UK"),
        ("Settings (advanced)", "advanced"),
        ("Virtual Routing (VRF) and more", "VRF"),
        ("Setup of a host (SOON)", "SOON"),
        ("Setup of a lion (SOON)", "SOON"),  # the letters are there, and do not begin words
        ("Single sign on (SSOX)", "SSOX"),  # one letter is missing
        ("設定 (CLI)", "CLI"),
    ],
)
def test_other_words_in_parentheses_are_no_name_of_the_section(heading, other):
    section = split(f"# Guide\n\nx\n\n## {heading}\n\ny\n", "a.md")[1]
    assert name_key(other) not in keys(section)


def test_properties_are_the_last_line_of_the_first_section():
    first, second = split("# Goal\n\nx\n\n## Herbie\n\ny\n", "goal.md")
    matter = {
        "author": "Eliyahu Goldratt",
        "people": ["[[Jo Berg]]"],
        "status": "read",
        "site": "https://A.example/x",
        "at": "2026-03-30",
    }
    assert len(lines(first, **matter)) == FIXED_LINES + 2
    told = lines(first, **matter)[-1].split()
    assert told[:8] == ["author", "eliyahu", "goldratt", "peopl", "jo", "berg", "status", "read"]
    assert {"site", "exampl", "2026-03-30"} <= set(told)
    assert lines(second, **matter)[FIXED_LINES:] == ["y"]


def test_day_of_a_property_is_found_in_any_notation():
    (first,) = split("# Priya\n\nx\n", "priya.md")
    assert {"@07-14", "birthday"} <= set(lines(first, birthday="14 July")[-1].split())


def test_page_that_is_its_front_matter_has_no_line_of_properties():
    (page,) = split("Text.\n", "index.md")
    page = replace(page, content="---\nauthor: Eliyahu Goldratt\n---\n", body_start=0)
    assert sum("goldratt" in line.split() for line in lines(page, author="Eliyahu Goldratt")) == 1


def test_keywords_and_categories_are_words_of_the_first_section():
    first, second = split("# Guide\n\nx\n\n## Keys\n\ny\n")
    matter = {"keywords": ["certificates", "rotation"], "category": "Operations"}
    assert {"certif", "rotat", "oper"} <= set(lines(first, **matter)[NAMES].split())
    assert lines(first, **matter)[FIXED_LINES:] == ["x"]
    assert "rotat" not in lines(second, **matter)[NAMES].split()


def test_tags_of_a_document_are_words_of_its_first_section_and_no_names():
    first, second = split("---\ntags: [project/infra, 和食]\n---\n# Guide\n\nText.\n\n## Keys\n\nText.\n")
    assert {"project", "infra", "和食"} <= set(lines(first)[NAMES].split())
    assert not {name_key("和食"), name_key("project/infra")} & set(keys(first))
    assert lines(second)[NAMES] == " ".join(keys(second))


def test_date_in_the_front_matter_is_a_day_of_the_first_section():
    first, second = split("# Note\n\nx\n\n## More\n\ny\n", "note.md")
    matter = {"date": dt.date(2026, 3, 30), "updated": dt.date(2026, 4, 1)}
    assert "@2026-03-30" in lines(first, **matter)[NAMES].split()
    assert "@2026-04-01" not in lines(first, **matter)[NAMES].split()
    assert "@2026-03-30" not in lines(second, **matter)[NAMES].split()


@pytest.mark.parametrize("path", ["cherry-picks.md", "a/cherry_picks/README.md", "cherry-picks/index.md"])
def test_page_whose_heading_says_nothing_answers_to_the_name_of_its_file_or_folder(path):
    (section,) = split("# Overview\n\nx\n", path)
    assert name_key("Cherry Picks") in keys(section)


def test_text_before_the_first_heading_answers_to_the_title_and_to_no_identifier():
    (root,) = split("---\ntitle: The createRoot page\n---\nloose words\n")
    assert name_key("the createRoot Page") in keys(root)
    assert identifier_key("createRoot") not in keys(root)


def test_a_heading_answers_to_the_identifiers_in_it():
    (section,) = split("# `createRoot(domNode)` and --time-budget\n\nx\n")
    assert {identifier_key("createRoot"), identifier_key("--time-budget")} <= set(keys(section))


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("`fs.mkdir(path[, options], callback)`", "`fs.mkdir`"),
        ("on(name, (event) => {}) and off(name)", "on and off"),
        ("`rl[Symbol.asyncIterator]()`", "`rl[Symbol.asyncIterator]`"),
        ("Setup (optional)", "Setup (optional)"),
        ("상태(state)", "상태(state)"),
        ("state(상태)", "state(상태)"),
        ("open(path", "open(path"),
        ("(all)", "(all)"),
    ],
)
def test_arguments_of_calls_are_no_part_of_a_heading_and_explanations_are(heading, name):
    assert without_arguments(heading) == name


def test_arguments_of_a_heading_are_found_among_its_names():
    parent, child = split("# `run(store, callback)`\n\nx\n\n## Notes\n\ny\n")
    assert lines(parent)[HEADING].split() == ["run"]
    assert {"store", "callback"} <= set(lines(parent)[NAMES].split())
    assert lines(child)[ABOVE].split() == ["run"]


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("useId()", ["useId"]),
        ("max_tokens_per_section in config.toml", ["max_tokens_per_section", "config.toml"]),
        ("E0308: mismatched types", ["E0308"]),
        ("The --verbose flag", ["--verbose"]),
        ("v-memo", ["v-memo"]),
        ("Plain words of a heading", []),
        ("x" * 400 + " useId", []),
    ],
)
def test_identifiers_are_words_that_nobody_writes_in_prose(heading, found):
    assert [one for one in identifiers(heading) if len(one) < 100] == found


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Raw Identifiers", "raw identifier", True),
        ("`if let`", "if let", True),
        ("let if", "if let", False),
        ("The ? operator", "The operator", True),
        ("?", "?", True),
        ("?", "??", False),
        ("検索 する", "検索する", False),
        ("렌더 트리", "렌더트리", True),
        ("サーバーの設定", "ｻｰﾊﾞの設定", True),
        ("資料庫", "资料库", True),
        ("React 렌더 트리", "렌더트리", False),
    ],
)
def test_names_are_the_same_by_their_terms(one, other, is_same):
    assert (name_key(one) == name_key(other)) is is_same


def test_names_as_written_differ_in_case_but_not_in_blanks():
    assert text_key("Raw  identifiers") == text_key(" Raw identifiers")
    assert text_key("Raw identifiers") != text_key("raw identifiers")
    assert (name_key(" "), text_key(" "), identifier_key(" ")) == ("", "", "")


@given(st.text(max_size=60))
def test_a_key_is_one_entry_of_its_line_and_no_term(name):
    for key in filter(None, (name_key(name), text_key(name), identifier_key(name))):
        assert is_key(key)
        assert not set(" \n") & set(key)


@given(st.text("ab# \n`*|-", max_size=80), st.text("ab\n ", max_size=12))
def test_every_text_has_its_fixed_lines(text, alias):
    for section in split(text):
        assert len(lines(section, aliases=[alias])) >= FIXED_LINES
        assert 0 <= prose_words(section) <= MAX_PROSE


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("One two three four.", 4),
        ("- one two\n- three four", 2),
        ("| one | two |\n|---|---|\n| three | four |", 2),
        ("```\none two three four\n```\n", 1),
        ("~~~\none two three four\n```\n~~~\nfive six\n", 3),
        ("[Go there](https://example.com/a) now", 1),
        ("[link]: https://example.com", 0),
        ("<!-- a comment -->\n:::tip\nimport X from 'y'\n<Card />", 0),
        ("これは検索の文です", 4),
        ("see https://example.com/x for more", 3),
        ("> one two three four\n> five six seven eight", 2),
        ("> [!NOTE]\n> one two three four", 4),
        ("> **Mind:** one two three", 4),
        ("> one two three four\n\n> Note: five six", 4),
        ("", 0),
        ("word " * 3000, MAX_PROSE),
        ('<h1 align="center">One two</h1>\n\nthree four', 2),
        ("<h2>\n  <img src=x>\n  One two\n</h2>\nthree four five", 3),
        ("    <h1>one two</h1>\n", 2),
        ("[TOC]\n\n[[_TOC_]]\n\n[toc]\n\n- TOC\n{:toc}", 0),
        ("#project/infra #영업\n\n  #draft", 0),
        ("#draft one two", 3),
    ],
)
def test_own_prose_is_counted_in_words(body, words):
    (section,) = split(f"# H\n\n{body}\n")
    assert prose_words(section) == words


@pytest.mark.parametrize(
    ("front_matter", "words"),
    [
        ("title: One two\ndescription: three four five six seven eight\n", 2),
        ("description: >\n  one two\n  three four\ntagline: five six\n", 3),
        ("'description': one two three four\nhero:\n  text: five six\n", 3),
        ("title: x\nhero:\n  text: one two\nfeatures:\n  - title: three\n    details: four five six\n", 6),
    ],
)
def test_title_and_description_of_a_page_without_text_count_a_quarter(front_matter, words):
    (section,) = split(f"---\n{front_matter}---\n")
    assert prose_words(section) == words


def test_a_rule_and_a_field_in_the_text_are_prose():
    (section,) = split("text\n\n---\ndescription: one two\n")
    assert prose_words(section) == 4


def test_the_first_section_answers_to_the_description_of_its_page():
    first, second = split("# Pumps\n\nSeals leak.\n\n## Valves\n\ny\n")
    matter = {"description": "How seals are replaced at sea"}
    assert lines(first, **matter)[SUMMARY].split() == ["how", "are", "replac", "at", "sea"]
    assert lines(second, **matter)[SUMMARY] == ""


@pytest.mark.parametrize("text", ["", "one line", "a\nb", "a\n\nplain words\n\n", "a\n\n"])
def test_terms_without_a_key_have_no_first_one(text):
    assert first_key(text) == ""
