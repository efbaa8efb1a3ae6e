"""The tables [server] and [shared]: who may use a server, how often, what its responses contain,
and the server through which replicas act as one.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path

from metasearch.late_pattern import late_pattern
from metasearch.query.tree import MAX_LENGTH
from metasearch.settings.tables import SettingsTables

#: Seconds without a sign of life after which a worker is replaced: longer than any work that ends
#: by itself, shorter than a search.
SILENCE = 10.0
_BASE_URL = late_pattern(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?(?:/[A-Za-z0-9._~%/-]*)?"
)
_ORIGIN = late_pattern(r"https?://(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?", re.ASCII)
#: As `_BASE_URL`, with a query that may already hold parameters of the resolver's own.
_RESOLVER = late_pattern(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?"
    r"(?:/[A-Za-z0-9._~%/:;,@!$*()+-]*)?(?:\?[A-Za-z0-9._~%/:;,@!$*()+=&?-]*)?"
)
_LONGEST_RESOLVER, _LONGEST_NAME = 1_000, 80
#: What a link to the link resolver is called.
OPENURL_NAME = "Find full text"
_VARIABLE = late_pattern(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Who may use a server, how often, and what its responses contain.

    Attributes:
        keys: Names of the variables that hold API keys.
        keys_file: File of keys, one a line. Without this file and without `keys`, every client
            may send requests.
        rate_limit: Requests that one client may send in a minute; 0 is any number.
        trusted_proxies: Addresses and networks of proxies whose `X-Forwarded-For` is believed.
        cors: Origins whose pages may read responses, as a browser writes them:
            "https://reader.example.org".
        openurl: The address of the library's link resolver; "" for none.
        openurl_name: What pages call a link to it.
        server_timing: Whether responses contain the time that each source took.
        suggest: Whether the server completes queries: those in `suggestions`, and earlier ones of
            the same user.
        suggestions: Queries that the operator suggests.
        silence: Seconds after which a worker whose event loop has stopped is replaced; 0 is never.
        max_query: The most characters of a query.
    """

    keys: tuple[str, ...] = ()
    keys_file: Path | None = None
    rate_limit: int = 120
    trusted_proxies: tuple[str, ...] = ()
    cors: tuple[str, ...] = ()
    openurl: str = ""
    openurl_name: str = OPENURL_NAME
    server_timing: bool = True
    suggest: bool = False
    suggestions: tuple[str, ...] = ()
    silence: float = SILENCE
    max_query: int = MAX_LENGTH


def web_address(text: str) -> str:
    """Returns the text, which can be the base of a server's addresses. Raises ValueError: the text
    is no http or https address with a host, or has a query or fragment.
    """
    if not _BASE_URL.fullmatch(text):
        raise ValueError(f"{text!r} is no address such as https://search.example.org/path")
    return text


def public_url(tables: SettingsTables) -> str | None:
    """The base of a server's absolute URLs; None if neither a variable nor the file names one."""
    for where, value in (
        ("METASEARCH_PUBLIC_URL", tables.env.get("METASEARCH_PUBLIC_URL")),
        ("server.public_url", tables["server"].get("public_url")),
    ):
        if value:
            try:
                return web_address(value)
            except ValueError as exc:
                tables.wrong(where, str(exc))
    return None


def server_settings(tables: SettingsTables) -> ServerSettings:
    """Reads [server], apart from `public_url`."""
    table = tables["server"]
    keys = _key_variables(tables)
    proxies = _proxies(tables)
    rate_limit = table.get("rate_limit", 120)
    if not 0 <= rate_limit <= 1_000_000:
        tables.wrong("server.rate_limit", "must be 0 to 1000000 requests a minute; 0 is any number")
    silence = table.get("silence", SILENCE)
    if silence != 0 and not 1 <= silence <= 3600:
        tables.wrong("server.silence", "must be 1 to 3600 seconds; 0 is off")
    max_query = table.get("max_query", MAX_LENGTH)
    if not 1 <= max_query <= MAX_LENGTH:
        tables.wrong("server.max_query", f"must be 1 to {MAX_LENGTH} characters")
    keys_file = table.get("keys_file")
    return ServerSettings(
        keys=keys,
        keys_file=tables.folder / Path(keys_file).expanduser() if keys_file else None,
        rate_limit=rate_limit,
        trusted_proxies=proxies,
        cors=_origins(tables),
        openurl=_resolver(tables),
        openurl_name=_resolver_name(tables),
        server_timing=table.get("server_timing") is not False,
        suggest=table.get("suggest") is True,
        suggestions=tables.strings(table.get("suggestions", []), "server.suggestions"),
        silence=silence,
        max_query=max_query,
    )


def _key_variables(tables: SettingsTables) -> tuple[str, ...]:
    entries = tables.strings(tables["server"].get("keys", []), "server.keys")
    matches = [_VARIABLE.fullmatch(entry) for entry in entries]
    if None in matches:
        # The entry may be a key, so the message does not repeat it.
        number = matches.index(None) + 1
        tables.wrong(
            "server.keys",
            f'entry {number} is not "ENV:NAME"; write the name of a variable, never the key itself',
        )
    return tuple(match[1] for match in matches if match)


def _proxies(tables: SettingsTables) -> tuple[str, ...]:
    where = "server.trusted_proxies"
    proxies = tables.strings(tables["server"].get("trusted_proxies", []), where)
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy, strict=False)
        except ValueError:
            tables.wrong(where, f"{proxy!r} is no address or network")
    return proxies


def _origins(tables: SettingsTables) -> tuple[str, ...]:
    """Origins, each with the port only where it is not the usual one, as browsers send them."""
    where = "server.cors"
    origins = [origin.lower() for origin in tables.strings(tables["server"].get("cors", []), where)]
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            tables.wrong(
                where,
                f"{origin!r} is no origin such as https://reader.example.org: a scheme and a host, "
                'without a path; "*" is not allowed',
            )
    return tuple(
        origin.removesuffix(":443" if origin.startswith("https:") else ":80") for origin in origins
    )


def _resolver(tables: SettingsTables) -> str:
    address: str = tables["server"].get("openurl", "")
    if address and (len(address) > _LONGEST_RESOLVER or not _RESOLVER.fullmatch(address)):
        tables.wrong(
            "server.openurl",
            f"{address[:80]!r} is no address of a link resolver such as "
            f"https://resolver.example.org/openurl, of at most {_LONGEST_RESOLVER} characters",
        )
        return ""
    return address


def _resolver_name(tables: SettingsTables) -> str:
    name = str(tables["server"].get("openurl_name", OPENURL_NAME)).strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        tables.wrong(
            "server.openurl_name", f"must be a text on one line, of 1 to {_LONGEST_NAME} characters"
        )
        return OPENURL_NAME
    return name


# The table [shared]: the server through which replicas act as one.

#: The variable that comes before `shared.url`.
URL_VARIABLE = "METASEARCH_SHARED_URL"
#: In place of an address: no pages of sources are shared.
NO_PAGES = "none"
#: The most replicas.
MOST_REPLICAS = 1_000
_URL = late_pattern(r"(?:rediss?://[!-~]*[^\s/@]|unix:/[!-~]+)", re.ASCII)
_SHARED_VARIABLE = re.compile(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
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
    if (match := _SHARED_VARIABLE.fullmatch(url)) is not None:
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
    match = _SHARED_VARIABLE.fullmatch(text)
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
