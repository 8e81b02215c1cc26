"""A query with misspelt words → the same query with words of the index in their place.

A word that no section has is respelt if one change of a letter makes a word that some section has, as Damerau (1964) found
for four of five misspelt words. Words of a language that only are not in the index must stay as they are: a model's
vocabulary, made of what people write, tells both. It takes a word that it knows for one token and others for several.
Loanwords in katakana and Hangul are read as the form in which sections have them (`loanwords`), and where sections hardly
have their letters, as the English word that sections have (`transliteration`). A word in one kana is read in the other where
sections have it so. docs/retrieval-log.md has the measurements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import NamedTuple

import regex

from schema.text.analyzer import terms
from schema.text.spelling import without_final_marks
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.loanwords import hangul_forms, in_hiragana, in_katakana, katakana_forms
from search.ranking.sounds import is_surely_loanword
from search.ranking.transliteration import NO_ENGLISH, NOUNS_BEHIND, EnglishWords, Meanings, of_one_syllable

#: Characters of a word that is respelt, and how many words of a query are looked at.
_SHORTEST, _LONGEST, _MOST_WORDS = 4, 20, 12
#: A word of at most so many characters is respelt only as a single token or as fewer tokens than it is, since a name may be
#: near some word by chance; and one of at most so many not with another letter in place of one.
_SHORT, _VERY_SHORT = 6, 5
#: A word that people write, as a vocabulary of tokens tells, is respelt only as one that stands so many times nearer to the
#: beginning of that, by the mistake: where letters changed places or one is doubled (`occurred` is written far more often
#: than `occured`), where a vowel stands for a vowel (`seperate`), and for any other.
_NEARER_BY_SLIP, _NEARER_BY_VOWEL, _NEARER = 3.3, 9, 20
#: Forms of a word that are looked for in texts.
_MOST_FORMS = 3
_DOUBLED = regex.compile(r"(.)\1")
#: How likely each mistake is beside a letter replaced by any other, for which there are most possibilities: two neighbours
#: that changed places or a letter too many, one of a pair that is missing, any that is missing, a vowel for a vowel.
_SLIPPED, _SINGLE, _MISSING, _VOWEL = 20, 8, 3, 3
_VOWELS = frozenset("aeiouy")
#: Letters of a loanword in katakana, and syllables of one in Hangul, at least, of which another form is looked for: shorter
#: ones are near too many words. And letters of either for which an English word is.
_SHORTEST_KATAKANA, _SHORTEST_HANGUL, _SHORTEST_LOANWORD = 5, 3, 2
#: Letters of a word in one kana that is looked for in the other.
_SHORTEST_KANA = 3
#: A form in Hangul that at most so many sections have is read as another one that so many times as many have.
_SELDOM, _COMMONER = 2, 20
#: A loanword that at most this share of the sections has stands for its English word too if so many times as many have that,
#: but at most this share of all.
_RARE, _MUCH_COMMONER, _MOST_HOLDERS = 0.03, 5, 0.5
#: A text in quotes, or what is neither a word nor a part of an identifier or address; else a word in Latin letters, in
#: katakana or in Hangul.
_WORDS = regex.compile(
    r"""(?:"[^"]{1,300}"|“[^”]{1,300}”|「[^」]{1,300}」|『[^』]{1,300}』)(*SKIP)(*FAIL)"""
    rf"|(?<![^\s(,;])(?P<latin>(?=[A-Za-z]{{{_SHORTEST},{_LONGEST}}}+(?![A-Za-z]))[A-Za-z][a-z]+(?:[A-Z][a-z]+)*+)"
    r"(?=[\s),;.?!]*(?:[\s),;]|\Z))"
    rf"|(?P<hiragana>[ぁ-ゖ][ぁ-ゖー]{{{_SHORTEST_KANA - 1},{_LONGEST - 1}}}+)(?![ぁ-ゖー])"
    rf"|(?P<katakana>[ァ-ヺ][ァ-ヺー]{{{_SHORTEST_LOANWORD - 1},{_LONGEST - 1}}}+)(?![ァ-ヺー])"
    rf"|(?<![가-힣])[가-힣]{{1,{_LONGEST}}}+(?![가-힣])"
)
#: The endings that a word has as the same word, which the analyzer cuts off.
_ENDING = regex.compile("(?:e?s|e|e?d|y|[a-z]?ings?|[a-z]?ers?|[a-z]?ed|ly|i?es|i?ed)?")
#: Words of a name that is looked for in English, at most, what stands between them, a loanword, and the particles that may
#: stand behind one in Korean.
_MOST_IN_NAME, _JOINTS = 4, regex.compile(r"[\s・]+")
_LOANWORD = regex.compile(rf"[ァ-ヺ][ァ-ヺー]{{{_SHORTEST_LOANWORD - 1},{_LONGEST - 1}}}|[가-힣]{{2,{_LONGEST}}}")
_BEHIND_NAME = frozenset("은는이가을를의란")
#: Particles between words that are written in hiragana without blanks.
_PARTICLES = frozenset("のをがはにでともへや")
#: The endings by which a Korean question asks what something is.
_ASKS_WHAT = frozenset({"란", "이란"})
#: A word that may be one syllable with a particle, of which the analyzer makes no stem.
_SHORT_WITH_PARTICLE = regex.compile("[가-힣][은는이을를의에와과]")


class Reading(NamedTuple):
    """A query as it is read, as a model reads it, and whether loanwords in it are read as English words.

    Loanwords that the model knows are as they were typed in `for_model`: among words of its language it knows them better.
    `synonyms` has, by term of loanwords that stay as they are, the terms of the English words. `english_name` has those
    of a few words that are all loanwords, "" for any other query.
    """

    text: str
    for_model: str
    is_translated: bool
    synonyms: Synonyms
    english_name: str = ""


def respelt(
    text: str,
    vocabulary: Vocabulary,
    *,
    is_held: Callable[[str], bool],
    meanings: Meanings,
    fewer: int = 0,
    is_at_home: Callable[[str], bool] = lambda _: True,
    place: Callable[[str], float] = lambda _: math.inf,
    texts_with: Callable[[str], Iterable[str]] | None = None,
) -> Reading:
    """Read a query with its misspelt words as some section has them; its text stays the same if there are none.

    `is_held` tells whether a section holds a term, `meanings` what a model knows of words, `fewer` how many fewer tokens a
    word must have than what was typed, `is_at_home` whether more than a few sections are in the language of a word, and
    `place` where a word stands among those that people write, the commonest first. `texts_with` gives texts of some sections
    that hold a term: one of them must have the word as it would be read.

    Left as they are: words in quotes, words with digits or signs, the beginnings of words that sections have, those which
    the model knows or people write about as often as what they would be read as, and loanwords that sections have, which
    may get English synonyms.
    """
    left = _MOST_WORDS
    is_translated = False
    synonyms: dict[str, tuple[str, ...]] = {}
    english = EnglishWords(vocabulary, meanings) if meanings.can_tell else None
    # a pair of syllables of one word may be another one, as 이전 of 에이전트
    stems = {_stem(match.group()) for match in _WORDS.finditer(text) if not match["latin"]}

    def meant(match: regex.Match[str]) -> tuple[str, str]:
        """How a word is read, and how the model reads it."""
        nonlocal left, is_translated
        word = str(match.group())
        if match["hiragana"]:  # nearly every Japanese question has some
            return (_with_katakana(word, vocabulary),) * 2
        left -= 1
        if left < 0:
            return word, word
        if match["latin"]:
            likely = _meant(word, vocabulary, is_held, meanings.tokens, fewer, place)
            form = next((_in_case_of(word, other) for other in likely if _is_written(other, texts_with)), "")
        else:
            form = (_katakana if match["katakana"] else _hangul)(word, vocabulary, is_held)
            form = form or (match["katakana"] and _in_hiragana(word, vocabulary, is_held, texts_with)) or ""
            translated, is_familiar = "", False
            if not form and english is not None:
                translated, is_familiar = _english(word, vocabulary, is_held, english, is_at_home(word))
            if translated:
                is_translated = True
                return translated, word if is_familiar else translated
            if english is not None:
                found = _synonyms(form or word, vocabulary, english)
                synonyms.update({term: meant for term, meant in found.items() if term not in stems - {_stem(word)}})
        return form or word, form or word

    parts: list[tuple[str, str]] = []
    end = 0
    for match in _WORDS.finditer(text):
        parts += [(text[end : match.start()],) * 2, meant(match)]
        end = match.end()
    words, for_model = ("".join(some) for some in zip(*parts, (text[end:],) * 2, strict=True))
    return Reading(words, for_model, is_translated, synonyms, _english_name(text, english) if english is not None else "")


def _english_name(text: str, english: EnglishWords) -> str:
    """The English words of a few words that are all loanwords or English, as a name that documents may have in English; ""
    for any other text.
    """
    words = _JOINTS.split(text.strip())
    if len(words) > _MOST_IN_NAME or not any(map(_LOANWORD.fullmatch, words)):
        return ""
    found = [_in_english(word, english) for word in words]
    return " ".join(found) if all(found) else ""


def _in_english(word: str, english: EnglishWords) -> str:
    """A word in English, or the English word of a loanword; "" for any other word."""
    if not _LOANWORD.fullmatch(word):
        return word if word.isascii() and word.isalpha() else ""
    if not _is_hangul(word):
        found = english.of_katakana(word)
    else:
        found, ending = english.of_hangul(word, _stem(word))
        found = found if word.endswith(ending) and ending in ("", *_BEHIND_NAME) else NO_ENGLISH
    return found.word if found.is_known else ""


def _meant(
    word: str,
    vocabulary: Vocabulary,
    is_held: Callable[[str], bool],
    tokens: Callable[[Sequence[str]], Sequence[int]],
    fewer: int,
    place: Callable[[str], float],
) -> list[str]:
    """The words that a misspelt one may stand for, the likeliest first, as far as sections have their roots."""
    folded = word.lower()
    term = _term(folded)
    if not term or is_held(term) or (most := tokens([folded])[0]) < 2:
        return []
    chances: dict[str, int] = {}
    for other, chance in _changed(folded):
        chances[other] = max(chance, chances.get(other, 0))
    term_of = {other: _term(other) for other in chances}
    held = _holders(term_of, vocabulary)
    longer = vocabulary.has_longer(folded)
    likely = [other for other in held if not longer or other.startswith(folded)]
    sizes = dict(zip(likely, tokens(likely), strict=True)) if likely else {}
    if word[1:].islower():
        # sections have roots: where the mistake is in the ending, the word with another ending may be one that nobody writes
        roots = {other: term_of[other] for other in sizes if sizes[other] >= most and folded.startswith(term_of[other])}
        odd = {other for other, root in roots.items() if not _ENDING.fullmatch(other[len(root) :])}
        sizes = {other: size for other, size in sizes.items() if other not in odd}
    known = (folded, folded.removesuffix("s"), term)  # its root may be better known than the word
    own = next(filter(math.isfinite, map(place, known)), math.inf) if sizes else math.inf
    if own < math.inf:
        sizes = {other: size for other, size in sizes.items() if _is_commoner(other, folded, place(other), own)}

    def fits(other: str) -> bool:
        least = max(fewer, 1) if len(word) <= _SHORT and sizes[other] > 1 else fewer
        return sizes[other] <= most - least

    likely = sorted(sizes, key=lambda other: (sizes[other], -chances[other] * held[other] ** 0.5))
    return list(filter(fits, likely))[:_MOST_FORMS]


def _is_written(word: str, texts_with: Callable[[str], Iterable[str]] | None) -> bool:
    """Whether sections have a word as it is, and not only another one with its root."""
    written = regex.compile(rf"(?<![a-z]){word}(?![a-z])", regex.IGNORECASE)
    return texts_with is None or any(written.search(text) is not None for text in texts_with(_term(word)))


def _is_commoner(other: str, word: str, place: float, own: float) -> bool:
    """Whether a word at a place among those that people write is so much commoner than another one at its `own` place that
    this is a mistake for it; what has one letter more, as systemd, never is."""
    if sorted(other) == sorted(word) or _DOUBLED.sub(r"\1", other) == _DOUBLED.sub(r"\1", word):
        return _NEARER_BY_SLIP * place <= own
    differ = [{one, two} for one, two in zip(word, other, strict=False) if one != two]
    is_vowel = len(other) == len(word) and len(differ) == 1 and differ[0] <= _VOWELS
    return (_NEARER_BY_VOWEL if is_vowel else _NEARER) * place <= own and other != word[:-1]


def _in_case_of(word: str, other: str) -> str:
    """Another spelling of a word, in small letters, with the capitals that the word has.

    >>> _in_case_of("MockAgnet", "mockagent")
    'MockAgent'
    """
    same = [one == two for one, two in zip(word.lower(), other, strict=False)]
    begin = same.index(False) if False in same else len(same)
    same = [one == two for one, two in zip(reversed(word.lower()), reversed(other), strict=False)]
    end = min(same.index(False) if False in same else len(same), len(same) - begin)
    return word[:begin] + other[begin : len(other) - end] + word[len(word) - end :]


def _katakana(word: str, vocabulary: Vocabulary, is_held: Callable[[str], bool]) -> str:
    """The form of a word in katakana that sections have; "" if they have this one, or none."""
    if len(word) < _SHORTEST_KATAKANA or is_held(without_final_marks(word)):
        return ""
    return _commonest({form: without_final_marks(form) for form in katakana_forms(word)}, vocabulary)[0]


def _in_hiragana(
    word: str,
    vocabulary: Vocabulary,
    is_held: Callable[[str], bool],
    texts_with: Callable[[str], Iterable[str]] | None,
) -> str:
    """A word of katakana in hiragana, if sections have it so and not as it is; else ""."""
    other = in_hiragana(word)
    if texts_with is None or len(word) < _SHORTEST_KANA or is_held(without_final_marks(word)):
        return ""
    counts = vocabulary.frequencies(set(terms(other)))
    if not counts or len(counts) < len(set(terms(other))):
        return ""
    rarest = min(counts, key=counts.__getitem__)
    return other if any(other in text for text in texts_with(rarest)) else ""


def _with_katakana(run: str, vocabulary: Vocabulary) -> str:
    """A run of hiragana in which words that sections have in katakana, and not in hiragana, are so; they begin and end with
    the run or at a particle."""
    begins = [at for at in range(len(run)) if not at or run[at - 1] in _PARTICLES]
    ends = [at for at in range(len(run), 0, -1) if at == len(run) or run[at] in _PARTICLES]
    words = {run[begin:end] for begin in begins for end in ends if end - begin >= _SHORTEST_KANA}
    held = _holders({word: without_final_marks(in_katakana(word)) for word in words}, vocabulary)
    known = {word for word in held if len(vocabulary.frequencies(own := set(terms(word)))) == len(own)}
    parts, at = [], 0
    while at < len(run):
        word = next((run[at:end] for end in ends if run[at:end] in held.keys() - known), "")
        parts.append(in_katakana(word) or run[at])
        at += len(word) or 1
    return "".join(parts)


def _hangul(word: str, vocabulary: Vocabulary, is_held: Callable[[str], bool]) -> str:
    """The word with the form of its stem that sections have, or far more of them; "" if that is its own."""
    stem = terms(word)[0]
    held = vocabulary.frequency(stem)
    if len(stem) < _SHORTEST_HANGUL or not word.startswith(stem) or held > _SELDOM or (not held and is_held(stem)):
        return ""
    best, count = _commonest({form: form for form in hangul_forms(stem)}, vocabulary)
    return best + word[len(stem) :] if best and count >= _COMMONER * held else ""


def _english(
    word: str, vocabulary: Vocabulary, is_held: Callable[[str], bool], english: EnglishWords, is_at_home: bool
) -> tuple[str, bool]:
    """The English word that a loanword was made of, with the ending of a Korean one, and whether the model takes it for that
    anyway; "" if sections have it as it is typed, or mostly the letters that it is written with where that language
    `is_at_home`."""
    stem = _stem(word)
    is_short = len(word) < _SHORTEST_LOANWORD or (_SHORT_WITH_PARTICLE.fullmatch(word) and not is_surely_loanword(word))
    is_hangul = _is_hangul(word)
    is_syllable = is_hangul and bool(of_one_syllable(word))
    if is_short and not is_syllable:
        return "", False
    stem = stem[0] if is_syllable else stem
    pairs = [word[at : at + 2] for at in range(len(stem) - 1)]
    counts = vocabulary.frequencies({stem, *pairs})
    if (
        is_held(stem)
        or (is_hangul and stem[-1] in NOUNS_BEHIND and is_held(stem[:-1]))
        or (is_at_home and 2 * sum(counts.get(pair, 0) > _SELDOM for pair in pairs) > len(pairs))
    ):
        return "", False
    if is_hangul:
        found, ending = english.of_hangul(word, stem)
        is_behind_noun = ending in _ASKS_WHAT or ending in _BEHIND_NAME
        return found.word and f"{found.word} {'' if is_behind_noun else ending}".strip(), found.is_familiar
    found = english.of_katakana(word)
    # Japanese sets no blanks between words, English does
    return found.word and f" {found.word} ", found.is_familiar


def _stem(word: str) -> str:
    """The term that a whole word in katakana or Hangul has, without its ending."""
    return terms(word)[0] if _is_hangul(word) else without_final_marks(word)


def _is_hangul(word: str) -> bool:
    return word[0] >= "가"


def _synonyms(word: str, vocabulary: Vocabulary, english: EnglishWords) -> dict[str, tuple[str, ...]]:
    """By each term of a loanword that few sections have, the term of its English word, if many more have that."""
    stem = _stem(word)
    if _SHORT_WITH_PARTICLE.fullmatch(stem):
        stem = stem[0]
    held = vocabulary.frequency(stem)
    if held > _SELDOM and vocabulary.share(stem) > _RARE:
        return {}
    found = english.of_hangul(word, stem)[0] if _is_hangul(word) else english.of_katakana(word)
    term = _term(found.word) if found.is_known else ""
    if not term or vocabulary.frequency(term) < _MUCH_COMMONER * max(1, held) or vocabulary.share(term) > _MOST_HOLDERS:
        return {}
    meant = (term,) if stem in terms(word) else (stem, term)
    return dict.fromkeys(terms(word), meant)


def _commonest(term_of: Mapping[str, str], vocabulary: Vocabulary) -> tuple[str, int]:
    """Of words with their terms the one that most sections have, and how many; "" and 0 if none has one."""
    counts = _holders(term_of, vocabulary)
    return max(counts.items(), key=lambda item: item[1], default=("", 0))


def _holders(term_of: Mapping[str, str], vocabulary: Vocabulary) -> dict[str, int]:
    """How many sections hold each of some words, which are given with their terms, without those that none holds."""
    found = vocabulary.frequencies(set(term_of.values()))
    return {word: found[term] for word, term in term_of.items() if term in found}


def _term(word: str) -> str:
    """The only term of a word; "" for several."""
    found = terms(word)
    return found[0] if len(found) == 1 else ""


def _changed(word: str) -> Iterator[tuple[str, int]]:
    """Yield the words that differ in one letter, or in the order of two neighbours, each with how likely the mistake is; the
    first letter is seldom wrong."""
    yield word[1] + word[0] + word[2:], _SLIPPED
    for at in range(1, len(word)):
        before, letter, after = word[:at], word[at], word[at + 1 :]
        if after:
            yield before + after[0] + letter + after[1:], _SLIPPED
        yield before + after, _SLIPPED
        for other in ascii_lowercase:
            yield before + other + letter + after, _SINGLE if other in (letter, before[-1]) else _MISSING
            if len(word) > _VERY_SHORT:
                yield before + other + after, _VOWEL if {letter, other} <= _VOWELS else 1
    for other in ascii_lowercase:
        yield word + other, _SINGLE if other == word[-1] else _MISSING
        yield other + word, 1  # the first letter is missed, and never another one
