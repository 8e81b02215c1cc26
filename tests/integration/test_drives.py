"""Roots on drives that are away: an empty folder stands in the place of their files."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.sync.drives import DRIVES_KEY
from schema.index_files.layout import manifest_path, store_dir
from schema.index_files.manifest import Manifest
from schema.storage.table import SectionTable

TESTS = Path(__file__).parent.parent
AWAY = "the folder is empty, since its drive seems to be away; its documents stay in the index"
#: Indexes a folder that a drive is mounted on, takes the drive away, and indexes it again, in a mount namespace of its own.
MOUNTED = """
import json, subprocess, sys
from pathlib import Path

from conftest import Project, WordEmbedder

project = Project(Path(sys.argv[1]), WordEmbedder())
(project.home / "docs").mkdir()
subprocess.run(["mount", "-t", "tmpfs", "none", project.home / "docs"], check=True)
project.write("docs/a.md", "# A\\n\\nwalrus\\n")
project.index()
subprocess.run(["umount", project.home / "docs"], check=True)
report = project.indexer().scan()
print(json.dumps([[one.reason for one in report.failed], report.documents_removed, project.headings()]))
"""


@pytest.fixture
def emptied(project):
    """A project whose only document was deleted from its folder, which stays."""
    project.write("docs/a.md", "# A\n\nwalrus\n")
    project.index()
    (project.home / "docs/a.md").unlink()
    return project


def note(project, text):
    """Write what the manifest says of the drives of roots."""
    store = store_dir(project.index_dir)
    with Manifest(manifest_path(store), store_id=SectionTable.open(store).store_id) as manifest:
        noted = manifest.get_metadata(DRIVES_KEY)
        manifest.set_metadata(DRIVES_KEY, text)
    return noted


def another_drive(project):
    return json.dumps({"docs": (project.home / "docs").stat().st_dev + 1})


def test_run_notes_the_drive_of_each_root_that_has_files(emptied):
    (emptied.home / "nothing").mkdir()
    emptied.write("more/b.md", "# B\n")
    emptied.index("more", "nothing")
    device = emptied.home.stat().st_dev
    assert json.loads(note(emptied, "{}")) == {"docs": device, "more": device}


def test_documents_of_an_emptied_folder_on_the_same_drive_are_removed(emptied):
    report = emptied.indexer().scan()
    assert (report.failed, report.documents_removed) == ([], 1)


@pytest.mark.parametrize("paths", [(), ("docs",)])
def test_documents_of_an_empty_folder_on_another_drive_stay_and_it_is_told(emptied, paths):
    note(emptied, another_drive(emptied))
    report = emptied.index(*paths) if paths else emptied.indexer().scan()
    assert [(one.path, one.reason) for one in report.failed] == [("docs", AWAY)]
    assert (report.documents_removed, emptied.headings()) == (0, ["A"])


def test_folder_on_another_drive_with_other_files_loses_those_that_are_gone(emptied):
    note(emptied, another_drive(emptied))
    emptied.write("docs/b.md", "# B\n\npenguin\n")
    report = emptied.indexer().scan()
    assert (report.failed, report.documents_removed, emptied.headings()) == ([], 1, ["B"])


def test_failure_is_over_once_the_drive_is_back(emptied):
    noted = note(emptied, another_drive(emptied))
    emptied.indexer().scan()
    emptied.write("docs/a.md", "# A\n\nwalrus\n")
    note(emptied, noted)
    emptied.indexer().scan()
    assert emptied.indexer().status().failed == ()


@pytest.mark.parametrize("text", ["", "[", "[1]", '{"docs": "x"}', "[" * 100_000])
def test_note_that_makes_no_sense_counts_as_none(emptied, text):
    note(emptied, text)
    report = emptied.indexer().scan()
    assert (report.failed, report.documents_removed) == ([], 1)


@pytest.mark.process
def test_documents_stay_while_a_mounted_drive_is_away(tmp_path):
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("mounting needs rights that this user does not have")
    command = ["unshare", "--mount", sys.executable, "-c", MOUNTED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=TESTS)
    assert json.loads(done.stdout.splitlines()[-1]) == [[AWAY], 0, ["A"]]
