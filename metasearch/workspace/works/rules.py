"""How a project's works are made: its strategy of de-duplication, versions mode and pins."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from metasearch.dedup import Chain, strategy
from metasearch.dedup.matcher import Signed
from metasearch.dedup.pin_lines import Pin
from metasearch.dedup.pins import Pins
from metasearch.errors import PinsError, UsageError
from metasearch.message import message
from metasearch.record import VERSIONS_MODES, VersionsMode
from metasearch.workspace.store.database import Database

#: Raised by whoever changes the keys or signatures of a matcher: the places of all records are then
#: made anew, by the next addition to a project.
SHAPE = 1
#: As `metasearch dedup` does for reviews: a preprint and its article are a work each.
DEFAULT_VERSIONS: VersionsMode = "separate"
DEFAULT_STRATEGY = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How the works of a project are made.

    Attributes:
        chain: The matchers, with the pins of the project.
        versions: What becomes of preprint and article.
        name: Of strategy, versions and the shape of places; another name means that all works are
            made anew.
    """

    chain: Chain
    versions: VersionsMode
    pins: Pins
    name: str


def rules(db: Database, project: int, *, chain: Chain | None = None) -> Rules:
    """The rules of a project: `works.dedup` and `works.versions` of its details, and its pins.

    `chain`: in place of that of the project's strategy; without pins. Raises UsageError: the
    details name a strategy or a mode that cannot be used.
    """
    details = orjson.loads(db.value("SELECT details FROM project WHERE id = ?", project) or "{}")
    own = details.get("works")
    own = own if isinstance(own, dict) else {}
    versions = own.get("versions", DEFAULT_VERSIONS)
    if versions not in VERSIONS_MODES:
        raise UsageError(
            message("The project's works.versions is {mode}", mode=repr(str(versions)[:40])),
            advice=message("Use one of {modes}.", modes=", ".join(VERSIONS_MODES)),
        )
    name = str(own.get("dedup", DEFAULT_STRATEGY))
    if chain is None:
        chain = strategy(name).chain
    unkept = [one.name for one in chain.searching if not isinstance(one, Signed)]
    if unkept:
        raise UsageError(
            message("The strategy {name} cannot be used for a project", name=repr(name[:40])),
            advice=message(
                "It compares each record with all others; use {default}.", default=DEFAULT_STRATEGY
            ),
        )
    pins = pins_of(db, project)
    return Rules(
        chain=chain.pinned(pins) if pins else chain,
        versions=versions,
        pins=pins,
        name=f"{SHAPE} {name} {versions}",
    )


def pins_of(db: Database, project: int) -> Pins:
    """The pins of a project. Raises UsageError: they contradict one another."""
    rows = db.all("SELECT * FROM pin WHERE project = ? ORDER BY id", project)
    try:
        return Pins(
            tuple(
                Pin(row["verdict"], (row["a"], row["b"]), row["id"], "project", row["note"])
                for row in rows
            )
        )
    except PinsError as exc:
        raise UsageError(
            message("The pins contradict one another: {problem}", problem=exc.problems[0]),
            advice=message("Remove one of them."),
        ) from exc
