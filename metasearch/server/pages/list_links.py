"""The links around a list: its order, its pages, their size, and the list in other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metasearch.engine.pages import held_back
from metasearch.events import Answer
from metasearch.formats import WRITABLE
from metasearch.server.pages.terms import SORT_WORDS
from metasearch.server.preferences import SIZES

#: Formats that the page links to, with the words of the link.
EXPORTS = (
    ("ris", "RIS"),
    ("bibtex", "BibTeX"),
    ("csv", "CSV"),
    ("json", "JSON"),
    ("atom", "Atom"),
)
#: Orders that the page offers; another one that holds is shown, too.
_SORTS = ("relevance", "date", "citations", "title")
#: Pages that are linked to on each side of this one.
_AROUND = 2

#: Parameters that change -> the local address of the same search with them; None drops one.
Address = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Link:
    """A link that the page offers.

    Attributes:
        text: To be translated, where it is no number and no name.
        address: "" where it is what is shown now.
        media_type: Of the target; "" for a page.
    """

    text: str
    address: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Pages:
    """The links to the pages of the list.

    Attributes:
        numbers: Each with the number as its text; None where some are left out.
        before, after: Addresses of the pages beside this one; "" for none.
        ends: Whether the list is known to end with the last number.
    """

    numbers: Sequence[Link | None]
    before: str
    after: str
    ends: bool


def sort_links(sort: str, address: Address) -> list[Link]:
    """The orders; the one that holds has no address."""
    offered = _SORTS if sort in _SORTS else (*_SORTS, sort)
    words: Mapping[Any, str] = SORT_WORDS
    return [
        Link(
            words[name],
            "" if name == sort else address(sort=None if name == "relevance" else name, start=None),
        )
        for name in offered
    ]


def size_links(size: int, address: Address) -> list[Link]:
    """The sizes of a page; the one that holds has no address."""
    return [
        Link(str(each), "" if each == size else address(count=each, start=None)) for each in SIZES
    ]


def exports(address: Address) -> list[Link]:
    """The whole list in other formats."""
    return [
        Link(text, address(format=name, start=None, count=None), WRITABLE[name].media_type)
        for name, text in EXPORTS
    ]


def pages(answer: Answer, size: int, address: Address) -> Pages | None:
    """The links to the pages; None for a list of one page."""
    start = answer.paging.start
    here, behind = start // size, bool(start % size)
    known = max(answer.passing, start + len(answer.hits))
    last = max(here, -(-known // size) - 1)
    goes_on = answer.paging.next is not None and answer.paging.next.start >= known
    if last == 0 and not goes_on and not start:
        return None

    def page_address(number: int) -> str:
        return address(start=number * size or None)

    shown = sorted({0, last, *range(max(0, here - _AROUND), min(last, here + _AROUND) + 1)})
    numbers: list[Link | None] = []
    for place, number in enumerate(shown):
        if place and number > shown[place - 1] + 1:
            numbers.append(None)
        is_here = number == here and not behind
        numbers.append(Link(str(number + 1), "" if is_here else page_address(number)))
    following = answer.paging.next
    return Pages(
        numbers,
        address(start=max(0, start - size) or None) if start else "",
        address(start=following.start) if following is not None else "",
        not goes_on,
    )


def deeper(answer: Answer, address: Address) -> Link | None:
    """The link to a longer list; None where no source has more, or no more can be asked for."""
    if not held_back(answer):
        return None
    received = max(report.count + report.filtered + report.unread for report in answer.sources)
    number = next((number for number in (100, 500, 1000) if number >= 2 * received), None)
    return Link(str(number), address(start=None, per_source=number)) if number else None
