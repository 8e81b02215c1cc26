"""Files, folders and standard input → the sources to extract knowledge from, each with its name and its bytes.

Folders are walked as `index` walks them, for the kinds of files that can be read as text; nothing outside of them is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import BinaryIO

from indexer.discover import discover
from indexer.llm.attachments import MAX_BYTES
from indexer.reading import FoundFile, read_file
from schema.formats.endings import CONVERTED, DOCUMENTS
from schema.reports import Failure
from schema.sections import file_name

#: The endings of the files that are taken from a folder; one that is given by name may have any that can be read.
ENDINGS = (*DOCUMENTS, *CONVERTED)


@dataclass(frozen=True, slots=True)
class Source:
    """A text to extract from: `path` names it in documents and messages, `name` begins the names of its documents.

    `read` returns its bytes and raises OSError or ValueError if it cannot.
    """

    path: str
    name: str
    read: Callable[[], bytes]


@dataclass(slots=True)
class FoundSources:
    """The sources that were found, and the files that cannot be taken, with the reason; warnings are sentences."""

    sources: list[Source] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def find_sources(
    paths: Sequence[Path],
    *,
    root: Path,
    out: Path | None = None,
    exclude: Sequence[str] = (),
    hidden: bool = False,
    gitignore: bool = True,
) -> FoundSources:
    """Return the sources in files and folders, each once, in the order given; those of a folder by their names.

    Their paths are relative to `root`. What lies in `out`, the folder of the documents, is not taken from a folder above it.

    Raises:
        SourceError: a path does not exist, or is neither a folder nor a file.
    """
    found = FoundSources()
    known: set[str] = set()
    for path in paths:
        is_folder = path.is_dir()
        walked = discover(
            [path],
            root=root,
            include=[f"*{ending}" for ending in ENDINGS] if is_folder else ["*"],
            exclude=exclude,
            max_file_bytes=2**63,  # larger ones are told below, by the limit that holds here
            hidden=hidden,
            gitignore=gitignore,
        )
        found.failed += walked.failed
        found.warnings += walked.warnings
        base = path.resolve()
        files = [file for file in walked.files if not (is_folder and _is_below(file, out))]
        if len(files) < len(walked.files):
            found.warnings.append(
                f"{len(walked.files) - len(files)} files in {out} are left out, since the documents are written there."
            )
        for file in files:
            if file.size > MAX_BYTES:
                found.failed.append(Failure(file.path, f"It has {file.size:,} bytes; give one of at most {MAX_BYTES:,}."))
            elif file.location not in known:
                known.add(file.location)
                below = PurePath(file.location).relative_to(base).with_suffix("") if is_folder else file_name(file.location)
                found.sources.append(_source(file, str(below)))
    return found


def standard_input(name: str, stream: BinaryIO) -> Source:
    """Return what comes on a stream as a source; a name without an ending is that of a text."""
    path = name if PurePath(name).suffix else f"{name}.txt"
    return Source(path, str(PurePath(path).with_suffix("")), lambda: stream.read(MAX_BYTES + 1))


def _source(file: FoundFile, name: str) -> Source:
    return Source(file.path, name, lambda: read_file(file))


def _is_below(file: FoundFile, folder: Path | None) -> bool:
    return folder is not None and Path(file.location).is_relative_to(folder.resolve())
