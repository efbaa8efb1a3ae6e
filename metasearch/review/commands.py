"""The options by which the works of a project are chosen, for all commands about several works."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.workspace.options import numbers
from metasearch.errors import UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.workspace.projects import Project
    from metasearch.workspace.store.database import Database
    from metasearch.workspace.works.filters import WorksQuery

#: As in `metasearch.workspace.works`, which help need not load.
STANDINGS = ("undecided", "decided", "relevant", "close", "excluded", "unavailable", "conflict")
STAGES = ("title", "fulltext")
SORTS = ("added", "title", "author", "year", "citations", "relevance")
#: Names of the options -> fields of `WorksQuery`.
_FIELDS = (
    *("text", "verdict", "stage", "tags", "sources", "steps", "runs", "first_runs"),
    *("years", "types", "languages", "known", "sort"),
)
#: Bytes of ids on standard input.
_LARGEST = 20_000_000


def _listed(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    named = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(filter(None, named)))


def works_filters(command: Any) -> Any:
    """Add them."""
    options = (
        click.option(
            "--text",
            default="",
            metavar="WORDS",
            help="Works with all these words in title, authors, venue, keywords or abstract.",
        ),
        click.option(
            "--verdict", type=click.Choice(STANDINGS), help="What was decided in the stage."
        ),
        click.option(
            "--stage",
            type=click.Choice(STAGES),
            default="title",
            show_default=True,
            help="By title and abstract, or by the whole text.",
        ),
        click.option(
            "--tag", "tags", multiple=True, metavar="TEXT", help="With this tag. May be repeated."
        ),
        click.option(
            "--source",
            "sources",
            multiple=True,
            callback=_listed,
            metavar="NAME,...",
            help="Found in one of these sources.",
        ),
        click.option(
            "--step",
            "steps",
            multiple=True,
            callback=_listed,
            metavar="N,...",
            help="Found by one of these steps: 3, or of a strategy main/3.",
        ),
        click.option(
            "--run", "runs", callback=numbers, metavar="1,3-5", help="Found by one of these runs."
        ),
        click.option(
            "--first-run",
            "first_runs",
            callback=numbers,
            metavar="1,3-5",
            help="New in one of these runs: what an update search has brought.",
        ),
        click.option("--year", "years", default="", metavar="YEARS", help="Years: 2019-2024."),
        click.option(
            "--type",
            "types",
            multiple=True,
            callback=_listed,
            metavar="NAME,...",
            help="Of one of these types: article, preprint ...",
        ),
        click.option(
            "--language", "languages", multiple=True, callback=_listed, metavar="CODE,...",
            help="In one of these languages: en, zh ...",
        ),
        click.option(
            "--known/--not-known",
            default=None,
            help="Works that the searches are expected to find, or the others.",
        ),
        click.option(
            "--sort", type=click.Choice(SORTS), default="added", show_default=True,
            help="The order: newest additions, title, first author, newest year, most cited, best "
            "position at a source.",
        ),
    )  # fmt: skip
    for decorate in reversed(options):
        command = decorate(command)
    return command


def query_of(options: dict[str, Any]) -> WorksQuery:
    """What the options ask for; they are taken out of `options`."""
    from metasearch.workspace.works.filters import WorksQuery

    given = {name: options.pop(name) for name in _FIELDS}
    return WorksQuery(**{name: value for name, value in given.items() if value is not None})


def is_narrow(query: WorksQuery) -> bool:
    """Whether the query leaves works out."""
    from dataclasses import replace

    from metasearch.workspace.works.filters import WorksQuery

    return replace(query, sort="added", stage="title") != WorksQuery()


def chosen_works(command: Any) -> Any:
    """Add `ID...` and `--all-matching` with the options that choose works."""
    command = works_filters(command)
    command = click.option(
        "--all-matching",
        is_flag=True,
        help="All works that the other options choose, in place of IDs.",
    )(command)
    return click.argument("ids", nargs=-1, metavar="[ID]...")(command)


def uids_of(
    db: Database, project: Project, ids: tuple[str, ...], options: dict[str, Any]
) -> list[str]:
    """The works that a command is about. `ids`: any names of works; "-" reads them from standard
    input. Raises UsageError: None is named, or both ways are used.
    """
    from metasearch.workspace.works import listing

    every = options.pop("all_matching")
    query = query_of(options)
    if every:
        if ids:
            raise UsageError(
                message("--all-matching names works, and so do IDs"),
                advice=message("Use one of them."),
            )
        return listing.uids(db, project, query)
    if is_narrow(query):
        raise UsageError(
            message("works are chosen by options, and --all-matching is not given"),
            advice=message("Add --all-matching, or name IDs."),
        )
    if ids == ("-",):
        ids = tuple(sys.stdin.buffer.read(_LARGEST).decode("utf-8", "replace").split())
    if not ids:
        raise UsageError(
            message("no work is named"),
            advice=message("Name IDs, or --all-matching with the options of `works list`."),
        )
    return list(ids)
