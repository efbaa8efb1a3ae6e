"""`metasearch workspace`: the file of the workspace itself."""

from __future__ import annotations

from pathlib import Path

import click

from metasearch.cli.command_group import CommandGroup
from metasearch.cli.terminal.console import Exit, counted
from metasearch.review.commands import Call, in_workspace


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
    from metasearch.review.commands import remembered
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
        last = next((each for each in every if each.uid == remembered(file)), None)
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
    call.tell(f"{counted(made.projects, 'project')} in {made.file}, {counted(made.bytes, 'byte')}")
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
        for what in removal.remove_remains(db).told() if repair else ():
            call.tell(f"repaired: {what}")
        problems = problems_of(db)
    call.answer(
        [{"what": each.what, "advice": each.advice, "harmful": each.harmful} for each in problems],
        (f"{each.what}\n  {each.advice}" for each in problems),
    )
    if not problems:
        call.tell(f"{call.file} is whole")
    return Exit.PARTIAL if any(each.harmful for each in problems) else Exit.OK
