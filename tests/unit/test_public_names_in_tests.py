"""No test reaches into private attributes: what a test needs of a module or an object has a public name."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
#: Private names that tests use nevertheless, and why.
ALLOWED = {
    "_repr_html_": "IPython asks for it",
    "_repr_markdown_": "IPython asks for it",
    "_replace": "namedtuples document it",
    "_exit": "the function of the module os",
    "_protected_args": "click keeps the name of a group's command nowhere else",
}
#: Functions that are given an object and the name of an attribute, or a dotted name of both.
NAMING = {"setattr", "delattr", "getattr", "hasattr", "object", "patch"}


def is_private(name):
    """Whether a name, or the last part of a dotted one, begins with one underscore."""
    last = name.rpartition(".")[2]
    return last.startswith("_") and not last.startswith("__") and last.isidentifier() and last != "_" and last not in ALLOWED


def named(node):
    """The text of a constant, or nothing."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_namespace(node):
    """Whether it is the `__dict__` of something, or what `vars` gives."""
    is_vars = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars"
    return is_vars or (isinstance(node, ast.Attribute) and node.attr == "__dict__")


def private_names(text):
    """The lines of a module where it reaches into private names, and these names."""
    for node in ast.walk(ast.parse(text)):
        found = []
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name):
                found = [name]
            case ast.Import(names=names):
                found = [part for each in names for part in each.name.split(".")]
            case ast.ImportFrom(names=names):
                found = [part for name in (node.module or "", *(each.name for each in names)) for part in name.split(".")]
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called in NAMING:
                by_name = [each.value for each in node.keywords if each.arg in ("name", "target", "attribute")]
                found = [named(each) for each in (*node.args[:2], *by_name)]
            case ast.Subscript(value=value, slice=key) if is_namespace(value):
                found = [named(key)]
            case ast.Compare(left=left, comparators=[other]) if is_namespace(other):
                found = [named(left)]
        yield from ((node.lineno, name) for name in found if is_private(name))


def test_no_test_reaches_into_private_attributes():
    places = [
        f"tests/{place.relative_to(TESTS).as_posix()}:{line}: {name}"
        for place in sorted(TESTS.rglob("*.py"))
        for line, name in private_names(place.read_text(encoding="utf-8"))
    ]
    assert not places, "\n".join(["private names, which need a public one or another way to test:", *places])


@pytest.mark.parametrize(
    "text",
    [
        "engine._reader",
        "engine._reader.held = None",
        "super()._put(name)",
        "self.engine._reader",
        "from search.server.run import _leave",
        "from search._run import leave",
        "import search._run",
        'setattr(table, "_table", None)',
        'monkeypatch.setattr(changed, "_SCAN_FILES", 1)',
        'monkeypatch.setattr("indexer.sync.changed._SCAN_FILES", 1)',
        'monkeypatch.setattr(changed, name="_SCAN_FILES", value=1)',
        'patch.object(changed, "_SCAN_FILES", 1)',
        'patch("indexer.sync.changed._SCAN_FILES")',
        'getattr(table, "_table")',
        'model.__dict__["_model"] = None',
        '"_model" in vars(model)',
    ],
)
def test_private_names_are_found(text):
    assert [line for line, _ in private_names(f"\n{text}\n")] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "self._server.close()",
        "cls._made = 1",
        "page._repr_html_()",
        "usage._replace(free=1)",
        'monkeypatch.setattr("os._exit", end)',
        "context._protected_args",
        "type(table).__name__",
        "from __future__ import annotations",
        'row["_rowid"]',
        'monkeypatch.setattr(changed, "SCAN_FILES", _few)',
        'patch.setattr(text, "value", "_private")',
        "first, _ = pair",
    ],
)
def test_other_names_are_not_found(text):
    assert list(private_names(text)) == []
