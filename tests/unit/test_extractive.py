"""Prose sentences of Markdown, and the summaries made of them."""

import pytest

from indexer.splitter import MarkdownSplitter
from indexer.summaries.extractive import ExtractiveSummarizer, summarize
from schema.text.sentences import split_sentences

# --- summaries --------------------------------------------------------------------------------------------------------


def test_the_lead_is_preferred_to_chatter_and_pointers():
    text = "Let's take a look at it. A vector stores values next to each other in memory. For more, see the vector docs."
    assert summarize(text, title="Vectors") == "A vector stores values next to each other in memory."


def test_a_sentence_that_refers_back_follows_the_one_it_refers_to():
    text = "A key opens a door of the house. It is made of metal by the smith. Doors are painted every year."
    assert summarize(text, title="Key") == "A key opens a door of the house. It is made of metal by the smith."


def test_sentences_stand_in_their_order():
    text = "Welcome to all who read the pages. Houses have doors made of wood. A lock keeps the doors of a house shut."
    assert summarize(text, title="Lock") == "Houses have doors made of wood. A lock keeps the doors of a house shut."


def test_words_of_the_title_draw_a_sentence_in():
    text = "Doors are wide in old houses. Rooms are high in old houses. Windows of glass let light in. Roofs are steep."
    assert "Windows" in summarize(text, title="Windows of glass", max_sentences=1)


def test_japanese_sentences_are_joined_without_a_blank():
    text = "算出プロパティは値を計算します。\n結果は保存されて再利用されます。\n\n見てみましょう。"
    assert summarize(text, title="算出プロパティ") == "算出プロパティは値を計算します。結果は保存されて再利用されます。"


def test_korean_sentences_are_joined_with_a_blank():
    text = "버퍼는 측정값을 디스크에 저장합니다. 네트워크가 끊겨도 데이터를 잃지 않습니다. 자세한 내용은 문서를 참고하세요."
    assert summarize(text, title="버퍼") == "버퍼는 측정값을 디스크에 저장합니다. 네트워크가 끊겨도 데이터를 잃지 않습니다."


def test_a_lead_to_code_is_left_out_beside_a_sentence():
    assert (
        summarize("値は算出プロパティで計算されます。次のように書きます:\n\n```js\na()\n```")
        == "値は算出プロパティで計算されます。"
    )


def test_a_lead_to_a_list_alone_ends_in_a_stop():
    assert summarize("These values can be set in the file:\n\n```\na\n```") == "These values can be set in the file."


def test_a_wide_lead_to_code_alone_ends_in_a_wide_stop():
    assert summarize("ファイルに書ける値は次のとおりです：") == "ファイルに書ける値は次のとおりです。"


def test_a_question_that_leads_on_gets_no_second_stop():
    assert summarize("What can be set in this file?:") == "What can be set in this file?"


def test_labels_are_left_out_beside_a_sentence():
    assert summarize("**Type**\n\nNote:\n\nA buffer holds the readings of a day.") == "A buffer holds the readings of a day."


def test_items_without_stops_get_one_between_them():
    text = "- Install the package manager\n- Configure the release server"
    assert summarize(text) == "Install the package manager. Configure the release server"


def test_wide_items_without_stops_get_a_wide_one_between_them():
    assert (
        summarize("- 設定ファイルと機器の識別情報\n- 署名に使われる鍵の一覧表")
        == "設定ファイルと機器の識別情報。署名に使われる鍵の一覧表"
    )


def test_a_repeated_sentence_is_not_said_twice():
    assert summarize("The gate is closed at night.\n\nThe gate is closed at night.") == "The gate is closed at night."


@pytest.mark.parametrize(
    "text",
    [
        "算出プロパティは値を計算します。",
        "ユーザーの設定を API で読み込みます。",
        "設定の〆切を守る人は少ないものです。",
        "Vue’s の値を計算して保存するのです。",
        "（全角）の ｶﾀｶﾅ を読み書きします。",
    ],
)
def test_a_repeated_japanese_sentence_is_not_said_twice(text):
    assert summarize(f"{text}\n\n{text}") == text


def test_particles_do_not_make_japanese_sentences_alike():
    text = "設定から読み込まれるのです。\n\n画面には表示されるのです。"
    assert summarize(text) == "設定から読み込まれるのです。画面には表示されるのです。"


def test_words_of_a_japanese_title_draw_a_sentence_in():
    text = "最初の画面には一覧が表示されます。次第に増える記録が残ります。ウィンドウの設定は別に保存されます。"
    assert summarize(text, title="ウィンドウ設定", max_sentences=1) == "ウィンドウの設定は別に保存されます。"


def test_what_alone_is_worth_saying_is_said_alone():
    assert summarize("Note:\n\nSee the list of doors.\n\nType:", title="Type") == "See the list of doors."


def test_a_question_gives_way_to_its_answer():
    text = "Why would anyone close the gate at night? A closed gate keeps the animals of the farm inside."
    assert summarize(text, max_sentences=1) == "A closed gate keeps the animals of the farm inside."


def test_prose_before_a_deeper_heading_comes_first():
    text = "#### Aside\n\nThe side topic is a different matter.\n\n#### More\n\nThe rest is about another matter entirely."
    assert summarize(text, max_sentences=1) == "The side topic is a different matter."


def test_no_more_sentences_than_asked_for():
    text = "One house stands on the hill. Two rivers meet in the valley. Three roads lead into town."
    assert [len(list(split_sentences(summarize(text, max_sentences=n)))) for n in (1, 2, 3, 4)] == [1, 2, 3, 3]


def test_a_second_sentence_that_does_not_fit_stays_out():
    text = "The house stands on the hill. The river flows through the valley and on to the sea."
    assert summarize(text, max_characters=40) == "The house stands on the hill."


@pytest.mark.parametrize(
    ("text", "most", "summary"),
    [
        ("A long sentence that goes on and on without a pause", 30, "A long sentence that goes on…"),
        ("A long sentence that goes on, and on without a pause", 34, "A long sentence that goes on…"),
        ("計算された結果は保存され、次に使われるまで残ります", 16, "計算された結果は保存され…"),
        ("計算された結果は保存されて次に使われるまで残ります", 11, "計算された結果は保存…"),
        ("Unbreakable" * 4, 10, "Unbreakab…"),
        ("The words end here exactly", 15, "The words end…"),
        ("one two", 1, "…"),
    ],
)
def test_a_long_sentence_is_cut_at_a_clause_or_word(text, most, summary):
    assert summarize(text, max_characters=most) == summary


@pytest.mark.parametrize("limits", [{"max_sentences": 0}, {"max_characters": 0}])
def test_limits_below_one_are_refused(limits):
    with pytest.raises(ValueError, match="at least 1"):
        summarize("a", **limits)


# --- the summarizer ---------------------------------------------------------------------------------------------------

DOCUMENT = """---
title: Gateway
---
# Gateway

The gateway collects readings from machines. It sends them to a collector.

## Buffer

Readings wait on disk until the collector has them.

## Empty
"""


def sections():
    return MarkdownSplitter().split(DOCUMENT, "gateway.md")


def test_a_section_is_summed_up_from_its_own_text():
    made = [ExtractiveSummarizer().summarize_section(s, document=DOCUMENT, document_summary="x") for s in sections()]
    assert made == [
        "The gateway collects readings from machines. It sends them to a collector.",
        "Readings wait on disk until the collector has them.",
        None,
    ]


def test_a_root_section_is_read_under_the_title_of_its_document():
    section = MarkdownSplitter().split("A gateway collects readings.\n\n# More\n", "gateway.md")[0]
    assert (
        ExtractiveSummarizer().summarize_section(section, document="", document_summary=None)
        == "A gateway collects readings."
    )


def test_a_document_is_summed_up_from_what_stands_under_its_first_heading():
    summary = ExtractiveSummarizer().summarize_document(DOCUMENT, title="Gateway")
    assert summary == "The gateway collects readings from machines. It sends them to a collector."


def test_a_document_without_prose_has_no_summary():
    assert ExtractiveSummarizer().summarize_document("# Title\n\n```\ncode\n```\n", title="Title") is None


def test_a_document_may_take_400_characters():
    text = f"The {'long ' * 40}lead of it. The {'wide ' * 30}rest of it."
    assert 300 < len(ExtractiveSummarizer().summarize_document(text, title="")) <= 400


def test_the_summarizer_names_its_version():
    assert ExtractiveSummarizer().name == "extractive/1"
