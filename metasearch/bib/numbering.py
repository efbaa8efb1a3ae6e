"""Converters of volume, issue, pages and counts (see converters.py)."""

from __future__ import annotations

import re
from typing import Any

from metasearch.bib import citation, markup
from metasearch.bib.strings import first, strings
from metasearch.bib.texts import plain
from metasearch.late_pattern import late_pattern

# Some databases write a dash as its escape, twice over.
_HYPHEN = re.compile(r"\s*(?:[-\u2010-\u2015]|\\u201[0-5])+\s*")


_PLAIN_PAGES = re.compile(r"[A-Za-z0-9.]+(?:-[A-Za-z0-9.]+)?")


def page_range(found: Any) -> str | None:
    """Pages as printed; two strings (first and last page) are joined."""
    if type(found) is str and _PLAIN_PAGES.fullmatch(found):  # as nearly all are written
        return found
    values = [v.strip() for v in strings(found) if v.strip()]
    if len(values) >= 2 and values[0] != values[1]:
        return f"{values[0]}-{values[1]}"
    value = markup.plain(values[0]) if values else ""
    return _HYPHEN.sub("-", value).strip("- ") or None


_THOUSANDS = late_pattern(r"\d{1,3}(?:,\d{3})+")
_ARTICLE_NUMBER = late_pattern(
    r"^(?:ARTN|UNSP|Art(?:icle)?\.?\s*(?:no|number)?\.?:?)\s+(?=\S)", re.IGNORECASE
)


def article_number(found: Any) -> str | None:
    """An article number without the words before it: "ARTN 15", "Article No. 15"."""
    value = page_range(found)
    return _ARTICLE_NUMBER.sub("", value) if value else None


_SIZE = late_pattern(
    r"\bSize:\s*(?:(?:pages?:?|pp?\.)\s*(?=\S+\s*(?:-|to\b)))?([A-Za-z]{0,4}\d[\w.]*(?:-\d+)?)"
    r"(?:\s*(?:-+|to)\s*([A-Za-z]{0,4}\d[\w.]*(?:-\d+)?|end of article))?\s*(?:$|;)",
    re.IGNORECASE,
)


def size_pages(found: Any) -> str | None:
    """OSTI's "Medium: X; Size: Pages 2448 to 2455" or "Size: L35"; how many are no page."""
    hit = next((hit for value in strings(found) if (hit := _SIZE.search(value))), None)
    if hit is None:
        return None
    return hit[1] if hit[2] is None or " " in hit[2] else page_range([hit[1], hit[2]])


def _citation(found: Any) -> str:
    """A citation whose parts may stand in several strings."""
    return " ; ".join(value for text in strings(found) if (value := plain(text)))


def citation_venue(found: Any) -> str | None:
    """What a citation is a part of: "The Lancet, June 10, 2017" -> "The Lancet" (citation.py)."""
    value = _citation(found)
    return citation.host(value) if value else None


def citation_volume(found: Any) -> str | None:
    """The volume in "Vol. 12, no. 3 (2019), p. 123-145" (see citation.py)."""
    value = _citation(found)
    return citation.part(value).volume if value else None


def citation_issue(found: Any) -> str | None:
    """The issue in such a citation."""
    value = _citation(found)
    return citation.part(value).issue if value else None


def citation_pages(found: Any) -> str | None:
    """The pages in such a citation."""
    value = _citation(found)
    return page_range(citation.part(value).pages) if value else None


def plain_integer(found: Any, _: int = 0) -> int | None:
    """`integer` of what is one; None of all else."""
    return found if type(found) is int and 0 <= found < 10**15 else None  # True is none


def integer(found: Any) -> int | None:
    """A whole number that is not negative: 1234, or "1,234" as people write it."""
    if (number := plain_integer(found)) is not None:
        return number
    value = first(found)
    if value is not None and "," in value and _THOUSANDS.fullmatch(value.strip()):
        value = value.replace(",", "")
    digits = (
        value.strip().removesuffix(".0") if value is not None else ""
    )  # some count in floats: 12.0
    return int(digits) if digits.isdecimal() and len(digits) < 16 else None
