"""Settings, and an embedder that may be given → who splits and embeds in a run, made when first asked for.

Loading their libraries takes longer than a run that finds nothing to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from schema.protocols import Embedder
from schema.settings import Settings
from schema.storage.fingerprint import SCHEMA_VERSION, SERVER_MODEL, prompted_name

if TYPE_CHECKING:
    from indexer.splitter import MarkdownSplitter
    from indexer.tokens import TokenCounter
    from indexer.workers.base import Workers


class RunTools:
    """Who splits, counts tokens and embeds by these settings; `given` is used instead of the embedder that they name.

    Each property may raise what `indexer.sync.jobs.who_works` raises.
    """

    def __init__(self, settings: Settings, given: Embedder | None = None) -> None:
        self._settings = settings
        self._given = given

    @property
    def made_with(self) -> Mapping[str, object]:
        """What is known, before anything is loaded, of what an index is made with: it is as before while this is."""
        s = self._settings
        named = f"{SERVER_MODEL}{s.embedding_model.strip()}" if s.embedding_base_url.strip() else s.model
        model = prompted_name(named, s.document_prompt) if self._given is None else self._given.name
        return {"model": model, "token_encoding": s.token_encoding, "schema_version": SCHEMA_VERSION}

    @property
    def expected(self) -> Mapping[str, str]:
        """What the fingerprint of an index has to say that is continued with these."""
        return {"model": self.embedder.name, "token_encoding": self.token_encoding}

    @property
    def token_encoding(self) -> str:
        """The vocabulary that tokens are counted by."""
        return self._settings.token_encoding

    @property
    def workers(self) -> Workers:
        """Who does the jobs."""
        return self._all[0]

    @property
    def embedder(self) -> Embedder:
        """The embedder of this process."""
        return self._all[1]

    @property
    def splitter(self) -> MarkdownSplitter:
        """The splitter of this process."""
        return self._all[2]

    @cached_property
    def counter(self) -> TokenCounter:
        """What counts tokens."""
        from indexer.tokens import TokenCounter

        return TokenCounter(self._settings.token_encoding)

    @cached_property
    def _all(self) -> tuple[Workers, Embedder, MarkdownSplitter]:
        from indexer.sync.jobs import who_works

        return who_works(self._settings, self._given)
