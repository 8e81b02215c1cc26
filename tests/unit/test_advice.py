"""What readers are told beside the hits."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.query_language import parse_fields
from schema.results import SearchResult
from search.context.advice import (
    did_you_mean,
    emptied_by,
    filters_told,
    nearest_paths,
    not_found,
    not_found_told,
    reading_told,
    words_left_out,
)


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({}, ""),
        ({"path": (), "depth": (), "since": None, "clean": False}, ""),
        ({"path": ("docs/", "a.md"), "depth": [0, 2]}, "path docs/ or a.md, depth 0 or 2"),
        ({"depth": 0}, "depth 0"),
        ({"tags": "api", "fields": {"status": "draft", "n": 3}}, "tag api, field status=draft, field n=3"),
        ({"tags": ["a"], "fields": ("status=draft",), "clean": True}, "tag a, field status=draft, clean"),
        ({"fields": (("status", "draft"), ("n", "3"))}, "field status=draft, field n=3"),
        ({"since": "7d", "language": ("ja",)}, "since 7d, language ja"),
        ({"tags": "a\nb\x1b"}, "tag a\\x0ab\\x1b"),
        ({"tags": "x" * 200}, f"tag {'x' * 96}…"),
    ],
)
def test_filters_are_told_as_they_were_given(filters, told):
    assert filters_told(filters) == told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), ""),
        (("version", "a\nb"), "Left out: sections with version or a\\x0ab; put the words in quotes to search for them."),
        (("x" * 200,), f"Left out: sections with {'x' * 100}…; put the words in quotes to search for them."),
    ],
)
def test_words_left_out_are_told_in_one_short_line(words, told):
    assert words_left_out(words) == told


def hits(*texts):
    return [SearchResult(section=MarkdownSplitter().split(text, "a.md")[0], score=1.0) for text in texts]


@pytest.mark.parametrize(
    ("words", "texts", "phrases"),
    [
        ('a "Dead letter"', ["The letter is dead.", "Undead letters."], ("dead letter",)),
        ('a "dead letter"', ["A letter.", "A **dead** letter."], ()),
        ('a "dead letter"', [], ()),
        ("a dead letter", ["A letter."], ()),
        ('"one thing" "two things"', ["One thing.", "Two things."], ("one thing", "two things")),
        ("「再試行」 の回数", ["試行の回数"], ("再試行",)),
        ('"The guide"', ["---\ntitle: The guide\n---\nText."], ()),
    ],
)
def test_phrases_are_not_found_if_no_hit_has_them_all(words, texts, phrases):
    assert not_found(words, hits(*texts), lambda term: True) == phrases


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("why ERESOLVE in parseInt", ("ERESOLVE",)),
        ("fetch with --wombat-depth and wombat-depth", ("--wombat-depth",)),
        ("wombat_depth or WOMBAT_DEPTH or wombatDepth", ("wombat_depth", "WOMBAT_DEPTH", "wombatDepth")),
        ("HOW IS ERESOLVE CAUSED", ()),
        ("what is a wombat", ()),
        ("set max_tokens or a.max_tokens", ()),
        ("parseInt at --depth in wild_camp", ()),
        ('the "ERESOLVE" of npm', ("eresolve",)),
        ("ERESOLVEとは何ですか", ("ERESOLVE",)),
        ("does npm run on a Wombat or a Platypus", ("Wombat",)),
        ("Wombat on npm", ()),
    ],
)
def test_identifiers_are_not_found_if_no_section_holds_one_of_their_terms(words, names):
    assert (
        not_found(words, hits("A letter."), lambda term: term not in {"eresolv", "wombat", "max_tokens", "a.max_tokens"})
        == names
    )


@pytest.mark.parametrize(
    ("text", "held", "names"),
    [
        ("DOWNLOAD_DELAY and max.", (), ("DOWNLOAD_DELAY_MAX",)),
        ("Set app.download_delay_max here.", (), ()),
        ("DOWNLOAD_DELAY and max.", ("download_delay_max",), ()),
    ],
)
def test_an_identifier_of_three_parts_is_not_found_if_only_its_parts_are_there(text, held, names):
    wholes = {"download_delay_max", "max_tokens"}
    found = not_found("is DOWNLOAD_DELAY_MAX or max_tokens set", hits(text), lambda term: term not in wholes or term in held)
    assert found == names


def test_identifiers_are_not_told_beside_no_hits():
    assert not_found("ERESOLVE", [], lambda term: False) == ()


@pytest.mark.parametrize(
    ("phrases", "told"),
    [
        ((), ""),
        (("a\nb",), 'No section has "a\\x0ab" as it is written; the words were searched one by one.'),
        (("a", "b"), 'No section has all of "a", "b" as they are written; the words were searched one by one.'),
        (("x" * 200,), f'No section has "{"x" * 99}… as it is written; the words were searched one by one.'),
    ],
)
def test_what_no_section_has_is_told_in_one_short_line(phrases, told):
    assert not_found_told(phrases) == told


def test_both_are_told_of_how_a_query_was_read():
    told = reading_told(parse_fields('"dead letter" -wombat'), ["dead letter"])
    assert told == f"{words_left_out(['wombat'])} {not_found_told(['dead letter'])}"


def test_an_emptied_answer_names_the_filters():
    assert emptied_by([{"tags": ("api",)}]) == (
        "The filters leave nothing of what was found (tag api); ask with fewer of them."
    )


PATHS = ("docs/guide.md", "docs/api/keys.md", "README.md", "notes/guide.md")


@pytest.mark.parametrize("path", ["docs/", "DOCS/G", ("docs/api", "README.md"), "*.txt", "doc?/"])
def test_a_path_that_begins_some_or_is_a_pattern_is_not_told_again(path):
    assert emptied_by([{"path": path}], PATHS).endswith("ask with fewer of them.")


def test_a_path_that_begins_none_is_told_with_the_folder_like_it():
    assert emptied_by([{"path": "doc/"}], PATHS).endswith(" No document's path begins with doc/; did you mean docs/?")
    assert emptied_by([{"path": "apii/"}], PATHS).endswith("begins with apii/; did you mean docs/api/?")


def test_each_path_that_begins_none_is_told():
    told = emptied_by([{"path": ("docs/", "giude.md", "zzz\n")}], PATHS)
    assert told.endswith(
        " No document's path begins with giude.md; did you mean docs/guide.md? No document's path begins with zzz\\x0a."
    )


def test_a_tag_that_no_document_has_is_told_with_the_tag_like_it():
    tags = ("manual", "project/infra")
    assert emptied_by([{"tags": "manul"}], PATHS, tags).endswith(" No document has the tag manul; did you mean manual?")
    assert emptied_by([{"tags": ("projekt", "zzz\n")}], (), tags).endswith(
        " No document has the tag projekt; did you mean project? No document has the tag zzz\\x0a."
    )


def test_of_several_tags_of_one_name_the_nearest_is_named_first():
    tags = ("home/kitchen", "project/kitchen")
    told = emptied_by([{"tags": "#projects/kitchen"}], (), tags)
    assert told.endswith("the tag #projects/kitchen; did you mean project/kitchen or home/kitchen?")


@pytest.mark.parametrize("tag", ["Manual", "project", "project/infra", "#project/infra"])
def test_a_tag_that_some_document_has_is_not_told_again(tag):
    assert emptied_by([{"tags": tag}], PATHS, ("manual", "project/infra")).endswith("ask with fewer of them.")


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("keys.md", ["docs/api/keys.md"]),
        ("other/GUIDE.md", ["notes/guide.md", "docs/guide.md"]),
        ("docs/api/key.md", ["docs/api/keys.md"]),
        ("docs/guid.md", ["docs/guide.md", "notes/guide.md"]),
        ("raedme.md", ["README.md"]),
        ("other/keys", ["docs/api/keys.md"]),
        ("docs/gide", ["docs/guide.md"]),
        ("zzz", []),
        ("/", []),
        ("k" * 201, []),
    ],
)
def test_paths_of_the_same_name_or_nearly_the_same_path_are_near(typed, near):
    assert nearest_paths(typed, PATHS) == near


def test_another_name_in_the_same_folder_is_not_near():
    assert nearest_paths("docs/nope.md", ["docs/intro.md", "docs/index.md", "docs/note.md"]) == ["docs/note.md"]


def test_at_most_three_paths_are_near():
    assert nearest_paths("a.md", [f"{number}/a.md" for number in range(9)]) == ["0/a.md", "1/a.md", "2/a.md"]


def test_several_near_paths_are_named_as_a_choice():
    assert did_you_mean("guide.md", PATHS) == "; did you mean docs/guide.md or notes/guide.md?"
    assert did_you_mean("zzz", PATHS) == ""


def test_filters_of_options_and_of_the_query_are_listed_one_by_one():
    told = emptied_by([{"path": ("docs/",)}, {"path": ("README.md", "a.md")}])
    assert "(path docs/, path README.md or a.md)" in told
