"""Settings → the embedder that they name."""

from __future__ import annotations

from indexer.embedder import SentenceTransformerEmbedder
from indexer.multilingual import MULTILINGUAL_MODEL, MultilingualEmbedder
from schema.errors import ModelError
from schema.protocols import Embedder
from schema.settings import Settings


def embedder_of(settings: Settings) -> Embedder:
    """The embedder of `settings.model`; no file of it is read yet.

    Raises:
        ModelError: the model takes no prompts, and there are some.
    """
    if settings.model != MULTILINGUAL_MODEL:
        return SentenceTransformerEmbedder.of(settings)
    if settings.query_prompt or settings.document_prompt:
        raise ModelError(f"The model {MULTILINGUAL_MODEL} takes no prompts; leave query_prompt and document_prompt empty.")
    return MultilingualEmbedder()
