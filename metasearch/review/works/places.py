"""Where records meet: what `dedup/index.py` does in memory for one job, in the tables of a project.

Each record stands at the places of its keys. A new record is compared with those that stand at its
places, and with those of near signatures: their number does not grow with the project. A place that
hundreds share is bounded as there: a few of the same year, and of the years beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import orjson

from metasearch.dedup import Chain, Fingerprint
from metasearch.dedup.clusters import PLACES, YEARS, TitleFacts, place, title_place
from metasearch.dedup.index import BESIDE, CROWD, CROWD_OF_FEW, FEW, OF_A_YEAR, OF_A_YEAR_OF_FEW
from metasearch.dedup.matchers import SignatureMatcher
from metasearch.dedup.online import sketch
from metasearch.dedup.signatures import Signatures
from metasearch.review.store.database import Database
from metasearch.review.works.records import in_marks

#: Crowds that one look at the places of a record may meet before each is looked at alone.
MOST_PLACES = 8
_SIGN = 1 << 63


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """A record, and where it belongs.

    Attributes:
        places: Of its keys, each with whether the matcher is exact.
        title: Of its title in its journal, or None.
        sketch: See `dedup/online.py`.
    """

    id: int
    print: Fingerprint
    places: tuple[tuple[int, bool], ...]
    title: int | None
    sketch: int

    @classmethod
    def of(cls, id: int, print: Fingerprint, chain: Chain) -> PlacedRecord:  # noqa: A002
        """Where a record belongs by the matchers of a chain."""
        places = {
            place(matcher.name, value): matcher.exact
            for matcher in chain.matchers
            for value in matcher.keys(print)
        }
        return cls(id, print, tuple(places.items()), title_place(print), sketch(print))


@dataclass(slots=True)
class NearRecords:
    """Records to compare with one. `exactly`: those that share an exact matcher's key."""

    exactly: set[int] = field(default_factory=set)
    others: set[int] = field(default_factory=set)


class ProjectPlaces:
    """The places of the records of one project. `passed_over`: comparisons that were not made,
    because too many records share a key.
    """

    def __init__(self, db: Database, project: int, chain: Chain) -> None:
        self._db = db
        self._project = project
        self._signed = [one for one in chain.searchers if isinstance(one, SignatureMatcher)]
        self.passed_over = 0
        few = (
            db.value(
                "SELECT count(*) FROM (SELECT 1 FROM record WHERE project = ? LIMIT ?)",
                project,
                FEW,
            )
            < FEW
        )
        self._crowd, self._of_a_year = (
            (CROWD_OF_FEW, OF_A_YEAR_OF_FEW) if few else (CROWD, OF_A_YEAR)
        )

    @cached_property
    def _signatures(self) -> list[Signatures]:
        """Of each signed matcher those that are kept, read when one is asked for."""
        found = []
        for matcher in self._signed:
            all_ = Signatures()
            for record, signature in self._db.rows(
                "SELECT record, signature FROM record_signature WHERE project = ? AND matcher = ?"
                " ORDER BY record",
                self._project,
                matcher.name,
            ):
                all_.add(record, signature + _SIGN)
            found.append(all_)
        return found

    def near(self, placed: PlacedRecord) -> NearRecords:
        """The records that are worth a comparison with one that is not entered yet."""
        near = NearRecords()
        standing = self._records_at([number for number, _ in placed.places])
        buckets = [(number, exact, standing.get(number, ())) for number, exact in placed.places]
        # Where hundreds share the title, further keys of that title bring the same ones again.
        crowded = any(len(bucket) > self._crowd for _, _, bucket in buckets)
        for number, exact, bucket in buckets:
            found = near.exactly if exact else near.others
            if len(bucket) > self._crowd:
                found.update(self._of_years(number, placed.print.year))
            elif crowded and len(bucket) > self._of_a_year:
                self.passed_over += len(bucket) - self._of_a_year
                found.update(sorted(bucket)[: self._of_a_year])
            else:
                found.update(bucket)
        for at, matcher in enumerate(self._signed):
            signature = matcher.signature(placed.print)
            if signature is not None:
                all_ = self._signatures[at]
                before = all_.passed_over
                near.others.update(all_.near(signature, matcher.distance))
                self.passed_over += all_.passed_over - before
        near.others -= near.exactly
        return near

    def _records_at(self, numbers: Sequence[int]) -> dict[int, list[int]]:
        """The records at each place; of a crowd as many as show that it is one."""
        most = self._crowd * MOST_PLACES
        rows = self._db.all(
            "SELECT place, record FROM record_place"
            f" WHERE project = ? AND place IN ({in_marks(numbers)}) LIMIT ?",
            self._project,
            *numbers,
            most,
        )
        found: dict[int, list[int]] = {}
        for number, record in rows:
            found.setdefault(number, []).append(record)
        if len(rows) == most:  # a crowd may have left no room for others
            found = {number: self._some(number) for number in numbers}
        return found

    def _some(self, number: int) -> list[int]:
        rows = self._db.all(
            "SELECT record FROM record_place WHERE project = ? AND place = ? LIMIT ?",
            self._project,
            number,
            self._crowd + 1,
        )
        return [row[0] for row in rows]

    def _of_years(self, number: int, year: int | None) -> Iterator[int]:
        """The first ones of a crowd: of that year, of the years beside it, and without a year."""
        wanted = (0,) if year is None else (year - 1, year, year + 1, 0)
        for one in wanted:
            most = self._of_a_year if one in (year, 0) else min(BESIDE, self._of_a_year)
            rows = self._db.all(
                "SELECT record FROM record_place WHERE project = ? AND place = ? AND year = ?"
                " LIMIT ?",
                self._project,
                number,
                one,
                self._crowd,
            )
            self.passed_over += max(0, len(rows) - most)
            yield from (row[0] for row in rows[:most])

    def enter(self, many: Sequence[PlacedRecord]) -> None:
        """Let records stand at their places."""
        self._db.run_many(
            "INSERT OR IGNORE INTO record_place (project, place, year, record) VALUES (?, ?, ?, ?)",
            sorted(self._rows(many)),
        )
        self._db.run_many(
            "INSERT OR REPLACE INTO record_sketch (record, sketch) VALUES (?, ?)",
            [(one.id, one.sketch) for one in many],
        )
        for at, matcher in enumerate(self._signed):
            for one in many:
                signature = matcher.signature(one.print)
                if signature is not None:
                    self._db.run(
                        "INSERT OR REPLACE INTO record_signature"
                        " (record, project, matcher, signature) VALUES (?, ?, ?, ?)",
                        one.id,
                        self._project,
                        matcher.name,
                        signature - _SIGN,
                    )
                    if "_signatures" in self.__dict__:
                        self._signatures[at].add(one.id, signature)

    def remove(self, many: Sequence[PlacedRecord]) -> None:
        """Take records away from their places."""
        self._db.run_many(
            "DELETE FROM record_place WHERE project = ? AND place = ? AND year = ? AND record = ?",
            self._rows(many),
        )
        self._db.run_many(
            "DELETE FROM record_signature WHERE record = ?", [(one.id,) for one in many]
        )
        self.__dict__.pop("_signatures", None)

    def _rows(self, many: Iterable[PlacedRecord]) -> list[tuple[int, int, int, int]]:
        return [
            (self._project, number, one.print.year or 0, one.id)
            for one in many
            for number in (
                *(number for number, _ in one.places),
                *((one.title,) if one.title is not None else ()),
            )
        ]

    def with_title(self, number: int) -> list[int]:
        """The records of a title in a journal."""
        rows = self._db.all(
            "SELECT record FROM record_place WHERE project = ? AND place = ?",
            self._project,
            number,
        )
        return [row[0] for row in rows]


# Which titles return in one journal, and so are those of columns: what dedup keeps in
# memory for one job, in a table of the project. A title that is that of a column stays one, also
# where a later version of a record says otherwise.

#: As many years, volumes, pages as decide; more of them say nothing new.
_ENOUGH = max(YEARS, PLACES)


class JournalTitles:
    """The titles in journals of one project."""

    def __init__(self, db: Database, project: int) -> None:
        self._db = db
        self._project = project

    def take(self, many: Sequence[PlacedRecord]) -> list[int]:
        """Take in records; the places of titles that become those of columns by them."""
        by_title: dict[int, list[PlacedRecord]] = {}
        for one in many:
            if one.title is not None:
                by_title.setdefault(one.title, []).append(one)
        began = []
        rows = []
        for number, group in by_title.items():
            row = self._db.one(
                "SELECT facts, recurs FROM journal_title WHERE project = ? AND place = ?",
                self._project,
                number,
            )
            if row is not None and row["recurs"]:
                continue
            facts = _read(row["facts"]) if row is not None else TitleFacts()
            for one in group:
                facts.add(one.print)
            recurs = facts.recurs
            if recurs:
                began.append(number)
            rows.append((self._project, number, _as_text(facts), int(recurs)))
        self._db.run_many(
            "INSERT OR REPLACE INTO journal_title (project, place, facts, recurs)"
            " VALUES (?, ?, ?, ?)",
            sorted(rows),
        )
        return began

    def recurs(self, number: int) -> bool:
        """Whether the title at a place is that of a column."""
        return bool(
            self._db.value(
                "SELECT recurs FROM journal_title WHERE project = ? AND place = ?",
                self._project,
                number,
            )
        )


def _read(text: str) -> TitleFacts:
    facts = TitleFacts()
    years, volumes, pages, unsigned = orjson.loads(text)
    facts.years.update(years)
    facts.places[0].update(volumes)
    facts.places[1].update(pages)
    facts.places[2].update(unsigned)
    return facts


def _as_text(facts: TitleFacts) -> str:
    kept = (sorted(one)[:_ENOUGH] for one in (facts.years, *facts.places))
    return orjson.dumps(list(kept)).decode()
