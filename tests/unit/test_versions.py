"""The version is said once, and what asks for it takes it."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from schema import VERSION

ROOT = Path(__file__).resolve().parents[2]
INTEGRATIONS = sorted((ROOT / "integrations").glob("*/pyproject.toml"))


def requirement(project):
    wanted = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    return next(one for one in map(Requirement, wanted) if one.name == "sectionary")


def test_version_is_written_as_packages_write_it():
    assert str(Version(VERSION)) == VERSION


def test_version_is_one_in_development_while_something_is_unreleased():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert ("\n## Unreleased\n" in changes) == Version(VERSION).is_devrelease
    assert (f"\n## {VERSION} - " in changes) != Version(VERSION).is_devrelease


@pytest.mark.parametrize("project", INTEGRATIONS, ids=lambda project: project.parent.name)
def test_package_of_a_framework_takes_this_version_and_none_that_is_published(project):
    specifier = requirement(project).specifier
    assert specifier.contains(VERSION)
    assert not specifier.contains("0.2.0")


def test_every_package_of_a_framework_is_looked_at():
    assert {project.parent.name for project in INTEGRATIONS} == {"haystack", "langchain", "llama-index", "llm"}
