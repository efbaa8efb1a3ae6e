"""The table [users]: who may use a server, where not everybody may."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from metasearch.settings.oidc import OidcSettings, oidc
from metasearch.settings.quotas import QUOTAS, quotas
from metasearch.settings.tables import SettingsTables

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
