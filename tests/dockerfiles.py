"""A Dockerfile → its stages and their instructions: comments and continued lines as Docker reads them, no heredocs."""

import json
import re
import shlex
from dataclasses import dataclass, field


@dataclass
class Stage:
    """One `FROM` with what follows it: the image or stage it begins with, its name, and (instruction, arguments)."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)


def read_stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile; raises ValueError for an instruction before the first `FROM`."""
    stages: list[Stage] = []
    for instruction, rest in _instructions(text):
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base.strip(), name.strip()))
        elif not stages:
            raise ValueError(f"{instruction} stands before FROM")
        else:
            stages[-1].steps.append((instruction, rest))
    return stages


def _instructions(text):
    line = ""
    for raw in text.splitlines():
        if raw.strip().startswith("#") or (not line and not raw.strip()):
            continue
        line += raw.strip()
        if line.endswith("\\"):
            line = line[:-1]
            continue
        instruction, _, rest = line.partition(" ")
        yield instruction.upper(), rest.strip()
        line = ""


def assignments(rest: str) -> dict[str, str]:
    """What `ENV` or `LABEL` sets."""
    return dict(part.split("=", 1) for part in shlex.split(rest))


def exec_form(rest: str) -> list[str]:
    """The words of `ENTRYPOINT`, `CMD` or `HEALTHCHECK … CMD`, which have to be a JSON list."""
    return json.loads(re.sub(r"^.*?\bCMD\s+(?=\[)", "", rest))
