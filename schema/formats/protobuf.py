"""Bytes in the encoding of protocol buffers → fields; refuses what is cut off or otherwise not such a message.

https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator

#: Wire types. Groups (3 and 4) are long deprecated, and nothing that is read here has them.
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_FIXED_SIZES = {_FIXED_64: 8, _FIXED_32: 4}


def read_fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and the value of each field of a message, in order; what is not a whole number comes as its bytes.

    Raises:
        ValueError: the bytes are no such message; the fields before the error were yielded.

    >>> list(read_fields(bytes([8, 150, 1, 18, 2]) + b"ab"))
    [(1, 150), (2, b'ab')]
    """
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if not number:
            raise ValueError("a field has the number 0")
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _varint(message, place)
        elif kind in _FIXED_SIZES:
            size = _FIXED_SIZES[kind]
        else:
            raise ValueError(f"field {number} is of the unknown type {kind}")
        if size > len(message) - place:
            raise ValueError(f"field {number} is cut off")
        yield number, message[place : place + size]
        place += size


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """A number of at most 64 bits in seven of each byte, least first, and where the next thing begins."""
    byte = message[place] if place < len(message) else 128
    if byte < 128:  # nearly all of them
        return byte, place + 1
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(message):
            raise ValueError("a number is cut off")
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value >> 64:
                break
            return value, place
    raise ValueError("a number has more than 64 bits")
