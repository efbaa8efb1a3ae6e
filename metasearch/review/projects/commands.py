"""`metasearch project questions|answer|other`: what only a person knows of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import CommandGroup, ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_project
from metasearch.errors import UsageError
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.workspace.questions.question import Question, Value

#: Bytes of a file of answers.
_LARGEST = 5_000_000
#: As `metasearch.workspace.other_sources.KINDS`, which help need not load.
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
    from metasearch.workspace import details, objects
    from metasearch.workspace.questions.table import QUESTIONS

    kinds = sorted({kind for each in QUESTIONS for kind in each.reports})
    if report is not None and report not in kinds:
        raise UsageError(
            message("no report {kind} asks anything", kind=repr(report[:40])),
            advice=message("Those that ask: {kinds}.", kinds=", ".join(kinds)),
        )
    with call.open() as db:
        asked = call.project(db)
    given = details.answers(asked)
    listed = details.questions(asked, report)
    if missing:
        wanted = [report] if report else kinds
        keys = {each.key for kind in wanted for each in details.missing(asked, kind)}
        listed = [each for each in listed if each.key in keys]
    call.answer(
        [objects.question(each, given) for each in listed],
        _in_words(listed, given),
    )
    call.tell(f"{counted(len(listed), 'question')}; `metasearch project answer KEY=VALUE` answers")
    return Exit.OK


def _in_words(listed: list[Question], given: Mapping[str, Value]) -> list[str]:
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
        lines += [f"      = {text}" for text in _shown(given.get(asked.key))]
    return [*lines, "", "* a report is a draft without the answer"] if listed else []


def _shown(value: Value | None) -> list[str]:
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
    from metasearch.workspace import details, objects

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
        asked = details.answer(db, call.project(db), values)
    call.answer(objects.project(asked) | {"details": dict(asked.details)}, ())
    call.tell(f"{counted(len(values), 'answer')} kept")
    return Exit.OK


def _of_file(file: Path) -> dict[str, object]:
    """The answers in a file: one level of tables is joined with dots. Raises UsageError: it cannot
    be read, or is no TOML or JSON.
    """
    import orjson
    import tomli

    from metasearch import opening

    data = opening.read(file, _LARGEST, pipes=True)
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
    from metasearch.workspace import other_sources

    reasons = dict(_reason(text) for text in excluded)
    with call.open() as db:
        made = other_sources.add(db, call.project(db), kind, name, excluded=reasons, **rest)
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
    from metasearch.workspace import other_sources

    with call.open() as db:
        found = other_sources.of(db, call.project(db))
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
    from metasearch.workspace import other_sources

    with call.open() as db:
        other_sources.remove(db, call.project(db), number)
    call.answer({"removed": number}, ())
    call.tell(f"other source {number} is removed")
    return Exit.OK


# --------------------------------------------------------------------------- undo


@click.command("undo", cls=ExampleCommand, short_help="Undo a change.")
@click.argument("number", type=int)
@in_project
def undo(call: Call, /, *, number: int) -> int:
    """Undo the change with this NUMBER of the log, which is a change of its own: undoing that does
    it again. What a later change has touched is undone after that one.
    """
    from metasearch.workspace.works.undo import undo as undone

    with call.open() as db:
        line = undone(db, call.project(db), number)
    call.answer({"undone": number, "change": line}, ())
    call.tell(f"change {number} is undone, by change {line}")
    return Exit.OK
