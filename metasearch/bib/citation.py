"""Where in its host a work stands, read from a citation such as MARC 773 $g: "Vol. 12, no. 3
(2019), p. 123-145".

Cataloguing rules leave the form free; labels of the common cataloguing languages are understood,
and the two short forms "12(2010)3, 45-60" and "18:3". What has no label and neither form is left
alone rather than guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from metasearch.late_pattern import late_pattern

_NUMBER = r"[:.\s]*(\d+[A-Za-z]?(?:\s?[-/\u2013]\s?\d+)?)(?![\d-])"
_VOLUME = late_pattern(
    rf"\b(?:volume|vol|v|band|bd|jahrgang|jg|tome|tom|t|årg|том|т){_NUMBER}", re.IGNORECASE
)
_ISSUE = late_pattern(
    rf"\b(?:number|num|no|nr|issue|iss|heft|h|fasc|numéro|n[º°o]?|№){_NUMBER}", re.IGNORECASE
)
#: "Vol.389(10086)", but not "Vol. 12 (2019)"
_ISSUE_BEHIND = late_pattern(r"\s?\((?!(?:1[5-9]|20)\d\d\))(\d{1,5}(?:[-/\u2013]\d{1,5})?)\)")
_PAGES = late_pattern(
    r"\b(?:pages?|pp?|seiten?|s|с)[:.\s]*([A-Za-z]?\d+[A-Za-z]?(?:\s?[-\u2010-\u2015]\s?[A-Za-z]?\d+)?)",
    re.IGNORECASE,
)
_SHORT = late_pattern(
    r"(?:^|[,;]\s?)(?:(\d{1,4})\s?\(\d{4}\)\s?(\d{1,4})?(?!\d)|(\d{1,4})\s?\((\d{1,3})\)|(\d{1,4}):(\d{1,4})\b)"
)
_SHORT_PAGES = late_pattern(
    r"[,;]\s*+([A-Za-z]?\d+\s?[-\u2010-\u2015]\s?[A-Za-z]?\d+)\.?\s*+(?:$|(?=;))"
)


class Part(NamedTuple):
    """Volume, issue and pages as printed; None where the citation does not say."""

    volume: str | None
    issue: str | None
    pages: str | None


def _short_pages(text: str) -> re.Match[str] | None:
    """The first range between commas or semicolons that is no ISSN: "; 45-67 ; 1234-5679"."""
    return next((hit for hit in _SHORT_PAGES.finditer(text) if not _is_issn(hit[1])), None)


def _is_issn(text: str) -> bool:
    """Whether it is one, by its check digit too: four digits, a hyphen and four may be pages."""
    if len(text) != 9 or text[4] != "-" or not (text[:4] + text[5:]).isdecimal():
        return False
    digits = map(int, text.replace("-", ""))
    return (
        sum(weight * digit for weight, digit in zip(range(8, 0, -1), digits, strict=True)) % 11 == 0
    )


#: Where the name of a host ends: before a date, a volume, an issue, pages, or a place and date in
#: brackets.
_HOST_ENDS = late_pattern(
    r",\s+(?=(?:\d{1,2}\s+)?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+|"
    r"(?:spring|summer|fall|autumn|winter),?\s+)?(?:\d{1,2},\s+)?\d{4}\b|(?:vol|volume|v|bd|jg|t|n)\b\.?\s*\d|"
    r"vol\b|issue\b|iss\b|no\b|nr\b|pp?\.|\d{1,4}\s?\(|\([^()]*\d{4}\))",
    re.IGNORECASE,
)
#: A part between semicolons that names no host: a label with a number, an ISSN, an address, a DOI.
_NO_HOST = late_pattern(
    r"e?-?issn\b|https?://|doi\b|10\.\d{4,}/|(?:volume|vol|band|bd|jahrgang|jg|tome|issue|iss|number|no|nr|pages?|pp?|"
    r"article)\b[\s.:]*[\dA-Za-z]?\d",
    re.IGNORECASE,
)
#: Letters that stand together; numbers of volumes and pages have at most one.
_WORD = late_pattern(r"[^\W\d_]{2}")
_IN = late_pattern(r"in ?: ", re.IGNORECASE)


def host(text: str) -> str | None:
    """What a citation is a part of: "The Lancet" of "In: The Lancet, June 10, 2017,
    Vol.389(10086)".

    Also where parts stand between semicolons, as in Dublin Core: "ISSN: 0140-6736 ; The Lancet ;
    389 (10086) ; 45-67".
    """
    for piece in text.split(";"):
        piece = (
            _IN.sub("", piece.strip(), count=1)
            if piece.lstrip()[:2].lower() == "in"
            else piece.strip()
        )
        if _WORD.search(piece) and not _NO_HOST.match(piece):
            return _HOST_ENDS.split(piece, maxsplit=1)[0].strip(" ,") or None
    return None


@lru_cache(maxsize=256)
def part(text: str) -> Part:
    """What a citation says; asked three times for each, once a field."""
    volume, pages = _VOLUME.search(text), _PAGES.search(text) or _short_pages(text)
    short = None if volume else _SHORT.search(text)
    # What stands in brackets behind a volume comes first: "vol. 17 (3) article n. 4".
    issue = (_ISSUE_BEHIND.match(text, volume.end()) if volume else None) or _ISSUE.search(text)
    volume_number = volume[1] if volume else None
    issue_number = issue[1] if issue else None
    if short:
        volume_number = short[1] or short[3] or short[5] or None
        issue_number = issue_number or short[2] or short[4] or short[6] or None
    return Part(volume_number, issue_number, "".join(pages[1].split()) if pages else None)
