"""The Dockerfile without Docker: its steps run in changed roots over this machine's own system, then its entry point answers.

`make image-check` runs this as root on Linux and prints what was seen; any step that fails ends it. In the place of the base
image stands this machine's system, with its Python. What a stage writes goes into a layer in memory. The entry point runs
as the user of the image, with a read-only root and no network but loopback, and the health check of the image asks it.
"""

import fcntl
import fnmatch
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.dockerfiles import assignments, exec_form, read_stages

ROOT = Path(__file__).resolve().parents[1]
TOKEN = "0123456789abcdef-image"
#: Folders of this machine that the steps need to run.
_BOUND = ("/proc", "/dev")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SERVING_SECONDS = 300


def main() -> None:
    stages = read_stages((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="image", dir="/dev/shm") as folder:
        home = Path(folder)
        home.chmod(0o755)
        layers: dict[str, list[Path]] = {}
        left: dict[str, tuple[dict[str, str], str]] = {}
        for number, stage in enumerate(stages):
            name = stage.name or str(number)
            upper = home / name
            upper.mkdir()
            layers[name] = [upper, *layers.get(stage.base, [])]
            left[name] = build(home, name, stage, layers, *left.get(stage.base, ({"PATH": PATH}, "/")))
            say(f"stage {name}: {megabytes(upper)} MB")
        last = stages[-1]
        name = last.name or str(len(stages) - 1)
        say(f"image without its base: {megabytes(layers[name][0])} MB")
        serve(home, last, layers[name], left[name][0])


def build(home, name, stage, layers, environment, workdir):
    """Run the steps of a stage; return the environment and the working folder that it leaves."""
    arguments = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    upper = layers[name][0]
    for instruction, rest in stage.steps:
        if instruction == "ENV":
            added = assignments(rest)
            environment |= {key: value.replace("$PATH", environment["PATH"]) for key, value in added.items()}
        elif instruction == "WORKDIR":
            workdir = rest
            (upper / workdir.strip("/")).mkdir(parents=True, exist_ok=True)
        elif instruction == "COPY":
            copy(home, rest, upper, workdir, layers)
        elif instruction == "RUN":
            begun = time.monotonic()
            inside(home, layers[name], [["/bin/sh", "-c", rest]], environment | arguments, workdir)
            say(f"stage {name}: RUN {rest[:70]}… in {time.monotonic() - begun:.0f} s")
    return environment, workdir


def copy(home, rest, upper, workdir, layers):
    """Copy from the repository what `.dockerignore` lets through, or from another stage."""
    words = rest.split()
    source = None
    if words[0].startswith("--from="):
        source = layers[words.pop(0).removeprefix("--from=")]
    *names, target = words
    place = upper / os.path.join(workdir, target).strip("/")
    for name in names:
        if source is not None:
            copy_from_stage(home, source, name, place)
            continue
        found = ROOT / name
        if is_ignored(name):
            sys.exit(f".dockerignore keeps {name} from the build")
        if found.is_dir():
            shutil.copytree(found, place, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            to = place / found.name if target.endswith("/") else place
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, to)


def copy_from_stage(home, layers, name, place):
    """Copy what the layers of a stage hold together; nothing of this machine's system gets into the image."""
    empty, merged = home / "empty", home / "merged"
    for folder in (empty, merged, place):
        folder.mkdir(parents=True, exist_ok=True)
    lower = ":".join(map(str, [*layers, empty]))
    script = f"mount -t overlay image -o ro,lowerdir={lower} {merged} && cp --archive {merged}{name}/. {place}"
    subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", script], check=True)


def is_ignored(name):
    """Whether `.dockerignore` keeps a path at the top of the repository out; the last rule that fits decides."""
    ignored = False
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        rule = line.strip()
        if rule and not rule.startswith("#") and fnmatch.fnmatchcase(name, rule.removeprefix("!")):
            ignored = not rule.startswith("!")
    return ignored


def serve(home, stage, layers, environment):
    """Start the entry point as the image would, and ask its health check and a question."""
    steps = dict(stage.steps)
    data = home / "volume"
    for folder in (data / "index", data / "docs", data / "secrets"):
        folder.mkdir(parents=True)
    shutil.copytree(ROOT / "sample_docs", data / "docs", dirs_exist_ok=True)
    token = data / "secrets" / "sectionary_token"
    token.write_text(TOKEN + "\n", encoding="ascii")
    token.chmod(0o600)
    uid = int(steps["USER"].split(":")[0])
    for path in (data / "index", token, data / "secrets"):
        os.chown(path, uid, uid)
    for mount in ("run/secrets", "tmp"):
        (layers[0] / mount).mkdir(parents=True, exist_ok=True)
    plan = {
        "lower": [*map(str, layers), "/"],
        "merged": str(home / "merged"),
        "volume": str(data),
        "uid": uid,
        "workdir": steps["WORKDIR"],
        "environment": environment,
        "command": [*exec_form(steps["ENTRYPOINT"]), *exec_form(steps["CMD"])],
        "health": exec_form(steps["HEALTHCHECK"]),
    }
    (home / "merged").mkdir(exist_ok=True)
    command = [
        "unshare",
        "--mount",
        "--net",
        "--pid",
        "--fork",
        "--propagation",
        "private",
        sys.executable,
        __file__,
        "--inside",
    ]
    subprocess.run([*command, json.dumps(plan)], check=True)


def inside(home, layers, commands, environment, workdir):
    """Run commands in a root made of these layers over this machine's own; the first layer is written."""
    merged, work = home / "merged", home / "work"
    merged.mkdir(exist_ok=True)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    lower = ":".join([*map(str, layers[1:]), "/"])
    mounts = [f"mount -t overlay image -o lowerdir={lower},upperdir={layers[0]},workdir={work} {merged}"]
    mounts += [f"mount --rbind {folder} {merged}{folder}" for folder in _BOUND]
    mounts += [f"mount -t tmpfs image {merged}/tmp"]
    script = " && ".join([*mounts, f'exec chroot {merged} env -i -C {workdir} "$@"'])
    for command in commands:
        values = [f"{key}={value}" for key, value in environment.items()]
        subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *values, *command], check=True
        )


def run_inside(plan):
    """In new namespaces: the read-only root, the mounts of the compose file, then server, health check and a question."""
    merged, volume = plan["merged"], plan["volume"]

    def mount(*words):
        subprocess.run(["mount", *words], check=True)

    mount("-t", "overlay", "image", "-o", f"ro,lowerdir={':'.join(plan['lower'])}", merged)
    for folder in _BOUND:
        mount("--rbind", folder, merged + folder)
    mount("-t", "tmpfs", "image", f"{merged}/tmp")
    mount("--bind", f"{volume}/index", f"{merged}/data/.sectionary")
    mount("--bind", "-o", "ro", f"{volume}/docs", f"{merged}/data/docs")
    mount("--bind", "-o", "ro", f"{volume}/secrets", f"{merged}/run/secrets")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:  # loopback is down in a new namespace
        fcntl.ioctl(sock, 0x8914, struct.pack("16sh14x", b"lo", 1 | 64))
    uid = str(plan["uid"])
    values = [f"{key}={value}" for key, value in plan["environment"].items()]
    changed = ["chroot", merged, "setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "--no-new-privs",
               "--bounding-set", "-all", "env", "-i", "-C", plan["workdir"], *values]  # fmt: skip
    log = Path(volume) / "log"
    with log.open("wb") as stream, subprocess.Popen([*changed, *plan["command"]], stderr=stream) as server:
        until(
            lambda: subprocess.run([*changed, *plan["health"]], stderr=subprocess.DEVNULL, check=False).returncode == 0, log
        )
        say("the health check passes")
        ask = (
            "import json, sys, urllib.request as u; "
            f"r = u.Request('http://127.0.0.1:8731/api/search?q=rotate+the+signing+key', headers={{'authorization': 'Bearer {TOKEN}'}}); "
            "found = json.load(u.urlopen(r, timeout=30)); "
            "sys.exit(found['results'][0]['heading'] != 'Rotate the signing key' or found['results'][0]['is_pending'])"
        )
        asking = [*changed, "python3", "-c", ask]
        until(lambda: subprocess.run(asking, stderr=subprocess.DEVNULL, check=False).returncode == 0, log)
        say("the documents are indexed, and a question is answered")
        peek = "import os; print(os.getuid(), os.access('/', os.W_OK), os.access('/data/docs', os.W_OK))"
        subprocess.run([*changed, "python3", "-c", peek], check=True)
        server.terminate()
        server.wait(60)
    say_log(log)
    say(f"the server ended with status {server.returncode}")


def until(condition, log):
    deadline = time.monotonic() + _SERVING_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            say_log(log)
            sys.exit("it took too long")
        time.sleep(1)


def say_log(log):
    lines = log.read_text(encoding="utf-8").splitlines()
    for line in [*lines[:20], *lines[20:][-20:]]:
        say(f"log: {line[:300]}")


def megabytes(folder):
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink()) // 1_000_000


def say(text):
    print(text, flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        run_inside(json.loads(sys.argv[2]))
    else:
        main()
