"""Parameters that are none of ours: those of other programs that would mislead are refused, with
what to use here.

Whoever sends `page=2` or `sort=date` and gets the first page by relevance takes it for what was
asked for. Parameters that mislead nobody (`utm_source`, a stamp against caches) are passed over,
and named in the answer's notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metasearch.formats.text import line

_START = (
    "is no parameter here; start=N passes over N hits, so the second page of 20 is "
    "start=20&count=20"
)
_COUNT = "is no parameter here; count=N gives at most N hits"
_ORDER = "is no parameter here; a list is in order of relevance, and in no other"
_YEARS = "is no parameter here; year=2019-2024 (or 2019-, -2024) limits the years"
_SOURCES = "is no parameter here; sources=NAME,... says which databases are asked"
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
    **dict.fromkeys(("sort", "sortby", "sortorder", "sortkeys", "order", "orderby"), _ORDER),
    **dict.fromkeys(
        ("years", "fromyear", "toyear", "yearfrom", "yearto", "since", "until"), _YEARS
    ),
    **dict.fromkeys(("daterange", "timerange", "mindate", "maxdate", "publicationyear"), _YEARS),
    **dict.fromkeys(("source", "database", "databases", "engine", "engines"), _SOURCES),
}
#: Names that are told, and characters of each.
_TOLD, _LONGEST = 5, 40


def refused(name: str) -> str | None:
    """Why a parameter of this name is refused, and what to use; None where nobody is misled by
    it.
    """
    return (
        _REASONS.get(name.replace("_", "").replace("-", "").lower())
        if len(name) <= _LONGEST
        else None
    )


def not_used(names: Iterable[str]) -> str:
    """The note that names parameters which are passed over."""
    shown = [
        repr(text if len(text := line(name)) <= _LONGEST else text[: _LONGEST - 1] + "…")
        for name in names
    ]
    more = f" and {len(shown) - _TOLD} more" if len(shown) > _TOLD else ""
    are = "is no parameter" if len(shown) == 1 else "are no parameters"
    return f"{', '.join(shown[:_TOLD])}{more} {are} of a search and changed nothing"
