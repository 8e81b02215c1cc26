"""server.json: what the registry of MCP servers asks for, in its schema of 2025-12-11 and in its rules for PyPI packages."""

import copy
import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from packaging.version import Version

from schema import VERSION
from search.cli import command

ROOT = Path(__file__).resolve().parents[2]
SERVER = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
TEXT = {"type": "string"}
URI = {"type": "string", "pattern": "^https://[^\\s]+$", "maxLength": 255}
#: One exact release: no range, no "latest".
RELEASE = {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+((a|b|rc|\.dev)[0-9]+)?$"}
INPUT = {
    "description": TEXT, "isRequired": {"type": "boolean"}, "isSecret": {"type": "boolean"}, "value": TEXT, "default": TEXT,
    "placeholder": TEXT, "format": {"enum": ["string", "number", "boolean", "filepath"]}, "choices": {"type": "array", "items": TEXT},
    "variables": {"type": "object"},
}  # fmt: skip


def exactly(required, **properties):
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


POSITIONAL = {
    **exactly(["type"], type={"const": "positional"}, valueHint=TEXT, isRepeated={"type": "boolean"}, **INPUT),
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
}
NAMED = exactly(["type", "name"], type={"const": "named"}, name=TEXT, isRepeated={"type": "boolean"}, **INPUT)
ARGUMENTS = {"type": "array", "items": {"anyOf": [POSITIONAL, NAMED]}}
PACKAGE = exactly(
    ["registryType", "identifier", "version", "transport"],
    registryType={"const": "pypi"},
    registryBaseUrl={"const": "https://pypi.org"},
    identifier=TEXT,
    version=RELEASE,
    runtimeHint={"enum": ["uvx"]},
    runtimeArguments=ARGUMENTS,
    packageArguments=ARGUMENTS,
    environmentVariables={"type": "array", "items": exactly(["name"], name=TEXT, **INPUT)},
    transport=exactly(["type"], type={"const": "stdio"}),
)
#: What the published schema says of the parts that a package of PyPI uses, and no other part.
SCHEMA = exactly(
    ["$schema", "name", "description", "version"],
    **{"$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"}},
    name={"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "minLength": 3, "maxLength": 200},
    title={"type": "string", "minLength": 1, "maxLength": 100},
    description={"type": "string", "minLength": 1, "maxLength": 100},
    version=RELEASE,
    websiteUrl=URI,
    repository=exactly(["url", "source"], url=URI, source={"enum": ["github", "gitlab"]}, id=TEXT, subfolder=TEXT),
    packages={"type": "array", "items": PACKAGE, "minItems": 1},
)


def changed(change):
    other = copy.deepcopy(SERVER)
    change(other)
    return other


def test_server_json_is_what_the_registry_takes():
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(SCHEMA).validate(SERVER)


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it.pop("name"),
        lambda it: it.update(name="sectionary"),
        lambda it: it.update(description="x" * 101),
        lambda it: it.update(version="latest"),
        lambda it: it["packages"][0].update(version=">=1.0"),
        lambda it: it["packages"][0].pop("transport"),
        lambda it: it["packages"][0].update(registry_type="pypi"),
        lambda it: it["packages"][0]["packageArguments"][0].pop("value"),
    ],
)
def test_what_the_registry_refuses_is_refused(change):
    assert not Draft202012Validator(SCHEMA).is_valid(changed(change))


def test_every_version_is_that_of_the_release_to_come():
    release = Version(VERSION).base_version  # the registry takes only what is on PyPI, so it is told after the release
    assert SERVER["version"] == SERVER["packages"][0]["version"] == release
    assert re.findall(r"==([^\"]+)", json.dumps(SERVER)) == [release]


def test_package_and_addresses_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert SERVER["packages"][0]["identifier"] == project["name"]
    assert SERVER["repository"]["url"] == project["urls"]["Source"]
    owner = project["urls"]["Source"].split("/")[3]
    assert SERVER["name"] == f"io.github.{owner}/{project['name']}"


def test_arguments_are_those_of_the_command():
    first, *others = SERVER["packages"][0]["packageArguments"]
    options = {option for each in command.commands[first["value"]].params for option in each.opts}
    assert {other["name"] for other in others} <= options


def test_readme_names_the_server_as_the_registry_wants():
    marks = re.findall(r"mcp-name: *(\S+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert marks == [SERVER["name"]]
