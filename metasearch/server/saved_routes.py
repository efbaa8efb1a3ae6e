"""The addresses of saved searches: pages, the JSON interface, feeds, and what ends e-mails."""

from __future__ import annotations

from metasearch.server.faces import on_first_request
from metasearch.server.route import Route

#: What the addresses of the JSON interface begin with.
BASE = "/api/saved"
_SAVED = f"{BASE}/{{saved}}"


def _route(path: str, module: str, handler: str, methods: str) -> Route:
    return Route(
        path=path,
        handler=on_first_request(f"saved.{module}", handler),
        gets="get" in methods,
        posts="post" in methods,
        action="save search",
        listed=False,
    )


ROUTES = (
    _route("/saved", "listing", "answer", "get post"),
    _route("/saved/{saved}", "one", "answer", "get post"),
    _route(BASE, "api", "all_", "get post"),
    _route(_SAVED, "api", "one", "get post"),
    _route(f"{_SAVED}/delete", "api", "delete", "post"),
    _route(f"{_SAVED}/run", "api", "run", "post"),
    _route(f"{_SAVED}/news", "api", "news", "get"),
    _route(f"{_SAVED}/feed", "api", "feed", "post"),
    # Who asks for these cannot log in: the address is the secret.
    *(
        Route(
            path=f"/feeds/{{secret}}.{name}",
            handler=on_first_request("saved.feeds", name),
            keyless=True,
            counted="by the handler",
            listed=False,
        )
        for name in ("atom", "json")
    ),
    Route(
        path="/unsubscribe/{secret}",
        handler=on_first_request("saved.unsubscribe"),
        posts=True,
        keyless=True,
        counted="by the handler",
        listed=False,
    ),
)
