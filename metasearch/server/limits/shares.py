"""Shares: of what takes long, so much goes on at once, and only a part of it for one user.

Of each kind there is one `Shares` a process, so that one user never takes all of it from others;
`permits.py` says who is a user, and which requests take a permit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from metasearch.message import Message, message
from metasearch.server.problem import Problem

#: Seconds after which who was refused may come again.
RETRY_AFTER = 30
#: Who has no share: only the sum holds.
OWNER = ""


class Shares:
    """Permits of one kind. `what`: what is permitted, for people: "archives that are written or
    received". `each`: how many permits are one user's; None takes the half.
    """

    def __init__(self, what: Message, most: int, each: int | None = None) -> None:
        self.what = what
        self.most = most
        self.each = max(1, most // 2) if each is None else each
        self._of_user: Counter[str] = Counter()

    def take(self, user: str) -> Callable[[], None]:
        """Take a permit; returns what gives it back, of which a second call does nothing. Raises
        Problem: 429 where the user has taken a whole share, 503 where others have taken the rest;
        both with `Retry-After`.
        """
        again = {"Retry-After": str(RETRY_AFTER)}
        if user != OWNER and self._of_user[user] >= self.each:
            detail = message(
                "As many of yours are under way as one user may have: {each} {what}. Wait until "
                "one has ended.",
                each=self.each,
                what=self.what,
            )
            raise Problem(429, "share", detail, headers=again)
        if self._of_user.total() >= self.most:
            detail = message(
                "As many are under way as this server takes: {most} {what}. Try again in a moment.",
                most=self.most,
                what=self.what,
            )
            raise Problem(503, "full", detail, headers=again)
        self._of_user[user] += 1
        taken = True

        def give_back() -> None:
            nonlocal taken
            if taken:
                taken = False
                self._of_user[user] -= 1
                if not self._of_user[user]:
                    del self._of_user[user]

        return give_back
