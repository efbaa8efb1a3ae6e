"""`metasearch works conflicts|agreement`: what came of the screening of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.output import Exit
from metasearch.review.commands import Call, in_project, part_options, stage_option

if TYPE_CHECKING:
    from metasearch.review.screening.conflicts import Kappa
    from metasearch.review.store.database import Database
    from metasearch.review.works.works import Stage


@click.command(
    "conflicts",
    cls=ExampleCommand,
    short_help="List works whose screeners have voted differently.",
    examples=(
        ("metasearch works conflicts", "by title and abstract"),
        ("metasearch works conflicts --stage fulltext --json", "of the whole text, for a program"),
    ),
)
@stage_option()
@part_options(200)
@in_project
def conflicts(call: Call, /, *, stage: Stage, count: int, start: int) -> int:
    """List the works that have all votes of a team, which differ, with the reasons. The owner of
    the project resolves them on the page of screening. Exit code 1: there are none.
    """
    from metasearch.review.screening import objects
    from metasearch.review.screening.conflicts import conflicts as found_in

    with call.open() as db:
        found = found_in(call.project(db), stage, start=start, count=count)
        value = objects.conflicts(db, found)
    call.table(
        value,
        ("id", "title", "screener", "vote", "reason"),
        [
            (
                one["work"]["uid"] if first else "",
                one["work"]["title"][:60] if first else "",
                vote["name"],
                vote["verdict"],
                vote["reason"],
            )
            for one in value["conflicts"]
            for first, vote in ((vote is one["votes"][0], vote) for vote in one["votes"])
        ],
    )
    call.tell(f"{found.total:,} in all")
    return Exit.OK if found.total else Exit.NO_HITS


@click.command(
    "agreement", cls=ExampleCommand, short_help="Show Cohen's kappa of each pair of screeners."
)
@in_project
def agreement(call: Call, /) -> int:
    """Show how far the screeners of each stage agree beyond chance, by the votes that they gave
    before they saw those of the others. Exit code 1: no team has screened.
    """
    from metasearch.review.screening import objects
    from metasearch.review.screening.conflicts import agreement as found_in

    with call.open() as db:
        found = found_in(call.project(db))
        value = objects.agreement(db, found)
        rows: list[tuple[str, ...]] = [
            (
                stage,
                pair["first"]["name"],
                pair["second"]["name"],
                f"{pair['n']:,}",
                f"{pair['agreed']:,}",
                *_numbers(found[stage].pairs[place].kappa),
            )
            for stage, each in zip(found, value["stages"], strict=True)
            for place, pair in enumerate(each["pairs"])
        ]
    call.table(value, ("stage", "", "", "works", "agreed", "kappa", "95 % interval"), rows)
    return Exit.OK if found else Exit.NO_HITS


def _numbers(shown: Kappa) -> tuple[str, str]:
    """The last two cells of a pair."""
    if shown.kappa is None or shown.low is None:
        return "–", shown.undefined
    return f"{shown.kappa:.2f}", f"{shown.low:.2f} – {shown.high:.2f}"


def uid_of(db: Database, name: str | None) -> str:
    """The uid of a user who is named, else "". Raises UsageError: there is no such user."""
    if not name:
        return ""
    from metasearch.review.users import accounts

    return accounts.find(db, name).uid
