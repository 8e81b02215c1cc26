"""The multilingual model: from its package over arrays in the cache folder to vectors."""

from indexer.models.multilingual.embedder import MultilingualEmbedder
from indexer.models.multilingual.package import MODULE, MULTILINGUAL_MODEL

__all__ = ["MODULE", "MULTILINGUAL_MODEL", "MultilingualEmbedder"]
