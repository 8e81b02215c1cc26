"""`sectionary doctor`: what it finds, what it advises, what it ends with, and what it leaves alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import indexer.models.loading
from schema.index_files.layout import disown, writer_lock
from schema.settings import DEFAULT_MODEL, Settings
from schema.storage.fingerprint import SCHEMA_VERSION
from search.answers.local_server import Server, ServerRegistration
from search.diagnosis import installation as diagnosis
from search.diagnosis.installation import installation, model
from search.doctor import doctor

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def indexed(manual, monkeypatch):
    """A project with an index by the model that the settings name, as far as one can tell from outside."""
    monkeypatch.chdir(manual.home)
    for name in [
        n for n in os.environ if n.startswith("SECTIONARY_") and n not in ("SECTIONARY_CONFIG_DIR", "SECTIONARY_CACHE_DIR")
    ]:
        monkeypatch.delenv(name)
    manual.embedder.name = DEFAULT_MODEL
    monkeypatch.setattr(indexer.models.loading, "embedder_of", lambda settings: type(manual.embedder)(settings.model))
    # packages and digests of weights have tests of their own below
    monkeypatch.setattr(diagnosis, "installation", list)
    monkeypatch.setattr(diagnosis, "check_package", lambda folder: None)
    monkeypatch.setattr(diagnosis, "check_digest", lambda file, digest: None)
    manual.index()
    return manual


def look(*args):
    """What the command finds, as (state, found, advice) by name, and its exit status."""
    done = CliRunner().invoke(doctor, ["--json", *args])
    found = json.loads(done.stdout)
    assert found["ok"] == (done.exit_code == 0)
    checks = {}
    for one in found["checks"]:
        checks.setdefault(one["name"], []).append((one["state"], one["found"], one["advice"]))
    return checks, done.exit_code


def test_index_in_order_has_no_problem(indexed):
    checks, code = look()
    assert code == 0
    assert checks["index"] == [("ok", str(indexed.index_dir), "")]
    assert checks["content"] == [("ok", f"format {SCHEMA_VERSION}, 9 sections of 2 documents, readable", "")]
    assert checks["vectors"] == [("ok", "all are there", "")]
    assert checks["freshness"] == [("ok", "no indexed document has changed", "")]
    assert checks["server"][0][0] == checks["writing"][0][0] == checks["trust"][0][0] == "ok"
    assert checks["writer"] == [("ok", "nobody is writing", "")]
    assert ("ok", "made the index too, with 32 numbers a vector", "") in checks["model"]


def test_each_line_says_state_name_and_finding_and_then_what_to_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = CliRunner().invoke(doctor, []).output.splitlines()
    number = next(number for number, line in enumerate(lines) if line.startswith("warning  index "))
    assert lines[number] == f"warning  index         there is none in {tmp_path / '.sectionary'}"
    assert lines[number + 1].strip() == "make one with `index FOLDER`"
    assert not (tmp_path / ".sectionary").exists()


def test_pending_and_changed_documents_are_warnings(indexed):
    indexed.write("docs/new.md", "# New\n")
    indexed.indexer().scan()
    indexed.write("docs/new.md", "# Newer\n\nand longer\n")
    (indexed.home / "docs/sub/notes.md").unlink()
    checks, code = look()
    assert code == 0
    assert checks["vectors"][0] == ("warning", "1 dirty sections", "`index dirty` makes their vectors")
    assert checks["freshness"][0][:2] == ("warning", "1 documents changed and 1 gone since they were indexed")


def test_index_of_somebody_else_is_a_problem_and_is_not_read(indexed):
    disown(indexed.index_dir)
    checks, code = look()
    assert (code, checks["trust"][0][0], "content" in checks) == (1, "problem", False)
    assert "`index trust`" in checks["trust"][0][2]
    assert look("--index", str(indexed.index_dir))[0]["content"][0][0] == "ok"


def test_index_of_another_model_is_a_problem(indexed, monkeypatch):
    monkeypatch.setenv("SECTIONARY_MODEL", "all-MiniLM-L6-v2")
    checks, code = look()
    assert code == 1
    _, found, advice = next(one for one in checks["model"] if one[0] == "problem")
    assert found == f"the index was made with {DEFAULT_MODEL}, not all-MiniLM-L6-v2"
    assert "--rebuild" in advice


def test_damaged_index_is_a_problem(indexed):
    for file in indexed.index_dir.rglob("*.manifest"):
        file.write_bytes(b"nothing")
    checks, code = look("--index", str(indexed.index_dir))
    assert (code, checks["content"][0][0]) == (1, "problem")


def test_link_in_the_index_folder_is_a_problem(indexed, tmp_path):
    (indexed.index_dir / "store" / "extra").symlink_to(tmp_path)
    checks, code = look()
    assert (code, "content" in checks) == (1, False)
    assert checks["index"][-1][0] == "problem"


def test_secrets_and_values_are_not_shown(indexed, monkeypatch):
    monkeypatch.setenv("SECTIONARY_LLM_API_KEY", "hush-hush")
    monkeypatch.setenv("SECTIONARY_MODLE", "hush-hush")
    monkeypatch.setenv("SECTIONARY_EMBEDDING_BASE_URL", "http://ada:hush-hush@example.org/v1")
    done = CliRunner().invoke(doctor, [])
    assert "hush-hush" not in done.output
    checks, _ = look()
    told = [one[1] for one in checks["settings"]]
    assert any("SECTIONARY_LLM_API_KEY" in one and "of the environment" in one for one in told)
    assert ("warning", "SECTIONARY_MODLE in the environment is no setting", "did you mean SECTIONARY_MODEL?") in checks[
        "settings"
    ]
    assert checks["model"][0][1] == "none, by the server example.org, which was not asked"


def test_settings_that_the_user_did_not_allow_are_a_warning(indexed):
    indexed.write("sectionary.toml", 'llm_base_url = "http://evil.example/v1"\nhidden = true\n')
    checks, _ = look()
    found = f"hidden, llm_base_url of {indexed.home / 'sectionary.toml'} not used: you did not allow it"
    assert ("warning", found, "look at the file and run `index trust`, or set what you want yourself") in checks["settings"]


def test_settings_that_make_no_sense_are_a_problem_and_the_rest_is_still_looked_at(indexed):
    indexed.write("sectionary.toml", "dense_weight = 7\n")
    checks, code = look()
    assert code == 1
    assert checks["settings"][0][0] == "problem"
    assert "dense_weight must be between 0 and 1" in checks["settings"][0][1]
    assert "disk" in checks


def test_process_that_writes_is_named(indexed):
    with writer_lock(indexed.index_dir):
        state, found, _ = look()[0]["writer"][0]
    assert state == "ok"
    number = f"process {os.getpid()} "
    assert found.startswith(number) or found == "another process is writing the index"  # where the system does not tell


@pytest.mark.skipif(os.name != "posix", reason="other systems have other rights")
def test_folder_that_others_can_write_is_a_warning(indexed):
    indexed.index_dir.chmod(0o777)
    folder = indexed.index_dir
    assert look()[0]["rights"] == [("warning", f"other users may write {folder}", f"`chmod go-w '{folder}'`")]


def test_server_of_the_index_is_named(indexed):
    settings = Settings(cache_dir=os.environ["SECTIONARY_CACHE_DIR"])
    entry = ServerRegistration(indexed.index_dir, Server.new("127.0.0.1", 8731, settings))
    assert entry.renew()
    try:
        state, found, _ = look()[0]["server"][0]
    finally:
        entry.withdraw()
    assert (state, found.split(",")[0]) == ("ok", "http://127.0.0.1:8731/")


def test_nothing_is_written(indexed, config_dir):
    def everything():
        folders = (indexed.home, config_dir)
        return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}

    before = everything()
    look()
    assert everything() == before


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Makes Python find a distribution of some name before others."""
    monkeypatch.syspath_prepend(tmp_path / "site")

    def make(name, metadata="", files=""):
        folder = tmp_path / "site" / f"{name}-9.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 9.0\n{metadata}")
        (folder / "top_level.txt").write_text(files)

    return make


def test_packages_are_compared_with_what_the_distribution_wants(installed):
    installed(
        "sectionary",
        "Requires-Python: <3\nRequires-Dist: no-such-package\nRequires-Dist: click<1\nRequires-Dist: numpy\n"
        "Provides-Extra: more\nRequires-Dist: nothing-like-it; extra == 'more'\n",
    )
    found = {(one.name, one.state): one for one in installation()}
    assert found["packages", "problem"].found == "no-such-package is missing"
    assert found["packages", "warning"].found.startswith("click is 8.")
    assert found["packages", "warning"].found.endswith(", not <1")
    assert found["python", "problem"].found.endswith(" is not <3")
    assert found["extra more", "ok"].found == "not installed (nothing-like-it)"
    assert found["sectionary", "warning"].found.endswith("but 9.0 is installed")


def test_distribution_that_brings_packages_of_our_names_is_a_problem(installed):
    installed("google-thing", files="search\n")
    (found,) = [one for one in installation() if one.name == "names"]
    assert (found.state, found.found) == ("problem", "search is also installed by google-thing")


def test_files_of_the_bundled_models_are_checked():
    first, second = model(Settings())
    assert (first.state, second.state) == ("ok", "ok")
    assert "512 numbers a vector, loads offline from" in first.found
    assert "384 numbers a vector, loads offline from" in second.found


@pytest.mark.parametrize("name", ["SECTIONARY_METRICS", "SECTIONARY_LOG_FORMAT", "SECTIONARY_STATE_DIR"])
def test_variables_of_options_are_no_mistake(indexed, monkeypatch, name):
    monkeypatch.setenv(name, "0")
    checks, _ = look()
    assert {state for state, found, _ in checks["settings"] if name in found} == {"ok"}


@pytest.mark.parametrize(("name", "state"), [("org/no-such-model", "problem"), ("{folder}", "ok"), ("{pickle}", "problem")])
def test_other_models_are_looked_for_on_this_computer(tmp_path, monkeypatch, name, state):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    for folder in ("folder", "pickle"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pickle" / "pytorch_model.bin").write_bytes(b"x")
    (found,) = model(Settings(model=name.format(folder=tmp_path / "folder", pickle=tmp_path / "pickle")))
    assert found.state == state


@pytest.mark.process
def test_torch_is_not_loaded(tmp_path):
    code = (
        "import sys; from search.doctor import doctor; doctor(['--json'], standalone_mode=False); "
        "print([name for name in ('torch', 'sentence_transformers', 'transformers', 'onnxruntime') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"
