"""`/api/projects/UID/screening`: what a team screens, how far it is, conflicts, agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from aiohttp import web

from metasearch.message import message
from metasearch.review import objects
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    opened,
    parameters_of,
    project_of,
)
from metasearch.review.objects import Object
from metasearch.review.openapi import CHANGED, READ, body, operation, query
from metasearch.review.projects import api as members_api
from metasearch.review.projects.projects import Project
from metasearch.review.reports import api as signatures_api
from metasearch.review.reports.reports import KINDS, ROLES, Signature
from metasearch.review.screening import conflicts, teams
from metasearch.review.screening import conflicts as agreement
from metasearch.review.screening.conflicts import Agreement, Kappa, Progress, ScreenerProgress
from metasearch.review.screening.teams import Team
from metasearch.review.screening.votes import Vote
from metasearch.review.store.database import Database
from metasearch.review.users.permissions import PROJECT_ROLES
from metasearch.review.works.api import WORKS, chosen
from metasearch.review.works.decisions import Changed
from metasearch.review.works.works import LONGEST_REASON, STAGES, VERDICTS
from metasearch.server.identity import allowed
from metasearch.server.problem import Problem
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

_WITHDRAWN = "undecided"
_STAGE = Member(help="By title and abstract, or by the whole text.", choices=STAGES)
CHANGE: Members = {
    "stage": Member(help=_STAGE.help, choices=STAGES, required=True, example="title"),
    "do": Member(
        help="What is to be done: let a team begin, change it, or end it.",
        choices=("begin", "change", "end"),
        required=True,
        example="begin",
    ),
    "screeners": Member(
        help="With `begin`: uids of the screeners.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
        example=["k3v9x2m7q4td", "p8w2n5r7c3fb"],
    ),
    "needed": Member(
        help="Votes that decide on a work; 2 without it.",
        kind="whole",
        least=1,
        most=teams.MOST_NEEDED,
    ),
    "blind": Member(
        help="Whether nobody sees a vote before the work has all of them; so it is without it.",
        kind="flag",
    ),
    "add": Member(
        help="With `change`: uids of further screeners.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
    ),
    "remove": Member(
        help="With `change`: uids of screeners who leave; their votes stay.",
        kind="texts",
        most=teams.MOST_SCREENERS,
        longest=teams.LONGEST_UID,
    ),
}
CONFLICTS: Members = {
    "stage": _STAGE,
    "start": Member(help="Skip so many works.", kind="whole", most=10**9 - 1),
    "count": Member(
        help="At most so many works, 20 without it.", kind="whole", most=conflicts.MOST
    ),
}
RESOLVE: Members = {
    **WORKS,
    "verdict": Member(
        help="`undecided` takes a resolution back.",
        required=True,
        choices=(*VERDICTS, _WITHDRAWN),
        example="excluded",
    ),
    "stage": _STAGE,
    "reason": Member(help="Why.", most=LONGEST_REASON, example="both read the whole text again"),
}
#: Action of a POST -> members that it takes, beside stage and action.
_TAKES: Mapping[str, frozenset[str]] = {
    "begin": frozenset({"screeners", "needed", "blind"}),
    "change": frozenset({"add", "remove", "needed", "blind"}),
    "end": frozenset(),
}


async def screening_(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening`: the stages that a team screens, or a change of one."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method == "POST":
        given = await body_of(request, CHANGE)
        await here.workspace.write(_changed, project, given, here.by)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_progress, project, here.by))


async def conflicts_(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/conflicts`: works whose votes differ, with all of them."""
    here = opened(request)
    project = await project_of(request, here)
    asked = parameters_of(request.query, CONFLICTS)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_conflicts, project, asked))


async def resolve(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/resolve`: decides on works whose votes differ."""
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, RESOLVE)
    made = await here.workspace.write(
        _resolved, project, given, here.by, owner=allowed(request, "resolve")
    )
    return answer(asdict(made))


async def agreement_(request: web.Request) -> web.Response:
    """`/api/projects/UID/screening/agreement`: Cohen's kappa of each pair of screeners."""
    here = opened(request)
    project = await project_of(request, here)
    async with here.shared.admission.brief():
        return answer(await here.workspace.read(_agreement, project))


def _changed(db: Database, project: Project, given: dict[str, Any], by: str) -> None:
    stage, do = given.pop("stage"), given.pop("do")
    wrong = sorted(given.keys() - _TAKES[do])
    if wrong:
        reason = message("is no member of {action}", action=do)
        raise Problem.bad_parameters([{"parameter": name, "reason": reason} for name in wrong])
    match do:
        case "begin":
            teams.begin(db, project, stage, given.pop("screeners", ()), **given, by=by)
        case "change":
            teams.change(db, project, stage, **given, by=by)
        case _:
            teams.end(db, project, stage, by=by)


def _progress(db: Database, project: Project, by: str) -> Object:
    return objects.screening(db, conflicts.progress(db, project, by))


def _conflicts(db: Database, project: Project, asked: dict[str, Any]) -> Object:
    stage = asked.pop("stage", "title")
    return objects.conflicts(db, conflicts.conflicts(db, project, stage, **asked))


def _resolved(
    db: Database, project: Project, given: dict[str, Any], by: str, *, owner: bool
) -> Changed:
    with db.transaction():
        uids = chosen(db, project, given, by)
        verdict = given.pop("verdict")
        return conflicts.resolve(
            db,
            project,
            uids,
            None if verdict == _WITHDRAWN else verdict,
            owner=owner,
            by=by,
            **given,
        )


def _agreement(db: Database, project: Project) -> Object:
    return objects.agreement(db, agreement.agreement(db, project))


# What can be asked of a server with users about teams: screening, members, invitations,
# signatures.
#
# What can be asked of a server with users about stages that a team screens.

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
        body=body(CHANGE),
        description="Votes are given as decisions: of a screener of the stage each is a vote.",
    )
    yield operation(
        f"{_HERE}/conflicts",
        "conflicts",
        "Works whose votes differ, with all votes",
        "Conflicts",
        *query(CONFLICTS),
        further=(400,),
    )
    yield operation(
        f"{_HERE}/resolve",
        "resolveConflicts",
        "Decide on works whose votes differ",
        "ChangedWorks",
        body=body(RESOLVE),
        description="By the owner, or by a screener who has not voted on them. It holds for just "
        "these votes.",
    )
    yield operation(
        f"{_HERE}/agreement",
        "agreement",
        "How far the screeners of each stage agree",
        "Agreement",
    )


# What can be asked of a server with users about who works on a project: members, invitations,
# signatures. A server without users has none of it.

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
        body=body(members_api.INVITE),
        status=201,
        description="Nobody is made a member by a name: who asks would learn who has an account.",
    )
    yield operation(
        f"{_MEMBERS}/{{user}}",
        "changeMember",
        "Change the role of a member, or remove one",
        "ChangedMember",
        user,
        body=body(members_api.CHANGE_ROLE),
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
        *query(signatures_api.SIGNED),
        further=(400,),
    )
    yield operation(
        _SIGNATURES,
        "signReport",
        "Sign a finished report of a novelty search",
        "Signature",
        kind,
        body=body(signatures_api.SIGN),
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
        body=body(members_api.OWN),
        errors=CHANGED,
    )
