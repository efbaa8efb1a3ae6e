"""`metasearch harvest URL`: makes an OAI-PMH repository a source."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.common_options import common
from metasearch.cli.terminal.console import Console, counted
from metasearch.cli.terminal.exits import Exit
from metasearch.errors import SourceError, UsageError

if TYPE_CHECKING:
    from metasearch.collections.harvest.harvest import Harvested, HarvestRequest
    from metasearch.collections.store import Collection
    from metasearch.settings import Settings

#: Unreadable records, and notes, that are shown.
SHOWN = 5


@click.command(
    cls=ExampleCommand,
    short_help="Make an OAI-PMH repository a source.",
    examples=(
        (
            "metasearch harvest https://repository.example.org/oai",
            "all records, or those that changed since the last harvest",
        ),
        (
            "metasearch harvest https://repository.example.org/oai --set theses --name theses",
            "the records of one set",
        ),
    ),
)
@click.argument("url")
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the collection, and of its source; the default is made of the URL's host.",
)
@click.option(
    "--set", "set_", default="", metavar="SET", help="Only the records of this set (a setSpec)."
)
@click.option(
    "--prefix",
    default="oai_dc",
    metavar="FORMAT",
    help="The metadataPrefix; the default is oai_dc.",
)
@click.option(
    "--from",
    "first",
    default="",
    metavar="DATE",
    help="Only records that changed since this date; YYYY-MM-DD.",
)
@click.option(
    "--until", default="", metavar="DATE", help="Only records that changed until this date."
)
@click.option(
    "--full",
    is_flag=True,
    help="Fetch all records again, and remove those that the repository no longer has.",
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
    """Store the records of the OAI-PMH repository at URL in a collection, which is a source from
    then on.

    URL is the base URL, without a verb. Later harvests fetch only the changes; an interrupted
    harvest is resumed. A new collection is made with its first record, so a harvest that fails
    before leaves no file. Exit code 3: the repository failed during the harvest, or records could
    not be read; 4: no record came.
    """
    import asyncio
    from urllib.parse import urlsplit

    from metasearch.cli.collections import folder_of, new_name
    from metasearch.collections.store import Collection
    from metasearch.settings import Settings

    order = _order(url, prefix, set_, first, until, full=full)
    settings = Settings.load(config, os.environ)
    collection_name = new_name(name, urlsplit(order.url).hostname or "", settings)
    with Collection.open(folder_of(settings), collection_name, "oai") as collection:
        error, done = asyncio.run(_harvested(order, collection, collection_name, settings, console))
        count = collection.count if collection.exists else None
    if error is not None:
        console.say(f"error: {error}", "red")
        if error.advice:
            console.say(f"  {error.advice}")
    _report(done, collection_name, count, console)
    if error is not None and count is not None and not console.quiet:
        console.say(
            "the harvest is not complete: its records are kept, and the same command resumes it"
        )
    if error is not None:
        return Exit.PARTIAL if done.pages and count is not None else Exit.NO_ANSWER
    return Exit.PARTIAL if done.lost else Exit.OK


def _order(
    url: str, prefix: str, set_: str, first: str, until: str, *, full: bool
) -> HarvestRequest:
    from urllib.parse import parse_qs, urlsplit

    from metasearch.collections.harvest.dates import date_of
    from metasearch.collections.harvest.harvest import HarvestRequest

    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise UsageError(
            f"{url[:200]!r} is not the URL of a repository",
            advice="Write it like https://repository.example.org/oai",
        )
    if "verb" in parse_qs(parts.query):
        base = parts._replace(query="", fragment="").geturl()
        raise UsageError("the URL contains a request", advice=f"Give the base URL only: {base}")
    for option, text in (("--from", first), ("--until", until)):
        try:
            date_of(text) if text else None
        except ValueError as exc:
            raise UsageError(f"{option}: {exc}") from exc
    if full and (first or until):
        raise UsageError("--full fetches all records and excludes --from and --until")
    return HarvestRequest(parts._replace(fragment="").geturl(), prefix, set_, first, until, full)


async def _harvested(
    order: HarvestRequest, collection: Collection, name: str, settings: Settings, console: Console
) -> tuple[SourceError | None, Harvested]:
    """(the error that ended the harvest, or None; its counts)."""
    from metasearch.adapters.fetch.transport import HttpTransport
    from metasearch.adapters.specs.shipped import shipped_table
    from metasearch.adapters.specs.specfile import build
    from metasearch.cli.terminal.progress_line import ProgressLine
    from metasearch.collections.harvest.client import OaiClient
    from metasearch.collections.harvest.harvest import Harvest

    live = ProgressLine(console)

    def warn(text: str) -> None:
        live.clear()
        if not console.quiet:
            console.say(text, "yellow")

    def progress(done: Harvested) -> None:
        total = f" of {done.size:,}" if done.size else ""
        live.show(f"harvesting {name}: {done.seen:,}{total} records, page {done.pages}")

    spec = build(
        {"extends": "oai", "name": name, "url": order.url}, f"collection {name}", shipped_table
    )
    transport = HttpTransport(allow=settings.allow, user_agent=settings.user_agent)
    job = Harvest(order, collection, OaiClient(order.url, spec, transport, warn), progress)
    try:
        await job.run()
    except SourceError as error:
        return error, job.done
    finally:
        live.clear()
        await transport.close()
    return None, job.done


def _report(done: Harvested, name: str, count: int | None, console: Console) -> None:
    """Write the counts of a harvest to stderr. `count`: its records; None where no record came, so
    that it was not made.
    """
    from metasearch.cli.collections import collection_in_words
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
    console.say(collection_in_words(name, count))
