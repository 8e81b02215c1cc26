"""What is open at the current line of a Markdown text: containers, a paragraph, a block that lasts over several lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_patterns import FORMULA_END
from indexer.markdown.prose_tags import COMMENT_END

#: Deeper containers are text: with many of them open every blank line would be compared with all.
MAX_CONTAINERS = 40
#: The width of a quote among the open containers.
QUOTE = 0


class Block(NamedTuple):
    """A paragraph as it is written, its lines without the markers of quotes and lists.

    `part` counts the headings before it. An aside is a quote or a footnote.
    """

    source: str
    part: int
    is_item: bool
    is_aside: bool


@dataclass(frozen=True, slots=True)
class Fence:
    """An open code fence: its character, how many of them, and how many containers it is in."""

    character: str
    length: int
    depth: int


class State:
    """What is open at the current line, and the paragraphs that have ended; `text` is the whole text.

    In all methods and rules, `matched` is how many of the open containers the current line continues, and `body` is what
    follows their markers: not empty, and without blanks at its beginning.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.next_line = 0  # offset of the line after the current one
        self.done: list[Block] = []
        self.lines: list[str] = []  # of the open paragraph
        self.containers: list[int] = []  # for an item the columns its lines are indented by, for a quote QUOTE
        self.is_item = self.is_aside = False  # the open paragraph is in an item, or in a footnote
        self.part = 0  # headings so far
        # blocks that last over several lines
        self.fence: Fence | None = None
        self.skipping_to: re.Pattern[str] | None = None  # the end of a comment, element or formula that is left out
        self.missing: set[re.Pattern[str]] = set()  # such ends that the rest of the text does not have
        self.statement_depth: int | None = None  # brackets open in a statement of MDX; None outside of statements
        self.is_table = False
        self.is_markup = False  # after a line of tags, until a blank line: indented text is no code there
        self.is_defined = False  # after a link definition, which may have its title on the next line

    def begin_block(self, matched: int) -> None:
        """End the open paragraph and the containers that the line does not continue."""
        self.end_paragraph()
        if matched < len(self.containers):
            del self.containers[matched:]
        if not any(self.containers):
            self.is_item = self.is_aside = False

    def end_paragraph(self) -> None:
        """End the open paragraph, table and link definition."""
        if self.lines:
            is_aside = self.is_aside or QUOTE in self.containers
            self.done.append(Block("\n".join(self.lines), self.part, self.is_item, is_aside))
            self.lines = []
        self.is_table = self.is_defined = False

    def add(self, line: str) -> None:
        """Add a line to the open paragraph, without the blanks around it."""
        line = line.strip()
        if line:
            self.lines.append(line)

    def open(self, width: int, matched: int) -> None:
        """Begin a block in a new container, whose lines are indented by `width` columns; `QUOTE` for a quote."""
        self.begin_block(matched)
        if len(self.containers) < MAX_CONTAINERS:
            self.containers.append(width)

    def skip(self, body: str, start: int, end: re.Pattern[str], *, to_end: bool = False) -> bool:
        """Leave out what begins at the beginning of this line, up to `end`, which is searched from `start` on.

        Return false, and leave out nothing, if text follows `end` on this line, or if the text has no `end` any more. With
        `to_end`, everything up to the end of the text is left out then.
        """
        found = end.search(body, start)
        if found is not None:
            if body[found.end() :].strip():  # the line is one of a paragraph, and `prose_inline` leaves this part out
                return False
            self.is_markup = self.is_markup or end is not FORMULA_END
            return True
        if not to_end and (end in self.missing or not end.search(self.text, self.next_line)):
            self.missing.add(end)
            return False
        self.skipping_to = end
        if end is not COMMENT_END:
            self.end_paragraph()
        return True

    def read_statement(self, line: str, depth: int) -> None:
        """Leave out a line of a statement of MDX; a blank line outside of brackets ends it."""
        if not line and depth <= 0:
            self.statement_depth = None
        else:
            self.statement_depth = depth + sum(map(line.count, "{([")) - sum(map(line.count, "})]"))
