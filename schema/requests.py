"""`SearchRequest`: what a search is asked for; and its parameters, as the command, HTTP and agents all offer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from schema import arguments
from schema.clock import MOMENTS, days_of
from schema.errors import QueryError
from schema.filters import Filters
from schema.query_language import ParsedQuery, parse_fields

Mode = Literal["hybrid", "dense", "lexical"]
#: Who asks: the command in a terminal, HTTP, or an agent.
Door = Literal["command", "http", "agents"]
#: Characters of a query that are read, at most.
MAX_QUERY = 10_000
#: A query for all sections, which filters make fewer.
EVERYTHING = "depth:0 depth:1 depth:2 depth:3"
#: A pattern, for JSON Schema, of what Python does not take for blank.
NOT_BLANK = r"[^\s\x1c-\x1f\x85]"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question, and which part of which ranking is wanted: the sections `offset`..`offset + limit`.

    `fold`: sections that say nearly the same as a better one stand in its `similar`. `min_relevance` (0..1) and
    `prefer_own_language` are by default the settings of these names, and `prefer_recent`, a half-life such as "90d", is the
    setting `recency_half_life`; "0" is none. The query may hold fields and exclusions (`schema.query_language`), unless it
    is `literal`: plain words. `parsed` gives its words, and filters that hold where those of the query and `filters` do.

    Raises:
        QueryError: the query is blank or no text, a field of it cannot take its value, or `prefer_recent` is no age.
        ArgumentError: another value is of the wrong type or out of its range.
    """

    query: str
    mode: Mode = "hybrid"
    filters: Filters = field(default_factory=Filters)
    limit: int = 10
    offset: int = 0
    fold: bool = True
    min_relevance: float | None = None
    prefer_own_language: bool | None = None
    prefer_recent: str | None = None
    literal: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.query, str):
            raise arguments.wrong("query", "a text", self.query, kind=QueryError)
        arguments.choice("mode", self.mode, get_args(Mode))
        arguments.instance("filters", self.filters, Filters, "Filters or a mapping of their names")
        arguments.whole("limit", self.limit, least=1)
        arguments.whole("offset", self.offset, least=0)
        arguments.flag("fold", self.fold)
        if self.min_relevance is not None:
            arguments.number("min_relevance", self.min_relevance, least=0, most=1)
        if self.prefer_own_language is not None:
            arguments.flag("prefer_own_language", self.prefer_own_language)
        if self.prefer_recent is not None:
            self._check_half_life(self.prefer_recent)
        arguments.flag("literal", self.literal)
        if not self.query.strip():
            raise QueryError("The query is empty; ask a question or give some words.", code="empty_query")
        _ = self.parsed  # a field that makes no sense is refused here, before anything is opened

    @staticmethod
    def _check_half_life(age: object) -> None:
        told = "prefer_recent takes an age such as 90d or 12w"
        try:
            days_of(age if isinstance(age, str) else "none")
        except ValueError as error:
            raise QueryError(f"{told}, not {arguments.written(age)}.") from error

    @property
    def parsed(self) -> ParsedQuery:
        """The words that are ranked and shown in results, "" for none, and all filters."""
        if self.literal:
            return ParsedQuery(self.query, self.filters)
        parsed = parse_fields(self.query)
        return replace(parsed, filters=self.filters.joined(parsed.filters))

    def without_filters(self) -> SearchRequest:
        """The request for the best section by the words alone; without words, for the first of all sections."""
        words = self.parsed.words
        if not words:
            return replace(self, query=EVERYTHING, literal=False, filters=Filters(), limit=1, offset=0)
        return replace(self, query=words, literal=True, filters=Filters(), limit=1, offset=0)

    def told_filters(self, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The filters that are set, by name, for a sentence: those `given` by their names, and those of the query."""
        told = {name: given[name] for name in FILTERS if given.get(name) not in (None, False)}
        asked = Filters() if self.literal or self.query == EVERYTHING else parse_fields(self.query).filters
        return [told, {name: getattr(asked, name) for name in asked.set_names}]

    @classmethod
    def of(cls, query: str, given: Mapping[str, Any]) -> SearchRequest:
        """Read a request from values by the names of `PARAMETERS`; what is missing or None has its default.

        Raises:
            QueryError: a filter makes no sense.
        """
        filters = Filters.of({name: given.get(name) for name in FILTERS})
        others = {name: given[name] for name in OTHERS if given.get(name) is not None}
        return cls(query=query, filters=filters, **others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a search.

    `name` is its name in Python and for agents; `single` that of one value, on the command line and over HTTP. `schema` is
    the JSON Schema of one value, and `doors` the keywords of it that differ between doors; `most` is how many values there
    may be (1 where there is no list). `help` says what it does, `advice` says more to agents, and `takes` tells them which
    values there are. `help_of_no` is for an option that switches off what is on by default. `metavar` names a value on the
    command line.
    """

    name: str
    help: str
    takes: str
    schema: Mapping[str, Any]
    single: str = ""
    most: int = 1
    default: Any = None
    advice: str = ""
    help_of_no: str = ""
    metavar: str = ""
    doors: Mapping[Door, Mapping[str, Any]] = field(default_factory=dict)

    def value_schema(self, door: Door) -> dict[str, Any]:
        """The JSON Schema of one value at this door."""
        return {name: value for name, value in {**self.schema, **self.doors.get(door, {})}.items() if name != "default"}

    def default_at(self, door: Door) -> Any:
        """What holds where nothing is given."""
        return self.doors.get(door, {}).get("default", self.default)

    @property
    def outer_name(self) -> str:
        """The name on the command line (there with dashes) and over HTTP."""
        return self.single or self.name


def _text(longest: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": longest, "pattern": NOT_BLANK}


#: Every parameter of a search beside the query itself, in the order in which the doors list them.
PARAMETERS: tuple[Parameter, ...] = (
    Parameter(
        name="limit",
        help="Most sections of an answer.",
        takes="a whole number from 1 to 50",
        schema={"type": "integer", "minimum": 1},
        default=10,
        doors={
            "command": {"maximum": 1000, "default": 5},
            "http": {"maximum": 100},
            "agents": {"maximum": 50, "default": 5},  # five hits of sample_docs take 4,000 tokens
        },
    ),
    Parameter(
        name="offset",
        help="Leave out this many of the best.",
        takes="a whole number from 0 to 1,000,000",
        schema={"type": "integer", "minimum": 0},
        default=0,
        advice="Take next_offset of the answer before.",
        doors={"command": {"maximum": 100_000}, "http": {"maximum": 10_000}, "agents": {"maximum": 1_000_000}},
    ),
    Parameter(
        name="mode",
        help="Search by words and vectors, or by one of them.",
        takes='"hybrid", "lexical" or "dense"',
        schema={"type": "string", "enum": ["hybrid", "lexical", "dense"]},
        default="hybrid",
        advice="lexical is by words and needs no model, dense by meaning.",
    ),
    Parameter(
        name="fold",
        help="Sections that say nearly the same are one result, with the others in `similar`.",
        takes="true or false",
        schema={"type": "boolean"},
        default=True,
        advice="False lists them one by one.",
        help_of_no="List sections that say nearly the same one by one.",
    ),
    Parameter(
        name="min_relevance",
        help="From which relevance on a section answers the question; else the setting.",
        takes="a number from 0 to 1",
        schema={"type": "number", "minimum": 0, "maximum": 1},
        metavar="0..1",
    ),
    Parameter(
        name="prefer_own_language",
        help="Sections in the question's language before others that answer about as well; else the setting.",
        takes="true or false",
        schema={"type": "boolean"},
    ),
    Parameter(
        name="prefer_recent",
        help="Newer documents before older ones that answer about as well, by this half-life; 0 for none.",
        takes="an age such as 90d or 12w",
        schema={"type": "string", "maxLength": 6, "pattern": "^[0-9]{1,5}[dw]?$"},
        metavar="AGE",
    ),
    Parameter(
        name="literal",
        help="Take the query as plain words, without fields and exclusions.",
        takes="true or false",
        schema={"type": "boolean"},
        default=False,
    ),
    Parameter(
        name="path",
        help="Only documents whose path begins so or matches this glob.",
        takes="an array of 1 to 20 path prefixes or globs",
        schema=_text(500),
        most=20,
        advice="Examples: docs/guide/, **/README.md.",
        metavar="PREFIX|GLOB",
    ),
    Parameter(
        name="depth",
        help="Only sections of this heading depth; 0 is the text before the first heading.",
        takes="an array of heading depths, each 0 to 3",
        schema={"type": "integer", "minimum": 0, "maximum": 3},
        most=4,
    ),
    Parameter(
        name="tags",
        single="tag",
        help="Only documents with this front-matter tag.",
        takes="an array of 1 to 20 tags",
        schema=_text(500),
        most=20,
        doors={"agents": {"maxLength": 200}},
    ),
    Parameter(
        name="fields",
        single="field",
        help="Only documents whose front matter has this value.",
        takes="an object of front-matter fields and the text each must have",
        schema={"type": "string", "maxLength": 500, "pattern": r"^[^=\s\x00-\x1f\x7f-\x9f\ufeff][^=]*="},
        most=20,
        advice='Example: {"status": "draft"}.',
        metavar="NAME=VALUE",
    ),
    Parameter(
        name="language",
        help="Only sections in this language: en, ja, ko, …",
        takes="an array of 1 to 20 language codes of 2 or 3 letters",
        schema={"type": "string", "pattern": "^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})?$"},
        most=20,
        metavar="CODE",
        doors={"agents": {"pattern": "^[A-Za-z]{2,3}$", "maxLength": 3}},
    ),
    Parameter(
        name="root",
        help="Only documents of the root with this name; `index roots` lists them.",
        takes="an array of 1 to 20 names of roots",
        schema=_text(500),
        most=20,
        advice="So does `status`.",
        metavar="NAME",
        doors={"agents": {"maxLength": 200}},
    ),
    Parameter(
        name="since",
        help="Only files modified since a date, a time (ISO 8601) or an age (30min, 7d).",
        takes=MOMENTS,
        schema={"type": "string", "maxLength": 40},
        metavar="DATE|AGE",
        doors={"agents": {"minLength": 1, "pattern": NOT_BLANK}},
    ),
    Parameter(
        name="clean",
        help="Leave out sections whose vector is older than their text.",
        takes="true or false",
        schema={"type": "boolean"},
        default=False,
    ),
)
#: The names of the parameters that are filters, and of the others.
FILTERS = ("path", "depth", "tags", "fields", "language", "root", "since", "clean")
OTHERS = tuple(parameter.name for parameter in PARAMETERS if parameter.name not in FILTERS)
NAMES = tuple(parameter.name for parameter in PARAMETERS)
#: Those that a context takes too.
OF_A_CONTEXT = ("mode", "literal", *FILTERS)
_BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}
#: Most changed sections of one answer.
MOST_CHANGES = 10_000
#: What is asked about changes.
OF_CHANGES: tuple[Parameter, ...] = (
    replace(
        _BY_NAME["since"],
        help="Since a date, a time (ISO 8601) or an age (30min, 7d); else since the last run that changed something.",
    ),
    _BY_NAME["path"],
    Parameter(
        name="limit",
        help="Most sections.",
        takes=f"a whole number from 1 to {MOST_CHANGES:,}",
        schema={"type": "integer", "minimum": 1, "maximum": MOST_CHANGES},
        default=100,
    ),
)


def parameters(*names: str) -> tuple[Parameter, ...]:
    """The parameters with these names."""
    return tuple(_BY_NAME[name] for name in names)
