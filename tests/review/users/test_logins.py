"""What lets a user in again and again: sessions and tokens; and what slows down who guesses."""

from __future__ import annotations

import pytest

from metasearch.errors import UsageError
from metasearch.review.store import values
from metasearch.review.store.database import Database
from metasearch.review.store.values import later
from metasearch.review.users import accounts, passwords, sessions, tokens
from tests import cases
from tests.review.users.conftest import People

_DAY = 86_400


def test_a_session_is_found_by_its_secret_alone(db: Database, people: People) -> None:
    """The workspace holds its digest; every login has another secret."""
    first, second = (
        sessions.begin(db, people.anna, "Firefox on Linux"),
        sessions.begin(db, people.ben),
    )
    found = sessions.find(db, first)

    assert found is not None
    assert (found[0].agent, found[1]) == ("Firefox on Linux", people.anna)
    assert first != second
    for wrong in ("", first[:-1], first.lower(), "x" * 10_000, "\ud800", first + "\n"):
        assert sessions.find(db, wrong) is None
    kept = db.value("SELECT digest FROM session ORDER BY id LIMIT 1")
    assert kept == values.secret_digest(first)
    assert first.encode() not in kept


@pytest.mark.parametrize(
    ("column", "moment", "lives"),
    [
        ("seen", -30 * _DAY + 60, True),
        ("seen", -30 * _DAY - 60, False),
        ("expires", 60, True),
        ("expires", -60, False),
    ],
)
def test_when_a_session_ends(
    db: Database, people: People, column: str, moment: float, lives: bool
) -> None:
    """30 days after it was used last, and at its latest end however much it is used."""
    secret = sessions.begin(db, people.anna)
    db.run(f"UPDATE session SET {column} = ?", later(moment))

    assert (sessions.find(db, secret) is not None) is lives
    assert len(sessions.of(db, people.anna)) == lives


def test_a_session_ends_90_days_after_the_login_at_the_latest(db: Database, people: People) -> None:
    """`expires` is set once."""
    sessions.begin(db, people.anna)
    (session,) = sessions.of(db, people.anna)

    assert later(90 * _DAY - 60) < session.expires <= later(90 * _DAY)


def test_that_a_session_is_used_is_noted_once_a_minute(db: Database, people: People) -> None:
    """Reading pages seldom writes."""
    sessions.begin(db, people.anna)
    (fresh,) = sessions.of(db, people.anna)
    assert sessions.is_noted(fresh)

    db.run("UPDATE session SET seen = ?", later(-90))
    (older,) = sessions.of(db, people.anna)
    assert not sessions.is_noted(older)
    sessions.touch(db, older)
    (noted,) = sessions.of(db, people.anna)
    assert noted.seen > older.seen
    sessions.touch(db, noted)
    assert sessions.of(db, people.anna) == [noted]


def test_a_user_ends_only_own_sessions(db: Database, people: People) -> None:
    """The number of another user's session ends nothing."""
    secret = sessions.begin(db, people.anna)
    (session,) = sessions.of(db, people.anna)

    assert not sessions.end(db, people.ben, session.id)
    assert sessions.find(db, secret) is not None
    assert sessions.end(db, people.anna, session.id)
    assert sessions.find(db, secret) is None
    assert not sessions.end(db, people.anna, session.id)


def test_all_sessions_but_one_end(db: Database, people: People) -> None:
    """Those of other users stay."""
    kept, *_ = [sessions.begin(db, people.anna) for _ in range(3)]
    other = sessions.begin(db, people.ben)
    found = sessions.find(db, kept)
    assert found is not None

    assert sessions.end_all(db, people.anna, found[0].id) == 2
    assert len(sessions.of(db, people.anna)) == 1
    assert sessions.find(db, other) is not None
    assert sessions.end_all(db, people.anna) == 1


def test_a_user_has_so_many_sessions_at_most(
    db: Database, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was used least recently ends; those of others stay."""
    monkeypatch.setattr(sessions, "MOST", 2)
    other = sessions.begin(db, people.ben)
    first, second = sessions.begin(db, people.anna), sessions.begin(db, people.anna)
    db.run("UPDATE session SET seen = ? WHERE digest = ?", later(-99), values.secret_digest(second))

    third = sessions.begin(db, people.anna)

    alive = [sessions.find(db, secret) is not None for secret in (first, second, third, other)]
    assert alive == [True, False, True, True]


def test_sessions_that_have_ended_are_removed(db: Database, people: People) -> None:
    """By the next login of anybody."""
    sessions.begin(db, people.anna)
    db.run("UPDATE session SET expires = ?", later(-1))
    sessions.begin(db, people.ben)

    assert db.value("SELECT count(*) FROM session") == 1


# --------------------------------------------------------------------------- tokens


def test_a_token_is_known_by_how_it_begins(db: Database, people: People) -> None:
    """It has the scopes that were asked for, and ends."""
    text, made = tokens.create(db, people.anna, " nightly  run ", ["write", "search"], 30)
    found = tokens.find(db, text)

    assert text.startswith("ms_")
    assert found == (made, people.anna)
    assert (made.name, sorted(made.scopes), made.used) == ("nightly run", ["search", "write"], None)
    assert tokens.find(db, text.removeprefix("ms_")) is None
    db.run("UPDATE token SET expires = ?", later(-1))
    assert tokens.find(db, text) is None
    assert tokens.of(db, people.anna) == []


@cases.each(
    ("name", "scopes", "days"),
    [
        ("", ["search"], 1),
        ("x" * 81, ["search"], 1),
        ("a\0", ["search"], 1),
        ("a", [], 1),
        ("a", ["search", "administer"], 1),
        ("a", ["search"], 0),
        ("a", ["search"], 367),
    ],
)
def test_what_is_no_token(
    db: Database, people: People, name: str, scopes: list[str], days: int
) -> None:
    """It needs a name, scopes that exist, and an end within a year."""
    with pytest.raises(UsageError):
        tokens.create(db, people.anna, name, scopes, days)

    assert tokens.of(db, people.anna) == []


def test_a_user_has_so_many_tokens_at_most(
    db: Database, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that have ended do not count."""
    monkeypatch.setattr(tokens, "MOST", 1)
    tokens.create(db, people.anna, "a", ["search"], 1)
    with pytest.raises(UsageError, match="at most 1"):
        tokens.create(db, people.anna, "b", ["search"], 1)

    tokens.create(db, people.ben, "c", ["search"], 1)
    db.run("UPDATE token SET expires = ?", later(-1))
    tokens.create(db, people.anna, "b", ["search"], 1)


def test_a_user_revokes_only_own_tokens(db: Database, people: People) -> None:
    """The number of another user's token revokes nothing."""
    text, made = tokens.create(db, people.anna, "a", ["search"], 1)

    assert not tokens.revoke(db, people.ben, made.id)
    assert tokens.find(db, text) is not None
    assert tokens.revoke(db, people.anna, made.id)
    assert tokens.find(db, text) is None


def test_when_a_token_was_used(db: Database, people: People) -> None:
    """Is noted at the first time, and then once a minute."""
    _, made = tokens.create(db, people.anna, "a", ["search"], 1)
    assert not tokens.is_noted(made)
    tokens.touch(db, made)
    (used,) = tokens.of(db, people.anna)
    assert tokens.is_noted(used)
    db.run("UPDATE token SET used = ?", later(-90))
    (older,) = tokens.of(db, people.anna)
    assert not tokens.is_noted(older)


# --------------------------------------------------------------------------- failures


def tried(db: Database, times: int, name: str = "anna", client: str = "c") -> list[int]:
    """The waits of so many attempts whose passwords are wrong."""
    return [passwords.count_attempt(db, name, client) for _ in range(times)]


def waited(db: Database) -> None:
    """Let the waits of all be over."""
    db.run("UPDATE login_failure SET until = ? WHERE key NOT LIKE 'known:%'", later(-1))


def test_some_failures_are_free_and_then_one_waits_longer_and_longer(db: Database) -> None:
    """Ten, then 15 s, 30 s, ... and at most 15 minutes."""
    assert tried(db, 10) == [0] * 10
    waits = []
    for _ in range(8):
        waits += tried(db, 1)
        waited(db)
        assert tried(db, 1) == [0]

    assert waits == pytest.approx([15, 30, 60, 120, 240, 480, 900, 900], abs=1)


def test_an_attempt_that_must_wait_is_not_counted(db: Database) -> None:
    """Who goes on trying does not wait longer for it."""
    tried(db, 10)
    assert max(tried(db, 50)) <= 15


def test_other_clients_and_other_accounts_do_not_wait(db: Database) -> None:
    """Ten failures of one client at one account are its own matter."""
    tried(db, 11)

    assert tried(db, 1, client="d") == [0]
    assert tried(db, 1, name="ben") == [0]
    assert tried(db, 1, name=" ＡNNA")[0] > 0, "the same account, typed in another way"


def test_a_client_that_tries_many_accounts_waits(db: Database) -> None:
    """One password at many accounts is guessing, too."""
    waits = [passwords.count_attempt(db, f"user{number}", "c") for number in range(52)]

    assert waits[:50] == [0] * 50
    assert all(waits[50:])


def test_an_account_that_many_clients_try_waits_but_not_for_its_user(db: Database) -> None:
    """A client from which the user has logged in is not held up by what others do."""
    assert tried(db, 1, client="home") == [0]
    passwords.note_success(db, "anna", "home")
    waits = [passwords.count_attempt(db, "anna", f"c{number}") for number in range(102)]

    assert waits[:100] == [0] * 100
    assert all(waits[100:])
    assert passwords.count_attempt(db, "Anna", "home") == 0
    assert passwords.count_attempt(db, "anna", "new") > 0


def test_a_login_takes_its_own_attempt_back_and_no_other(db: Database) -> None:
    """Who has an account of their own does not get tries at others for it."""
    for number in range(49):
        passwords.count_attempt(db, f"user{number}", "c")
    for _ in range(20):
        assert passwords.count_attempt(db, "own", "c") == 0
        passwords.note_success(db, "own", "c")

    assert passwords.count_attempt(db, "anna", "c") == 0
    assert passwords.count_attempt(db, "ben", "c") > 0


def test_a_login_that_nobody_has_looked_at_is_no_failure(db: Database) -> None:
    """As where too many are logging in at that moment; the wait that it began is over, too."""
    tried(db, 9)
    for _ in range(30):
        assert tried(db, 1) == [0]
        passwords.withdraw_attempt(db, "anna", "c")

    assert tried(db, 1) == [0]
    assert tried(db, 1)[0] > 0


def test_a_login_does_not_end_the_wait_of_another_one(db: Database) -> None:
    """Of those that were made while its password was looked at."""
    for number in range(49):
        passwords.count_attempt(db, f"user{number}", "c")
    db.run("UPDATE login_failure SET failures = 51 WHERE key LIKE 'client:%'")
    db.run("UPDATE login_failure SET until = ? WHERE key LIKE 'client:%'", later(60))

    passwords.note_success(db, "user1", "c")

    assert passwords.count_attempt(db, "anna", "c") > 0


def test_failures_are_forgotten_after_a_day(db: Database) -> None:
    """Counting begins anew, and nothing is left of it."""
    tried(db, 11)
    db.run("UPDATE login_failure SET until = ?", later(-_DAY - 60))

    assert tried(db, 10) == [0] * 10
    assert db.value("SELECT max(failures) FROM login_failure") == 10


def test_what_was_typed_is_not_kept(db: Database) -> None:
    """Somebody types the password in the place of the name."""
    tried(db, 1, name="my secret password")

    assert not any("secret" in row["key"] for row in db.all("SELECT key FROM login_failure"))


def test_accounts_that_do_not_exist_wait_in_the_same_way(db: Database, people: People) -> None:
    """A wait says nothing about whether there is such an account."""
    assert accounts.by_name(db, "nobody") is None
    nobody, anna = tried(db, 12, name="nobody", client="a"), tried(db, 12, client="b")
    assert nobody == pytest.approx(anna, abs=1)
    assert nobody[-1] > 0
