"""Volumes, issues, pages and counts: read from citations, converted, and compared."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from metasearch.bib import normalise, texts
from metasearch.bib.normalise import compact
from metasearch.bib.texts import first, strings
from metasearch.bib.texts import plain_text as plain
from metasearch.late_pattern import late_pattern

# Where in its host a work stands, read from a citation such as MARC 773 $g: "Vol. 12, no. 3 (2019),
# p. 123-145". Cataloguing rules leave the form free; labels of the common cataloguing languages are
# understood, and the two short forms "12(2010)3, 45-60" and "18:3". What has no label and neither
# form is left alone rather than guessed.

_NUMBER = r"[:.\s]*(\d+[A-Za-z]?(?:\s?[-/\u2013]\s?\d+)?)(?![\d-])"
_VOLUME = late_pattern(
    rf"\b(?:volume|vol|v|band|bd|jahrgang|jg|tome|tom|t|årg|том|т){_NUMBER}", re.IGNORECASE
)
#: "85. Jahrgang"
_VOLUME_BEFORE = late_pattern(
    r"\b(\d{1,4})\. ?(?:jahrgang|jahrg|jg|band|årgång|årgang|årg|ročník|roč|évfolyam|évf)\b",
    re.IGNORECASE,
)
_ISSUE = late_pattern(
    rf"\b(?:number|num|no|nr|issue|iss|heft|h|ausgabe|fasc|numéro|n[º°o]?|№){_NUMBER}",
    re.IGNORECASE,
)
#: "Vol.389(10086)", but not "Vol. 12 (2019)"
_ISSUE_BEHIND = late_pattern(r"\s?\((?!(?:1[5-9]|20)\d\d\))(\d{1,5}(?:[-/\u2013]\d{1,5})?)\)")
#: A page, in brackets where its number is not printed: "[123]"; and the last one behind it.
_RANGE = (
    r"\[?[A-Za-z]?\d{1,7}[A-Za-z]?(?:\](?!\s?(?:seiten?|pages?|pp?|s)\b))?"
    r"(?:\s?[-\u2010-\u2015]\s?\[?[A-Za-z]?\d{1,7}\]?)?"
)
#: Labels of pages.
_PAGE = "pages?|pp?|p[aá]gs?|seiten?|s|с|стр|str|第"
_PAGES = late_pattern(rf"\b(?:{_PAGE})[:.\s]*({_RANGE})", re.IGNORECASE)
_SHORT = late_pattern(
    r"(?:^|[,;]\s?|\. - )"
    r"(?:(\d{1,4})\s?\(\d{4}\)\s?(\d{1,4})?(?!\d)|(\d{1,4})\s?\((\d{1,3})\)|(\d{1,4}):(\d{1,4})\b)"
)
_SHORT_PAGES = late_pattern(
    r"[,;]\s*+([A-Za-z]?\d+\s?[-\u2010-\u2015]\s?[A-Za-z]?\d+)\.?\s*+(?:$|(?=;))"
)


#: MARC 300 $a says where a part stands, or how many pages a whole has. Where: a range, or a label
#: before a number. "XII, 345 p." says how many.
_EXTENT = late_pattern(
    rf"(?:{_PAGE})[:.\s]*({_RANGE})(?:,\s?{_RANGE}){{0,9}}\s?页?"
    r"|(\[?\d{1,7}\]?\s?[-\u2010-\u2015]\s?\[?\d{1,7}\]?)(?:\s?(?:pages?|pp?|seiten|s|页)\b\.?)?",
    re.IGNORECASE,
)
_AROUND_EXTENT = " .,;:"
_IN_BRACKETS = late_pattern(r"\(([^()]{1,60})\)")
_NO_BRACKETS = str.maketrans("", "", "[] ")


#: The year of an issue: labelled, first, or alone in brackets. "(2018/19)" says two.
_YEAR_OF_ISSUE = late_pattern(
    r"\byear[:\s]\s?((?:1[5-9]|20)\d\d)\b|(?:^|\((?:[^()\d]{0,30}\s)?)((?:1[5-9]|20)\d\d)"
    r"(?=[,;:]\s?\D|(?:,?\s[^()\d]{1,30})?\)|$|\s;)",
    re.IGNORECASE,
)


class PlaceInHost(NamedTuple):
    """Volume, issue and pages as printed; None where the citation does not say."""

    volume: str | None
    issue: str | None
    pages: str | None


def _short_pages(text: str) -> re.Match[str] | None:
    """The first range between commas or semicolons that is no ISSN: "; 45-67 ; 1234-5679"."""
    return next((hit for hit in _SHORT_PAGES.finditer(text) if not _is_issn(hit[1])), None)


def _is_issn(text: str) -> bool:
    """Whether it is one, by its check digit too: four digits, a hyphen and four may be pages."""
    if len(text) != 9 or text[4] != "-" or not (text[:4] + text[5:]).isdecimal():
        return False
    digits = map(int, text.replace("-", ""))
    return (
        sum(weight * digit for weight, digit in zip(range(8, 0, -1), digits, strict=True)) % 11 == 0
    )


#: Where the name of a host ends: before a date, a volume, an issue, pages, a place and date in
#: brackets; before who is responsible, and before ISBD's mark of a next area.
_HOST_ENDS = late_pattern(
    r",\s+(?=(?:\d{1,2}\s+)?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+|"
    r"(?:spring|summer|fall|autumn|winter),?\s+)?(?:\d{1,2},\s+)?\d{4}\b|(?:vol|volume|v|bd|jg|t|n)\b\.?\s*\d|"
    r"vol\b|issue\b|iss\b|no\b|nr\b|pp?\.|\d{1,4}\s?\(|\([^()]*\d{4}\))"
    r"|\s/\s|\.{0,2}\s-\s(?=\d)",
    re.IGNORECASE,
)
#: A part between semicolons that names no host: a label with a number, an ISSN, an address, a DOI.
_NO_HOST = late_pattern(
    r"e?-?issn\b|https?://|doi\b|10\.\d{4,}/|(?:volume|vol|band|bd|jahrgang|jg|tome|issue|iss|number|no|nr|pages?|pp?|"
    r"article)\b[\s.:]*[\dA-Za-z]?\d",
    re.IGNORECASE,
)
#: Letters that stand together; numbers of volumes and pages have at most one.
_WORD = late_pattern(r"[^\W\d_]{2}")
_IN = late_pattern(r"in ?: ", re.IGNORECASE)


def host(text: str) -> str | None:
    """What a citation is a part of: "The Lancet" of "In: The Lancet, June 10, 2017,
    Vol.389(10086)".

    Also where parts stand between semicolons, as in Dublin Core: "ISSN: 0140-6736 ; The Lancet ;
    389 (10086) ; 45-67".
    """
    for piece in text.split(";"):
        piece = (
            _IN.sub("", piece.strip(), count=1)
            if piece.lstrip()[:2].lower() == "in"
            else piece.strip()
        )
        if _WORD.search(piece) and not _NO_HOST.match(piece):
            return _HOST_ENDS.split(piece, maxsplit=1)[0].strip(" ,") or None
    return None


@lru_cache(maxsize=256)
def place_in_host(text: str) -> PlaceInHost:
    """What a citation says; asked three times for each, once a field."""
    volume = _VOLUME.search(text) or _VOLUME_BEFORE.search(text)
    pages = _PAGES.search(text) or _short_pages(text)
    short = None if volume else _SHORT.search(text)
    # What stands in brackets behind a volume comes first: "vol. 17 (3) article n. 4".
    issue = (_ISSUE_BEHIND.match(text, volume.end()) if volume else None) or _ISSUE.search(text)
    volume_number = volume[1] if volume else None
    issue_number = issue[1] if issue else None
    if short:
        volume_number = short[1] or short[3] or short[5] or None
        issue_number = issue_number or short[2] or short[4] or short[6] or None
    return PlaceInHost(
        volume_number, issue_number, pages[1].translate(_NO_BRACKETS) if pages else None
    )


# Some databases write a dash as its escape, twice over.
_HYPHEN = re.compile(r"\s*(?:[-\u2010-\u2015]|\\u201[0-5])+\s*")


_PLAIN_PAGES = re.compile(r"[A-Za-z0-9.]+(?:-[A-Za-z0-9.]+)?")


def page_range(found: Any) -> str | None:
    """Pages as printed; two strings (first and last page) are joined."""
    if type(found) is str and _PLAIN_PAGES.fullmatch(found):  # as nearly all are written
        return found
    values = [v.strip() for v in strings(found) if v.strip()]
    if len(values) >= 2 and values[0] != values[1]:
        return f"{values[0]}-{values[1]}"
    value = texts.plain(without_pii(values[0])) if values else ""
    return _HYPHEN.sub("-", value).strip("- ") or None


#: An identifier of publishers that is no number of an article: "S0140-6736(19)30001-2".
_WHOLE_PII = late_pattern(r"[SB]\d{4}-?\d{3}[\dX](?:\(.*|\d*)", re.IGNORECASE)


def without_pii(value: str) -> str:
    """Pages of PubMed without what stands there beside: "pii: E1392. doi: 10.3390/x" -> "E1392".

    What a publisher calls an article is its number, unless pages or the whole PII stand there.
    """
    pages, label, rest = value.partition("pii:")
    if not label:
        return value.partition(" doi:")[0] if " doi:" in value else value
    shown, number = pages.strip(" ;,."), rest.strip().partition(" ")[0].rstrip(" ;,.")
    return shown or ("" if _WHOLE_PII.fullmatch(number) else number)


_THOUSANDS = late_pattern(r"\d{1,3}(?:,\d{3})+")
_ARTICLE_NUMBER = late_pattern(
    r"^(?:ARTN|UNSP|Art(?:icle)?\.?\s*(?:no|number)?\.?:?)\s+(?=\S)", re.IGNORECASE
)


def article_number(found: Any) -> str | None:
    """An article number without the words before it: "ARTN 15", "Article No. 15"."""
    value = page_range(found)
    return _ARTICLE_NUMBER.sub("", value) if value else None


_SIZE = late_pattern(
    r"\bSize:\s*(?:(?:pages?:?|pp?\.)\s*(?=\S+\s*(?:-|to\b)))?([A-Za-z]{0,4}\d[\w.]*(?:-\d+)?)"
    r"(?:\s*(?:-+|to)\s*([A-Za-z]{0,4}\d[\w.]*(?:-\d+)?|end of article))?\s*(?:$|;)",
    re.IGNORECASE,
)


def size_pages(found: Any) -> str | None:
    """OSTI's "Medium: X; Size: Pages 2448 to 2455" or "Size: L35"; how many are no page."""
    hit = next((hit for value in strings(found) if (hit := _SIZE.search(value))), None)
    if hit is None:
        return None
    return hit[1] if hit[2] is None or " " in hit[2] else page_range([hit[1], hit[2]])


def _citation(found: Any) -> str:
    """A citation whose parts may stand in several strings."""
    return " ; ".join(value for text in strings(found) if (value := plain(text)))


def citation_venue(found: Any) -> str | None:
    """What a citation is a part of: "The Lancet, June 10, 2017" -> "The Lancet"."""
    value = _citation(found)
    return host(value) if value else None


def citation_year(found: Any) -> int | None:
    """The year of the issue in such a citation, which is that of the part: an article is catalogued
    under the year in which it was online, or that of an offprint.
    """
    hit = _YEAR_OF_ISSUE.search(_citation(found))
    return int(hit[1] or hit[2]) if hit else None


def citation_volume(found: Any) -> str | None:
    """The volume in "Vol. 12, no. 3 (2019), p. 123-145"."""
    value = _citation(found)
    return place_in_host(value).volume if value else None


def citation_issue(found: Any) -> str | None:
    value = _citation(found)
    return place_in_host(value).issue if value else None


def citation_pages(found: Any) -> str | None:
    value = _citation(found)
    return page_range(place_in_host(value).pages) if value else None


def extent_pages(found: Any) -> str | None:
    """Where a part of something stands: "S. [12]-15", "1 online resource (pages 3-9)" -> "3-9";
    None of how many pages there are, "XII, 345 S.".
    """
    for value in strings(found):
        for text in (value.partition(" : ")[0], *_IN_BRACKETS.findall(value)):
            if hit := _EXTENT.fullmatch(text.strip(_AROUND_EXTENT)):
                return page_range((hit[1] or hit[2]).translate(_NO_BRACKETS))
    return None


def plain_integer(found: Any, _: int = 0) -> int | None:
    """`integer` of what is one; None of all else."""
    return found if type(found) is int and 0 <= found < 10**15 else None  # True is none


def integer(found: Any) -> int | None:
    """A whole number that is not negative: 1234, or "1,234" as people write it."""
    if (number := plain_integer(found)) is not None:
        return number
    value = first(found)
    if value is not None and "," in value and _THOUSANDS.fullmatch(value.strip()):
        value = value.replace(",", "")
    digits = (
        value.strip().removesuffix(".0") if value is not None else ""
    )  # some count in floats: 12.0
    return int(digits) if digits.isdecimal() and len(digits) < 16 else None


# Volumes, issues and pages as they are compared: one key for all spellings of a number. Every
# function is pure and never raises on odd input: what cannot be normalised is None or "".

_ROMAN = late_pattern(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


_DIGITS = late_pattern(r"\d+")


def number_key(value: str | None) -> str:
    """A volume or issue as a number if it is one: "Vol. 012" -> "12", "41(1)" -> "41"."""
    if not value:
        return ""
    if value.isdecimal() and value.isascii():
        return value.lstrip("0") or "0"
    digits = _DIGITS.search(value)
    if digits:
        return normalise.normalize("NFKC", digits.group()).lstrip("0") or "0"
    text = compact(value)
    bare = text.removeprefix("vol").removeprefix("volume").removeprefix("no")
    return str(roman(bare)) if bare and _ROMAN.fullmatch(bare) else text


def roman(text: str) -> int:
    """The value of a Roman numeral in lower case; the caller has checked that it is one."""
    values = [_ROMAN_VALUES[c] for c in text]
    return sum(-v if v < nxt else v for v, nxt in zip(values, [*values[1:], 0], strict=True))


# Letters before a number are bounded: a long word is not read again from each of its letters.
_PAGES_KEY = re.compile(
    r"([a-z]{0,20})(\d+)([a-z]*)(?:\s*(?:-|–|—|−|to|/)+\s*([a-z]*)(\d+))?", re.IGNORECASE
)


_SPREADSHEET_DATE = re.compile(
    r"(?:\d{1,2}-)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:-\d{2,4})?", re.IGNORECASE
)


_NO_PAGES = ("", "")
# One dash before the first digit: "-331", "xii-331" say where an article ends; "No-C-93" has two,
# and is a page.
_ONLY_LAST = re.compile(
    r"[^\d\u2010-\u2015\u2212-]*[\u2010-\u2015\u2212-]+[^\d\u2010-\u2015\u2212-]*"
)


@lru_cache(maxsize=500)  # a pair is asked for its pages more than once
def pages_key(value: str | None) -> tuple[str, str]:
    """First and last page, the last one completed: "123-8" -> ("123", "128"); ("", "") where there
    are none.

    "08-Aug" is what a spreadsheet makes of "8-8": it says nothing. Neither does a range whose part
    before the dash has no digit: "xii-331".
    """
    if not value:
        return _NO_PAGES
    prefix = ""
    first, _, last = value.partition("-")
    if not (first.isdecimal() and last.isdecimal() and value.isascii()):
        found = _PAGES_KEY.search(value)
        if found is None or _SPREADSHEET_DATE.fullmatch(value):
            return _NO_PAGES
        if found.start(2) and _ONLY_LAST.fullmatch(value, 0, found.start(2)):
            return _NO_PAGES
        prefix, first, _, _, last = found.groups()
    first = first.lstrip("0") or "0"
    if last and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return (prefix.lower() + first, prefix.lower() + (last or first).lstrip("0"))
