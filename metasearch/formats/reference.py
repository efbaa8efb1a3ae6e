"""What the reference formats share: names, titles, pages, links and provenance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from metasearch.bib.identifier_forms import is_patent_number
from metasearch.formats.text import line, web_url
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, Hit, Record

#: Words that a body's name holds and a person's does not.
_corporate_word = late_pattern(
    r"\b(?:of|for|and|the|agency|association|center|centre|collaboration|commission|committee|consortium|council|"
    r"department|foundation|group|initiative|institute|investigators|ministry|network|organi[sz]ation|society|team|"
    r"trial|university)\b",
    re.IGNORECASE,
)
_page_range = late_pattern(
    r"([^\s\u2010-\u2015-]+)\s*(?:--|[\u2010-\u2015-])\s*([^\s\u2010-\u2015-]+)"
)
_date = late_pattern(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9])")
#: Types of what stands in a book or in proceedings.
IN_BOOKS = frozenset({"chapter", "conference-paper", "reference-entry"})
#: Types whose standard number is an ISBN rather than an ISSN.
_BOOKS = IN_BOOKS | {"book", "proceedings", "thesis", "report"}
_page_number = late_pattern(r"([^\W\d]*)([0-9]+)")


def full_title(record: Record) -> str:
    """Title and subtitle on one line; "" where there is none.

    Without the full stop that MEDLINE puts behind each title: a citation puts one
    there.
    """
    title, subtitle = without_stop(line(record.title)), without_stop(line(record.subtitle))
    if not subtitle or subtitle.casefold() in title.casefold():
        return title
    if not title:
        return subtitle
    return f"{title} {subtitle}" if title[-1] in ":?!\uff1a\uff1f\uff01" else f"{title}: {subtitle}"


_abbreviated = late_pattern(
    r"(?:(?<!\w)\w|\.\w+|(?<!\w)(?:etc|al|vs|vol|no|ed|eds|jr|sr|inc|ltd|co|corp|st|dr|ca|cf|approx|spp?|var|subsp))\.",
    re.IGNORECASE,
)
#: Characters at a title's end in which an abbreviation would lie.
_LONGEST_ABBREVIATED = 12


def without_stop(title: str) -> str:
    """The title without its full stop, unless of an ellipsis or an abbreviation."""
    if not title.endswith(".") or title.endswith(".."):
        return title
    end = title[-_LONGEST_ABBREVIATED:]
    if any(hit.end() == len(end) for hit in _abbreviated.finditer(end)):
        return title
    return title[:-1].rstrip()


def inverted(author: Author) -> str:
    """The name as "Family, Given" where the source has the parts, else as it stands."""
    family, given = line(author.family), line(author.given)
    if not family:
        return line(author.name)
    return f"{family}, {given}" if given else family


def is_corporate(author: Author, authors: Sequence[Author]) -> bool:
    """Whether a name without a family name is that of a body, not of a person whose name no source
    has divided.

    It is where its source says so, where its neighbours do have family names, or where it holds a
    word such as "Collaboration".
    """
    return not author.family and (any(a.family for a in authors) or _is_named_as_body(author))


def are_corporate(authors: Sequence[Author]) -> list[bool]:
    """`is_corporate` of each author among them all, in time linear in their number."""
    any_divided = any(author.family for author in authors)
    return [not author.family and (any_divided or _is_named_as_body(author)) for author in authors]


def _is_named_as_body(author: Author) -> bool:
    return author.collective or _corporate_word.search(author.name) is not None


def page_range(pages: str | None) -> tuple[str, str]:
    """First and last page, the last one written out in full; the last is "" where there is but one.

    >>> page_range("1123-8"), page_range("S12-S18"), page_range("e1001")
    (('1123', '1128'), ('S12', 'S18'), ('e1001', ''))
    """
    return next(iter(page_ranges(pages)), ("", ""))


#: Parts of what is printed as pages, and words before the numbers of one: "12-3; discussion 13-14".
_page_parts = late_pattern(r"[;,\uff0c\uff1b]")
_page_words = late_pattern(r"(?:[^\W\d_]{2,}\.?:?\s+)+(?=[^\W\d_]{0,2}\d)")
#: Parts that are looked at.
_MOST_PARTS = 20


def page_ranges(pages: str | None) -> list[tuple[str, str]]:
    """First and last page of each part; words about a part are left out, and so is a part without a
    number.

    >>> page_ranges("12-3; discussion 13-14")
    [('12', '13'), ('13', '14')]
    """
    shown = line(pages)
    parts = [part.strip() for part in _page_parts.split(shown)[:_MOST_PARTS]]
    if len(parts) == 1:
        return [_one_range(shown)] if shown else []
    bare = [_page_words.sub("", part) for part in parts]
    numbered = [
        part
        for part in bare
        if any(c.isdigit() for c in part) and " " not in part.replace(" - ", "-")
    ]
    return [_one_range(part) for part in numbered] or [(shown, "")]


def _one_range(shown: str) -> tuple[str, str]:
    found = _page_range.fullmatch(shown)
    if found is None:
        return shown, ""
    first, last = found.groups()
    start, end = _page_number.fullmatch(first), _page_number.fullmatch(last)
    if start and end and end[1] in ("", start[1]) and len(end[2]) < len(start[2]):
        whole = start[2][: -len(end[2])] + end[2]
        if whole >= start[2]:
            last = start[1] + whole
    return first, last


def date_parts(date: str | None) -> tuple[str, str, str]:
    """Year, month and day as digits, "" for what is not known.

    >>> date_parts("2020-03"), date_parts("in March")
    (('2020', '03', ''), ('', '', ''))
    """
    found = _date.match(date or "")
    return (found[1], found[2] or "", found[3] or "") if found else ("", "", "")


def doi_url(doi: str | None) -> str | None:
    """The resolver's address of a DOI, None for None."""
    bare = line(doi)
    return "https://doi.org/" + quote(bare, safe="/:;()._-~!$&'*+,@=") if bare else None


def link(record: Record) -> str | None:
    """Where a reader is sent: the record's own address, else its DOI's."""
    return web_url(record.url) or doi_url(record.doi)


def journal_like(record: Record) -> bool:
    """Whether a record without a type looks like a journal article."""
    return bool(record.venue and (record.volume or record.issue or record.issn))


def standard_numbers(record: Record) -> list[str]:
    """ISSNs and ISBNs, those of the record's kind first; before them the number of a patent, which
    EndNote and Zotero read from the field of standard numbers.
    """
    patent = line(record.ids.get("patent")) if record.type == "patent" else ""
    isbn_first = record.type in _BOOKS
    numbers = record.isbn + record.issn if isbn_first else record.issn + record.isbn
    return [*([patent] if is_patent_number(patent) else []), *map(line, numbers)]


def issuing_body(record: Record) -> str:
    """The university of a thesis, where the record names it, else the publisher; "" for none."""
    given = record.institution if record.type == "thesis" else None
    return line(given or record.publisher or record.institution)


def identifiers(record: Record) -> list[str]:
    """The identifiers other than DOI, ISBN and ISSN as "scheme:value", sorted."""
    return sorted(f"{line(scheme)}:{line(value)}" for scheme, value in record.ids.items())


def field_sources(hit: Hit) -> list[str]:
    """Which source gave what, a source an entry: "crossref: title, year"."""
    fields: dict[str, list[str]] = {}
    for field, source in sorted(hit.provenance.items()):
        fields.setdefault(line(source), []).append(line(field))
    return [f"{source}: {', '.join(given)}" for source, given in sorted(fields.items())]
