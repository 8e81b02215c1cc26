"""A PDF file → Markdown: the text of its pages in paragraphs, under the headings of its bookmarks or of its pages.

PDFium, the reader of a browser, gives characters in their order with their places on the page. Text in a font whose
characters are of one width is code. Pages without text, such as scans, give nothing.
"""

from __future__ import annotations

import ctypes
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from indexer.convert.limits import (
    MAX_BOOKMARKS,
    MAX_PAGES,
    MAX_TEXT,
    MissingRefusal,
    Places,
    Refusal,
    place_mark,
    too_long,
)

_FIXED_PITCH = 1
_CODE_FONTS = re.compile(r"mono|courier|consol|menlo|cmtt|typewriter|sourcecode|inconsolata", re.IGNORECASE)
#: What PDFium writes in place of a hyphen at which it joined a word again.
_JOINED = frozenset({0x02, 0xFFFE, 0xAD})
#: A line that is this much further below than most lines begins a paragraph; so does one behind a line that ends this far
#: before the right edge of the text (shares of the usual distance, of the width).
_FAR, _SHORT = 1.35, 0.85
_BULLET = re.compile(r"[•‣▪●◦○■□・–][ \t]*+(?=\S)")
_NUMBERED = re.compile(r"(?:\d{1,3}[.)]|\(\d{1,3}\)|[a-z][.)])[ \t]")
#: Beginnings of lines that Markdown would take for something else.
_MARKUP = re.compile(r"[#>\[=~`|+*_-]")
#: Texts between which a joined line needs no blank: Chinese and Japanese.
_NO_BLANK = re.compile(r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
#: The dots between an entry of a table of contents and its page.
_LEADERS = re.compile(r"[ \t]?(?:[.·…][ \t]?){4,}")
#: The number of a page that stands alone.
_PAGE_NUMBER = re.compile(r"[-–— ]{0,3}(?:\d{1,4}|[ivxlc]{1,7})[-–— ]{0,3}", re.IGNORECASE)
#: Titles that programs write when nobody gave one.
_NO_TITLE = re.compile(r"untitled|無題|\S+\.(?:docx?|odt|tex|dvi|indd|pptx?|html?|ps|pdf)$", re.IGNORECASE)
_PROGRAM = re.compile(r"^Microsoft (?:Word|PowerPoint) - ", re.IGNORECASE)
#: Error codes of PDFium: a password is needed, or the way of protection is not known.
_PASSWORD, _SECURITY = 4, 5


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a page: its text, its edges and baseline in points from the lower left, whether its font is for code."""

    text: str
    left: float
    right: float
    bottom: float
    is_code: bool


@dataclass(frozen=True, slots=True)
class _Bookmark:
    """A heading: its level from 0, its text, and the height on the page from which on it holds (None: the whole page)."""

    level: int
    title: str
    top: float | None


def read_pdf(data: bytes, title: str) -> tuple[str, Places]:
    """Return the Markdown of a PDF file and where each page begins; with a `title` also headings.

    The title is used if the file has none. Without bookmarks, each page begins with a heading.

    Raises:
        Refusal: why the file cannot be read.
    """
    try:
        import pypdfium2 as pdfium
    except ImportError as error:
        raise MissingRefusal("pypdfium2") from error
    try:
        document = pdfium.PdfDocument(data)
        if len(document) > MAX_PAGES:
            raise Refusal(f"has {len(document):,} pages, more than {MAX_PAGES:,}; split it into smaller files.")
        own = _own_title(document.get_metadata_value("Title"))
        bookmarks = _bookmarks(document) if title else {}
        is_same = [b.title for _, all_ in sorted(bookmarks.items()) for b in all_ if b.level == 0] == [own]
        out: list[str] = [] if is_same or not title else [f"# {_heading(own or title)}\n\n"]
        size = sum(map(len, out))
        places: list[tuple[int, str]] = []
        for index in range(len(document)):
            lines = _lines(document[index])
            blocks = list(_blocks(lines, bookmarks.get(index, ()), 1 if is_same else 2))
            if not blocks:
                continue
            label = f"page {index + 1}"
            if title and not bookmarks:
                blocks.insert(0, f"## Page {index + 1}")
            elif title and places and not blocks[0].startswith("#"):
                blocks.insert(0, place_mark(label))
            # the file's title stands on its first page
            places.append((size if places else 0, label))
            out.append("\n\n".join(blocks) + "\n\n")
            size += len(out[-1])
            if size > MAX_TEXT:
                raise too_long()
    except pdfium.PdfiumError as error:
        if error.err_code in (_PASSWORD, _SECURITY):
            raise Refusal("is protected by a password; save it without one.") from error
        raise Refusal(f"cannot be read as PDF ({' '.join(str(error).split())[:200]}); save it again.") from error
    return ("".join(out) if places else ""), tuple(places)


def _own_title(value: str) -> str:
    title = _PROGRAM.sub("", " ".join(value.split()))
    return "" if _NO_TITLE.search(title) else title


def _bookmarks(document: Any) -> dict[int, list[_Bookmark]]:
    """Return the bookmarks that lead to a page of this file, by page in their order."""
    found: dict[int, list[_Bookmark]] = {}
    for number, bookmark in enumerate(document.get_toc(max_depth=6)):
        if number >= MAX_BOOKMARKS:
            break
        title = " ".join(bookmark.get_title().split())
        target = bookmark.get_dest()
        page = target.get_index() if target is not None else None
        if title and page is not None:
            _, numbers = target.get_view()
            top = numbers[1] if len(numbers) > 1 else numbers[0] if numbers else None
            found.setdefault(page, []).append(_Bookmark(bookmark.level, title, top))
    return found


def _lines(page: Any) -> list[_Line]:
    """Return the lines of a page that are not blank."""
    from pypdfium2 import raw

    text = page.get_textpage()
    lines: list[_Line] = []
    units: list[int] = []
    first = last = -1
    for index in range(text.count_chars()):
        unit = raw.FPDFText_GetUnicode(text, index)
        if unit in (10, 13):
            if first >= 0:
                lines.append(_line(text, units, first, last))
            units, first = [], -1
        elif unit and unit not in _JOINED:
            units.append(unit)
            if unit not in (32, 160, 0x3000, 9):
                first, last = (index if first < 0 else first), index
    if first >= 0:
        lines.append(_line(text, units, first, last))
    for edge in (-1, 0):
        if len(lines) > 1 and _PAGE_NUMBER.fullmatch(lines[edge].text):
            del lines[edge]
    return lines


def _line(text: Any, units: Sequence[int], first: int, last: int) -> _Line:
    left, bottom, _, _ = text.get_charbox(first, loose=True)
    _, _, right, _ = text.get_charbox(last, loose=True)
    # characters beyond the first 65,536 may come in two halves
    words = "".join(map(chr, units)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _Line(words.replace("\u00a0", " ").strip(), left, right, bottom, _is_code(text, first) and _is_code(text, last))


def _is_code(text: Any, index: int) -> bool:
    from pypdfium2 import raw

    name, flags = ctypes.create_string_buffer(100), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text, index, name, 100, flags)
    return bool(flags.value & _FIXED_PITCH) or bool(_CODE_FONTS.search(name.value.decode("latin-1")))


def _blocks(lines: Sequence[_Line], bookmarks: Sequence[_Bookmark], first_level: int) -> Iterator[str]:
    """Yield the headings, paragraphs and pieces of code of a page."""
    headings = _placed(lines, bookmarks)
    distances = [above.bottom - line.bottom for above, line in pairwise(lines)]
    usual = statistics.median(d for d in distances if d > 0) if any(d > 0 for d in distances) else 0.0
    edge = max((line.right for line in lines if not line.is_code), default=0.0)
    held: list[_Line] = []
    for position, line in enumerate(lines):
        above = lines[position - 1] if position else None
        at = headings.get(position, [])
        if above is not None and held and (at or _begins(above, line, usual, edge)):
            yield _block(held)
            held = []
        for bookmark in at:
            yield f"{'#' * min(bookmark.level + first_level, 6)} {_heading(bookmark.title)}"
        if any(_same(_letters(bookmark.title), _letters(line.text)) for bookmark in at):
            continue
        held.append(line)
    if held:
        yield _block(held)
    for bookmark in headings.get(len(lines), []):
        yield f"{'#' * min(bookmark.level + first_level, 6)} {_heading(bookmark.title)}"


def _placed(lines: Sequence[_Line], bookmarks: Sequence[_Bookmark]) -> dict[int, list[_Bookmark]]:
    """Return before which line each bookmark stands: before the one with its text, else by its height, else the first."""
    placed: dict[int, list[_Bookmark]] = {}
    start = 0
    letters = [_letters(line.text) for line in lines] if bookmarks else []
    for bookmark in bookmarks:
        wanted = _letters(bookmark.title)
        position = next((i for i in range(start, len(lines)) if _same(wanted, letters[i])), None)
        if position is None and bookmark.top:
            top = bookmark.top
            position = next((i for i in range(start, len(lines)) if lines[i].bottom < top), None)
        start = start if position is None else position
        placed.setdefault(start, []).append(bookmark)
    return placed


def _same(wanted: str, found: str) -> bool:
    """Whether the letters of a line are those of a heading, maybe behind its number."""
    return bool(wanted) and (found == wanted or (found.endswith(wanted) and found[: -len(wanted)].isdigit()))


def _letters(text: str) -> str:
    return "".join(character for character in text[:500].casefold() if character.isalnum())


def _begins(above: _Line, line: _Line, usual: float, edge: float) -> bool:
    """Whether a line begins a paragraph or a piece of code, or a line of its own as in a list."""
    if line.is_code or above.is_code:
        return line.is_code != above.is_code
    distance = above.bottom - line.bottom
    if distance < 0 or distance > usual * _FAR or _BULLET.match(line.text) or _NUMBERED.match(line.text):
        return True
    if _LEADERS.search(above.text):
        return True
    return above.right < edge * _SHORT


def _block(lines: Sequence[_Line]) -> str:
    if lines[0].is_code:
        return _code(lines)
    text = lines[0].text
    for line in lines[1:]:
        is_joined = bool(_NO_BLANK.match(text[-1:]) and _NO_BLANK.match(line.text[:1]))
        text += line.text if is_joined else f" {line.text}"
    bullet = _BULLET.match(text)
    if bullet:
        return f"- {_plain(text[bullet.end() :])}"
    return _plain(text)


def _code(lines: Sequence[_Line]) -> str:
    """Return lines of code in a fence, with the blanks before them that their places on the page show."""
    left = min(line.left for line in lines)
    widths = [(line.right - line.left) / len(line.text) for line in lines if line.text]
    width = statistics.median(widths) if widths else 0.0
    written = [" " * (min(round((line.left - left) / width), 80) if width > 0 else 0) + line.text for line in lines]
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", "\n".join(written)))])
    return "\n".join([ticks, *written, ticks])


def _plain(text: str) -> str:
    """Return a paragraph in which Markdown sees no markup."""
    text = _LEADERS.sub(" … ", text).replace("<", "\\<")
    return f"\\{text}" if _MARKUP.match(text) else text


def _heading(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<#])", r"\\\1", text)
