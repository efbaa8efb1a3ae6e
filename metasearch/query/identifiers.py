"""DOIs, ISBNs and ISSNs as people type them."""

from __future__ import annotations

import re

from metasearch.late_pattern import late_pattern
from metasearch.query.blanks import is_blank

#: Matches the beginning of a DOI; groups: protocol, resolver, prefix with its slash.
DOI = re.compile(
    r"(https?://)?((?:dx\.|www\.)?doi\.org/)?(?:doi:)?(10\.[0-9]{4,9}(?:\.[0-9]+)*/)", re.IGNORECASE
)
_DOI_TAIL = ".,;:"
_ISBN = late_pattern(r"(?:97[89][- ]?)?(?:[0-9][- ]?){9}[0-9Xx]")
_ISSN = late_pattern(r"[0-9]{4}-[0-9]{3}[0-9Xx]")


def bare_doi(text: str) -> str | None:
    """Lower case, without resolver, or None: "https://doi.org/10.1000/X" -> "10.1000/x"."""
    match = DOI.match(text)
    if match is None:
        return None
    bare = text[match.start(3) :]
    if match[1] or match[2]:
        bare = re.split(r"[?#]", bare, maxsplit=1)[0]
        if "%" in bare:
            from urllib.parse import unquote

            decoded = unquote(bare)
            bare = bare if any(map(is_blank, decoded)) else decoded
    bare = bare.lower().rstrip(_DOI_TAIL)
    return bare if len(bare) > len(match[3]) else None


def identifier_field(text: str) -> str | None:
    """The field of an identifier, as its form tells: "doi", "isbn", "issn", or None."""
    if bare_doi(text) is not None:
        return "doi"
    if _ISSN.fullmatch(text):
        return "issn"
    return "isbn" if _ISBN.fullmatch(text) else None
