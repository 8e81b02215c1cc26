"""Sectionary with all-MiniLM-L6-v2 alone: the same weights that the peers get."""

from __future__ import annotations

from pathlib import Path

from interface import load

Default = load(Path(__file__).with_name("sectionary.py"))


class Adapter(Default):
    """The project itself, as `index --model all-MiniLM-L6-v2`."""

    name = "all-MiniLM-L6-v2"
