"""Texts → tokens of a SentencePiece model of the kind unigram, computed by the library tokenizers.

The library needs a quarter of a second to take in 128,000 pieces, and a query can contain but a few of them. For little
text it is therefore given only the pieces that stand in that text, which makes the same tokens of it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from schema.protocols import TokenSpan
from schema.text.characters import encodable

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

UNKNOWN, BEGIN, END = 0, 1, 2
#: Texts of together more characters than this are read with all pieces: looking up theirs takes about as long.
FEW_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text; `numbers` has the number of each piece that the tokenizer knew."""

    encoding: Encoding
    numbers: Sequence[int]

    @property
    def ids(self) -> list[int]:
        """The numbers of the tokens."""
        return [self.numbers[i] for i in self.encoding.ids]

    @property
    def spans(self) -> list[TokenSpan]:
        """Where each token stands in the text (characters); what the model adds itself stands nowhere."""
        return list(self.encoding.offsets)


class Vocabulary:
    """The pieces of a model. Many threads may use one.

    `pieces` are bytes of UTF-8 by number, `order` their numbers as the bytes are ordered, `characters` the rules by which
    characters are replaced, in the library's own format. No piece has more than `longest` characters.
    """

    def __init__(
        self,
        pieces: npt.NDArray[np.bytes_],
        order: npt.NDArray[np.int32],
        scores: npt.NDArray[np.float32],
        characters: bytes,
        *,
        longest: int,
    ) -> None:
        self._pieces, self._order, self._scores, self._characters = pieces, order, scores, characters
        self._longest = longest
        self._lock = threading.Lock()
        self._full: Tokenizer | None = None
        self._rules: Any = None

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""
        clean = list(map(encodable, texts))
        with self._lock:
            if self._full is None and sum(map(len, clean)) > FEW_CHARACTERS:
                self._full = self._tokenizer(range(len(self._pieces)))
            tokenizer = self._full
        numbers: Sequence[int] = range(len(self._pieces))
        if tokenizer is None:
            numbers = self._standing_in(clean)
            tokenizer = self._tokenizer(numbers)
        return [Tokens(found, numbers) for found in tokenizer.encode_batch(clean, add_special_tokens=False)]

    def _standing_in(self, texts: Sequence[str]) -> list[int]:
        """The numbers of all pieces that stand in texts as the tokenizer reads them, in order.

        Among them are the unknown piece, which has to be the first, and the one of least score, by which the library
        reckons what an unknown character costs.
        """
        normalizer, splitter = self._steps()
        width = self._pieces.itemsize
        words = {word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))}
        parts = {word[i : i + n].encode() for word in words for i in range(len(word)) for n in range(1, self._longest + 1)}
        wanted = np.array([part for part in parts if len(part) <= width], self._pieces.dtype)
        places = np.searchsorted(self._pieces, wanted, sorter=self._order)
        near = self._order[np.minimum(places, len(self._order) - 1)]
        found = near[self._pieces[near] == wanted]
        return sorted({UNKNOWN, int(self._scores.argmin()), *found.tolist()})

    def _tokenizer(self, numbers: Sequence[int]) -> Tokenizer:
        """A tokenizer that knows the pieces of these numbers, the first of which is the unknown one."""
        from tokenizers import Tokenizer, models

        known = np.asarray(numbers)
        texts = [piece.decode("utf-8", "replace") for piece in self._pieces[known].tolist()]
        pieces = list(zip(texts, self._scores[known].tolist(), strict=True))
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
        tokenizer.normalizer, tokenizer.pre_tokenizer = self._steps()
        return tokenizer

    def _steps(self) -> tuple[Any, Any]:
        """What a text goes through before it is cut into pieces."""
        from tokenizers import Regex, normalizers, pre_tokenizers

        if self._rules is None:
            self._rules = normalizers.Precompiled(self._characters)
        normalizer = normalizers.Sequence([self._rules, normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
        return normalizer, pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
