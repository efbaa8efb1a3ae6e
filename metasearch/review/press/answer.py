"""A review as an answer: its findings as JSON, and the text with the mends that were taken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.mesh_rules import rules_of_headings
from metasearch.review.press.reading import EACH, ReviewedStrategy, read
from metasearch.review.press.rules import review

#: Characters of what stands at a place that an answer has.
_LONGEST = 2_000
#: How often a text is mended: a mend may be in the way of another one.
_TIMES = 8


@dataclass(frozen=True, slots=True)
class Review:
    """A strategy with what is wrong with it."""

    strategy: ReviewedStrategy
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """`{"syntax", "findings": [{"line", "code", "severity", "element", "message", "place",
        "fix"}]}`; places are offsets in the text as it was read.
        """
        return {
            "syntax": self.strategy.syntax,
            "findings": [finding_object(self.strategy, one) for one in self.findings],
        }


def review_text(text: str, syntax: str | None = None, *more: Rule) -> Review:
    """Read and review a text, with the headings that are installed; see `read` and `review`."""
    strategy = read(text, syntax)
    return Review(strategy, review(strategy, *rules_of_headings(), *more))


def no_review(reason: str) -> dict[str, Any]:
    """The JSON of a strategy that there is no review of, because it cannot be opened."""
    return Review(read(""), (Finding("unreadable", reason, 0, 0),)).as_json()


def finding_object(strategy: ReviewedStrategy, finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    fix = finding.fix
    return {
        "line": finding.line,
        "code": finding.code,
        "severity": finding.severity,
        "element": finding.element,
        "message": str(finding.message),
        "place": {
            "start": finding.start,
            "end": finding.end,
            "text": strategy.text[finding.start : finding.end][:_LONGEST],
        },
        "fix": fix and {"start": fix.start, "end": fix.end, "text": fix.replacement},
    }


def with_mends(
    text: str, syntax: str | None, *more: Rule, only: Collection[tuple[str, int]] = ()
) -> tuple[str, int]:
    """A text with its mends taken, and how many they were. `only`: codes and places of those that
    are taken; without them all whose findings are sure, until none is left. A text that is too
    large to be read to its end stays as it is.
    """
    taken = 0
    strategy = read(text, syntax)
    if strategy.is_cut:
        return text, 0
    findings = review(strategy, *more)
    for _ in range(1 if only else _TIMES):
        chosen = [one for one in findings if ((one.code, one.start) in only if only else one.sure)]
        mend, number = _with_fixes(strategy.text, chosen)
        if not number or mend == strategy.text:
            break
        # The syntax stays that of the first reading: a mend may take its mark away.
        after = read(mend, strategy.syntax if syntax != EACH else EACH)
        found = review(after, *more)
        if not only and _numbers(found) > _numbers(findings):
            break  # a broken text may become worse by what mends a part of it
        strategy, findings, taken = after, found, taken + number
    return strategy.text, taken


def _numbers(findings: Sequence[Finding]) -> tuple[int, ...]:
    """How many errors, warnings and hints there are."""
    grades: list[str] = [finding.severity for finding in findings]
    return tuple(map(grades.count, ("error", "warning", "hint")))


def _with_fixes(text: str, findings: Sequence[Finding]) -> tuple[str, int]:
    """The mends of findings that are not in one another's way, the gravest first."""
    order = {"error": 0, "warning": 1, "hint": 2}
    chosen: list[tuple[int, int, str]] = []
    for finding in sorted(findings, key=lambda one: (order[one.severity], one.start)):
        fix = finding.fix
        if fix is None or any(fix.start < end and start < fix.end for start, end, _ in chosen):
            continue
        if any(fix.start == start for start, _, _ in chosen):
            continue
        chosen.append((fix.start, fix.end, fix.replacement))
    for start, end, replacement in sorted(chosen, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text, len(chosen)
