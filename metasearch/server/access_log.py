"""The log of requests, and JSON lines for it. The parent of the workers loads this, too, so it
imports little.
"""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

#: One record a request, at INFO; its fields are in the record's `request`.
logger = logging.getLogger("metasearch.access")


def places_of(error: BaseException) -> str:
    """The kinds and places of an error and of what led to it, without their words, which may repeat
    the body of a request.
    """
    chain: list[str] = []
    now: BaseException | None = error
    while now is not None:
        chain.append(f"{''.join(traceback.format_tb(now.__traceback__))}{type(now).__qualname__}")
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)
    return "\n".join(reversed(chain))


class JsonLines(logging.Formatter):
    """Every record as a line of JSON: time, level, message, a request's fields, the error."""

    def format(self, record: logging.LogRecord) -> str:
        """One object, without a line end."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        request = getattr(record, "request", None)
        fields |= request if isinstance(request, dict) else {"message": record.getMessage()}
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return json.dumps(fields, default=str, ensure_ascii=False, separators=(",", ":"))
