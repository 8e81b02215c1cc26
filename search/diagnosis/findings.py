"""One thing that was looked at: how it is, what was found, and what to do; shared by all that look."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OK, WARNING, PROBLEM = "ok", "warning", "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing. `state` is `OK`, `WARNING` or `PROBLEM`; `advice` says what to do, "" for nothing."""

    name: str
    state: str
    found: str
    advice: str = ""


def fine(name: str, found: str, advice: str = "") -> Finding:
    """Return a finding of something that is in order."""
    return Finding(name, OK, found, advice)


def warning(name: str, found: str, advice: str) -> Finding:
    """Return a finding of something that works, but not as well as it could."""
    return Finding(name, WARNING, found, advice)


def problem(name: str, found: str, advice: str) -> Finding:
    """Return a finding of something that does not work."""
    return Finding(name, PROBLEM, found, advice)


def megabytes(count: int) -> str:
    """Return a number of bytes as text.

    >>> megabytes(1_500_000)
    '2 MB'
    """
    return f"{count / 1e6:,.0f} MB"


def is_writable_by_others(path: Path) -> bool:
    """Tell whether the group or everybody may write a file or folder; False where the system knows no such rights."""
    import os

    return os.name == "posix" and bool(path.stat().st_mode & 0o022)
