"""Passwords: which ones are taken, and how they are kept (Argon2id, RFC 9106).

The package argon2-cffi is of the extra `users`, and loaded when a password is used.
"""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import hashlib
import math
import os
import sys
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Lock, get_native_id
from typing import TYPE_CHECKING, TypeVar

from metasearch.errors import Busy, UsageError
from metasearch.extras import how_to_install
from metasearch.message import message
from metasearch.review.store.database import Database
from metasearch.review.store.values import moment_text, now
from metasearch.review.users import accounts

if TYPE_CHECKING:
    from argon2 import PasswordHasher


T = TypeVar("T")

#: Characters of a password at least, and bytes of it at most.
SHORTEST, MOST_BYTES = 12, 1_024
#: Passwords that are computed at once, and those that wait for it, in a process. Each takes the
#: memory of `Passwords.memory_kib`.
AT_ONCE, MOST_WAITING = 2, 64
#: How far their threads stand back behind the others of the system, where threads can: 0 to 19.
NICE = 10
_SALT_BYTES, _HASH_BYTES = 16, 32


class Passwords:
    """Makes and compares hashes of passwords. `memory_kib`: memory of one computation, in KiB."""

    def __init__(
        self, *, time_cost: int = 3, memory_kib: int = 65_536, parallelism: int = 4
    ) -> None:
        self._costs = time_cost, memory_kib, parallelism

    def hash(self, text: str) -> str:
        """What is kept of a password. It is not checked: `check` does that. Raises UsageError:
        argon2-cffi is not installed; Busy: there is not enough memory now.
        """
        hasher = self._hasher
        from argon2.exceptions import HashingError

        try:
            return hasher.hash(_bytes(text))
        except HashingError as exc:
            raise _no_memory() from exc

    def verify(self, kept: str, text: str) -> tuple[bool, str | None]:
        """Whether a password is the one of a hash.

        `kept`: what `hash` returned; "" for a user who does not exist or has no password, which
        takes the same time. Returns whether it is right; and a new hash to keep where it is right,
        and the old one was made with other parameters. Raises UsageError: argon2-cffi is not
        installed; Busy: there is not enough memory now.
        """
        hasher = self._hasher
        from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

        typed = _bytes(text)
        try:
            right = hasher.verify(kept or self._nobody, typed)
        except VerifyMismatchError:
            return False, None
        except (InvalidHashError, VerificationError) as exc:
            if not kept:
                raise _no_memory() from exc
            return self.verify("", text)  # of another program, or damaged
        if not (right and kept) or len(typed) > MOST_BYTES:
            return False, None
        return True, self.hash(text) if hasher.check_needs_rehash(kept) else None

    @cached_property
    def _hasher(self) -> PasswordHasher:
        try:
            import argon2
        except ImportError as exc:
            raise UsageError(
                message("passwords need the package argon2-cffi, which is not installed"),
                advice=how_to_install("users"),
            ) from exc
        passes, memory, threads = self._costs
        return argon2.PasswordHasher(
            time_cost=passes,
            memory_cost=memory,
            parallelism=threads,
            hash_len=_HASH_BYTES,
            salt_len=_SALT_BYTES,
        )

    @cached_property
    def _nobody(self) -> str:
        """A hash with the same parameters that no password has been found for."""
        passes, memory, threads = self._costs
        salt, found = (
            base64.b64encode(bytes(size)).decode().rstrip("=")
            for size in (_SALT_BYTES, _HASH_BYTES)
        )
        return f"$argon2id$v=19$m={memory},t={passes},p={threads}${salt}${found}"


def check(text: str, name: str, email: str = "") -> None:
    """Check a new password. It may have any characters: length is what counts. `name`, `email`: of
    the user, as others know them; `email` may be "". Raises UsageError: it is too short, too long,
    or the name or the address.
    """
    normal = unicodedata.normalize("NFKC", text[: 4 * MOST_BYTES])
    if len(normal) < SHORTEST:
        raise UsageError(
            message("A password has at least {least} characters", least=SHORTEST),
            advice=message("Several words, with blanks between them, are easy to remember."),
        )
    if len(_bytes(text)) > MOST_BYTES:
        raise UsageError(message("A password has at most {most} bytes", most=f"{MOST_BYTES:,}"))
    if "\0" in normal or "\n" in normal or "\r" in normal:
        raise UsageError(message("A password is one line of text"))
    folded = normal.casefold().strip()
    if folded in {known.casefold() for known in (name, email, email.partition("@")[0]) if known}:
        raise UsageError(
            message("The password is the name or the address of the user"),
            advice=message("Choose one that others do not know."),
        )


class PasswordThreads:
    """Computes passwords beside an event loop: so many at once, and the others in a queue.

    20 logins at once take the memory of two, and the loop goes on meanwhile.
    """

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords
        self._pool = ThreadPoolExecutor(
            max_workers=AT_ONCE, thread_name_prefix="passwords", initializer=_lower_priority
        )
        self._under_way = 0
        self._counting = Lock()

    async def hash(self, text: str) -> str:
        """`Passwords.hash`. Raises Busy: too many wait already."""
        return await self._run(lambda: self._passwords.hash(text))

    async def verify(self, kept: str, text: str) -> tuple[bool, str | None]:
        """`Passwords.verify`. Raises Busy: too many wait already."""
        return await self._run(lambda: self._passwords.verify(kept, text))

    async def _run(self, compute: Callable[[], T]) -> T:
        if self._under_way >= AT_ONCE + MOST_WAITING:
            raise Busy(message("Too many people are logging in at this moment"))
        with self._counting:
            self._under_way += 1
        future = self._pool.submit(compute)
        # Not where the await ends: who goes away meanwhile leaves a computation that goes on.
        future.add_done_callback(self._count_end)
        return await asyncio.wrap_future(future)

    def _count_end(self, _: object) -> None:
        """A computation has ended; called in its thread."""
        with self._counting:
            self._under_way -= 1

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _lower_priority() -> None:
    """Have this thread, and those that Argon2 starts in it, compute when the loop does not: on
    Linux each thread has a priority of its own.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), NICE)


def _no_memory() -> Busy:
    return Busy(message("There is not enough memory to compute a password"))


def _bytes(text: str) -> bytes:
    """A password as bytes: the same for the same text, however a keyboard writes it. No more than
    is needed to see that it is too long.
    """
    normal = unicodedata.normalize("NFKC", text[: 4 * MOST_BYTES])
    return normal.encode("utf-8", "surrogatepass")[: MOST_BYTES + 1]


# Logins that fail: after some, the next one has to wait. Three things are counted: a client at one
# account, which stops whoever tries passwords; a client at all accounts, which stops one password
# at many of them, and leaves room for the many people behind one address; and an account from all
# clients, which stops many clients at once. The last one alone would let anybody keep a user out: a
# client from which the user has logged in before is not held up by it.
#
# An attempt is counted before the password is looked at, and taken back if it was right, so that a
# hundred attempts at once are a hundred. Nobody learns from a wait whether there is such an
# account.

#: Failures until one waits: of a client at an account, of a client, of an account.
MOST_TOGETHER, MOST_CLIENT, MOST_ACCOUNT = 10, 50, 100
#: Seconds of the first wait, which doubles with each failure, and of the longest.
FIRST_WAIT, LONGEST_WAIT = 15, 900
#: Seconds without an attempt after which failures are forgotten, and that a client is known by.
_FORGOTTEN, _KNOWN = 86_400, 90 * 86_400
#: Hexadecimal digits of a digest. What is typed as a name may be a password, and is not kept.
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class _Count:
    """Failures of one kind."""

    key: str
    most: int


def count_attempt(db: Database, name: str, client: str) -> int:
    """Count an attempt to log in, before the password is looked at. Returns seconds until the next
    attempt is allowed, and this one is not; 0 where it is allowed.
    """
    moment = dt.datetime.now(dt.UTC).timestamp()
    with db.transaction():
        db.run("DELETE FROM login_failure WHERE until < ?", moment_text(moment - _FORGOTTEN))
        counts = _counts(db, name, client)
        waits = [_wait(db, count, moment) for count in counts]
        if any(waits):
            return max(waits)
        for count in counts:
            _add(db, count, moment)
    return 0


def withdraw_attempt(db: Database, name: str, client: str) -> None:
    """Take back an attempt: its password was right, or nobody has looked at it."""
    with db.transaction():
        for count in _counts(db, name, client):
            # Only this one: else who has an account of their own could try others for ever.
            db.run(
                "UPDATE login_failure SET failures = failures - 1,"
                " until = CASE WHEN failures - 1 < ? THEN ? ELSE until END"
                " WHERE key = ? AND failures > 0",
                count.most,
                now(),
                count.key,
            )


def note_success(db: Database, name: str, client: str) -> None:
    """Take back an attempt whose password was right, and know the client from now on."""
    together, *_ = _counts(db, name, client)
    with db.transaction():
        withdraw_attempt(db, name, client)
        db.run("DELETE FROM login_failure WHERE key = ?", together.key)
        db.run(
            "INSERT OR REPLACE INTO login_failure (key, failures, since, until)"
            " VALUES (?, 0, ?, ?)",
            _client_key(name, client),
            now(),
            moment_text(dt.datetime.now(dt.UTC).timestamp() + _KNOWN),
        )


def forgive_failures(db: Database, name: str) -> None:
    """Forget the failures at an account: its user has a new password."""
    db.run("DELETE FROM login_failure WHERE key = ?", _account(name).key)


def _counts(db: Database, name: str, client: str) -> list[_Count]:
    """What an attempt counts for; the first one is of client and account together."""
    found = [
        _Count(f"both:{_digest(accounts.normal_name(name), client)}", MOST_TOGETHER),
        _Count(f"client:{_digest(client)}", MOST_CLIENT),
    ]
    if db.one("SELECT 1 FROM login_failure WHERE key = ?", _client_key(name, client)) is None:
        found.append(_account(name))
    return found


def _account(name: str) -> _Count:
    return _Count(f"name:{_digest(accounts.normal_name(name))}", MOST_ACCOUNT)


def _client_key(name: str, client: str) -> str:
    return f"known:{_digest(accounts.normal_name(name), client)}"


def _digest(*texts: str) -> str:
    packed = b"\0".join(text.encode("utf-8", "replace") for text in texts)
    return hashlib.sha256(packed).hexdigest()[:_DIGITS]


def _wait(db: Database, count: _Count, moment: float) -> int:
    """Seconds until the next attempt; 0 for now."""
    row = db.one("SELECT until FROM login_failure WHERE key = ?", count.key)
    if row is None:
        return 0
    until = dt.datetime.fromisoformat(row["until"]).timestamp()
    return max(0, math.ceil(until - moment))


def _add(db: Database, count: _Count, moment: float) -> None:
    failures = db.value("SELECT failures FROM login_failure WHERE key = ?", count.key) or 0
    over = failures + 1 - count.most
    wait = 0 if over < 0 else min(LONGEST_WAIT, FIRST_WAIT << min(over, 20))
    db.run(
        "INSERT INTO login_failure (key, failures, since, until) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (key) DO UPDATE SET failures = excluded.failures, until = excluded.until",
        count.key,
        failures + 1,
        moment_text(moment),
        moment_text(moment + wait),
    )
