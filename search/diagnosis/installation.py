"""This Python, its packages, the computer and the model's files → findings. Neither torch nor a model is loaded."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

import schema
from indexer.models.catalog import known_models
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from indexer.models.multilingual.package import MULTILINGUAL_MODEL, check_package, package_folder
from indexer.models.weights import ENGLISH_SHA256, check_digest, refuse_pickles
from schema.errors import SectionaryError
from schema.settings import Settings
from schema.storage.fingerprint import model_names
from search.diagnosis.findings import Finding, fine, megabytes, problem, warning

#: The distribution, and the names under which it is imported.
_DISTRIBUTION, _IMPORTED = "sectionary", ("indexer", "schema", "search")
_AGAIN = "install Sectionary again, in an environment of its own"
#: With less memory than this, indexing with both models runs out of it (bytes).
_LITTLE_MEMORY = 2_000_000_000


def installation() -> Iterator[Finding]:
    """Yield what is found about Python, packages and the computer."""
    yield fine("python", f"{platform.python_version()} at {sys.executable}")
    yield from _packages()
    yield from _import_names()
    yield from _computer()


def _packages() -> Iterator[Finding]:
    from packaging.requirements import Requirement
    from packaging.specifiers import SpecifierSet

    try:
        own = metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        yield warning("sectionary", f"{schema.VERSION}, run from its source: its packages cannot be compared", _AGAIN)
        return
    if own.version == schema.VERSION:
        yield fine("sectionary", schema.VERSION)
    else:
        found = f"{schema.VERSION} runs, but {own.version} is installed"
        yield warning("sectionary", found, "start the installed one, or install this one again")
    wanted = SpecifierSet((own.metadata.get_all("Requires-Python") or [""])[0])
    if platform.python_version() not in wanted:
        yield problem("python", f"{platform.python_version()} is not {wanted}", "install Sectionary with another Python")
    requirements = [Requirement(text) for text in own.requires or ()]
    faults = 0
    for one in requirements:
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            fault = _fault(one.name, one.specifier)
            faults += fault is not None
            if fault is not None:
                yield fault
    if not faults:
        yield fine("packages", "all that are needed are there, in versions that fit")
    for extra in sorted(own.metadata.get_all("Provides-Extra") or ()):
        of_extra = [one for one in requirements if one.marker is not None and one.marker.evaluate({"extra": extra})]
        only = [one for one in of_extra if one.marker is not None and not one.marker.evaluate({"extra": ""})]
        missing = [one.name for one in only if _version(one.name) is None]
        faulty = [fault for one in only if (fault := _fault(one.name, one.specifier)) is not None]
        if missing:
            yield fine(f"extra {extra}", f"not installed ({', '.join(missing)})", f"`pip install 'sectionary[{extra}]'`")
        elif faulty:
            yield from faulty
        else:
            yield fine(f"extra {extra}", "installed")


def _fault(name: str, wanted: object) -> Finding | None:
    """Return what is wrong with a package that is needed in some versions, None for nothing."""
    from packaging.specifiers import SpecifierSet

    version = _version(name)
    if version is None:
        return problem("packages", f"{name} is missing", _AGAIN)
    if not SpecifierSet(str(wanted)).contains(version, prereleases=True):
        return warning("packages", f"{name} is {version}, not {wanted}", f"`pip install '{name}{wanted}'`")
    return None


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _import_names() -> Iterator[Finding]:
    # beside a package that stands before ours the command does not start at all (schema.startup)
    others = {
        name: sorted(set(owners) - {_DISTRIBUTION})
        for name, owners in metadata.packages_distributions().items()
        if name in _IMPORTED and set(owners) - {_DISTRIBUTION}
    }
    if others:
        found = "; ".join(f"{name} is also installed by {', '.join(owners)}" for name, owners in sorted(others.items()))
        yield problem("names", found, _AGAIN)
    else:
        yield fine("names", f"{', '.join(_IMPORTED)} are Sectionary's")


def _computer() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield fine("processor", f"{cores} core{'s' * (cores > 1)}, {platform.machine()}, {platform.system()}")
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such question on this system
        return
    with contextlib.suppress(OSError, ValueError):  # "max" is no number
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    if total < _LITTLE_MEMORY:
        yield warning("memory", megabytes(total), f"take {MULTILINGUAL_MODEL} alone as the model, which needs less")
    else:
        yield fine("memory", megabytes(total))


def model(settings: Settings) -> Iterator[Finding]:
    """Yield what is found about the files of the models that the settings name."""
    if settings.embedding_base_url.strip():
        host = urlsplit(settings.embedding_base_url).hostname or "?"  # the address could hold a password
        yield fine("model", f"{settings.embedding_model or 'none'}, by the server {host}, which was not asked")
        return
    dimensions = {one.name: one.dimension for one in known_models()}
    for name in filter(None, model_names(settings.model)):
        try:
            where = _checked(name)
        except SectionaryError as error:
            yield problem("model", str(error), _AGAIN if name in dimensions else "")
        else:
            length = f"{dimensions[name]} numbers a vector, " if name in dimensions else ""
            if where is None:
                advice = "index once with a connection to load it, or give the folder of a model"
                yield problem("model", f"{name} is neither a folder nor in the cache of the hub", advice)
            else:
                yield fine("model", f"{name}: {length}loads offline from {where}")


def _checked(name: str) -> Path | None:
    """Return where the files of a model are, after checking them; None if they are not on this computer.

    Raises:
        ModelError: a file is missing, or not the one that it should be.
    """
    if name == MULTILINGUAL_MODEL:
        folder = package_folder()
        check_package(folder)
        return folder
    own = ModelFiles(name).folder
    if name == ENGLISH_MODEL and own is not None:
        check_digest(own / "model.safetensors", ENGLISH_SHA256)
    elif own is not None:
        refuse_pickles(own)
    return own or _in_hub_cache(name)


def _in_hub_cache(name: str) -> Path | None:
    hub = os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME") or "~/.cache/huggingface", "hub")
    names = (name, f"sentence-transformers/{name}")
    folders = (Path(hub).expanduser() / f"models--{each.replace('/', '--')}" / "snapshots" for each in names)
    return next((folder for folder in folders if folder.is_dir()), None)
