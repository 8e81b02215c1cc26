"""A question and the spans of its terms in a text → the spans to mark: whole words; and the question's words of grammar.

Terms of Japanese and Korean are pairs of characters, which also stand inside other words. A mark begins and ends where the
kind of script changes, or with a whole word of the question. Hiragana alone is marked only if it is a word of the question.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from schema.results import Window
from schema.text.spelling import one_spelling, without_final_marks
from schema.text.stems import korean_stem

#: Longer runs of hiragana or hangul are no single words, and are not looked through (characters).
_MAX_RUN = 32
#: Words of a question that begin with the same two characters and are looked for in a longer run, at most.
_MOST_ALIKE = 16
_RUN = regex.compile(
    r"(?P<hiragana>\p{Hiragana}[\p{Hiragana}ー]*)|(?P<katakana>[\p{Katakana}ー\uff9e\uff9f]+)|(?P<han>[\p{Han}々〆]+)"
    r"|(?P<hangul>\p{Hangul}+)|(?P<other>[^\p{Hiragana}\p{Katakana}\uff9e\uff9f\p{Han}々〆\p{Hangul}]+)"
)
# what stands of one kind of script before a place, searched backwards, and behind it
_AROUND = {
    kind: (regex.compile(rf"(?r)[{letters}]*"), regex.compile(rf"[{letters}]*"))
    for kind, letters in {
        "hiragana": r"\p{Hiragana}ー",
        "katakana": r"\p{Katakana}ー\uff9e\uff9f",
        "han": r"\p{Han}々〆",
        "hangul": r"\p{Hangul}",
    }.items()
}
_CJK = regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}\p{Hangul}]")
#: Particles and auxiliaries of Japanese in hiragana, and what asks or points; several of them make an ending.
_GRAMMAR = frozenset(
    """
    は が を に で と も の へ や か ね よ な さ し た て だ から まで より など だけ しか ほど くらい ぐらい ので
    のに のは のが って っけ という といった として とき こと もの ため よう ここ そこ これ それ あれ どれ この その
    あの どの する して した しな すれば され させ せる いる いた いて いな いま ある あり あった あって ない なく
    なか った なら なる なり なっ ます まし ませ ん です でし だっ だった であ たい たく たら たり てい ておく
    ください られ られる れる れて れた らない らな れば いい よい もらう くれる できる でき きる どう どうやって なに
    なぜ いつ どこ だれ また および ただし る れ ろ せ ば う ら り
    """.split()
)
_LONGEST_GRAMMAR = max(map(len, _GRAMMAR))
#: Particles that a word in hiragana can follow in the same run.
_LEADING = ("から", "まで", "より", "の", "は", "を", "が", "に", "で", "と", "も", "や")
#: Words and endings of Korean that say nothing of what is asked.
_KOREAN_GRAMMAR = frozenset(
    """
    하는 하기 하게 하고 하면 하려 하려면 려면 려고 하여 해서 해야 합니 합니다 습니 습니다 니다 니까 입니 했습 하세
    세요 어요 아요 나요 가요 까요 인가 있는 있나 있나요 있다 있습 있을 없는 없나 없이 되는 되나 되나요 되어 된다 됩니
    됩니다 에서 에게 까지 부터 으로 로는 에는 이란 라는 다는 것을 것이 것은 경우 때문 위해 위한 대해 대한 또는 그리고
    어떻 떻게 어떤 무엇 않는 않게 않고 안되 방법 는지
    """.split()
)


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question in scripts without blanks between words, and in Korean.

    `kana` are its words in hiragana, `whole` its runs of kanji or katakana and stems of Korean words, `longer` those of two
    characters or more by their first two, the longest first, `runs` the Korean words as they are written, `firsts` and
    `lasts` the pairs of kanji that a run begins or ends with, and `endings` the hiragana behind a kanji, by kanji.
    """

    kana: frozenset[str]
    whole: frozenset[str]
    longer: Mapping[str, tuple[str, ...]]
    runs: tuple[str, ...]
    firsts: frozenset[str]
    lasts: frozenset[str]
    endings: Mapping[str, tuple[str, ...]]


@lru_cache(maxsize=64)
def question_words(query: str) -> QuestionWords:
    """Return the words of a question."""
    text = one_spelling(unicodedata.normalize("NFKC", query))
    kana: set[str] = set()
    whole: set[str] = set()
    runs: set[str] = set()
    han: list[str] = []
    endings: dict[str, tuple[str, ...]] = {}
    before = ""
    for match in _RUN.finditer(text):
        run, kind = match.group(), match.lastgroup
        if kind == "hiragana":
            kana.update(_kana_words(run, before == "han"))
            if before == "han":
                letter = text[match.start() - 1]
                endings[letter] = (*endings.get(letter, ()), run[:_MAX_RUN])
        elif kind == "hangul":
            runs.add(run)
            whole.update({run, korean_stem(run)})
        elif kind in ("han", "katakana"):
            whole.add(without_final_marks(run))
            han += [run] if kind == "han" else []
        before = kind or ""
    known = sorted((word for word in whole if word not in _KOREAN_GRAMMAR), key=lambda word: (-len(word), word))
    longer: dict[str, tuple[str, ...]] = {}
    for word in known:
        if len(word) > 1:
            longer[word[:2]] = (*longer.get(word[:2], ()), word)[:_MOST_ALIKE]
    firsts, lasts = frozenset(run[:2] for run in han), frozenset(run[-2:] for run in han)
    return QuestionWords(frozenset(kana), frozenset(known), longer, tuple(sorted(runs)), firsts, lasts, endings)


def is_grammar(term: str, words: QuestionWords) -> bool:
    """Tell whether a term of a question is one of grammar in Japanese or Korean, or a piece of an ending.

    >>> words = question_words("つまずきを検索する 검색하는 방법")
    >>> [is_grammar(term, words) for term in ("する", "まず", "検索", "하는", "검색")]
    [True, False, False, True, False]
    """
    if term.isascii():
        return False
    if term in _KOREAN_GRAMMAR:
        return True
    match = _RUN.match(term)
    if match is None or match.lastgroup != "hiragana":
        return False
    return not any(term in word for word in words.kana) if match.end() == len(term) else True


def whole_words(content: str, spans: Sequence[Window], query: str) -> tuple[Window, ...]:
    """Return the spans to mark of those at which a question's terms stand in a text, in order, without overlaps.

    >>> text = "データの検索をしたいとき、メタデータを使う"
    >>> found = whole_words(text, (Window(0, 12), Window(15, 18)), "データを検索したい")
    >>> [text[mark.start : mark.end] for mark in found]
    ['データ', '検索', 'データ']
    """
    words = question_words(query)
    marks: list[Window] = []
    for span in spans:
        text = content[span.start : span.end]
        if text.isascii() or not _CJK.search(text):
            marks.append(span)
            continue
        at = 0
        for start, end in _marked(content, span, words):
            if at and start == at:
                marks[-1] = Window(marks[-1].start, end)
            else:
                marks.append(Window(start, end))
            at = end
    return tuple(marks)


def _marked(content: str, span: Window, words: QuestionWords) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span to mark, in order."""
    last = 0  # where the part before ends, if it is kanji
    for piece in _RUN.finditer(content, span.start, span.end):
        start, end = piece.span()
        kind = piece.lastgroup
        if kind == "other":
            yield start, end
            continue
        run = _run_around(content, start, end, str(kind))
        if kind == "hiragana":
            yield from _kana_marks(content, (start, end), run, words, is_ending=last == start)
            continue
        found = list(_word_marks(content, (start, end), run, words, str(kind)))
        yield from found
        if kind == "han":
            last = end if found and found[-1][1] == end else 0


def _run_around(content: str, start: int, end: int, kind: str) -> tuple[int, int]:
    """Return where the run of one kind of script begins and ends that holds a part of the content; long ones are cut."""
    before, after = _AROUND[kind]
    first = before.search(content, max(0, start - _MAX_RUN), start)
    last = after.match(content, end, min(len(content), end + _MAX_RUN))
    return start if first is None else first.start(), end if last is None else last.end()


def _kana_marks(
    content: str, piece: tuple[int, int], run: tuple[int, int], words: QuestionWords, *, is_ending: bool
) -> Iterator[tuple[int, int]]:
    """Yield the part of a run of hiragana that is a word of the question, or the ending of a marked verb."""
    text = content[slice(*run)]
    if is_ending and (ending := _ending(content, piece[0], piece[1], words)):
        yield piece[0], piece[0] + ending
        return
    if not words.kana or len(text) > _MAX_RUN:
        return
    behind = _RUN.match(content, run[0] - 1, run[0]) if run[0] else None
    for word in sorted(_kana_words(text, behind is not None and behind.lastgroup == "han") & words.kana, key=len)[-1:]:
        at = run[0] + text.find(word)
        if piece[0] <= at and at + len(word) <= piece[1]:
            yield at, at + len(word)


def _ending(content: str, start: int, stop: int, words: QuestionWords) -> int:
    """Return how many characters of the hiragana behind a kanji are an ending that the question has behind it, too."""
    best = 0
    for ending in words.endings.get(one_spelling(content[start - 1]), ()):
        size = 0
        while size < min(len(ending), stop - start) and content[start + size] == ending[size]:
            size += 1
        common = content[start : start + size]
        if not common or common[0] in "はをがにでとものへや" or (size > 1 and _is_ending(common)):
            continue
        best = max(best, next(stop for stop in range(1, size + 1) if _is_ending(common[stop:])))
    return best


def _word_marks(
    content: str, piece: tuple[int, int], run: tuple[int, int], words: QuestionWords, kind: str
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run of kanji, katakana or hangul that are whole words of the text or of the question."""
    written = content[slice(*piece)]
    text = one_spelling(unicodedata.normalize("NFKC", written))
    word = without_final_marks(text)
    if word in words.whole and (len(text) > 1 or piece == run):
        yield piece
        return
    if kind == "hangul":
        if text in _KOREAN_GRAMMAR:
            return
        whole = unicodedata.normalize("NFKC", content[slice(*run)])
        if piece[0] == run[0] and (len(text) >= len(korean_stem(whole)) or any(own.startswith(text) for own in words.runs)):
            cut = 1 if len(written) == len(text) > 2 and text[-1] in "하되" and len(text) < len(whole) else 0
            yield piece[0], piece[1] - cut
            return
    else:
        begins = piece[0] == run[0] or (kind == "han" and text[:2] in words.firsts)
        ends = piece[1] == run[1] or (kind == "han" and text[-2:] in words.lasts)
        if begins and ends and (len(text) > 1 or kind == "katakana"):
            yield piece
            return
    if len(text) == len(written):
        yield from _words_inside(text, piece[0], words)


def _words_inside(text: str, shift: int, words: QuestionWords) -> Iterator[tuple[int, int]]:
    """Yield where words of the question of two characters or more stand in a text, the longest at each place."""
    at = size = 0
    while at < len(text) - 1:
        rest = len(text) - at
        # the stem of a verb behind a noun
        follows = size > 0 and rest <= _MAX_RUN and any(run.startswith(text[at:]) for run in words.runs)
        size = next((len(word) for word in words.longer.get(text[at : at + 2], ()) if text.startswith(word, at)), 0)
        size = max(size, rest) if follows else size
        if size:
            yield shift + at, shift + at + size
        at += size or 1


def _kana_words(run: str, is_behind_kanji: bool) -> set[str]:
    """Return what can be a word in a run of hiragana: without a particle before and the endings behind, or with them."""
    if len(run) > _MAX_RUN:
        return set()
    begins = [] if is_behind_kanji else [run]
    begins += [run[len(lead) :] for lead in _LEADING if run.startswith(lead)]
    words = {word[:stop] for word in begins for stop in range(2, len(word) + 1) if _is_ending(word[stop:])}
    return {word for word in words if len(word) > 1 and not _is_ending(word)}


@lru_cache(maxsize=4096)
def _is_ending(text: str) -> bool:
    """Tell whether a text of hiragana is empty or made of particles and auxiliaries."""
    reached = {0}
    for at in range(len(text)):
        if at in reached:
            sizes = range(1, min(_LONGEST_GRAMMAR, len(text) - at) + 1)
            reached.update(at + size for size in sizes if text[at : at + size] in _GRAMMAR)
    return len(text) in reached
