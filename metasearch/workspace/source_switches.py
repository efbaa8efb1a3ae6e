"""Sources that an administrator has switched on or off for all searches of a server."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.workspace.store.database import Database
from metasearch.workspace.store.times import now


@dataclass(frozen=True, slots=True)
class SourceSwitch:
    """What an administrator has decided about a source. `at`: when, UTC."""

    source: str
    enabled: bool
    by: str
    at: str


def every(db: Database) -> dict[str, SourceSwitch]:
    """Name of a source -> its switch, of those that are not as configured."""
    rows = db.all("SELECT source, enabled, by, at FROM source_switch ORDER BY source")
    return {
        row["source"]: SourceSwitch(row["source"], bool(row["enabled"]), row["by"], row["at"])
        for row in rows
    }


def switch(db: Database, source: str, enabled: bool | None, *, by: str = "") -> None:
    """Switch a source. `source`: its name; the caller knows that there is one. `enabled`: None for
    what the configuration says.
    """
    with db.transaction():
        db.run("DELETE FROM source_switch WHERE source = ?", source)
        if enabled is not None:
            db.run("INSERT INTO source_switch VALUES (?, ?, ?, ?)", source, enabled, by, now())
