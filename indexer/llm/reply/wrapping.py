"""JSON in another writing → the JSON: line numbers, escapes, entities of HTML, doubled signs and quote marks taken off.

Each function gives None where the whole text is not written in its way.
"""

from __future__ import annotations

import html
import json

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

#: No object of an answer has more numbered lines.
_MANY_LINES = 20_000
#: A text of JSON that holds a text of JSON, and so on, is read to this depth.
_MANY_ESCAPES = 3

_ENTITY = re.compile("&(?:quot|apos|[lr]dquo|#3[49]|#x2[27]);", re.IGNORECASE)
_NUMBERED_TEXT = re.compile(r"\s{0,99}+(?:(?:```|~~~)[^\n]*\n)?[ \t]*+\d")
_NUMBERED = re.compile(r"[ \t]*+(\d{1,6})(?:[ \t]?[:.)|])?(?:[ \t]|$)")
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_QUOTE_RUN = re.compile('"++')
_BRACE_RUN = re.compile(r"\{++|\}++")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)++", re.MULTILINE)


def without_line_numbers(text: str) -> str | None:
    """The text, if every line of it begins with its number."""
    if not _NUMBERED_TEXT.match(text) or text.count("\n") > _MANY_LINES:
        return None
    kept, numbers = [], []
    for line in text.split("\n"):
        number = _NUMBERED.match(line)
        if number:
            numbers.append(int(number[1]))
            kept.append(line[number.end() :])
        elif line.strip() and not line.lstrip().startswith(("```", "~~~")):
            return None
        else:
            kept.append(line)
    is_counted = len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return "\n".join(kept) if is_counted else None


def without_escapes(text: str) -> str | None:
    """The text, if it is JSON as it would stand inside a text of JSON, or inside a text in a text."""
    plain = text
    for _ in range(_MANY_ESCAPES):
        if plain.startswith('"'):
            quoted = plain
        elif '\\"' in plain and not _BARE_QUOTE.search(plain):
            quoted = f'"{plain}"'
        else:
            break
        try:
            plain = str(json.loads(quoted, strict=False)).strip()
        except ValueError:
            break
    return plain if plain != text else None


def without_entities(text: str) -> str | None:
    """The text, if its quotes are written as in HTML."""
    return html.unescape(text) if '"' not in text and _ENTITY.search(text) else None


def without_doubled_quotes(text: str) -> str | None:
    """The text, if every quote in it is doubled, as in a table of CSV."""
    return text.replace('""', '"') if '""' in text and all(len(run) == 2 for run in _QUOTE_RUN.findall(text)) else None


def without_doubled_braces(text: str) -> str | None:
    """The text, if every brace in it is doubled, as in a template."""
    is_doubled = "{{" in text and all(len(run) % 2 == 0 for run in _BRACE_RUN.findall(text))
    return text.replace("{{", "{").replace("}}", "}") if is_doubled else None


def without_quote_marks(text: str) -> str | None:
    """The text, if some of its lines begin with `>`: those without it."""
    plain = _QUOTE_MARK.sub("", text)
    return plain if plain != text else None
