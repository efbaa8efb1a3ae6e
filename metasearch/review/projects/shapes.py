"""What each action of the log writes: what its line is about, and what stands before and after.

Lines may come from a file: an archive that somebody has made. None is imported that is not as the
program writes it, and none is undone. Its object is a name within the project, and no row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from metasearch.query.syntaxes import CHOICES
from metasearch.workspace.projects import LONGEST_TITLE
from metasearch.workspace.reports.signatures import SIGN
from metasearch.workspace.screening import conflicts, teams
from metasearch.workspace.shapes import (
    Shape,
    anything,
    either,
    list_of,
    maybe,
    moment,
    name,
    object_of,
    one_of,
    row_of,
    table_of,
    text,
    whole,
    yes_or_no,
)
from metasearch.workspace.strategies import strategies
from metasearch.workspace.strategies.step import STEP_KINDS
from metasearch.workspace.works import assigning, decisions, pins
from metasearch.workspace.works.importing import IMPORT
from metasearch.workspace.works.said import LONGEST_NOTE, LONGEST_REASON
from metasearch.workspace.works.works import STAGES, VERDICTS

_STAGE, _VERDICT = one_of(*STAGES), one_of(*VERDICTS)
_REASON, _NAME = text(LONGEST_REASON), text(2_000)
#: Of a user, or "": it names nobody where there is no such user.
_BY = text(teams.LONGEST_UID)
#: [verdict, reason, at]; None for undecided.
_KEPT = maybe(row_of(_VERDICT, _REASON, moment))
#: [votes, verdict, reason, by, at] of a resolution.
_RESOLVED = maybe(row_of(text(), _VERDICT, _REASON, _BY, moment))
_MARKED = object_of(
    {"stage": _STAGE, "works": table_of(_NAME, _KEPT)},
    {"by": _BY, "seen": list_of(_NAME), "decided": table_of(_NAME, _KEPT), "file": text(500)},
)
_TAGGED = table_of(name(decisions.LONGEST_TAG), list_of(_NAME))
_NOTED = object_of({"works": table_of(_NAME, text(LONGEST_NOTE))}, {"by": _BY})
_RESOLUTIONS = object_of({"stage": _STAGE, "works": table_of(_NAME, _RESOLVED)})
_PIN = maybe(
    object_of(
        {
            "id": whole(),
            "verdict": one_of("same", "different"),
            "a": _NAME,
            "b": _NAME,
            "note": text(pins.LONGEST_NOTE),
            "by": _BY,
            "at": moment,
        }
    )
)
#: What people have said of a work: `works/said.py`.
STATE = object_of(
    {
        "decisions": list_of(row_of(_STAGE, _BY, _VERDICT, _REASON, moment)),
        "tags": list_of(text(1_000)),
        "notes": list_of(row_of(_BY, text(), moment)),
    },
    {"resolutions": list_of(row_of(_STAGE, text(), _VERDICT, _REASON, _BY, moment))},
)
_JOINED = list_of(
    either(
        object_of({"divided": _NAME}),
        object_of({"uid": _NAME, "said": STATE, "into_said": STATE}),
    )
)
SOURCES = list_of(name(strategies.LONGEST_SOURCE), strategies.MOST_SOURCES)
_OF_STRATEGY: Mapping[str, Shape] = {
    "derived_from": maybe(either(text(), object_of({}, {"strategy": text(), "at": text()}))),
    "numbers": maybe(table_of(text(10), whole())),
    "imports_left_out": maybe(list_of(whole())),
    "search_file": maybe(object_of({}, {"date": object_of({}, {}, anything)}, anything)),
}
STRATEGY_DETAILS = object_of({}, _OF_STRATEGY, anything)
STEP_DETAILS = object_of({}, {"hits": maybe(whole()), "copied": maybe(text())}, anything)
_STEP = object_of(
    {
        "kind": one_of(*STEP_KINDS),
        "text": text(),
        "syntax": one_of(*CHOICES),
        "note": text(strategies.LONGEST_NOTE),
        "details": STEP_DETAILS,
    }
)
_PROJECT = object_of({}, {"title": text(LONGEST_TITLE), "archived": yes_or_no}, anything)
_STRATEGY = object_of(
    {},
    {
        "name": text(100),
        "sources": SOURCES,
        "years": text(100),
        "note": text(strategies.LONGEST_NOTE),
        **_OF_STRATEGY,
    },
    anything,
)
#: Kind of an object -> how it is written.
_OBJECTS: Mapping[str, re.Pattern[str]] = {
    "project": re.compile("project"),
    "works": re.compile("works|work:[a-km-z2-9]{12}"),
    "strategy": re.compile(r"strategy:(?P<strategy>\d{1,9})", re.ASCII),
    "step": re.compile(r"step:(?P<strategy>\d{1,9})/(?P<step>\d{1,9})", re.ASCII),
    "other_source": re.compile(r"other_source:\d{1,18}", re.ASCII),
    "stage": re.compile(f"stage:(?:{'|'.join(STAGES)})"),
    "pin": re.compile(r"pin:.{1,4000}"),
    "report": re.compile(r"report:[a-z0-9-]{1,60}/.{1,200}"),
}


def _same_works(before: Any, after: Any) -> bool:
    return (
        bool(before["works"].keys() == after["works"].keys())
        and before.get("stage") == after.get("stage")
        and before.get("by", "") == after.get("by", "")
    )


def _same_keys(before: Any, after: Any) -> bool:
    return bool(before.keys() == after.keys())


def _one_pin(before: Any, after: Any) -> bool:
    known = before or after
    return known is not None and all(
        pin is None or (pin["a"], pin["b"]) == (known["a"], known["b"]) for pin in (before, after)
    )


@dataclass(frozen=True, slots=True)
class Logged:
    """What an action writes. `object`: kind of what its lines are about, a key of `_OBJECTS`.
    `both`: whether the two belong together.
    """

    object: str
    before: Shape = anything
    after: Shape = anything
    both: Callable[[Any, Any], bool] = lambda before, after: True


#: Action -> what it writes.
ACTIONS: Mapping[str, Logged] = {
    "new project": Logged("project"),
    "edit project": Logged("project", _PROJECT, _PROJECT, _same_keys),
    "import project": Logged("project"),
    "new strategy": Logged("strategy"),
    "edit strategy": Logged("strategy", _STRATEGY, _STRATEGY, _same_keys),
    "copy strategy": Logged("strategy"),
    "new step": Logged("step"),
    "edit step": Logged("step", _STEP, _STEP),
    "remove step": Logged("step"),
    "import file": Logged("step"),
    "add known works": Logged("project"),
    "remove known work": Logged("project"),
    "add other source": Logged("other_source"),
    "edit other source": Logged("other_source"),
    "remove other source": Logged("other_source"),
    "finish report": Logged("report"),
    SIGN: Logged("report"),
    decisions.MARK: Logged("works", _MARKED, _MARKED, _same_works),
    IMPORT: Logged("works", _MARKED, _MARKED, _same_works),
    decisions.TAG: Logged("works", _TAGGED, _TAGGED),
    decisions.NOTE: Logged("works", _NOTED, _NOTED, _same_works),
    pins.PIN: Logged("pin", _PIN, _PIN, _one_pin),
    pins.UNPIN: Logged("pin", _PIN, _PIN, _one_pin),
    assigning.ACTION: Logged("works", _JOINED, list_of(anything)),
    assigning.VOTES: Logged("works", _MARKED, _MARKED),
    teams.BEGIN: Logged("stage"),
    teams.CHANGE: Logged("stage"),
    teams.END: Logged("stage"),
    conflicts.RESOLVE: Logged("works", _RESOLUTIONS, _RESOLUTIONS, _same_works),
}


def fits(action: str, object: str, before: Any, after: Any) -> bool:  # noqa: A002, as the column
    """Whether a line of the log is as the program writes it."""
    known = ACTIONS.get(action)
    return (
        known is not None
        and _OBJECTS[known.object].fullmatch(object) is not None
        and known.before(before)
        and known.after(after)
        and known.both(before, after)
    )


def numbers(object: str) -> tuple[int, int]:  # noqa: A002, as the column
    """The number of the strategy that a line is about, and of its step; 0 where there is none."""
    for kind in ("strategy", "step"):
        if found := _OBJECTS[kind].fullmatch(object):
            return int(found["strategy"]), int(found.groupdict().get("step") or 0)
    return 0, 0
