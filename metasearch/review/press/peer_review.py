"""The review of a project's strategy that is kept with it, for its reports and search files.

details["peer_review"] = {"at": "2026-11-30T10:00:00Z", "tool": "metasearch 1.0",
"steps": SHA-256 of what was reviewed, "findings": [{"line": 2, "code": "unused-line",
"text": what stands there, "message": in English, "said": the message as JSON,
"mend": what would stand there instead, or null}]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metasearch import __version__
from metasearch.message import message_from_json, message_to_json
from metasearch.review.press.findings import CODES, Code, Finding
from metasearch.review.press.reading import EACH, ReviewedStrategy
from metasearch.review.projects.projects import Project
from metasearch.review.store.values import now
from metasearch.review.strategies import strategies
from metasearch.review.strategies.strategies import Step, Strategy

KEY = "peer_review"
#: Characters of what stands at a place that are shown.
_LONGEST = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A finding as people read it, without the strategy beside it.

    Attributes:
        line: The printed number; None where there is none.
        text: What stands at its place; of a long one the beginning.
        mend: What would stand there instead; None where there is no mend.
    """

    line: int | None
    code: str
    text: str
    message: str
    mend: str | None = None

    @property
    def about(self) -> Code:
        return CODES[self.code]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerReview:
    """A review that is kept.

    Attributes:
        at: When it was made, in UTC.
        tool: The program, with its version.
        changed: Whether the strategy has changed since.
    """

    at: str
    tool: str
    changed: bool
    rows: tuple[ReviewRow, ...]


def text_of(steps: Iterable[Step]) -> str:
    """The steps of a strategy as lines with numbers, those that are searched for by a query."""
    return "\n".join(
        f"#{step.number} {' '.join(step.text.splitlines())}" for step in steps if step.has_query
    )


def syntax_of(steps: Iterable[Step]) -> str:
    """The syntax of all steps; `EACH` where they have several, or are read by their marks."""
    syntaxes = {step.syntax for step in steps if step.has_query and step.syntax != "auto"}
    return syntaxes.pop() if len(syntaxes) == 1 else EACH


def rows(strategy: ReviewedStrategy, findings: Iterable[Finding]) -> tuple[ReviewRow, ...]:
    def excerpt(start: int, end: int) -> str:
        whole = " ".join(strategy.text[start:end].split())
        return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"

    return tuple(
        ReviewRow(
            line=each.line,
            code=each.code,
            text=excerpt(each.start, each.end),
            message=each.message,
            mend=None if each.fix is None else each.fix.replacement,
        )
        for each in findings
    )


def keep(
    project: Project, strategy: Strategy, steps: Sequence[Step], found: Iterable[ReviewRow]
) -> Strategy:
    """Keep a review with the strategy, in place of an earlier one. Raises UsageError: it is too
    long.
    """
    review = {
        "at": now(),
        "tool": f"metasearch {__version__}",
        "steps": _digest(steps),
        "findings": [
            {
                "line": row.line,
                "code": row.code,
                "text": row.text,
                "message": str(row.message),
                "said": message_to_json(row.message),
                "mend": row.mend,
            }
            for row in found
        ],
    }
    return strategies.update(project.db, strategy, details={KEY: review}, by=project.by)


def of(strategy: Strategy, steps: Sequence[Step]) -> PeerReview | None:
    """The review that is kept with a strategy; None where there is none, or where an archive has
    brought something else.
    """
    kept = strategy.details.get(KEY)
    if not isinstance(kept, Mapping) or not isinstance(kept.get("findings"), list):
        return None
    return PeerReview(
        at=str(kept.get("at") or ""),
        tool=str(kept.get("tool") or ""),
        changed=kept.get("steps") != _digest(steps),
        rows=tuple(filter(None, map(_row, kept["findings"]))),
    )


def as_json(review: PeerReview) -> dict[str, Any]:
    """As other programs read it, in a search file."""
    return {
        "guideline": "PRESS 2015",
        "at": review.at,
        "tool": review.tool,
        "findings": [
            {
                "line": row.line,
                "code": row.code,
                "severity": row.about.severity,
                "element": row.about.element,
                "text": row.text,
                "message": str(row.message),
                "mend": row.mend,
            }
            for row in review.rows
        ],
    }


def _digest(steps: Iterable[Step]) -> str:
    return hashlib.sha256(text_of(steps).encode()).hexdigest()


def _row(kept: object) -> ReviewRow | None:
    match kept:
        case {
            "line": int() | None as line,
            "code": str(code),
            "text": str(text),
            "message": str(said),
            **more,
        } if code in CODES:
            mend = more.get("mend")
            return ReviewRow(
                line=line,
                code=code,
                text=text,
                message=message_from_json(said, more.get("said")),
                mend=mend if isinstance(mend, str) else None,
            )
    return None
