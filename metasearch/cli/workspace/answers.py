"""Answers of sources as a table, and as an exit code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from metasearch.cli.terminal.columns import columns
from metasearch.cli.terminal.exits import Exit

if TYPE_CHECKING:
    from metasearch.workspace.runs.runs import SourceAnswer


def lines_of(answers: Sequence[SourceAnswer]) -> Iterator[str]:
    """A row for each step and source. A number that is not known is "-", never 0."""
    if not answers:
        return
    rows: list[tuple[str, ...]] = [("step", "source", "status", "hits", "fetched", "as of", "")]
    rows += [
        (
            f"#{each.step}",
            each.source,
            each.status,
            ("" if each.exact or each.claimed is None else "about ") + known(each.claimed),
            known(each.fetched),
            each.asked_at or "-",
            "cached" if each.cached else "",
        )
        for each in answers
    ]
    yield from columns(rows)


def known(number: int | None) -> str:
    """A number, or "-" where it is not known."""
    return "-" if number is None else f"{number:,}"


def exit_of(answers: Sequence[SourceAnswer]) -> Exit:
    """How a run went: no source answered, some failed, none had a hit, or all is well."""
    if not any(answer.answered or (answer.fetched or 0) > 0 for answer in answers):
        return Exit.NO_ANSWER
    if any(answer.failed for answer in answers):
        return Exit.PARTIAL
    return Exit.OK if any(answer.claimed or answer.fetched for answer in answers) else Exit.NO_HITS
