"""What the fields of a BibTeX or biblatex entry say of a work, LaTeX turned into text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from metasearch.bib import converters
from metasearch.bib import identifiers as identifier_forms
from metasearch.bib.languages import codes_in
from metasearch.formats import origins
from metasearch.formats.bibtex_names import ends_with_others, people
from metasearch.formats.latex import decode, with_names
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft, field_problem
from metasearch.formats.reference import IN_BOOKS
from metasearch.record import TYPES as RECORD_TYPES
from metasearch.record import Record

#: Entry type -> `Record.type`; others say nothing.
TYPES: Mapping[str, str] = {
    "article": "article", "periodical": "journal", "suppperiodical": "article", "book": "book",
    "mvbook": "book", "collection": "book", "mvcollection": "book", "booklet": "book",
    "reference": "book", "mvreference": "book", "inbook": "chapter", "incollection": "chapter",
    "bookinbook": "chapter", "suppbook": "chapter", "suppcollection": "chapter",
    "inreference": "reference-entry", "inproceedings": "conference-paper",
    "conference": "conference-paper", "proceedings": "proceedings", "mvproceedings": "proceedings",
    "phdthesis": "thesis", "mastersthesis": "thesis", "bachelorsthesis": "thesis",
    "thesis": "thesis", "techreport": "report", "report": "report", "manual": "report",
    "dataset": "dataset", "software": "software", "patent": "patent", "standard": "standard",
    "online": "webpage", "electronic": "webpage", "www": "webpage", "webpage": "webpage",
    "preprint": "preprint", "audio": "audio", "music": "audio", "video": "video", "movie": "video",
    "image": "image", "artwork": "image", "map": "map", "review": "review", "letter": "letter",
}  # fmt: skip
#: What our writer says of any thesis.
OUR_TYPE = ("type", "Thesis")
#: What the entry types of other theses say.
_DEGREES = {"mastersthesis": "Master's thesis", "bachelorsthesis": "Bachelor's thesis"}
#: Where the container stands: the first that has a text.
_VENUES = (
    "journal",
    "journaltitle",
    "booktitle",
    "maintitle",
    "eventtitle",
    "shortjournal",
    "howpublished",
    "series",
)
_BOOK_VENUES = ("booktitle", *(name for name in _VENUES if name != "booktitle"))
_PLACES = ("address", "location")
_PUBLISHERS = ("publisher", "institution", "organization", "school")
#: Who granted a degree, or issued a report.
_BODIES = {
    "thesis": ("school", "institution", "organization"),
    "report": ("institution", "organization", "school"),
}
_TITLES = ("origtitle", "titletranslation", "translatedtitle")
_PAGES = ("pages", "page", "eid", "articleno", "article-number", "art_number")
_LINKS = ("url", "howpublished", "link", "bdsk-url-1", "ee", "adsurl", "biburl")
#: Fields whose text is printed.
SPOKEN = (
    "title subtitle author editor translator journal journaltitle booktitle series publisher "
    "abstract keywords note"
).split()
#: Fields of which a record holds all, that our writer makes, or that mean nothing in another file.
_HELD = frozenset(
    """
    title subtitle author editor translator journal journaltitle booktitle year month day date
    volume number issue doi url link isbn issn eissn publisher school institution edition
    language langid abstract keywords keyword eprint archiveprefix eprinttype pmid pmcid
    identifiers sources provenance origins database pages page crossref xdata entrysubtype version
    origtitle titletranslation funding
""".split()
)
_IDENTIFIERS = "pmid pubmed_id pmcid pmc lccn oclc arxiv arxivid openalex mag s2id".split()
_SCHEMES = {
    "arxivid": "arxiv",
    "s2id": "s2",
    "pmc": "pmcid",
    **dict.fromkeys(("pubmed", "pubmed_id", "medline"), "pmid"),
}
#: What brings identifiers of these schemes into their form.
_FORMS: Mapping[str, Callable[[str], str | None]] = {
    "pmid": identifier_forms.pmid,
    "pmcid": identifier_forms.pmcid,
    "arxiv": identifier_forms.arxiv_id,
}
#: The number of a patent has more digits than that of an issue.
_DIGITS_OF_PATENT = 5
#: Fields for anything.
_REMARKS = ("note", "annote", "annotation", "addendum")

_ARXIV = re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")
_ADDRESS = re.compile(r"\\(?:url|href|path)\b|^\s*https?://", re.IGNORECASE)
_ESCAPED_FORMATS = re.compile(r"\\([_&%#$~{}^-])(?:\{\})?")
_KEYWORD_FIELDS = ("keywords", "keyword", "author_keywords")
#: Of each of these, the first that has a text is read.
_FIRST_OF = (("number", "issue"), ("pages", "page"), ("keywords", "keyword"), ("url", "link"))
#: Two months: "mar/apr", "March--April".
_MONTHS = re.compile(r"[^\W\d_]{3}[.\s]{0,3}(?:[/&-]|\\&|\u2013)")
_KEYWORDS = re.compile(r"[;；\n]|\\sep\b")
_COMMAS = re.compile("[,，、]")
_ANY_MARK = re.compile("[,，、;；]")
_GROUP = re.compile(r"(?<![\\\w])\{[^{}]*\}")
#: Characters that stand for groups while the others are parted.
_FIRST_MARK, _MOST_MARKS = 0xE000, 2_000
_MARKS = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + _MOST_MARKS - 1)}]")


def draft(kind: str, key: str, fields: Mapping[str, str]) -> Draft:
    """A draft of an entry. `kind`: the entry type, lower case. `fields`: names in lower case ->
    values without their delimiters.
    """

    def texts(*names: str) -> list[str]:
        shown = (decode(fields[name]).strip() for name in names if name in fields)
        return [text for text in shown if text]

    title, titles = values.titles(texts("title", *_TITLES))
    dates = texts("date")[:1] or _dates(texts("year"), texts("month"), texts("day"))
    year = values.year([*texts("date")[:1], *texts("year"), *dates])
    date = values.date([part for text in dates or texts("year") for part in text.split("/")], year)
    isbn, issn = values.standard_numbers(texts("isbn", "issn", "eissn"))
    links = values.links(_verbatim(fields.get(name, "")) for name in _LINKS)
    bodies = _BODIES.get(TYPES.get(kind, ""), ())
    publishers = ("publisher",) if bodies else _PUBLISHERS
    body = values.first_text(texts(*bodies))
    publisher = values.first_text(texts(*publishers)) or body
    venues = _BOOK_VENUES if TYPES.get(kind) in IN_BOOKS else _VENUES
    venue = values.first_text(_venues(fields, venues))
    # Where a patent is located is the country that it holds for.
    place = values.first_text(texts(*_PLACES[: 1 if kind == "patent" else 2]))
    doi = values.doi([_verbatim(fields.get("doi", ""))])
    ids = _identifiers(fields, texts, venue or "")
    eprint = next(iter(texts("eprint")), "")
    addresses = [*links, *values.links([eprint])] if "://" in eprint else links
    ids |= values.identifiers(texts("unique-id"), addresses, texts(*_REMARKS)) | ids
    type_ = _type(kind, fields, venue or "", ids)
    number = values.first_text(texts("number", "issue"))
    if type_ == "patent" and number and sum(map(str.isdigit, number)) >= _DIGITS_OF_PATENT:
        ids.setdefault("patent", number[: values.SHORT])
    found = {
        "source_id": values.text(key[: values.SHORT])[:200],
        "url": values.landing_page(links),
        "title": title,
        "subtitle": values.first_text(texts("subtitle")),
        "titles": titles,
        "authors": people(fields.get("author", "")),
        "editors": people(fields.get("editor", "")),
        "translators": people(fields.get("translator", "")),
        "year": year,
        "date": date,
        "venue": values.thesis_venue(body or publisher, venue)
        if TYPES.get(kind) == "thesis"
        else venue,
        "publisher": publisher,
        "place": place,
        "institution": (body or publisher) if bodies else None,
        "edition": values.first_text(texts("edition")),
        "version": values.first_text(texts("version")),
        "volume": values.volume(next(iter(texts("volume")), "")),
        "issue": number if number != ids.get("patent") else None,
        "pages": next((pages for text in texts(*_PAGES) if (pages := values.pages(text))), None),
        "doi": doi or values.doi_of_links(links),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": type_,
        "language": values.language(texts("language", "langid")),
        "abstract": values.abstract(texts("abstract")[:1]),
        "keywords": keywords(_first_value(fields, _KEYWORD_FIELDS)),
        "retracted": worktypes.says_retracted(texts("note")),
        "funders": values.keywords(texts("funding")),
    }
    made_of = origins.read(texts("origins"))
    sources = next(iter(texts("sources")), "").split(", ")  # ours: several for a merged hit
    said = [*(sources if len(sources) == 1 else []), *texts("database", "source")][:1]
    database = (
        origins.database_name(made_of)
        if made_of
        else values.database(said, (), links, texts("unique-id"))
    )
    beside = [
        (name, with_names(value) if name in _VENUES else value)
        for name, value in fields.items()
        if name not in _HELD and value.strip()
    ]
    given = [
        (name, value)
        for name, value in beside
        if decode(value).strip() not in (venue, place) and (name, value) != OUR_TYPE
    ]
    if kind in _DEGREES and "type" not in fields:
        given.append(("type", _DEGREES[kind]))
    given += _second_ones(fields, (venues, publishers, bodies, *_FIRST_OF))
    if fields.get("entrysubtype", "") not in ("", type_):
        given.append(("entrysubtype", fields["entrysubtype"]))
    if len(links) > 1 and len(values.links([_verbatim(fields.get("url", ""))])) > 1:
        given.append(("url", fields["url"]))
    if eprint and not any(value.casefold() in eprint.casefold() for value in ids.values()):
        given.append(("eprint", fields["eprint"]))
    problems, more = _beyond_a_record(fields, year, date, doi)
    return Draft(found, database, problems, made_of, [*given, *more])


def _second_ones(
    fields: Mapping[str, str], groups: Iterable[tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """The fields that say something else than the one of their group that was read."""
    for names in groups:
        shown = [(name, decode(fields[name]).strip()) for name in names if name in fields]
        filled = [(name, text) for name, text in shown if text]
        for name, text in filled[1:]:
            if name in _HELD and text.casefold() != filled[0][1].casefold():
                yield name, with_names(fields[name]) if name in _VENUES else fields[name]


def _beyond_a_record(
    fields: Mapping[str, str], year: int | None, date: str | None, doi: str | None
) -> tuple[list[str], list[tuple[str, str]]]:
    """Problems, and fields, of what a record has no place for: no year, or more than one; a season;
    no DOI; "and others".
    """
    problems, given = [], []
    for name in ("year", "date"):
        text = fields.get(name, "").strip("{} ")  # "2019~" is biblatex's "about 2019"
        text = decode(text).strip() if name == "year" else text
        if text and text not in (str(year), date) and not (text == "0000" and year is None):
            given.append((name, fields[name]))
            if year is None:
                problems.append(f"{field_problem(name, text, 'year')}; kept beside the record")
    exact = (date or "").count("-") if not fields.get("date") else 2
    if (text := fields.get("month", "")).strip() and (exact < 1 or _MONTHS.search(text)):
        given.append(("month", text))
    if (text := fields.get("day", "")).strip() and exact < 2:
        given.append(("day", text))
    text = _verbatim(fields.get("doi", ""))
    if text and doi is None:
        given.append(("doi", fields["doi"]))
        problems.append(f"{field_problem('doi', text, 'DOI')}; kept beside the record")
    given += [
        (name, fields[name])
        for name in ("author", "editor", "translator")
        if name in fields and ends_with_others(fields[name])
    ]
    given += [
        (name, fields[name])
        for name in ("language", "langid")
        if name in fields and codes_in(fields[name])
    ]
    return problems, given


#: Fields that may say more than a record has a place for.
FULLER = frozenset({"year", "date", "month", "type", "author", "editor", "translator", "language"})


def holds(name: str, value: str, record: Record) -> bool:
    """Whether a value of a file for one of `FULLER` says what the record says, and more."""
    if name == "type":
        return True
    if name == "language":
        return values.language([decode(value)]) == record.language
    if name in ("year", "date"):
        return values.year([decode(value)]) == record.year
    if name == "month":
        known = (record.date or "")[:7]
        return len(known) < 7 or _dates([known[:4]], [decode(value)], []) == [known]
    return bool(people(value) == getattr(record, f"{name}s"))


def _first_value(fields: Mapping[str, str], names: Iterable[str]) -> str:
    raw = (fields.get(name, "") for name in names)
    return next((value for value in raw if value.strip()), "")


def keywords(raw: str) -> tuple[str, ...]:
    """Keywords apart by semicolons, else by commas; no mark within braces parts any."""
    text, whole = _without_braces(raw)
    parts = (_KEYWORDS if _KEYWORDS.search(text) else _COMMAS).split(text)
    found = (_MARKS.sub(lambda hit: whole[ord(hit[0]) - _FIRST_MARK], part) for part in parts)
    return values.texts(decode(part).strip() for part in found)


def _without_braces(raw: str) -> tuple[str, list[str]]:
    """The text with a character of private use for each group in braces that holds a mark between
    keywords, and these.

    Braces around all of it say nothing.
    """
    if raw[:1] == "{" and raw[-1:] == "}" and _GROUP.fullmatch(raw):
        raw = raw[1:-1]
    raw = _MARKS.sub("", raw)
    whole: list[str] = []

    def mark(hit: re.Match[str]) -> str:
        if len(whole) == _MOST_MARKS or not _ANY_MARK.search(hit[0]):
            return hit[0]
        whole.append(hit[0])
        return chr(_FIRST_MARK + len(whole) - 1)

    return _GROUP.sub(mark, raw), whole


def _dates(year: list[str], month: list[str], day: list[str]) -> list[str]:
    """Year, month ("mar", "3", "mar # {~15}") and day as one date."""
    if not year or not month:
        return []
    parts = month[0].replace("~", " ").replace(".", " ").split()
    number = converters.date([year[0], *parts[:1], *(parts[1:2] or day)])
    return [number] if number else []


def _venues(fields: Mapping[str, str], names: Iterable[str]) -> Iterator[str]:
    r"""What contains the work; of `journal = {\journal}`, an unknown macro, the name."""
    for name in names:
        raw = fields.get(name, "")
        if raw and not (name == "howpublished" and _ADDRESS.search(raw)):
            yield decode(with_names(raw)) or raw.strip("{}\\ ")


def _identifiers(
    fields: Mapping[str, str], texts: Callable[..., list[str]], venue: str
) -> dict[str, str]:
    found = values.identifiers(texts("identifiers"))
    for name in _IDENTIFIERS:
        for value in texts(name):
            found.setdefault(_SCHEMES.get(name, name), value[:100])
    eprint = next(iter(texts("eprint")), "")
    scheme = next(iter(texts("archiveprefix", "eprinttype")), "").lower()
    if eprint and (scheme == "arxiv" or (not scheme and _ARXIV.fullmatch(eprint))):
        found.setdefault("arxiv", eprint)
    elif eprint and re.fullmatch(r"[a-z][a-z0-9]{1,20}", scheme):
        found.setdefault(_SCHEMES.get(scheme, scheme), eprint[:100])
    if "arxiv" not in found and "arxiv" in venue.lower():
        found["arxiv"] = venue
    for scheme, form in _FORMS.items():
        if scheme in found:
            found[scheme] = form(found[scheme]) or ""
    return {scheme: value for scheme, value in found.items() if value}


def _type(kind: str, fields: Mapping[str, str], venue: str, ids: Mapping[str, str]) -> str | None:
    found = TYPES.get(kind)
    if (subtype := fields.get("entrysubtype", "")) in RECORD_TYPES:  # ours
        return subtype
    in_arxiv = "arxiv" in venue.lower()
    if found in (None, "article", "webpage") and (
        in_arxiv or ("arxiv" in ids and not fields.get("journal"))
    ):
        return "preprint"
    return worktypes.refine(found, [fields["type"]] if "type" in fields else [])


def _verbatim(raw: str) -> str:
    r"""A DOI or address, which styles print as it is: without escapes and what surrounds it."""
    if "\\" in raw:
        raw = re.sub(r"\\(?:url|href|path|doi)\b\s*", "", raw)
        raw = (
            _ESCAPED_FORMATS.sub(r"\1", raw)
            .replace("\\textasciitilde", "~")
            .replace("\\textunderscore", "_")
        )
    return raw.replace("{", "").replace("}", "").strip().strip("<>")
