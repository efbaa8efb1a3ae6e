"""How many examples a property is tried on: a share of what the profile says
(tests/conftest.py)."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

FEWEST = 2


def examples(times: float, **more: Any) -> settings:
    """Settings for a property whose examples cost less, or more, than others'.

    Args:
        times: Examples, as a multiple of the profile's.
        more: Other settings of hypothesis.
    """
    return settings(max_examples=max(FEWEST, round(times * settings().max_examples)), **more)
