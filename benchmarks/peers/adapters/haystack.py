"""Haystack: MarkdownHeaderSplitter, sentence-transformers, and its in-memory store, saved as a file.

Updates use its CacheChecker: what is in the store with the same path and hash is neither split nor embedded again; chunks
of the earlier text are deleted, and the writer overwrites.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from interface import Found, Peer, markdown_files, read


class Adapter(Peer):
    """A hit is a chunk of at most 200 words of a Markdown section."""

    modes = ("hybrid", "vectors", "words")

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        self._file = store / "store.json"
        if self._file.exists():
            self._documents = InMemoryDocumentStore.load_from_disk(str(self._file))
        else:
            self._documents = InMemoryDocumentStore(embedding_similarity_function="cosine")
        self._embedder = self._query = None

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        from haystack.components.caching import CacheChecker

        files = dict(markdown_files(self.docs))
        keys = {f"{path} {hashlib.sha256(file.read_bytes()).hexdigest()}": path for path, file in files.items()}
        checked = CacheChecker(self._documents, cache_field="meta.key").run(items=list(keys))
        hits, misses = {document.meta["key"] for document in checked["hits"]}, checked["misses"]
        stale = [one.id for one in self._documents.filter_documents() if one.meta["key"] not in hits]
        self._documents.delete_documents(stale)
        if misses:
            from haystack import Document
            from haystack.components.preprocessors import MarkdownHeaderSplitter
            from haystack.components.writers import DocumentWriter
            from haystack.document_stores.types import DuplicatePolicy
            from haystack.utils import ComponentDevice
            from haystack_integrations.components.embedders.sentence_transformers import SentenceTransformersDocumentEmbedder

            texts = [Document(content=read(files[keys[key]]), meta={"key": key, "path": keys[key]}) for key in misses]
            splitter = MarkdownHeaderSplitter(secondary_split="word", split_length=200)
            chunks = splitter.run(documents=texts)["documents"]
            if self._embedder is None:
                self._embedder = SentenceTransformersDocumentEmbedder(
                    model=str(self.model), device=ComponentDevice.from_str("cpu"), progress_bar=False
                )
                self._embedder.warm_up()
            DocumentWriter(self._documents, policy=DuplicatePolicy.OVERWRITE).run(
                documents=self._embedder.run(documents=chunks)["documents"]
            )
        if misses or stale:
            self._documents.save_to_disk(str(self._file))

    def _retrievers(self):
        from haystack.components.joiners import DocumentJoiner
        from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
        from haystack.utils import ComponentDevice
        from haystack_integrations.components.embedders.sentence_transformers import SentenceTransformersTextEmbedder

        embedder = SentenceTransformersTextEmbedder(
            model=str(self.model), device=ComponentDevice.from_str("cpu"), progress_bar=False
        )
        embedder.warm_up()
        return (
            embedder,
            InMemoryEmbeddingRetriever(self._documents),
            InMemoryBM25Retriever(self._documents),
            DocumentJoiner(join_mode="reciprocal_rank_fusion"),
        )

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        self._query = self._query or self._retrievers()
        embedder, by_vectors, by_words, joiner = self._query
        lists = []
        if mode != "words":
            vector = embedder.run(text=text)["embedding"]
            lists.append(by_vectors.run(query_embedding=vector, top_k=limit)["documents"])
        if mode != "vectors":
            lists.append(by_words.run(query=text, top_k=limit)["documents"])
        found = joiner.run(documents=lists, top_k=limit)["documents"] if len(lists) == 2 else lists[0]
        return [Found(one.meta["path"], one.content) for one in found]
