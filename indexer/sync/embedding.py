"""Planned sections → sections with embeddings: cut into windows, embedded together, and returned in the same order.

Each text is embedded once, however many sections have it. A second model embeds the same windows, of the texts in a language
that it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.sync.plan import embedding_input
from indexer.sync.windows import MAX_BREADCRUMB_TOKENS, clip_breadcrumb, cut_windows, join_breadcrumb
from schema.given_vectors import checked_vectors
from schema.protocols import Embedder, Vectors, is_multilingual, second_of
from schema.results import Window
from schema.storage.rows import DirtySection, Embedding, StoredSection
from schema.text.language import is_foreign

#: Tokens of a window with its breadcrumb: small enough to be about one thing. Searches found more with it than with the
#: longest windows that the model can read.
WINDOW_TOKENS = 128
#: Tokens kept free in every window, since breadcrumb and text together can have more tokens than both on their own.
_JOINT_TOKENS = 2
#: A long breadcrumb takes at most a window divided by this.
_BREADCRUMB_SHARE = 2
#: A second model embeds texts if its vocabulary covers this share of their letters.
SECOND_COVERAGE = 0.9
#: Addresses with data in them, keys and the like, which are words of no language.
_NO_WORDS = re.compile(r"[!-~]{60,}")
#: Most tokens embedded for one commit: a commit costs as much as writing hundreds of sections, in a large table more, but
#: vectors that are not committed yet are held in memory (4,200 windows of 512 numbers are 9 MB).
_COMMIT_TOKENS = 524_288
#: Tokens embedded between two reports of progress: enough for the model to sort texts by length, and few enough that a run
#: stops within seconds.
PORTION_TOKENS = 8192
#: Tokens that the headings of a section add to its own text, about.
_FRAME_TOKENS = 16
#: Most sections written in one commit.
COMMIT_SECTIONS = 2000


@dataclass(frozen=True, slots=True)
class _Framed:
    """A section's breadcrumb as the model gets it, the number of its tokens, and the text that follows it."""

    head: str
    head_tokens: int
    body: str


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The inputs of one section: all its text, and for each window the text that the model gets and where it is."""

    body: str
    texts: tuple[str, ...]
    windows: tuple[Window, ...]


def commits_of(dirty: Iterable[DirtySection]) -> Iterator[list[str]]:
    """Yield the ids of dirty sections, a list for each commit, in the order given, but equal texts together."""
    equal: dict[str, list[DirtySection]] = {}
    for section in dirty:
        equal.setdefault(section.input_hash, []).append(section)
    portion: list[str] = []
    tokens = 0
    for group in equal.values():
        if portion and tokens + group[0].token_count > _COMMIT_TOKENS:
            yield portion
            portion, tokens = [], 0
        tokens += group[0].token_count + _FRAME_TOKENS
        for section in group:
            if len(portion) >= COMMIT_SECTIONS:
                yield portion
                portion, tokens = [], 0
            portion.append(section.id)
    if portion:
        yield portion


def portions_of(rows: Sequence[StoredSection]) -> Iterator[list[StoredSection]]:
    """Yield the rows of one commit, a list for a few seconds of work, in the order given; equal neighbours stay together."""
    portion: list[StoredSection] = []
    tokens = 0
    for row in rows:
        if tokens > PORTION_TOKENS and row.input_hash != portion[-1].input_hash:
            yield portion
            portion, tokens = [], 0
        if not portion or row.input_hash != portion[-1].input_hash:
            tokens += row.section.token_count + _FRAME_TOKENS
        portion.append(row)
    if portion:
        yield portion


def embed_rows(rows: Sequence[StoredSection], embedder: Embedder) -> list[StoredSection]:
    """Return the rows with new embeddings, no longer dirty, in the order given."""
    inputs = _inputs(rows, embedder)
    headings = [_heading(row) if is_multilingual(embedder) else "" for row in rows]
    texts = [each.texts for each in inputs]
    found = _embedded([*texts, *([heading] for heading in headings if heading)], embedder)
    own = iter(found[len(texts) :])
    second = second_of(embedder)
    done = []
    for row, each, vectors, heading in zip(rows, inputs, found, headings, strict=False):
        sample = " ".join((*row.section.breadcrumb, _NO_WORDS.sub("", each.body) if row.section.body else ""))
        embedding = Embedding(
            vector=vectors[0],
            window_vectors=vectors,
            windows=each.windows if row.section.body else (Window(0, 0),) * len(each.windows),
            coverage=embedder.coverage(sample),
            awaits_second=second is not None and second.coverage(sample) >= SECOND_COVERAGE and not is_foreign(row.language),
            heading=next(own)[0] if heading else None,
        )
        done.append(replace(row, section=replace(row.section, is_dirty=False), embedding=embedding))
    return done


def _heading(row: StoredSection) -> str:
    """Return a section's own heading, without those above it."""
    return row.section.breadcrumb[-1].strip() if row.section.breadcrumb else ""


def embed_again(rows: Sequence[StoredSection], second: Embedder) -> list[StoredSection]:
    """Return the rows, which all have embeddings, with the vectors of the second model too, in the order given."""
    found = _embedded(_again(rows, second), second)
    return [with_second(row, vectors) for row, vectors in zip(rows, found, strict=True) if row.embedding is not None]


def with_second(row: StoredSection, vectors: Vectors) -> StoredSection:
    """Return a row, which has an embedding, with the second model's vectors of its windows."""
    if row.embedding is None:
        raise ValueError(f"the section {row.section.id} has no embedding yet")
    return replace(row, embedding=replace(row.embedding, second=vectors, awaits_second=False))


def _again(rows: Sequence[StoredSection], second: Embedder) -> list[tuple[str, ...]]:
    """Return the texts of the rows' windows, as another model gets them."""
    texts = []
    for row, framed in zip(rows, _framed(rows, second), strict=True):
        windows = row.embedding.windows if row.embedding is not None else ()
        # a heading without text was embedded with the headings below it, and its windows were not stored: each is read whole
        whole = Window(0, len(framed.body))
        texts.append(tuple(_text(framed, window if row.section.body else whole) for window in windows))
    return texts


def _embedded(groups: Sequence[Sequence[str]], embedder: Embedder) -> list[Vectors]:
    """Return the vectors of each group of texts; each text is embedded once."""
    rows = {text: row for row, text in enumerate(dict.fromkeys(text for group in groups for text in group))}
    vectors = checked_vectors(embedder, embedder.embed_sections(list(rows)), len(rows))
    return [vectors[[rows[text] for text in group]] for group in groups]


def _inputs(rows: Sequence[StoredSection], embedder: Embedder) -> list[_Inputs]:
    found = []
    framed = _framed(rows, embedder)
    for each, spans in zip(framed, embedder.token_spans([each.body for each in framed]), strict=True):
        room = max(1, min(WINDOW_TOKENS, embedder.max_tokens) - each.head_tokens - _JOINT_TOKENS)
        windows = cut_windows(each.body, spans, budget=room) or [Window(0, 0)]
        found.append(_Inputs(each.body, tuple(_text(each, window) for window in windows), tuple(windows)))
    return found


def _framed(rows: Sequence[StoredSection], embedder: Embedder) -> list[_Framed]:
    inputs = [embedding_input(row.section, row.child_headings) for row in rows]
    crumbs = [join_breadcrumb(parts) for parts, _ in inputs]
    size = min(WINDOW_TOKENS, embedder.max_tokens)
    limit = max(1, min(MAX_BREADCRUMB_TOKENS, size // _BREADCRUMB_SHARE))
    return [
        _Framed(clip_breadcrumb(crumb, spans, limit=limit), min(len(spans), limit), body)
        for (_, body), crumb, spans in zip(inputs, crumbs, embedder.token_spans(crumbs), strict=True)
    ]


def _text(framed: _Framed, window: Window) -> str:
    return "\n".join(part for part in (framed.head, framed.body[window.start : window.end].strip()) if part)
