"""The verb of what a question wants to do, which documents often say in another way.

Who asks how to write a plugin finds a page that says "create": verbs of making say little beside what is made, and one that
few sections have must not decide which is first. And what is deleted is removed, what is turned off is disabled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from schema.text.analyzer import terms
from search.index.vocabulary import Synonyms
from search.ranking.query import QUOTED

#: Verbs of making that say no more than that, and what documents say for it. ("Make" says nothing in a query.)
_MAKE, _MADE = frozenset(terms("write build")), terms("write make create build implement develop define custom")
_REMOVE = terms("delete remove")
#: Verbs that mean the same whatever their object is, and what files are in.
_SAME = tuple(map(terms, ("forbid ban prohibit disallow", "rerun retry", "folder directory")))
#: Verbs of Japanese and Korean that mean the same, as they begin in a question and as one term of each stands in documents.
_SAME_IN_CJK = (
    (re.compile(r"削除|消[すしせ]|アンインストール"), ("削除", "消す", "消し", "アンインストール")),
    (re.compile(r"(?<![가-힣])(?:삭제|제거|지우|지울|지워)[가-힣]*"), ("삭제", "제거", "지우", "지우기")),
    (re.compile(r"(?<![가-힣])(?:끄[는고면기려]|꺼[지야요]|비활성화)[가-힣]*"), ("끄기", "끄는", "비활성화")),
    (re.compile(r"(?<![가-힣])(?:켜[는고면기려]|켤|활성화)[가-힣]*"), ("켜기", "켜는", "활성화")),
)
#: What a question for a difference is about, which a table calls a comparison.
_COMPARED, _DIFFERENCE = terms("difference compare comparison"), re.compile(r"\bdifferences? between \S", re.IGNORECASE)
#: Verbs of two words, and the terms of all that mean the same.
_SWITCHED = tuple(
    (
        re.compile(
            rf"(?<!\bin )(?<!\bthe )(?<!\bmy )(?<!\ba )\b(turn|switch)(?:es|s|ed|ing)?(?: {way}(?![\w-])"
            rf"|(?: [^\s,;.]{{1,20}}){{1,3}} {way}(?=\s*(?:$|[?.,;!])))",
            re.IGNORECASE,
        ),
        terms(f"turn switch {verb}"),
    )
    for way, verb in (("off", "disable"), ("on", "enable"))
)
#: What is made is new or one's own: who writes the docs makes nothing. What is removed may be any thing.
_NEW, _ANY = r"(?:an?|new|(?:(?:my|our|your) )?own)\b", r"(?:an?|my|our|your|own|new|the|its?|this|that)\b"
_ASKED = (
    r"(?:^|\b(?:how (?:to|(?:do|can|could|should|would) (?:i|we|you|one))|(?:want|need|like|try|trying|able|way|possible) to"
    r"|(?:can|could|should) (?:i|we))\s+)([a-z]{3,10})"
)
#: The verb of what somebody wants to do, which begins a query or follows a word of asking, before its object.
_MAKING, _REMOVING = (re.compile(rf"{_ASKED}(?=\s+{after})", re.IGNORECASE) for after in (_NEW, _ANY))


def other_verbs(text: str, weights: Mapping[str, float]) -> Synonyms:
    """Return, for the verb of what a query wants to do, its term with those of the verbs that may stand for it; so too for
    verbs that have others of the same meaning, and for the word "difference" in a question for one.

    `weights` are the query's terms. A query that says "custom" says more than its verb.

    >>> other_verbs("how do I delete a tool", {"delet": 1.0, "tool": 1.0})
    {'delet': ('remov',)}
    """
    plain = QUOTED.sub(" ", text)
    found = {term: _REMOVE for term in _verbs(_REMOVING, text) if term in _REMOVE}
    found |= {term: same for term in terms(plain) for same in _SAME if term in same}
    found |= {match[1].lower(): same for form, same in _SWITCHED for match in form.finditer(plain)}
    for form, same_verbs in _SAME_IN_CJK:
        found |= {_own_term(match[0]): list(same_verbs) for match in form.finditer(plain)}
    if _DIFFERENCE.search(plain):
        found[_COMPARED[0]] = _COMPARED
    if "custom" not in weights:
        found |= {term: _MADE for term in _verbs(_MAKING, text) if term in _MAKE}
    left = {term: tuple(other for other in others if other not in weights) for term, others in found.items()}
    return {term: others for term, others in left.items() if others and term in weights}


def _verbs(form: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield the terms of the verbs of what a query wants to do."""
    for match in form.finditer(QUOTED.sub(" ", text)):
        yield from terms(match[1])


def _own_term(verb: str) -> str:
    """The term of a verb of Japanese or Korean as a question has it: the word, or the stem."""
    found = terms(verb)
    return found[0] if verb >= "가" else found[-1]
