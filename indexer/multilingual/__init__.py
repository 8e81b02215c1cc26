"""The multilingual model: from its package over arrays in the cache folder to vectors."""

from indexer.multilingual.embedder import MultilingualEmbedder
from indexer.multilingual.package import MODULE, MULTILINGUAL_MODEL

__all__ = ["MODULE", "MULTILINGUAL_MODEL", "MultilingualEmbedder"]
