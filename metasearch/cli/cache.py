"""`metasearch cache`: shows the size of the page cache, and clears it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.options import common
from metasearch.cli.output import Console, Exit, Sink, quantity
from metasearch.cli.progress import logs_to
from metasearch.errors import CacheError, UsageError

if TYPE_CHECKING:
    from metasearch.cache import CacheStats, DiskStore
    from metasearch.settings import Settings


@click.group(
    cls=CommandGroup,
    examples=(
        ("metasearch cache stats", "the folder, the number of pages, and their sources"),
        ("metasearch cache clear", "remove all pages"),
    ),
)
def cache() -> None:
    """Show the size of the page cache, or clear it."""


@cache.command("stats", short_help="Show the folder and the number of pages.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON document.")
@common
@click.pass_obj
def stats(console: Console, /, *, as_json: bool, config: Path | None) -> int:
    """Show the folder, the number of pages, their size, the limit, and the pages by source.

    Works that a server has shown are counted as pages of one more source.
    """
    from metasearch.settings import Settings

    facts = _facts(Settings.load(config, os.environ), console)
    if as_json:
        with Sink() as sink:
            sink.write_json(facts)
        return Exit.OK
    _show(facts)
    return Exit.OK


@cache.command("clear", short_help="Remove all pages.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
@click.pass_obj
def clear(console: Console, /, *, yes: bool, config: Path | None) -> int:
    """Remove every page. The next searches ask the sources again; nothing else is lost."""
    from metasearch.settings import Settings

    store = _store(Settings.load(config, os.environ))
    if store is None or not store.folder.exists():
        console.say("the cache is empty")
        return Exit.OK
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("there is no terminal to confirm the removal", advice="Add --yes.")
        click.confirm(f"Remove all pages in {store.folder}?", abort=True, err=True)
    before = _read(store, console, clear=True)
    if not console.quiet:
        console.say(f"{quantity(before.entries, 'page')} removed from {store.folder}")
    return Exit.OK


def _store(settings: Settings) -> DiskStore | None:
    """The store of the configuration, which is not opened; None if the cache is switched off."""
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
    # Reading the numbers must not create the folder.
    if store is None or not store.folder.exists():
        return facts
    numbers = _read(store, console)
    sources = [
        {"source": source, "entries": entries, "bytes": size}
        for source, (entries, size) in numbers.tags.items()
    ]
    return facts | {"entries": numbers.entries, "bytes": numbers.bytes, "sources": sources}


def _read(store: DiskStore, console: Console, *, clear: bool = False) -> CacheStats:
    """The numbers of a store; with `clear` it is cleared afterwards. Raises CacheError: the folder
    cannot be used, or another process keeps it busy.
    """
    import asyncio

    # Warnings of the store become errors below.
    with logs_to(console if console.verbose else replace(console, quiet=True), None):
        return asyncio.run(_numbers(store, clear=clear))


async def _numbers(store: DiskStore, *, clear: bool) -> CacheStats:
    try:
        numbers = await store.stats()
        done = await store.clear() if clear else True
        # Some problems show only when the file is written.
        problem = numbers.problem or (await store.stats()).problem
    finally:
        await store.close()
    if problem:
        raise CacheError(
            problem, advice="Check who owns the folder, or set another one with [cache] dir."
        )
    if numbers.busy or not done:
        raise CacheError(
            "the page cache is busy: another process writes", advice="Try again in a moment."
        )
    return numbers


def _show(facts: dict[str, Any]) -> None:
    if facts["folder"] is None:
        click.echo("the page cache is switched off")
        return
    from metasearch.formats.text import line

    click.echo(f"folder  {line(facts['folder'])}")
    click.echo(f"pages   {facts['entries']:,}")
    click.echo(f"bytes   {facts['bytes']:,} of at most {facts['limit']:,}")
    width = max((len(source["source"]) for source in facts["sources"]), default=0)
    for source in facts["sources"]:
        name = line(source["source"]).ljust(width)
        size = quantity(source["bytes"], "byte")
        click.echo(f"  {name}  {quantity(source['entries'], 'page')}, {size}")
