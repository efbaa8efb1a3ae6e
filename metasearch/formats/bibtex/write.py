"""BibTeX: one entry a hit, which both classic BibTeX with LaTeX and biblatex read.

Text stays UTF-8; only what TeX would act on is escaped. The braces of a value always balance,
whatever upstream sent, also for BibTeX, which counts those behind a backslash too. Fields that no
style prints tell the provenance: `sources` and `provenance`, and of files also `database` and
`origins`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import tee

from metasearch.formats.bibtex.escapes import as_given, escaped, names_of, title_of, verbatim
from metasearch.formats.bibtex.keys import CitationKeys, citation_keys
from metasearch.formats.origins import NOTHING, Beside, BesideHits, joined, with_beside
from metasearch.formats.reference import (
    date_parts,
    field_sources,
    full_title,
    identifiers,
    journal_like,
    link,
    page_ranges,
)
from metasearch.formats.tagged_lines import further_titles, general_type
from metasearch.record import Hit, Record

#: `Record.type` -> entry type; classic ones only, so what they lack is "misc".
BIBTEX_TYPES = {
    "article": "article",
    "preprint": "misc",
    "conference-paper": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "dataset": "misc",
    "software": "misc",
    "patent": "misc",
    "standard": "misc",
    "review": "article",
    "editorial": "article",
    "letter": "article",
    "erratum": "article",
    "retraction": "article",
    "reference-entry": "incollection",
    "journal": "misc",
    "map": "misc",
    "score": "misc",
    "audio": "misc",
    "video": "misc",
    "image": "misc",
    "webpage": "misc",
    "other": "misc",
}
#: Entry type -> the type that every reader takes it for.
_PLAIN = {
    "article": "article",
    "inproceedings": "conference-paper",
    "proceedings": "proceedings",
    "book": "book",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "techreport": "report",
}
#: Where an entry type names what contains the work, and who brought it out.
_VENUE_FIELD = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "misc": "howpublished",
    "proceedings": "series",
    "book": "series",
    "techreport": "series",
    "phdthesis": "series",
}
_PUBLISHER_FIELD = {"phdthesis": "school", "techreport": "institution"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_apart = re.compile("[,;]")
_field_name = re.compile(r"[a-z][a-z0-9_-]{0,60}")


def write(
    hits: Iterable[Hit], *, beside: BesideHits | None = None, keys: Sequence[str] | None = None
) -> bytes:
    """The hits as BibTeX in UTF-8, in the order given; b"" for none.

    `hits`: in the order of the entries. `beside`: what files say beside the records, by `Hit.id`.
    `keys`: the key of each hit, where these are some of more, all of which have keys of their own.
    """
    chosen = list(hits)
    return b"".join(_joined(chosen, beside, keys or citation_keys(chosen)))


def parts(
    hits: Iterable[Hit], *, beside: BesideHits | None = None, keyed: CitationKeys
) -> Iterator[bytes]:
    """The same bytes, an entry after another. `hits`: in the order of the entries."""
    hits, again = tee(hits)
    return _joined(hits, beside, keyed.each(again))


def _joined(hits: Iterable[Hit], beside: BesideHits | None, keys: Iterable[str]) -> Iterator[bytes]:
    between = ""
    for (hit, found), key in zip(with_beside(hits, beside), keys, strict=True):
        yield f"{between}{_entry(hit, key, found or NOTHING)}".encode()
        between = "\n"


def _entry(hit: Hit, key: str, beside: Beside) -> str:
    entry_type = _type(hit.record)
    fields = dict(_fields(hit, entry_type))
    _add_beside(fields, beside)
    lines = [f"@{entry_type}{{{key}"]
    lines += [f"  {name} = {value}" for name, value in fields.items()]
    return ",\n".join(lines) + "\n}\n"


def _add_beside(fields: dict[str, str], beside: Beside) -> None:
    """Put files' fields behind ours, values of one apart by semicolons; our names are ours."""
    given: dict[str, list[str]] = {}
    for name, value in beside.fields:
        if (
            _field_name.fullmatch(name)
            and (name == "note" or name not in fields)
            and (shown := as_given(value))
        ):
            known = given.setdefault(name, [])
            if shown not in known and shown not in "; ".join(known).split("; "):
                known.append(shown)
    for name, values in given.items():
        ours = [fields[name][1:-1]] if name in fields else []
        fields[name] = f"{{{'; '.join(dict.fromkeys([*ours, *values]))}}}"
    for name, text in (
        ("database", "; ".join(beside.databases)),
        ("origins", joined(beside.origins)),
    ):
        if text:
            fields[name] = f"{{{escaped(text)}}}"


def _subtype(record: Record, entry_type: str) -> str:
    """Our type where the entry type is read as another one; biblatex has the field for such words,
    and no style prints it.
    """
    kind = general_type(record)
    is_plain = kind == "other" or (entry_type != "misc" and kind == _PLAIN.get(entry_type))
    return "" if is_plain else kind


def _type(record: Record) -> str:
    if record.type is None and journal_like(record):
        return "article"
    return BIBTEX_TYPES.get(record.type or "other", "misc")


def _publisher(record: Record, entry_type: str) -> str | None:
    """Who is the publisher: of theses and reports the body that the type names."""
    return (
        record.institution or record.publisher
        if entry_type in _PUBLISHER_FIELD
        else record.publisher
    )


def _listed(keywords: Iterable[str]) -> str:
    """Keywords apart by commas, as biblatex and Zotero; with a comma in one, in braces."""
    shown = (escaped(keyword) for keyword in keywords)
    return ", ".join(
        f"{{{keyword}}}" if _apart.search(keyword) else keyword for keyword in shown if keyword
    )


def _fields(hit: Hit, entry_type: str) -> Iterator[tuple[str, str]]:
    """Names and values, the values with their delimiters."""
    record = hit.record
    arxiv = record.ids.get("arxiv")
    titles = [*further_titles(record), "", ""]
    values = (
        ("title", title_of(full_title(record), record.language)),
        ("author", names_of(record.authors)),
        ("editor", names_of(record.editors)),
        (_VENUE_FIELD[entry_type], escaped(record.venue)),
        (_PUBLISHER_FIELD.get(entry_type, "publisher"), escaped(_publisher(record, entry_type))),
        ("type", "Thesis" if entry_type == "phdthesis" else ""),
        ("entrysubtype", _subtype(record, entry_type)),
        ("origtitle", escaped(titles[0])),
        ("titletranslation", escaped(titles[1])),
        (
            "year",
            f"{record.year:04d}" if record.year is not None and 0 < record.year < 10_000 else "",
        ),
        ("edition", escaped(record.edition)),
        ("version", escaped(record.version)),
        ("volume", escaped(record.volume)),
        ("number", escaped(record.issue)),
        (
            "pages",
            ", ".join(
                f"{escaped(a)}--{escaped(b)}" if b else escaped(a)
                for a, b in page_ranges(record.pages)
            ),
        ),
        ("doi", verbatim(record.doi)),
        ("url", verbatim(link(record))),
        ("eprint", escaped(arxiv)),
        ("archiveprefix", "arXiv" if arxiv else ""),
        ("pmid", escaped(record.ids.get("pmid"))),
        ("pmcid", escaped(record.ids.get("pmcid"))),
        ("isbn", escaped(", ".join(record.isbn))),
        ("issn", escaped(", ".join(record.issn))),
        ("identifiers", escaped("; ".join(identifiers(record)))),
        ("language", escaped(record.language)),
        ("keywords", _listed(dict.fromkeys(record.keywords + record.subjects))),
        ("abstract", escaped(record.abstract)),
        ("note", "Retracted" if record.retracted else ""),
        ("sources", escaped(", ".join(hit.sources))),
        ("provenance", escaped("; ".join(field_sources(hit)))),
    )
    for name, value in values:
        if value:
            yield name, f"{{{value}}}"
        if name == "year" and (month := _month_macro(record.date)):
            yield "month", month
            if day := date_parts(record.date)[2].lstrip("0"):
                yield "day", f"{{{day}}}"


def _month_macro(date: str | None) -> str | None:
    """The macro that every style defines: "mar" for "2020-03-15"."""
    number = int(date_parts(date)[1] or 0)
    return _MONTHS[number - 1] if 1 <= number <= 12 else None
