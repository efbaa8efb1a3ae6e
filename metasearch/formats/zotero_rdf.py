"""Zotero RDF: works, and what they stand in, as resources that refer to one another.

Zotero writes journals, notes and attachments beside the works, or inside of them; the DOI of an
article is in the description of its journal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from metasearch.bib import identifiers
from metasearch.bib.field_limits import MOST_GIVEN
from metasearch.bib.names import person
from metasearch.formats.reading import values
from metasearch.formats.reading.encodings import Bytes, FileText
from metasearch.formats.reading.items import mend, text_of_file
from metasearch.formats.reading.result import (
    Draft,
    EntryCollector,
    FileReading,
    field_problem,
)
from metasearch.formats.reading.worktypes import type_of
from metasearch.record import Author

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_LOOKS = re.compile(
    r"<(?:\w{1,20}:)?RDF\s[^>]{0,4000}(?:zotero\.org/namespaces|purl\.org/net/biblio#)"
)
_DECLARATION = re.compile(r"\A\s{0,100}<\?xml[^>]{0,300}\?>")
#: Elements, and types of items, that are no works.
_BESIDE = frozenset({"Attachment", "Memo", "Collection", "attachment", "note", "annotation"})
#: Lines of "Extra" that a record has among its identifiers.
_EXTRA_NUMBER = re.compile(r"(?:PMID|PMCID|DOI|arXiv)\s?:", re.IGNORECASE)
#: Values of one element that are read: what contains a work may contain a million of them.
MOST_VALUES = 100
#: Elements of authors, the usual ones first: Zotero has another word for some kinds of work.
_AUTHORS = (
    "authors inventors directors presenters programmers podcasters cartographers artists composers "
    "performers interviewees"
).split()
#: Elements of which a record holds all.
_HELD = frozenset(
    """
    itemType isPartOf presentedAt authors editors translators title date pages volume number edition
    publisher identifier subject abstract language libraryCatalog citationKey link isReferencedBy
    relation description rights
""".split()
)
#: Elements of a container of which a record holds all.
_HELD_OF_HOST = frozenset("title alternative volume number identifier isPartOf".split())


def looks_like(head: str) -> bool:
    return _LOOKS.search(head) is not None


def read(content: Bytes, reading: FileReading) -> None:
    """Add the works of a Zotero RDF file, which is held as a whole: its parts refer to others."""
    collector = EntryCollector(reading)
    root = _tree(text_of_file(content, reading), collector)
    if root is not None:
        _RdfFile(root, collector, reading).read()


def _tree(text: FileText, collector: EntryCollector) -> Any:
    """The root element of the file; None where it is no XML. Where it is not well-formed, what can
    be read of it is there, and that is told.
    """
    from lxml import etree

    whole = _DECLARATION.sub("", mend(text.whole()), count=1).encode(errors="replace")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    root = etree.fromstring(whole, parser)
    if errors := [error for error in parser.error_log if error.level_name != "WARNING"]:
        what = "the file is not well-formed XML; what could be read of it was"
        collector.remark(errors[0].line, f"{what}: {errors[0].message}")
    return root


class _RdfFile:
    def __init__(self, root: Any, collector: EntryCollector, reading: FileReading) -> None:
        self._root = root
        self._collector = collector
        self._reading = reading
        self._by_address = {about: node for node in root if (about := node.get(f"{_RDF}about"))}
        self._contained = Counter(
            address for part in root.iter("{*}isPartOf") if (address := part.get(f"{_RDF}resource"))
        )
        # Zotero says of each work what it is; other programs do not.
        self._typed = root.find("*/{*}itemType") is not None
        self._hosts: dict[str, _Resource] = {}
        self._notes_taken: set[str] = set()

    def read(self) -> None:
        for node in self._root:
            kind = _local(node)
            item_type = node.findtext("{*}itemType", "").strip()
            about = node.get(f"{_RDF}about", "")
            if (
                kind in _BESIDE
                or item_type in _BESIDE
                or (not item_type and about in self._contained)
            ):
                continue
            if not item_type and (self._typed or type_of([kind]) is None):
                what = f"the element {kind}, which is no work, and which none refers to"
                self._reading.count_strange(what, node.sourceline or 0)
                continue
            self._collector.put(node.sourceline or 0, partial(self._draft, node, item_type or kind))
        alone = [
            node
            for node in self._root
            if _local(node) == "Memo" and node.get(f"{_RDF}about") not in self._notes_taken
        ]
        if alone:
            what = f"{len(alone)} note(s) that belong to no work were not read; the first is this"
            self._collector.remark(alone[0].sourceline or 0, what)
        if not self._collector.position:
            self._collector.remark(0, "no record was found in it")

    def _draft(self, node: Any, item_type: str) -> Draft:
        item = _Resource(node)
        hosts, series = self._containers(node)
        kind = type_of([item_type])
        title, titles = values.titles(item.texts("title"))
        own = item.identifiers()
        # Of a journal that several works stand in, the DOI is none of theirs.
        of_hosts = [
            text
            for host, alone in hosts
            for text in host.identifiers()
            if alone or not _is_doi(text)
        ]
        number = [
            *item.texts("number"),
            *(text for host, _ in hosts for text in host.texts("number")),
        ]
        volumes = [
            *item.texts("volume"),
            *(text for host, _ in hosts for text in host.texts("volume")),
        ]
        links = values.links([*item.addresses(), *[item.about]])
        dates = item.texts("date")
        year = values.year(dates)
        isbn, issn = values.standard_numbers([*own, *of_hosts])
        extra = [line for text in item.node.findall("{*}description") for line in _lines(text)]
        publisher, place = item.publisher()
        venue = values.first_text(
            [
                *(text for host, _ in hosts for text in host.texts("title")),
                *(text for part in node.findall("{*}presentedAt") for text in _titles(part)),
            ]
        )
        authors = next((found for name in _AUTHORS if (found := item.people(name))), ())
        fields: dict[str, Any] = {
            "source_id": item.first("citationKey")[:200] or None,
            "title": title,
            "titles": titles,
            "authors": authors,
            "editors": item.people("editors"),
            "translators": item.people("translators"),
            "year": year,
            "date": values.date(dates, year),
            "venue": values.thesis_venue(publisher, venue) if kind == "thesis" else venue,
            "publisher": publisher,
            "institution": publisher if kind in ("thesis", "report") else None,
            "place": place,
            "volume": values.volume(next(iter(volumes), "")),
            "issue": values.first_text(number) if kind not in ("patent", "preprint") else None,
            "edition": values.first_text(item.texts("edition")),
            "pages": values.pages(item.first("pages")),
            "doi": values.doi_of_links(links)
            or values.doi(filter(_is_doi, [*own, *of_hosts]))
            or values.doi_alone(extra),
            "ids": _identifiers([*own, *of_hosts], number, extra, links, kind),
            "isbn": isbn,
            "issn": issn,
            "url": values.landing_page(links),
            "type": kind,
            "language": values.language(item.texts("language")),
            "abstract": values.abstract(item.texts("abstract")[:1]),
            "keywords": values.keywords(item.tags()),
            "licence": next(iter(values.links(item.texts("rights"))), None),
        }
        given = [*item.rest(_HELD), *self._notes(node)]
        given += [
            (f"container {tag}", text)
            for host, alone in hosts
            if alone
            for tag, text in host.rest(_HELD_OF_HOST)
        ]
        given += [("series", text) for text in series if text != venue]
        given += [("extra", text) for text in extra if not _EXTRA_NUMBER.match(text)]
        given += [("rights", text) for text in item.texts("rights") if not fields["licence"]]
        undated = [text for text in dates if year is None and values.year_text(text)]
        given += [("date", text) for text in undated]
        problems = [
            f"{field_problem('date', text, 'year')}; kept beside the record" for text in undated
        ]
        database = values.database(item.texts("libraryCatalog"), (), links, ())
        return Draft(fields, database, problems, given=given)

    def _containers(self, node: Any) -> tuple[list[tuple[_Resource, bool]], list[str]]:
        """What a work stands in, each with whether no other work does, and titles of its series."""
        hosts: list[tuple[_Resource, bool]] = []
        series: list[str] = []
        for part in node.findall("{*}isPartOf"):
            address = part.get(f"{_RDF}resource", "")
            found = self._by_address.get(address)
            for one in part if found is None else (found,):
                host = self._host(address, one)
                if _local(one) == "Series":
                    series += host.texts("title")
                else:
                    hosts.append((host, self._contained[address] < 2))
                    series += host.series
        return hosts, series

    def _host(self, address: str, node: Any) -> _Resource:
        """Made once of each: a million works may stand in one journal."""
        if not address:
            return _Resource(node)
        if address not in self._hosts:
            self._hosts[address] = _Resource(node)
        return self._hosts[address]

    def _notes(self, node: Any) -> Iterator[tuple[str, str]]:
        for part in node.findall("{*}isReferencedBy"):
            address = part.get(f"{_RDF}resource", "")
            found = self._by_address.get(address)
            for memo in part if found is None else (found,):
                if address not in self._notes_taken and (text := values.text(_text(memo))):
                    self._notes_taken.add(address)
                    yield "note", text


class _Resource:
    """An element that says something of a work, or of what contains it."""

    def __init__(self, node: Any) -> None:
        self.node = node
        self.about = node.get(f"{_RDF}about", "")
        self._texts: dict[str, list[str]] = {}
        for child in node:
            if text := _text(child):
                self._texts.setdefault(_local(child), []).append(text)
        inside = node.findall("{*}isPartOf")
        self.series = [text for part in inside for text in _titles(part)][:MOST_VALUES]

    def texts(self, name: str) -> list[str]:
        return self._texts.get(name, [])[:MOST_VALUES]

    def first(self, name: str) -> str:
        return next(iter(self.texts(name)), "")

    def identifiers(self) -> list[str]:
        """Numbers with their scheme before them: "DOI 10.1000/xyz"."""
        return [text for text in self.texts("identifier") if not text.startswith("http")]

    def addresses(self) -> list[str]:
        """The web addresses among the identifiers."""
        resources = [
            child.get(f"{_RDF}resource", "") for child in self.node.findall("{*}identifier")
        ]
        return [text for text in [*self.texts("identifier"), *resources] if text.startswith("http")]

    def people(self, name: str) -> tuple[Author, ...]:
        """The persons and bodies of an element such as "editors"."""
        found = [one for group in self.node.findall(f"{{*}}{name}") for one in group.iter()]
        return tuple(author for one in found if (author := _author(one)) is not None)

    def publisher(self) -> tuple[str | None, str | None]:
        nodes = self.node.findall("{*}publisher")
        names = [text for node in nodes for text in (_text(one) for one in node.iter("{*}name"))]
        places = [_text(one) for node in nodes for one in node.iter("{*}locality")]
        plain = [_text(node) for node in nodes if not len(node)]
        return values.first_text([*names, *plain]), values.first_text(places)

    def tags(self) -> list[str]:
        """Words of the work; what has another element in it than a tag is a shelf mark."""
        return [_text(one) for one in self.node.findall("{*}subject") if not _shelf_mark(one)]

    def rest(self, held: frozenset[str]) -> Iterator[tuple[str, str]]:
        """Name and text of what no field of a record holds."""
        for child in self.node:
            name = _local(child)
            if name == "subject" and _shelf_mark(child):
                yield "callNumber", _text(child)
            elif name not in held:
                names = [
                    author.name for one in child.iter() if (author := _author(one)) is not None
                ]
                text = "; ".join(names) or _text(child)
                if text:
                    yield name, text


def _identifiers(
    numbers: Iterable[str], number: list[str], extra: list[str], links: list[str], kind: str | None
) -> dict[str, str]:
    found = values.identifiers((), links, [*numbers, *extra])
    arxiv = [*extra, *(number if kind == "preprint" else ())]
    named = (text for text in arxiv if text[:6].lower() == "arxiv:")
    if one := next(filter(None, (identifiers.arxiv_id(text[:100]) for text in named)), None):
        found.setdefault("arxiv", one)
    if kind == "patent" and number:
        found.setdefault("patent", number[0][:200])
    return found


def _author(node: Any) -> Author | None:
    kind = _local(node)
    if kind == "Organization":
        name = node.findtext("{*}name", "").strip()
        return Author(name, collective=True) if name else None
    if kind != "Person":
        return None
    family = node.findtext("{*}surname", "").strip()
    given = next(
        (
            text
            for name in ("givenName", "givenname", "firstName")
            if (text := node.findtext(f"{{*}}{name}", "").strip())
        ),
        "",
    )
    # Zotero writes a name of one field as a family name.
    whole = node.findtext("{*}name", "").strip() or ("" if given else family)
    return values.one_author(whole) if whole else person("", family, given)


def _shelf_mark(subject: Any) -> bool:
    return any(_local(child) not in ("AutomaticTag", "Tag") for child in subject)


def _titles(part: Any) -> list[str]:
    return [text for one in part.iter("{*}title") if (text := _text(one))]


def _is_doi(text: str) -> bool:
    return text[:4].lower() in ("doi ", "doi:") or text.startswith("10.")


def _lines(node: Any) -> list[str]:
    return [line.strip() for line in "".join(node.itertext()).splitlines() if line.strip()]


def _text(node: Any) -> str:
    return " ".join("".join(node.itertext()).split())[:MOST_GIVEN]


def _local(node: Any) -> str:
    return str(node.tag).rpartition("}")[2]
