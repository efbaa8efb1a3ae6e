"""What databases say of a reference: which of their records are the work, and whether its fields
are those of the work.

Nobody is accused falsely: a field is judged by all records of the work, and what one of them
confirms is confirmed; a difference is told only where each record that has the field differs. What
no record has is not judged, but for a journal or conference of a work that is known as a preprint
alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from metasearch.bib import identifiers, notices, numbering
from metasearch.bib.normalise import has_cjk
from metasearch.dedup import imprint
from metasearch.dedup.titles import Title
from metasearch.late_pattern import late_pattern
from metasearch.message import N_, Message, message
from metasearch.record import PARTS, Record
from metasearch.references import people, titles, venues
from metasearch.references.people import PeopleRelation
from metasearch.references.reference import Reference
from metasearch.references.titles import TitleRelation

Verdict = Literal["", "confirmed", "differs", "another-version", "retracted"]

#: Likeness of titles by which a work is known from its venue and year, or from its authors.
ALIKE, ALIKE_OF_AUTHORS = 0.85, 0.6
#: Names told in a difference, and their characters.
MOST_NAMES, LONGEST = 5, 300
#: A year further in the future is no plan of a publisher.
MOST_AHEAD = 1
#: Kind of a notice -> what is said of it.
_SAID_BY = {
    "retraction": N_("{source} says that the work was retracted: {notice}"),
    "withdrawal": N_("{source} says that the work was withdrawn: {notice}"),
    "concern": N_("{source} has an expression of concern about the work: {notice}"),
    "correction": N_("{source} has a correction of the work: {notice}"),
}
#: "RETRACTED: Ice", "Ice [Retracted]"; "Erratum to: Ice", "Retraction notice to “Ice”", which are
#: works of their own.
_KNOWN = late_pattern(
    r"^\W*(?:retracted|withdrawn)(?: article| paper)?\W*[:.\]-]"
    r"|[\[(【（](?:(?:retracted|withdrawn)(?: article| paper| publication)?"
    r"(?:\s*[\]).:;,\d]| (?:in|on|by|see)\b)|已?撤稿)"
    r"|^\W*(?:(?:author |publisher )?correction|erratum|corrigendum|retraction|withdrawal"
    r"|expression of concern|notice of retraction)(?: note| notice)?(?: (?:to|for))?\s*[:.“\"«–—]"
    r"|^\W*(?:retraction|withdrawal) not(?:e|ice)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is not as the records of the work have it.

    Attributes:
        field: Name of the field of `Record`; "version" where another version of the work exists,
            "notice" where it was retracted, doubted or corrected.
        written: In the reference.
        found: In the record that agrees best; "" where none has it.
        source: Of that record; "" where there is none.
        serious: Whether it is more than a slip or another spelling.
        why: One sentence for people.
    """

    field: str
    written: str
    found: str
    source: str
    serious: bool
    why: Message


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the records say.

    Attributes:
        verdict: "" where no record is the work.
        serious: Whether the reference must be mended.
        differences: In the order of `Record`.
        records: Those that are the work, in all its versions.
        certain: Whether every field that is written and can be confirmed is: no more databases need
            be asked.
    """

    verdict: Verdict
    serious: bool
    differences: tuple[Difference, ...]
    records: tuple[Record, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class _Copy:
    """A record, compared with the reference.

    Attributes:
        ids: Of the record.
        named: Whether the reference has one of them.
        same_pages: Whether both begin on one page; None where one does not say.
    """

    record: Record
    ids: frozenset[str]
    named: bool
    title: TitleRelation | None
    people: PeopleRelation | None
    gap: int | None
    venue: bool | None
    preprint: bool
    same_pages: bool | None

    @property
    def has_title(self) -> bool:
        return self.title is not None and self.title.kind in ("same", "spelt", "part")

    @property
    def has_authors(self) -> bool:
        return self.people is not None and self.people.agrees

    @property
    def has_imprint(self) -> bool:
        """Whether year and venue agree."""
        return self.gap is not None and self.gap <= 1 and self.venue is True


def judge(
    reference: Reference, candidates: Sequence[Record], *, doi_known: bool | None
) -> Judgement:
    """Compares a reference with the records that were found for it.

    Args:
        reference: What somebody wrote.
        candidates: Found by its identifiers or its title; records of other works may be among them.
        doi_known: Whether a database has its DOI; None where that is unknown.
    """
    written = reference.record
    title = titles.read(written)
    copies = [*filter(None, (_compare(written, title, record) for record in candidates))]
    works = _works(title, copies)
    case = _Case(reference, works, [copy for copy in copies if copy.named and copy not in works])
    differences = [*case.differences(doi_known)]
    serious = any(each.serious for each in differences)
    told = [*case.notices()]
    records = tuple(copy.record for copy in works)
    verdict: Verdict = "differs" if differences else "confirmed" if works else ""
    if not serious and case.is_preprint and any(not copy.preprint for copy in works):
        verdict = "another-version"
        differences.append(case.other_version())
    if told:
        kinds = {kind for kind, _ in told}
        differences += [difference for _, difference in told]
        serious = any(each.serious for each in differences)
        if kinds & notices.OF_RETRACTION:
            verdict = "retracted"
        elif serious or verdict == "confirmed":
            verdict = "differs"
    return Judgement(
        verdict,
        serious,
        tuple(differences),
        records,
        bool(works)
        and not case.open
        and all(each.field in ("version", "notice") for each in differences),
    )


def _compare(written: Record, title: Title, record: Record) -> _Copy | None:
    """The record, compared; None of another work."""
    ids = _ids(record)
    named = not ids.isdisjoint(_ids(written))
    alike = titles.relation(title, titles.read(record))
    if (
        alike is not None
        and alike.kind == "near"
        and any(map(titles.is_translation, (written, record)))
    ):
        alike = None
    if not named and alike is not None and alike.kind == "other":
        return None
    pages = [numbering.pages_key(each.pages)[0] for each in (written, record)]
    return _Copy(
        record,
        ids,
        named,
        alike,
        people.compare(
            written.byline, record.byline, (*record.authors, *record.editors, *record.translators)
        ),
        min((abs(year - written.year) for year in _years(record)), default=None)
        if written.year
        else None,
        _venue_relation(written, record),
        _is_preprint(record),
        pages[0] == pages[1] if all(pages) else None,
    )


def _ids(record: Record) -> frozenset[str]:
    """Identifiers as they are compared; that of arXiv may stand in a DOI, with a version."""
    found = {
        f"{scheme}:{record.ids[scheme]}" for scheme in ("pmid", "pmcid") if scheme in record.ids
    }
    arxiv = identifiers.arxiv_id(record.ids.get("arxiv"))
    if record.doi:
        doi = _doi_key(record.doi)
        found.add(doi)
    if arxiv:
        found.add(_doi_key(identifiers.arxiv_doi(arxiv)))
    if record.type not in PARTS:
        found.update(f"isbn:{isbn}" for isbn in record.isbn)
    return frozenset(found)


def _doi_key(doi: str) -> str:
    doi = doi.lower()
    number = identifiers.arxiv_id(doi.removeprefix("10.48550/arxiv."))
    return f"doi:10.48550/arxiv.{number}" if number and "arxiv." in doi else f"doi:{doi}"


def _years(record: Record) -> Iterator[int]:
    if record.year:
        yield record.year
    if record.date and record.date[:4].isdecimal():
        yield int(record.date[:4])


def _is_preprint(record: Record) -> bool:
    if record.venue and not venues.is_server(record.venue):
        return False  # though its DOI may be that of the preprint
    if record.venue or imprint.is_preprint(record, ()):
        return True
    return "arxiv" in record.ids and not record.doi


def _venue_relation(written: Record, record: Record) -> bool | None:
    if not written.venue or not record.venue or "thesis" in (written.type, record.type):
        return None
    if venues.is_server(record.venue):
        return None
    if not {*written.issn}.isdisjoint(record.issn):
        return True
    found = venues.relation(written.venue, record.venue)
    if found is False and {"book", "chapter"} & {written.type, record.type}:
        return None  # perhaps its series
    if found is False and record.publisher and venues.relation(written.venue, record.publisher):
        return None
    return found


def _works(title: Title, copies: Sequence[_Copy]) -> list[_Copy]:
    """The copies that are the work: those of its title, those that have its identifiers and no
    title of another work, and those of nearly its title where other fields agree.
    """
    found = [copy for copy in copies if _is_same(title, copy)]
    by_title = bool(found)
    whole = any(copy.title is not None and copy.title.kind != "part" for copy in found)
    for copy in copies:
        if copy in found:
            continue
        if copy.named:
            # An identifier of another work: somebody else's, or where the title is another one's.
            near = copy.title is None or copy.title.kind == "near"
            if by_title:
                # A title in another language, or another one of its versions.
                fits = near and (copy.has_authors or copy.has_imprint or copy.same_pages is True)
            else:
                fits = near or copy.has_authors or (copy.people is None and copy.has_imprint)
        else:
            fits = not whole and _is_nearly(copy)
        if fits:
            found.append(copy)
    known = frozenset().union(*(copy.ids for copy in found))
    return [
        copy
        for copy in copies
        if copy in found
        or (not copy.ids.isdisjoint(known) and (copy.title is None or copy.has_title))
    ]


def _is_same(title: Title, copy: _Copy) -> bool:
    """Whether a copy has the title, and that of a title that other works may have, more."""
    if not copy.has_title:
        return False
    agrees = copy.named or copy.has_authors or copy.has_imprint
    if copy.people is None and copy.gap in (0, None):
        agrees = agrees or not title.generic
    whole = copy.title is not None and copy.title.kind != "part"
    return agrees or (whole and titles.is_specific(title))


def _is_nearly(copy: _Copy) -> bool:
    """Whether some words of the title differ, and all else says that it is the work; a team writes
    several works of nearly one title.
    """
    if copy.same_pages is False:
        return False
    if copy.title is None:  # in another language
        return copy.has_authors and copy.has_imprint
    if copy.title.kind != "near":
        return False
    if copy.title.likeness >= ALIKE and (copy.has_authors or copy.has_imprint):
        return True
    return (
        copy.title.likeness >= ALIKE_OF_AUTHORS
        and copy.has_authors
        and (copy.venue is True or (copy.gap is not None and copy.gap <= 1))
        and copy.venue is not False
    )


class _Case:
    """A reference and the copies of its work. `open`: fields that no record has confirmed yet."""

    def __init__(
        self, reference: Reference, works: Sequence[_Copy], named: Sequence[_Copy]
    ) -> None:
        self.reference = reference
        self.written = reference.record
        self.works = works
        #: Of other works, which have an identifier of the reference.
        self.others = named
        self.open: set[str] = set()
        venue = self.written.venue
        self.in_print = bool(venue) and not venues.is_server(venue or "")
        self.is_preprint = not self.in_print and (
            bool(venue) or "arxiv" in self.written.ids or imprint.is_preprint(self.written, ())
        )

    def differences(self, doi_known: bool | None) -> Iterator[Difference]:
        judges: Sequence[Callable[[], Difference | None]] = (
            self._title, self._authors, self._year, self._venue,
            *(lambda name=name: self._number(name) for name in ("volume", "issue", "pages")),
        )  # fmt: skip
        if self.works:
            yield from filter(None, (judge_field() for judge_field in judges))
        yield from self._identifiers(doi_known)

    def other_version(self) -> Difference:
        """The article of the preprint."""
        copy = next(copy for copy in self.works if not copy.preprint)
        found = copy.record.venue or copy.record.doi or copy.record.type or ""
        return _difference(
            "version", self.written.venue or self.written.doi or "", found, copy,
            message("A published version exists in {source}.", source=copy.record.source), False,
        )  # fmt: skip

    def notices(self) -> Iterator[tuple[str, Difference]]:
        """(kind, difference) of each notice about the work; none where the reference is a notice
        itself, or says that the work was retracted.
        """
        written, said = self.written, [(text, c) for c in self.works for text in c.record.notices]
        known = [*notices.each_once(said)]
        if (
            written.retracted
            or written.type in ("retraction", "erratum")
            or any(_KNOWN.search(text) for text in (written.title, self.reference.text))
            or (written.doi and written.doi in [notice.link for notice, _ in known])
        ):
            return
        if not any(notice.kind in notices.OF_RETRACTION for notice, _ in known):
            flagged = [(notices.Notice("retraction"), c) for c in self.works if c.record.retracted]
            known = flagged[:1] + known
        for notice, copy in known:
            record = copy.record
            details = ", ".join(filter(None, notice[1:])) or record.url or record.doi or record.key
            why = message(_SAID_BY[notice.kind], source=record.source, notice=details)
            found = f"{notice.kind}{' of ' * bool(notice.date)}{notice.date}"
            found = ", ".join(filter(None, (found, notice.link)))
            serious = notice.kind != "correction"
            yield notice.kind, _difference("notice", "", found, copy, why, serious)

    def _title(self) -> Difference | None:
        if not self.written.title:
            return None
        known = [(copy, copy.title) for copy in self.works if copy.title is not None]
        kinds = {title.kind for _, title in known}
        if "same" in kinds:
            return None
        self.open.add("title")
        if not known or (kinds <= {"part", "other"} and kinds != {"other"}):
            return None
        if kinds == {"other"} and len(known) < len(self.works):
            return None  # another record has it in another language
        copy, title = max(
            ((copy, title) for copy, title in known if title.kind != "part"),
            key=lambda pair: (pair[1].kind == "spelt", pair[1].likeness),
        )
        found = ": ".join(filter(None, (copy.record.title, copy.record.subtitle)))
        source = copy.record.source
        if title.kind == "spelt":
            why = message("A word of the title is spelt otherwise in {source}.", source=source)
        else:
            why = message("The title has other words in {source}.", source=source)
        return _difference("title", self.written.title, found, copy, why, title.kind != "spelt")

    def _authors(self) -> Difference | None:
        known = [(copy, copy.people) for copy in self.works if copy.people is not None]
        if not self.written.byline:
            return None
        found = [(*self._of_people(copy, relation), copy) for copy, relation in known]
        if any(why is None for _, why, _ in found):
            return None
        self.open.add("authors")
        # A list that is cut neither confirms the rest nor denies it; a whole one tells.
        whole = [
            (serious, why, copy) for serious, why, copy in found if serious is not None and why
        ]
        if not whole:
            return None
        serious, why, copy = min(
            whole, key=lambda each: (each[0], -(each[2].people.both if each[2].people else 0))
        )
        written, named = (
            _names([author.name for author in each.byline]) for each in (self.written, copy.record)
        )
        return _difference("authors", written, named, copy, why, serious)

    def _of_people(
        self, copy: _Copy, relation: PeopleRelation
    ) -> tuple[bool | None, Message | None]:
        """(whether what differs is serious, what it is); (None, ...) of a list that is cut, (...,
        None) where nothing differs.
        """
        source = copy.record.source
        if not relation.both:
            return True, message("{source} names other authors.", source=source)
        if relation.added:
            if relation.cut:
                return None, message("{source} does not name all authors.", source=source)
            names = _names(relation.added)
            return True, message("{source} does not name {names}.", source=source, names=names)
        if relation.missing and self.reference.all_authors:
            names = _names(relation.missing)
            # Catalogues name all that took part in a book.
            part = copy.record.type in PARTS or copy.record.type is None
            return part, message("{source} names {names} as well.", source=source, names=names)
        if relation.given:
            names = _names(relation.given)
            why = message("Given names differ in {source}: {names}.", source=source, names=names)
            return 2 * len(relation.given) > relation.both, why
        if relation.turned:
            return False, message("{source} names the authors in another order.", source=source)
        return False, None

    def _year(self) -> Difference | None:
        year = self.written.year
        if not year:
            return None
        known = [copy for copy in self.works if copy.gap is not None]
        # In print, a preprint's year is another version's.
        for chosen in (
            [copy for copy in known if copy.venue and not copy.preprint],
            [copy for copy in known if not copy.preprint] if self.in_print else [],
        ):
            if chosen:
                known = chosen
                break
        if any(copy.gap == 0 for copy in known):
            return None
        self.open.add("year")
        ahead = year > datetime.now(UTC).year + MOST_AHEAD
        if not known:
            return _in_future(year) if ahead else None
        copy = min(known, key=lambda copy: copy.gap or 0)
        found = str(next(_years(copy.record)))
        source = copy.record.source
        if copy.gap == 1:
            why = message(
                "{source} has the year before or after, as print and online.", source=source
            )
        elif not ahead and copy.record.type not in PARTS and copy.record.type and not copy.named:
            why = message("{source} has another year, perhaps of another edition.", source=source)
        else:
            why = message("{source} has another year: {found}.", source=source, found=found)
            return _difference("year", str(year), found, copy, why, True)
        return _difference("year", str(year), found, copy, why, False)

    def _venue(self) -> Difference | None:
        venue = self.written.venue
        if not venue or not self.in_print:
            return None
        known = [copy for copy in self.works if copy.venue is not None]
        there = [copy for copy in known if copy.venue]
        of_doi = [copy for copy in known if _has_doi(copy, self.written) and not copy.preprint]
        # Each copy with the DOI is in one venue, and those in the other have another DOI.
        others = [copy for copy in there if not copy.record.doi or _has_doi(copy, self.written)]
        if there and of_doi and not others and not any(copy.venue for copy in of_doi):
            copy, found = of_doi[0], of_doi[0].record.venue or ""
            why = message("The DOI is that of a version in {found}.", found=found)
            return _difference("venue", venue, found, copy, why, True)
        if there:
            return None
        self.open.add("venue")
        if any(copy.venue is None and _tells_venue(copy, venue) for copy in self.works):
            return None
        if known:
            copy, source = known[0], known[0].record.source
            found = copy.record.venue or ""
            printed = next((copy for copy in known if self._in_one_place(copy.record)), None)
            if printed is not None:  # a name in another language, or that of a series
                found = printed.record.venue or ""
                why = message("Volume and page are the same in {found}.", found=found)
                return _difference("venue", venue, found, printed, why, False)
            why = message("It appeared in {found}, as {source} has it.", found=found, source=source)
            return _difference("venue", venue, found, copy, why, True)
        if all(copy.preprint for copy in self.works) and not venues.is_series(venue):
            why = message("The work is known only as a preprint.")
            copy = self.works[0]
            return _difference("venue", venue, copy.record.venue or "", copy, why, True)
        return None

    def _in_one_place(self, record: Record) -> bool:
        """Whether volume and first page are those of the reference."""
        volume, page = self.written.volume, numbering.pages_key(self.written.pages)[0]
        return (
            bool(volume and page)
            and imprint.volume(volume or "") == imprint.volume(record.volume or "")
            and page == numbering.pages_key(record.pages)[0]
        )

    def _number(self, name: str) -> Difference | None:
        """Volume, issue and pages of the published versions; slips are slight."""
        key: Callable[[Record], str] = {
            "volume": lambda record: imprint.volume(record.volume or ""),
            "issue": lambda record: imprint.issue(record.issue or ""),
            "pages": lambda record: numbering.pages_key(record.pages)[0],
        }[name]
        written = key(self.written)
        known = [copy for copy in self.works if not copy.preprint and key(copy.record)]
        if not written or not known or any(key(copy.record) == written for copy in known):
            return None
        copy = known[0]
        found = str(getattr(copy.record, name))
        why = message("{source} has {found}.", source=copy.record.source, found=found)
        return _difference(name, str(getattr(self.written, name)), found, copy, why, False)

    def _identifiers(self, doi_known: bool | None) -> Iterator[Difference]:
        doi = self.written.doi
        of_works = frozenset().union(*(copy.ids for copy in self.works))
        for key in sorted(_ids(self.written)):
            scheme, value = key.split(":", 1)
            is_doi = bool(doi) and key == _doi_key(doi or "")
            if is_doi and key in of_works:
                yield from self._doi_of_preprint(key)
            if key in of_works or scheme == "isbn":
                continue
            name = "doi" if is_doi else "arxiv" if scheme == "doi" else scheme
            told = (doi or "") if is_doi else value.removeprefix("10.48550/arxiv.")
            other = next((copy for copy in self.others if key in copy.ids), None)
            if other is not None:
                found = other.record.title[:LONGEST]
                why = message("It belongs to another work: {title}", title=found)
                yield _difference(name, told, found, other, why, True)
            elif is_doi and self.works:
                self.open.add("doi")
                copy = next((copy for copy in self.works if copy.record.doi), None)
                found = (copy.record.doi or "") if copy else ""
                if doi_known is False:
                    why = message("No database or registry that was asked knows this DOI.")
                    # China's agencies register DOIs that no database which is asked lists.
                    yield _difference(name, told, found, copy, why, not has_cjk(self.written.title))
                elif copy is not None:
                    why = message("{source} has another DOI.", source=copy.record.source)
                    yield _difference(name, told, found, copy, why, False)

    def _doi_of_preprint(self, key: str) -> Iterator[Difference]:
        """In print, where the published version has a DOI of its own; many lists are so."""
        version = next((c for c in self.works if c.venue and not c.preprint and c.record.doi), None)
        if version is not None and all(c.preprint for c in self.works if key in c.ids):
            doi, found = self.written.doi or "", version.record.doi or ""
            why = message("This is the DOI of the preprint.")
            yield _difference("doi", doi, found, version, why, False)


def _has_doi(copy: _Copy, written: Record) -> bool:
    return bool(written.doi) and _doi_key(written.doi or "") in copy.ids


def _tells_venue(copy: _Copy, written: str) -> bool:
    """Whether a record names a venue, in the language of the one that is written."""
    venue = copy.record.venue
    return (
        bool(venue)
        and not copy.preprint
        and not venues.is_series(venue or "")
        and venues.is_foreign(venue or "") == venues.is_foreign(written)
    )


def _in_future(year: int) -> Difference:
    why = message("The year {year} is yet to come.", year=str(year))
    return _difference("year", str(year), "", None, why, True)


def _names(names: Sequence[str]) -> str:
    more = ", …" if len(names) > MOST_NAMES else ""
    return ", ".join(name[:LONGEST] for name in names[:MOST_NAMES]) + more


def _difference(
    field: str, written: str, found: str, copy: _Copy | None, why: Message, serious: bool
) -> Difference:
    source = copy.record.source if copy is not None else ""
    return Difference(field, written[:LONGEST], found[:LONGEST], source, serious, why)
