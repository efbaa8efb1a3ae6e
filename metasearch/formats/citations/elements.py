"""What citations of all styles are made of: names, edition, date, pages, publisher and address of a
work, each as plain text on one line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from urllib.parse import urlsplit

from metasearch.bib import isbd
from metasearch.bib.normalise import is_cjk
from metasearch.formats.reading.worktypes import IN_JOURNALS
from metasearch.formats.reference import (
    IN_BOOKS,
    date_parts,
    doi_url,
    four_digits,
    full_title,
    general_type,
    page_ranges,
)
from metasearch.formats.text import line, web_url
from metasearch.record import Author, Record

# Names of people and bodies, as the parts of which Western styles make them.

#: A given name or an initial, with the hyphen before it.
_GIVEN = re.compile(r"([-\u2010]?)([^\s.,\-\u2010]+)")
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
#: More letters without a blank are a name in capitals: "JA" is two initials, "JANE" is not.
_MOST_INITIALS = 3


@dataclass(frozen=True, slots=True)
class Initials:
    """How a style prints initials: "J. A.", "J.A." or "JA"; `hyphen` is of double names."""

    stop: str
    blank: str
    hyphen: str

    def of(self, given: str, family: str) -> str:
        """The initials of given names; words without a capital ("van") stay as they are. `family`:
        the family name; capitals in it say that "JA" may be a name in capitals.
        """
        words = _GIVEN.findall(given)
        text = ""
        for number, (hyphen, word) in enumerate(words):
            is_particle = number > 0 and not hyphen and word[0].islower()
            if is_particle:
                text += f" {word}"
                continue
            are_initials = word.isupper() and len(word) <= _MOST_INITIALS and not family.isupper()
            letters = list(word) if are_initials else [word[0].upper()]
            between = self.hyphen if hyphen else self.blank
            text += between if number else ""
            text += self.blank.join(f"{letter}{self.stop}" for letter in letters)
        return text


@dataclass(frozen=True, slots=True)
class Name:
    """A name in its parts; `initials` and `suffix` may be "".

    Attributes:
        family: The family name, or the whole name of a body or of a person whose name no source
            has divided.
        initials: Of the given names, as the style prints them.
        suffix: "Jr.", "III".
    """

    family: str
    initials: str = ""
    suffix: str = ""

    @property
    def family_first(self) -> str:
        """ "Smith, J. A., Jr." """
        return ", ".join(filter(None, (self.family, self.initials, self.suffix)))

    @property
    def in_order(self) -> str:
        """ "J. A. Smith Jr." """
        return " ".join(filter(None, (self.initials, self.family, self.suffix)))


def name_of(author: Author, how: Initials) -> Name:
    """The parts of a name; one in CJK characters is closed up, family name first."""
    family, given, whole = line(author.family), line(author.given), line(author.name)
    if any(map(is_cjk, family or whole)):
        return Name(f"{family}{given}" if family else "".join(whole.split()))
    if not family:
        return Name(whole)
    before, _, last = given.rpartition(" ")
    if not author.suffix and before and last.rstrip(".").lower() in _SUFFIXES:
        return Name(family, how.of(before, family), last)
    return Name(family, how.of(given, family), line(author.suffix))


MONTHS = (
    "January February March April May June July August September October November December".split()
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
)
_EDITION = re.compile(
    r"(?:第\s*)?(\d{1,3})\s*(?:版|st|nd|rd|th)?\.?\s*(?:ed(?:ition|n)?\.?|版)?", re.IGNORECASE
)
_HAN_DIGITS = "一二三四五六七八九十"
_ARTICLE_NUMBER = re.compile(r"[eE]\d+|\d{5,}")
#: What needs no full stop behind it.
_ENDS = tuple(".?!。？！")

_IN_VOLUMES = {*IN_JOURNALS} | IN_BOOKS | {"book", "proceedings", "journal", "report", "other"}


class CitedWork:
    """A record, as the writers of citations ask about it.

    Attributes:
        kind: One of `metasearch.record.TYPES`; "article" for an untyped record that looks like one.
        title: With its subtitle, without a full stop.
        place: Of publication; "" where it is not known.
        publisher: Without the place; of a thesis or a report, the body that granted or issued the
            work.
        date: Year, month and day in digits, "" for what is not known.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.kind = general_type(record)
        self.title = full_title(record)
        self.venue = line(record.venue)
        # Of a preprint or a dataset, a database's own number stands there: "abs/2301.00012".
        self.volume = line(record.volume) if self.kind in _IN_VOLUMES else ""
        self.issue = line(record.issue)
        self.place, publisher = place_and_publisher(record, self.kind)
        self.publisher = publisher or line(record.institution)
        year, month, day = date_parts(record.date)
        self.year = four_digits(record.year) or year
        self.date = (self.year, month, day) if year == self.year else (self.year, "", "")
        self.doi = line(record.doi)

    @cached_property
    def shape(self) -> Literal["journal", "part", "whole"]:
        """Whether the work stands in a journal, in a book or proceedings, or by itself."""
        if self.kind in IN_JOURNALS:
            return "journal"
        return "part" if self.kind in IN_BOOKS and self.venue else "whole"

    @property
    def is_edited(self) -> bool:
        """Whether editors stand in the place of authors."""
        return not self.record.authors and self.shape == "whole" and bool(self.record.editors)

    @property
    def people(self) -> Sequence[Author]:
        """Who stands first in the entry: authors, else the editors of a whole book."""
        return self.record.editors if self.is_edited else self.record.authors

    @property
    def edition(self) -> int | str:
        return edition_of(self.record)

    @property
    def number(self) -> str:
        """Of a patent or a standard."""
        is_numbered = self.kind in ("patent", "standard")
        return line(self.record.ids.get(self.kind)) if is_numbered else ""

    @property
    def version(self) -> str:
        """Of a dataset or software, without the "v" before it."""
        if self.kind not in ("dataset", "software"):
            return ""
        return re.sub(r"^[vV](?=\d)", "", line(self.record.version))

    @property
    def arxiv(self) -> str:
        """The number of a preprint at arXiv."""
        return line(self.record.ids.get("arxiv")) if self.kind == "preprint" else ""

    @property
    def address(self) -> str:
        """The resolver's address of the DOI, else the work's own address; "" for neither."""
        return doi_url(self.record.doi) or self.own_address

    @property
    def own_address(self) -> str:
        return own_address(self.record)

    def pages(self, dash: str = "\u2013", *, short: bool = False) -> str:
        """All ranges of pages: "512–524, 530". `dash`: between the first and the last page.
        `short`: the last page has only the digits in which it differs: "512–24".
        """
        ranges = page_ranges(self.record.pages)
        shown = [(first, short_last_page(first, last) if short else last) for first, last in ranges]
        return ", ".join(dash.join(filter(None, pages)) for pages in shown)

    @property
    def pages_with_mark(self) -> str:
        """The pages with "p." before one, "pp." before several; "" for none."""
        ranges = page_ranges(self.record.pages)
        if not ranges:
            return ""
        are_several = len(ranges) > 1 or any(last for _, last in ranges)
        return f"{'pp.' if are_several else 'p.'} {self.pages()}"

    @property
    def imprint(self) -> str:
        """Place and publisher: "New York: Wiley"."""
        return ": ".join(filter(None, (self.place, self.publisher)))

    @property
    def article_number(self) -> str:
        """What stands in the place of pages in journals that have none: "e1001", "104829"."""
        pages = self.pages()
        return pages if _ARTICLE_NUMBER.fullmatch(pages) else ""


def place_and_publisher(record: Record, kind: str) -> tuple[str, str]:
    """The place, and the name of the publisher. Of records that no reader of files has made, the
    place may stand before a colon in the name. `kind`: its type; the institution comes first for
    theses and reports.
    """
    body = line(record.publisher)
    if kind in ("thesis", "report"):
        body = line(record.institution) or body
    place, name = isbd.place_and_publisher(body)
    known = line(record.place)
    return (known or place, name) if known in ("", place) else (known, body)


def edition_of(record: Record) -> int | str:
    """The number of the edition, else as it stands; "" for the first, which none prints."""
    given = line(record.edition)
    number = edition_number(given)
    if number is None:
        return given
    return "" if number == 1 else number


def edition_number(given: str) -> int | None:
    """The number of an edition: of "2", "2nd ed.", "第二版", "Second edition"."""
    if match := _EDITION.fullmatch(given):
        return int(match[1])
    han = given.removeprefix("第").removesuffix("版")
    if len(han) == 1 and han in _HAN_DIGITS:
        return _HAN_DIGITS.index(han) + 1
    word = given.lower().partition(" ")[0]
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else None


def ordinal(number: int) -> str:
    """ "2nd", "11th"."""
    if 10 < number % 100 < 14:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def edition(work: CitedWork, word: str) -> str:
    """ "3rd ed."; without a number as the record has it; "" for the first. `word`: "ed.", "edn"."""
    given = work.edition
    return f"{ordinal(given)} {word}" if isinstance(given, int) else given


def short_last_page(first: str, last: str) -> str:
    """The last page without the digits shared with the first: ("512", "524") -> "24"."""
    if len(first) != len(last) or not first.isdigit() or not last.isdigit():
        return last
    same = next(
        (i for i, pair in enumerate(zip(first, last, strict=True)) if len(set(pair)) > 1), 0
    )
    return last[same:]


def month(digits: str) -> str:
    """ "" where the digits are no month."""
    return MONTHS[int(digits) - 1] if digits and 1 <= int(digits) <= len(MONTHS) else ""


def with_stop(element: str) -> str:
    """The element with a full stop, unless one, "?" or "!" ends it."""
    return element if element.endswith(_ENDS) else f"{element}."


def own_address(record: Record) -> str:
    """The work's address; "" where that only leads to the DOI."""
    address = web_url(record.url) or ""
    host = (urlsplit(address).hostname or "").removeprefix("dx.")
    return "" if host == "doi.org" else address
