"""The few files that pages need, read once: a style sheet, the scripts and the icons."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".png": "image/png",
}
#: Those that are text, and are sent compressed.
_TEXTS = frozenset({".css", ".js", ".svg"})


@dataclass(frozen=True)
class Asset:
    """One file."""

    name: str
    body: bytes

    @property
    def media_type(self) -> str:
        """By its extension."""
        return _MEDIA_TYPES[self._extension]

    @property
    def is_text(self) -> bool:
        """Whether it has a character set, which is UTF-8."""
        return self._extension in _TEXTS

    @cached_property
    def etag(self) -> str:
        """Names the content; without quotes."""
        return hashlib.sha256(self.body).hexdigest()[:20]

    @cached_property
    def compressed(self) -> bytes | None:
        """For clients that read gzip; None for what is compressed already."""
        return gzip.compress(self.body, mtime=0) if self.is_text else None

    @property
    def _extension(self) -> str:
        return self.name[self.name.rindex(".") :]


def _read(name: str) -> Asset:
    return Asset(name, (files("metasearch.server") / "static" / name).read_bytes())


ASSETS = {
    name: _read(name)
    for name in (
        "style.css",
        "results.js",
        "workspace.js",
        "decisions.js",
        "favicon.ico",
        "icon.svg",
        "icon.png",
    )
}


def asset_path(name: str) -> str:
    """The path of a file, which changes with its content: browsers keep it for good."""
    return f"/static/{name}?v={ASSETS[name].etag[:10]}"
