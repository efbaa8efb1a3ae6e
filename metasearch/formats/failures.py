"""Failures in the same words, reported once: without a network all sources fail in one way."""

from __future__ import annotations

from collections.abc import Iterable

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
