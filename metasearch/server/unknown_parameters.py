"""Unknown parameters: those that have a known meaning in other programs are refused, with the
right one named.

A client that sends `page=2` or `order=date` would take the first page by relevance for the one
that it requested. Other parameters (`utm_source`, a time stamp against caches) are ignored, and
named in the notes of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metasearch.formats.text import line
from metasearch.message import message, message_n

_START = message(
    "is no parameter here; start=N skips N hits, so the second page of 20 is start=20&count=20"
)
_COUNT = message("is no parameter here; count=N returns at most N hits")
_ORDER = message(
    "is no parameter here; sort=date (or -date, title, citations, first-seen) orders the list"
)
_FACETS = message(
    "is no parameter here; facets=NAME,... counts the works by year, type, source and others"
)
_FILTER = message("is no parameter here; filter=NAME:VALUE,... shows the works with these values")
_YEARS = message("is no parameter here; year=2019-2024 (or 2019-, -2024) limits the years")
_SOURCES = message("is no parameter here; sources=NAME,... says which databases are asked")
#: Name in small letters, without "_" and "-" -> why it is refused.
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("page", "pageno", "pagenumber", "pagenum", "startpage", "offset", "skip", "cursor"), _START
    ),
    **dict.fromkeys(
        ("startindex", "startrecord", "retstart", "firstrecord", "pageindex", "currentpage"), _START
    ),
    **dict.fromkeys(
        ("rows", "size", "limit", "perpage", "pagesize", "pagelength", "num", "hits"), _COUNT
    ),
    **dict.fromkeys(
        ("maxresults", "maximumrecords", "retmax", "resultsperpage", "hitsperpage", "top"), _COUNT
    ),
    **dict.fromkeys(("sortby", "sortorder", "sortkeys", "order", "orderby"), _ORDER),
    **dict.fromkeys(("facet", "facetfield", "facetfields", "facetby"), _FACETS),
    **dict.fromkeys(("filters", "filterby", "filterquery", "fq"), _FILTER),
    **dict.fromkeys(
        ("years", "fromyear", "toyear", "yearfrom", "yearto", "since", "until"), _YEARS
    ),
    **dict.fromkeys(("daterange", "timerange", "mindate", "maxdate", "publicationyear"), _YEARS),
    **dict.fromkeys(("source", "database", "databases", "engine", "engines"), _SOURCES),
}
#: Names that a note contains, and characters of each.
_NAMED, _LONGEST = 5, 40


def refused(name: str) -> str | None:
    """Why a parameter of this name is refused, and which one to use; None if it is harmless."""
    return (
        _REASONS.get(name.replace("_", "").replace("-", "").lower())
        if len(name) <= _LONGEST
        else None
    )


def not_used(names: Iterable[str]) -> str:
    """The note that names the ignored parameters."""
    shown: list[str] = [
        repr(text if len(text := line(name)) <= _LONGEST else text[: _LONGEST - 1] + "…")
        for name in names
    ]
    named: str = ", ".join(shown[:_NAMED])
    if len(shown) > _NAMED:
        named = message("{words} and {number} more", words=named, number=len(shown) - _NAMED)
    return message_n(
        "{names} is no parameter of a search and changed nothing",
        "{names} are no parameters of a search and changed nothing",
        len(shown),
        names=named,
    )
