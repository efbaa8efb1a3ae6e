"""What stands in the fields of reference managers' files -> the values of a record.

Every function takes whatever the fields hold, raises on nothing, and gives None, "" or () where
there is nothing to read. Values come with the remains of many programs: "NA" of R, TeX escapes,
`<br />`, "2019//", "12-12".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from metasearch.bib import (
    converters,
    identifier_forms,
    markup,
    normalise,
    unicode_forms,
    web_addresses,
)
from metasearch.bib.field_limits import MOST_GIVEN
from metasearch.bib.names import byline
from metasearch.bib.names.person import person
from metasearch.record import Author

#: Characters that are looked at of a value which cannot be long: a number, a date, a name, an
#: identifier.
SHORT = 2_000

#: What programs write for nothing.
_NOTHING = frozenset(
    (
        "NA",
        "N/A",
        "n/a",
        "N.A.",
        "null",
        "NULL",
        "undefined",
        "None",
        "[Not Available].",
        "[Not Available]",
    )
)
_SEMICOLON = re.compile(r"[;；]")


def text(value: str) -> str:
    """Plain text for display; "" for what programs write for nothing."""
    value = markup.without_markup(value[:MOST_GIVEN])
    if "\\&" in value:  # files that were BibTeX once
        value = value.replace("\\&", "&")
    return "" if value in _NOTHING else value


def first_text(values: Iterable[str]) -> str | None:
    """The first of the values that has a text."""
    return next((found for value in values if (found := text(value))), None)


def texts(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once."""
    return tuple(dict.fromkeys(found for value in values if (found := text(value))))


def titles(values: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The first title, and the others that are not the same in another spelling."""
    found: dict[str, str] = {}
    for value in values:
        shown = text(value)
        if shown:
            found.setdefault(normalise.compact(shown) or shown, shown)
    first, *others = found.values() or ("",)
    return first, tuple(others)


def abstract(values: Iterable[str]) -> str | None:
    """All values as one text; databases add one about the copyright."""
    said = [
        found
        for value in values
        if (found := text(value)) and not found.startswith("Copyright of ")
    ]
    return converters.abstract(" ".join(said).removeprefix("<正>")) if said else None


def keywords(values: Iterable[str]) -> tuple[str, ...]:
    """Each keyword once; a value may hold several, apart by ";" (or "；"), and a star marks those
    of most weight.
    """
    return texts(part.strip().lstrip("*") for value in values for part in _SEMICOLON.split(value))


# --------------------------------------------------------------------------- people


def authors(values: Iterable[str]) -> tuple[Author, ...]:
    """The authors in fields that hold one name each, or several in any style."""
    return tuple(author for value in values for author in _authors(value))


def _authors(value: str) -> tuple[Author, ...]:
    shown = text(value[: byline.LONGEST])
    return byline.authors_in_field(shown.strip("[] ") if value[:1] == "[" else shown)


def one_author(value: str) -> Author | None:
    """The author of a field that is known to hold one name, "Family, Given"."""
    return person(text(value[:SHORT]))


# --------------------------------------------------------------------------- numbers

_NUMBER = re.compile(r"[0-9][0-9Xx\u2010-\u2015-]{6,}[0-9Xx]")
_ISSN = re.compile(r"\d{4}[-\u2010-\u2015]?\d{3}[\dXx]")


def standard_numbers(values: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ISBNs and ISSNs, each once, of fields with any number; a wrong ISBN stays."""
    isbn: dict[str, None] = {}
    issn: dict[str, None] = {}
    for value in values:
        if identifier_forms.is_patent_number(value):
            continue
        whole = identifier_forms.isbn(
            re.sub(r"(?<=\d)[ \u2010-\u2015-]+(?=[\dXx])", "", value[:40])
        )
        if whole and len(_NUMBER.findall(value[:SHORT])) < 2:
            isbn[whole] = None
            continue
        for number in _NUMBER.findall(value[:SHORT]):
            if _ISSN.fullmatch(number):
                issn[identifier_forms.issn(number) or number] = None
            elif sum(c in "0123456789Xx" for c in number) >= 10:
                isbn[identifier_forms.isbn(number) or number] = None
    return tuple(isbn), tuple(issn)


#: A SICI in a DOI, which some exports break before its bracket: "10.1639/0044-7447(2000)029 [
#: 0126:FITEOT]2.0.CO;2".
_BROKEN_SICI = re.compile(r"(?<=\d)\s*\[\s*(?=\d+:)")
_DOI_ALONE = re.compile(
    r"(?:(?:https?://)?(?:dx\.)?doi\.org/|doi:?\s*)?10\.\d{4,9}(?:\.\d+)*/\S+", re.IGNORECASE
)


def doi(values: Iterable[str]) -> str | None:
    """The first DOI in fields that should hold one."""
    for value in values:
        value = (
            value[:SHORT] if value.isascii() else unicode_forms.normalize("NFKC", value[:SHORT])
        )  # "10.3969／j.issn"
        if "[" in value:
            value = _BROKEN_SICI.sub("[", value)
        found = identifier_forms.doi(value)
        if found:
            return found
    return None


def doi_alone(values: Iterable[str]) -> str | None:
    """The first DOI in fields of any content that have nothing else in them."""
    return doi(value for value in values if _DOI_ALONE.fullmatch(value[:SHORT].strip()))


def doi_of_links(values: Iterable[str]) -> str | None:
    """The DOI of the first link to a DOI resolver."""
    return doi(
        word for value in values for word in value[:SHORT].split() if "doi.org/10." in word.lower()
    )


_DASHES = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_NO_PAGES = re.compile(
    r"(?:no|n)\.?\s?pag(?:ination)?\.?|no|unpaginated|many(?: pages)?|\?+|\(.*\)|suppl\w*",
    re.IGNORECASE,
)


def pages(first: str, last: str = "") -> str | None:
    """Pages as printed; the first field may have both, the last repeat the first."""
    start, end = _page(first), _page(last)
    if not start or not end or start == end or "-" in start:
        return start or end or None
    return f"{start}-{end}"


def _page(value: str) -> str:
    shown = text(value[:SHORT]).strip(" ;,.")
    parts = [bare for part in _DASHES.split(shown) if (bare := part.rstrip(" ."))]
    if len(parts) == 2 and parts[0] == parts[1]:
        parts.pop()
    shown = "-".join(parts)
    return "" if not parts or _NO_PAGES.fullmatch(parts[0]) else shown


_VOLUME_WORD = re.compile(r"(?:v(?:ol(?:ume)?)?\b\.?\s*)+(?=\d)", re.IGNORECASE)


def volume(value: str) -> str | None:
    """Without "v." or "Vol." before the number."""
    return _VOLUME_WORD.sub("", text(value[:SHORT])) or None


# --------------------------------------------------------------------------- dates

_YEAR_FIRST = re.compile(r"((?:1\d|20)\d\d)(?:[/.-](\d{0,2})(?:[/.-](\d{0,2}))?)?(?!\d)", re.ASCII)
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.?(?: (\d{1,2}))?(?![-\w])")


def year(values: Iterable[str]) -> int | None:
    """The first plausible year."""
    return converters.year([value[:SHORT] for value in values])


def date(values: Iterable[str], known: int | None) -> str | None:
    """The date of publication in ISO 8601, as precise as it is known.

    `values`: "2019/03/12/", "2019-03-12", "2019//", "Mar 12", "2019 Mar 12", "20190312". `known`:
    the year of publication: a month alone belongs to it, and a date of another year is not this
    date.
    """
    for value in values:
        found = _date(value[:SHORT].strip(), known)
        if found and len(found) > 4 and (known is None or found.startswith(str(known))):
            return found
    return None


def _date(value: str, known: int | None) -> str | None:
    hit = _YEAR_FIRST.match(value)
    if hit and (hit[2] or len(value) == 4):
        return converters.date([hit[1], *(part for part in hit.groups()[1:] if part)])
    if value.isdecimal() and len(value) == 8:
        return converters.date([value[:4], value[4:6], value[6:]])
    if hit and value[4:5] == " ":
        return converters.date_words(value)
    hit = _MONTH_DAY.match(value)
    return converters.date([str(known), hit[1], hit[2] or ""]) if hit and known else None


# --------------------------------------------------------------------------- the rest

_LANGUAGES = {
    "中文": "zh",
    "汉语": "zh",
    "英文": "en",
    "英语": "en",
    "日文": "ja",
    "日语": "ja",
    "chs": "zh",
    "cht": "zh",
}


def language(values: Iterable[str]) -> str | None:
    """As `converters.language`, with Chinese words; what is too long says nothing."""
    for value in values:
        word = text(value[:SHORT].partition("<!--")[0]).strip(" ;；")
        if word and len(word) <= 40:
            return _LANGUAGES.get(word.lower()) or converters.language(word)
    return None


#: Mendeley writes line breaks between addresses as "%5Cn" or "\\n".
_BETWEEN_LINKS = re.compile(r"\s+|(?:%5C|\\)[nr]|;(?=https?:)", re.IGNORECASE)


def links(values: Iterable[str]) -> list[str]:
    """The web addresses in fields that hold one or many, in order."""
    return [
        url
        for value in values
        for word in _BETWEEN_LINKS.split(value[: 10 * SHORT])
        if (url := web_addresses.web_url(word))
    ]


def thesis_venue(institution: str | None, given: str | None = None) -> str | None:
    """What contains a thesis: "institution + 学位论文", as the four-tuple algorithm wants it, for
    Chinese ones.
    """
    if not institution or not normalise.has_cjk(institution) or given:
        return given
    return institution if institution.endswith("学位论文") else f"{institution}学位论文"
