"""The life of one server process over one index: it listens, makes itself known, answers, and ends without losing an answer.

Refuses to be reached by other machines without a token. Several servers of one index may run; one that ends after idling is
refused beside another, since it is there for the terminal alone.

The states of the process, in order. Outside of `serving` and `told to stop`, SIGINT raises `KeyboardInterrupt` and SIGTERM
ends the process, as in any Python program. After SIGKILL, in any state, `server.json` stays but is not believed, since the
lock beside it is free; the process that watches files ends, since its input does.

| state        | what holds in it                                                  | what ends it                           |
|--------------|-------------------------------------------------------------------|----------------------------------------|
| binding      | the options are checked, nothing listens yet                      | the socket listens                     |
| known        | `server.json` names the server; clients that connect have to wait | uvicorn handles signals and the socket |
| serving      | requests are answered, a thread loads the model, files are        | SIGINT, SIGTERM, or `idle` seconds     |
|              | watched                                                           | without a request                      |
| draining     | after SIGTERM with `drain` seconds: not ready and not known any   | the seconds are over, or a further     |
|              | more, but every request is answered, and its connection closed    | signal                                 |
| told to stop | no new connection; the open ones have `LAST_ANSWERS` seconds      | all are closed, the time is over, or   |
|              | to finish                                                         | SIGINT, which does not wait for them   |
| ending       | the process that watches files ends, `server.json` is deleted,    | the process ends: by itself, or by     |
|              | and threads have `LAST_WORK` seconds to finish                    | `os._exit` while a thread is at work   |
"""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import socket
import stat
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from schema.commands import ExitCode
from schema.errors import SectionaryError, SettingsError
from schema.memory import share_heaps
from schema.settings import Settings
from search.answers.local_server import MOST_KNOWN, Server, ServerRegistration, is_served
from search.answers.service import SearchService
from search.server.application import agents_application, full_application
from search.server.connections import Connection
from search.server.following import follow
from search.server.listening import listening
from search.server.meter import Meter
from search.server.origins import read_origins
from search.server.pool import THREAD_PREFIX
from search.server.readiness import Readiness
from search.server.security import LOOPBACK, Access, host_name, is_loopback
from search.server.stopping import Named, StoppingServer
from search.server.watcher import watch_command, watch_files

_log = logging.getLogger(__name__)

#: Name of the thread that loads what the first question needs.
LOADING_THREAD = "preparing"
#: Time for answers that are being made when the server is told to stop (seconds): that which an answer may take.
LAST_ANSWERS = 20
#: Time for work whose answer nobody waits for any more (seconds).
LAST_WORK = 5
#: Longest line or header block that is read (bytes); `SecurityMiddleware` refuses shorter addresses, with a sentence.
_MAX_HEAD_BYTES = 64_000
#: How often the server renews its registration and looks whether it is idle (seconds).
_UPKEEP_EVERY = 1.0
#: The address that stands for all addresses of this machine.
_ANY = "0.0.0.0"  # noqa: S104 — compared, not bound
#: How long an open connection waits for its next request (seconds).
_KEEP_ALIVE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Where a server listens, when it ends and which files it watches.

    `port` 0 takes any free port. `hosts` are further host names that requests may use, `origins` other sites that may embed
    the search box. The server ends after `idle` seconds without a request; 0 means never. After SIGTERM it still answers for
    `drain` seconds, without being ready. `watched` are the files and folders whose changes are indexed. `has_metrics`:
    `/metrics` is answered.
    """

    host: str = "127.0.0.1"
    port: int = 8731
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    idle: float = 0.0
    drain: float = 0.0
    watched: tuple[Path, ...] = ()
    has_metrics: bool = False


def serve(
    answers: SearchService,
    *,
    place: ServerOptions,
    settings: Settings,
    told: Callable[[str], None],
    only_calls: bool = False,
) -> None:
    """Answer requests until the process is told to stop; see the table of states above.

    `told` is called with the server's address as soon as it accepts connections. With `only_calls` it answers agents' calls
    and nothing else, and the command `search` does not learn of it.

    Raises:
        SettingsError: the address is reachable by others and there is no token, or it cannot be bound.
    """
    share_heaps()
    _check_reach(place.host, settings.server_token)
    further_hosts, origins = _host_names(place.hosts), read_origins(place.origins)
    with listening(place.host, place.port) as listener:
        host, port = listener.getsockname()[:2]
        server = Server.new("127.0.0.1" if host == _ANY else host, port, settings)
        is_local = is_loopback(host) or host == _ANY
        registration = _register(answers.index_dir, server, place) if is_local and not only_calls else None
        access = Access(LOOPBACK | {place.host.lower(), host} | further_hosts, settings.server_token, origins)
        build = agents_application if only_calls else full_application
        readiness = Readiness(answers.prepare)
        built = build(answers, access, Meter(is_served=place.has_metrics), readiness)
        app = Named(built, server.instance, readiness)
        uvicorn_server = StoppingServer(configured(app), readiness, drain=place.drain)
        watch = partial(watch_files, watch_command(answers.index_dir, settings.model), place.watched)
        announce = partial(told, server.url)
        try:
            upkeep = partial(_upkeep, uvicorn_server, registration, app, place.idle)
            following = partial(follow, answers)
            beside = (upkeep, watch, following)
            asyncio.run(_run(uvicorn_server, answers, beside=beside, listener=listener, announce=announce))
        finally:
            if registration is not None:
                registration.withdraw()
            leave()


# -- binding, known ----------------------------------------------------------------------------------------------------


def _check_reach(host: str, token: str) -> None:
    """Refuse a token that is no good, and an address that others reach without one."""
    if token:
        check_token(token)
    elif not is_loopback(host):
        raise SettingsError(
            f"Other machines would reach {host}, so a token is needed: set SECTIONARY_SERVER_TOKEN or --token-file, "
            "or leave --host at 127.0.0.1."
        )


def _host_names(hosts: Sequence[str]) -> set[str]:
    """Return the names as requests give them; refuse what is not a host name."""
    names = {host_name(name) or host_name(f"[{name}]") for name in hosts}
    if "" in names:
        raise SettingsError("--allow-host takes a host name, such as docs.example.com, without a scheme and a path.")
    return names


def _register(index_dir: Path, server: Server, place: ServerOptions) -> ServerRegistration:
    """Make the server known in the index folder; refuse one that would only stand by for another."""
    if place.idle and is_served(index_dir):
        raise SettingsError(f"The index {index_dir} is served already; ask that server, stop it first, or leave out --idle.")
    registration = ServerRegistration(index_dir, server)
    if not registration.renew():
        _log.info("%d servers of %s are known already; `search` in a terminal asks those", MOST_KNOWN, index_dir)
    return registration


# -- serving, told to stop ---------------------------------------------------------------------------------------------


async def _run(
    server: StoppingServer,
    answers: SearchService,
    *,
    beside: Sequence[Callable[[], Coroutine[Any, Any, None]]],
    listener: socket.socket,
    announce: Callable[[], None],
) -> None:
    """Serve at `listener` until told to stop, with the work `beside` it in the background."""
    announce()
    # a daemon thread: loading can take minutes, and must not hold up the end of the process
    threading.Thread(target=prepare, args=[answers], name=LOADING_THREAD, daemon=True).start()
    async with AsyncExitStack() as stack:
        for work in beside:
            await stack.enter_async_context(_in_background(work()))
        await server.serve(sockets=[listener])


def prepare(answers: SearchService) -> None:
    """Load what the first question needs. If that fails, the server goes on: each question gets the error as its answer."""
    try:
        answers.prepare()
    except SectionaryError as error:
        _log.info("not ready yet: %s", error)
    except Exception:  # noqa: BLE001 — it must not end the server
        _log.exception("what the first question needs could not be loaded")


async def _upkeep(server: StoppingServer, registration: ServerRegistration | None, app: Named, idle: float) -> None:
    """Renew the registration every second, and stop the server after `idle` seconds without a request (0: never)."""
    while True:
        await asyncio.sleep(_UPKEEP_EVERY)
        if registration is not None:
            await asyncio.to_thread(registration.withdraw if server.readiness.is_stopping else registration.renew)
        if idle and not app.inside and time.monotonic() - app.last > idle:
            _log.info("nobody has asked for %g s: ending", idle)
            server.should_exit = True
            return


@asynccontextmanager
async def _in_background(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run `work` beside the block and cancel it at the block's end; if it fails, that is logged and the block goes on."""
    task = asyncio.create_task(work)
    task.add_done_callback(_log_failure)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("work beside the server failed", exc_info=error)


# -- ending ------------------------------------------------------------------------------------------------------------


def leave() -> None:
    """Wait for the last answers, and end the process by force where Python could not end it.

    At its exit Python waits for the threads of the pool, however long they take, since a thread cannot be stopped. It does
    not wait for the thread that loads the model, but frees what its native code still uses, which aborts the process. An
    error that is on its way is logged then, since nobody can catch it any more.
    """
    if not _are_answers_finished(LAST_WORK):
        _log.warning("an answer was not finished in time")
    elif not any(thread.name == LOADING_THREAD for thread in threading.enumerate()):
        return
    match sys.exception():
        case None:
            status = 0
        case SystemExit(code=code):
            status = code if isinstance(code, int) else 1
        case KeyboardInterrupt():
            status = ExitCode.INTERRUPTED
        case error:
            _log.error("the server ended by an error", exc_info=error)
            status = 1
    os._exit(status)


def _are_answers_finished(seconds: float) -> bool:
    """Wait at most so long for the threads that make answers, and return whether all of them have ended."""
    end = time.monotonic() + seconds
    for thread in threading.enumerate():
        if thread.name.startswith(THREAD_PREFIX):
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                return False
    return True


# -- what uvicorn serves -------------------------------------------------------------------------------------------------


def configured(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration with which uvicorn serves `app`.

    Requests are not logged, since their addresses hold queries; no header names the software.
    """
    logging.getLogger("uvicorn.access").disabled = True
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http=Connection,
        timeout_keep_alive=_KEEP_ALIVE,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        timeout_graceful_shutdown=LAST_ANSWERS,
    )


# -- the token ---------------------------------------------------------------------------------------------------------


def read_token(path: Path) -> str:
    """Return the token in a file that only its owner can read.

    Raises:
        SettingsError: others could read the file, or it holds no token of 16 characters or more.
    """
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            token = stream.read(4097).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The token cannot be read from {path}: {error}.") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        correction = f"chmod 600 {shlex.quote(str(path))}"
        raise SettingsError(f"Others than its owner can read {path}; `{correction}` and choose a new token.")
    check_token(token)
    return token


def check_token(token: str) -> None:
    """Refuse a token that can be guessed or cannot be sent.

    Raises:
        SettingsError: it is shorter than 16 characters or holds others than printable ASCII.
    """
    if not 16 <= len(token) <= 4096 or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError("The server's token must be 16 characters or more of printable ASCII without blanks.")
