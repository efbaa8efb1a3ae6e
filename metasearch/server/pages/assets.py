"""The few files that pages need, read once: a style sheet and two icons."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

_MEDIA_TYPES = {".css": "text/css", ".ico": "image/x-icon", ".png": "image/png"}


@dataclass(frozen=True)
class Asset:
    """One file."""

    name: str
    body: bytes

    @property
    def media_type(self) -> str:
        """By its extension."""
        return _MEDIA_TYPES[self.name[self.name.rindex(".") :]]

    @cached_property
    def etag(self) -> str:
        """Names the content; without quotes."""
        return hashlib.sha256(self.body).hexdigest()[:20]


def _read(name: str) -> Asset:
    return Asset(name, (files("metasearch.server") / "static" / name).read_bytes())


ASSETS = {name: _read(name) for name in ("style.css", "favicon.ico", "icon.png")}
