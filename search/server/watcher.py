"""The process that keeps the index up to date while a server runs: `index watch`, restarted when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from schema.commands import ExitCode
from schema.logs import is_json

_log = logging.getLogger(__name__)

#: Pause before the process is started again (seconds).
_RESTART_AFTER = 5.0
#: Time that the process gets to finish its last commit when the server ends (seconds).
_LAST_COMMIT = 20.0
#: Exit statuses after which a restart would fail in the same way: wrong use, and an index that does not fit.
_HOPELESS = (ExitCode.USAGE, ExitCode.NO_INDEX)


def watch_command(index_dir: Path, model: str) -> list[str]:
    """Return the command that watches files for an index; the paths to watch come behind `--`."""
    # -P: Python must not import modules from the working folder, which could have the names of ours
    command = [sys.executable, "-P", "-m", "indexer", "watch", "--index", str(index_dir)]
    return [*command, "--model", model, "--quiet", "--until-input-ends", "--log-format", "json" if is_json() else "text"]


async def watch_files(command: Sequence[str], paths: Sequence[Path]) -> None:
    """Run `command` over `paths` until this task is cancelled; return at once without paths.

    The process ends with this one in any case, also when this one is killed: its input is a pipe that closes then.
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
        await asyncio.sleep(_RESTART_AFTER)


async def _end(watcher: asyncio.subprocess.Process) -> None:
    """Ask the process to end, and kill it if it takes longer than `_LAST_COMMIT`."""
    with contextlib.suppress(ProcessLookupError):
        watcher.terminate()
        try:
            await asyncio.wait_for(watcher.wait(), _LAST_COMMIT)
        except TimeoutError:
            watcher.kill()
            await watcher.wait()
