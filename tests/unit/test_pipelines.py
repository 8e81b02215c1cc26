"""The GitHub action and the pre-commit hooks: what they pass on are options that the commands have."""

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

import indexer.cli
import search.cli
from schema.errors import QueryError
from search.evaluation import Evaluation, read_minimums, unmet_minimums

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
SCRIPTS = [step["run"] for step in STEPS if "run" in step]
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
COMMANDS = {"index": indexer.cli.command, "search": search.cli.command}


def calls(script):
    """Each call of our commands in a script: the click command and its options."""
    for line in re.split(r"\n|&&|\$\(|;|^sh -c '|'", script):
        words = line.strip().split()
        if words and words[0] in COMMANDS and len(words) > 1:
            group = COMMANDS[words[0]]
            command = group.commands.get(words[1], group.commands[group.default])
            yield command, [word for word in words[1:] if word.startswith("--") and word != "--"]


def options_of(command):
    return {
        name
        for option in command.params
        if isinstance(option, click.Option)
        for name in (*option.opts, *option.secondary_opts)
    }


@pytest.mark.parametrize("script", [*SCRIPTS, *(hook["entry"] for hook in HOOKS)])
def test_options_in_scripts_are_those_of_the_commands(script):
    for command, given in calls(script):
        assert set(given) <= options_of(command)


def test_scripts_call_what_the_inputs_promise():
    called = {command.name for script in SCRIPTS for command, _ in calls(script)}
    assert called == {"run", "verify", "eval"}
    [checked] = [given for script in SCRIPTS for command, given in calls(script) if command.name == "verify"]
    assert checked == ["--links"]
    assert "--min=" in SCRIPTS[-1]
    assert "--min" in options_of(search.cli.command.commands["eval"])


def test_every_input_is_used_and_every_used_one_exists():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(ACTION["inputs"])
    assert all(one["description"] and "default" in one for one in ACTION["inputs"].values())


def test_no_input_is_read_as_a_part_of_a_script():
    assert [script for script in SCRIPTS if "${{" in script] == []


def test_folder_of_the_index_comes_by_the_variable_that_the_commands_read():
    for step in STEPS:
        if any(command for command, _ in calls(step.get("run", ""))):
            assert step["env"]["SECTIONARY_INDEX"] == "${{ inputs.index }}"
    for command in (indexer.cli.command.commands["run"], search.cli.command.commands["eval"]):
        assert "SECTIONARY_INDEX" in [option.envvar for option in command.params]


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_hook_scans_and_then_checks_links(hook):
    assert [command.name for command, _ in calls(hook["entry"])] == ["scan", "verify"]
    assert (hook["pass_filenames"], shlex.split(hook["entry"])[:2]) == (False, ["sh", "-c"])
    assert re.search(hook["files"], "docs/guide.md")
    assert not re.search(hook["files"], "docs/guide.png")


# -- search eval --min -------------------------------------------------------------------------------------------------


def evaluation(**means):
    every = {"nDCG@10": 0.7, "MRR@10": 0.6, "Success@1": 0.5, "Recall@10": 0.9, "Recall@100": 1.0}
    return Evaluation("hybrid", every | means, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", {"nDCG@10": 0.5}),
        ("1", {"nDCG@10": 1.0}),
        (".5", {"nDCG@10": 0.5}),
        ("s@1=0.8", {"Success@1": 0.8}),
        ("Success@1=0.8", {"Success@1": 0.8}),
        ("R@100 = 0.9", {"Recall@100": 0.9}),
        ("ndcg@10=0.1", {"nDCG@10": 0.1}),
    ],
)
def test_minimum_names_a_measure_or_is_one_of_ndcg(text, expected):
    assert read_minimums([text]) == expected


@pytest.mark.parametrize(
    "text", ["", "x", "s@2=0.5", "s@1=", "1.5", "-1", "nan", "s@1=1e-3", "s@1=inf", "²", "9" * 5000, "a=b=0.5"]
)
def test_minimum_that_says_nothing_is_refused(text):
    with pytest.raises(QueryError, match="--min takes a number from 0 to 1"):
        read_minimums([text])


def test_measure_below_its_minimum_is_told():
    least = {"nDCG@10": 0.7, "Success@1": 0.8}
    assert unmet_minimums(evaluation(), least) == ["Success@1 is 0.5000, below the minimum of 0.8."]
    assert unmet_minimums(evaluation(**{"Success@1": 0.8}), least) == []
