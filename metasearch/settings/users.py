"""The tables [users], [users.oidc] and [users.quotas]: who may use a server, where not everybody
may.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from metasearch.late_pattern import late_pattern
from metasearch.settings.server import SettingsTables
from metasearch.toml_kinds import is_of, mismatch

# The table [users.quotas]: how much one user may take.

#: Quota -> how much, where the configuration says nothing else. Searches, runs of saved searches
#: (`scheduled_runs`) and exports are counted a day, `sources` a search; saved searches, records and
#: bytes are those that are there.
QUOTAS: Mapping[str, int] = {
    "searches": 1_000,
    "sources": 60,
    "saved_searches": 50,
    "scheduled_runs": 100,
    "stored_records": 200_000,
    "stored_bytes": 5_000_000_000,
    "exports": 200,
}
#: The largest quota.
LARGEST = 1_000_000_000_000


def quotas(tables: SettingsTables) -> Mapping[str, int]:
    """The table [users.quotas]: all quotas, those that are not configured as in `QUOTAS`."""
    found = dict(QUOTAS)
    for name, value in tables["users"].get("quotas", {}).items():
        where = f"users.quotas.{name}"
        if name not in QUOTAS:
            tables.wrong(where, f"unknown key; allowed are {', '.join(sorted(QUOTAS))}")
        elif not is_of(value, int):
            tables.wrong(where, mismatch(value, int))
        elif not 0 <= value <= LARGEST:
            tables.wrong(where, f"must be 0 to {LARGEST}")
        else:
            found[name] = value
    return found


# The table [users.oidc]: the OpenID provider that says who the users of a server are.

_KINDS: Mapping[str, type] = {
    "issuer": str,
    "client_id": str,
    "client_secret": str,
    "scopes": list,
    "claim": str,
    "roles": dict,
}
#: What is asked of the provider: who it is, and the name and the address for people.
SCOPES = ("openid", "profile", "email")
_ISSUER = late_pattern(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?(?:/[A-Za-z0-9._~%/:@-]*)?"
)
_LOOPBACK = late_pattern(r"http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?:/.*)?")
_VARIABLE = re.compile(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
#: What a scope may be (RFC 6749, 3.3).
_SCOPE = re.compile(r"[!#-\[\]-~]{1,100}")
_ROLES = ("administrator", "user", "guest")
_MOST_SCOPES, _MOST_ROLES, _LONGEST = 20, 200, 300


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """An OpenID provider.

    Attributes:
        issuer: Its address, as it names itself; "" where there is none.
        client_id: What this server is called there.
        client_secret: Name of the variable that holds the secret of this server there; "" for a
            client without one.
        scopes: What is asked of it; "openid" is among them.
        claim: The claim that lists the groups of a user; "" where roles do not depend on it.
        roles: Group -> the role of its members here; the highest one counts.
    """

    issuer: str = ""
    client_id: str = ""
    client_secret: str = ""
    scopes: tuple[str, ...] = SCOPES
    claim: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)


def oidc(tables: SettingsTables, *, needed: bool) -> OidcSettings:
    """The table [users.oidc]. `needed`: whether users log in there, so that provider and client
    must be named.
    """
    table = _checked(tables)
    if needed:
        for key in ("issuer", "client_id"):
            if not table.get(key):
                tables.wrong(f"users.oidc.{key}", "missing; [users] mode is oidc")
    return OidcSettings(
        issuer=_issuer(tables, table),
        client_id=_line(tables, "client_id", table.get("client_id", "")),
        client_secret=_secret(tables, table),
        scopes=_scopes(tables, table),
        claim=_line(tables, "claim", table.get("claim", "")),
        roles=_roles(tables, table),
    )


def _checked(tables: SettingsTables) -> dict[str, Any]:
    """The entries that are known and of the right kind."""
    right: dict[str, Any] = {}
    for key, value in tables["users"].get("oidc", {}).items():
        where = f"users.oidc.{key}"
        if key not in _KINDS:
            tables.wrong(where, f"unknown key; allowed are {', '.join(sorted(_KINDS))}")
        elif is_of(value, _KINDS[key]):
            right[key] = value
        else:
            tables.wrong(where, mismatch(value, _KINDS[key]))
    return right


def _issuer(tables: SettingsTables, table: Mapping[str, Any]) -> str:
    issuer: str = table.get("issuer", "")
    if not issuer:
        return ""
    if len(issuer) > _LONGEST or not _ISSUER.fullmatch(issuer):
        tables.wrong(
            "users.oidc.issuer", f"{issuer[:80]!r} is no address such as https://login.example.org"
        )
        return ""
    if issuer.startswith("http:") and not _LOOPBACK.fullmatch(issuer):
        tables.wrong("users.oidc.issuer", "must begin with https:, unless it is on this machine")
        return ""
    return issuer


def _line(tables: SettingsTables, key: str, text: str) -> str:
    if len(text) <= _LONGEST and text.isprintable():
        return text
    tables.wrong(f"users.oidc.{key}", f"must be a text on one line, of at most {_LONGEST}")
    return ""


def _secret(tables: SettingsTables, table: Mapping[str, Any]) -> str:
    text: str = table.get("client_secret", "")
    match = _VARIABLE.fullmatch(text)
    if text and not match:
        # The entry may be the secret, so the message does not repeat it.
        tables.wrong(
            "users.oidc.client_secret",
            'is not "ENV:NAME"; write the name of a variable, never the secret itself',
        )
    elif match and not tables.env.get(match[1]):
        tables.wrong("users.oidc.client_secret", f"the variable {match[1]} is not set")
    return match[1] if match else ""


def _scopes(tables: SettingsTables, table: Mapping[str, Any]) -> tuple[str, ...]:
    where = "users.oidc.scopes"
    scopes = tables.strings(table.get("scopes", list(SCOPES)), where)
    if len(scopes) > _MOST_SCOPES or not all(_SCOPE.fullmatch(scope) for scope in scopes):
        tables.wrong(where, f"must be at most {_MOST_SCOPES} words such as {', '.join(SCOPES)}")
        return SCOPES
    return scopes if "openid" in scopes else ("openid", *scopes)


def _roles(tables: SettingsTables, table: Mapping[str, Any]) -> Mapping[str, str]:
    roles = table.get("roles", {})
    where = "users.oidc.roles"
    if roles and not table.get("claim"):
        tables.wrong(where, "needs users.oidc.claim, the claim that lists the groups of a user")
    if len(roles) > _MOST_ROLES:
        tables.wrong(where, f"has more than {_MOST_ROLES} groups")
        return {}
    right: dict[str, str] = {}
    for group, role in roles.items():
        if role in _ROLES:
            right[group] = role
        else:
            tables.wrong(f"{where}.{group[:80]}", f"must be one of {', '.join(_ROLES)}")
    return right


#: none: everything is open, and there are no accounts; local: names and passwords; header: a proxy
#: says who asks; oidc: an OpenID provider says it.
UsersMode = Literal["none", "local", "header", "oidc"]
MODES: tuple[UsersMode, ...] = get_args(UsersMode)
#: What a user is on the whole server. A guest only searches; so does who is not logged in, where
#: guests are allowed.
SystemRole = Literal["administrator", "user", "guest"]
#: The role of an account that is made when somebody comes for the first time.
DefaultRole = Literal["user", "guest"]
DEFAULT_ROLES: tuple[DefaultRole, ...] = get_args(DefaultRole)
#: The header in which many proxies name the user.
HEADER = "X-Remote-User"
#: A name of a header. One with "_" is refused: proxies and servers take it for the one with "-".
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,79}", re.ASCII)
#: Headers that mean something else.
_NO_HEADERS = frozenset(
    "authorization cookie host origin referer forwarded from via x-forwarded-for x-forwarded-host "
    "x-forwarded-proto x-real-ip".split()
)


@dataclass(frozen=True, slots=True)
class UsersSettings:
    """Who may use a server, where not everybody may.

    Attributes:
        guests: Whether who is not logged in may search.
        header: In mode header: the header of a request in which a proxy names the user; it is
            believed from `[server] trusted_proxies` alone.
        default_role: In the modes header and oidc: the role of the account that is made when
            somebody comes for the first time.
        quotas: Quota -> how much one user may take; all of them.
    """

    mode: UsersMode = "none"
    guests: bool = False
    header: str = HEADER
    default_role: DefaultRole = "user"
    oidc: OidcSettings = field(default_factory=OidcSettings)
    quotas: Mapping[str, int] = field(default_factory=lambda: QUOTAS)


def users(tables: SettingsTables) -> UsersSettings:
    """The table [users]."""
    table = tables["users"]
    mode = table.get("mode", "none")
    if mode not in MODES:
        tables.wrong("users.mode", f"must be one of {', '.join(MODES)}")
        mode = "none"
    role = table.get("default_role", "user")
    if role not in DEFAULT_ROLES:
        tables.wrong(
            "users.default_role",
            f"must be one of {', '.join(DEFAULT_ROLES)}; administrators are made with "
            "`metasearch user role`",
        )
        role = "user"
    return UsersSettings(
        mode=mode,
        guests=table.get("guests") is True,
        header=_header(tables),
        default_role=role,
        oidc=oidc(tables, needed=mode == "oidc"),
        quotas=quotas(tables),
    )


def _header(tables: SettingsTables) -> str:
    name = str(tables["users"].get("header", HEADER))
    if _HEADER.fullmatch(name) and name.lower() not in _NO_HEADERS:
        return name
    tables.wrong(
        "users.header",
        f"{name[:80]!r} cannot name users; write the name of a header of its own, with '-' and "
        "without '_', such as X-Remote-User",
    )
    return HEADER
