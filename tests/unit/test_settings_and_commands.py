"""Settings, what the commands share, and the start-up check."""

import os
import sys

import click
import pytest

import schema
from schema import startup
from schema.commands import ExitCode, error_boundary, locate_index
from schema.errors import IndexLockedError, IndexNotFoundError, SettingsError
from schema.settings import ENVIRONMENT_PREFIX, OTHER_VARIABLES, Settings, load_settings, setting_names


def load(folder, environ=None, **overrides):
    return load_settings(folder, environ=environ or {}, overrides=overrides)


def test_defaults_hold_where_nothing_is_set(tmp_path):
    assert load(tmp_path) == Settings()


def test_flag_beats_environment_beats_file_beats_default(tmp_path):
    (tmp_path / "sectionary.toml").write_text('model = "file"\ndevice = "file"\nexclude = ["file"]\n')
    environ = {"SECTIONARY_MODEL": "environment", "SECTIONARY_DEVICE": "environment", "OTHER": "x", "SECTIONARY_INDEX": "y"}
    settings = load(tmp_path, environ, model="flag", exclude=None)
    assert (settings.model, settings.device, settings.exclude) == ("flag", "environment", ("file",))


@pytest.mark.parametrize("server", ["llm", "embedding"])
def test_a_key_of_the_environment_goes_to_no_server_that_only_a_file_names(tmp_path, server):
    (tmp_path / "sectionary.toml").write_text(f'{server}_base_url = "http://elsewhere/v1"\n')
    key = {f"SECTIONARY_{server.upper()}_API_KEY": "k", "SECTIONARY_TRUST": "1"}

    def loaded(root, environ):
        return getattr(load(root, environ), f"{server}_api_key")

    assert loaded(tmp_path, key) == ""
    assert loaded(tmp_path, {**key, f"SECTIONARY_{server.upper()}_BASE_URL": "http://mine/v1"}) == "k"
    assert loaded(tmp_path / "no-file", key) == "k"


def test_a_key_in_the_users_own_file_goes_to_no_server_that_only_a_project_names(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('embedding_api_key = "k"\n')
    assert load(tmp_path).embedding_api_key == "k"
    (tmp_path / "sectionary.toml").write_text('embedding_base_url = "http://elsewhere/v1"\n')
    assert load(tmp_path, {"SECTIONARY_TRUST": "1"}).embedding_api_key == ""


@pytest.mark.parametrize("server", ["llm", "embedding"])
@pytest.mark.parametrize(
    ("theirs", "is_sent"),
    [
        ("https://mine/v1", True),
        ("https://mine/v1/", True),
        ("https://mine/v2", False),
        ("http://mine/v1", False),
        ("https://mine@elsewhere/v1", False),
        ("https://mine/v1/../../else", False),
        ("https://mine/v1#", False),
    ],
)
def test_the_users_server_that_a_project_names_too_gets_the_users_key_and_no_other_one(
    tmp_path, monkeypatch, server, theirs, is_sent
):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    own = tmp_path / "config" / "settings.toml"
    own.write_text(f'{server}_base_url = "https://mine/v1"\n{server}_api_key = "k"\n')
    (tmp_path / "sectionary.toml").write_text(f'{server}_base_url = "{theirs}"\n')
    allowed = load(tmp_path, {"SECTIONARY_TRUST": "1"})
    assert (getattr(allowed, f"{server}_base_url"), getattr(allowed, f"{server}_api_key")) == (
        theirs,
        "k" if is_sent else "",
    )
    left_out = []
    plain = load_settings(tmp_path, environ={}, on_left_out=lambda _, names: left_out.extend(names))
    assert getattr(plain, f"{server}_base_url").rstrip("/") == "https://mine/v1"
    assert (getattr(plain, f"{server}_api_key"), left_out) == ("k", [] if is_sent else [f"{server}_base_url"])


def test_a_key_of_the_environment_goes_to_the_server_of_the_users_own_file_that_a_project_names_too(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('llm_base_url = "https://mine/v1"\n')
    (tmp_path / "sectionary.toml").write_text('llm_base_url = "https://mine/v1"\n')
    assert load(tmp_path, {"SECTIONARY_LLM_API_KEY": "k"}).llm_api_key == "k"


def test_a_key_of_the_environment_goes_to_a_server_that_a_caller_names(tmp_path):
    (tmp_path / "sectionary.toml").write_text('llm_base_url = "https://elsewhere/v1"\n')
    environ = {"SECTIONARY_LLM_API_KEY": "k", "SECTIONARY_TRUST": "1"}
    assert load(tmp_path, environ, llm_base_url="https://mine/v1").llm_api_key == "k"


def test_the_key_of_an_embedding_server_shows_in_no_text():
    assert "k3y" not in repr(Settings(embedding_api_key="k3y"))


@pytest.mark.parametrize("setting", ["cache_dir", "embedding_api_key", "server_token"])
def test_a_project_cannot_choose_what_is_the_users(tmp_path, setting):
    (tmp_path / "sectionary.toml").write_text(f'{setting} = "some-value"\n')
    with pytest.raises(SettingsError, match=f"set the environment variable SECTIONARY_{setting.upper()} instead") as told:
        load(tmp_path, {})
    assert "some-value" not in str(told.value)
    variable = f"SECTIONARY_{setting.upper()}"
    assert getattr(load(tmp_path / "no-file", {variable: "mine"}), setting) == "mine"


def test_a_project_cannot_show_questions_in_spans(tmp_path):
    (tmp_path / "sectionary.toml").write_text("trace_queries = true\n")
    with pytest.raises(SettingsError, match="set the environment variable SECTIONARY_TRACE_QUERIES instead"):
        load(tmp_path, {})
    assert load(tmp_path / "no-file", {"SECTIONARY_TRACE_QUERIES": "1"}).trace_queries is True


def test_a_secret_is_not_told_in_an_error(tmp_path):
    (tmp_path / "sectionary.toml").write_text("llm_api_key = 12345\n")
    with pytest.raises(SettingsError) as told:
        load(tmp_path)
    assert "12345" not in str(told.value)


def test_pyproject_table_is_read(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.sectionary]\ntoken_encoding = 'o200k_base'\ndense_weight = 0\n")
    assert (load(tmp_path).token_encoding, load(tmp_path).dense_weight) == ("o200k_base", 0.0)


@pytest.mark.parametrize("text", ["[tool.other]\nx = 1\n", "not toml [", "tool = 3\n"])
def test_pyproject_without_our_table_is_none_of_our_business(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)
    assert load(tmp_path) == Settings()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("sectionary.toml", "model = [", "not valid TOML"),
        ("sectionary.toml", 'modell = "x"', "no setting 'modell'"),
        ("sectionary.toml", "model = 3", "must be a text"),
        ("sectionary.toml", 'model = " "', "name or path of a model"),
        ("sectionary.toml", 'hidden = "yes"', "true or false"),
        ("sectionary.toml", "batch_tokens = 1", "between 64 and"),
        ("sectionary.toml", "max_file_bytes = 0", "at least 1"),
        ("sectionary.toml", "max_file_bytes = 1.5", "a whole number"),
        ("sectionary.toml", "max_file_bytes = true", "a whole number"),
        ("sectionary.toml", "dense_weight = nan", "between 0 and 1"),
        ("sectionary.toml", 'dense_weight = "x"', "a number"),
        ("sectionary.toml", 'include = "x"', "a list of texts"),
        ("sectionary.toml", 'token_encoding = "p50k"', "cl100k_base or o200k_base"),
        ("pyproject.toml", "[tool.sectionary\n", "not valid TOML"),
        ("pyproject.toml", "[tool]\nsectionary = 3\n", "must be a table"),
    ],
)
def test_wrong_settings_are_refused_with_the_file_named(tmp_path, name, text, said):
    (tmp_path / name).write_text(text)
    with pytest.raises(SettingsError, match=said) as caught:
        load(tmp_path)
    assert name in str(caught.value)


def test_settings_file_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "sectionary.toml").write_bytes(b'model = "\xff"')
    with pytest.raises(SettingsError, match="Cannot read the settings file"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("SECTIONARY_HIDDEN", "on", "hidden", True),
        ("SECTIONARY_GITIGNORE", "0", "gitignore", False),
        ("SECTIONARY_INCLUDE", "*.a, *.b", "include", ("*.a", "*.b")),
        ("SECTIONARY_MAX_FILE_BYTES", "5", "max_file_bytes", 5),
        ("SECTIONARY_DENSE_WEIGHT", "0.25", "dense_weight", 0.25),
    ],
)
def test_environment_texts_become_values(tmp_path, variable, text, name, value):
    assert getattr(load(tmp_path, {variable: text}), name) == value


@pytest.mark.parametrize(
    ("variable", "text"),
    [("SECTIONARY_MAX_FILE_BYTES", "many"), ("SECTIONARY_DENSE_WEIGHT", "x"), ("SECTIONARY_HIDDEN", "maybe")],
)
def test_wrong_environment_is_refused(tmp_path, variable, text):
    with pytest.raises(SettingsError):
        load(tmp_path, {variable: text})


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SettingsError("s"), ExitCode.USAGE),
        (IndexNotFoundError("s", index_dir=None), ExitCode.NO_INDEX),
        (IndexLockedError("s", index_dir=None), ExitCode.NO_INDEX),
        (click.UsageError("s"), ExitCode.USAGE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (click.Abort(), ExitCode.INTERRUPTED),
    ],
)
def test_errors_become_one_sentence_and_an_exit_code(capsys, error, code):
    with pytest.raises(SystemExit) as stop, error_boundary("index"):
        raise error
    assert stop.value.code == code
    assert capsys.readouterr().err.startswith("index: ")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no working folder")
def test_working_folder_that_is_gone_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit) as stop, error_boundary("search"):
        locate_index(None)
    assert stop.value.code == ExitCode.USAGE
    assert capsys.readouterr().err == "search: The working folder is gone; change to another folder and try again.\n"


def test_missing_file_is_told_by_its_name_where_the_working_folder_is_there(tmp_path, capsys):
    with pytest.raises(SystemExit), error_boundary("search"):
        (tmp_path / "missing").read_text()
    told = f"search: No such file or directory: {tmp_path / 'missing'}; correct that and try again.\n"
    assert capsys.readouterr().err == told


def test_faults_of_the_program_stay_faults():
    with pytest.raises(ZeroDivisionError), error_boundary("index"):
        raise ZeroDivisionError


def test_index_is_found_upwards(tmp_path, monkeypatch):
    (tmp_path / ".sectionary" / "store").mkdir(parents=True)
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert locate_index(None) == tmp_path / ".sectionary"


def test_new_index_goes_into_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert locate_index(None) == tmp_path / ".sectionary"
    assert locate_index(tmp_path / "x") == tmp_path / "x"


def test_file_as_index_is_refused(tmp_path):
    (tmp_path / "f").touch()
    with pytest.raises(click.BadParameter, match="is a file"):
        locate_index(tmp_path / "f")


def test_our_own_packages_are_not_foreign():
    assert startup.foreign_packages() == {}


def test_shadowing_module_is_named(tmp_path, monkeypatch):
    (tmp_path / "search.py").write_text("")
    for name in [n for n in sys.modules if n.split(".")[0] == "search"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    foreign = startup.foreign_packages()
    assert foreign == {"search": str(tmp_path / "search.py")}
    assert "environment of its own" in startup.complaint(foreign)


@pytest.mark.parametrize("failure", [None, ValueError()])
def test_missing_package_is_named(monkeypatch, failure):
    def find(name):
        if failure:
            raise failure
        return

    monkeypatch.setattr("importlib.util.find_spec", find)
    assert startup.foreign_packages() == dict.fromkeys(("schema", "indexer", "search"), "nowhere")


@pytest.mark.parametrize("name", ["index", "search", "sectionary"])
def test_command_stops_with_a_sentence_beside_a_foreign_package(monkeypatch, capsys, name):
    monkeypatch.setattr(startup, "foreign_packages", lambda: {"schema": "/x/schema.py"})
    with pytest.raises(SystemExit) as stop:
        getattr(startup, name)()
    assert stop.value.code == 2
    assert "schema at /x/schema.py" in capsys.readouterr().err


def test_every_public_name_loads():
    assert [name for name in schema.__all__ if getattr(schema, name, None) is None] == []
    assert dir(schema) == sorted(schema.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = schema.nothing


def test_a_settings_file_with_keys_of_a_thousand_parts_is_refused_at_once(tmp_path):
    (tmp_path / "sectionary.toml").write_text(".".join(["a"] * 45_000) + " = 1\n")
    with pytest.raises(SettingsError, match="is not valid TOML: a key has more than 32 parts"):
        load(tmp_path)


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "example.org", "https://", "https://a/?b", "https://a/ b", "file:///x"]
)
def test_base_of_addresses_must_be_a_web_address(tmp_path, address):
    with pytest.raises(SettingsError, match="base_url must be an address such as"):
        load_settings(tmp_path, environ={"SECTIONARY_BASE_URL": address})


def variables_of(command, context):
    """The environment variables that a command, and those in it, take for their options."""
    found = {parameter.envvar for parameter in command.params if parameter.envvar}
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        found |= variables_of(command.get_command(context, name), context)
    return found


def test_every_variable_of_an_option_is_known_beside_the_settings():
    command = startup.sectionary_command()
    found = variables_of(command, click.Context(command))
    assert {"SECTIONARY_INDEX", "SECTIONARY_METRICS", "SECTIONARY_LOG_FORMAT"} <= found
    assert found <= {f"{ENVIRONMENT_PREFIX}{name}" for name in OTHER_VARIABLES}
    assert {name.lower() for name in OTHER_VARIABLES}.isdisjoint(setting_names())


def test_a_command_without_standard_streams_runs(monkeypatch):
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with error_boundary("search"):
        found = sys.stdin.read(), sys.stdout.isatty(), sys.stderr.write("x")
    for name in ("stdin", "stdout", "stderr"):
        getattr(sys, name).close()
    monkeypatch.undo()
    assert found == ("", False, 1)


def test_wrong_value_is_told_with_its_variable_or_its_file(tmp_path, monkeypatch):
    with pytest.raises(
        SettingsError, match=r"not ('|\")maybe('|\") \(found in the environment variable SECTIONARY_HIDDEN\)"
    ):
        load(tmp_path, {"SECTIONARY_HIDDEN": "maybe"})
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own/settings.toml").write_text('hidden = "maybe"\n')
    with pytest.raises(SettingsError, match=r"own/settings\.toml\)"):
        load(tmp_path)
