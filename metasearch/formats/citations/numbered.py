"""Vancouver style, as the International Committee of Medical Journal Editors recommends it.

Citing Medicine, 2nd edition (https://www.ncbi.nlm.nih.gov/books/NBK7256/) and the samples of ICMJE
(https://www.nlm.nih.gov/bsd/uniform_requirements.html). Titles of journals are not abbreviated.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from metasearch.formats.citations.elements import Work, edition, ended, month
from metasearch.formats.citations.people import Initials, name_of
from metasearch.record import Author, Record

_INITIALS = Initials(stop="", blank="", hyphen="")
_MOST_NAMES = 6
#: What stands in brackets behind a title.
_DESCRIBED = {
    "audio": "audio recording",
    "dataset": "dataset",
    "map": "map",
    "preprint": "Preprint",
    "software": "software",
    "thesis": "thesis",
    "video": "video",
}


def citation(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line."""
    return _Entry(Work(record), accessed).text()


class _Entry:
    """One work."""

    def __init__(self, work: Work, accessed: dt.date) -> None:
        self._work = work
        #: An address is printed where there is no DOI.
        self._address = "" if work.doi else work.own_address
        self._accessed = accessed

    def text(self) -> str:
        """All elements, each closed by a full stop, but not an address."""
        work = self._work
        names = _names(work.people)
        if names and (work.edited or work.kind == "patent"):
            role = "editor" if work.edited else "inventor"
            names += f", {role}{'s' if len(work.people) > 1 else ''}"
        described = _DESCRIBED.get(work.kind)
        title = f"{work.title} [{described}]" if described else work.title
        if work.shape == "journal":
            elements = [names, title, *self._in_journal()]
        elif work.shape == "part":
            elements = [names, title, *self._in_book()]
        else:
            elements = [names, self._online(title, described), *self._whole()]
        if work.doi:
            elements.append(f"doi: {work.doi}")
        shown = [ended(element) for element in elements if element]
        return " ".join([*shown, f"Available from: {self._address}"] if self._address else shown)

    def _online(self, text: str, described: str | None = None) -> str:
        return f"{text} [Internet]" if text and self._address and not described else text

    def _seen(self) -> str:
        """The day on which it was seen, in brackets behind the date."""
        day = self._accessed
        shown = f"{day.year} {month(f'{day.month}')[:3]} {day.day}"
        return f" [cited {shown}]" if self._address else ""

    def _date(self) -> str:
        year, month_number, day = self._work.date
        if not year:
            return "[date unknown]"
        name = month(month_number)[:3]
        return " ".join(filter(None, (year, name, f"{int(day)}" if name and day else "")))

    def _in_journal(self) -> list[str]:
        work = self._work
        issue = f"({work.issue})" if work.issue else ""
        numbers = f";{work.volume}{issue}" if work.volume or issue else ""
        pages = work.pages("-", short=True)
        source = f"{self._date()}{self._seen()}{numbers}{f':{pages}' if pages else ''}"
        return [self._online(work.venue) if work.venue else "", source]

    def _in_book(self) -> list[str]:
        work = self._work
        editors = _names(work.record.editors)
        if editors:
            editors += ", editors" if len(work.record.editors) > 1 else ", editor"
        host = self._online(work.venue)
        first = f"In: {ended(editors)} {host}" if editors else f"In: {host}"
        pages = work.pages("-", short=True)
        return [first, *self._issued(), f"p. {pages}" if pages else ""]

    def _whole(self) -> list[str]:
        work = self._work
        if work.kind == "preprint":
            return [work.venue or work.publisher, f"{self._date()}{self._seen()}"]
        version = f"Version {work.version}" if work.version else ""
        number = f"Patent {work.number}" if work.kind == "patent" and work.number else work.number
        return [version, number, *self._issued()]

    def _issued(self) -> list[str]:
        """Edition, volume, place, publisher and date."""
        work = self._work
        body = work.publisher or (work.venue if work.shape == "whole" else "")
        published = ": ".join(filter(None, (work.place, body)))
        dated = work.kind in ("patent", "webpage")
        date = self._date() if dated or not work.year else work.year
        volume = f"Vol. {work.volume}" if work.volume else ""
        last = "; ".join(filter(None, (published, f"{date}{self._seen()}")))
        return [edition(work, "ed."), volume, last]


def _names(people: Sequence[Author]) -> str:
    """Up to six names, then "et al"."""
    parts = [name_of(author, _INITIALS) for author in people[:_MOST_NAMES]]
    names = [
        " ".join(filter(None, (name.family, name.initials, name.suffix.rstrip("."))))
        for name in parts
    ]
    return ", ".join([*names, "et al"] if len(people) > _MOST_NAMES else names)
