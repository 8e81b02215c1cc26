"""Settings files: the tables in them, and which settings a project's file may set without being allowed to.

Refuses files that are too large, are no text or are no TOML.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schema.errors import SettingsError
from schema.formats.endings import DOCUMENTS

#: Larger files are not read (bytes).
_MAX_BYTES = 1_000_000
#: Every pyproject.toml with our table holds this text.
_MARK = b"tool.sectionary"

#: Name of the user's own settings file, in the user's configuration folder.
USER_FILE = "settings.toml"
#: Settings that are the base URL of a server.
SERVERS = frozenset({"llm_base_url", "embedding_base_url"})
#: Settings of a user, which a project's file must not set at all.
PERSONAL = frozenset(
    {"cache_dir", "cluster", "embedding_api_key", "keep_warm", "server_token", "single_writer", "trace_queries", "workers"}
)
#: Settings that do no harm: a project's file may set them to any value by itself.
_HARMLESS = frozenset(
    {"token_encoding", "max_tokens_per_section", "exclude", "dense_weight", "min_relevance", "prefer_own_language",
     "recency_half_life", "rerank_depth", "precision", "llm_reply_format", "dialects"}
)  # fmt: skip
#: Settings that a project's file may lower by itself, but not raise.
_BOUNDED = frozenset({"max_file_bytes", "batch_tokens"})


def same_server(address: str, other: str) -> bool:
    """Tell whether two base URLs are the same address; a final slash makes no difference, and nothing else is interpreted.

    >>> same_server("https://mine/v1/", "https://mine/v1"), same_server("https://mine/v1", "https://mine@else/v1")
    (True, False)
    """
    return address.strip().rstrip("/") == other.strip().rstrip("/")


def needs_consent(name: str, value: Any, own: Any) -> bool:
    """Tell whether the user must allow a setting of a project's file; `own` is the value that the user has without it.

    >>> needs_consent("hidden", True, False), needs_consent("summaries", "llm", "none")
    (True, True)
    >>> needs_consent("batch_tokens", 64, 4096), needs_consent("batch_tokens", 8192, 4096)
    (False, True)
    """
    if value == own or name in _HARMLESS or (name in SERVERS and same_server(value, own)):
        return False
    if name in _BOUNDED:
        return bool(value > own)
    if name == "include":  # a project's file may include documents by itself
        return not all(pattern.lower().endswith(DOCUMENTS) for pattern in value)
    return name != "summaries" or value == "llm"


def read_table(path: Path, keys: tuple[str, ...] = ()) -> dict[str, Any] | None:
    """Return the settings in a TOML file under these keys; None if there is no file, or nothing under the keys.

    With keys the file belongs to others too, as pyproject.toml: without our table it may be unreadable.

    Raises:
        SettingsError: the file cannot be read, or there is something else than a table.
    """
    try:
        text = _read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        if keys and _MARK not in _beginning(path):
            return None
        raise SettingsError(f"Cannot read the settings file {path}: {error}.") from error
    from schema.formats.toml import read_toml  # most projects have no such file

    try:
        table: Any = read_toml(text)
    except ValueError as error:
        if keys and _MARK.decode() not in text:
            return None
        raise SettingsError(f"The settings file {path} is not valid TOML: {error}. Correct it or remove it.") from error
    for key in keys:
        table = table.get(key, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise SettingsError(f"In {path}, [tool.sectionary] must be a table of settings.")
    return table if table or not keys else None


def _read(path: Path) -> str:
    """Return the text of a plain file that is not too large."""
    if path.exists() and not path.is_file():
        raise OSError("it is no file")
    with path.open("rb") as stream:
        data = stream.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(f"it is larger than {_MAX_BYTES:,} bytes")
    return data.decode("utf-8")


def _beginning(path: Path) -> bytes:
    """Return the first bytes of a file that is too large or no text; `_MARK` if it cannot be read at all."""
    try:
        if not path.is_file():  # to open a pipe would wait
            return b""
        with path.open("rb") as stream:
            return stream.read(_MAX_BYTES)
    except OSError:
        return _MARK
