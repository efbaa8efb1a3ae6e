"""One work of a result page: its texts and addresses, as the template `_hit.html` shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.formats.reference import doi_url, field_sources, full_title
from metasearch.formats.text import line, web_url
from metasearch.record import Hit, Reason, Record

if TYPE_CHECKING:
    from metasearch.server.pages.coins import Resolver

_AUTHORS_SHOWN = 8
#: Characters of an abstract that are shown.
_EXCERPT = 320
_language = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class HitView:
    """A hit as text for people; "" where nothing is known.

    Attributes:
        address: Of the work: its DOI, else its page at a source.
        language: Of title and abstract, as HTML names it.
        place: Year, volume and pages.
        abstract: Its beginning.
        found_in: (source with its rank there, address of the record or None), best rank first.
        reasons, matches, versions, origins: (text, detail) of each line that explains the hit.
        context_object: Its description for reference managers.
        page_address: Of its record page; "" for none.
        resolver: (text, address) of the link to the library's link resolver; None for none.
    """

    rank: int
    score: float
    title: str
    address: str | None
    language: str | None
    authors: str
    venue: str
    place: str
    abstract: str | None
    retracted: bool
    type: str
    open_access: bool
    found_in: Sequence[tuple[str, str | None]]
    doi: str
    doi_address: str | None
    pdf_address: str | None
    record_count: int
    reasons: Sequence[tuple[str, str]]
    matches: Sequence[tuple[str, str]]
    versions: Sequence[tuple[str, str]]
    origins: Sequence[tuple[str, str]]
    context_object: str
    page_address: str
    resolver: tuple[str, str] | None


def hit_view(
    hit: Hit,
    labels: Mapping[str, str],
    base: str,
    *,
    page: str = "",
    resolver: Resolver | None = None,
) -> HitView:
    """The view of a hit.

    Args:
        hit: From an answer.
        labels: Source name -> what people call it.
        base: Absolute address of this server.
        page: The local address of its record page.
        resolver: The library's link resolver.
    """
    from metasearch.server.pages.coins import context_object  # which loads formats

    record = hit.record
    language = record.language or ""
    return HitView(
        rank=hit.rank,
        score=hit.score,
        title=full_title(record) or "[no title]",
        address=doi_url(record.doi) or web_url(record.url),
        language=language if _language.fullmatch(language) else None,
        authors=_authors(record),
        venue=line(record.venue) or line(record.publisher),
        place=_place(record),
        abstract=_excerpt(record.abstract) if record.abstract else None,
        retracted=bool(record.retracted),
        type=(record.type or "").replace("-", " "),
        open_access=record.open_access not in (None, "closed"),
        found_in=_found_in(hit, labels),
        doi=line(record.doi),
        doi_address=doi_url(record.doi),
        pdf_address=web_url(record.pdf_url),
        record_count=len(hit.records),
        reasons=[(_reason(reason, labels), f"{reason.points:+.4f}") for reason in hit.reasons],
        matches=[
            (
                line(match.because),
                f"({line(match.matcher)}: {line(match.left)} and {line(match.right)})",
            )
            for match in hit.matches
        ],
        versions=[
            (f"{line(version.kind)}: {', '.join(line(key) for key in version.records)}", "")
            for version in hit.versions
        ],
        origins=[(origin, "") for origin in field_sources(hit, labels)],
        context_object=context_object(hit, base),
        page_address=page,
        resolver=(resolver.name, resolver.link(hit, base)) if resolver else None,
    )


def _authors(record: Record) -> str:
    names = [line(author.name) for author in record.authors]
    more = len(names) - _AUTHORS_SHOWN
    if more <= 1:
        return ", ".join(names)
    return f"{', '.join(names[:_AUTHORS_SHOWN])} and {more} more"


def _place(record: Record) -> str:
    issue = f"({line(record.issue)})" if record.issue else ""
    pages = line(record.pages)
    parts = (
        str(record.year) if record.year is not None else "",
        f"{line(record.volume)}{issue}",
        f"p. {pages}" if pages else "",
    )
    return ", ".join(filter(None, parts))


def _excerpt(abstract: str) -> str:
    text = line(abstract)
    if len(text) <= _EXCERPT:
        return text
    cut = text[:_EXCERPT]
    # Text without blanks (Chinese, Japanese) is cut where it stands.
    return (cut[: cut.rfind(" ")] if " " in cut[_EXCERPT // 2 :] else cut) + "…"


def _found_in(hit: Hit, labels: Mapping[str, str]) -> list[tuple[str, str | None]]:
    ranked = sorted(hit.records, key=lambda record: (record.position or 10**9, record.source))
    shown: list[tuple[str, str | None]] = []
    for record in ranked:
        label = line(labels.get(record.source, record.source))
        text = f"{label} #{record.position}" if record.position else label
        shown.append((text, web_url(record.url)))
    return shown


def _reason(reason: Reason, labels: Mapping[str, str]) -> str:
    """A reason such as "crossref ranks it 3", with the label of the source in place of its name."""
    text, source = line(reason.text), reason.source
    if source is None or not text.startswith(f"{source} "):
        return text
    return labels.get(source, source) + text.removeprefix(source)
