"""The styles that number their entries and are not Chinese: Vancouver and IEEE."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from metasearch.formats.citations.elements import (
    CitedWork,
    Initials,
    edition,
    month,
    name_of,
    with_stop,
)
from metasearch.record import Author, Record

# Vancouver style, as the International Committee of Medical Journal Editors recommends it. Citing
# Medicine, 2nd edition (https://www.ncbi.nlm.nih.gov/books/NBK7256/) and the samples of ICMJE
# (https://www.nlm.nih.gov/bsd/uniform_requirements.html). Titles of journals are not abbreviated.

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


def vancouver(record: Record, accessed: dt.date) -> str:
    """The entry of a work, on one line."""
    return _VancouverEntry(CitedWork(record), accessed).text()


class _VancouverEntry:
    def __init__(self, work: CitedWork, accessed: dt.date) -> None:
        self._work = work
        #: An address is printed where there is no DOI.
        self._address = "" if work.doi else work.own_address
        self._accessed = accessed

    def text(self) -> str:
        """All elements, each closed by a full stop, but not an address."""
        work = self._work
        names = _names(work.people)
        if names and (work.is_edited or work.kind == "patent"):
            role = "editor" if work.is_edited else "inventor"
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
        shown = [with_stop(element) for element in elements if element]
        return " ".join([*shown, f"Available from: {self._address}"] if self._address else shown)

    def _online(self, text: str, described: str | None = None) -> str:
        return f"{text} [Internet]" if text and self._address and not described else text

    def _access_day(self) -> str:
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
        source = f"{self._date()}{self._access_day()}{numbers}{f':{pages}' if pages else ''}"
        return [self._online(work.venue) if work.venue else "", source]

    def _in_book(self) -> list[str]:
        work = self._work
        editors = _names(work.record.editors)
        if editors:
            editors += ", editors" if len(work.record.editors) > 1 else ", editor"
        host = self._online(work.venue)
        first = f"In: {with_stop(editors)} {host}" if editors else f"In: {host}"
        pages = work.pages("-", short=True)
        return [first, *self._imprint(), f"p. {pages}" if pages else ""]

    def _whole(self) -> list[str]:
        work = self._work
        if work.kind == "preprint":
            return [work.venue or work.publisher, f"{self._date()}{self._access_day()}"]
        version = f"Version {work.version}" if work.version else ""
        number = f"Patent {work.number}" if work.kind == "patent" and work.number else work.number
        return [version, number, *self._imprint()]

    def _imprint(self) -> list[str]:
        work = self._work
        body = work.publisher or (work.venue if work.shape == "whole" else "")
        published = ": ".join(filter(None, (work.place, body)))
        dated = work.kind in ("patent", "webpage")
        date = self._date() if dated or not work.year else work.year
        volume = f"Vol. {work.volume}" if work.volume else ""
        last = "; ".join(filter(None, (published, f"{date}{self._access_day()}")))
        translators = _names(work.record.translators)
        if translators:
            translators += ", translators" if len(work.record.translators) > 1 else ", translator"
        return [edition(work, "ed."), translators, volume, last]


#: A generation as NLM prints it; "Jr." loses its full stop.
_GENERATIONS = {"ii": "2nd", "iii": "3rd", "iv": "4th", "v": "5th"}


def _suffix(suffix: str) -> str:
    bare = suffix.rstrip(".")
    return _GENERATIONS.get(bare.lower(), bare)


def _names(people: Sequence[Author]) -> str:
    """Up to six names, then "et al"."""
    parts = [name_of(author, _INITIALS) for author in people[:_MOST_NAMES]]
    names = [
        " ".join(filter(None, (name.family, name.initials, _suffix(name.suffix)))) for name in parts
    ]
    return ", ".join([*names, "et al"] if len(people) > _MOST_NAMES else names)


# IEEE style (IEEE Reference Guide, 2023). Titles of journals are not abbreviated.

_IEEE_INITIALS = Initials(stop=".", blank=" ", hyphen="-")
_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
#: Kinds whose titles stand without quotation marks, with a full stop before the publisher.
_BOOKS = frozenset({"book", "journal", "proceedings"})


def ieee(record: Record, accessed: dt.date) -> str:
    work = CitedWork(record)
    names = _ieee_names(work.people)
    if names and work.is_edited:
        names += ", Ed." if len(work.people) == 1 else ", Eds."
    before = f"{names}, " if names else ""
    source = ", ".join(filter(None, _source(work)))
    if work.kind == "standard":
        text = ", ".join(filter(None, (names, work.title, source)))
    elif work.kind in _BOOKS:
        title = ", ".join(filter(None, (work.title, *_of_whole(work))))
        text = " ".join(filter(None, (before + with_stop(title) if title else names, source)))
    else:
        text = f"{before}{_in_quotes(work.title, source)}"
    shown = [with_stop(text)] if text else []
    if not work.doi and work.own_address:
        day = f"{_short_month(accessed.month)} {accessed.day:02}, {accessed.year}"
        shown += [f"Accessed: {day}.", f"[Online]. Available: {work.own_address}"]
    return " ".join(shown)


def _in_quotes(title: str, source: str) -> str:
    """The title in quotation marks, which enclose the mark behind it, and what follows."""
    if not title:
        return source
    if title.endswith(("?", "!", "？", "！")):
        return f"“{title}” {source}".rstrip()
    return f"“{title},” {source}" if source else f"“{title}.”"


def _ieee_names(people: Sequence[Author]) -> str:
    """Up to six names; of more, the first and "et al."."""
    names = [name_of(author, _IEEE_INITIALS).in_order for author in people[:_MOST_NAMES]]
    if len(people) > _MOST_NAMES:
        return f"{names[0]} et al."
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _source(work: CitedWork) -> list[str]:
    """What is divided by commas behind the title; the DOI is the last."""
    doi = f"doi: {work.doi}" if work.doi else ""
    volume = f"vol. {work.volume}" if work.volume else ""
    if work.shape == "journal":
        issue = f"no. {work.issue}" if work.issue else ""
        return [work.venue, volume, issue, _pages(work), _date(work), doi]
    if work.shape == "part":
        editors = _ieee_names(work.record.editors)
        if editors:
            editors += ", Ed." if len(work.record.editors) == 1 else ", Eds."
        host = (f"in {work.venue}", edition(work, "ed."), volume, editors, _translators(work))
        return [*host, work.imprint, work.year, _pages(work), doi]
    if work.kind == "preprint":
        number = f"arXiv:{work.arxiv}" if work.arxiv else ""
        return [work.venue or work.publisher, number, _date(work), doi]
    dated = _date(work) if work.kind in ("patent", "webpage") else work.year
    published = "" if work.kind == "standard" else work.imprint or work.venue
    source = [published, dated, doi]
    return source if work.kind in _BOOKS else [*_of_whole(work), *source]


def _of_whole(work: CitedWork) -> list[str]:
    """What stands directly behind the title of a work that is no part of another."""
    number = f"Patent {work.number}" if work.kind == "patent" and work.number else work.number
    return [
        "thesis" if work.kind == "thesis" else "",
        f"version {work.version}" if work.version else "",
        number,
        edition(work, "ed."),
        f"vol. {work.volume}" if work.volume else "",
        _translators(work),
    ]


def _translators(work: CitedWork) -> str:
    people = _ieee_names(work.record.translators)
    return f"{people}, Trans." if people else ""


def _pages(work: CitedWork) -> str:
    number = work.article_number
    return f"Art. no. {number}" if number else work.pages_with_mark


def _date(work: CitedWork) -> str:
    """The year, with month and day where they are known: "Mar. 2021", "Jul. 19, 2016"."""
    year, month_number, day = work.date
    name = _short_month(int(month_number)) if month_number else ""
    if not name or not year:
        return year
    return f"{name} {int(day):02}, {year}" if day and work.shape == "whole" else f"{name} {year}"


def _short_month(month: int) -> str:
    return _MONTHS[month - 1] if 1 <= month <= len(_MONTHS) else ""
