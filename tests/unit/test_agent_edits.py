"""One server more in a client's configuration: what stood there stays byte for byte, and what is unclear is refused."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.agents.edits import EditError, has_server, lines_of_server, snippet, with_server

ENTRY = {"command": "/venv/bin/search", "args": ["mcp", "--index", "/docs/.sectionary"]}


def edited(text, entry=ENTRY, form="json", key="mcpServers", *, keeps=True):
    return with_server(text, form, key, "sectionary", entry, keeps=keeps)


@pytest.mark.parametrize("text", ["", " \n"])
def test_empty_file_gets_the_server_alone(text):
    assert json.loads(edited(text)) == {"mcpServers": {"sectionary": ENTRY}}
    assert edited(text) == snippet("json", "mcpServers", "sectionary", ENTRY)


JSON_EDITS = {
    "further server": (
        '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": {"command": "x"}\n    },\n    "n": 1e5\n}\n',
        '{\n    "theme": "dark",\n    "mcpServers": {\n        "other": {"command": "x"},\n        "sectionary": {\n            "command": "s"\n        }\n    },\n    "n": 1e5\n}\n',
    ),
    "no table yet": (
        '{\n\t"a": [1,\n\t\t2]\n}',
        '{\n\t"a": [1,\n\t\t2],\n\t"mcpServers": {\n\t\t"sectionary": {\n\t\t\t"command": "s"\n\t\t}\n\t}\n}',
    ),
    "empty table": (
        '{\n  "mcpServers": {}\n}\n',
        '{\n  "mcpServers": {\n    "sectionary": {\n      "command": "s"\n    }\n  }\n}\n',
    ),
    "empty object": ("{}", '{\n  "mcpServers": {\n    "sectionary": {\n      "command": "s"\n    }\n  }\n}'),
    "one line": (
        '{"a": "}{", "mcpServers": {"b": {}}}',
        '{"a": "}{", "mcpServers": {"b": {}, "sectionary": {"command": "s"}}}',
    ),
    "other command, further fields": (
        '{\n  "mcpServers": {\n    "sectionary": {"env": {"A": "é"}, "command": "old"},\n    "z": 1\n  }\n}\n',
        '{\n  "mcpServers": {\n    "sectionary": {\n      "env": {\n        "A": "é"\n      },\n      "command": "s"\n    },\n    "z": 1\n  }\n}\n',
    ),
    "line ends of Windows": (
        '{\r\n  "a": 1\r\n}\r\n',
        '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "sectionary": {\r\n      "command": "s"\r\n    }\r\n  }\r\n}\r\n',
    ),
    "byte order mark": ('\ufeff{"a": 1}', '\ufeff{"a": 1, "mcpServers": {"sectionary": {"command": "s"}}}'),
    "names with escapes": (
        '{"a\\"{": 1, "mcp\\u0053ervers": {}}',
        '{"a\\"{": 1, "mcp\\u0053ervers": {"sectionary": {"command": "s"}}}',
    ),
}


@pytest.mark.parametrize("name", JSON_EDITS)
def test_json_is_edited_between_its_bytes(name):
    before, after = JSON_EDITS[name]
    assert edited(before, {"command": "s"}) == after
    assert edited(after, {"command": "s"}) == after


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "a": 1\n}', "it may hold comments"),
        ('{"a": 1,}', "trailing commas"),
        ("[]", "it is not a JSON object"),
        ('{"mcpServers": []}', '"mcpServers" is not an object'),
        ('{"mcpServers": {}, "mcpServers": {}}', "it names a field twice"),
        ('{"a": ' + "[" * 100_000, "nested too deeply|not plain JSON"),
        ('{"a": NaN}', "it is not plain JSON"),
        ('{"mcpServers": {"sectionary": {"env": "\\ud800"}}}', "half of a character"),
    ],
)
def test_json_that_is_unclear_is_refused(text, why):
    with pytest.raises(EditError, match=why):
        edited(text)


@pytest.mark.parametrize("command", ["old", "s"])
def test_json_entry_that_is_not_kept_holds_nothing_else(command):
    before = json.dumps({"mcpServers": {"sectionary": {"env": {"LD_PRELOAD": "x"}, "command": command}, "z": {}}})
    after = edited(before, {"command": "s"}, keeps=False)
    assert json.loads(after) == {"mcpServers": {"sectionary": {"command": "s"}, "z": {}}}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), _JSON, max_size=4),
    st.none() | st.dictionaries(st.text(), _JSON, max_size=3),
    st.sampled_from([None, 1, "\t"]),
)
def test_whatever_else_a_json_file_says_stays(others, servers, indent):
    whole = {**others, **({} if servers is None else {"mcpServers": servers})}
    before = json.dumps(whole, indent=indent)
    kept = whole.get("mcpServers", {})
    if not isinstance(kept, dict):
        return
    old = kept.get("sectionary")
    meant = {**(old if isinstance(old, dict) else {}), **ENTRY}
    assert json.loads(edited(before)) == {**whole, "mcpServers": {**kept, "sectionary": meant}}


# -- TOML --------------------------------------------------------------------------------------------------------------

TOML_EDITS = {
    "empty": ("", '[mcp_servers.sectionary]\ncommand = "s"\n'),
    "at the end": ('model = "m" # mine\n', 'model = "m" # mine\n\n[mcp_servers.sectionary]\ncommand = "s"\n'),
    "without a last line end": ("[a]\nb = 1", '[a]\nb = 1\n\n[mcp_servers.sectionary]\ncommand = "s"\n'),
    "other command, further fields": (
        '[mcp_servers.sectionary]\ncommand = "old"\n# mine\nenv = {A = "1"}\n\n[mcp_servers.z]\ncommand = "z"\n',
        '[mcp_servers.sectionary]\ncommand = "s"\n# mine\nenv = {A = "1"}\n\n[mcp_servers.z]\ncommand = "z"\n',
    ),
    "line ends of Windows": ("a = 1\r\n", 'a = 1\r\n\r\n[mcp_servers.sectionary]\r\ncommand = "s"\r\n'),
}


@pytest.mark.parametrize("name", TOML_EDITS)
def test_toml_is_edited_between_its_lines(name):
    before, after = TOML_EDITS[name]
    assert edited(before, {"command": "s"}, "toml", "mcp_servers") == after
    assert edited(after, {"command": "s"}, "toml", "mcp_servers") == after


@pytest.mark.parametrize("command", ["old", "s"])
def test_toml_entry_that_is_not_kept_holds_nothing_else(command):
    inner = '[mcp_servers.sectionary.env]\nLD_PRELOAD = "x"\n[[mcp_servers.sectionary.a]]\n'
    before = f'[mcp_servers.sectionary]\ncommand = "{command}"\nurl = "x"\n{inner}[mcp_servers.z]\ncommand = "z"\n'
    after = edited(before, {"command": "s"}, "toml", "mcp_servers", keeps=False)
    assert after == '[mcp_servers.sectionary]\ncommand = "s"\n\n[mcp_servers.z]\ncommand = "z"\n'


def test_part_of_a_toml_entry_elsewhere_is_refused_where_it_is_not_kept():
    before = '[mcp_servers.sectionary]\n[mcp_servers.z]\n[mcp_servers.sectionary.env]\nLD_PRELOAD = "x"\n'
    with pytest.raises(EditError, match="cannot be edited here"):
        edited(before, ENTRY, "toml", "mcp_servers", keeps=False)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('a = 1\n[k.sectionary]\nb = 1\n[k.sectionary.env]\nA = "1"\n[k.z]\n', 4),
        ("[k.sectionary]\n[k.z]\n[k.sectionary.env]\n", 3),
        ('k.sectionary.a = "1"\nb = 1\n', 2),
        ("[k.sectionary]\na = [\n[1],\n]\n[z]\n", 5),
    ],
)
def test_lines_of_a_toml_entry_are_counted_and_are_all_where_it_is_in_pieces(text, lines):
    assert lines_of_server(text, "toml", "k", "sectionary") == lines


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\n",
        "mcp_servers = 1\n",
        'mcp_servers.sectionary.command = "x"\n',
        '[mcp_servers."sectionary"]\ncommand = "x"\n',
        '[mcp_servers.sectionary]\nargs = [\n"x",\n]\n',
        "a = \n",
        "a." * 40 + "b = 1\n",
    ],
)
def test_toml_that_is_unclear_is_refused(text):
    with pytest.raises(EditError):
        edited(text, ENTRY, "toml", "mcp_servers")


def test_paths_with_quotes_and_backslashes_read_back():
    entry = {"command": 'C:\\it "is"\\search.exe', "args": ["é\x7f\t"]}
    assert tomllib.loads(edited("", entry, "toml", "mcp_servers"))["mcp_servers"]["sectionary"] == entry
    assert json.loads(edited("", entry))["mcpServers"]["sectionary"] == entry


@pytest.mark.parametrize(("text", "form", "has"), [("", "json", False), ('{"k": {"sectionary": 1}}', "json", True), ("[k.sectionary]", "toml", True), ("k = 1", "toml", False)])  # fmt: skip
def test_server_that_is_there_is_seen(text, form, has):
    assert has_server(text, form, "k", "sectionary") is has
