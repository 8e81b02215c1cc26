"""Prose → a summary made of one or two of its own sentences: the lead and what lies nearest to the centre of the text.

Offline and deterministic. Lead and centroid as in Radev, Jing and Tam, "Centroid-based summarization of multiple documents"
(2004), with what makes a sentence stand badly alone counted against it. Refuses limits below 1; any text may be given.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from indexer.markdown.prose import Sentence, read_prose
from schema.sections import Section
from schema.text.analyzer import STOP_TERMS, terms

#: A section says early what it is about: more sentences cost time and change few summaries.
_MAX_SECTION_SENTENCES, _MAX_DOCUMENT_SENTENCES = 8, 40
_MAX_DOCUMENT_CHARACTERS = 400
#: Of longer sentences the beginning is compared.
_MAX_COMPARED = 160

_LEAD, _TITLE = 0.6, 0.5
_FOLLOWS, _REPEATS = 0.25, 0.6
#: So like another that it says nothing new.
_SAME = 0.9
#: A second sentence must be worth this much, or the first stands alone.
_LEAST = 0.15
# what counts against a sentence
_DANGLING, _POINTING, _LEADING, _CHATTING, _ASKING, _REFERRING = 1.5, 1.3, 0.5, 0.7, 0.4, 0.35
_UNFINISHED, _ITEM, _ASIDE, _LATER_PART, _SHORT, _TOO_LONG = 0.3, 0.2, 0.25, 0.4, 0.3, 0.3
#: Shorter sentences are labels ("Note:", "型"), in half widths of letters: a wide letter is two.
_LABEL_WIDTH, _SHORT_WIDTH = 14, 30

_WIDE_LETTERS = r"\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_WIDE = re.compile(f"[{_WIDE_LETTERS}]")
# What `schema.text.analyzer` says of Chinese and Japanese, in patterns, which take a quarter off the time of a section.
# They compare sentences with each other alone, so the two may differ.
_KANJI, _KATAKANA, _HIRAGANA = r"々\u4e00-\u9fff", r"\u30a1-\u30fa\u30fd-\u30ff", r"\u3041-\u3096\u309d-\u309fー"
_TELLING, _RUN = _KANJI + _KATAKANA, _KANJI + _KATAKANA + _HIRAGANA
_HAS_KANA_OR_KANJI = re.compile(f"[{_RUN}]")
_LETTERS = re.compile(f"[{_TELLING}]")
_PAIRS = re.compile(f"(?=([{_RUN}][{_TELLING}]|[{_TELLING}][{_HIRAGANA}]))")  # those of hiragana weigh nothing
_WORDS = re.compile(f"[{_KANJI}]{{2,64}}|(?=ー*[{_KATAKANA}])[{_KATAKANA}ー]{{2,64}}")
_OTHERS = re.compile(rf"[^\s。、「」{_RUN}]+|(?<![{_RUN}])[{_HIRAGANA}](?![{_RUN}])")
#: Rare letters of runs of kanji or kana, and what begins a clitic: of these the patterns know nothing.
_RARE = re.compile(
    r"['’\u2e80-\u2fdf\u3006\u3007\u3021-\u302f\u3031-\u303c\u3099-\u309c\u31f0-\u31ff\u3400-\u4dbf\uf900-\ufaff"
    r"\U0001aff0-\U0001b16f\U0001f200\U00020000-\U0003ffff]"
)
_CJK = r"\u2e80-\u312f\u31f0-\u9fff\uf900-\ufaff\uff00-\uffef"
_ENDS_WIDE = re.compile(f"[{_CJK}]\\Z")
_HAS_CJK = re.compile(f"[{_CJK}]")
_STOPPED = re.compile(r"[.!?؟。｡．！？।॥…][」』）〉》】”’\"')\]]{0,3}\Z")
_COLON = re.compile(r"[:：][\s)）]{0,2}\Z")
_ASKS = re.compile(r"[?？؟][」』）”’\"')]{0,3}\Z")
_LABELLED = re.compile(
    r"(?:file ?name|listing \d|figure \d|table \d|ファイル名|図 ?\d|그림 ?\d)|\S{1,60}[:：] ?\S{1,200}\Z", re.IGNORECASE
)


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


# Of these the sentences are small letters, without the mark of ’. What says something about the whole sentence stands at its
# beginning or its end, so that it is looked for there alone.

#: It leads to something that is not in the summary.
_LEADS_ON = _any_of(
    r"as follows|following (?:code|example|command|snippet|program|listing|section|content|output|line|table|step)",
    r"(?:shown|seen) (?:in|below|here)|(?:listings?|figures?|table) \d|(?:see|look) (?:below|above)",
    r"(?:code|example|output|list|table|diagram)s? (?:below|above)",
    r"(?:次|以下)の(?:よう|例|コード|とおり|通り|図|表)|[上下]記の|上の例|この例で",
    r"(?:다음|아래)과? ?같|아래(?:의|에)? ?(?:예|코드|그림|표)|다음 (?:예|코드|명령|내용|그림)",
    r"위의? (?:예|코드)|이 예[시제]",
)
#: Without one of these it leads to nothing; looking for them costs less than the pattern.
_LEADS_ON_SIGNS = ("follow", "shown ", "seen ", "listing", "figure", "table", "below", "above")
_WIDE_LEADS_ON_SIGNS = (*_LEADS_ON_SIGNS, "次の", "以下の", "記の", "の例", "다음", "아래", "위", "이 예")
#: It sends the reader elsewhere.
_POINTS = _any_of(
    r"(?:see|refer|read|check out|for (?:more|further|additional|full|complete)|more (?:information|details)|related)\b",
    r"(?:learn more|note: see|back to|you can find|if you (?:came|haven))\b",
    r"(?:参照|関連|参考|詳細|詳しく)(?:[:：は]|については)",
    r"(?:더 )?(?:자세한|많은) ",
)
_POINTS_AT_END = _any_of(
    r"(?:参照|ご覧|確認)(?:して|になって)?(?:ください|下さい)。?\Z|を参照。?\Z",
    r"(?:참고|참조|확인|살펴보|읽어 ?보)(?:하세요|하십시오|하시기|해 ?주세요|해 ?보세요|세요|해 주시기)[^.]{0,12}\.?\Z",
)
#: It speaks to the reader about the text.
_CHATS = _any_of(
    r"(?:let's|now,? (?:let|we|that|you)|next|first|finally|in this (?:chapter|section|page|guide|tutorial|part|article))\b",
    r"as (?:we|you|mentioned|discussed|described|a first)\b|we(?:'ll|'ve|'re| will| have| can| saw| want)\b",
    r"you(?:'ll|'ve| may have| might)\b|(?:so far|recall|remember|imagine|suppose|congratulations|welcome|thank|great)\b",
    r"(?:okay|ok,|consider|try|open|copyright|licen[sc]ed|last (?:updated|modified)|todo)\b",
    r"さて|では|それでは|まず|ここでは?、|ここまで|ようこそ|なお",
    r"이제|먼저|우선|자,|그럼|환영",
)
_CHATS_AT_END = _any_of(
    r"(?:見て(?:い|ゆ)?き?ま(?:しょう|す)|ましょう|見てきました)[。！!]?\Z",
    r"(?:봅시다|보겠습니다|볼까요|보세요|합시다|하겠습니다)[.!?]?\Z",
)
#: It speaks of what the sentence before it said.
_REFERS = _any_of(
    r"(?:this|that|these|those|it|its|they|their|he|she|such|here|however|but|and|or|so|then|therefore|thus|hence|also"
    r"|as a result|instead|otherwise|in other words|in (?:this|that|these|such|both) (?:case|example|situation)s?"
    r"|for (?:example|instance))\b",
    r"(?:on the other hand|for this reason|because of this|similarly|likewise|moreover|furthermore|additionally|again|still"
    r"|both|note|another|the (?:second|third|last|latter|former|other|first|next|rest)|similar|conversely|nevertheless|yet"
    r"|even so|after that|in addition|specifically|(?:that|it|there|he|they)'(?:s|re)|we|our|to do (?:so|this|that))\b",
    r"[こそ](?:れ|の|こ|う|ちら)|そして|しかし|ただ[し、]|また|さらに|例えば|たとえば|つまり|同様に|一方|代わりに|ですから|なので",
    r"したがって|従って|よって|その?他|逆に|もちろん|次に|最後に|[上下][記の]|同じ|これ",
    r"이(?:는|것|를|때|러한|런|와|처럼|렇게|번|제|로)|그(?:것|러나|리고|런|래서|러면|렇지만|는|렇게)|하지만|따라서|또한|또는|즉,",
    r"예를 들어|만약 그|대신|반면|반대로|마찬가지|특히|게다가|[이그] |여기|위의? |다음으로|마지막으로|결과적으로",
)
_END = 24

# endings of words, which every Korean sentence has
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
        """What the summaries are made by; another name means that others would come out."""
        return "extractive/1"

    def summarize_document(self, text: str, *, title: str) -> str | None:
        """Two sentences, together at most 400 characters, of a whole document; None if it has no prose."""
        sentences = list(islice(read_prose(text), _MAX_DOCUMENT_SENTENCES))
        # what stands under the first heading is as much the lead as what stands before it
        lead_parts = max(1, sentences[0].part) if sentences else 0
        return _extract(sentences, title, lead_parts, 2, min(_MAX_DOCUMENT_CHARACTERS, len(text)))

    def summarize_section(self, section: Section, *, document: str, document_summary: str | None) -> str | None:
        """One or two sentences of a section's own text; None if it has no prose. The document is not looked at."""
        del document, document_summary
        return summarize(section.body, title=section.heading if section.depth else section.document_title)


def summarize(markdown: str, *, title: str = "", max_sentences: int = 2, max_characters: int = 300) -> str | None:
    """The sentences that say best what a section is about, in their order; None if it has no prose.

    A sentence alone above `max_characters` is cut and ends in "…"; a summary is never longer than `markdown`.

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
    penalties = [_penalty(sentence, lead_parts, max_characters) for sentence in sentences]
    # what is not worth saying is not compared either, and what alone is worth it needs no comparison
    worth = [i for i, penalty in enumerate(penalties) if penalty < _DANGLING]
    if len(worth) == 1:
        best, max_sentences = worth[0], 1
    else:
        weights = [_weights(s.text) if penalties[i] < _DANGLING else {} for i, s in enumerate(sentences)]
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
    """The chosen sentences with the best further one that fits, and their text; None if there is none worth it."""
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
            if _REFERS.match(sentence.text.lower()):
                value += _REFERRING
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
    leading = 0  # full sentences before this one
    for sentence, vector, penalty in zip(sentences, weights, penalties, strict=True):
        likeness = sum([weight * centroid[term] for term, weight in vector.items()]) / length
        score = likeness + _TITLE * _share(title, vector) - penalty
        if sentence.part <= lead_parts:
            score += _LEAD / (1 + leading) * (1 if penalty < _CHATTING else 0.5)
            leading += int(penalty < _SHORT)
        scores.append(score)
    return scores


def _penalty(sentence: Sentence, lead_parts: int, max_characters: int) -> float:
    text = sentence.text
    small = text.lower().replace("’", "'")
    end = small[-_END:]
    is_ascii = text.isascii()
    width = len(text) if is_ascii or len(text) >= _SHORT_WIDTH else len(text) + len(_WIDE.findall(text))
    penalty = _ITEM * sentence.is_item + _ASIDE * sentence.is_aside + _LATER_PART * (sentence.part > lead_parts)
    if width < _LABEL_WIDTH or _LABELLED.match(text):
        penalty += _DANGLING
    elif width < _SHORT_WIDTH:
        penalty += _SHORT
    elif len(text) > max_characters:
        penalty += _TOO_LONG
    if _COLON.search(end):
        penalty += _DANGLING
    elif not _STOPPED.search(end):
        penalty += _UNFINISHED
    elif _ASKS.search(end):
        penalty += _ASKING
    if _POINTS.match(small) or (not is_ascii and _POINTS_AT_END.search(end)):
        penalty += _POINTING
    if _CHATS.match(small) or (not is_ascii and _CHATS_AT_END.search(end)):
        penalty += _CHATTING
    elif _REFERS.match(small):
        penalty += _REFERRING
    signs = _LEADS_ON_SIGNS if is_ascii else _WIDE_LEADS_ON_SIGNS
    if any(map(small.__contains__, signs)) and _LEADS_ON.search(small, 0, _MAX_COMPARED):
        penalty += _LEADING
    return penalty


# --- weights ----------------------------------------------------------------------------------------------------------


def _weights(text: str) -> dict[str, float]:
    """The terms of a sentence with their weights, of length 1 together; no stop words and no endings."""
    counts = Counter(chain.from_iterable(_found(text[:_MAX_COMPARED])))
    weights = {t: _weight(t) if count == 1 else _weight(t) * (1 + math.log(count)) for t, count in counts.items()}
    length = math.sqrt(sum([weight * weight for weight in weights.values()]))
    return {term: weight / length for term, weight in weights.items()}


def _found(text: str) -> list[Sequence[str]]:
    """The terms of a text, except for most of those that weigh nothing, in lists by where they were found."""
    if not text.isascii() and _HAS_KANA_OR_KANJI.search(text):
        text = unicodedata.normalize("NFKC", text)
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
    """Pairs of letters overlap each other and the word they are of; those of hiragana are mostly endings."""
    if term in STOP_TERMS or term in _ENDINGS:
        return 0.0
    if len(term) != 2 or not _WIDE.match(term):
        return 1.0
    return 0.0 if _HIRAGANA_PAIR.fullmatch(term) else 0.5


def _product(vector: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of two vectors of length 1."""
    if len(vector) > len(other):
        vector, other = other, vector
    return sum([weight * other[term] for term, weight in vector.items() if term in other])


def _share(title: Mapping[str, float], vector: Mapping[str, float]) -> float:
    """How much of the title a sentence has, 0..1."""
    return sum(weight * weight for term, weight in title.items() if term in vector)


# --- text -------------------------------------------------------------------------------------------------------------


def _finished(text: str) -> str:
    """A sentence that can stand alone: where it leads on to a list or code, a stop takes the place of the colon."""
    if not _COLON.search(text):
        return text
    text = _COLON.sub("", text)
    return text if _STOPPED.search(text) else text + _stop(text)


def _joined(sentences: Sequence[str]) -> str:
    """Sentences in a row: no blank after a wide stop; one without a stop gets one, so that the next stands apart."""
    text = ""
    for sentence in map(_finished, sentences):
        if text:
            if not _STOPPED.search(text):
                text += _stop(text)
            text += "" if _ENDS_WIDE.search(text) else " "
        text += sentence
    return text


def _stop(text: str) -> str:
    return "。" if _HAS_CJK.search(text[-_END:]) else "."


_CLAUSE_ENDS = re.compile(r"[,;:、，；：—–](?=\s)|[、，；：]|\s[—–-](?=\s)")


def _cut(text: str, max_characters: int) -> str:
    """The beginning of a text, at most so long with its "…", cut after a clause or word."""
    room = text[: max_characters - 1]
    clauses = [match.start() for match in _CLAUSE_ENDS.finditer(room)]
    if clauses and clauses[-1] >= max_characters * 2 // 3:
        return room[: clauses[-1]].rstrip() + "…"
    # where words have no blanks between them, any place will do
    blank = max(room.rfind(" "), room.rfind("\t"))
    if text[len(room)] != " " and blank >= max_characters // 2 and not _ENDS_WIDE.search(room):
        room = room[:blank]
    return room.rstrip(" ,;:、，；：") + "…"
