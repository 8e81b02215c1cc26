"""The settings file of a folder that came from somebody else chooses nothing that could do harm."""

import json
import shutil

import pytest

from indexer.summaries.sources import asks_model
from schema.errors import ModelError, SettingsError
from schema.index_files.layout import is_own
from schema.settings import DEFAULT_MODEL, INCLUDE, load_settings, read_project_file
from tests.chat_server import ChatServer
from tests.clones import SECRET, at_a_terminal, run, wish

# -- settings ----------------------------------------------------------------------------------------------------------


def test_settings_that_could_do_harm_are_left_out_and_told(clone, listener):
    wish(clone, listener.url, dense_weight=0.25, model="org/name", reranker="org/other")
    told = []
    settings = load_settings(clone.home, environ={}, on_left_out=lambda project, names: told.append((project.path, names)))
    assert (settings.summaries, settings.llm_base_url, settings.hidden, settings.model, settings.reranker) == (
        "none",
        "",
        False,
        DEFAULT_MODEL,
        "",
    )
    assert settings.include == INCLUDE
    assert settings.dense_weight == 0.25
    names = ["hidden", "include", "llm_base_url", "llm_model", "model", "reranker", "summaries"]
    assert told == [(str(clone.home / "sectionary.toml"), names)]


@pytest.mark.parametrize("where", ["user", "environment", "project"])
def test_summaries_that_a_project_asks_for_are_not_translated_by_the_users_model(clone, config_dir, monkeypatch, where):
    lines = {"user": "", "environment": "", "project": ""} | {where: 'summary_language = "ja"\n'}
    (clone.home / "sectionary.toml").write_text('summaries = "extractive"\n' + lines["project"])
    own = clone.home / "configuration"
    own.mkdir()
    (own / "settings.toml").write_text('llm_base_url = "http://127.0.0.1:9/v1"\nllm_model = "m"\n' + lines["user"])
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(own))
    environ = {"SECTIONARY_SUMMARY_LANGUAGE": "ja"} if where == "environment" else {}
    settings = load_settings(clone.home, environ=environ)
    assert (settings.summaries, asks_model(settings)) == ("extractive", False)


def test_summaries_that_the_user_asks_for_are_translated(clone, monkeypatch):
    (clone.home / "sectionary.toml").write_text('summaries = "extractive"\n')
    environ = {"SECTIONARY_SUMMARY_LANGUAGE": "ja", "SECTIONARY_SUMMARIES": "extractive"}
    assert asks_model(load_settings(clone.home, environ=environ))


@pytest.mark.parametrize(
    ("name", "value", "is_free"),
    [
        ("include", ["docs/**/*.md", "!drafts/*.md", "*.TXT"], True),
        ("include", ["**"], False),
        ("include", ["**/*.md", ".env"], False),
        ("exclude", ["drafts/"], True),
        ("hidden", True, False),
        ("hidden", False, True),
        ("gitignore", False, False),
        ("summaries", "extractive", True),
        ("summaries", "llm", False),
        ("max_file_bytes", 1000, True),
        ("max_file_bytes", 10_000_001, False),
        ("batch_tokens", 1 << 20, False),
        ("model", DEFAULT_MODEL, True),
        ("model", "./model", False),
        ("reranker", "x/y", False),
        ("document_prompt", "passage: ", False),
        ("llm_base_url", "http://127.0.0.1:1/v1", False),
        ("embedding_base_url", "http://127.0.0.1:1/v1", False),
        ("embedding_model", "m", False),
        ("embedding_dimension", 8, False),
        ("token_encoding", "o200k_base", True),
        ("dense_weight", 0.1, True),
    ],
)
def test_a_projects_file_sets_only_what_can_hurt_nobody(tmp_path, name, value, is_free):
    (tmp_path / "sectionary.toml").write_text(f"{name} = {json.dumps(value)}\n")
    settings = load_settings(tmp_path, environ={}, on_left_out=lambda *_: None)
    wanted = tuple(value) if isinstance(value, list) else value
    assert (getattr(settings, name) == wanted) == is_free


def test_what_the_user_allowed_is_asked_again_when_it_changes(tmp_path):
    place = tmp_path / "sectionary.toml"
    place.write_text('model = "one"\ndense_weight = 0.1\n')
    assert read_project_file(tmp_path).allow()
    assert load_settings(tmp_path, environ={}).model == "one"
    place.write_text('model = "one"\ndense_weight = 0.2\n')
    assert load_settings(tmp_path, environ={}).model == "one"
    place.write_text('model = "two"\n')
    assert load_settings(tmp_path, environ={}).model == DEFAULT_MODEL


def test_what_was_allowed_for_one_folder_is_not_allowed_for_its_copy(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "sectionary.toml").write_text('model = "one"\n')
    read_project_file(tmp_path / "one").allow()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert load_settings(tmp_path / "two", environ={}).model == DEFAULT_MODEL


def test_the_users_own_file_sets_anything(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text('model = "mine"\nkeep_warm = 5\ndense_weight = 0.3\n')
    (tmp_path / "sectionary.toml").write_text("dense_weight = 0.4\n")
    settings = load_settings(tmp_path, environ={})
    assert (settings.model, settings.keep_warm, settings.dense_weight) == ("mine", 5, 0.4)


def test_the_environment_takes_the_projects_file_as_the_users_own(tmp_path):
    (tmp_path / "sectionary.toml").write_text('model = "theirs"\n')
    assert load_settings(tmp_path, environ={"SECTIONARY_TRUST": "1"}).model == "theirs"
    assert load_settings(tmp_path, environ={"SECTIONARY_TRUST": "0"}).model == DEFAULT_MODEL


@pytest.mark.process
@pytest.mark.slow
def test_a_plain_run_over_a_clone_says_what_it_leaves_out_and_sends_nothing(clone, listener, secret):
    theirs = {"embedding_base_url": listener.url, "embedding_model": "m"}
    wish(clone, listener.url, model="somebody/model", reranker="somebody/reranker", **theirs)
    clone.write(".hidden/b.md", f"# B\n\n{SECRET}\n")
    clone.write("key.pem", SECRET)
    done = run(clone, "docs", OPENAI_API_KEY="k", SECTIONARY_LLM_API_KEY="k", HF_ENDPOINT=listener.url.removesuffix("/v1"))
    assert done.returncode == 0, done.stderr
    left_out = (
        "embedding_base_url, embedding_model, hidden, include, llm_base_url, llm_model, model, reranker and summaries in"
    )
    assert left_out in done.stderr
    assert "run `index trust`" in done.stderr
    found = run(clone, "text", module="search", HF_ENDPOINT=listener.url.removesuffix("/v1"))
    assert "docs/a.md" in found.stdout
    assert listener.heard == []


# -- models ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pytorch_model.bin", "2_Dense/pytorch_model.bin", "x.pkl"])
def test_weights_that_are_read_by_pickle_are_refused(tmp_path, name):
    from indexer.models.weights import refuse_pickles

    place = tmp_path / "model" / name
    place.parent.mkdir(parents=True)
    place.write_bytes(b"cos\nsystem\n")
    with pytest.raises(ModelError, match="which can run code"):
        refuse_pickles(tmp_path / "model")


def test_a_models_server_gets_nothing_of_the_environment(monkeypatch):
    pytest.importorskip("openai")
    from indexer.llm.client import OpenAIChatClient

    monkeypatch.setenv("OPENAI_ORG_ID", "my-organisation")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "my-project")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "my-admin-key")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: my-header\nAuthorization: Bearer my-key")
    with ChatServer([{"text": "yes"}]) as server:
        OpenAIChatClient(base_url=server.url, model="m", api_key="theirs").chat([{"role": "user", "content": "x"}])
        headers = server.requests[0]["headers"]
    assert headers["authorization"] == "Bearer theirs"
    assert "my-" not in json.dumps(headers)


# -- the question at the terminal --------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(("answer", "asks_again"), [("y", False), ("n", True)])
def test_a_person_is_asked_once_about_the_settings_of_a_folder(clone, answer, asks_again):
    clone.write("sectionary.toml", 'document_prompt = "passage: "\n')
    said = at_a_terminal(clone, "scan", "docs", answer=answer)
    assert "document_prompt = 'passage: '" in said
    assert f"Allow these settings of {clone.home / 'sectionary.toml'}? [y/N]" in said
    assert ("Allow these" in at_a_terminal(clone, "scan", "docs", answer=answer)) == asks_again


@pytest.mark.process
@pytest.mark.slow
def test_a_person_is_asked_before_an_index_of_somebody_else_is_continued(clone):
    run(clone, "scan", "docs")
    (clone.index_dir / "identity").unlink()
    clone.write("docs/b.md", "# B\n\nmore\n")
    refused = at_a_terminal(clone, "scan", "docs", answer="n")
    assert "was not made by you on this machine" in refused
    assert not is_own(clone.index_dir)
    at_a_terminal(clone, "scan", "docs", answer="y")
    assert is_own(clone.index_dir)


# -- values that are made to mislead -----------------------------------------------------------------------------------


def test_a_long_value_pushes_nothing_out_of_sight(tmp_path):
    (tmp_path / "sectionary.toml").write_text(
        f'query_prompt = "{" " * 20_000}\\n{"x" * 900}"\nllm_base_url = "http://evil/v1"\n'
    )
    first, second = read_project_file(tmp_path).shown()
    assert first.startswith("query_prompt = '")
    assert (len(first) < 300, "characters)" in first) == (True, True)
    assert second == "llm_base_url = 'http://evil/v1'"


@pytest.mark.parametrize("name", ["max_file_bytes", "dense_weight", "model", "rerank_depth", "include"])
def test_a_number_of_thousands_of_digits_is_one_sentence(tmp_path, name):
    number = f"0x{'f' * 5000}"
    (tmp_path / "sectionary.toml").write_text(f"{name} = {f'[{number}]' if name == 'include' else number}\n")
    with pytest.raises(SettingsError, match="a very long number") as told:
        load_settings(tmp_path, environ={})
    assert len(str(told.value)) < 500


def test_a_project_cannot_undo_what_the_user_set(tmp_path, monkeypatch):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text(
        'exclude = ["private/"]\nmax_file_bytes = 1000\nllm_base_url = "http://mine/v1"\nllm_api_key = "k"\n'
    )
    (tmp_path / "sectionary.toml").write_text('exclude = ["drafts/"]\nmax_file_bytes = 10000000\nllm_base_url = ""\n')
    settings = load_settings(tmp_path, environ={}, on_left_out=lambda *_: None)
    assert settings.exclude == ("private/", "drafts/")
    assert (settings.max_file_bytes, settings.llm_base_url, settings.llm_api_key) == (1000, "http://mine/v1", "k")


@pytest.mark.parametrize("data", [b"name = '\xe9'\n", b"# " + b"x" * 1_000_001])
def test_a_pyproject_without_our_table_may_be_anything(tmp_path, data):
    (tmp_path / "pyproject.toml").write_bytes(data)
    assert load_settings(tmp_path, environ={}).model == DEFAULT_MODEL


def test_a_language_of_summaries_is_a_code(tmp_path):
    (tmp_path / "sectionary.toml").write_text(f'summary_language = "{"ja " * 100}"\n')
    with pytest.raises(SettingsError, match="a code such as ja"):
        load_settings(tmp_path, environ={})
