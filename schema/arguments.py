"""An argument of a public function → itself; refuses one of the wrong type or out of its range, in one sentence."""

from __future__ import annotations

import operator
import os
from collections.abc import Collection
from typing import Any

from schema.errors import ArgumentError

#: Most characters of an argument in a message, and of a setting.
_MAX_SHOWN, _MAX_WRITTEN = 80, 200


def shown(value: object) -> str:
    """Return a value as messages show it: on one line, cut if it is long, and with its type unless that is plain.

    >>> shown("fuzzy"), shown([1, 2]), shown(None)
    ("'fuzzy'", 'a list', 'None')
    """
    if isinstance(value, str | bytes):
        return repr(value) if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]!r}… ({len(value):,} characters)"
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() <= 200 else "a very large number"
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def written(value: object) -> str:
    """Return a value as its author would write it: on one line, and cut if it is long."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a number of thousands of digits
        text = "a very long number"
    return text if len(text) <= _MAX_WRITTEN else f"{text[:_MAX_WRITTEN]}… ({len(text):,} characters)"


def wrong(name: str, takes: str, value: object, *, kind: type[ArgumentError] = ArgumentError) -> ArgumentError:
    """Return the error about an argument: its name, what it takes, and what came."""
    return kind(f"{name} must be {takes}, not {shown(value)}.")


def text(name: str, value: Any, takes: str = "a text") -> str:
    """Return a text.

    Raises:
        ArgumentError: it is none.
    """
    if not isinstance(value, str):
        raise wrong(name, takes, value)
    return value


def whole(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """Return a whole number in its range; numbers of NumPy are taken too.

    Raises:
        ArgumentError: it is none, or out of its range.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        raise wrong(name, f"a whole number {f'of at least {least}' if most is None else f'from {least} to {most}'}", value)
    return number


def number(name: str, value: Any, *, least: float | None = None, most: float | None = None, takes: str = "") -> float:
    """Return a number in its range, which NaN is never in.

    Raises:
        ArgumentError: it is none, or out of its range.
    """
    if not takes:
        takes = "a number" if least is None else f"a number from {least:g}" + (" on" if most is None else f" to {most:g}")
    try:
        found = float("nan") if isinstance(value, bool | str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if found != found or (least is not None and found < least) or (most is not None and found > most):  # noqa: PLR0124
        raise wrong(name, takes, value)
    return found


def flag(name: str, value: Any) -> bool:
    """Return True or False.

    Raises:
        ArgumentError: it is neither.
    """
    if not isinstance(value, bool):
        raise wrong(name, "True or False", value)
    return value


def choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return one of a few texts.

    Raises:
        ArgumentError: it is none of them; the one that may have been meant is named.
    """
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"{name} must be one of {', '.join(choices)}, not {shown(value)}{meant(value, choices)}.")
    return value


def meant(value: Any, choices: Collection[str]) -> str:
    """Return the addition to a message that names the choice nearest to a misspelt value; "" where none is near.

    >>> meant("paht", ("path", "tags"))
    ' (did you mean path?)'
    """
    if not isinstance(value, str) or len(value) > _MAX_SHOWN:
        return ""
    from difflib import get_close_matches

    near = get_close_matches(value.lower(), choices, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def path(name: str, value: Any) -> str:
    """Return a path as text.

    Raises:
        ArgumentError: it is no path that a file can have.
    """
    plain = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(plain, str) or not plain or "\0" in plain:
        raise wrong(name, "the path of a file or folder", value)
    return plain


def instance(name: str, value: Any, kind: type, takes: str = "") -> None:
    """Refuse what is not of a type.

    Raises:
        ArgumentError: it is not.
    """
    if not isinstance(value, kind):
        raise wrong(name, takes or f"a {kind.__name__}", value)


def offers(name: str, value: Any, *methods: str) -> None:
    """Refuse what lacks one of the methods of a protocol; none of them is called, and no property is computed.

    Raises:
        ArgumentError: a method is missing.
    """
    missing = next((method for method in methods if not callable(getattr(value, method, None))), None)
    if missing is not None:
        raise wrong(name, f"an object with the method {missing}", value)
