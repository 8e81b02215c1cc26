"""A text → the language that its letters or its small words show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import regex

from schema.sections import Section
from schema.text.function_words import FUNCTION_WORDS

#: Letters beyond these say nothing new (characters).
_SAMPLE = 2000
_SCRIPTS = {
    code: regex.compile(rf"[{script}]")
    for code, script in {
        "ja": r"\p{Hiragana}\p{Katakana}",
        "ko": r"\p{Hangul}",
        "zh": r"\p{Han}",
        "th": r"\p{Thai}",
    }.items()
}
_WORD = regex.compile(r"\p{L}+")
#: A word that is no part of an address, a path or an identifier.
_PLAIN_WORD = regex.compile(r"(?<![\w./:@#&=?-])\p{L}++(?![/:@_=-]|\.\w)")
#: By small word the languages that have it.
_LANGUAGES: dict[str, list[str]] = {}
for _code, _words in FUNCTION_WORDS.items():
    for _word in _words:
        _LANGUAGES.setdefault(_word, []).append(_code)
#: The share of small words among all words, at least: of English among all that a text has, and of any language among its
#: plain words; and how many different ones of a language a text has at least, and a question.
_ENGLISH_SHARE, _SHARE, _LEAST, _LEAST_OF_QUESTION = 1 / 8, 1 / 6, 3, 2
#: The share of English small words from which on a text is not compared with other languages.
_SURELY_ENGLISH = 0.3
#: How a question in Korean or Japanese ends, whatever it quotes: verbs and particles stand behind what they belong to.
_ENDS_IN_HANGUL, _ENDS_IN_JAPANESE = (
    regex.compile(r"\p{Hangul}\P{L}*\Z"),
    regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}ー]\P{L}*\Z"),
)
_HIRAGANA = regex.compile(r"\p{Hiragana}")


def language(text: str) -> str:
    """The language of a text: ja, ko, zh or th by its letters, or one of `FUNCTION_WORDS` by its small words; "" where
    neither shows it.

    >>> [language(t) for t in ("検索する", "검색", "检索", "the key of the house", "der Schlüssel für das Haus")]
    ['ja', 'ko', 'zh', 'en', 'de']
    >>> language("Schlüssel")
    ''
    """
    return _language(text, _LEAST)


def question_language(text: str) -> str:
    """The language of a question, which may hold an English message longer than itself; else as `language`.

    >>> [question_language(t) for t in ("TypeError: not serializable と出る", "Form data requires x 오류가 나요")]
    ['ja', 'ko']
    >>> question_language("what does 서버 mean for the key")
    'en'
    """
    last = text[-_SAMPLE:]
    if _ENDS_IN_HANGUL.search(last):
        return "ko"
    if "¿" in last or "¡" in last:
        return "es"
    if _ENDS_IN_JAPANESE.search(last) and _HIRAGANA.search(last):
        return "ja"
    return _language(text, _LEAST_OF_QUESTION)


def is_foreign(code: str | None) -> bool:
    """Whether a language is known by its small words to be another one than English.

    A model of English has learnt the letters, and parts of words, of many of these, and not what they mean.
    """
    return code in FUNCTION_WORDS and code != "en"


def section_languages(sections: Sequence[Section], front_matter: Mapping[str, Any]) -> list[str]:
    """The language of each section of a document: what the front matter says, else what the section's text shows, else the
    one of `FUNCTION_WORDS` that most sections, or all together, show; "" where it is unknown.

    A section that shows none beside others in Japanese holds nothing of it, such as an example of code.
    """
    named = named_language(front_matter)
    if named:
        return [named] * len(sections)
    own = [language(section.text) for section in sections]
    commonest = Counter(filter(None, own)).most_common(1)
    whole = commonest[0][0] if commonest else language("\n".join(section.text for section in sections))
    others = whole if whole in FUNCTION_WORDS else ""
    return [
        code or (others if is_foreign(others) or _is_latin(each.text) else "")
        for code, each in zip(own, sections, strict=True)
    ]


def _is_latin(text: str) -> bool:
    """Whether most letters of a text are those of English, as they are in code."""
    letters = "".join(filter(str.isalpha, text[:_SAMPLE]))
    return 2 * sum(map(str.isascii, letters)) >= len(letters)


def named_language(front_matter: Mapping[str, Any]) -> str:
    """ "pt" of a document that says lang: pt-BR; "" for one that says nothing."""
    value = front_matter.get("lang") or front_matter.get("language")
    return value.replace("_", "-").split("-")[0].strip().casefold() if isinstance(value, str) else ""


def _by_script(sample: str) -> str:
    counts = {code: len(script.findall(sample)) for code, script in _SCRIPTS.items()}
    letters = sum(map(str.isalpha, sample))
    kana, hangul, han, thai = (counts[code] for code in ("ja", "ko", "zh", "th"))
    # a few words of another language do not decide
    for code, own in (("ja", kana + han if kana * 10 > han else 0), ("ko", hangul), ("zh", han), ("th", thai)):
        if own * 5 > letters:
            return code
    return ""


def _language(text: str, least: int) -> str:
    """The language of a text, of whose small words it has at least so many different ones; "" if it is unknown."""
    sample = text[:_SAMPLE]
    if not sample.isascii() and (code := _by_script(sample)):
        return code
    folded = sample.casefold()
    words = _WORD.findall(folded)
    if sum(map(FUNCTION_WORDS["en"].__contains__, words)) > max(_LEAST, _SURELY_ENGLISH * len(words)):
        return "en"  # most texts: no other language has so many of these words
    counts = Counter(code for word in words for code in _LANGUAGES.get(word, ()))
    if not counts:
        return ""
    if counts["en"] == max(counts.values()) and counts["en"] > _ENGLISH_SHARE * len(words):
        return "en"
    # single letters number the items of lists, but for those in a question
    words = [word for word in _PLAIN_WORD.findall(folded) if len(word) > 1 or least < _LEAST]
    counts = Counter(code for word in words for code in _LANGUAGES.get(word, ()))
    (best, count), (_, second) = (*counts.most_common(2), ("", 0), ("", 0))[:2]
    different = sum(best in _LANGUAGES.get(word, ()) for word in set(words))
    return best if different >= least and second < count > _SHARE * len(words) else ""
