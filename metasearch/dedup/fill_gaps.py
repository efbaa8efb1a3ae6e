"""Fill what a hit lacks from one more record of its work, which a source returned for its DOI.

The record replaces nothing, so the hit keeps its id, its score and its place.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metasearch.dedup import because
from metasearch.dedup.merge import FIELDS, POLICIES
from metasearch.record import Hit, Match, Record

#: `Match.matcher` of the match that such a record adds.
MATCHER = "enrich"
#: Fields of which the record may hold a better value than the hit: "closed", or a mere "open", may
#: be improved.
_IMPROVABLE = frozenset(("open_access",))


def filled(hit: Hit, record: Record) -> Hit:
    """Return the hit with the record and what it adds; what the hit has stays as it is. `record`: a
    record of the work with this DOI, from a source that the hit has no record of.
    """
    values: dict[str, Any] = {}
    for name in ("title", *FIELDS):
        new_value, known = getattr(record, name), getattr(hit.record, name)
        if new_value and known and name in _IMPROVABLE:
            new_value = POLICIES[name]((known, new_value))
            known = known if new_value == known else None
        if new_value and not known:
            values[name] = new_value
    year = hit.record.year or values.get("year")
    if year and not values.get("date", str(year)).startswith(str(year)):
        del values["date"]  # the date of another version, or of another calendar, would mislead
    ids = {scheme: value for scheme, value in record.ids.items() if scheme not in hit.record.ids}
    new = dict.fromkeys([*values, *(f"ids.{scheme}" for scheme in ids)], record.source)
    holder = _holder(hit)
    left, right = sorted((holder.key, record.key))
    match = Match(
        MATCHER, "same", 1.0, because.ASKED_BY_DOI.format(doi=hit.record.doi), left, right
    )
    return replace(
        hit,
        record=replace(hit.record, ids={**hit.record.ids, **ids}, **values),
        records=tuple(sorted((*hit.records, record), key=lambda record: record.key)),
        provenance={**hit.provenance, **new},
        matches=tuple(sorted((*hit.matches, match), key=lambda match: (match.left, match.right))),
        versions=tuple(
            replace(version, records=(*version.records, record.key))
            if holder.key in version.records
            else version
            for version in hit.versions
        ),
    )


def _holder(hit: Hit) -> Record:
    """Return the record that gave the hit its DOI."""
    return next((record for record in hit.records if record.doi == hit.record.doi), hit.records[0])
