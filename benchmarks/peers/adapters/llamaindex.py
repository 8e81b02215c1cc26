"""LlamaIndex: SimpleDirectoryReader, MarkdownNodeParser, LanceDBVectorStore, and an IngestionPipeline with a docstore.

Updates are those of its documentation ("document management"): a docstore with hashes of the documents, and the strategy
`UPSERTS_AND_DELETE`. The pipeline's cache is off, since the docstore already skips what did not change.
"""

from __future__ import annotations

from pathlib import Path

from interface import Found, Peer


class Adapter(Peer):
    """A hit is a node of MarkdownNodeParser."""

    modes = ("hybrid", "vectors")

    def __init__(self, store: Path, docs: Path, model: Path) -> None:
        super().__init__(store, docs, model)
        from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
        from llama_index.core.node_parser import MarkdownNodeParser
        from llama_index.core.storage.docstore import SimpleDocumentStore
        from llama_index.embeddings.huggingface import HuggingFaceEmbedding
        from llama_index.vector_stores.lancedb import LanceDBVectorStore

        class Store(LanceDBVectorStore):
            """Its `delete` puts the id between double quotes, which LanceDB reads as the name of a column."""

            def delete(self, ref_doc_id: str, **_given) -> None:
                quoted = ref_doc_id.replace("'", "''")
                self.table.delete(f"{self.doc_id_key} = '{quoted}'")

        self._embedding = HuggingFaceEmbedding(model_name=str(model), device="cpu", embed_batch_size=32)
        self._vectors = Store(uri=str(store / "lance"), mode="overwrite", query_type="hybrid")
        self._kept = store / "pipeline"
        self._pipeline = IngestionPipeline(
            transformations=[MarkdownNodeParser(), self._embedding],
            vector_store=self._vectors,
            docstore=SimpleDocumentStore(),
            docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
            disable_cache=True,
        )
        if self._kept.exists():
            self._pipeline.load(str(self._kept))
        self._search = None

    def index(self) -> None:
        self.update()

    def update(self) -> None:
        from llama_index.core import SimpleDirectoryReader

        reader = SimpleDirectoryReader(str(self.docs), recursive=True, required_exts=[".md"], filename_as_id=True)
        self._pipeline.run(documents=reader.load_data())
        self._pipeline.persist(str(self._kept))

    def query(self, text: str, limit: int, mode: str) -> list[Found]:
        from llama_index.core import VectorStoreIndex

        self._search = self._search or VectorStoreIndex.from_vector_store(self._vectors, embed_model=self._embedding)
        kind = "hybrid" if mode == "hybrid" else "vector"
        retriever = self._search.as_retriever(similarity_top_k=limit, vector_store_kwargs={"query_type": kind})
        found = []
        for hit in retriever.retrieve(text):
            path = Path(hit.node.metadata["file_path"]).relative_to(self.docs).as_posix()
            found.append(Found(path, hit.node.get_content()))
        return found
