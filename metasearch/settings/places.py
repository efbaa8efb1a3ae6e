"""Where files lie: the configuration itself, pins, spec files, collections, and the cache.

A variable comes before the file. A relative path in the file begins in the folder of the file,
wherever the command runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from metasearch.settings.tables import FOLDER, SettingsTables

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
