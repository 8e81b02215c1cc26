"""Markdown as sites and note takers write it → what of it is markup, which no reader should find or see."""

from indexer.dialects.folders import Dialects
from indexer.dialects.markup import Markup, read_markup

__all__ = ["Dialects", "Markup", "read_markup"]
