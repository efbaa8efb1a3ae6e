"""`metasearch cache`: what the page cache holds, and how to empty it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, common
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.terminal.logs import logs_to
from metasearch.cli.terminal.output import Sink
from metasearch.errors import CacheError, UsageError

if TYPE_CHECKING:
    from metasearch.cache import CacheStats, DiskStore
    from metasearch.settings import Settings


@click.group(
    cls=CommandGroup,
    examples=(
        ("metasearch cache stats", "where pages are kept, how many, and from which sources"),
        ("metasearch cache clear", "drop them all"),
    ),
)
def cache() -> None:
    """Look at the page cache, or empty it."""


@cache.command("stats", short_help="Folder, pages, bytes, limit, by source.")
@click.option("--json", "as_json", is_flag=True, help="The same as one JSON document.")
@common
@click.pass_obj
def stats(console: Console, /, *, as_json: bool, config: Path | None) -> int:
    """Where pages are kept, how many there are, the space they take, and how much comes from which
    source.
    """
    from metasearch.settings import Settings

    facts = _facts(Settings.load(config, os.environ), console)
    if as_json:
        import orjson

        with Sink() as sink:
            sink.write(orjson.dumps(facts, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return Exit.OK
    _show(facts)
    return Exit.OK


@cache.command("clear", short_help="Drop all pages.")
@click.option("--yes", is_flag=True, help="Do not ask whether that is meant.")
@common
@click.pass_obj
def clear(console: Console, /, *, yes: bool, config: Path | None) -> int:
    """Drop every page. The next searches ask the sources again; nothing else is lost."""
    from metasearch.settings import Settings

    store = _store(Settings.load(config, os.environ))
    if store is None or not store.folder.exists():
        console.say("there is nothing in the cache")
        return Exit.OK
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "nobody can be asked whether the cache is to be cleared", advice="Say --yes."
            )
        click.confirm(f"Drop all pages in {store.folder}?", abort=True, err=True)
    before = _asked(store, console, clear=True)
    if not console.quiet:
        console.say(f"{counted(before.entries, 'page')} dropped from {store.folder}")
    return Exit.OK


def _store(settings: Settings) -> DiskStore | None:
    """The store of the configuration; nothing is opened yet."""
    if settings.cache_dir is None:
        return None
    from metasearch.cache import DiskStore

    return DiskStore(settings.cache_dir, settings.cache_bytes)


def _facts(settings: Settings, console: Console) -> dict[str, Any]:
    store = _store(settings)
    facts: dict[str, Any] = {
        "folder": str(store.folder) if store is not None else None,
        "entries": 0,
        "bytes": 0,
        "limit": settings.cache_bytes,
        "sources": [],
    }
    # A look must not make the folder.
    if store is None or not store.folder.exists():
        return facts
    found = _asked(store, console)
    sources = [
        {"source": source, "entries": entries, "bytes": size}
        for source, (entries, size) in found.tags.items()
    ]
    return facts | {"entries": found.entries, "bytes": found.bytes, "sources": sources}


def _asked(store: DiskStore, console: Console, *, clear: bool = False) -> CacheStats:
    """The numbers of a store, which is cleared afterwards if that is wanted.

    Raises:
        CacheError: The folder cannot be used, or another process keeps it busy.
    """
    import asyncio

    # What the store would warn of is told as an error here.
    with logs_to(console if console.verbose else replace(console, quiet=True), None):
        return asyncio.run(_numbers(store, clear=clear))


async def _numbers(store: DiskStore, *, clear: bool) -> CacheStats:
    try:
        found = await store.stats()
        done = await store.clear() if clear else True
        # What is wrong may come out only when the file is written.
        problem = found.problem or (await store.stats()).problem
    finally:
        await store.close()
    if problem:
        raise CacheError(
            problem, advice="Look whose folder it is, or name another one with [cache] dir."
        )
    if found.busy or not done:
        raise CacheError(
            "the page cache is busy: another process writes", advice="Try again in a moment."
        )
    return found


def _show(facts: dict[str, Any]) -> None:
    if facts["folder"] is None:
        click.echo("the page cache is switched off")
        return
    from metasearch.formats.text import line

    click.echo(f"folder  {line(facts['folder'])}")
    click.echo(f"pages   {facts['entries']:,}")
    click.echo(f"bytes   {facts['bytes']:,} of at most {facts['limit']:,}")
    width = max((len(it["source"]) for it in facts["sources"]), default=0)
    for it in facts["sources"]:
        name = line(it["source"]).ljust(width)
        click.echo(f"  {name}  {counted(it['entries'], 'page')}, {counted(it['bytes'], 'byte')}")
