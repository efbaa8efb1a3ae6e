"""The simulated databases, one file each, and what each of them holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from metasearch.demo.catalogue import Holdings, Work, dice
from metasearch.demo.databases import arxiv, crossref, faulty, library, openalex, pubmed
from metasearch.demo.databases.faulty import Database

#: Those that answer as one would wish.
SOUND: tuple[Database, ...] = (
    crossref.DATABASE,
    openalex.DATABASE,
    arxiv.DATABASE,
    pubmed.DATABASE,
    library.DATABASE,
)
#: One that is slow and one that fails, to show that neither costs the others.
FAULTY: tuple[Database, ...] = (faulty.SLOW, faulty.FAILING)


def all_holdings(works: Iterable[Work]) -> dict[str, Holdings]:
    """Database name -> its holdings."""
    held = works_by_database(works)
    return {
        database.name: Holdings(
            database.name, [database.tell(work) for work in held[database.name]], database.facets
        )
        for database in SOUND + FAULTY
    }


def works_by_database(works: Iterable[Work]) -> Mapping[str, list[Work]]:
    """Database name -> its works; every work is in at least one sound database."""
    held: dict[str, list[Work]] = defaultdict(list)
    for work in works:
        holders = [database for database in SOUND if database.holds(work)]
        if not holders:
            candidates = [database for database in SOUND if database.fits(work)]
            holders = [min(candidates, key=lambda database: dice(database.name, work.id, "held"))]
        for database in holders + [database for database in FAULTY if database.holds(work)]:
            held[database.name].append(work)
    return held
