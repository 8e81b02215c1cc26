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
#: Words in the names of fields that tell the program that shows the page what to do, or when it was written.
_OF_A_SITE = frozenset(
    """
    layout template theme mode type permalink slug slugs id uid uuid url uri path href link src image images img cover
    thumbnail icon banner draft publish published hidden hide unlisted order position weight index nav navigation sidebar toc
    outline menu parent section pagination css class cssclass cssclasses header footer hero layout redirect robots canonical
    generator lang language locale aside prev next created updated modified lastmod sha checksum
    """.split()
)
#: Texts that switch something on or off, as many sites write true and false.
_SWITCHES = frozenset({"yes", "no", "on", "off"})
_NAME = regex.compile(r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .-]*")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_BLANKS = re.compile(r"\s+")
#: A place in the project or site, which is no address of the web and no date.
_PLACE = re.compile(r"(?!\d)[^\s/:]*/\S*")
#: A wikilink, of which the text is shown.
_WIKILINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")


def properties(front_matter: Mapping[str, Any]) -> dict[str, str]:
    """Return the properties of a document, each with its value as one line of text, in the order of the front matter.

    >>> properties({"birthday": "1990-04-12", "likes": ["tea", "[[Ann|Ann's]] cakes"], "layout": "post", "rating": 5})
    {'birthday': '1990-04-12', 'likes': "tea, Ann's cakes", 'rating': '5'}
    """
    return dict(islice(_told(front_matter), _MOST))


def _told(front_matter: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, given in front_matter.items():
        values = given if isinstance(given, list) else [given]
        if (
            len(name) > _LONGEST_NAME
            or not _NAME.fullmatch(name)
            or not all(isinstance(value, str | int | float) for value in values)
        ):
            continue
        if name.lower() in _READ_ELSEWHERE or not _OF_A_SITE.isdisjoint(map(str.lower, _WORDS.findall(name))):
            continue
        said = (value for value in values[:_LONGEST] if not isinstance(value, bool) and value not in _SWITCHES)
        texts = [_WIKILINK.sub(r"\1", str(value)) for value in said]
        text = _BLANKS.sub(" ", ", ".join(each for each in texts if not _PLACE.fullmatch(each)))
        if text.strip():
            yield name, text.strip()[:_LONGEST]
