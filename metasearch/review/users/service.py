"""What happens to each request of a server with users, before its handler runs: who it is from, and
whether they may do it. What no route allows is refused.
"""

from __future__ import annotations

from aiohttp import hdrs, web

from metasearch.message import message
from metasearch.server.forms import is_from_elsewhere
from metasearch.server.identity import (
    IDENTITY,
    Identity,
    allowed,
    identity_of,
)
from metasearch.server.limits.clients import USER
from metasearch.server.limits.connections import LONGEST_LINE
from metasearch.server.problem import Problem, wants_html
from metasearch.server.route import Route
from metasearch.server.site import SHARED, site_of
from metasearch.server.users.credentials import (
    Credential,
    of_authorization,
    of_cookie,
    of_header,
)
from metasearch.server.users.service import Found, UsersService
from metasearch.server.visit import FORGED
from metasearch.workspace.users.permissions import SYSTEM_ACTIONS, Action, ProjectRole
from metasearch.workspace.users.permissions import may as role_may

#: The role in the project of the address; absent in mode none, and elsewhere.
PROJECT_ROLE: web.RequestKey[ProjectRole] = web.RequestKey("project role")
#: Characters of the name of a project in an address that are looked up.
_LONGEST_NAME = 200
#: Methods that change nothing.
_SAFE = ("GET", "HEAD", "OPTIONS")
#: Challenges of a 401. The second one makes browsers ask for a password, so they do not get it.
_BEARER, _BASIC = 'Bearer realm="metasearch"', 'Basic realm="metasearch", charset="UTF-8"'


async def identify(request: web.Request, users: UsersService, asked: Route | None) -> None:
    """Find out who a request is from, and what they are in the project of its address. Raises
    Problem: 400 where somebody else than a proxy names the user, 401 for a token that is not known,
    403 for a disabled account.
    """
    request[IDENTITY] = users.stranger()
    if asked is not None and asked.keyless and asked.counted == "none":
        return  # pictures and health: nothing in them depends on anybody
    credential = _credential(request, users)
    if credential is None:
        return
    name = request.match_info.get("project")
    found = await users.find(credential, None if name is None else name[:_LONGEST_NAME])
    if found.disabled:
        raise Problem(403, "not-allowed", message("Your account is disabled."))
    identity = request[IDENTITY] = users.identity(credential, found)
    _place(request, found)
    if identity.uid:
        request[USER] = request.app[SHARED].clients.user(request, b"user " + identity.uid.encode())


def permit(request: web.Request, users: UsersService, asked: Route | None) -> None:
    """Let a request through to its handler, or not. Raises HTTPSeeOther: a page for somebody who is
    not logged in: the browser is sent to the login; Problem: 401 for somebody who is not logged in,
    403 for what is not allowed, 404 for a project that is not there or not theirs.
    """
    identity = identity_of(request)
    assert identity is not None
    changes = request.method not in _SAFE
    if changes and identity.by_browser and _from_other_page(request):
        raise Problem(403, "forged-form", FORGED)
    if asked is None or asked.keyless:  # an address that does not exist has nothing to protect
        return
    if asked.local and not identity.uid and request.app[SHARED].clients.of(request).local:
        return  # whom a proxy on this machine names has come from elsewhere
    action = asked.posts_action or asked.action if changes else asked.action
    name = request.match_info.get("project")
    if name is None:
        permitted = allowed(request, action)
    else:
        permitted = action not in SYSTEM_ACTIONS and allowed(request, action)
    if permitted:
        return
    if not identity.uid:
        raise login_answer(request, users, asked)
    if name is not None and PROJECT_ROLE not in request:
        raise Problem(404, None, message("There is no project {name}", name=repr(name[:60])))
    if identity.scopes is not None:
        raise Problem(403, "not-allowed", message("The token, or your role, does not allow this."))
    raise Problem(403, "not-allowed", message("Your role does not allow this."))


def may(request: web.Request, action: Action) -> bool:
    """Whether who asks may do something, in the project of the address if there is one."""
    identity = identity_of(request)
    assert identity is not None
    role = request.get(PROJECT_ROLE)
    return role_may(action, identity.role, role) and _in_scope(request, identity, action)


def _in_scope(request: web.Request, identity: Identity, action: Action) -> bool:
    """Whether the token of a request, if it has one, is good for an action.

    No token is good for the account itself: whoever finds one could make others of it, which
    outlive it, and end the sessions of its owner.
    """
    if identity.scopes is None or action == "search":
        return True  # every token searches
    if action == "account" or identity.means == "basic":
        return False
    if "write" in identity.scopes:
        return True
    reads = request.method in ("GET", "HEAD") or action == "export"
    return "read" in identity.scopes and reads and action != "administer"


def _credential(request: web.Request, users: UsersService) -> Credential | None:
    """What the request shows; a token comes before what a browser or a proxy sends by itself."""
    proxied = users.mode == "header"
    header = None
    if proxied:
        header = of_header(request, users.settings.header, request.app[SHARED].clients)
    token = of_authorization(request, proxied=header is not None)
    return token or (header if proxied else of_cookie(request))


def _place(request: web.Request, found: Found) -> None:
    """Note the role in the project of the address, which the handler then finds by its uid: another
    project may be called what this one's uid is.
    """
    if found.place is not None:
        project, role = found.place
        request[PROJECT_ROLE] = role
        request.match_info["project"] = project.uid


def _from_other_page(request: web.Request) -> bool:
    """Whether a page of another site may have had the browser send this POST.

    Forms have a token, which their handlers check; the JSON interface has none, so that there the
    browser must say where it comes from.
    """
    if is_from_elsewhere(request):
        return True
    unsaid = "Sec-Fetch-Site" not in request.headers
    return (
        unsaid
        and request.headers.get(hdrs.ORIGIN) == "null"
        and request.match_info.route.resource is not None
        and request.match_info.route.resource.canonical.startswith("/api/")
    )


def login_answer(
    request: web.Request, users: UsersService, asked: Route | None = None
) -> Exception:
    """The answer to somebody who is not logged in, to be raised. `asked`: the route, where its
    address may be one that only takes forms, or clients of other protocols ask it.
    """
    if wants_html(request) and users.mode != "header":
        return web.HTTPSeeOther(
            login_address(request, asked), headers={"Cache-Control": "no-store"}
        )
    challenges = [_BEARER]
    if asked is not None and asked.action == "search" and "Sec-Fetch-Mode" not in request.headers:
        challenges.append(_BASIC)
    detail = (
        message("The proxy in front of this server does not say who you are. Log in there.")
        if users.mode == "header"
        else message("Log in, or send an API token as `Authorization: Bearer TOKEN`.")
    )
    return Problem(
        401, "login-needed", detail, headers={hdrs.WWW_AUTHENTICATE: ", ".join(challenges)}
    )


def login_address(request: web.Request, asked: Route | None = None) -> str:
    """Of the login page, from where the browser comes back to this address. `asked`: its route,
    where its address may be one that only takes forms.
    """
    site = site_of(request)
    if request.method in ("GET", "HEAD"):
        back = site.root + request.rel_url.raw_path_qs
    elif asked is None or asked.gets:
        back = site.root + request.rel_url.raw_path
    else:
        back = ""
    address = site.path("/login", next=back) if back not in ("", f"{site.root}/") else ""
    return address if address and len(address) <= LONGEST_LINE else site.path("/login")
