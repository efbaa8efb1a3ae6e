"""What the commands of this wing share: the file, the project, the answer, and options. All
commands import the workspace when they run, not before.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from metasearch import regular_files
from metasearch.cli.command_group import CommandGroup
from metasearch.cli.options import common, complete_source, demo_options
from metasearch.cli.output import Console, Exit, Sink, columns, quantity
from metasearch.engine.options import OPTIONS
from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.review.projects.projects import Project, ProjectRow
    from metasearch.review.store.database import Database
    from metasearch.review.strategies.strategies import Strategy
    from metasearch.review.works.lists import WorksQuery
    from metasearch.settings import Settings


#: Bytes of the file.
_MOST = 200
_UID = re.compile(r"[a-z0-9]{1,40}")


# What adds options to a command.
Adder = Callable[[Any], Any]


@dataclass(frozen=True)
class Call:
    """The options that all commands have, and what they need of them.

    Attributes:
        json: Whether the answer is one JSON document.
        config: The configuration file, or None.
        workspace: The value of `--workspace`, or None.
        named: The value of `--project`, or None.
        demo_catalogue: The value of `--demo-catalogue`, or None.
    """

    console: Console
    json: bool
    config: Path | None
    workspace: Path | None
    named: str | None = None
    demo_catalogue: Path | None = None

    @cached_property
    def settings(self) -> Settings:
        """The configuration. Raises SettingsError: it cannot be used."""
        from metasearch.settings import Settings

        return Settings.load(self.config, os.environ).with_demo(self.demo_catalogue)

    @cached_property
    def file(self) -> Path:
        """The workspace's file: as named, of the variable, of the configuration, or usual."""
        file = self.workspace or self.settings.workspace
        assert file is not None
        return file

    @contextmanager
    def open(self, *, make: bool = False) -> Iterator[Database]:
        """The file, open while the block runs; runs whose processes are gone are marked so. `make`:
        whether it is made where it does not exist. Raises UsageError: it does not exist.
        """
        from metasearch.review.runs import runs
        from metasearch.review.store.database import Database

        self.exists(make=make)
        with Database(self.file) as db:
            runs.look(db)
            yield db

    def exists(self, *, make: bool = False) -> None:
        """Check that the file is there. Raises UsageError: it is not, and `make` is false."""
        if not make and not self.file.exists():
            raise UsageError(
                message("there is no workspace at {file}", file=self.file),
                advice=message("`metasearch project new NAME` makes one."),
            )

    def project(self, db: Database) -> Project:
        """The project that is named, else the one that was used last, else the only one. Raises
        UsageError: there is no such project, or none is named of several.
        """
        from metasearch.review.projects import projects

        if self.named is not None:
            found = projects.find(db, self.named)
            self.use(found)
            return found
        every = projects.every(db)
        last = self.last
        chosen = next((project for project in every if project.uid == last), None)
        if chosen is None and len(every) == 1:
            chosen = every[0]
        if chosen is None:
            raise UsageError(
                message("which project?"),
                advice=message(
                    "Name one with --project NAME, or once with `metasearch project use NAME`: "
                    "{names}.",
                    names=", ".join(project.name for project in every[:5]),
                )
                if every
                else message("There is none yet: `metasearch project new NAME` makes one."),
            )
        self.tell(f"project {chosen.name}")
        return chosen

    @property
    def _last(self) -> Path:
        """The file beside the workspace that holds the uid of the project that was used last."""
        return self.file.with_name(f"{self.file.name}.project")

    @property
    def last(self) -> str | None:
        """The uid of the project that was used last; None where none is remembered."""
        try:
            text = regular_files.read(self._last, _MOST).decode("utf-8", "replace").strip()
        except OSError:
            return None
        return text if _UID.fullmatch(text) else None

    def use(self, project: ProjectRow) -> None:
        """Remember a project for the next commands. A folder that cannot be written costs the
        memory only.
        """
        if self.last == project.uid:
            return
        draft = self._last.with_name(f".{self._last.name}.{os.getpid()}.part")
        with suppress(OSError):
            draft.write_text(f"{project.uid}\n", encoding="ascii")
            draft.replace(self._last)

    def forget(self, project: ProjectRow) -> None:
        if self.last == project.uid:
            with suppress(OSError):
                self._last.unlink()

    # ---------------------------------------------------------------- what is written

    def tell(self, text: str, style: str = "") -> None:
        """Write a line to stderr, unless `--quiet` is given."""
        if not self.console.quiet:
            self.console.say(text, style)

    def answer(self, value: Any, lines: Iterable[str]) -> None:
        """Write the answer to stdout: with `--json` the value, else the lines."""
        from metasearch.formats.text import clean

        with Sink() as sink:
            if self.json:
                sink.write_json(value)
            else:
                text = "".join(f"{clean(line)}\n" for line in lines)
                sink.write(text.encode("utf-8", "replace"))

    def table(self, value: Any, heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        """Write a table, or with `--json` the value; nothing where there are no rows."""
        self.answer(value, columns([heads, *rows]) if rows else ())

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask, unless `yes`. Raises UsageError: no terminal; click.Abort: the answer is no."""
        if yes:
            return
        if not sys.stdin.isatty():
            raise UsageError(
                message("there is no terminal to confirm this"), advice=message("Add --yes.")
            )
        click.confirm(question, abort=True, err=True)


#: Numbers that a list such as "1,3-5" may name, and digits of one.
_MOST_NUMBERS, _MOST_DIGITS = 500, 6


def in_workspace(command: Callable[..., int]) -> Any:
    """Add the options of every command; the function gets a `Call` first."""
    return _with_call(command, project=False)


def in_project(command: Callable[..., int]) -> Any:
    """The same, and `--project`."""
    return _with_call(command, project=True)


def _with_call(command: Callable[..., int], *, project: bool) -> Any:
    @wraps(command)
    def run(
        console: Console,
        /,
        *,
        workspace: Path | None,
        config: Path | None,
        as_json: bool,
        project: str | None = None,
        demo_catalogue: Path | None = None,
        **rest: Any,
    ) -> int:
        call = Call(console, as_json, config, workspace, project, demo_catalogue)
        return int(command(call, **rest))

    decorated: Any = click.pass_obj(run)
    decorators: tuple[Any, ...] = (
        click.option("--json", "as_json", is_flag=True, help="Write one JSON document."),
        click.option(
            "--workspace",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="The workspace, instead of $METASEARCH_WORKSPACE or the one of the configuration.",
        ),
    )
    if project:
        decorators = (
            click.option(
                "--project",
                metavar="NAME",
                shell_complete=complete_project,
                help="The project; without it the one that was used last.",
            ),
            *decorators,
        )
    decorated = common(decorated)
    for decorate in reversed(decorators):
        decorated = decorate(decorated)
    return decorated


def complete_project(
    ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from metasearch.review.projects import projects

    return completions(
        ctx, incomplete, lambda db: ((each.name, each.title) for each in projects.every(db))
    )


def completions(
    ctx: click.Context, incomplete: str, listed: Callable[[Database], Iterable[tuple[str, str]]]
) -> list[CompletionItem]:
    """The names in the workspace that begin so, each with what it is; none where it has no file."""
    call = Call(Console(quiet=True), False, ctx.params.get("config"), ctx.params.get("workspace"))
    try:
        with call.open() as db:
            return [
                CompletionItem(name, help=about)
                for name, about in listed(db)
                if name.startswith(incomplete)
            ]
    except MetasearchError:
        return []


def numbers(
    _ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """The numbers of "1,3-5", each once and in this order; None without the option."""
    if value is None:
        return None
    found: dict[int, None] = {}
    for part in value.split(","):
        first, dash, last = (piece.strip().removeprefix("#") for piece in part.partition("-"))
        ends = [first, last] if dash else [first, first]
        if not all(
            end.isascii() and end.isdigit() and len(end) <= _MOST_DIGITS for end in ends
        ) or int(ends[0]) > int(ends[1]):
            raise UsageError(
                message(
                    "{option}: {part} is no number", option=param.opts[0], part=repr(part[:40])
                ),
                advice=message("Write numbers and ranges: 1,3-5."),
            )
        if len(found) + int(ends[1]) - int(ends[0]) >= _MOST_NUMBERS:
            raise UsageError(
                message(
                    "{option} names more than {most} numbers",
                    option=param.opts[0],
                    most=_MOST_NUMBERS,
                )
            )
        found |= dict.fromkeys(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(found)


def strategy_option(command: Any) -> Any:
    return click.option(
        "--strategy",
        "name",
        metavar="NAME",
        help="The search strategy; without it the newest one of the project.",
    )(command)


def syntax_option(command: Any) -> Any:
    return click.option(
        "--syntax",
        type=click.Choice(OPTIONS["syntax"].choices),
        help="What the step is written in; auto, the default, recognises it.",
    )(command)


def names_of(sources: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names in `--sources`; None without the option."""
    named = [name.strip() for value in sources for name in value.split(",")]
    return tuple(dict.fromkeys(filter(None, named))) or None


def output_option(about: str = "Write to FILE, not to standard output.") -> Adder:
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=about,
    )


def sources_option(about: str) -> Adder:
    return click.option(
        "-s",
        "--sources",
        multiple=True,
        metavar="NAME,...",
        shell_complete=complete_source,
        help=about,
    )


#: Add what all commands have that ask sources.
demo_option = demo_options("Ask simulated databases on this machine; nothing is sent.")
cache_option = click.option(
    "--no-cache",
    "cache",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Ask the sources even for what is in the cache.",
)


def find_strategy(call: Call, db: Database, name: str | None) -> tuple[Project, Strategy]:
    """The project and the strategy that a command is about. Raises UsageError: there is none."""
    from metasearch.review.strategies import strategies

    project = call.project(db)
    return project, strategies.find(project, name)


# The options by which the works of a project are chosen, for all commands about several works.

#: As in `metasearch.review.works`, which help need not load.
STANDINGS = (
    "undecided",
    "decided",
    "relevant",
    "maybe",
    "close",
    "excluded",
    "unavailable",
    "conflict",
)
STAGES = ("title", "fulltext")
SORTS = ("added", "title", "author", "year", "citations", "relevance")
#: Works that a list shows, where no number is given.
PAGE = 20
#: Bytes of ids on standard input.
_LARGEST = 20_000_000


def _split_names(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    return names_of(values) or ()


def stage_option(about: str = "By title and abstract, or by the whole text.") -> Adder:
    return click.option(
        "--stage", type=click.Choice(STAGES), default="title", show_default=True, help=about
    )


def part_options(most: int) -> Adder:
    """Adds `--limit`, up to a number of works, and `--start`."""

    def decorate(command: Any) -> Any:
        command = click.option(
            "--start", type=click.IntRange(0), default=0, metavar="N", help="Skip N works."
        )(command)
        return click.option(
            "-n",
            "--limit",
            "count",
            type=click.IntRange(0, most),
            default=PAGE,
            show_default=True,
            metavar="N",
            help="At most N works.",
        )(command)

    return decorate


def works_filters(command: Any) -> Any:
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
        stage_option(),
        click.option(
            "--tag", "tags", multiple=True, metavar="TEXT", help="With this tag. May be repeated."
        ),
        click.option(
            "--source",
            "sources",
            multiple=True,
            callback=_split_names,
            metavar="NAME,...",
            help="Found in one of these sources.",
        ),
        click.option(
            "--step",
            "steps",
            multiple=True,
            callback=_split_names,
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
            callback=_split_names,
            metavar="NAME,...",
            help="Of one of these types: article, preprint ...",
        ),
        click.option(
            "--language", "languages", multiple=True, callback=_split_names, metavar="CODE,...",
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
    from metasearch.review.works.lists import WorksQuery

    names = [field.name for field in fields(WorksQuery) if field.name in options]
    given = {name: options.pop(name) for name in names}
    return WorksQuery(**{name: value for name, value in given.items() if value is not None})


def is_narrow(query: WorksQuery) -> bool:
    """Whether the query leaves works out."""
    from metasearch.review.works.lists import WorksQuery

    return replace(query, sort="added", stage="title") != WorksQuery()


def works_choice(command: Any) -> Any:
    """Add `ID...` and `--all-matching` with the options that choose works."""
    command = works_filters(command)
    command = click.option(
        "--all-matching",
        is_flag=True,
        help="All works that the other options choose, in place of IDs.",
    )(command)
    return click.argument("ids", nargs=-1, metavar="[ID]...")(command)


def uids_of(project: Project, ids: tuple[str, ...], options: dict[str, Any]) -> list[str]:
    """The works that a command is about. `ids`: any names of works; "-" reads them from standard
    input. Raises UsageError: None is named, or both ways are used.
    """
    from metasearch.review.works import lists

    every = options.pop("all_matching")
    query = query_of(options)
    if every:
        if ids:
            raise UsageError(
                message("--all-matching names works, and so do IDs"),
                advice=message("Use one of them."),
            )
        return lists.uids(project, query)
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


@click.group(
    cls=CommandGroup,
    short_help="Show, copy and check the file of all projects.",
    examples=(
        ("metasearch workspace where", "the file, and whether it exists"),
        ("metasearch workspace backup workspace-backup.sqlite3", "copy it while it is in use"),
        ("metasearch workspace check", "whether it is whole"),
        ("metasearch workspace check --repair", "remove what belongs to no project, too"),
    ),
)
def workspace() -> None:
    """Show, copy and check the file that holds all projects."""


@workspace.command("where", short_help="Show which file it is.")
@in_workspace
def where(call: Call, /) -> int:
    """Show the file of the workspace, its size, and the project that was used last."""
    from metasearch.review.projects import projects

    file = call.file
    value: dict[str, object] = {
        "file": str(file),
        "exists": file.exists(),
        "bytes": None,
        "projects": None,
        "project": None,
    }
    lines = [f"file      {file}"]
    if file.exists():
        with call.open() as db:
            every = projects.every(db)
        last = next((each for each in every if each.uid == call.last), None)
        value |= {
            "bytes": file.stat().st_size,
            "projects": len(every),
            "project": last.name if last else None,
        }
        lines += [f"bytes     {value['bytes']:,}", f"projects  {len(every)}"]
        lines += [f"in use    {last.name}"] if last else []
    else:
        lines.append("it does not exist yet: `metasearch project new NAME` makes it")
    call.answer(value, lines)
    return Exit.OK


@workspace.command("backup", short_help="Copy the workspace to a new file.")
@click.argument("file", type=click.Path(path_type=Path))
@in_workspace
def backup(call: Call, /, *, file: Path) -> int:
    """Copy the workspace as it is now to the new FILE, also while others write to it. The copy is
    a workspace of its own: `--workspace FILE` uses it.
    """
    from metasearch.review.store.checks import backup as copied

    with call.open() as db:
        made = copied(db, file)
    call.answer({"file": str(made.file), "bytes": made.bytes, "projects": made.projects}, ())
    call.tell(
        f"{quantity(made.projects, 'project')} in {made.file}, {quantity(made.bytes, 'byte')}"
    )
    return Exit.OK


@workspace.command("check", short_help="Check whether the workspace is whole.")
@click.option(
    "--repair",
    is_flag=True,
    help="Remove what belongs to no project: remains of imports and deletions that were killed.",
)
@in_workspace
def check(call: Call, /, *, repair: bool) -> int:
    """Read the whole file, and tell what is damaged or in danger. Exit code 3: something is
    damaged.
    """
    from metasearch.review.projects import removal
    from metasearch.review.store.checks import check as problems_of

    with call.open() as db:
        for what in removal.remove_remains(db).messages() if repair else ():
            call.tell(f"repaired: {what}")
        problems = problems_of(db)
    call.answer(
        [{"what": each.what, "advice": each.advice, "harmful": each.harmful} for each in problems],
        (f"{each.what}\n  {each.advice}" for each in problems),
    )
    if not problems:
        call.tell(f"{call.file} is whole")
    return Exit.PARTIAL if any(each.harmful for each in problems) else Exit.OK
