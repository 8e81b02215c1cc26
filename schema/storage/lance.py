"""The library lancedb, imported for half of what it costs: without the HTTP client of catalogues that live on a server.

Nothing is taken away: what the client's package defines is made when somebody asks for it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any


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


# `import lancedb` 0.40 spends .9 of its 1.9 s of CPU on the validators of a generated HTTP client (0.13) that nobody calls
# here: lance_namespace wants the models of that package, whose __init__ imports every call too. No issue upstream was found;
# this can go when either of them imports the calls only when they are made.
_defer("lance_namespace_urllib3_client")
# it would tell of every empty cell of an index of vectors on the user's terminal
os.environ.setdefault("LANCEDB_LOG", "error")

import lancedb  # noqa: E402
from lancedb.expr import Expr, col, lit  # noqa: E402
from lancedb.index import FTS, BTree, IvfSq  # noqa: E402
from lancedb.query import BooleanQuery, MatchQuery, Occur  # noqa: E402

#: No table has more rows: the library wants a limit, and takes few rows without one.
EVERYTHING = 1 << 31

__all__ = ["EVERYTHING", "FTS", "BTree", "BooleanQuery", "Expr", "IvfSq", "MatchQuery", "Occur", "col", "lancedb", "lit"]
