"""Which sentences of a long question say what is asked."""

import pytest

from search.ranking.messages import (
    always_told,
    asking_lowered,
    beside_background,
    best_of,
    is_message,
    is_question,
    sentences_of,
    telling_words,
    used_in,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("How do I stop it", ["How do I stop it"]),
        ("Morning all. How do I stop it? Thanks!", ["Morning all.", "How do I stop it?", "Thanks!"]),
        ("stop the server... anyone?", ["stop the server...", "anyone?"]),
        ("stop the server - it is urgent", ["stop the server -", "it is urgent"]),
        ("Explain the following: key rotation", ["Explain the following:", "key rotation"]),
        ("like I'm five: what is a key?", ["like I'm five:", "what is a key?"]),
        ("次の質問に答えてください: 鍵の更新", ["次の質問に答えてください:", "鍵の更新"]),
        ("질문: 키 교체", ["질문:", "키 교체"]),
        ("ＡＧＥＮＴＳ．ｍｄ 自動更新", ["ＡＧＥＮＴＳ.ｍｄ 自動更新"]),
        ("error: the key is gone", ["error: the key is gone"]),
        ("stop it\nnow", ["stop it", "now"]),
        ("a well-known --dry-run", ["a well-known --dry-run"]),
        ("???", []),
    ],
)
def test_sentences_of_a_message(text, sentences):
    assert sentences_of(text) == sentences


@pytest.mark.parametrize(
    ("sentence", "is_asked"), [("Why?", True), ("なぜですか。", True), ("왜요？", True), ("Because.", False)]
)
def test_question_is_told_by_its_end(sentence, is_asked):
    assert is_question(sentence) == is_asked


def test_sentence_with_the_nearest_vector_and_most_words_is_chosen():
    assert best_of([(0.2, 4.0, False), (0.6, 9.0, False), (0.1, 0.0, False)]) == [1]


def test_sentences_that_an_index_speaks_of_alike_are_both_chosen():
    assert best_of([(0.55, 9.0, False), (0.6, 8.0, False), (0.1, 1.0, False)]) == [0, 1]


def test_question_is_chosen_before_a_sentence_that_is_about_as_near():
    assert best_of([(0.5, 3.0, False), (0.5, 4.0, False)]) == [0, 1]
    assert best_of([(0.5, 3.0, False), (0.5, 4.0, True)]) == [1]


def test_words_decide_where_there_is_no_vector():
    assert best_of([(0.0, 9.0, False), (0.0, 2.0, False)]) == [0]


def test_all_sentences_are_chosen_where_an_index_speaks_of_none():
    assert best_of([(0.0, 0.0, False), (0.0, 0.0, False)]) == [0, 1]


def test_words_that_only_ask_count_less_in_a_message():
    weights = {"page": 1.0, "hook": 1.0}
    assert asking_lowered("the page of all hooks is here", weights) == weights
    assert asking_lowered("find me the page about hooks please", weights) == {"page": 0.3, "hook": 1.0}


def test_words_that_only_ask_count_fully_in_a_short_question():
    assert asking_lowered("page hooks", {"page": 1.0, "hook": 1.0}) == {"page": 1.0, "hook": 1.0}


def test_words_that_only_ask_count_fully_where_there_are_no_others():
    assert asking_lowered("where is the page of the documentation", {"page": 1.0, "document": 1.0})["page"] == 1.0


def test_telling_words_are_those_that_do_not_only_ask():
    assert telling_words("Please tell me: we use MySQL, MySQL 8 and 키를") == ["MySQL", "키를"]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Cells show growth. They find food within a week.", False),
        ("stop the server - at night", False),
        ("How do cells grow", False),
        ("thanks for the growth", True),
        ("Explain the growth of cells", True),
        ("Task: growth of cells", True),
        ("Cells grow?", True),
        ("鍵の更新", True),
        ("키 교체", True),
    ],
)
def test_message_addresses_somebody(text, is_one):
    assert is_message(text) == is_one


@pytest.mark.parametrize(
    ("sentences", "asking"),
    [
        (["SQLiteを使っています。", "会話を途中から分岐させたい。"], [1]),
        (["先月からClaude Codeを使い始めました。", "フックが発火しません。"], [1]),
        (["draw.io Desktop을 설치했습니다.", "팔레트가 안 보여요."], [1]),
        (["ArchPilot을 씁니다.", "결과가 영어로 나와요."], [1]),
        (["I'm using Fastify behind nginx.", "All requests show the proxy's address."], [1]),
        (["We have installed version 5.", "My plugin times out.", "Why?"], [1, 2]),
        (["VPNにつないでいます。", "しばらくすると切れます。"], [0, 1]),  # the other says too little
        (["설정을 바꿨습니다.", "반영이 안 됩니다."], [0, 1]),
        (["I use a proxy."], [0]),
    ],
)
def test_sentence_that_only_says_what_is_used_asks_nothing(sentences, asking):
    assert beside_background([(sentence, False) for sentence in sentences]) == asking


def test_what_is_used_is_told_without_the_verb():
    assert used_in("카카오 링크를 씁니다. 예제 코드가 필요해요.").split() == ["카카오", "링크"]
    assert used_in("SQLiteを使っています。").split() == ["SQLite"]
    assert used_in("We use nginx.") == ""


def test_last_sentence_of_a_japanese_text_without_a_question_is_always_read():
    assert always_told([("図を保存しました。", False), ("値が消えました。", False)]) == [1]
    assert always_told([("I saved it.", False), ("The value is gone.", False)]) == []


def test_question_is_always_read():
    assert always_told([("なぜ値が消えますか。", True), ("図を保存しました。", False)]) == [0]
    assert always_told([("I saved it.", False), ("Why is it gone?", True)]) == [1]


def test_more_sentences_of_a_japanese_text_are_read():
    matches = [(0.6, 4.0, False), (0.45, 3.0, False)]
    assert (best_of(matches), best_of(matches, in_cjk=True)) == ([0], [0, 1])
