"""An answer in its JSON form → the same answer within a token budget.

Lists lose entries at their end, and a section's content is cut to a slice; what was left out is counted. Texts are not
changed in any other way. Each `fit_…` function returns `answer` itself if it fits. Refuses budgets that are too small even
for the sentence that nothing fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from typing import Any

from schema.protocols import TokenCounter
from schema.sections import LINE_END
from schema.text.characters import to_json
from schema.text.names import caseless

#: An answer as `search.answers.wire` makes it.
Answer = dict[str, Any]

#: Smallest budget (tokens); an answer that only says how much was left out takes fewer than 80.
MIN_TOKENS = 200
#: A hit keeps its neighbours only if at least this much of its content fits beside them (characters).
_LEAST_CONTENT = 400
#: Most attempts to build a context pack that fits, each one smaller; two are usual.
_ATTEMPTS = 8
#: A smaller pack is asked for with this share of the computed size, since the tokens of parts do not add up exactly.
_MARGIN = 0.97
#: Fields that the shortest answer keeps.
_KEPT = ("schema_version", "answered")
#: Several lists as one, while it is found how much of them fits.
_ENTRIES = "entries"
_STATUS_LISTS = ("stale", "orphans", "failed", "paths", "roots")
_CUT_HIT = "The hit's content is cut: get_section with its id gives it whole."
_CUT_SNIPPET = "The snippet is cut; get_section gives the section."
#: A snippet is cut down to so many characters.
_LEAST_SNIPPET = 20
_NO_INCLUDED = "Lines of included files are left out: a larger max_tokens may hold them."
_NOTHING_FITS = "Not even the first fits: give a larger max_tokens, such as 1000."
_NO_NEIGHBOURS: Answer = {"ancestors": [], "previous": None, "next": None, "children": []}


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `max_tokens` tokens of JSON text, as `counter` counts them.

    Raises:
        ValueError: the budget is below `MIN_TOKENS`.
    """

    max_tokens: int
    counter: TokenCounter

    def __post_init__(self) -> None:
        if self.max_tokens < MIN_TOKENS:
            raise ValueError(f"max_tokens must be at least {MIN_TOKENS}, not {self.max_tokens!r}")

    def count(self, answer: Answer) -> int:
        """Return the number of tokens of an answer."""
        return self.counter.count(to_json(answer))

    def holds(self, answer: Answer) -> bool:
        """Return whether an answer fits."""
        return self.count(answer) <= self.max_tokens


def fit_search(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return a search without its last hits; if even the first one is too large, with a part of its content or snippet.

    `offset` is that of the request; `next_offset` in the result is the one to ask for next.
    """
    if budget.holds(answer):
        return answer
    hits = answer["results"]
    kept = _most(lambda size: _first(answer, "results", hits, size, offset), len(hits), budget)
    if kept > 0 or not hits:
        return _first(answer, "results", hits, kept, offset)
    if "content" not in hits[0]:
        cut = _with_short_snippet(answer, budget, offset) if hits[0].get("snippet") else None
        return cut or _first(answer, "results", hits, kept, offset)

    def with_first(hit: Answer) -> Answer:
        shown = _first({**answer, "results": [hit]}, "results", [hit, *hits[1:]], 1, offset)
        return {**shown, "advice": _advice(answer, _CUT_HIT)} if "content_truncated" in hit else shown

    return _cut(hits[0], budget, 0, with_first) or _first(answer, "results", hits, kept, offset)


def _with_short_snippet(answer: Answer, budget: Budget, offset: int) -> Answer | None:
    """Return a search with the first of its brief hits and the beginning of that one's snippet; None if none of it fits."""
    first, *others = answer["results"]
    text = first["snippet"]["text"]

    def with_first(size: int) -> Answer:
        hit = {**first, "snippet": {**first["snippet"], "text": f"{text[:size].rstrip()}…"}}
        shown = _first({**answer, "results": [hit]}, "results", [hit, *others], 1, offset)
        return {**shown, "advice": _advice(answer, _CUT_SNIPPET)}

    size = _most(with_first, len(text) - 1, budget)
    return with_first(size) if size >= _LEAST_SNIPPET else None


def fit_section(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return a section with its content from character `offset` on, as far as it fits; included lines are left out first."""
    if not offset and budget.holds(answer):
        return answer
    if "included" in answer:
        answer = {name: value for name, value in answer.items() if name != "included"} | {"advice": _NO_INCLUDED}
    end = len(answer["content"])
    rest = _slice(answer, offset, end)
    if budget.holds(rest):
        return rest

    def with_next(hit: Answer) -> Answer:
        following = offset + len(hit["content"])
        if following == end:
            return hit
        advice = _advice(hit, f"Ask again with offset {following} for the rest of the content.")
        return {**hit, "next_offset": following, "advice": advice}

    nothing = {"schema_version": answer["schema_version"], "id": answer["id"], "advice": _NOTHING_FITS}
    return _cut(answer, budget, offset, with_next) or nothing


def fit_sections(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return several sections from character `offset` of their joined contents on, as far as they fit.

    The first and the last one may be cut; `next_offset` is where to go on, and `omitted` counts sections of which nothing
    is there.
    """
    if not offset and budget.holds(answer):
        return answer
    rest, start = [], 0
    for entry in answer["sections"]:
        end = start + len(entry["content"])
        if end > offset:
            rest.append(_part(entry, max(0, offset - start), len(entry["content"])))
        start = end

    def first(whole: int, more: int = 0) -> Answer:
        shown = [*rest[:whole], *([_part(rest[whole], 0, more)] if more else [])]
        following = offset + sum(len(entry["content"]) for entry in shown)
        left = len(rest) - len(shown)
        begun = {**answer, "sections": shown, **({"omitted": left} if left else {})}
        if following == start:
            return begun
        advice = f"Ask again with offset {following} for the rest, or with a larger max_tokens."
        return {**begun, "next_offset": following, "advice": _advice(answer, advice)}

    kept = _most(first, len(rest), budget)
    if kept == len(rest):
        return first(kept)
    text = rest[max(kept, 0)]["content"]
    size = _most(partial(first, kept), len(text), budget) if kept >= 0 else 0
    if size >= _LEAST_CONTENT or (size > 0 and not kept):
        line_end = text.rfind("\n", 0, size) + 1
        is_near = line_end > size // 2 and budget.holds(first(kept, line_end))
        return first(kept, line_end if is_near else size)
    if kept > 0:
        return first(kept)
    return {"schema_version": answer["schema_version"], "sections": [], "omitted": len(rest), "advice": _NOTHING_FITS}


def _part(entry: Answer, start: int, end: int) -> Answer:
    """Return an entry with its content from `start` to `end`, marked if that is not all of it."""
    text, before = entry["content"], entry.get("content_offset", 0)
    if start == 0 and end >= len(text):
        return entry
    cut = {**entry, "content": text[start:end], "content_truncated": True}
    lines = _lines_of(entry, start, end)
    return {**cut, "content_offset": before + start, **lines} if before + start else {**cut, **lines}


def _lines_of(entry: Answer, start: int, end: int) -> Answer:
    """The first and last line in the file of a part of an entry's content, as `content_lines`; nothing where the content is
    not that of the file's lines."""
    _, last = entry.get("content_lines", (0, entry.get("end_line", 0)))
    content = entry["content"]
    if entry.get("place") or not last or start >= end:
        return {}
    own = 1 if content.endswith(("\n", "\r")) else 0  # the end of the last line
    behind = (len(LINE_END.findall(content, at)) for at in (start, end - 1))
    return {"content_lines": [last + own - lines for lines in behind]}


def fit_outline(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return an outline from entry `offset` (0 is the first) on, as far as it fits."""
    return _fit_list(answer, "sections", budget, offset)


def fit_links(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return the links of a section, those to it and the sections like it from number `offset` on, as far as they fit.

    They are counted in turns: the first of each list, then the second of each, so that no list hides another.
    """
    if not offset and budget.holds(answer):
        return answer
    names = [name for name in ("links", "backlinks", "similar") if name in answer]
    turns = chain.from_iterable(zip_longest(*([(name, entry) for entry in answer[name]] for name in names)))
    whole = {**answer, _ENTRIES: [turn for turn in turns if turn is not None]}

    def apart(shown: Answer) -> Answer:
        lists = {name: [entry for of, entry in shown[_ENTRIES] if of == name] for name in names}
        return {name: value for name, value in shown.items() if name != _ENTRIES} | lists

    return apart(_fit_list(whole, _ENTRIES, budget, offset, shown=apart))


def fit_changes(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """Return the changed sections from number `offset` on, as far as they fit; those that it says are `omitted` follow."""
    return _fit_list(answer, "sections", budget, offset)


def fit_documents(answer: Answer, budget: Budget, *, prefix: str = "", offset: int = 0) -> Answer:
    """Return the documents whose paths begin with `prefix`, without regard to case, from number `offset` on, as they fit."""
    if prefix:
        begin = caseless(prefix)
        kept = [entry for entry in answer["documents"] if caseless(entry["path"]).startswith(begin)]
        answer = {**answer, "documents": kept}
    return _fit_list(answer, "documents", budget, offset)


def fit_context(ask: Callable[[int], Answer], budget: Budget) -> Answer:
    """Return the largest context pack whose JSON fits; `ask` builds one of at most so many tokens.

    If the places that are left out do not fit, fewer of them are listed; if that is not enough, smaller packs are asked for.
    """
    room = budget.max_tokens
    for _ in range(_ATTEMPTS):
        answer = ask(room)
        if answer["left_out"] and not answer["text"]:
            break  # there is no room for any text
        kept = _most(partial(_brief, answer), len(answer["left_out"]), budget)
        if kept >= 0:
            return _brief(answer, kept)
        frame = budget.count(_brief({**answer, "text": "", "pieces": []}, 0))
        share = (budget.max_tokens - frame) / max(1, budget.count(_brief(answer, 0)) - frame)
        room = int(min(room, answer["token_count"]) * share * _MARGIN)
        if room < 1:
            break
    kept_fields = {name: answer[name] for name in _KEPT}
    return {**kept_fields, "text": "", "pieces": [], "advice": _NOTHING_FITS}


def fit_status(answer: Answer, budget: Budget) -> Answer:
    """Return a status with shorter lists of paths, and without its last fields if even that is too large."""
    if budget.holds(answer):
        return answer

    def shorter(size: int) -> Answer:
        left = {name: len(answer[name]) - size for name in _STATUS_LISTS if len(answer[name]) > size}
        return {**answer, **{name: answer[name][:size] for name in _STATUS_LISTS}, "omitted": left}

    def fewer(size: int) -> Answer:
        least = shorter(0)
        return {**dict(list(least.items())[:size]), "omitted": {**least["omitted"], "fields": len(answer) - size}}

    kept = _most(shorter, max(len(answer[name]) for name in _STATUS_LISTS), budget)
    return shorter(kept) if kept >= 0 else fewer(_most(fewer, len(answer) - 1, budget))


def _fit_list(
    answer: Answer, key: str, budget: Budget, offset: int, *, shown: Callable[[Answer], Answer] = lambda answer: answer
) -> Answer:
    """Return the answer with the list `key` from entry `offset` on, as far as it fits in the form that is `shown`."""
    entries = answer[key][offset:]
    whole = {**answer, key: entries} if offset else answer
    if offset and not entries:
        whole = {**whole, "advice": _advice(answer, f"There is nothing behind the first {offset:,}.")}
    if not whole.get("omitted") and budget.holds(shown(whole)):
        return whole
    kept = _most(lambda size: shown(_first(whole, key, entries, size, offset)), len(entries), budget)
    return _first(whole, key, entries, kept, offset)


def _first(answer: Answer, key: str, entries: Sequence[Any], size: int, offset: int) -> Answer:
    """Return the answer with the first `size` of `entries` as its list `key`, and how to get the others.

    With a `size` below 0 not even the answer's other fields fit: only those of the shortest answer are kept.
    """
    left = len(entries) - max(size, 0) + answer.get("omitted", 0)
    if size < 0:
        bare = {**{name: answer[name] for name in _KEPT if name in answer}, key: []}
        return {**bare, "omitted": left, "advice": _NOTHING_FITS} if left else bare
    if not left:
        return answer
    shown = {**answer, key: list(entries[:size]), "omitted": left}
    if not size:
        return {**shown, "advice": _advice(answer, _NOTHING_FITS)}
    following = offset + size
    advice = f"Ask again with offset {following} for the rest, or with a larger max_tokens."
    return {**shown, "next_offset": following, "advice": _advice(answer, advice)}


def _advice(answer: Answer, more: str) -> str:
    """Return the answer's own advice, if any, followed by `more`."""
    return f"{answer['advice']} {more}" if answer.get("advice") else more


def _cut(hit: Answer, budget: Budget, offset: int, wrapped: Callable[[Answer], Answer]) -> Answer | None:
    """Return the hit, as `wrapped` completes it, with as much of its content as fits, or None if nothing fits.

    Its neighbours are left out if less than `_LEAST_CONTENT` fits beside them. The cut is moved back to the end of a line
    if that keeps more than half.
    """
    end = len(hit["content"])
    alone = {**hit, "context": _NO_NEIGHBOURS, "context_truncated": True}
    for version, least in ((hit, _LEAST_CONTENT), (alone, 1)):

        def part(size: int, version: Answer = version) -> Answer:
            return wrapped(_slice(version, offset, offset + size))

        size = _most(part, end - offset, budget)
        if size >= min(least, end - offset):
            line_end = hit["content"].rfind("\n", offset, offset + size) + 1 - offset
            is_near = line_end > size // 2
            return part(line_end) if is_near and budget.holds(part(line_end)) else part(size)
    return None


def _slice(hit: Answer, start: int, end: int) -> Answer:
    """Return a hit with its content from `start` to `end`.

    Spans are moved with it and dropped if they are outside; the snippet keeps its text in any case.
    """
    whole = hit["content"]
    if start == 0 and end == len(whole):
        return hit
    end = min(end, len(whole))
    sliced = {**hit, "content": whole[start:end], "content_truncated": True, **_lines_of(hit, start, end)}
    if start:
        sliced["content_offset"] = start
    if "window" not in hit:  # a brief section has no offsets
        return sliced
    snippet = hit["snippet"]
    if snippet is not None:
        span = {"start": snippet["start"], "end": snippet["end"]}
        others = {name: value for name, value in snippet.items() if name not in span}
        others["answer"] = _moved(snippet.get("answer"), start, end)
        is_inside = start <= span["start"] and span["end"] <= end
        snippet = {**others, **{name: offset - start for name, offset in span.items()}} if is_inside else others
    return {
        **sliced,
        "snippet": snippet,
        "body_start": min(max(hit["body_start"], start), end) - start,
        "window": _moved(hit["window"], start, end),
        "passage": _moved(hit["passage"], start, end),
        "matches": [[a - start, b - start] for a, b in hit["matches"] if start <= a and b <= end],
        "hidden": [[max(a, start) - start, min(b, end) - start] for a, b in hit["hidden"] if a < end and b > start],
    }


def _moved(span: Mapping[str, int] | None, start: int, end: int) -> dict[str, int] | None:
    """Return the part of a span between `start` and `end`, as offsets from `start`; None if there is none."""
    if span is None:
        return None
    first, last = max(span["start"], start), min(span["end"], end)
    return {"start": first - start, "end": last - start} if first < last else None


def _brief(pack: Answer, size: int) -> Answer:
    """Return a pack with the first `size` entries of `left_out`."""
    left = len(pack["left_out"]) - size
    brief = {**pack, "left_out": pack["left_out"][:size]}
    return {**brief, "omitted": left} if left else brief


def _most(answer_of: Callable[[int], Answer], most: int, budget: Budget) -> int:
    """Return the largest size from 0 to `most` for which the answer fits, or -1.

    Sizes are doubled until one does not fit, then bisected: counting the tokens of large answers is slow.
    """
    fits, size = -1, 0
    while size <= most and budget.holds(answer_of(size)):
        fits, size = size, max(1, size * 2)
    above = min(size, most + 1)
    while above - fits > 1:
        middle = (fits + above) // 2
        if budget.holds(answer_of(middle)):
            fits = middle
        else:
            above = middle
    return fits
