"""Each reason of a hit has a template, by which a page shows it in another language."""

from __future__ import annotations

import pytest

from metasearch.engine.rank import REASONS, Ranking
from metasearch.message import Message
from metasearch.query import parse
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


@pytest.mark.parametrize("query", QUERIES)
def test_all_reasons_have_a_template(query: str) -> None:
    """Positions, agreement, words, fields, pairs and meaning."""
    ranking = Ranking(parse(query))
    ranking.add_nearness({HITS[0].id: 1.0, HITS[1].id: 0.5})
    texts = [reason.text for each in ranking.ranked(HITS) for reason in each.reasons]

    assert len(texts) >= len(HITS)
    for text in texts:
        message = REASONS.message(text)
        assert isinstance(message, Message), text
        assert message == text


def test_the_name_of_a_source_is_a_value() -> None:
    """So that a page can show its label in its place."""
    message = REASONS.message("crossref ranks it 3")

    assert isinstance(message, Message)
    assert message.values == {"source": "crossref", "position": "3"}
