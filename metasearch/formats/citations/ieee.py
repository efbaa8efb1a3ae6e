"""IEEE style (IEEE Reference Guide, 2023). Titles of journals are not abbreviated."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from metasearch.formats.citations.elements import Work, edition, ended
from metasearch.formats.citations.people import Initials, name_of
from metasearch.record import Author, Record

_INITIALS = Initials(stop=".", blank=" ", hyphen="-")
_MOST_NAMES = 6
_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
#: Kinds whose titles stand without quotation marks, with a full stop before the publisher.
_BOOKS = frozenset({"book", "journal", "proceedings"})


def citation(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line."""
    work = Work(record)
    names = _names(work.people)
    if names and work.edited:
        names += ", Ed." if len(work.people) == 1 else ", Eds."
    before = f"{names}, " if names else ""
    source = ", ".join(filter(None, _source(work)))
    if work.kind == "standard":
        text = ", ".join(filter(None, (names, work.title, source)))
    elif work.kind in _BOOKS:
        title = ", ".join(filter(None, (work.title, *_of_whole(work))))
        text = " ".join(filter(None, (before + ended(title) if title else names, source)))
    else:
        text = f"{before}{_quoted(work.title, source)}"
    shown = [ended(text)] if text else []
    if not work.doi and work.own_address:
        day = f"{_abbreviated(accessed.month)} {accessed.day:02}, {accessed.year}"
        shown += [f"Accessed: {day}.", f"[Online]. Available: {work.own_address}"]
    return " ".join(shown)


def _quoted(title: str, source: str) -> str:
    """The title in quotation marks, which enclose the mark behind it, and what follows."""
    if not title:
        return source
    if title.endswith(("?", "!", "？", "！")):
        return f"“{title}” {source}".rstrip()
    return f"“{title},” {source}" if source else f"“{title}.”"


def _names(people: Sequence[Author]) -> str:
    """Up to six names; of more, the first and "et al."."""
    names = [name_of(author, _INITIALS).in_order for author in people[:_MOST_NAMES]]
    if len(people) > _MOST_NAMES:
        return f"{names[0]} et al."
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _source(work: Work) -> list[str]:
    """What is divided by commas behind the title; the DOI is the last."""
    doi = f"doi: {work.doi}" if work.doi else ""
    volume = f"vol. {work.volume}" if work.volume else ""
    if work.shape == "journal":
        issue = f"no. {work.issue}" if work.issue else ""
        return [work.venue, volume, issue, _pages(work), _date(work), doi]
    if work.shape == "part":
        editors = _names(work.record.editors)
        if editors:
            editors += ", Ed." if len(work.record.editors) == 1 else ", Eds."
        host = (f"in {work.venue}", edition(work, "ed."), volume, editors)
        return [*host, work.published, work.year, _pages(work), doi]
    if work.kind == "preprint":
        number = f"arXiv:{work.arxiv}" if work.arxiv else ""
        return [work.venue or work.publisher, number, _date(work), doi]
    dated = _date(work) if work.kind in ("patent", "webpage") else work.year
    published = "" if work.kind == "standard" else work.published or work.venue
    source = [published, dated, doi]
    return source if work.kind in _BOOKS else [*_of_whole(work), *source]


def _of_whole(work: Work) -> list[str]:
    """What stands directly behind the title of a work that is no part of another."""
    number = f"Patent {work.number}" if work.kind == "patent" and work.number else work.number
    return [
        "thesis" if work.kind == "thesis" else "",
        f"version {work.version}" if work.version else "",
        number,
        edition(work, "ed."),
        f"vol. {work.volume}" if work.volume else "",
    ]


def _pages(work: Work) -> str:
    number = work.article_number
    return f"Art. no. {number}" if number else work.marked_pages


def _date(work: Work) -> str:
    """The year, with month and day where they are known: "Mar. 2021", "Jul. 19, 2016"."""
    year, month_number, day = work.date
    name = _abbreviated(int(month_number)) if month_number else ""
    if not name or not year:
        return year
    return f"{name} {int(day):02}, {year}" if day and work.shape == "whole" else f"{name} {year}"


def _abbreviated(month: int) -> str:
    return _MONTHS[month - 1] if 1 <= month <= len(_MONTHS) else ""
