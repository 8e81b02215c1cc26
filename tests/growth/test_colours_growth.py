"""Colouring takes a bounded time, whatever the code is made of."""

import time

import pytest

from search.server.colours import MAX_BLOCK, SECONDS, Colours
from tests.unit.test_colours import LANGUAGES, NASTY

pytestmark = [pytest.mark.growth, pytest.mark.slow]


@pytest.mark.parametrize("name", LANGUAGES)
def test_nasty_code_takes_a_bounded_time(name):
    Colours().parts("", name)  # loads what reads the language
    for part in NASTY:
        for code in (part * (MAX_BLOCK // len(part)), ("a" + part) * (MAX_BLOCK // (len(part) + 1))):
            section, begun = Colours(), time.monotonic()
            parts = section.parts(code, name)
            assert time.monotonic() - begun < SECONDS + 3, part  # other processes take time too
            assert "".join(text for _, text in parts) == code
