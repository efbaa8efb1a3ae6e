"""`metasearch index`, `harvest` and `collections`: files of records, or those of a repository,
become a source on this machine; the collections are listed, and removed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.options import common
from metasearch.cli.output import Console, Exit, Sink, quantity
from metasearch.errors import CollectionError, SourceError, UsageError

if TYPE_CHECKING:
    from metasearch.collections.harvest import HarvestReport, HarvestRequest
    from metasearch.collections.index import FileReport, IndexReport
    from metasearch.collections.store import Collection
    from metasearch.settings import Settings


#: Problems of a file that are shown.
PROBLEMS_SHOWN = 5


@click.command(
    cls=ExampleCommand,
    short_help="Make files of records a source.",
    examples=(
        ("metasearch index ~/refs", "all files in and below a folder, as the source `refs`"),
        ("metasearch index --name mine a.bib export.ris", "these files, as the source `mine`"),
        ("metasearch index --name mine", "again, after files have changed"),
    ),
)
@click.argument("files", nargs=-1, metavar="[FOLDER|FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--name",
    metavar="NAME",
    help="Name of the collection, and of its source; the default is the name of the folder.",
)
@common
@click.pass_obj
def index(
    console: Console, /, *, files: tuple[Path, ...], name: str | None, config: Path | None
) -> int:
    """Store the records of FOLDERs and FILEs in a collection, which is a source from then on.

    All formats that `metasearch dedup` reads, in any mix. Run the command again after changes: it
    reads new and changed files only, and removes the records of files that are gone. Without
    FILEs it checks all folders and files of the collection. A new collection is made with its
    first record. Exit code 3: a file or a record could not be read; 4: no file could be read.
    """
    from metasearch.cli.progress import ProgressLine
    from metasearch.collections.index import index as index_files
    from metasearch.collections.store import Collection
    from metasearch.settings import Settings

    settings = Settings.load(config, os.environ)
    if not files and name is None:
        raise UsageError(
            "there is nothing to index", advice="Name a folder, files, or a collection with --name."
        )
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise UsageError(
            f"there is no such file: {', '.join(missing)}",
            advice="Nothing was read. Check the path.",
        )
    collection_name = new_name(name, files[0].resolve().stem if files else "", settings)
    live = ProgressLine(console)
    with Collection.open(folder_of(settings), collection_name, "files") as collection:
        try:
            indexed = index_files(
                files, collection, lambda done, total: live("reading files", done, total)
            )
        finally:
            live.clear()
        count = collection.count if collection.exists else None
    _report_index(indexed, collection_name, count, console)
    if indexed.read and indexed.unreadable_files == len(indexed.read) and not count:
        return Exit.NO_ANSWER
    return Exit.PARTIAL if indexed.unreadable_files or indexed.unread_records else Exit.OK


def _report_index(done: IndexReport, name: str, count: int | None, console: Console) -> None:
    from metasearch.formats.text import line

    for file in done.read:
        if file.error is not None:
            console.error(file.error)
    if console.quiet:
        return
    for note in done.notes:
        console.say(note, "yellow")
    for file in done.read:
        _report_problems(file, console)
    parts = [
        (
            f"{quantity(len(done.read) - done.unreadable_files, 'file')} read with "
            f"{quantity(done.records, 'record')}"
        )
    ]
    if done.unchanged:
        parts.append(f"{done.unchanged:,} unchanged")
    if done.gone:
        parts.append(f"{done.gone:,} gone with {quantity(done.removed, 'record')}")
    if done.unreadable_files:
        parts.append(f"{quantity(done.unreadable_files, 'file')} could not be read")
    if done.unread_records:
        parts.append(f"{quantity(done.unread_records, 'record')} could not be read")
    console.say("; ".join(parts))
    console.say(collection_in_words(line(name), count))


def _report_problems(file: FileReport, console: Console) -> None:
    from metasearch.formats.text import line

    problems = sorted(file.problems, key=lambda problem: (not problem.lost, problem.line))
    for problem in problems[:PROBLEMS_SHOWN]:
        console.say(
            f"{file.name}:{problem.line}: {line(problem.message)}"
            if problem.line
            else f"{file.name}: {line(problem.message)}",
            "yellow",
        )
    more = len(problems) - PROBLEMS_SHOWN
    if more > 0:
        console.say(
            f"{file.name}: {quantity(more, 'problem')} more, {quantity(file.lost, 'record')} lost "
            f"in total",
            "yellow",
        )


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

    from metasearch.collections.store import Collection
    from metasearch.settings import Settings

    order = _order(url, prefix, set_, first, until, full=full)
    settings = Settings.load(config, os.environ)
    collection_name = new_name(name, urlsplit(order.url).hostname or "", settings)
    with Collection.open(folder_of(settings), collection_name, "oai") as collection:
        error, done = asyncio.run(
            _run_harvest(order, collection, collection_name, settings, console)
        )
        count = collection.count if collection.exists else None
    if error is not None:
        console.say(f"error: {error}", "red")
        if error.advice:
            console.say(f"  {error.advice}")
    _report_harvest(done, collection_name, count, console)
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

    from metasearch.collections.harvest import HarvestRequest
    from metasearch.collections.oai import date_of

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


async def _run_harvest(
    order: HarvestRequest, collection: Collection, name: str, settings: Settings, console: Console
) -> tuple[SourceError | None, HarvestReport]:
    """(the error that ended the harvest, or None; its counts)."""
    from metasearch.adapters.fetch.transport import HttpTransport
    from metasearch.adapters.specs.specfile import build, shipped_table
    from metasearch.cli.progress import ProgressLine
    from metasearch.collections.harvest import Harvest
    from metasearch.collections.oai import OaiClient

    live = ProgressLine(console)

    def warn(text: str) -> None:
        live.clear()
        if not console.quiet:
            console.say(text, "yellow")

    def progress(done: HarvestReport) -> None:
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


def _report_harvest(done: HarvestReport, name: str, count: int | None, console: Console) -> None:
    """Write the counts of a harvest to stderr. `count`: its records; None where no record came, so
    that it was not made.
    """
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
    lost = f"; {quantity(done.lost, 'record')} could not be read" if done.lost else ""
    console.say(
        f"{began}{quantity(done.seen, 'record')}{since} on {quantity(done.pages, 'page')}: "
        f"{counts}{lost}"
    )
    console.say(collection_in_words(name, count))


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
        with Sink() as sink:
            sink.write_json(rows)
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
    from metasearch.adapters.specs.registry import Registry, collection_file, collection_names
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
    parts = [quantity(row["records"], "record"), f"from {', '.join(row['from']) or 'nothing'}"]
    if row["until"]:
        parts.append(f"as of {row['until']}")
    if row["lost"]:
        parts.append(f"{quantity(row['lost'], 'record')} could not be read")
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
    from metasearch.adapters.specs.registry import collection_file
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
    return f"{quantity(count, 'record')} in the collection {name}: metasearch -s {name} QUERY"


def new_name(asked: str | None, offered: str, settings: Settings) -> str:
    """The name of the collection that `index` or `harvest` writes to.

    `asked`: the value of `--name`, or None. `offered`: the text of which a name is made without
    `--name`. Raises UsageError: the name is not allowed, or a source or group has it.
    """
    from metasearch.adapters.spec import SOURCE_NAME
    from metasearch.adapters.specs.registry import Registry, name_for

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
    own = name in registry.additions and (changed is None or family != "collection")
    if own or name in registry.shipped_names or name in registry.groups:
        what = "group" if name in registry.groups else "source"
        raise UsageError(
            f"there is already a {what} called {name!r}", advice="Choose another name with --name."
        )
    return name
