"""Hits of a peer → the sections or files they lie in → S@1 and nDCG@10.

A chunk lies in the section that holds its first character, by the sections of our splitter. Several chunks of one section
count once, at the place of the first.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.peers.corpora import Gold

Key = tuple[str, int | None]
_GAIN = {0: 0.0, 1: 1.0, 2: 3.0}
#: As many characters of a chunk, spaces left out, are looked for in its file.
_ENOUGH = 200
_TOP = 10


class FileText:
    """A file's text without spaces, so that chunks are found whose spaces were changed; and its sections."""

    def __init__(self, text: str, sections: Sequence[tuple[int, int]]) -> None:
        """`sections` are first line (from 1) and depth (0 for the text before the first heading), in their order."""
        self.sections = sections
        flat: list[str] = []
        self._lines: list[int] = []
        for number, line in enumerate(text.splitlines(), start=1):
            for word in line.split():
                flat.append(word)
                self._lines += [number] * len(word)
        self._flat = "".join(flat)

    def line_of(self, chunk: str) -> int | None:
        """Return the line on which a chunk begins, or None if its beginning does not stand in the file."""
        wanted = "".join(chunk.split())[:_ENOUGH]
        at = self._flat.find(wanted) if wanted else -1
        return self._lines[at] if at >= 0 else None

    def section_at(self, line: int) -> int | None:
        """Return the first line of the section that holds a line, None for the text before the first heading."""
        at = bisect.bisect_right(self.sections, line, key=lambda section: section[0]) - 1
        if at < 0:
            return None
        start, depth = self.sections[at]
        return start if depth else None


def section_keys(found: Iterable[Mapping[str, object]], files: Mapping[str, FileText]) -> list[Key]:
    """Return the sections of hits, best first, each once; a hit that stands nowhere in its file counts for no section."""
    keys: dict[Key, None] = {}
    for hit in found:
        path = str(hit["path"])
        file = files.get(path)
        if file is None:
            continue
        line = hit.get("line")
        begin = line if isinstance(line, int) else file.line_of(str(hit.get("text") or ""))
        key = (path, -1) if begin is None else (path, file.section_at(begin))
        keys.setdefault(key)
    return list(keys)


def file_keys(found: Iterable[Mapping[str, object]]) -> list[str]:
    """Return the files of hits, best first, each once."""
    return list(dict.fromkeys(str(hit["path"]) for hit in found))


def of_files(gold: Gold) -> dict[str, int]:
    """Return the best grade of each file."""
    best: dict[str, int] = {}
    for (path, _), grade in gold.items():
        best[path] = max(grade, best.get(path, 0))
    return best


def score(keys: Sequence[object], gold: Mapping[object, int]) -> tuple[float, float]:
    """Return S@1 (an answer of grade 2 is first) and nDCG@10 (gains 3 and 1) of one question, 0 to 1."""
    grades = [gold.get(key, 0) for key in keys[:_TOP]]
    ideal = sorted(gold.values(), reverse=True)[:_TOP]
    return float(bool(grades) and grades[0] == 2), _dcg(grades) / _dcg(ideal)


def _dcg(grades: Sequence[int]) -> float:
    return sum(_GAIN[grade] / math.log2(rank + 2) for rank, grade in enumerate(grades))
