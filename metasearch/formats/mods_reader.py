"""MODS 3, read: bare, in a collection, or inside what repositories wrap around it (OAI-PMH, SRU,
METS).

https://www.loc.gov/standards/mods/userguide/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from metasearch.bib import identifiers, trials
from metasearch.bib.field_limits import MOST_GIVEN
from metasearch.bib.isbd import without_marks
from metasearch.bib.names import person, suffix_of
from metasearch.formats import origins
from metasearch.formats.mods import BODY, IN_REPOSITORIES, INSTITUTION, ORIGINAL, OWNER, WHOLE
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.encodings import Bytes
from metasearch.formats.reading.items import Element, elements, text_of_file
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading
from metasearch.formats.reading.worktypes import type_of
from metasearch.record import TYPES, Author

_BEGIN = r"<(?:[\w.-]{1,40}:)?mods(?:\s[^<>]*)?>"
_MODS = re.compile(r"<(?:[\w.-]{1,40}:)?(?:mods|modsCollection)[\s>]")
#: roleTerm, as a code or a word -> the field of a record; the code of MARC relators first.
_ROLES = {
    "authors": "aut author cre creator dis dissertant joint_author verfasser auteur autor",
    "editors": "edt editor edc editor_of_compilation edm ed. éditeur herausgeber hrg",
    "translators": "trl translator traducteur übersetzer",
    "institution": "dgg degree_grantor degree_granting_institution isb issuing_body his",
    "publisher": "pbl publisher",
}
_FIELD_OF_ROLE = {
    word.replace("_", " "): field for field, words in _ROLES.items() for word in words.split()
}
#: typeOfResource -> `Record.type`, where nothing else says it.
_RESOURCES = {
    "notated music": "score",
    "cartographic": "map",
    "moving image": "video",
    "still image": "image",
    "sound recording": "audio",
    "sound recording-musical": "audio",
    "sound recording-nonmusical": "audio",
}
#: Types of `identifier` that have a field of their own, or that mean one of our schemes.
_NUMBERS = frozenset({"isbn", "issn", "issn-l", "eissn", "doi"})
_SCHEMES = {
    "pmid": "pmid", "pubmed": "pmid", "medline": "pmid", "pmc": "pmcid", "pmcid": "pmcid",
    "arxiv": "arxiv", "lccn": "lccn", "oclc": "oclc", "isi": "wos", "wos": "wos",
    "scopus": "scopus", "eid": "scopus",
}  # fmt: skip
#: Types of `detail` that number a part.
_DETAILS = {"volume": "volume", "issue": "issue", "number": "issue"}
#: Elements that a record has no field for.
_BESIDE = (
    "tableOfContents",
    "physicalDescription/extent",
    "targetAudience",
    "originInfo/frequency",
)
#: Relations that say where a work stands.
_HOST, _SERIES = "host", "series"
#: What a link to the work itself is called.
_PDF = "PDF"


def looks_like(head: str) -> bool:
    return _MODS.search(head) is not None


def read(content: Bytes, reading: FileReading) -> None:
    collector = EntryCollector(reading)
    for found in elements(text_of_file(content, reading), _BEGIN, collector, "mods"):
        collector.put(found.line, partial(_draft, found))


def _draft(found: Element) -> Draft:
    node = _Node(found.node)
    ours = node.first("recordInfo/recordIdentifier/@source") == OWNER
    draft = _ModsWork(node, ours=ours).draft()
    draft.problems += [found.mended] if found.mended else []
    return draft


class _Node:
    """An element, whose descendants are asked for by their local names: the prefix, and the
    address of the namespace, differ from program to program.
    """

    def __init__(self, node: Any) -> None:
        self.node = node

    def all(self, path: str) -> list[_Node]:
        """The elements at a path of local names, such as "titleInfo/title"."""
        steps = "/".join(f"{{*}}{step}" for step in path.split("/"))
        return [_Node(one) for one in self.node.findall(steps)]

    def texts(self, path: str) -> list[str]:
        return [text for one in self.all(path) if (text := one.text)]

    def first(self, path: str) -> str:
        """The first of their texts; of "path/@name" the attribute; "" for none."""
        path, _, name = path.partition("/@")
        if name:
            return next((value for one in self.all(path) if (value := one.get(name))), "")
        return next(iter(self.texts(path)), "")

    def get(self, name: str) -> str:
        """By its local name; "" for none."""
        found = self.node.attrib
        return next((value for key, value in found.items() if key.rpartition("}")[2] == name), "")

    @property
    def text(self) -> str:
        return " ".join("".join(self.node.itertext()).split())[:MOST_GIVEN]

    @property
    def name(self) -> str:
        return str(self.node.tag).rpartition("}")[2]


def _identifier(scheme: str, text: str) -> tuple[str, str] | None:
    """Scheme and identifier, where the text is one of the scheme; None elsewhere."""
    if scheme in ("pmid", "pmcid"):
        found = values.identifiers((), (), [f"{scheme}: {text.upper().removeprefix('PMC')}"])
        return next(iter(found.items()), None)
    read = {"arxiv": identifiers.arxiv_id, "oclc": identifiers.oclc, "lccn": identifiers.lccn}
    value = read[scheme](text[:100]) if scheme in read else text[:100]
    return (scheme, value) if scheme and value else None


class _ModsWork:
    """What one element says of a work. `ours`: our own writer wrote it."""

    def __init__(self, node: _Node, *, ours: bool) -> None:
        self._node = node
        self._ours = ours
        self._given: list[tuple[str, str]] = []
        related = node.all("relatedItem")
        self._hosts = [one for one in related if one.get("type") == _HOST]
        self._series = [one for one in related if one.get("type") == _SERIES]
        others = [one for one in related if one.get("type") not in (_HOST, _SERIES)]
        for one in (*self._hosts[1:], *others):
            numbers = (f"{each.get('type')}:{each.text}" for each in one.all("identifier"))
            if shown := "; ".join(filter(None, [_title(one), *numbers])):
                self._given.append((f"relatedItem {one.get('type')}".strip(), shown))
        for one in (each for item in related for each in item.all("relatedItem")):
            if title := _title(one):
                self._given.append((one.get("type") or "relatedItem", title))
        for path in _BESIDE:
            self._given += [(path.rpartition("/")[2], text) for text in node.texts(path)]

    def draft(self) -> Draft:
        node = self._node
        kind = self._type()
        notes = node.texts("note")
        made_of = origins.read(notes)
        people = self._people()
        links, pdf = self._links()
        numbers = self._numbers()
        fields: dict[str, Any] = {
            **self._titles(),
            **people,
            **self._origin_info(kind, people),
            **self._part(),
            **numbers,
            "venue": self._venue(kind),
            "type": kind,
            "source_id": (node.first("recordInfo/recordIdentifier") or node.get("ID"))[:200],
            "language": values.language(node.texts("language/languageTerm")),
            "abstract": values.abstract(node.texts("abstract")),
            "url": values.landing_page(links),
            "pdf_url": pdf,
            "doi": numbers["doi"] or values.doi_of_links(links),
            "licence": self._licence(),
            "retracted": worktypes.says_retracted(notes),
            **self._subjects(),
        }
        if self._ours and kind in IN_REPOSITORIES and fields["publisher"] == fields["venue"]:
            fields["publisher"] = None  # said twice, because programs look for the repository there
        if kind == "thesis" and not self._ours:
            body = fields["institution"] or fields["publisher"]
            fields["venue"] = values.thesis_venue(body, fields["venue"])
        database = "; ".join(node.texts("recordInfo/recordContentSource")) or None
        told = (text for text in notes if not (origins.is_origin(text) or text == "Retracted"))
        self._given += [("note", text) for text in told]
        return Draft(
            fields,
            origins.database_name(made_of) or database,
            origins=made_of,
            given=self._given if not self._ours else (),
        )

    # ------------------------------------------------------------------ titles

    def _titles(self) -> dict[str, Any]:
        """The title without type; a second one of those is the title in another script."""
        infos = self._node.all("titleInfo")
        plain = [one for one in infos if not one.get("type")]
        plain.sort(key=lambda one: one.get("usage") != "primary")
        main, others = plain[:1], [*plain[1:], *(one for one in infos if one.get("type"))]
        title, further = values.titles([_title(one) for one in (*main, *others)])
        subtitle = without_marks(main[0].first("subTitle")) if main else None
        fields: dict[str, Any] = {"title": title, "titles": further, "subtitle": subtitle}
        if not self._ours:
            return fields
        by_kind = {
            name: next(
                (text for one in infos if one.get(where) == what and (text := _title(one))), None
            )
            for name, where, what in (
                ("translated_title", "type", "translated"),
                ("original_title", "displayLabel", ORIGINAL),
            )
        }
        rest = tuple(text for text in further if text not in by_kind.values())
        return fields | by_kind | {"titles": rest}

    # ------------------------------------------------------------------ people

    def _people(self) -> dict[str, Any]:
        """Whose part is another one stays beside the record."""
        found: dict[str, list[Any]] = {field: [] for field in _ROLES}
        names = sorted(self._node.all("name"), key=lambda one: one.get("usage") != "primary")
        for name, of_host in [(one, False) for one in names] + [
            (one, True) for host in self._hosts for one in host.all("name")
        ]:
            terms = set(map(_role, name.all("role/roleTerm"))) - {""}
            roles = {field for term in terms if (field := _FIELD_OF_ROLE.get(term))}
            if not terms and not of_host and name.get("type") != "conference":
                roles = {"authors"}
            if of_host:
                roles &= {"editors"}
            author = _author(name, ours=self._ours) if roles else None
            for role in roles if author is not None else ():
                found[role].append(author)
            if not roles and (shown := _whole_name(name)):
                role = ", ".join(sorted(terms)) or name.get("type")
                self._given.append((f"name ({role})" if role else "name", shown))
        bodies = {
            role: [one.name for one in found.pop(role)] for role in ("institution", "publisher")
        }
        people: dict[str, Any] = {role: tuple(some) for role, some in found.items()}
        people["editors"] = tuple(dict.fromkeys(people["editors"]))  # of a chapter and of its book
        return people | {role: next(iter(names), None) for role, names in bodies.items()}

    # ------------------------------------------------------------------ publication

    def _origin_info(self, kind: str | None, people: dict[str, Any]) -> dict[str, Any]:
        """Date, place and publisher: of the work or, of a part of a book, of what contains it."""
        node = self._node
        infos = [
            *node.all("originInfo"),
            *(one for host in self._hosts for one in host.all("originInfo")),
        ]
        dates = [text for info in infos for text in _dates(info)]
        dates += [text for part in self._parts() for text in part.texts("date")]
        year = values.year(dates)
        bodies = [
            found
            for info in infos
            for text in info.texts("publisher")
            if (found := without_marks(text))
        ]
        places = [
            term.text
            for info in infos
            for term in info.all("place/placeTerm")
            if term.get("type") != "code"
        ]
        institution = people["institution"]
        publisher = next(iter(bodies), None) or people["publisher"]
        if self._ours and len(bodies) > 1:
            publisher, institution = bodies[:2]
            if kind in ("thesis", "report"):
                institution, publisher = bodies[:2]
        elif any(info.get("displayLabel") == INSTITUTION for info in infos):
            institution, publisher = publisher, None
        return {
            "year": year,
            "date": values.date(dates, year),
            "publisher": values.first_text(filter(None, [publisher])),
            "institution": institution,
            "place": values.first_text(text.strip(" []:;,") for text in places),
            "edition": values.first_text(text for info in infos for text in info.texts("edition")),
        }

    def _parts(self) -> list[_Node]:
        of_hosts = [*self._hosts, *self._series]
        return [*self._node.all("part"), *(one for host in of_hosts for one in host.all("part"))]

    def _part(self) -> dict[str, Any]:
        """Volume, issue and pages; other numbers of a part stay beside the record."""
        fields: dict[str, Any] = {"volume": None, "issue": None, "pages": None}
        for part in self._parts():
            for detail in part.all("detail"):
                number = values.first_text([detail.first("number") or detail.first("caption")])
                field = _DETAILS.get(detail.get("type").lower(), "")
                if number and (not field or fields[field] not in (None, number)):
                    self._given.append((f"detail {detail.get('type')}".strip(), number))
                elif number:
                    fields[field] = values.volume(number) if field == "volume" else number
            for extent in part.all("extent"):
                if extent.get("unit").lower() in ("", "page", "pages", "pp", "p"):
                    listed = values.pages(extent.first("list"))
                    pages = listed or values.pages(extent.first("start"), extent.first("end"))
                    fields["pages"] = fields["pages"] or pages
        return fields

    def _venue(self, kind: str | None) -> str | None:
        """What contains the work. A series contains the works of our own writer; of others it is
        one more statement about a book.
        """
        venue = next((title for host in self._hosts if (title := _title(host))), None)
        for series in self._series:
            title = _title(series)
            if title and self._ours and kind in WHOLE and venue is None:
                venue = title
            elif title and title != venue:
                self._given.append(("series", title))
        return venue

    # ------------------------------------------------------------------ numbers and links

    def _numbers(self) -> dict[str, Any]:
        """DOI, ISBN, ISSN and other identifiers; the numbers of a host are those of its parts."""
        own = [one for one in self._node.all("identifier") if not one.get("invalid")]
        of_hosts = [one for host in self._hosts for one in host.all("identifier")]
        standard = [
            one.text for one in own + of_hosts if one.get("type").lower() in _NUMBERS - {"doi"}
        ]
        isbn, issn = values.standard_numbers(standard)
        ids: dict[str, str] = {}
        dois: list[str] = []
        for one in own:
            scheme, text = one.get("type").lower(), one.text
            if not text or scheme in _NUMBERS - {"doi"}:
                continue
            if self._ours and scheme != "doi":
                ids = trials.merge_ids(ids, {one.get("type"): text})
            elif scheme == "doi" or (scheme in ("uri", "hdl", "") and identifiers.doi(text)):
                dois.append(text)
            elif known := _identifier(_SCHEMES.get(scheme, ""), text):
                ids.setdefault(*known)
            elif scheme != "uri":
                self._given.append((f"identifier {scheme}".strip(), text))
        return {"isbn": isbn, "issn": issn, "doi": values.doi(dois), "ids": ids}

    def _links(self) -> tuple[list[str], str | None]:
        """The addresses of the work, the main one first, and that of its PDF."""
        urls = sorted(self._node.all("location/url"), key=lambda one: not one.get("usage"))
        found = [
            (
                _PDF
                if one.get("access") == "raw object" and len(urls) > 1
                else one.get("displayLabel"),
                one.text,
            )
            for one in urls
        ]
        pdf = next(
            (url for label, text in found if label.upper() == _PDF for url in values.links([text])),
            None,
        )
        pages = [text for label, text in found if not pdf or text != pdf]
        uris = [
            one.text for one in self._node.all("identifier") if one.get("type").lower() == "uri"
        ]
        found_links = values.links([*pages, *uris])
        main = values.landing_page(found_links)
        self._given += [("url", link) for link in found_links if link not in (main, pdf)]
        return found_links, pdf

    def _licence(self) -> str | None:
        """Of ours, the condition as it stands; of others, a licence with an address."""
        for one in self._node.all("accessCondition"):
            text, address = one.text, one.get("href")
            if self._ours or address:
                return address or text
            if "creativecommons.org/" in text and (links := values.links([text])):
                return links[0]
            if text:
                self._given.append(("accessCondition", text))
        return None

    # ------------------------------------------------------------------ kind and subjects

    def _type(self) -> str | None:
        genres = self._node.all("genre")
        if self._ours:
            return next(
                (one.text for one in genres if not one.get("authority") and one.text in TYPES), None
            )
        words = [one.text for one in genres]
        kind = type_of(words)
        if kind is None and any(
            "theses" in word.lower() or "dissertation" in word.lower() for word in words
        ):
            kind = "thesis"
        if self._hosts and kind in (None, "book", "proceedings", "journal"):
            return self._type_of_part()
        issuance = {text.lower() for text in self._node.texts("originInfo/issuance")}
        if kind is None and issuance & {"continuing", "serial", "integrating resource"}:
            return "journal"
        resources = [text.lower() for text in self._node.texts("typeOfResource")]
        named = next((_RESOURCES[word] for word in resources if word in _RESOURCES), None)
        is_book = "text" in resources and issuance & {
            "monographic",
            "single unit",
            "multipart monograph",
        }
        return kind or named or ("book" if is_book else None)

    def _type_of_part(self) -> str:
        """Of a work that stands in another one: by the genre and the numbers of that."""
        host = self._hosts[0]
        word = (type_of(host.texts("genre")) or "").lower()
        if word in ("proceedings", "conference-paper") or any(
            "conference" in text.lower() for text in host.texts("genre")
        ):
            return "conference-paper"
        kinds = {one.get("type").lower() for one in host.all("identifier")}
        is_book = word == "book" or "monographic" in host.texts("originInfo/issuance")
        return "chapter" if is_book or ("isbn" in kinds and "issn" not in kinds) else "article"

    def _subjects(self) -> dict[str, Any]:
        """Words of a vocabulary are subjects, others keywords."""
        found: dict[bool, list[str]] = {False: [], True: []}
        for subject in self._node.all("subject"):
            for part in subject.node:
                child = _Node(part)
                if child.name in ("topic", "geographic", "temporal", "genre"):
                    text = child.text if self._ours else without_marks(child.text)
                else:
                    text = _title(child) if child.name == "titleInfo" else _whole_name(child)
                if text:
                    found[bool(subject.get("authority"))].append(text)
        classes = [one.text for one in self._node.all("classification")]
        self._given += [("classification", text) for text in classes if text]
        return {"keywords": values.keywords(found[False]), "subjects": values.keywords(found[True])}


def _title(node: _Node) -> str:
    """The title of a titleInfo, or of the first one in an element; "" for none."""
    info = node if node.name == "titleInfo" else next(iter(node.all("titleInfo")), None)
    if info is None:
        return ""
    article = info.first("nonSort")
    title = info.first("title")
    between = "" if article.endswith(("'", "’", "-")) or not article else " "
    parts = [*info.texts("partNumber"), *info.texts("partName")]
    shown = ". ".join(filter(None, [without_marks(f"{article}{between}{title}"), *parts]))
    if node is not info:  # of a host, no field holds the subtitle
        shown = ": ".join(filter(None, [shown, without_marks(info.first("subTitle"))]))
    return shown


def _role(term: _Node) -> str:
    """The word or code of a role, which may stand in its address alone; "" for none."""
    return (term.text or term.get("valueURI").rpartition("/")[2]).casefold().strip(" .:")


def _dates(info: _Node) -> Iterator[str]:
    """The dates of publication of an originInfo, the coded ones first; of a span, its beginning."""
    for name in ("dateIssued", "copyrightDate", "dateCreated"):
        found = [one for one in info.all(name) if one.get("point") != "end"]
        found.sort(key=lambda one: not one.get("encoding"))
        yield from (one.text for one in found if one.text)


def _author(node: _Node, *, ours: bool = False) -> Author | None:
    parts: dict[str, list[str]] = {}
    for one in node.all("namePart"):
        if one.text:
            parts.setdefault(one.get("type"), []).append(one.text)
    place = values.first_text(node.texts("affiliation"))
    if node.get("type") == "corporate":
        several = parts.get("", [])
        name = ". ".join([*(text.rstrip(" .,") for text in several[:-1]), *several[-1:]])
        name = name if ours else without_marks(name) or ""
        collective = not ours or node.get("displayLabel") == BODY
        return Author(name, affiliation=place, collective=collective) if name else None
    numbers = [
        one.text
        for one in node.all("nameIdentifier")
        if "orcid" in f"{one.get('type')} {one.get('typeURI')}".lower()
    ]
    orcid = next(filter(None, map(identifiers.orcid, [*numbers, node.get("valueURI")])), None)
    behind = next(
        filter(
            None,
            map(suffix_of, [*parts.get("termsOfAddress", ()), *parts.get("suffix", ())]),
        ),
        None,
    )
    author = person(
        " ".join(parts.get("", ())),
        " ".join(parts.get("family", ())),
        " ".join(part if ours else without_marks(part) or "" for part in parts.get("given", ())),
        orcid,
        behind,
    )
    return replace(author, affiliation=author.affiliation or place) if author else None


def _whole_name(node: _Node) -> str:
    author = _author(node) if node.all("namePart") else None
    return author.name if author is not None else node.first("displayForm")
