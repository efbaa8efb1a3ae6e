"""Answers in tests."""

from __future__ import annotations

import json
from typing import Any


def untimed(answer: dict[str, Any]) -> Any:
    """A JSON answer as it is read, without the seconds that it and its sources took, which differ
    from run to run."""
    for name in ("seconds", "merge_seconds"):
        answer.pop(name)
    for report in answer["sources"]:
        report.pop("seconds")
    return json.loads(json.dumps(answer, default=str))
