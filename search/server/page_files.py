"""The page, and the search box for other sites → their files as they are sent: bytes, media type, entity tag; read once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from schema.text.characters import javascript_pattern

_HERE = Path(__file__).parent
_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
          ".svg": "image/svg+xml"}  # fmt: skip
#: What stands in the script of the box for the pattern of unsafe characters.
_NO_CHARACTER = b"/[]/gu"

#: Bytes, media type and entity tag of each file, by its name.
Files = Mapping[str, tuple[bytes, str, str]]


def page_files() -> tuple[Files, str]:
    """Return the files of the page, and the version of them that `index.html` asks for: `/assets/VERSION/NAME`.

    `characters.js` is made from the rule.
    """
    files = {path.name: path.read_bytes() for path in sorted((_HERE / "page").iterdir()) if path.suffix in _TYPES}
    files["characters.js"] = b"export const UNSAFE = " + _unsafe() + b";\n"
    version = hashlib.sha256(b"".join(hashlib.sha256(body).digest() for body in files.values())).hexdigest()[:16]
    files["index.html"] = files["index.html"].replace(b"/assets/", f"/assets/{version}/".encode())
    return _as_sent(files), version


def box_files() -> Files:
    """Return the one script of the search box for other sites."""
    return _as_sent({"embed.js": (_HERE / "embed.js").read_bytes().replace(_NO_CHARACTER, _unsafe())})


def _unsafe() -> bytes:
    return f"/{javascript_pattern()}/gu".encode()


def _as_sent(files: Mapping[str, bytes]) -> Files:
    return {
        name: (body, _TYPES[Path(name).suffix], f'"{hashlib.sha256(body).hexdigest()[:16]}"') for name, body in files.items()
    }
