"""What is new in a run of a saved search, by what its works are called and never by their dates.

Databases index works weeks after they appear, correct them, and are added to a set of sources: a
date says little of whether a person has seen a work. So a work is new where none of its names was
found in an earlier run. Nothing here knows of files or sources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from metasearch.bib.work_ids import identifiers
from metasearch.dedup import Fingerprint, fingerprint
from metasearch.record import Hit, Record
from metasearch.workspace.runs.keys import named
from metasearch.workspace.saved.told import Kind

#: Names of a hit that are compared; a hit that has more is a merge that has gone wrong.
MOST_NAMES = 500
#: Characters of a name; a longer one is cut, and told from others by its hash.
LONGEST_NAME = 200
#: News of one run; what is more waits for the next one.
MOST_NEWS = 1_000
#: What is told first, where not all can be.
_FIRST: Sequence[Kind] = ("retracted", "version", "new", "late")
#: What sources say of a work, the gravest last.
_SAID = ("", "corrected", "retracted")
_NOTICES = frozenset({"erratum", "retraction"})


class State(NamedTuple):
    """What was known of a work when it was last found. `said`: of it: 0 nothing, 1 that it was
    corrected, 2 that it was retracted.
    """

    preprint: bool = False
    said: int = 0

    def __str__(self) -> str:
        return " ".join(filter(None, ("preprint" if self.preprint else "", _SAID[self.said])))

    @classmethod
    def of(cls, text: str) -> State:
        """The state of a text that `str` wrote."""
        words = text.split()
        return cls(
            "preprint" in words,
            max((_SAID.index(word) for word in words if word in _SAID), default=0),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A work that a run has found. `names`: of all its records, sorted: keys, DOIs and other
    identifiers. `published`: sources that gave it in a form that is no preprint.
    """

    hit: Hit
    names: tuple[str, ...]
    state: State
    sources: frozenset[str]
    published: frozenset[str]

    @classmethod
    def of(cls, hit: Hit) -> Found:
        """What of a hit is compared."""
        prints = [fingerprint(record) for record in hit.records]
        published = {each.record.source for each in prints if each.form != "preprint"}
        names = sorted({name for record in hit.records for name in names_of(record)})
        return cls(
            hit,
            tuple(names[:MOST_NAMES]),
            State(not published, _said(prints)),
            frozenset(hit.sources),
            frozenset(published),
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """A work, and whether it is told. `kind`: what it is told as; None where it is not. `state`: to
    be kept under all its names.
    """

    found: Found
    kind: Kind | None
    state: State


class News(NamedTuple):
    """What a run tells, and what it keeps.

    Attributes:
        seen: All works whose names are kept.
        told: Those of them that are told, in the order of the list.
        waiting: New works that are left for the next run, because one tells no more; their names
            are not kept.
        passed_over: Late works that are not told for the same reason; their names are kept.
    """

    seen: tuple[Judged, ...]
    told: tuple[Judged, ...]
    waiting: int
    passed_over: int


def names_of(record: Record) -> list[str]:
    """What a record, and with it its work, is called."""
    # The ISBN of a book is that of each of its chapters, too.
    own = [
        name
        for name in identifiers(record)
        if record.type == "book" or not name.startswith("isbn:")
    ]
    return [_bounded(name) for name in (named(record).key, *own)]


def judge(
    found: Iterable[Found],
    known: Mapping[str, State],
    *,
    answered: Collection[str],
    year: int,
    baseline: bool = False,
) -> News:
    """Decide what is told of the works of a run.

    Args:
        found: In the order of the list.
        known: Name -> state, of the names that earlier runs have found.
        answered: The sources that answered in full in the run before.
        year: The year in which the run is made.
        baseline: Whether only retractions are told.
    """
    judged = [_judged(one, known, answered, year, baseline) for one in found]
    left: set[int] = set()
    waiting = passed_over = 0
    places = [at for at, one in enumerate(judged) if one.kind is not None]
    if len(places) > MOST_NEWS:
        # Stable: within a kind the first ones of the list are told.
        places.sort(key=lambda at: _FIRST.index(judged[at].kind or "late"))
        for at in places[MOST_NEWS:]:
            if judged[at].kind == "late":
                # Its source has answered by the next run, which would tell all of them as new.
                judged[at] = Judged(judged[at].found, None, judged[at].state)
                passed_over += 1
            else:
                left.add(at)
                waiting += 1
    seen = tuple(one for at, one in enumerate(judged) if at not in left)
    return News(seen, tuple(one for one in seen if one.kind is not None), waiting, passed_over)


def _judged(
    found: Found, known: Mapping[str, State], answered: Collection[str], year: int, baseline: bool
) -> Judged:
    states = [known[name] for name in found.names if name in known]
    if not states:
        fresh = _is_fresh(found, found.sources, answered, year)
        return Judged(found, None if baseline else "new" if fresh else "late", found.state)
    was = State(all(state.preprint for state in states), max(state.said for state in states))
    # A source that fails does not take back what it has said.
    state = State(was.preprint and found.state.preprint, max(was.said, found.state.said))
    kind: Kind | None = None
    if state.said > was.said:
        kind = "retracted"
    elif was.preprint and not state.preprint and not baseline:
        kind = "version" if _is_fresh(found, found.published, answered, year) else "late"
    return Judged(found, kind, state)


def _is_fresh(found: Found, sources: Collection[str], answered: Collection[str], year: int) -> bool:
    """Whether these sources give a work that they would have given in the run before, if it had
    been there: one of them answered then. A work of this or last year is fresh in any case.
    """
    if any(source in answered for source in sources):
        return True
    return any(
        record.year is not None and record.year >= year - 1
        for record in found.hit.records
        if record.source in sources
    )


def _said(prints: Sequence[Fingerprint]) -> int:
    """The gravest thing that the records of a work say of it."""
    if any(each.record.retracted for each in prints):
        return _SAID.index("retracted")
    notices = {
        kind for each in prints for kind in (each.record.type, each.notice) if kind in _NOTICES
    }
    # A notice alone is a work of its own: it says nothing of itself.
    if all(each.record.type in _NOTICES or each.notice in _NOTICES for each in prints):
        return 0
    return _SAID.index("retracted") if "retraction" in notices else 1 if notices else 0


def _bounded(name: str) -> str:
    name = name.encode("utf-8", "replace").decode()
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[: LONGEST_NAME - len(digest) - 1]}~{digest}"
