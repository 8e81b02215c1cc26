"""A section and a query → the passage to show: the sentences, or lines of code, that answer best.

The section is read as units: sentences of paragraphs, items of lists, rows of tables, lines of code. Comments, definitions
of links, imports, directives, lines of tags, rules and images are skipped. A passage is some units in a row, up to
`MAX_CHARACTERS`; its score is that of the query's terms in it, higher in prose and in the window nearest to the query's
vector.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from schema.results import Snippet, Window
from schema.sections import Section
from schema.text.analyzer import marked_terms, terms
from schema.text.fields import is_front_matter
from schema.text.sentences import MARKDOWN_STOP
from search.context.asked import Asked
from search.context.code_lines import code_beside
from search.context.excerpt import LEFT_OUT, MAX_CHARACTERS, MAX_SENTENCE, Plain, excerpt_of, plain_of
from search.context.marks import is_grammar, question_words
from search.context.passages import SHORT, closed, filled, fitting, whole_part, with_code_above, with_lead
from search.context.tables import header_row, names_columns, row_below
from search.context.units import Unit, open_fence, summary_in, units

#: The part of a longer section that is read, around its best passage (characters).
_READ = 8_000
#: A heading (H4 to H6) inside of a section.
_LINE_END, _BLANKS = re.compile(r"\r\n|\r|\n"), re.compile(r"\s+")
_PART, _LINE = re.compile(r"[ \t>]{0,8}#{4,6}[ \t]"), re.compile(r"[^\r\n]{0,1000}")
#: How much the terms of each kind of unit count; in code they count as in prose if the query asks for code.
_KIND_WEIGHTS = {"prose": 1.0, "item": 0.95, "title": 0.95, "row": 0.8, "code": 0.55}
#: How much a term of the section's own heading counts: it says little about where in the section the answer is.
_HEADING_SHARE = 0.4
#: How much a term of grammar counts in Japanese and Korean: it stands in most sentences.
_GRAMMAR_SHARE = 0.05
#: How much a term counts that a unit has only in the texts of links: it tells where else to read of it.
_LINK_SHARE = 0.3
_LINK_TEXT = re.compile(r"(?<!!)\[(?!\^)[^\[\]\n]{1,300}\](?=[(\[])")
#: The address of a link, which is not shown.
_LINK_TARGET = re.compile(r"(?<=\])(?:\([^()\s]{1,1000}|\[[^\[\]\n]{1,200}\])")
#: Shares of the scores of its best unit, of its first one and of its part's heading that are added to a passage's score.
_BEST_WORTH, _FIRST_WORTH, _PART_WORTH = 0.3, 0.15, 0.3
#: What is added for a passage in the window nearest to the query's vector.
_WINDOW_WORTH = 0.15
#: What is added for the first passage (half of it if the section has no words of the query), and how much more if the
#: heading is the query: it often holds the definition.
_BEGINNING_WORTH, _DEFINITION_WORTH = 0.1, 0.6
#: What is added for the first passage below a heading (H4 to H6), by the share of the query that it holds, and for a
#: heading that holds this much of it, or of what the headings above leave of it, which is this much at least.
_NAMED_WORTH, _NAMED, _EXACT_WORTH, _LEFT = 0.9, 0.8, 0.8, 0.25
#: The longest heading that is shown above a passage (characters).
_MAX_HEADING = 160
#: The kind of term that a word with signs is, as it is typed: `?Sized`, `--force`, `&&`.
_TYPED = "\0"
#: The kind of term that stands for saying what a thing is, where that is asked.
_SAID = "\0\0"
#: What a passage that begins with code loses, unless the query asks for code.
_FENCE_COST = 0.15


def snippet_of(
    section: Section,
    query: str,
    weights: Mapping[str, float],
    spans: Sequence[Window],
    *,
    near: Window | None = None,
    passage: Window | None = None,
    marks: Sequence[Window] | None = None,
) -> Snippet | None:
    """The passage of a section that answers best; None for a section without text.

    `weights` are the query's terms with their weights, `spans` their spans in the content, in order, `near` the window
    nearest to the query's vector and `passage` the best sentences by words, all as offsets into the content. `marks` are
    what is marked of the spans: all of them if it is None.
    """
    content = section.text
    named = frozenset(terms(section.heading))
    words = question_words(query)
    weights = {term: weight * (_GRAMMAR_SHARE if is_grammar(term, words) else 1.0) for term, weight in weights.items()}
    whole = sum(weights.values()) or 1.0
    asked = Asked.of(query, section.heading)
    in_heading = sum(weight for term, weight in weights.items() if term in named) / whole
    found = _beginning(section) if len(content) > _READ and in_heading >= _NAMED else []
    if not any(unit.kind == "prose" for unit in found):
        part = _named_part(section, spans, weights, whole, asked) if len(content) > _READ else None
        found_at = next((window.start for window in (passage, near) if window is not None), 0)
        first = found_at if part is None else part + _READ // 2
        begin = 0 if len(content) <= _READ else max(section.body_offset, min(first - _READ // 2, len(content) - _READ))
        found = _read_from(section, _next_line(content, begin) if begin > section.body_offset else section.body_offset)
    if not found:
        return None
    if not spans and near is None and passage is not None:  # it holds words that no span shows
        found = [unit for unit in found if unit.start < passage.end and unit.end > passage.start] or found
    shares = {term: weight * (_HEADING_SHARE if term in named else 1.0) / whole for term, weight in weights.items()}
    above = frozenset(term for heading in section.heading_path for term in terms(heading))
    left = {term: weight / whole for term, weight in weights.items() if term not in above}
    first, last, answer = _best(
        found, content, shares, spans, near, asked=asked, named=named, in_heading=in_heading, left=left
    )
    excerpt = partial(_excerpt, section, found, spans if marks is None else marks, answer, plain_of(section))
    close = partial(closed, content, found, answer, excerpt)
    if (part_units := whole_part(found, first, last)) is not None:
        whole_text = excerpt(range(*part_units))
        if len(whole_text.text) <= SHORT:
            return whole_text
    first, last = with_lead(found, first, last)
    first = with_code_above(content, found, first) if found[first].kind == "code" else first
    passage_units = range(first, last)
    if (head := header_row(content, found, first)) is not None:
        return close(*fitting(excerpt, [head, *passage_units], least=2))
    if names_columns(content, found, last - 1):  # which says nothing without a row
        row = row_below(content, found, last - 1, shares)
        with_row = excerpt([*passage_units, row])
        if len(with_row.text) <= MAX_SENTENCE:
            return with_row
        passage_units = passage_units[:-1] or range(first, last)
    shown, snippet = fitting(excerpt, passage_units)
    code = code_beside(content, found, first, last, room=SHORT - len(snippet.text) - len(LEFT_OUT))
    if code:
        with_code = close(*fitting(excerpt, sorted({*passage_units, *code}), least=last - first + len(code)))
        if len(with_code.text) <= SHORT:
            return with_code
    return close(*filled(found, excerpt, shown, snippet))


def _beginning(section: Section) -> list[Unit]:
    """The units at the beginning of a section, without the last one, which may be cut."""
    return _read_from(section, section.body_offset)[:-1]


def _read_from(section: Section, begin: int) -> list[Unit]:
    """The units of the part of a section that begins at an offset; hidden code too if there is nothing else."""
    content = section.text
    line = content.rfind("\n", 0, begin) + 1
    if not content[line:begin].strip() and any(line <= start < begin for start in section.hidden[::2]):
        begin = line  # what is hidden there tells what the line is
    fence = open_fence(content, begin)
    read = partial(
        units,
        content,
        begin,
        begin + _READ,
        fence=fence,
        hidden=section.hidden,
        typed=section.content,
        is_fields=is_front_matter(section),
    )
    return list(read()) or list(read(shows_all=True))


def _next_line(content: str, begin: int) -> int:
    """Where the first line begins at or behind an offset, or the first sentence or word in a very long line."""
    for ends in (_LINE_END, MARKDOWN_STOP, _BLANKS):
        found = ends.search(content, begin - 1, begin + _READ // 4)
        if found is not None:
            return found.end()
    return begin


def _named_part(
    section: Section, spans: Sequence[Window], weights: Mapping[str, float], whole: float, asked: Asked
) -> int | None:
    """Where the heading inside of the section begins that the question names, the shortest of several, or that is the name
    of an option in it."""
    content, best, found = section.text, 0.0, None
    for span in spans:
        least = max(0, span.start - MAX_CHARACTERS)
        begin = max(content.rfind("\n", least, span.start), content.rfind("\r", least, span.start)) + 1
        if least and not begin:
            continue
        line = _LINE.match(content, begin)
        text = line.group() if line is not None else ""
        if not _PART.match(text) and not summary_in(content, section.content, begin, begin + len(text)):
            continue
        if asked.names_option(text):
            return begin
        held = set(terms(text))
        share = sum(weights.get(term, 0.0) for term in held) / whole
        if share >= _NAMED and share / (1 + len(held)) > best:
            best, found = share / (1 + len(held)), begin
    return found


def _best(
    found: Sequence[Unit],
    content: str,
    weights: Mapping[str, float],
    spans: Sequence[Window],
    near: Window | None,
    *,
    asked: Asked,
    named: frozenset[str],
    in_heading: float,
    left: Mapping[str, float],
) -> tuple[int, int, Unit | None]:
    """The first unit of the best passage, the one after its last, and the one in it that holds most of the query, None for
    none and for several; `named`: the terms of the section's heading, and `in_heading` the query's share in it; `left`: the
    shares of the query's terms that are in no heading above.

    A passage has as many units below one heading as fit. A term counts less if more units of the section hold it.
    """
    own, parts = _worth_of_terms(found, content, weights, spans, asked)
    parts = _named_by_the_rest(parts, content, left)
    single = [sum(one.values()) for one in own]
    has_terms = any(own)
    is_typed = any(term.startswith(_TYPED) for one in own for term in one)
    beginning = _BEGINNING_WORTH if has_terms else _BEGINNING_WORTH / 2
    lead = _lead(found, content)
    beside = max(_beside(one, named) for one in own)
    best, chosen = -1.0, (0, 1)
    of_option = {heading for heading in parts if asked.names_option(content[slice(*heading)])}
    for i, unit in enumerate(found):
        if of_option and unit.heading not in of_option:
            continue  # other parts only mention the option
        is_near = near is not None and near.start <= unit.start < near.end
        opens = i == 0 or unit.heading != found[i - 1].heading
        is_first = i == lead or (i > 0 and opens)
        is_named = opens and unit.heading in of_option
        if has_terms and not (is_first or is_named or own[i] or is_near):
            continue  # one that begins later has the same terms and more room
        union: dict[str, float] = {}
        stop = i
        while stop < len(found) and found[stop].heading == unit.heading:
            if stop > i and found[stop].end - unit.start > MAX_CHARACTERS:
                break
            for term, weight in own[stop].items():
                union[term] = max(weight, union.get(term, 0.0))
            stop += 1
        score = sum(union.values()) + _BEST_WORTH * max(single[i:stop]) + _FIRST_WORTH * single[i]
        score += _PART_WORTH * parts[unit.heading] + beginning * (1 - (i - lead) % len(found) / len(found))
        if near is not None:
            end = found[stop - 1].end
            score += _WINDOW_WORTH * max(0, min(end, near.end) - max(unit.start, near.start)) / (end - unit.start)
        if is_named:
            score += _NAMED_WORTH + _EXACT_WORTH
        elif is_first and not is_typed:
            defines = _DEFINITION_WORTH * in_heading**2 * _share(_beside(union, named), beside) if i == lead else 0.0
            score += max(defines, _NAMED_WORTH * parts[unit.heading] ** 3)
            score += _EXACT_WORTH if parts[unit.heading] >= _NAMED else 0.0
        if unit.kind == "code" and not asked.is_for_code:
            score -= _FENCE_COST
        if score > best:
            best, chosen = score, (i, stop)
    rows = [i for i in range(*chosen) if not names_columns(content, found, i)]
    most = max((single[i] for i in rows), default=0.0)
    answers = [i for i in rows if single[i] == most > 0]
    return *chosen, found[answers[0]] if len(answers) == 1 else None


def _named_by_the_rest(
    parts: Mapping[tuple[int, int], float], content: str, left: Mapping[str, float]
) -> dict[tuple[int, int], float]:
    """How much of the query each heading holds, or of what is `left` of it: "install on windows" names the part "On Windows"
    of a section "Install"."""
    whole = sum(left.values())
    if not _LEFT <= whole < _NAMED:
        return dict(parts)
    rest = {heading: sum(left.get(term, 0.0) for term in set(terms(content[slice(*heading)]))) / whole for heading in parts}
    return {heading: max(held, rest[heading] if rest[heading] >= _NAMED else 0.0) for heading, held in parts.items()}


def _beside(held: Mapping[str, float], named: frozenset[str]) -> float:
    """The worth of the terms that are not in the section's heading."""
    return sum(weight for term, weight in held.items() if term not in named)


def _share(held: float, most: float) -> float:
    """How much of `most` is held, 0..1; 1 where there is nothing to hold."""
    return min(1.0, held / most) if most > 0 else 1.0


def _worth_of_terms(
    found: Sequence[Unit], content: str, weights: Mapping[str, float], spans: Sequence[Window], asked: Asked
) -> tuple[list[dict[str, float]], dict[tuple[int, int], float]]:
    """What each term of the query is worth in each unit, and how much of the query each heading among them holds."""
    begins = [span.start for span in spans]
    texts = [content[span.start : span.end] for span in spans]
    asked_in = {text: [term for term in (*terms(text), *marked_terms(text)) if term in weights] for text in set(texts)}

    def held(start: int, end: int, links: Sequence[tuple[int, int, float]] = ()) -> dict[str, float]:
        one: dict[str, float] = {}
        for at in range(bisect_left(begins, start), bisect_left(begins, end)):
            share = _share_at(begins[at], links)
            for term in asked_in[texts[at]] if share else ():
                one[term] = max(share * weights[term], one.get(term, 0.0))
        return one

    of_links = ((_LINK_TEXT, _LINK_SHARE), (_LINK_TARGET, 0.0))
    links = sorted(
        (*m.span(), share) for form, share in of_links for m in form.finditer(content, found[0].start, found[-1].end)
    )
    own = [held(unit.start, unit.end, () if unit.kind == "code" else links) for unit in found]
    for token in asked.typed:
        for unit, one in zip(found, own, strict=True):
            if content.find(token, unit.start, unit.end) >= 0:
                one[_TYPED + token] = 1.0 / len(asked.typed)
    holders = Counter(term for one in own for term in one)
    rare = {term: math.log1p(len(found) / count) / math.log1p(len(found)) for term, count in holders.items()}
    in_headings = {heading: held(*heading) for heading in {unit.heading for unit in found}}
    for unit, one in zip(found, own, strict=True):
        kind_weight = 1.0 if unit.kind == "code" and asked.is_for_code else _KIND_WEIGHTS[unit.kind]
        for term in one:
            one[term] *= rare[term] * kind_weight * (_HEADING_SHARE if term in in_headings[unit.heading] else 1.0)
    if asked.says is not None:
        for unit, one in zip(found, own, strict=True):
            if unit.kind != "code" and (said := asked.says(content[unit.start : unit.end])):
                one[_SAID] = said
    return own, {heading: sum(one.values()) for heading, one in in_headings.items()}


def _share_at(offset: int, links: Sequence[tuple[int, int, float]]) -> float:
    """How much a term counts at an offset; `links` has the beginnings, ends and shares of parts of links, in order."""
    before = bisect_left(links, (offset + 1,)) - 1
    return links[before][2] if before >= 0 and offset < links[before][1] else 1.0


def _lead(found: Sequence[Unit], content: str) -> int:
    """The unit that a section begins with: its first sentence, where a list, as of parameters, stands before that.

    Quotations are neither: a note on how stable a function is may stand before its parameters.
    """
    own = [i for i, unit in enumerate(found) if unit.heading == found[0].heading and not _is_quoted(unit, content)]
    if not own or found[own[0]].kind not in ("item", "title"):
        return 0
    return next((i for i in own if found[i].kind == "prose"), 0)


def _is_quoted(unit: Unit, content: str) -> bool:
    line = max(content.rfind("\n", 0, unit.start), content.rfind("\r", 0, unit.start)) + 1
    return content[line : unit.start].lstrip().startswith(">")


def _excerpt(
    section: Section,
    found: Sequence[Unit],
    marks: Sequence[Window],
    answer: Unit | None,
    plain: Plain,
    chosen: Sequence[int],
) -> Snippet:
    """The snippet of some units of those found, below the heading (H4 to H6) that they stand under. A line says where units
    between them are left out."""
    first = found[chosen[0]]
    heading = _heading_above(section.text, first)
    is_cut = bool(heading) and chosen[0] > 0 and found[chosen[0] - 1].heading == first.heading
    apart = [found[at] for before, at in pairwise(chosen) if at != before + 1] + [first] * is_cut
    return excerpt_of(section, [*heading, *(found[at] for at in chosen)], marks, apart=apart, answer=answer, plain=plain)


def _heading_above(content: str, unit: Unit) -> list[Unit]:
    """The heading inside of the section that a unit stands under, as a unit of its own; none if it is long."""
    start, end = unit.heading
    mark = _PART.match(content, start, end)
    start = start if mark is None else mark.end()
    text = content[start:end].rstrip("# \t\r")
    return [Unit(start, start + len(text), "prose", -1, unit.heading)] if 0 < len(text) <= _MAX_HEADING else []
