"""`Extraction`: sources → requests to a language model → new Markdown documents that say what they were made of.

A source that has its documents is not asked about again, so that a run goes on where the last one ended. No document is
replaced unless that is asked for, and never one that somebody has edited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path, PurePath
from threading import Thread
from typing import Any

from indexer.llm.documents import below_heading, replace_document, write_new
from indexer.llm.knowledge import Knowledge, KnowledgeExtractor, Report
from indexer.llm.origins import Origin, document_text, read_made
from indexer.llm.planning import ENTRY, REPORT, ExtractionReport, Planner, Request
from indexer.llm.reply import ReplyError
from indexer.llm.source_files import Source
from indexer.tokens import TokenCounter
from schema import protocols
from schema.clock import now
from schema.errors import ChatError, ChatUnavailableError
from schema.protocols import ChatClient, ChatReply
from schema.reports import Failure
from schema.text.characters import encodable, one_line, to_json

#: After so many requests in a row without a reply the model counts as unavailable, since each may take minutes.
_MAX_SILENT = 8
_LABELS = {
    "en": ("Report on {}", "Analysis", "Risks", "Figures"),
    "ja": ("{} のレポート", "分析", "リスク", "数値"),
    "ko": ("{} 보고서", "분석", "위험", "수치"),
    "zh": ("{} 报告", "分析", "风险", "数据"),
}


class Extraction:
    """Makes entries of a knowledge base, and with `reports` reports too, in the folder `out`.

    `model` is the name that the documents give. `language` is the code of the language to write in, "" for that of each
    source. A source of more than `part_tokens` tokens is cut, and each part gets documents of its own. `max_tokens` limits a
    reply; it is doubled for one that was cut off. With `may_replace`, documents of an earlier version of a source are
    replaced, unless they were edited. At most `concurrency` requests are made at a time.
    """

    def __init__(
        self,
        out: Path,
        *,
        model: str = "",
        reports: bool = False,
        language: str = "",
        part_tokens: int = 3000,
        max_tokens: int = 2000,
        may_replace: bool = False,
        concurrency: int = 1,
        counter: protocols.TokenCounter | None = None,
    ) -> None:
        self._out = out
        self._max_tokens = max_tokens
        self._concurrency = concurrency
        self._planner = Planner(
            out,
            kinds=(ENTRY, REPORT) if reports else (ENTRY,),
            model=one_line(encodable(model)),
            language=language,
            part_tokens=part_tokens,
            may_replace=may_replace,
            counter=counter or TokenCounter(),
        )

    def plan(self, sources: Sequence[Source], *, limit: int | None = None) -> ExtractionReport:
        """Return what a run would do; nothing is sent or written.

        Raises:
            OSError: the folder of the documents cannot be read.
        """
        report = ExtractionReport()
        for request in self._planner.requests(sources, report, lambda: False):
            if len(report.documents) == limit:
                report.waiting = len(sources) - request.number
                break
            report.documents.append(request.document)
        report.requests = len(report.documents)
        return report

    def run(
        self,
        sources: Sequence[Source],
        client: ChatClient,
        *,
        limit: int | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> ExtractionReport:
        """Make the documents that are missing, at most `limit`, and return a report; failures are told in it.

        `should_stop` is asked before anything is sent, repairs included; what comes of requests that were sent is still
        written. `progress` gets "extract", the number of requests that are done, and that of all as far as it is known.

        Raises:
            OSError: the folder of the documents cannot be read.
        """
        report = ExtractionReport()
        run = _Run(client, self._out, report, self._max_tokens, should_stop)
        asked: dict[Future[str], Request] = {}
        for request in self._planner.requests(sources, report, run.is_over):
            while len(asked) >= self._concurrency:
                run.take_finished(asked)
            if run.is_over() or report.requests == limit:
                report.waiting = len(sources) - request.number
                break
            report.requests += 1
            asked[run.begin(request)] = request
            if progress is not None:
                progress("extract", report.requests - len(asked), report.requests + len(sources) - request.number - 1)
        while asked:
            run.take_finished(asked)
        report.waiting += sum(number < len(sources) - report.waiting for number in run.given_up)
        if progress is not None:
            progress("extract", report.requests, report.requests)
        report.documents.sort(key=lambda document: (document.source, document.part, document.kind))
        report.failed.sort(key=lambda failure: failure.path)
        report.stopped = should_stop()
        return report


class _Run:
    """One run: asks for documents and writes those that come."""

    def __init__(
        self, client: ChatClient, out: Path, report: ExtractionReport, max_tokens: int, should_stop: Callable[[], bool]
    ) -> None:
        self._client = client
        self._out = out
        self._report = report
        self._max_tokens = max_tokens
        self._should_stop = should_stop
        self._silent = 0
        self._is_broken = False
        #: The numbers of sources that were given up when somebody asked to stop.
        self.given_up: set[int] = set()

    def is_over(self) -> bool:
        """Whether nothing more is to be asked for."""
        return self._is_broken or self._silent >= _MAX_SILENT or self._should_stop()

    def begin(self, request: Request) -> Future[str]:
        """Ask for a document in a thread of its own, which does not keep the process from ending."""
        future: Future[str] = Future()

        def work() -> None:
            try:
                future.set_result(self._ask(request))
            except BaseException as error:  # noqa: BLE001 — it is raised where the result is asked for
                future.set_exception(error)

        Thread(target=work, daemon=True).start()
        return future

    def _ask(self, request: Request) -> str:
        """Return the text of a document, as the model writes it; errors are those of `KnowledgeExtractor`."""
        client = _StoppableClient(self._client, self._should_stop)
        extractor = KnowledgeExtractor(client, language=request.origin.language, max_tokens=self._max_tokens)
        origin = replace(request.origin, date=now().isoformat(timespec="seconds"))
        if request.origin.kind == REPORT:
            return report_markdown(extractor.report(request.text), origin)
        return knowledge_markdown(extractor.extract(request.text), origin)

    def take_finished(self, asked: dict[Future[str], Request]) -> None:
        """Wait for a reply, and write each document that is finished."""
        for future in wait(asked, return_when=FIRST_COMPLETED).done:
            request = asked.pop(future)
            reason = self._written(future, request)
            if reason:
                document = request.document
                label = f", part {document.part} of {document.parts}" if document.parts > 1 else ""
                self._report.failed.append(Failure(f"{document.source}{label} ({document.kind})", reason))

    def _written(self, future: Future[str], request: Request) -> str:
        """Write the document of a reply; return why that cannot be done, "" if it was."""
        try:
            text = future.result()
        except ReplyError as error:
            self._silent = 0
            plain = ReplyError(error.kind, 0, "", "", detail=error.detail)  # without the text around the fault
            return f"The model's replies could not be used: {plain}; try again, or with another model."
        except _StoppedError:
            self.given_up.add(request.number)
            return ""
        except ChatError as error:
            self._silent += 1
            self._is_broken |= isinstance(error, ChatUnavailableError)
            return str(error)
        self._silent = 0
        document = request.document
        try:
            if request.replaced is not None and read_made(request.replaced.path) == request.replaced:
                replace_document(request.replaced.path, text)
            else:
                path = write_new(self._out, Path(document.path).stem, text)
                if document.is_replacement:
                    warning = f"{document.path} was edited meanwhile and is not replaced; the new document is {path}."
                    self._report.warnings.append(warning)
                document = replace(document, path=str(path), is_replacement=False)
        except OSError as error:
            self._is_broken = True
            return f"{document.path} cannot be written: {error.strerror or error}."
        self._report.documents.append(document)
        return ""


class _StoppedError(ChatError):
    """Raised when nothing more is sent, since somebody asked to stop."""


class _StoppableClient:
    """A client that sends nothing more once somebody asked to stop: each repair of a reply may take minutes."""

    def __init__(self, client: ChatClient, should_stop: Callable[[], bool]) -> None:
        self._client = client
        self._should_stop = should_stop

    def chat(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> ChatReply:
        """See `ChatClient`."""
        if self._should_stop():
            raise _StoppedError("The run was asked to stop.")
        return self._client.chat(messages, format=format, max_tokens=max_tokens)


def knowledge_markdown(entry: Knowledge, origin: Origin) -> str:
    """Return an entry as a Markdown document: its title, its summary as the first paragraph, and its content."""
    body = f"{below_heading(entry.summary, 1)}\n\n{below_heading(entry.summary_content, 1)}"
    return document_text(origin, title=entry.title, tags=[ENTRY], body=body)


def report_markdown(report: Report, origin: Origin) -> str:
    """Return a report as a Markdown document: its summary, then analysis, risks and figures (as JSON) if it has them."""
    heading, analysis, risks, figures = _LABELS.get(origin.language, _LABELS["en"])
    title = heading.format(PurePath(origin.source).name)
    if origin.parts > 1:
        title = f"{title} ({origin.part}/{origin.parts})"
    parts = [below_heading(report.summary, 1), f"## {analysis}\n\n{below_heading(report.analysis, 2)}"]
    if report.risks.strip():
        parts.append(f"## {risks}\n\n{below_heading(report.risks, 2)}")
    if report.metrics:
        parts.append(f"## {figures}\n\n```json\n{to_json(report.metrics, indent=2)}\n```")
    return document_text(origin, title=title, tags=[REPORT], body="\n\n".join(parts))
