"""Tests of an index in a folder that hold for one in an object store too: the fixtures here put it there."""

# ruff: noqa: F401 — tests and fixtures are taken over by their names
import pytest

from schema.storage.table import SectionTable
from tests.integration.conftest import MADE, mixed, notes, rows
