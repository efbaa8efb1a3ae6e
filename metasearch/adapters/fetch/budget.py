"""What the headers of an answer say of how often its source may be asked: `Retry-After`, what is
left of a budget, and a rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from metasearch.adapters.request import Budget, Rate
from metasearch.late_pattern import late_pattern

# There are three families of such headers, and each is written in several ways:
#
# - `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3), and the same in names of its own:
#   `X-RateLimit-Retry-After` (CORE), `x-rate-limit-retry-after-seconds` (Lens);
# - `X-RateLimit-Limit`, `-Remaining` and `-Reset`, with or without "X-" and a second hyphen, and
#   with a word for what they count: `-USD` (OpenAlex), `-Day` (Kong), `-Request-Per-Month` (Lens).
#   A reset is in seconds from now, in Unix time (also in milliseconds), or a date;
# - `RateLimit` and `RateLimit-Policy` of the IETF draft, in the form of its revisions 7 and 10.

_NAME = late_pattern(r"(?:x-)?rate-?limit(?:-?(?=[a-z])(.*))?")
_NUMBER = late_pattern(r"[0-9]{1,15}(?:\.[0-9]{1,12})?")
#: Numbers from here on are Unix times, in seconds or in milliseconds.
_UNIX, _UNIX_MILLISECONDS = 1e9, 1e12
#: What comes on top of a budget, and is used when that is used up.
_ON_TOP = frozenset({"onetime", "prepaid"})
#: Words for what a request takes from a budget. "Used" alone is what all of them have taken.
_TAKEN = frozenset({"cost", "credits"})
#: Words for a window, and its seconds: a reset after it is that of another budget.
_WINDOWS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0}
#: What does not tell one budget from another.
_SILENT = _ON_TOP | _TAKEN | {"used", "required", "seconds", "date"}
#: Seconds of the longest window that is a rate; what a longer one allows is a budget.
_LONGEST_RATE = 10.0
#: Headers that are read; more are in no honest answer.
_MOST = 40


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `Retry-After` asks for, in any of its forms; None where there is none.

    A date is held against the server's own `Date`, so that a clock that is wrong here does not
    matter. `now`: Unix time in seconds, for a server that sends no `Date`.
    """
    if text := headers.get("Retry-After", "").strip():
        return _until(text, headers, now)
    for words, text in _named(headers):
        if "retry" in words and (seconds := _until(text, headers, now)) is not None:
            return seconds
    return None


def budget(headers: Mapping[str, str], now: float) -> Budget | None:
    """What is left, by the headers: of several budgets the one that is used up first, and for the
    longest time. `now`: as for `retry_after`.
    """
    found = [*_of_words(headers, now), *_of_draft(headers, now)]
    return max(found, key=_urgency, default=None)


def rate(headers: Mapping[str, str]) -> Rate | None:
    """How many requests may start in some seconds, by the headers; the slowest one."""
    found = [
        Rate(float(allowed), per)
        for allowed, per in _rates(headers)
        if allowed >= 1 and 0 < per <= _LONGEST_RATE
    ]
    return min(found, key=lambda stated: stated.requests / stated.per, default=None)


def _urgency(one: Budget) -> tuple[bool, float, float, bool]:
    share = one.left / one.of if one.of else 1.0
    wait = (one.renewed or 0.0) if one.spent else 0.0
    return one.spent, wait, -share, one.unit != "requests"


def _named(headers: Mapping[str, str]) -> Iterator[tuple[frozenset[str], str]]:
    """The headers of rates, each as the words of its name ("remaining", "usd") and its value."""
    count = 0
    for name, text in headers.items():
        lower = name.lower()
        match = _NAME.fullmatch(lower) if "rate" in lower[:6] else None
        if match is not None and match[1]:
            yield frozenset(match[1].split("-")), text.strip()
            count += 1
        if count == _MOST:
            return


def _of_words(headers: Mapping[str, str], now: float) -> Iterator[Budget]:
    """The budgets of `X-RateLimit-Remaining` and its like."""
    limits: dict[frozenset[str], float] = {}
    left: dict[frozenset[str], float] = {}
    taken: dict[frozenset[str], float] = {}
    renewed: dict[frozenset[str], float] = {}
    in_credits = False
    for words, text in _named(headers):
        number = _number(text)
        of = words - {"limit", "remaining", "reset"} - _SILENT
        in_credits |= "credits" in words
        if "reset" in words:
            if (seconds := _until(text, headers, now)) is not None:
                renewed[of] = seconds
        elif number is None:
            continue
        elif "remaining" in words:
            left[of] = left.get(of, 0.0) + number
        elif words & _TAKEN:
            taken[of] = max(taken.get(of, 0.0), number)
        elif "limit" in words and not words & _ON_TOP:
            limits[of] = number
    for of, number in left.items():
        counted = "credits" if in_credits and not of else "requests"
        reset = renewed.get(of, renewed.get(frozenset()))
        windows = [seconds for word, seconds in _WINDOWS.items() if word in of]
        yield Budget(
            left=number,
            of=limits.get(of),
            unit="USD" if "usd" in of else counted,
            cost=taken.get(of, 0.0),
            renewed=None if reset is None else min([reset, *windows]),
        )


def _of_draft(headers: Mapping[str, str], now: float) -> Iterator[Budget]:
    """The budgets of `RateLimit`: `"default";r=50;t=30`, or `limit=100, remaining=50, reset=30`."""
    policies = dict(_items(headers.get("RateLimit-Policy", "")))
    items = list(_items(headers.get("RateLimit", "")))
    if items and all(not name for name, _ in items):
        items = [("", {key: value for _, facts in items for key, value in facts.items()})]
    for name, facts in items:
        policy = policies.get(name, {})
        left = _number(facts.get("r", facts.get("remaining", "")))
        if left is None or policy.get("qu", "requests") == "concurrent-requests":
            continue
        yield Budget(
            left=left,
            of=_number(policy.get("q", facts.get("limit", ""))),
            unit=policy.get("qu", "requests")[:20],
            renewed=_until(facts.get("t", facts.get("reset", "")), headers, now),
        )


def _rates(headers: Mapping[str, str]) -> Iterator[tuple[float, float]]:
    """Requests and seconds of every window that is stated."""
    named = dict(_named(headers))
    interval = _number(named.get(frozenset({"interval"}), ""))
    allowed = _number(named.get(frozenset({"limit"}), ""))
    if interval is not None and allowed is not None:
        yield allowed, interval
    for name, facts in _items(headers.get("RateLimit-Policy", "")):
        allowed, window = _number(facts.get("q", name)), _number(facts.get("w", ""))
        if allowed is not None and window is not None and facts.get("qu", "requests") == "requests":
            yield allowed, window


def _items(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The members of a structured list, each with its parameters: `"a";q=1;w=2, b;q=3`. A member
    that is itself `name=value` has no name.
    """
    for item in text[:1000].split(","):
        first, *others = (part.strip() for part in item.split(";"))
        name = "" if "=" in first else first.strip('"')
        pairs = (part.partition("=") for part in (first, *others) if "=" in part)
        facts = {key.strip().lower(): value.strip().strip('"') for key, _, value in pairs}
        if name or facts:
            yield name, facts


def _number(text: str) -> float | None:
    """The number that a text begins with: "100", "100, 100;w=60", "1s"."""
    match = _NUMBER.match(text)
    return float(match[0]) if match else None


def _until(text: str, headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until a moment: it is given in seconds from now, in Unix time, or as a date."""
    number = _number(text)
    if number is not None and _NUMBER.fullmatch(text.rstrip("s")):
        if number < _UNIX:
            return number
        moment: float | None = number / 1000 if number >= _UNIX_MILLISECONDS else number
    else:
        moment = _timestamp(text)
    if moment is None:
        return None
    there = _timestamp(headers.get("Date", ""))
    return max(0.0, moment - (now if there is None else there))


def _timestamp(text: str) -> float | None:
    """The Unix time of a date as HTTP or ISO 8601 writes it."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        with suppress(ValueError, OverflowError, OSError):
            moment = read(text[:60])
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
