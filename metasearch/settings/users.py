"""The table [users]: who may use a server, where not everybody may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.settings.tables import SettingsTables

#: none: everything is open, and there are no accounts; local: names and passwords; header: a proxy
#: says who asks; oidc: an OpenID provider says it.
UsersMode = Literal["none", "local", "header", "oidc"]
MODES: tuple[UsersMode, ...] = get_args(UsersMode)


@dataclass(frozen=True, slots=True)
class UsersSettings:
    """Who may use a server, where not everybody may.

    Attributes:
        mode: One of `MODES`.
        guests: Whether who is not logged in may search.
    """

    mode: UsersMode = "none"
    guests: bool = False


def users(tables: SettingsTables) -> UsersSettings:
    """The table [users]."""
    table = tables["users"]
    mode = table.get("mode", "none")
    if mode not in MODES:
        tables.wrong("users.mode", f"must be one of {', '.join(MODES)}")
        mode = "none"
    return UsersSettings(mode=mode, guests=table.get("guests") is True)
