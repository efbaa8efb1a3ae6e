"""`Settings`: everything that can be configured, read once and then handed down unchanged; and
where files lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from metasearch.errors import SettingsError
from metasearch.late_pattern import late_pattern
from metasearch.record import VERSIONS_MODES, VersionsMode
from metasearch.settings.alerts import AlertsSettings, MailSettings, alerts, mail
from metasearch.settings.server import (
    FOLDER,
    ServerSettings,
    SettingsTables,
    SharedSettings,
    public_url,
    read_file,
    server_settings,
    shared,
)
from metasearch.settings.users import UsersSettings, users

# Where files lie: the configuration itself, pins, spec files, collections, and the cache. A
# variable comes before the file. A relative path in the file begins in the folder of the file,
# wherever the command runs.

#: The file of pins in the user's configuration folder, which is used if no other one is named.
PINS_FILE = "pins.txt"
#: The folder of spec files beside the configuration, which is used if no other one is named.
SPEC_FOLDER = "specs"


def config_file(env: Mapping[str, str]) -> tuple[Path, bool]:
    """The configuration file, and whether the environment names it.

    A file that is named must exist; config.toml in the user's configuration folder may be missing.
    """
    named = env.get("METASEARCH_CONFIG")
    if named:
        return Path(named), True
    import platformdirs

    return Path(platformdirs.user_config_dir("metasearch")) / "config.toml", False


def pins(tables: SettingsTables) -> Path | None:
    """The file of pins that a variable or the configuration names; None if neither does."""
    variable = tables.env.get("METASEARCH_PINS")
    if variable:
        return Path(variable).expanduser()
    named = tables["dedup"].get("pins")
    return tables.folder / Path(named).expanduser() if named else None


def spec_dir(tables: SettingsTables) -> Path | None:
    """The folder of spec files; None if there is none.

    A folder that the configuration names must exist, except for the usual one.
    """
    named = tables["sources"].get(FOLDER)
    # A table under this key is a source that is called "folder".
    folder = named if isinstance(named, str) else SPEC_FOLDER
    path = tables.folder / Path(folder).expanduser()
    if path.is_dir() and folder:
        return path
    if folder != SPEC_FOLDER:
        tables.wrong(f"sources.{FOLDER}", f"there is no folder {folder!r}")
    return None


def collections_dir(tables: SettingsTables) -> Path:
    """The folder of the collections, which need not exist."""
    named = tables.env.get("METASEARCH_COLLECTIONS_DIR") or tables["collections"].get("dir")
    if named:
        return tables.folder / Path(str(named)).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("metasearch")) / "collections"


def cache_dir(tables: SettingsTables) -> Path | None:
    """The folder of the page cache; None if the configuration turns the cache off."""
    cache = tables["cache"]
    if cache.get("enabled") is False:
        return None
    named = tables.env.get("METASEARCH_CACHE_DIR") or cache.get("dir")
    if named:
        return Path(str(named)).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("metasearch"))


def workspace(tables: SettingsTables) -> Path:
    """The file of the workspace, which need not exist."""
    named = tables.env.get("METASEARCH_WORKSPACE") or tables["workspace"].get("file")
    if named:
        return tables.folder / Path(str(named)).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("metasearch")) / "workspace.sqlite3"


# `Settings`: everything that can be configured, read once and then handed down unchanged. Only the
# command line, the server and the library read the environment, by `Settings.load`.

#: In the place of an enricher: none is asked, whatever the configuration names.
NO_ENRICHER = "none"
VERSION_AGENT = "metasearch/0.1"
_HOST_PORT = late_pattern(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured. `shelf_dir`, `shelves_by_default`: the names of
    `collections_dir` and `collections_by_default` in the last version; taken for one more version.

    Attributes:
        sources: Source name -> table. The table changes a shipped spec or, with `extends`, adds a
            source.
        spec_dir: Folder of spec files, each of which is a source; None if there is none.
        default_sources: Sources and groups that are asked if a search names none. None is the
            shipped default group and every source that the configuration adds.
        groups: Group -> names of its sources; these come before the shipped groups.
        allow: "host:port" of servers with private addresses that requests may go to all the same.
        contact: Mail address for the operators of databases; sent to databases that ask for one.
        cache_dir: Folder of the page cache; None keeps no pages.
        cache_bytes: The largest size of the page cache.
        collections_dir: Folder of the collections, each of which is a source; None if there is
            none.
        collections_by_default: Whether a search that names no source asks the collections, too.
        workspace: File of the workspace; None if there is none.
        serve_workspace: Whether a server has pages and an interface for the workspace.
        alerts: When saved searches are run.
        timeout: Seconds until a search returns the hits that it has.
        wait: Seconds until a search returns its first hits and goes on in the background; None if a
            search returns at the timeout only.
        per_source: Records asked from each source, if a search does not set another number.
        enrich: Sources that are asked for the works of an answer, if a search does not name others.
        pins: File of pins; None if there is none.
        versions: What happens to the versions of a work, if a search does not choose.
        strategy: How duplicates are found, if a search does not choose. The name is not checked
            here: `metasearch.dedup` knows the strategies.
        env: The variables in which keys are looked up.
        public_url: Base of the absolute URLs that a server returns; None is the address at which
            the server listens.
        server: All other settings of a server.
        shared: The server through which replicas act as one.
        workers: Processes that send requests at the same time; each takes its part of the limits of
            a source.
        shipped: Whether the shipped sources can be asked too, or only those in `sources`.
        file: The configuration file; "" if there was none.
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
    workspace: Path | None = None
    serve_workspace: bool = False
    users: UsersSettings = field(default_factory=UsersSettings)
    alerts: AlertsSettings = field(default_factory=AlertsSettings)
    mail: MailSettings = field(default_factory=MailSettings)
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
    shared: SharedSettings = field(default_factory=SharedSettings)
    workers: int = 1
    shipped: bool = True
    file: str = ""

    @property
    def user_agent(self) -> str:
        """The name of the program, with the contact address if there is one."""
        return f"{VERSION_AGENT} (mailto:{self.contact})" if self.contact else VERSION_AGENT

    def deduplicated(
        self,
        pins: Path | None = None,
        versions: VersionsMode | None = None,
        strategy: str | None = None,
    ) -> Settings:
        """A copy with another file of pins, another mode of versions and another strategy.

        What is None stays as it is.
        """
        return replace(
            self,
            pins=pins or self.pins,
            versions=versions or self.versions,
            strategy=strategy or self.strategy,
        )

    @classmethod
    def load(cls, file: Path | None, env: Mapping[str, str]) -> Settings:
        """Settings from a file and from `METASEARCH_*` variables, which come before the file.

        `file`: None is $METASEARCH_CONFIG or metasearch/config.toml in the user's configuration
        folder. The latter may be missing, and a pins.txt beside it is used. Raises SettingsError:
        with every problem of the file.
        """
        file, explicit = (file, True) if file is not None else config_file(env)
        table = read_file(file) if explicit or file.exists() else {}
        tables = SettingsTables(table, file.parent, env)
        settings = _settings(tables)
        if tables.problems:
            raise SettingsError(str(file) if table else "environment", tables.problems)
        pins = file.parent / PINS_FILE
        if settings.pins is None and not explicit and pins.exists():
            settings = replace(settings, pins=pins)
        return replace(settings, file=str(file) if table else "")


def _settings(tables: SettingsTables) -> Settings:
    """Settings from checked tables; problems of single values are added to `tables.problems`."""
    search, network, dedup = tables["search"], tables["network"], tables["dedup"]
    env = tables.env
    allow = tables.strings(network.get("allow", []), "network.allow")
    for entry in allow:
        if not _HOST_PORT.fullmatch(entry):
            tables.wrong("network.allow", f'{entry!r} is not "host:port"')
    timeout = tables.positive(search.get("timeout", 15.0), "search.timeout")
    if env.get("METASEARCH_TIMEOUT"):
        timeout = tables.positive(env["METASEARCH_TIMEOUT"], "METASEARCH_TIMEOUT")
    wait = _wait(tables, timeout)
    per_source = tables.positive(search.get("per_source", 20), "search.per_source")
    contact = env.get("METASEARCH_CONTACT") or network.get("contact")
    secrets = dict(env)
    if contact:
        secrets["METASEARCH_CONTACT"] = str(contact)
    names = search.get("sources")
    sources = tables["sources"]
    return Settings(
        sources={name: table for name, table in sources.items() if isinstance(table, Mapping)},
        spec_dir=spec_dir(tables),
        default_sources=tables.strings(names, "search.sources") if names is not None else None,
        groups={
            group: tables.strings(members, f"groups.{group}")
            for group, members in tables["groups"].items()
        },
        allow=frozenset(allow),
        contact=str(contact) if contact else None,
        cache_dir=cache_dir(tables),
        cache_bytes=int(
            tables.positive(tables["cache"].get("max_bytes", 1 << 30), "cache.max_bytes")
        ),
        collections_dir=collections_dir(tables),
        collections_by_default=tables["collections"].get("default") is not False,
        workspace=workspace(tables),
        serve_workspace=tables["workspace"].get("serve") is True,
        users=users(tables),
        alerts=alerts(tables),
        mail=mail(tables),
        timeout=timeout,
        wait=wait,
        per_source=min(1000, int(per_source)),
        enrich=tables.strings(search.get("enrich", []), "search.enrich"),
        pins=pins(tables),
        versions=_versions(tables),
        strategy=str(env.get("METASEARCH_DEDUP") or dedup.get("strategy") or "default"),
        env=secrets,
        public_url=public_url(tables),
        server=server_settings(tables),
        shared=shared(tables),
    )


def _wait(tables: SettingsTables, timeout: float) -> float | None:
    """`search.wait`, in seconds; None if the file does not set it."""
    if "wait" not in tables["search"]:
        return None
    wait = tables.positive(tables["search"]["wait"], "search.wait")
    # With a wrong timeout it is not known what the wait must be compared with.
    of_timeout = ("search.timeout:", "METASEARCH_TIMEOUT:")
    if wait > timeout and not any(problem.startswith(of_timeout) for problem in tables.problems):
        tables.wrong("search.wait", f"must be at most the timeout, {timeout:g} s, is {wait:g}")
    return wait


def _versions(tables: SettingsTables) -> VersionsMode:
    value = tables["dedup"].get("versions", "group")
    for mode in VERSIONS_MODES:
        if mode == value:
            return mode
    tables.wrong("dedup.versions", f"must be one of {', '.join(VERSIONS_MODES)}, is {value!r}")
    return "group"
