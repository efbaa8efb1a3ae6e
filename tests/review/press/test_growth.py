"""The time of a review grows with the length of the strategy, whatever its lines name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from metasearch.review.press.answer import review_text
from tests.growth import MOST, growth

pytestmark = pytest.mark.slow

STRATEGIES: dict[str, Callable[[int], str]] = {
    "lines of words": lambda size: "\n".join(
        f"{at}. (sleep{at}* or nap{at}).ti,ab." for at in range(1, size)
    ),
    "lines in a chain": lambda size: "\n".join(
        ["1. nap.ti.", *(f"{at}. {at - 1} or {max(1, at - 2)}" for at in range(2, size))]
    ),
    "alternatives of one line": lambda size: " OR ".join(f"nap{at}[ti]" for at in range(size)),
    "exclusions": lambda size: " NOT ".join(f"nap{at}[ti]" for at in range(size)),
}


@pytest.mark.parametrize("kind", STRATEGIES)
def test_the_time_of_a_review_is_linear(kind: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = STRATEGIES[kind](size)
        return lambda: review_text(text)

    assert growth(work, 200) < MOST
