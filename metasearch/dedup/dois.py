"""DOIs that name a version: Cochrane's ".pub3", Research Square's "/v2", figshare's ".v2", F1000Research's ".2"."""

from __future__ import annotations

import re

_VERSION = re.compile(r"(?:\.pub|[./]v)(\d+)$")
_F1000_VERSION = re.compile(r"(?<=\d)\.(\d+)$")
_F1000 = "10.12688/"


def without_version(doi: str) -> str:
    """The DOI without what names the version."""
    return _pattern(doi).sub("", doi)


def version_number(doi: str | None) -> str:
    """The number of the version that a DOI names, "" where it names none."""
    found = _pattern(doi).search(doi) if doi else None
    return found.group(1) if found else ""


def _pattern(doi: str) -> re.Pattern[str]:
    return _F1000_VERSION if doi.startswith(_F1000) else _VERSION
