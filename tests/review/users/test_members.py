"""Members of projects, and the links by which people come."""

from __future__ import annotations

from pathlib import Path

import pytest

from metasearch.errors import UsageError
from metasearch.review.projects import members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.database import Database
from metasearch.review.store.values import later
from metasearch.review.users import accounts, audit, links
from metasearch.review.users.links import LinkKind
from metasearch.review.users.permissions_and_quotas import ProjectRole
from tests.review.store.processes import started
from tests.review.users.conftest import People


def test_what_a_user_is_in_a_project(db: Database, people: People, lakes: Project) -> None:
    """Who is no member is nothing in it, administrators too."""
    members.add(lakes, people.ben, "reader")

    assert members.role(lakes, people.anna.uid) == "owner"
    assert members.role(lakes, people.ben.uid) == "reader"
    assert members.role(lakes, people.root.uid) is None
    assert [(each.name, each.shown, each.role) for each in members.of(lakes)] == [
        ("anna", "Anna Berg", "owner"),
        ("ben", "ben", "reader"),
    ]
    assert members.projects_of(db, people.ben.uid) == {lakes.id: "reader"}
    assert members.projects_of(db, people.root.uid) == {}


def test_a_project_of_others_is_as_one_that_is_not_there(
    db: Database, people: People, lakes: Project
) -> None:
    """Its name and its uid find it for members alone."""
    for name in ("lakes", lakes.uid):
        assert members.project_of(db, name, people.anna.uid) == (lakes, "owner")
        assert members.project_of(db, name, people.ben.uid) is None
        assert members.project_of(db, name, "") is None
    assert members.project_of(db, "rivers", people.anna.uid) is None


def test_no_project_takes_the_address_of_another_one(
    db: Database, people: People, lakes: Project
) -> None:
    """A name that is the uid of a project is refused."""
    with pytest.raises(UsageError, match="already"):
        projects.create(db, lakes.uid, "plain")


def test_to_add_a_member_again_changes_nothing(
    db: Database, people: People, lakes: Project
) -> None:
    """An invitation makes nobody less than they are."""
    members.add(lakes, people.anna, "reader")

    assert members.role(lakes, people.anna.uid) == "owner"


@pytest.mark.parametrize("role", ["editor", "screener", "reader"])
def test_the_last_owner_stays(
    db: Database, people: People, lakes: Project, role: ProjectRole
) -> None:
    """Until another one may log in."""
    members.add(lakes, people.ben, "owner")
    accounts.set_disabled(db, people.ben, True)
    with pytest.raises(UsageError, match="last owner"):
        members.set_role(lakes, people.anna, role)
    with pytest.raises(UsageError, match="last owner"):
        members.remove(lakes, people.anna)

    accounts.set_disabled(db, people.ben, False)
    members.set_role(lakes, people.anna, role)
    with pytest.raises(UsageError, match="last owner"):
        members.remove(lakes, people.ben)
    assert members.remove(lakes, people.anna)
    assert not members.remove(lakes, people.anna)


def test_a_guest_is_a_member_of_nothing(db: Database, people: People, lakes: Project) -> None:
    """Nobody can make one a member."""
    guest = accounts.create(db, "guest", role="guest")

    for change in (members.add, members.set_role):
        with pytest.raises(UsageError, match="guest"):
            change(lakes, guest, "reader")


def test_who_is_a_guest_or_gone_since_becomes_no_member(
    db: Database, people: People, lakes: Project
) -> None:
    """What counts is the account as it is now."""
    accounts.update(db, people.ben, role="guest")
    with pytest.raises(UsageError, match="guest"):
        members.add(lakes, people.ben, "reader")

    accounts.remove(db, people.ben)
    with pytest.raises(UsageError, match="gone"):
        members.add(lakes, people.ben, "reader")


def test_roles_that_do_not_exist(db: Database, people: People, lakes: Project) -> None:
    """Are refused, also those of the server."""
    for change in (members.add, members.set_role):
        with pytest.raises(UsageError, match="no role"):
            change(lakes, people.ben, "administrator")  # type: ignore[arg-type]


def test_a_project_has_so_many_members_at_most(
    db: Database, people: People, lakes: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A further one is refused."""
    monkeypatch.setattr(members, "MOST_MEMBERS", 1)

    with pytest.raises(UsageError, match="at most 1"):
        members.add(lakes, people.ben, "reader")


def test_the_audit_log_tells_of_members(db: Database, people: People, lakes: Project) -> None:
    """Who made whom what; what changes nothing is not told."""
    for _ in range(2):
        members.set_role(lakes.as_user(people.anna.uid), people.ben, "editor", client="c")
    (line, _) = audit.lines(db, object=f"project:{lakes.uid}")

    assert (line.actor, line.client) == (people.anna.uid, "c")
    assert dict(line.detail) == {"user": people.ben.uid, "before": None, "after": "editor"}


# --------------------------------------------------------------------------- links


def test_a_link_is_used_once(db: Database, people: People, lakes: Project) -> None:
    """It can be looked at before; it says what it is for."""
    secret = links.create(db, "member", project=lakes, role="screener", by=people.anna.uid)

    for _ in range(2):
        link = links.peek(db, secret, "member")
        assert link is not None
        assert (link.kind, link.project, link.role) == ("member", lakes, "screener")
    assert links.use(db, secret, "member") == link
    assert links.use(db, secret, "member") is None
    assert links.peek(db, secret) is None


def test_a_link_is_of_its_kind_alone(db: Database, people: People) -> None:
    """One to make an account sets no password, and is not used up where it was tried."""
    secret = links.create(db, "account", role="user")

    assert links.use(db, secret, "password") is None
    assert links.use(db, secret, "member") is None
    assert links.use(db, "guessed", "account") is None
    assert links.use(db, secret, "account", "member") is not None


@pytest.mark.parametrize(
    ("kind", "hours"), [("password", 1), ("account", 7 * 24), ("member", 7 * 24)]
)
def test_when_a_link_ends(
    db: Database, people: People, lakes: Project, kind: LinkKind, hours: int
) -> None:
    """An hour for a password, a week for an invitation."""
    facts: dict[LinkKind, dict[str, object]] = {
        "password": {"user": people.anna},
        "account": {"role": "user"},
        "member": {"project": lakes, "role": "reader"},
    }
    secret = links.create(db, kind, **facts[kind])  # type: ignore[arg-type]
    link = links.peek(db, secret)
    assert link is not None
    assert later(hours * 3600 - 60) < link.expires <= later(hours * 3600)

    db.run("UPDATE link SET expires = ?", later(-1))
    assert links.use(db, secret) is None


def test_what_fails_does_not_use_a_link_up(db: Database, people: People) -> None:
    """It is used in the transaction of what it is for."""
    secret = links.create(db, "account", role="user")

    def join(name: str) -> None:
        with db.transaction():
            assert links.use(db, secret, "account") is not None
            accounts.create(db, name)

    with pytest.raises(UsageError, match="already"):
        join("anna")
    join("cleo")
    assert links.peek(db, secret) is None


def test_a_link_of_who_might_not_make_it_any_more(
    db: Database, people: People, lakes: Project
) -> None:
    """Invites nobody: its maker was disabled, is no owner any more, or no administrator."""
    members.add(lakes, people.ben, "owner")
    joins = links.create(db, "member", project=lakes, role="owner", by=people.ben.uid)
    makes = links.create(db, "account", role="administrator", by=people.ben.uid)
    assert links.peek(db, joins) is not None
    assert links.peek(db, makes) is None, "Ben is no administrator"

    members.set_role(lakes, people.ben, "editor")
    assert links.use(db, joins) is None
    members.set_role(lakes, people.ben, "owner")
    accounts.set_disabled(db, people.ben, True)
    assert links.use(db, joins) is None


def test_a_link_for_a_password(db: Database, people: People) -> None:
    """A newer one, or a new password, ends it; a user who is kept out cannot use it."""
    older = links.create(db, "password", user=people.anna)
    secret = links.create(db, "password", user=people.anna)
    other = links.create(db, "password", user=people.ben)
    assert links.peek(db, older) is None

    accounts.set_disabled(db, people.anna, True)
    assert links.peek(db, secret) is None
    accounts.set_disabled(db, people.anna, False)
    assert links.peek(db, secret) is not None
    accounts.set_password(db, people.anna, "$hash")
    assert links.peek(db, secret) is None
    assert links.peek(db, other) is not None


def test_open_links_are_listed_and_revoked(db: Database, people: People, lakes: Project) -> None:
    """By the project that they are of: the number of another one revokes nothing."""
    secret = links.create(db, "member", project=lakes, role="reader", by=people.anna.uid)
    other = projects.create(db, "other", "plain")
    (link,) = links.every(db, "member", lakes)

    assert links.every(db, "member", other) == links.every(db, "account") == []
    assert not links.revoke(db, link.id, other)
    assert not links.revoke(db, link.id)
    assert links.revoke(db, link.id, lakes)
    assert links.peek(db, secret) is None


def test_what_is_no_link(db: Database, people: People, lakes: Project) -> None:
    """A role is one of the server, or of a project, as the link is."""
    with pytest.raises(UsageError, match="no role"):
        links.create(db, "account", role="owner")
    with pytest.raises(UsageError, match="no role"):
        links.create(db, "member", project=lakes, role="administrator")
    with pytest.raises(ValueError, match="another object"):
        links.create(db, "member", role="reader")


_USER = """
import sys
from pathlib import Path
from metasearch.review.store.database import Database
from metasearch.review.users import links

with Database(Path(sys.argv[1])) as db:
    sys.stdin.readline()
    print(links.use(db, sys.argv[2]) is not None)
"""


@pytest.mark.slow
def test_of_two_processes_one_uses_a_link(db: Database, people: People, tmp_path: Path) -> None:
    """However close together they try."""
    secret = links.create(db, "account", role="user")
    both = [started(_USER, tmp_path / "workspace.sqlite3", secret) for _ in range(2)]

    said = sorted(process.communicate("go\n", timeout=60)[0].strip() for process in both)

    assert said == ["False", "True"]
