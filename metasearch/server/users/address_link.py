"""`/address/{link}`: whoever reads the e-mails of an address says that it is the user's."""

from __future__ import annotations

from aiohttp import web

from metasearch.server.forms import posted
from metasearch.server.middleware import count
from metasearch.server.page_response import page_response
from metasearch.server.pages.users import address_page
from metasearch.server.users.login import NO_STORE
from metasearch.server.users.password_link import spent
from metasearch.server.users.people import client_of
from metasearch.server.users.service import users_of
from metasearch.server.visit import visit_of
from metasearch.workspace.users import addresses

#: The quota of requests, beside that of searches: guesses are bounded by it.
QUOTA = "address links"


async def answer(request: web.Request) -> web.StreamResponse:
    """The page that asks, or the proof. Only the form uses the link up: mail programs open links by
    themselves. Who opens it need not be logged in, and gets nothing but this page. Raises
    HTTPNotFound: the server has no users. Raises Problem: 404 for a link that is not good any more,
    429; those of `posted`.
    """
    await count(request, QUOTA)
    users, visit = users_of(request), visit_of(request)
    secret = request.match_info["link"]
    claimed = await users.workspace.look(addresses.peek, secret)
    if claimed is None:
        raise spent()
    done = False
    if request.method == "POST":
        await posted(request)
        done = await users.workspace.write(addresses.use, secret, client=client_of(request))
        if not done:
            raise spent()
    page = address_page(visit, f"/address/{secret}", claimed, done=done)
    return page_response(request, page, headers=NO_STORE)
