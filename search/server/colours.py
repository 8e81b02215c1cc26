"""Code and its language → the parts of it that have a colour, each with a short class.

Pygments reads the code, with limits: some languages, lengths, and a time that ends within a pattern too, since a
hostile text can make one pattern take hours. What reaches a limit has no colours.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import regex
from pygments.lexer import Lexer, RegexLexer
from pygments.lexers import find_lexer_class
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, Operator, String

#: Limits for one block of code and for all of a section (characters), and for a section (seconds).
MAX_BLOCK, MAX_CODE, SECONDS = 8_000, 20_000, 0.3
#: Pygments' names of the languages that have colours, each with the names that authors use.
LANGUAGES = {
    alias: name
    for name, aliases in {
        "Bash": "bash sh shell zsh",
        "C": "c h",
        "C#": "csharp cs c#",
        "C++": "cpp c++ cc hpp",
        "CSS": "css",
        "Dart": "dart",
        "Diff": "diff patch",
        "Elixir": "elixir ex",
        "Go": "go golang",
        "GraphQL": "graphql gql",
        "Haskell": "haskell hs",
        "INI": "ini cfg conf properties",
        "JSON": "json jsonc json5",
        "JSX": "jsx",
        "Java": "java",
        "JavaScript": "javascript js mjs cjs",
        "Kotlin": "kotlin kt",
        "Lua": "lua",
        "Nginx configuration file": "nginx",
        "PowerShell": "powershell ps1 pwsh",
        "Protocol Buffer": "protobuf proto",
        "Python": "python py python3",
        "Ruby": "ruby rb",
        "Rust": "rust rs",
        "S": "r",
        "SCSS": "scss",
        "SQL": "sql",
        "Swift": "swift",
        "TOML": "toml",
        "TSX": "tsx",
        "Terraform": "terraform hcl tf",
        "TypeScript": "typescript ts mts cts",
        "XML": "xml html svg vue svelte astro",
        "YAML": "yaml yml",
        "Zig": "zig",
    }.items()
    for alias in aliases.split()
}
#: Classes by kinds of tokens; a kind above these has none. `c` comment, `k` keyword, `s` text, `n` number or constant,
#: `f` name that is defined, `t` tag or attribute, `d` removed, `i` added.
_CLASSES = {
    Comment: "c",
    Comment.Preproc: "k",
    Comment.PreprocFile: "s",
    Generic.Deleted: "d",
    Generic.Heading: "k",
    Generic.Inserted: "i",
    Generic.Subheading: "k",
    Keyword: "k",
    Keyword.Constant: "n",
    Literal: "n",
    Name.Attribute: "t",
    Name.Class: "f",
    Name.Constant: "n",
    Name.Decorator: "f",
    Name.Function: "f",
    Name.Tag: "t",
    Number: "n",
    Operator.Word: "k",
    String: "s",
}
CLASSES = frozenset(_CLASSES.values())


class Colours:
    """The colours of one section's code, within limits for all of it."""

    def __init__(self) -> None:
        self._left = MAX_CODE
        self._seconds = SECONDS

    def parts(self, code: str, language: str) -> list[tuple[str, str]]:
        """Return the parts of a block of code in order, each with its class or ""; the code alone if it has no colours."""
        plain = [("", code)]
        if language.lower() not in LANGUAGES or len(code) > min(self._left, MAX_BLOCK):
            return plain
        self._left -= len(code)
        try:
            lexer = _lexer_class(LANGUAGES[language.lower()])()
            begun = time.monotonic()
            _limit.end = begun + self._seconds
            parts = list(_read(lexer, code))
        except (TimeoutError, RecursionError):
            self._left = 0
            return plain
        self._seconds -= time.monotonic() - begun
        return parts if "".join(text for _, text in parts) == code else plain


def _read(lexer: Lexer, code: str) -> Iterator[tuple[str, str]]:
    """Yield the parts, neighbours of the same class as one."""
    class_name, begun = "", 0
    for at, kind, text in lexer.get_tokens_unprocessed(code):
        if time.monotonic() > _limit.end:
            raise TimeoutError
        found = _class_of(kind) if text.strip() else class_name
        if found != class_name:
            if at > begun:
                yield class_name, code[begun:at]
            class_name, begun = found, at
    if begun < len(code):
        yield class_name, code[begun:]


def _class_of(kind: Any) -> str:
    while kind is not None and kind not in _CLASSES:
        kind = kind.parent
    return _CLASSES.get(kind, "")


_REPETITION = re.compile(r"[*+{]")


class _Limit(threading.local):
    """When the reading of this thread ends, in seconds of `time.monotonic`."""

    end = 0.0


_limit = _Limit()


@cache
def _lexer_class(name: str) -> type[Lexer]:
    """Return Pygments' reader of a language, with patterns of the library that can give up a match.

    A class and no object, since a reader makes others of its own class for parts of a text.
    """
    found: type[Lexer] = find_lexer_class(name)
    if not issubclass(found, RegexLexer):  # JSON, which is read character by character
        return found
    rules = {state: [(_limited(match), *rest) for match, *rest in of_state] for state, of_state in found()._tokens.items()}
    return type(found.__name__, (found,), {"_tokens": rules})


def _limited(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Return what matches a pattern until the limit's end, and raises TimeoutError then.

    A pattern with one repetition reads no character twice: it stays as it is, which is ten times as fast.
    """
    pattern: re.Pattern[str] = plain.__self__  # type: ignore[attr-defined]
    if len(_REPETITION.findall(pattern.pattern)) <= 1:
        return plain
    flags = (pattern.flags & ~(re.ASCII | re.UNICODE | re.DEBUG)) | (regex.ASCII if pattern.flags & re.ASCII else 0)
    compiled = regex.compile(pattern.pattern, flags)

    def match(text: str, at: int, stop: int | None = None) -> Any:
        return compiled.match(text, at, stop, timeout=max(0.001, _limit.end - time.monotonic()))

    return match
