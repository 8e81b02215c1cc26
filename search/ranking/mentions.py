"""A question that is an identifier → the sections that tell of it before those that only have it in a block of code.

An example or the output of a command holds many names, none of which it explains. A sentence, an item of a list or a row of
a table that has the name says what it does, or when to set it.
"""

from __future__ import annotations

import re

import numpy as np

from schema.text.fences import BLOCK_OF_CODE
from schema.text.fields import identifiers
from search.index.snapshot import IndexSnapshot
from search.ranking.query import Query, option_asked
from search.ranking.rank import Ranking

#: The best rows whose texts are read, what is read of each (characters), and what a section that tells of the name gains.
_READ_ROWS, _MOST_READ, _WORTH = 15, 50_000, 0.2
#: What a section gains besides that has a line of its own for the option: a heading, or the beginning of an item or a row.
_OWN_LINE = 0.1
#: The share that another one loses of what it gained by the name: that stands in a line of code, as in a list of imports.
_CODE_SHARE = 0.5
#: What stands between a thing and the name of its member; and the end of a name of a file, which has no members.
_MEMBER = re.compile(r"\.|::")
_FILE = re.compile(
    r"\.(?:md|mdx|json|jsonc?5?|toml|ya?ml|xml|html?|css|[cm]?[jt]sx?|py|rs|go|rb|sh|txt|lock|cfg|ini|env|csv|sql|vue)\Z"
)
#: A line that begins with an option, or with other names of it: "#### `-c`, `--code`", "* `--code TEXT`: …", "| `--code` |".
_LINE_OF_OPTION = (
    r"^[ \t>]{{0,20}}(?:#{{1,6}}|[-*+|]|\d{{1,3}}[.)])?[ \t]*(?:[`*]*--?\w[\w-]*[`*]*[ ,/|]+){{0,3}}[`*]*{}(?![\w-])"
)
_LINE_END = re.compile(r"\r\n?")
#: A comment in code.
_COMMENT = re.compile(r"^[ \t>]{0,80}(?://|(?:#|--|\*)(?=[ \t])|/\*)[^\n]*", re.MULTILINE)


def told_first(snapshot: IndexSnapshot, query: Query, ranking: Ranking) -> Ranking:
    """Return the ranking in which the best rows with the identifier, which is all of the question, in their prose gain, as
    the part "told", as do those with the member that it names in a heading, and the others of them lose. One with a line of
    its own for the option that a question is for gains more.

    It is the same ranking for another question, and where all of these rows have it there or none does.
    """
    asked = option_asked(query.text) or query.text
    name = asked.removesuffix("()")
    rows = ranking.order[:_READ_ROWS]
    if ranking.names is None or not len(rows) or name not in identifiers(asked):
        return ranking
    written = re.compile(_form(name, is_call=name != asked), re.IGNORECASE | re.MULTILINE)
    texts = map(_told_in, snapshot.contents(rows.tolist()))
    own = re.compile(_LINE_OF_OPTION.format(re.escape(name)), re.MULTILINE) if name.startswith("--") else None
    found = [(written.search(text) is not None, own is not None and own.search(text) is not None) for text in texts]
    is_told, is_own = np.array(found, np.bool_).T
    if (is_told.all() or not is_told.any()) and not is_own.any():
        return ranking
    added = np.zeros(len(ranking.total))
    added[rows[is_told]] = _WORTH
    added[rows[is_own]] += _OWN_LINE
    if "name" in ranking.parts:
        added[rows[~is_told]] = -_CODE_SHARE * ranking.parts["name"][rows[~is_told]]
    return ranking.plus("told", added, most=_WORTH + _OWN_LINE * is_own.any())


def _form(name: str, *, is_call: bool) -> str:
    """The form in which a text tells of a name: as it is, a call also as code or with a bracket, since "next" and "get" are
    words; or with the member that it names in a heading."""
    escaped = re.escape(name)
    forms = [rf"(?<![\w-]){escaped}\(|`{escaped}`" if is_call else rf"(?<![\w-]){escaped}(?![\w-])"]
    *things, own = _MEMBER.split(name)
    if things and own and "/" not in name and not _FILE.search(name):
        forms.append(rf"^ {{0,3}}\#{{1,6}} [^\n]{{0,200}}?(?<![\w-]){re.escape(own)}(?![\w-])")
    return "|".join(forms)


def _told_in(text: str) -> str:
    """A Markdown text in which blocks of code have only their comments."""
    lines = _LINE_END.sub("\n", text[:_MOST_READ])
    return BLOCK_OF_CODE.sub(lambda code: "\n".join(_COMMENT.findall(code[0])), lines)
