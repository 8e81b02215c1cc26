"""Source text → front matter and the rest: YAML between `---` lines, TOML between `+++` lines, at line 1 only.

Not front matter: text between two thematic breaks, lines of more than three dashes or plus signs, and a block that is not
a mapping.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from schema.formats.toml import read_toml, toml_texts
from schema.sections import plain_line_ends
from schema.text.characters import encodable

_OPENING = re.compile(r"(---|\+\+\+)(?:\r\n|\n|\r)")
_CLOSING = {
    "---": re.compile(r"(?<=[\r\n])(?:---|\.\.\.)(?:\r\n|\n|\r|\Z)"),
    "+++": re.compile(r"(?<=[\r\n])\+\+\+(?:\r\n|\n|\r|\Z)"),
}
_ENTRY = {"---": re.compile(r"[\"']?[\w.-]+[\"']?\s*:(?:\s|\Z)"), "+++": re.compile(r"[\w.\"'-]+\s*=|\[")}
#: Longer blocks are taken as text, since parsing them would take seconds.
_MAX_CHARACTERS = 100_000
#: Limits of values and nesting: with aliases, a few lines of YAML can become gigabytes, and nesting can exhaust the stack.
_MAX_VALUES = 10_000
_MAX_DEPTH = 32
#: Digits of a number: Python cannot write more than 4,300, and other programs far fewer.
_MAX_DIGITS = 100
_AT_LINE = re.compile(r"\bat line (\d{1,9})")
#: Fields that a page of front matter alone shows to its readers, those that it shows below others, and those of machines.
_SHOWN = frozenset("title description tagline subtitle summary details lead heading headline subheading".split())
_SHOWN_BELOW = _SHOWN | {"name", "text"}
_OF_MACHINES = frozenset("head menu menus cascade params meta seo sidebar prev next image link icon theme resources".split())
#: The line that a field of the outermost mapping begins with, and one that goes on with a value.
_NAMED = re.compile(r"(?P<name>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'#:=\[\]{}-][^\n:=]{0,200}?)[ \t]*(?:=|:(?=\s))")
_CONTINUED = re.compile(r"[ \t]+\S|-[ \t]|[\])}\"']")
#: What may stand before a value in YAML: its anchor and its tag, and comments behind these.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+(?:#.*\n\s*)*)+")
_LARGEST_NUMBER = 10**_MAX_DIGITS - 1
_TAG = "tag:yaml.org,2002:"
_TEXT, _DECIMAL = f"{_TAG}str", f"{_TAG}float"
#: Fields whose values are texts, whatever they look like.
_TEXTS = frozenset("title description tag tags alias aliases keyword keywords category categories".split())
_TOO_MUCH = "it holds too many or too deeply nested values"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`raw` is the exact text with its fences, empty if there is none; `values` holds JSON values, its keys are texts."""

    raw: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The title, one line, or empty."""
        value = self.values.get("title")
        return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags, each once, from a list or a text with commas (or blanks, where there is no comma)."""
        return self.words("tags")

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the document."""
        return self.words("aliases")

    def words(self, name: str) -> tuple[str, ...]:
        """Return the values of a field that holds one or several words."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = value.split(",") if "," in value else value.split()
        if not isinstance(value, list):
            return ()
        found = (str(v).strip().removeprefix("#") for v in value if isinstance(v, str | int | float))
        return tuple(dict.fromkeys(v for v in found if v))


def read_front_matter(source: str) -> FrontMatter:
    """Return the front matter at the start of a document without byte order mark; an empty one if there is none.

    A closed block that cannot be parsed but begins with an entry (`key:` or `key =`) is front matter without values and
    with a warning.
    """
    opening = _OPENING.match(source)
    if opening is None:
        return FrontMatter()
    fence = opening.group(1)
    closing = _CLOSING[fence].search(source, opening.end())
    if closing is None:
        return FrontMatter()
    if closing.start() - opening.end() > _MAX_CHARACTERS:
        is_likely = _ENTRY[fence].match(source[opening.end() : opening.end() + 1000].lstrip())
        warning = f"the front matter has more than {_MAX_CHARACTERS:,} characters and is taken as text"
        return FrontMatter(warnings=(warning,) if is_likely else ())
    raw = source[: closing.end()]
    inside, _ = plain_line_ends(source[opening.end() : closing.start()])
    try:
        values = _parse(fence, inside)
    except (yaml.YAMLError, ValueError, ArithmeticError, AttributeError, LookupError, TypeError, RecursionError) as error:
        if not _ENTRY[fence].match(inside.lstrip()):
            return FrontMatter()
        reason = _reason(error)
        return FrontMatter(raw, {}, (f"the front matter cannot be parsed and is left empty: {reason}",))
    return FrontMatter() if values is None else FrontMatter(raw, values)


def text_fields(raw: str) -> list[tuple[int, int]]:
    """Return where the texts for readers stand in a front matter with values, in order; none if there is at most a title.

    Such a page, as `layout: home` of VitePress, is made of its front matter alone.
    """
    opening = _OPENING.match(raw)
    closing = _CLOSING[opening.group(1)].search(raw, opening.end()) if opening is not None else None
    if opening is None or closing is None:
        return []
    inside, place = plain_line_ends(raw[opening.end() : closing.start()])
    found: dict[tuple[int, int], str] = {}
    try:
        if opening.group(1) == "---":
            _collect(_PlainLoader(inside).get_single_node(), "", inside, found)
        else:
            _collect_toml(inside, found)
    except (yaml.YAMLError, ValueError, RecursionError):
        return []
    spans = sorted(span for span in found if inside[span[0] : span[1]].strip())
    is_more = any(name != "title" for name in found.values())
    return [(opening.end() + place(first), opening.end() + place(last)) for first, last in spans] if is_more else []


def property_lines(raw: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the fields with these names stand in a front matter, each with its name and all its lines, in order.

    Only fields of the outermost mapping count.

    >>> raw = "---\\nborn: 1990\\nlikes:\\n  - tea\\nlayout: post\\n---\\n"
    >>> [raw[first:last] for first, last in property_lines(raw, ["likes", "born"])]
    ['born: 1990', 'likes:\\n  - tea']
    """
    wanted, found, is_below = set(names), [], False
    at = 0
    for line in raw.splitlines(keepends=True):
        first, last, at = at, at + len(line.rstrip()), at + len(line)
        begun = _NAMED.match(line)
        if begun is not None:
            is_below = begun["name"].strip("\"'") in wanted
            found += [(first, last)] if is_below else []
        elif is_below and _CONTINUED.match(line):
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            is_below = False
    return found


def _collect(node: yaml.Node | None, name: str, text: str, found: dict[tuple[int, int], str]) -> None:
    """Note where the texts for readers stand in the YAML `text`, without quotes, with the names of their fields."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if below not in _OF_MACHINES:
                _collect(value, f"{name}.{below}".strip("."), text, found)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _collect(value, name, text, found)
    elif isinstance(node, yaml.ScalarNode) and node.tag == _TEXT and _is_shown(name):
        before = _PROPERTIES.match(text, node.start_mark.index)
        first, last = before.end() if before else node.start_mark.index, node.end_mark.index
        if node.style in ("'", '"'):
            first, last = first + 1, last - 1
        elif node.style in ("|", ">"):
            first = text.find("\n", first) + 1 or last
        found[first, last] = name


def _collect_toml(text: str, found: dict[tuple[int, int], str]) -> None:
    """Note the same in TOML."""
    for keys, first, last in toml_texts(text):
        if _OF_MACHINES.isdisjoint(keys) and _is_shown(".".join(keys)):
            found[first, last] = ".".join(keys)


def _is_shown(name: str) -> bool:
    return name.rpartition(".")[2] in (_SHOWN_BELOW if "." in name else _SHOWN)


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return _TOO_MUCH
    if not isinstance(error, yaml.YAMLError | ValueError):
        return "a value is not what its tag says"  # other errors come from the loader, which trusts the tags of YAML
    told = str(error)
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        problem = ", ".join(filter(None, (error.context, error.problem)))
        told = f"{problem} (at line {error.problem_mark.line + 1}, column {error.problem_mark.column + 1})"
    one_line = " ".join(told.split())[:200]
    return _AT_LINE.sub(lambda found: f"at line {int(found[1]) + 1}", one_line)  # the first line has the mark


class _PlainLoader(yaml.SafeLoader):
    """The safe loader, except that a value stays the text the author wrote where YAML 1.2, which site generators read, has
    no other type for it, or where it is a very long number, or a decimal one that would be written in another way (`1.10`).

    It counts all values before it makes any, since aliases and merge keys can make millions of a few lines.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._nodes += 1
        if self._nodes > 2 * _MAX_VALUES:  # keys are nodes too
            raise ValueError(_TOO_MUCH)
        return super().compose_node(parent, index)

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None:
            _unfolded_size(node, {})
        if isinstance(node, yaml.MappingNode):
            _keep_texts(node)
        return node

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> str:
        tag = str(super().resolve(kind, value, implicit))  # type: ignore[no-untyped-call]
        return _TEXT if tag == _DECIMAL and repr(float(value)) != value else tag

    def construct_number(self, node: yaml.ScalarNode) -> int | str:
        if len(node.value) <= _MAX_DIGITS:
            number = self.construct_yaml_int(node)
            if abs(number) <= _LARGEST_NUMBER:
                return number
        return self.construct_scalar(node)


_PlainLoader.add_constructor(f"{_TAG}int", _PlainLoader.construct_number)
_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in (f"{_TAG}null", f"{_TAG}merge")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _name, _pattern, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", "[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"-?[0-9]+\.[0-9]+", "-0123456789"),
):
    _PlainLoader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(rf"(?:{_pattern})\Z"), list(_first))


def _keep_texts(front: yaml.MappingNode) -> None:
    """Make booleans and numbers texts as they are written, in the fields that have texts."""
    for key, value in front.value:
        if isinstance(key, yaml.ScalarNode) and key.value in _TEXTS:
            for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                if isinstance(one, yaml.ScalarNode) and one.tag in (f"{_TAG}bool", f"{_TAG}int", _DECIMAL):
                    one.tag = _TEXT


def _unfolded_size(node: yaml.Node, known: dict[yaml.Node, tuple[int, int] | None]) -> tuple[int, int]:
    """Return how many nodes and characters a node has, each alias counted as what it names.

    Raises:
        ValueError: they are too many, or a node holds itself.
    """
    if node in known:
        size = known[node]
        if size is None:
            raise ValueError("a value holds itself")
        return size
    known[node] = None
    nodes, characters = 1, 0
    if isinstance(node, yaml.ScalarNode):
        characters = len(node.value)
    else:
        inner = node.value if isinstance(node, yaml.SequenceNode) else (n for pair in node.value for n in pair)
        for size in (_unfolded_size(n, known) for n in inner):
            nodes, characters = nodes + size[0], characters + size[1]
    if nodes > 2 * _MAX_VALUES or characters > _MAX_CHARACTERS:
        raise ValueError(_TOO_MUCH)
    known[node] = nodes, characters
    return nodes, characters


def _parse(fence: str, inside: str) -> dict[str, Any] | None:
    """Return the mapping inside the fences, an empty one for no text, None for anything else."""
    loaded: Any = read_toml(inside) if fence == "+++" else yaml.load(inside, _PlainLoader)  # noqa: S506 — safe
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        return None
    budget = [_MAX_VALUES]
    return {encodable(str(key)): _json_value(value, budget, 0) for key, value in loaded.items()}


def _json_value(value: Any, budget: list[int], depth: int) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > _MAX_DEPTH:
        raise ValueError(_TOO_MUCH)
    if isinstance(value, dict):
        return {encodable(str(key)): _json_value(inner, budget, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json_value(inner, budget, depth + 1) for inner in value]
    if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        raise ValueError(f"it holds a number of more than {_MAX_DIGITS} digits")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)  # JSON knows no infinity
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    return encodable(value if isinstance(value, str) else str(value))
