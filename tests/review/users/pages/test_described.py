"""The OpenAPI document of a server with users describes the addresses of accounts."""

from __future__ import annotations

import re

from metasearch.review.routes import ACCOUNT_ROUTES as ROUTES
from tests.review.users.server.served import Served


async def test_every_address_of_the_interface_is_described(local: Served):
    """With its methods; ids and schemas are there."""
    browser = await local.browser("ann")
    document = await (await browser.session.get("/openapi.json")).json()
    described = {
        (path, method) for path, methods in document["paths"].items() for method in methods
    }
    for route in ROUTES:
        if route.path.startswith("/api/"):
            wanted = {
                *([(route.path, "get")] if route.gets else []),
                *([(route.path, "post")] if route.posts else []),
            }
            assert wanted <= described
    named = set(re.findall(r'"#/components/schemas/(\w+)"', str(document).replace("'", '"')))
    assert named <= set(document["components"]["schemas"])


async def test_what_is_answered_is_what_is_described(local: Served):
    """Each member of an account, a token and a line of the log stands in its schema."""
    browser = await local.browser("root")
    local.token("root", "search")
    schemas = (await (await browser.session.get("/openapi.json")).json())["components"]["schemas"]

    async def found(path: str) -> dict[str, object]:
        return dict(await (await browser.session.get(path)).json())

    for path, name in (
        ("/api/account", "Account"),
        ("/api/account/tokens", "Tokens"),
        ("/api/account/sessions", "Sessions"),
        ("/api/admin/users", "Accounts"),
        ("/api/admin/sources", "SwitchedSources"),
        ("/api/admin/audit", "AuditLines"),
        ("/api/admin/invitations", "AccountInvitations"),
    ):
        fits(await found(path), schemas[name], schemas)


def fits(value: object, schema: dict, schemas: dict) -> None:
    """An object has exactly the members of its schema; so has each item of a list."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict) and "properties" in schema:
        assert set(value) == set(schema["properties"])
        for name, inner in value.items():
            fits(inner, schema["properties"][name], schemas)
    elif isinstance(value, list):
        assert value or schema["type"] == "array"
        for each in value:
            fits(each, schema["items"], schemas)
