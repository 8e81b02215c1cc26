"""LangChain: its two splitters, HuggingFaceEmbeddings, LanceDB, and the indexing API with a record manager.

Updates are those of its documentation: `index(…, cleanup="incremental")`, which skips chunks that are already there.
"""

from __future__ import annotations

from pathlib import Path

from interface import Found, Peer, markdown_files, read


class Adapter(Peer):
    """A hit is a chunk of at most 1,000 characters of a Markdown section."""

    modes = ("vectors",)

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from langchain_classic.indexes import SQLRecordManager
        from langchain_huggingface import HuggingFaceEmbeddings
        from langchain_lancedb import LanceDB

        self._embedding = HuggingFaceEmbeddings(
            model_name=str(model), model_kwargs={"device": "cpu"}, encode_kwargs={"normalize_embeddings": True}
        )
        self._vectors = LanceDB(self._embedding, uri=str(store / "lance"))
        self._records = SQLRecordManager("peers", db_url=f"sqlite:///{store / 'records.sqlite'}")
        self._records.create_schema()

    def _chunks(self):
        from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

        by_heading = MarkdownHeaderTextSplitter([("#", "h1"), ("##", "h2"), ("###", "h3")], strip_headers=False)
        by_size = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=100)
        for path, file in markdown_files(self.docs):
            for chunk in by_size.split_documents(by_heading.split_text(read(file))):
                chunk.metadata["path"] = path
                yield chunk

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        from langchain_core.indexing import index

        index(
            list(self._chunks()), self._records, self._vectors,
            cleanup="full", source_id_key="path", key_encoder="sha256", batch_size=1000,
        )  # fmt: skip

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        hits = self._vectors.similarity_search(text, k=limit)
        return [Found(hit.metadata["path"], hit.page_content) for hit in hits]
