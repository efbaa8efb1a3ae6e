"""Where in its host a work stands, read from a citation such as MARC 773 $g: "Vol. 12, no. 3 (2019), p. 123-145".

Cataloguing rules leave the form free; labels of the common cataloguing languages are understood, and the two short
forms "12(2010)3, 45-60" and "18:3". What has no label and neither form is left alone rather than guessed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_NUMBER = r"[:.\s]*(\d+[A-Za-z]?(?:\s?[-/\u2013]\s?\d+)?)(?![\d-])"
_VOLUME = re.compile(rf"\b(?:volume|vol|v|band|bd|jahrgang|jg|tome|tom|t|årg|том|т){_NUMBER}", re.IGNORECASE)
_ISSUE = re.compile(rf"\b(?:number|num|no|nr|issue|iss|heft|h|fasc|numéro|n[º°o]?|№){_NUMBER}", re.IGNORECASE)
#: "Vol.389(10086)", but not "Vol. 12 (2019)"
_ISSUE_BEHIND = re.compile(r"\s?\((?!(?:1[5-9]|20)\d\d\))(\d{1,5}(?:[-/\u2013]\d{1,5})?)\)")
_PAGES = re.compile(
    r"\b(?:pages?|pp?|seiten?|s|с)[:.\s]*([A-Za-z]?\d+[A-Za-z]?(?:\s?[-\u2010-\u2015]\s?[A-Za-z]?\d+)?)", re.IGNORECASE
)
_SHORT = re.compile(
    r"(?:^|[,;]\s?)(?:(\d{1,4})\s?\(\d{4}\)\s?(\d{1,4})?(?!\d)|(\d{1,4})\s?\((\d{1,3})\)|(\d{1,4}):(\d{1,4})\b)"
)
_SHORT_PAGES = re.compile(r",\s*([A-Za-z]?\d+\s?[-\u2010-\u2015]\s?[A-Za-z]?\d+)\.?\s*$")


class Part(NamedTuple):
    """Volume, issue and pages as printed; None where the citation does not say."""

    volume: str | None
    issue: str | None
    pages: str | None


@lru_cache(maxsize=256)
def part(text: str) -> Part:
    """What a citation says; asked three times for each, once a field."""
    volume, issue, pages = _VOLUME.search(text), _ISSUE.search(text), _PAGES.search(text) or _SHORT_PAGES.search(text)
    short = None if volume else _SHORT.search(text)
    if volume and not issue:
        issue = _ISSUE_BEHIND.match(text, volume.end())
    return Part(
        volume[1] if volume else next((g for g in (short[1], short[3], short[5]) if g), None) if short else None,
        issue[1] if issue else next((g for g in (short[2], short[4], short[6]) if g), None) if short else None,
        "".join(pages[1].split()) if pages else None,
    )
