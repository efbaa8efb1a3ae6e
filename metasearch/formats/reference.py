"""What the reference formats share: names, titles, pages, links and provenance as reference
managers expect them; lines of a tag and a value, and the words for types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from metasearch.bib import trials
from metasearch.bib.identifiers import is_patent_number
from metasearch.bib.names_in_field import authors_in_field, body_with_mark
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import worktypes
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
    title, subtitle = titles_apart(record)
    if not subtitle or subtitle.casefold() in title.casefold():
        return title
    if not title:
        return subtitle
    return f"{title} {subtitle}" if title[-1] in ":?!\uff1a\uff1f\uff01" else f"{title}: {subtitle}"


def titles_apart(record: Record) -> tuple[str, str]:
    """Each on one line and without its full stop."""
    return without_stop(line(record.title)), without_stop(line(record.subtitle))


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


def family_first(author: Author) -> str:
    """The name as "Family, Given, Jr." where the source has the parts, else as it stands."""
    family = line(author.family)
    if not family:
        return line(author.name)
    return ", ".join(filter(None, (family, line(author.given), line(author.suffix))))


def in_one_field(author: Author, *, several: bool = False) -> str:
    """`family_first`, for a line that holds one name: a body that a reader would divide has
    EndNote's marks, a comma behind the name and a second one behind its first comma.
    `several`: the line may hold several names, which a semicolon divides whatever stands behind
    them.
    """
    name = family_first(author)
    if author.family or (several and ";" in name):
        return name
    if [one.name for one in authors_in_field(name, several=several)] == [name]:
        return name
    marked = (f"{name},", f"{name.replace(', ', ',, ', 1)},")
    return next((mark for mark in marked if body_with_mark(mark) == name), name)


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


def all_pages(pages: str | None) -> str:
    """All pages on one line, as formats have them that hold them in one field.

    >>> all_pages("1123-8"), all_pages("12-15,20")
    ('1123-1128', '12-15, 20')
    """
    return ", ".join("-".join(filter(None, part)) for part in page_ranges(pages))


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


def iso_date(date: str | None) -> str:
    """The date as far as it is known, "2020-03"; "" for none."""
    return "-".join(filter(None, date_parts(date)))


def doi_url(doi: str | None) -> str | None:
    bare = line(doi)
    return "https://doi.org/" + quote(bare, safe="/:;()._-~!$&'*+,@=") if bare else None


def notice_url(link: str) -> str | None:
    """The address of the notice that a DOI, "pmid:123" or an address names."""
    if link.startswith("pmid:"):
        return f"https://pubmed.ncbi.nlm.nih.gov/{line(link[5:])}/"
    return doi_url(link) if link.startswith("10.") else web_url(link)


def link(record: Record) -> str | None:
    """Where a reader is sent: the record's own address, else its DOI's."""
    return web_url(record.url) or doi_url(record.doi)


#: Stands before a translator in a note, where a format has no other place in a work of its type.
TRANSLATOR = "Translator: "


def is_journal_like(record: Record) -> bool:
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
    return [f"{line(scheme)}:{line(value)}" for scheme, value in trials.each_identifier(record.ids)]


def field_sources(hit: Hit) -> list[str]:
    """Which source gave what, a source an entry: "crossref: title, year"."""
    fields: dict[str, list[str]] = {}
    for field, source in sorted(hit.provenance.items()):
        fields.setdefault(line(source), []).append(line(field))
    return [f"{source}: {', '.join(given)}" for source, given in sorted(fields.items())]


# What the writers of tagged formats share: lines of a tag and a value, and the words for types. No
# value holds a line break, so no upstream text can open a field or end a record.

#: `Record.type` -> word of a second field, beside the general word for all that journals hold.
SECOND_WORDS = {
    "review": "Review",
    "editorial": "Editorial",
    "letter": "Letter",
    "erratum": "Erratum",
    "retraction": "Retraction",
    "preprint": "Preprint",
}


@dataclass(frozen=True, slots=True)
class TagLineWriter:
    """How a format writes its lines.

    Attributes:
        template: Of a line, with {tag} and {value}, its end included.
        tag: Matches what may be a tag.
        note: The tag of notes, which tell the origins.
        single: Tags that a record has once at most; another value is a note.
        end: What stands behind a record.
        of_people: Tags of lines that belong to the person above: a line like another stays.
    """

    template: str
    tag: re.Pattern[str]
    note: str
    single: frozenset[str]
    end: str = "\r\n"
    of_people: frozenset[str] = frozenset()

    def records(
        self,
        hits: Iterable[Hit],
        beside: BesideHits | None,
        fields: Callable[[Hit, Beside | None], Iterable[tuple[str, str]]],
    ) -> Iterator[bytes]:
        for hit, found in with_beside(hits, beside):
            yield self.record(fields(hit, found), found)

    def record(self, fields: Iterable[tuple[str, str]], beside: Beside | None) -> bytes:
        """One record in UTF-8. `beside`: what files say beside the record; its fields that ours
        repeat are left out.
        """
        written: list[tuple[str, str]] = []
        there: set[tuple[str, str]] = set()
        for one in fields:
            if one[1] and (one not in there or one[0] in self.of_people):
                there.add(one)
                written.append(one)
        if beside is not None:
            known = {tag for tag, _ in written}
            for tag, text in beside.fields:
                value = line(text)
                again = tag in self.single and tag in known
                one = (self.note, f"{tag}: {value}") if again else (tag, value)
                if self.tag.fullmatch(tag) and value and not there & {(tag, value), one}:
                    known.add(tag)
                    there.add(one)
                    written.append(one)
            # Two records of one file and database have equal origins: each is written.
            written += [(self.note, text) for text in texts(beside.origins)]
        lines = (self.template.format(tag=tag, value=value) for tag, value in written)
        return ("".join(lines) + self.end).encode()


def databases(hit: Hit, beside: Beside | None) -> list[str]:
    """The names of the databases of a record that files held, else of the sources of a hit."""
    return [line(source) for source in hit.sources] if beside is None else beside.databases


def general_type(record: Record) -> str:
    """The type of a record, "article" where it has none and looks like one, else "other"."""
    if record.type is None and is_journal_like(record):
        return "article"
    return record.type or "other"


def second_type(kind: str, word: str, *, is_part: bool, in_notes: bool = False) -> str:
    """What a second field has to say of a type that the format's own word does not tell.

    `is_part`: whether the record has authors or pages, by which readers tell a paper from its
    proceedings. `in_notes`: the format has no second field for types, so that only a mark is
    understood. Returns a word that other programs know ("Review"), else "type: journal"; "" where
    nothing is missing.
    """
    general = worktypes.conference(worktypes.of_words([word]), is_part=is_part)
    if general == kind or kind == "other":
        return ""
    second = SECOND_WORDS.get(kind, "")
    if second and not in_notes and worktypes.refine(general, [second]) == kind:
        return second
    return f"{worktypes.OWN_MARK}{kind}"


def further_titles(record: Record) -> list[str]:
    """The titles beside the first one, each once, on one line each."""
    titles = (record.original_title, record.translated_title, *record.titles)
    return list(dict.fromkeys(shown for title in titles if (shown := line(title))))


def four_digits(year: int | None) -> str:
    """The year as a field for it holds it; "" for none."""
    return f"{year:04d}" if year is not None and 0 < year < 10_000 else ""
