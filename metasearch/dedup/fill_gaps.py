"""One more record for a hit that is there: of somebody who was asked for this very work, by its
DOI.

Such a record fills what the hit lacks and replaces nothing, so the hit keeps its name, its score
and its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metasearch.dedup.merge import FIELDS, POLICIES
from metasearch.record import Hit, Match, Record

#: What is said of `Match.matcher`.
MATCHER = "enrich"
#: Fields in which a hit that says something may learn better: "closed", or a mere "open", is not
#: the last word.
_BETTERED = frozenset(("open_access",))


def enriched(hit: Hit, record: Record) -> Hit:
    """The hit with the record; its title, years and all else that it has stay as they are.

    Args:
        hit: It has a DOI.
        record: Of the work with this DOI, from a source of which the hit has no record.
    """
    values: dict[str, Any] = {}
    for name in ("title", *FIELDS):
        said, known = getattr(record, name), getattr(hit.record, name)
        if said and known and name in _BETTERED:
            said = POLICIES[name]((known, said))
            known = known if said == known else None
        if said and not known:
            values[name] = said
    year = hit.record.year or values.get("year")
    if year and not values.get("date", str(year)).startswith(str(year)):
        del values["date"]  # of another version, by another calendar: it says less than none
    ids = {scheme: value for scheme, value in record.ids.items() if scheme not in hit.record.ids}
    new = dict.fromkeys([*values, *(f"ids.{scheme}" for scheme in ids)], record.source)
    holder = _holder(hit)
    left, right = sorted((holder.key, record.key))
    match = Match(MATCHER, "same", 1.0, f"asked for by the DOI {hit.record.doi}", left, right)
    return replace(
        hit,
        record=replace(hit.record, ids={**hit.record.ids, **ids}, **values),
        records=tuple(sorted((*hit.records, record), key=lambda it: it.key)),
        provenance={**hit.provenance, **new},
        matches=tuple(sorted((*hit.matches, match), key=lambda it: (it.left, it.right))),
        versions=tuple(
            replace(it, records=(*it.records, record.key)) if holder.key in it.records else it
            for it in hit.versions
        ),
    )


def _holder(hit: Hit) -> Record:
    """The record that gave the hit its DOI."""
    return next((record for record in hit.records if record.doi == hit.record.doi), hit.records[0])
