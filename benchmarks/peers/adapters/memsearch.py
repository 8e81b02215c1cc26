"""memsearch: MemSearch over Milvus Lite, with its local embeddings; `index` again brings it up to date."""

from __future__ import annotations

import asyncio
from pathlib import Path

from interface import Found, Peer


class Adapter(Peer):
    """A hit is a chunk of at most 1,500 characters; it says its line."""

    modes = ("hybrid",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from memsearch import MemSearch

        self._loop = asyncio.new_event_loop()
        self._search = MemSearch(
            [docs], embedding_provider="local", embedding_model=str(model), milvus_uri=str(store / "milvus.db")
        )

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        report = self._loop.run_until_complete(self._search.index_with_report())
        if report.failed_files:
            raise RuntimeError(report.failed_files[0].error)

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        hits = self._loop.run_until_complete(self._search.search(text, top_k=limit))
        return [
            Found(Path(hit["source"]).relative_to(self.docs).as_posix(), hit["content"], int(hit["start_line"]))
            for hit in hits
        ]
