"""What can be asked of a server with users about who works on a project: members, invitations,
signatures. A server without users has none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from metasearch.server.faces.openapi import workspace_screening
from metasearch.server.faces.openapi.operation import JSON, Operation
from metasearch.server.faces.openapi.parameters import parameter
from metasearch.server.faces.openapi.schema import (
    Schema,
    explained,
    listed,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.faces.openapi.workspace_operation import (
    CHANGED,
    READ,
    body,
    operation,
    query,
)
from metasearch.server.faces.workspace import admin, signing, team
from metasearch.workspace.reports.kinds import KINDS
from metasearch.workspace.reports.signatures import ROLES, Signature
from metasearch.workspace.users.permissions import PROJECT_ROLES

TAG = "Users"
#: Behind `BASE`.
_MEMBERS = "/{project}/members"
_SIGNATURES = "/{project}/reports/{kind}/signatures"
_ROLE = one_of(PROJECT_ROLES)
SCHEMAS: Mapping[str, Schema] = {
    **workspace_screening.SCHEMAS,
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
    for each in (*_members(), *workspace_screening.operations(), *_signatures()):
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
        body=body(team.INVITE),
        status=201,
        description="Nobody is made a member by a name: who asks would learn who has an account.",
    )
    yield operation(
        f"{_MEMBERS}/{{user}}",
        "changeMember",
        "Change the role of a member, or remove one",
        "ChangedMember",
        user,
        body=body(team.CHANGE),
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
        *query(signing.SIGNED),
        further=(400,),
    )
    yield operation(
        _SIGNATURES,
        "signReport",
        "Sign a finished report of a novelty search",
        "Signature",
        kind,
        body=body(signing.SIGN),
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
        body=body(admin.OWN),
        errors=CHANGED,
    )
