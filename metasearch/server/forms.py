"""The forms of pages that change something: how they are read, and where the browser goes after."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from aiohttp import hdrs, web
from multidict import MultiDict, MultiMapping

from metasearch.message import message
from metasearch.server.limits.connections import LONGEST_LINE
from metasearch.server.problem import Problem
from metasearch.server.received import FORM, pairs_of_form, whole_body
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.visit import FORGED, TOKEN, visit_of

#: Bytes that one character of a query takes at most in a query string that is itself the value of a
#: field: each of its four bytes as %25XX.
_WIDEST = 20
#: Bytes of everything else in a form: ids, a way back, a token.
_REST = 65_536
_local = re.compile(r"/(?!/)[!-\[\]-~]*")


async def posted(request: web.Request) -> MultiMapping[str]:
    """The fields of a form that a page of this server has sent.

    Raises:
        Problem: 403 for a form of another site or visitor, 415 for anything but a form, 400 where
            it cannot be read, 408 where it does not come, 413 where it is too large.
    """
    if _is_from_elsewhere(request):
        raise Problem(403, "forged-form", FORGED)
    if request.content_type != FORM:
        raise Problem(415, None, message("A form is posted as {media_type}.", media_type=FORM))
    options = request.app[SHARED].options
    body = await whole_body(request, options, _WIDEST * options.max_query + _REST)
    fields = MultiDict(pairs_of_form(body))
    tokens = fields.getall(TOKEN, [])
    visit_of(request).check(tokens[0] if len(tokens) == 1 else "")
    return fields


def chosen(fields: MultiMapping[str], name: str, allowed: tuple[str, ...], usual: str) -> str:
    """The value of a field that has one of a few values; `usual` where the form does not have it.

    Raises:
        Problem: 400 for another value, or several.
    """
    values = fields.getall(name, [])
    if not values:
        return usual
    if len(values) > 1 or values[0] not in allowed:
        reason = message("must be one of {values}", values=", ".join(filter(None, allowed)))
        raise Problem.bad_parameters([{"parameter": name, "reason": reason}])
    return values[0]


def local_address(text: str, site: Site) -> str | None:
    """The text if it is an address of this server, and of nothing beside it on the same host; else
    None.

    Args:
        text: Whatever a form says: "/search?q=mice#w-1".
        site: Where the server is reachable.
    """
    if len(text) > LONGEST_LINE or not _local.fullmatch(text):
        return None
    path = re.split("[?#]", text, maxsplit=1)[0]
    if ".." in re.split(r"[/\\]", unquote(path)):
        return None
    return text if f"{path}/".startswith(f"{site.root}/") else None


def _is_from_elsewhere(request: web.Request) -> bool:
    """Whether the browser says that a page of another site has sent the form.

    The token alone would do; this also holds where a page of a neighbouring host has planted its
    own cookies.
    """
    relation = request.headers.get("Sec-Fetch-Site")
    if relation is not None:
        return relation not in ("same-origin", "none")
    # Our pages have no referrer, and browsers then send "null" for our own origin, too.
    origin = request.headers.get(hdrs.ORIGIN, "null")
    hosts = (request.host, urlsplit(site_of(request).base).netloc)
    return origin != "null" and origin.partition("://")[2] not in hosts
