"""What of a strategy other databases cannot be asked, as notes of the writers of their syntaxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from metasearch.message import message
from metasearch.query.syntaxes import NAMES
from metasearch.query.writer import write_query
from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.reading import ReviewedStrategy
from metasearch.review.strategies.references import numbers
from metasearch.review.strategies.writer import check_target


def target_rules(targets: Sequence[str]) -> tuple[Rule, ...]:
    """A rule for each database that a strategy is to be written for. Raises UsageError: there is no
    such syntax.
    """
    for target in targets:
        check_target(target)
    return tuple(partial(untranslatable, target=target) for target in targets)


def untranslatable(strategy: ReviewedStrategy, *, target: str) -> Iterator[Finding]:
    """What is lost of each line that names no others; each loss once, where it is first."""
    told: set[str] = set()
    if target == strategy.syntax:
        return
    for line in strategy.lines:
        query = line.clause.widest if line.clause else None
        if query is None or numbers(query):
            continue
        for note in write_query(query, target).notes:
            if note in told:
                continue
            told.add(note)
            yield Finding(
                "untranslatable",
                message("{database}: {note}", database=NAMES[target].in_sentence, note=note),
                line.start,
                line.end,
                line.number,
            )
