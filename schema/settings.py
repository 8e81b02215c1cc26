"""Settings: flags over environment over the project's file over the user's file over defaults, each value checked.

A project's file may have come with somebody else's documents. Settings in it that could do harm (models, servers, hidden
files) are left out until the user allows them. Refuses unknown names, values of the wrong kind and values out of range.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from schema import arguments
from schema.arguments import written
from schema.clock import days_of
from schema.errors import SettingsError
from schema.formats.endings import MARKDOWN
from schema.project_file import SECRETS, ProjectFile
from schema.settings_files import PERSONAL, USER_FILE, needs_consent, read_table, same_server
from schema.text.characters import one_line
from schema.trust import user_folder

#: Prefix of the environment variables, e.g. SECTIONARY_MODEL.
ENVIRONMENT_PREFIX = "SECTIONARY_"
#: What stands behind the prefix in environment variables that are no settings: folders, and options of commands.
OTHER_VARIABLES = ("INDEX", "TRUST", "CONFIG_DIR", "STATE_DIR", "LOG_FORMAT", "METRICS")
_SWITCH = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
#: Names of dialects, in the order in which their rules are asked.
DIALECTS = (
    "mdx",
    "docusaurus",
    "vitepress",
    "hugo",
    "mkdocs",
    "mdbook",
    "obsidian",
    "quarto",
    "starlight",
    "myst",
    "jekyll",
    "gitbook",
)
CHOICES: dict[str, tuple[str, ...]] = {
    "dialects": ("auto", *DIALECTS),
    "token_encoding": ("cl100k_base", "o200k_base"),
    "url_style": ("auto", "html", "clean", "folder"),
    "precision": ("auto", "float32", "bfloat16", "int8"),
    "summaries": ("none", "extractive", "llm"),
    "llm_reply_format": ("json", "tags", "markdown"),
}
_ADDRESS = re.compile(r"https?://[^\s/?#]+(?:/[^\s?#]*)?")
_CLUSTER = re.compile(r"ray|(?:ray://)?[\w.\-\[\]:]+:\d{1,5}")
#: Longer language tags are of no use (characters; RFC 5646, 4.4.1).
_MAX_LANGUAGE = 35
#: Numbers of this size and more do not fit into the 64 bits of the libraries that get them.
_LARGEST = 2**63
#: A model that knows sixteen languages, and one that knows English better beside it; both come with the installation.
DEFAULT_MODEL = "use-multilingual-v3+all-MiniLM-L6-v2"
#: Defaults that others use too: which files are indexed, the size of the largest (bytes), and the tokens of one batch.
INCLUDE, MAX_FILE_BYTES, BATCH_TOKENS = tuple(f"**/*{ending}" for ending in MARKDOWN), 10_000_000, 4096
#: The setting of each server, and of the key that is sent to it.
_KEYS = {"llm_base_url": "llm_api_key", "embedding_base_url": "embedding_api_key"}
#: Set to 1, it allows the project's settings file and the index, as if they were the user's own.
TRUST_VARIABLE = f"{ENVIRONMENT_PREFIX}TRUST"


def _setting(default: Any, text: str, *, low: float | None = None, high: float | None = None, is_shown: bool = True) -> Any:
    return field(default=default, repr=is_shown, metadata={"help": text, "low": low, "high": high})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything a project can set, with its defaults; `metadata["help"]` of each field says what it does."""

    model: str = _setting(
        DEFAULT_MODEL,
        "embedding model: use-multilingual-v3, with +all-MiniLM-L6-v2 for English beside it (the default) or alone, "
        "all-MiniLM-L6-v2 alone, or a sentence-transformers name or path",
    )
    query_prompt: str = _setting("", "text put before a query when it is embedded, if the model wants one")
    document_prompt: str = _setting("", "text put before a section when it is embedded, if the model wants one")
    device: str = _setting("auto", "torch device: auto, cpu, cuda, cuda:1, mps")
    precision: str = _setting("auto", "numbers the model computes with: auto, float32, bfloat16 or int8")
    batch_tokens: int = _setting(BATCH_TOKENS, "most tokens the model reads at once, padding included", low=64, high=1 << 20)
    token_encoding: str = _setting("cl100k_base", "tiktoken vocabulary of token counts: cl100k_base or o200k_base")
    max_tokens_per_section: int = _setting(2000, "sections above this many tokens get a warning", low=1)
    max_file_bytes: int = _setting(MAX_FILE_BYTES, "larger files are not indexed and are reported", low=1)
    include: tuple[str, ...] = _setting(INCLUDE, "globs of files to index, without regard to case")
    dialects: tuple[str, ...] = _setting(
        ("auto",),
        f"dialects of Markdown: auto (as configuration files and endings show), or some of {', '.join(DIALECTS)}; "
        "empty for none",
    )
    exclude: tuple[str, ...] = _setting((), "globs of files and folders to leave out")
    base_url: str = _setting(
        "", "address of the published site, as https://example.org/docs/; hits then have the addresses of their pages"
    )
    url_style: str = _setting(
        "auto", "how addresses of pages end: auto (as the site's generator does), html, clean or folder"
    )
    hidden: bool = _setting(False, "also look into files and folders whose name begins with a dot")
    convert: bool = _setting(False, "also index PDF, Word, HTML, notebook, reStructuredText and AsciiDoc files")
    gitignore: bool = _setting(True, "leave out what .gitignore files leave out")
    dense_weight: float = _setting(0.5, "share of the vector score in the hybrid score", low=0, high=1)
    min_relevance: float = _setting(0.3, "a section answers a question from this relevance on", low=0, high=1)
    prefer_own_language: bool = _setting(
        False, "sections in the question's language stand before others that answer about as well"
    )
    recency_half_life: str = _setting(
        "", "age at which half of the preference for recent documents is gone, as 90d or 12w; empty for none"
    )
    reranker: str = _setting(
        "", "cross-encoder that orders the best hits again: a sentence-transformers name or path; empty for none"
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
    embedding_base_url: str = _setting(
        "", "base URL of an OpenAI-compatible server that makes the vectors, in place of `model`; empty for none"
    )
    embedding_model: str = _setting("", "name of that server's embedding model")
    embedding_dimension: int = _setting(0, "length of its vectors; 0 asks the server", low=0, high=65_536)
    embedding_api_key: str = _setting("", "key of that server, if it wants one; never shown", is_shown=False)
    keep_warm: int = _setting(
        0, "seconds for which a search leaves a server behind that answers the next at once; 0 for none", low=0, high=86_400
    )
    server_token: str = _setting("", "token that the server wants and `search` sends; never shown", is_shown=False)
    cache_dir: str = _setting("", "folder for what serves all indexes, as models' graphs; empty for the user's cache folder")
    llm_reply_format: str = _setting("json", "what the model writes its summaries in: json, tags or markdown")
    workers: int = _setting(
        0, "processes that split and embed; 0 for this one alone, or one for each processor of a cluster", low=0, high=64
    )
    cluster: str = _setting(
        "", "Ray cluster that splits and embeds: ray, or an address as ray://HOST:10001 or HOST:6379; empty for none"
    )
    single_writer: bool = _setting(
        False, "no other process ever writes the index, for an object store without conditional writes"
    )
    trace_queries: bool = _setting(False, "put the text of questions into OpenTelemetry spans")

    def check(self) -> None:
        """Refuse values that settings of these names may not have: `SettingsError` names them and what was expected."""
        given = {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}
        _checked(given, origin="Settings(…)")


def setting_names() -> tuple[str, ...]:
    """Return the names that flags, environment variables and settings files may use."""
    return tuple(f.name for f in fields(Settings))


def load_settings(
    root: str | os.PathLike[str],
    *,
    environ: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    on_left_out: Callable[[ProjectFile, list[str]], None] | None = None,
    kept: Mapping[str, Any] | None = None,
) -> Settings:
    """Return the settings of the project in `root`: overrides, `environ`, the project's file, the user's, defaults.

    `kept` are what the index of the project was made with, in place of defaults (`schema.kept.kept_settings`).
    Settings that the project's file may not set by itself are left out unless the user allowed them (`index trust`), or
    `environ` has SECTIONARY_TRUST; then `on_left_out` is called with the file and their names (by default they are
    logged). A server's key that is not in the project's file is left out if only that file names the server that would get
    it: a server that the user names too, with the same address, gets the user's key.

    Raises:
        SettingsError: naming the file or variable, the setting, what came and what was expected.
    """
    root = Path(arguments.path("root", root))
    arguments.instance("environ", environ, Mapping, "a mapping such as os.environ")
    settings = _user_settings(kept or {})
    project = read_project_file(root)
    named: dict[str, Any] = {}
    for variable, text in environ.items():
        name = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
        if variable.startswith(ENVIRONMENT_PREFIX) and name in setting_names():
            origin = f"the environment variable {variable}"
            named[name] = _check(name, _from_text(name, text, origin=origin), origin=origin)
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    table = dict(project.free)
    if "exclude" in table:
        table["exclude"] = (*settings.exclude, *table["exclude"])
    if project.wanted:
        if is_trusted(environ) or project.is_allowed:
            table |= project.wanted
        else:
            left_out = sorted(project.wanted.keys() - named.keys() - given.keys())
            if left_out:
                (on_left_out or _log_left_out)(project, left_out)
    is_asked = "summaries" in named or "summaries" in given or settings.summaries != "none"
    is_ours = is_trusted(environ) or (bool(project.wanted) and project.is_allowed)
    if "summaries" in project.free and not is_asked and not is_ours:
        # summaries that a project asks for by itself must cost nothing, as translations by the user's language model would
        settings = replace(settings, summary_language="")
        named.pop("summary_language", None)
    # a project that somebody else wrote must not send the user's key elsewhere
    withheld: dict[str, Any] = {
        key: ""
        for url, key in _KEYS.items()
        if url in table and url not in named.keys() | given and not same_server(table[url], getattr(settings, url))
    }
    named = {name: value for name, value in named.items() if name not in withheld}
    settings = replace(settings, **withheld)
    settings = _apply(settings, table, origin=project.path)
    settings = replace(settings, **named)
    return _apply(settings, given, origin="the command line")


def left_out_sentence(project: ProjectFile, names: list[str]) -> str:
    """Return the message about settings of a project's file that are not used."""
    return (
        f"{_listed(names)} in {project.path} {'is' if len(names) == 1 else 'are'} not used until you allow it: look at the "
        "file and run `index trust`, or set what you want yourself."
    )


def _log_left_out(project: ProjectFile, names: list[str]) -> None:
    import logging  # a search that a server answers needs none of it

    logging.getLogger(__name__).warning("%s", one_line(left_out_sentence(project, names)))


def is_trusted(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment says that the project's settings file and the index are the user's own."""
    return _SWITCH.get(environ.get(TRUST_VARIABLE, "").strip().lower()) is True


def read_project_file(root: Path) -> ProjectFile:
    """Return the settings file of the project in `root`: `sectionary.toml`, or `[tool.sectionary]` in `pyproject.toml`.

    Raises:
        SettingsError: it cannot be read, or has a setting that is unknown, wrong or the user's alone.
    """
    for name, keys in (("sectionary.toml", ()), ("pyproject.toml", ("tool", "sectionary"))):
        path = root / name
        table = read_table(path, keys)
        if table is None:
            continue
        for setting in sorted(PERSONAL & table.keys()):
            raise SettingsError(
                f"The setting {setting} (found in {path}) is a user's, not a project's; set the environment variable "
                f"{ENVIRONMENT_PREFIX}{setting.upper()} instead."
            )
        checked = _checked(table, origin=str(path))
        own = _user_settings()
        wanted = {name: value for name, value in checked.items() if needs_consent(name, value, getattr(own, name))}
        free = {name: value for name, value in checked.items() if name not in wanted}
        return ProjectFile(root, str(path), free, wanted)
    return ProjectFile(root)


def _user_settings(kept: Mapping[str, Any] = MappingProxyType({})) -> Settings:
    """Return the settings in the user's own file, over those `kept` and the defaults."""
    folder = user_folder()
    table = read_table(folder / USER_FILE) if folder else None
    settings = _apply(Settings(), kept, origin="the index")
    return _apply(settings, table, origin=str(folder / USER_FILE)) if folder and table else settings


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _apply(settings: Settings, values: Mapping[str, Any], *, origin: str) -> Settings:
    return replace(settings, **_checked(values, origin=origin))


def _checked(values: Mapping[str, Any], *, origin: str) -> dict[str, Any]:
    checked = {}
    for name, value in values.items():
        if name not in setting_names():
            raise SettingsError(
                f"There is no setting {written(name)} (found in {origin}); the settings are {', '.join(setting_names())}."
            )
        checked[name] = _check(name, value, origin=origin)
    return checked


def _check(name: str, value: Any, *, origin: str) -> Any:
    spec = next(f for f in fields(Settings) if f.name == name)
    default = spec.default

    def refuse(expected: str) -> SettingsError:
        came = "what was given" if name in SECRETS else written(value)
        return SettingsError(f"The setting {name} must be {expected}, not {came} (found in {origin}).")

    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise refuse("true or false")
    elif isinstance(default, int | float):
        kinds = (int,) if isinstance(default, int) else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds) or abs(value) >= _LARGEST:
            raise refuse("a whole number" if isinstance(default, int) else "a number")
        low, high = spec.metadata["low"], spec.metadata["high"]
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise refuse(f"at least {low}" if high is None else f"between {low} and {high}")
        value = type(default)(value)
    elif isinstance(default, tuple):
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v.strip() for v in value):
            raise refuse("a list of texts that are not blank")
        if name in CHOICES and not set(value) <= set(CHOICES[name]):
            raise refuse(f"a list of {', '.join(CHOICES[name])}")
        value = tuple(value)
    else:
        if name == "recency_half_life" and type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            raise refuse("a text")
        if name == "recency_half_life":
            try:
                days_of(value)
            except ValueError as error:
                raise refuse("a number of days such as 90d or 12w") from error
        if name in CHOICES and value not in CHOICES[name]:
            raise refuse(" or ".join(CHOICES[name]))
        if name == "model" and not value.strip():
            raise refuse("the name or path of a model")
        if name == "base_url" and value and not _ADDRESS.fullmatch(value):
            raise refuse("an address such as https://example.org/docs/")
        if name == "cluster" and value and not _CLUSTER.fullmatch(value):
            raise refuse("ray or an address such as ray://HOST:10001 or HOST:6379")
        if name == "summary_language" and len(value) > _MAX_LANGUAGE:
            raise refuse("a code such as ja or pt-BR")
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
