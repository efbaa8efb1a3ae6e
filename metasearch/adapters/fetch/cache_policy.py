"""What a kept page is worth, and the form in which it is kept.

    fetched ── ttl ──> ageing ── grace ──> spare ── until ttl + max(grace, SPARE_SECONDS) ──>
    nothing
      fresh: is the answer    answered at once,     the answer only where the
                              fetched anew behind   source cannot be asked

A page without hits is fresh for a minute at most, and then nothing: a catalogue that was corrected
must soon be seen.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

import orjson

from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import Limits
from metasearch.deflated import Deflatable
from metasearch.message import Message, message, message_template

#: Seconds after its ttl in which a page may stand in for a source that cannot be asked.
SPARE_SECONDS = 86_400.0
#: Seconds that an answer without hits is kept at most.
NEGATIVE_SECONDS = 60.0


class Worth(Enum):
    """What may be done with a kept page."""

    FRESH = auto()
    #: It is answered at once, and fetched anew in the background.
    AGEING = auto()
    #: It is the answer if the source cannot be asked.
    SPARE = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class Kept:
    """A page out of the cache; `negative` where it is known to have no hits."""

    page: Page
    negative: bool = False

    def worth(self, limits: Limits, now: float) -> Worth:
        """What the page is worth at a Unix time; a page from the future is worth nothing."""
        age = now - self.page.fetched_at
        if age < 0:
            return Worth.NOTHING
        if self.negative:
            return Worth.FRESH if age < lifetime(limits, negative=True) else Worth.NOTHING
        if age < limits.ttl:
            return Worth.FRESH
        if age < limits.ttl + _grace(limits):
            return Worth.AGEING
        return Worth.SPARE if age < lifetime(limits) else Worth.NOTHING


def keepable(page: Page) -> bool:
    """Whether a page may be kept at all: an answer with a body; an empty one is an accident."""
    return bool(page.body) and (200 <= page.status < 300 or page.status == 404)


def lifetime(limits: Limits, *, negative: bool = False) -> float:
    """Seconds after which a page of this source is worth nothing."""
    if negative:
        return min(limits.ttl, NEGATIVE_SECONDS)
    return limits.ttl + max(_grace(limits), SPARE_SECONDS)


def shared_lifetime(limits: Limits, *, negative: bool = False) -> float:
    """Seconds for which replicas keep a page for one another: as long as it may be answered."""
    return lifetime(limits, negative=True) if negative else limits.ttl + _grace(limits)


def is_negative(page: Page) -> bool:
    """Whether the status alone means that there are no hits."""
    return page.status == 404


def ageing(page: Page, now: float, *, renewed: bool) -> Page:
    """The page, with a note on its age and whether it is being `renewed`."""
    age = _age(now - page.fetched_at)
    note = (
        message("from the cache, {age} old; a newer answer is being fetched", age=age)
        if renewed
        else message("from the cache, {age} old", age=age)
    )
    return replace(page, note=note)


def spared(page: Page, now: float, reason: str) -> Page:
    """The page, with a note on why it replaces a newer one."""
    return replace(
        page,
        note=message(
            "from the cache, {age} old, because {reason}",
            age=_age(now - page.fetched_at),
            reason=reason,
        ),
        spare=True,
    )


def packed(page: Page, at: float, *, negative: bool = False) -> Deflatable:
    """A line of JSON facts, then the body; `at` is the Unix time at which it was fetched."""
    facts = {
        "status": page.status,
        "type": page.content_type,
        "at": at,
        "negative": negative,
        "total": page.total,
    }
    return Deflatable(b"%b\n%b" % (orjson.dumps(facts), page.body))


def unpacked(kept: bytes, request: Request) -> Kept | None:
    """The page that was packed; None for anything else."""
    head, _, body = kept.partition(b"\n")
    with suppress(ValueError, KeyError, TypeError):
        facts = orjson.loads(head)
        status, kind, at = facts["status"], facts["type"], facts["at"]
        if type(status) is int and type(kind) is str and type(at) in (int, float):
            page = Page(
                request=request,
                status=status,
                content_type=kind,
                body=body,
                fetched_at=at,
                cached=True,
            )
            if type(total := facts.get("total")) is int:
                page = replace(page, total=total)
            return Kept(page, facts.get("negative") is True or is_negative(page))
    return None


def _grace(limits: Limits) -> float:
    return limits.ttl if limits.grace is None else limits.grace


def _age(seconds: float) -> Message:
    """An age in words, in the largest unit of which there are two: "90 s", "45 min", "3 days"."""
    for unit, template in (
        (86_400, message_template("{number} days")),
        (3600, message_template("{number} h")),
        (60, message_template("{number} min")),
    ):
        if seconds >= 2 * unit:
            return message(template, number=f"{seconds / unit:.0f}")
    return message("{number} s", number=f"{seconds:.0f}")
