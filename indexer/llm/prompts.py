"""Prompt files of the package, filled in: instructions, and text of others between markers that it cannot close.

A prompt is a Markdown file with a version in front; raise it with every change of the words, since summaries are kept by it.
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
#: What looks like the end or the beginning of a marker, also if it is written with other signs of the kind.
_MARKER_LIKE = re.compile(r"[<＜‹〈《]{3,}|[>＞›〉》]{3,}")
#: What models' chat templates put between turns: servers that read it in a text would take the rest for another turn.
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
        """The text with every value in its place, once: what a value holds is not filled in again.

        Raises:
            KeyError: a value is missing.
        """
        return _FIELD.sub(lambda match: values[match.group(1)], self.text)


@functools.cache
def load_prompt(name: str) -> Prompt:
    """The prompt in `prompts/NAME.md` of this package."""
    text = _file(f"{name}.md")
    front = _FRONT.match(text)
    if front is None:
        raise ValueError(f"the prompt {name} has no version in front")
    return Prompt(name, int(yaml.safe_load(front.group(1))["version"]), text[front.end() :].strip())


@functools.cache
def load_schema(name: str) -> dict[str, Any]:
    """The JSON schema in `prompts/NAME.schema.json` of this package."""
    schema: dict[str, Any] = json.loads(_file(f"{name}.schema.json"))
    return schema


def new_nonce() -> str:
    """A mark that nobody who wrote a document can have known."""
    return secrets.token_hex(8)


def as_data(text: str, *, label: str, nonce: str) -> str:
    """Text of others between markers with a nonce; signs in it that could pass for a marker or a turn are spaced out.

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
    """What a language is called in a prompt; an unknown code stands for itself."""
    return LANGUAGES.get(code, code)


def _file(name: str) -> str:
    return (importlib.resources.files("indexer.llm") / "prompts" / name).read_text(encoding="utf-8")
