"""A question for what something is finds the section that says it."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.definitions import defines, definitions_first, subject_of
from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.relevance import Relevance
from tests.unit.test_relevance import snapshot


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("what is kubemark", "kubemark"),
        ("What are lifetimes?", "lifetimes"),
        ("what's an OWNERS file", "OWNERS file"),
        ("what does hydration mean?", "hydration"),
        ("what does the scheduler do", "scheduler"),
        ("definition of a slice", "slice"),
        ("idempotency meaning", "idempotency"),
        ("who is a maintainer?", "maintainer"),
        ("スロットとは", "スロット"),
        ("リアクティビティとは何か？", "リアクティビティ"),
        ("コンポーザブルって何ですか", "コンポーザブル"),
        ("冪等性の意味は", "冪等性"),
        ("JSX란", "JSX"),
        ("컨텍스트란 무엇인가요?", "컨텍스트"),
        ("Suspense가 뭔가요", "Suspense"),
        ("멱등성의 뜻", "멱등성"),
        ("什么是插槽？", "插槽"),
        ("插槽是什么", "插槽"),
        ("what is the meaning of idempotency", "idempotency"),
        ("what is meant by a slot", "slot"),
        ("what is `useState`?", "useState"),
        ("define: slot", "slot"),
        ("definition of done", "done"),
        ("게이트웨이란 무엇인가요?", "게이트웨이"),
        ("게이트웨이 무엇", "게이트웨이"),
        ("라이프타임이란?", "라이프타임"),
        ("훅이란", "훅"),
        ("그라운딩이 대체 뭐냐", "그라운딩"),
        ("그라운딩이라는 게 뭐죠", "그라운딩"),
        ("그라운딩 무슨 뜻", "그라운딩"),
        ("KRDS가 뭐임?", "KRDS"),
        ("JKFって何者", "JKF"),
        ("Was ist eine Warteschlange?", "Warteschlange"),
        ("Was bedeutet Idempotenz", "Idempotenz"),
        ("Qu'est-ce qu'un volume ?", "volume"),
        ("qu’est-ce que le rendu", "rendu"),
        ("c'est quoi un hook", "hook"),
        ("Un hook, c'est quoi ?", "hook"),
        ("¿Qué es un volumen?", "volumen"),
        ("que es la cola", "cola"),
        ("O que é uma fila?", "fila"),
        ("Cos'è una coda?", "coda"),
        ("Wat is een wachtrij?", "wachtrij"),
        ("Vad är en kö?", "kö"),
        ("Co to jest kolejka?", "kolejka"),
        ("Что такое очередь?", "очередь"),
        ("hook nedir", "hook"),
        ("JKFってどういう意味", "JKF"),
        ("JKFは何の略", "JKF"),
        ("JKFというのは何", "JKF"),
        ("そもそもJKFって何なんですか", "JKF"),
    ],
)
def test_subject_of_a_question_for_what_something_is(question, subject):
    assert subject_of(question) == subject


@pytest.mark.parametrize(
    "question",
    [
        "how do I rotate keys",
        "rotate keys",
        "what is the difference between a key and a token",
        "what " * 2000,
        "",
        "とは",
        "란",
        "what is it",
        "what are they?",
        "what is ?",
        "これは何ですか",
        "이것은 무엇인가요",
        "这是什么",
        "define routes",
        "class definition",
        "사용자 정의",
        "입력란",
        "계란",
        "OpenSSLとは違う",
    ],
)
def test_other_questions_have_no_such_subject(question):
    assert subject_of(question) == ""


@pytest.mark.parametrize(
    ("subject", "text", "strength"),
    [
        ("kubemark", "Kubemark is a performance testing tool.", 1.0),
        ("cargo", "# Hello\n\nCargo is Rust's build system.", 1.0),
        ("slice", "*Slices* let you look at a part. A [slice](x.md) is a kind of\nreference.", 1.0),
        ("closure", "Rust’s closures are anonymous functions.", 1.0),
        ("lifetimes", "Lifetimes are another kind of generic.", 1.0),
        ("slice", "In Rust, a slice (a view) is a pointer with a length.", 1.0),
        ("library", "Libraries are crates without a main function.", 1.0),
        ("slot", "Slots let a parent pass markup.", 0.5),
        ("slot", "One.\n\nTwo.\n\nThree.\n\nA slot is a place for markup.", 0.5),
        ("slot", "One.\n\nTwo.\n\nThree.\n\nSlots let you pass markup.", 0.25),
        ("slot", "A slot is not always there.", 0.0),
        ("slot", "A slot is useful for markup.", 0.0),
        ("org", "Each org is automatically given a team.", 0.0),
        ("org", "An org is automatically given a team.", 0.0),
        ("slot", "The slot is filled by the parent.", 0.0),
        ("slot", "If the slot is a big one, say so.", 0.0),
        ("slot", "The name of the slot is a word.", 0.0),
        ("slot", "```\nslot is a word\n```", 0.0),
        ("slot", "# A slot is a heading", 0.0),
        ("スロット", "**スロット**とは、子に渡す内容の置き場所です。", 1.0),
        ("コンポーザブル", "「コンポーザブル（composable）」とは、状態を持つロジックを再利用する関数です。", 1.0),
        ("リアクティビティ", "一般に、リアクティビティーとは、自動的に動く機能です。", 1.0),
        ("スロット", "スロットは、内容の置き場所です。", 0.5),
        ("スロット", "スコープ付きスロットとは、値を受け取るスロットのことです。", 0.0),
        ("スロット", "スロットとは異なり、ここには何も置けません。", 0.0),
        ("スロット", "スロットとは無関係です。", 0.0),
        ("スロット", "スロットとはいえ、空にできます。", 0.0),
        ("slot", "The slot is set by the parent.", 0.0),
        ("slot", "The slot is built from its text.", 0.0),
        ("JSX", "*JSX*는 JavaScript를 확장한 문법입니다.", 0.5),
        ("컨텍스트", "컨텍스트(context)란 값을 전달하는 방법입니다.", 1.0),
        ("Effect", "Effect는 필요하지 않을 수 있습니다.", 0.0),
        ("插槽", "插槽是一种传递内容的方式。", 1.0),
        ("Slot", "Ein Slot ist ein Platz für Inhalte.", 1.0),
        ("Slot", "Der Slot ist leer.", 0.0),
        ("slot", "Un slot est un emplacement pour du contenu.", 1.0),
        ("slot", "Un slot es un lugar para contenido.", 1.0),
        ("slot", "Um slot é um lugar para conteúdo.", 1.0),
        ("slot", "Lo slot è un posto per i contenuti.", 1.0),
        ("slot", "Een slot is een plaats voor inhoud.", 1.0),
        ("slot", "En slot är en plats för innehåll.", 1.0),
        ("слот", "Слот — это место для содержимого.", 1.0),
        ("DLQ", "# Terms\n\nOf us.\n\nHere.\n\n- **OTA**: over the air\n- **DLQ**: dead letter queue", 1.0),
        ("VIES", "- **VIES (service):** it checks numbers", 1.0),
        ("멱등성", "- **멱등성**: 여러 번 보내도 같은 성질.", 1.0),
        ("OTA", "**OTA**\n: 無線で更新すること。", 1.0),
        ("slots", "Slot\n\n:   A place for markup.", 1.0),
        ("SHR", "| term | meaning |\n|---|---|\n| `SHR` | mixes sizes |", 1.0),
        ("SHR", "| term | a | b |\n|---|---|---|\n| SHR | 1 | 2 |", 0.0),
        ("timeout", "- Timeout: 30 seconds", 0.5),
        ("timeout", "- `timeout`: 30", 0.0),
        ("port", "| Port | Description |\n|---|---|\n| 80 | the page |", 0.0),
        ("Docker", "| a | b |\n|---|---|\n| Docker | 24.0.5 |", 0.0),
        ("sort", "    sort | uniq -c", 0.0),
        ("timeout", "```\n- **timeout**: 30\n```", 0.0),
        ("key", "- **keys** are here", 0.0),
    ],
)
def test_text_says_what_a_thing_is(subject, text, strength):
    assert defines(subject)(text) == strength


def test_term_that_is_meant_by_a_misspelt_one_counts():
    text = "Kubemark is a performance testing tool."
    assert defines("kubmark")(text) == 0.0
    assert defines("kubmark", ["kubemark", "benchmark"])(text) == 1.0


INTRODUCTION = "## Introduction\n\nKubemark is a tool that tests a control plane with nodes that do nothing."
STARTING = "## Starting\n\nA script makes the kubemark nodes, and a second one takes them away after the test."


def asked(query, *, first=0.5, second=0.4):
    """The ranking of two sections, in which the second one says what it is, before and after."""
    index = snapshot(guide=f"{STARTING}\n\n{INTRODUCTION}\n")
    parsed = parse_query(query)
    ranking = rank(index, parsed, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    before = replace(ranking, order=np.array([0, 1]), total=np.array([first, second]))
    return before, definitions_first(index, parsed, before)[0]


@pytest.mark.parametrize(
    ("subject", "heading", "strength"),
    [
        ("grounding", "## 1. What is grounding?", 1.0),
        ("그라운딩", "## 2.3 그라운딩이란", 1.0),
        ("スロット", "# スロットとは", 1.0),
        ("grounding", "## Grounding", 0.0),
        ("grounding", "## What is a slice?", 0.0),
    ],
)
def test_section_with_the_question_as_its_heading_says_what_it_is(subject, heading, strength):
    assert defines(subject)(f"{heading}\n\nText of it.\n") == strength


def test_section_that_says_what_it_is_answers():
    index = snapshot(guide=f"{STARTING}\n\n{INTRODUCTION}\n")
    query = parse_query("what is kubemark")
    ranking = rank(index, query, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    _, said = definitions_first(index, query, ranking)
    relevance = Relevance(index, query, ranking)
    relevance.answer_with({**said, 0: 0.1})
    assert said == {1: 1.0}
    assert relevance.of([1])[0] >= 0.5


@pytest.mark.parametrize("query", ["what is kubemark", "what is kubmark"])
def test_section_that_says_what_it_is_stands_first(query):
    _, after = asked(query)
    assert after.order.tolist() == [1, 0]
    assert after.total == pytest.approx([0.5 / 1.2, 0.6 / 1.2])
    assert after.parts["definition"] == pytest.approx([0, 0.2 / 1.2])


def test_page_with_that_name_gains_where_no_section_says_what_it_is():
    index = snapshot(
        prefix="# Prefixes\n\n## VLAN\n\nThe one of the prefix.\n", vlan="# VLANs\n\nAn isolated domain of the VLAN.\n"
    )
    query = parse_query("what is a VLAN")
    ranking = rank(index, query, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    page = [index.path(row) for row in range(index.rows)].index("vlan.md")
    field = int(np.flatnonzero(index.depth == 2)[0])
    order = np.array([field, page, *({0, 1, 2} - {field, page})])
    before = replace(ranking, order=order, total=np.array([0.5, 0.5, 0.5]))
    after, said = definitions_first(index, query, before)
    assert after.order[0] == page
    assert said == {}


def test_section_that_is_far_better_stays_first():
    assert asked("what is kubemark", first=0.9)[1].order.tolist() == [0, 1]


@pytest.mark.parametrize("query", ["kubemark", "start kubemark", "what is hollow"])
def test_other_questions_keep_their_ranking(query):
    before, after = asked(query)
    assert after is before
