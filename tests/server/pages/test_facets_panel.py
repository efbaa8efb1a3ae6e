"""Filters and facets on the result page: chips, links that narrow, and the order in the form."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from metasearch.engine.facets import (
    FACETS,
    MOST_CHARACTERS,
    MOST_FILTERS,
    SORTS,
    FacetCounts,
    parse_filters,
)
from metasearch.events import Totals
from metasearch.formats.text import clean
from metasearch.language import language
from metasearch.record import Author
from metasearch.server.pages.environment import FACET_HEADINGS, SORT_WORDS
from metasearch.server.pages.facets_panel import (
    HEIGHT,
    MOST_YEARS,
    PAGE_FACETS,
    WIDTH,
    Histogram,
    PanelMaker,
)
from tests import cases
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
        group.findtext("summary"): [
            " ".join(" ".join(item.itertext()).split())
            for item in group.xpath(".//label[@class='tick'] | .//p")
        ]
        for group in shown.xpath("//form[@id='filters']/details[fieldset]")
    }


def sent(shown, tick=(), untick=(), **typed) -> dict[str, list[str]]:
    """What a browser sends when the form of the filters is submitted, after some boxes were
    changed and some fields were typed.
    """
    pairs: dict[str, list[str]] = {}
    for field in shown.xpath("//form[@id='filters']//input[not(@disabled)]"):
        name, value = field.get("name"), field.get("value", "on")
        ticked = field.get("checked") is not None and value not in untick
        if field.get("type") == "checkbox" and not ticked and value not in tick:
            continue
        pairs.setdefault(name, []).append(typed.get(name, value))
    return pairs


def histogram(*years: int, filters: str = "") -> Histogram:
    """The histogram of works of these years."""
    works = [hit(number, year=year) for number, year in enumerate(years, 1)]
    facets = FacetCounts(["year"], 10).count(works)
    maker = PanelMaker(
        parse_filters(filters).filters, lambda written: written, lambda name: name, language("en")
    )
    drawn = maker.panel(facets, {}).years
    assert drawn is not None
    return drawn


def test_every_facet_and_every_order_has_its_words():
    """A new one cannot be forgotten."""
    assert set(FACET_HEADINGS) == set(FACETS)
    assert set(PAGE_FACETS) < set(FACETS)
    assert set(SORT_WORDS) == set(SORTS)


def test_values_with_their_counts():
    """Each is a box, with the filter that it stands for and the words for screen readers."""
    shown = tree(given_(*WORKS), labels={"alpha": "Alpha Index"})

    assert groups(shown) == {
        "Found in": ["Alpha Index 3 works", "beta 3 works"],
        "Type": ["article 2 works", "conference paper 1 work"],
        "Open access": ["yes 1 work"],
        "Language": ["English 1 work"],
        "Published in": ["Journal of Islands 3 works"],
    }
    assert shown.xpath("//input[@name='filter']/@value")[:3] == [
        "source:alpha",
        "source:beta",
        "type:article",
    ]


def test_the_form_repeats_the_search():
    """All of its parameters but the filters, which have boxes, and the place in the list."""
    shown = tree(given_(*WORKS), start=20, count=50, sort="date")

    assert sent(shown) == {
        "q": ["gene drive"],
        "count": ["50"],
        "sort": ["date"],
        "format": ["html"],
        "from": [""],
        "to": [""],
    }


def test_filters_that_hold_are_ticked_and_are_chips():
    """Each link is the same search without it; what has no box stays in the form, hidden."""
    filters = "-retracted:yes,subject:mice,type:Article,year:2018-2020"
    shown = tree(given_(*WORKS, filters=filters), filter=filters, sort="date", start=20)
    chips = shown.xpath("//*[@class='chips']/a[@class='chip']")

    assert [" ".join(chip.text_content().split()) for chip in chips] == [
        "Remove the filter not Retracted: yes",
        "Remove the filter Subject: mice",
        "Remove the filter Type: Article",
        "Remove the filter Year: 2018-2020",
    ]
    assert [asked(chip.get("href")) for chip in chips] == [
        {"q": "gene drive", "sort": "date", "format": "html", "filter": rest}
        for rest in (
            "subject:mice,type:Article,year:2018-2020",
            "-retracted:yes,type:Article,year:2018-2020",
            "-retracted:yes,subject:mice,year:2018-2020",
            "-retracted:yes,subject:mice,type:Article",
        )
    ]
    assert shown.xpath("//input[@checked]/@value") == ["type:article"]
    assert sent(shown) == {
        "q": ["gene drive"],
        "sort": ["date"],
        "format": ["html"],
        "filter": ["-retracted:yes", "subject:mice", "type:article"],
        "from": ["2018"],
        "to": ["2020"],
    }


def test_a_box_that_is_unticked_removes_its_filter():
    """However the filter was spelt."""
    for written in ("type:article", "type:Article", "source:ALPHA"):
        shown = tree(given_(*WORKS, filters=written), filter=written)
        (ticked,) = shown.xpath("//input[@checked]/@value")

        assert "filter" not in sent(shown, untick=[ticked])
        assert len(sent(shown)["filter"]) == 1


def test_all_filters_can_be_cleared_at_once():
    """Above the list where there are several, and in the panel."""
    one, two = (
        tree(given_(*WORKS, filters=filters), filter=filters)
        for filters in ("oa:yes", "oa:yes,type:article")
    )
    (chip,) = one.xpath("//*[@class='chips']/a")
    (clear,) = two.xpath("//*[@class='chips']/a[.='Clear all']/@href")

    assert asked(chip.get("href")) == asked(clear) == {"q": "gene drive", "format": "html"}
    assert two.xpath("//*[@class='apply scripted']/a/@href") == [clear]
    assert tree(given_(*WORKS)).xpath("//*[@class='chips'] | //*[@class='apply scripted']/a") == []


@cases.each(
    ("filters", "ends", "kept"),
    [
        ("year:2019", ("2019", "2019"), []),
        ("year:2019-", ("2019", ""), []),
        ("year:-2019", ("", "2019"), []),
        ("-year:2019", ("", ""), ["-year:2019"]),
        ("year:2018-2020,year:2021", ("", ""), ["year:2018-2020", "year:2021"]),
    ],
)
def test_the_years_that_hold(filters, ends, kept):
    """One range stands in the two fields; anything else is repeated as it is."""
    shown = tree(given_(*WORKS, filters=filters), filter=filters)
    fields = sent(shown)

    assert (fields["from"][0], fields["to"][0]) == ends
    assert fields.get("filter", []) == kept


def test_years_stay_where_there_is_no_histogram():
    """A list without a year has no fields for it."""
    works = [hit(1, year=None)]
    shown = tree(given_(*works, filters="year:2018-2020"), filter="year:2018-2020")

    assert shown.xpath("//svg[@role='img']") == []
    assert sent(shown)["filter"] == ["year:2018-2020"]


def test_groups_that_are_open():
    """Those that most readers use, and those with a box that is ticked."""
    some, more = (
        tree(given_(*WORKS, filters=filters), filter=filters)
        for filters in ("", "venue:Journal of Islands")
    )

    def opened(shown) -> list[str]:
        return shown.xpath("//details[@open]/@data-facet")

    assert opened(some) == ["year", "source", "type", "oa"]
    assert opened(more) == ["year", "source", "type", "oa", "venue"]


def test_the_panel_is_accessible():
    """Each group is named, each box has words, and the drawing has a table."""
    shown = tree(given_(*WORKS, filters="oa:yes"), filter="oa:yes")

    for fieldset in shown.xpath("//form[@id='filters']//fieldset"):
        assert fieldset.findtext("legend")
    for box in shown.xpath("//form[@id='filters']//input[@type='checkbox']"):
        assert box.xpath("string(..)").strip()
    for field in shown.xpath("//form[@id='filters']//input[@name='from' or @name='to']"):
        assert shown.xpath(f"//label[@for='{field.get('id')}']/text()")
    rows = shown.xpath("//form[@id='filters']//table//tr[td]")
    assert [row.findtext("th") for row in rows] == ["2021", "2019"]
    assert shown.xpath("//form[@id='filters']//svg/@aria-label")


def test_without_facets_there_is_nothing_to_apply():
    """No heading without values, and none at all for an empty list."""
    for shown in (tree(answer(*WORKS)), tree(given_())):
        assert groups(shown) == {}
        assert shown.xpath("//*[@class='apply scripted']") == []
    assert list(groups(tree(given_(*WORKS, facets=["oa", "retracted"])))) == ["Open access"]


def test_many_and_long_values_are_bounded():
    """Twelve values are shown, the others are counted; each is cut, but not its filter."""
    works = [hit(number, venue=f"Venue {number} {'x' * 500}") for number in range(1, 91)]
    shown = tree(given_(*works, facets=["venue"], limit=60))
    (venues,) = groups(shown).values()

    assert len(venues) == 13
    assert venues[-1] == "and 78 more values"
    assert max(map(len, venues)) < 95


def test_a_value_that_no_filter_can_have_cannot_be_ticked():
    """It is counted all the same."""
    long = "x" * MOST_CHARACTERS
    shown = tree(given_(hit(1, venue=long), facets=["venue"]))
    (box,) = shown.xpath("//input[@name='filter']")

    assert box.get("disabled") is not None
    assert sent(shown).get("filter") is None


def test_fifty_filters_are_repeated():
    """As many as a search may have."""
    full = ",".join(f"subject:s{number:02}" for number in range(MOST_FILTERS))
    shown = tree(given_(*WORKS, filters=full), filter=full)

    assert sent(shown)["filter"] == full.split(",")
    assert len(shown.xpath("//*[@class='chips']/a[@class='chip']")) == MOST_FILTERS


def test_the_histogram():
    """A bar for each year that has works, the highest of full height; years beside it are gaps."""
    drawn = histogram(2019, 2019, 2019, 2021)

    assert [(bar.year, bar.count, bar.x) for bar in drawn.bars] == [
        (2019, 3, 1),
        (2021, 1, 2 * WIDTH + 1),
    ]
    assert [bar.y + bar.height for bar in drawn.bars] == [HEIGHT, HEIGHT]
    assert drawn.bars[0].height > 2 * drawn.bars[1].height
    assert all(bar.chosen for bar in drawn.bars)
    assert drawn.width == 5 * WIDTH


def test_the_years_of_the_filter_are_marked():
    """Of those that were counted, which are all that the other filters leave."""
    drawn = histogram(2018, 2019, 2020, 2021, filters="year:2019-2020")

    assert [bar.chosen for bar in drawn.bars] == [False, True, True, False]
    assert (drawn.first, drawn.last) == ("2019", "2020")


@cases.each(
    "years",
    [
        (2021,),
        (-9_999_999, 2021),
        (1, 5_000),
        (-5, -3),
        (10**30, 2021),
        tuple(range(1, 5_000)),
        (9999, 2020, 2021, 2022),
    ],
    ids=str,
)
def test_the_histogram_is_bounded(years):
    """Whatever years a source sends: some bars, of a drawing of bounded size."""
    drawn = histogram(*years)

    assert 1 <= len(drawn.bars) <= MOST_YEARS
    assert 5 * WIDTH <= drawn.width <= MOST_YEARS * WIDTH
    for bar in drawn.bars:
        assert 0 <= bar.x < drawn.width
        assert 2 <= bar.height <= HEIGHT
        assert bar.y >= 0


def test_one_misprint_does_not_hide_the_other_years():
    """A year that has not come yet is no reason to leave out those that have."""
    drawn = histogram(9999, 2020, 2021, 2021)

    assert {2020, 2021} <= {bar.year for bar in drawn.bars}


def test_all_counts_can_be_updated():
    """Each count on the page has the name by which the updates of a running page send it."""
    shown = tree(given_(*WORKS))
    maker = PanelMaker((), lambda written: written, lambda name: name, language("en"))
    panel = maker.panel(FacetCounts(PAGE_FACETS, 10).count(WORKS), {})

    places = {place.get("data-count"): place.text for place in shown.xpath("//*[@data-count]")}

    assert places.pop("counted") == f"Counts: all {len(WORKS)} works"
    assert dict(panel.counts()) == {name: int(text) for name, text in places.items()}


@examples(1.0)
@given(hostile.filter(lambda text: text.strip()), st.sampled_from(["venue", "author", "subject"]))
def test_upstream_values_stay_in_their_place(text, name):
    """Whatever the value, the elements are the same, and its box narrows to the work, or cannot be
    ticked."""

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
    (box,) = html.document_fromstring(shown).xpath("//input[@name='filter']")

    assert [tag.replace(" disabled]", "]") for tag in skeleton.tags] == tame.tags
    if box.get("disabled") is None:
        assert parse_filters((box.get("value"),)).passes()(work)
    else:  # a page cannot hold such characters
        assert clean(text) != text


def test_the_heading_counts_what_passes():
    """And an empty list says that the filters are the reason."""
    some, none = (
        tree(given_(*WORKS, filters=filters, totals=Totals(seen, 0, None, None, False, "")))
        for filters, seen in (("type:article", 2), ("type:map", 0))
    )

    assert some.xpath("string(//h1)").startswith("2 works for")
    assert "3 works from 6 records; 2 pass the filters." in some.xpath("string(//*[@id='status'])")
    assert "None of the 3 works that were received passes the filters." in none.text_content()
    assert none.xpath("//*[@class='chips']/a")


@pytest.fixture
def engine() -> FakeEngine:
    """An engine with three works."""
    return FakeEngine(answer(*WORKS))


async def shown_at(client, address, **parameters):
    """A page as a tree."""
    response = await client.get(address, params=parameters or None)
    return html.document_fromstring(await response.text())


async def test_the_page_asks_for_facets_by_itself(client, engine):
    """Its links do not name them; those that are named are shown in their place."""
    plain = await shown_at(client, "/search?q=mice&format=html")
    named = await shown_at(client, "/search?q=mice&facets=venue&format=html")

    assert [search["facets"] for search in engine.asked] == [",".join(PAGE_FACETS), "venue"]
    assert list(groups(plain)) == ["Found in", "Type", "Open access", "Language", "Published in"]
    assert list(groups(named)) == ["Published in"]
    assert not [link for link in plain.xpath("//@href") if "facets=" in link]
    assert sent(plain).get("facets") is None
    assert sent(named)["facets"] == ["venue"]


async def test_two_fields_of_years_are_a_filter(client, engine):
    """Which the next page has as a chip and in the fields, and no longer as two parameters."""
    for ends, written in (
        ({"from": "2018", "to": "2020"}, "year:2018-2020"),
        ({"from": "2018", "to": ""}, "year:2018-"),
        ({"from": "", "to": "2020"}, "year:-2020"),
        ({"from": "2019", "to": "2019"}, "year:2019"),
        ({"from": "", "to": ""}, ""),
    ):
        shown = await shown_at(client, "/search", q="mice", format="html", **ends)
        assert (engine.asked[-1]["filter"] or "") == written
        assert not [link for link in shown.xpath("//main//@href") if "from=" in link]


@cases.each(
    "ends",
    [
        {"from": "20188"},
        {"from": "-9999999"},
        {"to": "soon"},
        {"to": "<script>"},
        {"from": "2020", "to": "2018"},
        {"from": "٢٠٢٠"},
    ],
    ids=str,
)
async def test_what_is_no_year_is_refused(client, engine, ends):
    """With a page that says so, and without a search."""
    response = await client.get("/search", params={"q": "mice", "format": "html", **ends})
    shown = html.document_fromstring(await response.text())

    assert response.status == 400
    assert engine.asked == []
    assert shown.xpath("string(//*[@role='alert'])").strip()
    assert "script" not in {element.tag for element in shown.iter()}


async def test_all_parameters_stay_in_the_form_and_in_the_links(client):
    """Applying filters searches in the same way; so do exports."""
    rest = {"sort": "-date", "rank": "positions", "filter": 'type:article,venue:"a, b"'}
    shown = await shown_at(
        client, "/search", q="mice", format="html", facet_limit="3", wait="2", **rest
    )
    fields = sent(shown)

    assert fields["sort"] == ["-date"]
    assert fields["rank"] == ["positions"]
    assert fields["facet_limit"] == ["3"]
    assert fields["wait"] == ["2"]
    assert sorted(fields["filter"]) == ["type:article", 'venue:"a, b"']
    exports = shown.xpath("//nav[@class='take']//a/@href")
    assert all(rest.items() <= asked(link).items() for link in exports)


async def test_boxes_narrow_as_they_promise():
    """In the demo: each box leads to as many works as its count says, and its chip leads back."""
    async with started(0.0, faults=False) as client:
        first = await shown_at(client, "/search?q=machine+learning&count=100&wait=30&format=html")
        boxes = first.xpath("//form[@id='filters']//input[@name='filter' and not(@disabled)]")
        assert len(boxes) > 10
        for box in boxes[::4]:
            value = box.get("value")
            count = int(box.xpath("string(../span[@class='num'])"))
            pairs = sent(first, tick=[value])
            query = [(name, each) for name, values in pairs.items() for each in values]
            response = await client.get("/search", params=query)
            shown = html.document_fromstring(await response.text())
            (back,) = shown.xpath("//*[@class='chips']/a[@class='chip']/@href")

            assert len(shown.xpath("//article")) == count
            assert shown.xpath("//form[@id='filters']//input[@checked]/@value") == [value]
            assert "filter" not in asked(back)
