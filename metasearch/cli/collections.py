"""`metasearch shelves`: which shelves there are, and how one is removed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.console import Console, counted
from metasearch.cli.exits import Exit
from metasearch.cli.group import CommandGroup, common
from metasearch.cli.output import Sink
from metasearch.errors import ShelfError, UsageError

if TYPE_CHECKING:
    from metasearch.settings import Settings


@click.group(
    cls=CommandGroup,
    examples=(
        ("metasearch shelves list", "what is on each, and since when"),
        ("metasearch shelves remove refs", "take one away, with all its records"),
    ),
)
def shelves() -> None:
    """Look at the shelves, which `index` and `harvest` fill and a search asks, or remove one."""


@shelves.command("list", short_help="Which there are, and what is on them.")
@click.option("--json", "as_json", is_flag=True, help="One document: a list of objects.")
@common
@click.pass_obj
def list_(console: Console, /, *, as_json: bool, config: Path | None) -> int:
    """Name, records, what each was filled from, and when. Exit code 3: one cannot be used."""
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
                "there are no shelves; `metasearch index` and `metasearch harvest` fill some"
            )
    return Exit.PARTIAL if any(row["problem"] for row in rows) else Exit.OK


def _rows(settings: Settings) -> Iterator[dict[str, Any]]:
    from metasearch.adapters.specs.collections import shelf_file, shelf_names
    from metasearch.adapters.specs.registry import Registry
    from metasearch.collections.search import facts

    asked = set(Registry(settings).shelves)
    for name in shelf_names(settings.shelf_dir):
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
            if name in asked
            else "a source that comes with metasearch has this name, so it is never asked"
        )
        try:
            assert settings.shelf_dir is not None
            found = facts(shelf_file(settings.shelf_dir, name), name)
        except ShelfError as exc:
            yield row | {"problem": exc.reason}
            continue
        yield row | {
            "kind": found.meta.get("kind"),
            "records": found.records,
            "lost": found.lost,
            "from": _origin(found.meta),
            "until": found.meta.get("harvested") or None,
            "unfinished": bool(found.meta.get("token")),
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
        parts.append("a harvest was broken off: run it again")
    return "; ".join([*parts, *filter(None, [row["problem"]])])


@shelves.command("remove", short_help="Remove one with all its records.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask whether that is meant.")
@common
@click.pass_obj
def remove(console: Console, /, *, name: str, yes: bool, config: Path | None) -> int:
    """Remove the shelf NAME. What it was filled from stays as it is."""
    from metasearch.adapters.specs.collections import shelf_file
    from metasearch.collections.store import remove as remove_shelf
    from metasearch.settings import Settings

    folder = folder_of(Settings.load(config, os.environ))
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "nobody can be asked whether the shelf is to be removed", advice="Say --yes."
            )
        click.confirm(f"Remove {shelf_file(folder, name)}?", abort=True, err=True)
    remove_shelf(folder, name)
    if not console.quiet:
        console.say(f"the shelf {name} was removed")
    return Exit.OK


# --------------------------------------------------------------- for the commands that fill shelves


def folder_of(settings: Settings) -> Path:
    """The folder of the shelves.

    Raises:
        UsageError: There is none.
    """
    if settings.shelf_dir is None:
        raise UsageError(
            "there is no folder of shelves", advice="Name one: [shelves] dir in the configuration."
        )
    return settings.shelf_dir


def shelf_in_words(name: str, count: int | None) -> str:
    """How many records are on a shelf that was just filled, or that there is none.

    Args:
        name: Of the shelf.
        count: Its records; None where it has never had one, and so did not come into being.
    """
    if count is None:
        return f"nothing came that can be found, so there is no shelf {name}"
    return f"{counted(count, 'record')} on the shelf {name}: metasearch -s {name} QUERY"


def new_name(asked: str | None, offered: str, settings: Settings) -> str:
    """The name of the shelf that is to be filled.

    Args:
        asked: As the user said, or None.
        offered: What a name may be made of where nobody said.
        settings: Which sources there are.

    Raises:
        UsageError: It is no name, or that of a source or group.
    """
    from metasearch.adapters.specs.collections import NAME, name_for
    from metasearch.adapters.specs.registry import Registry

    name = name_for(offered) if asked is None else asked
    if not NAME.fullmatch(name):
        advice = "Use lower-case letters, digits, '-' and '_', at most 40."
        raise UsageError(
            f"--name {name[:60]!r} is no name of a source"
            if asked
            else "the shelf needs a name: --name",
            advice=advice,
        )
    registry = Registry(settings)
    changed = settings.sources.get(name)
    own = name in registry.added and (changed is None or changed.get("extends", "shelf") != "shelf")
    if own or name in registry.shipped or name in registry.groups:
        what = "group" if name in registry.groups else "source"
        raise UsageError(
            f"there is a {what} called {name!r} already", advice="Choose another name with --name."
        )
    return name
