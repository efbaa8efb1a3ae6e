"""What JSON may look like that the program reads without doubting it: columns of a workspace, and
lines of the log, where they come from a file.

A shape is a function that says whether a value is as it should be. All of them are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from metasearch.query.syntaxes import CHOICES
from metasearch.review.projects.projects import LONGEST_TITLE
from metasearch.review.reports.reports import SIGN
from metasearch.review.screening import conflicts, teams
from metasearch.review.store.values import is_uid
from metasearch.review.strategies import strategies
from metasearch.review.strategies.strategies import STEP_KINDS
from metasearch.review.works import decisions, groups, pins, work_checks
from metasearch.review.works.decisions_file import IMPORT
from metasearch.review.works.works import LONGEST_NOTE, LONGEST_REASON, STAGES, VERDICTS

Shape = Callable[[Any], bool]
#: Levels, and items of one list or table. JSON can be written to 250 levels.
DEEPEST, MOST = 30, 1_000_000
#: Whole numbers that every program reads.
_LARGEST = 2**53 - 1


def text(longest: int = 1_000_000) -> Shape:
    """A text that SQLite can keep."""
    return lambda value: isinstance(value, str) and len(value) <= longest and "\0" not in value


def name(longest: int) -> Shape:
    """A text of one line that is not empty."""
    return lambda value: (
        isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()
    )


def whole(least: int = 0, largest: int = _LARGEST) -> Shape:
    """A whole number, and no boolean."""
    return lambda value: type(value) is int and least <= value <= largest


def number(value: Any) -> bool:
    """A number, and no boolean."""
    return type(value) in (int, float) and abs(value) <= _LARGEST


def yes_or_no(value: Any) -> bool:
    return isinstance(value, bool)


def nothing(value: Any) -> bool:
    return value is None


def one_of(*choices: str) -> Shape:
    return lambda value: isinstance(value, str) and value in choices


def either(*shapes: Shape) -> Shape:
    return lambda value: any(shape(value) for shape in shapes)


def maybe(shape: Shape) -> Shape:
    return either(nothing, shape)


def list_of(shape: Shape, most: int = MOST) -> Shape:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(shape, value))


def row_of(*shapes: Shape) -> Shape:
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(shapes)
        and all(shape(item) for shape, item in zip(shapes, value, strict=True))
    )


def table_of(key: Shape, shape: Shape, most: int = MOST) -> Shape:
    """An object with any keys of a shape, and values of another one."""
    return lambda value: (
        isinstance(value, dict)
        and len(value) <= most
        and all(key(name) and shape(item) for name, item in value.items())
    )


def object_of(
    needed: Mapping[str, Shape],
    optional: Mapping[str, Shape] | None = None,
    others: Shape | None = None,
) -> Shape:
    """An object. `needed`: key -> shape of its value, of those that are there. `optional`: of those
    that may be there. `others`: of any other key; None where there is no other.
    """
    known = {**(optional or {}), **needed}

    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not needed.keys() <= value.keys():
            return False
        return all(
            known[name](item) if name in known else others is not None and others(item)
            for name, item in value.items()
        )

    return fits


def anything(value: Any) -> bool:
    """Any JSON that can be written again: of `DEEPEST` levels at most."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            item
            for each in level
            if isinstance(each, (list, dict))
            for item in (each if isinstance(each, list) else each.values())
        ]
        if not level:
            return True
    return False


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?", re.ASCII)


def moment(value: Any) -> bool:
    """A moment as the workspace writes it; of a search by hand the day alone is known."""
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


# What each action of the log writes: what its line is about, and what stands before and after.
# Lines may come from a file: an archive that somebody has made. None is imported that is not as the
# program writes it, and none is undone. Its object is a name within the project, and no row.

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
#: What people have said of a work: `works/works.py`.
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
class ActionShape:
    """What an action writes. `object`: kind of what its lines are about, a key of `_OBJECTS`.
    `both`: whether the two belong together.
    """

    object: str
    before: Shape = anything
    after: Shape = anything
    both: Callable[[Any, Any], bool] = lambda before, after: True


#: Action -> what it writes.
ACTIONS: Mapping[str, ActionShape] = {
    "new project": ActionShape("project"),
    "edit project": ActionShape("project", _PROJECT, _PROJECT, _same_keys),
    "import project": ActionShape("project"),
    "new strategy": ActionShape("strategy"),
    "edit strategy": ActionShape("strategy", _STRATEGY, _STRATEGY, _same_keys),
    "copy strategy": ActionShape("strategy"),
    "new step": ActionShape("step"),
    "edit step": ActionShape("step", _STEP, _STEP),
    "remove step": ActionShape("step"),
    "import file": ActionShape("step"),
    "add known works": ActionShape("project"),
    "remove known work": ActionShape("project"),
    "add other source": ActionShape("other_source"),
    "edit other source": ActionShape("other_source"),
    "remove other source": ActionShape("other_source"),
    "finish report": ActionShape("report"),
    SIGN: ActionShape("report"),
    work_checks.CHECK: ActionShape(
        "project", after=object_of({"works": whole(), "told": list_of(is_uid)})
    ),
    decisions.MARK: ActionShape("works", _MARKED, _MARKED, _same_works),
    IMPORT: ActionShape("works", _MARKED, _MARKED, _same_works),
    decisions.TAG: ActionShape("works", _TAGGED, _TAGGED),
    decisions.NOTE: ActionShape("works", _NOTED, _NOTED, _same_works),
    pins.PIN: ActionShape("pin", _PIN, _PIN, _one_pin),
    pins.UNPIN: ActionShape("pin", _PIN, _PIN, _one_pin),
    groups.ACTION: ActionShape("works", _JOINED, list_of(anything)),
    groups.VOTES: ActionShape("works", _MARKED, _MARKED),
    teams.BEGIN: ActionShape("stage"),
    teams.CHANGE: ActionShape("stage"),
    teams.END: ActionShape("stage"),
    conflicts.RESOLVE: ActionShape("works", _RESOLUTIONS, _RESOLUTIONS, _same_works),
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
