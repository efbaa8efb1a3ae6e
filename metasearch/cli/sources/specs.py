"""Specs by name or by path, and their problems, for commands that look at specs and do not
search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.adapters.specs.spec_folders import (
    base_table,
    is_path,
    shipped_table,
    spec_folder,
    table_of,
)
from metasearch.adapters.specs.specfile import build
from metasearch.errors import SettingsError, SpecError, UnknownSource, UsageError
from metasearch.formats.text import line
from metasearch.settings import NO_ENRICHER, Settings

# Specs by name or path, for commands that look at one and do not search; families count.


def is_family(name: str, registry: Registry) -> bool:
    """Whether the name is that of a shipped spec which is only there to be extended."""
    return name not in registry.names() and name in registry.families


def spec_of(name: str, registry: Registry) -> AdapterSpec:
    """The spec of a source, in a file, or of a family as it is before anything extends it.

    Raises:
        UnknownSource: With near misses.
        UsageError: There is no such file.
        SpecError: With every problem.
    """
    if is_path(name):
        named = registry.with_files((name,))
        return named.spec(named.name_of(name))
    if is_family(name, registry):
        return build(shipped_table(name), f"{name}.toml", base_table)
    return registry.spec(name)


# `metasearch sources check`: problems of specs, of configured sources, and lacking cassettes.


def problems_of(names: Iterable[str], settings: Settings) -> tuple[int, list[str]]:
    """How many things were checked, and every problem as "file: table.key: what is wrong"."""
    registry = Registry(settings, late=False)
    chosen = list(names)
    whole = not chosen
    if whole:
        chosen = [
            *registry.shipped,
            *(name for name in registry.added if name not in registry.shipped),
        ]
    problems: list[str] = []
    for name in chosen:
        problems += _of_file(Path(name)) if is_path(name) else _of_source(name, registry)
    if whole:
        problems += _unknown_defaults(settings, registry)
    return len(chosen), problems


def _of_source(name: str, registry: Registry) -> Iterator[str]:
    try:
        if name in registry.shipped and shipped_table(name).get("name", name) != name:
            yield f"{name}.toml: name: must be {name!r}, the name of the file"
        spec_of(name, registry)
        # A family is held by the cases of the sources that extend it.
        shipped = name in registry.shipped and registry.stands_for(name) is None
        if shipped and not is_family(name, registry) and not _has_cassette(name):
            yield f"{name}.toml: cassettes/{name}: has no case, so no test holds this spec"
    except SpecError as exc:
        yield from _told(exc.file, exc.problems)
    except UnknownSource as exc:
        yield line(f"{exc}; {exc.advice}")


def _of_file(path: Path) -> Iterator[str]:
    """A spec, or a configuration file, told apart by the table that only the latter has."""
    try:
        table = table_of(path)
        if "sources" in table:
            settings = Settings.load(path, {})
            registry = Registry(settings)
            for name in registry.added:
                yield from _of_source(name, registry)
            yield from _unknown_defaults(settings, registry)
        else:
            build({"name": path.stem, **table}, str(path), base_table)
    except (SpecError, SettingsError) as exc:
        yield from _told(exc.file, exc.problems)
    except UsageError as exc:  # there is none
        yield line(f"{path}: cannot be read: {exc}")


def _told(file: str, problems: Iterable[str]) -> Iterator[str]:
    # A problem may quote the file, and the file may hold anything.
    return (line(f"{file}: {problem}") for problem in problems)


def _unknown_defaults(settings: Settings, registry: Registry) -> Iterator[str]:
    known = {*registry.shipped, *registry.added, *registry.groups}
    for name in settings.default_sources or ():
        if name not in known:
            yield line(
                f"{settings.file or 'configuration'}: search.sources: there is no source called "
                f"{name!r}"
            )
    for name in settings.enrich:
        where = f"{settings.file or 'configuration'}: search.enrich"
        if name == NO_ENRICHER:
            continue
        if name not in known:
            yield line(f"{where}: there is no source called {name!r}")
        elif not _enriches(name, registry):
            yield line(
                f"{where}: {name} cannot be asked for single works; its spec has no [enrich]"
            )


def _enriches(name: str, registry: Registry) -> bool:
    try:
        return registry.spec(name).enrich is not None
    except SpecError:
        return True  # what is wrong with it is told elsewhere


def _has_cassette(name: str) -> bool:
    """Whether a case is recorded; true where there is no checkout to record it in."""
    top = spec_folder().parent
    if not (top / "pyproject.toml").is_file() or not (top / "cassettes").is_dir():
        return True
    folder = top / "cassettes" / name
    return folder.is_dir() and any(case.is_dir() for case in folder.iterdir())
