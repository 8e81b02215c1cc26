"""What a query leaves out by its words is looked up once for all of its texts, within one limit."""

import pytest

from schema.errors import QueryError
from schema.filters import Filters
from schema.text.analyzer import terms
from search.sources import wording
from search.sources.wording import left_out, titled

SECTIONS = ["A dead letter waits.", "The letter is dead.", "Two old words and a dead letter.", "Penguins.", "A letter old."]


def holders(wanted, in_headings):
    assert not in_headings
    return [key for key, text in enumerate(SECTIONS) if set(wanted) <= set(terms(text))]


def without(*left, read=None):
    def texts(keys):
        if read is not None:
            read.extend(keys)
        return [SECTIONS[key] for key in keys]

    return left_out(Filters(without=left), holders, texts)


def test_a_word_is_left_out_in_any_form_and_several_words_as_they_stand():
    assert without("penguin") == {3}
    assert without("dead letter") == {0, 2}
    assert without("dead letter", "Old words", "penguins") == {0, 2, 3}


def test_each_section_is_read_once_for_all_texts():
    read = []
    assert without("dead letter", "letter dead", "letter old", "DEAD  Letter", "the dead", read=read) == {0, 2, 4}
    assert sorted(read) == [0, 1, 2, 4]


def test_sections_that_a_word_leaves_out_are_not_read():
    read = []
    assert without("old", "dead letter", read=read) == {0, 2, 4}
    assert sorted(read) == [0, 1]


def test_all_texts_share_one_limit_of_sections(monkeypatch):
    monkeypatch.setattr(wording, "MOST_READ", 3)
    assert without("dead letter", "letter dead") == {0, 2}
    with pytest.raises(QueryError, match=r"^Too many sections have the words of letter old to look at them all; give rarer"):
        without("dead letter", "letter old")


def test_all_texts_share_one_limit_of_characters(monkeypatch):
    monkeypatch.setattr(wording, "MOST_CHARACTERS", sum(len(SECTIONS[key]) for key in (0, 1, 2)) - 1)
    with pytest.raises(QueryError, match="Too many sections have the words of dead letter"):
        without("dead letter")
    assert without("letter old") == {4}


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("dead letter", "> A dead\n> **letter** waits."),
        ("検索エンジン", "全文の検索\nエンジンです。"),
        ("検索エンジン", "全文**検索**エンジンです。"),
    ],
)
def test_text_with_marks_and_line_ends_in_it_is_left_out(text, section, monkeypatch):
    monkeypatch.setattr(f"{__name__}.SECTIONS", [section, "letter dead 索検"])
    assert without(text) == {0}


def test_only_sections_with_all_terms_are_read_where_many_have_the_characters(monkeypatch):
    monkeypatch.setattr(f"{__name__}.SECTIONS", ["検索エンジン", "索引 検査 エンジン", "索引 検査 エンジンと"])
    monkeypatch.setattr(wording, "MOST_LOOSE", 2)
    read = []
    assert without("検索エンジン", read=read) == {0}
    assert read == [0]


@pytest.mark.parametrize(
    ("text", "left", "kept"),
    [
        ("C++", ["A C++ compiler.", "**C++**17"], ["The language C.", "C# and C", "c + +"]),
        ("C#", ["In C# alone."], ["C++", "a c major"]),
        (".NET", ["The .NET runtime"], ["a net of wires"]),
        ("--force", ["Give `--force` here."], ["by force"]),
        ("hardware.", ["hardware keys"], ["software."]),
        ("penguin's", ["two penguins"], ["pens"]),
        ("Penguins!", ["a penguin"], ["pens"]),
        ("검색합니다", ["검색", "문서를 검색하세요"], ["색인"]),
        ("상태를", ["상태는 좋다"], ["상대"]),
        ("컴포넌트에서는", ["컴포넌트를"], ["컴퓨터"]),
        ("로그인", ["로그인을 한다"], ["로그를 본다"]),
        ("고양이", ["고양이가 온다"], ["고양시"]),
        ("资料库", ["資料庫的設定"], ["資料"]),
        ("資料庫", ["资料库"], ["资源库"]),
        ("サーバー", ["サーバの設定", "ｻｰﾊﾞｰ"], ["サービス"]),
        ("サーバ", ["サーバーを"], ["サービス"]),
        ("人々", ["人人の"], ["人の"]),
        ("サーバー設定", ["サーバー\n設定"], ["サーバーの設定"]),
    ],
)
def test_word_is_left_out_in_its_forms_and_spellings_and_with_its_signs_alone(text, left, kept, monkeypatch):
    monkeypatch.setattr(f"{__name__}.SECTIONS", [*left, *kept])
    assert without(text) == set(range(len(left)))


def test_filters_without_titles_allow_every_section():
    assert titled(Filters(without=("penguin",)), holders) is None
