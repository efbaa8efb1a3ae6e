"""Filters and facets on the result page: chips, links that narrow, and the order in the form."""

from __future__ import annotations

import itertools
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from metasearch.server.pages.narrowing import HEADINGS, PAGE_FACETS

from metasearch.events import NextPage, Paging
from metasearch.listing.facets import FACETS, FacetCounts, filter_text
from metasearch.listing.filters import MOST_CHARACTERS, MOST_FILTERS, parse_filters
from metasearch.listing.sort import SORTS
from metasearch.record import Author
from metasearch.server.pages.page import SORT_WORDS
from tests.examples import examples
from tests.server.fake import FakeEngine, answer, hit
from tests.server.pages.test_environment import Skeleton, hostile
from tests.server.pages.test_results import page, tree
from tests.server.test_demo import started

WORKS = (
    hit(1, type="article", open_access="gold", year=2019, language="en"),
    hit(2, type="conference-paper", doi="10.5555/islands.2", title="Second", year=2021),
    hit(3, type="article", doi="10.5555/islands.3", title="Third"),
)


def given_(*works, filters="", facets=PAGE_FACETS, limit=10, **fields):
    """An answer with facets, to a search with filters."""
    counted = FacetCounts(facets, limit).count(works)
    passing = tuple(filter(parse_filters(filters).passes(), works))
    whole = replace(answer(*works), hits=passing, facets=counted, filter=filters)
    return replace(whole, **fields)


def asked(address: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(parse_qsl(urlsplit(address).query, strict_parsing=True))


def groups(shown) -> dict[str, list[str]]:
    """Heading -> the values under it with their counts."""
    return {
        heading.text: [" ".join(item.text_content().split()) for item in heading.getnext()]
        for heading in shown.xpath("//nav[@aria-label='Narrow']/h2")
    }


def test_every_facet_and_every_order_has_its_words():
    """A new one cannot be forgotten."""
    assert list(HEADINGS) == list(FACETS)
    assert set(PAGE_FACETS) < set(FACETS)
    assert list(SORT_WORDS) == list(SORTS)


def test_values_with_their_counts_and_links():
    """Each link is the same search with one filter more, from its beginning."""
    shown = tree(
        given_(*WORKS), labels={"alpha": "Alpha Index"}, start=20, count=5, filter="-oa:yes"
    )

    assert groups(shown) == {
        "Source": ["Alpha Index 3", "beta 3"],
        "Type": ["article 2", "conference paper 1"],
        "Year": ["2021 2", "2019 1"],
        "Language": ["English 1", "2 works without"],
        "Open access": ["yes 1", "2 works without"],
    }
    (link,) = shown.xpath("//nav[@aria-label='Narrow']//a[.='conference paper']/@href")
    assert asked(link) == {
        "q": "gene drive",
        "count": "5",
        "filter": "type:conference-paper",
        "format": "html",
    }


def test_filters_that_hold_are_chips():
    """Each link is the same search without it; a value that is chosen is no link."""
    filters = "-retracted:yes,type:Article,year:2018-2020"
    shown = tree(given_(*WORKS, filters=filters), filter=filters, sort="date", start=20)
    chips = shown.xpath("//nav[@aria-label='Filters']//a")

    assert [" ".join(chip.text_content().split()) for chip in chips] == [
        "Remove the filter not Retracted: yes ×",
        "Remove the filter Type: Article ×",
        "Remove the filter Year: 2018-2020 ×",
    ]
    assert [asked(chip.get("href")) for chip in chips] == [
        {"q": "gene drive", "sort": "date", "format": "html", "filter": rest}
        for rest in (
            "type:Article,year:2018-2020",
            "-retracted:yes,year:2018-2020",
            "-retracted:yes,type:Article",
        )
    ]
    assert shown.xpath("//nav[@aria-label='Narrow']//strong/text()") == ["article"]
    (link,) = shown.xpath("//nav[@aria-label='Narrow']//a[.='2021']/@href")
    assert asked(link)["filter"] == "-retracted:yes,type:Article,year:2018-2020,year:2021"


def test_chips_and_facets_are_accessible():
    """Headings without gaps, a name for each group of links, and no link without words."""
    shown = tree(given_(*WORKS, filters="oa:yes"), filter="oa:yes")
    levels = [int(heading.tag[1]) for heading in shown.xpath("//h1 | //h2 | //h3 | //h4")]
    names = shown.xpath("//nav/@aria-label")

    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    assert len(shown.xpath("//nav")) == len(names) == len(set(names))
    assert all(link.text_content().strip() for link in shown.xpath("//nav//a"))
    assert shown.xpath("//details[@class='narrow']/summary/text()") == ["Narrow"]
    assert shown.xpath("//script | //*[@style]") == []


def test_the_last_chip_removes_the_parameter():
    """An empty filter is none."""
    shown = tree(given_(*WORKS, filters="oa:yes"), filter="oa:yes")
    (link,) = shown.xpath("//nav[@aria-label='Filters']//a/@href")

    assert asked(link) == {"q": "gene drive", "format": "html"}


def test_without_facets_and_filters_there_is_nothing():
    """No heading without values, and none at all for an empty list."""
    assert tree(answer(*WORKS)).xpath("//details[@class='narrow'] | //*[@class='chips']") == []
    assert tree(given_()).xpath("//details[@class='narrow']") == []
    assert list(groups(tree(given_(*WORKS, facets=["oa", "retracted"])))) == ["Open access"]


def test_what_cannot_be_added_is_no_link():
    """Fifty filters are the most, and a filter must not be too long."""
    full = ",".join(f"year:{1900 + number}" for number in range(MOST_FILTERS))
    long = filter_text("subject", "x" * (MOST_CHARACTERS - len("subject:") - 5))
    for filters in (full, long):
        shown = tree(given_(*WORKS, filters=filters), filter=filters)

        assert groups(shown)["Type"] == ["article 2", "conference paper 1"]
        assert shown.xpath("//nav[@aria-label='Narrow']//a") == []


def test_many_and_long_values_are_bounded():
    """Fifty values are shown, the others are counted; each is cut."""
    works = [hit(number, venue=f"Venue {number} {'x' * 500}") for number in range(1, 91)]
    (venues,) = groups(tree(given_(*works, facets=["venue"], limit=60))).values()

    assert len(venues) == 51
    assert venues[-1] == "40 more values"
    assert max(map(len, venues)) < 90


@examples(1.0)
@given(hostile.filter(lambda text: text.strip()), st.sampled_from(["venue", "author", "subject"]))
def test_upstream_values_stay_in_their_place(text, name):
    """Whatever the value, the elements are the same, and its link leads to this server and narrows
    to the work."""

    def narrowed(value):
        values = {
            "venue": {"venue": value},
            "author": {"authors": (Author(value),)},
            "subject": {"subjects": (value,)},
        }[name]
        work = hit(1, **values)
        return work, page(given_(work, facets=[name]))

    work, shown = narrowed(f"a{text}b")
    skeleton, tame = Skeleton(shown), Skeleton(narrowed("ab")[1])
    links = html.document_fromstring(shown).xpath("//nav[@aria-label='Narrow']//a/@href")

    assert skeleton.tags == tame.tags
    assert len(links) == 1
    assert links[0].startswith("/search?")
    assert parse_filters(asked(links[0])["filter"]).passes()(work)


def test_the_form_has_the_order():
    """The one that holds is selected; it is not hidden in the form as well."""
    shown = tree(answer(*WORKS))

    assert shown.xpath("//form//select[@name='sort']/option/@value") == list(SORTS)
    assert shown.xpath("//select/option[@selected]/@value") == ["relevance"]
    assert shown.xpath("//label/@for") == ["q", "year", "sort"]


def test_the_summary_counts_what_passes():
    """And an empty list says that the filters are the reason."""
    some = tree(given_(*WORKS, filters="type:article"))
    none = tree(given_(*WORKS, filters="type:map"))

    assert "that pass the filters, of 3 works from 6 records" in some.findtext(
        ".//p[@class='summary']"
    )
    assert "None of the 3 works received passes the filters." in none.text_content()
    assert none.xpath("//nav[@aria-label='Filters']//a")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (0, "None of the 3 works received passes the filters; further pages may have some."),
        (20, "No work on this page passes the filters; further pages may have some."),
    ],
)
def test_an_empty_page_that_is_not_the_last_one(start, said):
    """Says so, and has the link to the next one."""
    paging = Paging(start, 20, NextPage(start + 20, 20))
    shown = tree(given_(*WORKS, filters="type:map", paging=paging), start=start, count=20)

    assert said in shown.text_content()
    (link,) = shown.xpath("//a[@rel='next']/@href")
    assert asked(link)["start"] == str(start + 20)


@pytest.fixture
def engine() -> FakeEngine:
    """An engine with three works."""
    return FakeEngine(answer(*WORKS))


async def test_the_page_asks_for_facets_by_itself(client, engine):
    """Its links do not name them; those that are named are shown in their place."""
    plain = html.document_fromstring(await (await client.get("/search?q=mice&format=html")).text())
    named = html.document_fromstring(
        await (await client.get("/search?q=mice&facets=venue&format=html")).text()
    )

    assert [search["facets"] for search in engine.asked] == [PAGE_FACETS, "venue"]
    assert list(groups(plain)) == ["Source", "Type", "Year", "Language", "Open access"]
    assert list(groups(named)) == ["Venue"]
    assert not [link for link in plain.xpath("//@href") if "facets=" in link]
    assert all("facets=venue" in link for link in named.xpath("//nav//a/@href"))


async def test_all_parameters_stay_in_the_form_and_in_the_links(client):
    """Another query from the form is filtered and sorted in the same way; so are exports."""
    rest = {"sort": "-date", "rank": "positions", "filter": 'type:article,venue:"a, b"'}
    response = await client.get(
        "/search", params={"q": "mice", "format": "html", "facet_limit": "3", **rest}
    )
    shown = html.document_fromstring(await response.text())
    hidden = {
        field.get("name"): field.get("value") for field in shown.xpath("//input[@type='hidden']")
    }

    assert hidden == {"rank": "positions", "filter": rest["filter"], "facet_limit": "3"}
    assert shown.xpath("//select/option[@selected]/@value") == ["-date"]
    exports = shown.xpath("//nav[@aria-label='Export']//a/@href")
    assert all(rest.items() <= asked(link).items() for link in exports)


async def test_a_form_about_a_mistake_keeps_the_order(client):
    """And any text in its place selects nothing."""
    for sort, selected in (("date", ["date"]), ('"><script>', [])):
        response = await client.get(
            "/search", params={"q": "(mice", "sort": sort, "format": "html"}
        )
        shown = html.document_fromstring(await response.text())

        assert response.status == 400
        assert shown.xpath("//select/option[@selected]/@value") == selected
        assert shown.xpath("//script") == []


async def test_links_narrow_as_they_promise():
    """In the demo: each link of a value leads to as many works as its count says, and back."""
    async with started(0.0, faults=False) as client:
        first = html.document_fromstring(
            await (await client.get("/search?q=machine+learning&format=html")).text()
        )
        links = first.xpath("//nav[@aria-label='Narrow']//a")
        assert len(links) > 10
        for link in links:
            count = int(link.getnext().text)
            shown = html.document_fromstring(await (await client.get(link.get("href"))).text())
            (back,) = shown.xpath("//nav[@aria-label='Filters']//a/@href")

            assert len(shown.xpath("//article")) == count
            assert asked(back) == {"q": "machine learning", "format": "html"}
