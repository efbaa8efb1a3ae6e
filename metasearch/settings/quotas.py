"""The table [users.quotas]: how much one user may take."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.settings.tables import SettingsTables
from metasearch.toml_kinds import is_of, mismatch

#: Quota -> how much, where the configuration says nothing else. Searches, runs of saved searches
#: (`scheduled_runs`) and exports are counted a day, `sources` a search; saved searches, records and
#: bytes are those that are there.
QUOTAS: Mapping[str, int] = {
    "searches": 1_000,
    "sources": 60,
    "saved_searches": 50,
    "scheduled_runs": 100,
    "stored_records": 200_000,
    "stored_bytes": 5_000_000_000,
    "exports": 200,
}
#: The largest quota.
LARGEST = 1_000_000_000_000


def quotas(tables: SettingsTables) -> Mapping[str, int]:
    """The table [users.quotas]: all quotas, those that are not configured as in `QUOTAS`."""
    found = dict(QUOTAS)
    for name, value in tables["users"].get("quotas", {}).items():
        where = f"users.quotas.{name}"
        if name not in QUOTAS:
            tables.wrong(where, f"unknown key; allowed are {', '.join(sorted(QUOTAS))}")
        elif not is_of(value, int):
            tables.wrong(where, mismatch(value, int))
        elif not 0 <= value <= LARGEST:
            tables.wrong(where, f"must be 0 to {LARGEST}")
        else:
            found[name] = value
    return found
