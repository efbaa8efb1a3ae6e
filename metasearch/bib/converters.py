"""The closed list of converters: what a selector finds -> the value of a record's field.

Each takes whatever the selector found (a string, a number, a list, an element's text, None) and
gives a value or None; none raises on odd input, so that one odd field costs neither its record nor
its page. `CONVERTERS` is the list that a spec may name with `as = "..."`; `DEFAULTS` says which
converter a field has when its spec names none. The converters themselves stand here, in
texts.py, numbering.py, names.py and authors.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from metasearch.bib import authors, identifiers, names
from metasearch.bib.numbering import (
    article_number,
    citation_issue,
    citation_pages,
    citation_venue,
    citation_volume,
    integer,
    page_range,
    plain_integer,
    size_pages,
)
from metasearch.bib.texts import (
    Converter,
    abstract,
    bracketed,
    commas,
    first,
    inverted_index,
    isbd,
    isbd_list,
    isbd_publisher,
    isbd_title,
    joined,
    labelled,
    language,
    no_final_stop,
    open_access,
    plain_text_list,
    said_true,
    sole_language,
    split_list,
    strings,
    text,
    text_list,
    words,
)
from metasearch.late_pattern import late_pattern

__all__ = [
    "CONVERTERS",
    "DEFAULTS",
    "NAME_CONVERTERS",
    "NODE_CONVERTERS",
    "abstract",
    "article_number",
    "arxiv",
    "arxiv_url",
    "arxiv_version",
    "bracketed",
    "citation_issue",
    "citation_pages",
    "citation_venue",
    "citation_volume",
    "commas",
    "date",
    "date_parts",
    "date_printed",
    "date_words",
    "day_first_date",
    "doi",
    "doi_url",
    "earliest_date",
    "identifier",
    "integer",
    "inverted_index",
    "isbd",
    "isbd_list",
    "isbd_publisher",
    "isbd_title",
    "isbns",
    "issns",
    "joined",
    "labelled",
    "language",
    "last_segment",
    "lccn",
    "no_final_stop",
    "oclc",
    "open_access",
    "padded_date",
    "page_range",
    "pdf_url",
    "pmcid",
    "pmid",
    "precise_date",
    "said_true",
    "size_pages",
    "sole_language",
    "split_list",
    "text",
    "text_list",
    "url",
    "words",
    "year",
]


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
    value = first(found)
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
    value = first(found)
    parts = value.split() if value else []
    if not parts:
        return None
    spans = any("-" in part or "/" in part for part in parts[1:])
    return _date_of(*parts[:1]) if spans else _date_of(*parts[:3])


_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november",
    "december",
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


# Converters of identifiers and addresses.


def doi(found: Any) -> str | None:
    """The first DOI among the strings, bare and lower case."""
    if type(found) is str:
        return identifiers.doi(found)
    return next((d for v in strings(found) if (d := identifiers.doi(v))), None)


def doi_url(found: Any) -> str | None:
    """The DOI of the first URL of a resolver, even behind a library's proxy, and of no other."""
    return doi([v for v in strings(found) if "doi.org/" in v.lower()])


def url(found: Any) -> str | None:
    """The first http(s) URL."""
    if type(found) is str:
        return identifiers.web_url(found)
    return next((u for v in strings(found) if (u := identifiers.web_url(v))), None)


def pdf_url(found: Any) -> str | None:
    """The first http(s) URL that may be a file: a DOI leads to a page."""
    links = (u for v in strings(found) if (u := identifiers.web_url(v)))
    return next((u for u in links if "//doi.org/" not in u and "//dx.doi.org/" not in u), None)


_BETWEEN_ISBNS = late_pattern(r"[;,]|\s(?=97[89])")


def isbns(found: Any) -> tuple[str, ...]:
    """Each ISBN once, as ISBN-13."""
    if type(found) is str and found.isalnum():
        return (only,) if (only := identifiers.isbn(found)) else ()
    values = [
        part for v in strings(found) for part in ((v,) if v.isalnum() else _BETWEEN_ISBNS.split(v))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := identifiers.isbn(v))]))


_SEPARATORS = late_pattern(r"[;,]")


def issns(found: Any) -> tuple[str, ...]:
    """Each ISSN once."""
    if type(found) is str and len(found) <= 9:
        return (only,) if (only := identifiers.issn(found)) else ()
    values = [
        part for v in strings(found) for part in (_SEPARATORS.split(v) if len(v) > 9 else (v,))
    ]
    return tuple(dict.fromkeys([i for v in values if (i := identifiers.issn(v))]))


def arxiv(found: Any) -> str | None:
    """An arXiv identifier without version."""
    return next((a for v in strings(found) if (a := identifiers.arxiv_id(v))), None)


def arxiv_url(found: Any) -> str | None:
    """The arXiv identifier in the first link or DOI that is arXiv's, among others that are not."""
    return next(
        (a for v in strings(found) if "arxiv" in v.lower() and (a := identifiers.arxiv_id(v))),
        None,
    )


_ARXIV_VERSION = late_pattern(
    r"(?:\d{4}\.\d{4,5}|[a-z][a-z.-]{0,20}/\d{7})(v\d{1,3})\b", re.IGNORECASE
)
#: What each of them has, and is found sooner.
_VERSION = late_pattern(r"\dv\d", re.IGNORECASE)


def arxiv_version(found: Any) -> str | None:
    """The version behind an arXiv identifier: "v2" of "http://arxiv.org/abs/2104.12255v2"."""
    hits = (_VERSION.search(value) and _ARXIV_VERSION.search(value) for value in strings(found))
    return next((hit[1].lower() for hit in hits if hit), None)


def pmcid(found: Any) -> str | None:
    """The form "PMC123456", from that, from a link to it, or from its number."""
    value = first(found)
    hit = (
        re.search(r"PMC0*(\d{1,9})|(?:^|/)0*(\d{1,9})/?$", value.strip(), re.IGNORECASE)
        if value
        else None
    )
    return f"PMC{hit[1] or hit[2]}" if hit else None


_PMID = late_pattern(r"(?:^|[^\dC])0*(\d{1,9})/?$")


def pmid(found: Any) -> str | None:
    """A PubMed identifier: the number, "MEDLINE:37689792", "pmid:37689792", or a link to it."""
    value = first(found)
    hit = _PMID.search(value.strip()) if value else None
    return hit[1] if hit else None


def lccn(found: Any) -> str | None:
    """A Library of Congress Control Number as www.loc.gov/marc/lccn-namespace.html has it."""
    value = first(found)
    bare = "".join(value.partition("/")[0].split()).lower() if value else ""
    prefix, hyphen, serial = bare.partition("-")
    bare = prefix + serial.zfill(6) if hyphen else bare
    return bare if re.fullmatch(r"[a-z]{0,3}\d{8,10}", bare) else None


_OCLC = late_pattern(r"(?:\(OCoLC\)\s*+(?:oc[mn]|on)?|oc[mn]|on|OCLC:)\s*+(\d+)", re.IGNORECASE)


def oclc(found: Any) -> str | None:
    """The number of the first "(OCoLC)ocm01234567", "ocn123456789" or "OCLC:1234567"."""
    for value in (found,) if type(found) is str else strings(found):
        hit = _OCLC.fullmatch(value.strip())
        if hit:
            return hit[1].lstrip("0") or "0"
    return None


def last_segment(found: Any) -> str | None:
    """What follows the last slash: the identifier in "https://openalex.org/W123"."""
    value = first(found)
    return (value.rstrip("/").rpartition("/")[2].strip() or None) if value else None


def identifier(found: Any) -> str | None:
    """An identifier as it stands, white space removed."""
    value = first(found)
    return "".join(value.split()) or None if value else None


CONVERTERS: Mapping[str, Converter] = {
    "text": text,
    "joined": joined,
    "commas": commas,
    "list": text_list,
    "split-list": split_list,
    "words": words,
    "true": said_true,
    "open-access": open_access,
    "arxiv-version": arxiv_version,
    "abstract": abstract,
    "inverted-index": inverted_index,
    "no-final-stop": no_final_stop,
    "isbd": isbd,
    "isbd-list": isbd_list,
    "isbd-title": isbd_title,
    "isbd-publisher": isbd_publisher,
    "labelled": labelled,
    "bracketed": bracketed,
    "year": year,
    "date": date,
    "date-parts": date_parts,
    "date-words": date_words,
    "date-printed": date_printed,
    "day-first-date": day_first_date,
    "padded-date": padded_date,
    "precise-date": precise_date,
    "earliest-date": earliest_date,
    "pages": page_range,
    "doi": doi,
    "doi-url": doi_url,
    "url": url,
    "isbn": isbns,
    "issn": issns,
    "arxiv": arxiv,
    "arxiv-url": arxiv_url,
    "pmcid": pmcid,
    "pmid": pmid,
    "lccn": lccn,
    "oclc": oclc,
    "article-number": article_number,
    "citation-venue": citation_venue,
    "citation-volume": citation_volume,
    "citation-issue": citation_issue,
    "citation-pages": citation_pages,
    "last-segment": last_segment,
    "size-pages": size_pages,
    "identifier": identifier,
    "integer": integer,
    "language": language,
    "sole-language": sole_language,
    "names": authors.names,
    "names-semicolon": authors.names_semicolon,
    "names-comma": authors.names_comma,
    "names-and": authors.names_and,
    "names-initials": authors.names_initials,
    "names-initials-and": authors.names_initials_and,
    "names-homonym": authors.names_homonym,
    "names-catalogue": authors.names_catalogue,
    "names-bracketed": authors.names_bracketed,
    "names-statement": names.statement,
}

#: Converters that give several values, and the fields that hold several; neither goes with any of
#: the others.
PLURAL = frozenset({"list", "split-list", "words", "isbd-list", "isbn", "issn"})
PLURAL_FIELDS = frozenset({"titles", "authors", "editors", "isbn", "issn", "keywords", "subjects"})
#: What the names of authors that are objects may go through.
NAME_CONVERTERS: Mapping[str, Callable[[str], str]] = {
    "names-homonym": names.without_homonym,
    "names-degrees": names.without_degrees,
    "names-catalogue": authors.personal,
}

#: Converters to which a list of one text is as good as the text.
OF_ONE_TEXT = frozenset({
    abstract, article_number, arxiv, arxiv_version, citation_issue, citation_pages, citation_volume,
    commas, date, doi, doi_url, identifier, integer, isbd, isbd_list, isbns, issns, joined,
    language, last_segment, lccn, oclc, page_range, pdf_url, authors.names, pmcid, pmid, text,
    text_list, url, year,
})  # fmt: skip

#: What some converters make of what is ordinary and no larger than a number of characters, which
#: comes second; None of all else. Of that the converter gives the same.
ORDINARY: Mapping[Converter, Callable[[Any, int], Any]] = {
    date_parts: whole_date_parts,
    integer: plain_integer,
    text_list: plain_text_list,
}

#: Converters that take XML elements, because they need more than the texts.
NODE_CONVERTERS = frozenset({"labelled"})

DEFAULTS: Mapping[str, Converter] = {
    "source_id": identifier,
    "url": url,
    "pdf_url": pdf_url,
    "title": text,
    "subtitle": text,
    "original_title": text,
    "translated_title": text,
    "titles": text_list,
    "authors": authors.names,
    "editors": authors.names,
    "year": year,
    "date": date,
    "venue": text,
    "publisher": text,
    "institution": text,
    "version": text,
    "edition": text,
    "volume": text,
    "issue": text,
    "pages": page_range,
    "doi": doi,
    "isbn": isbns,
    "issn": issns,
    "type": text,
    "language": language,
    "abstract": abstract,
    "keywords": text_list,
    "subjects": text_list,
    "citations": integer,
    "open_access": open_access,
    "licence": text,
    "retracted": said_true,
}
