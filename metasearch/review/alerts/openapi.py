"""What can be asked of saved searches, on a server with a workspace, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from metasearch.events import Status
from metasearch.review.alerts import api
from metasearch.review.alerts.history import RunStatus, SavedRun
from metasearch.review.alerts.news import KINDS, News
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.openapi import CHANGED, READ, TAG, body, query
from metasearch.review.routes import SAVED as BASE
from metasearch.server.protocols.openapi.operation import (
    JSON,
    UNCHANGED,
    Example,
    Operation,
    Schema,
    by_name,
    explained,
    listed,
    nullable,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.openapi.parameters import parameter

_OF_SAVED = parameter("saved", text(), "Its uid.", place="path")
_MOMENT = text(description="UTC: `2026-11-23T05:40:00Z`.")
_SAVED = explained(
    {
        **dict.fromkeys(("uid", "name", "query", "syntax"), text()),
        "sources": listed(text()),
        "years": text(),
        "per_source": nullable(whole()),
        "schedule": text(),
        "next_run": nullable(text()),
        "paused": text(description="Why none is planned any more; empty where it is not paused."),
        "email": yes_or_no(),
        "feed": thing(
            {"atom": text(), "json": text()},
            description="The addresses of its feed; whoever has one of them may read it.",
        ),
        "created": _MOMENT,
        "version": whole(),
    },
    SavedSearch,
)
SCHEMAS: Mapping[str, Schema] = {
    "SavedSearches": thing({"saved": listed(ref("SavedSearchWithRuns"))}),
    "SavedSearch": thing(_SAVED, description="A search that is run again by itself."),
    "SavedSearchWithRuns": thing(
        {
            **_SAVED,
            "news": whole(description="How much it has told and keeps."),
            "runs": listed(ref("SavedRun"), description="The newest ones, the last one first."),
        },
        description="A saved search with its runs; in a list with the last one alone.",
    ),
    "SavedRun": thing(
        explained(
            {
                "number": whole(),
                "status": one_of(get_args(RunStatus)),
                "baseline": yes_or_no(),
                "started": _MOMENT,
                "ended": nullable(text(description="Null while it runs.")),
                "works": nullable(whole()),
                "told": whole(),
                "waiting": whole(),
                "passed_over": whole(),
                "error": text(description="Why it failed; empty where it did not."),
                "sources": by_name(one_of(get_args(Status))),
            },
            SavedRun,
        ),
        description="A run of a saved search.",
    ),
    "SavedNews": thing(
        {"total": whole(description="How much there is."), "news": listed(ref("News"))}
    ),
    "News": thing(
        explained(
            {
                "id": whole(),
                "uid": text(),
                "kind": one_of(
                    KINDS,
                    description="A new work; the article of a known preprint; a known work that "
                    "was retracted or corrected; an older work of a source that had not answered "
                    "in the run before.",
                ),
                "run": whole(),
                "at": _MOMENT,
                "work": ref("Hit"),
            },
            News,
        ),
        description="A work of which a saved search has told.",
    ),
    "RemovedSavedSearch": thing({"deleted": text(description="The uid that it had.")}),
}


def operations() -> Iterator[Operation]:
    """All of them."""
    yield _operation(
        "",
        "saveSearch",
        "Save a search",
        "SavedSearch",
        body=body(api.NEW),
        status=201,
        description="With a schedule its first run is due at once. It tells nothing: it is what "
        "later runs are compared with.",
        examples=(
            Example(
                name="saved-new",
                summary="One that is run when it is asked for",
                address=BASE,
                json={"name": "Gambling harms", "query": "gambling", "sources": ["demo-pubmed"]},
                status=201,
            ),
            Example(
                name="saved-wrong",
                summary="There is no such schedule",
                address=BASE,
                json={"name": "Hourly", "query": "gambling", "schedule": "hourly"},
                status=400,
            ),
        ),
    )
    yield _operation(
        "",
        "savedSearches",
        "All saved searches, by name",
        "SavedSearches",
        examples=(Example(name="saved", summary="One that has not run yet", address=BASE),),
    )
    yield _operation("/{saved}", "savedSearch", "A saved search", "SavedSearchWithRuns")
    yield _operation(
        "/{saved}",
        "changeSavedSearch",
        "Change a saved search",
        "SavedSearchWithRuns",
        body=body(api.CHANGES),
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
        *query(api.NEWS),
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


def _operation(
    path: str, name: str, summary: str, answer: str, *more: Schema, **kwargs: Any
) -> Operation:
    """An operation below `BASE`; those with a body change something."""
    changes = kwargs.get("body") is not None
    return Operation(
        path=f"{BASE}{path}",
        id=name,
        tag=TAG,
        summary=summary,
        parameters=(*((_OF_SAVED,) if "{saved}" in path else ()), *more),
        answer={JSON: ref(answer)},
        method="post" if changes else "get",
        errors=(*(CHANGED if changes else READ), *kwargs.pop("further", ())),
        **kwargs,
    )
