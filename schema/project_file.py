"""A project's settings file: what of it is used in any case, and what only if the user allowed exactly these values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schema.arguments import written
from schema.trust import forget, remember, remembered

#: Settings whose values are never shown, not even in an error.
SECRETS = frozenset({"llm_api_key", "embedding_api_key", "server_token"})


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A project's settings file. `path` is "" if there is none.

    `free` are the settings that are used in any case, `wanted` those that the user must allow.
    """

    root: Path
    path: str = ""
    free: Mapping[str, Any] = field(default_factory=dict)
    wanted: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_allowed(self) -> bool:
        """Whether the user allowed the settings that are wanted, with exactly these values."""
        return not self.wanted or remembered(self._subject) == (self._digest,)

    def allow(self) -> bool:
        """Remember that the user allows the settings; return False if nothing can be remembered."""
        return remember(self._subject, [self._digest])

    def forget(self) -> None:
        """Forget that the user allowed them."""
        forget(self._subject)

    @property
    def _subject(self) -> str:
        return f"settings of {self.root.resolve()}"

    @property
    def _digest(self) -> str:
        import hashlib
        import json

        return hashlib.sha256(json.dumps(dict(self.wanted), sort_keys=True).encode()).hexdigest()

    def shown(self) -> tuple[str, ...]:
        """Return the settings that are wanted, each as `name = value`."""
        shown = {name: "…" if name in SECRETS else written(value) for name, value in self.wanted.items()}
        # the longest first, so that it does not push others out of sight
        return tuple(f"{name} = {text}" for name, text in sorted(shown.items(), key=lambda item: (-len(item[1]), item[0])))
