"""Bytes of a text file → text, its encoding, and warnings; never fails."""

from __future__ import annotations

import codecs
import re
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
#: The encoding that a page of HTML declares, in the bytes of its beginning that browsers look at.
_DECLARED = re.compile(
    rb"(?:<meta\s+charset\s*=\s*[\"']?|\scontent\s*=\s*[\"']?\s*[\w/+.-]{1,40}\s*;\s*charset\s*=\s*)\s*([A-Za-z0-9_-]{2,30})",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_BEGINNING = 1024
#: An encoding of ASCII alone, which could be UTF-8 too; and the share of characters that may not be read in a declared one.
_ESCAPED, _MOST_BROKEN = "iso2022_jp", 0.01
#: Declared names that browsers read as another encoding, which has more characters.
_MEANT = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "iso-2022-jp": "iso2022_jp",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
}
#: Encodings of pages; Python knows others, such as those of escapes, which no page is in.
_OF_PAGES = re.compile(
    r"windows-125\d|cp125\d|iso-8859-\d{1,2}|koi8-[ru]|macintosh|gb18030|big5hkscs|cp932|euc-jp|cp949|iso2022_jp"
)
#: A text that could be Korean is Japanese if it would have so many different kana, and this share of them among its letters:
#: those of a Korean text are the single letters of ㅋㅋ and the like.
_KANA, _LETTER, _LEAST_KANA, _KANA_SHARE = re.compile("[ぁ-んァ-ヶ]"), re.compile("[^\x00-\x7f]"), 3, 0.2
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


def decode_page(data: bytes) -> Decoded:
    """Decode a page of HTML: as `decode` does a file, but one that is not UTF-8 and has no byte order mark in the encoding
    that it declares, if nearly all of it can be read so."""
    encoding = "" if data.startswith(tuple(mark for mark, _ in _MARKS)) else _declared(data)
    if not encoding or (encoding != _ESCAPED and decode(data).encoding == "utf-8" and _is_mostly_utf8(data)):
        return decode(data)
    text = data.decode(encoding, "replace")
    broken = text.count("\ufffd")
    if broken > _MOST_BROKEN * len(text):
        return decode(data)
    warning = f"not valid {encoding.upper()}; {broken} unreadable bytes were replaced"
    return Decoded(text, encoding, (warning,) if broken else ())


def _declared(data: bytes) -> str:
    """The encoding that a page declares, "" for none or one that no page is in."""
    found = _DECLARED.search(_COMMENT.sub(b"", data[:_BEGINNING]))
    name = found[1].decode("ascii").lower() if found is not None else ""
    name = _MEANT.get(name, name)
    return name if _OF_PAGES.fullmatch(name) else ""


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
    found = best.encoding if best is not None and best.encoding in possible else None
    return "euc_jp" if found == "euc_kr" and "euc_jp" in possible and _has_kana(sample) else found


def _has_kana(sample: bytes) -> bool:
    """Whether a text in EUC-JP has as many kana as a Japanese one."""
    text = sample.decode("euc_jp", "replace")
    kana = _KANA.findall(text)
    return len(set(kana)) >= _LEAST_KANA and len(kana) >= _KANA_SHARE * len(_LETTER.findall(text))
