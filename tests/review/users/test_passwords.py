"""Passwords: which are taken, how they are compared, and that many at once do no harm."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable

import pytest

from metasearch.errors import Busy, UsageError
from metasearch.review.users import passwords
from metasearch.review.users.passwords import AT_ONCE, NICE, Passwords, PasswordThreads, check
from tests import cases

#: As cheap as Argon2 allows.
CHEAP = Passwords(time_cost=1, memory_kib=8, parallelism=1)
GOOD = "correct horse battery"


def test_a_password_is_the_one_of_its_hash() -> None:
    """And no other; two hashes of the same are not the same."""
    kept = CHEAP.hash(GOOD)

    assert CHEAP.verify(kept, GOOD) == (True, None)
    assert CHEAP.verify(kept, GOOD + " ") == (False, None)
    assert CHEAP.verify(kept, "") == (False, None)
    assert kept != CHEAP.hash(GOOD)
    assert kept.startswith("$argon2id$")


def test_a_hash_with_other_parameters_is_made_anew() -> None:
    """When the password is right, as only then it is known."""
    older, newer = CHEAP.hash(GOOD), Passwords(time_cost=2, memory_kib=8, parallelism=1)

    right, again = newer.verify(older, GOOD)
    assert right
    assert again is not None
    assert newer.verify(again, GOOD) == (True, None)
    assert newer.verify(older, "wrong password") == (False, None)


@pytest.mark.parametrize("kept", ["", "$argon2id$broken", "plain text", "$2b$12$bcrypt"])
def test_a_user_without_a_hash_costs_the_same(kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One hash is computed, with the parameters of today, and no password is right."""
    import argon2.low_level

    computed: list[bytes] = []
    real = argon2.low_level.verify_secret

    def seen(hashed: bytes, *rest: object) -> bool:
        computed.append(hashed)
        return real(hashed, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("argon2._password_hasher.verify_secret", seen)

    for text in (GOOD, "", "\0" * 32):
        assert CHEAP.verify(kept, text) == (False, None)
    good = [each for each in computed if each.startswith(b"$argon2id$v=19$m=8,t=1,p=1$")]
    assert len(good) == 3


def test_the_same_text_is_the_same_password_however_a_keyboard_writes_it() -> None:
    """Letters with accents have two forms in Unicode."""
    assert CHEAP.verify(CHEAP.hash("caf\u00e9 au lait, s'il"), "cafe\u0301 au lait, s'il")[0]


def test_a_text_that_is_too_long_is_no_password() -> None:
    """Not even of a hash of its beginning, and any length is looked at in the same time."""
    kept = CHEAP.hash("x" * 2_000)

    assert not CHEAP.verify(kept, "x" * 2_000)[0]
    assert not CHEAP.verify(kept, "x" * 50_000_000)[0]
    assert not CHEAP.verify(kept, "\ud800" * 20)[0]


@cases.each("text", ["x" * 12, "密码密码密码密码密码密码", "x" * 1_024, "1 2 3 4 5 6 7"])
def test_what_is_a_password(text: str) -> None:
    """Twelve characters of any kind."""
    check(text, "anna", "anna@example.org")


@cases.each(
    "text",
    [
        *("", "x" * 11, "x" * 1_025, "密" * 400, "x" * 10_000_000),
        *("twelve\nletters", "twelve\0letters"),
        *("anna.berg.2026", "Anna.Berg.2026"),
        *("anna.berg@example.org", " ANNA.BERG@example.org "),
    ],
)
def test_what_is_no_password(text: str) -> None:
    """What is short, or what others know of the user."""
    with pytest.raises(UsageError):
        check(text, "anna.berg.2026", "anna.berg@example.org")


def test_without_memory_one_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is a password wrong then, nor is a hash without end tried again."""
    from argon2.exceptions import HashingError, VerificationError

    kept = CHEAP.hash(GOOD)

    def fails(kind: type[Exception]) -> Callable[..., object]:
        def failing(*_: object, **__: object) -> object:
            raise kind("Memory allocation error")

        return failing

    monkeypatch.setattr("argon2._password_hasher.hash_secret", fails(HashingError))
    monkeypatch.setattr("argon2._password_hasher.verify_secret", fails(VerificationError))

    with pytest.raises(Busy, match="memory"):
        CHEAP.hash(GOOD)
    for stands in (kept, ""):
        with pytest.raises(Busy, match="memory"):
            CHEAP.verify(stands, GOOD)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only when a password is used."""
    monkeypatch.setitem(sys.modules, "argon2", None)

    with pytest.raises(UsageError, match="argon2-cffi") as told:
        Passwords().hash(GOOD)
    assert 'pip install ".[users]"' in told.value.advice


# --------------------------------------------------------------------------- beside a loop


class Slow(Passwords):
    """Computes until it is let go, and counts how many do so at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self.go = threading.Event()
        self._lock = threading.Lock()

    def verify(self, kept: str, text: str) -> tuple[bool, str | None]:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        assert self.go.wait(30)
        with self._lock:
            self.now -= 1
        return True, None


async def test_twenty_logins_at_once_are_computed_two_at_a_time() -> None:
    """The loop goes on meanwhile, and all of them are answered."""
    slow = Slow()
    threads = PasswordThreads(slow)
    logins = [asyncio.create_task(threads.verify("", GOOD)) for _ in range(20)]
    for _ in range(100):  # the loop runs while nothing is answered
        await asyncio.sleep(0)
    assert not any(login.done() for login in logins)

    slow.go.set()

    assert await asyncio.gather(*logins) == [(True, None)] * 20
    assert slow.most <= AT_ONCE
    threads.close()


async def test_too_many_who_wait_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """At once; and when some have gone, others are taken."""
    monkeypatch.setattr(passwords, "MOST_WAITING", 1)
    slow = Slow()
    threads = PasswordThreads(slow)
    taken = [asyncio.create_task(threads.verify("", GOOD)) for _ in range(AT_ONCE + 1)]
    await asyncio.sleep(0)
    with pytest.raises(Busy) as told:
        await threads.verify("", GOOD)
    assert told.value.status == 503

    taken.pop().cancel()  # it waits in the queue
    await asyncio.sleep(0)
    slow.go.set()
    await asyncio.gather(*taken)
    while True:  # the last computation leaves a moment after its answer
        try:
            assert await threads.verify("", GOOD) == (True, None)
            break
        except Busy:
            await asyncio.sleep(0.01)
    threads.close()


async def test_hashes_are_made_beside_the_loop() -> None:
    """What comes back can be compared."""
    threads = PasswordThreads(CHEAP)

    assert (await threads.verify(await threads.hash(GOOD), GOOD))[0]
    threads.close()


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere threads have no priority of their own"
)
async def test_passwords_are_computed_behind_everything_else() -> None:
    """Their threads let the loop go first, whose own priority is as it was."""

    class Asked(Passwords):
        def hash(self, text: str) -> str:
            return str(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))

    before = os.getpriority(os.PRIO_PROCESS, 0)
    threads = PasswordThreads(Asked())

    assert int(await threads.hash(GOOD)) == max(before, NICE)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
    threads.close()
