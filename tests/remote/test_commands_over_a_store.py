"""The commands over an index in an object store, as a user calls them."""

import json

import pytest

from tests.integration.test_commands import run  # noqa: F401 — a fixture


@pytest.fixture
def there(run, address, monkeypatch):  # noqa: F811
    """Runs a command with `--index` and the address."""

    def call(command, *arguments):
        return run(*command.split(), "--index", address, *arguments)

    return call


def test_every_command_of_an_index_takes_an_address(there, manual, address, tmp_path):
    code, out, err = there("index", "docs")
    assert (code, err) == (0, "")
    code, out, _ = there("search", "penguins", "--json", "--mode", "lexical")
    assert (code, json.loads(out)["results"][0]["document_path"]) == (0, "docs/guide.md")
    code, out, _ = there("index status", "--json")
    assert json.loads(out)["index_dir"] == address
    manual.write("docs/more.md", "# More\n\nSee [the guide](guide.md).\n")
    assert there("index scan")[0] == 0
    assert there("index dirty")[0] == 0
    assert there("index verify")[0] == 0
    assert there("index verify", "--links")[0] == 0
    assert there("index summarize", "--source", "extractive")[0] == 0
    assert there("index optimize")[0] == 0
    assert there("index roots")[0] == 0
    assert there("index export", str(tmp_path / "out.jsonl"))[0] == 0
    assert "docs/more.md" in there("search links", "docs/guide.md")[1]
    assert there("search outline", "docs/guide.md")[0] == 0
    assert there("search changes")[0] == 0
    assert there("search context", "penguins")[0] == 0
    assert f'"{address}"' in there("search agents show", "claude-code")[1]
    assert there("index trust")[:2] == (0, "There is nothing to allow: nothing needs it.\n")


def test_environment_names_an_address_too(run, address, manual, monkeypatch):  # noqa: F811
    monkeypatch.setenv("SECTIONARY_INDEX", address)
    assert run("index", "docs")[0] == 0
    assert json.loads(run("index", "status", "--json")[1])["index_dir"] == address
    assert not (manual.home / ".sectionary").exists()


@pytest.mark.parametrize("text", ["https://example.org/x", "s3://bucket/../x", "ftp://a/b"])
def test_wrong_address_is_wrong_use(run, text):  # noqa: F811
    for command in ("index", "search"):
        code, out, err = run(command, "docs", "--index", text)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "An index cannot be at" in err


def test_missing_index_and_missing_bucket_are_told(there, run, address):  # noqa: F811
    code, _, err = there("search", "penguins")
    assert (code, err) == (3, f"search: There is no index in {address}; make one with `index FOLDER`.\n")
    code, _, err = run("index", "docs", "--index", "s3://nobodys-bucket/x")
    assert code == 3
    assert "s3://nobodys-bucket/x" in err
    assert err.count("\n") == 1


def test_files_of_the_project_are_where_the_run_was(there, run, manual, tmp_path, monkeypatch):  # noqa: F811
    there("index", "docs")
    monkeypatch.chdir(tmp_path)
    manual.write("docs/new.md", "# New\n")
    code, out, _ = there("index scan", "--json")
    assert (code, json.loads(out)["documents_added"]) == (0, 1)


def test_index_whose_files_are_missing_in_the_store_can_be_rebuilt_as_the_error_says(
    there, manual, address, tmp_path, monkeypatch
):
    from schema.remote.folders import folder_of, remote_of
    from schema.remote.objects import objects_of

    there("index", "docs")
    objects = objects_of(remote_of(folder_of(address)))
    objects.delete([entry.name for entry in objects.entries("stores") if "/files/" in entry.name])
    monkeypatch.setenv("SECTIONARY_CACHE_DIR", str(tmp_path / "elsewhere"))
    code, _, err = there("search", "penguins")
    assert code == 3
    assert "rebuild it with `index FOLDER --rebuild`" in err
    assert there("index", "docs", "--rebuild")[0] == 0
    assert there("search", "penguins", "--mode", "lexical")[0] == 0
