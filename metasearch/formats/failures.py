"""Failures in the same words, reported once: without a network all sources fail in one way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metasearch.events import SourceReport
from metasearch.message import message

#: Sources that are named before what they have in common; of more, their number is.
NAMED_FIRST = 3


def alike(reports: Iterable[SourceReport]) -> list[list[SourceReport]]:
    """Reports with the same words, together, in the order of the first of each."""
    groups: dict[tuple[object, ...], list[SourceReport]] = {}
    for report in reports:
        words = (report.status, str(report.error), report.error and report.error.advice)
        groups.setdefault((report.source,) if report.count else words, []).append(report)
    return list(groups.values())


def reasons(reports: Iterable[SourceReport]) -> Iterator[str]:
    """A line for each reason: its sources, and the error, else the status, that they have."""
    for group in alike(reports):
        error = group[0].error
        names = [report.source for report in group]
        yield as_line(names, str(error) if error else group[0].status)


def as_line(names: list[str], said: str) -> str:
    """The line of a group: "arxiv, dblp: no answer"; "15 sources: no answer: arxiv, ..."."""
    listed = ", ".join(names)
    if len(names) <= NAMED_FIRST:
        return message("{names}: {said}", names=listed, said=said)
    bare = said.rstrip(".")
    return message(
        "{number} sources: {said}: {names}",
        number=len(names),
        said=said if bare == said else bare,
        names=listed,
    )
