"""Planned sections → sections with embeddings: cut into windows, embedded together, put back in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indexer.plan import embedding_input
from indexer.windows import MAX_BREADCRUMB_TOKENS, clip_breadcrumb, cut_windows, join_breadcrumb
from schema.arrow import Embedding, StoredSection
from schema.protocols import Embedder, Vectors
from schema.results import Window

#: Kept free in every window for what a tokenizer makes of the joint between breadcrumb and text.
_JOINT_TOKENS = 2
#: A long breadcrumb never takes more than this share of a small model's window.
_BREADCRUMB_SHARE = 4


def window_texts(rows: Sequence[StoredSection], embedder: Embedder) -> tuple[list[str], list[tuple[Window, ...]]]:
    """The texts to embed, section after section, and the windows of each section they stand for."""
    inputs = [embedding_input(row.section, row.child_headings) for row in rows]
    crumbs = [join_breadcrumb(parts) for parts, _ in inputs]
    crumb_spans = embedder.token_spans(crumbs)
    body_spans = embedder.token_spans([text for _, text in inputs])
    limit = max(1, min(MAX_BREADCRUMB_TOKENS, embedder.max_tokens // _BREADCRUMB_SHARE))
    texts: list[str] = []
    windows: list[tuple[Window, ...]] = []
    for (_, body), crumb, crumb_span, spans in zip(inputs, crumbs, crumb_spans, body_spans, strict=True):
        head = clip_breadcrumb(crumb, crumb_span, limit=limit)
        room = max(1, embedder.max_tokens - min(len(crumb_span), limit) - _JOINT_TOKENS)
        cut = cut_windows(body, spans, budget=room) or [Window(0, 0)]
        texts.extend("\n".join(part for part in (head, body[w.start : w.end].strip()) if part) for w in cut)
        windows.append(tuple(cut))
    return texts, windows


def embed_rows(rows: Sequence[StoredSection], embedder: Embedder) -> list[StoredSection]:
    """The rows with fresh embeddings, no longer dirty, in the order given."""
    texts, windows = window_texts(rows, embedder)
    vectors = embedder.embed_sections(texts)
    done = []
    first = 0
    for row, cut in zip(rows, windows, strict=True):
        own = vectors[first : first + len(cut)]
        first += len(cut)
        embedding = Embedding(
            vector=_mean(own),
            window_vectors=own,
            windows=cut if row.section.body else (Window(0, 0),) * len(cut),
            coverage=embedder.coverage(" ".join((*row.section.breadcrumb, row.section.body))),
        )
        done.append(replace(row, section=replace(row.section, is_dirty=False), embedding=embedding))
    return done


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0, dtype=np.float32)
    length = float(np.linalg.norm(mean))
    # windows that cancel out have no common direction; the first says most
    unit: Vectors = mean / np.float32(length) if length > 1e-6 else vectors[0]
    return unit
