"""`/api/projects/UID/other-sources`: websites, citations, contacts, with their numbers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.workspace.members import VERSION, Member, Members, body_of
from metasearch.server.faces.workspace.opened import (
    answer,
    found,
    numbered,
    opened,
    project_of,
)
from metasearch.workspace import other_sources

_NUMBERS = ("identified", "sought", "not_retrieved")


def _number(said: str) -> Member:
    return Member(help=said, kind="whole", most=other_sources.MOST_REPORTS)


_REST: Members = {
    "how": Member(help="What was done, as the report prints it.", most=other_sources.LONGEST_HOW),
    "date": Member(help="When: `2026-05-03`.", most=40, example="2026-05-03"),
    "identified": _number("Records that were found. A number that is not known is left out."),
    "sought": _number("Reports that were sought of them."),
    "not_retrieved": _number("Reports that could not be had."),
    "excluded": Member(
        help="Reason -> reports that were read and left out.",
        kind="object",
        example={"wrong population": 2},
    ),
}
NEW: Members = {
    "kind": Member(
        help="What kind of way it is.",
        required=True,
        choices=other_sources.KINDS,
        example="website",
    ),
    "name": Member(
        help="Of the website, the organisation or the person.",
        required=True,
        most=other_sources.LONGEST_NAME,
        example="Gambling commission",
    ),
    **_REST,
}
CHANGED: Members = {
    "kind": Member(help="The new kind.", choices=other_sources.KINDS),
    "name": Member(help="The new name.", most=other_sources.LONGEST_NAME),
    **_REST,
    "unknown": Member(
        help="Numbers that are not known after all.",
        kind="texts",
        choices=_NUMBERS,
        most=len(_NUMBERS),
    ),
    "removed": Member(help="True removes it.", kind="flag"),
    "version": VERSION,
}


async def listing(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources`: the list, or a new one."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(other_sources.of, project)
        return answer({"other_sources": [asdict(each) for each in listed]})
    given = await body_of(request, NEW)
    made = await here.workspace.write(
        other_sources.add, project, given.pop("kind"), given.pop("name"), by=here.by, **given
    )
    return answer(asdict(made), status=201)


async def one(request: web.Request) -> web.Response:
    """`/api/projects/UID/other-sources/N`: a change of one, or its removal. Raises Conflict: 409
    for one that was made with an older version.
    """
    here = opened(request)
    project = await project_of(request, here)
    number = numbered(request, "number")
    given = await body_of(request, CHANGED)
    await found(here.workspace.read(other_sources.find, project, number))
    version = given.pop("version", None)
    if given.pop("removed", False):
        if given:
            raise UsageError(message("another source is removed or changed, not both"))
        await here.workspace.write(
            other_sources.remove, project, number, version=version, by=here.by
        )
        return answer({"removed": number})
    made = await here.workspace.write(
        other_sources.edit, project, number, _changes(given), version=version, by=here.by
    )
    return answer(asdict(made))


def _changes(given: dict[str, Any]) -> dict[str, Any]:
    """The new values of attributes; None for numbers that are unknown. Raises UsageError: a number
    is given, and called unknown.
    """
    unknown = given.pop("unknown", ())
    for name in unknown:
        if name in given:
            raise UsageError(message("{name} is given a number, and called unknown", name=name))
    return given | dict.fromkeys(unknown)
