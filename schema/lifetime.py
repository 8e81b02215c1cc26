"""`Closable`: what holds files and models until it is closed, and says so when it is used afterwards."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from schema.errors import ClosedError

#: Two threads may close one object.
_CLOSING = threading.RLock()


class Closable:
    """Base of a class whose objects can be closed; `with` does it in the end.

    Closing drops every attribute, so that what nobody else holds is released as soon as the calls that run have ended. A
    call afterwards, or one that still needs an attribute, raises `ClosedError`.
    """

    def close(self) -> None:
        """Release the files and models that are held; a second call does nothing. Later use raises `ClosedError`."""
        with _CLOSING:
            if self.is_closed:
                return
            self._release()
            names = frozenset(vars(self))
            vars(self).update(_closed_as=repr(self), _closed_names=names)
            for name in names:
                del vars(self)[name]

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return "_closed_names" in vars(self)

    def _release(self) -> None:
        """Close what dropping a reference does not."""

    def _shown(self) -> str:
        """Return what `repr` gives for an open object."""
        return f"{type(self).__name__}()"

    def __enter__(self) -> Self:
        if self.is_closed:
            raise self._closed_error()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<closed {vars(self)['_closed_as']}>" if self.is_closed else self._shown()

    def _closed_error(self) -> ClosedError:
        return ClosedError(f"This {type(self).__name__} is closed; make a new one.")

    if not TYPE_CHECKING:  # a type checker would take every name for an attribute

        def __getattr__(self, name: str) -> Any:
            if name in vars(self).get("_closed_names", ()):
                raise self._closed_error()
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
