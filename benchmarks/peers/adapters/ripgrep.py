"""ripgrep: no index; sections that hold most of the question's words come first; words only."""

from __future__ import annotations

import re
import subprocess
from collections import Counter, defaultdict

from interface import Found, Peer

_COMMON = frozenset(
    "a an and are as at be by can do does for from how i if in into is it its my of on or should that the there this to "
    "use used using was we what when where which who why will with you your".split()
)


class Adapter(Peer):
    """A hit is a section, found by the lines of words and of headings that `rg` prints."""

    modes = ("words",)

    def index(self) -> None:
        """Nothing is made."""

    def update(self) -> None:
        """Nothing is kept."""

    def _lines(self, *arguments: str):
        command = ["rg", "--no-config", "--no-ignore", "--line-number", "--no-heading", "--null", "--glob", "*.md"]
        done = subprocess.run([*command, *arguments, "."], cwd=self.docs, capture_output=True, check=False)
        for row in done.stdout.decode("utf-8", "replace").splitlines():
            path, _, rest = row.partition("\0")
            number, _, found = rest.partition(":")
            if number.isdigit():
                yield path.removeprefix("./"), int(number), found

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        words = [word for word in dict.fromkeys(re.findall(r"\w+", text.casefold())) if word not in _COMMON]
        if not words:
            return []
        given = [part for word in words for part in ("--regexp", re.escape(word))]
        lines = defaultdict(list)
        for path, number, found in self._lines("--only-matching", "--ignore-case", *given):
            lines[path].append((number, found.casefold()))
        headings = defaultdict(list)
        for path, number, _ in self._lines("--regexp", r"^#{1,3}\s"):
            headings[path].append(number)
        counts: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
        for path, matches in lines.items():
            starts = [1, *headings[path]]
            at = 0
            for number, word in sorted(matches):
                while at + 1 < len(starts) and starts[at + 1] <= number:
                    at += 1
                counts[path, starts[at]][word] += 1
        best = sorted(counts, key=lambda key: (-len(counts[key]), -counts[key].total(), key))[:limit]
        return [Found(path, line=line) for path, line in best]
