"""What the user has configured: one TOML file, read once, and handed down as a frozen `Settings`.

Nothing below the faces reads the environment; it is read here, when `load` is called.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import tomllib
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, replace
from pathlib import Path
from typing import Any

from metasearch import opening
from metasearch.errors import SettingsError
from metasearch.query.limits import MAX_LENGTH
from metasearch.record import VERSIONS_MODES, VersionsMode
from metasearch.toml_kinds import is_of, mismatch

log = logging.getLogger(__name__)

#: What pins are called beside the configuration that is used when none is named.
PINS_FILE = "pins.txt"
#: What the folder of the user's own specs is called beside the configuration, where none is named.
SPEC_FOLDER = "specs"
#: The key of [sources] that names that folder; everything else there is a table, the source of that
#: name.
FOLDER = "folder"
#: Bytes of a configuration file.
MAX_BYTES = 4_000_000
#: In the place of an enricher: no one, whatever is configured.
NO_ENRICHER = "none"
#: Seconds without a sign of life after which a worker is replaced: longer than anything that ends
#: by itself, shorter than a search.
SILENCE = 10.0
VERSION_AGENT = "metasearch/0.1"
_BASE_URL = re.compile(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?(?:/[A-Za-z0-9._~%/-]*)?"
)
_VARIABLE = re.compile(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_GROUP = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_HOST_PORT = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Who may ask a server, how often, and what its answers tell.

    Attributes:
        keys: Names of the variables that hold API keys.
        keys_file: File of keys, one a line; without it and `keys` everybody may ask.
        rate_limit: Requests that one client may make in a minute; 0 for any number.
        trusted_proxies: Addresses and networks of proxies whose `X-Forwarded-For` is believed.
        server_timing: Whether answers say how long each source took.
        suggest: Whether it completes queries, of the operator's and of the same user's.
        suggestions: Queries of the operator's.
        silence: Seconds after which a worker whose event loop has stopped is replaced; 0 for never.
        max_query: Most characters of a query.
    """

    keys: tuple[str, ...] = ()
    keys_file: Path | None = None
    rate_limit: int = 120
    trusted_proxies: tuple[str, ...] = ()
    server_timing: bool = True
    suggest: bool = False
    suggestions: tuple[str, ...] = ()
    silence: float = SILENCE
    max_query: int = MAX_LENGTH


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured.

    Attributes:
        sources: Source name -> table that overrides a shipped spec or, with `extends`, adds a
            source.
        spec_dir: Folder of spec files, each of which is a source; None has none.
        default_sources: Asked when a search names none, sources and groups; None asks the shipped
            default set and every source that the configuration adds.
        groups: Group -> names of its sources; lies over the shipped groups.
        allow: "host:port" of servers that the SSRF guard would refuse because their addresses are
            not public.
        contact: Mail address that databases may write to; sent where they ask for one.
        cache_dir: Folder of the page cache; None keeps no pages.
        cache_bytes: Its largest size.
        collections_dir: Folder of the collections, each of which is a source; None has none.
        collections_by_default: Whether a search that names no source asks the collections, too.
        timeout: Seconds until a search answers with what it has.
        wait: Seconds until it does so and goes on in the background; None where it goes on for
            nobody.
        per_source: Records asked from each source when a search does not say.
        enrich: Sources that are asked for the works of an answer when a search does not say.
        pins: File of what the user has decided to be the same or different; None for nothing.
        versions: What becomes of the versions of a work when a search does not say.
        strategy: How duplicates are found when a search does not say; whether there is one of that
            name is known to `metasearch.dedup` alone, which whoever uses it asks.
        env: Where keys are looked up.
        public_url: Base of the absolute URLs that a server hands out; None takes the address it
            listens on.
        server: Everything else about serving.
        workers: Processes that ask at the same time, and divide what a source allows.
        shipped: Whether the shipped sources can be asked too, or only those in `sources`.
        file: Where it was read from.

    Args:
        shelf_dir, shelves_by_default: The names of `collections_dir` and `collections_by_default`
            in the last version; taken for one more version.
    """

    sources: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    spec_dir: Path | None = None
    default_sources: tuple[str, ...] | None = None
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    allow: frozenset[str] = frozenset()
    contact: str | None = field(default=None, repr=False)
    cache_dir: Path | None = None
    cache_bytes: int = 1 << 30
    collections_dir: Path | None = None
    collections_by_default: bool = True
    timeout: float = 15.0
    wait: float | None = None
    per_source: int = 20
    enrich: tuple[str, ...] = ()
    pins: Path | None = None
    versions: VersionsMode = "group"
    strategy: str = "default"
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    public_url: str | None = None
    server: ServerSettings = field(default_factory=ServerSettings)
    workers: int = 1
    shipped: bool = True
    file: str = ""
    shelf_dir: InitVar[Path | None] = None
    shelves_by_default: InitVar[bool | None] = None

    def __post_init__(self, shelf_dir: Path | None, shelves_by_default: bool | None) -> None:
        for old, value, name in (
            ("shelf_dir", shelf_dir, "collections_dir"),
            ("shelves_by_default", shelves_by_default, "collections_by_default"),
        ):
            if value is not None:
                log.warning("Settings: %s is now called %s; please rename it", old, name)
                object.__setattr__(self, name, value)

    @property
    def user_agent(self) -> str:
        """Names the program, and whom to write to."""
        return f"{VERSION_AGENT} (mailto:{self.contact})" if self.contact else VERSION_AGENT

    def deduplicated(
        self,
        pins: Path | None = None,
        versions: VersionsMode | None = None,
        strategy: str | None = None,
    ) -> Settings:
        """With another file of pins, another mode of versions and another strategy, where they are
        named.
        """
        return replace(
            self,
            pins=pins or self.pins,
            versions=versions or self.versions,
            strategy=strategy or self.strategy,
        )

    @classmethod
    def load(cls, file: Path | None, env: Mapping[str, str]) -> Settings:
        """Settings from a file, under `METASEARCH_*` variables, over the defaults.

        Args:
            file: None looks for metasearch/config.toml in the user's configuration folder, which
                may be missing; then a pins.txt beside it counts, too.
            env: The environment.

        Raises:
            SettingsError: With every problem of the file.
        """
        explicit = file is not None
        if file is None:
            import platformdirs

            named = env.get("METASEARCH_CONFIG")
            explicit = bool(named)
            file = (
                Path(named)
                if named
                else Path(platformdirs.user_config_dir("metasearch")) / "config.toml"
            )
        table: dict[str, Any] = {}
        if explicit or file.exists():
            try:
                table = tomllib.loads(_text(file))
            except OSError as exc:
                raise SettingsError(str(file), [f"cannot be read: {opening.why(exc)}"]) from exc
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
                raise SettingsError(str(file), [f"not TOML: {exc}"]) from exc
        reader = _Reader(table, file.parent)
        settings = reader.settings(env)
        if reader.problems:
            raise SettingsError(str(file) if table else "environment", reader.problems)
        if settings.pins is None and not explicit and (file.parent / PINS_FILE).exists():
            settings = replace(settings, pins=file.parent / PINS_FILE)
        return replace(settings, file=str(file) if table else "")


def _text(file: Path) -> str:
    text = opening.read(file, MAX_BYTES).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def web_address(text: str) -> str:
    """The text, if it can be the base of a server's addresses.

    Raises:
        ValueError: It is no http or https address with a host, or it has a query or fragment.
    """
    if not _BASE_URL.fullmatch(text):
        raise ValueError(f"{text!r} is no address such as https://search.example.org/path")
    return text


def _renamed(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tables of a configuration, [shelves] under its new name [collections].

    The old name is read for one more version, and so is METASEARCH_SHELVES_DIR.
    """
    if "shelves" not in table:
        return table
    log.warning("[shelves] in the configuration is now called [collections]; please rename it")
    tables = {name: value for name, value in table.items() if name != "shelves"}
    old, new = table["shelves"], tables.get("collections", {})
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return tables | {"collections": {**old, **new}}
    return {"collections": old} | tables


class _Reader:
    """Reads the tables and gathers problems as "table.key: what is wrong; what is allowed"."""

    _KEYS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
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
        "dedup": {"pins": str, "versions": str, "strategy": str},
        "server": {
            "public_url": str,
            "keys": list,
            "keys_file": str,
            "rate_limit": int,
            "trusted_proxies": list,
            "server_timing": bool,
            "suggest": bool,
            "suggestions": list,
            "silence": (int, float),
            "max_query": int,
        },
        "sources": {},
        "groups": {},
    }

    def __init__(self, table: Mapping[str, Any], folder: Path) -> None:
        self.problems: list[str] = []
        self.folder = folder
        self.tables: dict[str, Mapping[str, Any]] = {}
        for name, value in _renamed(table).items():
            if name not in self._KEYS:
                self.problems.append(
                    f"{name}: unknown table; allowed are {', '.join(sorted(self._KEYS))}"
                )
            elif not isinstance(value, Mapping):
                self.problems.append(f"{name}: must be a table")
            else:
                self.tables[name] = self.checked(name, value)

    def checked(self, name: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """The table without the keys whose values are of a wrong kind, which are noted."""
        known = self._KEYS[name]
        if name == "groups":
            for group in table:
                if not _GROUP.fullmatch(group) or group in ("all", "default"):
                    self.problems.append(
                        f"groups.{group}: must be lower-case letters, digits, '-' or '_', and "
                        f"neither all nor default"
                    )
            return table
        if name == "sources":
            for source, value in table.items():
                if source == FOLDER and isinstance(value, str):
                    continue
                if not isinstance(value, Mapping):
                    self.problems.append(f"sources.{source}: must be a table")
            return table
        right: dict[str, Any] = {}
        for key, value in table.items():
            if key not in known:
                self.problems.append(
                    f"{name}.{key}: unknown key; allowed are {', '.join(sorted(known))}"
                )
            elif is_of(value, known[key]):
                right[key] = value
            else:
                self.problems.append(f"{name}.{key}: {mismatch(value, known[key])}")
        return right

    def settings(self, env: Mapping[str, str]) -> Settings:
        search, network = self.tables.get("search", {}), self.tables.get("network", {})
        cache, server = self.tables.get("cache", {}), self.tables.get("server", {})
        dedup, collections = self.tables.get("dedup", {}), self.tables.get("collections", {})
        allow = self.strings(network.get("allow", []), "network.allow")
        for entry in allow:
            if not _HOST_PORT.fullmatch(entry):
                self.problems.append(f'network.allow: {entry!r} is not "host:port"')
        timeout = self.positive(search.get("timeout", 15.0), "search.timeout")
        if env.get("METASEARCH_TIMEOUT"):
            timeout = self.positive(env["METASEARCH_TIMEOUT"], "METASEARCH_TIMEOUT")
        wait = self.positive(search["wait"], "search.wait") if "wait" in search else None
        wrong_timeout = any(
            problem.startswith(("search.timeout:", "METASEARCH_TIMEOUT:"))
            for problem in self.problems
        )
        if wait is not None and not wrong_timeout and wait > timeout:
            self.problems.append(
                f"search.wait: must be at most the timeout, {timeout:g} s, is {wait:g}"
            )
        per_source = self.positive(search.get("per_source", 20), "search.per_source")
        contact = env.get("METASEARCH_CONTACT") or network.get("contact")
        chosen = search.get("sources")
        secrets = dict(env)
        if contact:
            secrets["METASEARCH_CONTACT"] = str(contact)
        return Settings(
            sources={
                k: v for k, v in self.tables.get("sources", {}).items() if isinstance(v, Mapping)
            },
            spec_dir=self.spec_dir(self.tables.get("sources", {}).get(FOLDER)),
            default_sources=self.strings(chosen, "search.sources") if chosen is not None else None,
            groups={
                k: self.strings(v, f"groups.{k}") for k, v in self.tables.get("groups", {}).items()
            },
            allow=frozenset(allow),
            contact=str(contact) if contact else None,
            cache_dir=self.cache_dir(cache, env),
            cache_bytes=int(self.positive(cache.get("max_bytes", 1 << 30), "cache.max_bytes")),
            collections_dir=self.collections_dir(collections, env),
            collections_by_default=collections.get("default") is not False,
            timeout=timeout,
            wait=wait,
            per_source=min(1000, int(per_source)),
            enrich=self.strings(search.get("enrich", []), "search.enrich"),
            pins=self.pins(dedup, env),
            versions=self.versions(dedup.get("versions", "group")),
            strategy=str(env.get("METASEARCH_DEDUP") or dedup.get("strategy") or "default"),
            env=secrets,
            public_url=self.public_url(server, env),
            server=self.server(server),
        )

    def strings(self, value: Any, where: str) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
        self.problems.append(f"{where}: must be a list of strings")
        return ()

    def positive(self, value: Any, where: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not 0 < number < 1e12:
            self.problems.append(f"{where}: must be a positive number")
            return 1.0
        return number

    def pins(self, dedup: Mapping[str, Any], env: Mapping[str, str]) -> Path | None:
        if env.get("METASEARCH_PINS"):
            return Path(env["METASEARCH_PINS"]).expanduser()
        named = dedup.get("pins")
        # Beside the file that names it, wherever the command is run.
        return self.folder / Path(named).expanduser() if named else None

    def spec_dir(self, named: Any) -> Path | None:
        """The folder that is named, which must be there; the usual one, named or not, where it is
        there.
        """
        folder = (
            named if isinstance(named, str) else SPEC_FOLDER
        )  # a table is a source that is called so
        path = self.folder / Path(folder).expanduser()
        if path.is_dir() and folder:
            return path
        if folder != SPEC_FOLDER:
            self.problems.append(f"sources.{FOLDER}: there is no folder {folder!r}")
        return None

    def versions(self, value: Any) -> VersionsMode:
        mode = next((mode for mode in VERSIONS_MODES if mode == value), None)
        if mode is None:
            self.problems.append(
                f"dedup.versions: must be one of {', '.join(VERSIONS_MODES)}, is {value!r}"
            )
        return mode or "group"

    def public_url(self, server: Mapping[str, Any], env: Mapping[str, str]) -> str | None:
        variable = env.get("METASEARCH_PUBLIC_URL")
        for where, value in (
            ("METASEARCH_PUBLIC_URL", variable),
            ("server.public_url", server.get("public_url")),
        ):
            if value:
                try:
                    return web_address(value)
                except ValueError as exc:
                    self.problems.append(f"{where}: {exc}")
        return None

    def server(self, server: Mapping[str, Any]) -> ServerSettings:
        variables = [
            _VARIABLE.fullmatch(entry)
            for entry in self.strings(server.get("keys", []), "server.keys")
        ]
        if not all(variables):
            # It may well be a key, so it is not repeated.
            number = variables.index(None) + 1
            self.problems.append(
                f'server.keys: entry {number} is not "ENV:NAME"; a key itself does not belong here'
            )
        proxies = self.strings(server.get("trusted_proxies", []), "server.trusted_proxies")
        for proxy in proxies:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                self.problems.append(f"server.trusted_proxies: {proxy!r} is no address or network")
        limit = server.get("rate_limit", 120)
        if not 0 <= limit <= 1_000_000:
            self.problems.append(
                "server.rate_limit: must be 0 to 1000000 requests a minute; 0 is any number"
            )
        silence = server.get("silence", SILENCE)
        if silence != 0 and not 1 <= silence <= 3600:
            self.problems.append("server.silence: must be 1 to 3600 seconds; 0 is off")
        most = server.get("max_query", MAX_LENGTH)
        if not 1 <= most <= MAX_LENGTH:
            self.problems.append(f"server.max_query: must be 1 to {MAX_LENGTH} characters")
        file = server.get("keys_file")
        return ServerSettings(
            keys=tuple(match[1] for match in variables if match),
            keys_file=self.folder / Path(file).expanduser() if file else None,
            rate_limit=limit,
            trusted_proxies=proxies,
            server_timing=server.get("server_timing") is not False,
            suggest=server.get("suggest") is True,
            suggestions=self.strings(server.get("suggestions", []), "server.suggestions"),
            silence=silence,
            max_query=most,
        )

    def collections_dir(self, collections: Mapping[str, Any], env: Mapping[str, str]) -> Path:
        named = env.get("METASEARCH_COLLECTIONS_DIR")
        if not named and env.get("METASEARCH_SHELVES_DIR"):
            log.warning(
                "METASEARCH_SHELVES_DIR is now called METASEARCH_COLLECTIONS_DIR; please rename it"
            )
            named = env["METASEARCH_SHELVES_DIR"]
        named = named or collections.get("dir")
        if named:
            # Beside the file that names it, wherever the command is run.
            return self.folder / Path(str(named)).expanduser()
        import platformdirs

        # The folder keeps its old name, so that collections of earlier versions are still there.
        return Path(platformdirs.user_data_dir("metasearch")) / "shelves"

    def cache_dir(self, cache: Mapping[str, Any], env: Mapping[str, str]) -> Path | None:
        if cache.get("enabled") is False:
            return None
        named = env.get("METASEARCH_CACHE_DIR") or cache.get("dir")
        if named:
            return Path(str(named)).expanduser()
        import platformdirs

        return Path(platformdirs.user_cache_dir("metasearch"))
