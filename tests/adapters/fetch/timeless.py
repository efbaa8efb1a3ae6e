"""A loop whose time passes only when nothing is left to do: hours of waiting in milliseconds, and
always the same."""

from __future__ import annotations

import asyncio
import functools
import inspect
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


class _Skipping(selectors.DefaultSelector):
    """Does not wait: tells how long it would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("everything waits for something that never comes")
        self.now = round(
            self.now + max(0.0, timeout), 9
        )  # however many timers there are on the way
        return super().select(0)


class TimelessLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now

    def pass_by(self, seconds: float) -> None:
        """What computing would take."""
        self._skipping.now += seconds


def timeless(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test on such a loop; `asyncio.get_running_loop().time()` is its clock."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        with asyncio.Runner(loop_factory=TimelessLoop) as runner:
            runner.run(test(*args, **kwargs))

    del run.__wrapped__  # else pytest takes it for a coroutine
    run.__signature__ = inspect.signature(test)  # but its parameters are still those of the test
    return run


async def took(coroutine: Awaitable[Any]) -> float:
    """Seconds until it was done."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    await coroutine
    return loop.time() - began
