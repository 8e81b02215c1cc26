"""The folder `page/` → the files of the page as they are sent: bytes, media type and entity tag, read once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from schema.text.characters import javascript_pattern

_TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
          ".svg": "image/svg+xml"}  # fmt: skip


def page_files() -> Mapping[str, tuple[bytes, str, str]]:
    """Return the bytes, media type and entity tag of each file, by its name; `characters.js` is made from the rule."""
    folder = Path(__file__).parent / "page"
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.suffix in _TYPES}
    files["characters.js"] = f"export const UNSAFE = /{javascript_pattern()}/gu;\n".encode()
    return {
        name: (body, _TYPES[Path(name).suffix], f'"{hashlib.sha256(body).hexdigest()[:16]}"') for name, body in files.items()
    }
