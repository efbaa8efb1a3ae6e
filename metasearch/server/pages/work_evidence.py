"""Why the records of a work are one work, which versions they describe, and how a person parts
them: the lines of a file of pins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from metasearch.dedup.pin_lines import read_line
from metasearch.formats.reference import doi_url
from metasearch.formats.text import clean, line, web_url
from metasearch.record import Hit, Match, Record
from metasearch.server.pages.terms import TYPE_WORDS, VERDICT_WORDS

#: Matches, versions, and records of a version that are shown.
_MOST = 100
#: Records that are shown with the lines which part them from the others, and lines of each.
_MOST_PARTED, _MOST_LINES = 10, 50


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of the work; "" where nothing is known.

    Attributes:
        name: Of its source, with its own id where the source has several records of the work.
        place: Its rank at the source; 0 for none.
        address: Its page there; None for none.
        type: To be translated.
    """

    name: str
    source: str
    place: int
    title: str
    year: str
    venue: str
    type: str
    address: str | None
    key: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """What was decided of two records. `verdict`: to be translated."""

    left: str
    right: str
    verdict: str
    because: str
    matcher: str


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of the work.

    Attributes:
        about: Where and when it appeared.
        link: (text, address) of the version itself; None where none is known.
        more: How many records more there are.
    """

    kind: str
    about: Sequence[str]
    link: tuple[str, str] | None
    open_access: bool
    sources: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class Parting:
    """How one record is kept out of the work.

    Attributes:
        lines: Of a file of pins, one for each other record.
        more: How many further lines there are.
        unnamed: Records that no line can name.
    """

    record: str
    lines: Sequence[str]
    more: int
    unnamed: int


class WorkEvidence:
    """The evidence of one work."""

    def __init__(self, hit: Hit, label: Callable[[str], str]) -> None:
        self._hit = hit
        self._label = label
        of_source: dict[str, int] = {}
        for record in hit.records:
            of_source[record.source] = of_source.get(record.source, 0) + 1
        self._names: Mapping[str, str] = {
            record.key: self._name(record, alone=of_source[record.source] == 1)
            for record in hit.records
        }

    def _name(self, record: Record, *, alone: bool) -> str:
        label = self._label(record.source)
        return label if alone else f"{label} {line(record.source_id) or f'#{record.position}'}"

    def _named(self, key: str) -> str:
        return self._names.get(key) or line(key)

    def records(self, most: int) -> list[RecordRow]:
        """The records, best rank first."""
        ranked = sorted(self._hit.records, key=lambda each: (each.position or 10**9, each.key))
        return [
            RecordRow(
                name=self._named(record.key),
                source=self._label(record.source),
                place=record.position,
                title=line(record.title),
                year=str(record.year or ""),
                venue=line(record.venue),
                type=TYPE_WORDS.get(record.type or "", line(record.type)),
                address=web_url(record.url) or doi_url(record.doi),
                key=line(record.key),
            )
            for record in ranked[:most]
        ]

    def matches(self) -> list[EvidenceRow]:
        """What joined the records, the first ones."""
        return [self._match(match) for match in self._hit.matches[:_MOST]]

    @property
    def more_matches(self) -> int:
        """How many are not shown."""
        return max(0, len(self._hit.matches) - _MOST)

    def _match(self, match: Match) -> EvidenceRow:
        return EvidenceRow(
            self._named(match.left),
            self._named(match.right),
            VERDICT_WORDS.get(match.verdict, match.verdict),
            match.because,
            line(match.matcher),
        )

    def versions(self) -> list[VersionRow]:
        """The versions of the work; none where it has but one."""
        of_key = {record.key: record for record in self._hit.records}
        rows = []
        for version in self._hit.versions[:_MOST]:
            records = [of_key[key] for key in version.records if key in of_key]
            dois = (record for record in records if doi_url(record.doi))
            shown = next(dois, records[0] if records else None)
            rows.append(
                VersionRow(
                    line(version.kind),
                    _about(shown) if shown else [],
                    _link(shown) if shown else None,
                    any(record.open_access not in (None, "closed") for record in records),
                    [self._named(key) for key in version.records[:_MOST]],
                    max(0, len(version.records) - _MOST),
                )
            )
        return rows

    def partings(self) -> list[Parting]:
        """How each record is kept out of the work, the first ones; two need the same line."""
        records = self._hit.records
        parted = records[:1] if len(records) == 2 else records[:_MOST_PARTED]
        return [] if len(records) < 2 else [self._parting(record) for record in parted]

    @property
    def more_partings(self) -> int:
        """How many records are not shown with their lines."""
        return max(0, len(self._hit.records) - _MOST_PARTED)

    def _parting(self, record: Record) -> Parting:
        lines: list[str] = []
        unnamed = 0
        others = [each for each in self._hit.records if each.key != record.key]
        for other in others[:_MOST_LINES]:
            pin = pin_line(record.key, other.key)
            lines += [pin] if pin else []
            unnamed += not pin
        title = line(record.title)
        name = self._named(record.key)
        return Parting(
            f"{name}: {title}" if title else name, lines, max(0, len(others) - _MOST_LINES), unnamed
        )


def pin_line(left: str, right: str) -> str:
    """The line of a file of pins that keeps two records apart; "" where a file cannot name one."""
    text = f"different {_quoted(left)} {_quoted(right)}"
    try:
        pin = read_line(text, 1, "")
    except ValueError:
        return ""
    # A key that is read as another name, or that a page cannot show, would part other records.
    same = pin is not None and pin.names == (left, right) and clean(text) == text
    return text if same else ""


def _quoted(name: str) -> str:
    """A name as a word of a line."""
    if not any(c.isspace() or c in "\"'#" for c in name):
        return name
    mark = "'" if '"' in name else '"'
    return f"{mark}{name}{mark}"


def _about(record: Record) -> list[str]:
    parts = (line(record.venue), line(record.pages), line(record.date) or str(record.year or ""))
    return [part for part in parts if part]


def _link(record: Record) -> tuple[str, str] | None:
    if (address := doi_url(record.doi)) is not None:
        return line(record.doi), address
    address = web_url(record.url)
    return (address, address) if address else None
