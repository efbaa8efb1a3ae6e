"""Harvard style, as "Cite Them Right" has it (Pears and Shields, 11th edition, 2019)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from metasearch.formats.citations.elements import Work, edition, ended, month
from metasearch.formats.citations.people import Initials, name_of
from metasearch.record import Author, Record

_INITIALS = Initials(stop=".", blank="", hyphen="-")
_MOST_NAMES = 3
#: What stands behind a title.
_DESCRIBED = {
    "audio": "[Audio]",
    "dataset": "[Dataset]",
    "map": "[Map]",
    "software": "[Computer program]",
    "video": "[Video]",
}


def citation(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line, a full stop at its end."""
    work = Work(record)
    names = _names(work.people)
    if names and work.edited:
        names += " (ed.)" if len(work.people) == 1 else " (eds)"
    title = f"‘{work.title}’" if work.title and _is_quoted(work) else work.title
    year = f"({work.year or 'no date'})"
    # Without a name, the title comes before the year, and no comma follows.
    first = [names, year, title] if names else [title, year]
    begin = " ".join(filter(None, (*first, _DESCRIBED.get(work.kind))))
    source = [element for element in _source(work) if element]
    if source and title and _is_quoted(work):
        begin = f"{begin}{',' if names else ''} {source.pop(0)}"
    elements = filter(None, (begin, *source, _available(work, accessed)))
    return " ".join(map(ended, elements))


def _is_quoted(work: Work) -> bool:
    """Whether the title is that of a part: italics, which text has not, mark the others."""
    return work.shape != "whole" or work.kind == "preprint"


def _names(people: Sequence[Author]) -> str:
    """Up to three names; of more, the first and "et al."."""
    names = [name_of(author, _INITIALS).inverted for author in people[:_MOST_NAMES]]
    return _joined(names, len(people))


def _in_order(people: Sequence[Author]) -> str:
    names = [name_of(author, _INITIALS).in_order for author in people[:_MOST_NAMES]]
    return _joined(names, len(people))


def _joined(names: list[str], count: int) -> str:
    if count > _MOST_NAMES:
        return f"{names[0]} et al."
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _source(work: Work) -> list[str]:
    if work.shape == "journal":
        issue = f"({work.issue})" if work.issue else ""
        return [", ".join(filter(None, (work.venue, f"{work.volume}{issue}", _pages(work))))]
    if work.shape == "part":
        return _in_book(work)
    if work.kind == "preprint":
        return [f"{work.venue or work.publisher} [Preprint]".strip()]
    number = f"Patent no. {work.number}" if work.kind == "patent" and work.number else work.number
    return [
        "Thesis" if work.kind == "thesis" else "",
        f"Version {work.version}" if work.version else "",
        number,
        edition(work, "edn"),
        f"Volume {work.volume}" if work.volume else "",
        work.published or work.venue,
    ]


def _in_book(work: Work) -> list[str]:
    editors = _in_order(work.record.editors)
    if editors:
        editors += " (ed.) " if len(work.record.editors) == 1 else " (eds) "
    last = ", ".join(filter(None, (work.published, _pages(work))))
    volume = f"Volume {work.volume}" if work.volume else ""
    return [f"in {editors}{work.venue}", edition(work, "edn"), volume, last]


def _pages(work: Work) -> str:
    return work.article_number or work.marked_pages


def _available(work: Work, accessed: dt.date) -> str:
    if not work.address:
        return ""
    day = f"{accessed.day} {month(f'{accessed.month}')} {accessed.year}"
    seen = "" if work.doi else f" (Accessed: {day})"
    return f"Available at: {work.address}{seen}"
