"""Year, volume, issue and pages at the end of a reference, in the order of any style."""

from __future__ import annotations

import re
from dataclasses import dataclass

_YEAR = r"(?:1[5-9]|20)\d\d"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}\.?"
_MONTHS = rf"{_MONTH}(?:\s?[-–/]\s?{_MONTH})?"
_PAGE = r"[A-Za-z]{0,3}\d{1,9}[A-Za-z]?"
_RANGE = rf"{_PAGE}(?:\s?(?:--|[-‐-―−~～])\s?{_PAGE})?"
_PAGES = rf"{_RANGE}(?:\s?[,，;+]\s?(?!{_YEAR}(?!\d)){_RANGE}(?![\w(（]))" + r"{0,8}"
_ENDS = r"(?![\w/])"
_BEHIND = r"(?![\w])"
_NUMBER = r"[A-Za-z]{0,3}\d{1,6}[A-Za-z]?(?:\s?[-–/]\s?\d{1,6})?"
#: One element with the marks before it.
_ELEMENT = re.compile(
    rf"""[\s,，;；.。]{{0,4}}(?:
    (?P<colon>[:：]\s?)(?P<behind_colon>{_PAGES}){_BEHIND}
    |[(（](?P<in_brackets>[^()（）]{{1,40}})[)）]
    |(?:(?:\d{{1,2}}\s)?{_MONTHS}\s?(?:\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?)?,?\s?)?(?P<year>{_YEAR})
        (?:\s{_MONTHS}(?:\s\d{{1,2}}(?![\d(]))?|-\d\d(?:-\d\d)?)?(?![\w‐-―-])(?!\s?[-–]\s?\d)
    |(?:\b(?:vol(?:ume)?|Bd|Band|v)\b\.?\s?|第)(?P<volume>{_NUMBER})卷?{_ENDS}
    |(?:\b(?:no|nr|issue|iss|number|num)\b\.?\s?|第)(?P<issue>{_NUMBER})期?{_ENDS}
    |(?:\b(?:pp?|pages?|S)\b\.?\s?|第)(?P<pages>{_PAGES})\s?页?{_BEHIND}
    |\b(?:Article|Art\.|Paper)\s(?:no\.\s|number\s)?(?P<article>[A-Za-z]{{0,4}}[\d.-]{{1,12}}\b){_BEHIND}
    |(?P<edition>\d{{1,3}})(?:st|nd|rd|th)\sed(?:n|ition)?\b\.?
    |(?P<both>\d{{1,4}}\.\d{{1,4}}(?=\s?[(（,]))
    |(?P<bare>{_PAGES}){_BEHIND}
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_IS_YEAR = re.compile(rf"(?:{_MONTHS}\s)?({_YEAR})[a-z]?(?:[-/,]\s?[\w ]{{1,12}})?")
_IS_NUMBER = re.compile(
    rf"(?:{_NUMBER}|(?:(?:Suppl(?:ement)?|Pt|Part|Special Issue|Spec No|S|增刊)\.?[\s_]?){{1,2}}"
    rf"[A-Z]?\d{{0,4}}|{_NUMBER}\s(?:Suppl(?:ement)?|Pt)\.?\s?\w{{0,4}}|[A-Z])",
    re.IGNORECASE,
)
_IS_RANGE = re.compile(rf"{_PAGE}\s?(?:--|[-‐-―−~～])")
#: A number of an article, which is too long for one of a volume.
_IS_ARTICLE = re.compile(r"[A-Za-z]{0,2}\d{5,}|e\d+")
_AROUND = " \t,，;；:：.。．"
#: Where numbers may begin, and places that are tried.
_START = re.compile(
    r"(?:^|(?<=[\s,，;；:：.。])(?<!\d\.))(?=\d|[(（][^()（）]{1,40}[)）]|[A-Z]?\d|e\d|(?:vol|no|nr|pp?|issue|volume|pages?|iss|v|"
    rf"Bd|Band|Art|Article|number)\b\.?\s?[\w\d]|第\d|{_MONTHS}\s)|(?<=\S)(?=[(（]\d)",
    re.IGNORECASE,
)
_MOST_STARTS = 60
#: Characters at the end of a text in which they stand.
_LONGEST = 400


@dataclass(slots=True)
class Numbers:
    year: int | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    edition: str | None = None


def numbers_at(text: str, start: int) -> tuple[int, Numbers] | None:
    """The place from which on there is nothing but numbers, and what they say."""
    for tried, hit in enumerate(_START.finditer(text, max(start, len(text) - _LONGEST))):
        if tried == _MOST_STARTS:
            break
        if found := read_numbers(text[hit.start() :]):
            return hit.start(), found
    return None


def read_numbers(text: str) -> Numbers | None:
    """What the text says where all of it are numbers with their labels, else None."""
    found, at = Numbers(), 0
    text = text.rstrip(_AROUND)
    after_volume = False
    while at < len(text):
        hit = _ELEMENT.match(text, at)
        if hit is None or not _take(hit, found, after_volume=after_volume):
            return None
        after_volume = hit.lastgroup in ("volume", "bare") and found.pages is None
        at = hit.end()
    return found if at else None


def _take(hit: re.Match[str], found: Numbers, *, after_volume: bool) -> bool:
    """Whether what was found fits to what stands before it."""
    kind = hit.lastgroup or ""
    value = hit[kind].strip()
    match kind:
        case "year" if found.year and found.volume and found.pages is None:
            found.pages = value  # "22 (2022) 1620"
        case "year":
            found.year = int(value)
        case "in_brackets":
            return _take_in_brackets(value, found)
        case "both" if not found.volume and not found.issue:  # MLA: "9.8 (1997)"
            found.volume, found.issue = value.split(".")
        case "both":
            return False
        case "volume" | "issue" | "edition":
            if getattr(found, kind):
                return False
            setattr(found, kind, value)
        case "pages" | "behind_colon" | "article":
            if found.pages:
                return False
            found.pages = value
        case _:
            if found.volume is None and found.issue is None and found.pages is None:
                if "," in value or "，" in value or "+" in value:
                    return _take_several(value, found)
                if _IS_RANGE.match(value) or _IS_ARTICLE.fullmatch(value):
                    found.pages = value
                elif value[:1].isdigit() or found.year:
                    found.volume = value
                else:
                    return False
            elif found.pages is None:
                found.pages = value
            else:
                return False
    return True


def _take_several(value: str, found: Numbers) -> bool:
    """ "12, 45-67": the first is the volume."""
    volume, *pages = re.split(r"\s?[,，]\s?", value, maxsplit=1)
    if not pages or "+" in volume or not re.fullmatch(_NUMBER, volume):
        return False
    found.volume, found.pages = volume, pages[0]
    return True


def _take_in_brackets(value: str, found: Numbers) -> bool:
    year = _IS_YEAR.fullmatch(value)
    if year and found.year is None:
        found.year = int(year[1])
    elif year and value == str(found.year) and found.volume is None:
        found.volume = value  # "Neuroscience 2017, no. 1 (2017)"
    elif year and found.volume and found.pages is None:
        found.pages, found.year = str(found.year), int(year[1])  # "22, 1620 (2022)"
    elif re.fullmatch(rf"{_YEAR}-\d\d(?:-\d\d)?", value):
        found.year = found.year or int(value[:4])
    elif found.issue is None and found.pages is None and _IS_NUMBER.fullmatch(value):
        found.issue = value
    else:
        return False
    return True
