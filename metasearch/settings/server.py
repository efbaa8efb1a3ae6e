"""The tables [server] and [shared]: who may use a server, how often, what its responses contain,
and the server through which replicas act as one.
"""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from metasearch.late_pattern import late_pattern
from metasearch.message import N_
from metasearch.query.tree import MAX_LENGTH
from metasearch.settings.tables import SettingsTables, beside, variable, variable_in
from metasearch.toml_tables import key, within

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


def web_address(text: str) -> str:
    """Returns the text, which can be the base of a server's addresses. Raises ValueError: the text
    is no http or https address with a host, or has a query or fragment.
    """
    if not _BASE_URL.fullmatch(text):
        raise ValueError(f"{text!r} is no address such as https://search.example.org/path")
    return text


def public_url(tables: SettingsTables, address: str, where: str) -> str | None:
    """Checks `server.public_url`; None if it is empty."""
    try:
        return web_address(address) if address else None
    except ValueError as exc:
        tables.wrong(where, str(exc))
        return None


def _key_variables(tables: SettingsTables, entries: tuple[str, ...], where: str) -> tuple[str, ...]:
    names = [variable_in(entry) for entry in entries]
    if None in names:
        # The entry may be a key, so the message does not repeat it.
        number = names.index(None) + 1
        tables.wrong(
            where,
            f'entry {number} is not "ENV:NAME"; write the name of a variable, never the key itself',
        )
    return tuple(filter(None, names))


def _networks(tables: SettingsTables, proxies: tuple[str, ...], where: str) -> tuple[str, ...]:
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy, strict=False)
        except ValueError:
            tables.wrong(where, f"{proxy!r} is no address or network")
    return proxies


def _origins(tables: SettingsTables, given: tuple[str, ...], where: str) -> tuple[str, ...]:
    """Origins, each with the port only where it is not the usual one, as browsers send them."""
    origins = [origin.lower() for origin in given]
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


def _resolver(tables: SettingsTables, address: str, where: str) -> str:
    if address and (len(address) > _LONGEST_RESOLVER or not _RESOLVER.fullmatch(address)):
        tables.wrong(
            where,
            f"{address[:80]!r} is no address of a link resolver such as "
            f"https://resolver.example.org/openurl, of at most {_LONGEST_RESOLVER} characters",
        )
    return address


def _resolver_name(tables: SettingsTables, text: str, where: str) -> str:
    name = text.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        tables.wrong(where, f"must be a text on one line, of 1 to {_LONGEST_NAME} characters")
    return name


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Who may use a server, how often, and what its responses contain."""

    keys: tuple[str, ...] = key(
        (),
        _key_variables,
        help="variables with API keys; with keys, only requests with a key are answered",
        example='["ENV:METASEARCH_KEY_ALICE"]',
    )
    keys_file: Path | None = key(
        None,
        beside,
        help="more of them, one a line, # begins a comment; a relative path begins beside this "
        "file",
        example='"server-keys.txt"',
    )
    rate_limit: int = key(
        120,
        within(0, 1_000_000, " requests a minute; 0 is any number"),
        help="requests that one client may make in a minute; 0 is any number",
    )
    max_query: int = key(
        MAX_LENGTH,
        within(1, MAX_LENGTH, " characters"),
        help=f"most characters of a query; {MAX_LENGTH} is also the most that can be set",
    )
    cors: tuple[str, ...] = key(
        (),
        _origins,
        help="origins whose pages may read answers: see server.md",
        example='["https://reader.example.org"]',
    )
    openurl: str = key(
        "",
        _resolver,
        help="link resolver of your library: each work has a link to it, see works.md",
        example='"https://resolver.example.org/openurl"',
    )
    openurl_name: str = key(N_("Find full text"), _resolver_name, help="what that link is called")
    trusted_proxies: tuple[str, ...] = key(
        (),
        _networks,
        help="proxies whose X-Forwarded-For is believed",
        example='["10.0.0.0/8"]',
    )
    # Longer than any work that ends by itself, shorter than a search.
    silence: float = key(
        10.0,
        within(1, 3600, " seconds; 0 is off", off=True),
        help="seconds after which a worker that hangs is replaced; 0: never",
    )
    server_timing: bool = key(True, help="whether answers say how long each source took")
    suggest: bool = key(False, help="whether /suggest completes queries: see server.md")
    suggestions: tuple[str, ...] = key(
        (),
        help="queries of yours that it completes, besides those of the same key",
        example='["gene drive"]',
    )


# The table [shared]: the server through which replicas act as one.

#: In place of an address: no pages of sources are shared.
NO_PAGES = "none"
#: The most replicas.
MOST_REPLICAS = 1_000
_URL = late_pattern(r"(?:rediss?://[!-~]*[^\s/@]|unix:/[!-~]+)", re.ASCII)
_LONGEST_URL, _SHORTEST_SECRET = 1_000, 16


def _url(tables: SettingsTables, url: str, where: str) -> str:
    """The address; it may hold a password, so no message repeats it."""
    if (name := variable_in(url)) is not None:
        url = tables.env.get(name, "")
        if not url:
            tables.wrong(where, f"the variable {name} is not set")
    if url and (len(url) > _LONGEST_URL or not _URL.fullmatch(url)):
        tables.wrong(
            where,
            "is no address such as redis://host:6379/0, rediss://user:password@host:6380/0 or "
            f'unix:///run/redis.sock of at most {_LONGEST_URL} characters, and not "ENV:NAME"',
        )
    return url


def _pages(tables: SettingsTables, url: str, where: str) -> str:
    return url if url == NO_PAGES else _url(tables, url, where)


def _secret(tables: SettingsTables, text: str, where: str) -> str:
    name: str = variable("secret")(tables, text, where)
    secret = tables.env.get(name, "")
    if name and len(secret) < _SHORTEST_SECRET:
        tables.wrong(
            where,
            f"the variable {name} must be set, with at least {_SHORTEST_SECRET} characters",
        )
    return secret


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """The server through which replicas act as one. `url`: its address; "" if nothing is shared.
    `secret`: what names there are made with; "" is made of the URL. `pages`: address of another
    server for the pages of sources; "" is the same, `NO_PAGES` shares none.
    """

    url: str = key(
        "",
        _url,
        repr=False,
        variable="METASEARCH_SHARED_URL",
        help='Redis or Valkey, or "ENV:NAME", a variable that holds the address',
        example='"rediss://metasearch:password@redis.example.org:6379/0"',
    )
    replicas: int = key(
        2,
        within(1, MOST_REPLICAS),
        help="how many there are: each takes that part of a limit while the server is away",
    )
    secret: str = key(
        "",
        _secret,
        repr=False,
        help='or "ENV:NAME", a variable: what names in the server are made with, equal in all '
        "replicas; without it: the password in url",
    )
    pages: str = key(
        "",
        _pages,
        repr=False,
        help="another server for pages of sources: see replicas-cache.md; without it the same; "
        '"none": none',
        example='"redis://pages.example.org:6379/0"',
    )
