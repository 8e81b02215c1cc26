"""Messages of protocol buffers → fields, whatever the bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.formats.protobuf import read_fields


def fields(*parts):
    return list(read_fields(b"".join(parts)))


def test_fields_of_all_types_come_in_order():
    found = fields(b"\x12\x02ab", b"\x08\xac\x02", b"\x0d" + b"1234", b"\x09" + b"12345678", b"\x12\x00")
    assert found == [(2, b"ab"), (1, 300), (1, b"1234"), (1, b"12345678"), (2, b"")]


def test_nothing_is_a_message_without_fields():
    assert fields() == []


def test_field_numbers_may_take_several_bytes():
    assert fields(b"\x92\x01\x01x") == [(18, b"x")]


def test_the_largest_number_has_64_bits():
    assert fields(b"\x08" + b"\xff" * 9 + b"\x01") == [(1, 2**64 - 1)]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"\x08" + b"\xff" * 9 + b"\x02", "more than 64 bits"),
        (b"\x08" + b"\x80" * 10 + b"\x01", "more than 64 bits"),
        (b"\x08\x80", "number is cut off"),
        (b"\x08", "number is cut off"),
        (b"\x80", "number is cut off"),
        (b"\x12\x03ab", "field 2 is cut off"),
        (b"\x12" + b"\xff" * 9 + b"\x01", "field 2 is cut off"),
        (b"\x0d123", "field 1 is cut off"),
        (b"\x091234567", "field 1 is cut off"),
        (b"\x0b", "unknown type 3"),
        (b"\x0f", "unknown type 7"),
        (b"\x00\x01", "number 0"),
    ],
)
def test_what_is_no_message_is_refused(message, reason):
    with pytest.raises(ValueError, match=reason):
        fields(message)


def test_fields_before_the_damage_have_come():
    found = read_fields(b"\x08\x07\x12\x03a")
    assert next(found) == (1, 7)
    with pytest.raises(ValueError, match="cut off"):
        next(found)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(message):
    try:
        found = fields(message)
    except ValueError:
        return
    assert sum(len(value) for _, value in found if isinstance(value, bytes)) <= len(message)
