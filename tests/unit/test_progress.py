"""What a run without a terminal says of how far it is: a line after each 30 seconds of a phase."""

import pytest

from indexer.progress import progress_lines, shown_progress


def said(*calls):
    """The lines that calls (second, phase, done, total) of the function lead to."""
    lines, now = [], [0.0]
    show = progress_lines(lines.append, clock=lambda: now[0])
    for now[0], *of_phase in calls:
        show(*of_phase)
    return lines


def test_short_run_says_nothing():
    assert said((0, "scan", 0, 9), (29, "scan", 9, 9), (30, "embed", 0, 9), (59, "embed", 9, 9)) == []


def test_long_phase_says_how_far_it_is_every_thirty_seconds():
    calls = [(second, "scan", second * 100, 9000) for second in range(0, 90, 10)]
    assert said(*calls) == ["Reading files: 3,000 of 9,000", "Reading files: 6,000 of 9,000"]


def test_first_line_of_a_phase_says_what_was_reached_before():
    assert said((0, "embed", 0, 50), (31, "embed", 10, 50), (62, "embed", 20, 50)) == [
        "Every section can be found by its words now. Embedding sections: 10 of 50",
        "Embedding sections: 20 of 50",
    ]


def test_same_phase_of_a_later_run_begins_anew():
    assert said((0, "scan", 0, 5), (1, "scan", 5, 5), (500, "scan", 0, 5), (501, "scan", 5, 5)) == []


@pytest.mark.parametrize(("quiet", "is_shown"), [(False, True), (True, False)])
def test_progress_is_shown_without_a_terminal_unless_quiet(quiet, is_shown):
    with shown_progress(quiet=quiet) as show:
        assert (show is not None) == is_shown
