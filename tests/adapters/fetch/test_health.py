from __future__ import annotations

from collections.abc import Callable

import pytest

from metasearch.adapters.fetch.health import (
    FAILURES,
    LONGEST_PAUSE,
    OPEN_SECONDS,
    OVERLOAD_PAUSE,
    Health,
    Pause,
    SourceState,
)
from metasearch.errors import (
    AccessDenied,
    Blocked,
    ConnectFailed,
    RateLimited,
    ServerFault,
    SourceError,
    Unreachable,
)
from tests.cases import each


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health("db", clock, lambda: 0.0)


DOWN = ConnectFailed("db", "no connection")


def shown(health: Health) -> tuple[str, float, str | None]:
    state = health.state
    return state.state, state.until, state.last_error


def broken(health: Health) -> None:
    for _ in range(FAILURES):
        health.note_failure(DOWN)


def test_a_new_source_is_well(health: Health) -> None:
    """Nothing is known against it."""
    health.check()

    assert health.state == SourceState("db", "ok", 0.0, None)
    assert health.admit() is False


def test_failures_in_a_row_open_the_breaker(health: Health) -> None:
    """One fewer does not; the last one does, and asking fails at once with the reason."""
    for _ in range(FAILURES - 1):
        health.note_failure(DOWN)
    health.check()
    health.note_failure(DOWN)

    assert shown(health) == ("open", OPEN_SECONDS, "no connection")
    with pytest.raises(
        ConnectFailed, match="left alone for 30 s after repeated failures: no connection"
    ):
        health.check()


def test_an_answer_between_starts_the_count_again(health: Health) -> None:
    """Only failures in a row count."""
    for _ in range(3 * FAILURES):
        health.note_failure(DOWN)
        health.note_answer()

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

    health.note_answer()
    assert health.admit() is False


def test_a_failed_probe_opens_the_breaker_again(health: Health, clock: Clock) -> None:
    """One failure is enough then."""
    broken(health)
    clock.now += OPEN_SECONDS
    health.admit()
    health.note_failure(DOWN)

    assert shown(health) == ("open", OPEN_SECONDS, "no connection")


def test_a_probe_that_we_gave_up_leaves_room_for_the_next(health: Health, clock: Clock) -> None:
    """A user who walks away proves nothing about the source."""
    broken(health)
    clock.now += OPEN_SECONDS
    health.admit()
    health.release_probe()

    assert health.admit() is True


def test_a_refusal_pauses_the_source(health: Health, clock: Clock) -> None:
    """Asking fails at once with the time that is left, until it is over."""
    health.note_refusal(RateLimited("db", 7), 7)
    clock.now += 2
    with pytest.raises(RateLimited) as caught:
        health.check()

    assert caught.value.retry_after == 5
    assert health.state.state == "paused"
    clock.now += 5
    health.check()


def test_overload_pauses_for_a_moment(health: Health, clock: Clock) -> None:
    """A source that cannot answer now, and does not say how long, is left alone; the error tells
    what it answered."""
    busy = ServerFault("db", 503)
    health.note_failure(busy)
    health.note_overload(busy)
    with pytest.raises(
        Unreachable, match="left alone for 5 s: the database answered 503"
    ) as caught:
        health.check()

    assert not isinstance(caught.value, RateLimited)
    assert shown(health) == ("paused", OVERLOAD_PAUSE, "the database answered 503")
    assert health.state.failures == 1
    clock.now += OVERLOAD_PAUSE
    assert health.admit() is True
    health.note_answer()
    assert shown(health) == ("ok", 0.0, None)


def test_a_probe_that_meets_overload_again_opens_the_breaker(health: Health, clock: Clock) -> None:
    """The second wait is the longer one, and another word of overload does not shorten it."""
    busy = ServerFault("db", 503)
    health.note_failure(busy)
    health.note_overload(busy)
    clock.now += OVERLOAD_PAUSE
    health.admit()
    health.note_failure(busy)
    health.note_overload(busy)

    assert shown(health)[:2] == ("open", OPEN_SECONDS)


def test_a_bot_wall_is_remembered_as_one(health: Health) -> None:
    """During the pause that follows, the error still says what was met."""
    health.note_refusal(Blocked("db", "a captcha page"), 30)
    with pytest.raises(Blocked, match="left alone for 30 s: a captcha page"):
        health.check()


def test_a_pause_is_never_shortened_nor_endless(health: Health) -> None:
    """The longer of two pauses counts, up to a bound."""
    health.note_refusal(RateLimited("db"), 50)
    health.note_refusal(RateLimited("db"), 5)
    assert health.state.until == 50

    health.note_refusal(RateLimited("db"), 1e9)
    assert health.state.until == LONGEST_PAUSE


def test_other_errors_are_shown_but_stop_nothing(health: Health) -> None:
    """A wrong key is worth telling; the next request may still go."""
    health.note_error(AccessDenied("db", 401))
    health.check()

    assert shown(health) == ("ok", 0.0, "access denied (401)")


# After a pause


@pytest.mark.parametrize("refusal", [RateLimited("db", 7), Blocked("db", "a captcha page")])
def test_one_probe_goes_through_after_a_pause(
    health: Health, clock: Clock, refusal: RateLimited | Blocked
) -> None:
    """Those who waited for its end are held back, with the same kind of error, until the probe is
    answered."""
    health.note_refusal(refusal, 7)
    clock.now += 7

    assert health.state.state == "half-open"
    assert health.admit() is True
    with pytest.raises(type(refusal)):
        health.admit()
    health.note_answer()
    assert health.admit() is False
    assert shown(health) == ("ok", 0.0, None)


def test_a_probe_that_is_refused_pauses_again(health: Health, clock: Clock) -> None:
    """The source says once more how long; nobody else asks meanwhile."""
    health.note_refusal(RateLimited("db", 7), 7)
    clock.now += 7
    health.admit()
    health.note_refusal(RateLimited("db", 9), 9)

    assert shown(health)[:2] == ("paused", 9)


def test_a_probe_without_an_answer_opens_the_breaker(health: Health, clock: Clock) -> None:
    """Also after a pause; and then the breaker is what is told."""
    health.note_refusal(RateLimited("db", 7), 7)
    clock.now += 7
    health.admit()
    health.note_failure(DOWN)

    assert shown(health) == ("open", OPEN_SECONDS, "no connection")
    with pytest.raises(ConnectFailed, match="repeated failures"):
        health.check()


def test_an_answer_from_before_a_pause_does_not_end_it(health: Health, clock: Clock) -> None:
    """Requests that were on their way when the source refused one may still be answered."""
    health.note_refusal(RateLimited("db", 7), 7)
    health.note_answer()

    assert shown(health) == ("paused", 7, "too many requests: asked to wait for 7 s")


@pytest.mark.parametrize(("pause", "most"), [(20, 22), (1000, 1005)])
def test_a_pause_is_stretched_at_random(clock: Clock, pause: float, most: float) -> None:
    """Several processes do not come back at once: up to a tenth longer, five seconds at most, never
    shorter."""
    for draw in (0.0, 1.0):
        health = Health("db", clock, lambda draw=draw: draw)
        health.note_refusal(RateLimited("db", pause), pause)
        assert health.state.until == (most if draw else pause)

    health = Health("db", clock, lambda: 1.0)
    broken(health)
    assert health.state.until == OPEN_SECONDS + 3


def test_requests_and_failures_are_counted(health: Health) -> None:
    """Every request that went out, and every one that brought an error."""
    for error in (None, DOWN, AccessDenied("db", 401)):
        health.admit()
        if error is None:
            health.note_answer()
        elif error is DOWN:
            health.note_failure(error)
        else:
            health.note_error(error)
    health.admit()
    health.note_refusal(RateLimited("db", 7), 7)

    assert (health.state.requests, health.state.failures) == (4, 3)


# ---------------------------------------------------------------------------------- other processes

LIMITED, BLOCKED = RateLimited("db", 40.0), Blocked("db", "a bot wall where an answer should be")
OVERLOADED = ServerFault("db", 503)


def told_by(act: Callable[[Health], None]) -> list[Pause]:
    """What others hear of what happens to a source."""
    told: list[Pause] = []
    act(Health("db", Clock(), lambda: 1.0, told.append))
    return told


@each(
    ("act", "pause"),
    [
        (lambda it: it.note_refusal(LIMITED, 40.0), Pause("db", "limited", 40.0, str(LIMITED))),
        (
            lambda it: it.note_refusal(BLOCKED, 9e9),
            Pause("db", "blocked", LONGEST_PAUSE, str(BLOCKED)),
        ),
        (
            lambda it: it.note_refusal(ServerFault("db", 503, retry_after=7.0), 7.0),
            Pause("db", "limited", 7.0, "the database answered 503"),
        ),
        (
            lambda it: it.note_overload(OVERLOADED),
            Pause("db", "overloaded", OVERLOAD_PAUSE, "the database answered 503"),
        ),
        (broken, Pause("db", "failing", OPEN_SECONDS, "no connection")),
    ],
)
def test_each_wait_that_begins_is_told_as_it_was_asked_for(
    act: Callable[[Health], None], pause: Pause
) -> None:
    """Before it is stretched, for everybody stretches it for themselves."""
    assert told_by(act) == [pause]


def test_what_begins_no_wait_is_not_told() -> None:
    """Neither single failures, nor a pause of no time, nor a pause while the source is left alone
    already."""

    def act(it: Health) -> None:
        it.note_failure(DOWN)
        it.note_error(AccessDenied("db", 401))
        it.note_refusal(LIMITED, 0.0)
        it.note_answer()

    assert told_by(act) == []
    assert len(told_by(lambda it: (broken(it), it.note_overload(OVERLOADED)))) == 1  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    ("pause", "error", "state"),
    [
        (Pause("db", "limited", 40.0, "too many"), RateLimited, "paused"),
        (Pause("db", "blocked", 40.0, "a bot wall"), Blocked, "paused"),
        (Pause("db", "overloaded", 40.0, "the database answered 503"), Unreachable, "paused"),
        (Pause("db", "failing", 40.0, "no connection"), ConnectFailed, "open"),
    ],
)
def test_a_wait_of_another_process_is_ours(
    clock: Clock, pause: Pause, error: type[SourceError], state: str
) -> None:
    """Asking fails in the same way, the wait is stretched here and ends with a probe of our own;
    nobody is told on."""
    told: list[Pause] = []
    health = Health("db", clock, lambda: 0.5, told.append)
    health.heed(pause)

    assert shown(health) == (state, 42.0, pause.reason)
    with pytest.raises(error) as caught:
        health.check()
    assert type(caught.value) is error
    assert (health.state.requests, health.state.failures) == (
        0,
        0,
    )  # they are counted where they happened
    clock.now = 42.0
    assert health.admit() is True
    health.note_answer()
    assert shown(health) == ("ok", 0.0, None)
    assert told == []


def test_the_longer_wait_counts(clock: Clock) -> None:
    """One that is told does not shorten one that is there."""
    health = Health("db", clock, lambda: 0.0)
    health.note_refusal(LIMITED, 100.0)
    health.heed(Pause("db", "limited", 5.0, "too many"))
    other = Health("db", clock, lambda: 0.0)
    broken(other)
    other.heed(Pause("db", "failing", 5.0, "no connection"))

    assert (health.state.until, other.state.until) == (100.0, OPEN_SECONDS)


def test_an_answer_closes_a_breaker_that_was_opened_elsewhere(clock: Clock) -> None:
    """What comes back here says more than what another process did not get."""
    health = Health("db", clock, lambda: 0.0)
    health.heed(Pause("db", "failing", 30.0, "no connection"))
    health.note_answer()

    assert shown(health) == ("ok", 0.0, None)
