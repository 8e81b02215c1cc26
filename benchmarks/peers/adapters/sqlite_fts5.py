"""SQLite FTS5: BM25 over sections, headings counting double; words only."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from interface import Digests, Found, Peer, parts_of, read


class Adapter(Peer):
    """A hit is a section; a hash of each file tells which are to be indexed again."""

    modes = ("words",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        self._db = sqlite3.connect(store / "fts.sqlite")
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS sections USING "
            "fts5(path UNINDEXED, line UNINDEXED, heading, text, tokenize = 'porter unicode61')"
        )

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        digests = Digests(self.store)
        new, old = digests.changes(self.docs)
        with self._db:
            self._db.executemany("DELETE FROM sections WHERE path = ?", [(path,) for path in old])
            self._db.executemany(
                "INSERT INTO sections VALUES (?, ?, ?, ?)",
                [(path, part.line, part.heading, part.text) for path, file in new for part in parts_of(read(file))],
            )
        if new or old:
            digests.save()

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        words = re.findall(r"\w+", text)
        if not words:
            return []
        rows = self._db.execute(
            "SELECT path, line, text FROM sections WHERE sections MATCH ? ORDER BY bm25(sections, 0, 0, 2, 1) LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), limit),
        )
        return [Found(path, text, line) for path, line, text in rows]
