"""The work of a run that needs neither files nor table, as jobs: texts → sections, rows → embeddings.

A job is done with `Tools`, by this process or by a worker, and gives the same wherever that is.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from indexer.convert.documents import DocumentText
from indexer.models.cores import use_cores
from indexer.models.loading import embedder_of
from indexer.models.model_files import ENGLISH_MODEL
from indexer.splitter import MarkdownSplitter, SplitDocument
from indexer.sync.embedding import embed_again, embed_rows
from indexer.tokens import TokenCounter
from indexer.workers.base import Workers
from indexer.workers.choice import workers_of
from schema.errors import SettingsError
from schema.project_file import SECRETS
from schema.protocols import Embedder, Vectors, second_of
from schema.settings import Settings
from schema.storage.fingerprint import joint_name, model_names
from schema.storage.rows import Embedding, StoredSection

#: Keys of front matter by which plugins for note takers mark their drawings.
_DRAWING = frozenset({"excalidraw-plugin"})
#: A job of this size is sent alone (bytes).
_ALONE = 1 << 20


@dataclass(frozen=True, slots=True)
class Tools:
    """What jobs are done with."""

    splitter: MarkdownSplitter
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What the tools of another process are made from: settings, and the embedder if it is not the one they name."""

    settings: Settings
    embedder: Embedder | None = None

    def tools(self, cores: int) -> Tools:
        """Return the tools of a process that may use so many processor cores; the model is loaded at the first text."""
        use_cores(cores)
        return Tools(splitter_of(self.settings), self.embedder or embedder_of(self.settings))


def who_works(settings: Settings, embedder: Embedder | None) -> tuple[Workers, Embedder, MarkdownSplitter]:
    """Return who splits and embeds by these settings, and the embedder and the splitter of this process.

    `embedder` is used instead of the one that the settings name. No keys are sent to another machine.

    Raises:
        ModelError, SettingsError: as `embedder_of`.
        SettingsError: a cluster is to use an embedding server, or a key would have to be sent to it.
        LibraryMissingError: a cluster is named, and Ray is not installed.
    """
    if settings.cluster and settings.embedding_base_url.strip() and embedder is None:
        raise SettingsError(
            "A cluster makes vectors with models, and not with the server of embedding_base_url; use --workers, or "
            "leave one out."
        )
    tools = Tools(splitter_of(settings), embedder or embedder_of(settings))
    secrets = SECRETS if settings.cluster else SECRETS - {"embedding_api_key"}
    changed: dict[str, Any] = {**dict.fromkeys(secrets, ""), "model": _absolute(settings.model)}
    setup = WorkerSetup(replace(settings, **changed), embedder)
    workers = workers_of(settings.workers, settings.cluster, tools=tools, setup=setup)
    return workers, tools.embedder, tools.splitter


def _absolute(model: str) -> str:
    """Return a model's name, with the folder in it as workers find it that run in another folder."""
    first, second = model_names(model)
    for before, name in (("", model), (first, second)):
        if name and name != ENGLISH_MODEL and Path(name).expanduser().is_dir():
            folder = str(Path(name).expanduser().resolve())
            return joint_name(before, folder) if before else folder
    return model


def splitter_of(settings: Settings) -> MarkdownSplitter:
    """Return the splitter that the settings describe."""
    counter = TokenCounter(settings.token_encoding)
    return MarkdownSplitter(max_tokens_per_section=settings.max_tokens_per_section, token_counter=counter)


@dataclass(frozen=True, slots=True)
class SplitFault:
    """A fault of ours in one document, which must not stop the run: the error, and where it was raised."""

    error: str
    traceback: str

    @classmethod
    def of(cls, error: Exception) -> SplitFault:
        """Return the fault of an error."""
        return cls(repr(error), "".join(traceback.format_exception(error)))


@dataclass(frozen=True, slots=True)
class SplitText:
    """Splits the text of the document `path`, written in `dialects`; `is_template`: it is one for notes."""

    path: str
    document: DocumentText
    dialects: tuple[str, ...]
    is_template: bool = False

    @property
    def size(self) -> int:
        """About as many bytes as the text has in memory."""
        return len(self.document.text) + len(self.path)

    @property
    def is_for_gpu(self) -> bool:
        """No."""
        return False

    def do(self, tools: Tools) -> SplitDocument | SplitFault:
        """Return what the document was split into, or the fault that kept it from being split."""
        try:
            return self.split(tools.splitter)
        except Exception as error:  # noqa: BLE001 — it is reported as a failure of this document
            return SplitFault.of(error)

    def split(self, splitter: MarkdownSplitter) -> SplitDocument:
        """Return the sections of the document, with all warnings about it."""
        path, document = self.path, self.document
        split = splitter.parse(document.text, path, dialects=self.dialects, places=document.places, with_properties=True)
        reason = self._left_out(split)
        if reason:
            return replace(split, sections=(), warnings=(f"{path}: it is left out, since it is {reason}",))
        warnings = tuple(f"{path}: {warning}" for warning in document.warnings)
        if split.front_matter_raw and not split.sections:
            warnings = (*warnings, f"{path}: it holds front matter alone, and no text to search")
        return replace(split, warnings=(*warnings, *split.warnings))

    def _left_out(self, split: SplitDocument) -> str:
        """Return what a file is that holds no text of its author, "" for a document."""
        if _DRAWING & split.front_matter.keys() or self.path.lower().endswith(".excalidraw.md"):
            return "a drawing"
        return "a template for notes" if self.is_template else ""


@dataclass(frozen=True, slots=True)
class EmbedRows:
    """Embeds the texts of rows by the first model; see `indexer.sync.embedding.embed_rows`."""

    rows: tuple[StoredSection, ...]
    is_for_gpu: bool = False

    @classmethod
    def of(cls, rows: Sequence[StoredSection], embedder: Embedder) -> EmbedRows:
        """Return the job for rows, without what the model does not need of them."""
        return cls(tuple(replace(_sent(row), embedding=None) for row in rows), runs_on_gpu(embedder))

    @property
    def size(self) -> int:
        """Enough to be sent alone: it takes seconds."""
        return _ALONE

    def do(self, tools: Tools) -> list[Embedding]:
        """Return the embedding of each row."""
        return [row.embedding for row in embed_rows(self.rows, tools.embedder) if row.embedding is not None]


@dataclass(frozen=True, slots=True)
class EmbedAgain:
    """Embeds the windows of rows by the second model; see `indexer.sync.embedding.embed_again`."""

    rows: tuple[StoredSection, ...]
    is_for_gpu: bool = False

    @classmethod
    def of(cls, rows: Sequence[StoredSection], second: Embedder) -> EmbedAgain:
        """Return the job for rows that all have embeddings, of which only the windows are sent."""
        nothing = np.zeros((0, 0), np.float32)
        bare = (
            replace(_sent(row), embedding=Embedding(nothing, nothing, row.embedding.windows, row.embedding.coverage))
            for row in rows
            if row.embedding is not None
        )
        return cls(tuple(bare), runs_on_gpu(second))

    @property
    def size(self) -> int:
        """Enough to be sent alone: it takes seconds."""
        return _ALONE

    def do(self, tools: Tools) -> list[Vectors]:
        """Return the second vectors of each row."""
        second = second_of(tools.embedder)
        found = embed_again(self.rows, second) if second is not None else []
        return [row.embedding.second for row in found if row.embedding is not None and row.embedding.second is not None]


def runs_on_gpu(embedder: Embedder) -> bool:
    """Tell whether an embedder computes on a GPU where there is one."""
    return bool(getattr(embedder, "runs_on_gpu", False))


def _sent(row: StoredSection) -> StoredSection:
    return replace(row, terms=None, front_matter={})
