"""The schedules of docs/schedules: what systemd and cron would make of them."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from indexer.cli import command
from indexer.daemon.schedule import duration

pytestmark = pytest.mark.process

SCHEDULES = Path(__file__).resolve().parents[2] / "docs" / "schedules"
UNITS = sorted(SCHEDULES.glob("sectionary-*"))
CRON_LINES = [line for line in (SCHEDULES / "crontab").read_text().splitlines() if line and not line.startswith("#")]
CRON_FIELD = re.compile(r"(?:\*|\d+(?:-\d+)?)(?:/\d+)?(?:,(?:\d+(?:-\d+)?))*")


def understood(arguments):
    """Whether the command knows every word of this use."""
    name, *rest = arguments
    known = command.commands[name]
    context = known.make_context(name, [*rest])
    return context is not None


def unit(path):
    parser = configparser.ConfigParser(strict=False, interpolation=None, comment_prefixes=("#",))
    parser.optionxform = str
    parser.read(path)
    return parser


@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_unit_is_valid_for_systemd(path, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not here")
    for other in UNITS:
        text = other.read_text().replace("%h/sectionary-env/bin/index", "/bin/true").replace("%h/project", "/tmp")
        (tmp_path / other.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(tmp_path / path.name)],
        capture_output=True, text=True, check=False, env={"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip
    complaints = [line for line in done.stderr.splitlines() if path.name in line]
    assert (complaints, done.returncode) == ([], 0), done.stderr


@pytest.mark.parametrize("path", UNITS, ids=lambda p: p.name)
def test_unit_has_what_its_kind_needs(path):
    parsed = unit(path)
    assert parsed["Unit"]["Description"]
    if path.suffix == ".timer":
        assert parsed["Timer"]["OnCalendar"]
        assert path.with_suffix(".service").exists()
    else:
        assert understood(parsed["Service"]["ExecStart"].split()[1:])


@pytest.mark.parametrize("line", CRON_LINES)
def test_crontab_line_is_five_fields_and_a_known_command(line):
    *fields, job = line.split(None, 5)
    assert all(CRON_FIELD.fullmatch(field) for field in fields)
    prefix = 'cd "$HOME/project" && "$HOME/sectionary-env/bin/index" '
    assert job.startswith(prefix)
    assert understood(job.removeprefix(prefix).split())


def test_intervals_of_the_page_are_durations():
    page = (SCHEDULES.parent / "freshness.md").read_text()
    assert [duration(text) for text in re.findall(r"--(?:every|time-budget) (\w+)", page)] == [60.0, 900.0]


def test_commands_of_the_page_have_help():
    for name in ("scan", "dirty", "watch", "status", "verify", "optimize"):
        assert CliRunner().invoke(command, [name, "--help"]).exit_code == 0
