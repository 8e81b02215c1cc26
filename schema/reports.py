"""What an index run, a status and a check give back: `IndexReport`, `IndexStatus`, `VerifyReport` and their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Failure:
    """A path that should be searchable and is not (or not in its newest state), with the reason as one sentence."""

    path: str
    reason: str


@dataclass(slots=True, kw_only=True)
class IndexReport:
    """What one run did. Counts are of documents and sections; `timings` are wall seconds by phase.

    `sections_embedded` got a vector from the model, `vectors_reused` one that was made from the same text before;
    `sections_embedded_again` were read by the second model too.
    `summaries_written` were made now, of sections and of documents (without those that got none for want of prose);
    `summaries_failed` could not be made; `index summarize` tries again. `stopped` is True if the run was asked to stop
    before all was done. `left_out` counts by their ending, as ".pdf", the documents of other kinds that were seen and not
    indexed.
    """

    documents_added: int = 0
    documents_updated: int = 0
    documents_removed: int = 0
    documents_unchanged: int = 0
    sections_added: int = 0
    sections_updated: int = 0
    sections_removed: int = 0
    sections_unchanged: int = 0
    sections_embedded: int = 0
    vectors_reused: int = 0
    sections_embedded_again: int = 0
    summaries_written: int = 0
    summaries_failed: int = 0
    stopped: bool = False
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)

    def __iadd__(self, other: IndexReport) -> Self:
        """Add another phase's counts, failures, warnings and timings to this one."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                for key, value in theirs.items():
                    mine[key] = mine.get(key, 0) + value
            elif isinstance(mine, list):
                mine.extend(theirs)
            elif isinstance(mine, bool):
                self.stopped = mine or theirs
            else:
                setattr(self, name, mine + theirs)
        return self

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, by the names of its fields, as `index --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """The last run of a writer: `outcome` is "finished", "stopped" or "failed", or "unfinished" while it runs or if it died.

    Times are UTC in ISO 8601; `ended` is None for an unfinished run. `counts` are those of its `IndexReport`.
    """

    started: str
    ended: str | None = None
    outcome: str = "unfinished"
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RootInfo:
    """A folder or file that an index was made from: its path in the index, what it is called and what is said of it."""

    path: str
    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """What an index holds and how true it is.

    `documents` counts those with sections, `without_text` those that hold nothing to search.
    `dirty` counts sections whose vector is older than their text, `awaiting_second` those that only the second model has yet
    to read. `stale` are documents whose files have changed since they were indexed, `orphans` those whose files are gone,
    `new` files that the next run would add (None where they were not looked for), and `failed` paths that could not be read
    at their last visit.
    `summaries` counts sections that have one. `data_bytes` is the newest version's size, `disk_bytes` all that the index
    folder takes. `dialects` has the dialect of each folder that shows one ("" is the root, "*" what the settings say).

    What is trusted: `is_own` says whether this user made or allowed the index, `outside` are paths outside the project that
    runs may read again; of the settings in the project's `settings_file`, those that need the user's word are
    `settings_allowed` or `settings_left_out`.
    """

    index_dir: str
    root: str
    documents: int
    sections: int
    dirty: int
    summaries: int
    stale: tuple[str, ...]
    orphans: tuple[str, ...]
    failed: tuple[Failure, ...]
    paths: tuple[str, ...]
    last_run: RunRecord | None
    is_being_written: bool
    model: str
    dimension: int
    token_encoding: str
    schema_version: int
    data_bytes: int
    disk_bytes: int
    fragments: int
    unindexed_rows: int
    is_own: bool = True
    outside: tuple[str, ...] = ()
    settings_file: str = ""
    settings_allowed: tuple[str, ...] = ()
    settings_left_out: tuple[str, ...] = ()
    awaiting_second: int = 0
    dialects: Mapping[str, str] = field(default_factory=dict)
    roots: tuple[RootInfo, ...] = ()
    without_text: int = 0
    new: tuple[str, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The status as plain values, by the names of its fields, as `index status --json` prints them; `new` only where new
        files were looked for."""
        return {name: value for name, value in asdict(self).items() if name != "new" or value is not None}


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """One way in which the index is not what the files say; `path` is empty if the table itself differs.

    `kind` is one of: unreadable, missing, orphan, changed, duplicate, vector, index, statistics, links. `column` names the
    column whose index is meant, for the kind index.
    """

    path: str
    kind: str
    detail: str
    column: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What a check of the whole index found: `differences` are there now, `repaired` were there before a repair.

    `stopped`: the check or the repair was stopped before its end, and there may be more.
    """

    documents: int
    sections: int
    dirty: int
    differences: tuple[Difference, ...] = ()
    repaired: tuple[Difference, ...] = ()
    failed: tuple[Failure, ...] = ()
    stopped: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, by the names of its fields, as `index verify --json` prints them."""
        return asdict(self)


@dataclass(frozen=True, slots=True, order=True)
class BrokenLink:
    """A link in line `line` (1-based) of a document whose `target`, as written, leads to nothing.

    `missing` says what is not there, `suggestion` is a target that may have been meant, or empty. `place` is where the link
    stands in a file that was converted to Markdown, such as "cell 5", of which `line` says nothing.
    """

    path: str
    line: int
    target: str
    missing: str
    suggestion: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkReport:
    """What a check of all links found; `statuses` counts them by where they lead (see `schema.links`)."""

    documents: int
    links: int
    statuses: Mapping[str, int]
    broken: tuple[BrokenLink, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, by the names of its fields, as `index verify --links --json` prints them."""
        return asdict(self)
