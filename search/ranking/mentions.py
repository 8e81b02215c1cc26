"""A question that is an identifier → the sections that tell of it before those that only have it in a block of code.

An example or the output of a command holds many names, none of which it explains. A sentence, an item of a list or a row of
a table that has the name says what it does, or when to set it.
"""

from __future__ import annotations

import re

import numpy as np

from schema.text.fields import identifiers
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query
from search.ranking.rank import Ranking

#: The best rows whose texts are read, what is read of each (characters), and what a section that tells of the name gains.
_READ_ROWS, _MOST_READ, _WORTH = 15, 50_000, 0.15
#: What stands between a thing and the name of its member.
_MEMBER = re.compile(r"\.|::|->")
_CODE = re.compile(r"^[ \t>]{0,20}(?P<fence>`{3,9}|~{3,9}).*?(?:^[ \t>]{0,20}(?P=fence)|\Z)", re.MULTILINE | re.DOTALL)
#: A comment in code.
_COMMENT = re.compile(r"^[ \t>]{0,80}(?://|#|--|/?\*)[^\n]*", re.MULTILINE)


def told_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the best rows with the identifier, which is all of the question, in their prose gain, as
    the part "told", and so do those with the member that it names in a heading; the same ranking for another question, and
    where all of these rows have it there or none does."""
    name = query.text.removesuffix("()")
    rows = ranking.order[:_READ_ROWS]
    if ranking.names is None or not len(rows) or name not in identifiers(query.text):
        return ranking
    whole, own = re.escape(name), re.escape(_MEMBER.split(name)[-1])
    form = rf"(?:(?<![\w-]){whole}|^[ ]{{0,3}}#{{1,6}}[ ][^\n]{{0,200}}?(?<![\w-]){own})(?![\w-])"
    written = re.compile(form, re.IGNORECASE | re.MULTILINE)
    texts = map(_told_in, snapshot.contents(rows.tolist()))
    is_told = np.array([written.search(text) is not None for text in texts], np.bool_)
    if is_told.all() or not is_told.any():
        return ranking
    added = np.zeros(len(ranking.total))
    added[rows[is_told]] = _WORTH
    return ranking.plus("told", added, most=_WORTH)


def _told_in(text: str) -> str:
    """A Markdown text in which blocks of code have only their comments."""
    return _CODE.sub(lambda code: "\n".join(_COMMENT.findall(code[0])), text[:_MOST_READ])
