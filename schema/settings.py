"""Settings: flags over environment over settings file over defaults, each value checked and named in its error.

Refuses unknown names, values of the wrong kind and values out of range; reads no file but the project's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from schema.errors import SettingsError

#: Prefix of the environment variables, e.g. SECTIONARY_MODEL.
ENVIRONMENT_PREFIX = "SECTIONARY_"
#: Environment variables with the prefix that name something other than a setting.
_RESERVED = frozenset({"index"})
_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_CHOICES: dict[str, tuple[str, ...]] = {
    "token_encoding": ("cl100k_base", "o200k_base"),
    "precision": ("auto", "float32", "bfloat16"),
    "summaries": ("none", "extractive", "llm"),
    "llm_reply_format": ("json", "tags", "markdown"),
}
_MAX_BYTES = 1_000_000
#: Settings whose values are never shown, not even in an error.
_SECRETS = frozenset({"llm_api_key", "server_token"})
#: Settings of a user, not of a project: a file that came with somebody's documents must not choose them.
_PERSONAL = frozenset({"cache_dir", "keep_warm", "server_token"})


def _setting(
    default: Any, help_text: str, *, low: float | None = None, high: float | None = None, is_shown: bool = True
) -> Any:
    return field(default=default, repr=is_shown, metadata={"help": help_text, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a project can set, with its defaults; `metadata["help"]` of each field says what it does."""

    model: str = _setting(
        "all-MiniLM-L6-v2", "embedding model: the bundled all-MiniLM-L6-v2, or a sentence-transformers name or path"
    )
    query_prompt: str = _setting("", "text put before a query when it is embedded, if the model wants one")
    document_prompt: str = _setting("", "text put before a section when it is embedded, if the model wants one")
    device: str = _setting("auto", "torch device: auto, cpu, cuda, cuda:1, mps")
    precision: str = _setting("auto", "auto (bfloat16 where the processor has it), float32 or bfloat16")
    batch_tokens: int = _setting(4096, "most tokens the model reads at once, padding included", low=64, high=1 << 20)
    token_encoding: str = _setting("cl100k_base", "tiktoken vocabulary of token counts: cl100k_base or o200k_base")
    max_tokens_per_section: int = _setting(2000, "sections above this many tokens get a warning", low=1)
    max_file_bytes: int = _setting(10_000_000, "larger files are not indexed and are reported", low=1)
    include: tuple[str, ...] = _setting(("**/*.md", "**/*.markdown"), "globs of files to index")
    exclude: tuple[str, ...] = _setting((), "globs of files and folders to leave out")
    hidden: bool = _setting(False, "also look into files and folders whose name begins with a dot")
    gitignore: bool = _setting(True, "leave out what .gitignore files leave out")
    dense_weight: float = _setting(0.5, "share of the vector score in the hybrid score", low=0, high=1)
    reranker: str = _setting(
        "", "cross-encoder that orders the best hits anew: a sentence-transformers name or path; empty for none"
    )
    rerank_depth: int = _setting(20, "how many of the best hits a reranker reads", low=1, high=1000)
    summaries: str = _setting("none", "summaries of sections and documents: none, extractive (offline) or llm")
    summary_language: str = _setting(
        "", "language of summaries, such as ja; empty for that of each document (another one needs a language model)"
    )
    llm_base_url: str = _setting("", "base URL of an OpenAI-compatible server, as http://127.0.0.1:8080/v1")
    llm_model: str = _setting("", "name of the server's language model")
    llm_api_key: str = _setting("", "key of the server, if it wants one; never shown", is_shown=False)
    llm_timeout: float = _setting(120.0, "seconds in which a reply must be there", low=1, high=3600)
    llm_retries: int = _setting(3, "how often a request is sent again that met a busy or failing server", low=0, high=20)
    llm_concurrency: int = _setting(4, "requests to the language model at the same time", low=1, high=64)
    llm_max_tokens: int = _setting(600, "most tokens of a reply; doubled when one is cut off", low=16, high=1_000_000)
    llm_document_tokens: int = _setting(3000, "most tokens of document and of section in a prompt", low=50, high=1_000_000)
    keep_warm: int = _setting(
        0, "seconds for which a search leaves a server behind that answers the next at once; 0 for none", low=0, high=86_400
    )
    server_token: str = _setting("", "token that the server wants and `search` sends; never shown", is_shown=False)
    cache_dir: str = _setting("", "folder for what serves all indexes, as models' graphs; empty for the user's cache folder")
    llm_reply_format: str = _setting("json", "what the model writes its summaries in: json, tags or markdown")


def setting_names() -> tuple[str, ...]:
    """The names that flags, environment variables and settings files may use."""
    return tuple(f.name for f in fields(Settings))


def load_settings(root: Path, *, environ: Mapping[str, str], overrides: Mapping[str, Any] | None = None) -> Settings:
    """Settings of the project in `root`: overrides, then `environ`, then the project's file, then defaults.

    A key for a language model in the environment is left out where a project's file names the server that would get it.
    The project's file is `sectionary.toml`, or else `[tool.sectionary]` in `pyproject.toml`, directly in `root`.

    Raises:
        SettingsError: naming the file or variable, the setting, what came and what was expected.
    """
    settings = Settings()
    origin, table = _file_settings(root)
    settings = _apply(settings, table, origin=origin)
    named: dict[str, Any] = {}
    for variable, text in environ.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if variable.startswith(ENVIRONMENT_PREFIX) and name in setting_names() and name not in _RESERVED:
            named[name] = _from_text(name, text, origin=f"the environment variable {variable}")
    if "llm_api_key" in named and "llm_base_url" in table and "llm_base_url" not in named:
        del named["llm_api_key"]  # a project that somebody else wrote must not send it elsewhere
    settings = _apply(settings, named, origin="the environment")
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    return _apply(settings, given, origin="the command line")


def _file_settings(root: Path) -> tuple[str, dict[str, Any]]:
    for name, keys in (("sectionary.toml", ()), ("pyproject.toml", ("tool", "sectionary"))):
        path = root / name
        try:
            text = _read(path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"Cannot read the settings file {path}: {error}.") from error
        import tomllib  # most projects have no such file

        try:
            table: Any = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            if keys and "tool.sectionary" not in text:
                continue  # a broken pyproject.toml without our table is none of our business
            raise SettingsError(f"The settings file {path} is not valid TOML: {error}. Correct it or remove it.") from error
        for key in keys:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        if not isinstance(table, dict):
            raise SettingsError(f"In {path}, [tool.sectionary] must be a table of settings.")
        for setting in sorted(_PERSONAL & table.keys()):
            raise SettingsError(
                f"The setting {setting} (found in {path}) is a user's, not a project's; set the environment variable "
                f"{ENVIRONMENT_PREFIX}{setting.upper()} instead."
            )
        if table or not keys:
            return str(path), table
    return "", {}


def _read(path: Path) -> str:
    """The text of a file of reasonable size, and of nothing that only looks like one."""
    if path.exists() and not path.is_file():
        raise OSError("it is no file")
    with path.open("rb") as stream:
        data = stream.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(f"it is larger than {_MAX_BYTES:,} bytes")
    return data.decode("utf-8")


def _apply(settings: Settings, values: Mapping[str, Any], *, origin: str) -> Settings:
    checked = {}
    for name, value in values.items():
        if name not in setting_names():
            raise SettingsError(
                f"There is no setting {name!r} (found in {origin}); the settings are {', '.join(setting_names())}."
            )
        checked[name] = _check(name, value, origin=origin)
    return replace(settings, **checked)


def _check(name: str, value: Any, *, origin: str) -> Any:
    spec = next(f for f in fields(Settings) if f.name == name)
    default = spec.default

    def refuse(expected: str) -> SettingsError:
        came = "what was given" if name in _SECRETS else repr(value)
        return SettingsError(f"The setting {name} must be {expected}, not {came} (found in {origin}).")

    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise refuse("true or false")
    elif isinstance(default, int | float):
        kinds = (int,) if isinstance(default, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise refuse("a whole number" if isinstance(default, int) else "a number")
        low, high = spec.metadata["low"], spec.metadata["high"]
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise refuse(f"at least {low}" if high is None else f"between {low} and {high}")
        value = type(default)(value)
    elif isinstance(default, tuple):
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v.strip() for v in value):
            raise refuse("a list of texts that are not blank")
        value = tuple(value)
    else:
        if not isinstance(value, str):
            raise refuse("a text")
        if name in _CHOICES and value not in _CHOICES[name]:
            raise refuse(" or ".join(_CHOICES[name]))
        if name == "model" and not value.strip():
            raise refuse("the name or path of a model")
    return value


def _from_text(name: str, text: str, *, origin: str) -> Any:
    default = next(f for f in fields(Settings) if f.name == name).default
    if isinstance(default, bool):
        return _SWITCH.get(text.strip().lower(), text)
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(default, int | float):
        try:
            return type(default)(text)
        except ValueError as error:
            kind = "a whole number" if isinstance(default, int) else "a number"
            raise SettingsError(f"The setting {name} must be {kind}, not {text!r} (found in {origin}).") from error
    return text
