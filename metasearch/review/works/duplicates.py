"""Works that may be one all the same: the rules have kept them apart, and they have the same title.
A person decides on each pair by a pin.
"""

from __future__ import annotations

from metasearch.review.projects.projects import Project
from metasearch.review.works import works
from metasearch.review.works.pins import of as pins_of
from metasearch.review.works.works import Work

#: Letters of a title that names a work; shorter ones ("Editorial") are those of many.
SHORTEST = 20
#: Pairs that are looked at: of many works with one title, the first ones.
MOST_PAIRS = 2_000


def pairs(project: Project) -> list[tuple[int, int]]:
    """The rows of the works of each pair, by their titles, without what pins keep apart."""
    apart = {(pin.a, pin.b) for pin in pins_of(project) if pin.verdict == "different"}
    found = [
        (row[0], row[1])
        for row in project.db.all(
            "SELECT one.id, other.id FROM work AS one JOIN work AS other"
            " ON other.project = one.project AND other.title_key = one.title_key"
            " AND other.id > one.id"
            " WHERE one.project = ? AND length(one.title_key) >= ?"
            " ORDER BY one.title_key, one.id, other.id LIMIT ?",
            project.id,
            SHORTEST,
            MOST_PAIRS,
        )
    ]
    if not apart:
        return found
    rows = list(dict.fromkeys(row for pair in found for row in pair))
    read = zip(rows, works.read(project.db, rows), strict=True)
    keys = {row: {record.key for record in work.hit.records} for row, work in read}
    return [
        (one, other)
        for one, other in found
        if not any(
            tuple(sorted((key, another))) in apart for key in keys[one] for another in keys[other]
        )
    ]


def pairs_from(project: Project, start: int) -> tuple[int, list[Work]]:
    """How many pairs wait, and the two works of one of them, from 0; none where it is not there."""
    found = pairs(project)
    there = found[start : start + 1]
    return len(found), works.read(project.db, [row for pair in there for row in pair])
