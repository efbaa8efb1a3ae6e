"""Archives that are written anew, with other rows, and manifests that are right."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

#: Name of a member -> its rows, or its bytes.
Members = dict[str, Any]


def unpacked(path: Path) -> tuple[Members, dict[str, Any]]:
    """The tables of an archive, and its manifest without the list of members."""
    with zipfile.ZipFile(path) as archive:
        found: Members = {
            name: [json.loads(line) for line in archive.read(name).splitlines()]
            for name in archive.namelist()
            if name.endswith(".jsonl")
        }
        manifest = json.loads(archive.read("manifest.json"))
    del manifest["members"]
    return found, manifest


def rows(found: Members, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    made: list[dict[str, Any]] = found[f"tables/{table}.jsonl"]
    return made


def written(path: Path, found: Members, manifest: dict[str, Any]) -> Path:
    """An archive of these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        listed = []
        for name, content in found.items():
            is_table = isinstance(content, list)
            raw = (
                b"".join(json.dumps(row).encode() + b"\n" for row in content)
                if is_table
                else content
            )
            archive.writestr(name, raw)
            one = {"name": name, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
            listed.append(one | ({"rows": len(content)} if is_table else {}))
        archive.writestr("manifest.json", json.dumps({"members": listed} | manifest))
    return path
