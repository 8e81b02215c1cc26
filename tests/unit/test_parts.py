"""A long text is cut into parts that fit, where the text has its borders."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.llm.parts import cut


class Words:
    """Counts words and line ends, so that the expected parts can be counted by hand."""

    encoding = "words"

    def count(self, text):
        return len(re.findall(r"\S+", text))


def parts(text, limit):
    return [text[start:end] for start, end in cut(text, limit, Words())]


def words(count, name="w"):
    return " ".join(f"{name}{i}" for i in range(count))


def test_text_that_fits_is_one_part():
    assert cut("a b c", 3, Words()) == [(0, 5)]


def test_empty_text_is_one_part():
    assert cut("", 1, Words()) == [(0, 0)]


def test_limit_below_one_is_a_mistake():
    with pytest.raises(ValueError, match="at least 1"):
        cut("a", 0, Words())


def test_part_begins_with_a_heading_if_there_is_one():
    text = f"# One\n\n{words(8)}\n\n{words(4)}\n\n## Two\n\n{words(8)}\n"
    assert parts(text, 16) == [text[: text.index("## Two")], text[text.index("## Two") :]]


def test_higher_heading_is_chosen_before_a_lower_one():
    text = f"# A\n\n{words(4)}\n\n## B\n\n{words(4)}\n\n# C\n\n{words(4)}\n\n## D\n\n{words(4)}\n"
    assert [part.split("\n")[0] for part in parts(text, 18)] == ["# A", "# C"]


def test_heading_in_code_is_no_border():
    text = f"{words(6)}\n\n```\n{words(2)}\n# comment\n{words(2)}\n```\n\n{words(6)}\n"
    assert not any(part.startswith("# comment") for part in parts(text, 12))


def test_heading_keeps_the_text_below_it():
    text = "\n\n".join(f"## H{i}\n\n{words(10)}" for i in range(6))
    assert all(re.fullmatch(r"(## H\d\n\n(w\d ?){10}\s*)+", part) for part in parts(text, 26))


def test_transcript_without_headings_is_cut_between_paragraphs():
    text = "\n\n".join(words(5, name) for name in "abcdef")
    assert parts(text, 10) == [
        "\n\n".join(words(5, n) for n in pair) + end for pair, end in (("ab", "\n\n"), ("cd", "\n\n"), ("ef", ""))
    ]


def test_long_line_is_cut_between_words():
    made = parts(words(50), 20)
    assert len(made) == 3
    assert all(re.fullmatch(r"(w\d+ ?)+", part) for part in made)


def test_no_part_is_much_shorter_than_the_others():
    made = parts("\n\n".join(words(5) for _ in range(21)), 100)
    assert [Words().count(part) for part in made] == [50, 55]


def test_front_matter_stays_with_what_follows():
    text = f"---\ntitle: x\n---\n# A\n\n{words(8)}\n\n# B\n\n{words(9)}\n"
    assert parts(text, 16)[0].startswith("---\ntitle: x\n---\n# A")


@given(
    st.lists(st.sampled_from(["# a\n", "## b\n", "\n", "\r\n", "one two three\n", "x " * 30, "```\n", "---\n", "\u2028", "日本語。" * 9]), max_size=40),
    st.integers(1, 20),
)  # fmt: skip
def test_parts_joined_are_the_text_and_fit(pieces, limit):
    text = "".join(pieces)
    found = cut(text, limit, Words())
    assert "".join(text[start:end] for start, end in found) == text
    assert all(Words().count(text[start:end]) <= limit for start, end in found)
    assert len(found) == 1 or all(end > start for start, end in found)
