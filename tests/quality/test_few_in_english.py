"""Japanese notes with a few in English, with the real models: a question in English gets the note that answers, in either."""

import pytest

import schema.storage.indexes
from indexer import Indexer
from search import SearchEngine
from search.sources.held import HeldSource
from search.sources.stored import TableSource

pytestmark = [pytest.mark.slow, pytest.mark.model]

NOTES = {
    "返品": "贈り物の受け取り主がレシートなしで返品するときは、今の店頭価格ではなく、購入時に支払われた価格で返金します。",
    "在庫": "在庫が安全水準を下回ったら、翌朝の九時までに倉庫へ補充を依頼します。",
    "休暇": "休暇を取る人は、二週間前までに上長へ申請し、承認を受けてから予定表に記入します。",
    "請求": "請求書は月末に締め、翌月の五日までに取引先へ送ります。",
    "配送": "離島への配送には三日から五日かかり、送料が別に必要です。",
    "点検": "消火器は半年ごとに点検し、期限の切れたものを交換します。",
    "会議": "会議の議事録は、当日のうちに書記が共有の場所へ置きます。",
    "鍵": "事務所の鍵をなくした人は、すぐに総務へ知らせてください。",
    "制服": "制服は入社の日に二着渡され、退職の日に返します。",
    "駐車": "駐車場は来客のために三台分を空けておきます。",
    "清掃": "清掃は水曜と金曜の夕方に業者が行います。",
    "研修": "新しい社員は最初の月に安全の研修を受けます。",
    "Promotions": "Plan the price of an item before a campaign starts, and put it back on the shelf when the campaign has ended.",
    "Gifts": "Gift wrapping is free of charge, and a card may go with it.",
}
QUESTIONS = {
    "when is the bill sent out?": "請求.md",
    "where are the minutes kept?": "会議.md",
    "is wrapping a gift free": "Gifts.md",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    home = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (home / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema.storage.indexes, "WITH_TERMS", 10)
        Indexer(home / ".sectionary", root=home).index(home)
        yield home / ".sectionary"


@pytest.mark.parametrize(("once", "source"), [(False, HeldSource), (True, TableSource)])
def test_question_in_english_finds_the_note_that_answers_it(notes, once, source):
    engine = SearchEngine(notes, once=once)
    assert isinstance(engine.source(), source)
    found = {question: [hit.section.document_path for hit in engine.search(question, limit=3)] for question in QUESTIONS}
    assert {question: paths[0] for question, paths in found.items()} == QUESTIONS, found


def test_share_that_the_second_model_has_read_is_that_of_all_notes_in_either_source(notes):
    sources = [SearchEngine(notes, once=once).source() for once in (False, True)]
    shares = [source.snapshot_of(source.first_keys(1))[0].share_of_second for source in sources]
    assert shares == pytest.approx([2 / 14, 2 / 14])
