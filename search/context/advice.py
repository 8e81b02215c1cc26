"""Messages beside the hits: that no section answers, that the filters left nothing, or how the query was read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from schema.filters import Filters, is_glob
from schema.text.characters import one_line
from schema.text.names import caseless

if TYPE_CHECKING:
    from schema.query_language import ParsedQuery
    from schema.results import SearchResult

#: The messages where no hit is relevant enough for an answer: that none answers, and what the hits are then.
NO_ANSWER = "No section answers this."
NEAREST = "The nearest are:"
#: The message where nothing was found at all.
NOTHING_FOUND = "Nothing was found; try other words."
#: For an index without any document.
EMPTY_INDEX = "The index holds no text yet; run `index FOLDER`, or wait for the run that fills it."
#: The message where documents were listed and there are more of them.
MORE_DOCUMENTS = "There are more documents; give a larger --limit."
#: What is told of a document whose file is no longer what was indexed.
FILE_CHANGED = "The file has changed since it was indexed."
FILE_GONE = "The file is not there any more; `index scan` takes it out of the index."
#: Filters are shown up to this length (characters).
_SHOWN = 100
#: Paths that are compared with a misspelt one, the longest of them (characters), and how many are suggested.
_MOST_COMPARED, _MAX_COMPARED, _MOST_SUGGESTED = 5000, 200, 3
#: Paths of one file name of which the nearest are looked for, at most.
_MOST_SAME = 500
#: How like the names of two files are, at least, one of which is suggested for the other.
_LIKE_NAMES = 0.7
#: What joins the parts of an identifier.
_JOINS = re.compile(r"\w[-_./:]+\w")
#: Signs that begin a phrase in quotes.
_QUOTES = '"“「『'
_NAMES = {"tags": "tag", "fields": "field", "without_path": "without path", "without_tags": "without tag"}


def filters_told(*filters: Mapping[str, Any]) -> str:
    """The filters that were given, for a sentence, in groups that must hold each; empty if there are none.

    >>> filters_told({"path": ("docs/",), "depth": [1, 2], "tags": (), "clean": False})
    'path docs/, depth 1 or 2'
    """
    text = ", ".join(told for each in filters for told in _each(each))
    return one_line(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _each(filters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of each filter that is set."""
    for name, value in filters.items():
        if value is True:
            yield name
        elif isinstance(value, Mapping) or (value and name == "fields" and not isinstance(value[0], str)):
            yield from (f"{_NAMES.get(name, name)} {key}={wanted}" for key, wanted in dict(value).items())
        elif value or (value == 0 and not isinstance(value, bool)):
            several = value if isinstance(value, Iterable) and not isinstance(value, str) else [value]
            yield f"{_NAMES.get(name, name)} {' or '.join(map(str, several))}"


def emptied_by(
    filters: Sequence[Mapping[str, Any]], documents: Iterable[str] = (), tags: Iterable[str] | None = None
) -> str:
    """The sentence for an answer that has hits without these filters (groups that must hold each) and none with them.

    `documents` are the paths of the index, of which those like a path of the filters are named that begins none of them;
    `tags` are its tags, of which the same holds, None where they are not known.
    """
    told = f"The filters leave nothing of what was found ({filters_told(*filters)}); ask with fewer of them."
    paths = list(documents)
    for pattern in _values(filters, "path"):
        if not is_glob(pattern) and not any(caseless(path).startswith(caseless(pattern)) for path in paths):
            told += f" {unknown_path(pattern, paths)}"
    known = list(dict.fromkeys(tags or ()))
    for tag in () if tags is None else _values(filters, "tags"):
        if not Filters(tags=(tag,)).allows_document("", known):
            above = {folder: None for one in known for folder in _folders(one)}
            meant = did_you_mean(tag.strip().removeprefix("#"), [*known, *above]) or "."
            told += f" No document has the tag {one_line(tag[:_SHOWN])}{meant}"
    return told


def past_the_end(offset: int) -> str:
    """The sentence for a page of hits behind the last one; empty for the first page.

    >>> past_the_end(20)
    'There are no hits behind the first 20.'
    """
    return f"There are no hits behind the first {offset:,}." if offset else ""


def unknown_path(beginning: str, paths: Sequence[str]) -> str:
    """The sentence for what none of the paths begins with; it names paths and folders like it."""
    folders = {f"{folder}/": None for path in paths for folder in _folders(path)}
    meant = did_you_mean(beginning, [*folders, *paths]) or "."
    return f"No document's path begins with {one_line(beginning[:_SHOWN])}{meant}"


def _values(filters: Sequence[Mapping[str, Any]], name: str) -> Iterator[str]:
    """Yield the values of a filter that takes one or several."""
    for value in (each.get(name) or () for each in filters):
        yield from [value] if isinstance(value, str) else value


def words_left_out(words: Sequence[str]) -> str:
    """The sentence about words that were taken for what is to be left out; empty if there are none.

    >>> words_left_out(("version",))
    'Left out: sections with version; put the words in quotes to search for them.'
    """
    shown = " or ".join(words)
    shown = one_line(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…")
    return f"Left out: sections with {shown}; put the words in quotes to search for them." if words else ""


def not_found(words: str, hits: Sequence[SearchResult], is_held: Callable[[str], bool]) -> tuple[str, ...]:
    """What no section has as it is written in a query's words: the phrases in quotes if none of its hits holds them all, and
    identifiers; nothing for a query without hits.

    Hits have the phrases if any section has: then sections without them are no hits. An identifier is told if one of its
    parts is held by no section, as `is_held` says: then it stands nowhere, not even within a longer one. One of three parts
    with underscores is told too if no section has it as a whole, and no hit within a longer one; and a word with a capital,
    as of a name, that stands nowhere.
    """
    if not hits:
        return ()
    from search.ranking.query import is_heard_of, names_of, proper_names

    named = names_of(words)
    names = [name for name in named if not all(map(is_held, _parts(name))) or _is_nowhere(name, hits, is_held)]
    unheard_of = [name for name in proper_names(words) if name not in named and not is_heard_of(name, is_held)]
    return (*_phrases_not_found(words, hits), *names, *unheard_of)


def _is_nowhere(name: str, hits: Sequence[SearchResult], is_held: Callable[[str], bool]) -> bool:
    """Whether neither any section has an identifier of three parts or more as a whole, nor a hit has it within a longer one;
    one of two parts is within longer ones so often that the hits say too little."""
    from schema.text.analyzer import terms

    found = terms(name) if name.strip("_").count("_") > 1 else []
    return bool(found) and not is_held(found[0]) and not any(caseless(name) in caseless(h.section.content) for h in hits)


def _parts(name: str) -> list[str]:
    """The terms of an identifier that a longer one has too: that of `max_tokens` as a whole is none of `max_tokens_left`."""
    from schema.text.analyzer import signed_terms, terms

    found = [*signed_terms(name), *terms(name)]
    if not _JOINS.search(name) or len(found) < 2:
        return found
    return [term for term in found[1:] if term.isalnum()] if "." in name or ":" in name else found[1:]


def _phrases_not_found(words: str, hits: Sequence[SearchResult]) -> tuple[str, ...]:
    if not any(sign in words for sign in _QUOTES):
        return ()
    from search.index.snapshot import with_headings
    from search.ranking.query import parse_query, phrase_finder

    phrases = parse_query(words).phrases
    finders = (phrase_finder(with_headings(hit.section.breadcrumb, hit.section.text)) for hit in hits)
    return () if any(all(map(finds, phrases)) for finds in finders) else phrases


def not_found_told(texts: Sequence[str]) -> str:
    """The sentence about phrases and identifiers that no section has; empty if there are none.

    >>> not_found_told(("dead letter",))
    'No section has "dead letter" as it is written; the words were searched one by one.'
    """
    shown = ", ".join(f'"{text}"' for text in texts)
    shown = one_line(shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…")
    what = f"all of {shown} as they are" if len(texts) > 1 else f"{shown} as it is"
    return f"No section has {what} written; the words were searched one by one." if texts else ""


def respelt_told(respelt: str) -> str:
    """The sentence about a query that was searched with misspelt words as the index has them; empty for none.

    >>> respelt_told("publish a package")
    'Searched for: publish a package. Put words in quotes to search for them as they are written.'
    """
    shown = one_line(respelt if len(respelt) <= _SHOWN else f"{respelt[:_SHOWN]}…")
    told = f"Searched for: {shown}{'' if shown.endswith(('.', '?', '!')) else '.'}"
    return f"{told} Put words in quotes to search for them as they are written." if respelt else ""


def reading_told(query: ParsedQuery, texts: Sequence[str], respelt: str = "") -> str:
    """The sentences about how a query was read: with which words if some were misspelt, what was left out, and which of its
    `texts` no section has; mostly empty."""
    return " ".join(filter(None, [respelt_told(respelt), words_left_out(query.guessed), not_found_told(texts)]))


def did_you_mean(typed: str, paths: Sequence[str]) -> str:
    """The end of a sentence that names up to three paths like one that was typed; empty if there are none.

    >>> did_you_mean("docs/guid.md", ["docs/guide.md", "README.md"])
    '; did you mean docs/guide.md?'
    """
    near = nearest_paths(typed, paths)
    return f"; did you mean {one_line(' or '.join(near))}?" if near else ""


def nearest_paths(typed: str, paths: Sequence[str]) -> list[str]:
    """At most three paths like one that was typed, the nearest first: of the same file name, with or without its ending, or
    of nearly the same path or name."""
    wanted = caseless(typed).strip("/")
    name = wanted.rpartition("/")[2]
    if not name or len(wanted) > _MAX_COMPARED:
        return []
    some = [path for path in paths if len(path) <= _MAX_COMPARED]
    names = {path: caseless(path).rstrip("/").rpartition("/")[2] for path in some}
    same = [path for path in some if names[path] == name] or [
        path for path in some if names[path].rpartition(".")[0] == name
    ]
    import difflib

    if same:
        by_nearness = difflib.SequenceMatcher(b=wanted)

        def nearness(path: str) -> float:
            by_nearness.set_seq1(caseless(path).rstrip("/"))
            return by_nearness.ratio()

        return sorted(same[:_MOST_SAME], key=nearness, reverse=True)[:_MOST_SUGGESTED]

    by_path = {caseless(path).rstrip("/"): path for path in some[:_MOST_COMPARED]}
    near = difflib.get_close_matches(wanted, by_path, n=_MOST_SUGGESTED, cutoff=0.75)
    # paths in one folder are alike; their names must be too
    near = [path for path in near if _are_alike(name, path.rpartition("/")[2])]
    by_name: dict[str, str] = {}
    for folded, path in by_path.items():
        by_name.setdefault(folded.rpartition("/")[2], path)
    like = difflib.get_close_matches(name, by_name, n=_MOST_SUGGESTED, cutoff=0.75)
    return list(dict.fromkeys([*(by_path[one] for one in near), *(by_name[one] for one in like)]))[:_MOST_SUGGESTED]


def _are_alike(name: str, other: str) -> bool:
    """Whether the names of two files are alike; one without an ending is compared with the beginning of the other."""
    import difflib

    beginning = other if "." in name else other.partition(".")[0]
    return difflib.SequenceMatcher(None, name, beginning).ratio() >= _LIKE_NAMES


def _folders(path: str) -> Iterator[str]:
    """Yield the folders that a path is in."""
    slash = path.find("/")
    while slash >= 0:
        yield path[:slash]
        slash = path.find("/", slash + 1)
