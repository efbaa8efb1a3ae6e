"""The columns of tables: what each program calls the fields, and what the cells of a row say of a
work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli

from metasearch.bib import normalise, notices, texts, trials
from metasearch.bib.bylines import natural_order, role_of
from metasearch.formats import csv_cells, origins
from metasearch.formats.reading import values
from metasearch.formats.reading.result import Draft, field_problem
from metasearch.formats.reading.worktypes import type_of
from metasearch.formats.registry import READABLE
from metasearch.record import OF_THE_WORK, PEOPLE, TEXTS, TYPES, fields_of

# What each program calls the fields stands in csv_names.toml, with comments.

_TABLE = tomli.loads(Path(__file__).with_name("csv_names.toml").read_text(encoding="utf-8"))
NAMES: Mapping[str, str] = _TABLE["names"]
WOS_TAGS: Mapping[str, str] = _TABLE["wos"]
PASSED_OVER = frozenset(_TABLE["passed_over"].split())
#: Beginnings of names with stops, as OpenAlex writes the paths of its records.
PATHS = frozenset(
    """authorships primary_location best_oa_location locations open_access biblio ids topics
    primary_topic concepts keywords apc_list apc_paid counts_by_year grants funders mesh
    citation_normalized_percentile cited_by_percentile_year sustainable_development_goals
    indexed_in institutions""".split()
)
#: Columns that our own writer makes anew.
OF_OURS = frozenset("rank score id provenance origins database sources".split())
#: Of what may have several columns, of how many a record holds the text; of all others it holds
#: all.
HELD: Mapping[str, int] = {
    "title": 1,
    "venue": 1,
    "abstract": 1,
    "key": 0,
    "number": 0,
    "open_url": 0,
    "extra": 0,
    "citation": 0,
    "publisher": 1,
    "place": 1,
    "institution": 1,
}
#: Word -> what is read; a field's own name is a word for it.
FIELD_OF = {normalise.compact(name): name for name in OF_THE_WORK} | {
    word: name for name, words in NAMES.items() for word in words.split()
}
#: The order in which columns of one field are asked.
ORDER = dict.fromkeys(FIELD_OF, 0) | {
    word: index for words in NAMES.values() for index, word in enumerate(words.split())
}


def compact(name: str) -> str:
    """The name of a column as the tables have it."""
    return normalise.compact(name[:200])


def is_known(name: str) -> bool:
    """Whether a column of this name is one that some program writes."""
    word = compact(name)
    return word in FIELD_OF or word in PASSED_OVER or name.partition(".")[0].strip() in PATHS


#: So many known columns, title among them, make a row one of names.
FEWEST = 2


class CsvColumns:
    """The columns of one file.

    `plan`: what is read -> the indexes of its columns, the better source first. `beside`: names, by
    index, of the columns of which a record holds nothing, or not all. `unknown`: names that no
    program is known for. `are_authors_glued`: SpringerLink wrote it, names without a mark between.
    `are_ours`: our own writer did.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        found: list[tuple[str, int, int]] = []
        self.unknown: list[str] = []
        tags = [name.strip() for name in self.names]
        wos = "TI" in tags and len(WOS_TAGS.keys() & set(tags)) > 4
        words = [compact(name) for name in self.names]
        for index, word in enumerate(words):
            name = self.names[index]
            if wos and (field := WOS_TAGS.get(tags[index])):
                found.append((field, list(WOS_TAGS).index(tags[index]), index))
            elif not wos and word in FIELD_OF:
                found.append((FIELD_OF[word], ORDER[word], index))
            elif (
                word
                and not wos
                and not is_known(name)
                and name.strip().partition(":")[0] not in READABLE
            ):
                self.unknown.append(name.strip())
        self.plan: dict[str, list[int]] = {}
        for field, _, index in sorted(found):
            self.plan.setdefault(field, []).append(index)
        # Several columns of one name: titles in several languages, as SciELO has them.
        main, *others = self.plan.get("title", [-1])
        if alike := [index for index in others if words[index] == words[main]]:
            taken = set(alike)
            self.plan["title"] = [index for index in (main, *others) if index not in taken]
            self.plan["titles"] = [*alike, *self.plan.get("titles", ())]
        # A database for Scopus, a journal or a whole citation for others.
        if source := self.plan.get("source"):
            self.plan.setdefault("database" if "venue" in self.plan else "venue", source)
        self.are_authors_glued = {"itemtitle", "itemdoi"} <= set(words)
        self.are_ours = self.plan.keys() >= {"ids", "retracted", "translators", "place"}
        held = {
            index
            for field, indexes in self.plan.items()
            for index in indexes[: HELD.get(field, len(indexes))]
        }
        self.beside = {
            index: name.strip()
            for index, name in enumerate(self.names)
            if index not in held and words[index] and words[index] not in OF_OURS
        }

    @property
    def usable(self) -> bool:
        """Whether a row of these names heads a table of works."""
        return "title" in self.plan and len(self.plan) >= FEWEST


#: What our own writer, and others who fear for spreadsheets, put an apostrophe before.
_GUARDED = re.compile(r"'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
_FULL_NAME_ID = re.compile(r"\s*\(\d{6,}\)\s*$")
_FINAL_STOP = re.compile(r"( [A-Z]{2,4})\.$")
_CITATION = re.compile(r";\s?([\w.]{0,12})(?:\(([^()]{1,20})\))?(?::\s?([\w.-]{1,30}?))?\.(?:\s|$)")
#: "1 Mar 2019", "15 Jan. 2020"
_DAY_FIRST = re.compile(r"(\d{1,2}) ([A-Z][a-z]{2,8})\.?,? ((?:1[89]|20)\d\d)\s*")
_OPENALEX = re.compile(r"https?://openalex\.org/(W\d{1,15})", re.IGNORECASE)
_EXTRA = re.compile(r"^\s*(PMID|PMCID|arXiv|DOI)\s*:\s*(\S{1,200})", re.IGNORECASE | re.MULTILINE)
_PMID_WORD = re.compile(r"(?:PMID|PubMed|MEDLINE)[:\s]{1,3}", re.IGNORECASE)
_SCHEME = re.compile(r"\s*([a-z][a-z0-9_.-]{0,30}):(\S.{0,200})")

#: Characters of a cell of names or terms that are looked at.
_LONGEST = 100_000

Fields = dict[str, Any]


class CsvRowReader:
    """Reads the rows of one file; what its columns cannot say is not looked for."""

    def __init__(self, columns: CsvColumns) -> None:
        self._columns = columns
        self._parts = [
            part for names, part in _PARTS if any(name in columns.plan for name in names)
        ]
        self._asked = [(name, asked) for name, asked in _ASKED.items() if name in columns.plan]
        self._alone = [(name, read) for name, read in _ALONE.items() if name in columns.plan]

    def draft(self, row: list[str], problems: list[str]) -> Draft:
        """The draft of a row as wide as the columns are many."""
        cells = Cells(self._columns, row)
        fields: Fields = {"ids": {}}
        for part in self._parts:
            part(cells, fields)
        for name, read in self._alone:
            if found := cells.all(name):
                fields[name] = read(found)
        database = fields.pop("database", None) or _database(cells, fields)
        fields["ids"] = (
            values.identifiers(cells.all("number"), cells.links(), (), database) | fields["ids"]
        )
        made_of = origins.read(cells.all("origins"))
        given = [
            (name, _without_guard(cell))
            for index, name in self._columns.beside.items()
            if (cell := row[index].strip())
        ]
        given += cells.objects
        given += self._remainder(cells, fields, row, problems)
        return Draft(
            fields,
            origins.database_name(made_of) if made_of else database,
            problems,
            made_of,
            given,
        )

    def _remainder(
        self, cells: Cells, fields: Fields, row: list[str], problems: list[str]
    ) -> Iterator[tuple[str, str]]:
        """Columns and cells of which the record holds nothing; what should be a number is told."""
        for name, (holds, what) in self._asked:
            if not (found := cells.all(name)) or holds(found[0], fields):
                continue
            for index in self._columns.plan[name]:
                cell = _without_guard(row[index].strip())
                if index in self._columns.beside or not cell or not values.year_text(cell):
                    continue
                tag = self._columns.names[index].strip()
                yield tag, cell
                if what:
                    problems.append(
                        f"{field_problem(tag[:40], cell, what)}; kept beside the record"
                    )
        for index in self._columns.plan.get("url", ()) if len(cells.links()) > 1 else ():
            for link in values.links([row[index]]):
                if link != fields["url"] and values.doi_of_links([link]) is None:
                    yield self._columns.names[index].strip(), link


class Cells:
    """The cells of one row, by what they say.

    `columns`: those of the table. `citation`: what a cell for the source says, where it is a whole
    citation.
    """

    def __init__(self, columns: CsvColumns, row: list[str]) -> None:
        self.columns = columns
        #: What cells hold that are objects, of which a record has a part at most.
        self.objects: list[tuple[str, str]] = []
        self._found = {
            name: [self._text(index, cell) for index in indexes if (cell := row[index].strip())]
            for name, indexes in columns.plan.items()
        }
        self._links: list[str] | None = None
        self.citation = next(
            (found for cell in self.all("source") if (found := csv_cells.citation(cell))), None
        )
        link = self.one("open_url")
        self.open_url = csv_cells.of_open_url(link) if link else {}

    def _text(self, index: int, cell: str) -> str:
        """The text of a cell that is not empty, without what guards it, a list in one line."""
        cell = _without_guard(cell)
        if cell[-1] not in "])}" or (value := csv_cells.value_in(cell)) is None:
            return cell
        if csv_cells.holds_object(value) and index not in self.columns.beside:
            self.objects.append((self.columns.names[index].strip(), cell))
        return csv_cells.text_of(value)

    def all(self, name: str, *names: str) -> list[str]:
        """The cells of all columns for these, without the empty ones, the better source first."""
        found = self._found.get(name, [])
        if not names:
            return found
        return found + [cell for more in names for cell in self._found.get(more, ())]

    def one(self, name: str) -> str:
        """ "" for none."""
        found = self._found.get(name)
        return found[0] if found else ""

    def has(self, name: str) -> bool:
        return name in self.columns.plan

    def links(self) -> list[str]:
        if self._links is None:
            self._links = values.links(self.all("url"))
        return self._links


def _without_guard(cell: str) -> str:
    return _GUARDED.sub("", cell, count=1) if cell[0] == "'" else cell


def _titles(cells: Cells, fields: Fields) -> None:
    others = cells.all("original_title", "translated_title", "titles")
    fields["title"], fields["titles"] = values.titles([*cells.all("title")[:1], *others])


def _people(cells: Cells, fields: Fields) -> None:
    fields |= dict.fromkeys(PEOPLE, ())
    for role in PEOPLE:
        cell = cells.one(role)
        if not cell:
            continue
        if role == "authors" and cells.columns.are_authors_glued:
            names = csv_cells.names_apart(cell[:_LONGEST])
            people = (natural_order(values.text(name)) for name in names)
            fields[role] += tuple(one for one in people if one)
        elif cells.columns.are_ours:
            people = (values.one_author(part) for part in cell.split("; "))
            fields[role] += tuple(one for one in people if one)
        elif any(mark in cell for mark in _CLOSING) and _has_roles(parts := _parts(cell)):
            named = "; ".join(parts)  # the word may stand behind the last alone: "(eds.)"
            found = values.people(*((named,) if one == role else () for one in PEOPLE))
            for one, authors in found.items():
                fields[one] += authors
        else:
            parts = _parts(cell)
            fields[role] += values.authors(filter(str.strip, parts), several=len(parts) == 1)


#: Behind a word for what somebody did.
_CLOSING = ")]）］】"


def _has_roles(parts: list[str]) -> bool:
    return any(role_of(part.strip()).part for part in parts)


_IN_CAPITALS = re.compile(r"(\S.{0,80}) ([A-Z]{1,3})")
_LISTED = re.compile("[;；|]")


def _parts(cell: str) -> list[str]:
    """One between marks that divide, or in a line, or, where none does, several in the only part.
    Scopus puts its own number behind a name, PubMed a full stop behind the last.
    """
    parts = _LISTED.split(cell)
    if len(parts) == 1 and "\n" in cell:
        lines = cell.strip().splitlines()
        parts = [cell] if any(line.rstrip().endswith(",") for line in lines) else lines
    if len(parts) > 1 and cell.isupper() and cell.isascii() and "," not in cell:
        # As bibliometrix has them, "FALK G;OSEI KA": one name tells the order of the others.
        hits = [_IN_CAPITALS.fullmatch(part.strip()) for part in parts if part.strip()]
        if all(hits):
            parts = [f"{hit[1]}, {hit[2]}" for hit in hits if hit]
    if ")" in cell:
        parts = [_FULL_NAME_ID.sub("", part) for part in parts]
    if "." in cell:
        parts = [_FINAL_STOP.sub(r"\1", part) if part[-1:] == "." else part for part in parts]
    return parts


def _when(cells: Cells, fields: Fields) -> None:
    dates = [
        f"{hit[3]} {hit[2]} {hit[1]}" if (hit := _DAY_FIRST.fullmatch(cell)) else cell
        for cell in cells.all("date")
    ]
    said = cells.citation
    year = fields["year"] = values.year(
        [*cells.all("year"), *dates, *([said.year] if said else []), cells.one("citation")]
    )
    fields["date"] = values.date([*dates, *([said.date] if said else [])], year)
    month, day = cells.one("month"), cells.one("day")
    if fields["date"] is None and month and year is not None:
        if month.isdecimal():
            fields["date"] = values.date([f"{year}-{month}-{day}".rstrip("-")], year)
        else:
            fields["date"] = values.date([f"{month} {day}".strip()], year)


def _venue(cells: Cells, fields: Fields) -> None:
    institution = fields["institution"] = values.first_text(cells.all("institution"))
    publisher = values.first_text(cells.all("publisher"))
    if not cells.has("publisher"):
        publisher = institution
    fields["publisher"] = publisher
    venues = cells.all("venue")
    if said := cells.citation:
        sources = cells.all("source")
        venues = [cell for cell in venues if cell not in sources] or [said.venue]
    venue = values.first_text(venues)
    fields["venue"] = (
        values.thesis_venue(publisher, venue) if fields.get("type") == "thesis" else venue
    )


def _place(cells: Cells, fields: Fields) -> None:
    """Where the work stands; PubMed has it as "J Test. 2020 Jan;12(3):123-130."."""
    fields["volume"] = _whole(values.volume(cells.one("volume")))
    fields["issue"] = _whole(values.first_text(cells.all("issue")))
    first = cells.one("first")
    together = values.pages(first, cells.one("last")) if first else None
    fields["pages"] = (
        values.pages(cells.one("pages")) or together or values.pages(cells.one("article"))
    )
    if said := cells.citation:
        fields["volume"] = fields["volume"] or values.volume(said.volume)
        fields["issue"] = fields["issue"] or said.issue or None
        fields["pages"] = fields["pages"] or values.pages(said.pages)
    if hit := _CITATION.search(cells.one("citation")[:500]):
        fields["volume"] = fields["volume"] or hit[1] or None
        fields["issue"] = fields["issue"] or hit[2]
        fields["pages"] = fields["pages"] or values.pages(hit[3] or "")


def _standard_numbers(cells: Cells, fields: Fields) -> None:
    numbers = cells.all("isbn", "issn") or [cells.open_url.get("issn", "")]
    fields["isbn"], fields["issn"] = values.standard_numbers(numbers)


def _links(cells: Cells, fields: Fields) -> None:
    fields["url"] = values.landing_page(cells.links())
    fields["doi"] = values.doi_of_links(cells.links())


def _doi(cells: Cells, fields: Fields) -> None:
    said = [*cells.all("doi"), cells.open_url.get("doi", "")]
    fields["doi"] = values.doi(said) or fields.get("doi")


def _identifiers(cells: Cells, fields: Fields) -> None:
    found: dict[str, str] = fields["ids"]
    for part in cells.one("ids").split(";"):
        if hit := _SCHEME.fullmatch(part):
            found |= trials.merge_ids(found, {hit[1]: hit[2]})
    pmid = _whole(_PMID_WORD.sub("", cells.one("pmid").partition(";")[0].strip(), count=1))
    labelled = [*([f"PMID {pmid}"] if pmid else []), *cells.all("pmcid")]
    links = [cell for cell in cells.all("pmid", "pmcid") if "/" in cell]
    for scheme, value in values.identifiers((), links, labelled).items():
        found.setdefault(scheme, value)
    for scheme in ("arxiv", "lens"):
        if said := values.first_text(cells.all(scheme)):
            found.setdefault(scheme, said)
    if hit := _OPENALEX.match(cells.one("key")):
        found.setdefault("openalex", hit[1].upper())
    for cell in cells.all("trial"):
        found |= trials.merge_ids(found, trials.registrations(cell, alone=True))


def _extra(cells: Cells, fields: Fields) -> None:
    """What Zotero has no column for stands in "Extra", a line each."""
    for name, value in _EXTRA.findall(cells.one("extra")[: 10 * values.SHORT]):
        if name.lower() == "doi":
            fields["doi"] = fields.get("doi") or values.doi([value])
        elif name.lower() == "arxiv":
            fields["ids"].setdefault("arxiv", value)
        else:
            fields["ids"] = values.identifiers((), (), [f"{name}: {value}"]) | fields["ids"]


def _rest(cells: Cells, fields: Fields) -> None:
    keys = cells.all("key", "number", "pmid", "lens", "trial")
    fields["source_id"] = next(iter(values.texts(keys)), "")[:200]
    terms = (term for cell in cells.all("terms") for term in csv_cells.terms(cell[:_LONGEST]))
    words = [word for cell in _apart(cells.all("keywords")) for word in _words(cell)]
    headings = _apart(cells.all("headings"))
    fields["keywords"] = values.keywords([*words, *headings, *terms])


def _kind(cells: Cells, fields: Fields) -> None:
    words = cells.all("type")
    # "proceedings" in a table of another program is a paper in them; in ours, the whole.
    is_ours = cells.columns.are_ours and words[:1] and words[0] in TYPES
    fields["type"] = words[0] if is_ours else type_of(words)
    if fields["type"] is None and cells.one("trial"):
        fields["type"] = "other"  # a registration, which `TYPES` has no word for


def _database_column(cells: Cells, fields: Fields) -> None:
    """The database that a column names; of a merged record's several, none is the one."""
    said = cells.one("database")
    is_source = said in cells.all("source")
    is_none = not said or ";" in said or (is_source and (cells.citation or _is_venue(said, cells)))
    fields["database"] = None if is_none else values.database([said], (), (), ())


def _is_venue(source: str, cells: Cells) -> bool:
    """Whether a source is the journal in another column, or its name in short: "J. Mud"."""
    words = normalise.words(cells.one("venue"))
    return all(any(word.startswith(part) for word in words) for part in normalise.words(source))


#: Columns -> what reads them; in this order, because some look at what is there already.
_PARTS: tuple[tuple[tuple[str, ...], Callable[[Cells, Fields], None]], ...] = (
    (("title", "original_title", "translated_title", "titles"), _titles),
    (PEOPLE, _people),
    (("year", "date", "citation", "source"), _when),
    (("type", "trial"), _kind),
    (("venue", "publisher", "institution"), _venue),
    (("volume", "issue", "pages", "first", "article", "citation", "source"), _place),
    (("isbn", "issn", "open_url"), _standard_numbers),
    (("url",), _links),
    (("doi", "open_url"), _doi),
    (("ids", "pmid", "pmcid", "arxiv", "lens", "trial", "key"), _identifiers),
    (("extra",), _extra),
    (("database",), _database_column),
    (("key", "number", "pmid", "lens", "trial", "keywords", "headings", "terms"), _rest),
)
#: What is in one of these is not read by itself, but for titles in other languages.
_TOGETHER = frozenset(name for names, _ in _PARTS for name in names)
#: Columns that are read by themselves -> how, from their cells that are not empty.
_ALONE: Mapping[str, Callable[[list[str]], Any]] = {
    **{name: values.first_text for name in fields_of("text") if name not in _TOGETHER},
    **dict.fromkeys(("original_title", "translated_title"), values.first_text),
    **{
        name: lambda found: values.keywords(_apart(found))
        for name in TEXTS
        if name not in _TOGETHER
    },
    # a DOI may hold a semicolon
    "notices": lambda found: notices.texts([part for cell in found for part in cell.split("; ")]),
    "language": values.language,
    "abstract": lambda found: values.abstract(found[:1]),
    "citations": lambda found: _count(found[0]),
    "retracted": lambda found: texts.true_or_none(found[0]),
    "open_access": lambda found: texts.open_access(
        [part for cell in found for part in re.split("[;,]", cell)]
    ),
    "pdf_url": lambda found: next(iter(values.links(found)), None),
}


#: Columns whose cells may say what no field can hold -> whether a record holds the first of them,
#: and what it should be, in words, where that is told.
_ASKED: Mapping[str, tuple[Callable[[str, Fields], Any], str]] = {
    "year": (lambda _, fields: fields["year"], "year"),
    "date": (lambda cell, fields: fields["date"] or cell == str(fields["year"]), ""),
    "month": (lambda _, fields: fields.get("date"), ""),
    "article": (lambda cell, fields: cell in (fields["pages"] or ""), ""),
    "doi": (lambda _, fields: fields["doi"], "DOI"),
    "pmid": (lambda _, fields: "pmid" in fields["ids"], "PMID"),
    "pmcid": (lambda _, fields: "pmcid" in fields["ids"], "PMCID"),
    "isbn": (lambda _, fields: fields["isbn"] or fields["issn"], "ISBN"),
    "issn": (lambda _, fields: fields["isbn"] or fields["issn"], "ISSN"),
    "url": (lambda _, fields: fields["url"], ""),
    "pdf_url": (lambda _, fields: fields["pdf_url"], ""),
    "type": (lambda _, fields: fields["type"], ""),
    "language": (lambda _, fields: fields["language"], ""),
    "citations": (lambda _, fields: fields["citations"] is not None, ""),
    "open_access": (lambda _, fields: fields["open_access"], ""),
}


def _database(cells: Cells, fields: Fields) -> str | None:
    return values.database((), (), cells.links(), cells.all("number"))


def _apart(cells: list[str]) -> Iterator[str]:
    for cell in cells:
        yield from cell.split("|") if "|" in cell and ";" not in cell else [cell]


def _words(cell: str) -> list[str]:
    """The keywords of a cell: apart by semicolons, else by lines, else by commas."""
    marks = next((mark for mark in (";；", "\n", ",，") if any(map(cell.__contains__, mark))), "")
    return re.split(f"[{marks}]", cell) if marks else [cell]


def _whole(value: str | None) -> str | None:
    """A number without what spreadsheets make of it: "12.0" is 12."""
    return value[:-2] if value and value.endswith(".0") and value[:-2].isdecimal() else value


def _count(cell: str) -> int | None:
    value = _whole(cell) or ""
    return int(value) if value.isdecimal() and value.isascii() and len(value) < 10 else None
