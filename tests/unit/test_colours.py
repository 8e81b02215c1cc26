"""Colours of code: what has which class, and that no code takes long, whatever it holds."""

import time
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import RegexLexer
from pygments.token import Comment, Text

from search.server import colours
from search.server.colours import CLASSES, MAX_BLOCK, MAX_CODE, SECONDS, Colours
from search.server.markup import section_html
from tests.unit.test_markup import assert_harmless


def classes_of(code, language):
    return {text.strip(): name for name, text in Colours().parts(f"{code}\n", language) if name}


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("py", "def f(): # c\n    return 'x' + 1", {"def": "k", "f": "f", "# c": "c", "return": "k", "'x'": "s", "1": "n"}),
        ("rust", 'let a = "x"; // c', {"let": "k", '"x"': "s", "// c": "c"}),
        ("JS", "const a = 'x'", {"const": "k", "'x'": "s"}),
        ("tsx", "const a: string = `x`", {"const": "k", "string": "k", "`x`": "s"}),
        ("json", '{"a": 1}', {'"a"': "t", "1": "n"}),
        ("html", "<a b='c'>d</a>", {"<a b=": "t", "'c'": "s", ">": "t", "</a>": "t"}),
        ("diff", "-a\n+b\n", {"-a": "d", "+b": "i"}),
        ("sh", "echo 'x' # c", {"'x'": "s", "# c": "c"}),
    ],
)
def test_parts_of_code_have_classes(language, code, expected):
    assert expected.items() <= classes_of(code, language).items()


@pytest.mark.parametrize("language", ["", "text", "console", "brainfuck", "no such language", "../py"])
def test_code_in_another_language_has_no_colours(language):
    assert Colours().parts("def f(): pass", language) == [("", "def f(): pass")]


def test_long_code_has_no_colours():
    assert Colours().parts("a = 1\n" * MAX_BLOCK, "py")[0][0] == ""


def test_colours_end_when_a_section_had_enough(monkeypatch):
    monkeypatch.setattr(colours, "SECONDS", 60.0)
    section = Colours()
    code = "a = 1\n" * (MAX_BLOCK // 6)
    coloured = [len(section.parts(code, "py")) > 1 for _ in range(5)]
    assert coloured == [True] * (MAX_CODE // len(code)) + [False] * (5 - MAX_CODE // len(code))


def test_a_pattern_that_takes_too_long_is_given_up(monkeypatch):
    class Slow(RegexLexer):
        tokens: ClassVar = {"root": [(r"(?:(?:a|a)+)+b", Comment), (r"b", Comment), (r".", Text)]}

    monkeypatch.setattr(colours, "find_lexer_class", lambda name: Slow)
    monkeypatch.setitem(colours.LANGUAGES, "slow", "Slow")
    assert Colours().parts("b", "slow") == [("c", "b")]
    section, code = Colours(), "a" * 40 + "c"
    begun = time.monotonic()
    assert section.parts(code, "slow") == [("", code)]
    assert time.monotonic() - begun < SECONDS + 5
    assert section.parts("b", "slow") == [("", "b")], "the time of the section is over"


def test_section_has_colours_only_if_they_are_wanted():
    text = "```py\nx = 'a' < 1\n```"
    assert section_html(text, document_path="a.md", is_coloured=True) == (
        '<pre><code class="language-py">x = <span class="s">\'a\' </span>&lt; <span class="n">1\n</span></code></pre>\n'
    )
    assert "span" not in section_html(text, document_path="a.md")


@pytest.mark.parametrize("language", ["html", "js", "py", "css", "yaml", "sh"])
def test_code_with_colours_is_harmless(language):
    text = f"```{language}\n<script>alert(1)</script><img src=x onerror=alert(1)> \u202e\ufdd0 \" ' & /* */\n```"
    html = section_html(text, document_path="a.md", is_coloured=True)
    assert_harmless(html)
    assert "&lt;" in html


NASTY = [
    '"', "'", "`", "\\", "(", "{", "[", "<", "<!--", "/*", "//", "#", "a ", "a.", "a:", "0", "0_", "\t", " ", "\n", "\n ", "$(", "${",
    "<a ", "</", "r#", '"""', "@", "-", "=", "%", "<<A\n", "a<", "a,", "é", "\\\n", "'\\", '"${', "f'{", "/", "a = ", "&", "|", ";",
]  # fmt: skip


LANGUAGES = sorted({name: alias for alias, name in colours.LANGUAGES.items()}.values())


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.usefixtures("untraced")
def test_code_of_odd_characters_takes_a_bounded_time(name):
    Colours().parts("", name)  # loads what reads the language
    section, begun, code = Colours(), time.monotonic(), ("".join(NASTY) * MAX_BLOCK)[:MAX_BLOCK]
    parts = section.parts(code, name)
    assert time.monotonic() - begun < SECONDS + 3  # other processes take time too
    assert "".join(text for _, text in parts) == code


@given(st.text(max_size=200), st.sampled_from(sorted(colours.LANGUAGES)))
def test_no_character_of_code_is_lost(code, language):
    parts = Colours().parts(code, language)
    assert "".join(text for _, text in parts) == code
    assert {name for name, _ in parts} <= {"", *CLASSES}
