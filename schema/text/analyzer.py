"""Text → the terms a full-text search compares, and where terms and sentences are in a text.

One analysis serves sections and queries, so both always agree. Words of alphabetic scripts become lower-case words without
accents, endings taken off by Snowball's stemmers (Russian's for Cyrillic letters, English's for others); an identifier
(`max_tokens_per_section`, `--time-budget`, `OAuthClient`) becomes itself and its parts. Chinese and Japanese, written
without spaces, become characters in one spelling (`spelling`; hiragana left out, since one alone is a particle),
overlapping pairs of characters, and whole runs of kanji or katakana. Korean words become their stems (`stems`) and
pairs of syllables, so that 검색 meets 검색합니다. Other scripts without spaces (Thai, Lao, Khmer, Burmese) become pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice

import regex

from schema.text.dates import MARK, day_terms, days
from schema.text.normal_form import compatible, normal_form
from schema.text.ordinals import part_terms, parts
from schema.text.runs import (
    MAX_RUN,
    MAX_TERM_CHARACTERS,
    PART,
    RUN,
    RUN_CHARACTER,
    names_in,
    run_terms,
    word_terms,
)
from schema.text.sentences import TERM_LINE_END
from schema.text.spelling import one_spelling, word_end
from schema.text.stop_words import ACRONYMS

#: Matches that `term_spans` looks at in one text; more help nobody.
_MAX_MATCHES = 20_000

# don't, we'll and model's end with these; as terms of their own they would match everything
_CLITIC = regex.compile(r"(?<=\p{L})['’](?:s|t|d|m|re|ve|ll)\b", regex.IGNORECASE)
#: A word with asterisks in a script that sets blanks; elsewhere characters and pairs are found in any case.
_WITH_ASTERISKS = re.compile(r"(?<![\w*])(?=\w*+\*)(?>(?:[^\W\u0e00-\U0010ffff]|\*){3,128})(?![\w*])")
_ASTERISKS = re.compile(r"\*+")
#: Letters, digits and what joins them, perhaps behind a backslash, as Markdown escapes signs.
_WITH_ESCAPES = re.compile(r"[\w\-./:\\]{3,128}+")
#: An option or a name with underscores around it, of one word: its signs tell it from the word.
_SIGNED = re.compile(
    r"(?<![\w-])--[A-Za-z][A-Za-z0-9]{1,60}(?![\w-])|(?<!\w)__[A-Za-z][A-Za-z0-9_]{0,60}[A-Za-z0-9]__(?!\w)"
)
_ESCAPE = re.compile(r"\\([_\-./:])")
_ACRONYM = regex.compile(
    rf"(?<![\p{{Latin}}\p{{N}}_.'’-])(?:{'|'.join(sorted(ACRONYMS))})(?![\p{{Latin}}\p{{N}}_-]|\.\w|['’](?!s\b)\w)"
)
# searched backwards from a character: the run that holds it begins here, or after some characters that join words
_RUN_BEGIN = regex.compile(r"(?r)[\p{L}\p{M}\p{N}_\-./:]*", regex.VERSION1)
_ACCENT = re.compile("[\u00c0-\u024f\u1e00-\u1effЁёІіЇїЄєҐґأإآى]")
#: A word of Arabic may have an article or a preposition before it.
_ARABIC_LETTER = re.compile("[\u0620-\u064a]")
_WITHOUT_ACCENTS = {
    code: base
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00))
    if (base := unicodedata.normalize("NFKD", chr(code))[0]).isascii() and base.isalpha()
} | str.maketrans("ЁёІіЇїЄєҐґŁłĐđıØøأإآى", "ЕеИиИиЕеГгLlDdiOoاااي")  # as stemming does


def sets_blanks(letter: str) -> bool:
    """Tell whether a letter is of a script that sets blanks between words: one of those before Thai in Unicode.

    >>> [sets_blanks(letter) for letter in "aжงか검"]
    [True, True, False, False, False]
    """
    return letter < "\u0e00"


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence or line of a text, in order; those without a letter or digit are left out.

    >>> text = "One. Two\\n\\n三。四"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['One.', 'Two', '三。', '四']
    """
    start = 0
    for match in TERM_LINE_END.finditer(text):
        stop = match.group()[0]
        end = match.start() + 1 if stop in ".!?" else match.start() if stop in "\r\n" else match.end()
        if RUN_CHARACTER.search(text, start, end):
            yield start, end
        start = match.end()
    if RUN_CHARACTER.search(text, start):
        yield start, len(text)


def term_lines(text: str) -> Iterator[str]:
    """Yield the terms of each sentence in `sentence_spans`, in order, as one line with blanks between them, and behind them
    its `joined_terms`.

    >>> list(term_lines("One. Two\\n\\n三。四"))
    ['one', 'two', '三', '四']
    """
    for sentence in TERM_LINE_END.split(text):  # without the full stops, which are in no term
        line = " ".join((*terms(sentence), *joined_terms(sentence)))
        # in ASCII only letters and digits have terms; elsewhere a symbol such as ℃ has terms, too
        if line if sentence.isascii() else RUN_CHARACTER.search(sentence):
            yield line


def joined_terms(sentence: str) -> list[str]:
    """Return the terms of words that are emphasised in part, and of identifiers with escaped signs, as they are read:
    without the asterisks and backslashes. Before them stand the `marked_terms`.

    >>> joined_terms("**R**epresentational state of a **dead**letter, **bold** and 2**8")
    ['represent', 'deadlett']
    >>> joined_terms(r"Set MAX\\_RETRY\\_COUNT or \\-\\-dry\\-run in settings.py")
    ['max_retry_count', 'dry-run']
    >>> joined_terms("What `--set` and `__call__` do.")
    ['--set', '__call__']
    """
    found = marked_terms(sentence)
    found += _unescaped_terms(sentence) if "\\" in sentence else ()
    if "*" not in sentence:
        return found
    for match in _WITH_ASTERISKS.finditer(sentence):
        marks = _ASTERISKS.findall(match[0])
        parts = [part for part in _ASTERISKS.split(match[0]) if part]
        if len(parts) > 1 and len(marks) % 2 == 0 and marks[::2] == marks[1::2]:
            found += terms("".join(parts))
    return found


def marked_terms(text: str) -> list[str]:
    """Return the terms of what is one thing although its parts are terms too: `signed_terms`, `acronyms`, days, and numbered
    parts of rules and books."""
    return [*signed_terms(text), *acronyms(text), *day_terms(text), *part_terms(text)]


def is_mark(term: str) -> bool:
    """Whether a term stands for a day or a numbered part."""
    return term.startswith((MARK, "第", "제")) and len(term) > 2 and any(map(str.isdecimal, term))


def signed_terms(text: str) -> list[str]:
    """Return the options and dunder names of one word in a text with their signs; their word alone is a term anyway.

    >>> signed_terms("--force, --dry-run, -v and __init__ of force")
    ['--force', '__init__']
    """
    if "--" not in text and "__" not in text:
        return []
    return [found.lower() for found in _SIGNED.findall(text if text.isascii() else compatible(text))]


def acronyms(text: str) -> list[str]:
    """Return the words in capitals in a text that are names in place of stop words, as they are written.

    >>> acronyms("It is from the IT")
    ['IT']
    """
    return list(_ACRONYM.findall(text)) if any(map(text.__contains__, ACRONYMS)) else []


def _unescaped_terms(sentence: str) -> Iterator[str]:
    """Yield the terms of words with escaped signs that they do not have as they are typed."""
    for match in _WITH_ESCAPES.finditer(sentence):
        plain = _ESCAPE.sub(r"\1", match[0])
        if plain != match[0]:
            typed = frozenset(terms(match[0]))
            yield from (term for term in terms(plain) if term not in typed)


def term_spans(text: str, wanted: Collection[str]) -> list[tuple[int, int]]:
    """Return start and end of the `wanted` terms in a text, in no order; a run that holds several may come several times.

    >>> text = "Keys of max_tokens"
    >>> [text[start:end] for start, end in sorted(term_spans(text, {"key", "token"}))]
    ['Keys', 'tokens']
    >>> text = "ｻｰﾊﾞｰのＯＡＵＴＨ２"
    >>> [text[start:end] for start, end in sorted(term_spans(text, {"サーバ", "oauth2"}))]
    ['ｻｰﾊﾞｰ', 'ＯＡＵＴＨ２']
    """
    sought = frozenset(wanted)
    words = sorted(term for term in sought if sets_blanks(term[0]))
    plain, written = normal_form(text)
    runs, matches = _runs_with_words(plain, words)
    found: dict[str, list[tuple[int, int]]] = {}  # a text often holds a word many times
    spans: list[tuple[int, int]] = []
    for run in runs:
        word, begin = run.group(), run.start()
        if word not in found:
            found[word] = list(_spans_in_run(word, sought))
        spans += [(begin + start, begin + end) for start, end in found[word]]
    spans += _spans_without_blanks(plain, sorted(sought.difference(words)), most=_MAX_MATCHES - matches)
    if any(term.startswith(MARK) for term in sought):
        spans += [(day.start, day.end) for day in days(plain) if not sought.isdisjoint(day.terms)]
    if any(map(is_mark, sought)):
        spans += [(part.start, part.end) for part in parts(plain) if part.term in sought]
    if any(term.startswith(("--", "__")) for term in sought):
        spans += [match.span() for match in _SIGNED.finditer(plain) if match[0].lower() in sought]
    if not sought.isdisjoint(ACRONYMS):
        spans += [match.span() for match in _ACRONYM.finditer(plain) if match[0] in sought]
    return [written(start, end) for start, end in spans]


def _runs_with_words(text: str, words: list[str]) -> tuple[list[regex.Match[str]], int]:
    """Return the runs that may hold one of the words, each run once, and how many matches were looked at.

    Plain strings are searched, many times as fast as patterns: a word in a text begins as its term does, except perhaps
    for the term's last letter (try, tries → tri). `_spans_in_run` then compares the terms of the run.
    """
    folded = _lower_without_accents(text)
    in_run = bytearray(len(text) + 1)  # 1 for every character of a run that was found
    runs: list[regex.Match[str]] = []
    matches = 0
    for word in words:
        beginning = word[: max(2, len(word) - 1)]
        at = folded.find(beginning)
        while at >= 0 and matches < _MAX_MATCHES:
            matches += 1
            following = at + 1
            if in_run[at]:
                following = in_run.index(0, at)
            elif _may_begin_word(text, folded, at) and (run := _run_around(text, at)) is not None:
                in_run[run.start() : run.end()] = b"\1" * len(run.group())
                runs.append(run)
            at = folded.find(beginning, following)
    return runs, matches


def _lower_without_accents(text: str) -> str:
    """Return the text in lower case without the accents of Latin letters, each character at its old offset.

    Only İ becomes two characters in lower case, and it has lost its dot by then.
    """
    return (text if text.isascii() or not _ACCENT.search(text) else text.translate(_WITHOUT_ACCENTS)).lower()


def _may_begin_word(text: str, folded: str, at: int) -> bool:
    """Tell whether a word may begin at an offset: at a capital, or after what is no letter of a script with blanks."""
    before = folded[at - 1 : at]
    return _ARABIC_LETTER.match(before) is not None or text[at].isupper() or not (before.isalnum() and sets_blanks(before))


def _run_around(text: str, at: int) -> regex.Match[str] | None:
    """Return the run that holds the character at an offset; None if none does."""
    backwards = _RUN_BEGIN.search(text, max(0, at - MAX_TERM_CHARACTERS), at)
    begin = at if backwards is None else backwards.start()
    return next((run for run in RUN.finditer(text, begin, at + MAX_RUN) if run.end() > at), None)


def _spans_in_run(run: str, sought: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a run, or of its parts, that have a term that is sought, as offsets into the run."""
    found = word_terms(run)
    if sought.isdisjoint(found):
        return
    parts = list(PART.finditer(run))
    if len(parts) > 1 and found[0] in sought:
        yield 0, len(run)
    yield from ((start, end) for name, start, end in names_in(run) if name in sought)
    for part in parts:
        if not sought.isdisjoint(word_terms(part.group())):
            yield part.span()


def _spans_without_blanks(text: str, sought: list[str], *, most: int) -> list[tuple[int, int]]:
    """Return at most so many spans of terms in scripts without blanks; such a term is in the text as it is."""
    spelt = one_spelling(text)
    spans: list[tuple[int, int]] = []
    for term in sought:
        starts = islice(_starts(spelt, term), most - len(spans))
        spans += [(start, word_end(spelt, start + len(term))) for start in starts]
    return spans


def _starts(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order of appearance, repeats kept; empty for a text without letters or digits.

    >>> terms("Set max_tokens, then restart")
    ['set', 'max_tokens', 'max', 'token', 'then', 'restart']
    >>> terms("検索する")
    ['検', '検索', '索', '索す', 'する', '検索']
    >>> terms("검색합니다")
    ['검색', '색합', '합니', '니다']
    """
    return run_terms(searchable(text))


def searchable(text: str) -> str:
    """Return a text as its terms are found in it: in one spelling and form, without what ends don't and we'll."""
    plain = text if text.isascii() else one_spelling(compatible(text))
    return _CLITIC.sub("", plain) if "'" in plain or "’" in plain else plain
