"""How long each family of hostile inputs takes at a megabyte, once each; `make test-growth` compares smaller sizes.

Prints the slowest families and how many were timed, and at once each one that takes over half of the goal. Families whose
size counts things other than characters are left out.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
from pathlib import Path

#: Seconds of CPU that a family may take.
GOAL = 10
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def families():
    """Every family of the tests that is made of a text."""
    from tests.growing import Family

    for place in sorted((ROOT / "tests" / "growth").glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(place.stem, place)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        lists = (value for value in vars(module).values() if isinstance(value, list | tuple))
        for family in dict.fromkeys(f for values in lists for f in values if isinstance(f, Family)):
            if isinstance(family.make(8), str):
                yield place.stem, family


def times(given):
    """The seconds of each family, with its file and name."""
    from tests.growing import seconds_of, set_aside_what_is_loaded

    timed = []
    set_aside_what_is_loaded()
    for file, family in families():
        if given.only not in file:
            continue
        size = family.size if family.is_longest else given.size
        timed.append((seconds_of(family, family.make(size), size), file, family.name))
        if timed[-1][0] > GOAL / 2:
            print(f"{timed[-1][0]:7.2f} s  {file}: {family.name}", file=sys.stderr, flush=True)
    return timed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of each input")
    parser.add_argument("--most", type=int, default=15, help="how many of the slowest are shown")
    parser.add_argument("--only", default="", help="part of the name of the test files to take")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as settings:
        os.environ["SECTIONARY_CONFIG_DIR"] = settings
        timed = sorted(times(given), reverse=True)
    for seconds, file, name in timed[: given.most]:
        print(f"{seconds:7.2f} s  {file}: {name}")
    print(
        f"{len(timed)} families of {given.size:,} characters, the slowest {timed[0][0]:.2f} s of CPU (goal: at most {GOAL})"
    )


if __name__ == "__main__":
    main()
