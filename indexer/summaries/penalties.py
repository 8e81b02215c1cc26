"""A sentence → its penalty as a summary: it leads elsewhere, needs the sentences around it, or is only a label.

The patterns know the wording of English, Japanese and Korean texts.
"""

from __future__ import annotations

import re

from indexer.markdown.prose import Sentence

#: A sentence with this penalty or more cannot be a summary.
HOPELESS = 1.5
# the penalties, for what the patterns below find
CHATTING, SHORT, REFERRING = 0.7, 0.3, 0.35
_POINTING, _LEADING, _ASKING = 1.3, 0.5, 0.4
_UNFINISHED, _ITEM, _ASIDE, _LATER_PART, _TOO_LONG = 0.3, 0.2, 0.25, 0.4, 0.3
#: Shorter sentences are labels ("Note:", "型") or short, in the width of letters: a wide letter counts as two.
_LABEL_WIDTH, _SHORT_WIDTH = 14, 30
#: The characters at the beginning of a sentence in which `_LEADS_ON` is looked for.
_LEADS_ON_LENGTH = 160
#: The characters at the end of a sentence that are looked at.
_END = 24

WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
STOPPED = re.compile(r"[.!?؟。｡．！？।॥…][」』）〉》】”’\"')\]]{0,3}\Z")
COLON = re.compile(r"[:：][\s)）]{0,2}\Z")
_ASKS = re.compile(r"[?？؟][」』）”’\"')]{0,3}\Z")
_LABELLED = re.compile(
    r"(?:file ?name|listing \d|figure \d|table \d|ファイル名|図 ?\d|그림 ?\d)|\S{1,60}[:：] ?\S{1,200}\Z", re.IGNORECASE
)


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts))


# The patterns below get a sentence in small letters, with ' for ’. Except for the first, they are looked for only at its
# beginning or its end, since words that concern the whole sentence stand there.

#: The sentence leads to something that is not in the summary.
_LEADS_ON = _any_of(
    r"as follows|following (?:code|example|command|snippet|program|listing|section|content|output|line|table|step)",
    r"(?:shown|seen) (?:in|below|here)|(?:listings?|figures?|table) \d|(?:see|look) (?:below|above)",
    r"(?:code|example|output|list|table|diagram)s? (?:below|above)",
    r"(?:次|以下)の(?:よう|例|コード|とおり|通り|図|表)|[上下]記の|上の例|この例で",
    r"(?:다음|아래)과? ?같|아래(?:의|에)? ?(?:예|코드|그림|표)|다음 (?:예|코드|명령|내용|그림)",
    r"위의? (?:예|코드)|이 예[시제]",
)
#: `_LEADS_ON` matches nothing without one of these, which are found faster.
_LEADS_ON_WORDS = ("follow", "shown ", "seen ", "listing", "figure", "table", "below", "above")
_WIDE_LEADS_ON_WORDS = (*_LEADS_ON_WORDS, "次の", "以下の", "記の", "の例", "다음", "아래", "위", "이 예")
#: The sentence sends the reader elsewhere.
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
#: The sentence speaks to the reader about the text.
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
#: The sentence refers to the one before it.
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


def refers_back(text: str) -> bool:
    """Return whether a sentence refers to the one before it: "This is why ..."."""
    return _REFERS.match(text.lower()) is not None


def penalty(sentence: Sentence, lead_parts: int, max_characters: int) -> float:
    """Return the penalty of a sentence, 0 for none; `lead_parts` is how many parts of the text belong to its lead."""
    text = sentence.text
    small = text.lower().replace("’", "'")
    end = small[-_END:]
    is_ascii = text.isascii()
    width = len(text) if is_ascii or len(text) >= _SHORT_WIDTH else len(text) + len(WIDE.findall(text))
    total = _ITEM * sentence.is_item + _ASIDE * sentence.is_aside + _LATER_PART * (sentence.part > lead_parts)
    if width < _LABEL_WIDTH or _LABELLED.match(text):
        total += HOPELESS
    elif width < _SHORT_WIDTH:
        total += SHORT
    elif len(text) > max_characters:
        total += _TOO_LONG
    if COLON.search(end):
        total += HOPELESS
    elif not STOPPED.search(end):
        total += _UNFINISHED
    elif _ASKS.search(end):
        total += _ASKING
    if _POINTS.match(small) or (not is_ascii and _POINTS_AT_END.search(end)):
        total += _POINTING
    if _CHATS.match(small) or (not is_ascii and _CHATS_AT_END.search(end)):
        total += CHATTING
    elif _REFERS.match(small):
        total += REFERRING
    words = _LEADS_ON_WORDS if is_ascii else _WIDE_LEADS_ON_WORDS
    if any(map(small.__contains__, words)) and _LEADS_ON.search(small, 0, _LEADS_ON_LENGTH):
        total += _LEADING
    return total
