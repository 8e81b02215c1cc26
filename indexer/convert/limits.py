"""What the process that reads a file and the one that starts it agree on: limits, exit codes and refusals."""

from __future__ import annotations

#: The longest Markdown of a file, in bytes of UTF-8.
MAX_TEXT = 20_000_000
#: The largest size of an unpacked Word file, in bytes, and most files in it.
MAX_UNPACKED, MAX_PACKED_FILES = 200_000_000, 10_000
MAX_PAGES = 2000
#: Most bookmarks of a PDF file that become headings.
MAX_BOOKMARKS = 10_000
#: Most bytes of what stands before the text in an answer: the places as JSON.
MAX_PLACES = 4_000_000
#: Exit codes of the process that reads a file.
REFUSED, OUT_OF_MEMORY, OUT_OF_TIME, MISSING = 3, 4, 5, 6

#: The formats by the endings of their files' names.
FORMATS = {
    ".pdf": "pdf",
    ".docx": "docx",
    ".html": "html",
    ".htm": "html",
    ".ipynb": "ipynb",
    ".rst": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
}
#: The formats whose files are text; the others are binary.
TEXTS = frozenset({"html", "ipynb", "rst", "asciidoc"})

#: Where parts of a Markdown text stood in the file: the offset (characters) from which on each label holds, in order.
Places = tuple[tuple[int, str], ...]


def place_mark(label: str) -> str:
    """Return a comment that says, within a section, where the next page or cell begins; see `Section.place_at`."""
    return f"<!-- {label} -->"


class Refusal(Exception):  # noqa: N818 — no fault of the program
    """Raised when a file has no text that can be read; its message is a sentence whose subject, the file, is left out."""

    code = REFUSED


class OutOfMemoryRefusal(Refusal):
    """Raised when reading a file takes more memory than it may."""

    code = OUT_OF_MEMORY


class OutOfTimeRefusal(Refusal):
    """Raised when reading a file takes longer than it may."""

    code = OUT_OF_TIME


class MissingRefusal(Refusal):
    """Raised when a package is missing that reads files of this format."""

    code = MISSING

    def __init__(self, package: str) -> None:
        super().__init__(f"needs the package {package} to be read; install it with `pip install 'sectionary[convert]'`.")


def too_long() -> Refusal:
    """Return the refusal of a file whose text passes the limit."""
    return Refusal(f"holds more than {MAX_TEXT:,} bytes of text; split it into smaller files.")
