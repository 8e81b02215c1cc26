"""`Filters`: which sections a search may return, by path, depth and front-matter tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pathspec

from schema.errors import QueryError

_GLOB_SIGNS = frozenset("*?[")
_DEPTHS = frozenset(range(4))


def is_glob(pattern: str) -> bool:
    """Whether a path pattern has wildcards (`*`, `**`, `?`, `[…]`); one without is a prefix."""
    return not _GLOB_SIGNS.isdisjoint(pattern)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions that must all hold; within one condition any value will do, an empty condition allows everything.

    `path`: what the document's path begins with ("docs/guide/", "docs/api.md") or a glob in .gitignore syntax ("docs/**").
    `depth`: section depths 0–3. `tags`: front-matter tags, compared without regard to case.
    """

    path: tuple[str, ...] = ()
    depth: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        wrong = [d for d in self.depth if not isinstance(d, int) or isinstance(d, bool) or d not in _DEPTHS]
        if wrong:
            raise QueryError(f"The depth filter takes 0, 1, 2 or 3, not {wrong[0]!r}.")
        for name in ("path", "tags"):
            for value in getattr(self, name):
                if not isinstance(value, str) or not value.strip() or not _is_unicode(value):
                    raise QueryError(f"The {name} filter takes text that is not blank, not {value!r}.")

    def __bool__(self) -> bool:
        return bool(self.path or self.depth or self.tags)

    @classmethod
    def of(cls, value: Filters | Mapping[str, Any] | None) -> Filters:
        """Read filters as callers write them: None, `Filters`, or a mapping of names to one value or several.

        Raises:
            QueryError: for a name that is no filter or a value of the wrong kind.
        """
        if value is None:
            return cls()
        if isinstance(value, Filters):
            return value
        names = tuple(f.name for f in fields(cls))
        unknown = [name for name in value if name not in names]
        if unknown:
            raise QueryError(f"There is no filter {unknown[0]!r}; the filters are {', '.join(names)}.")
        return cls(**{name: _several(given) for name, given in value.items() if given is not None})

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The path conditions without wildcards: what a document's path must begin with."""
        return tuple(_tidy(pattern) for pattern in self.path if not is_glob(pattern))

    @property
    def needs_documents(self) -> bool:
        """Whether the conditions can only be checked document by document, with `allows_document`."""
        return bool(self.tags) or any(map(is_glob, self.path))

    def allows_document(self, path: str, tags: Iterable[str]) -> bool:
        """Whether a document at `path` with these tags meets the conditions on path and tags."""
        if self.tags and {tag.casefold() for tag in self.tags}.isdisjoint(tag.casefold() for tag in tags):
            return False
        if not self.path or path.startswith(self.prefixes):
            return True
        globs = [_tidy(pattern) for pattern in self.path if is_glob(pattern)]
        return pathspec.GitIgnoreSpec.from_lines(globs).match_file(path)


def _is_unicode(text: str) -> bool:
    return all(not "\ud800" <= character <= "\udfff" for character in text)


def _tidy(pattern: str) -> str:
    return pattern.strip().removeprefix("./")


def _several(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (value,)
    return tuple(value)
