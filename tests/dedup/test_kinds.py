"""Conference papers and articles: what a record says of itself wins over what the words of its
venue suggest."""

from __future__ import annotations

from itertools import permutations

from metasearch.dedup import DEFAULT, OnlineDedup
from tests.dedup.records import record

TITLE = "Fragmentation of excited light nuclei in grazing collisions"
PEOPLE = ["Hartwig, Otto", "Lenz, Petra"]


def test_a_third_record_does_not_part_two_of_one_doi() -> None:
    """Of three records of one paper, one spells its journal out and has no DOI: they are one work
    in every order."""
    paper = {"title": TITLE, "authors": PEOPLE, "year": 1978, "type": "conference-paper"}
    records = (
        record("a", **paper, venue="Z. Physik", doi="10.5555/zp.1978.41"),
        record("b", **paper, venue="Zeitschrift für Physik", doi="10.5555/zp.1978.41"),
        record("c", **{**paper, "type": "article"}, venue="Zeitschrift für Physik"),
    )

    for order in permutations(records):
        dedup = OnlineDedup(DEFAULT)
        for one in order:
            dedup.insert(one)
        assert len(dedup.hits()) == 1
