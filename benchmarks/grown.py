"""Documents in any number, grown from real ones: each copy has another folder and other words in a share of its places.

Nothing depends on anything but the documents and a seed. Markup, links, addresses and front matter stay as they are, except
for the title and the description; code gets words of other code. Most new words are words of the same documents, as often as
those have them; a few are coined, each for about two places of one document, so that the vocabulary keeps growing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

#: Of the words that are replaced so many are coined: 80 copies have about 12 times the different words of one, which is what
#: real text of that length has (80 to the power 0.57).
COINED_SHARE = 0.05
#: Words of each kind that are kept to draw from.
_POOL = 200_000
_WORD = r"[A-Za-z]{3,}|[\u4e00-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{2,}|[\uac00-\ud7a3]{2,}"
#: What stays in prose, before its words: code, link targets, tags, addresses, braces, entities and link definitions.
_PROSE = re.compile(
    r"`[^`\n]*`|\][(\[][^)\]\n]*[)\]]|</?[A-Za-z!][^>\n]*>?|\w+://\S+|\{[^}\n]*\}|&\w+;|^[ ]{0,3}\[[^\]\n]+\]:.*|"
    rf"(?P<word>{_WORD})"
)
_CODE = re.compile(rf"\w+://\S+|\\.|(?P<word>{_WORD})")
_TITLE = re.compile(rf"^(?:title|description):|(?P<word>{_WORD})")
_FENCE = re.compile(r"\s*(?:>\s?)*(`{3,}|~{3,})")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: *\{#.*\})? *#* *$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<![^\s。])[^\W\d_][^\n`<>\[\]{}|*_\"#。.!?]{18,150}[。.!?](?=\s|$|[^\W\d_A-Za-z])")
_CODE_BLOCK = re.compile(r"^(\s*)(`{3,}|~{3,}).*?^\s*\2", re.MULTILINE | re.DOTALL)
_EAST = re.compile(r"[\u3040-\ud7ff]")


@dataclass(frozen=True)
class Source:
    """A real document: its path, its text, and how many sections it has."""

    path: str
    text: str
    sections: int = 1

    @cached_property
    def pieces(self) -> list[str]:
        """The text in pieces, of which those in `places` are words that may be replaced."""
        return [piece for piece, _ in self._cut]

    @cached_property
    def places(self) -> list[tuple[int, str]]:
        """The numbers of those pieces, each with the kind of its word."""
        return [(number, kind) for number, (_, kind) in enumerate(self._cut) if kind]

    @cached_property
    def _cut(self) -> list[tuple[str, str]]:
        return list(_cut(self.text))


@dataclass
class Vocabulary:
    """The words of some documents by kind, each as often as it occurs in a sample of them."""

    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Vocabulary:
        """The words of these texts, drawn from all of them alike."""
        found: dict[str, list[str]] = {}
        for text in texts:
            for piece, kind in _cut(text):
                if kind:
                    found.setdefault(kind, []).append(piece if kind == "code" else piece.lower())
        chance = random.Random("vocabulary")
        return cls({kind: words if len(words) <= _POOL else chance.sample(words, _POOL) for kind, words in found.items()})

    def coin(self, kind: str, chance: random.Random) -> str:
        """A word that the documents hardly have: the head of one and the tail of another."""
        head, tail = chance.choice(self.words[kind]), chance.choice(self.words[kind])
        return head[: len(head) // 2 + 1] + tail[len(tail) // 2 :]


@dataclass(frozen=True)
class Grown:
    """What was written: files, sections as the splitter counts them, and bytes."""

    documents: int
    sections: int
    text_bytes: int


def copy_of(source: Source, number: int, vocabulary: Vocabulary, *, share: float, seed: int = 0) -> str:
    """The text of a copy with `share` of its words replaced; number 0 is the document itself."""
    if not number:
        return source.text
    chance = random.Random(f"{seed}/{number}/{source.path}")
    chosen = chance.sample(source.places, round(share * len(source.places)))
    pieces = list(source.pieces)
    coined: dict[str, list[str]] = {}
    for place, kind in chosen:
        own = coined.setdefault(kind, [])
        if chance.random() >= COINED_SHARE:
            word = chance.choice(vocabulary.words[kind])
        elif own and chance.random() < 0.5:
            word = chance.choice(own)
        else:
            word = vocabulary.coin(kind, chance)
            own.append(word)
        while word.lower() == pieces[place].lower():
            word = vocabulary.coin(kind, chance) + word[-1]
        pieces[place] = word[:1].upper() + word[1:] if pieces[place][0].isupper() else word
    return "".join(pieces)


def copies(sources: Sequence[Source], sections: int, *, seed: int = 0) -> list[tuple[Source, int]]:
    """The documents in an order of chance, each with how many copies are wanted, for about so many sections in all."""
    order = list(sources)
    random.Random(seed).shuffle(order)
    whole, rest = divmod(sections, sum(source.sections for source in order))
    found = []
    for source in order:
        found.append((source, whole + (rest > 0)))
        rest -= source.sections
    return [(source, count) for source, count in found if count]


def grow(
    folder: Path, sources: Sequence[Source], vocabulary: Vocabulary, sections: int, *, share: float, seed: int = 0
) -> Grown:
    """Write about so many sections as Markdown files, each copy below a folder of its own."""
    documents = written = size = 0
    for source, count in copies(sources, sections, seed=seed):
        for number in range(count):
            target = folder / f"set-{number:04d}" / source.path
            target.parent.mkdir(parents=True, exist_ok=True)
            size += target.write_bytes(
                copy_of(source, number, vocabulary, share=share, seed=seed).encode("utf-8", "replace")
            )
            documents, written = documents + 1, written + source.sections
        for name in ("_cut", "pieces", "places"):  # all documents in pieces would take hundreds of megabytes
            source.__dict__.pop(name, None)
    return Grown(documents, written, size)


def questions(texts: Iterator[str], count: int, *, seed: int = 0) -> list[str]:
    """So many different headings and sentences of some texts, one of each text at most and as many of both as may be."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    for text in texts:
        if len(found) >= count:
            break
        prose = _CODE_BLOCK.sub("", text)
        headings = [each for each in _HEADING.findall(prose) if _is_telling(each)]
        candidates = headings if len(found) % 2 == 0 else _SENTENCE.findall(prose)
        if candidates:
            found[chance.choice(candidates).strip()] = None
    return list(found)


def _is_telling(heading: str) -> bool:
    """Whether a heading is more than a word or two, and plain."""
    return not re.search(r"[`<>\[\]{}*_\"]", heading) and (len(heading.split()) > 2 or len(_EAST.findall(heading)) > 7)


def _cut(text: str) -> Iterator[tuple[str, str]]:
    """A text in pieces, each with the kind of word that it is, or "" for what stays as it is."""
    front = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    start = front.end() if front else 0
    for line in text[:start].splitlines(keepends=True):
        yield from _words(line, _TITLE) if line.startswith(("title:", "description:")) else [(line, "")]
    fence = ""
    for line in text[start:].splitlines(keepends=True):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
            yield line, ""
        elif fence:
            yield from _words(line, _CODE, "code")
        else:
            yield from _words(line, _PROSE)


def _words(line: str, pattern: re.Pattern[str], latin: str = "latin") -> Iterator[tuple[str, str]]:
    """The words of a line that may be replaced, with their kinds, and what stands between them."""
    end = 0
    for found in pattern.finditer(line):
        if found["word"]:
            if found.start() > end:
                yield line[end : found.start()], ""
            script = _kind(found[0])
            yield found[0], latin if script == "latin" else script
            end = found.end()
    if end < len(line):
        yield line[end:], ""


def _kind(word: str) -> str:
    """The script of a word."""
    first = ord(word[0])
    return "latin" if first < 0x250 else "katakana" if first < 0x3100 else "han" if first < 0xAC00 else "hangul"
