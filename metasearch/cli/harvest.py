"""`metasearch harvest URL`: an OAI-PMH repository as a source like any other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.console import Console, counted
from metasearch.cli.exits import Exit
from metasearch.cli.group import ExampleCommand, common
from metasearch.errors import SourceError, UsageError

if TYPE_CHECKING:
    from metasearch.collections.harvest.harvest import Harvested, Order
    from metasearch.collections.store import Shelf
    from metasearch.settings import Settings

#: Records that could not be read, and odd things, that are shown.
SHOWN = 5


@click.command(
    cls=ExampleCommand,
    short_help="Make an OAI-PMH repository a source.",
    examples=(
        (
            "metasearch harvest https://repository.example.org/oai",
            "everything, or what is new since last time",
        ),
        (
            "metasearch harvest https://repository.example.org/oai --set theses --name theses",
            "one set",
        ),
    ),
)
@click.argument("url")
@click.option(
    "--name",
    metavar="NAME",
    help="The shelf, and so the source; made of the URL's host if you do not say.",
)
@click.option(
    "--set", "set_", default="", metavar="SET", help="Only the records of this set (a setSpec)."
)
@click.option(
    "--prefix",
    default="oai_dc",
    metavar="FORMAT",
    help="The metadataPrefix; oai_dc if you do not say.",
)
@click.option(
    "--from", "first", default="", metavar="DATE", help="Only what has changed since; YYYY-MM-DD."
)
@click.option("--until", default="", metavar="DATE", help="Only what has changed until then.")
@click.option(
    "--full", is_flag=True, help="Fetch everything again, and take out what is no longer there."
)
@common
@click.pass_obj
def harvest(
    console: Console,
    /,
    *,
    url: str,
    name: str | None,
    set_: str,
    prefix: str,
    first: str,
    until: str,
    full: bool,
    config: Path | None,
) -> int:
    """Fetch the records of the OAI-PMH repository at URL onto a shelf, which every search asks from
    then on.

    URL is the base URL, without a verb. The second time only what has changed is fetched; a harvest
    that was broken off goes on where it was. The shelf comes into being with its first record: a
    harvest that fails before leaves nothing behind. Exit code 3: the repository failed on the way,
    or records could not be read; 4: it gave nothing.
    """
    import asyncio
    from urllib.parse import urlsplit

    from metasearch.cli.shelves import folder_of, new_name
    from metasearch.collections.store import Shelf
    from metasearch.settings import Settings

    order = _order(url, prefix, set_, first, until, full=full)
    settings = Settings.load(config, os.environ)
    shelf_name = new_name(name, urlsplit(order.url).hostname or "", settings)
    with Shelf.open(folder_of(settings), shelf_name, "oai") as shelf:
        error, done = asyncio.run(_harvested(order, shelf, shelf_name, settings, console))
        count = shelf.count if shelf.exists else None
    if error is not None:
        console.say(f"error: {error}", "red")
        if error.advice:
            console.say(f"  {error.advice}")
    _tell(done, shelf_name, count, console)
    if error is not None and count is not None and not console.quiet:
        console.say(
            "the harvest is not complete: what came is kept, and the same command goes on from "
            "there"
        )
    if error is not None:
        return Exit.PARTIAL if done.pages and count is not None else Exit.NO_ANSWER
    return Exit.PARTIAL if done.lost else Exit.OK


def _order(url: str, prefix: str, set_: str, first: str, until: str, *, full: bool) -> Order:
    from urllib.parse import parse_qs, urlsplit

    from metasearch.collections.harvest.harvest import Order, date_of

    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise UsageError(
            f"{url[:200]!r} is no address of a repository",
            advice="Write it like https://repository.example.org/oai",
        )
    if "verb" in parse_qs(parts.query):
        base = parts._replace(query="", fragment="").geturl()
        raise UsageError("the URL holds a request", advice=f"Name the base URL alone: {base}")
    for option, text in (("--from", first), ("--until", until)):
        try:
            date_of(text) if text else None
        except ValueError as exc:
            raise UsageError(f"{option}: {exc}") from exc
    if full and (first or until):
        raise UsageError("--full fetches everything, so --from and --until cannot stand beside it")
    return Order(parts._replace(fragment="").geturl(), prefix, set_, first, until, full)


async def _harvested(
    order: Order, shelf: Shelf, name: str, settings: Settings, console: Console
) -> tuple[SourceError | None, Harvested]:
    """How far the harvest came, and what ended it before its time."""
    from metasearch.adapters.fetch.transport import HttpTransport
    from metasearch.adapters.specs.registry import shipped_table
    from metasearch.adapters.specs.specfile import build
    from metasearch.cli.live import LiveLine
    from metasearch.collections.harvest.client import OaiClient
    from metasearch.collections.harvest.harvest import Harvest

    live = LiveLine(console)

    def tell(text: str) -> None:
        live.clear()
        if not console.quiet:
            console.say(text, "yellow")

    def progress(done: Harvested) -> None:
        of = f" of {done.size:,}" if done.size else ""
        live.show(f"harvesting {name}: {done.seen:,}{of} records, page {done.pages}")

    spec = build({"extends": "oai", "name": name, "url": order.url}, f"shelf {name}", shipped_table)
    transport = HttpTransport(allow=settings.allow, user_agent=settings.user_agent)
    job = Harvest(order, shelf, OaiClient(order.url, spec, transport, tell), progress)
    try:
        await job.run()
    except SourceError as error:
        return error, job.done
    finally:
        live.clear()
        await transport.close()
    return None, job.done


def _tell(done: Harvested, name: str, count: int | None, console: Console) -> None:
    """Say what came.

    Args:
        done: How the harvest went.
        name: Of the shelf.
        count: Records on the shelf; None where nothing came that would make one.
        console: Says it.
    """
    from metasearch.cli.shelves import shelf_in_words
    from metasearch.formats.text import line

    if console.quiet:
        return
    for unread in done.unread[:SHOWN]:
        console.say(f"could not be read: {line(unread.reason)}", "yellow")
    for note in done.notes[:SHOWN]:
        console.say(f"note: {line(note)}")
    began = "resumed; " if done.resumed else ""
    since = f" since {done.since}" if done.since else ""
    counts = (
        f"{done.added:,} new, {done.changed:,} changed, {done.unchanged:,} unchanged, "
        f"{done.deleted:,} deleted"
    )
    lost = f"; {counted(done.lost, 'record')} could not be read" if done.lost else ""
    console.say(
        f"{began}{counted(done.seen, 'record')}{since} on {counted(done.pages, 'page')}: "
        f"{counts}{lost}"
    )
    console.say(shelf_in_words(name, count))
