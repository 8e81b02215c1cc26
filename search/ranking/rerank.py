"""A ranking and a model that reads query and section together → the first hits in the model's order."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.models.hub import is_on_this_machine
from indexer.models.weights import refuse_pickles
from schema.errors import ModelError
from schema.protocols import Reranker
from schema.sections import Section
from search.ranking.rank import Ranked

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers by name or folder, loaded at the first query; no code of a model is run."""

    def __init__(self, model: str, *, device: str = "auto") -> None:
        self._name = model
        self._device = device
        self._using = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name or folder."""
        return self._name

    def rerank(self, query: str, sections: Sequence[Section]) -> list[float]:
        """One relevance for each section, 0..1, in the order given."""
        if not sections:
            return []
        pairs = [(query, "\n".join((" > ".join(section.breadcrumb), section.body))) for section in sections]
        from torch.nn import Sigmoid

        with self._using:  # a tokenizer is not thread-safe, and the model is loaded once
            found = self._model.predict(pairs, show_progress_bar=False, activation_fn=Sigmoid())
        return [float(score) for score in np.asarray(found, np.float64).reshape(len(pairs), -1)[:, -1]]

    @cached_property
    def _model(self) -> CrossEncoder:
        folder = Path(self._name).expanduser()
        options: dict[str, Any] = {} if self._device == "auto" else {"device": self._device}
        if folder.is_dir():
            refuse_pickles(folder)
        try:
            from sentence_transformers import CrossEncoder

            return CrossEncoder(
                str(folder) if folder.is_dir() else self._name,
                local_files_only=folder.is_dir() or is_on_this_machine(self._name),
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
                **options,
            )
        except Exception as error:
            reason = " ".join(str(error).split())[:300]
            raise ModelError(
                f"The reranker {self._name} cannot be loaded ({reason}); give the folder of a cross-encoder with "
                "safetensors weights, or leave the setting reranker empty."
            ) from error


def reranked(reranker: Reranker, query: str, ranked: Sequence[Ranked], sections: Sequence[Section]) -> list[Ranked]:
    """Return the first hits, whose `sections` are given, in the reranker's order, then the rest in theirs; the scores of the
    rest are lowered where they would be above the first ones."""
    first, rest = ranked[: len(sections)], ranked[len(sections) :]
    found = reranker.rerank(query, sections)
    judged = [
        replace(hit, score=score, scores={**hit.scores, "rerank": score}, parts={"rerank": score})
        for hit, score in zip(first, found, strict=True)
    ]
    judged.sort(key=lambda hit: -hit.score)
    lowest = judged[-1].score if judged else 1.0
    scale = lowest / rest[0].score if rest and rest[0].score > lowest else 1.0
    return [*judged, *(_scaled(hit, scale) for hit in rest)]


def _scaled(hit: Ranked, scale: float) -> Ranked:
    return replace(hit, score=hit.score * scale, parts={name: part * scale for name, part in hit.parts.items()})
