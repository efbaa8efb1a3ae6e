"""The links around a list: pages, sizes, orders, other formats."""

from __future__ import annotations

from dataclasses import replace

from metasearch.engine.facets import SORTS
from metasearch.engine.options import LAST_PLACE
from metasearch.events import Counts, NextPage, Paging
from metasearch.formats import WRITABLE
from metasearch.server.pages.results import (
    deeper,
    exports,
    page_numbers,
    size_links,
    sort_links,
)
from metasearch.server.visit import SIZES
from tests.cases import each
from tests.server.fake import answer, hit, report


def address(**changes):
    """Parameters as a text; those that are dropped with a minus."""
    return " ".join(
        f"-{name}" if value is None else f"{name}={value}" for name, value in changes.items()
    )


def listed(works: int, start: int = 0, shown: int = 20, following: int | None = None):
    """A page of a list with so many works; it goes on at `following`."""
    paging = Paging(start, 20, NextPage(following, 20) if following is not None else None)
    hits = [hit(number) for number in range(start + 1, start + shown + 1)]
    return replace(answer(*hits), counts=Counts(works, works, works), paging=paging)


def numbers(links) -> list[str]:
    """The page numbers as a reader sees them; the one without an address is in brackets."""
    return [
        "…" if link is None else link.text if link.address else f"[{link.text}]"
        for link in links.numbers
    ]


def test_a_list_of_one_page_has_no_numbers():
    """Nor has an empty one."""
    assert page_numbers(listed(20), 20, address) is None
    assert page_numbers(listed(0, shown=0), 20, address) is None


@each(
    ("works", "start", "expected"),
    [
        (21, 0, ["[1]", "2"]),
        (40, 20, ["1", "[2]"]),
        (200, 0, ["[1]", "2", "3", "…", "10"]),
        (200, 80, ["1", "…", "3", "4", "[5]", "6", "7", "…", "10"]),
        (200, 180, ["1", "…", "8", "9", "[10]"]),
        (200, 40, ["1", "2", "[3]", "4", "5", "…", "10"]),
        (10_000, 5_000, ["1", "…", "249", "250", "[251]", "252", "253", "…", "500"]),
    ],
)
def test_numbers(works, start, expected):
    """The first, the last, and those around this one."""
    shown = min(20, works - start)
    following = start + 20 if works > start + 20 else None
    links = page_numbers(listed(works, start, shown, following), 20, address)

    assert numbers(links) == expected
    assert links.ends


def test_the_addresses_of_pages():
    """Each says where it starts; the first says nothing."""
    links = page_numbers(listed(60, 20, 20, 40), 20, address)

    assert [link.address for link in links.numbers] == ["-start", "", "start=40"]
    assert (links.before, links.after) == ("-start", "start=40")


def test_a_list_that_goes_on_beyond_what_was_received():
    """Has a next page, and no last number."""
    links = page_numbers(listed(20, 0, 20, 20), 20, address)

    assert numbers(links) == ["[1]"]
    assert (links.before, links.after, links.ends) == ("", "start=20", False)


def test_a_page_that_begins_between_two():
    """Another program chose where to start: the page is none of the numbers, all are links."""
    links = page_numbers(listed(60, 30, 20, 50), 20, address)

    assert numbers(links) == ["1", "2", "3"]
    assert (links.before, links.after) == ("start=10", "start=50")


@each("start", [60, 500, LAST_PLACE - 20])
def test_a_page_beyond_the_end(start):
    """It has the way back, and a bounded number of links."""
    links = page_numbers(listed(40, start, 0), 20, address)

    assert len(links.numbers) <= 9
    assert links.before == f"start={start - 20}"
    assert links.after == ""


def test_sizes():
    """Each is the same list from its beginning; the one that holds is no link."""
    links = size_links(50, address)

    assert [(link.text, link.address) for link in links] == [
        ("20", "count=20 -start"),
        ("50", ""),
        ("100", "count=100 -start"),
    ]
    assert [int(link.text) for link in links] == list(SIZES)
    assert all(link.address for link in size_links(7, address))


def test_orders():
    """The usual one has no parameter; the one that holds is no link."""
    links = sort_links("date", address)

    assert [(link.text, link.address) for link in links] == [
        ("best match", "-sort -start"),
        ("newest", ""),
        ("most cited", "sort=citations -start"),
        ("title", "sort=title -start"),
    ]


@each("sort", SORTS)
def test_the_order_that_holds_is_always_shown(sort):
    """Also one that the page does not offer."""
    links = sort_links(sort, address)

    assert [bool(link.address) for link in links].count(False) == 1
    assert len({link.text for link in links}) == len(links)


def test_other_formats():
    """Of the whole list, with the type of what is sent."""
    links = exports(address)

    assert [link.address for link in links] == [
        f"format={name} -start -count" for name in ("ris", "bibtex", "csv", "json", "atom")
    ]
    assert {link.media_type for link in links} <= {
        format_.media_type for format_ in WRITABLE.values()
    }


@each(("received", "expected"), [(20, "100"), (50, "100"), (51, "500"), (251, "1000"), (501, None)])
def test_a_longer_list(received, expected):
    """At least twice as many records of each source, up to the most that can be asked for."""
    ended = answer(hit(), reports=[report("alpha", more=True, count=received)])
    link = deeper(ended, address)

    assert (link.text if link else None) == expected
    if link:
        assert link.address == f"-start per_source={expected}"


def test_no_longer_list_where_the_sources_have_no_more():
    """Nobody is sent to ask in vain."""
    assert deeper(answer(hit(), reports=[report("alpha", count=20)]), address) is None
