"""`metasearch strategy`: makes strategies, adds and changes their steps, reads and writes them as
texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.options import query_text
from metasearch.cli.output import Exit, Sink, quantity
from metasearch.engine.options import OPTIONS
from metasearch.formats import READABLE
from metasearch.review.commands import (
    Call,
    find_strategy,
    in_project,
    names_of,
    numbers,
    output_option,
    sources_option,
    strategy_option,
    syntax_option,
)
from metasearch.review.press.commands import review
from metasearch.review.runs.commands import (
    cite,
    counts,
    evidence,
    known,
    replay,
    run,
    stop,
    validate,
    words,
)

if TYPE_CHECKING:
    from metasearch.review.runs.figures import Figures, SourceFigure, StepFigures


@click.command(
    "show", cls=ExampleCommand, short_help="Show the steps, with their hits at each source."
)
@click.option("--sent", is_flag=True, help="Show also what each source was sent last.")
@strategy_option
@in_project
def show(call: Call, /, *, name: str | None, sent: bool) -> int:
    """Show the steps of a strategy: the text, the hits at each source as of the last counts or run,
    and whether they are out of date, because the step was changed since.
    """
    from metasearch.review import objects
    from metasearch.review.runs import figures

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
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
        yield from (f"    {note}" for note in line.notes)
        for source, figure in line.figures.items():
            yield f"      {table.sources[source]}: {_figure(figure)}"
            if sent and figure.newest.sent:
                yield f"        sent: {figure.newest.sent}"


def _sum(line: StepFigures) -> str:
    parts = [] if line.step.kind == "import" else [_number_of(line.claimed, "hit")]
    if line.fetched is not None:
        parts.append(quantity(line.fetched, "record"))
    if line.missing:
        parts.append(f"without {', '.join(line.missing)}")
    if line.stale:
        parts.append("out of date")
    return ", ".join(parts)


def _number_of(number: int | None, noun: str) -> str:
    return f"- {noun}s" if number is None else quantity(number, noun)


def _figure(figure: SourceFigure) -> str:
    newest = figure.newest
    if newest.failed:
        parts = [f"{newest.status}: {newest.error}" if newest.error else newest.status]
    else:
        parts = [f"{_number_of(figure.claimed, 'hit')}{'' if newest.exact else ', not exact'}"]
    if figure.kept is not None and figure.kept.fetched is not None:
        parts.append(quantity(figure.kept.fetched, "record"))
    if newest.asked_at:
        parts.append(f"{newest.asked_at}{', cached' if newest.cached else ''}")
    if figure.stale:
        parts.append("out of date: the step was changed since")
    return "; ".join(parts)


@click.command("add", cls=ExampleCommand, short_help="Add a step.")
@click.argument("text", nargs=-1, required=True)
@click.option("--note", default="", metavar="TEXT", help="A note, for people.")
@syntax_option
@strategy_option
@in_project
def add(
    call: Call, /, *, text: tuple[str, ...], note: str, syntax: str | None, name: str | None
) -> int:
    """Add a step: a query in any syntax that a search reads, or a combination of other steps, as
    '#1 AND #2', '1 and 2' or 'or/1-4'.

    Quote it, because a shell takes # for a comment; "-" reads it from standard input. The number of
    a step never changes and is never used again.
    """
    from metasearch.review import objects
    from metasearch.review.strategies import steps, strategies

    with call.open() as db:
        project = call.project(db)
        known = strategies.of(project)
        chosen = (
            strategies.find(project, name)
            if known or name is not None
            else strategies.create(project, strategies.FIRST)
        )
        made = steps.add(db, chosen, query_text(text), syntax=syntax or "auto", note=note)
    call.answer(objects.step(made), ())
    call.tell(f"#{made.number} {made.text}")
    return Exit.OK


@click.command("edit", cls=ExampleCommand, short_help="Change a step.")
@click.argument("number", type=int)
@click.argument("text", nargs=-1)
@click.option("--note", metavar="TEXT", help="Another note.")
@syntax_option
@strategy_option
@in_project
def edit(
    call: Call,
    /,
    *,
    number: int,
    text: tuple[str, ...],
    note: str | None,
    syntax: str | None,
    name: str | None,
) -> int:
    """Change the text, syntax or note of the step with this NUMBER. Steps that name it change with
    it; their counts are out of date until they are asked for again.
    """
    from metasearch.review import objects
    from metasearch.review.strategies import steps

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
        made = steps.edit(
            db,
            chosen,
            number,
            text=query_text(text) if text else None,
            syntax=syntax,
            note=note,
        )
        users = steps.users(steps.of(db, chosen), number)
    call.answer(objects.step(made), ())
    call.tell(f"#{made.number} {made.text}")
    if users and (text or syntax):
        call.tell(f"named by {', '.join(f'#{user}' for user in users)}, which change with it")
    return Exit.OK


@click.command("remove", cls=ExampleCommand, short_help="Remove a step that no other names.")
@click.argument("number", type=int)
@strategy_option
@in_project
def remove(call: Call, /, *, number: int, name: str | None) -> int:
    """Remove the step with this NUMBER. One that others name is not removed; what was found by it
    stays in the project.
    """
    from metasearch.review.strategies import steps

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
        steps.remove(db, chosen, number)
        left = len(steps.of(db, chosen))
    call.answer({"removed": number, "steps": left}, ())
    call.tell(f"#{number} is removed; {quantity(left, 'step')} left")
    return Exit.OK


#: Bytes of a text of lines.
_LARGEST = 2_000_000


def _complete_syntax(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from metasearch.query.syntaxes import TARGETS

    return [CompletionItem(name) for name in TARGETS if name.startswith(incomplete)]


@click.command(
    "paste",
    cls=ExampleCommand,
    short_help="Add the lines of a strategy of another database.",
    examples=(
        ("metasearch strategy paste ovid.txt", "the search history that Ovid exports"),
        ("metasearch strategy paste - < history.txt", "from standard input"),
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@syntax_option
@strategy_option
@in_project
def paste(call: Call, /, *, file: Path, syntax: str | None, name: str | None) -> int:
    """Add a step for each line of FILE, copied out of Ovid, PubMed, Web of Science and others, with
    their numbers, and the hits that they showed. All lines are added, or none where one cannot be
    read.
    """
    import sys

    from metasearch import regular_files
    from metasearch.formats.reading.encodings import decode
    from metasearch.review import objects
    from metasearch.review.strategies import paste as lines
    from metasearch.review.strategies import strategies

    content = (
        sys.stdin.buffer.read(_LARGEST)
        if str(file) == "-"
        else regular_files.read(file, _LARGEST, pipes=True)
    )
    text = decode(content, file.name).text
    with call.open() as db:
        project = call.project(db)
        if name is None and not strategies.of(project):
            strategies.create(project, strategies.FIRST)
        chosen = strategies.find(project, name)
        made = lines.copy_in(db, chosen, text, syntax=syntax or "auto")
    call.answer(
        objects.paste_result(chosen, made), (f"#{step.number}  {step.text}" for step in made.steps)
    )
    for note in made.notes:
        call.tell(note, "yellow")
    call.tell(f"{quantity(len(made.steps), 'step')} added to {chosen.name}")
    return Exit.OK


@click.command(
    "write",
    cls=ExampleCommand,
    short_help="Write a strategy in the syntax of another database.",
    examples=(
        ("metasearch strategy write --syntax ovid", "lines to be typed in Ovid"),
        ("metasearch strategy write --syntax cnki", "for a search by hand in CNKI"),
    ),
)
@click.option(
    "--syntax",
    required=True,
    metavar="NAME",
    shell_complete=_complete_syntax,
    help="The syntax: ovid, pubmed, scopus, wos, ebsco, embase, cochrane, proquest, ieee, "
    "europepmc, acm, vhl, cnki, sinomed, wanfang, cql, simple.",
)
@strategy_option
@in_project
def write(call: Call, /, *, syntax: str, name: str | None) -> int:
    """Write the steps for a database that is searched by hand; standard error tells what its syntax
    cannot say.
    """
    from metasearch.review import objects
    from metasearch.review.strategies import steps, writer

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
        made = writer.write_strategy(steps.of(db, chosen), syntax, years=chosen.years)
    call.answer(objects.strategy_text(chosen, made), made.text.splitlines())
    for note in made.notes:
        call.tell(note, "yellow")
    return Exit.OK


#: As `metasearch.review.runs.runs.PLACES`, which help need not load.
_PLACES = ("database", "register", "other")
#: Problems of a file that are shown.
_PROBLEMS = 5


@click.command(
    "import",
    cls=ExampleCommand,
    short_help="Add the file of a search by hand as a step.",
    examples=(
        (
            "metasearch strategy import cnki.txt --source CNKI --searched 2026-05-03",
            "what was found by hand in CNKI",
        ),
    ),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--source",
    required=True,
    metavar="NAME",
    help="The database, as reports shall name it: CNKI.",
)
@click.option(
    "--searched", required=True, metavar="YYYY-MM-DD", help="The day on which it was searched."
)
@click.option("--query", default="", metavar="TEXT", help="What was searched for, as typed there.")
@click.option("--note", default="", metavar="TEXT", help="How it was searched: by whom, limits.")
@click.option(
    "--hits",
    "claimed",
    type=int,
    metavar="N",
    help="The hits that the database named; 0 with an empty file says that there were none.",
)
@click.option(
    "--place",
    type=click.Choice(_PLACES),
    default="database",
    show_default=True,
    help="What kind of place it is, for the flow diagram.",
)
@click.option(
    "--step", type=int, metavar="N", help="The import that this file is a newer version of."
)
@click.option(
    "--from",
    "format",
    type=click.Choice(tuple(READABLE)),
    metavar="FORMAT",
    help=f"The format of FILE, instead of detecting it: {', '.join(READABLE)}.",
)
@click.option("--encoding", metavar="NAME", help="Its encoding, instead of detecting it.")
@strategy_option
@in_project
def import_(call: Call, /, *, file: Path, name: str | None, **how: Any) -> int:
    """Keep the records of FILE as a step of the strategy: a database that forbids programs is
    searched by hand, and reports say so. Exit code 3: some records could not be read.
    """
    from metasearch import regular_files
    from metasearch.review import objects
    from metasearch.review.runs import imports
    from metasearch.review.strategies import strategies

    content = regular_files.read(file, imports.MOST_BYTES, pipes=True)
    with call.open() as db:
        project = call.project(db)
        if name is None and not strategies.of(project):
            strategies.create(project, strategies.FIRST)
        chosen = strategies.find(project, name)
        made = imports.import_file(project, chosen, content, file.name, **how)
    call.answer(objects.file_import(made, chosen), ())
    for problem in made.problems[:_PROBLEMS]:
        call.tell(f"{file.name}:{problem.line or ''} {problem.message}", "yellow")
    again = "; the same file was imported before" if made.again else ""
    unread = f", {made.answer.unread:,} could not be read" if made.answer.unread else ""
    call.tell(
        f"#{made.step.number} {made.answer.label}: "
        f"{quantity(made.answer.fetched or 0, 'record')} of {file.name}{unread}; "
        f"{quantity(made.new, 'new work')}, {made.known:,} known before{again}"
    )
    return Exit.PARTIAL if made.answer.unread else Exit.OK


# `metasearch strategy search-file`: JSON search files after Haddaway 2022, as searchRxiv has.

#: Bytes of a search file.
_LARGEST_SEARCH_FILE = 5_000_000


@click.group(
    "search-file",
    cls=CommandGroup,
    examples=(
        ("metasearch strategy search-file write --syntax pubmed -o search.json", "for others"),
        ("metasearch strategy search-file read search.json", "a strategy of somebody else"),
    ),
)
def search_file() -> None:
    """Read and write strategies as JSON search files, which search-query and searchRxiv use."""


@search_file.command("read", short_help="Make strategies of a search file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", metavar="NAME", help="The name of the strategy; without it the file's.")
@in_project
def read_search_file(call: Call, /, *, file: Path, name: str | None) -> int:
    """Make a strategy of each search in FILE, all or none."""
    from metasearch import regular_files
    from metasearch.review import objects
    from metasearch.review.strategies import search_file as files

    content = regular_files.read(file, _LARGEST_SEARCH_FILE, pipes=True)
    with call.open() as db:
        made = files.add(call.project(db), content, file.name, strategy=name)
    call.answer(objects.search_file(made), ())
    for note in made.notes:
        call.tell(note, "yellow")
    call.tell(f"made {', '.join(each.name for each in made.strategies)}")
    return Exit.OK


@search_file.command("write", short_help="Write a strategy as a search file.")
@output_option()
@click.option(
    "--syntax",
    default="pubmed",
    show_default=True,
    metavar="NAME",
    shell_complete=_complete_syntax,
    help="The syntax of the search string; search-query reads pubmed, wos and ebsco.",
)
@click.option("--step", type=int, metavar="N", help="The step; without it the last one.")
@click.option("--searched", default="", metavar="YYYY-MM-DD", help="The day of the search.")
@strategy_option
@in_project
def write_search_file(
    call: Call,
    /,
    *,
    output: Path | None,
    syntax: str,
    step: int | None,
    searched: str,
    name: str | None,
) -> int:
    """Write a strategy for others: as one search string, and with its steps as they are."""
    from metasearch.review.strategies import search_file as files

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
        content = files.write(db, chosen, syntax=syntax, step=step, searched=searched)
    with Sink(output) as sink:
        sink.write(content)
    if output is not None:
        call.answer({"strategy": chosen.name, "file": str(output), "bytes": len(content)}, ())
        call.tell(f"{chosen.name} is in {output}")
    return Exit.OK


@click.group(
    cls=CommandGroup,
    short_help="Write search strategies, count their hits, run them.",
    examples=(
        ("metasearch strategy add 'title:gambling OR title:betting'", "the first step, #1"),
        ("metasearch strategy add 'harm* OR debt'", "the second, #2"),
        ("metasearch strategy add '#1 AND #2'", "both; a source is asked for all in one query"),
        ("metasearch strategy counts", "how many hits each source has for each step"),
        ("metasearch strategy show", "the steps with their numbers"),
        ("metasearch strategy run", "fetch the records of the last step, and merge them"),
    ),
)
def strategy() -> None:
    """Write search strategies step by step, count their hits, and run them."""


def _settings(command: Any) -> Any:
    """Add what a strategy says beside its steps."""
    for decorate in (
        click.option("--note", metavar="TEXT", help="A note, for people."),
        click.option("--year", "years", metavar="YEARS", help=OPTIONS["years"].help),
        sources_option("The sources and groups that it asks; without them the default ones."),
    ):
        command = decorate(command)
    return command


@strategy.command("new", short_help="Make another strategy.")
@click.argument("name")
@_settings
@in_project
def new(
    call: Call,
    /,
    *,
    name: str,
    sources: tuple[str, ...],
    years: str | None,
    note: str | None,
) -> int:
    """Make the search strategy NAME, without steps. A first `strategy add` makes one by itself."""
    from metasearch.review import objects
    from metasearch.review.strategies import strategies

    with call.open() as db:
        made = strategies.create(
            call.project(db),
            name,
            sources=names_of(sources) or (),
            years=years or "",
            note=note or "",
        )
    call.answer(objects.strategy(made), ())
    call.tell(f"strategy {made.name} is made")
    return Exit.OK


@strategy.command("list", short_help="List the strategies of the project.")
@in_project
def list_(call: Call, /) -> int:
    """List the search strategies of the project, the oldest first."""
    from metasearch.review import objects
    from metasearch.review.strategies import steps, strategies

    with call.open() as db:
        listed = [(each, len(steps.of(db, each))) for each in strategies.of(call.project(db))]
    call.table(
        [objects.strategy(each) | {"steps": number} for each, number in listed],
        ("name", "steps", "sources", "years", "note"),
        [
            (
                each.name,
                str(number),
                ",".join(each.sources) or "default",
                each.years,
                each.note,
            )
            for each, number in listed
        ],
    )
    if not listed:
        call.tell("there are no strategies; `metasearch strategy add TEXT` makes the first step")
    return Exit.OK


@strategy.command("set", short_help="Change the sources, years, note or name of a strategy.")
@click.option("--rename", metavar="NAME", help="Its new name.")
@click.option("--default-sources", is_flag=True, help="Ask the default sources again.")
@_settings
@strategy_option
@in_project
def set_(
    call: Call,
    /,
    *,
    name: str | None,
    rename: str | None,
    sources: tuple[str, ...],
    default_sources: bool,
    years: str | None,
    note: str | None,
) -> int:
    """Change what is given; `--year ""` and `--note ""` empty it."""
    from metasearch.review import objects
    from metasearch.review.strategies import strategies

    with call.open() as db:
        _, old = find_strategy(call, db, name)
        made = strategies.update(
            db,
            old,
            name=rename,
            sources=() if default_sources else names_of(sources),
            years=years,
            note=note,
        )
    call.answer(objects.strategy(made), ())
    call.tell(
        f"strategy {made.name}: sources {','.join(made.sources) or 'default'}"
        + (f", years {made.years}" if made.years else "")
    )
    return Exit.OK


@strategy.command("copy", short_help="Copy a strategy under another name.")
@click.argument("new_name", metavar="NEW-NAME")
@click.option(
    "--order",
    callback=numbers,
    metavar="3,1,2",
    help="Number the steps of the copy anew, in this order; what names them is rewritten.",
)
@strategy_option
@in_project
def copy(call: Call, /, *, new_name: str, order: tuple[int, ...] | None, name: str | None) -> int:
    """Copy a strategy with its steps; the copy says what it is derived from. Imported files stay
    with the original.
    """
    from metasearch.review import objects
    from metasearch.review.strategies import steps as copying

    with call.open() as db:
        _, old = find_strategy(call, db, name)
        if order is None:
            made = copying.copy_strategy(db, old, new_name)
        else:
            made = copying.reorder(db, old, order, new_name)
    call.answer(objects.strategy(made), ())
    call.tell(f"strategy {made.name} is a copy of {old.name}")
    return Exit.OK


for _command in (
    *(add, edit, remove, show, counts, run, cite, stop, replay),
    *(import_, paste, write, search_file, known, validate, evidence, words, review),
):
    strategy.add_command(_command)
