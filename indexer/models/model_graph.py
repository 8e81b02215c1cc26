"""The graph of one model for queries: opened from the cache folder, or exported to it once.

Nothing here takes a lock: the embedder calls `get` and `prepare` while it holds its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from indexer.models.model_files import ModelFiles
from indexer.models.query_graph import GraphFolder, GraphRecord, QueryGraph
from schema.cache_folder import cache_folder
from schema.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

_log = logging.getLogger(__name__)


class ModelGraph:
    """The graph of the model in `files`, in one of three states, the last two of which are final:

    not tried (`opened` is None) → open (`opened` is the graph), or given up (none can be made).

    `cache_dir` is the setting. `tokenizer` gives the model's tokenizer, `load` the model in float32 on the CPU.
    """

    def __init__(
        self,
        files: ModelFiles,
        cache_dir: str,
        *,
        tokenizer: Callable[[], Tokenizer],
        load: Callable[[], SentenceTransformer],
    ) -> None:
        self._files = files
        self._cache_dir = cache_dir
        self._tokenizer = tokenizer
        self._load = load
        self.opened: QueryGraph | None = None
        self._is_given_up = False

    @cached_property
    def folder(self) -> GraphFolder | None:
        """The folder that the graph is kept in; None for a user without a cache folder."""
        return self.folder_of("")

    def folder_of(self, kind: str) -> GraphFolder | None:
        """Return the folder for a graph of another kind of the same model; None for a user without a cache folder."""
        cache = cache_folder(self._cache_dir)
        key = f"{self._files.key}-{kind}" if kind else self._files.key
        return GraphFolder(cache, key, self._files.identity) if cache else None

    def get(self) -> QueryGraph | None:
        """Return the graph, which is opened or made at the first call; None if there can be none."""
        if self.opened is None and not self._is_given_up:
            self.opened = self.open() or self.export()
            self._is_given_up = self.opened is None
        return self.opened

    def prepare(self) -> None:
        """Make the graph if it is not in the cache folder, and leave it closed."""
        if self.folder is not None and not self._is_given_up and not self.folder.is_settled():
            self._is_given_up = self.export() is None

    def is_settled(self) -> bool:
        """Tell whether the cache folder has the graph, or a record that there can be none."""
        return self.folder is not None and self.folder.is_settled()

    def record(self) -> GraphRecord | None:
        """Return what the cache folder knows of the graph; None if it has no graph."""
        found = self._any_record()
        return None if found is None or found.refusal else found

    def open(self) -> QueryGraph | None:
        """Return the graph in the cache folder, or None if there is none, or a damaged one."""
        record = self.record()
        if self.folder is None or record is None:
            return None
        try:
            return self.folder.open(record, self._tokenizer() if record.shares_tokenizer else None)
        except ModelError as error:
            _log.info("%s; the graph is made again", error)
            return None

    def export(self) -> QueryGraph | None:
        """Return a new graph, now in the cache folder, or None if none can be made."""
        found = self._any_record()
        if self.folder is None or (found is not None and found.refusal):
            return None
        try:
            made = self._english()
            if made is not None:
                return made
            from indexer.models.graph_export import export_graph

            return export_graph(
                self.folder,
                self._load,
                identity=self._files.identity(""),
                tokenizer=self._tokenizer() if self._files.tokenizer_file else None,
            )
        except (ModelError, OSError, MemoryError, ImportError) as error:
            _log.info("no graph for queries could be made of %s: %s", self._files.name, error)
            return None

    def _english(self) -> QueryGraph | None:
        """Return a new graph of the English model, made without torch; None for another model, and where that fails."""
        if not self._files.is_english or self._files.folder is None or self.folder is None:
            return None
        try:
            from indexer.models.english_graph import make_english_graph

            identity = self._files.identity("") or ""
            return make_english_graph(self.folder, self._files.folder, identity=identity, tokenizer=self._tokenizer())
        except (ModelError, ImportError) as error:
            _log.info("the graph of %s is exported from the model: %s", self._files.name, error)
            return None

    def _any_record(self) -> GraphRecord | None:
        """Return the record in the cache folder, be it of a graph or of a refusal."""
        return self.folder.record() if self.folder else None
