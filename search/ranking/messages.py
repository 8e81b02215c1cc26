"""A question as long as a message → its sentences, and which of them say what is asked.

Somebody who asks says good morning, why it is urgent and who wants to know. What a folder speaks of is asked for; the other
sentences have no word and no meaning in common with any section.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import regex

from schema.text.analyzer import terms
from schema.text.query_words import ASKING_TERMS, STOP_TERMS
from schema.text.sentences import split_sentences

#: More sentences are no question but a text that was pasted, which is read as it is.
MOST_SENTENCES = 12
#: What the words of a sentence that the best section holds count beside its nearest vector; what a question mark counts; and
#: the share of the best score from which on a sentence is a part of the question. It is lower in Japanese and Korean, where
#: greetings and thanks are taken away before, and a question often says little without what happened.
_HELD, _MARK, _KEPT, _KEPT_IN_CJK = 0.5, 0.15, 0.85, 0.7
#: The words from which on a question is as long as a message, and what a word that only asks counts there.
_LONG, _ASKING = 6, 0.3
_WORD, _SAYING_NOTHING = regex.compile(r"[^\W\d_]{2,}"), ASKING_TERMS | STOP_TERMS
#: A full stop of full width within a name (Ｎｏｄｅ．ｊｓ), which ends no sentence.
_WIDE_STOP = regex.compile(r"(?<=[0-9A-Za-z０-９Ａ-Ｚａ-ｚ])．(?=[0-9A-Za-z０-９Ａ-Ｚａ-ｚ])")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
#: Letters that say what a text is about, and how few say too little of it.
_TELLING, _FEW_LETTERS = regex.compile(r"[\p{L}--\p{Hiragana}]", regex.VERSION1), 3
_ADDRESSING = regex.compile(
    r"[?？\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
    r"|^\W*(?i:(?:answer|consult|context|describe|explain|find|give|locate|look|need|query|question|search|show"
    r"|summari[sz]e|task|tell)\b)"
    r"|(?i:\b(?:i|i['’]m|me|my|we|us|our|you|your|hi|hello|hey|please|pls|plz|kindly|thanks|thank|thx|sorry|anyone|anybody)\b)"
)
_QUESTION = regex.compile(r"[?？][\"'”’」』)）\s]*$|か[。\s]*$")
#: What ends a sentence too: dots, a dash or an arrow between blanks, and a colon behind words that ask or before a
#: question.
_PAUSE = regex.compile(
    r"(?:\.{2,}|…+)[!?！？]*(?:\s+|(?<=[…]))|\s+(?:[-–—]+|[-–—=]*>|→)\s+"
    r"|(?i:\b(?:the following|this|this message|question|query|q|task|tl;?dr))\s?:\s"
    r"|:\s(?=(?i:what|how|why|where|which|who|when|can|could|should|is|are|do|does)\b)"
    r"|(?:ください|下さい|質問|内容|주세요|하세요|줘|질문|문의)\s?[:：]\s*"
)
#: A sentence that only says what somebody uses, as one says before what does not work.
_BACKGROUND = regex.compile(
    r"(?:を|に|で|へ|は)\s?(?:使っ|使い始め|利用し|使用し|導入し|運用し|入れ|始め|インストールし|つない|設定し)[てで]?"
    r"(?:い(?:ます|る)|います|ます|ました|た|おります|いるの?です(?:が|けど)?)[。\s]*$"
    r"|\p{Hangul}\s?(?:씁니다|써요|쓰고\s?있\p{Hangul}+|쓰는\s?중\p{Hangul}*|사용\s?(?:중|하고\s?있|합니다|해요)\p{Hangul}*"
    r"|이용\s?(?:중|하고\s?있|합니다|해요)\p{Hangul}*|설치했\p{Hangul}+|운영\s?(?:중|하고\s?있|합니다|해요)\p{Hangul}*|시작했\p{Hangul}+)[.。\s]*$"
    r"|^(?i:i|we)(?:['’](?:m|re|ve)| am| are| have)?(?: just)?(?: recently)? "
    r"(?i:use|using|run|running|installed|started using|set up|upgraded to|on)(?: \S+){1,14}[.\s]*$"
)


def beside_background(sentences: Sequence[tuple[str, bool]]) -> list[int]:
    """The numbers of the sentences that say more than what somebody uses; of all of them where these say too little.

    >>> beside_background([("SQLiteを使っています。", False), ("会話を途中から分岐させたい。", False)])
    [1]
    """
    others = [i for i, (sentence, _) in enumerate(sentences) if not _BACKGROUND.search(sentence)]
    letters = sum(len(_TELLING.findall(sentences[i][0])) for i in others)
    return others if letters >= _FEW_LETTERS else list(range(len(sentences)))


def used_in(text: str) -> str:
    """What is used, of sentences in Japanese or Korean that only say that; "" for others."""
    found = (sentence for sentence in sentences_of(text) if _CJK.search(sentence) and _BACKGROUND.search(sentence))
    return " ".join(_BACKGROUND.sub(" ", sentence) for sentence in found)


def always_told(sentences: Sequence[tuple[str, bool]]) -> list[int]:
    """The numbers of the sentences that are not left out of a message: its questions, or of a text in Japanese or Korean
    without one the last sentence, which tells what is wrong or wanted."""
    questions = [i for i, (_, is_asked) in enumerate(sentences) if is_asked]
    return questions or [len(sentences) - 1] * (_CJK.search(sentences[-1][0]) is not None)


def is_message(text: str) -> bool:
    """Whether a text addresses somebody: it asks, greets, thanks, begins with a command to tell, or speaks of "me" or
    "you"; any text in Chinese, Japanese or Korean may.

    >>> is_message("How do I stop it?"), is_message("Servers stop at night. They start at six.")
    (True, False)
    """
    return _ADDRESSING.search(text) is not None


def sentences_of(text: str) -> list[str]:
    """The sentences of a question, in order; a line of it ends one, and so does a pause.

    >>> sentences_of("Hi there! Help... how do I stop the server?\\nThanks")
    ['Hi there!', 'Help...', 'how do I stop the server?', 'Thanks']
    """
    plain = _WIDE_STOP.sub(".", text)
    lines = chain.from_iterable(_PAUSE.sub("\\g<0>\n", line).splitlines() for line in plain.splitlines())
    return list(chain.from_iterable(map(split_sentences, lines)))


def is_question(sentence: str) -> bool:
    """Whether a sentence ends as a question does."""
    return _QUESTION.search(sentence) is not None


def best_of(matches: Sequence[tuple[float, float, bool]], *, in_cjk: bool = False) -> list[int]:
    """The numbers of the sentences that an index has most to say to, ascending. `matches` has for each the cosine of its
    nearest vector, the weight of its words that one section holds, and whether it is a question; `in_cjk`: whether they are
    in Japanese or Korean.

    >>> best_of([(0.2, 3.0, False), (0.6, 12.0, True), (0.1, 0.0, False)])
    [1]
    """
    nearest = max(near for near, _, _ in matches) or 1.0
    most = max(held for _, held, _ in matches) or 1.0
    scores = [(near / nearest + _HELD * held / most) / (1 + _HELD) + _MARK * is_asked for near, held, is_asked in matches]
    return [i for i, score in enumerate(scores) if score >= (_KEPT_IN_CJK if in_cjk else _KEPT) * max(scores)]


def is_cjk(text: str) -> bool:
    """Whether a text has letters of Chinese, Japanese or Korean."""
    return _CJK.search(text) is not None


def telling_words(text: str) -> list[str]:
    """The words of a text, each once, without those that only ask or say nothing.

    >>> telling_words("Hello, we are on MySQL and on MySQL alone")
    ['MySQL', 'alone']
    """
    words = dict.fromkeys(_WORD.findall(text))
    return [word for word in words if not _SAYING_NOTHING.issuperset(terms(word))]


def asking_lowered(text: str, weights: Mapping[str, float]) -> Mapping[str, float]:
    """The weights of the terms of a question, where words that only ask count less if it is as long as a message.

    >>> asking_lowered("please find the page about hooks for me", {"page": 1.0, "hook": 1.0})
    {'page': 0.3, 'hook': 1.0}
    """
    if len(text.split()) < _LONG or not is_message(text) or ASKING_TERMS.issuperset(weights):
        return weights
    return {term: weight * (_ASKING if term in ASKING_TERMS else 1.0) for term, weight in weights.items()}
