"""`metasearch strategy run|cite|stop|counts|replay|known|validate`: asks the sources, and shows
what came of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.options import demo_options
from metasearch.cli.output import Exit, quantity
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.commands import (
    Call,
    cache_option,
    demo_option,
    find_strategy,
    in_project,
    names_of,
    numbers,
    sources_option,
    strategy_option,
)

if TYPE_CHECKING:
    from metasearch.review.projects.projects import ProjectRow
    from metasearch.review.runs.known_works import KnownWorkCheck
    from metasearch.review.runs.run import ReplayResult
    from metasearch.review.runs.runs import Run
    from metasearch.settings import Settings


def _run_options(command: Any) -> Any:
    for decorate in (
        demo_option,
        cache_option,
        click.option(
            "--timeout",
            type=float,
            metavar="SECONDS",
            help="At most so long for each step at each source.",
        ),
        sources_option(
            "Ask these sources and groups; without them those of the strategy, else the default "
            "ones."
        ),
        strategy_option,
    ):
        command = decorate(command)
    return command


record_option = click.option(
    "--record",
    is_flag=False,
    flag_value="",
    metavar="[DIR]",
    help="Keep every page, without keys, beside the workspace or in DIR, so that the run can be "
    "replayed.",
)


def _folder(call: Call, project: ProjectRow, record: str | None) -> Path | None:
    if not record:
        return None if record is None else recordings(call.file, project.uid)
    return Path(record)


@click.command(
    "run", cls=ExampleCommand, short_help="Fetch the records of steps, and add their works."
)
@click.option(
    "--steps",
    callback=numbers,
    metavar="1,3-5",
    help="These steps; without them the last one that no other names.",
)
@click.option(
    "--per-source",
    type=int,
    metavar="N",
    help="At most N records of each source and step; 500 without it.",
)
@record_option
@click.option(
    "--resume",
    "resumed",
    type=int,
    metavar="RUN",
    help="Go on with this run, which was interrupted, with its own steps, sources and options; "
    "counts as well.",
)
@_run_options
@in_project
def run(
    call: Call,
    /,
    *,
    name: str | None,
    sources: tuple[str, ...],
    steps: tuple[int, ...] | None,
    record: str | None,
    resumed: int | None,
    demo: bool,
    **how: Any,
) -> int:
    """Fetch the records of steps from their sources, keep them in the project, and merge them with
    the works that are there.

    What a source has answered is saved at once: Ctrl-C, a failure of another source and a crash
    lose nothing of it. Exit code 3: some sources failed.
    """
    from metasearch.review.console import run_and_show
    from metasearch.review.runs.plan import RunOptions

    if resumed is not None:
        return _resume(call, resumed, demo=demo)
    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
    folder = _folder(call, project, record)
    wanted = RunOptions(steps=steps, sources=names_of(sources), record=folder, **how)
    return run_and_show(call, project, chosen, wanted, demo=demo)


@click.command(
    "cite",
    cls=ExampleCommand,
    short_help="Search along the citations of included works.",
    examples=(
        ("metasearch strategy cite", "what the included works cite, and what cites them"),
        ("metasearch strategy cite 10.1000/abc --forward", "what cites one of them"),
        ("metasearch strategy cite --again", "what has appeared since"),
    ),
)
@click.argument("works", nargs=-1, metavar="WORK...")
@click.option("--backward", is_flag=True, help="The works that they cite; without --forward alone.")
@click.option("--forward", is_flag=True, help="The works that cite them; without --backward alone.")
@click.option(
    "--rounds",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Follow what was found at once, without screening between, N rounds in all.",
)
@click.option(
    "--again",
    is_flag=True,
    help="Ask also for works of which the citations are there, for those that appeared since.",
)
@record_option
@_run_options
@in_project
def cite(
    call: Call,
    /,
    *,
    works: tuple[str, ...],
    backward: bool,
    forward: bool,
    rounds: int,
    name: str | None,
    sources: tuple[str, ...],
    record: str | None,
    demo: bool,
    **how: Any,
) -> int:
    """Ask indexes which works the included works of the project cite, and which cite them, as a
    step of the strategy; what is new becomes works to be screened.

    WORK names works of the project to begin with, in place of those that are included: an id, a
    DOI. Screen what came, and the same command follows the works that were included since. Exit
    code 3: some indexes failed.
    """
    from metasearch.review.console import run_and_show
    from metasearch.review.runs import citations
    from metasearch.review.runs.plan import RunOptions
    from metasearch.review.strategies import strategies

    wanted = citations.CitationStep.of(
        {
            "seeds": works,
            "directions": [
                *(["references"] if backward else ()),
                *(["cited_by"] if forward else ()),
            ],
            "rounds": rounds,
            "indexes": names_of(sources) or (),
        }
    )
    with call.open() as db:
        project = call.project(db)
        if name is None and not strategies.of(project):
            strategies.create(project, strategies.FIRST)
        chosen = strategies.find(project, name)
        step = citations.step_to_run(project, chosen, wanted)
    folder = _folder(call, project, record)
    options = RunOptions(steps=(step.number,), record=folder, **how)
    return run_and_show(call, project, chosen, options, demo=demo)


def _resume(call: Call, number: int, *, demo: bool) -> int:
    from metasearch.review.console import run_and_show
    from metasearch.review.runs import runs
    from metasearch.review.strategies import strategies

    context = click.get_current_context()
    refused = ("name", "sources", "steps", "per_source", "record", "timeout", "cache")
    if any(
        context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        for name in refused
    ):
        raise UsageError(
            message("A run that is resumed has its own steps, sources and options"),
            advice=message("Name nothing beside --resume but the project and --demo."),
        )
    with call.open() as db:
        project = call.project(db)
        strategy = strategies.by_id(db, project.id, runs.find(project, number).strategy)
    return run_and_show(call, project, strategy, number, demo=demo)


@click.command(
    "stop", cls=ExampleCommand, short_help="Stop a run, or end one that was interrupted."
)
@click.argument("number", type=int, metavar="[RUN]", required=False)
@in_project
def stop(call: Call, /, *, number: int | None) -> int:
    """Stop RUN, in whichever process it is under way, or end it where it was interrupted; without
    RUN the one that is under way, or the last one. What was answered is kept.

    A run of another process ends within a few seconds.
    """
    from metasearch.review import objects
    from metasearch.review.runs import runs

    with call.open() as db:
        project = call.project(db)
        if number is None:
            every = [run for run in runs.of(project) if run.mode != "import"]
            under_way = [run.number for run in every if run.status == "running"]
            number = under_way[-1] if under_way else every[-1].number if every else 0
        stopped = runs.stop(project, number)
    call.answer(
        objects.run(stopped),
        [
            f"run {number} is being stopped; what was answered is kept"
            if stopped.status == "running"
            else f"run {number} is {stopped.status}; what was answered is kept"
        ],
    )
    return Exit.OK


@click.command(
    "counts", cls=ExampleCommand, short_help="Ask how many hits each source has for each step."
)
@click.option(
    "--steps",
    callback=numbers,
    metavar="1,3-5",
    help="These steps; without them all that can be searched for.",
)
@_run_options
@in_project
def counts(
    call: Call,
    /,
    *,
    name: str | None,
    sources: tuple[str, ...],
    steps: tuple[int, ...] | None,
    demo: bool,
    **how: Any,
) -> int:
    """Ask each source for the number of its hits for each step: one request each, and no records.

    Exit code 3: some sources failed.
    """
    from metasearch.review.console import run_and_show
    from metasearch.review.runs.plan import RunOptions

    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
    wanted = RunOptions(mode="counts", steps=steps, sources=names_of(sources), **how)
    return run_and_show(call, project, chosen, wanted, demo=demo)


def recordings(workspace: Path, project: str) -> Path:
    """A new folder beside the workspace for the pages of a run."""
    import datetime as dt

    moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S")
    return workspace.parent / f"{workspace.stem}-recorded" / project / moment


#: Bytes of a file of known works.
_LARGEST = 20_000_000


@click.group(
    "known",
    cls=CommandGroup,
    examples=(
        ("metasearch strategy known add 10.1000/abc 'Gambling and debt (2019)'", "two of them"),
        ("metasearch strategy known add --from included.ris", "those of an earlier review"),
    ),
)
def known() -> None:
    """Works that the searches are expected to find; `strategy validate` says which they do."""


@known.command("add", short_help="Add known works.")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--from",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file of a reference manager, or a text with a name a line (.txt).",
)
@in_project
def add(call: Call, /, *, names: tuple[str, ...], file: Path | None) -> int:
    """Add works by NAME: a DOI, a PMID, "arxiv:" or "isbn:" with a number, or a title with its year
    in brackets.
    """
    from metasearch import regular_files
    from metasearch.review import objects
    from metasearch.review.runs import known_works

    if not names and file is None:
        raise UsageError(message("no work is named"), advice=message("Name a DOI, or --from FILE."))
    content = regular_files.read(file, _LARGEST, pipes=True) if file else b""
    with call.open() as db:
        project = call.project(db)
        with db.transaction():
            made = known_works.add_lines(project, "\n".join(names)) if names else []
            if file and file.suffix.lower() == ".txt":
                text = content.decode("utf-8-sig", "replace")
                made += known_works.add_lines(project, text)
            elif file:
                made += known_works.add_file(project, content, file.name)
    call.answer([objects.known_work(each) for each in made], (each.name for each in made))
    call.tell(f"{quantity(len(made), 'known work')} added")
    return Exit.OK


@known.command("list", short_help="List the known works.")
@in_project
def list_(call: Call, /) -> int:
    """List the known works of the project."""
    from metasearch.review import objects
    from metasearch.review.runs import known_works

    with call.open() as db:
        listed = known_works.of(call.project(db))
    call.answer([objects.known_work(each) for each in listed], (each.name for each in listed))
    return Exit.OK


@known.command("remove", short_help="Remove known works.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@in_project
def remove(call: Call, /, *, names: tuple[str, ...]) -> int:
    """Remove known works by their names, as the list writes them."""
    from metasearch.review.runs import known_works

    with call.open() as db:
        known_works.remove(call.project(db), names)
    call.answer({"removed": list(names)}, ())
    call.tell(f"{quantity(len(names), 'known work')} removed")
    return Exit.OK


@click.command(
    "validate",
    cls=ExampleCommand,
    short_help="Show which step and source finds or misses each known work.",
)
@strategy_option
@in_project
def validate(call: Call, /, *, name: str | None) -> int:
    """Show for each known work which runs, steps and sources found it, and what of the query it
    does not fit where none did. Exit code 1: some were not found.
    """
    from metasearch.review import objects
    from metasearch.review.runs import known_works as validation

    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
        made = validation.validate(project, chosen)
    call.answer(
        objects.validation(chosen, made),
        (line for each in made.works for line in _lines(each)),
    )
    call.tell(
        f"{made.found} of {quantity(len(made.works), 'known work')} found"
        if made.works
        else "no work is known; `metasearch strategy known add` names some"
    )
    return Exit.OK if made.found == len(made.works) else Exit.NO_HITS


def _lines(each: KnownWorkCheck) -> Iterator[str]:
    yield f"{'found ' if each.found else 'MISSED'}  {each.known.name}"
    for finder in each.finders:
        yield f"          run {finder.run}, #{finder.step}, {finder.source}"
    if not each.found:
        for step in each.steps:
            if step.lacks:
                yield f"          #{step.step} does not fit: {'; '.join(step.lacks)}"


@click.command(
    "evidence",
    cls=ExampleCommand,
    short_help="Show what each line, each alternative and each database has brought.",
)
@strategy_option
@in_project
def evidence(call: Call, /, *, name: str | None) -> int:
    """Show for each line and database its hits, its works, those that only it brings, the relevant
    ones, and what would be lost without it; the same for each alternative of an OR; the known works
    that are missed, by which part; and how the databases overlap. It is computed from the records
    that the runs have kept; no database is asked.
    """
    from metasearch.review import objects
    from metasearch.review.reports import overlap, strategy_evidence
    from metasearch.review.reports.document import speaker
    from metasearch.review.reports.render import markdown
    from metasearch.review.runs import evidence as computed

    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
        made = computed.evidence(project, chosen)
        shared = overlap.overlap(project)
        more = tuple(overlap.section(project, speaker("en")))
    document = strategy_evidence.document(chosen.name, made, None, more=more)
    call.answer(
        objects.evidence(chosen, made, shared.as_object()), markdown.text(document).splitlines()
    )
    return Exit.OK


@click.command(
    "words",
    cls=ExampleCommand,
    short_help="Suggest words that relevant works have and the strategy does not look for.",
    examples=(
        ("metasearch strategy words", "words, with the works that each would bring"),
        ("metasearch strategy words --count 5", "and the hits that the first five would cost"),
    ),
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 200),
    default=30,
    show_default=True,
    metavar="N",
    help="At most N words.",
)
@click.option(
    "--count",
    type=click.IntRange(0, 50),
    default=0,
    metavar="N",
    help="Ask the sources how many hits more the first N words would have: a request each.",
)
@demo_option
@strategy_option
@in_project
def words(call: Call, /, *, name: str | None, limit: int, count: int, demo: bool) -> int:
    """Suggest words, phrases and headings that relevant and known works have and other works have
    not, with the line in which each would bring most, the works that it would bring, those that it
    would cost, and its counterpart in Chinese or English. Nothing is added by itself.
    """
    from metasearch.review import objects
    from metasearch.review.reports import strategy_evidence
    from metasearch.review.reports.render import markdown
    from metasearch.review.runs import suggestions

    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
        made = suggestions.suggest(project, chosen, count=limit)
        asked = suggestions.asked_queries(project, chosen, made.words[:count]) if count else None
    if asked is not None and asked.with_word:
        from metasearch.review.console import count_words

        made = count_words(call, chosen, made, asked, demo=demo)
    document = strategy_evidence.document(chosen.name, None, made)
    call.answer(objects.suggestions(chosen, made), markdown.text(document).splitlines())
    return Exit.OK


#: Records that are named of those that differ.
_SHOWN = 20


@click.command(
    "replay",
    cls=ExampleCommand,
    short_help="Repeat a recorded run from its pages.",
    examples=(
        ("metasearch project new again --kind review", "a project for what the pages hold"),
        ("metasearch strategy replay 2 --into again --project review", "run 2 of the review"),
    ),
)
@click.argument("number", type=int, metavar="RUN")
@click.option("--into", required=True, metavar="NAME", help="The project that gets the new run.")
@click.option(
    "--pages",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of its pages, where it was moved.",
)
@demo_options("The run has asked the simulated databases.")
@in_project
def replay(call: Call, /, *, number: int, into: str, pages: Path | None, demo: bool) -> int:
    """Ask the queries of RUN once more of the pages that it has kept (`strategy run --record`), as
    a run of another project; nothing is sent. Exit code 3: the records differ.
    """
    import asyncio

    from metasearch.review import objects
    from metasearch.review.projects import projects
    from metasearch.review.runs import runs
    from metasearch.review.strategies import strategies

    settings = call.settings
    if demo:
        from metasearch.demo import replay_settings

        settings = replay_settings(settings)
    with call.open() as db:
        run = runs.find(call.project(db), number)
        target = projects.find(db, into)
    made = asyncio.run(_replay(call.file, settings, run, target, pages))
    with call.open() as db:
        name = strategies.by_id(db, made.run.project, made.run.strategy).name
    differing = {
        kind: [{"step": step, "source": source, "record": key} for step, source, key in records]
        for kind, records in (("lacking", made.lacking), ("added", made.added))
    }
    call.answer(
        {"run": objects.run(made.run, name), "same": made.same, **differing},
        (
            f"{kind}: #{one['step']} {one['record']}"
            for kind, records in differing.items()
            for one in records[:_SHOWN]
        ),
    )
    call.tell(
        f"run {made.run.number} of {target.name}: {quantity(made.same, 'record')} as in run "
        f"{number}, {len(made.lacking):,} lacking, {len(made.added):,} more"
    )
    return Exit.PARTIAL if made.lacking or made.added else Exit.OK


async def _replay(
    file: Path, settings: Settings, run: Run, target: ProjectRow, pages: Path | None
) -> ReplayResult:
    from metasearch.review.runs.run import replay_run
    from metasearch.review.store.workspace import Workspace

    async with Workspace(file) as workspace:
        return await replay_run(workspace, settings, run, target, folder=pages)
