"""`metasearch project`: makes projects, shows and changes them, reads and writes their archives.

`metasearch project questions|answer|other`: what only a person knows of a project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.output import Exit, quantity
from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.review.commands import (
    Call,
    cache_option,
    complete_project,
    demo_option,
    in_project,
    in_workspace,
    names_of,
    sources_option,
)

if TYPE_CHECKING:
    from metasearch.review.projects.projects import Kind
    from metasearch.review.reports.questions import ReportQuestion, Value


#: Bytes of a file of answers.
_LARGEST = 5_000_000
#: As `metasearch.review.runs.other_sources.KINDS`, which help need not load.
OTHER_KINDS = ("website", "organisation", "browse", "citation", "contact", "register", "other")
#: Characters of an answer in the table.
_SHOWN = 60


@click.command(
    "questions", cls=ExampleCommand, short_help="List what only you know, with your answers."
)
@click.option(
    "--report",
    metavar="KIND",
    help="Only what this report prints: prisma-s, prisma-flow, chaxin ...",
)
@click.option("--missing", is_flag=True, help="Only those without which the report is a draft.")
@in_project
def questions(call: Call, /, *, report: str | None, missing: bool) -> int:
    """List the questions that reports ask: the key of each, what is asked for, and your answer."""
    from metasearch.review import objects
    from metasearch.review.projects import projects
    from metasearch.review.reports.questions import QUESTIONS

    kinds = sorted({kind for each in QUESTIONS for kind in each.reports})
    if report is not None and report not in kinds:
        raise UsageError(
            message("no report {kind} asks anything", kind=repr(report[:40])),
            advice=message("Those that ask: {kinds}.", kinds=", ".join(kinds)),
        )
    with call.open() as db:
        asked = call.project(db)
    given = projects.answers(asked)
    listed = projects.questions(asked, report)
    if missing:
        wanted = [report] if report else kinds
        keys = {each.key for kind in wanted for each in projects.open_questions(asked, kind)}
        listed = [each for each in listed if each.key in keys]
    call.answer(
        [objects.question(each, given) for each in listed],
        _in_words(listed, given),
    )
    call.tell(f"{quantity(len(listed), 'question')}; `metasearch project answer KEY=VALUE` answers")
    return Exit.OK


def _in_words(listed: list[ReportQuestion], given: Mapping[str, Value]) -> list[str]:
    lines: list[str] = []
    group = None
    for asked in listed:
        if asked.group != group:
            lines += [*([""] if lines else []), asked.group or "Other"]
            group = asked.group
        star = "*" if asked.required else " "
        lines.append(f"{star} {asked.key}  {asked.label}")
        if asked.choices:
            lines.append(f"      one of: {', '.join(choice.key for choice in asked.choices)}")
        lines += [f"      = {text}" for text in _value_lines(given.get(asked.key))]
    return [*lines, "", "* a report is a draft without the answer"] if listed else []


def _value_lines(value: Value | None) -> list[str]:
    match value:
        case None:
            return []
        case bool():
            return ["yes" if value else "no"]
        case tuple():
            return [*value]
        case _:
            return value.splitlines()


@click.command("answer", cls=ExampleCommand, short_help="Answer questions of reports.")
@click.argument("answers", nargs=-1, metavar="KEY=VALUE...")
@click.option(
    "--from",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Answers of a file, TOML or JSON: KEY = VALUE, or a table for the part before the dot.",
)
@in_project
def answer(call: Call, /, *, answers: tuple[str, ...], file: Path | None) -> int:
    """Keep the answers to questions that `project questions` lists; KEY= takes one away.

    All of them are kept, or none where one cannot be kept. Items of a list stand on lines of their
    own.
    """
    from metasearch.review import objects
    from metasearch.review.projects import projects

    values = _of_file(file) if file else {}
    for text in answers:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(
                message("{text} is no answer", text=repr(text[:60])),
                advice=message("Write KEY=VALUE: novelty.client='Lake Institute'."),
            )
        values[key.strip()] = value
    if not values:
        raise UsageError(
            message("there is nothing to answer"),
            advice=message("Write KEY=VALUE, or --from FILE."),
        )
    with call.open() as db:
        asked = projects.answer(call.project(db), values)
    call.answer(objects.project(asked) | {"details": dict(asked.details)}, ())
    call.tell(f"{quantity(len(values), 'answer')} kept")
    return Exit.OK


def _of_file(file: Path) -> dict[str, object]:
    """The answers in a file: one level of tables is joined with dots. Raises UsageError: it cannot
    be read, or is no TOML or JSON.
    """
    import orjson
    import tomli

    from metasearch import regular_files

    data = regular_files.read(file, _LARGEST, pipes=True)
    try:
        value = (
            orjson.loads(data)
            if data.lstrip()[:1] == b"{"
            else tomli.loads(data.decode("utf-8-sig"))
        )
    except (orjson.JSONDecodeError, tomli.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise UsageError(
            message("{file} cannot be read: {reason}", file=file, reason=exc),
            advice=message("Write TOML: novelty.client = 'Lake Institute'."),
        ) from exc
    if not isinstance(value, dict):
        raise UsageError(message("{file} has no table of answers", file=file))
    return dict(_flat(value))


def _flat(value: Mapping[str, Any], before: str = "", depth: int = 0) -> dict[str, object]:
    """Nested tables as keys with dots; three levels, as in novelty.comparison.1."""
    found: dict[str, object] = {}
    for name, inner in value.items():
        key = f"{before}{name}"
        if isinstance(inner, Mapping) and depth < 3:
            found |= _flat(inner, f"{key}.", depth + 1)
        else:
            found[key] = inner
    return found


# --------------------------------------------------------------------------- other sources


@click.group("other", cls=CommandGroup)
def other() -> None:
    """Other ways of searching: websites, citations, contacts, registers that you searched by hand.

    Reports print them as you give them; databases whose results you have as a file belong to
    `metasearch strategy import`.
    """


@other.command("add", short_help="Add another way of searching.")
@click.argument("kind", type=click.Choice(OTHER_KINDS))
@click.argument("name")
@click.option("--how", default="", metavar="TEXT", help="What was done, as the report prints it.")
@click.option("--date", default="", metavar="YYYY-MM-DD", help="When.")
@click.option("--identified", type=int, metavar="N", help="Records that were found.")
@click.option("--sought", type=int, metavar="N", help="Reports that were sought of them.")
@click.option("--not-retrieved", type=int, metavar="N", help="Reports that could not be had.")
@click.option(
    "--excluded",
    multiple=True,
    metavar="REASON=N",
    help="Reports that were read and left out, by reason. May be repeated.",
)
@in_project
def other_add(
    call: Call, /, *, kind: str, name: str, excluded: tuple[str, ...], **rest: Any
) -> int:
    """Add a way of searching of this KIND, with the NAME of the website, organisation or person."""
    from metasearch.review.runs import other_sources

    reasons = dict(_reason(text) for text in excluded)
    with call.open() as db:
        made = other_sources.add(call.project(db), kind, name, excluded=reasons, **rest)
    call.answer(asdict(made), ())
    call.tell(f"other source {made.id}: {made.name}")
    return Exit.OK


def _reason(text: str) -> tuple[str, int]:
    reason, equals, number = text.rpartition("=")
    if not equals or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise UsageError(
            message("--excluded {text}: no number", text=repr(text[:60])),
            advice=message("Write REASON=N: 'wrong population=3'."),
        )
    return reason.strip(), int(number)


@other.command("list", short_help="List the other ways of searching.")
@in_project
def other_list(call: Call, /) -> int:
    """List them, with their numbers; what is not known is empty, not 0."""
    from metasearch.review.runs import other_sources

    with call.open() as db:
        found = other_sources.of(call.project(db))
    call.table(
        [asdict(each) for each in found],
        ("", "kind", "name", "date", "identified", "sought", "not retrieved", "excluded"),
        [
            (
                str(each.id),
                each.kind,
                each.name[:_SHOWN],
                each.date,
                *(
                    "" if number is None else f"{number:,}"
                    for number in (each.identified, each.sought, each.not_retrieved)
                ),
                ", ".join(f"{reason} {number}" for reason, number in each.excluded.items()),
            )
            for each in found
        ],
    )
    return Exit.OK


@other.command("remove", short_help="Take one of them away.")
@click.argument("number", type=int)
@in_project
def other_remove(call: Call, /, *, number: int) -> int:
    """Take the way of searching with this NUMBER of the list away."""
    from metasearch.review.runs import other_sources

    with call.open() as db:
        other_sources.remove(call.project(db), number)
    call.answer({"removed": number}, ())
    call.tell(f"other source {number} is removed")
    return Exit.OK


@click.command("undo", cls=ExampleCommand, short_help="Undo a change.")
@click.argument("number", type=int)
@in_project
def undo(call: Call, /, *, number: int) -> int:
    """Undo the change with this NUMBER of the log, which is a change of its own: undoing that does
    it again. What a later change has touched is undone after that one.
    """
    from metasearch.review.works.undo import undo as undone

    with call.open() as db:
        line = undone(call.project(db), number)
    call.answer({"undone": number, "change": line}, ())
    call.tell(f"change {number} is undone, by change {line}")
    return Exit.OK


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write the project to one archive.",
    examples=(("metasearch project export review.zip", "everything of the project in one file"),),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--replace", is_flag=True, help="Replace FILE where it exists.")
@in_project
def export(call: Call, /, *, file: Path, replace: bool) -> int:
    """Write everything of the project to FILE: strategies, runs, records, works, decisions,
    reports, the log, and recorded pages. Exit code 3: recorded pages of a run are missing.
    """
    from metasearch.review.projects.archive_format import export_to

    with call.open() as db:
        project = call.project(db)
        made = export_to(project, file, replace=replace)
    call.answer(
        {
            "file": str(file),
            "project": project.name,
            "bytes": made.bytes,
            "rows": dict(made.rows),
            "pages": made.pages,
            "lacking": list(made.lacking),
        },
        (),
    )
    call.tell(f"{project.name} is in {file}, {quantity(made.bytes, 'byte')}")
    if made.lacking:
        runs = ", ".join(map(str, made.lacking))
        call.tell(f"the recorded pages of these runs are not where they were: {runs}", "yellow")
    return Exit.PARTIAL if made.lacking else Exit.OK


@click.command("import", cls=ExampleCommand, short_help="Read a project from an archive.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", metavar="NAME", help="Its name here; without it that in the archive.")
@in_workspace
def import_(call: Call, /, *, file: Path, name: str | None) -> int:
    """Make a project of an archive that `project export` has written, and use it from now on. The
    whole of it is imported, or nothing.
    """
    from metasearch.review import objects
    from metasearch.review.projects.archive_reader import import_project
    from metasearch.review.projects.removal import remove_hidden

    with call.open(make=True) as db:
        remove_hidden(db)
        made = import_project(db, file, name=name)
    call.use(made.project)
    call.answer(objects.archive_import(made), ())
    renamed = f", which was called {made.name}" if made.name != made.project.name else ""
    call.tell(f"project {made.project.name}{renamed} is imported; the next commands are about it")
    return Exit.OK


#: As `metasearch.review.examples.EXAMPLES`, which help need not load: kind -> name.
EXAMPLES = {"review": "gambling-harms", "novelty": "shallow-lake"}


@click.command(
    "demo",
    cls=ExampleCommand,
    short_help="Make the worked examples.",
    examples=(
        ("metasearch project demo", "both: a systematic review, and a novelty search (查新)"),
        ("metasearch project demo novelty", "the novelty search alone"),
        ("metasearch project demo review --name trial", "the review, under another name"),
    ),
)
@click.argument("kind", type=click.Choice(tuple(EXAMPLES)), required=False)
@click.option("--name", metavar="NAME", help="Name of the project; needs KIND.")
@in_workspace
def demo(call: Call, /, *, kind: str | None, name: str | None) -> int:
    """Make projects that are searched, screened and reported, to try everything on: a systematic
    review on gambling harms with an update search, and a novelty search on shallow lakes. They
    come from the simulated databases of --demo; nothing is sent. The last one is used from now on.
    """
    import asyncio

    from metasearch.review import examples, objects
    from metasearch.review.projects import projects
    from metasearch.review.projects.projects import Project
    from metasearch.review.store.workspace import Workspace

    if name is not None and kind is None:
        raise UsageError(
            message("which example is to be called {name}?", name=repr(name)),
            advice=message("Name one: {kinds}.", kinds=" or ".join(EXAMPLES)),
        )
    wanted = {name or EXAMPLES[kind]: EXAMPLES[kind]} if kind else {n: n for n in EXAMPLES.values()}

    async def installed() -> list[Project]:
        async with Workspace(call.file) as workspace:
            there = {project.name for project in await workspace.read(projects.every)}
            # Of both, those that are there already stay; one that was asked for is refused.
            lacking = [project for project in wanted if kind or project not in there] or list(
                wanted
            )
            return [
                await examples.EXAMPLES[wanted[project]](workspace, name=project)
                for project in lacking
            ]

    made = asyncio.run(installed())
    call.use(made[-1])
    with call.open() as db:
        found = [(project, projects.overview_of(project.at(db))) for project in made]
    call.answer([objects.project(project, numbers) for project, numbers in found], ())
    for project, numbers in found:
        call.tell(
            f"project {project.name} is made: {quantity(numbers.works, 'work')}, "
            f"{quantity(numbers.runs, 'run')}; its decisions are made up"
        )
    call.tell(f"the next commands are about {made[-1].name}")
    return Exit.OK


@click.command(
    "check",
    cls=ExampleCommand,
    short_help="Check the included works against databases.",
    examples=(
        ("metasearch project check", "errors and retractions, before a report is finished"),
        ("metasearch project check --show --json", "what the last check said"),
        ("metasearch project check --demo", "on simulated databases"),
    ),
)
@sources_option("Ask these sources and groups; without them those of `metasearch check`.")
@click.option(
    "--timeout", type=float, metavar="SECONDS", help="At most so long for one answer of a source."
)
@click.option("--show", is_flag=True, help="Ask nobody: show what was said before.")
@click.option("--stop", is_flag=True, help="End the check that is under way in another process.")
@cache_option
@demo_option
@in_project
def check(
    call: Call,
    /,
    *,
    sources: tuple[str, ...],
    timeout: float | None,
    show: bool,
    stop: bool,
    cache: bool,
    demo: bool,
) -> int:
    """Check all works that a report includes: whether they were retracted, and whether title,
    authors, year, venue and DOI are as databases have them. What was said of each is kept, and
    stands in the report. Ctrl-C keeps what was checked.

    Exit code 0: nothing serious; 1: something serious; 3: some could not be checked, or were not.
    """
    import asyncio

    from metasearch.engine.lookup import LookupOptions
    from metasearch.review import objects
    from metasearch.review.works import work_checks

    with call.open() as db:
        chosen = call.project(db)
        if stop:
            work_checks.stop(chosen)
            call.tell("the check is being stopped; what was checked is kept")
    if not show and not stop:
        from metasearch.review.console import check_in_project

        options = LookupOptions(
            sources=names_of(sources), timeout=timeout, cache=cache, user=chosen.uid
        )
        asyncio.run(check_in_project(call, chosen, options, demo=demo))
    with call.open() as db:
        chosen = call.project(db)
        known = work_checks.summary(chosen)
        listed = work_checks.checks_of(chosen, most=work_checks.MOST_WORKS)
    call.answer(objects.work_checks(known, listed), work_checks.text_lines(listed))
    counts = [f"{count:,} {verdict}" for verdict, count in known.verdicts.items() if count]
    works = quantity(known.included, "included work")
    call.tell(f"{', '.join([f'{known.checked:,} of {works} checked', *counts])}")
    if known.warning:
        call.tell(known.warning, "yellow")
    if known.serious:
        return Exit.NO_HITS
    return Exit.PARTIAL if known.unchecked or known.verdicts["unchecked"] else Exit.OK


#: As `metasearch.review.projects.projects.KINDS`, which help need not load.
KINDS = ("review", "novelty", "plain")
#: Lines of a log that are shown.
_LINES = 50


@click.group(
    cls=CommandGroup,
    short_help="Make, list and choose projects.",
    examples=(
        (
            'metasearch project new gambling --kind review --title "Gambling harms"',
            "make a project; the next commands are about it",
        ),
        ("metasearch project list", "all projects"),
        ("metasearch project use gambling", "go back to one"),
        ("metasearch project log", "who changed what"),
    ),
)
def project() -> None:
    """Make, list and choose projects: a systematic review, a novelty search, or neither."""


@project.command("new", short_help="Make a project.")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="plain",
    show_default=True,
    help="What it is: a systematic review, a novelty search (查新), or neither.",
)
@click.option("--title", default="", metavar="TEXT", help="For people; without it the name.")
@in_workspace
def new(call: Call, /, *, name: str, kind: Kind, title: str) -> int:
    """Make the project NAME, and use it from now on."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open(make=True) as db:
        made = projects.create(db, name, kind, title)
    call.use(made)
    call.answer(objects.project(made), ())
    call.tell(f"project {made.name} is made; the next commands are about it")
    return Exit.OK


@project.command("list", short_help="List all projects.")
@in_workspace
def list_(call: Call, /) -> int:
    """List all projects, the newest first, with their strategies, runs and works."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    if not call.file.exists():
        call.answer([], ())
        call.tell("there are no projects; `metasearch project new NAME` makes one")
        return Exit.OK
    with call.open() as db:
        found = [(each, projects.overview_of(each)) for each in projects.every(db)]
    last = call.last
    call.table(
        [objects.project(each, numbers) for each, numbers in found],
        ("", "name", "kind", "works", "undecided", "runs", "last run", "title"),
        [
            (
                "*" if each.uid == last else "",
                each.name,
                f"{each.kind}, archived" if each.archived else each.kind,
                f"{numbers.works:,}",
                f"{numbers.undecided:,}",
                f"{numbers.runs:,}",
                (numbers.last_run or "")[:10],
                each.title,
            )
            for each, numbers in found
        ],
    )
    if not found:
        call.tell("there are no projects; `metasearch project new NAME` makes one")
    return Exit.OK


@project.command("show", short_help="Show one project.")
@click.argument("name", required=False, shell_complete=complete_project)
@in_project
def show(call: Call, /, *, name: str | None) -> int:
    """Show a project: what it holds, and what its reports are told (`project questions`)."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open() as db:
        found = projects.find(db, name) if name else call.project(db)
        numbers = projects.overview_of(found)
    call.answer(
        objects.project(found, numbers) | {"details": dict(found.details)},
        (
            f"name        {found.name}{', archived' if found.archived else ''}",
            f"title       {found.title}",
            f"kind        {found.kind}",
            f"uid         {found.uid}",
            f"made        {found.created}",
            f"strategies  {numbers.strategies:,} with {quantity(numbers.steps, 'step')}",
            f"runs        {numbers.runs:,}" + (f", {numbers.last_run}" if numbers.last_run else ""),
            f"records     {numbers.records:,}",
            f"works       {numbers.works:,}, {numbers.undecided:,} undecided",
            f"reports     {numbers.reports:,} frozen",
        ),
    )
    return Exit.OK


@project.command("use", short_help="Choose the project of the next commands.")
@click.argument("name", shell_complete=complete_project)
@in_workspace
def use(call: Call, /, *, name: str) -> int:
    """Have the next commands be about the project NAME."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open() as db:
        found = projects.find(db, name)
    call.use(found)
    call.answer(objects.project(found), ())
    call.tell(f"the next commands are about {found.name}")
    return Exit.OK


@project.command("edit", short_help="Change the title of a project.")
@click.option("--title", required=True, metavar="TEXT", help="The new title.")
@in_project
def edit(call: Call, /, *, title: str) -> int:
    """Change the title. Name, kind and uid of a project stay."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open() as db:
        found = projects.update(call.project(db), title=title)
    call.answer(objects.project(found), ())
    call.tell(f"the title is now: {found.title}")
    return Exit.OK


@project.command("archive", short_help="Archive a project.")
@click.option("--restore", is_flag=True, help="Take it out again.")
@in_project
def archive(call: Call, /, *, restore: bool) -> int:
    """Archive a project: it is listed last, and nothing of it is lost."""
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open() as db:
        found = projects.update(call.project(db), archived=not restore)
    call.answer(objects.project(found), ())
    call.tell(f"{found.name} is {'archived' if found.archived else 'restored'}")
    return Exit.OK


@project.command("delete", short_help="Delete a project with all that belongs to it.")
@click.argument("name", shell_complete=complete_project)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_workspace
def delete(call: Call, /, *, name: str, yes: bool) -> int:
    """Delete the project NAME: strategies, runs, works, decisions, reports and log. Nothing brings
    it back but an archive (`project export`) or a backup of the workspace.
    """
    from metasearch.review import objects
    from metasearch.review.projects import projects

    with call.open() as db:
        found = projects.find(db, name)
        numbers = projects.overview_of(found)
        holds = f"{quantity(numbers.works, 'work')} and {quantity(numbers.runs, 'run')}"
        call.confirm(f"Delete the project {found.name} with {holds}?", yes=yes)
        projects.delete(found)
    call.forget(found)
    call.answer(objects.project(found, numbers), ())
    call.tell(f"the project {found.name} is deleted")
    return Exit.OK


@project.command("log", short_help="Show who changed what.")
@click.option(
    "-n",
    "--limit",
    "most",
    type=click.IntRange(1, 10_000),
    default=_LINES,
    show_default=True,
    metavar="N",
    help="The N newest changes.",
)
@click.option("--before", type=int, metavar="N", help="Those before the change N.")
@in_project
def log(call: Call, /, *, most: int, before: int | None) -> int:
    """Show the changes of a project, the newest first. `project undo N` undoes one."""
    from metasearch.review import objects
    from metasearch.review.projects import log as changes

    with call.open() as db:
        lines = changes.lines(db, call.project(db).id, most=most, before=before)
    call.table(
        [objects.change(each) for each in lines],
        ("change", "when", "who", "what", "of", ""),
        [
            (
                str(each.id),
                each.at,
                each.by,
                each.action,
                each.object,
                f"undoes {each.undoes}" if each.undoes else "",
            )
            for each in lines
        ],
    )
    return Exit.OK


for _command in (undo, questions, answer, other, check, export, import_, demo):
    project.add_command(_command)
