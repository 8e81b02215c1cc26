"""A section in another language than the question → its counterpart on the same page in the question's language."""

from __future__ import annotations

from schema.text.language import question_language
from search.index.snapshot import IndexSnapshot
from search.index.translations import page_name
from search.ranking.rank import Ranking

#: The best rows among which counterparts are looked for.
_CLOSE_ROWS = 30


def own_copies_first(snapshot: IndexSnapshot, text: str, ranking: Ranking) -> tuple[Ranking, dict[int, int]]:
    """Return the ranking in which a section in another language has changed places and scores, as the part "translation",
    with its counterpart in the language of the question `text`; and by the row of each counterpart, that of the other.

    Counterparts have the same place in documents whose paths differ in a language alone, and the same depth.
    """
    own = question_language(text)
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    languages = snapshot.languages[rows].tolist()
    if not own or not any(language not in ("", own) for language in languages):
        return ranking, {}
    keys = []
    best_own: dict[tuple[str, int, int], int] = {}
    foreign = []
    for place, (row, language) in enumerate(zip(rows, languages, strict=True)):
        page, tag = page_name(snapshot.path(row))
        keys.append((page, int(snapshot.position[row]), int(snapshot.depth[row])))
        if language == own or tag[:2] == own:  # code with English comments stands on pages in other languages too
            best_own.setdefault(keys[place], place)
        elif language:
            foreign.append(place)
    moved = {}
    for place in foreign:
        copy = best_own.get(keys[place], -1)
        if copy > place:
            rows[place], rows[copy] = rows[copy], rows[place]
            moved[rows[place]] = rows[copy]
            best_own[keys[place]] = place
    return ranking.rearranged(rows, "translation"), moved
