"""Each reason of a hit has a template, by which a page shows it in another language."""

from __future__ import annotations

from metasearch.engine.rank import Ranking
from metasearch.message import Message
from metasearch.query import parse
from tests import cases
from tests.dedup.records import record
from tests.engine.hits import hit

HITS = [
    hit(record("a", 1, title="Iron lakes", year=2020), record("b", 2, title="Iron lakes")),
    hit(record("a", 2, title="Iron in the lakes of the north", year=2019)),
    hit(record("b", 1, title="Lakes", abstract="Iron lakes, iron lakes", year=2020)),
    hit(record("c", 5, title="Silver", year=1999)),
]
QUERIES = [
    "iron lakes",
    "lakes",
    "iron lakes north",
    "iron year:2020",
    "iron lakes title:north",
    "title:iron title:lakes",
    "title:silver",
    "abstract:iron",
]


@cases.each("query", QUERIES)
def test_all_reasons_have_a_template(query: str) -> None:
    """Positions, agreement, words, fields, pairs and meaning."""
    ranking = Ranking(parse(query))
    ranking.add_nearness({HITS[0].id: 1.0, HITS[1].id: 0.5})
    texts = [reason.text for each in ranking.rank(HITS) for reason in each.reasons]

    assert len(texts) >= len(HITS)
    assert all(isinstance(text, Message) for text in texts)


def test_the_name_of_a_source_is_a_value() -> None:
    """So that a page can show its label in its place."""
    text = Ranking(parse("lakes")).rank(HITS)[-1].reasons[0].text

    assert isinstance(text, Message)
    assert text == "c ranks it 5"
    assert text.values == {"source": "c", "position": 5}
