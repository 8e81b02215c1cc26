"""Bytes of a text file → text, its encoding, and warnings; never fails."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from schema.arguments import wrong

# the mark of UTF-32-LE begins with that of UTF-16-LE, so it is tried first
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LEGACY = ("cp932", "euc_jp", "euc_kr", "gb18030")
#: Bytes that are enough to distinguish the legacy encodings.
_SAMPLE = 65_536


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded file: `text` without byte order mark, the `encoding` it was read as, and warnings."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Decode a file: byte order mark, else UTF-8, else a Japanese, Korean or Chinese legacy encoding.

    If none fits, it is read as UTF-8 with replacement characters, and a warning names the offset of the first bad byte.

    Raises:
        ArgumentError: it is no bytes.
    """
    if not isinstance(data, bytes | bytearray):
        raise wrong("data", "the bytes of a file", data)
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict_or_replaced(data, encoding, len(mark))
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if not _is_mostly_utf8(data):
        legacy = _legacy_encoding(data)
        if legacy is not None:
            name = legacy.replace("_", "-")
            return Decoded(data.decode(legacy), legacy, (f"read as {name}, since it is not UTF-8",))
    return _strict_or_replaced(data, "utf-8", 0)


def is_binary(data: bytes) -> bool:
    """Whether a file is no text: it holds a NUL byte, and no byte order mark of UTF-16 or UTF-32 explains it."""
    return b"\0" in data and not data.startswith(tuple(mark for mark, encoding in _MARKS if encoding != "utf-8"))


def _strict_or_replaced(data: bytes, encoding: str, start: int) -> Decoded:
    body = data[start:]
    try:
        return Decoded(body.decode(encoding), encoding)
    except UnicodeDecodeError as error:
        warning = f"not valid {encoding.upper()} at byte {start + error.start}; unreadable bytes were replaced"
        return Decoded(body.decode(encoding, "replace"), encoding, (warning,))


def _is_mostly_utf8(data: bytes) -> bool:
    """Whether the file is UTF-8 with a few wrong bytes: legacy text almost never has valid UTF-8 sequences by chance."""
    text = data[:_SAMPLE].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(1 for character in text if character > "\x7f") - broken
    return whole >= max(broken, 1)


def _legacy_encoding(data: bytes) -> str | None:
    possible = []
    for encoding in _LEGACY:
        try:
            data.decode(encoding)
        except UnicodeDecodeError:
            continue
        possible.append(encoding)
    if not possible:
        return None
    from charset_normalizer import from_bytes  # nearly all files are in UTF-8

    sample = data[:_SAMPLE] if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    # cp1252 is offered too, so that Western text is not taken for Japanese, Korean or Chinese
    best = from_bytes(sample, cp_isolation=[*possible, "cp1252"], threshold=1.0).best()
    return best.encoding if best is not None and best.encoding in possible else None
