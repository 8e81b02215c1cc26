"""The front matter of a document → its properties: what it tells readers of its subject, such as a birthday or an author.

Fields that say how a site shows the page, and those that are read in another way (title, tags, description), are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import regex

#: Most properties of a document, and most characters of a name and of a value.
_MOST, _LONGEST_NAME, _LONGEST = 50, 60, 200
#: Fields that are read in another way: names, tags and descriptions.
_READ_ELSEWHERE = frozenset(
    "title subtitle alias aliases tag tags keyword keywords category categories description summary date".split()
)
#: Fields that tell the program that shows the page what to do, or when it was written; what the names of such fields begin
#: with; and fields that order pages by a number.
_OF_A_SITE = frozenset(
    """
    layout template theme mode type permalink slug slugs id uid uuid uri path href link src image images img cover
    thumbnail icon banner hide link_title page_class draft publish published hidden unlisted nav navigation sidebar
    toc outline menu parent section pagination css class cssclass cssclasses header footer hero redirect robots
    canonical generator lang language locale aside prev next created updated modified lastmod last_update
    last_updated last_modified last_modified_at checksum
    """.split()
)
_SITES_BEGIN = frozenset(
    """
    sidebar nav toc menu pagination hide layout og twitter seo css parent redirect created updated modified date sha
    """.split()
)
_ORDERING = frozenset({"order", "position", "weight", "index", "section"})
#: Texts that switch something on or off, as many sites write true and false.
_SWITCHES = frozenset({"yes", "no", "on", "off"})
_NAME = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}\p{P}\p{S} ]*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BLANKS = re.compile(r"\s+")
#: A place in the project or site: from its root, in a folder of a folder, or with the ending of a file.
_PLACE = re.compile(r"\.{0,2}/\S*|(?!\d)[\w.-]+(?:/[\w.-]+){2,}/?|[\w./-]+/[\w.-]*\.[A-Za-z]{1,5}")
#: A wikilink, of which the text is shown.
_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")


def properties(front_matter: Mapping[str, Any]) -> dict[str, str]:
    """Return the properties of a document, each with its value as one line of text, in the order of the front matter.

    >>> properties({"birthday": "1990-04-12", "likes": ["tea", "[[Ann|Ann's]] cakes"], "layout": "post", "rating": 5})
    {'birthday': '1990-04-12', 'likes': "tea, Ann's cakes", 'rating': '5'}
    """
    return dict(islice(_told(front_matter), _MOST))


def shown_value(value: Any) -> str:
    """A value as readers see it: of a wikilink its text.

    >>> shown_value("[[people/Ann|Ann]]"), shown_value("[[Ann]]")
    ('Ann', 'Ann')
    """
    return _WIKILINK.sub(r"\1", str(value))


def _told(front_matter: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, given in front_matter.items():
        values = given if isinstance(given, list) else [given]
        if not all(isinstance(value, str | int | float) for value in values) or _is_of_a_site(name, given):
            continue
        said = (value for value in values[:_LONGEST] if not isinstance(value, bool) and value not in _SWITCHES)
        texts = [shown_value(value) for value in said]
        text = _BLANKS.sub(" ", ", ".join(each for each in texts if not _PLACE.fullmatch(each)))
        if text.strip():
            yield name, text.strip()[:_LONGEST]


def _is_of_a_site(name: str, given: Any) -> bool:
    """Whether a field is none that tells of the subject: by its name, or as a number by which pages are ordered."""
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return True
    words = [word.lower() for word in _WORD.findall(name)]
    whole = "_".join(words) or name
    if whole in _READ_ELSEWHERE or whole in _OF_A_SITE or (len(words) > 1 and words[0] in _SITES_BEGIN):
        return True
    return whole in _ORDERING and isinstance(given, int | float)
