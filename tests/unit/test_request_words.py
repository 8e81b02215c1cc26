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
        ("배포 절차 정리해서 알려주실 수 있나요?", "배포 절차"),
        ("훅 규칙 확인 부탁드려요", "훅 규칙"),
        ("훅 규칙이 나온 문서 찾아 주실 수 있을까요", "훅 규칙"),
        ("ヘルプページはどこ？", "ヘルプページ"),
        ("会議資料の場所を教えて", "会議資料"),
        ("設定ファイルはどこにありますか", "設定ファイル"),
        ("鍵の更新について質問があります", "鍵の更新"),
        ("お手数ですが、鍵の更新を教えてください", "鍵の更新"),
        ("ファイルを探してください", "ファイル"),
        ("설정 파일은 어디에 있나요?", "설정 파일"),
        ("로그는 어디서 볼 수 있나요", "로그"),
        ("성능 평가가 궁금해요", "성능 평가"),
        # nouns that end as if with a particle, or are of two words
        ("회의 요약해줘", "회의"),
        ("속도 알려줘", "속도"),
        ("두 모드의 차이 알려줘", "두 모드의 차이"),
        ("마을 알려줘", "마을"),
        ("개인 정보 알려줘", "개인 정보"),
        ("딥링크 알려줘", "딥링크"),
        ("そのページを教えて", "そのページ"),
        ("必須の項目を教えて", "必須の項目"),
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
        # nouns that end as a request may
        "会社の住所",
        "トップページ",
        "利用規約のページ",
        "公開する文書",
        "この節",
        "料金のご説明",
        "재시도 횟수 요약",
        "커밋 설명 수정",
        "회의 요약 수신자",
        "로그 요약 주기",
        "内部リンク",
        "ログイン URL",
        "保証書の場所",
        "夏季休業のお知らせ",
        "使用量の調べ方",
        "ドキュメントを翻訳する",
        "디스크 정리",
        "로그 정리 주기",
        "환불 문의 방법",
        "문의하기",
        "자주 묻는 질문",
        # what is asked is where something happens
        "ログはどこにたまりますか",
        "キーはどこからもらえますか",
        "ログインのページがありません",
        "설정은 어디에서 바꾸나요",
        "휴가 어디서 신청하나요",
        # verbs of telling that are not the end of it, or what is asked about
        "画像を検索して",
        "重い部分を調べたい",
        "안 쓰는 서버 찾아서 클라우드 요금 줄이기",
        "checkpoint 정리하면 몇 개 남아",
        "검색 결과 보여주는 방식 바꾸기",
        "콘텐츠를 한꺼번에 함께 보여주기",
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
