"""The tables [users], [users.oidc] and [users.quotas]: who may use a server, where not everybody
may.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.late_pattern import late_pattern
from metasearch.settings.tables import SettingsTables, variable
from metasearch.toml_tables import Table, TomlKey, below, key, keys_of, one_of, within

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


def _quotas(tables: SettingsTables, table: Table, where: str) -> Mapping[str, int]:
    """All quotas, those that are not configured as in `QUOTAS`."""
    keys = {name: TomlKey(name, int, check=within(0, LARGEST)) for name in QUOTAS}
    tables.check_keys(table, keys, where)
    return {**QUOTAS, **tables.values(keys, table, where)}


# The table [users.oidc]: the OpenID provider that says who the users of a server are.

#: What is asked of the provider: who it is, and the name and the address for people.
SCOPES = ("openid", "profile", "email")
_ISSUER = late_pattern(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?(?:/[A-Za-z0-9._~%/:@-]*)?"
)
_LOOPBACK = late_pattern(r"http://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?(?:/.*)?")
#: What a scope may be (RFC 6749, 3.3).
_SCOPE = re.compile(r"[!#-\[\]-~]{1,100}")
_MOST_SCOPES, _MOST_ROLES, _LONGEST = 20, 200, 300
#: What a user is on the whole server. A guest only searches; so does who is not logged in, where
#: guests are allowed.
SystemRole = Literal["administrator", "user", "guest"]
#: The role of an account that is made when somebody comes for the first time.
DefaultRole = Literal["user", "guest"]


def _issuer(tables: SettingsTables, issuer: str, where: str) -> str:
    if issuer and (len(issuer) > _LONGEST or not _ISSUER.fullmatch(issuer)):
        tables.wrong(where, f"{issuer[:80]!r} is no address such as https://login.example.org")
    elif issuer.startswith("http:") and not _LOOPBACK.fullmatch(issuer):
        tables.wrong(where, "must begin with https:, unless it is on this machine")
    return issuer


def _line(tables: SettingsTables, text: str, where: str) -> str:
    if len(text) > _LONGEST or not text.isprintable():
        tables.wrong(where, f"must be a text on one line, of at most {_LONGEST}")
    return text


def _secret(tables: SettingsTables, text: str, where: str) -> str:
    name: str = variable("secret")(tables, text, where)
    if name and not tables.env.get(name):
        tables.wrong(where, f"the variable {name} is not set")
    return name


def _scopes(tables: SettingsTables, scopes: tuple[str, ...], where: str) -> tuple[str, ...]:
    if len(scopes) > _MOST_SCOPES or not all(_SCOPE.fullmatch(scope) for scope in scopes):
        tables.wrong(where, f"must be at most {_MOST_SCOPES} words such as {', '.join(SCOPES)}")
    return scopes if "openid" in scopes else ("openid", *scopes)


def _roles(tables: SettingsTables, roles: Table, where: str) -> Mapping[str, str]:
    if len(roles) > _MOST_ROLES:
        tables.wrong(where, f"has more than {_MOST_ROLES} groups")
        return {}
    role_of = TomlKey("", str, check=one_of(get_args(SystemRole)))
    return tables.values({group: role_of._replace(field=group) for group in roles}, roles, where)


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

    issuer: str = key("", _issuer)
    client_id: str = key("", _line)
    client_secret: str = key("", _secret)
    scopes: tuple[str, ...] = key(SCOPES, _scopes)
    claim: str = key("", _line)
    roles: Mapping[str, str] = key({}, _roles)


#: none: everything is open, and there are no accounts; local: names and passwords; header: a proxy
#: says who asks; oidc: an OpenID provider says it.
UsersMode = Literal["none", "local", "header", "oidc"]
#: A name of a header. One with "_" is refused: proxies and servers take it for the one with "-".
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,79}", re.ASCII)
#: The header in which many proxies name the user.
HEADER = "X-Remote-User"
#: Headers that mean something else.
_NO_HEADERS = frozenset(
    "authorization cookie host origin referer forwarded from via x-forwarded-for x-forwarded-host "
    "x-forwarded-proto x-real-ip".split()
)


def _header(tables: SettingsTables, name: str, where: str) -> str:
    if not _HEADER.fullmatch(name) or name.lower() in _NO_HEADERS:
        tables.wrong(
            where,
            f"{name[:80]!r} cannot name users; write the name of a header of its own, with '-' and "
            "without '_', such as X-Remote-User",
        )
    return name


@dataclass(frozen=True, slots=True)
class UsersSettings:
    """Who may use a server, where not everybody may. `header` is believed from `[server]
    trusted_proxies` alone. `quotas`: quota -> how much one user may take; all of them.
    """

    mode: UsersMode = key(
        "none", help='or "local", "header", "oidc": who may use the server, see users-server.md'
    )
    guests: bool = key(False, help="whether who is not logged in may search")
    header: str = key(HEADER, _header, help="mode header: in which a trusted proxy names the user")
    default_role: DefaultRole = key(
        "user",
        one_of(get_args(DefaultRole), "; administrators are made with `metasearch user role`"),
        help='or "guest": of accounts made at the first visit, in the modes header and oidc',
    )
    oidc: OidcSettings = key(
        OidcSettings(), help="mode oidc: the provider, see users-server.md", example="{}"
    )
    quotas: Mapping[str, int] = key(
        QUOTAS,
        _quotas,
        help="what one user may take, as searches = 1000, see users.md",
        example="{}",
    )


def users(tables: SettingsTables, table: Table, where: str) -> UsersSettings:
    """Reads [users]: in mode oidc a provider and a client must be named, and roles need a claim."""
    settings = UsersSettings(**tables.values(keys_of(UsersSettings), table, where))
    oidc = table.get("oidc")
    given = oidc if isinstance(oidc, Mapping) else {}
    if settings.mode == "oidc":
        for name in ("issuer", "client_id"):
            if not given.get(name):
                tables.wrong(below(f"{where}.oidc", name), "missing; [users] mode is oidc")
    if given.get("roles") and not given.get("claim"):
        tables.wrong(
            f"{where}.oidc.roles",
            "needs users.oidc.claim, the claim that lists the groups of a user",
        )
    return settings
