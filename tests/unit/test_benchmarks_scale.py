"""The parts of benchmarks/scale.py that measure nothing: documents, vectors of a fake, the chart."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.chart import chart, points
from benchmarks.fake_embedder import HashedWords, HashedWordsPair
from benchmarks.grown import Source, Vocabulary, copies, copy_of, grow, questions
from benchmarks.meters import provenance, save
from indexer.splitter import MarkdownSplitter
from schema.protocols import Embedder, second_of

TEXT = (
    """---
title: Buffers of the gateway
slug: buffers-of-gateway
tags: [gateway, buffers]
---

# How buffers keep their batches {#buffers-keep}

Every gateway holds batches until `flush_all` was called, as [the manual](guide/manual.md#flush "Manual") tells.
See https://example.org/gateway/buffers for more. <img alt="buffer picture" src="buffers.png">

```python
def flush(batch):
    return gateway.send(batch, retries=3)
```

## バッファの容量を確認する

証明書の有効期限を確認するにはコマンドを実行します。

[manual]: https://example.org/manual "The manual"
"""
    + "Batches leave the buffer when the gateway answers again, and the oldest leave before the newest.\n\n" * 40
)
SOURCE = Source("guide/buffers.md", TEXT, 2)
VOCABULARY = Vocabulary.of(
    [TEXT, "Turnips and carrots grow under lamps. トマト 野菜 栽培 方法\n\n```\nwater(turnip, lamp)\n```\n"]
)


def test_a_text_in_pieces_is_the_text():
    assert "".join(SOURCE.pieces) == TEXT
    assert all(SOURCE.pieces[place].isalpha() for place, _ in SOURCE.places)
    assert {kind for _, kind in SOURCE.places} == {"latin", "code", "han", "katakana"}


def test_the_first_copy_is_the_document_and_each_other_one_differs():
    made = [copy_of(SOURCE, number, VOCABULARY, share=0.2) for number in range(4)]
    assert made[0] == TEXT
    assert len(set(made)) == 4


def test_a_copy_depends_on_the_seed_alone():
    again = replace(SOURCE)
    assert copy_of(SOURCE, 3, VOCABULARY, share=0.2) == copy_of(again, 3, VOCABULARY, share=0.2)
    assert copy_of(SOURCE, 3, VOCABULARY, share=0.2, seed=1) != copy_of(SOURCE, 3, VOCABULARY, share=0.2)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_the_stated_share_of_words_is_replaced(share):
    # other words have other letters, so that pieces cannot be found again by cutting: what stays is compared word by word
    before, after = (re.findall(r"\w+", text) for text in (TEXT, copy_of(SOURCE, 1, VOCABULARY, share=share)))
    assert len(before) == len(after)
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert changed == pytest.approx(share * len(SOURCE.places), rel=0.02)  # words of East Asia may stand in one run


def test_markup_of_a_copy_stays_as_it_is():
    made = copy_of(SOURCE, 1, VOCABULARY, share=1.0)
    for kept in (
        "slug: buffers-of-gateway", "tags: [gateway, buffers]", "{#buffers-keep}", "`flush_all`", "```python",
        '](guide/manual.md#flush "Manual")', "https://example.org/gateway/buffers", 'src="buffers.png"',
        '[manual]: https://example.org/manual "The manual"',
    ):  # fmt: skip
        assert kept in made
    assert "Every gateway" not in made
    sections = MarkdownSplitter().split(made, "a.md")
    assert [section.depth for section in sections] == [1, 2]


def test_words_are_coined_beyond_those_of_the_documents():
    known = {word.lower() for words in VOCABULARY.words.values() for word in words}
    found = re.findall(r"[A-Za-z]{3,}", "".join(copy_of(SOURCE, number, VOCABULARY, share=0.5) for number in range(1, 6)))
    coined = {word.lower() for word in found} - known - set(re.findall(r"[a-z]{3,}", TEXT.lower()))
    assert 0 < len(coined) < len(found) / 10


def test_as_many_copies_are_taken_as_sections_are_asked_for():
    sources = [Source(f"{number}.md", "# A\n", 1 + number % 3) for number in range(30)]
    for wanted in (7, 60, 150):
        taken = copies(sources, wanted)
        assert wanted <= sum(source.sections * count for source, count in taken) < wanted + 3
    few, many = ({source.path: count for source, count in copies(sources, wanted)} for wanted in (20, 200))
    assert all(many[path] >= count for path, count in few.items())


def test_documents_are_written_below_a_folder_for_each_copy(tmp_path):
    grown = grow(tmp_path, [SOURCE, Source("b.md", "# B\n")], VOCABULARY, 9, share=0.2)
    files = sorted(tmp_path.rglob("*.md"))
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        *(f"set-{number:04d}/{path}" for number in range(3) for path in ("b.md", "guide/buffers.md"))
    ]
    assert (grown.documents, grown.sections) == (6, 9)
    assert grown.text_bytes == sum(file.stat().st_size for file in files)
    assert (tmp_path / "set-0000" / "guide" / "buffers.md").read_text(encoding="utf-8") == TEXT


def test_questions_are_headings_and_sentences_of_the_documents():
    texts = [copy_of(SOURCE, number, VOCABULARY, share=0.3) for number in range(20)]
    found = questions(iter(texts), 10)
    assert len(found) == len(set(found)) == 10
    assert all(any(question in text for text in texts) for question in found)
    assert found == questions(iter(texts), 10)
    assert not any("retries" in question for question in found)


def test_vectors_of_hashed_words_have_unit_length():
    made = HashedWords().embed_sections(["some words", "", "???", "証明書の有効期限", "word " * 3000, "\ud800"])
    assert made.shape == (6, 512)
    assert made.dtype == np.float32
    assert np.linalg.norm(made, axis=1) == pytest.approx(1, abs=1e-6)
    assert HashedWords(384).embed_sections([]).shape == (0, 384)


def test_vectors_of_hashed_words_are_near_for_near_texts():
    embedder = HashedWords()
    near = embedder.embed_sections([
        "how to rotate the signing key", "Rotate a signing key!", "証明書の有効期限を確認する",
        "証明書の有効期限の確認", "gardens under water",
    ])  # fmt: skip
    likeness = near @ near.T
    assert likeness[0, 1] > 0.7
    assert likeness[2, 3] > 0.7
    assert np.abs(likeness[:4, 4]).max() < 0.3
    assert np.abs(likeness[:2, 2:]).max() < 0.3


def test_a_vector_of_hashed_words_depends_on_its_text_alone():
    texts = [f"text number {number} of words" for number in range(1200)]
    together = HashedWords().embed_sections(texts)
    alone = [HashedWords().embed_query(text) for text in texts[500:520]]
    assert np.array_equal(together[500:520], np.stack(alone))


def test_the_pair_stands_for_the_models_of_the_default():
    pair = HashedWordsPair()
    assert isinstance(pair, Embedder)
    second = second_of(pair)
    assert (pair.dimension, second.dimension) == (512, 384)
    assert pair.coverage("証明書") == second.coverage("certificate") == 1.0
    assert second.coverage("証明書の") == 0.0


def result(*figures):
    sizes = [
        {"build": {"sections": sections}, "warm": {"p50_ms": p50, "resident_mb": memory}}
        for sections, p50, memory in figures
    ]
    return {"date": "2026-11-22T10:00:00+00:00", "commit": "0123456789abcdef", "sizes": sizes}


def test_a_chart_is_an_image_that_says_what_it_shows():
    drawn = ET.fromstring(chart(result((1_000_000, 90.0, 900.0), (1000, 12.3, 250.0), (10_000, 25.0, 300.0))))
    name = "{http://www.w3.org/2000/svg}"
    assert drawn.get("role") == "img"
    ids = {child.get("id"): child.text for child in drawn}
    title, description = (ids[each] for each in drawn.get("aria-labelledby").split())
    assert "sections" in title
    assert "12 at 1,000 sections, 25 at 10,000 sections, 90 at 1,000,000 sections" in description
    assert "0123456789ab" in description
    dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in drawn.iter(f"{name}circle")]
    assert len(dots) == 6
    assert dots[0][0] < dots[1][0] < dots[2][0]
    assert dots[0][1] > dots[1][1] > dots[2][1]
    assert dots[1][0] - dots[0][0] == pytest.approx((dots[2][0] - dots[0][0]) / 3, abs=0.2)


def test_the_scale_of_a_chart_ends_at_the_power_that_was_nearly_met():
    drawn = chart(result((990, 12.0, 250.0), (10_010, 25.0, 300.0)))
    assert re.findall(r'y="300" text-anchor="middle">([\d,]+)<', drawn) == ["1,000", "10,000"] * 2


def test_a_chart_leaves_out_a_size_that_was_not_measured():
    part = result((1000, 12.0, 250.0))
    part["sizes"].append({"build": {"failed": "no message"}})
    assert points(part, "p50_ms") == [(1000, 12.0)]
    assert ET.fromstring(chart(part)) is not None
    with pytest.raises(ValueError, match="no size"):
        chart(result())


@pytest.mark.process
def test_result_is_saved_in_a_folder_that_is_made_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))  # where no git is
    result = {**provenance(), "seconds": 1}
    saved = save("figures", result, tmp_path / "new" / "results")
    assert (saved.name, result["commit"], result["tree_is_clean"]) == ("figures-unknown.json", "", False)
    assert '"seconds": 1' in saved.read_text(encoding="utf-8")
