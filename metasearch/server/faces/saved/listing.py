"""`/saved`: one's saved searches, and the form for a new one."""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from multidict import MultiMapping

from metasearch.server.faces.projects.opened import after_form, unknown_form
from metasearch.server.faces.saved.mine import Mine, mine
from metasearch.server.forms import posted
from metasearch.server.hosts import check_host
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.saved.listing import Line, SavedList, saved_page
from metasearch.server.received import only
from metasearch.server.visit import visit_of
from metasearch.workspace.saved import outbox

#: Characters of what the address offers for the form.
_LONGEST = 20_000
#: Parameter of a search -> field of the form.
_OFFERED = {"q": "query", "syntax": "syntax", "sources": "sources", "year": "years"}


async def answer(request: web.Request) -> web.Response:
    """The page, or a new saved search."""
    here = mine(request)
    check_host(request)

    async def render(said: Said) -> str:
        lines = [
            Line(each.saved, each.runs[0] if each.runs else None, each.count)
            for each in await here.all()
        ]
        mails = await here.mails() if here.sends_mails else None
        shown = SavedList(lines, mails, _offered(request.query))
        return saved_page(visit_of(request), shown, said, only(request.query, "done"))

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _done(here, fields), render)


async def _done(here: Mine, fields: MultiMapping[str]) -> str:
    match only(fields, "do"):
        case "save":
            made = await here.create(
                **asked(fields), email=here.sends_mails and only(fields, "email") == "yes"
            )
            return here.site.path(f"/saved/{made.uid}", done="saved")
        case "mails-on" | "mails-off" as do:
            await mails(here, on=do == "mails-on")
            return here.site.path("/saved", done=do)
    raise unknown_form()


async def mails(here: Mine, *, on: bool) -> None:
    """Switch all e-mails on or off."""
    change = outbox.switch_on if on else outbox.switch_off
    await here.workspace.write(change, here.owner)


def asked(fields: MultiMapping[str]) -> dict[str, object]:
    """The fields of a saved search."""
    names = only(fields, "sources").replace("，", ",").replace("、", ",")
    return {
        "name": only(fields, "name").strip(),
        "query": only(fields, "query").strip(),
        "syntax": only(fields, "syntax") or "auto",
        "years": only(fields, "years").strip(),
        "sources": tuple(filter(None, (name.strip() for name in names.split(",")))),
        "schedule": only(fields, "schedule"),
    }


def _offered(query: MultiMapping[str]) -> Mapping[str, str]:
    """What a link to the form has of a search."""
    offered = {
        field: only(query, name)[:_LONGEST] for name, field in _OFFERED.items() if name in query
    }
    if offered.get("query"):
        offered["name"] = offered["query"][:80]
    return offered
