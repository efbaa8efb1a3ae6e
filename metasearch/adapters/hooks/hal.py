"""HAL answers with a citation for each work, `label_s`, where its fields were not asked for: it is
taken apart.

It reads "Ada Byron, Ken Tanaka. The title. Journal, 2018, 13, ⟨10.1/x⟩. ⟨hal-01234567⟩"; theses
name the discipline and the institution in the place of the journal.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from dataclasses import replace

from metasearch.adapters.hooks import solr
from metasearch.adapters.parse.parse import PageContent, body_steps, map_records
from metasearch.adapters.request import Page
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib import authors as people
from metasearch.bib import identifiers
from metasearch.record import Author, Record

_BRACKETED = re.compile(r",?\s*⟨([^⟨⟩]*)⟩\.?")
#: The end of a part: a full stop that does not stand behind an initial.
_STOP = re.compile(r"(?<!\b\w)\.\s+")
_DATED = re.compile(
    r"^(?P<before>.*?)(?:^|, )(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) )?"
    r"(?P<year>1[5-9]\d\d|20\d\d)\b(?=[.,]|$)"
)
#: A name has so many words at most, in an author list; a longer "name" is a title without authors
#: before it.
_LONGEST_NAME = 6


def steps(page: Page, spec: AdapterSpec) -> Generator[tuple[Record, ...], None, PageContent | None]:
    """The records, those with nothing but a citation completed from it. Raises as `solr.steps`."""
    if b"label_s" not in page.body:
        return (yield from solr.steps(page, spec))
    parsed = yield from map_records(solr.steps(page, spec), _all)
    if parsed is None:
        parsed = yield from map_records(body_steps(page, spec), _all)
    return parsed and replace(parsed, records=_all(parsed.records), drifted=None)


def _all(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(
        _complete(record) if not record.title and record.titles else record for record in records
    )


def _complete(record: Record) -> Record:
    (label, *_) = record.titles
    parts = [part for part in _STOP.split(_BRACKETED.sub("", label).strip().rstrip(".")) if part]
    authors = _authors(parts[0]) if len(parts) > 1 else ()
    if authors:
        parts = parts[1:]
    # A title may have several sentences; where the work appeared is in the one with the year.
    at, dated = next(
        ((i, hit) for i, part in enumerate(parts) if i and (hit := _DATED.match(part))),
        (len(parts), None),
    )
    before = (dated["before"] or None) if dated else None
    thesis = record.type == "thesis"
    # Before it stands the discipline of a thesis, or the editors of a book.
    apart = at > 1 and (thesis or ";" in parts[at - 1])
    return replace(
        record,
        title=". ".join(parts[: at - 1 if apart else at]),
        titles=(),
        authors=authors,
        year=int(dated["year"]) if dated else None,
        date=dated["year"] if dated else None,
        venue=None if thesis else before,
        institution=before if thesis else None,
        doi=identifiers.first_doi(
            [name for name in _BRACKETED.findall(label) if name.startswith("10.")]
        ),
    )


def _authors(part: str) -> tuple[Author, ...]:
    """The names in the first part of a citation, or nothing where it does not read like names."""
    names = part.split(", ")
    if any(
        len(name.split()) > _LONGEST_NAME or any(c.isdigit() for c in name) or ":" in name
        for name in names
    ):
        return ()
    return people.names(names)
