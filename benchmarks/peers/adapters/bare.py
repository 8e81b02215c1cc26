"""sentence-transformers and LanceDB by hand: one vector for each section, of what of it fits the model."""

from __future__ import annotations

from pathlib import Path

from interface import Digests, Found, Part, Peer, parts_of, read


class Adapter(Peer):
    """The least code that searches sections by meaning; a hash of each file tells which are to be indexed again."""

    modes = ("vectors",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        import lancedb

        self._db = lancedb.connect(store / "lance")
        self._table = self._encoder = None

    def _encode(self, texts: str | list[str]):
        """Vectors of unit length; the model is loaded when it is first needed."""
        if self._encoder is None:
            from sentence_transformers import SentenceTransformer

            self._encoder = SentenceTransformer(str(self.model), device="cpu")
        return self._encoder.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)

    def pieces(self, text: str) -> list[Part]:
        """What gets a vector of its own."""
        return parts_of(text)

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        digests = Digests(self.store)
        new, old = digests.changes(self.docs)
        if self._table is None and "sections" in self._db.table_names():
            self._table = self._db.open_table("sections")
        if old:
            quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in old)
            self._table.delete(f"path IN ({quoted})")
        rows = [
            {"path": path, "line": piece.line, "text": piece.text} for path, file in new for piece in self.pieces(read(file))
        ]
        if rows:
            vectors = self._encode([row["text"] for row in rows])
            for row, vector in zip(rows, vectors, strict=True):
                row["vector"] = vector
            if self._table is None:
                self._table = self._db.create_table("sections", rows)
            else:
                self._table.add(rows)
        digests.save()

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        self._table = self._table or self._db.open_table("sections")
        vector = self._encode(text)
        rows = self._table.search(vector).distance_type("cosine").select(["path", "line", "text"]).limit(limit).to_list()
        return [Found(row["path"], row["text"], row["line"]) for row in rows]
