"""A section in another language gives its place to its counterpart on the same page in the question's language."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.own_copies import own_copies_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

ENGLISH = "# Keys\n\nAll about the keys of the gateway.\n\n## Rotate\n\nThe operator has to rotate the keys with Vault.\n"
KOREAN = "# 키\n\n게이트웨이의 키에 대한 모든 것입니다.\n\n## 교체\n\n운영자가 Vault 명령으로 키를 교체해야 합니다.\n"
OTHER = "# 창고\n\n다른 문서입니다.\n\n## 열쇠\n\nVault 창고의 열쇠는 관리인이 보관합니다.\n"
QUESTION = "Vault 키를 어떻게 교체하나요"


def paths(query, order, **documents):
    """Path and position of each section in a ranking in the order given, after counterparts have changed places, and what
    changed; `order` has pairs of path and position."""
    index = snapshot(**documents)
    ranking = rank(
        index, parse_query("Vault"), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_)
    )
    row_of = {(index.path(row), int(index.position[row])): row for row in range(index.rows)}
    rows = np.array([row_of[each] for each in order])
    total = np.zeros(index.rows)
    total[rows] = 0.9 - 0.05 * np.arange(len(rows)) if len(rows) < 3 else np.linspace(0.9, 0.5, len(rows))
    ranking = replace(ranking, order=rows, total=total)
    after, moved = own_copies_first(index, query, ranking)
    name = {row: each for each, row in row_of.items()}
    assert (np.diff(after.total[after.order]) <= 0).all()
    return [name[row] for row in after.order], {name[one]: name[other] for one, other in moved.items()}, after


def test_counterpart_in_the_language_of_the_question_takes_the_place():
    before = [("en/keys.md", 1), ("ko/other.md", 1), ("ko/keys.md", 1)]
    order, moved, after = paths(QUESTION, before, **{"en/keys": ENGLISH, "ko/keys": KOREAN, "ko/other": OTHER})
    assert order == [("ko/keys.md", 1), ("ko/other.md", 1), ("en/keys.md", 1)]
    assert moved == {("ko/keys.md", 1): ("en/keys.md", 1)}
    assert sorted(after.parts["translation"])[:1] == pytest.approx([-0.4])


def test_words_in_latin_letters_that_name_nothing_do_not_keep_the_counterpart_behind():
    before = [("en/keys.md", 1), ("ko/keys.md", 1)]
    order, _, _ = paths("operator 가 키를 rotate 하는 방법", before, **{"en/keys": ENGLISH, "ko/keys": KOREAN})
    assert order == [("ko/keys.md", 1), ("en/keys.md", 1)]


def test_counterpart_has_the_name_of_a_language_or_the_page_without_one():
    before = [("keys.md", 1), ("keys.ko.md", 1)]
    order, _, _ = paths(QUESTION, before, **{"keys": ENGLISH, "keys.ko": KOREAN})
    assert order == [("keys.ko.md", 1), ("keys.md", 1)]


@pytest.mark.parametrize(
    ("query", "before", "documents"),
    [
        ("How does the operator rotate the keys", [("en/keys.md", 1), ("ko/keys.md", 1)], {"en/keys": ENGLISH, "ko/keys": KOREAN}),
        (QUESTION, [("en/keys.md", 1), ("ko/keys.md", 0)], {"en/keys": ENGLISH, "ko/keys": KOREAN}),
        (QUESTION, [("en/keys.md", 1), ("ko/other.md", 1)], {"en/keys": ENGLISH, "ko/other": OTHER}),
        (QUESTION, [("ko/keys.md", 1), ("en/keys.md", 1)], {"en/keys": ENGLISH, "ko/keys": KOREAN}),
        (
            QUESTION,
            [("ts/keys.md", 1), ("ko/keys.md", 1), ("en/other.md", 1)],
            {"ts/keys": KOREAN, "ko/keys": KOREAN, "en/other": ENGLISH},
        ),
        ("Vault", [("en/keys.md", 1), ("ko/keys.md", 1)], {"en/keys": ENGLISH, "ko/keys": KOREAN}),
        ("--operator 키 교체", [("en/keys.md", 1), ("ko/keys.md", 1)], {"en/keys": ENGLISH, "ko/keys": KOREAN}),
    ],
    ids=["own language first", "another section", "another page", "own copy first", "same language below the name of another", "no language", "without a name that is asked for"],
)  # fmt: skip
def test_order_stays_where_no_counterpart_stands_behind(query, before, documents):
    order, moved, after = paths(query, before, **documents)
    assert order == before
    assert moved == {}
    assert "translation" not in after.parts


def test_code_with_english_comments_on_a_page_of_the_language_is_a_counterpart():
    code = "# 키\n\n모든 것입니다.\n\n## 교체\n\n```sh\n# the operator of the gateway has to run this in the shell with Vault\n```\n"
    order, _, _ = paths(QUESTION, [("en/keys.md", 1), ("ko/keys.md", 1)], **{"en/keys": ENGLISH, "ko/keys": code})
    assert order == [("ko/keys.md", 1), ("en/keys.md", 1)]


def test_of_two_foreign_copies_only_the_better_one_changes_places():
    before = [("en/keys.md", 1), ("de/keys.md", 1), ("ko/keys.md", 1)]
    documents = {"en/keys": ENGLISH, "de/keys": ENGLISH.replace("operator", "Operator"), "ko/keys": KOREAN}
    order, moved, _ = paths(QUESTION, before, **documents)
    assert order == [("ko/keys.md", 1), ("de/keys.md", 1), ("en/keys.md", 1)]
    assert moved == {("ko/keys.md", 1): ("en/keys.md", 1)}


@pytest.mark.parametrize("query", ["keys with Vault", "Vault keys", "Rotate the keys?"])
def test_question_in_latin_letters_is_in_no_language_of_other_letters(query):
    order, _, _ = paths(query, [("ko/keys.md", 1), ("keys.md", 1)], **{"keys": ENGLISH, "ko/keys": KOREAN})
    assert order == [("keys.md", 1), ("ko/keys.md", 1)]


@pytest.mark.parametrize("query", ["Vault", "VaultKeys", "rotateKeys now", "vault_keys now"])
def test_name_alone_may_be_asked_in_any_language(query):
    order, _, _ = paths(query, [("ko/keys.md", 1), ("keys.md", 1)], **{"keys": ENGLISH, "ko/keys": KOREAN})
    assert order == [("ko/keys.md", 1), ("keys.md", 1)]


NEW = "\n## New in this version\n\nThe operator can now rotate all of the keys at once.\n"
LONGER = ENGLISH.replace("\n## Rotate", f"{NEW}\n## Rotate")


def test_counterpart_may_stand_some_places_away_where_a_translation_lags_behind():
    before = [("ko/keys.md", 1), ("keys.md", 2)]
    order, moved, _ = paths("keys with Vault", before, **{"keys": LONGER, "ko/keys": KOREAN})
    assert order == [("keys.md", 2), ("ko/keys.md", 1)]
    assert moved == {("keys.md", 2): ("ko/keys.md", 1)}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ([("ko/keys.md", 1), ("ko/other.md", 1), ("keys.md", 2)], LONGER),  # with .5 of .9 of the score
        ([("ko/keys.md", 1), ("keys.md", 5)], ENGLISH.replace("\n## Rotate", f"{NEW * 4}\n## Rotate")),
        ([("ko/keys.md", 1), ("keys.md", 2)], LONGER.replace("## Rotate", "### Rotate")),
    ],
    ids=["far lower score", "far away", "another depth"],
)
def test_section_some_places_away_is_no_counterpart_without_depth_place_and_score(before, text):
    order, moved, _ = paths("keys with Vault", before, **{"keys": text, "ko/keys": KOREAN, "ko/other": OTHER})
    assert (order, moved) == (before, {})
