"""The stream: whoever follows it holds the answer in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.engine.facets import SORTS, FacetCounts
from metasearch.errors import FormatError
from metasearch.events import (
    Added,
    Facets,
    FacetsChanged,
    Finished,
    Grown,
    Joined,
    Order,
    SearchEvent,
    SourceProgress,
    SourceReport,
    Started,
)
from metasearch.formats.answer import answer_object, facets_object, hit_object
from metasearch.formats.events import event_object, fold, ndjson, sse
from metasearch.record import Hit, Reason, Record
from tests.formats.samples import MERGED, answer, hit, hostile_hits, properties


def folded(events: Iterable[SearchEvent]) -> dict[str, object]:
    """What a client makes of the lines of a stream."""
    return fold(orjson.loads(ndjson(event)) for event in events)


def joined(left: Hit, right: Hit) -> Hit:
    """One hit of the records of two, named after the smallest of them."""
    records = tuple(sorted(left.records + right.records, key=lambda r: r.key))
    return Hit(records[0].key, records[0], records, {"title": records[0].source})


def counted(hits: Iterable[Hit]) -> Facets:
    """Facets of some hits."""
    return FacetCounts(["source", "year"]).count(hits)


@st.composite
def searches(draw: st.DrawFn) -> list[SearchEvent]:
    """A stream as a search might tell it: hits appear, grow, join and are renamed, and are ranked
    in the end."""
    names = draw(st.lists(st.integers(0, 99), min_size=1, max_size=8, unique=True))
    events: list[SearchEvent] = [Started("s1", "attention", ("crossref", "dblp"), 8.0)]
    known: dict[str, Hit] = {}
    for name in names:
        new = Record(source="crossref", source_id=f"{name:02}", title=f"work {name}")
        alone = Hit(new.key, new, (new,), {"title": "crossref"})
        fate = draw(st.sampled_from(["alone", "joins"])) if known else "alone"
        if fate == "alone":
            known[alone.id] = alone
            events.append(Added(alone))
        else:
            # The record ties one or more known hits together; where it is the smallest, the hit
            # takes its name.
            partners = draw(
                st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=3, unique=True)
            )
            whole = alone
            for partner in partners:
                whole = joined(whole, known.pop(partner))
            absorbed = tuple(p for p in partners if p != whole.id)
            known[whole.id] = whole
            events.append(Joined(whole, absorbed) if absorbed else Grown(whole))
        if draw(st.booleans()):
            events.append(Order(tuple(known)))
        if draw(st.booleans()):
            events.append(SourceProgress(SourceReport("crossref", "running", len(known))))
        if draw(st.booleans()):
            events.append(FacetsChanged(counted(known.values())))
    order = draw(st.permutations(sorted(known)))
    limit = draw(st.integers(0, len(order)))
    ranked = [
        replace(known[i], rank=n, score=1 / n, reasons=(Reason(f"place {n}", 1 / n, "crossref"),))
        for n, i in enumerate(order[:limit], 1)
    ]
    facets = draw(st.sampled_from([None, counted(known.values())]))
    final = replace(
        answer(*ranked, complete=draw(st.booleans())),
        sort=draw(st.sampled_from(SORTS)),
        filter=draw(st.sampled_from(["", 'venue:"a, b"'])),
        facets=facets,
    )
    sent = [] if facets is None else [FacetsChanged(facets)]
    return [*events, Order(tuple(order)), *sent, Finished(final)]


@properties
@given(searches())
def test_folding_a_stream_gives_the_answer(events: list[SearchEvent]) -> None:
    """Whatever hits join, are renamed or are cut off, the folded stream is the JSON answer, key by
    key."""
    assert isinstance(events[-1], Finished)
    expected = answer_object(events[-1].answer)

    assert expected == folded(events)
    assert list(expected) == list(folded(events))


def test_a_late_record_renames_a_hit() -> None:
    """A join of an old name into a new one leaves one hit, under the new name."""
    old = hit("crossref:2", source_id="2", title="Two")
    new = joined(old, hit("crossref:1", source_id="1", title="One"))
    final = replace(new, rank=1, score=0.5)

    found = folded([Added(old), Joined(new, ("crossref:2",)), Finished(answer(final))])

    assert found["hits"] == [hit_object(final)]


@properties
@given(hostile_hits())
def test_hostile_text_survives_no_worse_in_a_stream(whole: Hit) -> None:
    """Ids and text are cleaned alike in every event, so a fold still finds its hits."""
    unranked = replace(whole, rank=0, score=0.0, reasons=())

    assert folded([Added(unranked), Finished(answer(whole))]) == answer_object(answer(whole))


def test_event_objects() -> None:
    """Each event says its kind first and then what is documented for it."""
    report = SourceReport("crossref", "ok", 20, 1234, 0.25, "query=attention")

    assert event_object(Started("s1", "attention", ("crossref",), 8.0)) == {
        "event": "start",
        "id": "s1",
        "query": "attention",
        "sources": ["crossref"],
        "deadline": 8.0,
    }
    assert event_object(SourceProgress(report))["event"] == "source"
    assert event_object(SourceProgress(report))["total"] == 1234
    assert event_object(Added(MERGED)) == {"event": "hit"} | hit_object(MERGED)
    assert event_object(Grown(MERGED)) == {"event": "update"} | hit_object(MERGED)
    assert event_object(Joined(MERGED, ("crossref:9",))) == {
        "event": "merge",
        "id": MERGED.id,
        "absorbed": ["crossref:9"],
        "hit": hit_object(MERGED),
    }
    assert event_object(Order(("b", "a"))) == {"event": "order", "ids": ["b", "a"]}
    facets = counted([MERGED])
    assert event_object(FacetsChanged(facets)) == {"event": "facets"} | (
        facets_object(facets) or {}
    )
    done = event_object(Finished(answer(MERGED)))
    assert list(done)[:7] == ["event", "query", "complete", "counts", "hits", "sources", "seconds"]
    assert list(done)[7:] == [
        *("merge_seconds", "dedup", "paging", "totals", "syntax", "notes"),
        *("sort", "filter", "facets"),
    ]
    assert list(done["hits"][0]) == ["id", "rank", "score", "reasons"]


def test_an_ndjson_event_is_one_line() -> None:
    """Line breaks in the text are escaped, the line ends in a newline."""
    written = ndjson(Added(hit(abstract="one\ntwo")))

    assert written.endswith(b"}\n")
    assert written.count(b"\n") == 1


def test_a_server_sent_event_has_its_fields() -> None:
    """Kind, id and one data line, ended by a blank line."""
    assert sse(Order(("a",)), 7) == b'event: order\nid: 7\ndata: {"event":"order","ids":["a"]}\n\n'


@properties
@given(hostile_hits())
def test_no_text_can_forge_a_server_sent_event(whole: Hit) -> None:
    """Whatever the hit says, the event has three lines and an empty one."""
    written = sse(Added(whole), "s1:2").decode()

    assert [part.partition(":")[0] for part in written.split("\n")] == [
        "event",
        "id",
        "data",
        "",
        "",
    ]
    assert "\r" not in written


def test_an_event_id_with_a_line_break_is_refused() -> None:
    """Such an id would end its field and begin another."""
    with pytest.raises(ValueError, match="id of an event"):
        sse(Order(()), "1\ndata: forged")


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    """A client cannot mistake a torn stream for a whole answer."""
    with pytest.raises(FormatError, match="broke off"):
        folded([Added(MERGED)])


def test_a_hit_that_was_never_sent_is_told() -> None:
    """`done` may list only what came before it."""
    with pytest.raises(FormatError, match="never sent: arxiv"):
        folded([Finished(answer(MERGED))])


def test_an_absorbed_hit_is_gone() -> None:
    """After a merge the old name stands for nothing any more."""
    merge = Joined(MERGED, ("crossref:1",))

    with pytest.raises(FormatError, match="never sent: crossref:1"):
        folded([Added(hit("crossref:1")), merge, Finished(answer(hit("crossref:1")))])


def test_unknown_events_are_passed_over() -> None:
    """Kinds of events can be added without breaking clients."""
    lines = [{"event": "weather"}, event_object(Finished(answer()))]

    assert fold(lines) == answer_object(answer())
