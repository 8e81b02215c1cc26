"""sentence-transformers and LanceDB by hand, with every word read: sections cut into pieces of at most 1,000 characters."""

from __future__ import annotations

from pathlib import Path

from interface import Part, cut, load, parts_of

Bare = load(Path(__file__).with_name("bare.py"))


class Adapter(Bare):
    """As `bare`, with a vector for each piece: about what fits the model's 256 tokens."""

    def pieces(self, text: str) -> list[Part]:
        """What gets a vector of its own."""
        return [piece for part in parts_of(text) for piece in cut(part, 1000)]
