"""`Settings`: everything that can be configured, read once and then handed down unchanged; and
where files lie.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Self

from metasearch.errors import SettingsError
from metasearch.late_pattern import late_pattern
from metasearch.record import VersionsMode
from metasearch.settings.alerts import AlertsSettings, MailSettings, mail
from metasearch.settings.server import ServerSettings, SharedSettings, public_url
from metasearch.settings.tables import SettingsTables, beside, positive, read_file
from metasearch.settings.users import UsersSettings, users
from metasearch.toml_tables import Table, TomlKey, below, key, keys_of

# Where files lie: the configuration itself, pins, spec files, collections, and the cache. A
# variable comes before the file. A relative path in the file begins in the folder of the file,
# wherever the command runs.

#: The file of pins in the user's configuration folder, which is used if no other one is named.
PINS_FILE = "pins.txt"
#: The folder of spec files beside the configuration, which is used if no other one is named.
SPEC_FOLDER = "specs"
#: The key of [sources] that names the folder of spec files. Every other key there is the name of a
#: source, and its value is a table.
FOLDER = "folder"
_GROUP_NAME = late_pattern(r"[a-z0-9][a-z0-9_-]{0,39}")
_HOST_PORT = late_pattern(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):\d{1,5}")


def config_file(env: Mapping[str, str]) -> tuple[Path, bool]:
    """The configuration file, and whether the environment names it.

    A file that is named must exist; config.toml in the user's configuration folder may be missing.
    """
    named = env.get("METASEARCH_CONFIG")
    if named:
        return Path(named), True
    import platformdirs

    return Path(platformdirs.user_config_dir("metasearch")) / "config.toml", False


def _named_file(tables: SettingsTables, value: str, where: str) -> Path | None:
    # A variable is taken as it stands.
    return Path(value).expanduser() if where in tables.env else beside(tables, value, where)


def _cache_dir(_tables: SettingsTables, value: str, _where: str) -> Path | None:
    return Path(value).expanduser() if value else None


def _usual_place(kind: str, *names: str) -> Path:
    """A file or folder in the user's folder of this kind."""
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("metasearch"), *names)


def _spec_dir(tables: SettingsTables, named: str | Table, where: str) -> Path | None:
    """The folder of spec files, which must exist, except for the usual one."""
    if not isinstance(named, str):  # the table of a source that is called "folder"
        return None
    path = tables.folder / Path(named).expanduser()
    if named and path.is_dir():
        return path
    if named != SPEC_FOLDER:
        tables.wrong(where, f"there is no folder {named!r}")
    return None


def _sources(tables: SettingsTables, table: Table, where: str) -> dict[str, Table]:
    for source, value in table.items():
        if not isinstance(value, Mapping) and not (source == FOLDER and isinstance(value, str)):
            tables.wrong(below(where, source), "must be a table")
    return {name: value for name, value in table.items() if isinstance(value, Mapping)}


def _groups(tables: SettingsTables, table: Table, where: str) -> dict[str, tuple[str, ...]]:
    for group in table:
        if not _GROUP_NAME.fullmatch(group) or group in ("all", "default"):
            tables.wrong(
                below(where, group),
                "must be lower-case letters, digits, '-' or '_', and neither all nor default",
            )
    return {group: tables.strings(members, below(where, group)) for group, members in table.items()}


def _allow(tables: SettingsTables, entries: tuple[str, ...], where: str) -> frozenset[str]:
    for entry in entries:
        if not _HOST_PORT.fullmatch(entry):
            tables.wrong(where, f'{entry!r} is not "host:port"')
    return frozenset(entries)


def _records(tables: SettingsTables, value: int, where: str) -> int:
    return min(1000, int(positive(tables, value, where)))


def _bytes(tables: SettingsTables, value: int, where: str) -> int:
    return int(positive(tables, value, where))


#: In the place of an enricher: none is asked, whatever the configuration names.
NO_ENRICHER = "none"
VERSION_AGENT = "metasearch/0.1"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be configured.

    Only the command line, the server and the library read files and the environment, by
    `Settings.load`. `help` of a field says what its key means; beside that:

    Attributes:
        default_sources: None is the shipped default group and every source that the configuration
            adds.
        cache_dir: None keeps no pages.
        collections_dir: Each collection in it is a source; None if there is none.
        wait: None if a search returns at the timeout only.
        strategy: The name is not checked here: `metasearch.dedup` knows the strategies.
        sources: Source name -> table. The table changes a shipped spec or, with `extends`, adds a
            source.
        public_url: None is the address at which the server listens.
        env: The variables in which keys are looked up.
        workers: Processes that send requests at the same time; each takes its part of the limits of
            a source.
        shipped: Whether the shipped sources can be asked too, or only those in `sources`.
        file: The configuration file; "" if there was none.
    """

    default_sources: tuple[str, ...] | None = key(
        None,
        place="search.sources",
        help="asked when -s names none: sources and groups; without it: the default set and every "
        "source below",
        example='["default", "hal", "mylibrary"]',
    )
    timeout: float = key(
        15.0,
        positive,
        place="search.timeout",
        variable="METASEARCH_TIMEOUT",
        help="seconds until the answer is returned, also if sources are missing",
    )
    wait: float | None = key(
        None,
        positive,
        place="search.wait",
        help="seconds until the hits so far are returned: see waiting.md; without it: the timeout",
        example="5.0",
    )
    per_source: int = key(
        20, _records, place="search.per_source", help="records asked from each source"
    )
    enrich: tuple[str, ...] = key(
        (),
        place="search.enrich",
        help="asked where the hits can be read: see enrich.md; without it: none",
        example='["unpaywall"]',
    )
    groups: Mapping[str, tuple[str, ...]] = key(
        {},
        _groups,
        place="groups",
        help="for -s NAME, beside the shipped groups: medicine, physics, books ...",
        example='mine = ["crossref", "mylibrary"]',
    )
    contact: str | None = key(
        None,
        repr=False,
        place="network.contact",
        variable="METASEARCH_CONTACT",
        help="sent to databases that ask for a mail address",
        example='"me@example.org"',
    )
    allow: frozenset[str] = key(
        frozenset(),
        _allow,
        place="network.allow",
        help="host:port that the guard against private addresses allows",
        example='["127.0.0.1:9401"]',
    )
    cache_dir: Path | None = key(
        None,
        _cache_dir,
        place="cache.dir",
        variable="METASEARCH_CACHE_DIR",
        help="the folder of the page cache",
        example='"~/.cache/metasearch"',
    )
    cache_bytes: int = key(
        1 << 30,
        _bytes,
        place="cache.max_bytes",
        help="the largest size of the page cache",
        example="1_000_000_000",
    )
    collections_dir: Path | None = key(
        None,
        beside,
        place="collections.dir",
        variable="METASEARCH_COLLECTIONS_DIR",
        help="the folder of the collections: see collections.md",
        example='"~/.local/share/metasearch/collections"',
    )
    collections_by_default: bool = key(
        True,
        place="collections.default",
        help="whether a search that names no source asks the collections, too",
    )
    workspace: Path | None = key(
        None,
        beside,
        place="workspace.file",
        variable="METASEARCH_WORKSPACE",
        help="the file of all projects: see workspace-file.md",
        example='"~/.local/share/metasearch/workspace.sqlite3"',
    )
    serve_workspace: bool = key(
        False,
        place="workspace.serve",
        help="whether a server has pages and an interface for the projects, open to all who reach "
        "it",
    )
    users: UsersSettings = key(UsersSettings(), users, place="users")
    alerts: AlertsSettings = key(AlertsSettings(), place="alerts")
    mail: MailSettings = key(
        MailSettings(), mail, place="mail", help="e-mails of saved searches: see alerts.md"
    )
    pins: Path | None = key(
        None,
        _named_file,
        place="dedup.pins",
        variable="METASEARCH_PINS",
        help="decisions of yours: see pins.md; a relative path begins beside this file",
        example='"pins.txt"',
    )
    versions: VersionsMode = key(
        "group",
        place="dedup.versions",
        help='or "separate", "merge": preprint and article in one hit or two',
    )
    strategy: str = key(
        "default",
        place="dedup.strategy",
        variable="METASEARCH_DEDUP",
        help="how duplicates are found: a name that `metasearch strategies` lists",
    )
    demo_catalogue: Path | None = key(
        None,
        _named_file,
        place="demo.catalogue",
        variable="METASEARCH_DEMO_CATALOGUE",
        help="the works that --demo holds: see cli.md; without it: some five hundred of ours",
        example='"works.jsonl"',
    )
    public_url: str | None = key(
        None,
        public_url,
        place="server.public_url",
        variable="METASEARCH_PUBLIC_URL",
        help="base of the absolute URLs in OpenSearch and Atom",
        example='"https://search.example.org"',
    )
    server: ServerSettings = key(ServerSettings(), place="server")
    shared: SharedSettings = key(
        SharedSettings(),
        place="shared",
        help="replicas that act as one: see replicas.md; without it nothing is shared",
    )
    sources: Mapping[str, Table] = key({}, _sources, place="sources")
    spec_dir: Path | None = key(
        None,
        _spec_dir,
        place="sources.folder",
        kind=object,
        help="spec files of yours, each a source: see below; specs/ beside this file, if there is "
        "one",
        example=f'"{SPEC_FOLDER}"',
    )
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    workers: int = 1
    shipped: bool = True
    file: str = ""

    @property
    def user_agent(self) -> str:
        """The name of the program, with the contact address if there is one."""
        return f"{VERSION_AGENT} (mailto:{self.contact})" if self.contact else VERSION_AGENT

    def with_dedup(
        self,
        pins: Path | None = None,
        versions: VersionsMode | None = None,
        strategy: str | None = None,
    ) -> Self:
        """A copy with another file of pins, another mode of versions and another strategy.

        What is None stays as it is.
        """
        return replace(
            self,
            pins=pins or self.pins,
            versions=versions or self.versions,
            strategy=strategy or self.strategy,
        )

    def with_demo(self, catalogue: Path | None) -> Self:
        """A copy with another catalogue of the demo; None leaves it."""
        return replace(self, demo_catalogue=catalogue or self.demo_catalogue)

    @classmethod
    def load(cls, file: Path | None, env: Mapping[str, str]) -> Self:
        """Settings from a file and from `METASEARCH_*` variables, which come before the file.

        `file`: None is $METASEARCH_CONFIG or metasearch/config.toml in the user's configuration
        folder. The latter may be missing, and a pins.txt beside it is used. Raises SettingsError:
        with every problem of the file.
        """
        file, explicit = (file, True) if file is not None else config_file(env)
        table = read_file(file) if explicit or file.exists() else {}
        tables = SettingsTables(table, keys(), file.parent, env)
        settings = cls(**_values(tables))
        if tables.problems:
            raise SettingsError(str(file) if table else "environment", tables.problems)
        pins = file.parent / PINS_FILE
        if settings.pins is None and not explicit and pins.exists():
            settings = replace(settings, pins=pins)
        return replace(settings, file=str(file) if table else "")


#: Keys of which no field holds the value.
_OTHERS = {
    "cache": {"enabled": TomlKey("enabled", bool, help="whether pages are kept", example="true")},
}


@cache
def keys() -> Mapping[str, Mapping[str, TomlKey]]:
    """Each table of the configuration with its keys; [sources] and [groups] have any keys."""
    tables: dict[str, dict[str, TomlKey]] = {}
    for declared in keys_of(Settings).values():
        table, _, name = declared.place.partition(".")
        if name:
            tables.setdefault(table, dict(_OTHERS.get(table, {})))[name] = declared
        elif table:
            tables.setdefault(table, {}).update(keys_of(declared.inner) if declared.inner else {})
    return tables


def _values(tables: SettingsTables) -> dict[str, Any]:
    """The fields of settings; problems of single values are added to `tables.problems`."""
    values: dict[str, Any] = {}
    for declared in keys_of(Settings).values():
        table, _, name = declared.place.partition(".")
        if name:
            values |= tables.values({name: declared}, tables[table], table)
        elif declared.check is not None:
            values[declared.field] = declared.check(tables, tables[table], table)
        elif declared.inner is not None:
            own = tables.values(keys_of(declared.inner), tables[table], table)
            values[declared.field] = declared.inner(**own)
    # With a wrong timeout it is not known what the wait must be compared with.
    timeout, wait = values.get("timeout", Settings().timeout), values.get("wait")
    of_timeout = ("search.timeout:", "METASEARCH_TIMEOUT:")
    known = not any(problem.startswith(of_timeout) for problem in tables.problems)
    if wait and wait > timeout and known:
        tables.wrong("search.wait", f"must be at most the timeout, {timeout:g} s, is {wait:g}")
    values["contact"] = values.get("contact") or None
    values["strategy"] = values.get("strategy") or Settings().strategy
    contact = {"METASEARCH_CONTACT": values["contact"]} if values["contact"] else {}
    values["env"] = {**tables.env, **contact}
    places = {
        "cache_dir": ("cache",),
        "collections_dir": ("data", "collections"),
        "workspace": ("data", "workspace.sqlite3"),
    }
    for name, place in places.items():
        values[name] = values.get(name) or _usual_place(*place)
    usual = tables.folder / SPEC_FOLDER
    values["spec_dir"] = values.get("spec_dir") or (usual if usual.is_dir() else None)
    if not tables.values(_OTHERS["cache"], tables["cache"], "cache").get("enabled", True):
        values["cache_dir"] = None
    return values
