"""`metasearch collections`: lists the collections on this machine, and removes one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.common_options import common
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.output import Sink
from metasearch.errors import CollectionError, UsageError

if TYPE_CHECKING:
    from metasearch.settings import Settings


@click.group(
    cls=CommandGroup,
    examples=(
        ("metasearch collections list", "all collections, their size, origin and date"),
        ("metasearch collections remove refs", "delete a collection with all its records"),
    ),
)
def collections() -> None:
    """List or remove collections: records on this machine, filled by `index` and `harvest`."""


@collections.command("list", short_help="List the collections.")
@click.option("--json", "as_json", is_flag=True, help="One document: a list of objects.")
@common
@click.pass_obj
def list_(console: Console, /, *, as_json: bool, config: Path | None) -> int:
    """List the name, size, origin and date of each collection.

    Exit code 3: a collection cannot be used.
    """
    from metasearch.formats.text import line
    from metasearch.settings import Settings

    rows = list(_rows(Settings.load(config, os.environ)))
    if as_json:
        import orjson

        with Sink() as sink:
            sink.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        width = max((len(row["name"]) for row in rows), default=0)
        for row in rows:
            click.echo(f"{row['name'].ljust(width)}  {line(_in_words(row))}")
        if not rows and not console.quiet:
            console.say(
                "there are no collections; `metasearch index` and `metasearch harvest` make them"
            )
    return Exit.PARTIAL if any(row["problem"] for row in rows) else Exit.OK


def _rows(settings: Settings) -> Iterator[dict[str, Any]]:
    from metasearch.adapters.specs.collections import collection_file, collection_names
    from metasearch.adapters.specs.registry import Registry
    from metasearch.collections.search import facts

    sources = set(Registry(settings).collections)
    for name in collection_names(settings.collections_dir):
        row: dict[str, Any] = {
            "name": name,
            "kind": None,
            "records": 0,
            "lost": 0,
            "from": [],
            "until": None,
        }
        problem = (
            None
            if name in sources
            else "no search asks it: a source of metasearch has the same name"
        )
        try:
            assert settings.collections_dir is not None
            about = facts(collection_file(settings.collections_dir, name), name)
        except CollectionError as exc:
            yield row | {"problem": exc.reason}
            continue
        yield row | {
            "kind": about.meta.get("kind"),
            "records": about.records,
            "lost": about.lost,
            "from": _origin(about.meta),
            "until": about.meta.get("harvested") or None,
            "unfinished": bool(about.meta.get("token")),
            "problem": problem,
        }


def _origin(meta: dict[str, str]) -> list[str]:
    """The URL that was harvested, or the folders and files that were indexed."""
    if meta.get("url"):
        return [" ".join(filter(None, (meta["url"], meta.get("prefix"), meta.get("set"))))]
    import orjson

    try:
        roots = orjson.loads(meta.get("roots", "[]"))
    except orjson.JSONDecodeError:
        return []
    return [str(root) for root in roots] if isinstance(roots, list) else []


def _in_words(row: dict[str, Any]) -> str:
    if row["problem"] and row["kind"] is None:
        return f"cannot be used: {row['problem']}"
    parts = [counted(row["records"], "record"), f"from {', '.join(row['from']) or 'nothing'}"]
    if row["until"]:
        parts.append(f"as of {row['until']}")
    if row["lost"]:
        parts.append(f"{counted(row['lost'], 'record')} could not be read")
    if row["unfinished"]:
        parts.append("the last harvest was interrupted: run it again")
    return "; ".join([*parts, *filter(None, [row["problem"]])])


@collections.command("remove", short_help="Remove a collection with all its records.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
@click.pass_obj
def remove(console: Console, /, *, name: str, yes: bool, config: Path | None) -> int:
    """Remove the collection NAME. Its files or repository are not changed."""
    from metasearch.adapters.specs.collections import collection_file
    from metasearch.collections.store import remove as remove_collection
    from metasearch.settings import Settings

    folder = folder_of(Settings.load(config, os.environ))
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("there is no terminal to confirm the removal", advice="Add --yes.")
        click.confirm(f"Remove {collection_file(folder, name)}?", abort=True, err=True)
    remove_collection(folder, name)
    if not console.quiet:
        console.say(f"removed the collection {name}")
    return Exit.OK


# --------------------------------------------------------------- used by `index` and `harvest`


def folder_of(settings: Settings) -> Path:
    """The folder of the collections. Raises UsageError: there is none."""
    if settings.collections_dir is None:
        raise UsageError(
            "no folder of collections is configured",
            advice="Set [collections] dir in the configuration.",
        )
    return settings.collections_dir


def collection_in_words(name: str, count: int | None) -> str:
    """How many records a collection has after `index` or `harvest`, as a sentence. `count`: its
    records; None where no record came, so that it was not made.
    """
    if count is None:
        return f"no record was stored, so the collection {name} was not made"
    return f"{counted(count, 'record')} in the collection {name}: metasearch -s {name} QUERY"


def new_name(asked: str | None, offered: str, settings: Settings) -> str:
    """The name of the collection that `index` or `harvest` writes to.

    `asked`: the value of `--name`, or None. `offered`: the text of which a name is made without
    `--name`. Raises UsageError: the name is not allowed, or a source or group has it.
    """
    from metasearch.adapters.spec import SOURCE_NAME
    from metasearch.adapters.specs.collections import name_for
    from metasearch.adapters.specs.registry import Registry

    name = name_for(offered) if asked is None else asked
    if not SOURCE_NAME.fullmatch(name):
        advice = "Use lower-case letters, digits, '-' and '_', at most 40."
        raise UsageError(
            f"--name {name[:60]!r} cannot be the name of a source"
            if asked
            else "the collection needs a name: add --name NAME",
            advice=advice,
        )
    registry = Registry(settings)
    changed = settings.sources.get(name)
    family = "collection" if changed is None else changed.get("extends", "collection")
    own = name in registry.added and (changed is None or family != "collection")
    if own or name in registry.shipped or name in registry.groups:
        what = "group" if name in registry.groups else "source"
        raise UsageError(
            f"there is already a {what} called {name!r}", advice="Choose another name with --name."
        )
    return name
