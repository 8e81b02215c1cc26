"""Bytes of a file or a page → text, with its encoding."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.decoding import Decoded, decode, decode_page, is_binary

JAPANESE, KOREAN, CHINESE = (
    "# 設計\n分割と表\n\n## 方針\n本文だ\n",
    "# 설치\n이 문서는 설치 방법을 설명합니다.\n",
    "# 设计\n这是一个测试文件。\n",
)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_byte_order_mark_decides_and_is_not_text(mark, encoding):
    found = decode(mark + "# 見出し\n".encode(encoding))
    assert (found.text, found.encoding, found.warnings) == ("# 見出し\n", encoding, ())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(JAPANESE, "cp932"), (JAPANESE, "euc_jp"), (KOREAN, "euc_kr"), (CHINESE, "gb18030"), (JAPANESE * 4000, "cp932")],
)
def test_legacy_encodings_are_told_apart(text, encoding):
    found = decode(text.encode(encoding))
    assert (found.text, found.encoding) == (text, encoding)
    assert found.warnings == (f"read as {encoding.replace('_', '-')}, since it is not UTF-8",)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# 設定\n\n鍵を交換する手順。\n", "euc_jp"),
        ("# 買い物\n\n- 牛乳\n- パン\n- 卵\n", "euc_jp"),
        ("# 설정\n\n키를 교체하는 절차. ㅋㅋㅋ\n", "euc_kr"),
        ("# 장보기\n\n- 우유\n- 빵\n", "euc_kr"),
    ],
)
def test_short_texts_in_japanese_and_korean_are_told_apart_by_their_kana(text, encoding):
    assert decode(text.encode(encoding)) == Decoded(
        text, encoding, (f"read as {encoding.replace('_', '-')}, since it is not UTF-8",)
    )


PAGE = '<html><head><meta charset="{}"></head><body><h1>{}</h1></body></html>'


@pytest.mark.parametrize(
    ("declared", "encoding", "text"),
    [
        ("windows-1252", "cp1252", "Café brûlée"),
        ("gb2312", "gb18030", "密钥轮换"),
        ("BIG5", "big5", "金鑰輪換"),
        ("windows-1251", "cp1251", "Ключи"),
        ("Shift_JIS", "cp932", "設定"),
    ],
)
def test_page_is_read_in_the_encoding_that_it_declares(declared, encoding, text):
    page = PAGE.format(declared, text)
    assert decode_page(page.encode(encoding)).text == page


def test_page_in_utf_8_is_read_so_whatever_it_declares():
    page = PAGE.format("windows-1251", "Ключи")
    assert decode_page(page.encode()) == Decoded(page, "utf-8")
    assert decode_page(b"\xef\xbb\xbf" + page.encode()) == Decoded(page, "utf-8")


def test_page_in_an_encoding_of_ascii_alone_is_read_in_it():
    page = PAGE.format("iso-2022-jp", "設定")
    assert decode_page(page.encode("iso2022_jp")).text == page


def test_declared_encoding_is_taken_although_a_byte_cannot_be_read():
    page = PAGE.format("euc-jp", "設定の手順 " * 30).encode("euc_jp") + b"\xff"
    found = decode_page(page)
    assert found.text.startswith(PAGE.format("euc-jp", "設定の手順 " * 30))
    assert found.warnings == ("not valid EUC-JP; 1 unreadable bytes were replaced",)


@pytest.mark.parametrize(
    "head",
    [
        '<!-- <meta charset="koi8-r"> --><meta charset="windows-1251">',
        '<meta name="description" content="how charset=koi8-r works"><meta charset="windows-1251">',
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ],
)
def test_encoding_is_that_of_the_element_that_declares_it(head):
    page = f"<html><head>{head}</head><body>Ключи</body></html>"
    assert decode_page(page.encode("cp1251")).text == page


@pytest.mark.parametrize("declared", ["unicode_escape", "utf-7", "hex"])
def test_page_that_cannot_be_in_the_declared_encoding_is_read_as_a_file_is(declared):
    page = PAGE.format(declared, "Café \\u0041").encode("cp1252")
    assert decode_page(page) == decode(page)


@pytest.mark.parametrize(
    ("data", "text", "place"),
    [
        (b"caf\xe9 ok \xe6\x97\xa5\xe6\x9c\xac", "caf\ufffd ok 日本", 3),
        ("café crème brûlée".encode("latin-1"), "caf\ufffd cr\ufffdme br\ufffdl\ufffde", 3),
        (b"\xff", "\ufffd", 0),
        (codecs.BOM_UTF8 + b"a\xff", "a\ufffd", 4),
    ],
)
def test_stray_bytes_are_replaced_with_a_warning_that_names_the_place(data, text, place):
    found = decode(data)
    assert found.text == text
    assert f"at byte {place};" in found.warnings[0]


@given(st.binary(max_size=80))
def test_any_bytes_become_text_that_can_be_stored(data):
    decode(data).text.encode("utf-8")


def test_utf8_is_decoded_exactly():
    assert decode("a\r\nb\u2028\0".encode()).text == "a\r\nb\u2028\0"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be", "utf-8", "utf-8-sig"])
def test_text_with_a_byte_order_mark_is_not_binary(encoding):
    mark = "" if encoding in ("utf-16", "utf-32", "utf-8", "utf-8-sig") else "\ufeff"
    assert not is_binary((mark + "# Keys\n").encode(encoding))


@pytest.mark.parametrize("data", [b"# Keys\n\0", b"\0" * 9, codecs.BOM_UTF8 + b"a\0", "# Keys\n".encode("utf-16-le")])
def test_text_with_a_nul_byte_is_binary(data):
    assert is_binary(data)
