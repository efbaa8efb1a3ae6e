"""EndNote XML: <xml><records><record>..., read and written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from metasearch.bib.languages import codes_in
from metasearch.bib.names import means_others
from metasearch.formats import origins, reference
from metasearch.formats.origins import Beside, BesideHits, texts, with_beside
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.encodings import Bytes
from metasearch.formats.reading.items import Element, elements, text_of_file
from metasearch.formats.reading.result import (
    Draft,
    EntryCollector,
    FileReading,
    field_problem,
)
from metasearch.formats.reading.worktypes import ENDNOTE_TYPES, type_of
from metasearch.formats.text import line, web_url, xml_leaf, xml_parent
from metasearch.record import Author, Hit

# Plain text in every element. EndNote puts text into <style>; Zotero drops what stands outside of
# one as soon as there is any, so that there is none here. No accession number either: Zotero makes
# a note of it beside the record, and of a label the citation key. So identifiers are foreign keys,
# which both leave out, besides those that have a field of their own: PMCID and the numbers of
# patents. EndNote reads an address in related-urls, Zotero in web-urls.

#: What wrote the file, in <source-app>.
APP = "metasearch"
#: Where the name of a type is another one than in the tagged format: "Conference Paper" becomes a
#: presentation in Zotero.
_OWN_WORDS = {"conference-paper": "Conference Proceedings"}
_NUMBERS = {
    "Journal Article": 17,
    "Unpublished Work": 34,
    "Conference Proceedings": 10,
    "Book": 6,
    "Book Section": 5,
    "Thesis": 32,
    "Report": 27,
    "Dataset": 59,
    "Computer Program": 9,
    "Patent": 25,
    "Standard": 58,
    "Encyclopedia": 53,
    "Serial": 57,
    "Map": 20,
    "Music": 61,
    "Audiovisual Material": 3,
    "Film or Broadcast": 21,
    "Artwork": 2,
    "Web Page": 12,
    "Generic": 13,
}
_IN_JOURNALS = frozenset({"Journal Article"})
#: Types of which EndNote calls the second kind of authors "Series Editor", and the third "Editor".
_WITH_SERIES = frozenset({"Book", "Electronic Book", "Classical Work"})
#: Types whose place of publication is the first custom field, because a conference has one, too.
_WITH_PLACE_APART = frozenset({"Conference Proceedings"})
#: Types whose second custom field is the PMCID.
_WITH_PMCID = frozenset({"Journal Article", "Book", "Book Section"})


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """See `Format.parts`; of what stands beside the records, the origins are written."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<xml><records>\n'
    for number, (hit, found) in enumerate(with_beside(hits, beside), 1):
        inner = "".join(_elements(hit, number, found))
        yield f"<record>{inner}</record>\n".encode()
    yield b"</records></xml>\n"


def _elements(hit: Hit, number: int, beside: Beside | None) -> Iterator[str]:
    record = hit.record
    kind = reference.general_type(record)
    word = _OWN_WORDS.get(kind, ENDNOTE_TYPES[kind])
    is_part = bool(record.authors or line(record.venue) or line(record.pages))
    venue = line(record.venue)
    yield xml_leaf("source-app", APP, name=APP)
    yield xml_leaf("rec-number", str(number))
    yield xml_parent(
        "foreign-keys", xml_leaf("key", "; ".join(reference.identifiers(record)), app=APP)
    )
    yield xml_leaf("ref-type", str(_NUMBERS[word]), name=word)
    yield xml_parent(
        "contributors",
        _names("authors", record.authors),
        _names("tertiary-authors" if word in _WITH_SERIES else "secondary-authors", record.editors),
        _names("subsidiary-authors", record.translators),
    )
    yield xml_parent(
        "titles",
        xml_leaf("title", reference.full_title(record)),
        xml_leaf("secondary-title", venue),
        *(xml_leaf("translated-title", title) for title in reference.further_titles(record)),
    )
    if word in _IN_JOURNALS:
        yield xml_parent("periodical", xml_leaf("full-title", venue))
    yield xml_leaf("pages", reference.all_pages(record.pages))
    yield xml_leaf("volume", line(record.volume))
    yield xml_leaf("number", line(record.issue))
    yield xml_leaf("edition", line(record.edition))
    keywords = dict.fromkeys(record.keywords + record.subjects)
    yield xml_parent("keywords", *(xml_leaf("keyword", line(keyword)) for keyword in keywords))
    date = reference.iso_date(record.date)
    yield xml_parent(
        "dates",
        xml_leaf("year", reference.four_digits(record.year)),
        xml_parent("pub-dates", xml_leaf("date", date)),
    )
    place = line(record.place)
    yield xml_leaf("pub-location", place)
    yield xml_leaf("publisher", reference.issuing_body(record))
    yield xml_leaf("isbn", "; ".join(reference.standard_numbers(record)))
    yield xml_leaf("electronic-resource-num", line(record.doi))
    if word in _WITH_PMCID:
        yield xml_leaf("custom2", line(record.ids.get("pmcid")))
    if word in _WITH_PLACE_APART:
        yield xml_leaf("custom1", place)
    yield xml_leaf("abstract", line(record.abstract))
    made_of = texts(beside.origins) if beside is not None else []
    yield xml_leaf("notes", "\n".join([*(["Retracted"] if record.retracted else []), *made_of]))
    yield xml_leaf("work-type", reference.second_type(kind, word, is_part=is_part))
    yield xml_parent(
        "urls",
        xml_parent("web-urls", xml_leaf("url", reference.link(record) or "")),
        xml_parent("related-urls", xml_leaf("url", reference.link(record) or "")),
        xml_parent("pdf-urls", xml_leaf("url", web_url(record.pdf_url) or "")),
    )
    yield xml_leaf("remote-database-name", "; ".join(reference.databases(hit, beside)))
    yield xml_leaf("language", line(record.language))


def _names(group: str, people: tuple[Author, ...]) -> str:
    return xml_parent(group, *(xml_leaf("author", _name(author)) for author in people))


def _name(author: Author) -> str:
    """Inverted; a comma behind the name of a body, and a second one behind a comma in it, keep
    EndNote from taking it apart.
    """
    name = reference.family_first(author)
    if author.family or not reference.is_corporate(author, (author,)):
        return name
    return f"{name.replace(', ', ',, ', 1)},"


# EndNote, and others that follow it, write text into any number of <style> elements, whose texts
# are one, and a standard number into <isbn>, whichever it is.

_BEGIN = r"<record(?:\s[^<>]*)?>"
_ENDNOTE = re.compile(
    r"<(?:ref-type|source-app|rec-number|contributors|electronic-resource-num|foreign-keys)[\s>]"
)
#: Levels below a record: urls/related-urls/url has three.
_DEEPEST = 4
#: Some databases give volume and issue as one: "6(2)".
_VOLUME_AND_ISSUE = re.compile(r"\s*([^()\s]{1,20})\s*\(\s*([^()]{1,20})\s*\)\s*")


def looks_like(head: str) -> bool:
    return "<record" in head and _ENDNOTE.search(head) is not None and "<datafield" not in head


def read(content: Bytes, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    for found in elements(text_of_file(content, reading), _BEGIN, collector):
        collector.put(found.line, partial(_draft, found))


def _draft(found: Element) -> Draft:
    said = _RecordTexts(found.node)
    links = values.links(
        said.all(
            "urls/related-urls/url", "urls/web-urls/url", "urls/url", "electronic-resource-num"
        )
    )
    numbers = said.all("accession-num")
    providers = said.all("remote-database-provider")
    database = values.database(said.all("remote-database-name"), providers, links, numbers)
    ours = said.app == APP.casefold()
    own_numbers = [
        number for number in said.all("foreign-keys/key") if ours and values.is_ours(number)
    ]
    notes = [part for note in said.all("notes") for part in note.splitlines()]
    made_of = origins.read(notes)
    kind = _kind(said)
    title, titles = values.titles(said.all("titles/title", "titles/translated-title"))
    year = values.year(said.all("dates/year", "dates/pub-dates/date"))
    isbn, issn, patent = values.numbers_of_work(kind, said.all("isbn"))
    publisher = values.first_text(said.all("publisher"))
    venue = values.first_text(
        said.all(
            "periodical/full-title",
            "titles/secondary-title",
            "titles/alt-title",
            "periodical/abbr-1",
        )
    )
    volume, issue = (
        values.first_text(said.all("volume")),
        values.first_text(said.all("number", "issue")),
    )
    if not issue and volume and (both := _VOLUME_AND_ISSUE.fullmatch(volume)):
        volume, issue = both.groups()
    remarks = [*said.all("custom2"), *notes]
    ids = values.identifiers([*numbers, *own_numbers], links, remarks, database)
    if patent:
        ids.setdefault("patent", patent)
    people, beside = _people(said, ours=ours)
    apart = ("custom1",) if said.word in _WITH_PLACE_APART else ()
    fields = {
        "source_id": next(
            iter(values.texts([*numbers, *([] if ours else said.all("rec-number"))])), ""
        )[:200],
        "url": values.landing_page(links),
        "title": title,
        "titles": titles,
        **people,
        "year": year,
        "date": values.date(said.all("dates/pub-dates/date"), year),
        "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
        "publisher": publisher,
        "place": values.first_text(said.all(*apart, "pub-location")),
        "edition": values.edition(said.all("edition")),
        "volume": values.volume(volume or ""),
        "issue": issue,
        "pages": next(
            (pages for text in said.all("pages", "custom7") if (pages := values.pages(text))), None
        ),
        "doi": values.doi(said.all("electronic-resource-num")) or values.doi_of_links(links),
        "ids": ids,
        "isbn": isbn,
        "issn": issn,
        "type": kind,
        "language": values.language(said.all("language")),
        "abstract": values.abstract(said.all("abstract")),
        "keywords": values.keywords(
            part for keyword in said.all("keywords/keyword") for part in keyword.splitlines()
        ),
        "pdf_url": next(iter(values.links(said.all("urls/pdf-urls/url"))), None),
        "retracted": worktypes.says_retracted([*notes, *said.all("work-type")]),
    }
    problems = [found.mended] if found.mended else []
    if year is None and (words := said.all("dates/year")):
        problems.append(f"{field_problem('year', words[0], 'year')}; kept beside the record")
    if not ours:
        beside += _beyond_a_record(said, fields)
    return Draft(fields, origins.database_name(made_of) or database, problems, made_of, beside)


#: What says which record it is, who wrote it, and who stands beside by `_people`.
_OF_FILE = ("source-app", "rec-number", "foreign-keys", "ref-type", "database", "contributors")
#: What is read into a record in another form than it has in the file.
_HELD = frozenset(
    "title translated-title keyword isbn abstract pages volume remote-database-name".split()
)
#: The same, where that field of a record has something.
_HELD_BY = {"date": "date", "electronic-resource-num": "doi", "language": "language"}


def _beyond_a_record(said: _RecordTexts, fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts, by the names of their elements, that no field of a record holds."""
    known = [value for field, value in fields.items() if field != "source_id"]
    known += fields["ids"].values()
    shown = {str(value).casefold() for value in known if isinstance(value, str | int)}
    for path, found in said.each():
        name = path.rpartition("/")[2]
        if path.partition("/")[0] in _OF_FILE or name in _HELD:
            continue
        is_held = bool(fields.get(_HELD_BY.get(name, "")))
        for text in found:
            is_number = name == "accession-num" and text == fields["source_id"]
            if text.casefold() not in shown and not is_number and (not is_held or codes_in(text)):
                yield name, text


def _kind(said: _RecordTexts) -> str | None:
    kind = type_of([said.word] if said.word else [])
    is_part = bool(said.all("contributors/authors/author", "titles/secondary-title", "pages"))
    return worktypes.refine(worktypes.conference(kind, is_part=is_part), said.all("work-type"))


# Who stands in which kind of authors depends on the type, and on the program: EndNote and what
# follows it (Zotero) have series editors in the second kind of a book and its editors in the third,
# Mendeley, JabRef and others have the editors in the second kind of every type.

_FOLLOW_ENDNOTE = ("endnote", "zotero")
#: Has the organisation in the fourth kind.
_NO_TRANSLATORS = "bibdesk"
#: Types whose `authors` are editors.
_EDITED = frozenset({"Edited Book"})
#: More types whose second kind of authors are series editors.
_SERIES_ALONE = frozenset({"Edited Book", "Report", "Map", "Computer Program"})
#: Types whose second kind of authors are no editors: directors, recipients, reporters, ...
_OTHER_SECOND = frozenset(
    {"Patent", "Bill", "Case", "Statute", "Hearing", "Film or Broadcast", "Audiovisual Material"}
    | {"Music", "Personal Communication", "Thesis"}
)
#: Types whose fourth kind of authors are no translators: sponsors, departments, performers, ...
_OTHER_FOURTH = frozenset(
    {"Patent", "Bill", "Case", "Statute", "Hearing", "Film or Broadcast", "Audiovisual Material"}
    | {"Music", "Report", "Conference Proceedings", "Conference Paper"}
)
#: The kinds of authors, and what the name of one that no field of a record holds is called.
_KINDS = ("authors", "secondary-authors", "tertiary-authors", "subsidiary-authors")
_TRANSLATED = "translated-authors"


def _people(
    said: _RecordTexts, *, ours: bool
) -> tuple[dict[str, tuple[Author, ...]], list[tuple[str, str]]]:
    """The people of a record by field, and those of whom a record has no field, with their kind."""
    first, second, third, fourth = ([*said.people(kind)] for kind in _KINDS)
    word = said.word
    beside = [(_TRANSLATED, name) for name in said.people(_TRANSLATED)]
    groups = zip(_KINDS, (first, second, third, fourth), strict=True)
    beside += ((kind, name) for kind, group in groups for name in group if means_others(name))
    authors, editors, translators = first, second, fourth
    if word in _EDITED and first:
        authors, editors = [], first
        beside += ((_KINDS[1], name) for name in second)
    elif word in _WITH_SERIES and third:
        editors, third = third, []
        beside += ((_KINDS[1], name) for name in second)
    elif not ours and second:
        is_series = word in _WITH_SERIES | _SERIES_ALONE and said.app.startswith(_FOLLOW_ENDNOTE)
        if (is_series and first) or word in _OTHER_SECOND:
            editors = []
            beside += ((_KINDS[1], name) for name in second)
    beside += ((_KINDS[2], name) for name in third)
    if not ours and (word in _OTHER_FOURTH or said.app.startswith(_NO_TRANSLATORS)):
        translators = []
        beside += ((_KINDS[3], name) for name in fourth)
    people = {
        "authors": values.authors(authors),
        "editors": values.authors(editors),
        "translators": values.authors(translators),
    }
    return people, beside


#: The types by their numbers, for programs that write these alone.
_OF_NUMBERS = {str(number): word for word, number in _NUMBERS.items()} | {
    "4": "Bill", "7": "Case", "8": "Catalog", "14": "Hearing", "19": "Magazine Article",
    "23": "Newspaper Article", "24": "Pamphlet", "26": "Personal Communication",
    "28": "Edited Book", "31": "Statute", "36": "Manuscript", "37": "Figure",
    "38": "Chart or Table", "43": "Electronic Article", "44": "Electronic Book",
    "45": "Online Database", "46": "Government Document", "47": "Conference Paper",
    "49": "Classical Work", "52": "Dictionary", "54": "Grant", "55": "Aggregated Database",
    "56": "Blog", "60": "Electronic Book Section",
}  # fmt: skip


class _RecordTexts:
    """The texts of a record by where they stand: "titles/title".

    Attributes:
        word: Its type, in EndNote's words; "" for none.
        app: The program that wrote it, in small letters; "" for none.
    """

    def __init__(self, node: Any) -> None:
        self._texts: dict[str, list[str]] = {}
        for child in node:
            self._walk(child, child.tag, 1)
        kind, app = node.find("ref-type"), node.find("source-app")
        name = (kind.get("name") or "").strip() if kind is not None else ""
        word = next(iter(self.all("ref-type")), "") if not name or name.isdecimal() else name
        self.word = _OF_NUMBERS.get(word or name, "" if word.isdecimal() else word)
        written = (app.get("name") or "") if app is not None else ""
        self.app = (written or next(iter(self.all("source-app")), "")).strip().casefold()
        if not self.app and node.find("foreign-keys/key[@app='EN']") is not None:
            self.app = "endnote"  # of a document that EndNote has formatted

    def _walk(self, node: Any, path: str, depth: int) -> None:
        if len(node) == 0 or node[0].tag == "style" or depth == _DEEPEST:
            text = "".join(node.itertext()).strip()
            if not text and path.endswith("/author"):
                text = _of_attributes(node)
            if text:
                self._texts.setdefault(path, []).append(text)
            return
        for child in node:
            self._walk(child, f"{path}/{child.tag}", depth + 1)

    def all(self, *paths: str) -> list[str]:
        """Path by path, without the empty ones."""
        return [text for path in paths for text in self._texts.get(path, ())]

    def each(self) -> Iterable[tuple[str, list[str]]]:
        """In the order of the record."""
        return self._texts.items()

    def people(self, kind: str) -> Iterator[str]:
        """The names of a kind of authors; a program may write several on lines of their own."""
        for text in self.all(f"contributors/{kind}/author"):
            yield from filter(None, map(str.strip, text.splitlines()))


def _of_attributes(node: Any) -> str:
    """The name of an author of which EndNote's DTD gives the parts as attributes."""
    if body := node.get("corp-name"):
        return f"{body},"
    given = " ".join(
        part for name in ("first-name", "initials", "middle-initial") if (part := node.get(name))
    )
    return ", ".join(filter(None, (node.get("last-name"), given, node.get("suffix"))))
