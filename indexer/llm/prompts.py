"""Prompts from the files of the package, with values filled in; untrusted text stands between markers it cannot close.

A prompt is a Markdown file with a version in its front matter. Raise the version with every change of the text, since the
keys of cached summaries contain it.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

import yaml

_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FIELD = re.compile(r"\{\{(\w+)\}\}")
#: What looks like the beginning or end of a marker, also with other kinds of angle brackets.
_MARKER_LIKE = re.compile(r"[<＜‹〈《]{3,}|[>＞›〉》]{3,}")
#: What chat templates of models put between turns; a server that finds it in a text may take the rest for another turn.
_TURN_LIKE = re.compile(r"<\||\|>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>")
LANGUAGES = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "pt": "Portuguese", "ru": "Russian", "th": "Thai", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text with `{{name}}` where values go, and its version."""

    name: str
    version: int
    text: str

    def fill(self, **values: str) -> str:
        """Return the text with the values filled in; `{{name}}` inside a value stays as it is.

        Raises:
            KeyError: a value is missing.
        """
        return _FIELD.sub(lambda match: values[match.group(1)], self.text)


@functools.cache
def load_prompt(name: str) -> Prompt:
    """Return the prompt in `prompts/NAME.md` of this package."""
    text = _file(f"{name}.md")
    front = _FRONT.match(text)
    if front is None:
        raise ValueError(f"the prompt {name} has no version in front")
    return Prompt(name, int(yaml.safe_load(front.group(1))["version"]), text[front.end() :].strip())


@functools.cache
def load_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema in `prompts/NAME.schema.json` of this package."""
    schema: dict[str, Any] = json.loads(_file(f"{name}.schema.json"))
    return schema


def new_nonce() -> str:
    """Return a random mark, which the author of a document cannot know."""
    return secrets.token_hex(8)


def as_data(text: str, *, label: str, nonce: str) -> str:
    """Return untrusted text between markers with a nonce; what looks like a marker or a turn in it gets blanks between.

    >>> print(as_data("a >>> b", label="DOCUMENT", nonce="n1"))
    <<<DOCUMENT n1>>>
    a > > > b
    <<<END DOCUMENT n1>>>
    """
    spaced = _TURN_LIKE.sub(_spaced, _MARKER_LIKE.sub(_spaced, text))
    return f"<<<{label} {nonce}>>>\n{spaced}\n<<<END {label} {nonce}>>>"


def _spaced(match: re.Match[str]) -> str:
    return " ".join(match.group())


def language_name(code: str) -> str:
    """Return the name of a language in a prompt; for an unknown code, the code."""
    return LANGUAGES.get(code, code)


def _file(name: str) -> str:
    return (importlib.resources.files("indexer.llm") / "prompts" / name).read_text(encoding="utf-8")
