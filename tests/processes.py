"""No process is started by a test that is not marked `slow`: such a test takes seconds, and ends
when the machine lets it."""

from __future__ import annotations

import multiprocessing.util
import os
import subprocess
from collections.abc import Callable
from typing import Any

#: Whether the test that runs is marked `slow`; tests/conftest.py sets it before each.
allowed = True


def _guard(place: Any, name: str) -> None:
    start: Callable[..., Any] = getattr(place, name)

    def start_if_allowed(*args: Any, **kwargs: Any) -> Any:
        assert allowed, "a test that starts a process takes seconds: mark it `slow`"
        return start(*args, **kwargs)

    setattr(place, name, start_if_allowed)


if hasattr(os, "fork"):
    _guard(os, "fork")
_guard(subprocess.Popen, "_execute_child")
_guard(multiprocessing.util, "spawnv_passfds")
