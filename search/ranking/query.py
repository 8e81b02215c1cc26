"""The text of a query → terms with weights, their sequence, and the phrases in quotes that a section must hold."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

import regex

from schema.formats.endings import CONVERTED, MARKDOWN
from schema.requests import MAX_QUERY
from schema.text.analyzer import sets_blanks, terms
from schema.text.characters import encodable
from schema.text.fields import identifiers
from schema.text.language import question_language
from schema.text.normal_form import compatible
from schema.text.query_words import query_terms
from schema.text.runs import HAN_KANA, UNSPACED
from schema.text.spacing import with_blanks
from schema.text.stems import korean_stem
from schema.tracing import traced
from search.index.vocabulary import Synonyms

#: More distinct terms of a query are dropped: 10,000 characters must not take seconds.
MAX_QUERY_TERMS = 256
_MAX_PHRASES = 8
#: Longer texts in quotes are no phrases (characters).
_MAX_PHRASE = 300
#: The number of a line, and of a column, behind the name of a document, as `search` itself prints it.
_ENDINGS = "|".join(map(regex.escape, sorted((*MARKDOWN, *CONVERTED, ".txt"))))
_LINE_NUMBER = regex.compile(rf"(?<=\w(?:{_ENDINGS})):\d{{1,7}}(?::\d{{1,7}})?(?![\w:])", regex.IGNORECASE)
#: A text in quotes, which is meant as it is written.
QUOTED = regex.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
#: Letters and digits of scripts that set blanks between words: in 'APIは' the word ends before the particle.
_LETTERS = regex.compile(r"[[\p{L}\p{N}]&&[\x00-\u0dff]]+", regex.VERSION1)
#: Blanks and line ends between letters of scripts that set no blanks between words, and their punctuation.
_UNSPACED = rf"[[{HAN_KANA}{UNSPACED}\u3001-\u303f\uff01-\uff65]--[\p{{Latin}}\p{{N}}]]"
_BROKEN = regex.compile(rf"\s(?<={_UNSPACED}\s)\s*+(?={_UNSPACED})", regex.VERSION1)
#: What tells an identifier from words that a hyphen or a dot joins, and a word in capitals, such as an error code.
_SURELY_NAMED = regex.compile(r"--|.*[_$@\d]|.*::|.+[A-Z]", regex.ASCII)
_CAPITALS = regex.compile(r"(?<![\w-])[A-Z][A-Z\d]{2,}(?![\w-]|\.\w)", regex.ASCII)
#: A heading, after which a paragraph begins in any case.
_HEADING = regex.compile(r"^[ \t>]*+#.*+", regex.MULTILINE)
#: Marks of a quotation at the beginning of a line, and underscores around words, not in them.
_QUOTATION = regex.compile(r"[\r\n][ \t]*+>[ \t>]*+")
_UNDERSCORES = regex.compile(r"_(?<!__)(?:(?<!\w_)_*+|_*+(?!\w))")
#: The target of a link; a reference to a footnote; a line break between words; and an escaped sign.
_TARGET = re.compile(r"(?<=\])(?:\([^()\s]{0,1000}(?:\s{1,9}\"[^\"]{0,300}\")?\)|\[[^\[\]]{0,200}\])")
_NOTE_REFERENCE = re.compile(r"\[\^[^\[\]\s]{1,200}\]")
_BREAK = re.compile(r"<[Bb][Rr]\b[^<>\n]{0,100}>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
#: What is taken from a text that has a sign, in this order, and what stands in its place.
_INSIDE = (
    ("[^", _NOTE_REFERENCE, ""),
    ("[", _TARGET, ""),
    ("<", _BREAK, " "),
    ("\\", _ESCAPED, r"\1"),
)
#: A word that is a name since it begins with a capital: not that of a sentence's beginning, and no part of an identifier.
_CAPITAL = regex.compile(r"(?<![\p{L}\p{N}_./:-])[A-Z][A-Za-z]{2,63}(?![\p{Latin}\p{N}_-]|[./:]\p{L})", regex.VERSION1)
#: Several such words that hyphens join: Cayley-Hamilton.
_JOINED_CAPITALS = regex.compile(
    r"(?<![\p{L}\p{N}_./:-])[A-Z][A-Za-z]{2,63}(?:-[A-Z][A-Za-z]{2,63})+(?![\p{Latin}\p{N}_-]|[./:]\p{L})", regex.VERSION1
)
#: One with another capital inside, which is a name in any language.
_INNER_CAPITAL = regex.compile(
    r"(?<![\p{L}\p{N}_./:-])[A-Z](?=[A-Za-z]*[A-Z])[A-Za-z]{2,63}(?![\p{Latin}\p{N}_-]|[./:]\p{L})", regex.VERSION1
)
_SENTENCE_BEGINS = regex.compile(r"(?:^|[.!?:]\s{1,9})\W{0,9}$")
#: Words in Latin letters together, and how many of them a name has at most.
_LATIN, _LATIN_LETTER, _MOST_IN_NAME = re.compile(r"[!-~]+(?: [!-~]+)*"), re.compile("[A-Za-z]"), 2
_SMALL, _NO_CAPITALS = regex.compile(r"(?<!\p{L})\p{Ll}"), regex.compile(r"\p{Lo}")
#: Words with a capital that a text may say in another way: of time, as English writes them, and kinds of errors.
_OTHERWISE = regex.compile(
    r"(?:[A-Za-z]*(?:Error|Exception|Warning)|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?"
    r"|Dec(?:ember)?|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Christmas|Easter)"
)
#: A question for one option, and nothing else: what may stand before it and behind it.
_OPTION_ASKED = regex.compile(
    r"(?:(?:what(?:['’]?s| is| are| does| do)|how (?:do|can|should) (?:i|you|we) use|how (?:to use|does)|when (?:to use"
    r"|(?:do|should) (?:i|you|we) use)|explain|(?:the )?meaning of) )?"
    r"(?:the )?[`'\"]?(?P<option>--[a-z][\w-]*+)(?:=\S*)?[`'\"]?"
    r"(?: ?(?:command[- ]line )?(?:options?|flags?|switch|arguments?|parameters?|オプション|フラグ|引数|옵션|플래그|인자))?"
    r"(?: (?:do|does|means?|meaning|work|stand for|(?:good |used )?for)| ?(?:とは|って|の意味|は何|は?どういう)\S{0,20}"
    r"|[이가은는란]{0,2} ?(?:무엇|뭐|뭔|무슨|뜻|의미|어떤)[^\n]{0,20})?[\s?？。.!]*",
    regex.IGNORECASE,
)
_HANGUL_WORD = regex.compile(r"\p{Hangul}+")
#: Terms that neither a line end nor a mark is in, and that no longer word around them hides.
_SURE = regex.compile(r"(?=[\x00-\u0dff])[\p{L}\p{M}\p{N}]+|[\p{Han}\p{Katakana}]|\p{Hangul}{2}")


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is the query with single blanks, `weights` its distinct terms with weights above 0, `sequence` all its terms in
    order, `phrases` the folded texts in quotes. `typed` is what was typed if it was misspelt, "" otherwise. `is_foreign`:
    some of its words are in another language than nearly all sections. `for_model` is the text that models read, "" where it
    is `text`. `synonyms` has, by term, the terms that mean the same, and `lowered` the share of its weight that counts.
    `english_name` has the English words of a query that is all loanwords, "" otherwise."""

    text: str
    weights: Mapping[str, float]
    sequence: tuple[str, ...]
    phrases: tuple[str, ...]
    typed: str = ""
    is_foreign: bool = False
    for_model: str = ""
    synonyms: Synonyms = field(default_factory=dict)
    lowered: Mapping[str, float] = field(default_factory=dict)
    english_name: str = ""

    def counting(self, weights: Mapping[str, float]) -> Mapping[str, float]:
        """How much of the weights of some of its terms counts."""
        return {term: weight * self.lowered.get(term, 1.0) for term, weight in weights.items()} if self.lowered else weights


@traced("search.parse")
def parse_query(text: str) -> Query:
    """Read a query; any string is one.

    >>> parse_query('where is "dead letter" kept?').phrases
    ('dead letter',)
    """
    # no document holds characters that cannot be encoded
    clean = _LINE_NUMBER.sub("", " ".join(encodable(text[:MAX_QUERY]).split()))
    quoted = (fold(next(filter(None, match.groups()))) for match in QUOTED.finditer(clean))
    phrases = tuple(dict.fromkeys(phrase for phrase in quoted if len(phrase) <= _MAX_PHRASE and terms(phrase)))[
        :_MAX_PHRASES
    ]
    clean = clean if phrases else with_blanks(clean)
    weights = dict(list(query_terms(clean).items())[:MAX_QUERY_TERMS])
    return Query(clean, weights, tuple(terms(clean)[: 2 * MAX_QUERY_TERMS]), phrases)


def names_of(text: str) -> tuple[str, ...]:
    """Return the identifiers in a query, each once, without those in quotes: options, names with an inner capital, an
    underscore or a digit, and words in capitals where not all words are.

    >>> names_of("npm ERESOLVE with --legacy-peer-deps and peer-deps in package_lock")
    ('--legacy-peer-deps', 'package_lock', 'ERESOLVE')
    >>> names_of("HOW TO INSTALL"), names_of("ENOENT")
    ((), ('ENOENT',))
    """
    plain = _LINE_NUMBER.sub("", QUOTED.sub(" ", text[:MAX_QUERY]))
    found = [name for name in identifiers(plain) if _SURELY_NAMED.match(name)]
    if plain != plain.upper() or len(plain.split()) == 1:
        found += _CAPITALS.findall(plain)
    return tuple(dict.fromkeys(found))


def option_asked(text: str) -> str:
    """Return the option that a question is for and nothing else, "" for another question.

    >>> option_asked("what does the --dry-run flag do?"), option_asked("--force とは"), option_asked("--force")
    ('--dry-run', '--force', '--force')
    >>> option_asked("what does --force do to a table")
    ''
    """
    found = _OPTION_ASKED.fullmatch(text)
    return found["option"] if found is not None else ""


def proper_names(text: str) -> tuple[str, ...]:
    """Return the words of a query, outside of quotes, that begin with a capital although no sentence does there, each once;
    none of a query without words in small letters.

    >>> proper_names("Does Starlette run on an Arduino? Solaris too"), proper_names("Slackの通知")
    (('Starlette', 'Arduino'), ('Slack',))
    >>> proper_names("datetimeをJSONにするとTypeErrorになる")
    ()
    >>> proper_names("How To Install Python")
    ()
    """
    read = QUOTED.sub(" ", text[:MAX_QUERY])
    if question_language(read) == "de":  # every noun has a capital
        return tuple(dict.fromkeys(_INNER_CAPITAL.findall(read)))
    found = [match for match in _CAPITAL.finditer(read) if not _OTHERWISE.fullmatch(match.group())]
    found += _JOINED_CAPITALS.finditer(read)
    if not _NO_CAPITALS.search(read):  # a language that has capitals
        found = (
            [match for match in found if not _SENTENCE_BEGINS.search(read, 0, match.start())] if _SMALL.search(read) else []
        )
    return tuple(dict.fromkeys(match.group() for match in found))


def named_words(text: str) -> tuple[str, ...]:
    """Return the words of a query, outside of quotes, that likely name something: those of `proper_names`, and in a language
    without capitals one or two words in Latin letters together; more of them are a message.

    >>> named_words("connect Django to the server"), named_words("Redux Toolkit으로 TypeError 해결하기")
    (('Django',), ('Redux Toolkit',))
    """
    read = QUOTED.sub(" ", compatible(text[:MAX_QUERY]))
    if not _NO_CAPITALS.search(read):
        return proper_names(read)
    found = (words for words in _LATIN.findall(read) if len(words.split()) <= _MOST_IN_NAME and _LATIN_LETTER.search(words))
    return tuple(dict.fromkeys(words for words in found if not _OTHERWISE.fullmatch(words)))


def is_heard_of(name: str, is_held: Callable[[str], bool]) -> bool:
    """Whether sections hold a name, as a word or as its parts; `is_held` tells it of a term."""
    whole, *parts = terms(name)
    return is_held(whole) or (bool(parts) and all(map(is_held, parts)))


def fold(text: str) -> str:
    """Return a text in the form in which phrases are compared: without differences of case, blanks and compatibility forms.
    Inside of a paragraph, blanks and line ends between letters of scripts that set none, such as Japanese, are none.

    >>> fold("Ｄead\\n  Letter")
    'dead letter'
    >>> fold("検索\\nエンジン")
    '検索エンジン'
    """
    joined = _BROKEN.sub(_joint, _HEADING.sub("\\g<0>\n", text))
    return " ".join(compatible(joined).split()).casefold()


def _joint(blanks: regex.Match[str]) -> str:
    """What stands for blanks: one blank between paragraphs."""
    ends = blanks[0].count("\n") or blanks[0].count("\r")
    return "" if ends < 2 else " "


def sure_terms(phrase: str) -> frozenset[str]:
    """Return terms that a section has if it has a folded phrase, wherever lines end and marks stand in it: of Chinese and
    Japanese the characters alone, of Korean words the pairs of their stems, of Thai none.

    >>> sorted(sure_terms("検索する keys")), sorted(sure_terms("검색을"))
    (['key', '検', '索'], ['검색'])
    """
    stems = _HANGUL_WORD.sub(lambda word: korean_stem(word.group()), phrase)
    return frozenset(filter(_SURE.fullmatch, terms(stems)))


def phrase_finder(text: str, spelt: Callable[[str], str] = str) -> Callable[[str], bool]:
    """Return what tells whether a text holds a folded phrase, as it is written or without the marks of Markdown in it.

    `spelt` gives a folded text in the spelling that the phrase has.

    >>> finds = phrase_finder("> a dead\\n> **letter**")
    >>> finds("dead letter"), finds("dead letters"), finds("**letter**")
    (True, False, True)
    """
    written = spelt(fold(text))
    plain = cache(lambda: spelt(fold(_without_marks(text))))  # most texts that hold a phrase hold it as it is written
    return lambda phrase: holds_phrase(written, phrase) or holds_phrase(plain(), phrase)


def _without_marks(text: str) -> str:
    """Return a text without what Markdown sets inside of sentences: marks of emphasis, code and quotations, line breaks,
    targets of links, references to footnotes, escapes and entities."""
    plain = text
    for sign, pattern, shown in _INSIDE:
        if sign in plain:
            plain = pattern.sub(shown, plain)
    plain = html.unescape(plain) if "&" in plain else plain
    plain = _QUOTATION.sub("\n", plain.replace("*", "").replace("`", "").replace("~~", "").replace("[", "").replace("]", ""))
    return _UNDERSCORES.sub("", plain)


def holds_phrase(folded: str, phrase: str) -> bool:
    """Whether a folded text holds a folded phrase as whole words (in scripts that set blanks between words).

    >>> holds_phrase("the dead letters", "dead letter"), holds_phrase("a dead letter.", "dead letter")
    (False, True)
    """
    begins_in_word, ends_in_word = _is_in_word(phrase[0]), _is_in_word(phrase[-1])
    start = folded.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        is_inside_word = begins_in_word and start > 0 and _LETTERS.match(folded, start - 1)
        if not is_inside_word and not (ends_in_word and _LETTERS.match(folded, end)):
            return True
        # later starts in the same word are inside of it as well
        rest = _LETTERS.match(folded, start) if begins_in_word else None
        start = folded.find(phrase, start + 1 if rest is None else rest.end())
    return False


def _is_in_word(character: str) -> bool:
    return character.isalnum() and sets_blanks(character)
