"""DOIs as people type them, with or without a resolver."""

from __future__ import annotations

import re

from metasearch.query.blanks import is_blank

#: Matches the beginning of a DOI; groups: protocol, resolver, prefix with its slash.
DOI = re.compile(
    r"(https?://)?((?:dx\.|www\.)?doi\.org/)?(?:doi:)?(10\.[0-9]{4,9}(?:\.[0-9]+)*/)", re.IGNORECASE
)
_DOI_TAIL = ".,;:"


def bare_doi(text: str) -> str | None:
    """Lower case, without resolver, or None: "https://doi.org/10.1000/X" -> "10.1000/x"."""
    found = DOI.match(text)
    if found is None:
        return None
    bare = text[found.start(3) :]
    if found[1] or found[2]:
        bare = re.split(r"[?#]", bare, maxsplit=1)[0]
        if "%" in bare:
            from urllib.parse import unquote

            decoded = unquote(bare)
            bare = bare if any(map(is_blank, decoded)) else decoded
    bare = bare.lower().rstrip(_DOI_TAIL)
    return bare if len(bare) > len(found[3]) else None
