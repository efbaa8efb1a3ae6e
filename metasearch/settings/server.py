"""The configuration file: how its TOML is read, and how its tables and keys are checked; the tables
[server] and [shared].
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli

from metasearch import opening
from metasearch.errors import SettingsError
from metasearch.late_pattern import late_pattern
from metasearch.query.tree import MAX_LENGTH
from metasearch.toml_kinds import is_of, mismatch

Table = Mapping[str, Any]

#: The largest configuration file, in bytes.
MAX_BYTES = 4_000_000
#: The key of [sources] that names the folder of spec files. Every other key there is the name of a
#: source, and its value is a table.
FOLDER = "folder"
_GROUP_NAME = late_pattern(r"[a-z0-9][a-z0-9_-]{0,39}")

#: The keys of each table with the kinds of their values. [sources] and [groups] have any keys.
KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "search": {
        "sources": list,
        "timeout": (int, float),
        "wait": (int, float),
        "per_source": int,
        "enrich": list,
    },
    "network": {"allow": list, "contact": str},
    "cache": {"dir": str, "enabled": bool, "max_bytes": int},
    "collections": {"dir": str, "default": bool},
    "workspace": {"file": str, "serve": bool},
    "users": {
        "mode": str,
        "guests": bool,
        "header": str,
        "default_role": str,
        "oidc": dict,
        "quotas": dict,
    },
    "alerts": {"run": bool, "hours": str},
    "mail": {
        "host": str,
        "port": int,
        "tls": str,
        "user": str,
        "password": str,
        "sender": str,
        "to": str,
    },
    "dedup": {"pins": str, "versions": str, "strategy": str},
    "server": {
        "public_url": str,
        "keys": list,
        "keys_file": str,
        "rate_limit": int,
        "trusted_proxies": list,
        "cors": list,
        "openurl": str,
        "openurl_name": str,
        "server_timing": bool,
        "suggest": bool,
        "suggestions": list,
        "silence": (int, float),
        "max_query": int,
    },
    "shared": {"url": str, "replicas": int, "secret": str, "pages": str},
    "sources": {},
    "groups": {},
}


def read_file(file: Path) -> dict[str, Any]:
    """Returns the tables of a configuration file, not yet checked. Raises SettingsError: the file
    cannot be read, is too large, or is not TOML.
    """
    try:
        text = opening.read(file, MAX_BYTES).decode()
        return tomli.loads(text.replace("\r\n", "\n").replace("\r", "\n"))
    except OSError as exc:
        raise SettingsError(str(file), [f"cannot be read: {opening.why(exc)}"]) from exc
    except (tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise SettingsError(str(file), [f"not TOML: {exc}"]) from exc


class SettingsTables:
    """The checked tables of a configuration.

    A value of a wrong kind is left out, and `problems` has a line for each: "table.key: what is
    wrong; what is allowed". `table`: the whole file, as `read_file` returns it. `problems`:
    everything that is wrong, in the order in which it was noticed.
    """

    def __init__(self, table: Table, folder: Path, env: Mapping[str, str]) -> None:
        self.problems: list[str] = []
        self.folder = folder
        self.env = env
        self._tables: dict[str, Table] = {}
        for name, value in table.items():
            if name not in KEYS:
                self.wrong(name, f"unknown table; allowed are {', '.join(sorted(KEYS))}")
            elif not isinstance(value, Mapping):
                self.wrong(name, "must be a table")
            else:
                self._tables[name] = self._checked(name, value)

    def __getitem__(self, name: str) -> Table:
        """The table of this name; an empty one if the file has none."""
        return self._tables.get(name, {})

    def wrong(self, where: str, what: str) -> None:
        """Adds a problem. `where`: the place: "table.key", or the name of a variable."""
        self.problems.append(f"{where}: {what}")

    def _checked(self, name: str, table: Table) -> Table:
        """The table without the values of a wrong kind."""
        if name == "groups":
            self._check_groups(table)
            return table
        if name == "sources":
            self._check_sources(table)
            return table
        right: dict[str, Any] = {}
        kinds = KEYS[name]
        for key, value in table.items():
            if key not in kinds:
                self.wrong(f"{name}.{key}", f"unknown key; allowed are {', '.join(sorted(kinds))}")
            elif is_of(value, kinds[key]):
                right[key] = value
            else:
                self.wrong(f"{name}.{key}", mismatch(value, kinds[key]))
        return right

    def _check_groups(self, table: Table) -> None:
        for group in table:
            if not _GROUP_NAME.fullmatch(group) or group in ("all", "default"):
                self.wrong(
                    f"groups.{group}",
                    "must be lower-case letters, digits, '-' or '_', and neither all nor default",
                )

    def _check_sources(self, table: Table) -> None:
        for source, value in table.items():
            is_folder = source == FOLDER and isinstance(value, str)
            if not is_folder and not isinstance(value, Mapping):
                self.wrong(f"sources.{source}", "must be a table")

    def strings(self, value: Any, where: str) -> tuple[str, ...]:
        """The strings of an array; () and a problem if the value is something else."""
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.wrong(where, "must be a list of strings")
        return ()

    def positive(self, value: Any, where: str) -> float:
        """A positive number; 1.0 and a problem if the value is something else."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < 1e12:
            self.wrong(where, "must be a positive number")
            return 1.0
        return number


# The tables [server] and [shared]: who may use a server, how often, what its responses contain,
# and the server through which replicas act as one.

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
