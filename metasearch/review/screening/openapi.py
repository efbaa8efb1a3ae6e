"""What can be asked of a server with users about stages that a team screens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metasearch.server.faces.openapi.operation import Operation
from metasearch.server.faces.openapi.schema import (
    Schema,
    by_name,
    explained,
    listed,
    nullable,
    number,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.faces.openapi.workspace_operation import body, operation, query
from metasearch.server.faces.workspace import screening
from metasearch.workspace.screening.agreement import Agreement, Kappa
from metasearch.workspace.screening.progress import Progress, ScreenerProgress
from metasearch.workspace.screening.teams import Team
from metasearch.workspace.screening.votes import Vote
from metasearch.workspace.works.works import STAGES, VERDICTS

_HERE = "/{project}/screening"
_PERSON = thing({"by": text(description="The uid of a user."), "name": text()})
SCHEMAS: Mapping[str, Schema] = {
    "Screening": thing(
        {
            "stages": listed(
                thing(
                    explained(
                        {
                            "stage": one_of(STAGES),
                            "needed": whole(),
                            "blind": yes_or_no(),
                            "created": text(),
                            "ended": nullable(text()),
                            "team": listed(_PERSON),
                            "works": whole(),
                            "decided": whole(),
                            "conflicts": whole(),
                            "votes": nullable(by_name(whole())),
                            "screeners": listed(
                                thing(
                                    explained(
                                        {
                                            "by": text(),
                                            "name": text(),
                                            "done": whole(description="Works voted on."),
                                            "left": whole(description="Works that wait."),
                                        },
                                        ScreenerProgress,
                                    )
                                )
                            ),
                        },
                        Progress,
                        Team,
                    )
                )
            )
        },
        description="The stages that a team screens or has screened.",
    ),
    "Conflicts": thing(
        {
            "total": whole(),
            "conflicts": listed(
                thing(
                    {
                        "work": ref("WorkLine"),
                        "votes": listed(
                            thing(
                                explained(
                                    {
                                        "by": text(),
                                        "name": text(),
                                        "verdict": one_of(VERDICTS),
                                        "reason": text(),
                                        "at": text(),
                                        "note": text(description="What they noted themselves."),
                                    },
                                    Vote,
                                )
                            )
                        ),
                    }
                )
            ),
        }
    ),
    "Agreement": thing(
        {
            "stages": listed(
                thing(
                    explained(
                        {
                            "stage": one_of(STAGES),
                            "blind": yes_or_no(),
                            "needed": whole(),
                            "works": whole(),
                            "independent": whole(),
                            "agreed": whole(),
                            "pairs": listed(
                                thing(
                                    explained(
                                        {
                                            "first": _PERSON,
                                            "second": _PERSON,
                                            "n": whole(),
                                            "agreed": whole(),
                                            **dict.fromkeys(
                                                ("observed", "expected", "kappa", "low", "high"),
                                                nullable(number()),
                                            ),
                                            "undefined": one_of(("", "no works", "one category")),
                                        },
                                        Kappa,
                                    )
                                )
                            ),
                        },
                        Agreement,
                    )
                )
            )
        },
        description="Cohen's kappa of each pair of screeners (Cohen 1960).",
    ),
}


def operations() -> Iterator[Operation]:
    """All of them."""
    yield operation(
        _HERE,
        "screening",
        "The stages that a team screens, and how far each is",
        "Screening",
        description="Who screens a stage blind is told of their own votes alone.",
    )
    yield operation(
        _HERE,
        "changeScreening",
        "Let a team begin to screen a stage, change it, or end it",
        "Screening",
        body=body(screening.CHANGE),
        description="Votes are given as decisions: of a screener of the stage each is a vote.",
    )
    yield operation(
        f"{_HERE}/conflicts",
        "conflicts",
        "Works whose votes differ, with all votes",
        "Conflicts",
        *query(screening.CONFLICTS),
        further=(400,),
    )
    yield operation(
        f"{_HERE}/resolve",
        "resolveConflicts",
        "Decide on works whose votes differ",
        "ChangedWorks",
        body=body(screening.RESOLVE),
        description="By the owner, or by a screener who has not voted on them. It holds for just "
        "these votes.",
    )
    yield operation(
        f"{_HERE}/agreement",
        "agreement",
        "How far the screeners of each stage agree",
        "Agreement",
    )
