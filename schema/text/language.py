"""A text → the language its letters show, for the languages that letters and a few words can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex

from schema.sections import Section
from schema.text.stop_words import STOP_WORDS

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
#: How a question in Korean or Japanese ends, whatever it quotes: verbs and particles stand behind what they belong to.
_ENDS_IN_HANGUL, _ENDS_IN_JAPANESE = (
    regex.compile(r"\p{Hangul}\P{L}*\Z"),
    regex.compile(r"[\p{Hiragana}\p{Katakana}\p{Han}ー]\P{L}*\Z"),
)
_HIRAGANA = regex.compile(r"\p{Hiragana}")


def language(text: str) -> str:
    """The language of a text as its letters show it: ja, ko, zh, th or en; "" where they do not.

    >>> [language(t) for t in ("検索する", "검색", "检索", "the key of the house", "der Schlüssel")]
    ['ja', 'ko', 'zh', 'en', '']
    """
    sample = text[:_SAMPLE]
    if not sample.isascii() and (code := _by_script(sample)):
        return code
    words = _WORD.findall(sample.casefold())
    stops = sum(map(STOP_WORDS.__contains__, words))
    return "en" if stops * 8 > len(words) else ""


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
    if _ENDS_IN_JAPANESE.search(last) and _HIRAGANA.search(last):
        return "ja"
    return language(text)


def section_language(section: Section, front_matter: Mapping[str, Any]) -> str:
    """The language of a section: what its document's front matter says, else what its text shows; "" where neither does."""
    return named_language(front_matter) or language(section.text)


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
