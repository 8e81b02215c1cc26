"""The documentation of the integrations → its snippets, which the tests run."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PAGES = (HERE.parent / "docs" / "frameworks.md", *sorted(HERE.glob("*/README.md")))
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def snippets(language):
    """The blocks of one language, such as "python langchain", as parameters of a test."""
    found = [
        pytest.param(body, id=f"{page.parent.name}-{number}")
        for page in PAGES
        for number, (name, body) in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8")))
        if name == language
    ]
    assert found, language
    return found
