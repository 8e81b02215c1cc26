"""Reads the new versions of an index while nobody waits for them.

So the first question after an edit takes no longer than others. It would read the newest version itself otherwise, which
takes a quarter of a second at 10,000 sections.
"""

from __future__ import annotations

import asyncio
import logging
import time

from schema.errors import SectionaryError
from search.answers.service import SearchService

_log = logging.getLogger(__name__)

#: How often it is looked for a new version (seconds), and how long after the last question.
EVERY, LATELY = 1.0, 600.0
#: At least so many times as long as it took to read a version nothing is read, since an index run makes one after the other.
_REST = 10


async def follow(answers: SearchService) -> None:
    """Read new versions of the index, once a question was asked, until this is cancelled."""
    took = 0.0
    while True:
        await asyncio.sleep(max(EVERY, _REST * took))
        begun = time.monotonic()
        if begun - answers.last_asked < LATELY:
            await asyncio.to_thread(_read_newest, answers)
        took = time.monotonic() - begun


def _read_newest(answers: SearchService) -> None:
    try:
        answers.follow()
    except SectionaryError as error:  # the next question gets it as its answer
        _log.debug("the index cannot be read now: %s", error)
