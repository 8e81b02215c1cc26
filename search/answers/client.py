"""`SearchClient`: a question → the answer as JSON, from the running server of the index or else from this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schema.commands import print_error
from schema.settings import Settings
from search.answers.local_server import NoServerError, find_server, is_served

if TYPE_CHECKING:
    from search.answers.service import SearchService

#: What `SearchService` calls by another name than HTTP does.
_PARAMETERS = {"tags": "tag", "fields": "field"}


class SearchClient:
    """Answers about the index in `place`; `is_server_asked` allows to ask a server."""

    def __init__(self, place: Path, settings: Settings, *, is_server_asked: bool = True) -> None:
        self.place = place
        self._settings = settings
        self._is_server_asked = is_server_asked
        self._answers: SearchService | None = None

    def ask(
        self, path: str, parameters: Mapping[str, Any], locally: Callable[[SearchService], dict[str, Any]]
    ) -> dict[str, Any]:
        """The answer to GET `path` with these parameters, or what `locally` gives."""
        server = find_server(self.place, self._settings) if self._is_server_asked and self._answers is None else None
        if server is not None:
            try:
                told = server.ask(path, list(_pairs(parameters)), token=self._settings.server_token)
            except NoServerError:
                pass
            else:
                answer: dict[str, Any] = json.loads(told)
                return answer
        return locally(self._own())

    def keep_warm(self) -> None:
        """Leave a server behind that ends itself after idling, if the settings say so and this process had to answer."""
        is_wanted = self._settings.keep_warm and self._is_server_asked and self._answers is not None
        if not is_wanted or is_served(self.place):  # one that is busy, or has other settings
            return
        import importlib.util
        import subprocess

        if importlib.util.find_spec("fastapi") is None:
            print_error("search", "keep_warm needs the extra `server`: install sectionary[server] with pip.")
            return

        # -P: nothing in the working folder is taken for one of our modules
        command = [sys.executable, "-P", "-m", "search", "serve", "--quiet", "--port", "0"]
        command += ["--index", str(self.place.resolve()), "--model", self._settings.model]
        if self._settings.reranker:
            command += ["--reranker", self._settings.reranker]
        subprocess.Popen(
            [*command, "--idle", str(self._settings.keep_warm)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def _own(self) -> SearchService:
        if self._answers is None:
            from search.answers.service import SearchService

            self._answers = SearchService(self.place, settings=self._settings)
        return self._answers


def _pairs(parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for given, value in parameters.items():
        name = _PARAMETERS.get(given, given)
        if isinstance(value, tuple | list):
            yield from ((name, str(one)) for one in value)
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif value is not None:
            yield name, str(value)
