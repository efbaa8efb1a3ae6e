"""What the workspace has of one user: the whole of it, no secret, nothing of others; and gone."""

from __future__ import annotations

import io
from typing import Any

import orjson
import pytest

from metasearch.errors import UsageError, WorkspaceError
from metasearch.review.projects import log, members, projects
from metasearch.review.projects.projects import Project
from metasearch.review.store.checks import check
from metasearch.review.store.database import Database
from metasearch.review.users import (
    accounts,
    audit,
    links,
    own_data,
    passwords,
    sessions,
    tokens,
)
from metasearch.review.users import (
    accounts as names,
)
from metasearch.review.users.accounts import User
from metasearch.review.users.permissions_and_quotas import Quotas
from tests.review.filled import Filled
from tests.review.users.conftest import People

AT = "2026-11-23T05:40:00Z"


def busy(db: Database, user: User, name: str) -> tuple[Project, list[str]]:
    """A project in which a user has done everything; and the secrets that there are."""
    filled = Filled(db, name)
    (first, *_) = filled.found({"a": [1, 2]})
    project = filled.project
    members.add(project, user, "owner")
    vote = "INSERT INTO decision VALUES (?, 'title', ?, 'close', 'why not', ?)"
    db.run(vote, first, user.uid, AT)
    db.run("INSERT INTO note (work, by, text, at) VALUES (?, ?, 'x', ?)", first, user.uid, AT)
    db.run(
        "INSERT INTO resolution (work, stage, votes, verdict, by, at)"
        " VALUES (?, 'title', '[]', 'close', ?, ?)",
        first,
        user.uid,
        AT,
    )
    db.run("INSERT INTO mail_owner (owner, secret) VALUES (?, ?)", user.uid, f"off-of-{name}")
    db.run("UPDATE run SET by = ? WHERE project = ?", user.uid, project.id)
    log.write(db, project.id, "mark works", f"work:{name}", None, {"by": user.name}, by=user.uid)
    db.run(
        "INSERT INTO pin (project, verdict, a, b, by, at) VALUES (?, 'same', 'a:1', 'a:2', ?, ?)",
        project.id,
        user.uid,
        AT,
    )
    report = db.run(
        "INSERT INTO report (project, kind, number, data, document, digest, frozen)"
        " VALUES (?, 'chaxin', '1', '{}', '{}',"
        " '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', ?)",
        project.id,
        AT,
    )
    db.run(
        "INSERT INTO signature VALUES (?, 'searcher', ?, 'signed', 'x', ?)", report, user.uid, AT
    )
    feed = f"feed-of-{name}"
    db.run(
        "INSERT INTO saved_search (uid, owner, name, query, feed, created)"
        " VALUES (?, ?, 'weekly', ?, ?, ?)",
        name,
        user.uid,
        f"query of {name}",
        feed,
        AT,
    )
    db.run(
        "INSERT INTO mail (message_id, owner, day, last_news, status, at)"
        " VALUES (?, ?, '2026-11-23', 1, 'sent', ?)",
        name,
        user.uid,
        AT,
    )
    db.run("INSERT INTO screening (project, stage, created) VALUES (?, 'title', ?)", project.id, AT)
    db.run("INSERT INTO screener VALUES (?, 'title', ?)", project.id, user.uid)
    text, _ = tokens.create(db, user, f"token of {name}", ["search"], 9, by=user.uid)
    secret = sessions.begin(db, user, f"browser of {name}")
    Quotas().take(db, user.uid, "searches", 3)
    accounts.set_password(db, user, "$argon2id$hash", keep=1_000_000)
    secret = sessions.begin(db, user, f"browser of {name}")
    link = links.create(db, "password", user=user)
    passwords.count_attempt(db, user.name, "c")
    return project, [text, secret, feed, link, f"off-of-{name}", "argon2id"]


def exported(db: Database, user: User) -> tuple[dict[str, Any], str]:
    """The file of a user, as an object and as text."""
    file = io.BytesIO()
    own_data.export(db, accounts.find(db, user.uid), file)
    return orjson.loads(file.getvalue()), file.getvalue().decode()


def test_an_export_has_all_of_a_user_and_nothing_of_others(db: Database, people: People) -> None:
    """Each part has one row; no secret and no digest of one is in it."""
    project, secrets = busy(db, people.anna, "lakes")
    busy(db, people.ben, "rivers")
    found, text = exported(db, people.anna)

    assert (found["format"], found["account"]["email"]) == (own_data.FORMAT, "anna@example.org")
    parts = {name: rows for name, rows in found.items() if isinstance(rows, list)}
    assert {name: len(rows) for name, rows in parts.items() if name != "audit"} == {
        "sessions": 1,
        "tokens": 1,
        "memberships": 1,
        "usage": 1,
        "saved_searches": 1,
        "mails": 1,
        "mail_settings": 1,
        "votes": 1,
        "notes": 1,
        "resolutions": 1,
        "pins": 1,
        "runs": 1,
        "signatures": 1,
        "log": 1,
    }
    assert [line["action"] for line in found["audit"]] == ["token"]
    assert found["votes"][0]["project"] == found["memberships"][0]["project"] == project.uid
    assert (found["votes"][0]["verdict"], found["votes"][0]["reason"]) == ("close", "why not")
    assert found["log"][0]["after"] == {"by": "anna"}
    assert found["saved_searches"][0]["sources"] == []
    assert not [secret for secret in secrets if secret in text]
    assert "rivers" not in text
    assert people.ben.uid not in text


def test_a_user_who_has_done_nothing(db: Database, people: People) -> None:
    """Has an account, and no rows."""
    found, _ = exported(db, people.ben)

    assert found["account"]["name"] == "ben"
    assert not any(rows for rows in found.values() if isinstance(rows, list))


def test_projects_that_nobody_else_owns_are_named_first(db: Database, people: People) -> None:
    """Nothing is deleted while it is not said what becomes of them."""
    project, _ = busy(db, people.anna, "lakes")
    members.add(project, people.ben, "editor")

    with pytest.raises(UsageError, match="1 project: lakes"):
        own_data.delete(db, people.anna)
    with pytest.raises(UsageError, match="somebody else"):
        own_data.delete(db, people.anna, hand_to=people.anna)
    assert members.role(project, people.anna.uid) == "owner"
    assert sessions.of(db, people.anna)


@pytest.mark.parametrize("others", ["an owner", "an heir"])
def test_what_a_deleted_user_did_in_projects_stays(
    db: Database, people: People, others: str
) -> None:
    """As of a former user; all else is gone, and the workspace is whole."""
    project, secrets = busy(db, people.anna, "lakes")
    other, _ = busy(db, people.ben, "rivers")
    before = check(db)
    if others == "an owner":
        members.add(project, people.ben, "owner")
        assert own_data.delete(db, people.anna, by=people.root.uid) == []
    else:
        assert own_data.delete(db, people.anna, hand_to=people.ben) == [project]

    assert accounts.by_uid(db, people.anna.uid) is None
    assert sessions.find(db, secrets[1]) is None
    assert tokens.find(db, secrets[0]) is None
    assert [(each.name, each.role) for each in members.of(project)] == [("ben", "owner")]
    assert db.value("SELECT count(*) FROM decision WHERE by = ?", people.anna.uid) == 1
    assert db.value("SELECT count(*) FROM signature WHERE by = ?", people.anna.uid) == 1
    assert log.lines(db, project.id)[0].by == people.anna.uid
    assert names.names_for_people(db, [people.anna.uid, people.ben.uid, ""]) == {
        people.anna.uid: "former user",
        people.ben.uid: "ben",
    }
    assert audit.lines(db)[0].object == f"user:{people.anna.uid}"
    for table in ("saved_search", "mail", "mail_owner", "session", "token", "usage", "screener"):
        assert db.value(f"SELECT count(*) FROM {table}") == 1, f"{table}: Ben's alone"
    assert projects.find(db, "rivers").uid == other.uid
    assert check(db) == before


def test_projects_can_be_deleted_with_their_owner(db: Database, people: People) -> None:
    """Those that nobody else owns; others stay."""
    project, _ = busy(db, people.anna, "lakes")
    shared = projects.create(db, "shared", "plain")
    members.add(shared, people.anna, "owner")
    members.add(shared, people.ben, "owner")

    assert own_data.delete(db, people.anna, with_projects=True) == [project]
    assert [each.name for each in projects.every(db)] == ["shared"]
    assert check(db) == []


def test_a_disabled_owner_does_not_look_after_a_project(db: Database, people: People) -> None:
    """It counts as one that nobody else owns."""
    project, _ = busy(db, people.anna, "lakes")
    members.add(project, people.ben, "owner")
    accounts.set_disabled(db, people.ben, True)

    with pytest.raises(UsageError, match="Nobody else owns"):
        own_data.delete(db, people.anna)


def test_the_last_administrator_is_not_deleted(db: Database, people: People) -> None:
    """And nothing of them either."""
    project, _ = busy(db, people.root, "lakes")

    with pytest.raises(UsageError, match="last administrator"):
        own_data.delete(db, people.root, with_projects=True)
    assert projects.find(db, "lakes") == project
    assert sessions.of(db, people.root)


# --------------------------------------------------------------------------- names, audit


def test_names_of_many_users_are_asked_for_together(db: Database, people: People) -> None:
    """In any number; a uid that was never one is that of a former user."""
    many = [f"gone{number}" for number in range(1_200)]
    found = names.names_for_people(db, [people.anna.uid, *many, people.ben.uid])

    assert found[people.anna.uid] == "Anna Berg"
    assert found[people.ben.uid] == "ben"
    assert {found[uid] for uid in many} == {"former user"}
    assert len(found) == 1_202


def test_the_audit_log_is_read_by_page_and_filter(db: Database, people: People) -> None:
    """The newest first; the number of the last line leads to the next page."""
    numbers = [
        audit.write(db, actor, "login", "user:x", {"n": number}, client="c")
        for number, actor in enumerate(["a", "b", "a", "b"])
    ]
    audit.write(db, "a", "logout", "user:x")

    first = audit.lines(db, action="login", most=3)
    assert [line.id for line in first] == numbers[:0:-1]
    rest = audit.lines(db, action="login", most=3, before=first[-1].id)
    assert [line.id for line in rest] == numbers[:1]
    assert [line.detail["n"] for line in audit.lines(db, actor="b", object="user:x")] == [3, 1]
    assert audit.lines(db, actor="a' OR 1=1") == []


def test_lines_of_the_audit_log_stay_as_they_are(db: Database) -> None:
    """The tables themselves refuse a change; what is long is shortened, not refused."""
    audit.write(db, "a", "login", "o" * 9_999, {"agent": "x" * 9_999, "list": ["y" * 999] * 999})
    (line,) = audit.lines(db)

    assert len(line.object) == len(line.detail["agent"]) == 300
    assert len(line.detail["list"]) == 30
    with pytest.raises(WorkspaceError, match="append-only"):
        db.run("UPDATE audit SET actor = 'b'")
