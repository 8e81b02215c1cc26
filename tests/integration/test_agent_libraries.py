"""Libraries that agents are written with drive the tools: list, search, read. Each test is skipped without its library."""

import asyncio
import json
import warnings

import pytest

from tests.conftest import GUIDE, Project, WordEmbedder
from tests.mcp_agent import answers_over, http_calls


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("libraries"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()
    with http_calls(answers_over(project)) as site:
        yield f"{site.url}mcp"


def imported(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a library says of itself is not ours
        return pytest.importorskip(name, exc_type=ImportError)


@pytest.mark.filterwarnings("ignore")
def test_agent_of_pydantic_ai_searches_reads_and_cites(address):
    """The agent and its handling of tools are the library's; a function stands for the language model."""
    library = imported("pydantic_ai")
    toolsets = imported("pydantic_ai.mcp")
    messages = imported("pydantic_ai.messages")
    models = imported("pydantic_ai.models.function")
    seen = {}

    def returned(history):
        return [part for each in history for part in each.parts if isinstance(part, messages.ToolReturnPart)]

    def model(history, info):
        seen["tools"] = [tool.name for tool in info.function_tools]
        seen["schemas"] = [tool.parameters_json_schema["type"] for tool in info.function_tools]
        done = returned(history)
        if not done:
            call = messages.ToolCallPart("search", {"query": "penguins crank", "mode": "lexical", "limit": 3})
        elif len(done) == 1:
            call = messages.ToolCallPart("get_section", {"ids": [done[0].content["results"][0]["id"]]})
        else:
            [read] = done[1].content["sections"]
            cited = f"{read['document_path']}:{read['start_line']}-{read['end_line']}"
            return messages.ModelResponse(parts=[messages.TextPart(f"{read['content'].split()[2]} ({cited})")])
        return messages.ModelResponse(parts=[call])

    agent = library.Agent(models.FunctionModel(model), toolsets=[toolsets.MCPToolset(address)])
    answer = asyncio.run(agent.run("What do penguins need?")).output
    assert answer == "Penguins (docs/guide.md:13-16)"
    assert seen["tools"] == [
        "search", "context", "get_section", "outline", "links", "list_documents", "changes", "status",
    ]  # fmt: skip
    assert set(seen["schemas"]) == {"object"}
    print(f"\npydantic_ai {library.__version__}: {len(seen['tools'])} tools; answer: {answer}")


@pytest.mark.filterwarnings("ignore")
def test_client_of_fastmcp_lists_searches_reads_and_attaches(address):
    library = imported("fastmcp")

    async def talk():
        async with library.Client(address) as client:
            tools = [tool.name for tool in await client.list_tools()]
            found = await client.call_tool("search", {"query": "penguins crank", "mode": "lexical"})
            hit = json.loads(found.content[0].text)["results"][0]
            read = await client.call_tool("get_section", {"id": hit["id"]})
            [document] = await client.read_resource("sectionary://document/docs/guide.md")
            prompt = await client.get_prompt("answer", {"question": "How?"})
            return tools, hit, read.structured_content, document.text, prompt.messages[0].content.text

    tools, hit, read, document, prompt = asyncio.run(talk())
    assert (len(tools), hit["snippet"]["text"]) == (8, "Penguins need a special crank.")
    assert read["content"] == "### Linux\n\nPenguins need a special crank.\n\n"
    assert document == GUIDE.split("---\n", 2)[2]
    assert prompt.endswith("\n\nHow?")
    print(f"\nfastmcp {getattr(library, '__version__', '')}: {len(tools)} tools; first hit: {hit['trail']}")
