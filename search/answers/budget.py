"""An answer in its JSON form → the same within a token budget: what fits stays as it is, the rest is left out and counted.

Nothing is reworded: lists lose entries at their end, a content is a slice of the original. Refuses budgets too small to say
even that nothing fitted. The functions return `answer` itself where it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from schema.protocols import TokenCounter
from schema.text.characters import to_json

#: An answer as `search.answers.wire` makes it.
Answer = dict[str, Any]

#: Smallest budget: an answer that only says how much was left out takes fewer than 80 tokens.
MIN_TOKENS = 200
#: A hit keeps its neighbours unless its content would be shorter than this for them (characters).
_LEAST_CONTENT = 400
#: How often a context pack is asked for again in a smaller size; each try comes closer, two are usual.
_PACKINGS = 8
#: A smaller pack takes so much of the room that it should have, since parts do not quite add up.
_SHARE = 0.97
#: What the shortest answer keeps.
_KEPT = ("schema_version", "answered")
_STATUS_LISTS = ("stale", "orphans", "failed", "paths")
_CUT_HIT = "The hit's content is cut: get_section with its id gives it whole."
_NOTHING_FITS = "Not even the first fits: give a larger max_tokens."
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
        """Tokens of an answer."""
        return self.counter.count(to_json(answer))

    def holds(self, answer: Answer) -> bool:
        """Whether an answer fits."""
        return self.count(answer) <= self.max_tokens


def fit_search(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """A search without its last hits; with only a part of the first one's content if even that is too large.

    `offset` is the one that was asked for; `next_offset` in the result leads to what was left out.
    """
    if budget.holds(answer):
        return answer
    hits = answer["results"]
    kept = _most(lambda size: _first(answer, "results", hits, size, offset), len(hits), budget)
    if kept > 0 or not hits:
        return _first(answer, "results", hits, kept, offset)

    def with_first(hit: Answer) -> Answer:
        shown = _first({**answer, "results": [hit]}, "results", [hit, *hits[1:]], 1, offset)
        return {**shown, "advice": _advice(answer, _CUT_HIT)} if "content_truncated" in hit else shown

    return _cut(hits[0], budget, 0, with_first) or _first(answer, "results", hits, kept, offset)


def fit_section(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """A section with the part of its content that begins `offset` characters after the content's beginning."""
    if not offset and budget.holds(answer):
        return answer
    end = len(answer["content"])
    rest = _slice(answer, offset, end)
    if budget.holds(rest):
        return rest

    def with_next(hit: Answer) -> Answer:
        following = offset + len(hit["content"])
        if following == end:
            return hit
        return {**hit, "next_offset": following, "advice": f"Ask again with offset {following} for the rest of the content."}

    nothing = {"schema_version": answer["schema_version"], "id": answer["id"], "advice": _NOTHING_FITS}
    return _cut(answer, budget, offset, with_next) or nothing


def fit_outline(answer: Answer, budget: Budget, *, offset: int = 0) -> Answer:
    """An outline from the entry number `offset` (0 is the first) as far as it fits."""
    return _fit_list(answer, "sections", budget, offset)


def fit_documents(answer: Answer, budget: Budget, *, prefix: str = "", offset: int = 0) -> Answer:
    """The documents whose paths begin with `prefix`, from number `offset` of them as far as they fit."""
    if prefix:
        begin = prefix.casefold()
        kept = [entry for entry in answer["documents"] if entry["path"].casefold().startswith(begin)]
        answer = {**answer, "documents": kept}
    return _fit_list(answer, "documents", budget, offset)


def fit_context(ask: Callable[[int], Answer], budget: Budget) -> Answer:
    """The largest pack whose JSON fits; `ask` makes one of a number of tokens.

    The texts of the pieces go first: they stand in the pack's text. Then packs of fewer tokens are asked for.
    """
    room = budget.max_tokens
    for _ in range(_PACKINGS):
        answer = ask(room)
        if budget.holds(answer):
            return answer
        kept = _most(partial(_brief, answer), len(answer["left_out"]), budget)
        if kept >= 0:
            return _brief(answer, kept)
        frame = budget.count(_brief({**answer, "text": "", "pieces": []}, 0))
        share = (budget.max_tokens - frame) / max(1, budget.count(_brief(answer, 0)) - frame)
        room = int(min(room, answer["token_count"]) * share * _SHARE)
        if room < 1:
            break
    kept_fields = {name: answer[name] for name in _KEPT}
    return {**kept_fields, "text": "", "pieces": [], "advice": _NOTHING_FITS}


def fit_status(answer: Answer, budget: Budget) -> Answer:
    """A status with shorter lists of paths; without its last fields if even that is too large."""
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


def _fit_list(answer: Answer, key: str, budget: Budget, offset: int) -> Answer:
    entries = answer[key][offset:]
    whole = {**answer, key: entries} if offset else answer
    if budget.holds(whole):
        return whole
    kept = _most(lambda size: _first(whole, key, entries, size, offset), len(entries), budget)
    return _first(whole, key, entries, kept, offset)


def _first(answer: Answer, key: str, entries: Sequence[Any], size: int, offset: int) -> Answer:
    """The answer with its first `size` entries and how to get the others; bare of all else if `size` is below 0."""
    left = len(entries) - max(size, 0)
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
    """What the answer advises already, and more."""
    return f"{answer['advice']} {more}" if answer.get("advice") else more


def _cut(hit: Answer, budget: Budget, offset: int, wrapped: Callable[[Answer], Answer]) -> Answer | None:
    """The wrapped hit with as much of its content as fits, without its neighbours if they leave little room for that."""
    end = len(hit["content"])
    alone = {**hit, "context": _NO_NEIGHBOURS, "context_truncated": True}
    for shape, least in ((hit, _LEAST_CONTENT), (alone, 1)):

        def part(size: int, shape: Answer = shape) -> Answer:
            return wrapped(_slice(shape, offset, offset + size))

        size = _most(part, end - offset, budget)
        if size >= min(least, end - offset):
            line_end = hit["content"].rfind("\n", offset, offset + size) + 1 - offset
            is_near = line_end > size // 2
            return part(line_end) if is_near and budget.holds(part(line_end)) else part(size)
    return None


def _slice(hit: Answer, start: int, end: int) -> Answer:
    """A hit with a part of its content; spans are moved with it, and those outside are gone. The snippet keeps its text."""
    whole = hit["content"]
    if start == 0 and end == len(whole):
        return hit
    end = min(end, len(whole))
    snippet = hit["snippet"]
    if snippet is not None:
        span = {"start": snippet["start"], "end": snippet["end"]}
        others = {name: value for name, value in snippet.items() if name not in span}
        held = start <= span["start"] and span["end"] <= end
        snippet = {**others, **{name: at - start for name, at in span.items()}} if held else others
    sliced = {
        **hit,
        "content": whole[start:end],
        "snippet": snippet,
        "body_start": min(max(hit["body_start"], start), end) - start,
        "window": _moved(hit["window"], start, end),
        "passage": _moved(hit["passage"], start, end),
        "matches": [[a - start, b - start] for a, b in hit["matches"] if start <= a and b <= end],
        "content_truncated": True,
    }
    return {**sliced, "content_offset": start} if start else sliced


def _moved(span: Mapping[str, int] | None, start: int, end: int) -> dict[str, int] | None:
    """What of a span lies in `start`..`end`, seen from `start`."""
    if span is None:
        return None
    first, last = max(span["start"], start), min(span["end"], end)
    return {"start": first - start, "end": last - start} if first < last else None


def _brief(pack: Answer, size: int) -> Answer:
    """A pack whose pieces do not repeat its text, with `size` of the places that found no room."""
    pieces = [{name: value for name, value in piece.items() if name != "text"} for piece in pack["pieces"]]
    left = len(pack["left_out"]) - size
    brief = {**pack, "pieces": pieces, "left_out": pack["left_out"][:size]}
    return {**brief, "omitted": left} if left else brief


def _most(of: Callable[[int], Answer], most: int, budget: Budget) -> int:
    """The largest size from 0 to `most` whose answer fits, or -1; small ones are tried first, since large ones are slow."""
    fits, size = -1, 0
    while size <= most and budget.holds(of(size)):
        fits, size = size, max(1, size * 2)
    above = min(size, most + 1)
    while above - fits > 1:
        middle = (fits + above) // 2
        if budget.holds(of(middle)):
            fits = middle
        else:
            above = middle
    return fits
