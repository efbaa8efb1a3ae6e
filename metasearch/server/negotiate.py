"""Which of our forms a client would like best: the Accept header of RFC 9110, 12.5.1."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_quality = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?", re.ASCII)
#: Characters of an Accept-Language header that are read.
_LONGEST_HEADER = 1_000


@dataclass(frozen=True, slots=True)
class Range:
    """One media range: "text/*;q=0.5" is Range("text", "*", 0.5)."""

    type: str
    subtype: str
    quality: float

    @property
    def specificity(self) -> int:
        """2 for a whole media type, 1 for "text/*", 0 for "*/*"."""
        return (self.type != "*") + (self.subtype != "*")

    def matches(self, media_type: str) -> bool:
        """Whether the range covers a media type such as "text/html"."""
        kind, _, subtype = media_type.partition("/")
        return self.type in ("*", kind) and self.subtype in ("*", subtype)


def parse_accept(header: str) -> list[Range]:
    """The media ranges of an Accept header; unreadable ones and parameters but `q` fall out."""
    ranges = []
    for part in header.split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        kind, slash, subtype = media.partition("/")
        if not slash or not kind or not subtype or (kind == "*" and subtype != "*"):
            continue
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                quality = float(value) if _quality.fullmatch(value.strip()) else 0.0
        ranges.append(Range(kind, subtype, quality))
    return ranges


def choose(header: str, offered: Iterable[tuple[str, str]]) -> str | None:
    """Name of the offered form that the client prefers, or None where it accepts none of them.

    A client that says nothing takes the first. For each form the most specific range that covers it
    decides; among equals one that was named wins over one that was only covered by a wildcard, then
    the order of the offer. `header`: the Accept header, "" where there is none. `offered`: (name,
    media type), the one that we like best first.
    """
    ranges = parse_accept(header)
    if not header.strip():
        return next((name for name, _ in offered), None)
    best: tuple[float, int] = (0.0, -1)
    chosen = None
    for name, media_type in offered:
        covering = [media_range for media_range in ranges if media_range.matches(media_type)]
        if not covering:
            continue
        deciding = max(
            covering, key=lambda media_range: (media_range.specificity, media_range.quality)
        )
        rating = (deciding.quality, deciding.specificity)
        if deciding.quality > 0 and rating > best:
            best, chosen = rating, name
    return chosen


def preferred_languages(header: str) -> list[str]:
    """The language ranges of an Accept-Language header in small letters, the best liked first
    (RFC 9110, section 12.5.4); those with quality 0 and "*" are left out.
    """
    liked: list[tuple[float, str]] = []
    for part in header[:_LONGEST_HEADER].split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key.strip() == "q":
                quality = float(value) if _quality.fullmatch(value.strip()) else 0.0
        if name and name != "*" and quality > 0:
            liked.append((quality, name))
    return [name for _, name in sorted(liked, key=lambda each: -each[0])]
