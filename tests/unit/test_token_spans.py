"""Where the tokens of a text stand in it."""

from hypothesis import given
from hypothesis import strategies as st

from indexer.tokens import TokenCounter

COUNTER = TokenCounter()


def test_spans_are_the_words_without_the_blanks_before_them():
    text = "Turn the crank.\n\n  Twice!"
    assert [text[a:b] for a, b in COUNTER.spans(text)] == ["Turn", "the", "crank", ".\n\n", " ", "Twice", "!"]


def test_tokens_of_parts_of_a_character_have_its_offsets():
    assert COUNTER.spans("a🦩b") == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]


def test_a_blank_text_has_no_tokens():
    assert (COUNTER.spans(""), COUNTER.spans(" \n")) == ([], [])


@given(st.text(max_size=200))
def test_there_is_a_span_for_each_counted_token_in_order_and_within_the_text(text):
    spans = COUNTER.spans(text)
    assert len(spans) == (COUNTER.count(text.encode("utf-8", "replace").decode()) if text.strip() else 0)
    assert all(0 <= a < b <= len(text) for a, b in spans)
    assert [a for a, _ in spans] == sorted(a for a, _ in spans)


def test_spans_of_a_text_in_pieces_have_its_own_offsets(monkeypatch):
    monkeypatch.setattr("indexer.tokens.PIECE_CHARACTERS", 6)
    assert COUNTER.spans("hello world") == [(0, 5), (5, 6), (6, 11)]


def test_a_text_that_cannot_be_encoded_has_a_token_for_each_character(monkeypatch):
    class Broken:
        def encode_ordinary(self, text):
            raise RuntimeError

    monkeypatch.setattr("indexer.tokens.encoding_of", lambda name: Broken())
    assert COUNTER.spans("abc") == [(0, 1), (1, 2), (2, 3)]
