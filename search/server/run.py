"""One warm process per index: bound, guarded, made known to `search` on this machine, and ended without losing an answer.

Refuses to be reached from other machines without a token, and a second server of the same index.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schema.commands import ExitCode
from schema.errors import SectionaryError, SettingsError
from schema.settings import Settings
from search.answers.local_server import Server, ServerRegistration
from search.answers.service import SearchService
from search.server.connections import Connection
from search.server.memory import return_large_blocks
from search.server.pool import THREADS, WorkPool
from search.server.security import CALLS, LOOPBACK, Access, SecurityMiddleware, host_name, is_loopback

_log = logging.getLogger(__name__)

#: Name of the thread that loads what the first question would wait for.
_PREPARING = "preparing"
#: Answers that are being made when the server is told to stop have so long (seconds).
_LAST_ANSWERS = 5
#: Longest line or header block that is read (bytes); the guard says so for an address above its own limit.
_MAX_HEAD_BYTES = 64_000
_TICK = 1.0
#: The address that stands for all of this machine's.
_ANY = "0.0.0.0"  # noqa: S104 — compared, not bound
#: A connection is kept so long for another request (seconds).
_KEPT_OPEN = 5
#: A watcher that ended is begun again after this long, and may finish its last commit for so long (seconds).
_WATCH_AGAIN, _LAST_COMMIT = 5.0, 20.0
#: Its exit statuses for wrong use and for an index that does not fit: the next one would say the same.
_HOPELESS = (ExitCode.USAGE, ExitCode.NO_INDEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Where a server listens: port 0 for any; `hosts` are further names that requests may give; `idle` ends it (seconds)."""

    host: str = "127.0.0.1"
    port: int = 8731
    hosts: tuple[str, ...] = ()
    idle: float = 0.0
    watched: tuple[Path, ...] = ()


def serve(
    answers: SearchService,
    *,
    place: ServerOptions,
    settings: Settings,
    told: Callable[[str], None],
    only_calls: bool = False,
) -> None:
    """Answer until told to stop; `told` gets the address once it can be asked.

    With `only_calls` there are agents' calls and nothing else, and `search` in a terminal is told nothing of the server.

    Raises:
        SettingsError: the address is reachable by others and there is no token, or it cannot be bound.
    """
    return_large_blocks()
    if settings.server_token:
        check_token(settings.server_token)
    elif not is_loopback(place.host):
        raise SettingsError(
            f"Other machines would reach {place.host}, so a token is needed: set SECTIONARY_SERVER_TOKEN or --token-file, "
            "or leave --host at 127.0.0.1."
        )
    named = {host_name(name) or host_name(f"[{name}]") for name in place.hosts}
    if "" in named:
        raise SettingsError("--allow-host takes a host name, such as docs.example.com, without a scheme and a path.")
    with _listening(place.host, place.port) as listener:
        host, port = listener.getsockname()[:2]
        is_asked_here = is_loopback(host) or host == _ANY
        server = Server.new("127.0.0.1" if host == _ANY else host, port, settings)
        registration = ServerRegistration(answers.index_dir, server) if is_asked_here and not only_calls else None
        if registration is not None and not registration.renew():
            raise SettingsError(f"The index {answers.index_dir} is served already; ask that server, or stop it first.")
        access = Access(LOOPBACK | {place.host.lower(), host} | named, token=settings.server_token)
        app = Named(_calls(answers, access) if only_calls else application(answers, access), server.instance)
        # -P: nothing in the working folder is taken for one of our modules
        watcher = [sys.executable, "-P", "-m", "indexer", "watch", "--index", str(answers.index_dir)]
        watcher += ["--model", settings.model, "--quiet", "--until-input-ends"]
        tell = partial(told, server.url)
        try:
            asyncio.run(_run(app, answers, registration, place=place, watcher=watcher, listener=listener, told=tell))
        finally:
            if registration is not None:
                registration.withdraw()
            _leave()


def _leave() -> None:
    """Wait for answers that are being made, and end the process if one takes too long: a thread cannot be stopped."""
    end = time.monotonic() + _LAST_ANSWERS
    for thread in threading.enumerate():
        if thread.name.startswith(THREADS):
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                _log.warning("an answer was not finished in time")
                os._exit(0)
    if any(thread.name == _PREPARING for thread in threading.enumerate()):
        os._exit(0)  # Python would take down what native code is still using, which aborts the process


async def _run(
    app: Named,
    answers: SearchService,
    registration: ServerRegistration | None,
    *,
    place: ServerOptions,
    watcher: Sequence[str],
    listener: socket.socket,
    told: Callable[[], None],
) -> None:
    serving = _Serving(configured(app))
    told()
    # whatever loads for minutes must not hold up the end
    threading.Thread(target=_prepare, args=[answers], name=_PREPARING, daemon=True).start()
    async with _beside(_tick(serving, registration, app, place.idle)), _beside(_watch(watcher, place.watched)):
        await serving.serve(sockets=[listener])


def application(answers: SearchService, access: Access) -> ASGIApp:
    """The application over one index, agents' calls included where the extra `mcp` is installed."""
    from search.server.http import create_app

    pool = WorkPool()
    if importlib.util.find_spec("mcp") is None:
        return create_app(answers, access=access, pool=pool)
    from search.server.mcp import HttpCalls

    calls = HttpCalls(answers, pool=pool, hosts=access.hosts)
    return create_app(answers, access=access, pool=pool, calls=calls, running=calls.running)


def _calls(answers: SearchService, access: Access) -> ASGIApp:
    """The application that answers agents alone; it needs the extra `mcp` and no other."""
    from search.server.mcp import HttpCalls

    pool = WorkPool()
    calls = HttpCalls(answers, pool=pool, hosts=access.hosts)

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with calls.running():
            yield
        pool.close()

    return SecurityMiddleware(Starlette(routes=[Route(CALLS, calls)], lifespan=running), access)


def configured(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves the application: no log of requests, since addresses hold queries, and no word about itself."""
    logging.getLogger("uvicorn.access").disabled = True
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        http=Connection,
        timeout_keep_alive=_KEPT_OPEN,
        h11_max_incomplete_event_size=_MAX_HEAD_BYTES,
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )


def _prepare(answers: SearchService) -> None:
    """Load what the first question would wait for; an index that is not there yet is told to who asks."""
    try:
        answers.prepare()
    except SectionaryError as error:
        _log.info("not ready yet: %s", error)
    except Exception:  # noqa: BLE001 — it must not end the server; who asks is told
        _log.exception("what the first question needs could not be loaded")


async def _tick(serving: uvicorn.Server, registration: ServerRegistration | None, app: Named, idle: float) -> None:
    """Stay known, and end after idling for so many seconds, if any."""
    while True:
        await asyncio.sleep(_TICK)
        if registration is not None:
            await asyncio.to_thread(registration.renew)
        if idle and not app.inside and time.monotonic() - app.last > idle:
            _log.info("nobody has asked for %g s: ending", idle)
            serving.should_exit = True
            return


class _Serving(uvicorn.Server):
    """Ends gracefully at SIGINT and SIGTERM, at once at a second one; uvicorn's own way would kill what runs after it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Named:
    """ASGI middleware that puts the server's name on every answer and notes when the last was given."""

    def __init__(self, app: ASGIApp, name: str) -> None:
        self._app = app
        self._name = name
        self.inside = 0
        self.last = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["sectionary-instance"] = self._name
            await send(message)

        self.inside += 1
        try:
            await self._app(scope, receive, named)
        finally:
            self.inside -= 1
            self.last = time.monotonic()


@contextlib.asynccontextmanager
async def _beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let work go on beside the block and end with it; its failure ends nothing else."""
    task = asyncio.create_task(work)
    task.add_done_callback(_tell_failure)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("work beside the server failed", exc_info=error)


async def _watch(command: Sequence[str], paths: Sequence[Path]) -> None:
    """Have a process keep the index true to `paths`; it is begun again when it dies, and ends with this one, however that
    ends, since its input ends then.
    """
    while paths:
        try:
            watcher = await asyncio.create_subprocess_exec(
                *command, "--", *map(str, paths), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            _log.warning("files cannot be watched (%s); that is tried again", error)
        else:
            try:
                status = await watcher.wait()
            except asyncio.CancelledError:
                await _end(watcher)
                raise
            if status in _HOPELESS:
                _log.warning("the process that watches files gave up with status %d and is not begun again", status)
                return
            _log.warning("the process that watches files ended with status %d; it is begun again", status)
        await asyncio.sleep(_WATCH_AGAIN)


async def _end(watcher: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        watcher.terminate()
        try:
            await asyncio.wait_for(watcher.wait(), _LAST_COMMIT)
        except TimeoutError:
            watcher.kill()
            await watcher.wait()


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket bound to one address of `host`."""
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
            listener.listen(128)  # who asks while the application is being made waits for it
        except (OSError, OverflowError) as error:
            raise SettingsError(
                f"The server cannot listen at {host}:{port} ({getattr(error, 'strerror', None) or error}); "
                "choose another --port, 0 for any that is free."
            ) from error
        yield listener


def read_token(path: Path) -> str:
    """The token in a file that only its owner can read.

    Raises:
        SettingsError: others could read it, or it holds no token of 16 characters or more.
    """
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            token = stream.read(4097).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The token cannot be read from {path}: {error}.") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingsError(f"Others than its owner can read {path}; `chmod 600 {path}` and choose a new token.")
    check_token(token)
    return token


def check_token(token: str) -> None:
    """Refuse a token that can be guessed or cannot be sent.

    Raises:
        SettingsError: it is shorter than 16 characters or holds others than printable ASCII.
    """
    if not 16 <= len(token) <= 4096 or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError("The server's token must be 16 characters or more of printable ASCII without blanks.")
