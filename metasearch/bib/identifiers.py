"""Converters of identifiers and addresses (see converters.py)."""

from __future__ import annotations

import re
from typing import Any

from metasearch.bib import identifier_forms, web_addresses
from metasearch.bib.strings import first, strings
from metasearch.late_pattern import late_pattern


def doi(found: Any) -> str | None:
    """The first DOI among the strings, bare and lower case."""
    if type(found) is str:
        return identifier_forms.doi(found)
    return next((d for v in strings(found) if (d := identifier_forms.doi(v))), None)


def doi_url(found: Any) -> str | None:
    """The DOI of the first URL of a resolver, even behind a library's proxy, and of no other."""
    return doi([v for v in strings(found) if "doi.org/" in v.lower()])


def url(found: Any) -> str | None:
    """The first http(s) URL."""
    if type(found) is str:
        return web_addresses.web_url(found)
    return next((u for v in strings(found) if (u := web_addresses.web_url(v))), None)


def pdf_url(found: Any) -> str | None:
    """The first http(s) URL that may be a file: a DOI leads to a page."""
    links = (u for v in strings(found) if (u := web_addresses.web_url(v)))
    return next((u for u in links if "//doi.org/" not in u and "//dx.doi.org/" not in u), None)


_BETWEEN_ISBNS = late_pattern(r"[;,]|\s(?=97[89])")


def isbns(found: Any) -> tuple[str, ...]:
    """Each ISBN once, as ISBN-13."""
    if type(found) is str and found.isalnum():
        return (only,) if (only := identifier_forms.isbn(found)) else ()
    values = [
        part for v in strings(found) for part in ((v,) if v.isalnum() else _BETWEEN_ISBNS.split(v))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := identifier_forms.isbn(v))]))


_SEPARATORS = late_pattern(r"[;,]")


def issns(found: Any) -> tuple[str, ...]:
    """Each ISSN once."""
    if type(found) is str and len(found) <= 9:
        return (only,) if (only := identifier_forms.issn(found)) else ()
    values = [
        part for v in strings(found) for part in (_SEPARATORS.split(v) if len(v) > 9 else (v,))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := identifier_forms.issn(v))]))


def arxiv(found: Any) -> str | None:
    """An arXiv identifier without version."""
    return next((a for v in strings(found) if (a := identifier_forms.arxiv_id(v))), None)


def arxiv_url(found: Any) -> str | None:
    """The arXiv identifier in the first link or DOI that is arXiv's, among others that are not."""
    return next(
        (a for v in strings(found) if "arxiv" in v.lower() and (a := identifier_forms.arxiv_id(v))),
        None,
    )


_ARXIV_VERSION = late_pattern(
    r"(?:\d{4}\.\d{4,5}|[a-z][a-z.-]{0,20}/\d{7})(v\d{1,3})\b", re.IGNORECASE
)
#: What each of them has, and is found sooner.
_VERSION = late_pattern(r"\dv\d", re.IGNORECASE)


def arxiv_version(found: Any) -> str | None:
    """The version behind an arXiv identifier: "v2" of "http://arxiv.org/abs/2104.12255v2"."""
    hits = (_VERSION.search(value) and _ARXIV_VERSION.search(value) for value in strings(found))
    return next((hit[1].lower() for hit in hits if hit), None)


def pmcid(found: Any) -> str | None:
    """The form "PMC123456", from that, from a link to it, or from its number."""
    value = first(found)
    hit = (
        re.search(r"PMC0*(\d{1,9})|(?:^|/)0*(\d{1,9})/?$", value.strip(), re.IGNORECASE)
        if value
        else None
    )
    return f"PMC{hit[1] or hit[2]}" if hit else None


_PMID = late_pattern(r"(?:^|[^\dC])0*(\d{1,9})/?$")


def pmid(found: Any) -> str | None:
    """A PubMed identifier: the number, "MEDLINE:37689792", "pmid:37689792", or a link to it."""
    value = first(found)
    hit = _PMID.search(value.strip()) if value else None
    return hit[1] if hit else None


def lccn(found: Any) -> str | None:
    """A Library of Congress Control Number as www.loc.gov/marc/lccn-namespace.html has it."""
    value = first(found)
    bare = "".join(value.partition("/")[0].split()).lower() if value else ""
    prefix, hyphen, serial = bare.partition("-")
    bare = prefix + serial.zfill(6) if hyphen else bare
    return bare if re.fullmatch(r"[a-z]{0,3}\d{8,10}", bare) else None


_OCLC = late_pattern(r"(?:\(OCoLC\)\s*+(?:oc[mn]|on)?|oc[mn]|on|OCLC:)\s*+(\d+)", re.IGNORECASE)


def oclc(found: Any) -> str | None:
    """The number of the first "(OCoLC)ocm01234567", "ocn123456789" or "OCLC:1234567"."""
    for value in (found,) if type(found) is str else strings(found):
        hit = _OCLC.fullmatch(value.strip())
        if hit:
            return hit[1].lstrip("0") or "0"
    return None


def last_segment(found: Any) -> str | None:
    """What follows the last slash: the identifier in "https://openalex.org/W123"."""
    value = first(found)
    return (value.rstrip("/").rpartition("/")[2].strip() or None) if value else None


def identifier(found: Any) -> str | None:
    """An identifier as it stands, white space removed."""
    value = first(found)
    return "".join(value.split()) or None if value else None
