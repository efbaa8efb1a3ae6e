"""The names of fields in our own syntax, and what other programs call them."""

from __future__ import annotations

from metasearch.query.ast import FIELDS

#: What may stand before a colon -> the field of a term; "year" is read as a range.
FIELD_NAMES = {name: name for name in (*FIELDS, "year")} | {
    "journal": "venue",
    "ti": "title",
    "au": "author",
    "ab": "abstract",
    "doctype": "type",
    "lang": "language",
}

# Prefixes of identifiers, which people type as words.
IDENTIFIER_SCHEMES = frozenset(
    (
        "ark",
        "arxiv",
        "bibcode",
        "hdl",
        "http",
        "https",
        "info",
        "mailto",
        "oclc",
        "orcid",
        "pmcid",
        "pmid",
        "swh",
        "urn",
    )
)
#: Names in other programs -> our field.
_MEANT = {
    "keyword": "subject", "keywords": "subject", "kw": "subject", "ky": "subject", "su": "subject",
    "topic": "subject",
    "creator": "author", "by": "author", "abs": "abstract", "source": "venue",
    "publication": "venue",
    "container": "venue", "date": "year", "published": "year", "py": "year", "yr": "year",
    "all": "any", "text": "any",
    "kind": "type", "pt": "type", "dt": "type", "la": "language", "ln": "language",
}  # fmt: skip


def meant_field(name: str) -> str:
    """Returns the field that an unknown name seems to mean; "" where none is near."""
    from difflib import get_close_matches

    low = name.lower()
    if low in _MEANT:
        return _MEANT[low]
    known = [field for field in FIELD_NAMES if len(field) > 2]
    return next(iter(get_close_matches(low[:30], known, 1, 0.7)), "")
