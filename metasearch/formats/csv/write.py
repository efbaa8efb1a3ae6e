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
from collections.abc import Iterable

from metasearch.formats.origins import NOTHING, Beside, BesideHits, joined
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
    """The names of the columns that files add, in the order in which they come, `MOST_BESIDE` at
    most.
    """
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

    Args:
        hits: In the order of the rows.
        bom: Begin with a byte order mark, without which Excel takes the file for its own code page.
        beside: What files say beside the records, by `Hit.id`: a column for each of their tags.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    if beside is None:
        writer.writerow(COLUMNS)
        writer.writerows([guarded(cell) for cell in cells(hit)] for hit in hits)
    else:
        more = columns_beside(beside.values())
        writer.writerow([guarded(name) for name in (*COLUMNS, *OF_FILES, *more)])
        for hit in hits:
            row = [*cells(hit), *cells_beside(beside.get(hit.id, NOTHING), more)]
            writer.writerow([guarded(cell) for cell in row])
    return out.getvalue().encode("utf-8-sig" if bom else "utf-8")


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


def cells_beside(beside: Beside, columns: list[str]) -> list[str]:
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
