"""Prose → a summary made of one or two of its own sentences: those near its beginning and near its centroid.

Offline and deterministic. Lead and centroid are scored as in Radev, Jing and Tam, "Centroid-based summarization of multiple
documents" (2004), less a penalty for sentences that say little alone. Refuses limits below 1; any text may be given.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from indexer.markdown.prose import Sentence, read_prose
from indexer.summaries.penalties import CHATTING, COLON, HOPELESS, REFERRING, SHORT, STOPPED, WIDE, penalty, refers_back
from schema.sections import Section
from schema.text.analyzer import terms
from schema.text.normal_form import compatible
from schema.text.query_words import STOP_TERMS

#: The first sentences of a text that are read: later ones cost time and change few summaries.
_MAX_SECTION_SENTENCES, _MAX_DOCUMENT_SENTENCES = 8, 40
_MAX_DOCUMENT_CHARACTERS = 400
#: The characters at the beginning of a sentence that are compared with other sentences.
_MAX_COMPARED = 160

# what adds to the score of a sentence: standing early, sharing terms with the title, following a chosen sentence
_LEAD, _TITLE, _FOLLOWS = 0.6, 0.5, 0.25
#: What a second sentence loses for its cosine with a chosen one.
_REPEATS = 0.6
#: Two sentences with a higher cosine say the same.
_SAME = 0.9
#: The lowest score of a second sentence.
_LEAST = 0.15
# The rules of `schema.text.analyzer` for Chinese and Japanese as patterns, which save a quarter of the time of a section.
# They may differ from the analyzer, since their terms are compared only with each other.
_KANJI, _KATAKANA, _HIRAGANA = r"々\u4e00-\u9fff", r"\u30a1-\u30fa\u30fd-\u30ff", r"\u3041-\u3096\u309d-\u309fー"
_TELLING, _RUN = _KANJI + _KATAKANA, _KANJI + _KATAKANA + _HIRAGANA
_HAS_KANA_OR_KANJI = re.compile(f"[{_RUN}]")
_LETTERS = re.compile(f"[{_TELLING}]")
_PAIRS = re.compile(f"(?=([{_RUN}][{_TELLING}]|[{_TELLING}][{_HIRAGANA}]))")  # pairs of hiragana have no weight
_WORDS = re.compile(f"[{_KANJI}]{{2,64}}|(?=ー*[{_KATAKANA}])[{_KATAKANA}ー]{{2,64}}")
_OTHERS = re.compile(rf"[^\s。、「」{_RUN}]+|(?<![{_RUN}])[{_HIRAGANA}](?![{_RUN}])")
#: What the patterns above do not cover: rare kanji and kana, and apostrophes, which begin clitics.
_RARE = re.compile(
    r"['’\u2e80-\u2fdf\u3006\u3007\u3021-\u302f\u3031-\u303c\u3099-\u309c\u31f0-\u31ff\u3400-\u4dbf\uf900-\ufaff"
    r"\U0001aff0-\U0001b16f\U0001f200\U00020000-\U0003ffff]"
)
_CJK = r"\u2e80-\u312f\u31f0-\u9fff\uf900-\ufaff\uff00-\uffef"
_ENDS_WIDE = re.compile(f"[{_CJK}]\\Z")
_HAS_CJK = re.compile(f"[{_CJK}]")
# endings of Korean words, which have no weight
_ENDINGS = frozenset(
    """니다 습니 합니 입니 있습 됩니 하는 에서 으로 하고 하여 하지 하세 세요 하면 니까 하게 하기 에게 부터 까지
    되는 되어 지만 는데""".split()
)
_HIRAGANA_PAIR = re.compile(r"[\u3041-\u309fー]{2}")


@dataclass(frozen=True, slots=True)
class ExtractiveSummarizer:
    """A source of summaries that needs no model; equal texts give equal summaries."""

    @property
    def name(self) -> str:
        """The name of the source; a source with another name makes other summaries."""
        return "extractive/1"

    def summarize_document(self, text: str, *, title: str) -> str | None:
        """Return up to two sentences of a document, together at most 400 characters; None if it has no prose."""
        sentences = list(islice(read_prose(text), _MAX_DOCUMENT_SENTENCES))
        # the text under the first heading belongs to the lead too
        lead_parts = max(1, sentences[0].part) if sentences else 0
        return _extract(sentences, title, lead_parts, 2, min(_MAX_DOCUMENT_CHARACTERS, len(text)))

    def summarize_section(self, section: Section, *, document: str, document_summary: str | None) -> str | None:
        """Return one or two sentences of a section's own text; None if it has no prose. The document is not used."""
        del document, document_summary
        return summarize(section.body, title=section.heading if section.depth else section.document_title)


def summarize(markdown: str, *, title: str = "", max_sentences: int = 2, max_characters: int = 300) -> str | None:
    """Return the sentences that say best what a section is about, in their order; None if it has no prose.

    A single sentence longer than `max_characters` is cut and ends in "…". A summary is never longer than `markdown`.

    Raises:
        ValueError: a limit is below 1.

    >>> summarize("Let's look at it. A key opens a door. See [doors](d.md).", title="Keys")
    'A key opens a door.'
    """
    if max_sentences < 1 or max_characters < 1:
        raise ValueError(f"limits must be at least 1, not {max_sentences!r} sentences and {max_characters!r} characters")
    sentences = list(islice(read_prose(markdown), _MAX_SECTION_SENTENCES))
    lead_parts = sentences[0].part if sentences else 0
    return _extract(sentences, title, lead_parts, max_sentences, min(max_characters, len(markdown)))


def _extract(
    sentences: Sequence[Sentence], title: str, lead_parts: int, max_sentences: int, max_characters: int
) -> str | None:
    if not sentences:
        return None
    penalties = [penalty(sentence, lead_parts, max_characters) for sentence in sentences]
    # hopeless sentences are not compared, and a single other one needs no comparison
    worth = [i for i, against in enumerate(penalties) if against < HOPELESS]
    if len(worth) == 1:
        best, max_sentences = worth[0], 1
    else:
        weights = [_weights(s.text) if penalties[i] < HOPELESS else {} for i, s in enumerate(sentences)]
        scores = _scores(sentences, weights, penalties, _weights(title) if worth else {}, lead_parts)
        best = max(range(len(sentences)), key=lambda i: (scores[i], -i))
    text = _finished(sentences[best].text)
    if len(text) > max_characters:
        return _cut(text, max_characters)
    chosen = [best]
    while len(chosen) < max_sentences:
        found = _next(sentences, weights, scores, chosen, max_characters)
        if found is None:
            break
        chosen, text = found
    return text


def _next(
    sentences: Sequence[Sentence],
    weights: Sequence[Mapping[str, float]],
    scores: Sequence[float],
    chosen: Sequence[int],
    max_characters: int,
) -> tuple[list[int], str] | None:
    """Return the chosen sentences with the best further one that fits, and their text; None if no other is good enough."""
    values = {}
    for i, sentence in enumerate(sentences):
        if i in chosen:
            continue
        likeness = max(_product(weights[i], weights[j]) for j in chosen)
        if likeness > _SAME:
            continue
        value = scores[i] - _REPEATS * likeness
        if i - 1 in chosen and sentences[i - 1].block == sentence.block:
            value += _FOLLOWS
            if refers_back(sentence.text):
                value += REFERRING
        values[i] = value
    for i in sorted(values, key=lambda i: (-values[i], i)):
        if values[i] < _LEAST:
            break
        together = sorted([*chosen, i])
        text = _joined([sentences[j].text for j in together])
        if len(text) <= max_characters:
            return together, text
    return None


def _scores(
    sentences: Sequence[Sentence],
    weights: Sequence[Mapping[str, float]],
    penalties: Sequence[float],
    title: Mapping[str, float],
    lead_parts: int,
) -> list[float]:
    centroid: dict[str, float] = defaultdict(float)
    for vector in weights:
        for term, weight in vector.items():
            centroid[term] += weight
    length = math.sqrt(sum([weight * weight for weight in centroid.values()])) or 1.0
    scores = []
    leading = 0  # full sentences of the lead before this one
    for sentence, vector, against in zip(sentences, weights, penalties, strict=True):
        likeness = sum([weight * centroid[term] for term, weight in vector.items()]) / length
        score = likeness + _TITLE * _share(title, vector) - against
        if sentence.part <= lead_parts:
            score += _LEAD / (1 + leading) * (1 if against < CHATTING else 0.5)
            leading += int(against < SHORT)
        scores.append(score)
    return scores


# --- weights ----------------------------------------------------------------------------------------------------------


def _weights(text: str) -> dict[str, float]:
    """Return the terms of a sentence with their weights, a vector of length 1, without stop words and endings."""
    counts = Counter(chain.from_iterable(_found(text[:_MAX_COMPARED])))
    weights = {t: _weight(t) if count == 1 else _weight(t) * (1 + math.log(count)) for t, count in counts.items()}
    length = math.sqrt(sum([weight * weight for weight in weights.values()]))
    return {term: weight / length for term, weight in weights.items()}


def _found(text: str) -> list[Sequence[str]]:
    """Return the terms of a text, one list for each pattern or word; most terms without weight are left out."""
    if not text.isascii() and _HAS_KANA_OR_KANJI.search(text):
        text = compatible(text)
        if _RARE.search(text):
            return [_telling_terms(text)]
        others = map(_telling_terms, _OTHERS.findall(text))
        return [_LETTERS.findall(text), _PAIRS.findall(text), _WORDS.findall(text), *others]
    return list(map(_telling_terms, text.split()))


@functools.lru_cache(maxsize=1 << 14)
def _telling_terms(piece: str) -> tuple[str, ...]:
    return tuple(term for term in terms(piece) if _weight(term))


@functools.lru_cache(maxsize=1 << 16)
def _weight(term: str) -> float:
    """Return the weight of a term: 1, or 0.5 for a pair of wide letters, since pairs overlap each other and their word.

    Stop words and endings have none, nor have pairs of hiragana, which are mostly endings.
    """
    if term in STOP_TERMS or term in _ENDINGS:
        return 0.0
    if len(term) != 2 or not WIDE.match(term):
        return 1.0
    return 0.0 if _HIRAGANA_PAIR.fullmatch(term) else 0.5


def _product(vector: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the cosine of two vectors of length 1."""
    if len(vector) > len(other):
        vector, other = other, vector
    return sum([weight * other[term] for term, weight in vector.items() if term in other])


def _share(title: Mapping[str, float], vector: Mapping[str, float]) -> float:
    """Return how much of the title a sentence contains, 0..1."""
    return sum(weight * weight for term, weight in title.items() if term in vector)


# --- text -------------------------------------------------------------------------------------------------------------


def _finished(text: str) -> str:
    """Return a sentence with a full stop in place of the colon that led to a list or code."""
    if not COLON.search(text):
        return text
    text = COLON.sub("", text)
    return text if STOPPED.search(text) else text + _stop(text)


def _joined(sentences: Sequence[str]) -> str:
    """Return the sentences as one text, with a full stop after each; a wide full stop needs no blank after it."""
    text = ""
    for sentence in map(_finished, sentences):
        if text:
            if not STOPPED.search(text):
                text += _stop(text)
            text += "" if _ENDS_WIDE.search(text) else " "
        text += sentence
    return text


def _stop(text: str) -> str:
    """Return the full stop that fits the last letters of a text."""
    return "。" if _HAS_CJK.search(text[-24:]) else "."


_CLAUSE_ENDS = re.compile(r"[,;:、，；：—–](?=\s)|[、，；：]|\s[—–-](?=\s)")


def _cut(text: str, max_characters: int) -> str:
    """Return the beginning of a text and "…", together at most `max_characters`, cut after a clause or a word."""
    room = text[: max_characters - 1]
    clauses = [match.start() for match in _CLAUSE_ENDS.finditer(room)]
    if clauses and clauses[-1] >= max_characters * 2 // 3:
        return room[: clauses[-1]].rstrip() + "…"
    # a script without blanks between words may be cut anywhere
    blank = max(room.rfind(" "), room.rfind("\t"))
    if text[len(room)] != " " and blank >= max_characters // 2 and not _ENDS_WIDE.search(room):
        room = room[:blank]
    return room.rstrip(" ,;:、，；：") + "…"
