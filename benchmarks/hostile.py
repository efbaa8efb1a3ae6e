"""Sets made to blow up whoever compares all records that share a key."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping

from metasearch.record import Author, Record


def editorials(count: int) -> list[Record]:
    """One title that says nothing, over many journals and years."""
    rng = random.Random(1)
    return [
        Record(
            source="a",
            source_id=str(number),
            title="Editorial",
            year=rng.randint(1950, 2025),
            venue=f"Journal {rng.randint(1, 400)}",
            volume=str(rng.randint(1, 80)),
            pages=str(rng.randint(1, 900)),
        )
        for number in range(count)
    ]


ONE = Record(
    source="a",
    title="Sorption of phosphate on iron oxides in lake sediments: a column study",
    authors=(
        Author("Anna van der Berg", "van der Berg", "Anna"),
        Author("Chidi Okafor", "Okafor", "Chidi"),
    ),
    year=2011,
    venue="Journal of Soil Science",
    volume="12",
    pages="101-115",
    doi="10.5555/soil.2011.1",
)


def copies(count: int) -> list[Record]:
    """One record, again and again."""
    return [dataclasses.replace(ONE, source_id=str(number)) for number in range(count)]


def near_copies(count: int) -> list[Record]:
    """One work, each time written a little differently."""
    return [dataclasses.replace(ONE, source_id=str(n),
    title=f"{ONE.title}{' ' * (n % 7)}{'.' * (n % 5)}",
                                volume=str(n % 11) if n % 3 else None,
                                doi=None if n % 2 else ONE.doi,
                                pages=f"{101 + n % 13}-115") for n in range(count)]  # fmt: skip


def yearbooks(count: int) -> list[Record]:
    """One title and author, other years and volumes."""
    return [
        dataclasses.replace(
            ONE,
            source_id=str(number),
            title="Statistical yearbook of the northern provinces",
            year=1500 + number % 525,
            volume=str(number),
            doi=None,
            pages=None,
        )
        for number in range(count)
    ]


def template(count: int) -> list[Record]:
    """One text that says nothing, under other titles, and nobody says who wrote it or when."""
    rng = random.Random(1)
    text = (
        "This is the summary of a talk that was given at the meeting; the full text is to be had "
        "of the speaker. " * 4
    )
    return [
        Record(
            source="a",
            source_id=str(n),
            title=f"Talk {rng.getrandbits(40):x}",
            abstract=f"{text} No. {n}.",
        )
        for n in range(count)
    ]


def thin_copies(count: int) -> list[Record]:
    """One text under one title, each time with a word more, and nobody says who wrote it or
    when."""
    text = " ".join(f"word{n}" for n in range(100))
    return [
        Record(source="a", source_id=str(n), title=ONE.title, abstract=f"{text} ending{n % 997}")
        for n in range(count)
    ]


Maker = Callable[[int], list[Record]]

HOSTILE: Mapping[str, Maker] = {
    '"Editorial"': editorials,
    "identical records": copies,
    "nearly identical records": near_copies,
    "one title, other years": yearbooks,
    "one text, other titles": template,
    "one text with a word more": thin_copies,
}
