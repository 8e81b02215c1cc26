"""The script of the search box: what it must never hold, whatever a browser makes of the rest."""

import re
from pathlib import Path

import search.server

TEXT = (Path(search.server.__file__).parent / "embed.js").read_text(encoding="utf-8")
CODE = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", TEXT, flags=re.DOTALL)


def test_nothing_is_put_in_as_html_or_run_from_text():
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|DOMParser", CODE)
        == []
    )


def test_there_are_no_inline_handlers_and_nothing_is_loaded():
    assert re.findall(r"\bon[a-z]+\s*=|setAttribute\(\"on|\bimport\b|createElement\(\"script|@import|url\(", CODE) == []


def test_it_keeps_nothing_and_sends_no_cookie():
    assert re.findall(r"localStorage|sessionStorage|\.cookie", CODE) == []
    assert 'credentials: "omit"' in CODE
    assert CODE.count("fetch(") == 1


def test_field_and_list_have_the_roles_of_a_combobox():
    for needed in ('role: "combobox"', 'role: "listbox"', 'role: "option"', '"aria-expanded"', '"aria-controls"',
                   '"aria-activedescendant"', '"aria-selected"', 'role: "status"'):  # fmt: skip
        assert needed in CODE


def test_keys_of_an_input_method_are_left_alone():
    assert "event.isComposing || event.keyCode === 229" in CODE
    assert '"compositionend"' in CODE


def test_it_is_small():
    assert len(TEXT.encode()) < 16_000


def test_only_addresses_of_pages_are_followed():
    assert '["http:", "https:"].includes(found.protocol)' in CODE
