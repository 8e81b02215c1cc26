"""The metadata of a node → which of it embeddings and language models are not shown."""

from __future__ import annotations

from collections.abc import Iterable

#: What a language model and an embedding model are shown of a node's metadata: what names it. The rest is for programs.
_SHOWN = frozenset({"path", "title", "heading_path"})


def excluded_keys(metadata: Iterable[str]) -> list[str]:
    """Return the names of the metadata that are kept from models."""
    return [name for name in metadata if name not in _SHOWN]
