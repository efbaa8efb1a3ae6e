from __future__ import annotations

import pytest

from metasearch.adapters.health import FAILURES, LONGEST_PAUSE, OPEN_SECONDS, Health, SourceState
from metasearch.errors import AccessDenied, Blocked, ConnectFailed, RateLimited


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health("db", clock)


DOWN = ConnectFailed("db", "no connection")


def broken(health: Health) -> None:
    for _ in range(FAILURES):
        health.failed(DOWN)


def test_a_new_source_is_well(health: Health) -> None:
    """Nothing is known against it."""
    health.check()

    assert health.state == SourceState("db", "ok", 0.0, None)
    assert health.admit() is False


def test_failures_in_a_row_open_the_breaker(health: Health) -> None:
    """One fewer does not; the last one does, and asking fails at once with the reason."""
    for _ in range(FAILURES - 1):
        health.failed(DOWN)
    health.check()
    health.failed(DOWN)

    assert health.state == SourceState("db", "open", OPEN_SECONDS, "no connection")
    with pytest.raises(ConnectFailed, match="left alone for 30 s after repeated failures: no connection"):
        health.check()


def test_an_answer_between_starts_the_count_again(health: Health) -> None:
    """Only failures in a row count."""
    for _ in range(3 * FAILURES):
        health.failed(DOWN)
        health.answered()

    assert health.state.state == "ok"
    assert health.state.last_error is None


def test_one_probe_goes_through_when_the_time_is_over(health: Health, clock: Clock) -> None:
    """Half-open lets one request out and holds back the others until it has come back."""
    broken(health)
    clock.now += OPEN_SECONDS

    assert health.state.state == "half-open"
    assert health.admit() is True
    with pytest.raises(ConnectFailed, match="probe"):
        health.check()

    health.answered()
    assert health.admit() is False


def test_a_failed_probe_opens_the_breaker_again(health: Health, clock: Clock) -> None:
    """One failure is enough then."""
    broken(health)
    clock.now += OPEN_SECONDS
    health.admit()
    health.failed(DOWN)

    assert health.state == SourceState("db", "open", OPEN_SECONDS, "no connection")


def test_a_probe_that_we_gave_up_leaves_room_for_the_next(health: Health, clock: Clock) -> None:
    """A user who walks away proves nothing about the source."""
    broken(health)
    clock.now += OPEN_SECONDS
    health.admit()
    health.abandoned()

    assert health.admit() is True


def test_a_refusal_pauses_the_source(health: Health, clock: Clock) -> None:
    """Asking fails at once with the time that is left, until it is over."""
    health.refused(RateLimited("db", 7), 7)
    clock.now += 2
    with pytest.raises(RateLimited) as caught:
        health.check()

    assert caught.value.retry_after == 5
    assert health.state.state == "paused"
    clock.now += 5
    health.check()


def test_a_bot_wall_is_remembered_as_one(health: Health) -> None:
    """During the pause that follows, the error still says what was met."""
    health.refused(Blocked("db", "a captcha page"), 30)
    with pytest.raises(Blocked, match="left alone for 30 s: a captcha page"):
        health.check()


def test_a_pause_is_never_shortened_nor_endless(health: Health) -> None:
    """The longer of two pauses counts, up to a bound."""
    health.refused(RateLimited("db"), 50)
    health.refused(RateLimited("db"), 5)
    assert health.state.until == 50

    health.refused(RateLimited("db"), 1e9)
    assert health.state.until == LONGEST_PAUSE


def test_other_errors_are_shown_but_stop_nothing(health: Health) -> None:
    """A wrong key is worth telling; the next request may still go."""
    health.noted(AccessDenied("db", 401))
    health.check()

    assert health.state == SourceState("db", "ok", 0.0, "access denied (401)")
