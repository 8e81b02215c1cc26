"""What AI agents are told where an argument, a section or a tool is not one that the server knows."""

import pytest
from mcp import MCPError

from schema.requests import MAX_QUERY
from tests.mcp_agent import LONG, first

# -- refusals ----------------------------------------------------------------------------------------------------------

NO_ID = "The argument id takes a section's id (24 hex digits), path#anchor or path:line, not "
REFUSED = [
    ("search", {}, "search needs the argument query: a question or words, 1 to 10,000 characters."),
    ("search", {"query": " \t"}, 'The argument query takes a question or words, 1 to 10,000 characters, not " \\t".'),
    ("search", {"query": ""}, 'The argument query takes a question or words, 1 to 10,000 characters, not "".'),
    ("search", {"query": "x" * (MAX_QUERY + 1)}, "The argument query takes a question or words, 1 to 10,000 characters, not a text of 10,001 characters."),
    ("search", {"query": True}, "The argument query takes a question or words, 1 to 10,000 characters, not true."),
    ("search", {"query": None}, "search needs the argument query: a question or words, 1 to 10,000 characters."),
    ("search", {"query": "x", "top_k": 3}, 'search has no argument "top_k"; its arguments are query, limit, offset, mode, fold, min_relevance, prefer_own_language, prefer_recent, literal, path, depth, tags, fields, language, root, since, clean, content, max_tokens.'),
    ("search", {"query": "x", "content": "no"}, 'The argument content takes true or false, not "no".'),
    ("search", {"query": "x", "limit": 0}, "The argument limit takes a whole number from 1 to 50, not 0."),
    ("search", {"query": "x", "limit": 51}, "The argument limit takes a whole number from 1 to 50, not 51."),
    ("search", {"query": "x", "limit": 1.5}, "The argument limit takes a whole number from 1 to 50, not 1.5."),
    ("search", {"query": "x", "limit": True}, "The argument limit takes a whole number from 1 to 50, not true."),
    ("search", {"query": "x", "limit": "five"}, 'The argument limit takes a whole number from 1 to 50, not "five".'),
    ("search", {"query": "x", "offset": -1}, "The argument offset takes a whole number from 0 to 1,000,000, not -1."),
    ("search", {"query": "x", "mode": "fuzzy"}, 'The argument mode takes "hybrid", "lexical" or "dense", not "fuzzy".'),
    ("search", {"query": "x", "path": {}}, "The argument path takes an array of 1 to 20 path prefixes or globs, not [{}]."),
    ("search", {"query": "x", "path": []}, "The argument path takes an array of 1 to 20 path prefixes or globs, not []."),
    ("search", {"query": "x", "min_relevance": "much"}, 'The argument min_relevance takes a number from 0 to 1, not "much".'),
    ("search", {"query": "x", "depth": [4]}, "The argument depth takes an array of heading depths, each 0 to 3, not [4]."),
    ("search", {"query": "x", "fields": {"a": None}}, 'The argument fields takes an object of front-matter fields and the text each must have, not {"a": null}.'),
    ("search", {"query": "x", "since": "lately"}, "The since filter takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today or yesterday, not 'lately'."),
    ("search", {"query": "x", "max_tokens": 199}, "The argument max_tokens takes a whole number from 200 to 20,000, not 199."),
    ("context", {"query": "x", "limit": 3}, 'context has no argument "limit"; its arguments are query, mode, literal, path, depth, tags, fields, language, root, since, clean, max_tokens.'),
    ("get_section", {}, "get_section takes one of the arguments id, ids and document_path."),
    ("get_section", {"id": "a" * 24, "ids": ["a" * 24]}, "get_section takes one of the arguments id, ids and document_path."),
    ("get_section", {"id": "../../etc/passwd"}, "There is no document or section ../../etc/passwd in the index; a search shows paths and ids."),
    ("get_section", {"id": "a" * 24 + "\n"}, f"There is no document or section {'a' * 24}\n in the index; a search shows paths and ids."),
    ("get_section", {"id": "docs/guide.md#nothing"}, "docs/guide.md has no section with the anchor nothing; its outline shows its sections."),
    ("get_section", {"ids": []}, "The argument ids takes an array of 1 to 50 of these: a section's id (24 hex digits), path#anchor or path:line, not []."),
    ("get_section", {"ids": ["0" * 24, "1" * 24]}, f"There is no document or section {'0' * 24} in the index; a search shows paths and ids."),
    ("get_section", {"document_path": "docs/guid.md"}, "There is no document docs/guid.md in the index; did you mean docs/guide.md?"),
    ("get_section", {"document_path": "docs/guide.md#linux"}, "There is no document docs/guide.md#linux in the index; did you mean docs/guide.md?"),
    ("get_section", {"id": ["a"] * 40}, f'{NO_ID}["a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a", "a",….'),
    ("outline", {"document_path": ""}, 'The argument document_path takes the path of a document in the index, 1 to 4,000 characters, not "".'),
    ("list_documents", {"prefix": [1]}, "The argument prefix takes what the paths begin with, up to 500 characters, not [1]."),
    ("links", {"section": "docs/guide.md", "similar": 3}, "The argument similar takes true or false, not 3."),
    ("changes", {"since": "lately"}, "The since filter takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today or yesterday, not 'lately'."),
    ("changes", {"since": "7d", "offset": 10_000}, "The argument offset takes a whole number from 0 to 9,999, not 10000."),
    ("changes", {"since_commit": "HEAD"}, 'changes has no argument "since_commit"; its arguments are since, path, offset, max_tokens.'),
    ("changes", {"path": ["../x"]}, "The path filter takes a document's path in the index or how it begins, with / between folders and no “..”, not '../x'."),
    ("status", {"verbose": True}, 'status has no argument "verbose"; its arguments are max_tokens.'),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "sentence"), REFUSED)
def test_wrong_argument_is_refused_with_what_it_takes(agent, tool, arguments, sentence):
    assert agent.refused(tool, **arguments) == sentence


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "docs/guide.md/../long.md", "docs\\guide.md", "docs/no.md\x00"]
)
def test_path_that_is_no_document_of_the_index_is_refused(agent, path):
    assert "There is no document" in agent.refused("outline", document_path=path)


def test_unknown_section_is_refused(agent):
    assert "There is no section" in agent.refused("get_section", id="0" * 24)


def test_offset_beyond_a_document_is_refused(agent):
    said = agent.refused("get_section", document_path="docs/long.md", offset=len(LONG))
    assert said == f"The argument offset takes less than {len(LONG):,}, the length of these sections' contents."


def test_offset_beyond_a_section_is_refused(agent):
    length = len(LONG)
    said = agent.refused("get_section", id=first(agent, "walruses")["id"], offset=length)
    assert said == f"The argument offset takes less than {length:,}, the length of this section's content."


def test_unknown_tool_is_an_error_of_the_protocol_that_names_the_tools(agent):
    with pytest.raises(MCPError, match="There is no tool delete_all; the tools are search, context, get_section"):
        agent.call("delete_all")


def test_name_of_an_unknown_tool_cannot_paint_the_terminal(agent):
    with pytest.raises(MCPError, match=r"There is no tool a\\x1b\[2Jb; the tools"):
        agent.call("a\x1b[2Jb")
