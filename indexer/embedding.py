"""Planned sections → sections with embeddings: cut into windows, embedded together, put back in their places.

Each text goes to the model once, however many sections share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.plan import embedding_input
from indexer.windows import MAX_BREADCRUMB_TOKENS, clip_breadcrumb, cut_windows, join_breadcrumb
from schema.arrow import DirtySection, Embedding, StoredSection
from schema.protocols import Embedder
from schema.results import Window

#: Tokens of a window, breadcrumb included: small enough to be about one thing. Measured better than the model's most.
WINDOW_TOKENS = 128
#: Tokens of a section's beginning, which stands for the section as a whole.
LEAD_TOKENS = 256
#: Kept free in every window for what a tokenizer makes of the joint between breadcrumb and text.
_JOINT_TOKENS = 2
#: A long breadcrumb never takes more than this share of a window.
_BREADCRUMB_SHARE = 2
#: Tokens embedded in one commit: enough to sort by length, few enough that a run told to stop does so in seconds.
_COMMIT_TOKENS = 32_768
#: What a section costs beside its own text: its headings (tokens).
_FRAME_TOKENS = 16
#: Sections written in one commit: a commit costs as much as writing hundreds of them.
_COMMIT_SECTIONS = 2000


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What the model is given of one section: all its text, the text of its beginning, and of each of its windows."""

    body: str
    lead: str
    texts: tuple[str, ...]
    windows: tuple[Window, ...]


def commits_of(dirty: Iterable[DirtySection]) -> Iterator[list[str]]:
    """The ids of dirty sections in portions for one commit each, in the order given, but equal texts together."""
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
            if len(portion) >= _COMMIT_SECTIONS:
                yield portion
                portion, tokens = [], 0
            portion.append(section.id)
    if portion:
        yield portion


def embed_rows(rows: Sequence[StoredSection], embedder: Embedder) -> list[StoredSection]:
    """The rows with fresh embeddings, no longer dirty, in the order given."""
    inputs = _inputs(rows, embedder)
    texts = _distinct(inputs)
    vectors = embedder.embed_sections(texts)
    place = {text: i for i, text in enumerate(texts)}
    done = []
    for row, each in zip(rows, inputs, strict=True):
        embedding = Embedding(
            vector=vectors[place[each.lead]],
            window_vectors=vectors[[place[text] for text in each.texts]],
            windows=each.windows if row.section.body else (Window(0, 0),) * len(each.windows),
            coverage=embedder.coverage(" ".join((*row.section.breadcrumb, each.body if row.section.body else ""))),
        )
        done.append(replace(row, section=replace(row.section, is_dirty=False), embedding=embedding))
    return done


def model_texts(rows: Sequence[StoredSection], embedder: Embedder) -> list[str]:
    """The texts that `embed_rows` gives to the model for these rows, each once."""
    return _distinct(_inputs(rows, embedder))


def _distinct(inputs: Sequence[_Inputs]) -> list[str]:
    # a short section's beginning is its only window
    return list(dict.fromkeys(text for each in inputs for text in (each.lead, *each.texts)))


def _inputs(rows: Sequence[StoredSection], embedder: Embedder) -> list[_Inputs]:
    inputs = [embedding_input(row.section, row.child_headings) for row in rows]
    crumbs = [join_breadcrumb(parts) for parts, _ in inputs]
    found = []
    spans = zip(embedder.token_spans(crumbs), embedder.token_spans([text for _, text in inputs]), strict=True)
    for (_, body), crumb, (crumb_spans, body_spans) in zip(inputs, crumbs, spans, strict=True):
        heads, cuts = [], []
        for size in (min(WINDOW_TOKENS, embedder.max_tokens), min(LEAD_TOKENS, embedder.max_tokens)):
            limit = max(1, min(MAX_BREADCRUMB_TOKENS, size // _BREADCRUMB_SHARE))
            room = max(1, size - min(len(crumb_spans), limit) - _JOINT_TOKENS)
            heads.append(clip_breadcrumb(crumb, crumb_spans, limit=limit))
            cuts.append(cut_windows(body, body_spans, budget=room) or [Window(0, 0)])
        texts = tuple(_text(heads[0], body, window) for window in cuts[0])
        lead = texts[0] if len(texts) == 1 else _text(heads[1], body, cuts[1][0])
        found.append(_Inputs(body, lead, texts, tuple(cuts[0])))
    return found


def _text(head: str, body: str, window: Window) -> str:
    return "\n".join(part for part in (head, body[window.start : window.end].strip()) if part)
