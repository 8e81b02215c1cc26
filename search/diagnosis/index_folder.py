"""Settings, an index folder, its rights and the servers of it → findings."""

from __future__ import annotations

import contextlib
import difflib
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from schema.cache_folder import cache_folder
from schema.commands import project_root
from schema.errors import SectionaryError
from schema.index_files.layout import has_store, is_being_written, is_own, store_dir
from schema.index_files.plain_files import refuse_links
from schema.kept import kept_settings
from schema.project_file import ProjectFile
from schema.reports import IndexStatus
from schema.settings import (
    ENVIRONMENT_PREFIX,
    OTHER_VARIABLES,
    Settings,
    is_trusted,
    load_settings,
    read_project_file,
    setting_names,
)
from schema.settings_files import USER_FILE
from schema.status import read_status
from schema.trust import CONFIG_VARIABLE, user_folder
from search.answers.local_server import find_server, is_served
from search.diagnosis.findings import Finding, fine, is_writable_by_others, megabytes, problem, warning

#: Below this much free space an index cannot be written, and below this much it may soon be so (bytes).
_FULL, _NEARLY_FULL = 100_000_000, 1_000_000_000


def settings_in_use(index_dir: Path, environ: Mapping[str, str]) -> tuple[Settings | None, list[Finding]]:
    """Return the settings, None if they cannot be used, and what is found about them; values are never shown."""
    root = project_root(index_dir)
    left_out: list[str] = []
    found: list[Finding] = []

    def note(project: ProjectFile, names: list[str]) -> None:
        advice = "look at the file and run `index trust`, or set what you want yourself"
        left_out.extend(names)
        found.append(warning("settings", f"{', '.join(names)} of {project.path} not used: you did not allow it", advice))

    try:
        settings: Settings | None = load_settings(root, environ=environ, on_left_out=note, kept=kept_settings(index_dir))
        project = read_project_file(root).path
    except SectionaryError as error:
        return None, [problem("settings", str(error), "correct that and try again")]
    folder = user_folder()
    files = [str(folder / USER_FILE)] if folder and (folder / USER_FILE).is_file() else []
    files += [project] if project else []
    found.insert(0, fine("settings", f"of {' and '.join(files)}" if files else "no file; the defaults"))
    given = sorted(name for name in environ if name.startswith(ENVIRONMENT_PREFIX))
    known = {f"{ENVIRONMENT_PREFIX}{name}" for name in (*map(str.upper, setting_names()), *OTHER_VARIABLES)}
    if used := [name for name in given if name in known]:
        found.append(fine("settings", f"of the environment: {', '.join(used)}"))
    for name in (name for name in given if name not in known):
        near = difflib.get_close_matches(name, sorted(known), n=1)
        advice = f"did you mean {near[0]}?" if near else "remove it, or see docs/settings.md"
        found.append(warning("settings", f"{name} in the environment is no setting", advice))
    return settings, found


def index(index_dir: Path, settings: Settings | None, *, is_named: bool) -> Iterator[Finding]:
    """Yield what is found about an index; `is_named`: the user gave its folder, and so may read it whoever made it."""
    if not has_store(index_dir):
        yield warning("index", f"there is none in {index_dir}", "make one with `index FOLDER`")
        return
    yield fine("index", str(index_dir))
    try:
        refuse_links(index_dir, index_dir=index_dir)
    except SectionaryError as error:
        yield problem("index", str(error), "delete the index folder and run `index FOLDER` again")
        return
    yield from _owner(index_dir)
    if is_own(index_dir):
        yield fine("trust", "you made it on this machine, or allowed it")
    elif is_trusted(os.environ):
        yield fine("trust", f"{ENVIRONMENT_PREFIX}TRUST takes every index as yours")
    else:
        advice = "allow it with `index trust` if you know who made it, or make it again with `index FOLDER --rebuild`"
        yield problem("trust", "it was not made by you on this machine, and is not used", advice)
        if not is_named:
            return
    try:
        status = read_status(index_dir)
    except SectionaryError as error:
        yield problem("content", str(error), "")
    else:
        yield from _content(status, settings)


def _owner(index_dir: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    owner = index_dir.stat().st_uid
    if owner == os.geteuid():
        yield fine("owner", _user(owner))
    else:
        yield warning(
            "owner", f"{_user(owner)}, and you are {_user(os.geteuid())}", "you may read it, and let the owner index"
        )


def _user(number: int) -> str:
    with contextlib.suppress(ImportError, KeyError):
        import pwd

        return pwd.getpwuid(number).pw_name
    return f"user {number}"


def _content(status: IndexStatus, settings: Settings | None) -> Iterator[Finding]:
    s = status
    yield fine("content", f"format {s.schema_version}, {s.sections:,} sections of {s.documents:,} documents, readable")
    if settings is not None:
        from indexer.models.loading import embedder_of

        try:
            wanted = embedder_of(settings).name
        except SectionaryError as error:
            yield problem("model", str(error), "correct the settings")
        else:
            if s.model != wanted:
                advice = "leave the setting model out, or make it again with `index FOLDER --rebuild`"
                yield problem("model", f"the index was made with {s.model}, not {wanted}", advice)
            else:
                yield fine("model", f"made the index too, with {s.dimension} numbers a vector")
    if s.dirty or s.awaiting_second:
        waiting = [f"{s.dirty:,} dirty sections"] * bool(s.dirty)
        waiting += [f"{s.awaiting_second:,} to be read by the second model"] * bool(s.awaiting_second)
        yield warning("vectors", ", ".join(waiting), "`index dirty` makes their vectors")
    else:
        yield fine("vectors", "all are there")
    if s.stale or s.orphans:
        changed = f"{len(s.stale):,} documents changed and {len(s.orphans):,} gone since they were indexed"
        yield warning("freshness", changed, "`index scan` and `index dirty`, or `index watch`, bring it up to date")
    else:
        yield fine("freshness", "no indexed document has changed")
    if s.failed:
        yield warning("failures", f"{len(s.failed):,} files could not be read", "`index status` lists them")


def permissions(index_dir: Path, settings: Settings | None) -> Iterator[Finding]:
    """Yield what is found about rights, space and who is writing."""
    if index_dir.is_dir():
        folders = [index_dir, store_dir(index_dir)]
        closed = [folder for folder in folders if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK)]
        if closed:
            yield warning(
                "writing", f"{closed[0]} cannot be written: searching works, indexing does not", "correct its rights"
            )
        else:
            yield fine("writing", f"{index_dir} can be written")
        for folder in folders:
            if folder.is_dir() and is_writable_by_others(folder):
                yield warning("rights", f"other users may write {folder}", f"`chmod go-w '{folder}'`")
        yield _writer(index_dir)
    folder = next(each for each in (index_dir, *index_dir.absolute().parents) if each.is_dir())
    free = shutil.disk_usage(folder).free
    if free < _FULL:
        yield problem("disk", f"{megabytes(free)} free at {folder}", "free some space, or choose another place with --index")
    elif free < _NEARLY_FULL:
        yield warning("disk", f"{megabytes(free)} free at {folder}", "free some space: merging needs twice the index's")
    else:
        yield fine("disk", f"{megabytes(free)} free at {folder}")
    yield _own_folder("configuration", user_folder(), f"set {CONFIG_VARIABLE} to a folder that can be written")
    cache = cache_folder(settings.cache_dir if settings is not None else "")
    yield _own_folder("cache", cache, "set cache_dir to a folder that can be written")


def _own_folder(name: str, folder: Path | None, advice: str) -> Finding:
    if folder is None:
        return warning(name, "there is no folder for it", advice)
    there = next(each for each in (folder, *folder.parents) if each.is_dir())
    if not os.access(there, os.W_OK | os.X_OK):
        return warning(name, f"{folder} cannot be written", advice)
    if there == folder and is_writable_by_others(folder):
        return warning(name, f"other users may write {folder}", f"`chmod go-w '{folder}'`")
    return fine(name, f"{folder}{'' if there == folder else ', not made yet'}")


def _writer(index_dir: Path) -> Finding:
    lock = index_dir / "lock"
    holder = _holder(lock)
    if holder:
        return fine("writer", f"process {holder} is writing the index")
    return fine("writer", "another process is writing the index" if is_being_written(index_dir) else "nobody is writing")


def _holder(lock: Path) -> str:
    """Return number and name of the process that holds a lock, "" for none and where the system does not tell."""
    with contextlib.suppress(OSError, ValueError):
        status = lock.stat()
        key = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            words = line.split()
            if key in words and "->" not in words:
                number = int(words[words.index(key) - 1])  # 0 or less: it is in another container
                return f"{number} ({Path(f'/proc/{number}/comm').read_text(encoding='utf-8').strip()})"
    return ""


def server(index_dir: Path, settings: Settings | None) -> Iterator[Finding]:
    """Yield what is found about a running server of the index."""
    if not is_served(index_dir):
        yield fine("server", "none runs; `search serve` starts one")
        return
    running = None if settings is None else find_server(index_dir, settings)
    if running is None:
        advice = "stop it and start it again, so that `search` asks it"
        yield warning("server", "one runs, with other settings, of another version, or not on loopback", advice)
    else:
        yield fine("server", f"{running.url}, version {running.version}, is asked by `search`")
