"""What can be asked over HTTP: models of the parameters of each route, made of `schema.requests`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path as InPath
from fastapi import Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from schema.clock import AGES
from schema.errors import QueryError
from schema.filters import Filters, moment
from schema.requests import (
    FILTERS,
    MAX_QUERY,
    NAMES,
    OF_A_CONTEXT,
    OF_CHANGES,
    PARAMETERS,
    Parameter,
    SearchRequest,
    parameters,
)
from schema.sections import ID_OR_BEGINNING, LEAST_DIGITS

#: A character that shows: what counts as blank differs between languages, control characters included.
_SHOWS = r"[^\s\x00-\x1f\x7f-\x9f\ufeff]"
_Text = Annotated[str, Field(min_length=1, max_length=500, pattern=_SHOWS)]
_Words = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_QUERY,
        pattern=_SHOWS,
        description='Question or words; in "quotes": exactly so.'
        " Fields such as path:guide/ and exclusions such as -word are filters, unless it is literal.",
    ),
]


def _checked_moment(text: str) -> str:
    """A text that `Filters` can read as a time, as it came."""
    try:
        moment(text)
    except QueryError as error:
        raise ValueError(str(error).rstrip(".")) from None
    return text


def _checked_path(text: str) -> str:
    """A path filter, as it came."""
    try:
        Filters(path=(text,))
    except QueryError as error:
        raise ValueError(str(error).rstrip(".")) from None
    return text


#: For who reads the OpenAPI document; `Filters` holds the rule.
PATH_PATTERN = r"^(?!.*\.\.)[^\x00-\x1f\x7f-\x9f\[\\#!]*[^\s\x00-\x1f\x7f-\x9f\ufeff\[\\#!][^\x00-\x1f\x7f-\x9f\[\\#!]*$"
_Path = Annotated[
    str,
    Field(min_length=1, max_length=500),
    AfterValidator(_checked_path),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 500, "pattern": PATH_PATTERN}),
]
_TIMES = [{"type": "string", "format": "date"}, {"type": "string", "pattern": AGES}]
_Moment = Annotated[str, Field(max_length=40), AfterValidator(_checked_moment), WithJsonSchema({"anyOf": _TIMES})]


#: Parameters whose values are checked by a rule beyond their schema.
_CHECKED = {"path": _Path, "tags": _Text, "root": _Text, "since": _Moment}


def _field(parameter: Parameter) -> tuple[Any, Any]:
    """The type and the description of a parameter of searches."""
    schema, default = parameter.value_schema("http"), parameter.default_at("http")
    bounds = {"minimum": "ge", "maximum": "le", "minLength": "min_length", "maxLength": "max_length", "pattern": "pattern"}
    kind = {"string": str, "integer": int, "number": float, "boolean": bool}[schema["type"]]
    limits = {bounds[name]: value for name, value in schema.items() if name in bounds}
    value: Any = Literal[tuple(schema["enum"])] if "enum" in schema else Annotated[kind, Field(**limits)]
    value = _CHECKED.get(parameter.name, value)
    if parameter.most > 1:
        return list[value], Field([], max_length=parameter.most, description=parameter.help)
    return value if default is not None else value | None, Field(default, description=parameter.help)


def _model(name: str, *names: str, **more: Any) -> Any:
    """A model of a query and of parameters; an unknown name is refused, since a misspelt filter would be no filter."""
    fields: dict[str, Any] = more if "section" in more else {"q": (_Words, ...), **more}
    fields |= {parameter.outer_name: _field(parameter) for parameter in parameters(*names)}
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


SearchQuestion: Any = _model(
    "Search", *NAMES, html=(bool, Field(False, description="Also the text of each section as sanitised HTML."))
)
ContextQuestion: Any = _model(
    "Context", *OF_A_CONTEXT, max_tokens=(int, Field(2000, ge=1, le=100_000, description="Most tokens of the text."))
)


_Reference = Annotated[
    str,
    Field(min_length=1, max_length=2500, pattern=_SHOWS, description="A section's id, path#anchor, or a document's path."),
]
SimilarQuestion: Any = _model("Similar", "limit", *FILTERS, section=(_Reference, ...))


_CHANGES: dict[str, Any] = {parameter.outer_name: _field(parameter) for parameter in OF_CHANGES}
ChangesQuestion: Any = create_model("Changes", __config__=ConfigDict(extra="forbid"), **_CHANGES)


def request_of(asked: BaseModel) -> SearchRequest:
    """The request that a client made."""
    given = {parameter.name: getattr(asked, parameter.outer_name, None) for parameter in PARAMETERS}
    return SearchRequest.of(asked.q, given)  # type: ignore[attr-defined]


class OutlineQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, max_length=2000, pattern=_SHOWS, description="A document's path in the index.")


class LinksQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    section: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2500,
            pattern=_SHOWS,
            description="A section's id, path#anchor, or a path for a whole document.",
        ),
    ]


class EditorQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    section: _Reference
    line: int | None = Field(None, ge=1, le=2**31 - 1, description="The line to open the file at; else the section's first.")


class SectionQuestion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    html: bool = Field(False, description="Also the text as sanitised HTML.")


class NamedSectionQuestion(SectionQuestion):
    section: _Reference


class _Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid")


NoQuestion = Annotated[_Nothing, Query()]
SectionId = Annotated[
    str,
    InPath(pattern=f"^{ID_OR_BEGINNING}$", description=f"A section's id, or the first {LEAST_DIGITS} or more digits of it."),
]
