"""The peers by name: what each is called, which module asks it, and where its environment comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerEntry:
    """One system that is measured.

    `environment` names the requirements file and the folder of its packages, "" for the project's own. `weights` says what
    makes its vectors: `MiniLM` (the same files for all), `own`, or `none` where only words are searched.
    """

    name: str
    title: str
    environment: str = ""
    weights: str = "MiniLM"
    program: str = ""
    adapter: str = ""
    note: str = ""


OURS = "sectionary"
OURS_SAME_WEIGHTS = "sectionary_minilm"

PEERS: tuple[PeerEntry, ...] = (
    PeerEntry(name=OURS, title="Sectionary, default settings", weights="own"),
    PeerEntry(name=OURS_SAME_WEIGHTS, title="Sectionary, MiniLM"),
    PeerEntry(name="llamaindex", title="LlamaIndex, LanceDB", environment="llamaindex"),
    PeerEntry(name="haystack", title="Haystack, in memory", environment="haystack"),
    PeerEntry(name="txtai", title="txtai, hybrid", environment="txtai"),
    PeerEntry(name="langchain", title="LangChain, LanceDB", environment="langchain"),
    PeerEntry(name="memsearch", title="memsearch, Milvus Lite", environment="memsearch"),
    PeerEntry(name="haiku_rag", title="haiku.rag", environment="haiku_rag"),
    PeerEntry(name="bare", title="bare encoder, LanceDB: 256 tokens of a section", environment="bare"),
    PeerEntry(name="bare_pieces", title="bare encoder, LanceDB: all text", environment="bare"),
    PeerEntry(name="qmd", title="qmd, words only", environment="qmd", weights="none", adapter="qmd.mjs"),
    PeerEntry(name="sqlite_fts5", title="SQLite FTS5", weights="none"),
    PeerEntry(name="ripgrep", title="ripgrep", weights="none", program="rg"),
)
BY_NAME = {entry.name: entry for entry in PEERS}
