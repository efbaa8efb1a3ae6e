"""Formatted citations as plain text, a line a hit, in the order of the hits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from metasearch.errors import UsageError
from metasearch.formats.citations.styles import DEFAULT_STYLE, STYLES
from metasearch.formats.origins import BesideHits
from metasearch.record import Hit


def parts(
    hits: Iterable[Hit],
    *,
    beside: BesideHits | None = None,
    style: str = DEFAULT_STYLE,
    accessed: dt.date | None = None,
) -> Iterator[bytes]:
    """A line for each hit, in UTF-8.

    `hits`: in the order of the citations. `beside`: what files say beside the records; a citation
    has no place for any of that. `accessed`: the day on which an online work was seen, where the
    style asks for one; today if None. Raises UsageError: there is no such style.
    """
    if style not in STYLES:
        raise UsageError(
            f"there is no citation style {style[:40]!r}", advice=f"Use one of {', '.join(STYLES)}."
        )
    day = accessed or dt.datetime.now(dt.UTC).date()
    label, citation = STYLES[style].label, STYLES[style].citation
    for number, hit in enumerate(hits, 1):
        yield f"{label.format(number=number)}{citation(hit.record, day)}\n".encode()
