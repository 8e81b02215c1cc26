"""Real questions about the sample manual, with the real model, find their right sections."""

import json
from pathlib import Path

import pytest

from search import SearchEngine

pytestmark = pytest.mark.model

SAMPLES = Path(__file__).resolve().parents[2] / "sample_docs"
QUESTIONS = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def engine(sample_manual):
    return SearchEngine(sample_manual / ".sectionary")


def places(engine, query, **options):
    hits = engine.search(query, **options)
    return [(hit.section.document_path.removeprefix("sample_docs/"), hit.section.anchor) for hit in hits]


def test_every_question_names_a_section_that_exists(engine):
    anchors = {
        (d.path.removeprefix("sample_docs/"), link.anchor) for d in engine.documents() for link in engine.outline(d.path)
    }
    assert [q["query"] for q in QUESTIONS if (q["path"], q["anchor"]) not in anchors] == []


def test_nine_of_ten_questions_have_their_section_in_the_top_three(engine):
    found = [(q["path"], q["anchor"]) in places(engine, q["query"], limit=3) for q in QUESTIONS]
    assert sum(found) / len(found) >= 0.9


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("how do I rotate the signing key without losing buffered data?", ("guide/security.md", "rotate-keys")),
        ("証明書の有効期限はどうやって確認しますか", ("ja/certificates.md", "証明書の有効期限を確認する")),
    ],
)
def test_demo_question_finds_its_section_first(engine, query, place):
    assert places(engine, query, limit=1) == [place]


def test_korean_particle_endings_do_not_hide_a_word(engine):
    assert all(path.startswith("ko/") for path, _ in places(engine, "버퍼를 늘리는 방법", limit=3))


def test_sample_manual_has_what_real_manuals_have():
    texts = [path.read_text(encoding="utf-8") for path in SAMPLES.rglob("*.md")]
    assert len(texts) >= 14
    assert any(text.startswith("---\n") for text in texts)
    assert any(text.startswith("+++\n") for text in texts)
    assert any("\n====" in text for text in texts)
