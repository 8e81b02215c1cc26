"""The library lancedb, imported when something is first asked of it, and for two fifths of what it costs.

A run that finds nothing to do opens no table, and needs a second less. The HTTP client of catalogues that live on a server
is left out until somebody asks for what its package defines.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import lancedb
    from lancedb.expr import Expr, col, lit
    from lancedb.index import FTS, BTree, IvfRq, IvfSq
    from lancedb.query import BooleanQuery, MatchQuery, Occur

__all__ = [
    "EVERYTHING",
    "FTS",
    "BTree",
    "BooleanQuery",
    "Expr",
    "IvfRq",
    "IvfSq",
    "MatchQuery",
    "Occur",
    "col",
    "lancedb",
    "lit",
]

#: No table has more rows: the library wants a limit, and takes few rows without one.
EVERYTHING = 1 << 31
#: The package that imports the calls of an HTTP client, see below.
_CLIENT = "lance_namespace_urllib3_client"
#: Where the library has each name.
_MODULES = {
    "expr": ("Expr", "col", "lit"),
    "index": ("FTS", "BTree", "IvfRq", "IvfSq"),
    "query": ("BooleanQuery", "MatchQuery", "Occur"),
}


class _Deferred(ModuleType):
    """A package whose own code runs once something is asked of it; its modules can be imported before."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":  # the import system and inspectors ask for such names
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]  # from here on it is as any other
        spec = self.__spec__
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(self)
        return getattr(self, name)


def _defer(package: str) -> None:
    """Let a package that is not imported yet run its code only when it is needed."""
    spec = importlib.util.find_spec(package) if package not in sys.modules else None
    if spec is not None and spec.loader is not None and spec.submodule_search_locations:
        module = _Deferred(package)
        module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
        module.__path__, module.__package__ = list(spec.submodule_search_locations), package
        sys.modules[package] = module


class _Unchecked:
    """In place of `overrides.EnforceOverrides`: what lancedb itself has there from Python 3.12 on."""


@contextlib.contextmanager
def _built_later() -> Iterator[None]:
    """Let classes of pydantic that are imported meanwhile be built at their first use, and no overriding be checked.

    lancedb 0.40 and what it imports make 400 such classes, of which hardly any is used, and before Python 3.12 it has the
    package overrides read the bytecode around each of 105 methods: together a quarter of its import.
    """
    from pydantic import BaseModel

    config, overrides = BaseModel.model_config, sys.modules.get("overrides")
    if sys.version_info < (3, 12):
        unchecked = ModuleType("overrides")
        vars(unchecked).update(override=lambda method: method, EnforceOverrides=_Unchecked)
        sys.modules["overrides"] = unchecked
    BaseModel.model_config = {**config, "defer_build": True}
    try:
        yield
    finally:
        BaseModel.model_config = config
        sys.modules.pop("overrides", None)
        if overrides is not None:
            sys.modules["overrides"] = overrides


def __getattr__(name: str) -> Any:
    """Import the library, and give this module all of its names."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # `import lancedb` 0.40 spends .9 of its 1.9 s of CPU on the validators of a generated HTTP client (0.13) that nobody
    # calls here: lance_namespace wants the models of that package, whose __init__ imports every call too. No issue upstream
    # was found; this can go when either of them imports the calls only when they are made.
    _defer(_CLIENT)
    # it would tell of every empty cell of an index of vectors on the user's terminal
    os.environ.setdefault("LANCEDB_LOG", "error")
    with _built_later():
        found: dict[str, Any] = {"lancedb": importlib.import_module("lancedb")}
        for module, names in _MODULES.items():
            found |= {one: getattr(importlib.import_module(f"lancedb.{module}"), one) for one in names}
    # every question uses this one, and not every version of pydantic builds a class safely for two threads at once
    importlib.import_module("lancedb.query").Query.model_rebuild()
    globals().update(found)
    return found[name]
