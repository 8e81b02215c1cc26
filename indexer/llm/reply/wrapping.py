"""JSON in another form → plain JSON: without line numbers, escapes, HTML entities, doubled characters or quote marks.

Each function returns None if the text as a whole is not in its form.
"""

from __future__ import annotations

import html
import json

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

#: The most numbered lines of an answer.
_MANY_LINES = 20_000
#: How often a JSON text inside a JSON text is unpacked.
_MANY_ESCAPES = 3

_ENTITY = re.compile("&(?:quot|apos|[lr]dquo|#3[49]|#x2[27]);", re.IGNORECASE)
_NUMBERED_TEXT = re.compile(r"\s{0,99}+(?:(?:```|~~~)[^\n]*\n)?[ \t]*+\d")
_NUMBERED = re.compile(r"[ \t]*+(\d{1,6})(?:[ \t]?[:.)|])?(?:[ \t]|$)")
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_QUOTE_RUN = re.compile('"++')
_BRACE_RUN = re.compile(r"\{++|\}++")
_QUOTE_MARK = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)++", re.MULTILINE)


def without_line_numbers(text: str) -> str | None:
    """Return the text without line numbers, if every line begins with its number."""
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
    """Return the text without escapes, if it is JSON written as a JSON text, perhaps several times."""
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
    """Return the text with plain quotes, if its quotes are HTML entities."""
    return html.unescape(text) if '"' not in text and _ENTITY.search(text) else None


def without_doubled_quotes(text: str) -> str | None:
    """Return the text with single quotes for doubled ones, if all are doubled, as in CSV."""
    return text.replace('""', '"') if '""' in text and all(len(run) == 2 for run in _QUOTE_RUN.findall(text)) else None


def without_doubled_braces(text: str) -> str | None:
    """Return the text with single braces for doubled ones, if all are doubled, as in a template."""
    is_doubled = "{{" in text and all(len(run) % 2 == 0 for run in _BRACE_RUN.findall(text))
    return text.replace("{{", "{").replace("}}", "}") if is_doubled else None


def without_quote_marks(text: str) -> str | None:
    """Return the text without the `>` before its lines, if some lines have it."""
    plain = _QUOTE_MARK.sub("", text)
    return plain if plain != text else None
