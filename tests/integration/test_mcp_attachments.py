"""What agents' users can attach or start by name: resources and prompts, by the client of the official SDK."""

import json

import pytest
from mcp import MCPError

from search.server.arguments import MAX_TOKENS
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.mcp_agent import agent_within, answers_over

BODY = GUIDE.split("---\n", 2)[2]
LONG = "# Long\n\n" + "".join(f"Line {n} tells of walruses and their tusks.\n" for n in range(3000))


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("attached"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write("docs/long.md", LONG)
    project.write("docs/日本 語.md", "# 猫\n\nねこ。\n")
    project.write("docs/evil.md", "# Evil\n\nSee\x1b[2J \u202ethis.\n")
    project.index()
    with agent_within(answers_over(project)) as agent:
        yield agent


def read(agent, uri):
    [content] = agent.portal.call(agent.client.read_resource, uri).contents
    return content


def prompt(agent, name, **arguments):
    return agent.portal.call(agent.client.get_prompt, name, arguments)


def test_list_of_documents_is_a_resource(agent):
    [listed] = agent.portal.call(agent.client.list_resources).resources
    found = read(agent, listed.uri)
    assert (found.uri, found.mime_type) == ("sectionary://documents", "application/json")
    assert [entry["path"] for entry in json.loads(found.text)["documents"]] == [
        "docs/evil.md", "docs/guide.md", "docs/long.md", "docs/日本 語.md",
    ]  # fmt: skip


def test_documents_have_a_template(agent):
    [template] = agent.portal.call(agent.client.list_resource_templates).resource_templates
    assert (template.uri_template, template.mime_type) == ("sectionary://document/{path}", "text/markdown")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/guide.md", BODY),
        ("docs%2Fguide.md", BODY),
        ("docs/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.md", "# 猫\n\nねこ。\n"),
        ("docs/日本 語.md", "# 猫\n\nねこ。\n"),
        ("docs/evil.md", "# Evil\n\nSee\\x1b[2J \\u202ethis.\n"),
    ],
)
def test_document_is_read_by_its_address(agent, path, text):
    assert read(agent, f"sectionary://document/{path}").text == text


def test_long_document_ends_with_how_to_read_on(agent):
    text = read(agent, "sectionary://document/docs/long.md").text
    told = agent.ask("get_section", document_path="docs/long.md", max_tokens=MAX_TOKENS)
    assert text.startswith(LONG[: told["next_offset"]])
    assert text.endswith(f"get_section with this document_path and offset {told['next_offset']} reads on.)\n")


@pytest.mark.parametrize(
    "uri",
    [
        "sectionary://document/docs/no.md", "sectionary://document/../../etc/passwd", "sectionary://document/%00",
        "sectionary://document//etc/passwd", "sectionary://document/%ff", "sectionary://document/", "sectionary://", "file:///etc/passwd", "",
    ],
)  # fmt: skip
def test_address_that_names_nothing_is_refused(agent, uri):
    with pytest.raises(MCPError, match=r"There is no(thing| document)"):
        read(agent, uri)


def test_prompts_say_what_they_take(agent):
    listed = agent.portal.call(agent.client.list_prompts).prompts
    assert [(one.name, [(a.name, a.required) for a in one.arguments]) for one in listed] == [
        ("answer", [("question", True)]), ("check", [("text", True)]),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "argument"), [("answer", "question"), ("check", "text")])
def test_prompt_ends_with_what_the_user_gave_and_names_only_real_tools(agent, name, argument):
    [message] = prompt(agent, name, **{argument: "How do I turn the crank?"}).messages
    text = message.content.text
    assert (message.role, text.endswith("\n\nHow do I turn the crank?")) == ("user", True)
    named = {word.strip("`") for word in text.split() if word.startswith("`")} - {"`stale`,", "stale"}
    assert {word.rstrip("`.,") for word in named} <= {*agent.tools, "answered", "stale"}


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("answer", {}, "answer needs the argument question, a text of 1 to 20,000 characters."),
        ("answer", {"question": " "}, "answer needs the argument question"),
        ("answer", {"question": "x" * 20_001}, "answer needs the argument question"),
        ("check", {"question": "x"}, "check has no argument 'question'; it takes text."),
        ("obey\x1b[2J", {}, "There is no prompt obey"),
    ],
)
def test_wrong_prompt_or_argument_is_refused(agent, name, arguments, sentence):
    with pytest.raises(MCPError) as refused:
        prompt(agent, name, **arguments)
    assert refused.value.error.message.startswith(sentence)
    assert "\x1b" not in refused.value.error.message
