"""The built wheel, installed into an empty environment outside of the repository: it indexes, searches, serves and answers agents.

`make release-check` runs this with the path of the wheel and prints what was seen; any step that fails ends it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "how do I rotate the signing key without losing buffered data?"
HEADING = "Rotate the signing key"


def main(wheel: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="release") as folder:
        home = Path(folder)
        say(f"an empty environment in {home}")
        venv.create(home / "env", with_pip=True)
        programs = home / "env" / ("Scripts" if os.name == "nt" else "bin")
        run(programs / "python", "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", f"{wheel}[server,mcp]")
        work = home / "work"
        shutil.copytree(ROOT / "sample_docs", work / "sample_docs")
        say(run(programs / "search", "--version", cwd=work).strip())
        report = json.loads(run(programs / "index", "sample_docs", "--quiet", "--json", cwd=work))
        say(f"index: {report['sections_added']} sections of {report['documents_added']} documents")
        found = json.loads(run(programs / "search", "--no-server", "--json", QUESTION, cwd=work))
        expect(found["results"][0]["heading"], HEADING, "search")
        serve(programs / "search", work)
        agent(programs / "search", work)
        one_name(home, programs / "sectionary")
        say("the wheel works")


def one_name(home: Path, sectionary: Path) -> None:
    """The command that `uvx` and `pipx run` start, in a folder without an index."""
    work = home / "one"
    shutil.copytree(ROOT / "sample_docs", work / "sample_docs")
    run(sectionary, "index", "sample_docs", "--quiet", cwd=work)
    found = json.loads(run(sectionary, "search", "--no-server", "--json", QUESTION, cwd=work))
    expect(found["results"][0]["heading"], HEADING, "sectionary")
    checks = json.loads(run(sectionary, "doctor", "--json", cwd=work))["checks"]
    say(f"doctor: {len(checks)} checks, {sum(each['state'] == 'warning' for each in checks)} warnings")
    for shell in ("bash", "zsh", "fish"):
        run(sectionary, "completion", shell, cwd=work)
    missing = {"index.1", "search.1", "sectionary.1"} - {path.name for path in (home / "env/share/man/man1").glob("*.1")}
    if missing:  # other packages bring pages of their own
        sys.exit(f"manual pages that are missing: {', '.join(sorted(missing))}")


def serve(search: Path, work: Path) -> None:
    with subprocess.Popen([search, "serve", "--port", "0"], cwd=work, stderr=subprocess.PIPE, text=True) as server:
        url = re.search(r"http://\S+", server.stderr.readline())[0]
        with urllib.request.urlopen(f"{url}api/search?q=rotate+the+signing+key") as answer:
            expect(json.load(answer)["results"][0]["heading"], HEADING, "serve")
        server.terminate()
        server.wait(60)


def agent(search: Path, work: Path) -> None:
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "search", "arguments": {"query": QUESTION, "limit": 1}}},
    ]  # fmt: skip
    with subprocess.Popen([search, "mcp"], cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        while (answer := json.loads(server.stdout.readline())).get("id") != 2:
            pass
        expect(answer["result"]["structuredContent"]["results"][0]["heading"], HEADING, "mcp")
        server.stdin.close()
        server.wait(60)


def run(*command: object, cwd: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def expect(found: str, wanted: str, step: str) -> None:
    if found != wanted:
        sys.exit(f"{step}: the first hit is {found!r} and not {wanted!r}")
    say(f"{step}: {found}")


def say(line: str) -> None:
    print(f"release-check: {line}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
