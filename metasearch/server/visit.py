"""One request for a page: who looks, in which language, what they prefer, and what the page needs
to know of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from aiohttp import web
from multidict import MultiMapping

from metasearch.bib.work_ids import is_hit_id
from metasearch.engine.lookup import LookupOptions
from metasearch.engine.options import SearchOptions
from metasearch.formats.citations import DEFAULT_STYLE, STYLES
from metasearch.language import DEFAULT, TAGS, ReaderLanguage, language, tag_of
from metasearch.server.cookies import Cookies
from metasearch.server.identity import Identity, identity_of, is_allowed
from metasearch.server.pages.environment import N_, negotiate_language
from metasearch.server.parameters import Parameters
from metasearch.server.problem import Problem
from metasearch.server.site import SHARED, Site, site_of
from metasearch.server.wing import SiteLink
from metasearch.settings.users import UsersMode

# What a reader has chosen: for pages in the address, else in a cookie, else by the browser; for
# searches in the account.

O = TypeVar("O", bound=SearchOptions | LookupOptions)  # noqa: E741

COOKIE = "metasearch-settings"
#: Parameters of an address that are about the page alone, and are remembered.
PARAMETERS = ("lang", "theme")
THEMES = ("auto", "light", "dark")
SIZES = (20, 50, 100)
#: Sources that a reader may choose for all searches, and characters of their names together, so
#: that a cookie can hold them.
MOST_SOURCES, MOST_CHARACTERS = 100, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What a reader has chosen.

    Attributes:
        language: One of `TAGS`.
        theme: One of `THEMES`; "auto" is what the system of the reader has.
        page_size: Works on a page, one of `SIZES`.
        style: Of citations; "" for the usual one of the language.
        sources: Those that a search asks which names none; empty for those of the server.
    """

    language: str = DEFAULT
    theme: str = "auto"
    page_size: int = SIZES[0]
    style: str = ""
    sources: tuple[str, ...] = ()

    def written(self) -> dict[str, Any]:
        """As a cookie holds it: without what is as usual, but for the language."""
        usual = Preferences()
        values = {
            "language": self.language,
            "theme": self.theme,
            "page_size": self.page_size,
            "style": self.style,
            "sources": list(self.sources),
        }
        return {
            name: value
            for name, value in values.items()
            if name == "language" or value not in (getattr(usual, name), [])
        }


def preferences(kept: object, given: MultiMapping[str], accept_language: str) -> Preferences:
    """What a reader has chosen; what cannot be read is as usual.

    Args:
        kept: The value of the cookie.
        given: The parameters of the address.
        accept_language: What the browser likes.
    """
    values: Mapping[str, object] = kept if isinstance(kept, dict) else {}
    asked = tag_of(given.get("lang", ""))
    return Preferences(
        language=asked
        or _one_of(TAGS, values.get("language"), negotiate_language(accept_language)),
        theme=_one_of(THEMES, given.get("theme"), _one_of(THEMES, values.get("theme"), "auto")),
        page_size=_one_of(SIZES, values.get("page_size"), SIZES[0]),
        style=_one_of(tuple(STYLES), values.get("style"), ""),
        sources=source_names(values.get("sources")),
    )


def source_names(value: object) -> tuple[str, ...]:
    """The first names in a list, as a cookie can hold, each once; [] of no list of names."""
    if not isinstance(value, list | tuple):
        return ()
    names: dict[str, None] = {}
    characters = 0
    for name in value:
        if not isinstance(name, str) or not name or not name.isascii() or name in names:
            continue
        characters += len(name)
        if len(names) == MOST_SOURCES or characters > MOST_CHARACTERS:
            break
        names[name] = None
    return tuple(names)


def of_user(request: web.Request) -> dict[str, Any]:
    """What the account of the user keeps; {} for guests and on a server without users."""
    identity = identity_of(request)
    return dict(identity.preferences) if identity is not None and identity.uid else {}


def with_sources(request: web.Request, options: O) -> O:
    """The options of a search; where they name no source, with those that the user has chosen."""
    if options.sources:
        return options
    names = source_names(of_user(request).get("sources"))
    if not names:
        return options
    known = frozenset(request.app[SHARED].engine.registry.names())
    return replace(options, sources=tuple(name for name in names if name in known) or None)


def with_style(
    request: web.Request, parameters: Parameters, given: MultiMapping[str]
) -> Parameters:
    """The parameters of a search; where the request names no style of citations, with the one that
    the user has chosen.
    """
    style = str(of_user(request).get("style"))
    if style not in STYLES or given.get("style", "").strip():
        return parameters
    return replace(parameters, style=style)


def _one_of(allowed: Sequence[Any], value: object, usual: Any) -> Any:
    return next((one for one in allowed if one == value and type(one) is type(value)), usual)


#: Name of the cookie that names a visitor, so that only its own forms can act for it; and of that
#: of the basket.
VISITOR, BASKET = "metasearch-visitor", "metasearch-basket"
#: Works in a basket, so that a cookie can hold their ids.
MOST_IN_BASKET = 150
#: The field of a form that holds its token.
TOKEN = "token"  # noqa: S105
_VISITOR_BYTES = 12
_USUAL_STYLES = {"zh-Hans": DEFAULT_STYLE}


def _may_all(_: str) -> bool:
    """What may be done on a server without users."""
    return True


@dataclass(slots=True)
class Changes:
    """Cookies that the answer to a request sets, or deletes; what is None stays."""

    visitor: str | None = None
    preferences: Preferences | None = None
    basket: tuple[str, ...] | None = None
    forgotten: bool = False


@dataclass(frozen=True)
class Visit:
    """What a page knows of the request for it.

    Attributes:
        here: Local address of the page, without the parameters about the page alone.
        links: What this server has besides searches.
        user: Who looks; None on a server without users.
        can: Whether the reader may do something, in the project of the page if it is one of a
            project; what may not be done is not shown.
    """

    site: Site
    preferences: Preferences
    here: str
    _cookies: Cookies
    _visitor: str
    _basket: tuple[str, ...]
    _changes: Changes
    links: Sequence[SiteLink] = ()
    user: Identity | None = None
    _mode: UsersMode = "none"
    _session: str = ""
    can: Callable[[str], bool] = _may_all

    @cached_property
    def language(self) -> ReaderLanguage:
        return language(self.preferences.language)

    @property
    def style(self) -> str:
        """The style of citations: as chosen, else what is usual in the language."""
        return self.preferences.style or self.usual_style

    @property
    def usual_style(self) -> str:
        return _USUAL_STYLES.get(self.language.tag, "apa")

    @property
    def basket(self) -> tuple[str, ...]:
        """Ids of the works in it, the oldest first."""
        return self._basket if self._changes.basket is None else self._changes.basket

    @property
    def token(self) -> str:
        """For a form that changes something; the answer sets a cookie that goes with it."""
        if not self._visitor:
            self._changes.visitor = self._changes.visitor or secrets.token_hex(_VISITOR_BYTES)
        return self._cookies.token(
            self._token_subject(self._visitor or self._changes.visitor or "")
        )

    @property
    def chosen(self) -> Preferences | None:
        """What the reader has just chosen; None where nothing is new."""
        return self._changes.preferences

    @property
    def state(self) -> str:
        """Everything that pages of one address differ in between visits, for their entity tags."""
        visitor = self._visitor or self._changes.visitor
        return repr((self.preferences, self.basket, visitor, self.user))

    @property
    def logs_in(self) -> bool:
        """Whether the page shows the way to the login."""
        return self._mode in ("local", "oidc") and not (self.user and self.user.uid)

    @property
    def logs_out(self) -> bool:
        """Whether the page has a button that ends the session."""
        return self.user is not None and self.user.session is not None

    @property
    def login(self) -> str:
        """Address of the login, which leads back to this page."""
        address = self.site.path("/login")
        if self.here == self.site.path("/"):
            return address
        at_login = self.here.partition("?")[0] == address
        return self.here if at_login else self.site.path("/login", next=self.here)

    def here_with(self, **parameters: str) -> str:
        """The address of this page in another language or theme."""
        from urllib.parse import urlencode

        return f"{self.here}{'&' if '?' in self.here else '?'}{urlencode(parameters)}"

    def prefer(self, **changes: object) -> None:
        """Have the answer remember what the reader has chosen: attributes of `Preferences`."""
        chosen = self._changes.preferences or self.preferences
        self._changes.preferences = replace(chosen, **changes)  # type: ignore[arg-type]

    def fill_basket(self, ids: tuple[str, ...]) -> None:
        """Have the answer replace the contents of the basket. Raises ValueError: it does not hold
        so many.
        """
        if len(ids) > MOST_IN_BASKET:
            raise ValueError(f"a basket holds {MOST_IN_BASKET} works, not {len(ids)}")
        self._changes.basket = ids

    def renew(self) -> None:
        """Have the answer name the visitor anew, after a login or a logout: no token of a form that
        was made before is good any more.
        """
        self._changes.visitor = secrets.token_hex(_VISITOR_BYTES)

    def forget(self) -> None:
        """Have the answer delete all cookies of the pages."""
        self._changes.forgotten = True

    def check(self, token: str) -> None:
        """Refuse a form that did not come from a page of this visitor; `forms.posted` does it for
        every form. Raises Problem: 403.
        """
        visitor = self._token_subject(self._visitor) if self._visitor else ""
        if not self._cookies.is_token(token, visitor):
            raise Problem(403, "forged-form", FORGED)

    def _token_subject(self, visitor: str) -> str:
        """What tokens are of: the visitor, and the session of who is logged in. Who plants a cookie
        of a visitor in another browser has no token for the session there.
        """
        return f"{visitor} {self._session}" if self._session else visitor

    def remember(self, response: web.StreamResponse) -> None:
        """Set the cookies that have changed."""
        changed = self._changes
        if changed.forgotten:
            for name in (VISITOR, COOKIE, BASKET):
                self._cookies.delete(response, name, self.site.base)
            return
        values = (
            (VISITOR, changed.visitor),
            (COOKIE, changed.preferences.written() if changed.preferences else None),
            (BASKET, list(changed.basket) if changed.basket is not None else None),
        )
        for name, value in values:
            if value is not None:
                self._cookies.write(response, name, value, self.site.base)


FORGED = N_(
    "The form is too old, or did not come from a page of this server. Go back, load the page again "
    "and send the form again; the browser must accept cookies of this server."
)
VISIT: web.RequestKey[Visit] = web.RequestKey("visit", Visit)


def visit_of(request: web.Request) -> Visit:
    """The visit that a request belongs to; the same one each time."""
    if VISIT in request:
        return request[VISIT]
    shared, site = request.app[SHARED], site_of(request)
    cookies = shared.cookies
    kept = cookies.read(request, COOKIE)
    identity = identity_of(request)
    if identity is not None and identity.preferences:
        # What an account keeps counts on every device; the cookie has the rest.
        kept = {**(kept if isinstance(kept, dict) else {}), **dict(identity.preferences)}
    chosen = preferences(kept, request.query, request.headers.get("Accept-Language", ""))
    visitor = cookies.read(request, VISITOR)
    visit = request[VISIT] = Visit(
        site,
        chosen,
        _here(request, site),
        cookies,
        visitor if isinstance(visitor, str) else "",
        _basket(cookies.read(request, BASKET)),
        Changes(),
        shared.wing.links(),
        identity_of(request),
        shared.wing.users,
        shared.wing.session_mark(request),
        partial(is_allowed, request),
    )
    if any(name in request.query for name in PARAMETERS):
        visit.prefer()
    return visit


def _basket(kept: object) -> tuple[str, ...]:
    ids = kept if isinstance(kept, list) else []
    return tuple(name for name in ids if isinstance(name, str) and is_hit_id(name))[:MOST_IN_BASKET]


def _here(request: web.Request, site: Site) -> str:
    from urllib.parse import urlencode

    kept = [(name, value) for name, value in request.query.items() if name not in PARAMETERS]
    address = site.root + request.rel_url.raw_path
    return f"{address}?{urlencode(kept, errors='replace')}" if kept else address
