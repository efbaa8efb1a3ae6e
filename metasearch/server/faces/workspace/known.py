"""`/api/projects/UID/known`: works that searches should find, and who finds or misses each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aiohttp import web

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.workspace.files import FILE, LARGEST, content_of
from metasearch.server.faces.workspace.members import Member, Members, body_of
from metasearch.server.faces.workspace.opened import answer, opened, project_of
from metasearch.server.faces.workspace.strategies import strategy_of
from metasearch.server.limits.permits import in_share
from metasearch.workspace import objects
from metasearch.workspace.runs import known as known_works
from metasearch.workspace.runs import validation

ADD: Members = {
    "lines": Member(
        help="A work a line: a DOI, `PMID 1`, `arxiv:` or `isbn:` with a number, or a title with "
        "its year in brackets.",
        most=known_works.MOST * (known_works.LONGEST + 1),
        example="10.1000/182\nGambling and debt (2019)",
    ),
    **FILE,
    "name": replace(
        FILE["name"],
        required=False,
        help="In place of `lines`: the name of a file, of one record or more.",
        example=None,
    ),
    "format": replace(FILE["format"], example=None),
}
REMOVE: Members = {
    "names": Member(
        help="As the list has them.",
        kind="texts",
        required=True,
        most=known_works.MOST,
        longest=known_works.LONGEST + 10,  # the title of a record, with its year
        example=["doi:10.1000/182"],
    )
}


@in_share("uploads", "POST")
async def known(request: web.Request) -> web.Response:
    """`/api/projects/UID/known`: the known works, or new ones."""
    here = opened(request)
    project = await project_of(request, here)
    if request.method != "POST":
        async with here.shared.admission.brief():
            listed = await here.workspace.read(known_works.of, project)
        return answer({"known": [objects.known(each) for each in listed]})
    given = await body_of(request, ADD, most=LARGEST + 1_000_000)
    if "lines" in given:
        if len(given) > 1:
            raise _one_of_both()
        added = await here.workspace.write(
            known_works.add_lines, project, given["lines"], by=here.by
        )
    else:
        content, name = _file(given)
        added = await here.workspace.work(
            known_works.add_file,
            project,
            content,
            name,
            by=here.by,
            **given,
        )
    return answer({"new": [objects.known(each) for each in added]})


async def remove(request: web.Request) -> web.Response:
    """`/api/projects/UID/known/remove`: removes known works, all that are named or none."""
    here = opened(request)
    project = await project_of(request, here)
    given = await body_of(request, REMOVE)
    await here.workspace.write(known_works.remove, project, given["names"], by=here.by)
    return answer({"removed": list(dict.fromkeys(given["names"]))})


async def validation_(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/validation`: steps and sources of each known work."""
    here, project, shown = await strategy_of(request)
    async with here.shared.admission.brief():
        made = await here.workspace.read(validation.validate, project, shown)
    return answer(objects.validation(shown, made))


def _file(given: dict[str, Any]) -> tuple[bytes, str]:
    """Content and name of the file in a body, of which they are taken out."""
    if "name" not in given:
        raise _one_of_both()
    return content_of(given), given.pop("name")


def _one_of_both() -> UsageError:
    return UsageError(
        message("known works are given as lines or as a file: one of both"),
        advice=message("A file has a name, and its text or its bytes in base64."),
    )
