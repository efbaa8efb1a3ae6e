"""How a test waits for a page: it asks again and again, from outside. (`wait_for_function` of
playwright evaluates strings inside the page, which the policy of our pages forbids.)"""

from __future__ import annotations

import asyncio
from typing import Any

from tests.browser.scripted import id_of

#: The ids of the list, from first to last.
IDS = "[...document.querySelectorAll('#hits > li')].map(card => card.dataset.id)"
#: Resolves when the script has drawn all that it has received.
_DRAWN = """() => new Promise(done => setTimeout(
  () => requestAnimationFrame(() => requestAnimationFrame(done)), 120))"""
_LONGEST = 60.0  # seconds; a machine may be busy


async def until(page: Any, expression: str, want: Any = True) -> None:
    """Waits until an expression of JavaScript has a value."""
    now = None
    try:
        async with asyncio.timeout(_LONGEST):
            while (now := await _value(page, expression)) != want:
                await asyncio.sleep(0.03)
    except TimeoutError:
        assert now == want, expression
        raise


async def _value(page: Any, expression: str) -> Any:
    """The value of an expression; None while the window goes to another page."""
    try:
        return await page.evaluate(expression)
    except Exception as error:
        if "context was destroyed" not in str(error):
            raise
        return None


async def stands(page: Any, *numbers: int) -> None:
    """Waits until the list has these works in this order."""
    await until(page, IDS, [id_of(number) for number in numbers])


async def drawn(page: Any) -> None:
    """Waits until the page shows all that it has received."""
    await page.evaluate(_DRAWN)
