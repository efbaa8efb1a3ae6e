"""What can be asked of a server with users about teams: screening, members, invitations,
signatures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated

from metasearch.review.openapi import body, of, operation, query
from metasearch.review.projects import team_api
from metasearch.review.projects.members import ProjectMember
from metasearch.review.reports.reports import Signature
from metasearch.review.screening import api, objects
from metasearch.review.screening.conflicts import Kappa
from metasearch.review.users.permissions_and_quotas import PROJECT_ROLES
from metasearch.server.protocols.openapi.operation import (
    Operation,
    Schema,
    list_of,
    members,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.openapi.parameters import parameter

TAG = "Users"
_operation = partial(operation, tag=TAG)
_HERE = "/{project}/screening"
_PERSON = thing({"by": text(description="The uid of a user."), "name": text()})
_TEAM = of(objects.TEAM, team=list_of(_PERSON, description="Who screens it, and how."))
SCREENING_SCHEMAS: Mapping[str, Schema] = {
    "Screening": thing(
        {"stages": list_of(thing({**_TEAM, **of(objects.PROGRESS)}))},
        description="The stages that a team screens or has screened.",
    ),
    "ScreenerProgress": thing(of(objects.SCREENER)),
    "Conflicts": thing(
        {
            "total": whole(),
            "conflicts": list_of(
                thing({"work": ref("WorkLine"), "votes": list_of(ref("Vote"))}),
            ),
        }
    ),
    "Vote": thing(of(objects.VOTE)),
    "Agreement": thing(
        {"stages": list_of(thing(of(objects.AGREEMENT)))},
        description="Cohen's kappa of each pair of screeners (Cohen 1960).",
    ),
    "Pair": thing({"first": _PERSON, "second": _PERSON, **members(Kappa)}),
}


def _screening() -> Iterator[Operation]:
    yield _operation(
        _HERE,
        "screening",
        "The stages that a team screens, and how far each is",
        "Screening",
        description="Who screens a stage blind is told of their own votes alone.",
    )
    yield _operation(
        _HERE,
        "changeScreening",
        "Let a team begin to screen a stage, change it, or end it",
        "Screening",
        body=body(api.CHANGE),
        description="Votes are given as decisions: of a screener of the stage each is a vote.",
    )
    yield _operation(
        f"{_HERE}/conflicts",
        "conflicts",
        "Works whose votes differ, with all votes",
        "Conflicts",
        *query(api.CONFLICTS),
        further=(400,),
    )
    yield _operation(
        f"{_HERE}/resolve",
        "resolveConflicts",
        "Decide on works whose votes differ",
        "ChangedWorks",
        body=body(api.RESOLVE),
        description="By the owner, or by a screener who has not voted on them. It holds for just "
        "these votes.",
    )
    yield _operation(
        f"{_HERE}/agreement",
        "agreement",
        "How far the screeners of each stage agree",
        "Agreement",
    )


#: Behind `BASE`.
_MEMBERS = "/{project}/members"
_SIGNATURES = "/{project}/reports/{kind}/signatures"
_ROLE = one_of(PROJECT_ROLES)
SCHEMAS: Mapping[str, Schema] = {
    **SCREENING_SCHEMAS,
    "Members": thing(
        {
            "members": list_of(ref("Member")),
            "invitations": list_of(
                thing(of(team_api.INVITATION)),
                description="Links that can be used; there for owners alone.",
            ),
        },
        optional=("invitations",),
    ),
    "Member": thing(
        members(
            ProjectMember,
            name=Annotated[str, "What is typed at the login."],
            shown=Annotated[str, "The name for people."],
            disabled=Annotated[bool, "Whether the user cannot log in now."],
        )
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
    "Signatures": thing({"signatures": list_of(ref("Signature"))}),
    "Signature": thing(members(Signature)),
    "AllProjects": thing(
        {
            "projects": list_of(
                thing(
                    {
                        **dict.fromkeys(("uid", "name", "kind", "title", "created"), text()),
                        "archived": yes_or_no(),
                        "owners": list_of(thing({"uid": text(), "shown": text()})),
                    }
                )
            )
        }
    ),
    "OwnedProject": thing({"project": text(), "role": _ROLE}),
}


def operations() -> Iterator[Operation]:
    yield from _members()
    yield from _screening()
    yield from _signatures()
    yield from _administration()


def _members() -> Iterator[Operation]:
    user = parameter("user", text(), "The uid of the member.", place="path")
    number = parameter("number", whole(minimum=1), "Of the link.", place="path")
    yield _operation(_MEMBERS, "members", "The members of a project", "Members")
    yield _operation(
        _MEMBERS,
        "inviteMember",
        "Make a link by which one user becomes a member",
        "Invitation",
        body=body(team_api.INVITE),
        status=201,
        description="Nobody is made a member by a name: who asks would learn who has an account.",
    )
    yield _operation(
        f"{_MEMBERS}/{{user}}",
        "changeMember",
        "Change the role of a member, or remove one",
        "ChangedMember",
        user,
        body=body(team_api.CHANGE_ROLE),
        description="The last owner of a project stays.",
    )
    yield _operation(
        f"{_MEMBERS}/leave",
        "leaveProject",
        "Be a member of a project no more",
        "ChangedMember",
        body=body({}),
    )
    yield _operation(
        f"{_MEMBERS}/invitations/{{number}}",
        "revokeInvitation",
        "Have a link end now",
        "RevokedInvitation",
        number,
        body=body({}),
    )


def _signatures() -> Iterator[Operation]:
    yield _operation(
        _SIGNATURES,
        "signatures",
        "Who has signed a finished report",
        "Signatures",
        *query(team_api.SIGNED),
        further=(400,),
    )
    yield _operation(
        _SIGNATURES,
        "signReport",
        "Sign a finished report of a novelty search",
        "Signature",
        body=body(team_api.SIGN),
        status=201,
        description="The user of the token signs. A signature stays.",
    )


def _administration() -> Iterator[Operation]:
    base = "/api/admin/projects"
    yield _operation(
        "",
        "allProjects",
        "All projects with their owners, for administrators",
        "AllProjects",
        base=base,
    )
    yield _operation(
        "",
        "ownProject",
        "Become an owner of a project, as an administrator",
        "OwnedProject",
        base=base,
        body=body(team_api.OWN),
        description="The audit log tells it.",
    )
