"""Names, coverage and what is nobody's own: the facts behind the first place and behind relevance."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from schema.clock import now
from schema.storage.rows import get_sections_schema, to_arrow
from search.ranking import question_terms as question_terms_module
from search.ranking import relevance as relevance_module
from search.ranking.boosts import coverage
from search.ranking.query import parse_query
from search.ranking.rank import Ranking, rank
from search.ranking.relevance import Relevance
from search.sources.held import HeldSource

MANUAL = (
    "# Manual\n\nWelcome to all that is written here about the gateway and its parts.\n\n## Rotate keys\n\nKeys are rotated "
    "once a year by the operator of the gateway.\n\n## createRoot(node)\n\nMakes a root.\n\n## 버퍼 용량 늘리기\n\n용량을 정한다.\n"
)


def source(**documents):
    rows = []
    for path, text in documents.items():
        split = MarkdownSplitter().parse(text, f"{path}.md")
        planned = plan_document(split.sections, front_matter=split.front_matter, stored={}, reusable={}, now=now())
        rows += planned.rows
    return HeldSource.of(to_arrow(rows, get_sections_schema(4)), dimension=4)


def snapshot(**documents):
    return source(**documents).snapshot


def ask(held, query):
    index = held.snapshot
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    rows = ranking.order.tolist()
    headings = [each.section.heading for each in held.found(index.keys[rows].tolist())]
    return headings, Relevance(index, asked, ranking).of(rows)


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("rotate keys", "Rotate keys"),
        ("Rotate Key", "Rotate keys"),
        ("createRoot", "createRoot(node)"),
        ("createroot", "createRoot(node)"),
        ("manual", "Manual"),
        ("manual.md", "Manual"),
        ("rotate-keys", "Rotate keys"),
        ("버퍼 용량을 늘리려면", "버퍼 용량 늘리기"),
    ],
)
def test_name_of_a_section_finds_it_first(query, heading):
    assert ask(source(manual=MANUAL), query)[0][0] == heading


def test_heading_written_exactly_so_goes_before_one_that_differs_in_case():
    index = source(a="# Loops\n\nShort.\n", b=f"# loops\n\n{'All about loops and how they end. ' * 20}\n")
    assert ask(index, "Loops")[0][0] == "Loops"


def test_alias_of_a_document_finds_its_beginning():
    text = "Here is what a new colleague does in the first days: read the guide, meet the team, and set up the machine.\n"
    named = f"---\naliases: [Onboarding]\n---\n\n# First days\n\n{text}"
    assert ask(source(a=named, b=f"# Other\n\nOnboarding. {text}"), "onboarding")[0][0] == "First days"


def test_words_of_an_english_anchor_find_a_japanese_section():
    index = source(a="# 状態 {#sharing-state}\n\n親に移します。\n", b="# 他\n\n別の話です。\n")
    assert ask(index, "sharing state")[0] == ["状態"]


def test_stub_of_the_name_goes_behind_the_section_that_says_it():
    note = "This edition of the book is no longer distributed with its documentation.\n"
    stubs = {
        f"old{n}": f"# {name}\n\n{note}" for n, name in enumerate(["Traits", "Loops", "Strings", "Vectors", "Closures"])
    }
    said = "A trait tells what a type can do. It is declared once and implemented by many types, each in its own way. " * 4
    index = source(**stubs, new=f"# Book\n\n## Using traits\n\n{said}\n")
    assert ask(index, "traits")[0][0] == "Using traits"


SAID = "The valve opens when the pressure of the pump rises. "
MORE = "{} And then some more words follow that tell of other things in the house of the captain. "


def test_section_of_a_document_with_more_answers_goes_before_an_equal_one():
    lone = f"# A\n\n## One\n\n{SAID}\n\n## Two\n\n{MORE.format('First.')}\n"
    full = f"# B\n\n## One\n\n{SAID}\n\n## Two\n\n{SAID}{MORE.format('Second.')}\n"
    index = source(a=lone, b=full)
    asked = parse_query("valve pressure pump")
    held = index.snapshot
    ranking = rank(held, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(held.rows, np.bool_))
    found = [(each.section.document_path, each.section.heading) for each in index.found(held.keys[ranking.order].tolist())]
    assert found.index(("b.md", "One")) < found.index(("a.md", "One"))


def test_parts_of_a_score_add_up_to_it():
    index = snapshot(a=MANUAL, b=f"# B\n\n{SAID}\n")
    asked = parse_query("rotate keys of the pump")
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    for hit in ranking.at(ranking.order.tolist()):
        assert sum(hit.parts.values()) == pytest.approx(hit.score)
    assert ranking.at(ranking.order.tolist()[:1])[0].parts["document"] > 0


def test_longer_of_two_sections_that_say_the_same_goes_first():
    index = source(a=f"# A\n\n{SAID}\n", b=f"# B\n\n{SAID * 4}\n")
    held = index.snapshot
    ranking = rank(held, parse_query("valve pump"), None, mode="lexical", dense_weight=0.0, allowed=np.ones(2, np.bool_))
    lost = {
        index.found(held.keys[[hit.row]].tolist())[0].section.heading: hit.parts["prose"] / hit.score
        for hit in ranking.at([0, 1])
    }
    assert lost["A"] < lost["B"] < 0


def test_relevance_of_a_section_that_says_it_all_is_high_and_of_chance_hits_low():
    index = source(manual=MANUAL)
    assert ask(index, "keys rotated by the operator")[1][0] > 0.7
    assert ask(index, "best operator of pizza in Lisbon")[1][0] < 0.3


@pytest.mark.parametrize("sections", [1, 2, 4, 9, 12])
def test_only_word_of_a_question_answers_it_in_the_one_section_of_a_few_that_has_it(sections):
    others = {
        f"other{number}": f"# Other {number}\n\nThe office is open on day {number}.\n" for number in range(sections - 1)
    }
    index = source(secrets="# Secrets\n\nEncrypt every secret with kubeseal before you commit it.\n", **others)
    assert ask(index, "kubeseal")[1][0] >= 0.3
    assert ask(index, "kubeseal opera tickets in Lisbon")[1][0] < 0.3


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ('penguins get "rotated once a year" for their zoo keepers and visitors', True),
        ('penguins get "operator" for their zoo keepers and visitors', False),  # a word, which many texts have
        ('penguins get "never rotated a year" for their zoo keepers and visitors', False),  # which no section has
        ("penguins get rotated once a year for their zoo keepers and visitors", False),
    ],
)
def test_section_with_a_message_in_quotes_answers_whatever_stands_beside_it(query, answers):
    found = ask(source(manual=MANUAL), query)[1]
    assert (max(found) >= 0.5) == answers
    assert all(each >= 0.5 for each in found) == answers  # others are not found


@pytest.mark.parametrize(
    ("query", "answers"), [("operator of the gateway", True), ("operator of the penguin gateway", False)]
)
def test_passage_with_all_words_answers_whatever_the_model_makes_of_it(query, answers):
    index, asked = snapshot(manual=MANUAL), parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    far = replace(ranking, raw={**ranking.raw, "second": np.full(index.rows, 0.1)})
    (found,) = Relevance(index, asked, far).of([1])
    assert (found >= 0.3) == answers


@pytest.mark.parametrize(
    ("query", "answers"),
    [
        ("Vault 게이트웨이 교체 방법", True),
        ("Redis 게이트웨이 교체 방법", False),
        ("Vault Redis 게이트웨이 교체 방법", True),
    ],
)
def test_section_near_a_question_by_its_vector_answers_little_without_the_names_in_it(query, answers):
    index = snapshot(
        manual="# Keys\n\nThe operator of the gateway rotates them with Vault.\n", other="# Redis\n\nA store.\n"
    )
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    near = replace(ranking, raw={**ranking.raw, "second": np.full(index.rows, 0.85)})
    assert (Relevance(index, asked, near).of([0])[0] >= 0.35) == answers


def test_heading_without_text_covers_nothing_of_the_section_behind_it():
    index = snapshot(a="# Valves\n\n## Pumps\n\nText.\n")
    anywhere, close = coverage(index.inverted, parse_query("valves pumps").weights, np.array([0]), {0: (0, 0)})
    assert anywhere[0] == close[0] > 0


def test_nothing_found_has_no_relevance():
    assert ask(source(manual=MANUAL), "zzzzqqqxx") == ([], [])


def test_sentences_of_many_sections_are_nobodys_own():
    pages = {f"p{n}": f"# Page {n}\n\nThe same note stands on all pages.\n\nWord{n} is only here.\n" for n in range(6)}
    index = snapshot(**pages)
    assert index.inverted.repeated.tolist() == pytest.approx([7 / 11] * 6)


def test_sentence_that_one_section_repeats_is_its_own():
    assert snapshot(a=f"# A\n\n{SAID * 6}\n").inverted.repeated.tolist() == [0.0]


def test_prose_below_a_heading_counts_for_its_name_and_not_for_its_text():
    index = snapshot(a="# Top\n\n# One\n\nFour words are here.\n\n## Below\n\nTwo words.\n")
    assert index.prose_below.tolist() == [6.0, 6.0, 2.0]
    assert index.prose.tolist() == [0.0, 4.0, 2.0]


def test_coverage_counts_readings_of_unknown_words_less_and_korean_stems_whole():
    inverted_index = snapshot(manual=MANUAL).inverted
    held = coverage(inverted_index, {"gatewey": 1.0}, np.array([0]), {})
    assert held[0, 0] == pytest.approx(0.8 * inverted_index.idf("gatewey"))
    row = np.array([inverted_index.rows - 1])
    assert coverage(inverted_index, {"용량만": 1.0}, row, {})[:, 0].tolist() == pytest.approx(
        [inverted_index.idf("용량")] * 2
    )
    assert inverted_index.mass({"용량만": 1.0}) == pytest.approx(inverted_index.idf("용량"))


def test_a_section_with_a_synonym_covers_the_term():
    index = snapshot(manual=MANUAL).inverted
    asked, synonyms = {"관문": 1.0}, {"관문": ("gateway",)}
    held = coverage(index, asked, np.arange(index.rows), {}, synonyms)[0]
    assert held.max() == pytest.approx(index.mass(asked, synonyms)) == pytest.approx(index.idf("gateway"))
    assert not coverage(index, asked, np.arange(index.rows), {}).any()


# -- the order ---------------------------------------------------------------------------------------------------------


def ordered(monkeypatch, scores, relevances):
    """The rows in order, and their scores, of a ranking with these scores whose rows have these relevances."""
    monkeypatch.setattr(
        relevance_module, "relevance", lambda _index, _query, _ranking, rows, **_: [relevances[r] for r in rows]
    )
    total = np.array(scores, float)
    ranking = Ranking(np.argsort(-total, kind="stable"), total, {}, {"lexical": total}, {}, {})
    found = Relevance(snapshot(manual=MANUAL), parse_query("keys"), ranking).ordered()
    return found.order.tolist(), found


def test_section_that_hardly_answers_does_not_stand_before_one_that_does(monkeypatch):
    assert ordered(monkeypatch, [0.50, 0.47], [0.05, 0.99])[0] == [1, 0]


def test_relevance_outweighs_no_great_difference_of_scores(monkeypatch):
    assert ordered(monkeypatch, [0.70, 0.47], [0.05, 0.99])[0] == [0, 1]


def test_parts_with_relevance_add_up_to_scores_of_at_most_one(monkeypatch):
    _, found = ordered(monkeypatch, [1.0, 0.4], [1.0, 0.5])
    assert found.total.tolist() == pytest.approx([1.0, 0.44 / 1.08])
    assert sum(found.parts.values()).tolist() == pytest.approx(found.total.tolist())


@pytest.mark.parametrize(
    ("relevances", "order"),
    [
        ([0.1, 0.2, 0.8, 0.9], [2, 0, 1, 3]),  # one of the first three answers
        ([0.1, 0.8, 0.4, 0.9], [1, 2, 0, 3]),
        ([0.8, 0.1, 0.4, 0.9], [0, 2, 1, 3]),
        ([0.2, 0.29, 0.2, 0.9], [0, 1, 2, 3]),  # none does
        ([0.1, 0.3, 0.2, 0.9], [1, 0, 2, 3]),  # as much as tells that a question is answered
        ([0.34, 0.1, 0.35, 0.9], [2, 0, 1, 3]),  # surely, perhaps and not
    ],
)
def test_of_the_first_three_sections_those_that_answer_stand_first(monkeypatch, relevances, order):
    monkeypatch.setattr(
        relevance_module, "relevance", lambda _index, _query, _ranking, rows, **_: [relevances[r] for r in rows]
    )
    total = np.array([0.9, 0.8, 0.7, 0.6])
    ranking = Ranking(np.arange(4), total, {}, {"lexical": total}, {}, {})
    found = Relevance(snapshot(manual=MANUAL), parse_query("keys"), ranking).answering_first(ranking)
    assert found.order.tolist() == order
    assert found.total[found.order].tolist() == [0.9, 0.8, 0.7, 0.6]
    assert sum(found.parts.values()).tolist() == pytest.approx(found.total.tolist())


@pytest.mark.parametrize(
    ("cosines", "order"),
    [
        ([0.5, 0.4, 0.3, 0.2], [0, 1, 2, 3]),  # near, and nearer than the others
        ([0.4, 0.3, 0.3, 0.2], [1, 0, 2, 3]),  # not near
        ([0.5, 0.4, 0.6, 0.2], [1, 0, 2, 3]),  # another one is nearer
    ],
)
def test_first_section_that_is_nearest_to_the_question_stays_first_though_another_answers(monkeypatch, cosines, order):
    monkeypatch.setattr(
        relevance_module, "relevance", lambda _index, _query, _ranking, rows, **_: [[0.2, 0.5, 0.1, 0.1][r] for r in rows]
    )
    total = np.array([0.9, 0.8, 0.7, 0.6])
    ranking = Ranking(np.arange(4), total, {"second": np.array(cosines)}, {"lexical": total}, {}, {})
    found = Relevance(snapshot(manual=MANUAL), parse_query("keys"), ranking).answering_first(ranking)
    assert found.order.tolist() == order


@pytest.mark.parametrize(("relevances", "first"), [([0.1, 0.1, 0.1, 0.1], 3), ([0.4, 0.1, 0.1, 0.1], 0)])
def test_nearest_section_stands_first_where_none_of_the_first_three_answers(monkeypatch, relevances, first):
    monkeypatch.setattr(
        relevance_module, "relevance", lambda _index, _query, _ranking, rows, **_: [relevances[r] for r in rows]
    )
    total, near = np.array([0.9, 0.8, 0.7, 0.6]), np.array([0.1, 0.2, 0.1, 0.5])
    ranking = Ranking(np.arange(4), total, {"second": near}, {"lexical": total}, {}, {})
    found = Relevance(snapshot(manual=MANUAL), parse_query("keys"), ranking).answering_first(ranking)
    assert int(found.order[0]) == first


def test_words_that_say_little_cost_less_relevance_than_others_that_no_section_has(monkeypatch):
    held = source(manual=MANUAL)
    (heading, *_), (light, *_) = ask(held, "which keys get rotated much")
    monkeypatch.setattr(question_terms_module, "LIGHT_TERMS", frozenset())
    _, (full, *_) = ask(held, "which keys get rotated much")
    assert heading == "Rotate keys"
    assert light > full + 0.02


def test_section_with_a_code_at_the_beginning_of_a_row_stands_before_one_that_mentions_it():
    row = "| P-17 | no water | open the valve |\n| P-18 | no power | call us |\n"
    note = "# Today\n\nThe pump showed P-17, and P-17 again.\n"
    held = source(a_note=note, codes=f"# Alarms\n\n| code | cause | remedy |\n|---|---|---|\n{row}")
    assert ask(held, "P-17")[0] == ["Alarms", "Today"]


def test_word_that_no_section_has_weighs_no_more_than_the_rarest_one_that_is_held():
    inverted = snapshot(manual=MANUAL).inverted
    assert inverted.idf("pizza") > inverted.idf("year") > inverted.idf("pizza") / 2
    assert inverted.mass({"year": 1.0, "pizza": 1.0}) == pytest.approx(2 * inverted.idf("year"))


def test_word_that_no_section_of_many_has_weighs_half_of_its_idf_at_least():
    inverted = snapshot(manual=MANUAL, many="\n\n".join(f"# Gateway {at}\n\nIt is one." for at in range(100))).inverted
    assert inverted.idf("gateway") < inverted.idf("pizza") / 2
    assert inverted.mass({"gateway": 1.0, "pizza": 1.0}) == pytest.approx(
        inverted.idf("gateway") + inverted.idf("pizza") / 2
    )
    assert inverted.mass({"pizza": 1.0}) == pytest.approx(inverted.idf("pizza"))


def test_unknown_word_of_a_question_in_another_language_has_its_own_weight():
    inverted = snapshot(manual=MANUAL).inverted
    both = inverted.mass({"gateway": 1.0, "복사": 0.5}, is_foreign=True)
    assert both == pytest.approx(inverted.idf("gateway") + 0.5 * inverted.idf("복사"))


@pytest.mark.parametrize("query", ["--callback", "__call__", "what is --callback for"])
def test_section_with_an_option_stands_before_one_with_its_word_as_the_heading(query):
    held = source(
        cli="# Running\n\nA crawl is run so.\n\n- `--callback NAME`: the method that reads what comes, by `__call__`.\n",
        guide="# Callbacks\n\nA callback is called with what came.\n\n# Call\n\nA call is for callbacks.\n",
    )
    headings, found = ask(held, query)
    assert headings[0] == "Running"
    assert found[0] > found[1]


def test_particles_that_a_passage_lacks_do_not_tell_against_it():
    held = source(
        a="# 定例\n\n三宅 宿題 ログの調査。\n", b="# 食堂\n\n昼の献立を決める。\n", c="# 経費\n\n旅費を精算する。\n"
    )
    (plain, *_), (polite, *_) = ask(held, "三宅 宿題")[1], ask(held, "三宅さんの宿題")[1]
    assert polite > 0.7
    assert plain >= polite


def test_line_that_is_just_an_option_stands_before_others_that_name_it():
    held = source(
        a="# Running\n\nA crawl is run so, with `--set` where values are given, and with others where `--set` is not enough.\n",
        b="# Options\n\nAll of them are here.\n\n#### `--set`\n\nGives a value by its name.\n",
    )
    assert ask(held, "--set")[0][0] == "Options"


@pytest.mark.parametrize(
    ("query", "near"),
    [
        ("rotate keys", 0.72),  # eight tenths of the heading's
        ("rotate keys zebra giraffe okapi tapir lemur", 0.1),  # less than half of the words are there
    ],
)
def test_vector_of_a_heading_counts_for_a_section_with_half_of_the_words(query, near):
    index = snapshot(manual=MANUAL)
    index.dense_confidence = np.ones(index.rows)
    row = next(row for row, text in enumerate(index.contents(range(index.rows))) if "Rotate keys" in text.split("\n")[0])
    asked = parse_query(query)
    values = {"dense": 0.1, "section_vector": 0.05, "heading_vector": 0.9}
    raw = {name: np.full(index.rows, value) for name, value in values.items()}
    ranking = Ranking(np.arange(index.rows), np.ones(index.rows), raw, {}, asked.weights, {})
    found = relevance_module.features(index, asked, ranking, [row], asked.weights, {})
    assert found[0, 4] == pytest.approx(near)
