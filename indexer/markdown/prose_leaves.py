"""The rules for a line of Markdown without the markers of its containers: what it begins, or which block it belongs to.

Each rule gets the state, the line and how many open containers it continues. It takes the line and returns true, or it
returns false and leaves the line to the next rule. `take_leaf` tries them in the order of the tables at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from indexer.markdown import prose_patterns as patterns
from indexer.markdown.prose_state import Fence, State
from indexer.markdown.prose_tags import CLOSING, COMMENT_END, JSX_COMMENT_END, TAG

#: The lines of a footnote, or of an admonition of MkDocs, are indented by this many columns.
_HANGING = 4

_Rule = Callable[[State, str, int], bool]


def take_leaf(state: State, body: str, matched: int) -> None:
    """Give a line to the first rule that takes it; without one, it is a line of a paragraph."""
    for takes in _RULES.get(body[0], _RULES_OF_OTHERS):
        if takes(state, body, matched):
            return
    if not state.lines:
        for takes in _RULES_BETWEEN_PARAGRAPHS.get(body[0], ()):
            if takes(state, body, matched):
                return
        state.begin_block(matched)
    state.lines.append(body)


def _takes_fence(state: State, body: str, matched: int) -> bool:
    fence = patterns.FENCE.match(body)
    if fence is None:
        return False
    state.begin_block(matched)
    state.fence = Fence(body[0], len(fence.group(1) or fence.group(2)), len(state.containers))
    return True


def _takes_heading(state: State, body: str, matched: int) -> bool:
    if not patterns.HEADING.match(body):
        return False
    state.begin_block(matched)
    state.part += 1
    return True


def _takes_colons(state: State, body: str, matched: int) -> bool:
    """Take the first or last line of a container of VitePress; the text between is read as if there were none."""
    if not patterns.COLONS.match(body):
        return False
    state.begin_block(matched)
    return True


def _takes_table_row(state: State, _body: str, _matched: int) -> bool:
    """Take any line of an open table, which goes on until a blank line or a new block."""
    return state.is_table


def _takes_delimiter_row(state: State, body: str, _matched: int) -> bool:
    """Take the row below the head of a table, and take back the head, which was read as a paragraph's line."""
    characters = frozenset(body)
    if not (state.lines and characters <= patterns.DELIMITER_ROW_CHARACTERS and {"-", "|"} <= characters):
        return False
    if "|" in state.lines[-1]:
        state.lines.pop()
    state.end_paragraph()
    state.is_table = True
    return True


def _takes_row_with_edges(state: State, body: str, _matched: int) -> bool:
    """Take a row that begins and ends with `|`, where no paragraph is open: a table broken in two goes on without a head."""
    if state.lines or len(body) < 2 or not body[0] == body[-1] == "|":
        return False
    state.is_table = True
    return True


def _takes_grid_line(_state: State, body: str, _matched: int) -> bool:
    """Take a line between the rows of a grid table, as +---+---+."""
    return len(body) > 2 and patterns.GRID_CHARACTERS.issuperset(body)


def _takes_comment(state: State, body: str, _matched: int) -> bool:
    return body.startswith("<!--") and state.skip(body, 4, COMMENT_END, to_end=True)


def _takes_comment_of_mdx(state: State, body: str, _matched: int) -> bool:
    return body.startswith("{/*") and state.skip(body, 3, JSX_COMMENT_END)


def _takes_formula(state: State, body: str, _matched: int) -> bool:
    return body.startswith("$$") and state.skip(body, 2, patterns.FORMULA_END)


def _takes_element(state: State, body: str, matched: int) -> bool:
    """Take an element that is left out whole, or a line of nothing but tags."""
    tag = TAG.match(body)
    silent = patterns.SILENT_ELEMENT.match(body)
    if silent is None:
        if tag is None or not patterns.ONLY_TAGS.match(body):
            return False
        state.begin_block(matched)
        state.is_markup = True
        return True
    if tag is not None and tag.group(3).endswith("/"):  # it is empty
        return False
    name = silent.group(1).lower()
    return state.skip(body, silent.end(), CLOSING[name], to_end=name in patterns.SILENT_TO_END)


def _takes_definition(state: State, body: str, matched: int) -> bool:
    if not patterns.DEFINITION.match(body):
        return False
    state.begin_block(matched)
    state.is_defined = True
    return True


def _takes_definition_title(state: State, body: str, _matched: int) -> bool:
    """Take the title of the link definition on the line above."""
    if not (state.is_defined and patterns.DEFINITION_TITLE.match(body)):
        return False
    state.end_paragraph()
    return True


def _takes_footnote(state: State, body: str, matched: int) -> bool:
    """Take the first line of a footnote: what follows its mark is the beginning of its text."""
    footnote = patterns.FOOTNOTE.match(body)
    if footnote is None:
        return False
    state.open(_HANGING, matched)
    state.is_aside = True
    state.add(body[footnote.end() :])
    return True


def _takes_alert(state: State, body: str, _matched: int) -> bool:
    """Take the first line of an alert: without its marker it is a paragraph."""
    alert = patterns.ALERT.match(body)
    if alert is None:
        return False
    state.add(body[alert.end() :])
    state.end_paragraph()
    return True


def _takes_indenting_marker(state: State, body: str, matched: int) -> bool:
    """Take the first line of an admonition or a tab of MkDocs."""
    if not patterns.INDENTING_MARKER.match(body):
        return False
    state.open(_HANGING, matched)
    return True


def _takes_statement(state: State, body: str, _matched: int) -> bool:
    """Take the first line of an import or export of MDX."""
    if state.containers or not patterns.STATEMENT.match(body):
        return False
    state.read_statement(body, 0)
    return True


def _takes_attributes(_state: State, body: str, _matched: int) -> bool:
    """Take the attributes that kramdown has below a block."""
    return patterns.ATTRIBUTES.match(body) is not None


def _by_first_character(*rules: tuple[str, _Rule]) -> Mapping[str, tuple[_Rule, ...]]:
    """Return the rules for lines that begin with each character, in the order given."""
    characters = dict.fromkeys("".join(characters for characters, _ in rules))
    return {each: tuple(rule for characters, rule in rules if each in characters) for each in characters}


#: Rules for a line of text, tried in this order; they may end a paragraph.
_RULES = _by_first_character(
    ("`~", _takes_fence),
    ("#", _takes_heading),
    (":", _takes_colons),
    ("`~#:|-+=<{$", _takes_table_row),
    ("|-:", _takes_delimiter_row),
    ("|", _takes_row_with_edges),
    ("|-:+=", _takes_grid_line),
    ("<", _takes_comment),
    ("<", _takes_element),
    ("{", _takes_comment_of_mdx),
    ("$", _takes_formula),
)
#: Rules for lines that begin with any other character.
_RULES_OF_OTHERS: tuple[_Rule, ...] = (_takes_table_row,)
#: Rules that are tried after those where no paragraph is open.
_RULES_BETWEEN_PARAGRAPHS = _by_first_character(
    ("[", _takes_definition),
    ("[", _takes_footnote),
    ("[", _takes_alert),
    ("\"'(", _takes_definition_title),
    ("!?=", _takes_indenting_marker),
    ("ei", _takes_statement),
    ("{", _takes_attributes),
)
