"""Markdown → its blocks with text that is no code: paragraphs, headings, rows of tables, HTML; by the rules of `blocks`."""

from __future__ import annotations

from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.token import Token

from indexer.markdown.blocks import BlockState, Heading, read_blocks


class TextBlock(NamedTuple):
    """The source of a paragraph, a heading, a row of a table or a block of HTML, and its first line (0-based)."""

    line: int
    source: str
    is_html: bool


def read_text_blocks(text: str, env: dict[str, object]) -> tuple[list[Heading], list[TextBlock]]:
    """Return every heading of a Markdown text, and every block with text that is no code, both in order.

    The link definitions are added to `env`.
    """
    tokens: list[Token] = []

    def new_state(lines: str, parser: MarkdownIt, env: dict[str, object]) -> BlockState:
        return _TextState(lines, parser, env, tokens)

    headings, _ = read_blocks(text, env, new_state)
    blocks = [TextBlock((token.map or [0])[0], token.content, token.type == "html_block") for token in tokens]
    return headings, blocks


class _TextState(BlockState):
    """A state of the parser that also adds the tokens of texts and of HTML to `kept`."""

    def __init__(self, text: str, parser: MarkdownIt, env: dict[str, object], kept: list[Token]) -> None:
        super().__init__(text, parser, env)
        self.kept = kept

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        if ttype in ("inline", "html_block"):
            if not self.tokens or token is not self.tokens[-1]:  # no part of a heading: one token serves for all others
                token = Token(ttype, tag, nesting)
            self.kept.append(token)
        return token

    def keep_rows(self, first: int, end: int) -> None:
        for line in range(first, end):
            row = self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]
            self.kept.append(Token("inline", "", 0, content=row, map=[line, line + 1]))

    def keep_paragraph(self, first: int, end: int) -> None:
        source = mdTrim(self.getLines(first, end, self.blkIndent, False))
        self.kept.append(Token("inline", "", 0, content=source, map=[first, end]))
