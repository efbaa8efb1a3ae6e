"""The simulated databases, one file each, and what each of them holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from metasearch.demo.catalogue import CatalogueWork, Holdings, dice
from metasearch.demo.citations import Citations, HeldCitations
from metasearch.demo.databases import arxiv, crossref, library, openalex, pubmed
from metasearch.demo.databases import database as faulty
from metasearch.demo.databases.database import SimulatedDatabase
from metasearch.demo.databases.spelling import spread

#: Those that answer as one would wish.
SOUND: tuple[SimulatedDatabase, ...] = (
    crossref.DATABASE,
    openalex.DATABASE,
    arxiv.DATABASE,
    pubmed.DATABASE,
    library.DATABASE,
)
#: One that is slow and one that fails, to show that neither costs the others.
FAULTY: tuple[SimulatedDatabase, ...] = (faulty.SLOW, faulty.FAILING)


def databases(given: bool, faults: bool | None) -> tuple[SimulatedDatabase, ...]:
    """Those in front of the built-in catalogue or of a given one. `faults`: None has those that
    show faults with the former only.
    """
    if faults is None:
        faults = not given
    return SOUND + (FAULTY if faults else (faulty.DBLP,) if given else ())


def given_holdings(
    works: Sequence[CatalogueWork], databases: Sequence[SimulatedDatabase]
) -> dict[str, Holdings]:
    """Database name -> its holdings of a catalogue that somebody gives."""
    return _holdings(works, databases, spread(works, databases))


def all_holdings(works: Sequence[CatalogueWork]) -> dict[str, Holdings]:
    """Database name -> its holdings."""
    held = works_by_database(works)
    told = {
        database.name: [database.tell(work) for work in held[database.name]]
        for database in SOUND + FAULTY
    }
    return _holdings(works, SOUND + FAULTY, told)


def _holdings(
    works: Sequence[CatalogueWork],
    databases: Sequence[SimulatedDatabase],
    copies: Mapping[str, Collection[CatalogueWork]],
) -> dict[str, Holdings]:
    held = {name: frozenset(copy.id for copy in some) for name, some in copies.items()}
    citations = Citations(works, held)
    return {
        database.name: Holdings(
            database.name,
            copies[database.name],
            database.facets,
            HeldCitations(
                database.name, citations, database.cites, is_closed=database.extends != "crossref"
            ),
        )
        for database in databases
    }


def works_by_database(works: Iterable[CatalogueWork]) -> Mapping[str, list[CatalogueWork]]:
    """Database name -> its works; every work is in at least one sound database."""
    held: dict[str, list[CatalogueWork]] = defaultdict(list)
    for work in works:
        holders = [database for database in SOUND if database.holds(work)]
        if not holders:
            candidates = [database for database in SOUND if database.fits(work)]
            holders = [min(candidates, key=lambda database: dice(database.name, work.id, "held"))]
        for database in holders + [database for database in FAULTY if database.holds(work)]:
            held[database.name].append(work)
    return held
