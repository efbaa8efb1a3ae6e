"""CSV (RFC 4180) for spreadsheets and scripts: one row a hit, its column names an interface.

A cell that a spreadsheet would take for a formula is prefixed with an apostrophe, as OWASP's note
on CSV injection advises: upstream text must not be able to run anything on the reader's machine. So
is what follows a semicolon: there spreadsheets in much of Europe begin another cell, whatever the
file says.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from metasearch.formats.origins import Beside, BesideHits, joined, with_beside
from metasearch.formats.reference import field_sources, identifiers, inverted, link
from metasearch.formats.text import line, web_url
from metasearch.record import Hit

COLUMNS = (
    "rank",
    "score",
    "id",
    "title",
    "subtitle",
    "original_title",
    "translated_title",
    "authors",
    "editors",
    "year",
    "date",
    "venue",
    "publisher",
    "institution",
    "edition",
    "volume",
    "issue",
    "pages",
    "doi",
    "ids",
    "version",
    "isbn",
    "issn",
    "url",
    "pdf_url",
    "type",
    "language",
    "keywords",
    "subjects",
    "citations",
    "open_access",
    "licence",
    "retracted",
    "sources",
    "provenance",
    "abstract",
)
#: Full-width forms too: spreadsheets in East Asian locales fold them.
_formula_start = re.compile(r"(?:^|(?<=;)[\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


#: Columns of works that were made of files, behind `COLUMNS`; then those of the files that hold
#: more.
OF_FILES = ("database", "origins")
#: Columns of files that are written; a wider table cannot be read.
MOST_BESIDE = 500


def columns_beside(beside: Iterable[Beside]) -> list[str]:
    """The columns that files add, in the order in which they come, `MOST_BESIDE` at most."""
    ours = {*COLUMNS, *OF_FILES}
    found: dict[str, None] = {}
    for one in beside:
        found.update(
            (name, None)
            for tag, _ in one.fields
            if (name := line(tag)) and name.lower() not in ours
        )
        if len(found) > MOST_BESIDE:
            break
    return list(found)[:MOST_BESIDE]


def write(hits: Iterable[Hit], *, bom: bool = False, beside: BesideHits | None = None) -> bytes:
    """The hits as CSV in UTF-8 with a header row; lists are joined by "; ", line breaks become
    blanks.

    `hits`: in the order of the rows. `bom`: begin with a byte order mark, without which Excel takes
    the file for its own code page. `beside`: what files say beside the records, by `Hit.id`: a
    column for each of their tags.
    """
    return b"".join(parts(hits, bom=bom, beside=beside))


def parts(
    hits: Iterable[Hit],
    *,
    bom: bool = False,
    beside: BesideHits | None = None,
    columns: Sequence[str] | None = None,
) -> Iterator[bytes]:
    """The same bytes, a row after another. `hits`: in the order of the rows. `columns`: what
    `columns_beside` gives for that; needed unless it is a `Mapping`.
    """
    more = more_columns(beside, columns)
    heading = COLUMNS if beside is None else (*COLUMNS, *OF_FILES, *more)
    yield (b"\xef\xbb\xbf" if bom else b"") + _row(heading)
    for hit, found in with_beside(hits, beside):
        yield _row(cells(hit) if found is None else [*cells(hit), *cells_beside(found, more)])


def more_columns(beside: BesideHits | None, columns: Sequence[str] | None) -> Sequence[str]:
    """The names of the columns that files add, which are given or can be found."""
    if columns is None and isinstance(beside, Mapping):
        return columns_beside(beside.values())
    return columns or ()


def _row(values: Iterable[str | float | None]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerow([guarded(value) for value in values])
    return out.getvalue().encode()


def cells(hit: Hit) -> list[str | float | None]:
    """The values of `COLUMNS`, unguarded."""
    record = hit.record
    return [
        hit.rank,
        hit.score,
        hit.id,
        record.title,
        record.subtitle,
        record.original_title,
        record.translated_title,
        "; ".join(inverted(a) for a in record.authors),
        "; ".join(inverted(a) for a in record.editors),
        record.year,
        record.date,
        record.venue,
        record.publisher,
        record.institution,
        record.edition,
        record.volume,
        record.issue,
        record.pages,
        record.doi,
        "; ".join(identifiers(record)),
        record.version,
        "; ".join(record.isbn),
        "; ".join(record.issn),
        link(record),
        web_url(record.pdf_url),
        record.type,
        record.language,
        "; ".join(record.keywords),
        "; ".join(record.subjects),
        record.citations,
        record.open_access,
        record.licence,
        "yes" if record.retracted else None,
        "; ".join(hit.sources),
        "; ".join(field_sources(hit)),
        record.abstract,
    ]


def cells_beside(beside: Beside, columns: Sequence[str]) -> list[str]:
    """The cells behind those of a row; several values of one tag are apart by semicolons."""
    found: dict[str, list[str]] = {}
    for tag, value in beside.fields:
        known = found.setdefault(line(tag), [])
        shown = line(value)
        if shown and shown not in known and shown not in "; ".join(known).split("; "):
            known.append(shown)
    values = ["; ".join(found.get(name, ())) for name in columns]
    return ["; ".join(beside.databases), joined(beside.origins), *values]


def is_formula(text: str) -> bool:
    """Whether a spreadsheet could take the text, or what follows a semicolon in it, for one."""
    return _formula_start.search(text) is not None


def guarded(cell: str | float | None) -> str | float | None:
    if not isinstance(cell, str):
        return cell
    return _formula_start.sub(r"\g<0>'", line(cell))
