"""CSL-JSON (.json): a list with an item a work, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

import orjson

from metasearch.bib import converters, numbering
from metasearch.bib import identifiers as identifier_forms
from metasearch.bib import texts as markup
from metasearch.bib.field_limits import first_items
from metasearch.bib.languages import codes_in
from metasearch.bib.names import means_others, person
from metasearch.bib.texts import strings
from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside, BesideHits, one_text, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.items import LISTS, items
from metasearch.formats.reading.result import (
    Draft,
    EntryCollector,
    FileReading,
    field_problem,
)
from metasearch.formats.reading.worktypes import CSL_TYPES, type_of
from metasearch.formats.text import clean, line
from metasearch.late_pattern import late_pattern
from metasearch.record import TYPES, Author, Hit, Record

# CSL-JSON, as citation processors, Zotero, Pandoc and others read it: a list with an item a hit.
# Zotero refuses a whole file for one type that it does not know, so no other type is written; what
# a type of CSL does not tell stands in `genre`, as a word, because styles print it.
# https://docs.citationstyles.org/en/stable/specification

#: Types whose container is a series.
_IN_SERIES = frozenset({"book", "proceedings", "thesis", "report", "map", "standard"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    before = b"[\n"
    for hit, found in with_beside(hits, beside):
        yield before + orjson.dumps(item(hit, found))
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def item(hit: Hit, beside: Beside | None = None) -> dict[str, Any]:
    """The item of a hit, without members that say nothing."""
    record = hit.record
    kind = reference.general_type(record)
    arxiv = line(record.ids.get("arxiv"))
    found: dict[str, Any] = {
        "id": line(hit.id),
        "type": CSL_TYPES[kind],
        "genre": _genre(record, kind),
        "title": reference.full_title(record),
        "original-title": reference.further_titles(record),
        "author": [_name(author) for author in record.authors],
        "editor": [_name(editor) for editor in record.editors],
        "translator": [_name(translator) for translator in record.translators],
        "issued": _date_variable(record),
        "collection-title" if kind in _IN_SERIES else "container-title": line(record.venue),
        "publisher": reference.issuing_body(record)
        or (line(record.venue) if kind == "preprint" else ""),
        "publisher-place": line(record.place),
        "edition": line(record.edition),
        "volume": line(record.volume),
        "issue": line(record.issue),
        "number": _number(record, kind),
        "page": reference.all_pages(record.pages),
        "DOI": line(record.doi),
        "ISBN": " ".join(map(line, record.isbn)),
        "ISSN": ", ".join(map(line, record.issn)),
        "PMID": line(record.ids.get("pmid")),
        "PMCID": line(record.ids.get("pmcid")),
        "archive": "arXiv" if arxiv and kind != "preprint" else "",
        "archive_location": arxiv if kind != "preprint" else "",
        "URL": reference.link(record),
        "language": line(record.language),
        "license": line(record.licence),
        # A book with a version is a program to Zotero.
        "version": line(record.version) if CSL_TYPES[kind] != "book" else "",
        "abstract": clean(record.abstract or ""),
        "keyword": "; ".join(map(line, dict.fromkeys(record.keywords + record.subjects))),
        # as Crossref gives it; CSL has no variable
        "funder": [{"name": line(funder)} for funder in record.funders],
        "source": "; ".join(reference.databases(hit, beside)),
        "note": _note(record, beside),
        "status": "retracted" if record.retracted else "",
    }
    others = found["original-title"]
    found["original-title"] = others[0] if others else ""
    found["translated-title"] = others[1:]
    made = {name: value for name, value in found.items() if value}
    if beside is not None:
        _add_beside(made, beside, record)
    return made


def _add_beside(made: dict[str, Any], beside: Beside, record: Record) -> None:
    """Members of files; several values of one are apart by semicolons, and one whose name is ours
    goes into the note.
    """
    ours = dict(made)
    for name, value in ((clean(tag), clean(text)) for tag, text in beside.fields):
        if not name or not value or value == ours.get(name):
            continue
        if name == "issued":
            found = _of_text(value)
            issued = found if isinstance(found, dict) and found else {"literal": value}
            if _year(_date(issued)) == record.year:
                made[name] = issued  # it says more than a date
            continue
        if name in _STRUCTURED and (found := _of_text(value)) is not None:
            if name not in made:
                made[name] = found
                continue
            if type(found) is type(made[name]) is list:
                made[name] += [one for one in found if one not in made[name]]
                continue
        target, shown = ("note", f"{name}: {value}") if name in ours else (name, value)
        if target == "note":
            made["note"] = "\n".join(filter(None, (made.get("note"), shown)))
        elif shown not in made.get(target, "").split("; "):
            made[target] = "; ".join(filter(None, (made.get(target), shown)))


def genre_word(kind: str) -> str:
    """What `genre` calls one of `TYPES`: "conference-paper" as "Conference paper"."""
    return kind.replace("-", " ").capitalize()


def _number(record: Record, kind: str) -> str:
    """The number of a patent; of a preprint in arXiv the number there, as styles print it."""
    if kind == "patent":
        return line(record.ids.get("patent"))
    arxiv = line(record.ids.get("arxiv")) if kind == "preprint" else ""
    return f"arXiv:{arxiv}" if arxiv else ""


def _genre(record: Record, kind: str) -> str:
    """Our type where that of CSL is read as another one."""
    if record.type is None or kind == "other":
        return ""
    read = "preprint" if CSL_TYPES[kind] == "article" else worktypes.type_of([CSL_TYPES[kind]])
    return "" if read == kind and not (kind == "preprint" and record.venue) else genre_word(kind)


def _name(author: Author) -> dict[str, str]:
    family, given, orcid = line(author.family), line(author.given), line(author.orcid)
    suffix = line(author.suffix)
    named = {"literal": line(author.name)}
    if family:
        named = {"family": family, "given": given, "suffix": suffix}
    whole = named | ({"ORCID": f"https://orcid.org/{orcid}"} if orcid else {})
    return {part: value for part, value in whole.items() if value}


def _date_variable(record: Record) -> dict[str, list[list[int]]] | None:
    year, month, day = reference.date_parts(record.date)
    known = [int(part) for part in (year, month, day) if part]
    if not known and record.year is not None and 0 < record.year < 10_000:
        known = [record.year]
    return {"date-parts": [known]} if known else None


def _note(record: Record, beside: Beside | None) -> str:
    """Identifiers that CSL has no variable for, and where the records come from."""
    apart = ("arxiv", "pmid", "pmcid")
    own = [name for name in reference.identifiers(record) if name.partition(":")[0] not in apart]
    made_of = one_text(beside.origins) if beside is not None else ""
    return "\n".join(filter(None, ("; ".join(own), made_of)))


# CSL-JSON (.json): what Zotero, Mendeley, citeproc and DOI resolvers write, and Crossref's works,
# which are nearly so.
# https://docs.citationstyles.org/en/stable/specification.html#appendix-iv-variables

#: Where the date of publication stands: CSL has one, Crossref several.
_DATES = ("issued", "published", "published-print", "published-online", "posted")
#: Members of which a record holds all.
_HELD = frozenset(
    """
    id type title subtitle original-title translated-title issued published published-print
    published-online posted URL source ISBN ISSN publisher publisher-place container-title author
    publisher-location editor translator edition volume issue page article-number DOI language
    abstract keyword categories subject is-referenced-by-count PMID PMCID version funder
""".split()
)
#: Members that hold people, dates or an object, and that a record has no place for.
_STRUCTURED = frozenset(
    """
    chair collection-editor compiler composer container-author contributor curator director
    editor-translator editorial-director executive-producer guest host illustrator interviewer
    narrator organizer original-author performer producer recipient reviewed-author script-writer
    series-creator accessed available-date event-date original-date submitted custom
""".split()
)
#: What Crossref's works hold beside those of CSL, and is about its own register.
_OF_CROSSREF = frozenset(
    """
    accepted aliases approved assertion clinical-trial-number content-created content-domain
    content-updated created deposited event free-to-read indexed institution isbn-type
    issn-type journal-issue license link project published-other reference relation resource review
    standards-body update-to updated-by
""".split()
)
#: (type of CSL, our word in `genre`) -> `Record.type`.
_OWN_GENRES = {(CSL_TYPES[kind], genre_word(kind)): kind for kind in TYPES if kind != "other"}
_LOOKS = re.compile(
    r'"(?:container-title|date-parts|issued|DOI|title-short|original-date|is-referenced-by-count|publisher-place)"\s*:'
)
#: A file of no works.
_EMPTY = late_pattern(r'\{\s{0,200}"(?:items|references)"\s{0,20}:\s{0,20}\[\s{0,200}\]\s{0,200}\}')
#: Keys whose list holds the works; Pandoc writes the second.
_LISTS = LISTS | {"references"}


def looks_like(head: str) -> bool:
    start = head.lstrip("\ufeff \t\r\n")
    return start[:1] in ("[", "{") and (
        _LOOKS.search(head) is not None or _EMPTY.fullmatch(start.rstrip()) is not None
    )


def read(text: FileText, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    for item in items(text.whole(), _LISTS):
        if isinstance(item.value, Mapping):
            for work in _works(item.value):
                _put(work, item.line, collector, reading)
        else:
            collector.lose(
                item.line,
                f"the item could not be read and was left out: {item.flaw or 'it is no object'}",
            )
    if not collector.position and any(piece.strip(" \t\r\n[]") for piece in text.pieces()):
        collector.remark(0, "no item was found: CSL-JSON is a list of objects")


def _put(
    work: Mapping[str, Any], line: int, collector: EntryCollector, reading: FileReading
) -> None:
    collector.put(line, partial(_draft, work))
    for name in _objects(work):
        what = f"the member {name[:60]!r}, whose value is no text; kept beside the record"
        reading.count_strange(what, line)
    for what in _nobodies(work):
        reading.count_strange(f"{what}, which was left out", line)


def _works(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The work that an object is, or the works in it: some programs have an object of works by
    their keys, without a list.
    """
    found = list(item.values())
    if not item.keys() & _HELD and all(
        isinstance(one, Mapping) and one.keys() & {"title", "type"} for one in found
    ):
        return [_without_envelope(one) for one in found] or [item]
    return [_without_envelope(item)]


def _without_envelope(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The work itself, where an answer of Crossref has it in "message"."""
    inner = item.get("message")
    return inner if isinstance(inner, Mapping) else item


def _draft(item: Mapping[str, Any]) -> Draft:
    def texts(*names: str) -> list[str]:
        return [text for name in names for text in strings(item.get(name))]

    title, titles = values.titles(texts("title", "original-title", "translated-title"))
    date = next((date for name in _DATES if (date := _date(item.get(name)))), None)
    links = values.links(texts("URL"))
    database = values.database(texts("source")[:1], (), links, ())
    isbn, issn = values.standard_numbers(texts("ISBN", "ISSN"))
    publisher = values.first_text(texts("publisher"))
    venue = values.first_text(
        texts("container-title", "event-title", "collection-title", "container-title-short")
    )
    genres = texts("genre")
    types = texts("type")
    # The type that our own writer names in `genre` beside a more general type of CSL.
    own_genre = _OWN_GENRES.get((types[0], genres[0])) if types and genres else None
    # CSL has "article" for a preprint, "article-journal" for a paper; others mix them.
    is_preprint = types[:1] == ["article"] and not venue
    kind = own_genre or ("preprint" if is_preprint else type_of(types))
    if kind == "preprint" and publisher == venue:
        publisher = None  # ours: programs look for the repository there
    notes = [part for text in texts("note") for part in text.split("\n")]
    made_of = origins.read(notes)
    ids = _identifiers(texts, links, database)
    if kind == "patent" and (number := values.first_text(texts("number"))):
        ids.setdefault("patent", number[:200])
    fields = {
        "source_id": next(iter(values.texts(texts("id", "citation-key")[:1])), "")[:200],
        "url": values.landing_page(links),
        "title": title,
        "subtitle": values.first_text(texts("subtitle")),
        "titles": titles,
        "authors": _people(item.get("author")),
        "editors": _people(item.get("editor")),
        "translators": _people(item.get("translator")),
        "year": _year(date),
        "date": date,
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "place": values.first_text(texts("publisher-place", "publisher-location")),
        "institution": publisher if kind in ("thesis", "report") else None,
        "edition": values.first_text(texts("edition")),
        "volume": values.volume(next(iter(texts("volume")), "")),
        "issue": values.first_text(texts("issue")),
        "pages": next(
            (pages for value in texts("page", "article-number") if (pages := values.pages(value))),
            None,
        ),
        "doi": values.doi(texts("DOI")) or values.doi_of_links(links),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(texts("language")),
        "abstract": values.abstract(texts("abstract")[:1]),
        "keywords": _keywords(texts("keyword"), texts("categories", "subject")),
        "citations": numbering.integer(item.get("is-referenced-by-count")),
        "version": values.first_text(texts("version")),
        "licence": values.first_text(texts("license")),
        "retracted": worktypes.says_retracted(texts("status")),
        "funders": _funders(item.get("funder")),
    }
    given = [
        (name, text)
        for name in item
        if name not in _HELD and not (name == "genre" and own_genre)
        for text in texts(name)
        if not any(map(_is_ours, text.split("\n")))
        and not (name == "collection-title" and text == venue)
    ]
    problems = []
    issued = item.get("issued")
    if issued and not _says_no_more(issued, date) and (text := _as_text(issued)):
        given.append(("issued", text))
        if date is None:
            problems.append(f"{field_problem('issued', text, 'year')}; kept beside the record")
    given += [("language", word) for word in texts("language")[:1] if codes_in(word)]
    given += [
        (name, _as_text(item[name]))
        for name in item
        if name in _STRUCTURED and isinstance(item[name], dict | list) and item[name]
    ]
    given += [(name, _as_text(item[name])) for name in _objects(item)]
    return Draft(fields, origins.database_name(made_of) or database, problems, made_of, given)


def _objects(item: Mapping[str, Any]) -> list[str]:
    """The members that hold an object or a list, which no reader of CSL-JSON knows."""
    passed = _HELD | _STRUCTURED | _OF_CROSSREF
    return [
        name
        for name, value in item.items()
        if isinstance(value, dict | list) and value and name not in passed and not strings(value)
    ]


def _as_text(value: Any) -> str:
    """A date, names or an object as one text: the words of a date, else JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        value = {name: of for name, of in value.items() if of not in (None, "", [], [[]], [[None]])}
    if isinstance(value, dict) and len(value) == 1:
        words = [*strings(value.get("literal")), *strings(value.get("raw"))]
        if words:
            return words[0]
    # Unlike orjson, it writes whatever number the file has.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""


def _of_text(text: str) -> Any:
    """The object or list that JSON in a text is; None for other text."""
    if text[:1] not in "[{" or text[:1] == "":
        return None
    try:
        found = orjson.loads(text)
        orjson.dumps([[[found]]])  # what is nested too deeply can be read, and not be written
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    return found


def _says_no_more(issued: Any, date: str | None) -> bool:
    """Whether a date says no more than the record's date."""
    if not isinstance(issued, Mapping):
        return strings(issued) in ([], [date])
    more = {"season", "circa", "literal", "raw", "edtf"} & {key for key in issued if issued[key]}
    parts = issued.get("date-parts")
    if more == {"raw"} and not parts:
        return strings(issued["raw"]) == [date]
    if more or not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], list):
        return False
    return [str(part).lstrip("0") for part in parts[0] if part not in (None, "")] == [
        part.lstrip("0") for part in (date or "").split("-") if part
    ]


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date else None


def _is_ours(text: str) -> bool:
    """Whether our own writer puts such a line beside the fields of a record."""
    return origins.is_origin(text) or values.is_ours(text) or worktypes.own([text]) is not None


def _date(found: Any) -> str | None:
    """A CSL date, or what programs write where one should be: a string, its parts by name."""
    if isinstance(found, list) and found and isinstance(found[0], Mapping):
        found = found[0]
    texts = strings(found)
    if isinstance(found, Mapping):
        named = [str(found[part]) for part in ("year", "month", "day") if found.get(part)]
        date = converters.date_parts(found.get("date-parts")) or converters.date_parts([named])
        if date:
            return date
        texts = strings([found.get(name) for name in ("raw", "literal", "edtf", "date-parts")])
    year = values.year(texts)
    return values.date(texts, year) or (str(year) if year else None)


def _people(found: Any) -> tuple[Author, ...]:
    authors: list[Author] = []
    for given in first_items("authors", found) if isinstance(found, list) else [found]:
        if isinstance(given, str):
            authors += values.authors([given])
        elif isinstance(given, Mapping):
            authors += filter(None, [_author(given)])
    return tuple(authors)


def _funders(found: Any) -> tuple[str, ...]:
    given = first_items("funders", found) if isinstance(found, list) else [found]
    names = (one.get("name") if isinstance(one, Mapping) else one for one in given)
    return values.texts(name for name in names if isinstance(name, str))


def _nobodies(item: Mapping[str, Any]) -> Iterator[str]:
    """What is no person among the people of an item, in words."""
    found = (item.get(role) for role in ("author", "editor", "translator"))
    for one in chain.from_iterable(one if isinstance(one, list) else [one] for one in found):
        if isinstance(one, Mapping) and one and not _author(one):
            has_name = any(strings(one.get(name)) for name in ("family", "literal", "name"))
            yield "a name that stands for others" if has_name else "a name of no known part"


def _author(parts: Mapping[str, Any]) -> Author | None:
    def part(*names: str) -> str:
        return " ".join(text for name in names for text in strings(parts.get(name))[:1])

    family = part("dropping-particle", "non-dropping-particle", "family") if part("family") else ""
    given, suffix = part("given"), markup.without_markup(part("suffix"))
    whole = markup.without_markup(part("literal") or part("name"))
    if family and not given and parts.get("isInstitution"):
        family, whole = "", family
    if means_others(whole or family) and not given:
        return None
    if family or given:
        # Zotero has the suffix in the given name, behind ",!" where a comma must be printed.
        return person("", family, given.replace(",!", ","), part("ORCID"), suffix)
    return Author(whole) if whole else None


def _identifiers(texts: Any, links: list[str], database: str | None) -> dict[str, str]:
    labelled = [f"{name} {value}" for name in ("PMID", "PMCID") for value in texts(name)[:1]]
    notes = [part for text in texts("note")[:1] for part in text.split("\n")]
    own = list(filter(values.is_ours, notes))
    found = values.identifiers(own, links, [*labelled, *notes, *texts("annote")], database)
    in_arxiv = [*texts("archive", "publisher"), *texts("number", "archive_location")]
    arxiv = next(
        (
            a
            for value in texts("number", "archive_location")
            if (a := identifier_forms.arxiv_id(value[:100]))
        ),
        None,
    )
    if arxiv and any("arxiv" in value.lower() for value in in_arxiv):
        found.setdefault("arxiv", arxiv)
    return found


def _keywords(joined: list[str], listed: list[str]) -> tuple[str, ...]:
    parts = [
        part for text in joined for part in (text.split(";") if ";" in text else text.split(","))
    ]
    return values.keywords([*parts, *listed])
