"""The closed list of converters: what a selector finds -> the value of a record's field.

Each takes whatever the selector found (a string, a number, a list, an element's text, None) and
gives a value or None; none raises on odd input, so that one odd field costs neither its record nor
its page. `CONVERTERS` is the list that a spec may name with `as = "..."`; `DEFAULTS` says which
converter a field has when its spec names none. The converters themselves stand here, in
texts.py, identifiers.py, numbering.py, names.py and authors.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from metasearch.bib import authors, bylines, identifiers, isbd, notices, numbering, texts, trials
from metasearch.bib.texts import Converter, first, strings
from metasearch.late_pattern import late_pattern
from metasearch.record import FIELDS, OF_THE_WORK, PEOPLE, TEXTS, Kind

# Converters of years and dates.

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_YEAR_CORRECTED = late_pattern(r"\d{2,4},?\s*\[(?:i\.\s?e\.,?\s*)?(1[0-9]{3}|20[0-9]{2})(?!\d)")


def year(found: Any) -> int | None:
    """The first plausible year: "c1999.", "[2001?]", "1998 Dec-1999 Jan", 2004.

    A year in brackets behind another one corrects it, or is its Gregorian form: "2024 [1967]",
    "1392 [2013]".
    """
    for value in (found,) if type(found) is str else strings(found):
        if len(value) > 4 and value.isdigit():
            value = value[:4]
        hit = ("[" in value and _YEAR_CORRECTED.search(value)) or _YEAR.search(value)
        if hit:
            return int(hit[1])
    return None


_DAY_FIRST = late_pattern(r"(\d{1,2})[./](\d{1,2})[./](1\d{3}|20\d\d)")
_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_YEAR_ALONE = re.compile(r"1\d{3}|20\d\d")
_ISO = late_pattern(r"(1[0-9]{3}|20[0-9]{2})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")
# As nearly all are written: what stands before the time is the answer.
_PLAIN = re.compile(
    r"(?:1[0-9]{3}|20[0-9]{2})(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?(?=$|T)"
)
_COMPACT = late_pattern(r"(1[0-9]{3}|20[0-9]{2})(\d\d)(\d\d)?")


def date(found: Any) -> str | None:
    """ISO 8601 with the precision that is known.

    Takes "2020-03-05T..", "20200305", "2020", [2020, 3] and ["2020", "Mar", "5"].
    """
    if isinstance(found, (list, tuple)) and len(found) > 1:
        parts = [str(p).strip() for p in found if isinstance(p, (str, int)) and str(p).strip()]
        return _date_of(*parts[:3]) if parts else None
    value = found if type(found) is str else first(found)
    if not value:
        return None
    value = value.strip()
    if plain := _PLAIN.match(value):
        return plain[0]
    hit = _ISO.match(value.rstrip("-")) or _COMPACT.fullmatch(value)
    return _date_of(hit[1], hit[2] or "", hit[3] or "") if hit else None


def earliest_date(found: Any) -> str | None:
    """The earliest of several dates, of two that agree the more precise one: "2006" of
    ["2015-10-05", "2006"].

    Of what a repository says, that is the day of publication: the others are those on which it was
    taken in or changed.
    """
    dates: list[str] = [
        read for value in strings(found) if (read := date(value) or _year_as_date(value))
    ]
    return min(dates, key=_in_order, default=None)


def _in_order(date: str) -> tuple[str, str, str]:
    """A day or month before the year that it lies in."""
    return date[:4], date[4:7] or "-99", date[7:] or "-99"


def _year_as_date(value: str) -> str | None:
    hit = year(value)
    return None if hit is None else str(hit)


def _date_of(year_text: str, month: str = "", day: str = "", *_: str) -> str | None:
    if _YEAR_ALONE.fullmatch(year_text) is None:
        return None
    number = (
        _MONTHS.get(month[:3].lower(), 0)
        if len(month) > 2
        else int(month)
        if month.isdecimal()
        else 0
    )
    if not 1 <= number <= 12:
        return year_text
    if not (day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31):
        return f"{year_text}-{number:02d}"
    return f"{year_text}-{number:02d}-{int(day):02d}"


def padded_date(found: Any) -> str | None:
    """`date`, for sources that write a mere year as its first of January."""
    value = date(found)
    return value[:4] if value and value.endswith("-01-01") else value


def day_first_date(found: Any) -> str | None:
    """A date in figures as much of Europe writes it, "12/11/2024" or "12.11.2024"; "01/01/1987" is
    a filled-up year.
    """
    hit = _DAY_FIRST.fullmatch((first(found) or "").strip())
    return padded_date(_date_of(hit[3], hit[2], hit[1]) if hit else found)


def date_words(found: Any) -> str | None:
    """A date in PubMed's words: "2009 Dec 20" -> "2009-12-20"; of a span the first year."""
    value = found if type(found) is str else first(found)
    parts = value.split() if value else []
    if not parts:
        return None
    spans = any("-" in part or "/" in part for part in parts[1:])
    return _date_of(*parts[:1]) if spans else _date_of(*parts[:3])


_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
#: Of the name of each month its first three letters, and each longer beginning -> its number.
_MONTHS_BEGUN = {
    name[:end]: number
    for number, name in enumerate(_MONTH_NAMES, 1)
    for end in range(3, len(name) + 1)
}
_TIME_OF_DAY = late_pattern(r"\b\d{1,2}:\d{2}.*")
_WORDS_AND_NUMBERS = late_pattern(r"[^\W\d_]+|\d+")


def date_printed(found: Any) -> str | None:
    """A date as it is printed, day or month first: "28 August 2015", "Aug. 15, 2011", "NOV 2014",
    "Spring 2010".

    What spans days is known to the month ("11-12 July 2018"), what spans months to the year
    ("Jan.-Feb. 2019"). Several strings are one date; ISO 8601 and RFC 822's "Tue, 05 Mar 2019
    10:00:00 GMT" are taken, too.
    """
    value = " ".join(strings(found))
    if iso := date(value):
        return iso
    value = value.lower()
    parts: list[str] = _WORDS_AND_NUMBERS.findall(
        _TIME_OF_DAY.sub("", value) if ":" in value else value
    )
    years = [part for part in parts if _YEAR_ALONE.fullmatch(part)]
    if not years:
        return None
    months = {_MONTHS_BEGUN[part] for part in parts if part in _MONTHS_BEGUN}
    days = {part for part in parts if part.isdecimal() and len(part) <= 2}
    if len(set(years)) > 1 or len(months) != 1:
        return years[0]
    return _date_of(years[0], str(months.pop()), days.pop() if len(days) == 1 else "")


#: Months and days as they stand behind a year.
_BEHIND = tuple(f"-{number:02d}" for number in range(32))


def whole_date_parts(found: Any, _: int = 0) -> str | None:
    """`date_parts` of what is no more than one whole date, [[2020, 3, 5]]; None of all else."""
    if type(found) is list and len(found) == 1 and type(found[0]) is list and len(found[0]) == 3:
        year_number, month, day = found[0]
        whole = type(year_number) is int and type(month) is int and type(day) is int
        if whole and 1000 <= year_number < 2100 and 1 <= month <= 12 and 1 <= day <= 31:
            return f"{year_number}{_BEHIND[month]}{_BEHIND[day]}"
    return None


def date_parts(found: Any) -> str | None:
    """CSL's [[2020, 3, 5]]; [[null]] is None."""
    if whole := whole_date_parts(found):
        return whole
    while isinstance(found, list) and found and isinstance(found[0], list):
        found = found[0]
    parts = [str(p) for p in found if isinstance(p, (int, str))] if isinstance(found, list) else []
    return _date_of(*parts[:3]) if parts else None


#: https://www.wikidata.org/wiki/Help:Dates: precision -> characters of "2015-03-05T00:00:00Z" that
#: say something.
_PRECISION = {11: 10, 10: 7, 9: 4}


def precise_date(found: Any) -> str | None:
    """Wikidata's {"time": "+2015-03-00T00:00:00Z", "precision": 10}; more precise is padding."""
    for value in found if isinstance(found, list) else [found]:
        if (
            isinstance(value, dict)
            and isinstance(value.get("time"), str)
            and type(value.get("precision")) is int
        ):
            known = value["time"].removeprefix("+")[: _PRECISION.get(value["precision"], 0)]
            if known:
                return date(known)
    return None


def registrations(found: Any) -> dict[str, str] | None:
    """Registration numbers of trials by registry, of a field for nothing else."""
    said = (trials.registrations(value, alone=True) for value in strings(found))
    return trials.merge_ids(*said) or None


# Converters that a spec makes of a text, a table or a template of its own.


class Constant:
    """A converter that returns the same value for all that has a text, and None for the rest."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self, selected: Any) -> Any:
        return self.value if strings(selected) else None


class Lookup:
    """A converter that replaces words by those in a table, in which "*" stands for all others.

    Case does not matter; of a text with semicolons, the first part that is in the table counts.
    """

    __slots__ = ("_others", "_words")

    def __init__(self, table: Mapping[str, str]) -> None:
        self._words = {key.casefold(): value for key, value in table.items()}
        self._others = self._words.get("*")

    def __call__(self, selected: Any) -> str | None:
        words = self._words
        if type(selected) is list and len(selected) == 1:
            selected = selected[0]
        if type(selected) is str and ";" not in selected:
            if selected in words:
                return words[selected]
            word = selected.strip().casefold()
            return words.get(word) or (self._others if word else None)
        parts = [part.strip().casefold() for v in strings(selected) for part in v.split(";")]
        known = next((words[part] for part in parts if part in words), None)
        return known or (self._others if parts else None)


def into_template(template: str, inner: Converter) -> Converter:
    """A converter that writes what `inner` returns, percent-encoded, for "{x}" in a template."""

    def fill(selected: Any) -> str | None:
        value = inner(selected)
        return template.format(x=quote(value, safe="/:")) if isinstance(value, str) else None

    return fill


CONVERTERS: Mapping[str, Converter] = {
    "text": texts.text,
    "joined": texts.joined,
    "commas": texts.commas,
    "list": texts.text_list,
    "split-list": texts.split_list,
    "words": texts.words,
    "true": texts.true_or_none,
    "open-access": texts.open_access,
    "arxiv-version": identifiers.arxiv_version,
    "abstract": texts.abstract,
    "inverted-index": texts.inverted_index,
    "no-final-stop": texts.no_final_stop,
    "isbd": isbd.without_marks,
    "isbd-list": isbd.texts,
    "isbd-title": isbd.title,
    "isbd-publisher": isbd.publisher,
    "isbd-place": isbd.place,
    "labelled": texts.labelled,
    "mesh": texts.mesh_headings,
    "notices": notices.texts,
    "bracketed": texts.bracketed,
    "year": year,
    "date": date,
    "date-parts": date_parts,
    "date-words": date_words,
    "date-printed": date_printed,
    "day-first-date": day_first_date,
    "padded-date": padded_date,
    "precise-date": precise_date,
    "earliest-date": earliest_date,
    "pages": numbering.page_range,
    "doi": identifiers.first_doi,
    "doi-url": identifiers.doi_url,
    "url": identifiers.first_url,
    "isbn": identifiers.isbns,
    "issn": identifiers.issns,
    "arxiv": identifiers.arxiv,
    "arxiv-url": identifiers.arxiv_url,
    "pmcid": identifiers.pmcid,
    "pmid": identifiers.pmid,
    "lccn": identifiers.lccn,
    "oclc": identifiers.oclc,
    "article-number": numbering.article_number,
    "citation-venue": numbering.citation_venue,
    "citation-volume": numbering.citation_volume,
    "citation-issue": numbering.citation_issue,
    "citation-pages": numbering.citation_pages,
    "citation-year": numbering.citation_year,
    "extent-pages": numbering.extent_pages,
    "last-segment": identifiers.last_segment,
    "size-pages": numbering.size_pages,
    "identifier": identifiers.identifier,
    "integer": numbering.integer,
    "language": texts.language,
    "sole-language": texts.sole_language,
    "names": authors.names,
    "names-semicolon": authors.names_semicolon,
    "names-comma": authors.names_comma,
    "names-and": authors.names_and,
    "names-initials": authors.names_initials,
    "names-initials-and": authors.names_initials_and,
    "names-homonym": authors.names_homonym,
    "names-catalogue": authors.names_catalogue,
    "names-bracketed": authors.names_bracketed,
    "names-statement": bylines.statement,
}

#: Converters that give several values, and the fields that hold several; neither goes with any of
#: the others.
PLURAL = frozenset({"list", "split-list", "words", "isbd-list", "isbn", "issn", "mesh", "notices"})
PLURAL_FIELDS = frozenset({*TEXTS, *PEOPLE})
#: What the names of authors that are objects may go through.
NAME_CONVERTERS: Mapping[str, Callable[[str], str]] = {
    "names-homonym": authors.homonym,
    "names-degrees": bylines.without_degrees,
    "names-catalogue": authors.personal,
}

#: Converters to which a list of one text is as good as the text.
OF_ONE_TEXT = frozenset({
    texts.abstract, numbering.article_number, identifiers.arxiv, identifiers.arxiv_version,
    numbering.citation_issue, numbering.citation_pages, numbering.citation_volume,
    numbering.citation_year, texts.commas, date, identifiers.first_doi, identifiers.doi_url,
    numbering.extent_pages, identifiers.identifier, numbering.integer, isbd.without_marks,
    isbd.texts, isbd.place, identifiers.isbns, identifiers.issns, texts.joined, texts.language,
    identifiers.last_segment, identifiers.lccn, identifiers.oclc, numbering.page_range,
    identifiers.pdf_url, authors.names, identifiers.pmcid, identifiers.pmid, texts.text,
    texts.text_list, identifiers.first_url, year,
})  # fmt: skip


def of_one_text(convert: Converter) -> bool:
    """Whether a list of one text is as good as the text to a converter, and `False` is nothing."""
    return convert in OF_ONE_TEXT or isinstance(convert, (Constant, Lookup))


#: What some converters make of what is ordinary and no larger than a number of characters, which
#: comes second; None of all else. Of that the converter gives the same.
ORDINARY: Mapping[Converter, Callable[[Any, int], Any]] = {
    date_parts: whole_date_parts,
    numbering.integer: numbering.plain_integer,
    texts.text_list: texts.plain_text_list,
}

#: Converters that take XML elements, because they need more than the texts.
NODE_CONVERTERS = frozenset({"labelled", "mesh", "notices"})

#: What reads a value of each kind, and of the fields that need more.
_OF_KIND: Mapping[Kind, Converter] = {
    "text": texts.text,
    "word": texts.text,
    "link": identifiers.first_url,
    "number": numbering.integer,
    "flag": texts.true_or_none,
    "texts": texts.text_list,
    "people": authors.names,
}
DEFAULTS: Mapping[str, Converter] = {
    name: _OF_KIND[FIELDS[name].kind] for name in ("source_id", *OF_THE_WORK) if name != "ids"
} | {
    "source_id": identifiers.identifier,
    "pdf_url": identifiers.pdf_url,
    "year": year,
    "date": date,
    "pages": numbering.page_range,
    "doi": identifiers.first_doi,
    "isbn": identifiers.isbns,
    "issn": identifiers.issns,
    "language": texts.language,
    "abstract": texts.abstract,
    "open_access": texts.open_access,
    "notices": notices.texts,
}
