"""Documents → which of them are the same page in other languages.

They are, if their paths differ only in a language (`docs/en/guide.md`, `docs/ja/guide.md`, `guide.md`, `guide.ja.md`,
`README_ja.md`), or if their headings have the same anchors, as translators keep them. Two texts of one language are never
translations of each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

#: ISO 639-1.
_CODES = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
    eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
    kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
    oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
    tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
_TAG = r"[A-Za-z]{2}(?:[-_](?:[A-Za-z]{2}|[A-Za-z]{4}|[0-9]{3}))?"
_FOLDER = re.compile(_TAG)
_SUFFIX = re.compile(rf"(.+?)[._-]({_TAG})(\.[A-Za-z0-9]+)")
#: Anchors of headings that a document has at least to be compared (fewer may be the same by chance), and the share of them
#: that must be the same.
_LEAST_ANCHORS, _SAME_SHARE = 3, 0.8


def page_name(path: str) -> tuple[str, str]:
    """A path without what names a language in it, and that language's tag; "" where it names none.

    >>> page_name("docs/ja/guide.md")
    ('docs/guide.md', 'ja')
    >>> page_name("README.zh-CN.md")
    ('README.md', 'zh-cn')
    >>> page_name("docs/guide.md")
    ('docs/guide.md', '')
    """
    *folders, name = path.split("/")
    for i, folder in enumerate(folders):
        if _FOLDER.fullmatch(folder) and folder[:2].lower() in _CODES:
            return "/".join((*folders[:i], *folders[i + 1 :], name)), _tag(folder)
    found = _SUFFIX.fullmatch(name)
    if found is not None and found.group(2)[:2].lower() in _CODES:
        return "/".join((*folders, found.group(1) + found.group(3))), _tag(found.group(2))
    return path, ""


class Translations:
    """The documents of an index, compared by path and by `anchors`, which are those of each document's headings.

    `language_of` gives the language of a document's text, "" if it is unknown.
    """

    def __init__(self, anchors: Mapping[str, Collection[str]], language_of: Callable[[str], str]) -> None:
        self._language_of = language_of
        self._anchors = {path: frozenset(found) for path, found in anchors.items()}
        self._by_name: dict[str, list[str]] = {}
        self._by_anchor: dict[str, list[str]] = {}
        for path, found in self._anchors.items():
            self._by_name.setdefault(page_name(path)[0], []).append(path)
            for anchor in found:
                self._by_anchor.setdefault(anchor, []).append(path)

    def of(self, path: str) -> dict[str, str]:
        """The other documents that are the same page, by path, with their languages ("" for an unknown one).

        Of several in one language, the one whose path names the language is given, else the first.
        """
        own = self._language_of(path)
        found: dict[str, str] = {}
        for other in (*self._named_alike(path), *self._anchored_alike(path)):
            language = page_name(other)[1] or self._language_of(other)
            is_other = not own or not self._language_of(other) or own != self._language_of(other)
            if is_other and language not in found.values():
                found[other] = language
        return dict(sorted(found.items(), key=lambda one: (one[1], one[0])))

    def _named_alike(self, path: str) -> Iterable[str]:
        name, tag = page_name(path)
        return [other for other in self._by_name.get(name, ()) if page_name(other)[1] != tag]

    def _anchored_alike(self, path: str) -> Iterable[str]:
        """Documents in another language, both known, with the same anchors, those with most of them first."""
        own = self._anchors.get(path, frozenset())
        if len(own) < _LEAST_ANCHORS or not self._language_of(path):
            return []
        shared = Counter(other for anchor in own for other in self._by_anchor[anchor] if other != path)
        return [
            other
            for other, count in shared.most_common()
            if count >= _SAME_SHARE * max(len(own), len(self._anchors[other]))
            and self._language_of(other) not in ("", self._language_of(path))
        ]


def _tag(text: str) -> str:
    return text.replace("_", "-").lower()
