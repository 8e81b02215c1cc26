"""A ranking → the same with each page or section that leads elsewhere behind the page that has the text.

Sites keep such pages where a page has moved, where a text belongs to two parts of the site and is written in one, and in the
place of pages of an old edition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from schema.sections import file_name
from schema.text.fields import ABOVE, HEADING
from search.index.snapshot import IndexSnapshot
from search.ranking.names import is_written
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows among which both pages are looked for; and among which pages that lead elsewhere by their links are, which
#: takes a look at their text.
_CLOSE_ROWS, _READ_ROWS = 50, 10
#: A page with fewer words of prose in all its sections is a placeholder; a definition in one sentence has more, and is an
#: answer. Of the 116 pages of Next.js that are filled from another one, 112 have fewer.
_LEAST_PROSE = 10
#: A page that says more of its own (words) is no redirect, and one with more prose (code and quotations at a quarter) is not
#: looked at.
_MOST_OWN, _MOST_PROSE = 40, 100
#: The score of a name from which on a section has all words of the query in its heading, and hardly any others; and how many
#: times as many words the title of a page has, at most, that has all of the heading's.
_NAMED, _LONGER = 0.5, 1.5
#: The words of prose of a section that says nothing itself, at most.
_NO_PROSE = 2


@dataclass(frozen=True, slots=True)
class Lead:
    """How much a page says itself and how much it quotes or shows as code (words); the documents that it links to, and the
    names of the files, in small letters and without endings, that its other links lead to, and the addresses; and whether
    its own text holds a number or code, which answer where words are few."""

    own: float
    quoted: float
    paths: frozenset[str]
    names: frozenset[str]
    addresses: tuple[str, ...] = ()
    has_facts: bool = False

    def is_to(self, path: str) -> bool:
        """Whether one of its links leads to this document; an address does if it ends with its folder and file."""
        *_, folder, file = ("", "", *path.split("/"))
        is_published = bool(folder) and any(address.endswith(f"/{folder}/{file}") for address in self.addresses)
        return is_published or path in self.paths or file_name(path).casefold() in self.names


def behind_their_pages(
    snapshot: IndexSnapshot, ranking: Ranking, lead_of: Callable[[int], Lead]
) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a page that leads elsewhere has changed places and scores with the best section there; and
    by the row of each such section, that of the page. `lead_of` reads the text and the links of the page in a row.

    A placeholder, which has hardly any text, leads to a section of another document with its title as the heading, or right
    below it. A redirect, which says little but quotes or shows more, or says nearly nothing and no number or code, leads to
    a section of a document that it links to, whose headings hold all words of the question that the redirect's title holds;
    of one that shows nothing either, the section may hold them anywhere.
    So does a short section that the question names to the page of the same name: an overview to the page itself.
    """
    lead_of = cache(lead_of)
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    moved = {}
    for place, row in enumerate(rows):
        behind = _place_of_page(snapshot, ranking, rows, place, lead_of) if _is_placeholder(snapshot, row) else None
        for place_of in (_place_of_target, _place_of_namesake) if place < _READ_ROWS else ():
            behind = place_of(snapshot, ranking, rows, place, lead_of) if behind is None else behind
        if behind is not None:
            page = rows[behind]
            rows[place], rows[behind] = page, row
            moved[page] = row
    return ranking.rearranged(rows, "placeholder"), moved


def text_first(
    snapshot: IndexSnapshot, query: Query, ranking: Ranking, lead_of: Callable[[int], Lead]
) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which the beginning of a page that says nothing itself, such as a title with another name of it,
    has given the first place and its score to the best section of that page, as the part "text"; and by the row of that
    section the one that was first. `lead_of` reads the text of the page in a row.

    It is the same ranking where the beginning has the question as its name, and where it has a few words or code.
    """
    rows = ranking.order[:_READ_ROWS]
    written, named, _ = snapshot.inverted.named(query.text)
    if not len(rows) or snapshot.position[rows[0]] or rows[0] in {*written.tolist(), *named.tolist()}:
        return ranking, {}
    says = (snapshot.document[rows] == snapshot.document[rows[0]]) & (snapshot.prose[rows] > _NO_PROSE)
    if says[0] or not says.any():
        return ranking, {}
    lead = lead_of(int(rows[0]))
    if lead.own or lead.quoted:
        return ranking, {}
    chosen = int(says.argmax())
    return ranking.led_by(chosen, "text"), {int(rows[chosen]): int(rows[0])}


def _is_placeholder(snapshot: IndexSnapshot, row: int) -> bool:
    return bool(snapshot.position[row] == 0 and snapshot.prose_below[row] < _LEAST_PROSE)


def _place_of_page(
    snapshot: IndexSnapshot, ranking: Ranking, rows: Sequence[int], place: int, lead_of: Callable[[int], Lead]
) -> int | None:
    """Return the place of the best section of the page that a placeholder stands for; None if none is behind it, or if it
    lacks a word of the question that the text of the short page has: then that is a note with an answer of its own."""
    inverted, document = snapshot.inverted, snapshot.document
    title = inverted.heading_words(rows[place])
    answered = inverted.words(rows[place]).intersection(inverted.codes_of_terms(ranking.weights))
    for other, row in enumerate(rows if title else ()):
        if document[row] == document[rows[place]] or _is_placeholder(snapshot, row):
            continue
        if title in (frozenset(inverted.codes_of(row, line, line + 1).tolist()) for line in (HEADING, ABOVE)):
            has_all = answered <= set(inverted.codes_of(row).tolist())
            if other <= place:
                return None
            lead = None if has_all else lead_of(rows[place])
            # without text or code of its own its words are those of its front matter
            return other if lead is None or not (lead.own or lead.quoted) else None
    return None


def _place_of_target(
    snapshot: IndexSnapshot, ranking: Ranking, rows: Sequence[int], place: int, lead_of: Callable[[int], Lead]
) -> int | None:
    """Return the place of the best section that a redirect leads to; None if the page is none, or none is behind it."""
    row = rows[place]
    if snapshot.position[row] or snapshot.prose_below[row] >= _MOST_PROSE:
        return None
    inverted, document = snapshot.inverted, snapshot.document
    asked = frozenset(inverted.codes_of_terms(ranking.weights))
    wanted = asked & inverted.heading_words(row)
    if not wanted:
        return None

    def has_words(other: int, stop: int | None) -> bool:
        return wanted <= frozenset(inverted.codes_of(rows[other], HEADING, stop).tolist())

    others = [other for other in range(place + 1, len(rows)) if document[rows[other]] != document[row]]
    if not any(has_words(other, None) for other in others):
        return None
    lead = lead_of(row)
    says_little = lead.own < _LEAST_PROSE and not lead.has_facts
    is_bare = says_little and not lead.quoted
    if not says_little and lead.own >= min(lead.quoted, _MOST_OWN):
        return None
    least, stop = (lead.own, None) if is_bare else (snapshot.prose_below[row], ABOVE + 1)
    return next(
        (
            other
            for other in others
            if lead.is_to(snapshot.path(rows[other]))
            and snapshot.prose_below[rows[other]] > least
            and has_words(other, stop)
        ),
        None,
    )


def _place_of_namesake(
    snapshot: IndexSnapshot, ranking: Ranking, rows: Sequence[int], place: int, lead_of: Callable[[int], Lead]
) -> int | None:
    """Return the place of the page of nearly the same name that a section with the query as its name links to; None if it
    links to none, or none is behind it."""
    row = rows[place]
    if ranking.names is None or ranking.names[row] < _NAMED or snapshot.prose_below[row] >= _MOST_PROSE:
        return None
    inverted, document = snapshot.inverted, snapshot.document
    name = inverted.heading_words(row)
    longer = 1.0 if is_written(ranking.names[row]) else _LONGER  # who types a heading exactly means it
    pages = [
        other
        for other in range(place + 1, len(rows))
        if document[rows[other]] != document[row]
        and snapshot.position[rows[other]] == 0
        and snapshot.prose_below[rows[other]] > snapshot.prose_below[row]
        and name <= (title := inverted.heading_words(rows[other]))
        and len(title) <= longer * len(name)
    ]
    lead = lead_of(row) if pages else None
    return next((other for other in pages if lead is not None and lead.is_to(snapshot.path(rows[other]))), None)
