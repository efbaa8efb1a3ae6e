"""GB/T 7714 in its editions of 2015 and 2025: the entry of a list in the order of citation.

The language of the work, not ours, decides on names, "等" or "et al", "版" or "ed.". Against 2015,
the edition of 2025 has full-width marks between elements, names of Western authors as they are
written, no day of access but for what is only online, PP for preprints, and the number of a
standard before its title. Neither prints a word for the editors who stand in the place of authors.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from metasearch.bib.normalise import is_han
from metasearch.formats.citations.elements import (
    edition_of,
    ordinal,
    own_address,
    place_and_publisher,
)
from metasearch.formats.reading.worktypes import IN_JOURNALS
from metasearch.formats.reference import (
    IN_BOOKS,
    date_parts,
    four_digits,
    full_title,
    general_type,
    is_corporate,
    iso_date,
    page_ranges,
)
from metasearch.formats.text import line
from metasearch.record import Author, Record

#: `Record.type` -> the letters of the type; "Z" for what the standard has none for.
_LETTERS = {
    **dict.fromkeys(IN_JOURNALS, "J"),
    "journal": "J",
    "conference-paper": "C",
    "proceedings": "C",
    "book": "M",
    "chapter": "M",
    "reference-entry": "M",
    "thesis": "D",
    "report": "R",
    "patent": "P",
    "standard": "S",
    "dataset": "DS",
    "software": "CP",
    "map": "CM",
    "webpage": "EB",
    "preprint": "PP",
}
#: Types of which both editions want the day of access.
_ONLY_ONLINE = frozenset({"PP", "DS", "EB"})
_MOST_NAMES = 3
_COLON = re.compile(r"\s*：\s*|: ")


@dataclass(frozen=True, slots=True)
class _Marks:
    """What stands between the elements of an entry."""

    comma: str
    colon: str
    left: str
    right: str


_MARKS = {2015: _Marks(", ", ": ", "(", ")"), 2025: _Marks("，", "：", "（", "）")}


def citation_2015(record: Record, accessed: dt.date) -> str:
    """The entry of a work in the edition of 2015, on one line, a full stop at its end."""
    return _GbEntry(record, 2015, accessed).text()


def citation_2025(record: Record, accessed: dt.date) -> str:
    return _GbEntry(record, 2025, accessed).text()


class _GbEntry:
    def __init__(self, record: Record, edition: int, accessed: dt.date) -> None:
        self._record = record
        self._new = edition == 2025
        self._marks = _MARKS[edition]
        self._kind = general_type(record)
        letters = _LETTERS.get(self._kind, "Z")
        self._letters = "EB" if letters == "PP" and not self._new else letters
        self._chinese = _is_chinese(record)
        self._address = own_address(record)
        self._doi = line(record.doi)
        self._online = bool(self._address or self._doi)
        self._accessed = accessed

    def text(self) -> str:
        """Each element is closed by a full stop."""
        record = self._record
        people = record.authors or (() if self._kind in IN_BOOKS else record.editors)
        number = self._standard_number()
        names = "" if number and self._new else self._names(people)
        elements = [names, self._title(number)]
        host, translators = self._host(), self._translators()
        # The translators of a part stand before the "//" of what contains it.
        if host:
            parts = filter(None, (elements.pop(), translators))
            elements.append(f"{'. '.join(parts)}{host}")
        else:
            elements.append(translators)
        elements += [*self._source(), self._address]
        if self._doi:
            last = f"DOI:{self._doi}"
            # Before the DOI, the edition of 2015 has no full stop behind an address.
            if self._address and not self._new:
                elements[-1] = f"{self._address} {last}"
            else:
                elements.append(last)
        return " ".join(_with_stop(element) for element in elements if element)

    def _names(self, people: Sequence[Author]) -> str:
        shown = [name for one in people[:_MOST_NAMES] if (name := self._name(one, people))]
        if len(people) > _MOST_NAMES:
            shown.append("等" if self._chinese else "et al")
        return self._marks.comma.join(shown)

    def _name(self, author: Author, people: Sequence[Author]) -> str:
        family, given, whole = line(author.family), line(author.given), line(author.name)
        if any(map(is_han, family or whole)):
            return f"{family}{given}" if family else "".join(whole.split())
        if not family or is_corporate(author, people):
            return whole
        initials = [part[0].upper() for part in re.split(r"[\s.\-\u2010]+", given) if part]
        # As behind initials, no full stop stands behind "Jr".
        suffix = line(author.suffix).rstrip(".")
        return " ".join([family if self._new else family.upper(), *initials, *suffix.split()])

    def _title(self, number: str) -> str:
        """The title with the number of a patent or a standard, and the letters of the type."""
        record, marks = self._record, self._marks
        title = full_title(record)
        if self._chinese:
            title = _COLON.sub(marks.colon, title)
        if number:
            title = f"{number} {title}" if self._new else f"{title}{marks.colon}{number}"
        patent = line(record.ids.get("patent")) if self._kind == "patent" else ""
        if patent:
            title = f"{title}{marks.colon}{patent}"
        online = "/OL" if self._online else ""
        return f"{title}[{self._letters}{online}]"

    def _host(self) -> str:
        """ "//" and what contains a chapter or a paper, with its editors."""
        venue = line(self._record.venue)
        if self._kind not in IN_BOOKS or not venue:
            return ""
        editors = self._names(self._record.editors)
        host = f"//{_with_stop(editors)} {venue}" if editors else f"//{venue}"
        if self._is_unpublished_paper():  # the year belongs to the conference
            return f"{host}{self._marks.comma}{self._year()}{self._pages()}"
        return host

    def _is_unpublished_paper(self) -> bool:
        """Of 2025, a paper of a conference whose proceedings name no publisher."""
        known = line(self._record.venue) and self._year()
        return (
            self._new and self._kind == "conference-paper" and bool(known) and not self._publisher()
        )

    def _source(self) -> list[str]:
        match self._letters:
            case "J" if self._kind != "journal":
                return [self._in_journal() + self._access_day()]
            case "P":
                return [(iso_date(self._record.date) or self._year()) + self._access_day()]
            case "S":
                return self._of_standard()
            case "PP" | "EB" | "DS":
                return self._of_online()
            case "R" if self._online and not self._publisher():
                return [self._date() + self._access_day()]
        return self._of_book()

    def _in_journal(self) -> str:
        record, marks = self._record, self._marks
        volume, issue = line(record.volume), line(record.issue)
        if issue:
            issue = f"{marks.left}{issue}{marks.right}"
        year = self._year()
        if not volume:
            year, issue = f"{year}{issue}", ""
        text = marks.comma.join(filter(None, (line(record.venue), year, f"{volume}{issue}")))
        return f"{text}{self._pages()}"

    def _of_standard(self) -> list[str]:
        if self._new and self._standard_number():
            return [self._access_day()]
        return [marked + self._access_day()] if (marked := self._imprint(self._year())) else []

    def _of_online(self) -> list[str]:
        """2015: "机构, 2024[seen]"; 2025: "机构（2024-07-19）[seen]", with the version before."""
        body = line(self._record.publisher or self._record.institution or self._record.venue)
        if self._kind == "preprint":
            body = line(self._record.venue or self._record.publisher)
        if self._new or not body:
            version = line(self._record.version).upper() if self._new else ""
            return [version, f"{body}{self._date(brackets=True)}{self._access_day()}"]
        return [self._marks.comma.join(filter(None, (body, self._year()))) + self._access_day()]

    def _of_book(self) -> list[str]:
        edition = self._edition()
        if self._is_unpublished_paper():
            return [edition]
        text = f"{self._imprint(self._year())}{self._pages()}{self._access_day()}"
        return [edition, text]

    def _translators(self) -> str:
        """ "李四, 译": between the title and the edition."""
        names = self._names(self._record.translators)
        word = "译" if self._chinese else "trans."
        return f"{names}{self._marks.comma}{word}" if names else ""

    def _edition(self) -> str:
        """ "2 版" or "2nd ed."; the first edition is never printed."""
        given = edition_of(self._record)
        if isinstance(given, str):
            return given
        return f"{given} 版" if self._chinese else f"{ordinal(given)} ed."

    def _publisher(self) -> str:
        """Place and publisher, or the body that granted the degree or issued the report."""
        kind = {"D": "thesis", "R": "report"}.get(self._letters, "")
        place, body = place_and_publisher(self._record, kind)
        return self._marks.colon.join(filter(None, (place, body)))

    def _imprint(self, year: str) -> str:
        return self._marks.comma.join(filter(None, (self._publisher(), year)))

    def _pages(self) -> str:
        ranges = ["-".join(filter(None, pages)) for pages in page_ranges(self._record.pages)]
        return f"{self._marks.colon}{self._marks.comma.join(ranges)}" if ranges else ""

    def _year(self) -> str:
        return four_digits(self._record.year) or date_parts(self._record.date)[0]

    def _date(self, *, brackets: bool = False) -> str:
        """The date of publication, in brackets in 2015 and wherever they are asked for."""
        date = iso_date(self._record.date) or self._year()
        if not date or (self._new and not brackets):
            return date
        return f"{self._marks.left}{date}{self._marks.right}"

    def _access_day(self) -> str:
        """The day of access, of all that is online in 2015, else of what is only there."""
        if not self._online or (self._new and self._letters not in _ONLY_ONLINE):
            return ""
        return f"[{self._accessed.isoformat()}]"

    def _standard_number(self) -> str:
        return line(self._record.ids.get("standard")) if self._kind == "standard" else ""


def _is_chinese(record: Record) -> bool:
    """By the language that the record names, else by its title; a name says nothing of it."""
    language = line(record.language).partition("-")[0]
    if language:
        return language in ("zh", "chi", "zho", "chinese")
    return any(map(is_han, line(record.title)))


def _with_stop(element: str) -> str:
    return element if element.endswith(".") else f"{element}."
