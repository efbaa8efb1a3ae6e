"""`metasearch user export|delete`: what the workspace has of a user."""

from __future__ import annotations

import os
from pathlib import Path

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.terminal.console import counted
from metasearch.cli.terminal.exits import Exit
from metasearch.cli.workspace.call import Call
from metasearch.cli.workspace.options import in_workspace
from metasearch.cli.workspace.user_options import complete_user
from metasearch.errors import UsageError
from metasearch.message import message

#: What is written of a person is read by the owner of the file alone.
_OWNER_ONLY = 0o600


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write what the workspace has of a user.",
    examples=(("metasearch user export anna anna.json", "for a person who asks for it"),),
)
@click.argument("name", shell_complete=complete_user)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@in_workspace
def export(call: Call, /, *, name: str, file: Path) -> int:
    """Write what the workspace has of the user NAME to the new FILE, as JSON: the account,
    sessions, tokens, projects, saved searches, votes and lines of logs. There are no secrets in it.
    """
    from metasearch import opening
    from metasearch.workspace.users import accounts, audit, own_data

    with call.open() as db:
        found = accounts.find(db, name)
        try:
            target = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
            try:
                with os.fdopen(target, "wb") as opened:
                    own_data.export(db, found, opened)
            except BaseException:
                file.unlink()
                raise
        except OSError as exc:
            raise UsageError(
                message("{file} cannot be written: {reason}", file=file, reason=opening.why(exc)),
                advice=message("Name a file that does not exist yet, in a folder that does."),
            ) from exc
        audit.write(db, "", "export", f"user:{found.uid}")
    size = file.stat().st_size
    call.answer({"file": str(file), "bytes": size}, ())
    call.tell(f"{found.name} is in {file}, {counted(size, 'byte')}")
    return Exit.OK


@click.command(
    "delete",
    cls=ExampleCommand,
    short_help="Delete an account.",
    examples=(("metasearch user delete ben --hand-to anna", "Anna owns the projects of Ben then"),),
)
@click.argument("name", shell_complete=complete_user)
@click.option(
    "--hand-to",
    metavar="NAME",
    shell_complete=complete_user,
    help="Who owns the projects then that nobody else owns.",
)
@click.option("--with-projects", is_flag=True, help="Delete those projects, too.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@in_workspace
def delete(call: Call, /, *, name: str, hand_to: str | None, with_projects: bool, yes: bool) -> int:
    """Delete the account NAME with its sessions, tokens and saved searches. What the user did in
    projects stays there, as of a former user. Projects that nobody else owns are named: hand them
    on, or delete them, too.
    """
    from metasearch.workspace.users import accounts, own_data

    if hand_to is not None and with_projects:
        raise UsageError(message("--hand-to and --with-projects exclude one another"))
    with call.open() as db:
        found = accounts.find(db, name)
        heir = None if hand_to is None else accounts.find(db, hand_to)
        call.confirmed(f"Delete the account {found.name}?", yes=yes)
        moved = own_data.delete(db, found, hand_to=heir, with_projects=with_projects)
    for project in moved if with_projects else ():
        call.gone(project)
    call.answer({"uid": found.uid, "projects": [project.name for project in moved]}, ())
    call.tell(f"the account {found.name} is deleted")
    if moved:
        names = ", ".join(project.name for project in moved)
        call.tell(f"{'deleted' if with_projects else f'handed to {hand_to}'}: {names}")
    return Exit.OK
