"""What can be asked of a server with users about teams: screening, members, invitations,
signatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from metasearch.review.openapi import CHANGED, READ, body, operation, query
from metasearch.review.projects import team_api
from metasearch.review.reports.reports import KINDS, ROLES, Signature
from metasearch.review.screening import api
from metasearch.review.screening.conflicts import Agreement, Kappa, Progress, ScreenerProgress
from metasearch.review.screening.teams import Team
from metasearch.review.screening.votes import Vote
from metasearch.review.users.permissions import PROJECT_ROLES
from metasearch.review.works.works import STAGES, VERDICTS
from metasearch.server.protocols.openapi.operation import (
    JSON,
    Operation,
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
from metasearch.server.protocols.openapi.parameters import parameter

_HERE = "/{project}/screening"
_PERSON = thing({"by": text(description="The uid of a user."), "name": text()})
SCREENING_SCHEMAS: Mapping[str, Schema] = {
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


def screening_operations() -> Iterator[Operation]:
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
        body=body(api.CHANGE),
        description="Votes are given as decisions: of a screener of the stage each is a vote.",
    )
    yield operation(
        f"{_HERE}/conflicts",
        "conflicts",
        "Works whose votes differ, with all votes",
        "Conflicts",
        *query(api.CONFLICTS),
        further=(400,),
    )
    yield operation(
        f"{_HERE}/resolve",
        "resolveConflicts",
        "Decide on works whose votes differ",
        "ChangedWorks",
        body=body(api.RESOLVE),
        description="By the owner, or by a screener who has not voted on them. It holds for just "
        "these votes.",
    )
    yield operation(
        f"{_HERE}/agreement",
        "agreement",
        "How far the screeners of each stage agree",
        "Agreement",
    )


TAG = "Users"
#: Behind `BASE`.
_MEMBERS = "/{project}/members"
_SIGNATURES = "/{project}/reports/{kind}/signatures"
_ROLE = one_of(PROJECT_ROLES)
SCHEMAS: Mapping[str, Schema] = {
    **SCREENING_SCHEMAS,
    "Members": thing(
        {
            "members": listed(
                thing(
                    {
                        "uid": text(),
                        "name": text(description="What is typed at the login."),
                        "shown": text(description="The name for people."),
                        "role": _ROLE,
                        "added": text(),
                        "disabled": yes_or_no(description="Whether the user cannot log in now."),
                    }
                )
            ),
            "invitations": listed(
                thing(
                    {
                        "number": whole(),
                        "role": _ROLE,
                        "by": text(),
                        "by_name": text(),
                        "created": text(),
                        "expires": text(),
                    }
                ),
                description="Links that can be used; there for owners alone.",
            ),
        },
        optional=("invitations",),
    ),
    "Invitation": thing(
        {
            "link": text(description="The address; it is not shown again."),
            "role": _ROLE,
            "expires": text(),
            "number": whole(description="By which it is revoked."),
        }
    ),
    "ChangedMember": {
        "anyOf": [
            thing({"role": _ROLE}),
            thing({"removed": text(description="The uid of the user.")}),
        ]
    },
    "RevokedInvitation": thing({"revoked": whole()}),
    "Signatures": thing({"signatures": listed(ref("Signature"))}),
    "Signature": thing(
        explained(
            {
                "role": one_of(ROLES),
                **dict.fromkeys(("by", "name", "digest", "at"), text()),
            },
            Signature,
        )
    ),
    "AllProjects": thing(
        {
            "projects": listed(
                thing(
                    {
                        **dict.fromkeys(("uid", "name", "kind", "title", "created"), text()),
                        "archived": yes_or_no(),
                        "owners": listed(thing({"uid": text(), "shown": text()})),
                    }
                )
            )
        }
    ),
    "OwnedProject": thing({"project": text(), "role": _ROLE}),
}


def operations() -> Iterator[Operation]:
    """All of them."""
    for each in (*_members(), *screening_operations(), *_signatures()):
        yield replace(each, tag=TAG)
    yield from _administration()


def _members() -> Iterator[Operation]:
    user = parameter("user", text(), "The uid of the member.", place="path")
    number = parameter("number", whole(minimum=1), "Of the link.", place="path")
    yield operation(_MEMBERS, "members", "The members of a project", "Members")
    yield operation(
        _MEMBERS,
        "inviteMember",
        "Make a link by which one user becomes a member",
        "Invitation",
        body=body(team_api.INVITE),
        status=201,
        description="Nobody is made a member by a name: who asks would learn who has an account.",
    )
    yield operation(
        f"{_MEMBERS}/{{user}}",
        "changeMember",
        "Change the role of a member, or remove one",
        "ChangedMember",
        user,
        body=body(team_api.CHANGE_ROLE),
        description="The last owner of a project stays.",
    )
    yield operation(
        f"{_MEMBERS}/leave",
        "leaveProject",
        "Be a member of a project no more",
        "ChangedMember",
        body=body({}),
    )
    yield operation(
        f"{_MEMBERS}/invitations/{{number}}",
        "revokeInvitation",
        "Have a link end now",
        "RevokedInvitation",
        number,
        body=body({}),
    )


def _signatures() -> Iterator[Operation]:
    kind = parameter("kind", one_of(KINDS), "Which report.", place="path")
    yield operation(
        _SIGNATURES,
        "signatures",
        "Who has signed a finished report",
        "Signatures",
        kind,
        *query(team_api.SIGNED),
        further=(400,),
    )
    yield operation(
        _SIGNATURES,
        "signReport",
        "Sign a finished report of a novelty search",
        "Signature",
        kind,
        body=body(team_api.SIGN),
        status=201,
        description="The user of the token signs. A signature stays.",
    )


def _administration() -> Iterator[Operation]:
    path = "/api/admin/projects"
    yield Operation(
        path=path,
        id="allProjects",
        tag=TAG,
        summary="All projects with their owners, for administrators",
        answer={JSON: ref("AllProjects")},
        errors=READ,
    )
    yield Operation(
        path=path,
        id="ownProject",
        tag=TAG,
        summary="Become an owner of a project, as an administrator",
        description="The audit log tells it.",
        answer={JSON: ref("OwnedProject")},
        method="post",
        body=body(team_api.OWN),
        errors=CHANGED,
    )
