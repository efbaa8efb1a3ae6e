"""What programs are shown of a team that screens: see `metasearch.review.objects`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

from metasearch.review.objects import Excerpt, Object, names, work_line
from metasearch.review.screening.conflicts import (
    Agreement,
    Conflicts,
    Pair,
    ScreenerProgress,
    StageProgress,
)
from metasearch.review.screening.teams import Team
from metasearch.review.screening.votes import Vote
from metasearch.review.store.database import Database
from metasearch.review.works.works import Stage

TEAM = Excerpt(Team, "stage needed blind created ended team")
PROGRESS = Excerpt(StageProgress, "works decided conflicts votes screeners")
SCREENER = Excerpt(
    ScreenerProgress,
    "by name done left",
    name=str,
    done=Annotated[int, "Works voted on."],
    left=Annotated[int, "Works that wait."],
)
VOTE = Excerpt(
    Vote,
    "by name verdict reason at note",
    name=str,
    note=Annotated[str, "What they noted themselves."],
)
AGREEMENT = Excerpt(Agreement, "stage blind needed works independent agreed pairs")


def screening(db: Database, shown: Mapping[Stage, StageProgress]) -> Object:
    """The stages that a team screens, and how far each is, as far as who asks may see it."""
    uids = {by for each in shown.values() for by in each.team.screeners}
    uids |= {one.by for each in shown.values() for one in each.screeners}
    called = names(db, uids)
    return {
        "stages": [
            TEAM(each.team, team=[_person(by, called) for by in each.team.screeners])
            | PROGRESS(
                each,
                votes=None
                if each.votes is None
                else {str(votes): works for votes, works in each.votes.items()},
                screeners=[SCREENER(one, name=called[one.by]) for one in each.screeners],
            )
            for each in shown.values()
        ]
    }


def conflicts(db: Database, shown: Conflicts) -> Object:
    called = names(db, {vote.by for each in shown.conflicts for vote in each.votes})
    return {
        "total": shown.total,
        "conflicts": [
            {
                "work": work_line(each.work),
                "votes": [
                    VOTE(vote, name=called[vote.by], note=each.notes.get(vote.by, ""))
                    for vote in each.votes
                ],
            }
            for each in shown.conflicts
        ],
    }


def agreement(db: Database, shown: Mapping[Stage, Agreement]) -> Object:
    """How far screeners agree; a kappa that is undefined is null, with the reason."""
    pairs = [pair for each in shown.values() for pair in each.pairs]
    called = names(db, {by for pair in pairs for by in (pair.first, pair.second)})
    return {
        "stages": [
            AGREEMENT(each, pairs=[_pair(pair, called) for pair in each.pairs])
            for each in shown.values()
        ]
    }


def _pair(pair: Pair, called: Mapping[str, str]) -> Object:
    return {
        "first": _person(pair.first, called),
        "second": _person(pair.second, called),
        **asdict(pair.kappa),
    }


def _person(by: str, called: Mapping[str, str]) -> Object:
    return {"by": by, "name": called[by]}
