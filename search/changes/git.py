"""A folder in a git repository → the files of one of its commits, and their bytes; git is only asked, and only for objects.

The repository may be somebody else's, with a configuration that names programs. So git gets no shell, none of the
environment's GIT_ variables, no pager, no hooks and no file system monitor; nothing is fetched; and only `rev-parse`,
`ls-tree` and `cat-file --batch` run, which use no filters, no external diff and no textconv. The working tree is not read.
Refuses revisions that begin with a dash.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from schema.errors import QueryError
from schema.text.characters import one_line

#: Longest time that git may take for all that one question needs (seconds).
_SECONDS = 60.0
#: Longest list of a commit's files that is read (bytes), and longest revision (characters).
_MAX_LIST, _MAX_REVISION = 256 << 20, 200
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ENTRY = re.compile(rb"100[0-7]{3} blob ([0-9a-f]{40}|[0-9a-f]{64}) +([0-9]+|BAD)\t(.+)", re.DOTALL)
_HEADER = re.compile(rb"([0-9a-f]{40,64}) blob ([0-9]{1,18})\n")
_MISSING = "Files of the commit are not in this repository, as in a partial clone; run `git fetch --refetch` first."
#: What git is told, whatever its configuration says.
_OPTIONS = (
    "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "protocol.allow=never", "-c", "core.sshCommand=false", "-c", "safe.bareRepository=explicit",
)  # fmt: skip
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none", "GIT_PAGER": "cat", "LC_ALL": "C",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a commit: its object and its size in bytes."""

    id: str
    size: int


class Repository:
    """The git repository that `folder` is in.

    Raises:
        QueryError: git is not installed, or there is no repository.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        found = shutil.which("git")
        if found is None:
            raise QueryError("Comparing with a commit needs git, which is not installed here; ask with --since.")
        self._git = found
        inside = self._asked("rev-parse", "--is-inside-work-tree")
        if inside.returncode or inside.stdout.strip() != b"true":
            reason = inside.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
            told = f" ({one_line(reason[:200])})" if reason else ""
            raise QueryError(f"{one_line(str(folder))} is in no git repository that can be read{told}; ask with --since.")

    def commit(self, revision: str) -> str:
        """Return the id of the commit that a revision names: an id, a branch, a tag, HEAD~3, HEAD@{yesterday} …

        Raises:
            QueryError: it names none, or begins with a dash.
        """
        shown = one_line(revision[:_MAX_REVISION])
        if not revision.strip() or len(revision) > _MAX_REVISION or not revision.isprintable():
            raise QueryError("A commit is named by its id, a branch, a tag or HEAD~3.")
        if revision.startswith("-"):
            raise QueryError(f"{shown} begins with a dash, which no commit's name does.")
        try:
            done = self._asked("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        except ValueError as error:  # half of a surrogate pair
            raise QueryError("A commit is named by its id, a branch, a tag or HEAD~3.") from error
        found = done.stdout.decode("ascii", "replace").strip()
        if done.returncode or not _COMMIT.fullmatch(found):
            raise QueryError(f"There is no commit {shown} in the repository; `git log` shows those there are.")
        return found

    def files(self, commit: str) -> Mapping[str, Blob]:
        """Return the files of a commit that are in the folder, by their paths from there; no links and no submodules.

        Raises:
            QueryError: git fails, takes too long or gives too much.
        """
        found: dict[str, Blob] = {}
        with self._started("ls-tree", "-r", "-l", "-z", commit) as (process, _, out):
            listed = out.read(_MAX_LIST + 1)
            if len(listed) > _MAX_LIST:
                raise QueryError("The commit has too many files to compare with; ask with --since.")
            if process.wait():
                raise QueryError("git cannot list the files of the commit; ask with --since.")
        for entry in listed.split(b"\0"):
            match = _ENTRY.fullmatch(entry)
            if match is not None and match[2] == b"BAD":
                raise QueryError(_MISSING)
            if match is not None:
                with contextlib.suppress(UnicodeDecodeError):
                    found[match[3].decode("utf-8")] = Blob(match[1].decode("ascii"), int(match[2]))
        return found

    def contents(self, blobs: Iterable[Blob]) -> Iterator[bytes]:
        """Yield the bytes of files in the order given.

        Raises:
            QueryError: git fails or takes too long, or a file is not here, as in a partial clone.
        """
        with self._started("cat-file", "--batch") as (_, asked, out):
            for blob in blobs:
                asked.write(f"{blob.id}\n".encode("ascii"))
                asked.flush()
                header = _HEADER.fullmatch(out.readline(200))
                if header is None or int(header[2]) != blob.size:
                    raise QueryError(_MISSING)
                data = out.read(blob.size + 1)
                if len(data) != blob.size + 1:
                    raise QueryError("git did not give the files of the commit; try again, or ask with --since.")
                yield data[:-1]

    def _command(self, *arguments: str) -> list[str]:
        return [self._git, *_OPTIONS, "-C", str(self._folder), *arguments]

    def _asked(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                self._command(*arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_SECONDS,
                env=clean_environment(os.environ),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise QueryError("git cannot be asked here; ask with --since.") from error

    @contextlib.contextmanager
    def _started(self, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
        """Start git, which is ended with the block or after a minute; give it, its input and its output."""
        try:
            process = subprocess.Popen(
                self._command(*arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=clean_environment(os.environ),
            )
        except OSError as error:
            raise QueryError("git cannot be asked here; ask with --since.") from error
        timer = threading.Timer(_SECONDS, process.kill)
        timer.start()
        try:
            if process.stdin is None or process.stdout is None:
                raise QueryError("git cannot be asked here; ask with --since.")
            yield process, process.stdin, process.stdout
        except OSError as error:  # it has ended
            raise QueryError("git ended before it had answered; ask with --since.") from error
        finally:
            timer.cancel()
            process.kill()
            with contextlib.suppress(OSError):
                process.communicate()


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that git gets: without variables that lead it elsewhere or name programs.

    >>> sorted(clean_environment({"PATH": "/bin", "GIT_DIR": "/x", "GIT_EXTERNAL_DIFF": "sh"}).keys() - _ENVIRONMENT.keys())
    ['PATH']
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not name.upper().startswith("GIT_") and name not in ("PAGER", "SSH_ASKPASS")
    }
    return kept | _ENVIRONMENT
