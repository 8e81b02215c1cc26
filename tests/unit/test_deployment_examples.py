"""The examples for Compose and Kubernetes against the image, the options and the time limits of the code.

`make check-deploy` compares the same files with the schemas of Kubernetes and Compose.
"""

import functools
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from schema.errors import SettingsError
from search.server.run import LAST_ANSWERS, LAST_WORK, check_token
from search.server.security import LOOPBACK, OPEN_PATHS
from search.serving_commands import serve_command
from tests.dockerfiles import assignments, read_stages

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
FOLDERS = ("kubernetes", "kubernetes-object-store")
IMAGE = dict(read_stages((ROOT / "Dockerfile").read_text(encoding="utf-8"))[-1].steps)
ENVIRONMENT = assignments(IMAGE["ENV"])
USER, GROUP = map(int, IMAGE["USER"].split(":"))
PORT = int(IMAGE["EXPOSE"])


@functools.cache
def objects(folder):
    return [
        one
        for path in sorted((EXAMPLES / folder).glob("*.yaml"))
        for one in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]


def object_of(kind, folder="kubernetes"):
    [found] = [one for one in objects(folder) if one["kind"] == kind]
    return found


def pod_of(kind, folder="kubernetes"):
    spec = object_of(kind, folder)["spec"]
    return (spec["jobTemplate"]["spec"] if kind == "CronJob" else spec)["template"]


def container_of(kind, folder="kubernetes"):
    [container] = pod_of(kind, folder)["spec"]["containers"]
    return container


def mounts(kind, folder="kubernetes"):
    return {mount["mountPath"]: mount.get("readOnly", False) for mount in container_of(kind, folder)["volumeMounts"]}


COMPOSE = yaml.safe_load((EXAMPLES / "readers" / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
READERS = [name for name in SERVICES if name.startswith("reader")]
POD_KINDS = [(kind, folder) for folder in FOLDERS for kind in ("Deployment", "CronJob")]


def served_with(arguments):
    """What `search serve` understands of a container's arguments."""
    assert arguments[0] == "serve"
    return serve_command.make_context("serve", [re.sub(r"\$\{\w+:-(.*)\}", r"\1", one) for one in arguments[1:]]).params


@pytest.fixture(autouse=True)
def _with_a_token_file(monkeypatch, tmp_path):
    """The image has its token file at a path that is not there in a test."""
    import click

    monkeypatch.setattr(click.Path, "convert", lambda self, value, param, ctx: value)


@pytest.mark.parametrize("folder", FOLDERS)
def test_readers_of_kubernetes_get_options_that_serve_has_and_the_time_that_stopping_takes(folder):
    given = served_with(container_of("Deployment", folder)["args"])
    assert given["host"] == "0.0.0.0"
    assert given["drain"] > 0
    seconds = pod_of("Deployment", folder)["spec"]["terminationGracePeriodSeconds"]
    assert seconds >= given["drain"] + LAST_ANSWERS + LAST_WORK
    probe = container_of("Deployment", folder)["readinessProbe"]
    assert given["drain"] > probe["periodSeconds"] * probe["failureThreshold"]


@pytest.mark.parametrize("name", READERS)
def test_readers_of_compose_get_options_that_serve_has_and_the_time_that_stopping_takes(name):
    service = SERVICES[name]
    given = served_with(service["command"])
    assert given["token_file"] == f"/run/secrets/{service['secrets'][0]}"
    assert int(service["stop_grace_period"].removesuffix("s")) >= given["drain"] + LAST_ANSWERS + LAST_WORK
    assert service["expose"] == [str(PORT)]


@pytest.mark.parametrize(("kind", "folder"), POD_KINDS)
def test_every_pod_runs_as_the_user_of_the_image_with_a_root_that_cannot_be_written(kind, folder):
    spec = pod_of(kind, folder)["spec"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert (spec["securityContext"]["runAsUser"], spec["securityContext"]["fsGroup"]) == (USER, GROUP)
    for container in [*spec.get("initContainers", ()), *spec["containers"]]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]
    # a Service named like us would set variables that begin with SECTIONARY_
    assert (spec["enableServiceLinks"], spec["automountServiceAccountToken"]) == (False, False)


@pytest.mark.parametrize(("kind", "folder"), POD_KINDS)
def test_every_volume_that_a_pod_mounts_is_one_that_it_names(kind, folder):
    spec = pod_of(kind, folder)["spec"]
    named = {volume["name"] for volume in spec["volumes"]}
    used = {m["name"] for c in [*spec.get("initContainers", ()), *spec["containers"]] for m in c["volumeMounts"]}
    assert used == named
    claims = {one["metadata"]["name"] for one in objects("kubernetes") if one["kind"] == "PersistentVolumeClaim"}
    claimed = {v["persistentVolumeClaim"]["claimName"] for v in spec["volumes"] if "persistentVolumeClaim" in v}
    assert claimed <= claims


def test_the_index_is_where_the_image_looks_for_it_and_only_the_job_can_write_it():
    assert mounts("Deployment")[ENVIRONMENT["SECTIONARY_INDEX"]] is True
    assert mounts("CronJob")[ENVIRONMENT["SECTIONARY_INDEX"]] is False
    for kind in ("Deployment", "CronJob"):
        assert mounts(kind)[f"{IMAGE['WORKDIR']}/docs"] is True


@pytest.mark.parametrize("folder", FOLDERS)
def test_two_jobs_never_write_at_once_and_index_the_documents(folder):
    assert object_of("CronJob", folder)["spec"]["concurrencyPolicy"] == "Forbid"
    container = container_of("CronJob", folder)
    assert container["command"] == ["index"]
    assert container["args"] == ["docs"]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize(
    ("probe", "path"), [("startupProbe", "/healthz"), ("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")]
)
def test_probes_ask_what_needs_no_token_under_a_host_that_is_answered(folder, probe, path):
    container = container_of("Deployment", folder)
    asked = container[probe]["httpGet"]
    assert asked["path"] == path
    assert path in OPEN_PATHS
    [host] = asked["httpHeaders"]
    assert host["name"] == "Host"
    assert host["value"] in LOOPBACK
    assert {port["name"]: port["containerPort"] for port in container["ports"]}[asked["port"]] == PORT


@pytest.mark.parametrize("folder", FOLDERS)
def test_service_budget_and_deployment_mean_the_same_pods(folder):
    labels = pod_of("Deployment", folder)["metadata"]["labels"]
    assert object_of("Deployment", folder)["spec"]["selector"]["matchLabels"] == labels
    assert object_of("Service")["spec"]["selector"] == labels
    assert object_of("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    assert object_of("PodDisruptionBudget")["spec"]["minAvailable"] < object_of("Deployment", folder)["spec"]["replicas"]
    assert object_of("CronJob", folder)["spec"]["jobTemplate"]["spec"]["template"]["metadata"]["labels"] != labels


def test_the_token_that_stands_in_the_example_is_refused():
    secret = object_of("Secret")
    [source] = [one for one in container_of("Deployment")["env"] if one["name"] == "SECTIONARY_SERVER_TOKEN"]
    named = source["valueFrom"]["secretKeyRef"]
    assert named["name"] == secret["metadata"]["name"]
    with pytest.raises(SettingsError):
        check_token(secret["stringData"][named["key"]])


def test_with_an_object_store_only_the_place_of_the_index_and_its_caches_differ():
    for kind in ("Deployment", "CronJob"):
        plain, remote = container_of(kind), container_of(kind, "kubernetes-object-store")
        added = [one for one in remote["env"] if one not in plain.get("env", [])]
        assert [one["name"] for one in added] == ["SECTIONARY_INDEX", "SECTIONARY_CACHE_DIR"]
        assert added[0]["value"].startswith("s3://")
        secret = object_of("Secret", "kubernetes-object-store")
        assert remote["envFrom"] == [{"secretRef": {"name": secret["metadata"]["name"]}}]
        assert not any(secret["stringData"].values())
        varied = ("env", "envFrom", "volumeMounts")
        assert {k: v for k, v in remote.items() if k not in varied} == {k: v for k, v in plain.items() if k not in varied}
        [copying] = pod_of(kind, "kubernetes-object-store")["spec"]["initContainers"]
        assert copying["command"] == ["cp", "-r", f"{ENVIRONMENT['SECTIONARY_CACHE_DIR']}/.", f"{added[1]['value']}/"]


def test_compose_has_three_readers_that_cannot_write_the_index_and_one_that_indexes():
    assert len(READERS) == 3
    indexing = SERVICES["indexing"]
    assert (indexing["entrypoint"], indexing["command"]) == (["index"], ["watch", "docs"])
    assert f"index:{ENVIRONMENT['SECTIONARY_INDEX']}" in indexing["volumes"]
    for name in READERS:
        assert f"index:{ENVIRONMENT['SECTIONARY_INDEX']}:ro" in SERVICES[name]["volumes"]
    for name in (*READERS, "indexing"):
        assert (SERVICES[name]["read_only"], SERVICES[name]["cap_drop"]) == (True, ["ALL"])
        assert "ports" not in SERVICES[name]


def test_the_proxy_of_compose_sends_questions_to_ready_readers_alone_and_is_reached_from_this_machine_alone():
    caddyfile = (EXAMPLES / "readers" / "Caddyfile").read_text(encoding="utf-8")
    [upstreams] = re.findall(r"reverse_proxy (.+) \{", caddyfile)
    assert upstreams.split() == [f"{name}:{PORT}" for name in READERS]
    assert "health_uri /readyz\n" in caddyfile
    assert re.search(r"health_headers \{\s+Host localhost\s+\}", caddyfile)
    assert caddyfile.count("{") == caddyfile.count("}")
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["proxy"]["ports"])


def test_schemas_are_compared_with_every_example():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [recipe] = re.findall(r"^check-deploy:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    for folder in FOLDERS:
        assert f"docs/examples/{folder}/*.yaml" in recipe
    assert "docs/examples/readers/compose.yaml" in recipe
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["deploy"]
    assert {re.match(r"[a-z-]+", one)[0] for one in groups} == {"check-jsonschema", "kubernetes-validate"}
