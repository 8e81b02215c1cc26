"""Settings → the embedder that they name; two models side by side as one embedder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.multilingual import MULTILINGUAL_MODEL, MultilingualEmbedder
from schema.errors import ModelError, SettingsError
from schema.protocols import Embedder, QueryPreparer, TokenSpan, Vectors, is_multilingual
from schema.settings import Settings
from schema.storage.fingerprint import SERVER_MODEL, joint_name, model_names


class PairedEmbedder:
    """A model for every text, and a second one that reads again what it knows better; as an embedder it is the first.

    `second` is to be asked about texts that it covers, for their windows and for queries alike.
    """

    def __init__(self, first: Embedder, second: Embedder) -> None:
        self.first = first
        self.second = second

    @property
    def name(self) -> str:
        """The names of both."""
        return joint_name(self.first.name, self.second.name)

    @property
    def is_multilingual(self) -> bool:
        """Whether the first model is."""
        return is_multilingual(self.first)

    @property
    def runs_on_gpu(self) -> bool:
        """Whether a GPU computes the first model's vectors where there is one."""
        return bool(getattr(self.first, "runs_on_gpu", False))

    @property
    def dimension(self) -> int:
        """Length of the first model's vectors."""
        return self.first.dimension

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that the first model reads."""
        return self.first.max_tokens

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """The first model's tokens of each text."""
        return self.first.token_spans(texts)

    def coverage(self, text: str) -> float:
        """Share, 0..1, of a text's letters that the first model knows."""
        return self.first.coverage(text)

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """The first model's vectors of texts."""
        return self.first.embed_sections(texts)

    def embed_query(self, text: str) -> Vectors:
        """The first model's vector of a query."""
        return self.first.embed_query(text)

    def prepare_queries(self) -> None:
        """Leave behind what makes queries cheap for later processes, for both models."""
        for each in (self.first, self.second):
            if isinstance(each, QueryPreparer):
                each.prepare_queries()


def embedder_of(settings: Settings) -> Embedder:
    """The embedder of `embedding_base_url`, or else of `model`; no file of it is read and no server asked yet.

    Raises:
        ModelError: the model takes no prompts, and there are some.
        SettingsError: a server is named that cannot be asked, or a model of a server without the server.
    """
    if settings.embedding_base_url.strip():
        from indexer.models.embedding_server import ServerEmbedder  # other embedders need nothing of it

        return ServerEmbedder.of(settings)
    if settings.model.startswith(SERVER_MODEL):
        raise SettingsError(
            f"The model {settings.model} is one of a server; set embedding_base_url and embedding_model instead."
        )
    first, second = model_names(settings.model)
    if first != MULTILINGUAL_MODEL:
        return SentenceTransformerEmbedder.of(settings)
    many = MultilingualEmbedder(cache_dir=settings.cache_dir)
    if second:
        return PairedEmbedder(many, SentenceTransformerEmbedder.of(replace(settings, model=second)))
    if settings.query_prompt or settings.document_prompt:
        raise ModelError(f"The model {MULTILINGUAL_MODEL} takes no prompts; leave query_prompt and document_prompt empty.")
    return many
