"""The errors a caller can act on: one base, one class for each decision.

Everything a user can cause derives from `SectionaryError`, whose message is one sentence that says what came, what was
expected and what to do. A wrong argument is an `ArgumentError`, which is a `ValueError` too.
"""

from __future__ import annotations

from pathlib import Path, PurePath

#: What to call an index folder in a message: the address of the object store that it stands for (`schema.remote.folders`).
SHOWN_AS: dict[str, str] = {}


class SectionaryError(Exception):
    """Base of every error that a user's input, files or index can cause."""


class ArgumentError(SectionaryError, ValueError):
    """An argument has the wrong type or a value out of its range; the message names it, its value and what it takes."""


class ClosedError(SectionaryError, ValueError):
    """A search engine or an indexer was used after it was closed."""


class LibraryMissingError(SectionaryError, ImportError):
    """A library that is not among Sectionary's own is needed for this and is not installed."""


class SettingsError(SectionaryError):
    """A settings file, environment variable or flag holds something that cannot be used."""


class SourceError(SectionaryError):
    """A path given for indexing is missing, unreadable or not something that can be indexed."""

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path


class QueryError(ArgumentError):
    """A query or its filters cannot be searched for, for example because the query is blank.

    `code` names the reason for programs, as "field_since"; the message may change, and the code not.
    """

    def __init__(self, message: str, *, code: str = "invalid_query") -> None:
        super().__init__(message)
        self.code = code


class NotIndexedError(SectionaryError):
    """The index has no such section or document."""


class IndexStoreError(SectionaryError):
    """The index cannot be used as it is; the subclasses say why."""

    def __init__(self, message: str, *, index_dir: Path) -> None:
        place = str(index_dir)
        super().__init__(message.replace(place, SHOWN_AS[place]) if place in SHOWN_AS else message)
        self.index_dir = index_dir


class IndexNotFoundError(IndexStoreError):
    """There is no index where one was looked for."""


class IndexIncompatibleError(IndexStoreError):
    """The index was made by another model, dimension, token encoding or schema version.

    `expected` and `found` hold the values that differ, by name.
    """

    def __init__(self, message: str, *, index_dir: Path, expected: dict[str, str], found: dict[str, str]) -> None:
        super().__init__(message, index_dir=index_dir)
        self.expected = expected
        self.found = found


class IndexDamagedError(IndexStoreError):
    """The index is there but cannot be read: a missing or damaged file."""


class IndexAccessError(IndexStoreError):
    """The index's files cannot be read or written: missing rights, a read-only or a full disk. The index itself is sound."""


class IndexUntrustedError(IndexStoreError):
    """The index was made by somebody else, or leads out of its folder: it is not used until the user says so."""


class IndexLockedError(IndexStoreError):
    """Another process is writing to the index."""


class ModelError(SectionaryError):
    """An embedding model or a vocabulary cannot be loaded, or is not the one it should be."""


class EmbeddingServerError(ModelError):
    """The server that makes the vectors gives none, or none that can be used; sections are still found by their words."""


class WorkersError(SectionaryError):
    """Processes or a cluster that are to do the work cannot be started or asked, or end again and again."""


class ChatError(SectionaryError):
    """A language model gave no reply to a request: a timeout, an error of its server, a request that it refuses."""


class ChatUnavailableError(ChatError):
    """A language model cannot be asked at all: no server, no rights, no such model."""


class SummaryError(SectionaryError):
    """A text got no summary: the language model gave no reply (`is_silent`), or none that could be used."""

    def __init__(self, message: str, *, is_silent: bool = False) -> None:
        super().__init__(message)
        self.is_silent = is_silent


class SummarizerUnavailableError(SummaryError):
    """No text can get a summary now, since the language model cannot be asked."""


class AttachmentError(SectionaryError):
    """A file cannot be read as an attachment: an unknown kind, damaged, protected, too large or without text."""


class ConversionError(SectionaryError):
    """A file cannot be converted to Markdown: `reason` says why, as a sentence without its subject, the file.

    `is_lasting`: it cannot be converted later either, unless the file changes.
    """

    def __init__(self, reason: str, *, name: str, is_lasting: bool = True) -> None:
        super().__init__(f"{PurePath(name).name or name} {reason}")
        self.reason = reason
        self.is_lasting = is_lasting
