"""The terms of texts, and those of questions, which sections can have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.analyzer import MAX_TERM_CHARACTERS, marked_terms, terms
from schema.text.query_words import query_terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Set max_tokens", ["set", "max_tokens", "max", "token"]),
        ("--time-budget 60s", ["time-budget", "time", "budget", "60s"]),
        ("OAuthClient", ["oauthclient", "o", "auth", "client"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("don’t stop", ["don", "stop"]),
        ("検索する", ["検", "検索", "索", "索す", "する", "検索"]),
        ("表", ["表"]),
        ("ｶﾀｶﾅ", ["カ", "カタ", "タ", "タカ", "カ", "カナ", "ナ", "カタカナ"]),
        ("검색합니다", ["검색", "색합", "합니", "니다"]),
        ("검색", ["검색"]),
        ("컴포넌트에서는", ["컴포넌트", "컴포", "포넌", "넌트", "트에", "에서", "서는"]),
        ("настройки", ["настройк"]),
        ("жёлтый", ["желт"]),
        ("збірки", ["збирк"]),
        ("сторінці", ["сторинк"]),
        ("połączenie", ["polaczeni"]),
        ("bağlantı Øl", ["baglanti", "ol"]),
        ("cœur", ["coeur"]),
        ("القاموس", ["قاموس"]),
        ("إِعَادَة", ["اعاد"]),
        ("жёлтый_дом", ["желтый_дом", "желт", "дом"]),
        ("ไทย", ["ไท", "ทย"]),
        ("ก", ["ก"]),
        ("LanceDBの設定", ["lancedb", "lanc", "db", "の设", "设", "设定", "定", "设定"]),
        ("Rotating the keys", ["rotat", "the", "key"]),
        ("Café naïve", ["cafe", "naiv"]),
        ("हिन्दी", ["हिन्दी"]),
        ("証明書", ["证", "证明", "明", "明书", "书", "证明书"]),
        ("🎉 … ' \" *", []),
        ("x" * 100, ["x" * MAX_TERM_CHARACTERS]),
    ],
)
def test_terms(text, found):
    assert terms(text) == found


@given(st.text(max_size=80))
def test_terms_hold_no_blank_and_are_the_same_again(text):
    assert all(term and not term.isspace() and len(term.split()) == 1 for term in terms(text))
    assert set(query_terms(text)) <= {*terms(text), *marked_terms(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/etc/nginx/nginx.conf", ["nginx.conf"]),
        ("/etc/apt/sources.list.d/", ["sources.list.d"]),
        ("~/.cargo/config.toml", ["config.toml"]),
        ("https://example.com/docs/page.html", ["page.html"]),
        ("src/my_module.rs:12", ["my_module.rs"]),
        ("src/my-module/lib", []),
        ("client/server", []),
        ("1.5/2.5", []),
    ],
)
def test_names_of_several_parts_between_slashes_are_terms(text, names):
    found = terms(text)[1:]
    assert [term for term in found if not term.isalnum()] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hub.max_age", ["max_age"]),
        ("std::io::read_line", ["read_line"]),
        ("app.on-error.retry_after", ["on-error", "retry_after"]),
        ("x._private_name", ["private_name"]),
        ("local-up-cluster.sh", []),
        ("src/my_module.rs", ["my_module.rs"]),
        ("2.1-rc.1", []),
    ],
)
def test_names_behind_dots_and_colons_are_terms(text, names):
    found = terms(text)[1:]
    assert [term for term in found if "_" in term or "-" in term] == names


@pytest.mark.parametrize("query", ["サーバの再起動", "リーダーの保証", "〆切の日", "〆〆サー", "ー検索", "時々ログ"])
@pytest.mark.parametrize("end", ["", "ー", "々"])
def test_sections_can_have_every_term_of_a_question(query, end):
    assert set(query_terms(query + end)) <= set(terms(query + end))


@given(st.text("サーバルア検索証〆々ヶab2 ", max_size=20))
def test_sections_can_have_every_term_of_any_question_in_katakana_and_kanji(text):
    assert set(query_terms(text)) <= {*terms(text), *marked_terms(text)}
