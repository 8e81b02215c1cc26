"""Plain text of a paragraph → its lines as one, and its sentences; and where sentences end in other texts.

`split_sentences` knows most and takes longest: no sentence ends inside of brackets, after an abbreviation, or inside of
code; every sentence has a letter or digit, and none is a bare URL. What only needs a good place to cut a text uses
`SENTENCE_END`, lines of terms end at `TERM_LINE_END`, and sentences of Markdown as it is written at `MARKDOWN_STOP`.
Refuses no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: GLUE stands for a blank inside of code, where no sentence ends; JOINT behind code keeps its last character from being a
#: full stop. They are noncharacters, which no text should have; they are removed from one that has them.
GLUE, JOINT = "\ufdd0", "\ufdd2"

#: Where a text can be cut behind a sentence; abbreviations are no exception.
SENTENCE_END = re.compile(r"[.!?][\"')\]]*(?=\s|$)|(?:[。｡！？]|．(?!\d))+[」』）]*")
#: What ends a line of terms; another one would be another format of the index.
TERM_LINE_END = re.compile(
    r"(?:[。｡！？.!?\r\n]|(?<!\d)．|．(?!\d))(?:(?<=[。｡！？．])[。｡！？．]*|(?<=[.!?])\s+|(?<=[\r\n])[\r\n]*)"
)
#: What ends a sentence of Markdown, unless it belongs to what `MARKDOWN_ABBREVIATION` finds before its end.
MARKDOWN_STOP = re.compile(r"[。｡！？.!?](?:(?<=[。｡！？])[」｣』）”’]*|(?<=[.!?])[\"'”’)\]*_`]*(?=\s+[^\sa-z,;]))")
MARKDOWN_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mrs?|Ms|Dr|Prof|St|Nos?|Figs?|Sec|Vol|approx|resp|incl|excl|ca)|\b[A-Z])\.$"
)
#: Code within a line of Markdown, in which no sentence ends; its first group has the marks around it.
CODE_SPAN = r"(?<!`)(`{1,8})(?!`)[^`]{1,300}(?<!`)\1(?!`)"

_BEFORE_STOP = re.compile(r" (?=[、。，．！？」』）]|[,.](?: |\Z))")
_CLOSERS = r"[」』）〉》】”’\"')\]]*"
# beginning with a set of characters, the pattern skips letters, four times as fast as alternatives alone
_STOP = re.compile(
    rf"[。｡．！？।॥.!?؟](?:(?<=[。｡．！？])[。｡．！？]*{_CLOSERS}(?:[。｡．！？]+{_CLOSERS})*"
    rf"|(?<=[।॥])[।॥]*|(?<=[.!?؟])[.!?؟]*(?P<ascii>){_CLOSERS})"
)
_OPENING, _CLOSED_BY = frozenset("(（「『【“"), {")": "(", "）": "（", "」": "「", "』": "『", "】": "【", "”": "“"}
_BRACKET = re.compile("[()（）「」『』【】“”]")
#: Longer insertions have sentences of their own.
_MAX_INSERTION = 300
# with these the sentence goes on after a quoted one: 「はい。」と言う
_GOES_ON = frozenset("とのはがをにでもへやかな、,)）」")
_URL = re.compile(r"(?:https?://|www\.)\S+\Z")
_ABBREVIATIONS = frozenset(
    """e.g i.e eg ie vs cf mr mrs ms dr prof st fig figs eq sec ch vol pp ver resp viz approx al ca esp incl excl
    a.k.a w.r.t""".split()
)
#: They end a sentence too, where the next word begins with a capital.
_MAYBE_ABBREVIATIONS = frozenset("etc inc ltd co corp jr sr a.m p.m u.s u.k".split())
#: They are abbreviations before a number.
_NUMBERED = frozenset({"no", "nos", "p", "art", "para"})


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of one paragraph of plain text, in order; none without a letter or digit, and no bare URL.

    >>> list(split_sentences("Use 3.4, e.g. here. 「はい。」と言う。次だ！ See No. 5 of J. K. Rowling"))
    ['Use 3.4, e.g. here.', '「はい。」と言う。', '次だ！', 'See No. 5 of J. K. Rowling']
    """
    start = 0
    insertions = _insertions(text) if "(" in text or not text.isascii() else iter(())
    current = next(insertions, None)
    for stop in _STOP.finditer(text):
        end = stop.end()
        while current is not None and current[1] < stop.start():
            current = next(insertions, None)
        closes = current is not None and current[0] < stop.start() and current[1] < end
        if current is not None and current[0] < stop.start() and not closes:
            continue
        if _ends_wide(text, stop) if stop.group("ascii") is None else _ends_ascii(text, start, stop):
            yield from _telling(text[start:end])
            start = end
    yield from _telling(text[start:])


def _telling(sentence: str) -> Iterator[str]:
    sentence = sentence.replace(GLUE, " ").replace(JOINT, "").strip()
    if any(map(str.isalnum, sentence)) and not _URL.match(sentence):
        yield sentence


def _insertions(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of the outermost brackets and quotes of at most `_MAX_INSERTION` characters, in order."""
    opened: list[tuple[str, int]] = []
    last: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(text):
        bracket, at = match.group(), match.start()
        if bracket in _OPENING:
            opened.append((bracket, at))
        elif opened and opened[-1][0] == _CLOSED_BY[bracket]:
            begin = opened.pop()[1]
            if at - begin <= _MAX_INSERTION:
                while last and last[-1][0] > begin:  # it stands inside
                    last.pop()
                last.append((begin, at))
    yield from last


def _ends_wide(text: str, stop: re.Match[str]) -> bool:
    after = text[stop.end() : stop.end() + 1]
    sign = stop.group()[-1]
    if sign == "．":
        return not (text[stop.start() - 1 : stop.start()].isdigit() and after.isdigit())
    if sign in "！？":
        return after not in ("と", "、", "っ")
    return sign in "。｡।॥" or after not in _GOES_ON


def _ends_ascii(text: str, start: int, stop: re.Match[str]) -> bool:
    end = stop.end()
    after = text[end : end + 1]
    signs = text[stop.start() : stop.start("ascii")]
    if after and not after.isspace():
        # よいですか?はい
        is_wide = _is_wide(after) and _is_wide(text[stop.start() - 1 : stop.start()])
        return is_wide and signs[-1] in "!?" and after not in _GOES_ON
    following = text[end + 1 : end + 2]
    if stop.end() > stop.start("ascii") and following.islower():
        return False
    if not signs.endswith("."):
        return True
    if len(signs) > 1:
        return not following.islower()
    word = text[max(start, stop.start() - 12) : stop.start()].rsplit(None, 1)[-1:]
    before = word[0].lstrip("(（「\"'“‘[") if word else ""
    folded = before.lower()
    if folded in _ABBREVIATIONS or (folded in _MAYBE_ABBREVIATIONS and not following.isupper()):
        return False
    if following.isdigit() and (before[-1:].isdigit() or folded in _NUMBERED):
        return False
    if len(before) == 1 and before.isupper():  # initials
        return not following
    # "1." at the start of a sentence numbers it
    return not (
        before.isdigit() and following and stop.start() - start < 12 and text[start : stop.start()].strip() == before
    )


def _is_wide(character: str) -> bool:
    """Whether a character is of Chinese or Japanese writing, where lines are joined without a blank."""
    return (
        "\u2e80" <= character <= "\u312f"
        or "\u31f0" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\uff00" <= character <= "\uffef"
        or character >= "\U00020000"
    )


def join_lines(text: str) -> str:
    """Lines of a paragraph as one, runs of blanks as one blank; between two wide characters a line's end is nothing."""
    if "\n" not in text:
        joined = " ".join(text.split())
    else:
        parts: list[str] = []
        for line in text.split("\n"):
            words = " ".join(line.split())
            if words:
                if parts and not (_is_wide(parts[-1][-1]) and _is_wide(words[0])):
                    parts.append(" ")
                parts.append(words)
        joined = "".join(parts)
    return joined if joined.isascii() and " ," not in joined and " ." not in joined else _BEFORE_STOP.sub("", joined)
