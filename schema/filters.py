"""`Filters`: which sections a search may return, by path, root, depth, front matter, words, language, age and cleanness."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from schema import arguments
from schema.clock import MOMENTS, moment_of
from schema.errors import QueryError
from schema.formats.globs import Globs, TooManyWildcardsError
from schema.text.names import caseless, composed
from schema.text.properties import shown_value

#: A wildcard; one behind a backslash stands for itself.
_WILDCARD, _ESCAPED = re.compile(r"(?<!\\)[*?\[]"), re.compile(r"\\([*?\[\]])")
_SIGN = re.compile(r"[*?\[\]]")
_DEPTHS = frozenset(range(4))
#: What no document's path in an index has: folders above, control characters, another computer's name.
_LEADS_AWAY = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)|[\x00-\x1f\x7f]|^\s*\\\\")
#: All globs of a filter may have this many characters together.
_MAX_GLOBS = 10_000
#: What a message shows of a value (characters).
_MOST_SHOWN = 100
#: A code of a language.
LANGUAGE_CODE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})?")
#: The filters whose values are texts that are not blank.
_TEXTS = ("path", "tags", "language", "root", "title", "without", "without_path", "without_tags")


def is_glob(pattern: str) -> bool:
    """Whether a path pattern has wildcards (`*`, `**`, `?`, `[…]`); one without is a prefix."""
    return _WILDCARD.search(pattern) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions that must all hold; within one condition any value will do, an empty condition allows everything.

    All texts are compared without regard to case and to the form of Unicode (NFC or NFD). `path`: what the document's path
    begins with ("docs/guide/", "docs/api.md") or a glob in .gitignore syntax ("docs/**"). `depth`: section depths 0–3.
    `tags`: front-matter tags, with those below them ("project" is met by "project/infra"), also with a # before them.
    `fields`: pairs of a front-matter field and a value it has (or holds, if it is a list), as text; "a.b" names a field
    inside another. `language`: ISO 639-1 codes: what the front matter says in `lang` or `language`, else ja, ko, zh or en
    as the text shows.
    `root`: names or paths of the index's roots that documents are in.
    `since`: only documents whose files were modified at this time or later. `clean`: no section whose vector is old.
    `title`: texts of which every word stands in the document's title or in the headings down to the section. Left out are
    sections with a text of `without` (a word in any of its forms; several, or one with signs, exactly) in their headings or
    own text, and documents whose path or tags `without_path` and `without_tags` name as `path` and `tags` would. `also`:
    further filters, which must hold too.
    """

    path: tuple[str, ...] = ()
    depth: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    language: tuple[str, ...] = ()
    root: tuple[str, ...] = ()
    since: datetime | None = None
    clean: bool = False
    title: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    without_path: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    also: tuple[Filters, ...] = ()

    def __post_init__(self) -> None:
        for name in (
            "path",
            "depth",
            "tags",
            "fields",
            "language",
            "root",
            "title",
            "without",
            "without_path",
            "without_tags",
            "also",
        ):
            if not isinstance(getattr(self, name), tuple):
                raise arguments.wrong(f"The {name} filter of Filters(…)", "a tuple", getattr(self, name), kind=QueryError)
        if not all(
            isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(one, str) for one in pair) for pair in self.fields
        ):
            raise QueryError("The fields filter of Filters(…) takes pairs of two texts, a name and a value.")
        wrong = [d for d in self.depth if not isinstance(d, int) or isinstance(d, bool) or d not in _DEPTHS]
        if wrong:
            raise QueryError(f"The depth filter takes 0, 1, 2 or 3, not {wrong[0]!r}.")
        for name in _TEXTS:
            for value in getattr(self, name):
                if not isinstance(value, str) or not value.strip() or not _is_unicode(value):
                    raise QueryError(f"The {name} filter takes text that is not blank, not {value!r}.")
        wrong_code = next((code for code in self.language if not LANGUAGE_CODE.fullmatch(code)), None)
        if wrong_code is not None:
            raise QueryError(f"The language filter takes a code such as en, ja or ko, not {wrong_code[:100]!r}.")
        for pattern in (*self.path, *self.without_path):
            if _LEADS_AWAY.search(pattern):
                raise QueryError(
                    "The path filter takes a document's path in the index or how it begins, with / between folders and no "
                    f"“..”, not {pattern[:200]!r}.",
                    code="path_filter",
                )
        _globs(_globs_of(self.path)), _globs(_globs_of(self.without_path))
        if not isinstance(self.clean, bool):
            raise QueryError(f"The clean filter takes true or false, not {self.clean!r}.")
        if self.since is not None and (not isinstance(self.since, datetime) or self.since.tzinfo is None):
            raise QueryError(f"The since filter takes a time with a zone, not {self.since!r}.")

    def __bool__(self) -> bool:
        return self != Filters()

    @classmethod
    def of(cls, value: Filters | Mapping[str, Any] | None) -> Filters:
        """Read filters as callers write them: None, `Filters`, or a mapping of names to one value or several.

        `fields` is a mapping of names to values, or texts "name=value"; `since` a time, or a text for `moment`.

        Raises:
            QueryError: for a name that is no filter or a value of the wrong kind.
        """
        if value is None:
            return cls()
        if isinstance(value, Filters):
            return value
        if not isinstance(value, Mapping):
            raise arguments.wrong("filters", "Filters or a mapping of their names", value, kind=QueryError)
        names = tuple(f.name for f in fields(cls) if f.name != "also")
        unknown = [name for name in value if name not in names]
        if unknown:
            meant = arguments.meant(unknown[0], names)
            raise QueryError(f"There is no filter {unknown[0]!r}{meant}; the filters are {', '.join(names)}.")
        given = {name: wanted for name, wanted in value.items() if wanted is not None}
        read: dict[str, Any] = {name: _several(given[name]) for name in ("depth", *_TEXTS) if name in given}
        if "fields" in given:
            read["fields"] = tuple(_pairs(given["fields"]))
        if "since" in given:
            since = given["since"]
            read["since"] = moment(since) if isinstance(since, str) else since
        if "clean" in given:
            read["clean"] = given["clean"]
        return cls(**read)

    @property
    def parts(self) -> tuple[Filters, ...]:
        """These filters and those of `also`, each without others: all must hold."""
        return (replace(self, also=()), *self.also)

    def joined(self, other: Filters) -> Filters:
        """Return filters that hold where both of these do."""
        if not self or not other:
            return self or other
        return replace(self, also=(*self.also, *other.parts))

    @property
    def set_names(self) -> tuple[str, ...]:
        """The names of the conditions that are set, in their order."""
        return tuple(f.name for f in fields(self) if f.name != "also" and getattr(self, f.name) != f.default)

    @property
    def needs_documents(self) -> bool:
        """Whether there are conditions on documents, checked with `allows_document`."""
        return bool(self.path or self.tags or self.fields or self.without_path or self.without_tags)

    def as_named(self, paths: Sequence[str]) -> Filters:
        """The same filters, in which a path with brackets that one of the documents `paths` begins with means just that:
        `docs/[slug].md` is a glob too."""
        begun = {caseless(_tidy(pattern)) for pattern in (*self.path, *self.without_path) if "[" in pattern}
        if not begun:
            return self
        named = {pattern for pattern in begun if any(caseless(path).startswith(pattern) for path in paths)}

        def literal(patterns: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(_SIGN.sub(r"\\\g<0>", each) if caseless(_tidy(each)) in named else each for each in patterns)

        return replace(self, path=literal(self.path), without_path=literal(self.without_path))

    def allows_document(self, path: str, tags: Iterable[str] = (), front_matter: Mapping[str, Any] | None = None) -> bool:
        """Whether a document at `path` with these tags and this front matter meets the conditions on them (not `also`)."""
        if self.tags and not _has_tag(tags, self.tags):
            return False
        if self.without_tags and _has_tag(tags, self.without_tags):
            return False
        wanted: dict[str, set[str]] = {}
        for name, value in self.fields:
            wanted.setdefault(caseless(name), set()).add(caseless(value))
        if any(values.isdisjoint(_values(front_matter or {}, name)) for name, values in wanted.items()):
            return False
        if self.path and not _has_path(path, self.path):
            return False
        return not (self.without_path and _has_path(path, self.without_path))


def _has_tag(tags: Iterable[str], wanted: tuple[str, ...]) -> bool:
    """Whether one of the tags is one of those wanted or below it."""
    parents = tuple(_below(tag.strip().removeprefix("#")) for tag in wanted)  # as a note of Obsidian writes it
    return any(_below(tag).startswith(parents) for tag in tags)


def _has_path(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a document's path begins with one of the patterns or matches those that are globs."""
    prefixes = tuple(_prefix(pattern) for pattern in patterns if not is_glob(pattern))
    return caseless(path).startswith(prefixes) or bool(_globs(_globs_of(patterns)).decides_below(composed(path)))


def _prefix(pattern: str) -> str:
    return caseless(_ESCAPED.sub(r"\1", _tidy(pattern)))


def _globs_of(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(composed(_tidy(pattern)) for pattern in patterns if is_glob(pattern))


@lru_cache(maxsize=256)
def _globs(patterns: tuple[str, ...]) -> Globs:
    """Globs in .gitignore syntax; the last one that matches allows a document or, after !, takes it back.

    Raises:
        QueryError: one of them is none, or they are too long.
    """
    try:
        globs = Globs(patterns, most=_MAX_GLOBS, fold=True)
    except TooManyWildcardsError as error:
        raise QueryError(
            f"The path filter takes globs of {_MAX_GLOBS:,} characters in all; use fewer or shorter ones.",
            code="path_filter",
        ) from error
    for pattern in patterns if len(globs) < len(patterns) else ():
        if not Globs((pattern,), most=_MAX_GLOBS):
            raise QueryError(
                f"The path filter cannot read the glob {pattern[:200]!r}; use *, **, ? and [abc] as in .gitignore.",
                code="path_filter",
            )
    return globs


def moment(text: str) -> datetime:
    """A point in time as `schema.clock.moment_of` reads it: an ISO 8601 date or time, an age such as 30min or 7d, or a day.

    >>> moment("2026-11-01").isoformat()
    '2026-11-01T00:00:00+00:00'

    Raises:
        QueryError: it is none of these.
    """
    try:
        return moment_of(text)
    except ValueError as error:
        raise QueryError(f"The since filter takes {MOMENTS}, not {text[:_MOST_SHOWN]!r}.") from error


def _pairs(value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, wanted in value.items():
            yield from ((str(name), _plain(one)) for one in _several(wanted))
        return
    for pair in _several(value):
        name, equals, wanted = pair.partition("=") if isinstance(pair, str) else ("", "", "")
        if not equals or not name.strip():
            raise QueryError(f"The fields filter takes name=value, not {pair!r}.")
        yield name.strip(), wanted.strip()


def _values(front_matter: Mapping[str, Any], name: str) -> set[str]:
    """The values of a field, whose name is `caseless`, as text: of a list its members; of "a.b" the field b inside a; and
    of a wikilink what is shown too."""
    value: Any = _member(front_matter, name)
    if value is None and "." in name:
        value = front_matter
        for part in name.split("."):
            value = _member(value, part) if isinstance(value, Mapping) else None
    values = [_plain(one) for one in (value if isinstance(value, list) else [value]) if one is not None]
    return set(map(caseless, (*values, *map(shown_value, values))))


def _member(mapping: Mapping[str, Any], name: str) -> Any:
    return next((value for key, value in mapping.items() if caseless(str(key)) == name and value is not None), None)


def _below(tag: str) -> str:
    """What a tag and all tags below it begin with, when each ends in a slash."""
    return f"{caseless(tag).removesuffix('/')}/"


def _plain(value: Any) -> str:
    """A front-matter value as its author writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_unicode(text: str) -> bool:
    return all(not "\ud800" <= character <= "\udfff" for character in text)


def _tidy(pattern: str) -> str:
    # document paths have no slash at the front, whatever a shell or a web page puts there
    return pattern.strip().removeprefix("./").lstrip("/")


def _several(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)
