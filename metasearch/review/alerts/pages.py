"""The pages of saved searches: the list, one of them, and what ends e-mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web
from multidict import MultiMapping

from metasearch.errors import Conflict, UsageError
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.alerts import email_outbox
from metasearch.review.alerts.email_outbox import MailState, Off
from metasearch.review.alerts.feeds import QUOTA
from metasearch.review.alerts.news import News
from metasearch.review.alerts.own_searches import (
    SavedSearchRequest,
    SavedSearchState,
    saved_search_request,
)
from metasearch.review.alerts.saved_searches import CITATIONS, LONGEST_NAME, PER_SOURCE, SavedSearch
from metasearch.review.page import (
    FormState,
    number_of,
    page_or_form,
    unknown_form,
    version_of,
)
from metasearch.review.service import WORKSPACE
from metasearch.server.forms import only, whole_body
from metasearch.server.middleware import check_host, count
from metasearch.server.pages.environment import N_
from metasearch.server.pages.hit import SYNTAX_WORDS
from metasearch.server.pages.page import page, page_response
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED
from metasearch.server.sources import labels
from metasearch.server.visit import Visit, visit_of

#: Schedule -> its words; those that a form offers.
SCHEDULES: Mapping[str, str] = {
    "": N_("Only when I ask for it"),
    "daily": N_("Every day"),
    "weekly mon": N_("Every Monday"),
    "weekly tue": N_("Every Tuesday"),
    "weekly wed": N_("Every Wednesday"),
    "weekly thu": N_("Every Thursday"),
    "weekly fri": N_("Every Friday"),
    "weekly sat": N_("Every Saturday"),
    "weekly sun": N_("Every Sunday"),
    "monthly 1": N_("On the first of each month"),
    "monthly 15": N_("On the 15th of each month"),
}
#: What a query may be written in, and what it may be in place of one.
_SYNTAXES: Mapping[str, str] = {
    **SYNTAX_WORDS,
    CITATIONS: N_("the name of a project: what cites its included works"),
}
#: What has happened to a work.
HAPPENED: Mapping[str, str] = {
    "new": N_("new"),
    "version": N_("new version"),
    "retracted": N_("retracted"),
    "corrected": N_("corrected"),
    "late": N_("late arrival"),
}
#: Status of a run -> its words.
RUN_WORDS: Mapping[str, str] = {
    "running": N_("under way"),
    "done": N_("done"),
    "failed": N_("failed"),
    "stopped": N_("stopped"),
}
#: Why no e-mails are sent -> the sentence.
OFF_WORDS: Mapping[Off, str] = {
    "asked": N_("You have switched e-mails of saved searches off."),
    "bounced": N_(
        "E-mails were switched off, because the mail server has refused five in a row. Check the "
        "address before you switch them on again."
    ),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "saved": N_("The search was saved."),
    "changed": N_("The change was saved."),
    "removed": N_("The saved search was removed."),
    "run": N_("The search is being run. Load this page again in a minute."),
    "feed": N_("The feed has a new address; the old one has ended."),
    "mails-on": N_("E-mails are on; they tell what is new from now on."),
    "mails-off": N_("E-mails are off."),
}


def schedule_words(schedule: str) -> str:
    """What a schedule is called; one that no form offers is shown as it is kept."""
    return SCHEDULES.get(schedule, schedule)


def what_happened(news: News) -> str:
    """A key of `HAPPENED`; the news of retractions are also about corrections."""
    if news.kind == "retracted" and not news.hit.record.retracted:
        return "corrected"
    return news.kind


def saved_page(
    visit: Visit,
    listed: Sequence[SavedSearchState],
    mails: MailState | None,
    offered: Mapping[str, str],
    said: FormState,
    done: str = "",
) -> str:
    """The whole page. `mails`: whether e-mails are sent; None on a server that sends none.
    `offered`: field of the form for a new one -> its text, from the address of the page.
    """

    def value_of(name: str, usual: str = "") -> str:
        return said.typed(name, offered.get(name, usual))

    return page(
        "saved/list.html",
        visit,
        visit.language.gettext("Saved searches"),
        current="/saved",
        listed=listed,
        mails=mails,
        said=said,
        typed=value_of,
        done=DONE_WORDS.get(done, ""),
        off_words=OFF_WORDS,
        run_words=RUN_WORDS,
        schedule_words=schedule_words,
        schedules=SCHEDULES,
        syntaxes=_SYNTAXES,
        longest_name=LONGEST_NAME,
    )


# One saved search: its news, its feed, its runs, and the forms that change it.

#: News and runs of a page.
_NEWS, _RUNS = 50, 10
#: Authors that are named, and characters of a name.
_MOST_AUTHORS, _LONGEST_NAME = 6, 200


@dataclass(frozen=True, slots=True)
class NewsLine:
    """A piece of news.

    Attributes:
        happened: A key of `words.HAPPENED`.
        title: Of the work; "" where it has none.
        language: Of the title, as a code; "" where that is not known.
        address: Of the work on the web; "" where none is known.
    """

    happened: str
    title: str
    language: str
    address: str
    about: str
    at: str


def news_line(news: News) -> NewsLine:
    record = news.hit.record
    names = [line(author.name)[:_LONGEST_NAME] for author in record.byline[:_MOST_AUTHORS]]
    people = ", ".join(filter(None, names)) + (" …" if len(record.byline) > _MOST_AUTHORS else "")
    about = " · ".join(filter(None, (people, line(record.venue), str(record.year or ""))))
    code = record.language or ""
    return NewsLine(
        what_happened(news),
        full_title(record),
        code if code.isascii() and code.isalpha() and len(code) <= 3 else "",
        link(record) or "",
        about,
        news.at,
    )


def one_page(
    visit: Visit,
    shown: SavedSearchState,
    names: Mapping[str, str],
    mails: MailState | None,
    said: FormState,
    done: str = "",
) -> str:
    """The whole page; of `shown` one more news than it has room for, where there are older ones.
    `names`: of the sources of the runs, for people; the other arguments are those of `saved_page`.
    """
    saved, site, news = shown.saved, visit.site, shown.news[:_NEWS]
    base = site.path(f"/saved/{saved.uid}")
    schedules = dict(SCHEDULES)
    schedules.setdefault(saved.schedule, saved.schedule)
    search = {"q": saved.query, "sources": ",".join(saved.sources), "year": saved.years}
    if saved.syntax != "auto":
        search["syntax"] = saved.syntax
    kept = {
        "name": saved.name,
        "query": saved.query,
        "syntax": saved.syntax,
        "years": saved.years,
        "sources": ", ".join(saved.sources),
        "schedule": saved.schedule,
        "version": str(saved.version),
    }

    def value_of(name: str, _usual: str = "") -> str:
        if name == "version" and isinstance(said.error, Conflict):
            return kept[name]  # what stands now is above the form, and may be replaced
        return said.typed(name, kept[name]) if said.place == "change" else kept[name]

    return page(
        "saved/one.html",
        visit,
        saved.name,
        shown=shown,
        news=[news_line(each) for each in news],
        older=site.path(f"/saved/{saved.uid}", before=news[-1].id)
        if len(shown.news) > _NEWS
        else "",
        labels=names,
        mails=mails,
        saved=saved,
        said=said,
        typed=value_of,
        done=DONE_WORDS.get(done, ""),
        base=base,
        search=site.path(f"/projects/{saved.query}")
        if saved.syntax == CITATIONS
        else site.path("/search", **{name: value for name, value in search.items() if value}),
        feeds=[
            (name, site.url(f"/feeds/{saved.feed}.{ending}"))
            for name, ending in ((N_("Atom feed"), "atom"), (N_("JSON feed"), "json"))
        ],
        happened=HAPPENED,
        off_words=OFF_WORDS,
        run_words=RUN_WORDS,
        schedule_words=schedule_words,
        schedules=schedules,
        syntaxes=_SYNTAXES,
        longest_name=LONGEST_NAME,
        usual_per_source=PER_SOURCE,
    )


# The page behind the address in each e-mail that ends them.


def unsubscribe_page(visit: Visit, here: str, *, done: bool) -> str:
    title = "No more e-mails" if done else "Switch e-mails off?"
    return page("saved/unsubscribe.html", visit, visit.language.phrase(title), here=here, done=done)


#: Characters of what the address offers for the form.
_LONGEST = 20_000
#: Parameter of a search -> field of the form.
_OFFERED = {"q": "query", "syntax": "syntax", "sources": "sources", "year": "years"}


async def answer_list(request: web.Request) -> web.Response:
    """The page, or a new saved search."""
    here = saved_search_request(request)
    check_host(request)

    async def render(said: FormState) -> str:
        listed, mails = await here.all(), await here.mails() if here.sends_mails else None
        offered, done = _fields_of_link(request.query), only(request.query, "done")
        return saved_page(visit_of(request), listed, mails, offered, said, done)

    return await page_or_form(request, lambda fields: _apply_list_form(here, fields), render)


async def _apply_list_form(here: SavedSearchRequest, fields: MultiMapping[str]) -> str:
    match only(fields, "do"):
        case "save":
            made = await here.create(
                **read_fields(fields), email=here.sends_mails and only(fields, "email") == "yes"
            )
            return here.site.path(f"/saved/{made.uid}", done="saved")
        case "mails-on" | "mails-off" as do:
            await switch_mails(here, on=do == "mails-on")
            return here.site.path("/saved", done=do)
    raise unknown_form()


async def switch_mails(here: SavedSearchRequest, *, on: bool) -> None:
    change = email_outbox.switch_on if on else email_outbox.switch_off
    await here.workspace.write(change, here.owner)


def read_fields(fields: MultiMapping[str]) -> dict[str, object]:
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


def _fields_of_link(query: MultiMapping[str]) -> Mapping[str, str]:
    """What a link to the form has of a search."""
    offered = {
        field: only(query, name)[:_LONGEST] for name, field in _OFFERED.items() if name in query
    }
    if offered.get("query"):
        offered["name"] = (only(query, "name") or offered["query"])[:80]
    return offered


async def answer_one(request: web.Request) -> web.Response:
    """The page, or what its forms do."""
    here = saved_search_request(request)
    check_host(request)
    saved = await here.one()

    async def render(said: FormState) -> str:
        before = only(request.query, "before")
        shown = await here.shown(
            saved, news=_NEWS + 1, runs=_RUNS, before=number_of(before) if before else None
        )
        sources = {one for run in shown.runs for one in run.sources}
        names = labels(here.shared.engine, sources, visit_of(request).language)
        mails = await here.mails() if here.sends_mails else None
        return one_page(visit_of(request), shown, names, mails, said, only(request.query, "done"))

    return await page_or_form(request, lambda fields: _apply_form(here, saved, fields), render)


async def _apply_form(
    here: SavedSearchRequest, saved: SavedSearch, fields: MultiMapping[str]
) -> str:
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
                **read_fields(fields),
                version=version_of(fields),
                baseline=only(fields, "baseline") == "yes",
            )
            do = "changed"
        case "mails-on" | "mails-off":
            await switch_mails(here, on=do == "mails-on")
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


# `/unsubscribe/SECRET`: switches e-mails off, for who may not be logged in. A GET changes nothing:
# mail programs and their guards look at every address in an e-mail. The POST is that of the page,
# or of a mail program (RFC 8058); it needs no cookie and no token, because the address is the
# secret and switching off is all that it does.

#: Bytes of a body, of which nothing is used.
_LARGEST = 4_096
_HEADERS = {"Cache-Control": "no-store"}


async def answer_unsubscribe(request: web.Request) -> web.Response:
    """The page that asks, or the end of e-mails."""
    await count(request, QUOTA)
    shared, visit = request.app[SHARED], visit_of(request)
    secret = request.match_info["secret"]
    service = request.app.get(WORKSPACE)
    if service is None:
        raise Problem(404)
    workspace = service.workspace
    posted = request.method == "POST"
    if posted:
        await whole_body(request, shared.options, _LARGEST)
    done = await (
        workspace.write(email_outbox.unsubscribe, secret)
        if posted
        else workspace.read(email_outbox.is_secret, secret)
    )
    if not done:
        raise Problem(404)
    here = visit.site.path(f"/unsubscribe/{secret}")
    return page_response(request, unsubscribe_page(visit, here, done=posted), headers=_HEADERS)
