"""Lines in .gitignore syntax → which paths they match, by git's own rules, in time that grows with line and path alone.

A line becomes a regular expression that never goes back over what it has matched: between two `*` the first match is
as good as any later one, since the text between them has a fixed length (as in Python's own `fnmatch.translate`).
`?`, `*` and `[…]` match characters, where git matches bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

#: All wildcard lines that are compared with one path may have this many characters together.
MAX_WILDCARDS = 50_000
_WILDCARDS = frozenset("*?[\\")
_ANY, _STAR, _DEEP = "[^/]", "*", "**"
#: First and last characters of the ranges that make up a named class; ASCII, as in git.
_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "\t\t  ",
    "cntrl": "\x00\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\n\r\r  ",
    "upper": "AZ",
    "xdigit": "09AFaf",
}

#: The number of a line, and whether it matches a name or path, which begins with / if a path and ends with / if a folder.
_Wildcard = tuple[int, Callable[[str], object]]


class TooManyWildcardsError(ValueError):
    """The lines with wildcards have more characters than are compared."""


class Globs:
    """Lines of a .gitignore file; the last one that matches a path decides, and says the opposite if it begins with `!`.

    Blank lines, comments and lines that git cannot read match nothing. `wildcards` is the number of characters of the
    lines with wildcards, of which there may be `most`; other lines cost nothing to compare. `fold` ignores case.
    `unreadable` are the lines that git cannot read, as one with a bracket that is never closed.

    Raises:
        TooManyWildcardsError: there are more.
    """

    __slots__ = ("_decisions", "_fold", "_literals", "_names", "_paths", "unreadable", "wildcards")

    def __init__(self, lines: Iterable[str], *, most: int = MAX_WILDCARDS, fold: bool = False) -> None:
        self.wildcards = 0
        self._fold = fold
        self._decisions: list[bool] = []
        self._literals: dict[str, int] = {}
        self._names: list[_Wildcard] = []
        self._paths: list[_Wildcard] = []
        self.unreadable: list[str] = []
        for line in lines:
            self._add(line, most)
        self._names.reverse()
        self._paths.reverse()

    def __len__(self) -> int:
        """The number of lines that can match a path."""
        return len(self._decisions)

    def decides(self, path: str, *, is_folder: bool = False) -> bool | None:
        """What the last line says that matches this very path; None if none does."""
        last = self._last(path, is_folder)
        return self._decisions[last] if last >= 0 else None

    def decides_below(self, path: str, *, is_folder: bool = False) -> bool | None:
        """What the last line says that matches the path or one of the folders it is in; None if none does."""
        last = self._last(path, is_folder)
        slash = path.find("/")
        while slash >= 0:
            last = max(last, self._last(path[:slash], True))
            slash = path.find("/", slash + 1)
        return self._decisions[last] if last >= 0 else None

    def _add(self, line: str, most: int) -> None:
        text = _trimmed(line)
        decision = not text.startswith("!")
        text = text.removeprefix("!")
        end = "/" if text.endswith("/") else ""
        text = text.removesuffix("/")
        if not text or line.startswith("#"):
            return
        is_path = "/" in text
        text = text.removeprefix("/")
        if is_path and text.startswith("**/") and "/" not in text[3:]:
            is_path, text = False, text[3:]
        start = "/" if is_path else ""
        if _WILDCARDS.isdisjoint(text):
            self._literals[self._key(start + text + end)] = len(self._decisions)
        else:
            self.wildcards += len(text)
            if self.wildcards > most:
                raise TooManyWildcardsError
            try:
                segments = _segments(text)
            except _UnreadableError:
                self.unreadable.append(line)
                return
            expression = _path_expression(segments) if is_path else _segment_expression(segments[0])
            compiled = re.compile(expression + (end or "/?"), re.DOTALL | (re.IGNORECASE if self._fold else 0))
            (self._paths if is_path else self._names).append((len(self._decisions), compiled.fullmatch))
        self._decisions.append(decision)

    def _last(self, path: str, is_folder: bool) -> int:
        """The number of the last line that matches, -1 if none does."""
        name = path[path.rfind("/") + 1 :]
        path = f"/{path}"
        last = max(self._literals.get(self._key(name), -1), self._literals.get(self._key(path), -1))
        if is_folder:
            name, path = f"{name}/", f"{path}/"
            last = max(last, self._literals.get(self._key(name), -1), self._literals.get(self._key(path), -1))
        for wildcards, subject in ((self._names, name), (self._paths, path)):
            for number, matches in wildcards:
                if number < last:
                    break
                if matches(subject):
                    last = number
                    break
        return last

    def _key(self, text: str) -> str:
        return text.casefold() if self._fold else text


class _UnreadableError(Exception):
    """A line that matches nothing: a bracket that is not closed, an unknown class, a backslash at the end."""


def _trimmed(line: str) -> str:
    """The line without blanks at its end, except for one behind a backslash."""
    text = line.rstrip(" ")
    is_escaped = (len(text) - len(text.rstrip("\\"))) % 2 == 1
    return text + " " if is_escaped and len(text) < len(line) else text


def _segments(text: str) -> list[list[str]]:
    """Return the segments between the slashes: for each character an expression, `*` and `**` as they are."""
    segments: list[list[str]] = [[]]
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "\\":
            character = _at(text, at)
            at += 1
        elif character == "[":
            expression, at = _bracket(text, at)
            segments[-1].append(expression)
            continue
        elif character == "?":
            segments[-1].append(_ANY)
            continue
        elif character == "*":
            stop = len(text) - len(text[at:].lstrip("*")) if text.startswith("*", at) else at
            segments[-1].append(_DEEP if stop > at else _STAR)
            at = stop
            continue
        if character == "/":
            segments.append([])
        else:
            segments[-1].append(re.escape(character))
    return segments


def _bracket(text: str, at: int) -> tuple[str, int]:
    """A bracket, whose content begins at `at`, as an expression, and where it ends."""
    is_negated = _at(text, at) in "!^"
    at += is_negated
    first = at
    ranges, previous = [], ""
    while (character := _at(text, at)) != "]" or at == first:
        if character == "-" and previous and _at(text, at + 1) != "]":
            at += 1 + (text[at + 1] == "\\")
            ranges.append((previous, _at(text, at)))
            previous = ""
        elif text.startswith("[:", at) and text[_end(text, at) - 1] == ":" and _end(text, at) > at + 2:
            stop = _end(text, at)
            pairs = _CLASSES.get(text[at + 2 : stop - 1])
            if pairs is None:
                raise _UnreadableError
            ranges.extend(zip(pairs[::2], pairs[1::2], strict=True))
            at, previous = stop, ""
        else:
            at += character == "\\"
            previous = _at(text, at)
            ranges.append((previous, previous))
        at += 1
    content = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in ranges if low <= high)
    return (f"[^/{content}]" if is_negated else f"(?!/)[{content}]"), at + 1


def _at(text: str, at: int) -> str:
    if at >= len(text):
        raise _UnreadableError
    return text[at]


def _end(text: str, at: int) -> int:
    """Return the offset of the next closing bracket after `[:`."""
    end = text.find("]", at + 2)
    if end < 0:
        raise _UnreadableError
    return end


def _segment_expression(segment: list[str]) -> str:
    """The expression for a name, or for one segment of a path."""
    chunks: list[list[str]] = [[]]
    for expression in segment:
        if expression in (_STAR, _DEEP):
            if chunks[-1] or len(chunks) == 1:
                chunks.append([])
        elif expression == _ANY and len(chunks) > 1 and not chunks[-1]:
            chunks[-2].append(_ANY)  # *? is the same as ?*
        else:
            chunks[-1].append(expression)
    first, *middle = map("".join, chunks)
    if not middle:
        return first
    last = middle.pop()
    if not (first or middle or last):
        return "[^/]++"  # a segment has at least one character: b/* is not the folder b
    # the text behind the last star must be at the end, so it is searched only there
    tail = f"[^/]{{{len(chunks[-1])},}}+(?<={last})" if last else "[^/]*+"
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in middle) + tail


def _path_expression(segments: list[list[str]]) -> str:
    """The expression for a path, which begins with a slash."""
    groups: list[list[str]] = [[]]
    for segment in segments:
        if segment != [_DEEP]:
            groups[-1].append("/" + _segment_expression(segment))
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    first, *middle = map("".join, groups)
    if not middle:
        return first
    last = middle.pop()
    tail = f"(?:/[^/]*+)*?{last}" if last else "/.+"
    return first + "".join(f"(?>(?:/[^/]*+)*?{group}(?=/))" for group in middle) + tail
