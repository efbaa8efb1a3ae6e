"""Converters of volume, issue, pages and counts (see convert.py)."""

from __future__ import annotations

import re
from typing import Any

from metasearch import normalise
from metasearch.adapters import citation
from metasearch.adapters.found import first, strings
from metasearch.adapters.texts import joined

_HYPHEN = re.compile(r"\s*[-\u2010-\u2015]\s*")


def page_range(found: Any) -> str | None:
    """Pages as printed; two strings (first and last page) are joined."""
    values = [v.strip() for v in strings(found) if v.strip()]
    if len(values) >= 2 and values[0] != values[1]:
        return f"{values[0]}-{values[1]}"
    value = normalise.plain(values[0]) if values else ""
    return _HYPHEN.sub("-", value).strip("- ") or None


def citation_volume(found: Any) -> str | None:
    """The volume in "Vol. 12, no. 3 (2019), p. 123-145" (see citation.py)."""
    value = joined(found)
    return citation.part(value).volume if value else None


def citation_issue(found: Any) -> str | None:
    """The issue in such a citation."""
    value = joined(found)
    return citation.part(value).issue if value else None


def citation_pages(found: Any) -> str | None:
    """The pages in such a citation."""
    value = joined(found)
    return page_range(citation.part(value).pages) if value else None


def integer(found: Any) -> int | None:
    """A whole number that is not negative."""
    value = first(found)
    return int(value) if value is not None and value.strip().isdecimal() and len(value.strip()) < 16 else None
