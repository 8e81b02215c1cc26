"""Text → number of tokens, by tiktoken, from a vocabulary that comes with an installed package: nothing is downloaded."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import logging
import math
from functools import cache
from pathlib import Path

import numpy as np
import tiktoken

from schema import arguments
from schema.errors import ModelError
from schema.protocols import TokenSpan
from schema.text.characters import encodable

_log = logging.getLogger(__name__)

_SHA256 = {
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
}
# each vocabulary is defined with its pattern (tiktoken, openai_public)
_PATTERN = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k_base": "|".join(
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
}
_PACKAGE = "bpe_openai"
#: tiktoken needs over a second for a megabyte of one repeated character; texts are counted in pieces of this size.
PIECE_CHARACTERS = 400_000


class TokenCounter:
    """Counts tokens of one encoding, `cl100k_base` or `o200k_base`; never raises on any string.

    Raises:
        ArgumentError: there is no such encoding; of a method, the text is none.
    """

    def __init__(self, encoding: str = "cl100k_base") -> None:
        self._name = arguments.choice("encoding", encoding, _SHA256)
        self._warned = False

    @property
    def encoding(self) -> str:
        """Name of the vocabulary."""
        return self._name

    def count(self, text: str) -> int:
        """Number of tokens; a text that cannot be encoded is estimated as a quarter of its UTF-8 bytes, rounded up.

        >>> TokenCounter().count("hello world")
        2
        """
        arguments.text("text", text)
        try:
            encode = encoding_of(self._name).encode_ordinary
            if len(text) <= PIECE_CHARACTERS:
                return len(encode(text))
            pieces = range(0, len(text), PIECE_CHARACTERS)
            return sum(len(encode(text[i : i + PIECE_CHARACTERS])) for i in pieces)
        except (ValueError, RuntimeError, OverflowError) as error:
            if not self._warned:
                self._warned = True
                _log.warning("counting tokens failed (%s); a quarter of the bytes is used instead", error)
            return math.ceil(len(text.encode("utf-8", "replace")) / 4)

    def place(self, word: str) -> float:
        """The place of a word among the tokens, where what people write more often comes first; infinite for a word that is
        no token.

        >>> TokenCounter().place("backend") < TokenCounter().place("backed"), TokenCounter().place("bakcend")
        (True, inf)
        """
        tokens = encoding_of(self._name).encode_ordinary(f" {arguments.text('word', word)}")
        return tokens[0] if len(tokens) == 1 else math.inf

    def spans(self, text: str) -> list[TokenSpan]:
        """Return the (start, end) character offsets of the tokens, in order, without the blanks before a word.

        Tokens that are parts of one character have that character's offsets. In a text that cannot be encoded, every
        character counts as a token.

        >>> TokenCounter().spans("hello world")
        [(0, 5), (6, 11)]
        """
        if not arguments.text("text", text).strip():
            return []
        clean = encodable(text)
        found: list[TokenSpan] = []
        for at in range(0, len(clean), PIECE_CHARACTERS):
            piece = clean[at : at + PIECE_CHARACTERS]
            try:
                spans = _spans(encoding_of(self._name), piece)
            except (ValueError, RuntimeError, OverflowError):
                spans = [(i, i + 1) for i in range(len(piece))]
            found.extend((at + start, at + end) for start, end in spans)
        return found


def _spans(encoding: tiktoken.Encoding, text: str) -> list[TokenSpan]:
    ends = np.cumsum([len(encoding.decode_single_token_bytes(token)) for token in encoding.encode_ordinary(text)])
    data = np.frombuffer(text.encode(), np.uint8)
    # the number of each byte's character: all but the first byte of a character begin with the bits 10
    character = np.cumsum((data & 0xC0) != 0x80) - 1
    starts = character[np.concatenate([[0], ends[:-1]])].tolist()
    found = []
    for start, end in zip(starts, (character[ends - 1] + 1).tolist(), strict=True):
        word = text[start:end]
        found.append((end - len(word.lstrip()) if word.strip() else start, end))
    return found


@cache
def encoding_of(name: str) -> tiktoken.Encoding:
    """Return the encoding of a vocabulary, which is read once.

    Raises:
        ModelError: the vocabulary is missing or damaged.
    """
    data = _vocabulary(name)
    ranks = {}
    for line in data.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(name=name, pat_str=_PATTERN[name], mergeable_ranks=ranks, special_tokens={})


def _vocabulary(name: str) -> bytes:
    """Return the bytes of the `.tiktoken` file, checked against its publisher's digest."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            "The package bpe-openai, which holds the token vocabularies, is not installed; install Sectionary again."
        )
    folder = Path(spec.submodule_search_locations[0]) / "data"
    for path in sorted(folder.glob(f"{name}*")):
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        if hashlib.sha256(data).hexdigest() == _SHA256[name]:
            return data
    raise ModelError(
        f"The token vocabulary {name} in {folder} is missing or damaged; install the package bpe-openai==0.1.4 again."
    )
