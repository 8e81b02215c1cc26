"""Sectionary with its default settings, through `Indexer` and `SearchEngine`."""

from __future__ import annotations

from pathlib import Path

from interface import Found, Peer


class Adapter(Peer):
    """The project itself; a hit is a section."""

    modes = ("hybrid", "lexical", "dense")
    name = ""

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from schema.settings import Settings

        self._settings = Settings(model=self.name) if self.name else Settings()
        self._indexer = self._engine = self._shared = None

    def _embedder(self):
        from indexer.models.loading import embedder_of

        self._shared = self._shared or embedder_of(self._settings)
        return self._shared

    def index(self) -> None:
        from indexer import Indexer

        self._indexer = self._indexer or Indexer(
            self.store / "index", root=self.docs, settings=self._settings, embedder=self._shared
        )
        report = self._indexer.index(self.docs)
        if report.failed:
            raise RuntimeError(f"failed: {report.failed}")

    def update(self) -> None:
        self.index()

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        from search import SearchEngine

        self._engine = self._engine or SearchEngine(self.store / "index", settings=self._settings, embedder=self._embedder())
        hits = self._engine.search(text, limit=limit, mode=mode)
        return [Found(hit.section.document_path, line=hit.section.start_line) for hit in hits]
