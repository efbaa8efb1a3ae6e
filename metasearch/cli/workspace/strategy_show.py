"""`metasearch strategy show`: the steps, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.cli.workspace.strategy_options import found, strategy_option

if TYPE_CHECKING:
    from metasearch.workspace.runs.figures import Figure, Figures, StepFigures


@click.command(
    "show", cls=ExampleCommand, short_help="Show the steps, with their hits at each source."
)
@click.option("--sent", is_flag=True, help="Show also what each source was sent last.")
@strategy_option
@in_project
def show(call: Call, /, *, name: str | None, sent: bool) -> int:
    """Show the steps of a strategy: the text, the hits at each source as of the last counts or run,
    and whether they are stale, because the step was changed since.
    """
    from metasearch.workspace import objects
    from metasearch.workspace.runs import figures

    with call.open() as db:
        _, chosen = found(call, db, name)
        table = figures.table(db, chosen)
    value = objects.strategy(chosen) | {"figures": objects.figures(table)}
    head = f"{chosen.name}: {', '.join(chosen.sources) or 'default sources'}"
    call.answer(
        value,
        (f"{head}{f', {chosen.years}' if chosen.years else ''}", *_lines(table, sent=sent)),
    )
    if not table.steps:
        call.tell("it has no steps; `metasearch strategy add TEXT` adds one")
    return Exit.OK


def _lines(table: Figures, *, sent: bool) -> Iterator[str]:
    for line in table.steps:
        syntax = "" if line.step.syntax == "auto" else f"  [{line.step.syntax}]"
        imported = "imported: " if line.step.kind == "import" else ""
        yield f"#{line.step.number}  {imported}{line.step.text}{syntax}"
        if line.step.note:
            yield f"    {line.step.note}"
        if line.error is not None:
            yield f"    cannot be searched for: {line.error}"
        if line.figures:
            yield f"    {_sum(line)}"
        for source, figure in line.figures.items():
            yield f"      {table.sources[source]}: {_figure(figure)}"
            if sent and figure.newest.sent:
                yield f"        sent: {figure.newest.sent}"


def _sum(line: StepFigures) -> str:
    parts = [] if line.step.kind == "import" else [_counted(line.claimed, "hit")]
    if line.fetched is not None:
        parts.append(counted(line.fetched, "record"))
    if line.missing:
        parts.append(f"without {', '.join(line.missing)}")
    if line.stale:
        parts.append("stale")
    return ", ".join(parts)


def _counted(number: int | None, noun: str) -> str:
    return f"- {noun}s" if number is None else counted(number, noun)


def _figure(figure: Figure) -> str:
    newest = figure.newest
    if newest.failed:
        parts = [f"{newest.status}: {newest.error}" if newest.error else newest.status]
    else:
        parts = [f"{_counted(figure.claimed, 'hit')}{'' if newest.exact else ', not exact'}"]
    if figure.kept is not None and figure.kept.fetched is not None:
        parts.append(counted(figure.kept.fetched, "record"))
    if newest.asked_at:
        parts.append(f"{newest.asked_at}{', cached' if newest.cached else ''}")
    if figure.stale:
        parts.append("stale: the step was changed since")
    return "; ".join(parts)
