"""Endings of file names, in small letters: which are Markdown, which are text documents of other kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Files that are indexed by default, as Markdown.
MARKDOWN = (".md", ".markdown", ".mdx", ".qmd", ".rmd", ".mkd")
#: Files that hold plain text with their own markup, or none: `include` takes them, read as Markdown.
PLAIN_TEXT = (".txt", ".rst", ".adoc", ".asciidoc", ".org", ".tex")
#: Files that hold a document in another form.
OTHER_DOCUMENTS = (".ipynb", ".html", ".htm", ".pdf", ".docx", ".odt", ".epub", ".pptx", ".xlsx")
#: Files that the setting `convert` takes.
CONVERTED = (".pdf", ".docx", ".html", ".htm", ".ipynb", ".rst", ".adoc", ".asciidoc")
#: Files that a run counts where it leaves them out.
COUNTED = frozenset((*PLAIN_TEXT, *OTHER_DOCUMENTS))
#: Patterns of `include` with these endings take documents only.
DOCUMENTS = (*MARKDOWN, ".txt")
#: A pattern that takes every file with one ending.
_ONE_ENDING = re.compile(r"(?:\*\*/)?\*(\.[a-z0-9]{1,20})", re.IGNORECASE)


def endings_of(patterns: Iterable[str]) -> frozenset[str]:
    """Return the endings that patterns in .gitignore syntax take, if this is all they say; case does not matter.

    >>> endings_of(["**/*.md"]), endings_of(["*.md", "!draft.md"])
    (frozenset({'.md'}), frozenset())
    """
    found = [_ONE_ENDING.fullmatch(pattern.strip()) for pattern in patterns]
    return frozenset(each[1].lower() for each in found if each) if all(found) else frozenset()


def ending_of(name: str) -> str:
    """Return the ending of a file's name in small letters, dot included; "" where it has none.

    >>> ending_of("Report.PDF"), ending_of("notes"), ending_of(".txt")
    ('.pdf', '', '')
    """
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""
