"""What of a running result page is sent, and what is not sent again."""

from __future__ import annotations

from dataclasses import replace

from lxml import html

from metasearch.engine.facets import FacetCounts
from metasearch.events import Counts, NextPage, Paging
from metasearch.record import Reason
from metasearch.server.pages.facets_panel import PAGE_FACETS
from metasearch.server.pages.results import AT_ONCE, Differences, Results, mark, results_page
from tests import cases
from tests.server.fake import answer, hit, late, record, so_far, visit


def results(given_, reader=None, **parameters) -> Results:
    """What the page of an answer is made from, with its facets."""
    counted = replace(given_, facets=FacetCounts(PAGE_FACETS, 10).count(given_.hits))
    return Results(reader or visit(), counted, {}, {"q": "mice", **parameters}, 20)


def sent(differences: Differences, given_, **parameters) -> dict:
    """The events of a state as one: the cards of all, the rest of the last."""
    *cards, (name, page) = differences.events(results(given_, **parameters))
    assert name == "page"
    assert all(name == "cards" and list(data) == ["cards"] for name, data in cards)
    return {**page, "cards": [card for _, data in cards for card in data["cards"]] + page["cards"]}


def test_the_first_state_is_whole():
    """So that a reader who lost the connection needs no memory of ours."""
    state = sent(Differences(), so_far(hit(1), hit(2)))

    assert [name for name, _ in state["cards"]] == ["alpha:alpha-1", "alpha:alpha-2"]
    assert state["order"] == ["alpha:alpha-1", "alpha:alpha-2"]
    assert set(state["parts"]) == {
        "heading",
        "failures",
        "database-rows",
        "about",
        "pages",
        "nothing",
    }
    assert "facets" in state
    assert state["counts"]["source:alpha"] == "2"
    assert state["status"] == "1 of 2 databases have answered: 2 works so far."
    assert (state["answered"], state["asked"], state["start"]) == (1, 2, 0)
    assert not state["done"]


def test_a_state_that_is_the_same_is_nothing_new():
    """Only what says where the search is."""
    differences = Differences()
    sent(differences, so_far(hit(1)))
    state = sent(differences, so_far(hit(1)))

    assert (state["cards"], state["parts"], state["counts"]) == ([], {}, {})
    assert "facets" not in state
    assert state["order"] == ["alpha:alpha-1"]


def test_only_cards_that_have_changed_are_sent():
    """A new work, and one that another source has, too."""
    differences = Differences()
    first, second, third = hit(1), hit(2), hit(3)
    sent(differences, so_far(first, second))
    richer = replace(second, records=(*second.records, record("gamma", 7)))
    state = sent(differences, so_far(richer, first, third))

    assert [name for name, _ in state["cards"]] == ["alpha:alpha-2", "alpha:alpha-3"]
    assert state["order"] == ["alpha:alpha-2", "alpha:alpha-1", "alpha:alpha-3"]
    assert set(state["parts"]) == {"heading"}
    assert "gamma" in state["cards"][0][1]


def test_scores_are_sent_at_the_end_only():
    """They change with each record that comes; at the end they are right on each card."""
    differences = Differences()
    sent(differences, so_far(hit(1), hit(2)))
    moved = replace(hit(1), score=0.5, reasons=(Reason("another reason", 0.5, None),))

    assert sent(differences, so_far(moved, hit(2)))["cards"] == []
    state = sent(differences, answer(moved, hit(2)))
    assert state["done"]
    # The card of the second one has not changed since.
    assert [name for name, _ in state["cards"]] in ([], ["alpha:alpha-1"])


def test_the_last_state_amounts_to_the_page():
    """Whatever the states before: the cards that a reader has are those of the finished page."""
    differences = Differences()
    whole = answer(replace(hit(2), rank=1), replace(hit(1), rank=2), hit(3))
    cards: dict[str, str] = {}
    early = replace(hit(1), score=9.0, rank=1, reasons=(Reason("an early reason", 9.0, None),))
    for given_ in (so_far(early), so_far(early, hit(2)), whole):
        state = sent(differences, given_)
        cards |= dict(state["cards"])
    shown = html.document_fromstring(results_page(results(whole)))

    def same(text: str) -> str:
        return html.tostring(html.fragment_fromstring(text)).decode().strip()

    listed = {
        item.get("data-id"): html.tostring(item, with_tail=False).decode().strip()
        for item in shown.xpath("//ol[@id='hits']/li")
    }
    assert state["order"] == list(listed)
    assert {name: same(cards[name]) for name in listed} == listed


def test_the_last_state_is_done():
    """With the pages, and the panel as it is in the end."""
    differences = Differences()
    sent(differences, so_far(hit(1)))
    paging = Paging(0, 20, NextPage(20, 20))
    whole = replace(answer(hit(1)), counts=Counts(90, 45, 45), paging=paging)
    state = sent(differences, whole)

    assert state["done"]
    assert 'rel="next"' in state["parts"]["pages"]
    assert "45 works for" in state["parts"]["heading"]
    assert "Counts: 1 work" in " ".join(state["facets"].split())
    assert "so far" not in state["facets"]


def test_counts_that_have_changed_are_sent():
    """By the names that the page has; new values bring the whole panel."""
    differences = Differences()
    sent(differences, so_far(hit(1)))
    more = sent(differences, so_far(hit(1), hit(2)))
    other = sent(differences, so_far(hit(1), hit(2), hit(3, type="map")))

    assert more["counts"]["type:article"] == "2"
    assert more["counts"]["year:2021"] == "2"
    assert "facets" not in more
    assert other["counts"]["type:map"] == "1"
    assert "type:article" not in other["counts"]
    assert "type:map" in other["facets"]


@cases.each("works", [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE, 100])
def test_many_cards_are_sent_in_pieces(works):
    """Each is as much as a browser reads in at a stretch; every card comes once."""
    events = list(
        Differences().events(results(so_far(*(hit(number) for number in range(1, works + 1)))))
    )
    cards = [name for _, data in events for name, _ in data["cards"]]

    assert [name for name, _ in events][-1] == "page"
    assert max(len(data["cards"]) for _, data in events) <= AT_ONCE
    assert cards == events[-1][1]["order"]
    assert len(cards) == works


def test_cards_that_the_page_has_are_not_sent_again():
    """It names them by marks of their HTML; a card that has changed since is sent."""
    early = results(so_far(hit(1), hit(2)))
    seen = frozenset(mark(early.card(each)) for each in early.answer.hits)
    differences = Differences(seen)
    richer = replace(hit(2), records=(*hit(2).records, record("gamma", 7)))

    assert sent(differences, so_far(hit(1), hit(2)))["cards"] == []
    assert [name for name, _ in sent(differences, so_far(hit(1), richer))["cards"]] == [
        "alpha:alpha-2"
    ]
    back = sent(differences, so_far(hit(1), hit(2)))
    assert [name for name, _ in back["cards"]] == ["alpha:alpha-2"]


def test_the_page_names_the_cards_that_it_has():
    """As many as a page can have; each by a few characters."""
    for works, marks in ((0, 0), (2, 2), (100, 100)):
        page = results_page(
            replace(
                results(so_far(*(hit(number) for number in range(1, works + 1)))),
                updates="/updates?q=mice",
            )
        )
        (address,) = html.document_fromstring(page).xpath("//@data-updates")
        seen = address.partition("&seen=")[2].split(".") if "&seen=" in address else []
        assert len(seen) == marks
        assert len(address) < 1_000


def test_a_failure_is_a_part():
    """As soon as it is known; with what is missing."""
    differences = Differences()
    sent(differences, so_far(hit(1)))
    reports = [*so_far().sources[:1], late("beta")]
    state = sent(differences, replace(answer(hit(1), reports=reports), complete=False))

    assert "beta: timed out" in state["parts"]["failures"]
    assert "no whole answer within 15 s" in state["parts"]["database-rows"]


def test_words_are_those_of_the_reader():
    """In each part."""
    state = sent(Differences(), so_far(hit(1)), reader=visit(language="zh-Hans"))

    for text in (state["parts"]["heading"], state["facets"], state["cards"][0][1]):
        assert any("\u4e00" <= char <= "\u9fff" for char in text)


def test_hostile_text_is_escaped_in_every_part():
    """The script puts the parts into the page as HTML."""
    odd = '<img src=x onerror="x">&"\''
    bad = replace(late("beta"), source=odd, query=odd, notes=(odd,))
    given_ = replace(
        so_far(hit(1, title=odd, venue=odd, abstract=odd, type=odd, language=odd)),
        sources=(*so_far().sources, bad),
    )
    state = sent(Differences(), given_, q=odd)

    for text in (*state["parts"].values(), state["facets"], *(card for _, card in state["cards"])):
        tree = html.fragment_fromstring(text, create_parent=True)
        assert tree.xpath("//img | //script | //@onerror") == []
