"""`/api/saved`: saved searches as a JSON interface."""

from __future__ import annotations

from aiohttp import web

from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.query import CHOICES
from metasearch.query.tree import MAX_LENGTH
from metasearch.review import objects
from metasearch.review.alerts.own_searches import Mine, Shown, mine
from metasearch.review.alerts.saved_searches import LONGEST_NAME, PER_SOURCE
from metasearch.review.api import Member, Members, answer, body_of, parameters_of
from metasearch.review.strategies.strategies import MOST_SOURCES
from metasearch.server.middleware import check_addressed

NEW: Members = {
    "name": Member(
        help="For people; unique among one's own.",
        required=True,
        most=LONGEST_NAME,
        example="Gene drives",
    ),
    "query": Member(
        help="In any syntax.", required=True, most=MAX_LENGTH, example='title:"gene drive"'
    ),
    "syntax": Member(help="Of the query; `auto` without it.", choices=CHOICES),
    "sources": Member(
        help="Names of sources and groups; without them the default set.",
        kind="texts",
        most=MOST_SOURCES,
        longest=100,
    ),
    "years": Member(help="Such as `2015-2020` or `2015-`.", most=40),
    "per_source": Member(
        help=f"Records of each source in a run; {PER_SOURCE} without it.",
        kind="whole",
        least=1,
        most=MAX_PER_SOURCE,
    ),
    "schedule": Member(
        help="`daily`, `weekly mon` (`tue` ...), `monthly 1` (to 31), or `none`.",
        most=40,
        example="weekly mon",
    ),
    "email": Member(help="Whether its news are sent by e-mail.", kind="flag"),
}
CHANGES: Members = {
    **{
        name: Member(
            help=member.help,
            kind=member.kind,
            choices=member.choices,
            least=member.least,
            most=member.most,
            longest=member.longest,
        )
        for name, member in NEW.items()
    },
    "version": Member(
        help="That on which the change is based; where another one stands, nothing is changed.",
        kind="whole",
        least=1,
        most=2**53,
    ),
    "baseline": Member(
        help="Whether a change of what is asked may begin a new baseline: the next run tells "
        "nothing, and the runs after it what is new since then.",
        kind="flag",
    ),
    "resume": Member(help="Whether one that is paused goes on.", kind="flag"),
}
NEWS: Members = {
    "count": Member(help="So many, 100 without it.", kind="whole", least=1, most=1_000),
    "before": Member(help="News before the one with this `id`.", kind="whole", least=1, most=2**53),
}
#: Runs that are shown of one saved search.
_RUNS = 20


def _opened(request: web.Request) -> Mine:
    """One's saved searches."""
    here = mine(request)
    check_addressed(request)
    return here


async def all_(request: web.Request) -> web.Response:
    """`/api/saved`: the list, or a new saved search."""
    here = _opened(request)
    if request.method != "POST":
        listed = [_with_runs(here, each) for each in await here.all()]
        return answer({"saved": listed})
    made = await here.create(**await body_of(request, NEW))
    return answer(
        objects.saved_search(made, here.site.base),
        status=201,
        location=here.site.path(f"/api/saved/{made.uid}"),
    )


async def one(request: web.Request) -> web.Response:
    """`/api/saved/UID`: a saved search with its runs, or a change of it."""
    here = _opened(request)
    saved = await here.one()
    if request.method == "POST":
        saved = await here.change(saved, **await body_of(request, CHANGES))
    shown = await here.shown(saved, news=0, runs=_RUNS)
    return answer(_with_runs(here, shown))


async def delete(request: web.Request) -> web.Response:
    """`/api/saved/UID/delete`: the saved search with its runs, news and feed."""
    here = _opened(request)
    saved = await here.one()
    await body_of(request, {})
    await here.remove(saved)
    return answer({"deleted": saved.uid})


async def run(request: web.Request) -> web.Response:
    """`/api/saved/UID/run`: a run that begins now."""
    here = _opened(request)
    saved = await here.one()
    await body_of(request, {})
    await here.run(saved)
    return answer(
        objects.saved_search(saved, here.site.base),
        status=202,
        location=here.site.path(f"/api/saved/{saved.uid}"),
    )


async def news(request: web.Request) -> web.Response:
    """`/api/saved/UID/news`: what it has told, the newest first."""
    here = _opened(request)
    saved = await here.one()
    asked = parameters_of(request.query, NEWS)
    shown = await here.shown(
        saved, news=asked.get("count", 100), runs=0, before=asked.get("before")
    )
    listed = [objects.saved_news(each) for each in shown.news]
    return answer({"total": shown.count, "news": listed})


async def feed(request: web.Request) -> web.Response:
    """`/api/saved/UID/feed`: another address for its feed; the one that it had ends."""
    here = _opened(request)
    saved = await here.one()
    await body_of(request, {})
    return answer(objects.saved_search(await here.new_feed(saved), here.site.base))


def _with_runs(here: Mine, shown: Shown) -> objects.Object:
    """A saved search, its newest runs, and how much it has told."""
    runs = [objects.saved_run(each) for each in shown.runs]
    return objects.saved_search(shown.saved, here.site.base) | {"news": shown.count, "runs": runs}
