"""Accounts: how they are found, what may stand in them, and that somebody can always administer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from metasearch.errors import Conflict, UsageError
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, audit, sessions, tokens
from metasearch.review.users.accounts import User
from tests import cases
from tests.review.users.conftest import People


def test_a_user_is_found_by_name_however_it_is_typed_and_by_uid(
    db: Database, people: People
) -> None:
    """Capital letters, wide letters and blanks around a name make no difference."""
    for typed in ("anna", " Anna ", "ＡＮＮＡ", people.anna.uid):
        assert accounts.find(db, typed) == people.anna

    with pytest.raises(UsageError, match="no user 'nobody'"):
        accounts.find(db, "nobody")


@cases.each(
    ("typed", "kept"),
    [
        ("Anna", "anna"),
        ("李雷", "李雷"),
        ("Straße", "strasse"),
        ("anna@example.org", "anna@example.org"),
        ("a b", "a b"),
        ("ﬁn", "fin"),
        ("x" * 80, "x" * 80),
    ],
)
def test_a_name(db: Database, typed: str, kept: str) -> None:
    """It is kept in one form of its letters."""
    assert accounts.create(db, typed).name == kept


@cases.each(
    "name",
    [
        *("", " ", "x" * 81, "a\nb", "a\0b", "a  b", "an\u200bna", "an\u202ena", "a\u3164b"),
        *("\u2800", "a\ufe0f", "-a", "ﷺ" * 10, "a" * 1_000_000, "a\ud800"),
    ],
)
def test_what_is_no_name(db: Database, name: str) -> None:
    """Nothing that cannot be seen, and nothing long, stands in a name."""
    with pytest.raises(UsageError, match="cannot be the name"):
        accounts.create(db, name)

    assert accounts.every(db) == []


def test_a_name_is_given_once(db: Database, people: People) -> None:
    """Another form of the same name is the same, and a uid is no name for somebody else."""
    for name in ("ANNA", people.ben.uid):
        with pytest.raises(UsageError, match="already"):
            accounts.create(db, name)


def test_a_subject_is_that_of_one_user_of_its_origin(db: Database) -> None:
    """A name that a proxy gives is another one than that of a provider, and nobody has no name."""
    made = accounts.create(db, "cleo", origin="header", subject="cleo@uni")

    assert accounts.by_subject(db, "header", "cleo@uni") == made
    assert accounts.by_subject(db, "oidc", "cleo@uni") is None
    assert accounts.by_subject(db, "header", "") is None
    with pytest.raises(UsageError, match="already"):
        accounts.create(db, "cleo2", origin="header", subject="cleo@uni")


@cases.each(
    "email", ["anna", "a b@example.org", "a@b\nBcc: c@d", "a@b,c@d", f"{'a' * 260}@b", "@b", "a@"]
)
def test_what_is_no_address(db: Database, people: People, email: str) -> None:
    """Nothing that an e-mail would take for a second header or address."""
    with pytest.raises(UsageError):
        accounts.update(db, people.anna, email=email)


def test_a_change_keeps_the_rest(db: Database, people: People) -> None:
    """What is not named stays; keys of preferences are set and removed one by one."""
    accounts.update(db, people.anna, preferences={"language": "zh", "style": "apa"})
    accounts.update(db, people.anna, preferences={"style": None}, quotas={"searches": 5})
    changed = accounts.update(db, people.anna, shown="  Anna   B. ")

    assert (changed.shown, changed.email) == ("Anna B.", "anna@example.org")
    assert changed.preferences == {"language": "zh"}
    assert changed.quotas == {"searches": 5}
    assert changed.version == people.anna.version + 3


@cases.each(
    "change",
    [
        {"role": "owner"},
        {"quotas": {"wishes": 3}},
        {"quotas": {"searches": -1}},
        {"quotas": {"searches": True}},
        {"quotas": {"searches": 10**13}},
        {"preferences": {"a b": 1}},
        {"preferences": {"language": "x" * 20_001}},
        {"preferences": {"language": object()}},
        {"shown": "x" * 121},
        {"shown": "gr\u202eebnA"},
        {"shown": "A\0"},
    ],
)
def test_what_cannot_be_changed_so(db: Database, people: People, change: dict[str, object]) -> None:
    """Roles, quotas and preferences that do not exist, or are too large, are refused as a whole."""
    with pytest.raises(UsageError):
        accounts.update(db, people.anna, **{"email": "new@example.org", **change})  # type: ignore[arg-type]

    assert accounts.find(db, "anna") == people.anna


def test_a_change_of_what_somebody_else_has_changed(db: Database, people: People) -> None:
    """Is refused with both texts; the same change again is none."""
    accounts.update(db, people.anna, shown="Anna B.", version=1)

    with pytest.raises(Conflict) as told:
        accounts.update(db, people.anna, shown="A. Berg", version=1)
    assert (told.value.yours, told.value.theirs) == ({"shown": "A. Berg"}, {"shown": "Anna B."})
    assert (told.value.status, told.value.version) == (409, 2)
    assert accounts.update(db, people.anna, shown="Anna B.", version=1).version == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda db, user: accounts.update(db, user, role="user"),
        lambda db, user: accounts.set_disabled(db, user, disabled=True),
        accounts.remove,
    ],
    ids=["demoted", "disabled", "deleted"],
)
def test_the_last_administrator_stays(
    db: Database, people: People, change: Callable[[Database, User], object]
) -> None:
    """Unless another one may log in: a disabled one does not count."""
    second = accounts.create(db, "second", role="administrator")
    accounts.set_disabled(db, second, True)
    with pytest.raises(UsageError, match="last administrator"):
        change(db, people.root)

    accounts.set_disabled(db, second, False)
    change(db, people.root)
    with pytest.raises(UsageError, match="last administrator"):
        change(db, second)


def test_who_is_disabled_is_out_at_once(db: Database, people: People) -> None:
    """Sessions end; tokens work again when the user may log in again."""
    session = sessions.begin(db, people.anna)
    text, _ = tokens.create(db, people.anna, "script", ["search"], 9)

    accounts.set_disabled(db, people.anna, True)
    assert sessions.find(db, session) is None
    assert tokens.find(db, text) is None

    accounts.set_disabled(db, people.anna, False)
    assert sessions.find(db, session) is None
    assert tokens.find(db, text) is not None


def test_a_new_password_ends_sessions(db: Database, people: People) -> None:
    """But for the one in which it was changed."""
    here, elsewhere = sessions.begin(db, people.anna), sessions.begin(db, people.anna)
    found = sessions.find(db, here)
    assert found is not None

    changed = accounts.set_password(db, people.anna, "$hash", keep=found[0].id)

    assert changed.has_password
    assert accounts.password_hash(db, changed) == "$hash"
    assert sessions.find(db, here) is not None
    assert sessions.find(db, elsewhere) is None


def test_a_rehashed_password_does_not_replace_a_newer_one(db: Database, people: People) -> None:
    """The password that was set meanwhile stays."""
    accounts.set_password(db, people.anna, "new")
    accounts.update_hash(db, people.anna, "old", "old again")

    assert accounts.password_hash(db, people.anna) == "new"


def test_no_object_of_a_user_holds_the_password(db: Database, people: People) -> None:
    """Neither its text nor its hash."""
    changed = accounts.set_password(db, people.anna, "$argon2id$secret")

    assert "secret" not in repr(changed)


def test_the_audit_log_tells_of_accounts(db: Database, people: People) -> None:
    """Who did what to whom, and nothing that names a person."""
    accounts.update(db, people.anna, role="guest", by=people.root.uid, client="c1")
    accounts.update(db, people.anna, email="other@example.org", by=people.root.uid)
    newest, before, *_ = audit.lines(db, object=f"user:{people.anna.uid}")

    assert (newest.action, dict(newest.detail)) == ("account", {"changed": ["email"]})
    assert (before.action, before.actor, before.client) == ("role", people.root.uid, "c1")
    assert dict(before.detail) == {"before": "user", "after": "guest"}
    assert not db.all("SELECT 1 FROM audit WHERE detail LIKE '%anna%' OR detail LIKE '%other%'")
