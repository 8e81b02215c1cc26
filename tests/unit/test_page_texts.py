"""The texts of the page: the same in every language's table, each of them used, and the keys told as they are bound."""

import json
import re
from pathlib import Path

import pytest

from search.answers.wire_schema import ERROR_CODES
from tests.unit.test_commands_in_advice import wrong_in

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "search" / "server" / "page"
TABLES = {code: PAGE / f"texts-{code}.js" for code in ("en", "ja", "ko")}
MODULES = {path.name: path.read_text(encoding="utf-8") for path in sorted(PAGE.glob("*.js")) if path not in TABLES.values()}


def table(code):
    text = TABLES[code].read_text(encoding="utf-8")
    found = re.fullmatch(r"(?://[^\n]*\n)+\nexport const [A-Z]+ = (\{.*\});\n", text, re.DOTALL)
    return json.loads(found[1], object_pairs_hook=no_name_twice)


def no_name_twice(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), sorted({name for name in names if names.count(name) > 1})
    return dict(pairs)


def forms(entry):
    return {"other": entry} if isinstance(entry, str) else entry


def holes(text):
    return sorted(re.findall(r"\{([a-z]+)\}", text))


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_every_table_has_the_same_names(code):
    assert list(table(code)) == list(table("en"))


@pytest.mark.parametrize("code", TABLES)
def test_every_table_has_the_forms_that_its_language_counts_with(code):
    counted = {"en": {"one", "other"}, "ja": {"other"}, "ko": {"other"}}[code]
    entries = {name: entry for name, entry in table(code).items() if not isinstance(entry, str)}
    assert {name: set(entry) for name, entry in entries.items()} == dict.fromkeys(entries, counted)
    assert {name for name, entry in entries.items() if "count" not in holes(entry["other"])} <= {"index.made"}


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_a_text_has_the_same_values_in_it_in_every_language(code):
    english, other = table("en"), table(code)
    different = [name for name in english if holes(forms(english[name])["other"]) != holes(forms(other[name])["other"])]
    assert different == []


@pytest.mark.parametrize("code", ["ja", "ko"])
def test_no_text_was_left_in_english(code):
    english, other = table("en"), table(code)
    same = [name for name in english if forms(english[name])["other"] == forms(other[name])["other"]]
    assert same == ["foot"] or same == []


def test_every_text_is_used_and_every_text_that_is_used_is_there():
    names = set(table("en"))
    whole = "\n".join(MODULES.values()) + (PAGE / "index.html").read_text(encoding="utf-8")
    quoted = set(re.findall(r'"([a-z0-9_.-]+)"', whole))
    beginnings = tuple(set(re.findall(r"`([a-z-]+\.)\$\{", whole)))  # such as `mode.${mode}`
    endings = {f"{name}-link" for name in quoted} | {f"flag.{flag}-means" for flag in ("changed", "pending")}
    assert {name for name in names if name not in quoted | endings and not name.startswith(beginnings)} == set()
    asked = set(re.findall(r'\b(?:t|sentence|pieces|add)\("([a-z0-9_.-]+)"', whole))
    asked |= set(re.findall(r'data-(?:text|label|title|placeholder)="([^"]+)"', whole))
    asked |= set(re.findall(r'\btext: "([^"]+)"', MODULES["keys.js"]))
    assert asked - names == set()


def because():
    """The codes of errors that the page has texts for, with the names in them."""
    block = re.search(r"const BECAUSE = \{\n(.*?)\n\};", MODULES["notice.js"], re.DOTALL)[1]
    codes = re.findall(r"^  (\w+): (.*),$", block, re.MULTILINE)
    doctor = re.search(r"const DOCTOR = (.*);", MODULES["notice.js"])[1]
    return {code: dict(re.findall(r'(\w+): "([^"]*)"', doctor if names == "DOCTOR" else names)) for code, names in codes}


def test_the_page_has_a_text_for_every_code_of_an_error():
    texts = [name.removeprefix("because.") for name in table("en") if name.startswith("because.")]
    assert sorted(because()) == sorted(texts) == sorted(ERROR_CODES)


def test_documentation_of_the_server_has_every_code_of_an_error():
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    assert [code for code in ERROR_CODES if f"`{code}`" not in page] == []


@pytest.mark.parametrize("code", TABLES)
def test_names_in_a_text_of_an_error_are_those_that_the_page_gives(code):
    wanted = {name: sorted(names) for name, names in because().items()}
    assert {name: holes(table(code)[f"because.{name}"]) for name in wanted} == wanted


def test_commands_and_fields_in_texts_of_errors_are_there():
    from schema.query_language import parse_fields

    names = [name for each in because().values() for name in each.values()]
    commands = [name for name in names if name.startswith("sectionary ")]
    assert len(commands) > 5
    assert [command for command in commands if wrong_in(f"`{command}`")] == []
    for field in (name for name in names if re.match("[a-z]+:.", name)):
        assert parse_fields(f"sensor {field}").filters, field


def test_every_code_of_the_code_is_listed():
    found = {
        code
        for package in ("schema", "search")
        for file in (ROOT / package).rglob("*.py")
        for code in re.findall(r'\bcode="([a-z_]+)"|HTTPStatus\.[A-Z_]+,\s+"([a-z_]+)"', file.read_text(encoding="utf-8"))
    }
    assert len(found) > 10
    assert {code for pair in found for code in pair if code} <= set(ERROR_CODES)


def test_no_module_of_the_page_is_long():
    assert {name for name, text in MODULES.items() if text.count("\n") > 350} == set()


def test_the_page_documents_every_key_that_it_binds():
    bound = {key for keys in re.findall(r"keys: \[([^\]]+)\]", MODULES["keys.js"]) for key in json.loads(f"[{keys}]")}
    signs = {"ArrowDown": "↓", "ArrowUp": "↑", "ArrowRight": "→", "ArrowLeft": "←", "Escape": "Esc"}
    rows = re.findall(r"^\| `.*$", (ROOT / "docs" / "page.md").read_text(encoding="utf-8"), re.MULTILINE)
    told = {key for row in rows for key in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert told == {signs.get(key, key) for key in bound}


def test_the_fields_beside_the_box_are_fields_of_queries():
    from schema.query_language import parse_fields

    examples = [json.loads(text) for text in re.findall(r"""\[("[^"]+"), "fields\.""", MODULES["fields.js"])]
    assert len(examples) >= 8
    for example in examples:
        assert parse_fields(f"sensor {example}").filters, example
