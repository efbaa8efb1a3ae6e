"""`/saved/UID`: one saved search, its news, and what can be done with it."""

from __future__ import annotations

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.server.faces.projects.opened import after_form, unknown_form
from metasearch.server.faces.saved.listing import asked, mails
from metasearch.server.faces.saved.mine import Mine, mine
from metasearch.server.forms import posted
from metasearch.server.hosts import check_host
from metasearch.server.page_response import page_response
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.saved.one import SavedView, news_line, one_page
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.sources import labels
from metasearch.server.visit import visit_of
from metasearch.workspace.saved.saved import SavedSearch

#: News and runs of a page.
_NEWS, _RUNS = 50, 10
_LONGEST_NUMBER = 15


async def answer(request: web.Request) -> web.Response:
    """The page, or what its forms do."""
    here = mine(request)
    check_host(request)
    saved = await here.one()

    async def render(said: Said) -> str:
        view = await _view(here, saved, _number(only(request.query, "before")))
        return one_page(visit_of(request), view, said, only(request.query, "done"))

    if request.method != "POST":
        return page_response(request, await render(Said()))
    fields = await posted(request)
    return await after_form(request, fields, lambda: _done(here, saved, fields), render)


async def _view(here: Mine, saved: SavedSearch, before: int | None) -> SavedView:
    shown = await here.shown(saved, news=_NEWS + 1, runs=_RUNS, before=before)
    news = shown.news[:_NEWS]
    older = ""
    if len(shown.news) > _NEWS:
        older = here.site.path(f"/saved/{saved.uid}", before=news[-1].id)
    names = {source for run in shown.runs for source in run.sources}
    return SavedView(
        saved=shown.saved,
        news=[news_line(each) for each in news],
        count=shown.count,
        older=older,
        runs=shown.runs,
        labels=labels(here.shared.engine, names),
        mails=await here.mails() if here.sends_mails else None,
    )


async def _done(here: Mine, saved: SavedSearch, fields: MultiMapping[str]) -> str:
    """Does what a form says; the address that shows it."""
    do = only(fields, "do")
    path = f"/saved/{saved.uid}"
    match do:
        case "run":
            await here.run(saved)
        case "feed":
            await here.new_feed(saved)
        case "email":
            await here.change(saved, email=only(fields, "email") == "yes")
            do = "changed"
        case "resume":
            await here.change(saved, resume=True)
            do = "changed"
        case "change":
            await here.change(
                saved,
                **asked(fields),
                version=_number(only(fields, "version")),
                baseline=only(fields, "baseline") == "yes",
            )
            do = "changed"
        case "mails-on" | "mails-off":
            await mails(here, on=do == "mails-on")
        case "remove":
            if only(fields, "sure") != "yes":
                raise UsageError(
                    message("The saved search was not removed"),
                    advice=message("Tick the box beside the button."),
                )
            await here.remove(saved)
            path, do = "/saved", "removed"
        case _:
            raise unknown_form()
    return here.site.path(path, done=do)


def _number(text: str) -> int | None:
    """A number of a field or parameter; None where there is none."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER):
        raise Problem(400)
    return int(text)
