"""The few files that pages need, those of wings as well, read once: a style sheet, the scripts and
the icons.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from metasearch.wing import wings

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


#: Those with folders `templates` and `static`.
PACKAGES = ("metasearch.server", *(wing.pages for wing in wings() if wing.pages))


ASSETS = {
    file.name: Asset(file.name, file.read_bytes())
    for package in PACKAGES
    for file in (files(package) / "static").iterdir()
    if file.name.endswith(tuple(_MEDIA_TYPES))
}


def asset_path(name: str) -> str:
    """The path of a file, which changes with its content: browsers keep it for good."""
    return f"/static/{name}?v={ASSETS[name].etag[:10]}"
