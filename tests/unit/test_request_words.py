"""Japanese and Korean sentences without the words that ask somebody to tell, look for or explain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.request_words import without_request


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("スロットについて書かれているページを教えていただけますでしょうか。", "スロット"),
        ("スロットってどこに載ってる？", "スロット"),
        (
            "初歩的な質問で恐縮ですが、鍵を更新するにはどうすればいいでしょうか？",
            "鍵を更新するにはどうすればいいでしょうか？",
        ),
        ("質問：鍵はどう更新する？", "鍵はどう更新する？"),
        ("鍵の更新が知りたいです。", "鍵の更新"),
        ("どこを読めばいいか教えてください。", "どこを読めばいい"),
        ("よろしくお願いいたします。", ""),
        ("合성 이벤트", "合성 이벤트"),
        ("합성 이벤트에 대해 설명된 부분이 어디인지 알려주시면 감사하겠습니다.", "합성 이벤트"),
        ("합성 이벤트가 궁금합니다.", "합성 이벤트"),
        ("안녕하세요, 합성 이벤트 어디 있어?", "합성 이벤트"),
        ("혹시 합성 이벤트 관련해서 안내된 문서가 있나요?", "합성 이벤트"),
    ],
)
def test_words_of_asking_are_taken_from_a_sentence(sentence, plain):
    assert without_request(sentence) == plain


@pytest.mark.parametrize(
    "sentence",
    [
        "誤訳を見つけました。",
        "日付を表示する",
        "鍵の更新",
        "클라이언트 컴포넌트한테 함수를 내려줄 수 있나요?",
        "지금은 누가 소유하고 있어요?",
        "한 문장으로",
        "please explain the slots",
        "",
    ],
)
def test_sentence_that_asks_nobody_stays(sentence):
    assert without_request(sentence) == sentence


def test_long_sentence_stays():
    sentence = "鍵の更新" * 60 + "を教えてください"
    assert without_request(sentence) == sentence


@given(st.text(alphabet="のをがについて教えてください。ページ設定 설명문서를 알려주세요.어디abc", max_size=60))
def test_what_is_left_stands_in_the_sentence(sentence):
    assert without_request(sentence) in sentence
