"""LLM finds the plugin, and its fragments and tools answer from the index of the working folder."""

import json
import shlex

import llm
import pytest
from click.testing import CliRunner
from documented import snippets
from llm.cli import cli
from llm.plugins import load_plugins, pm
from llm_sectionary import Sectionary, answering_fragments, document_fragments

from schema import IndexNotFoundError, NotIndexedError, QueryError

QUESTION = "how do I rotate the signing key?"
UNANSWERED = "What is the capital of Australia?"


class Repeating(llm.Model):
    """A model that calls the tool it was told to call, and else repeats what it was sent."""

    model_id = "repeating"
    supports_tools = True

    def execute(self, prompt, stream, response, conversation):
        if prompt.tool_results:
            yield prompt.tool_results[0].output
        elif prompt.tools and prompt.prompt.startswith("{"):
            response.add_tool_call(llm.ToolCall(**json.loads(prompt.prompt)))
        else:
            yield prompt.prompt


class Models:
    __name__ = "models_of_the_tests"

    @llm.hookimpl
    def register_models(self, register):
        register(Repeating())


@pytest.fixture(scope="module", autouse=True)
def _model():
    load_plugins()
    pm.register(Models())
    assert run("models", "default", "repeating").exit_code == 0


def run(*arguments):
    return CliRunner().invoke(cli, arguments)


def ask_tool(name, **arguments):
    return run("-T", "Sectionary", json.dumps({"name": name, "arguments": arguments}))


def test_plugin_is_found_with_its_hooks():
    plugins = {each["name"]: set(each["hooks"]) for each in json.loads(run("plugins").output)}
    assert plugins["llm-sectionary"] == {"register_tools", "register_fragment_loaders"}


def test_fragment_holds_the_section_and_where_it_is(in_project):
    first = answering_fragments(QUESTION)[0]
    assert first.source == "sectionary:guide/keys.md:9-13"
    _, head, text = first.split("---\n")
    about = dict(line.split(": ", 1) for line in head.splitlines())
    assert 0.8 < float(about.pop("relevance")) <= 1
    assert 0 < float(about.pop("score")) <= 1
    assert len(about.pop("section_id")) == 24
    assert about == {
        "path": "guide/keys.md",
        "title": "Keys of the collector",
        "heading_path": "Keys > Rotate the signing key",
        "lines": "9-13",
        "anchor": "rotate-the-signing-key",
    }
    assert text.startswith("## Rotate the signing key\n\nRotate the signing key once a year")


def test_model_is_sent_the_sections_that_answer(in_project):
    done = run("-f", f"sectionary:{QUESTION}", "Answer from this.")
    assert done.exit_code == 0
    assert "collector key rotate" in done.output
    assert done.output.rstrip().endswith("Answer from this.")


def test_unanswered_question_is_told_and_sends_nothing(in_project):
    done = run("-f", f"sectionary:{UNANSWERED}", "Answer from this.")
    assert done.exit_code == 1
    assert "No section answers this. Ask in other words, or leave the fragment out." in done.output


def test_document_becomes_its_sections_in_order(in_project):
    found = document_fragments("guide/keys.md")
    assert [each.source.rpartition(":")[2] for each in found] == ["5-8", "9-13", "14-17"]


def test_document_is_named_from_the_folder_that_one_stands_in(in_project, monkeypatch):
    monkeypatch.chdir(in_project / "guide")
    assert document_fragments("keys.md") == document_fragments("guide/keys.md")


@pytest.mark.parametrize("place", ["guide/keys.md#rotate-the-signing-key", "guide/keys.md:11"])
def test_one_section_is_named_by_its_place(in_project, place):
    (found,) = document_fragments(place)
    assert "## Rotate the signing key" in found
    assert "relevance:" not in found


def test_unknown_document_is_told(in_project):
    with pytest.raises(NotIndexedError, match=r"did you mean guide/keys\.md"):
        document_fragments("guide/key.md")


def test_model_searches_and_is_given_passages(in_project):
    done = ask_tool("Sectionary_search", query=QUESTION, limit=1)
    assert done.exit_code == 0, done.output
    assert "path: guide/keys.md\n" in done.output
    assert done.output.count("section_id: ") == 1


def test_model_is_told_that_nothing_answers(in_project):
    assert ask_tool("Sectionary_search", query=UNANSWERED).output.startswith("No section answers this. The nearest are:")


def test_model_searches_only_where_it_wants(in_project):
    assert "path: guide" not in Sectionary().search("collector", limit=20, path="faq.md")


def test_model_reads_a_section(in_project):
    done = ask_tool("Sectionary_read", section="guide/buffer.md#make-the-buffer-larger")
    assert "Set `buffer.size` in the configuration file" in done.output


def test_model_reads_a_long_section_in_parts(in_project, monkeypatch):
    monkeypatch.setattr("llm_sectionary.MOST_CHARACTERS", 40)
    tools = Sectionary()
    first = tools.read("guide/keys.md#rotate-the-signing-key")
    assert first.endswith("\n\nThe section goes on: read it with offset 40.")
    assert "Rotate the" in tools.read("guide/keys.md#rotate-the-signing-key", offset=20)


def test_tools_search_the_index_that_is_named(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = json.dumps(str(project / ".sectionary"))
    done = run("-T", f"Sectionary({name})", json.dumps({"name": "Sectionary_search", "arguments": {"query": QUESTION}}))
    assert "path: guide/keys.md\n" in done.output


def test_missing_index_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        answering_fragments(QUESTION)
    assert "There is no index" in run("-f", f"sectionary:{QUESTION}", "Answer.").output


def test_index_of_somebody_else_is_refused(in_project, monkeypatch, tmp_path):
    monkeypatch.setenv("SECTIONARY_CONFIG_DIR", str(tmp_path))
    done = run("-f", f"sectionary:{QUESTION}", "Answer.")
    assert "was not made by you on this machine" in done.output


def test_index_of_another_model_is_told(in_project, monkeypatch):
    monkeypatch.setenv("SECTIONARY_MODEL", "another-model")
    assert "another-model" in run("-f", f"sectionary:{QUESTION}", "Answer.").output


def test_blank_question_is_told(in_project):
    with pytest.raises(QueryError, match="query is empty"):
        answering_fragments(" ")


@pytest.mark.parametrize("block", snippets("console llm"))
def test_documented_commands_run(in_project, block):
    for line in block.splitlines():
        name, *arguments = shlex.split(line.removeprefix("$ "))
        done = run(*arguments)
        assert (name, done.exit_code) == ("llm", 0), done.output
