"""Near-duplicates of a ranking: which sections are folded into which."""

from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.analyzer import terms
from search.index.inverted_index import InvertedIndex
from search.ranking.folding import Group, folded

TEXT = " ".join(f"word{n}" for n in range(100))


def inverted_index(*sections):
    """A inverted index of (heading, words of the text) pairs."""
    return InvertedIndex(pa.array([f"{heading}\n\n\n\n\n{text}" for heading, text in sections]))


def groups(*sections, stop=10, **more):
    return folded(inverted_index(*sections), range(len(sections)), stop, **more)


def test_equal_sections_are_one_group():
    assert groups(("own", TEXT), ("other", "alpha beta"), ("own", TEXT)) == [Group(0, (2,)), Group(1)]


def test_section_with_nine_tenths_of_the_words_is_folded():
    nearly = " ".join([*(f"word{n}" for n in range(92)), *(f"more{n}" for n in range(8))])
    assert groups(("own", TEXT), ("own", nearly)) == [Group(0, (1,))]


def test_section_with_eight_tenths_of_the_words_stays():
    partly = " ".join([*(f"word{n}" for n in range(80)), *(f"more{n}" for n in range(20))])
    assert groups(("own", TEXT), ("own", partly)) == [Group(0), Group(1)]


def test_section_that_says_far_more_with_the_same_words_stays():
    assert groups(("own", TEXT), ("own", f"{TEXT} {TEXT} and more")) == [Group(0), Group(1)]


def test_small_part_of_a_section_stays():
    part = " ".join(f"word{n}" for n in range(50))
    assert groups(("own", TEXT), ("own", part)) == [Group(0), Group(1)]


def test_same_code_under_a_heading_of_other_words_stays():
    assert groups(("install", TEXT), ("設定", TEXT)) == [Group(0), Group(1)]


def test_headings_that_share_a_word_may_be_folded():
    assert groups(("install guide", TEXT), ("guide", TEXT)) == [Group(0, (1,))]


@pytest.mark.parametrize(
    ("heading", "names", "is_folded"),
    [
        ("zlib gunzip", "~gunzip", False),
        ("zlib gzip", "~gzip", True),
        ("zlib compress", "~zlib.gzip ~gzip", True),
        ("zlib compress", "", True),
        ("zlib gzip buffer", "~gzip<buffer>", True),
        ("zlib.gzip zlib gzip buffer", "~zlib.gzip", True),
    ],
)
def test_sections_whose_headings_name_different_identifiers_stay(heading, names, is_folded):
    sections = [f"{head}\n\n{keys}\n\n\n{TEXT}" for head, keys in (("zlib gzip", "~gzip"), (heading, names))]
    found = folded(InvertedIndex(pa.array(sections)), range(2), 10)
    assert found == ([Group(0, (1,))] if is_folded else [Group(0), Group(1)])


@pytest.mark.parametrize(
    ("other", "is_folded"),
    [("guide\nreview policy", True), ("guide\ntravel policy", False), ("guide", False), ("overview\nreview policy", False)],
)
def test_sections_without_text_are_folded_if_all_headings_have_the_same_words(other, is_folded):
    sections = [f"{heads}\n" + "\n" * (4 - heads.count("\n")) for heads in ("guide\nreview policy", other)]
    found = folded(InvertedIndex(pa.array(sections)), range(2), 10)
    assert found == ([Group(0, (1,))] if is_folded else [Group(0), Group(1)])


def test_sections_without_words_and_headings_stay():
    assert groups(("", ""), ("", "")) == [Group(0), Group(1)]


def test_short_sections_are_folded_only_if_they_are_equal():
    few = "one two three four five six seven eight nine ten"
    assert groups(("own", few), ("own", f"{few} eleven"), ("own", few)) == [Group(0, (2,)), Group(1)]


def test_page_stands_before_a_collection_that_holds_it():
    sections = [("own", TEXT), ("own", TEXT), *((f"other{n}", f"alpha{n} beta{n}") for n in range(4))]
    assert groups(*sections, sizes=lambda rows: [5 - 4 * (row == 1) for row in rows])[0] == Group(1, (0,))
    assert groups(*sections, sizes=lambda rows: [4 - 3 * (row == 1) for row in rows])[0] == Group(0, (1,))


def test_only_the_first_of_several_copies_changes_its_place_with_a_page():
    sections = [*[("own", TEXT)] * 4, *((f"other{n}", f"alpha{n} beta{n}") for n in range(9))]
    assert groups(*sections, sizes=lambda rows: [[5, 6, 1, 1][row] for row in rows])[0] == Group(2, (0, 1, 3))


INCLUDE = "rustdoc_include rustdoc includ listings/ch05/listing-05-01/src/main.rs listing ch05 src main rs 05 01"


@pytest.mark.parametrize("code", ["fn main let user 1 2 3", "fn main " + " ".join(f"code{n} {n}" for n in range(60))])
def test_copy_whose_code_is_taken_from_a_file_is_folded(code):
    assert groups(("own", f"{TEXT}\n{INCLUDE}"), ("own", f"{TEXT}\n{code}")) == [Group(0, (1,))]


def test_text_with_more_words_is_no_copy_where_nothing_is_taken_from_a_file():
    code = "fn main " + " ".join(f"code{n} {n}" for n in range(60))
    assert groups(("own", f"{TEXT}\nsee listings/ch05/src/main.rs"), ("own", f"{TEXT}\n{code}")) == [Group(0), Group(1)]


#: A paragraph that many pages hold, in several languages.
JAPANESE = "設定を変更した後は、管理画面から状態を確認できます。通信が切れた場合は、自動的に再接続を試みます。詳しい手順は運用の手引きにあります。"
CHINESE = "修改配置之后，可以在管理页面查看运行状态。如果连接中断，系统会自动尝试重新连接。详细步骤请参考运维手册。"
KOREAN = "설정을 바꾼 뒤에는 관리 화면에서 상태를 확인할 수 있습니다. 연결이 끊기면 자동으로 다시 연결합니다. 자세한 절차는 안내서에 있습니다."
ENGLISH = "After a change the console shows the state of every worker, and lost connections are made again without any help."


def told(heading, *texts):
    """The groups of sections with one heading and these texts."""
    return groups(*((" ".join(terms(heading)), " ".join(terms(text))) for text in texts))


@pytest.mark.parametrize(
    ("heading", "one", "other"),
    [
        ("再起動", "設定を変更した後は、再起動する必要があります。", "設定を変更した後は、再起動する必要はありません。"),
        ("ポート", "ポート番号は8080です。", "ポート番号は9090です。"),
        ("保存期間", "記録の保存期間は30日間です。", "記録の保存期間は90日間です。"),
        ("料金", "月額料金は1000円です。", "月額料金は5000円です。"),
        ("重启", "修改配置之后需要重新启动服务。", "修改配置之后不需要重新启动服务。"),
        ("端口", "服务使用的端口号是8080。", "服务使用的端口号是9090。"),
        ("재시작", "설정을 바꾼 뒤에는 서버를 재시작해야 합니다.", "설정을 바꾼 뒤에는 서버를 재시작하지 않아야 합니다."),
        ("Restart", "A restart is needed after a change.", "No restart is needed after a change."),
    ],
)
def test_short_sections_that_contradict_each_other_stay_two_in_every_language(heading, one, other):
    assert told(heading, one, other) == [Group(0), Group(1)]
    assert told(heading, one, one) == [Group(0, (1,))]


@pytest.mark.parametrize("text", [JAPANESE * 2, CHINESE * 2, KOREAN * 2, ENGLISH], ids=["ja", "zh", "ko", "en"])
@pytest.mark.parametrize(("number", "other"), [("8080", "9090"), ("30日間", "90日間"), ("10s", "500s"), ("1.2", "1.3")])
def test_sections_that_differ_in_a_number_stay_two(text, number, other):
    assert told("guide 案内 指南 안내", f"{text} {number}", f"{text} {other}") == [Group(0), Group(1)]
    assert told("guide 案内 指南 안내", f"{text} {number}", f"{text} {number}") == [Group(0, (1,))]


@pytest.mark.parametrize("text", [JAPANESE, CHINESE, KOREAN, ENGLISH], ids=["ja", "zh", "ko", "en"])
def test_edition_with_one_more_word_or_number_is_folded(text):
    assert told("guide 案内", text, f"{text} 今") == [Group(0, (1,))]
    assert told("guide 案内", text, f"{text} 2026") == [Group(0, (1,))]


def test_sections_that_differ_in_a_port_stay_two():
    addresses = "Open http://localhost:8080/page", "Open http://localhost:9090/page"
    assert told("Guide", *(f"{ENGLISH * 2} {TEXT} {address}" for address in addresses)) == [Group(0), Group(1)]


def test_edition_whose_links_have_other_numbers_is_folded():
    links = "See appendix-04-tools.html and ch02/listing-02-01", "See appendix-05-tools.html and ch03/listing-03-07"
    assert told("Guide", *(f"{ENGLISH * 2} {TEXT} {link}" for link in links)) == [Group(0, (1,))]


def test_nothing_is_folded_when_not_wanted():
    assert groups(("own", TEXT), ("own", TEXT), fold=False, stop=1) == [Group(0)]


def test_the_best_placed_one_stands_for_the_others():
    index = inverted_index(("own", TEXT), ("own", TEXT), ("own", TEXT))
    assert folded(index, [2, 0, 1], 10) == [Group(2, (0, 1))]


def family(kind):
    """The heading and the text of a section that is like those of its family alone."""
    return f"heading{kind}", " ".join(f"w{kind}x{n}" for n in range(30))


@given(count=st.integers(1, 200), families=st.integers(1, 60), limit=st.integers(1, 70), seed=st.integers(0, 9999))
def test_pages_of_any_size_have_every_row_in_exactly_one_group(count, families, limit, seed):
    kinds = Random(seed).choices(range(families), k=count)
    index, rows = inverted_index(*map(family, kinds)), range(len(kinds))
    pages, offset = [], 0
    while page := folded(index, rows, offset + limit)[offset:]:
        pages += page
        offset += limit
    assert pages == folded(index, rows, len(rows))
    assert sorted(row for group in pages for row in (group.row, *group.others)) == list(rows)
    assert all({kinds[row] for row in group.others} <= {kinds[group.row]} for group in pages)


def test_many_sections_of_few_families_are_all_on_some_page():
    families = [number * 7 % 40 for number in range(131)]
    index, rows = inverted_index(*map(family, families)), range(131)
    pages = [folded(index, rows, offset + 5)[offset:] for offset in range(0, 131, 5)]
    assert sorted(row for page in pages for group in page for row in (group.row, *group.others)) == list(rows)


def test_rows_are_compared_with_those_of_their_own_block_of_sixty():
    index, rows = inverted_index(*map(family, [*range(59), 0, 0, *range(60, 100), 0])), range(102)
    assert folded(index, rows, 1) == [Group(0, (59,))]
    assert folded(index, rows, 102)[59] == Group(60, (101,))
