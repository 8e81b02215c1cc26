"""Checked arguments of an agents' tool → its answer within a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schema.requests import MOST_CHANGES, SearchRequest
from schema.sections import LINE_END, is_id
from schema.text.characters import one_line, printable
from search.answers.brief import brief_changes, brief_hits, brief_links, brief_pack, brief_search, brief_section
from search.answers.budget import (
    Answer,
    Budget,
    fit_changes,
    fit_context,
    fit_documents,
    fit_links,
    fit_outline,
    fit_search,
    fit_section,
    fit_sections,
    fit_status,
)
from search.answers.wire import spelt
from search.context.advice import NO_ANSWER, NOTHING_FOUND, unknown_path
from search.server.arguments import ArgumentError

if TYPE_CHECKING:
    from search.answers.service import SearchService

_UNANSWERED = f"{NO_ANSWER} The hits are only the nearest: say so, or ask in other words."
_NOTHING = f"{NO_ANSWER} {NOTHING_FOUND}"

#: A line is shown with those before it that belong to it, if they are fewer.
_NEAR = 10
#: More changed sections than the largest answer has room for (a section takes some 60 tokens or more).
_MOST_LISTED = 500


def search(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The best sections with their snippets, or with their contents if `content` says so."""
    request = SearchRequest.of(given["query"], given)
    found = answers.search(request)
    if not found["answered"] and (found["results"] or "advice" not in found):
        _advise(found, _UNANSWERED if found["results"] else _NOTHING)
    shown = spelt(found)
    return fit_search(shown if given["content"] else brief_search(shown), budget, offset=request.offset)


def get_section(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """One section with what stands around it, or the texts of several sections or of a document."""
    named = [name for name in ("id", "ids", "document_path") if name in given]
    if len(named) != 1:
        raise ArgumentError("get_section takes one of the arguments id, ids and document_path.")
    if named == ["ids"]:
        paths = _paths(answers, given["ids"])
        found = spelt(answers.sections([_reference(paths, one) for one in given["ids"]]))
    else:
        (typed,) = (given[name] for name in named)
        paths = _paths(answers, [typed])
        path = _document(paths, typed)
        if named == ["id"] and (is_id(typed) or not answers.is_document(path)):
            return _one_section(answers, _reference(paths, typed), given, budget)
        found = spelt(answers.document(path))
    offset = given["offset"]
    length = sum(len(section["content"]) for section in found["sections"])
    _check_offset(offset, length, "the length of these sections' contents")
    return fit_sections(found, budget, offset=offset)


def _one_section(answers: SearchService, reference: str, given: Mapping[str, Any], budget: Budget) -> Answer:
    """One section, from its beginning or, where it does not fit, from the line on that the reference names."""
    section_id, line = (reference, None) if is_id(reference) else answers.place_of(reference)
    found = brief_section(spelt(answers.section(section_id)))
    offset = given["offset"]
    _check_offset(offset, len(found["content"]), "the length of this section's content")
    if offset or line is None or budget.holds(found):
        return fit_section(found, budget, offset=offset)
    content = found["content"]
    blank = LINE_END.findall(content[: len(content) - len(content.lstrip())])  # before the heading
    begin = _begin_of_line(content, line - found["start_line"] + len(blank))
    return fit_section(_from_line(found, line) if begin else found, budget, offset=begin)


def _from_line(section: Answer, line: int) -> Answer:
    told = (
        f"The content begins near line {line}, as asked for; get_section with the id reads the section from its beginning."
    )
    return {**section, "advice": told}


def _begin_of_line(content: str, number: int) -> int:
    """Where a line of a content begins, counted from 0, or what the line is a part of, if that begins a few lines before."""
    lines = LINE_END.split(content)
    number = max(0, min(number, len(lines) - 1))
    first = next((at for at in range(number, max(0, number - _NEAR), -1) if not lines[at - 1].strip()), number)
    ends = [match.end() for match in LINE_END.finditer(content)]
    return ends[first - 1] if first else 0


def _check_offset(offset: int, length: int, what: str) -> None:
    if offset >= max(length, 1):
        raise ArgumentError(f"The argument offset takes less than {length:,}, {what}.")


def outline(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The sections of a document."""
    path = _document(_paths(answers, [given["document_path"]]), given["document_path"])
    return fit_outline(spelt(answers.outline(path)), budget, offset=given["offset"])


def links(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The links of a section and to it, and those most like it if `similar` says so."""
    section = given["section"]
    found = brief_links(spelt(answers.links(_reference(_paths(answers, [section]), section))))
    if given["similar"]:
        found["similar"] = brief_hits(spelt(answers.similar(found["id"]))["results"])
    unlisted = [
        f"the first {len(found[name])} of {found[count]:,} {name}"
        for name, count in (("links", "link_count"), ("backlinks", "backlink_count"))
        if len(found[name]) < found[count]
    ]
    if unlisted:
        _advise(found, f"Listed are {' and '.join(unlisted)}: those of each section of a document are listed by themselves.")
    return fit_links(found, budget, offset=given["offset"])


def changes(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The sections that were added, changed or removed since a moment or the last run that changed something."""
    most = min(MOST_CHANGES, given["offset"] + _MOST_LISTED)
    found = spelt(answers.changes(given.get("since"), path=given.get("path", ()), limit=most))
    return fit_changes(brief_changes(found), budget, offset=given["offset"])


def list_documents(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The documents whose paths begin with a prefix."""
    prefix = given["prefix"].removeprefix("./").lstrip("/")
    found = fit_documents(spelt(answers.documents()), budget, prefix=prefix, offset=given["offset"])
    if prefix and not given["offset"] and not found["documents"] and "advice" not in found:
        paths = [document.path for document in answers.engine().documents()]
        _advise(found, unknown_path(prefix, paths))
    return found


def context(answers: SearchService, given: Mapping[str, Any], budget: Budget) -> Answer:
    """The best passages as one text."""
    request = SearchRequest.of(given["query"], given)
    context_of = answers.contexts(request)

    def ask(tokens: int) -> Answer:
        pack = brief_pack(spelt(context_of(tokens)))
        if not pack["answered"]:
            is_empty = not pack["pieces"] and not pack["left_out"]
            _advise(pack, spelt(answers.emptied(request) or _NOTHING) if is_empty else _UNANSWERED)
        return pack

    return fit_context(ask, budget)


def status(answers: SearchService, _given: Mapping[str, Any], budget: Budget) -> Answer:
    """What the index holds and how true it is."""
    return fit_status(spelt(answers.status()), budget)


def _paths(answers: SearchService, shown: Sequence[str]) -> dict[str, str]:
    """The paths of the documents by how agents are shown them, where one of the texts that an agent gives has an escape."""
    if not any("\\" in one for one in shown):
        return {}
    paths = [document.path for document in answers.engine().documents()]
    return {as_shown: path for path in reversed(paths) for as_shown in (printable(path), one_line(path))}


def _document(paths: Mapping[str, str], shown: str) -> str:
    """Return the path that an agent means, which may have been shown with characters written as escapes."""
    path = shown.removeprefix("./")
    return paths.get(path, path)


def _reference(paths: Mapping[str, str], shown: str) -> str:
    """Return a section's id, or the path and anchor that an agent means."""
    if "\\" not in shown:
        return shown
    whole = _document(paths, shown)
    path, mark, anchor = shown.rpartition("#")
    return f"{_document(paths, path)}{mark}{anchor}" if mark and whole == shown.removeprefix("./") else whole


def _advise(answer: Answer, told: str) -> None:
    """Add a sentence to what an answer advises."""
    answer["advice"] = f"{told} {answer['advice']}" if "advice" in answer else told
