"""How much the words of a question say about whether a section answers it."""

import pytest

from schema.text.query_words import query_terms
from search.ranking.query import parse_query
from search.ranking.question_terms import Code, codes, counted, other_forms
from tests.unit.test_relevance import ask, source

MANUAL = (
    "# Logger\n\n## XR-500\n\nThe XR-500 has a housing of metal and two ports.\n\n## XR-300\n\nThe XR-300 has one port.\n\n"
    "## Errors\n\n`E1203` says that the disk is full. Then empty the disk.\n\n## Warranty\n\nIt lasts two years.\n"
)


def weights_of(query):
    return counted(parse_query(query), source(manual=MANUAL).snapshot.inverted).weights


def test_identifier_and_its_parts_count_as_one_word():
    found = weights_of("XR-500 colour")
    assert sum(found[term] for term in ("xr-500", "xr", "500")) == pytest.approx(found["colour"])


def test_word_that_stands_alone_counts_as_a_word_beside_an_identifier_with_it():
    found = weights_of("direct colour of XR-direct-500")
    assert found["direct"] == found["colour"]


def test_identifier_beside_japanese_counts_as_one_word_of_it():
    found = weights_of("maxRetriesのデフォルト")
    assert sum(found[term] for term in ("maxretri", "max", "retri")) == pytest.approx(3.0)


def test_words_that_ask_for_a_meaning_count_nothing():
    assert list(weights_of("what does VIES mean")) == ["vie"]


@pytest.mark.parametrize(
    ("query", "answers"),
    [("LOGGER_DISK_SIZE", False), ("what does LOGGER_DISK_SIZE do", False), ("LOGGER_LEVEL", True)],
)
def test_constant_that_stands_nowhere_is_answered_by_nothing(query, answers):
    told = "Set LOGGER_LEVEL and LOGGER_BUFFER_SIZE to see more. The logger has a port of high speed on the disk."
    _, found = ask(source(manual=f"# Logger\n\n{told}\n", other="# Other\n\nNothing of that.\n"), query)
    assert (found[0] >= 0.3) == answers


@pytest.mark.parametrize(
    ("query", "other", "light"),
    [
        ("プリンタの対処", "プリンタ", "対処"),
        ("麻婆豆腐の作り方", "豆腐", "作り"),
        ("프린터 사용법", "프린터", "사용"),
        ("설치 방법", "설치", "방법"),
    ],
)
def test_nouns_that_only_ask_for_a_way_count_less(query, other, light):
    found = weights_of(query)
    plain = query_terms(query)
    assert found[light] == pytest.approx(0.3 * plain[light])
    assert found[other] == plain[other]


def test_noun_of_asking_alone_counts():
    assert weights_of("対処法") == query_terms("対処法")


def test_value_counts_less_beside_default():
    assert weights_of("default value of ports")["valu"] == pytest.approx(0.3 * weights_of("value of ports")["valu"])


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("how do I mount the logger on an Arduino?", ("Arduino",)),
        ("Arduino and the Logger on Solaris", ("Solaris",)),
        ("proof of the Cayley-Hamilton theorem", ("Cayley-Hamilton",)),
        ("set the X-Forwarded-For header", ()),
        ("How To Mount It On An Arduino", ()),
        ("is the disk of metal? Empty it", ()),
        ("Arduinoのエラー", ("Arduino",)),
        ("arduino mounting", ()),
        ("what did I mount on Monday, the 30th of March", ()),
        ("Jak uruchomić serwer w Loggerze?", ()),  # names have endings in Polish
        ("Wie richte ich den Drucker mit einem ArduinoUno ein?", ("ArduinoUno",)),  # nouns have a capital in German
    ],
)
def test_names_that_no_section_has_are_told_by_their_capitals(query, names):
    assert counted(parse_query(query), source(manual=MANUAL).snapshot.inverted).unheard_of == names


@pytest.mark.parametrize(
    ("text", "query", "answers"),
    [
        (
            "The housing is made of metal, and has two ports.",
            "which housing has the logger on Solaris, and how many ports",
            False,
        ),
        ("The housing is made of metal, and has two ports.", "which housing has the logger, and how many ports", True),
        (
            "筐体は金属製で、ポートは二つです。",
            "which housing has the logger on Solaris, and how many ports 筐体 ポート",
            True,
        ),
    ],
)
def test_section_answers_nothing_on_a_name_that_none_in_its_language_has(text, query, answers):
    _, found = ask(source(manual=f"# Logger\n\n{text}\n", other="# Other\n\nNothing of that.\n"), query)
    assert (max(found) >= 0.3) == answers


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Redux Toolkit으로 리듀서 만들기", {"redux", "toolkit"}),
        ("금요일 4시에 배포", set()),  # a number names nothing
        ("createRoot の使い方", {"createroot", "creat", "root"}),
        ("Ｒｅｄｕｘの使い方", {"redux"}),
        ("Cannot read properties of undefined 라는 오류가 나요", set()),
        ("리듀서 만들기 2", set()),
        ('"Redux store" 오류가 나요', set()),
        ("JSON으로 바꾸면 TypeError 오류가 나요", {"json"}),
        ("how to make a Redux reducer", {"redux"}),
        ("How do I make a reducer", set()),
    ],
)
def test_names_have_a_capital_or_are_one_or_two_words_in_latin_letters_among_others(query, names):
    assert set(counted(parse_query(query), source(manual=MANUAL).snapshot.inverted).names) == names


def test_name_that_a_section_has_in_two_words_is_heard_of():
    held = source(manual="# Argo CD\n\nIt deploys.\n")
    assert counted(parse_query("deploy with ArgoCd"), held.snapshot.inverted).unheard_of == ()


def test_word_that_says_little_counts_less():
    assert weights_of("keep keys")["keep"] == pytest.approx(0.3 * weights_of("keep keys")["key"])


@pytest.mark.parametrize(
    ("query", "weights"),
    [
        ("Docker", {"docker": 1.0}),
        ("Dockerの設定", {"docker": 3.0}),
        ("createRootの依存", {"createroot": 1.0, "creat": 1.0, "root": 1.0}),
        ("Docker 설정", {"docker": 1.5}),
        ("15条の規定", {"15": 1.0}),
        ("第15条の規定", {"第15条": 3.0, "15": pytest.approx(0.9)}),
        ("제15조 규정", {"제15조": 1.5}),
    ],
)
def test_word_beside_japanese_or_korean_counts_as_much_as_one_of_these(query, weights):
    found = query_terms(query)
    assert {term: found[term] for term in weights} == weights


def test_pairs_of_a_korean_ending_count_nothing():
    assert list(query_terms("멱등성은")) == ["멱등성", "멱등", "등성"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("error SG-9999", ["sg-9999"]),
        ("E:77 on the HL-L2350DW", ["hl-l2350dw"]),
        ("the E1203 on windows-10 and localhost:8080", ["e1203"]),
        ("F12, P99, I18N, over-18s, GMT-05", []),
        ("TR-50 の発売日", ["tr-50"]),
        ("what does --gpu-memory do", ["--gpu-memory"]),
        ("SG-9999のエラー", ["sg-9999"]),
        ("d500 error", ["d500"]),
        ("d500 오류", ["d500"]),
        ("utf-8 in python3.11 on 2026-04-07", ["@2026-04-07"]),
        ("docs/a-12.md and node18 with x-1", []),
        ("end-to-end", []),
    ],
)
def test_codes_of_a_question_have_a_number_of_two_digits(text, found):
    assert [code.term for code in codes(text)] == found


@pytest.mark.parametrize("query", ["XR-700 ports", "XR-700", "E1299 disk is full", "warranty of the XR-999"])
def test_section_without_a_code_that_no_section_has_is_no_answer(query):
    _, found = ask(source(manual=MANUAL), query)
    assert max(found) < 0.3


@pytest.mark.parametrize(("query", "heading"), [("XR-500 ports", "XR-500"), ("disk full E1203", "Errors")])
def test_section_with_the_code_answers(query, heading):
    headings, found = ask(source(manual=MANUAL), query)
    assert headings[0] == heading
    assert found[0] > 0.3


@pytest.mark.parametrize(
    ("query", "others"),
    [
        ("XR500 housing", {"xr500": ("xr-500",)}),
        ("xr500 housing", {"xr500": ("xr-500",)}),
        ("E-1203", {"e-1203": ("e1203",)}),
        ("XR-500 E1299", {}),
    ],
)
def test_code_that_is_written_in_another_form_is_found(query, others):
    assert other_forms(query, source(manual=MANUAL).vocabulary) == others


def test_code_that_is_written_with_a_blank_is_there():
    text = "# Logger\n\nThe XR 700 has ports.\n\n## Other\n\nNothing of it.\n"
    _, there = ask(source(manual=text), "XR-700 ports")
    _, elsewhere = ask(source(manual=text.replace("700", "800")), "XR-700 ports")
    assert there[0] > 2 * elsewhere[0]


def test_code_that_is_there_counts_beside_one_that_is_not():
    headings, found = ask(source(manual=MANUAL), "E1203 and E1299 disk full")
    assert headings[0] == "Errors"
    assert found[0] > 0.3


def test_section_with_another_code_of_the_same_letters_answers_nothing():
    headings, relevances = ask(source(manual=MANUAL), "XR-300 housing of metal")
    told = dict(zip(headings, relevances, strict=True))
    assert told["XR-500"] < 0.3 < ask(source(manual=MANUAL), "housing of metal")[1][0]


@pytest.mark.parametrize(("query", "is_less"), [("warranty of two --years", False), ("warranty of two --decades", True)])
def test_option_that_no_section_has_answers_nothing(query, is_less):
    relevances = ask(source(manual=MANUAL), query)[1]
    assert (max(relevances) < 0.3) == is_less


def test_day_is_no_other_of_a_day():
    assert not Code("@2026-03-30", ("@03-30",), ()).is_other_of(["@2026-03-31"])
