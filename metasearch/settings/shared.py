"""The table [shared]: the server through which replicas act as one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from metasearch.late_pattern import late_pattern
from metasearch.settings.tables import SettingsTables

#: The variable that comes before `shared.url`.
URL_VARIABLE = "METASEARCH_SHARED_URL"
#: In place of an address: no pages of sources are shared.
NO_PAGES = "none"
#: The most replicas.
MOST_REPLICAS = 1_000
_URL = late_pattern(r"(?:rediss?://[!-~]*[^\s/@]|unix:/[!-~]+)", re.ASCII)
_VARIABLE = re.compile(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_LONGEST_URL, _SHORTEST_SECRET = 1_000, 16


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """The server through which replicas act as one.

    Attributes:
        url: Its address; "" if nothing is shared.
        replicas: How many replicas there are: each takes that part of a source's limits while the
            server cannot be used.
        secret: What names in the server are made with; "" is made of the URL.
        pages: Address of another server for the pages of sources; "" is the same, `NO_PAGES`
            shares none.
    """

    url: str = field(default="", repr=False)
    replicas: int = 2
    secret: str = field(default="", repr=False)
    pages: str = field(default="", repr=False)


def shared(tables: SettingsTables) -> SharedSettings:
    """The table [shared]."""
    table = tables["shared"]
    replicas = table.get("replicas", 2)
    if not 1 <= replicas <= MOST_REPLICAS:
        tables.wrong("shared.replicas", f"must be 1 to {MOST_REPLICAS}")
        replicas = 2
    named = tables.env.get(URL_VARIABLE)
    url = _url(tables, URL_VARIABLE if named else "shared.url", named or str(table.get("url", "")))
    pages = str(table.get("pages", ""))
    if pages != NO_PAGES:
        pages = _url(tables, "shared.pages", pages)
    return SharedSettings(url, replicas, _secret(tables), pages)


def _url(tables: SettingsTables, where: str, url: str) -> str:
    """The address; it may hold a password, so no message repeats it."""
    if (match := _VARIABLE.fullmatch(url)) is not None:
        url = tables.env.get(match[1], "")
        if not url:
            tables.wrong(where, f"the variable {match[1]} is not set")
            return ""
    if url and (len(url) > _LONGEST_URL or not _URL.fullmatch(url)):
        tables.wrong(
            where,
            "is no address such as redis://host:6379/0, rediss://user:password@host:6380/0 or "
            f'unix:///run/redis.sock of at most {_LONGEST_URL} characters, and not "ENV:NAME"',
        )
        return ""
    return url


def _secret(tables: SettingsTables) -> str:
    text = str(tables["shared"].get("secret", ""))
    if not text:
        return ""
    match = _VARIABLE.fullmatch(text)
    if match is None:
        # The entry may be the secret, so the message does not repeat it.
        tables.wrong(
            "shared.secret",
            'is not "ENV:NAME"; write the name of a variable, never the secret itself',
        )
        return ""
    secret = tables.env.get(match[1], "")
    if len(secret) < _SHORTEST_SECRET:
        tables.wrong(
            "shared.secret",
            f"the variable {match[1]} must be set, with at least {_SHORTEST_SECRET} characters",
        )
    return secret
