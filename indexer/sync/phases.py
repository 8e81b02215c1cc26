"""The phases of a run, and who is told how far each is."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the phase, how many files or sections are done, and how many there are.
Progress = Callable[[str, int, int], None]

#: Files are read and written, sections embedded by the first model, and by the second one.
SCAN, FIRST, SECOND = "scan", "embed", "embed again"
