"""Markdown → the tree of its H1–H3 sections: exact slices of the source with token counts.

Every string can be split: the front matter and the contents of all sections, joined, are the source again.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from typing import Any

from indexer.dialects.folders import dialects_of_ending
from indexer.dialects.markup import Markup, read_markup, resolved, with_front_matter
from indexer.dialects.scan import merged
from indexer.markdown.blocks import Heading, markdown, read_headings
from indexer.markdown.frontmatter import property_lines, read_front_matter, text_fields
from indexer.markdown.headings import HeadingNamer, HeadingReader
from indexer.tokens import TokenCounter
from schema import arguments, protocols
from schema.sections import BLANKS, ROOT_HEADING, Section, blank_out, file_name, is_folder_file, section_id, text_hash
from schema.settings import DIALECTS
from schema.text.properties import properties

_LINE_END = re.compile(r"\r\n|\n|\r")
_HTML_H1, _HTML_H1_END = re.compile(r"<h1(?:\s[^<>]*)?>", re.IGNORECASE), re.compile(r"</h1\s*>", re.IGNORECASE)
#: The text before the first heading in which an H1 in HTML is looked for (characters).
_MAX_PREAMBLE = 4000
_DEPTHS = (1, 2, 3)
#: Headings after this many sections begin no section, since each section is a row of the table.
MAX_SECTIONS = 100_000
#: Most characters of a heading or title in the rows of other sections.
MAX_REPEATED_CHARACTERS = 300
#: Most characters of all tags of a document together, since every row holds them.
MAX_TAG_CHARACTERS = 4096


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """A split document: `front_matter_raw` followed by all contents in order is the source (unless all of it is blank)."""

    sections: tuple[Section, ...]
    front_matter: Mapping[str, Any]
    front_matter_raw: str
    title: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A section without its content: where it begins, where its body begins (character offsets), parent and names."""

    start: int
    body: int
    depth: int
    heading: str
    anchor: str
    parent: _Draft | None = None
    order: int = 0
    number: tuple[int, ...] = ()
    path: tuple[str, ...] = ()
    id: str = ""
    children: list[_Draft] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Document:
    """What the sections of a document have in common; `offset` is where its text begins, behind the front matter."""

    source: str
    offset: int
    markup: Markup
    places: Sequence[tuple[int, str]]
    path: str
    title: str
    tags: tuple[str, ...]


class MarkdownSplitter:
    """Splits at headings of depth 1 to `max_depth` (at most 3) that are in no quote, list or other container.

    A section above `max_tokens_per_section` gets a warning and is never cut. A wrong argument raises `ArgumentError`.
    """

    def __init__(
        self,
        max_depth: int = 3,
        max_tokens_per_section: int = 2000,
        token_counter: protocols.TokenCounter | None = None,
    ) -> None:
        if token_counter is not None:
            arguments.offers("token_counter", token_counter, "count")
        if isinstance(max_depth, bool) or max_depth not in _DEPTHS:
            raise arguments.wrong("max_depth", "1, 2 or 3", max_depth)
        arguments.whole("max_tokens_per_section", max_tokens_per_section, least=1)
        self._max_depth = max_depth
        self._max_tokens = max_tokens_per_section
        self._counter = token_counter or TokenCounter()

    def split(self, source: str, document_path: str) -> list[Section]:
        """Return the sections of a document, in reading order; `document_path` is POSIX and part of every id."""
        return list(self.parse(source, document_path).sections)

    def parse(
        self,
        source: str,
        document_path: str,
        *,
        dialects: Collection[str] | None = None,
        places: Sequence[tuple[int, str]] = (),
        with_properties: bool = False,
    ) -> SplitDocument:
        """Return the sections with front matter, title and warnings; `source` has no byte order mark.

        `dialects` are names of `indexer.dialects`, by default what the path's ending tells. `places` are the places of a
        file that was converted to `source`: the offset where each begins, and its name, in order. A document of front matter
        alone has a section if that has texts for readers; `with_properties`, also if it tells something else of its subject,
        such as a birthday.
        """
        arguments.text("source", source)
        arguments.text("document_path", document_path, "the path of the document, as a text")
        if dialects is not None:
            dialects = _known_dialects(dialects)
        front = read_front_matter(source)
        text = source[len(front.raw) :]
        env: dict[str, object] = {}
        dialects = dialects_of_ending(document_path) if dialects is None else dialects
        markup = read_markup(text, dialects)
        headings, warnings = read_headings(markup.for_headings(text), env)
        if markup.unseen:
            headings = [replace(heading, source=markup.heading_source(heading.source)) for heading in headings]
        shown = markup.shown(text)
        drafts, cut = self._drafts(text, headings, env, front.values, shown)
        _arrange(drafts, document_path)
        all_tags = tuple(dict.fromkeys((*front.tags, *markup.tags)))
        tags = _few_tags(all_tags)
        is_alone = bool(front.values) and not shown.strip(BLANKS)
        texts = text_fields(front.raw) if is_alone else []
        told = property_lines(front.raw, properties(front.values)) if is_alone and with_properties else []
        shown_fields = merged((*texts, *told))
        if shown_fields:  # a page that is made of its front matter, which is its content then
            markup, drafts = with_front_matter(markup, front.raw, shown_fields), [_Draft(0, 0, 0, ROOT_HEADING, "")]
            _arrange(drafts, document_path)
        if tags != all_tags:
            cut.append(f"the tags have more than {MAX_TAG_CHARACTERS:,} characters; only the first {len(tags)} are kept")
        first_field = " ".join(front.raw[slice(*texts[0])].split()) if texts else ""
        named = front.title or _first_title(drafts)
        if not named and is_folder_file(document_path):  # other files' names say more than what a site has above all pages
            named = _html_title(text, shown, drafts)
        title = _clip(named or first_field) or file_name(document_path)
        raw = "" if shown_fields else front.raw
        document = _Document(source, len(raw), markup, places, document_path, title, tags)
        sections = self._sections(document, drafts)
        if shown_fields:
            last = _count_line_ends(source, 0, len(sections[0].text.rstrip(BLANKS)))
            sections = [replace(sections[0], end_line=1 + last)]
        oversized = [
            f"section {' > '.join(map(_clip, s.heading_path if s.depth else (s.name,)))!r} has {s.token_count} tokens, "
            f"more than {self._max_tokens}; divide it by headings"
            for s in sections
            if s.token_count > self._max_tokens
        ]
        return SplitDocument(
            sections=tuple(sections),
            front_matter=front.values,
            front_matter_raw=raw,
            title=title,
            tags=tags,
            aliases=front.aliases,
            warnings=tuple(f"{document_path}: {w}" for w in (*front.warnings, *warnings, *cut, *oversized)),
        )

    def _drafts(
        self, text: str, headings: Sequence[Heading], env: dict[str, object], front_matter: Mapping[str, Any], shown: str
    ) -> tuple[list[_Draft], list[str]]:
        """Return the sections with their offsets and names, and warnings; `shown` is the text without what is hidden."""
        starts = _line_starts(text) if headings else [0]
        reader = HeadingReader(markdown(), env)
        namer = HeadingNamer(reader, lambda name: resolved(name, front_matter))
        drafts: list[_Draft] = []
        warnings = []
        for heading in headings:
            start, body = starts[heading.line], starts[min(heading.end_line, len(starts) - 1)]
            # also of headings that begin no section: the numbers in the anchors of the others depend on them
            named = namer.name(heading.source, shown[start:body])
            if heading.level <= self._max_depth and not heading.is_nested:
                if len(drafts) == MAX_SECTIONS:
                    warnings.append(f"the text has more than {MAX_SECTIONS:,} sections; the last one holds the rest")
                    break
                drafts.append(_Draft(start, body, heading.level, named.text, named.anchor))
        if reader.is_cut:
            warnings.append("the headings have too many brackets; some are shown as they are written")
        if not text.strip(BLANKS):
            return [], []
        if not drafts or shown[: drafts[0].start].strip(BLANKS):
            drafts.insert(0, _Draft(0, 0, 0, ROOT_HEADING, ""))
        else:
            drafts[0].start = 0
        return drafts, warnings

    def _sections(self, document: _Document, drafts: Sequence[_Draft]) -> list[Section]:
        source, offset = document.source, document.offset
        document_hash = text_hash(source)
        ends = [*(offset + draft.start for draft in drafts[1:]), len(source)][: len(drafts)]
        sections = []
        line = 1 + _count_line_ends(source, 0, offset)
        for position, (draft, end) in enumerate(zip(drafts, ends, strict=True)):
            start = offset + draft.start
            content = source[start:end]
            hidden = document.markup.hidden_in(draft.start, end - offset)
            shown = blank_out(content, document.markup.hidden_in(draft.start, end - offset, with_definitions=False))
            line_ends = _count_line_ends(source, start, end)
            # the lines of a section of which all text is hidden are its own
            blank = len(shown) - len(shown.lstrip(BLANKS)) if shown.strip(BLANKS) else 0
            lead = _count_line_ends(content, 0, blank)
            unfinished = content[-1:] not in ("\n", "\r")
            sections.append(
                Section(
                    id=draft.id,
                    document_path=document.path,
                    heading=draft.heading,
                    depth=draft.depth,
                    content=content,
                    token_count=self._counter.count(content),
                    parent_id=draft.parent.id if draft.parent else None,
                    order=draft.order,
                    document_hash=document_hash,
                    heading_path=draft.path,
                    anchor=draft.anchor,
                    start_line=line + lead,
                    end_line=line + line_ends - (0 if unfinished else 1),
                    start=start,
                    end=end,
                    body_start=offset + draft.body - start,
                    position=position,
                    section_number=draft.number,
                    content_hash=text_hash(content),
                    document_title=document.title,
                    tags=document.tags,
                    hidden=hidden,
                    place=_place(document.places, start),
                )
            )
            line += line_ends
        return sections


def _arrange(drafts: Sequence[_Draft], document_path: str) -> None:
    """Give every draft its parent, order, number, heading path and id."""
    open_: list[_Draft] = []
    roots: list[_Draft] = []
    uses: dict[tuple[str, ...], int] = {}
    for draft in drafts:
        while open_ and open_[-1].depth >= draft.depth:
            open_.pop()
        draft.parent = open_[-1] if open_ and draft.depth else None
        siblings = draft.parent.children if draft.parent else roots
        draft.order = len(siblings)
        siblings.append(draft)
        if draft.depth:
            numbered = draft.order + 1 - (draft.parent is None and roots[0].depth == 0)
            draft.number = (*(draft.parent.number if draft.parent else ()), numbered)
            open_.append(draft)
        above = (*draft.parent.path[:-1], _clip(draft.parent.heading)) if draft.parent else ()
        draft.path = (*above, draft.heading)
        ordinal = uses.get(draft.path, 0)
        uses[draft.path] = ordinal + 1
        draft.id = section_id(document_path, draft.path, ordinal)


def _place(places: Sequence[tuple[int, str]], offset: int) -> str:
    """Return the place in which an offset is; empty before the first one."""
    at = bisect_right(places, offset, key=lambda place: place[0])
    return places[at - 1][1] if at else ""


def _clip(text: str) -> str:
    """Return a text as other rows repeat it: only its beginning if it is long."""
    return text if len(text) <= MAX_REPEATED_CHARACTERS else text[: MAX_REPEATED_CHARACTERS - 1] + "…"


def _known_dialects(names: Collection[str]) -> tuple[str, ...]:
    """Return the names of dialects, of which there must be all."""
    if isinstance(names, str) or not isinstance(names, Collection):
        raise arguments.wrong("dialects", "a tuple of names of dialects", names)
    return tuple(arguments.choice("dialects", name, DIALECTS) for name in names)


def _few_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return the first tags, as many as every row may hold."""
    ends = itertools.accumulate(map(len, tags))
    return tuple(tag for tag, end in zip(tags, ends, strict=True) if end <= MAX_TAG_CHARACTERS)


def _first_title(drafts: Sequence[_Draft]) -> str:
    """Return the first H1; without one the heading that begins the text, if all others are below it; else an empty text."""
    headings = [draft for draft in drafts if draft.depth and draft.heading]
    first = next((draft for draft in headings if draft.depth == 1), None)
    if first is not None:
        return first.heading
    is_above_all = (
        bool(headings) and headings[0] is drafts[0] and all(draft.depth > headings[0].depth for draft in headings[1:])
    )
    return headings[0].heading if is_above_all else ""


def _html_title(text: str, shown: str, drafts: Sequence[_Draft]) -> str:
    """Return the text of the first H1 in HTML before the first heading; `shown` is the text without what is hidden."""
    if not drafts or drafts[0].depth:
        return ""
    end = min(drafts[1].start if len(drafts) > 1 else len(text), _MAX_PREAMBLE)
    for tag in _HTML_H1.finditer(text, 0, end):
        close = _HTML_H1_END.search(text, tag.end(), end)
        if close is None:
            return ""
        found = " ".join(unescape(shown[tag.end() : close.start()]).split())
        if found and shown[tag.start()] != "<":  # a tag that is shown is code
            return found
    return ""


def _line_starts(text: str) -> list[int]:
    """Return the offset of the beginning of each line, and of the end of the text."""
    return [0, *[match.end() for match in _LINE_END.finditer(text)], len(text)]


def _count_line_ends(text: str, start: int, end: int) -> int:
    newlines = text.count("\n", start, end)
    returns = text.count("\r", start, end)
    return newlines + returns - text.count("\r\n", start, end) if returns else newlines
