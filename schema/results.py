"""What a search gives back: `SearchResult`, `ContextPack` and the records inside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NoReturn

from schema.errors import SectionaryError
from schema.links import Link, SectionLinks
from schema.outlines import Context, DocumentInfo, SectionLink, Translation
from schema.sections import SHOWN_CHARACTERS, Section, beginning, shortened

__all__ = [
    "Context", "ContextPack", "ContextPiece", "DocumentInfo", "ResultPage", "SearchResult", "SectionLink", "SimilarSection",
    "Snippet", "Translation", "Window",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a section that fits the embedding model: character offsets into `Section.content`."""

    start: int
    end: int

    def to_dict(self) -> dict[str, int]:
        """The offsets by their names."""
        return {"start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """The passage of a section that answers best: whole sentences or lines of code, at most 480 characters.

    `text` is plain text, which may hold marks of Markdown, with the lines of a paragraph joined: code has no fence, and an
    escaped sign or an entity is the character that it stands for. What stands between the passage and the code that is shown
    with it is left out. `matches` are offsets into it. `start` and `end` are offsets into `Section.content`, `start_line`
    and `end_line` are lines of the file, 1-based and inclusive. `place` is where its first match stands in a file that was
    converted to Markdown, such as "page 3", whose lines are those of the Markdown. `answer` is the sentence, row or line of
    code that holds most of the question, as offsets into `Section.content`; None where several or none do.
    """

    text: str
    start: int
    end: int
    start_line: int
    end_line: int
    matches: tuple[Window, ...] = ()
    place: str = ""
    answer: Window | None = None

    def to_dict(self) -> dict[str, Any]:
        """The snippet as plain values; `matches` are pairs of offsets into `text`."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "place": self.place,
            "answer": None if self.answer is None else {"start": self.answer.start, "end": self.answer.end},
            "matches": [[match.start, match.end] for match in self.matches],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarSection:
    """A section that says nearly the same as a hit and is folded into it."""

    id: str
    document_path: str
    heading: str
    start_line: int
    place: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The section as plain values, by the names of its fields."""
        return asdict(self)


def _links_not_kept() -> NoReturn:
    raise SectionaryError("The links of a hit are not pickled with it: ask SearchEngine.section_links for them, by its id.")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SearchResult:
    """One hit. `score`, 0..1, and every value of `scores` are higher for better.

    `scores` holds what each retriever measured: `lexical`, `sentence` and `passage` (BM25, above 0, of the section, its best
    sentence and its best two), `dense` and `section_vector` (cosine, -1..1, of its best window and its beginning), `rerank`.
    `parts` is what these, the boosts (`heading`, `proximity`) and `relevance` added to `score`; they add up to it.

    `relevance`, 0..1, says how likely the section answers the question and means the same for every question. `snippet`
    is the passage that answers best. `similar` are sections that say nearly the same and are not listed themselves.
    `properties` are the fields of the document's front matter that the question asks for, or all of a section that is read
    by its id, with their values as text; only the first section of a document has them.

    `window` is the part that matches best by vectors, `passage` the one by words, `matches` are the query's terms:
    all as offsets into `section.content`. `stale` says that the file on disk has changed since it was indexed or
    is `gone`, `is_dirty` that the stored vector is older than the text, `is_pending` that this matters here: a vector of the
    text would have counted in the ranking. `root` is the name of the root that the document is in, `url` the section's
    address on the published site, "" without the setting `base_url`. `linked` gives all that is known of the section's
    links, and how many there are.
    """

    section: Section
    score: float
    relevance: float = 0.0
    snippet: Snippet | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    similar: tuple[SimilarSection, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)
    window: Window | None = None
    passage: Window | None = None
    matches: tuple[Window, ...] = ()
    context: Context = field(default_factory=Context)
    stale: bool = False
    gone: bool = False
    is_pending: bool = False
    root: str = ""
    url: str = ""
    linked: Callable[[], SectionLinks] | None = field(default=None, repr=False, compare=False)

    @property
    def links(self) -> tuple[Link, ...]:
        """The first links of the section, by line, those to sections of the index before others; read when asked for."""
        return self.linked().links if self.linked is not None else ()

    @property
    def backlinks(self) -> tuple[Link, ...]:
        """The first links to the section from other sections, by document and line; read when asked for."""
        return self.linked().backlinks if self.linked is not None else ()

    @property
    def ancestors(self) -> tuple[SectionLink, ...]:
        """The sections above this one, outermost first."""
        return self.context.ancestors

    @property
    def previous(self) -> SectionLink | None:
        """The section before this one in reading order, if any."""
        return self.context.previous

    @property
    def next(self) -> SectionLink | None:
        """The section after this one in reading order, if any."""
        return self.context.next

    @property
    def children(self) -> tuple[SectionLink, ...]:
        """The sections directly below this one, in order."""
        return self.context.children

    @property
    def trail(self) -> tuple[str, ...]:
        """The document's title and the headings down to this section, each once."""
        return self.section.breadcrumb

    @property
    def location(self) -> str:
        """Where the answer begins: "docs/keys.md:12", or "docs/a.pdf, page 3" in a file that was converted."""
        path, snippet = self.section.document_path, self.snippet
        place = self.section.place if snippet is None else snippet.place
        return (
            f"{path}, {place}" if place else f"{path}:{self.section.start_line if snippet is None else snippet.start_line}"
        )

    @property
    def text(self) -> str:
        """The text of the snippet; "" where a section has nothing but its heading."""
        return self.snippet.text if self.snippet else self.section.body

    @property
    def summary(self) -> str | None:
        """The section's summary, if one was written."""
        return self.section.summary

    @property
    def document_summary(self) -> str | None:
        """The summary of the section's document, if one was written."""
        return self.section.document_summary

    @property
    def is_dirty(self) -> bool:
        """Whether the stored vector is older than the text."""
        return self.section.is_dirty

    def __copy__(self) -> SearchResult:
        return self  # nothing of it can be changed

    def __deepcopy__(self, _: Any) -> SearchResult:
        return self

    def __getstate__(self) -> list[Any]:
        """What another process or a cache gets of a hit: all but its links, which only its engine can read."""
        kept = {own.name: getattr(self, own.name) for own in fields(self)}
        return list((kept | ({"linked": _links_not_kept} if self.linked is not None else {})).values())

    def __repr__(self) -> str:
        return (
            f"SearchResult({self.location!r}, {beginning(self.section.name)!r}, relevance={self.relevance:.2f}, "
            f"{beginning(self.text)!r})"
        )

    def __str__(self) -> str:
        from schema.text.characters import one_line, printable

        head = f"{self.location}  {beginning(' > '.join(self.trail), SHOWN_CHARACTERS)}  (relevance {self.relevance:.2f})"
        return f"{one_line(head)}\n{printable(shortened(self.text))}".rstrip()

    def to_dict(self) -> dict[str, Any]:
        """The hit as plain values: just what the command, HTTP and agents give of it as JSON.

        Lines are 1-based and inclusive, spans are offsets into `content`. The text before the first heading has depth 0 and
        the document's title as its `heading`.
        """
        fields = self.section.to_dict()
        own = {name: fields.pop(name) for name in ("is_dirty", "summary", "document_summary")}
        return {
            **fields,
            "root": self.root,
            "relevance": round(self.relevance, 4),
            "snippet": None if self.snippet is None else self.snippet.to_dict(),
            "properties": dict(self.properties),
            "similar": [one.to_dict() for one in self.similar],
            "score": round(self.score, 6),
            "scores": {name: round(score, 6) for name, score in self.scores.items()},
            "parts": {name: round(part, 6) for name, part in self.parts.items()},
            "window": None if self.window is None else self.window.to_dict(),
            "passage": None if self.passage is None else self.passage.to_dict(),
            "matches": [[match.start, match.end] for match in self.matches],
            "is_dirty": own["is_dirty"],
            "is_pending": self.is_pending,
            "stale": self.stale,
            "gone": self.gone,
            "url": self.url,
            "summary": own["summary"],
            "document_summary": own["document_summary"],
            "context": self.context.to_dict(),
        }

    def to_text(self, *, snippet: bool = False) -> str:
        """The section's text as readers see it, without outer blanks, or with `snippet` that of its snippet, if any."""
        return self.snippet.text if snippet and self.snippet is not None else self.section.text.strip()

    def to_metadata(self, *, snippet: bool = False) -> dict[str, str | int | float | bool]:
        """What stands beside `to_text` in other programs, with the lines and the place of that text.

        It is `Section.to_metadata` with `relevance`, `score`, `stale`, and `url` if there is one.
        """
        known: dict[str, str | int | float | bool] = {**self.section.to_metadata()}
        if snippet and (shown := self.snippet) is not None:
            known |= {"start_line": shown.start_line, "end_line": shown.end_line, "place": shown.place}
        known |= {"relevance": self.relevance, "score": self.score, "stale": self.stale, "url": self.url}
        return {name: value for name, value in known.items() if value or name not in ("place", "url")}

    def _repr_html_(self) -> str:
        from schema.notebook import results_html

        return results_html([self.to_dict()])

    def _repr_markdown_(self) -> str:
        from schema.notebook import results_markdown

        return results_markdown([self.to_dict()])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ResultPage:
    """A part of the hits for a question, best first.

    `relevance` is the highest of the first hits of all, whatever part this is, and 0 if there are none; `answered` says
    whether it reaches `min_relevance`: if not, no section answers the question, and the hits are the nearest ones.
    `respelt`: the question with its misspelt words as the index has them, for which these are the hits; "" if it has none.
    """

    results: tuple[SearchResult, ...]
    relevance: float
    min_relevance: float
    respelt: str = ""

    @property
    def answered(self) -> bool:
        """Whether a section answers the question."""
        return 0.0 < self.relevance >= self.min_relevance

    @property
    def answering(self) -> tuple[SearchResult, ...]:
        """The hits for whoever takes every hit for an answer: none if no section answers the question.

        With a `min_relevance` of 0 the nearest ones will do, and they are given in any case.
        """
        return self.results if self.answered or self.min_relevance == 0 else ()

    def __repr__(self) -> str:
        return f"ResultPage(results={len(self.results)}, answered={self.answered}, relevance={self.relevance:.2f})"

    def __str__(self) -> str:
        from schema.notebook import NOT_ANSWERED

        told = [] if self.answered or not self.results else [NOT_ANSWERED]
        return "\n\n".join([*told, *map(str, self.results)]) or "No result."

    def to_dict(self) -> dict[str, Any]:
        """The page as plain values, by the names of the JSON of a search."""
        return {
            "answered": self.answered,
            "min_relevance": self.min_relevance,
            "results": [result.to_dict() for result in self.results],
        } | ({"respelt": self.respelt} if self.respelt else {})

    def _repr_html_(self) -> str:
        from schema.notebook import results_html

        return results_html([result.to_dict() for result in self.results], answered=self.answered)

    def _repr_markdown_(self) -> str:
        from schema.notebook import results_markdown

        return results_markdown([result.to_dict() for result in self.results], answered=self.answered)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ContextPiece:
    """Whole lines of one section, blank ones at the ends left out; `citation` is "path#anchor:Lstart-Lend" of just these.

    Of a file that was converted to Markdown, it is "path#anchor, place", with a `place` such as "page 3 to page 4".

    Lines are joined by "\\n" whatever the file has; `is_whole` says that they are all of the section. `language` is what the
    letters of the text show: "ja", "ko", "zh", "th", "en", or "" where they show none. `stale` says that the file on disk
    has changed since it was indexed.
    """

    section_id: str
    citation: str
    text: str
    start_line: int
    end_line: int
    is_whole: bool
    token_count: int
    language: str = ""
    place: str = ""
    stale: bool = False

    def __repr__(self) -> str:
        return f"ContextPiece({self.citation!r}, {self.token_count} tokens, {beginning(self.text)!r})"

    def to_dict(self) -> dict[str, Any]:
        """The piece as plain values, by the names of its fields."""
        return {
            "section_id": self.section_id,
            "citation": self.citation,
            "text": self.text,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "place": self.place,
            "is_whole": self.is_whole,
            "token_count": self.token_count,
            "language": self.language,
            "stale": self.stale,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ContextPack:
    """The best evidence for a query as one text of `token_count` tokens, at most `max_tokens`.

    `left_out` cites the sections that would have helped too but found no room. Where `answered` is False, no section
    answers the query: the text says so and holds the nearest there are.
    """

    text: str
    token_count: int
    max_tokens: int
    pieces: tuple[ContextPiece, ...] = ()
    left_out: tuple[str, ...] = ()
    answered: bool = True

    def __repr__(self) -> str:
        return f"ContextPack({self.token_count} of {self.max_tokens} tokens, pieces={len(self.pieces)})"

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The pack as plain values, by the names of the JSON of a context."""
        return {
            "answered": self.answered,
            "max_tokens": self.max_tokens,
            "token_count": self.token_count,
            "text": self.text,
            "pieces": [piece.to_dict() for piece in self.pieces],
            "left_out": list(self.left_out),
        }
