"""Markdown of a section → its prose, sentence by sentence, as plain text: no code, tables, tags, images or headings.

Every string can be read, in time that grows with its length. MDX and the Markdown of VitePress are read too, which have
components and containers around the prose: their lines are left out, although CommonMark would show them as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.frontmatter import read_front_matter
from indexer.markdown.prose_blocks import read_blocks
from indexer.markdown.prose_inline import BREAK, UNSEEN, normal_label, plain_text
from schema.text.sentences import join_lines, split_sentences

__all__ = ["Sentence", "prose_sentences", "read_prose", "split_sentences"]

_LABEL = re.compile(r"^[ >]{0,20}\[((?:[^\[\]\\\n]|\\.){1,200}+)\]:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as plain text, with its full stop if it has one.

    `block` counts the paragraphs and items of the text and `part` its headings, both from 0. An aside is a quote or a
    footnote.
    """

    text: str
    block: int
    part: int
    is_item: bool
    is_aside: bool


def prose_sentences(markdown: str) -> list[str]:
    """Return the sentences of a section's prose in order, as plain text; a list item is at least one sentence.

    >>> prose_sentences("## Keys\\n\\nA **key** opens `max_tokens`. See:\\n\\n```py\\nx = 1\\n```\\n- one\\n- two")
    ['A key opens max_tokens.', 'See:', 'one', 'two']
    """
    return [sentence.text for sentence in read_prose(markdown)]


def read_prose(markdown: str) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown text in order; the text is read only as far as they are needed."""
    text = "\n".join(UNSEEN.sub("", markdown).splitlines())
    text = text[len(read_front_matter(text).raw) :]
    labels = frozenset(normal_label(label) for label in _LABEL.findall(text)) if "]:" in text else frozenset()
    number = 0
    for block in read_blocks(text):
        for paragraph in plain_text(block.source, labels).split(BREAK):
            found = False
            for sentence in split_sentences(join_lines(paragraph)):
                found = True
                yield Sentence(sentence, number, block.part, block.is_item, block.is_aside)
            number += found
