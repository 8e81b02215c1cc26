"""A host and a port → a listening socket, or one sentence about what is wrong with them."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from schema.errors import SettingsError

#: Connections that the system keeps waiting until they are accepted.
_BACKLOG = 128


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Listen at the first address of `host`; port 0 takes any port that is free. The socket is closed at the end.

    Raises:
        SettingsError: `host` is no address of this machine, or the port cannot be used.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SettingsError(f"{host} is no address of this machine ({error.strerror or error}); correct --host.") from error
    with listener:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        elif exclusive := getattr(socket, "SO_EXCLUSIVEADDRUSE", None):
            listener.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        try:
            listener.bind(address)
            listener.listen(_BACKLOG)  # clients that connect before the application is ready wait for it
        except (OSError, OverflowError) as error:
            raise SettingsError(
                f"The server cannot listen at {host}:{port} ({getattr(error, 'strerror', None) or error}); "
                "choose another --port, 0 for any that is free."
            ) from error
        yield listener
