"""Sources → the documents that a model has to be asked for: what is there already, how a long source is cut, which names.

Sources are read one after another, while others are being asked about, so that no more than one text is held at a time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from indexer.llm.attachments import attachment_text
from indexer.llm.documents import free_name, safe_name
from indexer.llm.knowledge import ENTRY_PROMPT, REPORT_PROMPT
from indexer.llm.origins import MadeDocument, MadeDocuments, Origin, sha256
from indexer.llm.parts import cut
from indexer.llm.prompts import load_prompt
from indexer.llm.source_files import Source
from schema.errors import AttachmentError
from schema.protocols import TokenCounter
from schema.reports import Failure
from schema.text.characters import encodable, one_line
from schema.text.language import language as language_of

ENTRY, REPORT = "knowledge", "report"
_PROMPTS = {ENTRY: ENTRY_PROMPT, REPORT: REPORT_PROMPT}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedDocument:
    """A document that was written, or would be: its path, its source, what it is ("knowledge" or "report"), which part of
    the source it is about (1..`parts`), and how many tokens of text the model is shown for it."""

    path: str
    source: str
    kind: str
    part: int
    parts: int
    tokens: int
    is_replacement: bool


@dataclass(slots=True, kw_only=True)
class ExtractionReport:
    """What a run did, or what it would do.

    `unchanged` are documents made of the same bytes by the same prompts before; `outdated` those of an earlier version of a
    source or prompt, which stay as they are, unless another source now has these bytes; `failed` are sources without a
    document, `waiting` counts those that this run did not come to. `requests` counts the documents that were asked for,
    without repairs and retries.
    """

    documents: list[ExtractedDocument] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    requests: int = 0
    waiting: int = 0
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A document to be made of a text, in the place of another or of none; `number` is that of its source, from 0."""

    text: str
    origin: Origin
    document: ExtractedDocument
    replaced: MadeDocument | None
    number: int


class Planner:
    """Finds what is to be asked for; the arguments are those of `Extraction`, `kinds` are ENTRY and REPORT."""

    def __init__(
        self,
        out: Path,
        *,
        kinds: Sequence[str],
        model: str,
        language: str,
        part_tokens: int,
        may_replace: bool,
        counter: TokenCounter,
    ) -> None:
        self._out = out
        self._kinds = kinds
        self._model = model
        self._language = language
        self._part_tokens = part_tokens
        self._may_replace = may_replace
        self._counter = counter

    def requests(
        self, sources: Sequence[Source], report: ExtractionReport, is_over: Callable[[], bool]
    ) -> Iterator[Request]:
        """Yield the requests for documents that are missing, in order; all else is noted in the report.

        Raises:
            OSError: the folder of the documents cannot be read.
        """
        made = MadeDocuments(self._out)
        seen: dict[str, str] = {}
        later: set[str] | None = None
        for number, source in enumerate(sources):
            if is_over():
                report.waiting = len(sources) - number
                return
            path = one_line(encodable(source.path))
            try:
                data = source.read()
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                report.failed.append(Failure(path, f"The file cannot be read: {reason}."))
                continue
            digest = sha256(data)
            first = seen.setdefault(digest, path)
            if first != path:
                report.warnings.append(f"{path} is a copy of {first}; the documents of one stand for both.")
                continue
            missing = [kind for kind in self._kinds if not self._is_there(made, kind, digest, report)]
            text = ""
            try:
                text = attachment_text(path, data) if missing else ""
            except AttachmentError as error:
                if is_over():  # an interrupt ends the program that reads such files too
                    report.waiting = len(sources) - number
                    return
                report.failed.append(Failure(path, str(error)))
                continue
            language = self._language or language_of(text)
            origins = [
                Origin(
                    kind=kind, source=path, sha256=digest, prompt=_prompt(kind), language=language, model=self._model,
                    part=part, parts=parts, characters=characters,
                )
                for part, parts, characters in self._parts(text)
                for kind in missing
            ]  # fmt: skip
            old = [
                one
                for kind in self._kinds
                for one in made.outdated(source=path, kind=kind, sha256=digest, prompt=_prompt(kind))
            ]
            if any(one.origin.sha256 != digest for one in old):
                if later is None:
                    later = _digests(sources[number + 1 :], is_over)
                    if is_over():  # not all of them may have been read
                        report.waiting = len(sources) - number
                        return
                # a document that was made of the bytes that another source now has is that source's
                old = [one for one in old if (of := one.origin.sha256) == digest or not (of in seen or of in later)]
            wanted = list(self._requests(source, number, text, origins, made, old, report))
            replaced = {request.replaced.path for request in wanted if request.replaced is not None}
            report.outdated += [str(one.path) for one in old if one.path not in replaced]
            yield from wanted

    def _is_there(self, made: MadeDocuments, kind: str, digest: str, report: ExtractionReport) -> bool:
        """Return whether a whole source has its documents of this kind; note them in the report if so."""
        found = made.whole(sha256=digest, kind=kind, prompt=_prompt(kind), language=self._language)
        report.unchanged += [str(one.path) for one in found]
        return bool(found)

    def _parts(self, text: str) -> list[tuple[int, int, tuple[int, int]]]:
        """Return number, count and offsets of each part of a text; a text that is not cut has no offsets."""
        ranges = cut(text, self._part_tokens, self._counter)
        if len(ranges) == 1:
            return [(1, 1, (0, 0))]
        return [(part, len(ranges), each) for part, each in enumerate(ranges, start=1)]

    def _requests(
        self,
        source: Source,
        number: int,
        text: str,
        origins: Sequence[Origin],
        made: MadeDocuments,
        old: Sequence[MadeDocument],
        report: ExtractionReport,
    ) -> Iterator[Request]:
        """Yield the requests for documents of a source that are not there, and reserve their names; `old` ones may go."""
        for origin in origins:
            known = made.same(origin)
            if known is not None:
                report.unchanged.append(str(known.path))
                continue
            replaced = _to_replace(old, origin, report) if self._may_replace else None
            path = self._out / free_name(_name(source, origin), made.names) if replaced is None else replaced.path
            made.names.add(path.name.casefold())
            shown = text
            if origin.parts > 1:  # what a part of a text is about may be said in the name of the file alone
                name = PurePath(origin.source).name
                shown = f"{name}, part {origin.part} of {origin.parts}\n\n{text[slice(*origin.characters)]}"
            document = ExtractedDocument(
                path=str(path),
                source=origin.source,
                kind=origin.kind,
                part=origin.part,
                parts=origin.parts,
                tokens=self._counter.count(shown),
                is_replacement=replaced is not None,
            )
            yield Request(shown, origin, document, replaced, number)


def _to_replace(old: Sequence[MadeDocument], origin: Origin, report: ExtractionReport) -> MadeDocument | None:
    """Return the document of an earlier version in whose place the new one is put; none if somebody edited it."""
    own = (origin.kind, origin.part, origin.language)
    for one in old:
        if (one.origin.kind, one.origin.part, one.origin.language) == own:
            if not one.is_edited:
                return one
            report.warnings.append(f"{one.path} was edited and is not replaced; the new document is put beside it.")
    return None


def _digests(sources: Sequence[Source], is_over: Callable[[], bool]) -> set[str]:
    """Return the hashes of the sources that can be read, until nothing more is to be done."""
    found = set()
    for source in sources:
        if is_over():
            break
        with contextlib.suppress(OSError, ValueError):
            found.add(sha256(source.read()))
    return found


def _prompt(kind: str) -> str:
    return f"{_PROMPTS[kind]}/{load_prompt(_PROMPTS[kind]).version}"


def _name(source: Source, origin: Origin) -> str:
    name = safe_name(source.name) + ("-report" if origin.kind == REPORT else "")
    return name if origin.parts == 1 else f"{name}-part-{origin.part:0{len(str(origin.parts))}}"
