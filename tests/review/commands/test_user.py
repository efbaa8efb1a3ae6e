"""`metasearch user`: accounts are made, shown, changed, exported and deleted by command line."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.users import (
    accounts,
    audit,
    commands,
    links,
    passwords,
    permissions_and_quotas,
    tokens,
)
from metasearch.review.users.passwords import Passwords
from tests.cli.conftest import Run
from tests.review.commands.conftest import Json

GOOD = "correct horse battery"
CHEAP = partial(Passwords, time_cost=1, memory_kib=8, parallelism=1)


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes cost next to nothing."""
    monkeypatch.setattr(passwords, "Passwords", CHEAP)


def verified(file: Path, name: str, text: str) -> bool:
    """Whether a password is the one of a user."""
    with Database(file) as db:
        return CHEAP().verify(accounts.password_hash(db, accounts.find(db, name)), text)[0]


def test_the_first_administrator_is_made_with_the_workspace(
    run: Run, answered: Json, file: Path
) -> None:
    """The password comes on standard input; what is told of the user has no part of it."""
    done = run("user", "add", "Anna", "--administrator", "--stdin", stdin=f"{GOOD}\n".encode())

    assert done.code == 0, done.err
    assert done.err == "anna is made, as administrator\n"
    (made,) = answered("user", "list")
    assert (made["name"], made["role"], made["has_password"]) == ("anna", "administrator", True)
    assert "argon2" not in json.dumps(answered("user", "show", "anna"))
    assert verified(file, "anna", GOOD)
    assert not verified(file, "anna", f"{GOOD}\n")


def test_a_password_is_never_an_argument(run: Run, file: Path) -> None:
    """There is no option for it; without a terminal the ways are named."""
    assert run("user", "add", "anna", "--password", GOOD).code == 2
    asked = run("user", "add", "anna")

    assert asked.code == 2
    assert "--stdin" in asked.err
    assert "--link" in asked.err
    with Database(file) as db:
        assert accounts.every(db) == []


@pytest.mark.parametrize("text", ["short", "anna@example.org", ""])
def test_a_password_that_cannot_be_taken_makes_no_account(run: Run, file: Path, text: str) -> None:
    """It is too short, or what others know of the user."""
    args = ("user", "add", "anna", "--email", "anna@example.org", "--stdin")
    done = run(*args, stdin=text.encode())

    assert done.code == 2
    assert text == "" or text not in done.err
    with Database(file) as db:
        assert accounts.every(db) == []


def test_a_name_that_is_taken_or_none_is_told_before_a_password_is_asked_for(run: Run) -> None:
    """Nobody types one for nothing."""
    run("user", "add", "anna", "--link")

    assert "already" in run("user", "add", "ANNA", "--stdin").err
    assert "cannot be the name" in run("user", "add", "a\tb", "--stdin").err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_password_is_typed_twice_and_not_shown(file: Path, tmp_path: Path) -> None:
    """On a terminal; it is the one that is kept."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "metasearch", "user", "add", "anna"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    seen = b""
    try:
        for asked in (b"Password: ", b"confirmation: "):
            while asked not in seen:
                seen += os.read(ours, 1024)
            os.write(ours, f"{GOOD}\n".encode())
        while b"is made" not in seen:
            seen += os.read(ours, 1024)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)

    assert GOOD.encode() not in seen
    with Database(file) as db:
        kept = accounts.password_hash(db, accounts.find(db, "anna"))
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$"), "64 MiB, three passes"
    assert CHEAP().verify(kept, GOOD)[0]


def test_a_link_sets_a_password(
    run: Run, answered: Json, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written as an address of the server, or as a path where none is configured."""
    first = run("user", "add", "anna", "--link")
    monkeypatch.setenv("METASEARCH_PUBLIC_URL", "https://search.example.org/meta/")
    second = answered("user", "password", "anna", "--link")["link"]

    path = first.out.strip()
    assert path.startswith(links.PATHS["password"])
    assert "public_url" in first.err
    assert second.startswith("https://search.example.org/meta/password/")
    with Database(file) as db:
        assert links.peek(db, path.rpartition("/")[2]) is None, "the second one ends the first"
        link = links.peek(db, second.rpartition("/")[2], "password")
        assert link is not None
        assert link.user == accounts.find(db, "anna")


def test_a_password_is_set_anew(run: Run, file: Path) -> None:
    """The old one is none any more."""
    run("user", "add", "anna", "--stdin", stdin=GOOD.encode())

    assert run("user", "password", "anna", "--stdin", stdin=b"another good one").code == 0
    assert verified(file, "anna", "another good one")
    assert not verified(file, "anna", GOOD)


def test_roles_on_the_server_and_in_a_project(run: Run, answered: Json) -> None:
    """A role is one of its place, and the last administrator keeps theirs."""
    run("project", "new", "lakes")
    run("user", "add", "root", "--administrator", "--link")
    run("user", "add", "ben", "--link")

    assert run("user", "role", "ben", "owner", "--project", "lakes").code == 0
    assert answered("user", "show", "ben")["projects"] == {"lakes": "owner"}
    assert run("user", "role", "ben", "owner").code == 2
    assert run("user", "role", "ben", "guest", "--project", "lakes").code == 2
    assert run("user", "role", "ben", "none", "--project", "lakes").code == 2, "the last owner"
    assert "last administrator" in run("user", "role", "root", "user").err
    assert run("user", "role", "ben", "administrator").code == 0
    assert answered("user", "role", "root", "user")["role"] == "user"


def test_the_roles_of_the_help_are_those_that_there_are() -> None:
    """They stand there because help loads no workspace."""
    assert commands.SYSTEM_ROLES == permissions_and_quotas.SYSTEM_ROLES
    assert commands.PROJECT_ROLES == permissions_and_quotas.PROJECT_ROLES


def test_a_user_is_kept_out_and_let_in(run: Run, answered: Json) -> None:
    """The list tells it."""
    run("user", "add", "ben", "--link")
    run("user", "disable", "ben")
    listed = run("user", "list").out
    shown = answered("user", "show", "ben")
    run("user", "enable", "ben")

    assert "disabled" in listed
    assert shown["disabled"]
    assert not answered("user", "show", "ben")["disabled"]


def test_an_invitation(run: Run, answered: Json, file: Path) -> None:
    """To the server or to a project, with a role of it."""
    run("project", "new", "lakes")
    server = answered("user", "link", "--role", "guest")
    project = answered("user", "link", "--project", "lakes")

    with Database(file) as db:
        made = links.peek(db, server["link"].rpartition("/")[2], "account")
        joins = links.peek(db, project["link"].rpartition("/")[2], "member")
        assert made is not None
        assert joins is not None
        assert (made.role, joins.role) == ("guest", "reader")
        assert joins.project == projects.find(db, "lakes")
    assert run("user", "link", "--role", "owner").code == 2


def test_a_token_is_written_once_and_revoked(run: Run, answered: Json, file: Path) -> None:
    """Its text is on standard output alone."""
    run("user", "add", "anna", "--link")
    made = run("user", "token", "anna", "--name", "nightly", "--scope", "search", "--days", "7")
    text = made.out.strip()
    (shown,) = answered("user", "show", "anna")["tokens"]

    assert text.startswith("ms_")
    assert text not in made.err
    assert (shown["name"], shown["scopes"]) == ("nightly", ["search"])
    with Database(file) as db:
        assert tokens.find(db, text) is not None
    assert run("user", "token", "anna", "--revoke", str(shown["id"])).code == 0
    with Database(file) as db:
        assert tokens.find(db, text) is None
    assert run("user", "token", "anna", "--revoke", str(shown["id"])).code == 2
    assert run("user", "token", "anna").code == 2
    assert run("user", "token", "anna", "--name", "x").code == 2, "a token has scopes"


def test_what_the_workspace_has_of_a_user_is_written_to_a_new_file(
    run: Run, file: Path, tmp_path: Path
) -> None:
    """Only its owner reads it; a file that is there stays."""
    run("user", "add", "anna", "--link")
    target = tmp_path / "anna.json"

    assert run("user", "export", "anna", str(target)).code == 0
    assert json.loads(target.read_bytes())["account"]["name"] == "anna"
    if sys.platform != "win32":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = target.read_bytes()
    assert run("user", "export", "anna", str(target)).code == 2
    assert target.read_bytes() == before
    with Database(file) as db:
        assert [line.action for line in audit.lines(db)][:1] == ["export"]


def test_a_user_is_deleted(run: Run, answered: Json, file: Path) -> None:
    """Projects that nobody else owns are handed on or deleted first; it asks before."""
    for name in ("root", "ben", "cleo"):
        run("user", "add", name, "--link", *(["--administrator"] if name == "root" else []))
    for name in ("lakes", "rivers"):
        run("project", "new", name)
        run("user", "role", "ben", "owner", "--project", name)
    run("user", "role", "cleo", "owner", "--project", "rivers")

    assert run("user", "delete", "ben").code == 2, "there is no terminal to confirm it"
    refused = run("user", "delete", "ben", "--yes")
    assert refused.code == 2
    assert "lakes" in refused.err
    assert "rivers" not in refused.err
    done = run("user", "delete", "ben", "--yes", "--hand-to", "cleo")
    assert done.code == 0, done.err
    assert answered("user", "show", "cleo")["projects"] == {"rivers": "owner", "lakes": "owner"}
    assert answered("user", "delete", "cleo", "--yes", "--with-projects")["projects"] == [
        "lakes",
        "rivers",
    ]
    assert answered("project", "list") == []
    assert [user["name"] for user in answered("user", "list")] == ["root"]


def test_without_a_workspace_nothing_is_made(run: Run, file: Path) -> None:
    """But by `user add`."""
    for args in (("list",), ("show", "anna"), ("link",), ("disable", "anna")):
        assert run("user", *args).code == 2
    assert not file.exists()
    assert run("user", "add", "-x").code == 2
    assert not file.exists()


def test_names_are_completed(run: Run, file: Path) -> None:
    """The shell is offered users."""
    from click.shell_completion import BashComplete

    from metasearch.cli.root import root

    run("user", "add", "anna", "--link")
    complete = BashComplete(root, {}, "metasearch", "_METASEARCH_COMPLETE")

    assert "anna" in [item.value for item in complete.get_completions(["user", "show"], "an")]
