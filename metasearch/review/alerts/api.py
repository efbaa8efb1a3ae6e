"""`/api/saved`: saved searches as a JSON interface, and what the OpenAPI document says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from aiohttp import web

from metasearch.engine.options import MAX_PER_SOURCE
from metasearch.query import CHOICES
from metasearch.query.tree import MAX_LENGTH
from metasearch.review import objects
from metasearch.review.alerts.own_searches import (
    SavedSearchRequest,
    SavedSearchState,
    saved_search_request,
)
from metasearch.review.alerts.saved_searches import CITATIONS, LONGEST_NAME, PER_SOURCE
from metasearch.review.api import Member, Members, Ordinal, answer, body_of, parameters_of
from metasearch.review.openapi import TAG, body, of, operation, query
from metasearch.review.paths import SAVED
from metasearch.review.strategies.strategies import MOST_SOURCES
from metasearch.server.middleware import check_host_and_origin
from metasearch.server.protocols.openapi.operation import (
    UNCHANGED,
    Operation,
    Schema,
    list_of,
    nullable,
    ref,
    text,
    thing,
    whole,
)
from metasearch.server.protocols.openapi.parameters import parameter

NEW: Members = {
    "name": Member(
        help="For people; unique among one's own.",
        required=True,
        most=LONGEST_NAME,
        example="Gene drives",
    ),
    "query": Member(
        help="In any syntax; of `citations` the name or uid of a project.",
        required=True,
        most=MAX_LENGTH,
        example='title:"gene drive"',
    ),
    "syntax": Member(
        help="Of the query; `auto` without it. `citations` asks which works cite those that are "
        "included in a project.",
        choices=(*CHOICES, CITATIONS),
    ),
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
    **{name: replace(member, required=False, example=None) for name, member in NEW.items()},
    "version": Ordinal(
        help="That on which the change is based; where another one stands, nothing is changed."
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
    "before": Ordinal(help="News before the one with this `id`."),
}
#: Runs that are shown of one saved search.
_RUNS = 20


def _saved_request(request: web.Request) -> SavedSearchRequest:
    here = saved_search_request(request)
    check_host_and_origin(request)
    return here


async def answer_saved_searches(request: web.Request) -> web.Response:
    """`/api/saved`: the list, or a new saved search."""
    here = _saved_request(request)
    if request.method != "POST":
        listed = [_with_runs(here, each) for each in await here.all()]
        return answer({"saved": listed})
    made = await here.create(**await body_of(request, NEW))
    return answer(
        objects.saved_search(made, here.site.base),
        status=201,
        location=here.site.path(f"/api/saved/{made.uid}"),
    )


async def answer_saved_search(request: web.Request) -> web.Response:
    """`/api/saved/UID`: a saved search with its runs, or a change of it."""
    here = _saved_request(request)
    saved = await here.one()
    if request.method == "POST":
        saved = await here.change(saved, **await body_of(request, CHANGES))
    shown = await here.shown(saved, news=0, runs=_RUNS)
    return answer(_with_runs(here, shown))


async def answer_deletion(request: web.Request) -> web.Response:
    """`/api/saved/UID/delete`: the saved search with its runs, news and feed."""
    here = _saved_request(request)
    saved = await here.one()
    await body_of(request, {})
    await here.remove(saved)
    return answer({"deleted": saved.uid})


async def answer_run(request: web.Request) -> web.Response:
    """`/api/saved/UID/run`: a run that begins now."""
    here = _saved_request(request)
    saved = await here.one()
    await body_of(request, {})
    await here.run(saved)
    return answer(
        objects.saved_search(saved, here.site.base),
        status=202,
        location=here.site.path(f"/api/saved/{saved.uid}"),
    )


async def answer_news(request: web.Request) -> web.Response:
    """`/api/saved/UID/news`: what it has told, the newest first."""
    here = _saved_request(request)
    saved = await here.one()
    asked = parameters_of(request.query, NEWS)
    shown = await here.shown(
        saved, news=asked.get("count", 100), runs=0, before=asked.get("before")
    )
    listed = [objects.saved_news(each) for each in shown.news]
    return answer({"total": shown.count, "news": listed})


async def answer_new_feed(request: web.Request) -> web.Response:
    """`/api/saved/UID/feed`: another address for its feed; the one that it had ends."""
    here = _saved_request(request)
    saved = await here.one()
    await body_of(request, {})
    return answer(objects.saved_search(await here.new_feed(saved), here.site.base))


def _with_runs(here: SavedSearchRequest, shown: SavedSearchState) -> objects.Object:
    """A saved search, its newest runs, and how much it has told."""
    runs = [objects.saved_run(each) for each in shown.runs]
    return objects.saved_search(shown.saved, here.site.base) | {"news": shown.count, "runs": runs}


# What can be asked of saved searches, on a server with a workspace, and what it answers.

_operation = partial(operation, base=SAVED)
_MOMENT = text(description="UTC: `2026-11-23T05:40:00Z`.")
_SAVED = of(
    objects.SAVED_SEARCH,
    per_source=nullable(whole()),  # of `options`, so no attribute has its type
    feed=thing(
        {"atom": text(), "json": text()},
        description="The addresses of its feed; whoever has one of them may read it.",
    ),
)
SCHEMAS: Mapping[str, Schema] = {
    "SavedSearches": thing({"saved": list_of(ref("SavedSearchWithRuns"))}),
    "SavedSearch": thing(_SAVED, description="A search that is run again by itself."),
    "SavedSearchWithRuns": thing(
        {
            **_SAVED,
            "news": whole(description="How much it has told and keeps."),
            "runs": list_of(ref("SavedRun"), description="The newest ones, the last one first."),
        },
        description="A saved search with its runs; in a list with the last one alone.",
    ),
    "SavedRun": thing(of(objects.saved_run), description="A run of a saved search."),
    "SavedNews": thing(
        {"total": whole(description="How much there is."), "news": list_of(ref("News"))}
    ),
    "News": thing(of(objects.NEWS), description="A work of which a saved search has told."),
    "RemovedSavedSearch": thing({"deleted": text(description="The uid that it had.")}),
}


def operations() -> Iterator[Operation]:
    yield _operation(
        "",
        "saveSearch",
        "Save a search",
        "SavedSearch",
        body=body(NEW),
        status=201,
        description="With a schedule its first run is due at once. It tells nothing: it is what "
        "later runs are compared with.",
    )
    yield _operation("", "savedSearches", "All saved searches, by name", "SavedSearches")
    yield _operation("/{saved}", "savedSearch", "A saved search", "SavedSearchWithRuns")
    yield _operation(
        "/{saved}",
        "changeSavedSearch",
        "Change a saved search",
        "SavedSearchWithRuns",
        body=body(CHANGES),
        further=(409,),
        description="What is left out stays.",
    )
    yield _operation(
        "/{saved}/delete",
        "removeSavedSearch",
        "Remove a saved search with its runs, news and feed",
        "RemovedSavedSearch",
        body=body({}),
    )
    yield _operation(
        "/{saved}/run",
        "runSavedSearch",
        "Run a saved search now",
        "SavedSearch",
        body=body({}),
        status=202,
        description="It goes on in the background; the saved search shows it among its runs.",
    )
    yield _operation(
        "/{saved}/news",
        "news",
        "What a saved search has told, the newest first",
        "SavedNews",
        *query(NEWS),
        further=(400,),
    )
    yield _operation(
        "/{saved}/feed",
        "newFeed",
        "Give the feed of a saved search another address",
        "SavedSearch",
        body=body({}),
        description="The address that it had is not answered any more.",
    )
    for ending, name, media_type in (
        ("atom", "atomFeed", "application/atom+xml"),
        ("json", "jsonFeed", "application/feed+json"),
    ):
        yield Operation(
            path=f"/feeds/{{secret}}.{ending}",
            id=name,
            tag=TAG,
            summary="The news of a saved search as a feed",
            description="For feed readers, which cannot log in: the address is the secret.",
            parameters=(parameter("secret", text(), "Of the saved search.", place="path"),),
            answer={media_type: {}},
            headers=("ETag", "Cache-Control"),
            without_content=UNCHANGED,
            errors=(404, 414, 429, 500, 503),
            open=True,
        )
