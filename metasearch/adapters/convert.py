"""The closed list of converters: what a selector finds -> the value of a record's field.

Each takes whatever the selector found (a string, a number, a list, an element's text, None) and gives a value or None;
none raises on odd input, so that one odd field costs neither its record nor its page. `CONVERTERS` is the list that a
spec may name with `as = "..."`; `DEFAULTS` says which converter a field has when its spec names none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from metasearch import normalise
from metasearch.adapters import citation, marc_names, people
from metasearch.adapters.found import first, strings
from metasearch.adapters.spec import Converter


def text(found: Any) -> str | None:
    """Plain text of the first string, markup removed."""
    value = first(found)
    return (normalise.without_markup(value) or None) if value else None


def joined(found: Any) -> str | None:
    """Plain text of all strings, joined by blanks: a structured abstract, for instance."""
    values = [normalise.without_markup(v) for v in strings(found)]
    return " ".join(v for v in values if v) or None


def commas(found: Any) -> str | None:
    """Plain text of all strings, joined by ", "."""
    values = [normalise.without_markup(v) for v in strings(found)]
    return ", ".join(v for v in values if v) or None


def text_list(found: Any) -> tuple[str, ...]:
    """Plain text of each string, each once."""
    return tuple(dict.fromkeys([v for s in strings(found) if (v := normalise.without_markup(s))]))


def split_list(found: Any) -> tuple[str, ...]:
    """Like `text_list`, for sources that put several values in one string, apart by ";" or "|"."""
    return text_list([part for value in strings(found) for part in re.split(r"[;|]", value)])


# A heading, and not the first word of a sentence such as "Abstract machines are": a mark or a capital follows.
def words(found: Any) -> tuple[str, ...]:
    """The words of all strings, each once: a list of codes apart by blanks."""
    return text_list([word for value in strings(found) for word in value.split()])


_ABSTRACT_HEAD = re.compile(
    r"(?i:abstract|summary|résumé|resumen|resumo|zusammenfassung|аннотация|摘要)"
    r"(?:\s*[:.：]\s*(?=\S)|(?<=[A-ZТЯ])\s+(?=\S)|\s+(?=[^\W\d_a-zà-öø-ÿ]))"
)


def abstract(found: Any) -> str | None:
    """All strings as one plain text, without a leading "Abstract"."""
    value = text(found) if isinstance(found, str) else joined(found)
    head = _ABSTRACT_HEAD.match(value) if value else None
    return value[head.end() :] if value and head else value


def inverted_index(found: Any) -> str | None:
    """The text of OpenAlex's {word: [positions]}; None where it is absent or not of that form."""
    if not isinstance(found, dict):
        return None
    placed: dict[int, str] = {}
    for word, positions in found.items():
        if isinstance(positions, list):
            for position in positions:
                if isinstance(position, int):
                    placed[position] = word
    return abstract(" ".join([placed[position] for position in sorted(placed)]))


def no_final_stop(found: Any) -> str | None:
    """Plain text without the full stop that some databases put behind every title."""
    value = text(found)
    if value and value.endswith(".") and not value.endswith(("..", "etc.")):
        return value[:-1].rstrip() or None
    return value


_RESPONSIBILITY = re.compile(r"\s/\s+(?=\S*[^\W\d_]).*$", re.DOTALL)
_ISBD_TAIL = re.compile(r"[\s]*[/:;,=]+[\s]*$")


_NON_SORTING = re.compile(r"<<\s*([^<>]*?)\s*>>|¬")
_ABBREVIATED = re.compile(r"(?:\b\w{1,2}|\betc|\bvol|\bapprox|\baufl|\bausg|\.\.)\.$", re.IGNORECASE)


def isbd(found: Any) -> str | None:
    """Plain text without the ISBD punctuation that ends a MARC subfield ("Title /", "Place :").

    Marks around an article that does not sort ("<<Der>> Prozess", "¬Der¬ Prozess") are taken off too.
    """
    value = first(found)
    if not value:
        return None
    if "<<" in value or "¬" in value:
        value = _NON_SORTING.sub(r"\1", value)
    value = _ISBD_TAIL.sub("", normalise.without_markup(value))
    if value.endswith(".") and not _ABBREVIATED.search(value):
        value = value[:-1]
    return value.strip() or None


def isbd_title(found: Any) -> str | None:
    """Like `isbd`, for a whole title statement: what follows " / " names those who are responsible."""
    value = isbd(found)
    return isbd(_RESPONSIBILITY.sub("", value)) if value and " / " in value else value


def isbd_list(found: Any) -> tuple[str, ...]:
    """Like `isbd`, for each string, each once."""
    return tuple(dict.fromkeys(v for s in strings(found) if (v := isbd(s))))


#: What PubMed writes where a publisher gave a section no heading.
_NO_LABELS = frozenset({"UNASSIGNED", "UNLABELLED"})


def labelled(found: Any) -> str | None:
    """Plain text of XML elements that may carry a heading in `@Label`, as PubMed's structured abstracts do."""
    parts = []
    for element in found:
        value = normalise.without_markup("".join(element.itertext()))
        label = normalise.plain(element.get("Label") or "").rstrip(" :")
        if value:
            parts.append(f"{label}: {value}" if label and label not in _NO_LABELS else value)
    return abstract(" ".join(parts))


def bracketed(found: Any) -> str | None:
    """PubMed's translated titles: "[Title]." -> "Title"."""
    value = no_final_stop(found)
    if value and value.startswith("[") and value.endswith("]") and "[" not in value[1:]:
        return value[1:-1].rstrip(".").strip() or None
    return value


_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_YEAR_CORRECTED = re.compile(r"\d{2,4},?\s*\[(?:i\.\s?e\.,?\s*)?(1[0-9]{3}|20[0-9]{2})(?!\d)")


def year(found: Any) -> int | None:
    """The first plausible year: "c1999.", "[2001?]", "1998 Dec-1999 Jan", 2004.

    A year in brackets behind another one corrects it, or is its Gregorian form: "2024 [1967]", "1392 [2013]".
    """
    for value in strings(found):
        if value.isdigit() and len(value) > 4:
            value = value[:4]
        hit = _YEAR_CORRECTED.search(value) or _YEAR.search(value)
        if hit:
            return int(hit[1])
    return None


_MONTHS = {m: i for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_ISO = re.compile(r"(1[0-9]{3}|20[0-9]{2})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")


def date(found: Any) -> str | None:
    """ISO 8601 with the precision that is known; takes "2020-03-05T..", [2020, 3], ["2020", "Mar", "5"], "2020"."""
    if isinstance(found, (list, tuple)) and len(found) > 1:
        parts = [str(p).strip() for p in found if isinstance(p, (str, int)) and str(p).strip()]
        return _date_of(*parts[:3]) if parts else None
    value = first(found)
    if not value:
        return None
    hit = _ISO.match(value.strip().rstrip("-"))
    return _date_of(*(p for p in hit.groups() if p)) if hit else None


def _date_of(year_text: str, month: str = "", day: str = "", *_: str) -> str | None:
    if not re.fullmatch(r"1\d{3}|20\d\d", year_text):
        return None
    number = _MONTHS.get(month[:3].lower(), 0) if len(month) > 2 else int(month) if month.isdecimal() else 0
    if not 1 <= number <= 12:
        return year_text
    if not (day.isdecimal() and len(day) <= 2 and 1 <= int(day) <= 31):
        return f"{year_text}-{number:02d}"
    return f"{year_text}-{number:02d}-{int(day):02d}"


def padded_date(found: Any) -> str | None:
    """`date`, for sources that write a mere year as its first of January: that day counts as the year alone."""
    value = date(found)
    return value[:4] if value and value.endswith("-01-01") else value


def date_words(found: Any) -> str | None:
    """A date in PubMed's words: "2009 Dec 20" -> "2009-12-20"; of a span ("1998 Dec-1999 Jan") the first year."""
    value = first(found)
    parts = value.split() if value else []
    if not parts:
        return None
    spans = any("-" in part or "/" in part for part in parts[1:])
    return _date_of(*parts[:1]) if spans else _date_of(*parts[:3])


def date_parts(found: Any) -> str | None:
    """CSL's [[2020, 3, 5]]; [[null]] is None."""
    while isinstance(found, list) and found and isinstance(found[0], list):
        found = found[0]
    if isinstance(found, list) and len(found) == 3 and all(type(p) is int for p in found):
        year_number, month, day = found
        if 1000 <= year_number < 2100 and 1 <= month <= 12 and 1 <= day <= 31:
            return f"{year_number}-{month:02d}-{day:02d}"
    parts = [str(p) for p in found if isinstance(p, (int, str))] if isinstance(found, list) else []
    return _date_of(*parts[:3]) if parts else None


_HYPHEN = re.compile(r"\s*[-\u2010-\u2015]\s*")


def page_range(found: Any) -> str | None:
    """Pages as printed; two strings (first and last page) are joined."""
    values = [v.strip() for v in strings(found) if v.strip()]
    if len(values) >= 2 and values[0] != values[1]:
        return f"{values[0]}-{values[1]}"
    value = normalise.plain(values[0]) if values else ""
    return _HYPHEN.sub("-", value).strip("- ") or None


def doi(found: Any) -> str | None:
    """The first DOI among the strings, bare and lower case."""
    if type(found) is str:
        return normalise.doi(found)
    return next((d for v in strings(found) if (d := normalise.doi(v))), None)


def doi_url(found: Any) -> str | None:
    """The DOI of the first URL of a DOI resolver, even behind a library's proxy; other URLs only look like it."""
    return doi([v for v in strings(found) if "doi.org/" in v.lower()])


def url(found: Any) -> str | None:
    """The first http(s) URL."""
    if type(found) is str:
        return normalise.web_url(found)
    return next((u for v in strings(found) if (u := normalise.web_url(v))), None)


def pdf_url(found: Any) -> str | None:
    """The first http(s) URL that may be a file: a DOI leads to a page."""
    links = (u for v in strings(found) if (u := normalise.web_url(v)))
    return next((u for u in links if "//doi.org/" not in u and "//dx.doi.org/" not in u), None)


def isbns(found: Any) -> tuple[str, ...]:
    """Each ISBN once, as ISBN-13."""
    values = [part for v in strings(found) for part in re.split(r"[;,]|\s(?=97[89])", v)]
    return tuple(dict.fromkeys(i for v in values if (i := normalise.isbn(v))))


_SEPARATORS = re.compile(r"[;,]")


def issns(found: Any) -> tuple[str, ...]:
    """Each ISSN once."""
    values = [part for v in strings(found) for part in (_SEPARATORS.split(v) if len(v) > 9 else (v,))]
    return tuple(dict.fromkeys([i for v in values if (i := normalise.issn(v))]))


def arxiv(found: Any) -> str | None:
    """An arXiv identifier without version."""
    return next((a for v in strings(found) if (a := normalise.arxiv_id(v))), None)


def arxiv_url(found: Any) -> str | None:
    """The arXiv identifier in the first link or DOI that is arXiv's, among others that are not."""
    return next((a for v in strings(found) if "arxiv" in v.lower() and (a := normalise.arxiv_id(v))), None)


def pmcid(found: Any) -> str | None:
    """The form "PMC123456", from that, from a link to it, or from its number."""
    value = first(found)
    hit = re.search(r"PMC0*(\d{1,9})|(?:^|/)0*(\d{1,9})/?$", value.strip(), re.IGNORECASE) if value else None
    return f"PMC{hit[1] or hit[2]}" if hit else None


def lccn(found: Any) -> str | None:
    """A Library of Congress Control Number in the form of http://www.loc.gov/marc/lccn-namespace.html."""
    value = first(found)
    bare = "".join(value.partition("/")[0].split()).lower() if value else ""
    prefix, hyphen, serial = bare.partition("-")
    bare = prefix + serial.zfill(6) if hyphen else bare
    return bare if re.fullmatch(r"[a-z]{0,3}\d{8,10}", bare) else None


def oclc(found: Any) -> str | None:
    """The number of the first "(OCoLC)ocm01234567", "ocn123456789" or "on1234567890"."""
    for value in strings(found):
        hit = re.fullmatch(r"\s*(?:\(OCoLC\)\s*(?:oc[mn]|on)?|oc[mn]|on)\s*0*(\d+)\s*", value, re.IGNORECASE)
        if hit:
            return hit[1]
    return None


def citation_volume(found: Any) -> str | None:
    """The volume in "Vol. 12, no. 3 (2019), p. 123-145" (see citation.py)."""
    value = joined(found)
    return citation.part(value).volume if value else None


def citation_issue(found: Any) -> str | None:
    """The issue in such a citation."""
    value = joined(found)
    return citation.part(value).issue if value else None


def citation_pages(found: Any) -> str | None:
    """The pages in such a citation."""
    value = joined(found)
    return page_range(citation.part(value).pages) if value else None


def last_segment(found: Any) -> str | None:
    """What follows the last slash: the identifier in "https://openalex.org/W123"."""
    value = first(found)
    return (value.rstrip("/").rpartition("/")[2].strip() or None) if value else None


def identifier(found: Any) -> str | None:
    """An identifier as it stands, white space removed."""
    value = first(found)
    return "".join(value.split()) or None if value else None


def integer(found: Any) -> int | None:
    """A whole number that is not negative."""
    value = first(found)
    return int(value) if value is not None and value.strip().isdecimal() and len(value.strip()) < 16 else None


_LANGUAGES = {
    "eng": "en", "fre": "fr", "fra": "fr", "ger": "de", "deu": "de", "spa": "es", "ita": "it", "por": "pt", "chi": "zh",
    "zho": "zh", "jpn": "ja", "kor": "ko", "rus": "ru", "pol": "pl", "dut": "nl", "nld": "nl", "swe": "sv", "dan": "da",
    "nor": "no", "fin": "fi", "cze": "cs", "ces": "cs", "hun": "hu", "tur": "tr", "ara": "ar", "heb": "he", "gre": "el",
    "ell": "el", "lat": "la", "ukr": "uk", "english": "en", "french": "fr", "german": "de", "spanish": "es",
    "chinese": "zh", "japanese": "ja", "portuguese": "pt", "italian": "it", "russian": "ru",
}  # fmt: skip


@lru_cache(maxsize=1_000)
def _language(word: str) -> str | None:
    word = word.strip().lower()
    if re.fullmatch(r"(?:[a-z]{3}\s?){2,}", word):  # MARC 041 $a: "engfre", "eng fre"
        word = word[:3]
    if len(word) < 2 or "|" in word or "#" in word or word in ("und", "zxx", "mul", "unknown", "n/a", "mis"):
        return None
    return _LANGUAGES.get(word, word.split("-")[0] if re.fullmatch(r"[a-z]{2}-[a-z]{2,4}", word) else word)


def language(found: Any) -> str | None:
    """ISO 639-1 where it is known, else the source's word in lower case; "und" and the like are None."""
    value = first(found)
    return _language(value) if value else None


def sole_language(found: Any) -> str | None:
    """`language` of a list that describes something larger, such as a journal: several say nothing about one work."""
    values = {language(value) for value in strings(found)}
    return values.pop() if len(values) == 1 else None


CONVERTERS: Mapping[str, Converter] = {
    "text": text,
    "joined": joined,
    "commas": commas,
    "list": text_list,
    "split-list": split_list,
    "words": words,
    "abstract": abstract,
    "inverted-index": inverted_index,
    "no-final-stop": no_final_stop,
    "isbd": isbd,
    "isbd-list": isbd_list,
    "isbd-title": isbd_title,
    "labelled": labelled,
    "bracketed": bracketed,
    "year": year,
    "date": date,
    "date-parts": date_parts,
    "date-words": date_words,
    "padded-date": padded_date,
    "pages": page_range,
    "doi": doi,
    "doi-url": doi_url,
    "url": url,
    "isbn": isbns,
    "issn": issns,
    "arxiv": arxiv,
    "arxiv-url": arxiv_url,
    "pmcid": pmcid,
    "lccn": lccn,
    "oclc": oclc,
    "citation-volume": citation_volume,
    "citation-issue": citation_issue,
    "citation-pages": citation_pages,
    "last-segment": last_segment,
    "identifier": identifier,
    "integer": integer,
    "language": language,
    "sole-language": sole_language,
    "names": people.names,
    "names-semicolon": people.names_semicolon,
    "names-comma": people.names_comma,
    "names-and": people.names_and,
    "names-initials": people.names_initials,
    "names-homonym": people.names_homonym,
    "names-catalogue": people.names_catalogue,
}

#: What the names of authors that are objects may go through.
NAME_CONVERTERS: Mapping[str, Callable[[str], str]] = {
    "names-homonym": people.without_homonym,
    "names-catalogue": marc_names.personal,
}

#: Converters that take XML elements, because they need more than the texts.
NODE_CONVERTERS = frozenset({"labelled"})

DEFAULTS: Mapping[str, Converter] = {
    "source_id": identifier,
    "url": url,
    "pdf_url": pdf_url,
    "title": text,
    "subtitle": text,
    "authors": people.names,
    "year": year,
    "date": date,
    "venue": text,
    "publisher": text,
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
    "citations": integer,
}
