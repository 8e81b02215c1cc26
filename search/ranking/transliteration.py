"""A loanword in katakana or Hangul → the English word that it was made of, if sections have that word.

This is back-transliteration (Knight and Graehl 1998): the sounds of the word become a pattern of English spellings, and the
words of the index that match it are compared by their meaning with a model that knows both languages. Sound alone would take
クレート for "create" as well as for "crate", and a Korean word that is no loanword for one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from string import ascii_lowercase
from typing import NamedTuple

import regex

from schema.text.analyzer import terms
from schema.text.query_words import LIGHT_TERMS, STOP_TERMS
from search.index.vocabulary import Vocabulary
from search.ranking.sounds import hangul_sounds, is_surely_loanword, katakana_sounds

_SOFT, _HARD, _CLOSED = "(?=[eiy])", "(?![eiy])", "(?![aeiouy])"
#: How English spells each sound; silent letters are added by `_pattern`.
_CONSONANTS = {
    "k": f"ck|cc?{_HARD}|ch(?=[aemor])|k|q(?=u)", "g": "gg|gu(?=[aei])|g", "s": f"ss|s|sc{_SOFT}|c{_SOFT}|th", "z": "zz|z|s",
    "t": "tt|t|th", "d": "dd|d", "n": "nn|kn|n", "h": "h|wh", "b": "bb|b|v", "p": "pp|p", "m": "mm|m", "y": "y|i|e|",
    "r": "rr|wr|r|ll|l", "w": "wh|w|u|o(?=[ui])|", "wh": "wh", "v": "v|b", "kw": "c?qu|kw|ckw?|cu", "f": "ff|f|ph|h(?=oo)",
    "sh": f"sh|ss?|c{_SOFT}|che|t(?=ion)|[tc]i(?=a)", "j": f"j|dg|g{_SOFT}|d(?=u)|s(?=[iu])",
    "ch": "tch|ch|t(?=[uie])", "ts": "ts|tz|t", "N": "nn|n|mm|m", "ng": "ng",
    "x": "x|c?ks|cs", "xi": "xy|xi", "d/th": "dd|d|th", "b/v": "bb|b|v",
    "p/f": "pp|p|ff|f|ph", "j/z": f"j|dg|g{_SOFT}|z|(?<=[a-z])s|d(?=u)", "K": f"ck|c{_HARD}|k|g|que|ct(?=$)",
    "T": "tt|t|ght|te|d", "P": "pp|p|b",
}  # fmt: skip
_VOWELS = {
    "a": f"ua|a|u|[eoa]r{_CLOSED}|[eo](?=r)|e(?=nt)|o(?=[vmnptdbk]|ck)|re",
    "i": "i|e|y|ea|ee|a(?=ge|te)|(?:ie|ey)(?=$)|(?<=[bg])ui", "u": "u|oo|o|ew",
    "e": "e|a|ea|ai", "o": f"o|or{_CLOSED}|au|aw|oa|a(?=[lnt])", "eo": "er|or|ar|ir|ur|ure|re|e|u|o|a|ou",
    "a:": "ar|er|or|ir|ur|a|ear|uar", "i:": "ea|ee|e(?!tt|ss|ll|rr)|i(?![a-z]e)|y|ie|ey|ear|eer", "u:": "oo|u|ue|ew|ou|ui",
    "e:": "a(?!ll|tt|ss|rr|[a-z]{2}e)|ai|ay|ei|ea(?=k)|(?<=gr)ea|e(?![a-z]e|tt|ss|ll|rr)",
    "o:": "o|oa|ow|ou|aw|au|or|a(?=l)|oar|ore|our",
    "ai": "i|y|igh|ie|ai|ia", "au": "ou|ow", "oi": "oi|oy", "-": "e|oo?|u|i|a|",
    "tion": "tion|ss?ion", "sion": "sion", "ture": "ture|cher|char|tcher", "sure": "sure|ger|dure|ja", "ing": "ing",
}  # fmt: skip
#: Consonants that may have a silent e behind them where a vowel follows, and vowels that have none at the end of a word.
_BEFORE_SILENT, _LAST = frozenset("KTPm"), frozenset(("i", "i:", "eo", "a", "-"))
#: Endings that the analyzer takes from an English word.
_ENDINGS = (
    "",
    *"er e or ing ion ation ator able ible al ic ence ance y ment age s ure ive ity ics ed ency ent ant ize ist".split(),
)
#: What a cosine must be, by the model: for katakana of one, two, three, and four letters or more (ー counts as none); and
#: for Hangul of as many syllables, since short words sound like an English one by chance, and less for words with syllables
#: that hardly any but loanwords have.
_LEAST = {"use-multilingual-v3": ((0.44, 0.44, 0.44, 0.36), (0.5, 0.55, 0.5, 0.35), (0.5, 0.4, 0.33, 0.22))}
#: What less it must be for a word of four syllables or more that may be no loanword, where one term of so many letters
#: sounds so and no other does.
_ALONE, _LONG_ALONE = 0.05, 7
#: The cosine from which on the model takes the loanword itself for the English word.
_FAMILIAR = 0.8
#: The cosine from which on a word that is not known stands for a loanword in Hangul that is surely one; and the one for so
#: many syllables and at most so many tokens.
_LIKELY, _LONG_HANGUL, _FEW_TOKENS = (0.45, 0.3), 4, 2
#: The same for a word that may be no loanword by its syllables, such as 미들웨어 (middleware).
_LIKELY_IF_UNSURE = 0.6
#: What a word gains over others by the logarithm of how many sections hold it.
_COMMON = 0.06
#: A term that so many sections hold is a word, known to a model or not; of so many letters for a word in Hangul.
_COMMON_HERE, _LONG_ENGLISH = 5, 6
#: Words that are compared by meaning, and terms of the index by sound for one query, at most.
_MOST_COMPARED, _MOST_TERMS = 6, 100_000
#: Letters at the beginning of terms by which most of those are left out that sound otherwise.
_FIRST_LETTERS = 5
#: Letters of a part of a word in katakana, and of an English word that is not one token or that Hangul stands for, at least.
_SHORTEST_PART, _SHORTEST_ENGLISH = 3, 4
_FIRST_SYLLABLE = "가"
#: The end of a word whose last letter is doubled before an ending.
_DOUBLED = regex.compile(r"[^aeiou][aeiou][bdgklmnprt]\Z")
#: What Korean verbs made of loanwords begin with behind these, in all their forms; and nouns that stand behind a loanword
#: without a blank, such as value, name, form, use, kind, method, rate and field. The analyzer takes most for the stem's.
_VERBS, NOUNS_BEHIND = frozenset("하한할함합했해되된될됨됩됐돼인입"), frozenset("값명형화용별법률식란")
#: The ending of a noun that loanwords end with too, as 로그인 (login) does, so that the analyzer takes it from them.
_LIKE_ENDING = "인"
#: A loanword of at most so many syllables before a verb must be so near.
_SHORT_HANGUL, _SURE = 2, 0.75
#: Loanwords that lack the end of the English word, and so sound like another one ("apply").
_SHORTENED = {"アプリ": "app", "インフラ": "infrastructure", "リポ": "repository", "コンフィグ": "config"}
#: Loanwords of one syllable: sounds and meanings do not tell them from other words (두, two, is near to "due"). And what may
#: stand behind them.
_ONE_SYLLABLE = dict(
    pair.split(":")
    for pair in (
        "훅:hook 휠:wheel 셸:shell 쉘:shell 큐:queue 맵:map 탭:tab 폼:form 앱:app 키:key 봇:bot 툴:tool 뷰:view "
        "칩:chip 팁:tip 힙:heap 팟:pod 롤:role 룰:rule 핑:ping 락:lock 콜:call 웹:web 홈:home 팀:team 핀:pin 존:zone "
        "폰:phone 링:ring 캡:cap"
    ).split()
)
_BEHIND = regex.compile("[은는이가을를의에와과도만]|에서|에게|으로|로|까지|부터|마다|처럼|이?란")
#: A word begins with none of these.
_NEVER_FIRST = frozenset("ーッンァィゥェォャュョ")


class English(NamedTuple):
    """An English word, "" for none, its cosine with the loanword, and whether a model or the index knows it as a word."""

    word: str
    near: float
    is_known: bool

    @property
    def is_familiar(self) -> bool:
        """Whether the model knows that the loanword is this word."""
        return self.near >= _FAMILIAR


#: No English word.
NO_ENGLISH = English("", 0.0, False)


@dataclass(frozen=True, slots=True)
class Meanings:
    """What a model knows of words: `tokens` says how many tokens it makes of each of some words, `cosines` how near each of
    some words is to a first one in another language, and `model` is the name of the one that compares them. `found` keeps
    the English words of loanwords that were looked up in the same index."""

    model: str
    tokens: Callable[[Sequence[str]], Sequence[int]]
    cosines: Callable[[str, Sequence[str]], Sequence[float]]
    found: dict[str, English] = field(default_factory=dict)

    @property
    def can_tell(self) -> bool:
        """Whether it is known what the model's cosines mean."""
        return self.model in _LEAST


class EnglishWords:
    """The English words of an index, found by the sounds of loanwords and the meanings that they share."""

    def __init__(self, vocabulary: Vocabulary, meanings: Meanings) -> None:
        self._vocabulary = vocabulary
        self._meanings = meanings
        self._least = _LEAST[meanings.model]
        self._terms_left = _MOST_TERMS

    def of_katakana(self, word: str) -> English:
        """The English word, or the two words, of a word in katakana."""
        if word in _SHORTENED and self._vocabulary.frequencies(terms(_SHORTENED[word])):
            return English(_SHORTENED[word], 1.0, is_known=True)
        best = self._of(word)
        ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1) if not best.is_known else ()
        for at in ends:
            first, second = self._of(word[:at]), self._of(word[at:]) if word[at] not in _NEVER_FIRST else NO_ENGLISH
            near = (first.near + second.near) / 2
            if first.is_known and second.is_known and near > best.near:
                best = English(f"{first.word} {second.word}", near, is_known=False)
        return best

    def of_hangul(self, word: str, stem: str) -> tuple[English, str]:
        """The English word of a word in Hangul, and what follows it: an ending, or a noun of one syllable."""
        if (known := self._of_one_syllable(word)) is not None:
            return known
        ends = (*range(len(stem), len(word) + 1), *_ends_before_verbs_and_nouns(word, stem))
        noun = (len(stem) + 1,) if word.startswith(_LIKE_ENDING, len(stem)) else ()
        for end in dict.fromkeys((*noun, *ends)):
            found = self._of(word[:end])
            is_short = len(found.word) < _SHORTEST_ENGLISH and not (found.is_familiar and end > 1)
            if (found.is_known or found.is_familiar) and not is_short and found.near >= self._least_of_part(word, stem, end):
                return found, word[end:]
        return NO_ENGLISH, ""

    def _of_one_syllable(self, word: str) -> tuple[English, str] | None:
        """The English word of a loanword of one syllable, and what is behind it; None if it is none that sections have."""
        english = of_one_syllable(word)
        is_here = bool(english) and bool(self._vocabulary.frequencies(terms(english)))
        return (English(english, 1.0, is_known=True), word[1:]) if is_here else None

    def _least_of_part(self, word: str, stem: str, end: int) -> float:
        """What the cosine of the beginning of a word must be, beyond what it must be for any word."""
        if end == len(stem):
            return 0.0
        # what follows a stem is an ending mostly, and seldom a part of the word, as 로 of 매크로 is
        by_length = (0.0, self._least[1][1]) if end > min(len(stem), _SHORT_HANGUL) else (self._least[1][1], _SURE)
        return by_length[not is_surely_loanword(word[:end])]

    def _of(self, word: str) -> English:
        """The English word that sounds so and is nearest in meaning, if it is near enough."""
        found = self._meanings.found.get(word)
        if found is None:
            is_hangul = word[0] >= _FIRST_SYLLABLE
            pattern = _pattern(hangul_sounds(word) if is_hangul else katakana_sounds(word))
            words = self._sounding(pattern) if pattern is not None else {}
            found = self._nearest(word, words)
            found = found if found.near >= self._least_of(word, words.values()) else NO_ENGLISH
            if self._terms_left >= _MOST_TERMS // 2:  # else another query may look at more
                self._meanings.found[word] = found
        return found

    def _least_of(self, word: str, words: Collection[tuple[str, int]]) -> float:
        """What the cosine of a word with its English word must be, where these terms sound so."""
        if word[0] < _FIRST_SYLLABLE:
            letters = len(word.replace("ー", ""))
            return self._least[0][min(letters, len(self._least[0])) - 1]
        is_sure = is_surely_loanword(word)
        by_length = self._least[1 + is_sure]
        is_long = len(word) >= _LONG_HANGUL and all(len(term) >= _LONG_ALONE for term, _ in words)
        is_alone = is_long and not is_sure and len(set(words)) == 1
        return by_length[min(len(word), len(by_length)) - 1] - (_ALONE if is_alone else 0.0)

    def _nearest(self, word: str, words: Mapping[str, tuple[str, int]]) -> English:
        """The likeliest of some words, which are given with their term and with how many sections hold it."""
        if not words:
            return NO_ENGLISH
        sizes = dict(zip(words, self._meanings.tokens(list(words)), strict=True))
        known, others = self._known(word, words, sizes)
        most = _MOST_COMPARED if known or is_surely_loanword(word) else 1
        likely = sorted(known or others, key=lambda one: (-words[one][1], one))[:most]
        near = dict(zip(likely, self._meanings.cosines(word, likely), strict=True))
        best = max(near, key=lambda one: near[one] + _COMMON * log(words[one][1]))
        if known:
            return English(best, near[best], is_known=True)
        term, count = words[best]
        is_long = len(word) >= _LONG_HANGUL and sizes[best] <= _FEW_TOKENS
        least = _LIKELY[is_long] if is_surely_loanword(word) else _LIKELY_IF_UNSURE
        is_told = is_surely_loanword(word) or len(word) > _SHORT_HANGUL
        is_likely = word[0] >= _FIRST_SYLLABLE and is_told and near[best] >= least and count >= _COMMON_HERE
        return English(self._written(best, term), near[best], is_likely)

    def _is_of_two(self, word: str) -> bool:
        """Whether a model knows both parts of a word as words, as of "lockfile"."""
        ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        sizes = list(self._meanings.tokens([part for end in ends for part in (word[:end], word[end:])])) if ends else []
        return (1, 1) in zip(sizes[::2], sizes[1::2], strict=True)

    def _known(
        self, word: str, words: Mapping[str, tuple[str, int]], sizes: Mapping[str, int]
    ) -> tuple[list[str], list[str]]:
        """Those of some words that a model or the index knows as words, and the likeliest others by how many tokens they
        are, which `sizes` has."""
        fewest: dict[str, int] = {}
        for one, (term, _) in words.items():
            fewest[term] = min(sizes[one], fewest.get(term, sizes[one]))
        least_letters = _LONG_ENGLISH if word[0] >= _FIRST_SYLLABLE else _SHORTEST_ENGLISH
        known, others = [], []
        for one, (term, count) in words.items():
            is_shortest = sizes[one] == fewest[term]
            if sizes[one] == 1:
                is_known = one == term or sizes.get(term) != 1  # "main", and not "maine" too
            else:  # several tokens are a common word of these sections, or a name, or no word at all
                is_common = term in words and count >= _COMMON_HERE and len(term) >= least_letters
                is_stem = one == term and f"{one[:-1]}y" in words  # "flaki" of "flaky"
                is_known = is_common and is_shortest and not is_stem
                if is_known and one == f"{term}e":
                    is_known = sizes[one] < sizes[term] or self._is_of_two(one)  # not "plugine" of "plugin"
            if is_known:
                known.append(one)
            elif is_shortest and not (one.endswith("ie") and f"{one[:-2]}y" in words):  # "retrie" of "retry"
                others.append(one)
        return known, others

    def _written(self, word: str, term: str) -> str:
        """A word with this term as people write it, as far as a model knows: "dispatch" for "dispatche"; "adapter" stays."""
        if word == term and term[-1] == "i":
            return f"{term[:-1]}y"
        return term if word == f"{term}e" and self._meanings.tokens([term])[0] == 1 else word

    def _sounding(self, pattern: regex.Pattern[str]) -> dict[str, tuple[str, int]]:
        """The words that match a pattern, with their term and how many sections hold it, without words that say little."""
        pairs = _longer(_longer([""], pattern), pattern)
        words = {word: pair for pair in pairs for word in _words_of(pair, pattern)}
        for letters in _longer(pairs, pattern):
            held = self._vocabulary.beginning_with(letters, self._terms_left)
            self._terms_left -= len(held)
            words |= {word: term for term in _beginning_so(held, pattern) for word in _words_of(term, pattern)}
        counts = self._vocabulary.frequencies(set(words.values()) - STOP_TERMS - LIGHT_TERMS)
        return {word: (term, counts[term]) for word, term in words.items() if term in counts}


def of_one_syllable(word: str) -> str:
    """The English word of a loanword of one syllable with or without a particle, "" for any other.

    >>> of_one_syllable("셸을"), of_one_syllable("큐에서"), of_one_syllable("훅"), of_one_syllable("키우다")
    ('shell', 'queue', 'hook', '')
    """
    return _ONE_SYLLABLE.get(word[:1], "") if len(word) == 1 or _BEHIND.fullmatch(word, 1) else ""


def _ends_before_verbs_and_nouns(word: str, stem: str) -> Iterator[int]:
    """Yield where a loanword may end within the stem that the analyzer took, the longest first."""
    for end in range(len(stem) - 1, 1, -1):
        if word[end] in _VERBS or (end == len(stem) - 1 and word[end] in NOUNS_BEHIND):
            yield end


def _longer(beginnings: Iterable[str], pattern: regex.Pattern[str]) -> list[str]:
    """What begins so, has one letter more and may be the beginning of what matches a pattern."""
    longer = (letters + letter for letters in beginnings for letter in ascii_lowercase)
    return [letters for letters in longer if pattern.fullmatch(letters, partial=True)]


def _beginning_so(held: Iterable[str], pattern: regex.Pattern[str]) -> Iterator[str]:
    """Yield the terms whose first letters may begin what matches a pattern, each beginning of which is looked at once."""
    known: dict[str, bool] = {}
    for term in held:
        begins = term[:_FIRST_LETTERS].removesuffix("i")
        if begins not in known:
            known[begins] = len(begins) < _FIRST_LETTERS - 1 or pattern.fullmatch(begins, partial=True) is not None
        if known[begins]:
            yield term


def _words_of(term: str, pattern: regex.Pattern[str]) -> Iterator[str]:
    """Yield the words with a term of the analyzer's that match a pattern."""
    beginning = term.removesuffix("i")
    if len(beginning) > 1 and not pattern.fullmatch(beginning, partial=True):
        return
    found = [f"{term}{ending}" for ending in _ENDINGS] + ([f"{beginning}y"] if beginning != term else [])
    found += [f"{term[:-1]}ing"] if term.endswith("e") else []
    if _DOUBLED.search(term):  # "embedding", of "embed"
        found += [f"{term}{term[-1]}{ending}" for ending in _ENDINGS if ending[:1] in ("e", "i", "o")]
    found += [f"{term}l"] if term.endswith("l") else []  # "install", of "instal"
    yield from (word for word in found if pattern.fullmatch(word) and terms(word) == [term])


def _pattern(sounds: Sequence[str]) -> regex.Pattern[str] | None:
    """The English spellings of some sounds; None for none."""
    if not sounds:
        return None
    parts = []
    for sound, after in zip(sounds, (*sounds[1:], ""), strict=True):
        if sound in _VOWELS:
            parts.append(f"(?:{_VOWELS[sound]}){'' if after or sound in _LAST else 'e?'}")
        else:
            parts.append(f"(?:{_CONSONANTS[sound]}){'' if after in _VOWELS and sound not in _BEFORE_SILENT else 'e?'}")
    return regex.compile("".join(parts))
