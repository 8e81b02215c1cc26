"""txtai: Embeddings with content and hybrid search over sections, updated by `upsert` and `delete`.

It has nothing that tells which files changed; a hash of each file does, as a user of it would write.
"""

from __future__ import annotations

import json
from pathlib import Path

from interface import Digests, Found, Peer, parts_of, read


class Adapter(Peer):
    """A hit is a section; its first 256 tokens have the vector, all of its words are found."""

    modes = ("hybrid",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from txtai import Embeddings

        self._path = str(store / "txtai")
        self._embeddings = Embeddings(path=str(model), content=True, hybrid=True, gpu=False)
        if self._embeddings.exists(self._path):
            self._embeddings.load(self._path)

    def index(self) -> None:
        digests = Digests(self.store)
        new, _ = digests.changes(self.docs)
        self._embeddings.index(self._rows(new))
        self._embeddings.save(self._path)
        digests.save()

    def _rows(self, files: list[tuple[str, Path]]):
        for path, file in files:
            for number, part in enumerate(parts_of(read(file))):
                yield f"{path}#{number}", {"text": part.text, "path": path, "line": part.line}, None

    def update(self) -> None:
        digests = Digests(self.store)
        new, old = digests.changes(self.docs)
        if old:
            ids = []
            for path in old:
                rows = self._embeddings.search("select id from txtai where path = :path", 100_000, parameters={"path": path})
                ids += [row["id"] for row in rows]
            self._embeddings.delete(ids)
        if new:
            self._embeddings.upsert(self._rows(new))
        if new or old:
            self._embeddings.save(self._path)
            digests.save()

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        rows = self._embeddings.search(
            "select text, data, score from txtai where similar(:text)", limit, parameters={"text": text}
        )
        told = [json.loads(row["data"]) for row in rows]
        return [Found(one["path"], one["text"], one["line"]) for one in told]
