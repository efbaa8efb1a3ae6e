"""The columns of tables: what each program calls the fields, and what the cells of a row say of a
work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from metasearch.bib import converters, normalise
from metasearch.formats import origins
from metasearch.formats.reading import values
from metasearch.formats.reading.result import Draft
from metasearch.formats.reading.worktypes import type_of
from metasearch.formats.registry import READABLE
from metasearch.record import TYPES, Author

# The columns of tables: what Zotero, Scopus, Web of Science, PubMed, Embase, Rayyan, Covidence, ...
# call the fields. Names are compared without case, blanks and marks: "Source title", "source_title"
# and "SourceTitle" are one.

#: What is read -> the names of its columns, the better source first where a file has several.
NAMES: Mapping[str, tuple[str, ...]] = {
    name: tuple(words.split())
    for name, words in {
        "title": "title articletitle documenttitle primarytitle papertitle worktitle name "
        "title题名 题名 标题 篇名",
        "subtitle": "subtitle",
        "original_title": "originaltitle originalnonenglishtitle",
        "translated_title": "translatedtitle transtitle titletranslation 英文题名 英文标题",
        "titles": "foreigntitle titles",
        "authors": """authorfullnames authorfullname authors author authornames authorsnames
            creators author作者 作者 主要责任者""",
        "editors": "editors editor bookeditors",
        "year": "year publicationyear publishedyear pubyear yearpublished yearofpublication "
        "year年 年 年份 出版年",
        "date": """date publicationdate dateofpublication coverdate datepublished publisheddate
            issued pubtime发表时间 发表时间""",
        "month": "month publishedmonth publicationmonth",
        "day": "day",
        "venue": """publicationtitle sourcetitle journal journalbook journaltitle publicationname
            journalname secondarytitle containertitle parenttitle parenttitlejournal booktitle
            proceedingstitle conferencename meetingname venue fulljournaltitle bookseriestitle
            source文献来源 文献来源 刊名 来源 期刊名称 abbreviatedsourcetitle journalabbreviation
            journalisoabbreviation alternatename""",
        "publisher": "publisher",
        "institution": "institution university school",
        "edition": "edition",
        "volume": "volume vol volume卷 卷",
        "issue": "issue issuenumber issueno number no period期 期",
        "pages": "pages page pagerange pp pagenumbers pagecount页码 页码",
        "first": "pagestart startpage firstpage beginningpage",
        "last": "pageend endpage lastpage endingpage",
        "article": "artno articlenumber articleno",
        "doi": "doi digitalobjectidentifier doidoi itemdoi dx",
        "isbn": "isbn isbns",
        "issn": "issn issns eissn standardnumber printissn electronicissn onlineissn",
        "url": """url link urls articleurl abstractlink fulltextlink embaselink sourceurl
            openurllink uri url网址 网址 链接""",
        "pdf_url": "pdfurl pdflink pdf",
        "type": """itemtype documenttype publicationtype referencetype typeofreference typename
            worktype contenttype type srcdatabase来源库""",
        "language": "language languageoforiginaldocument articlelanguage languages 语种",
        "abstract": "abstract abstractnote abstracts originalnonenglishabstract summary "
        "summary摘要 摘要",
        "keywords": """authorkeywords keywords manualtags automatictags indexkeywords keyword
            subject mesh keywordsplus emtreedrugindextermsmajorfocus keyword关键词 关键词""",
        "subjects": "subjects",
        "version": "version",
        "licence": "licence license",
        "retracted": "retracted",
        "open_access": "openaccess",
        "citations": "citedby timescited timescitedwoscore citations cites citationcount "
        "citedbycount",
        "origins": "origins",
        "database": "librarycatalog database databasename sourcedatabase db dataprovider sources",
        "source": "source",  # a database for Scopus, a journal for others: see `Columns.plan`
        "pmid": "pmid pubmedid medlinepmid",
        "pmcid": "pmcid pmc",
        "arxiv": "arxivid arxiv",
        "ids": "ids identifiers",
        "number": """accessionnumber utuniquewosid uniquewosid ut eid embaseaccessionid
            embaseaccessionnumber pui lensid""",
        "key": "key covidence itemid recordid studyid id refid customid",
        "citation": "citation",
        "extra": "extra",
    }.items()
}
#: The two letters that head the columns of the Web of Science's tab-delimited export.
WOS_TAGS: Mapping[str, str] = {
    "TI": "title", "AF": "authors", "AU": "authors", "BE": "editors", "PY": "year", "SO": "venue",
    "BS": "venue",
    "SE": "venue", "JI": "venue", "PU": "publisher", "VL": "volume", "IS": "issue", "BP": "first",
    "EP": "last",
    "AR": "article", "DI": "doi", "D2": "doi", "BN": "isbn", "SN": "issn", "EI": "issn",
    "DT": "type", "PT": "type",
    "LA": "language", "AB": "abstract", "DE": "keywords", "ID": "keywords", "TC": "citations",
    "PM": "pmid",
    "UT": "number", "PD": "month",
}  # fmt: skip

#: Columns that say nothing that a record holds.
_PASSED_OVER = frozenset(
    """
    dateadded datemodified accessdate numpages numberofvolumes shorttitle series seriesnumber
    seriestext seriestitle place rights archive archivelocation callnumber notes fileattachments
    linkattachments serieseditor translator contributor attorneyagent bookauthor castmember
    commenter composer cosponsor counsel interviewer producer recipient reviewedauthor scriptwriter
    wordsby guest runningtime scale medium artworksize filingdate applicationnumber assignee
    issuingauthority country court references reporter legalstatus prioritynumbers
    programminglanguage system code codenumber section session committee history legislativebody
    authorsid authorids authoridsscopus pagecount affiliations authorswithaffiliations
    molecularsequencenumbers chemicalscas tradenames manufacturers fundingdetails fundingtexts
    fundingtext correspondenceaddress sponsors conferencedate conferencelocation conferencecode
    coden publicationstage bookgroupauthors groupauthors conferencetitle conferencesponsor
    conferencehost addresses reprintaddresses emailaddresses researcherids orcids orcid fundingorgs
    citedreferences citedreferencecount timescitedalldatabases 180dayusagecount since2013usagecount
    publishercity publisheraddress bookauthors partnumber supplement specialissue meetingabstract
    bookdoi earlyaccessdate numberofpages woscategories webofscienceindex researchareas idsnumber
    openaccessdesignations highlycitedstatus hotpaperstatus dateofexport bookdoilink doilink
    firstauthor createdate nihmsid authoraddresses correspondenceauthor correspondingauthor
    authoraddress copyright embaseclassification clinicaltrialnumbers casregistrynumbers
    devicetradenames devicemanufacturer drugtradenames drugmanufacturer emtreedrugindexterms
    emtreemedicalindexterms emtreemedicalindextermsmajorfocus summarylanguage subheadings location
    ref study tags label duplicateid recordids rank score provenance organ单位 fund基金
    firstduty第一责任人 clc中图分类号 单位 基金 gsrank querydate citesurl citationurl ecc
    citesperyear citesperauthor authorcount age relatedurl fulltexturl pdfrelativepath
    datetimecreated systematicsearchid systematicsearchname
""".split()
)
#: Columns that our own writer makes anew.
_OF_OURS = frozenset("rank score id provenance origins database sources".split())
#: Of what may have several columns, of how many a record holds the text; of all others it holds
#: all.
_HELD: Mapping[str, int] = {
    "venue": 1,
    "abstract": 1,
    "key": 0,
    "number": 0,
    "extra": 0,
    "citation": 0,
    "publisher": 1,
}
_FIELD_OF = {word: name for name, words in NAMES.items() for word in words}
#: The order in which columns of one field are asked.
_ORDER = {word: index for words in NAMES.values() for index, word in enumerate(words)}
#: So many known columns, title among them, make a row one of names.
FEWEST = 2


class CsvColumns:
    """The columns of one file.

    `plan`: what is read -> the indexes of its columns, the better source first. `beside`: names, by
    index, of the columns of which a record holds nothing, or not all.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        found: list[tuple[str, int, int]] = []
        self.unknown: list[str] = []
        tags = [name.strip() for name in self.names]
        wos = "TI" in tags and len(WOS_TAGS.keys() & set(tags)) > 4
        for index, name in enumerate(self.names):
            word = compact(name)
            if wos and (field := WOS_TAGS.get(tags[index])):
                found.append((field, list(WOS_TAGS).index(tags[index]), index))
            elif not wos and word in _FIELD_OF:
                found.append((_FIELD_OF[word], _ORDER[word], index))
            elif (
                word
                and not wos
                and word not in _PASSED_OVER
                and name.strip().partition(":")[0] not in READABLE
            ):
                self.unknown.append(name.strip())
        self.plan: dict[str, list[int]] = {}
        for field, _, index in sorted(found):
            self.plan.setdefault(field, []).append(index)
        source = self.plan.pop("source", [])
        if source:
            self.plan.setdefault("database" if "venue" in self.plan else "venue", source)
        held = {
            index
            for field, indexes in self.plan.items()
            for index in indexes[: _HELD.get(field, len(indexes))]
        }
        self.beside = {
            index: name.strip()
            for index, name in enumerate(self.names)
            if index not in held and (word := compact(name)) and word not in _OF_OURS
        }

    @property
    def usable(self) -> bool:
        """Whether a row of these names heads a table of works."""
        return "title" in self.plan and len(self.plan) >= FEWEST


def compact(name: str) -> str:
    """The name of a column as the tables have it."""
    return normalise.compact(name[:200])


def is_known(name: str) -> bool:
    """Whether a column of this name is one that some program writes."""
    word = compact(name)
    return word in _FIELD_OF or word in _PASSED_OVER


#: What our own writer, and others who fear for spreadsheets, put an apostrophe before.
_GUARDED = re.compile(r"'(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
_FULL_NAME_ID = re.compile(r"\s*\(\d{6,}\)\s*$")
_FINAL_STOP = re.compile(r"( [A-Z]{2,4})\.$")
_CITATION = re.compile(r";\s?([\w.]{0,12})(?:\(([^()]{1,20})\))?(?::\s?([\w.-]{1,30}?))?\.(?:\s|$)")
#: "J Test (2020) 12:3 (4-5)": a whole citation where the name of the journal is expected.
_SOURCE = re.compile(r"(.{2,200}?)[,.]?\s+\((?:1[89]|20)\d\d\)\s.*", re.DOTALL)
_EXTRA = re.compile(r"^\s*(PMID|PMCID|arXiv|DOI)\s*:\s*(\S{1,200})", re.IGNORECASE | re.MULTILINE)
_SCHEME = re.compile(r"\s*([a-z][a-z0-9_.-]{0,30}):(\S.{0,200})")

Fields = dict[str, Any]


class CsvRowReader:
    """Reads the rows of one file; what its columns cannot say is not looked for."""

    def __init__(self, columns: CsvColumns) -> None:
        self._plan = columns.plan
        self._beside = columns.beside
        self._parts = [
            part for names, part in _PARTS if any(name in columns.plan for name in names)
        ]

    def draft(self, row: list[str], problems: list[str]) -> Draft:
        """The draft of a row as wide as the columns are many."""
        cells = Cells(self._plan, row)
        fields: Fields = {"ids": {}}
        for part in self._parts:
            part(cells, fields)
        database = fields.pop("database", None) or _database(cells, fields)
        fields["ids"] = (
            values.identifiers(cells.all("number"), cells.links(), (), database) | fields["ids"]
        )
        made_of = origins.read(cells.all("origins"))
        given = [
            (name, _unguarded(cell))
            for index, name in self._beside.items()
            if (cell := row[index].strip())
        ]
        return Draft(
            fields, origins.named(made_of) if made_of else database, problems, made_of, given
        )


class Cells:
    """The cells of one row, by what they say."""

    def __init__(self, plan: dict[str, list[int]], row: list[str]) -> None:
        self._plan = plan
        self._row = row
        self._links: list[str] | None = None

    def all(self, *names: str) -> list[str]:
        """The cells of all columns for these, without the empty ones, the better source first."""
        indexes = [index for name in names for index in self._plan.get(name, ())]
        found = [cell for index in indexes if (cell := self._row[index].strip())]
        return [_unguarded(cell) for cell in found]

    def one(self, name: str) -> str:
        """The first of them; "" for none."""
        return next(iter(self.all(name)), "")

    def has(self, *names: str) -> bool:
        """Whether the table has a column for each of these."""
        return all(name in self._plan for name in names)

    def links(self) -> list[str]:
        """The web addresses."""
        if self._links is None:
            self._links = values.links(self.all("url"))
        return self._links


def _unguarded(cell: str) -> str:
    return _GUARDED.sub("", cell, count=1) if cell[0] == "'" else cell


def _titles(cells: Cells, fields: Fields) -> None:
    others = cells.all("original_title", "translated_title", "titles")
    fields["title"], fields["titles"] = values.titles([*cells.all("title")[:1], *others])
    fields["original_title"] = values.first_text(cells.all("original_title"))
    fields["translated_title"] = values.first_text(cells.all("translated_title"))
    fields["subtitle"] = values.first_text(cells.all("subtitle"))


def _people(cells: Cells, fields: Fields) -> None:
    authors, editors = (_of_cell(cells.one(role)) for role in ("authors", "editors"))
    fields["authors"], fields["editors"] = (authors, editors) if authors else (editors, ())


def _of_cell(cell: str) -> tuple[Author, ...]:
    parts = re.split("[;；|]", cell) if ";" in cell or "；" in cell or "|" in cell else [cell]
    return tuple(author for part in parts for author in _names(part.strip()))


@lru_cache(maxsize=20_000)
def _names(part: str) -> tuple[Author, ...]:
    """The authors of a part of a cell: one or, where nothing better parts them, several.

    Scopus puts its own number behind a name, PubMed a full stop behind the last.
    """
    return values.authors([_FINAL_STOP.sub(r"\1", _FULL_NAME_ID.sub("", part))]) if part else ()


def _when(cells: Cells, fields: Fields) -> None:
    dates = cells.all("date")
    year = fields["year"] = values.year([*cells.all("year"), *dates, cells.one("citation")])
    fields["date"] = values.date(dates, year)
    month, day = cells.one("month"), cells.one("day")
    if fields["date"] is None and month and year is not None:
        if month.isdecimal():
            fields["date"] = values.date([f"{year}-{month}-{day}".rstrip("-")], year)
        else:
            fields["date"] = values.date([f"{month} {day}".strip()], year)


def _venue(cells: Cells, fields: Fields) -> None:
    institution = fields["institution"] = values.first_text(cells.all("institution"))
    publisher = values.first_text(cells.all("publisher")) or institution
    fields["publisher"] = publisher
    venue = values.first_text(_without_citation(cells.all("venue")))
    fields["venue"] = (
        values.thesis_venue(publisher, venue) if fields.get("type") == "thesis" else venue
    )


def _without_citation(found: list[str]) -> Iterator[str]:
    for cell in found:
        hit = _SOURCE.fullmatch(cell[: values.SHORT]) if "(" in cell else None
        yield hit[1] if hit else cell


def _place(cells: Cells, fields: Fields) -> None:
    """Where the work stands; PubMed has it as "J Test. 2020 Jan;12(3):123-130."."""
    fields["volume"] = _whole(values.volume(cells.one("volume")))
    fields["issue"] = _whole(values.first_text(cells.all("issue")))
    first = cells.one("first")
    together = values.pages(first, cells.one("last")) if first else None
    fields["pages"] = (
        values.pages(cells.one("pages")) or together or values.pages(cells.one("article"))
    )
    if hit := _CITATION.search(cells.one("citation")[:500]):
        fields["volume"] = fields["volume"] or hit[1] or None
        fields["issue"] = fields["issue"] or hit[2]
        fields["pages"] = fields["pages"] or values.pages(hit[3] or "")


def _standard_numbers(cells: Cells, fields: Fields) -> None:
    fields["isbn"], fields["issn"] = values.standard_numbers(cells.all("isbn", "issn"))


def _links(cells: Cells, fields: Fields) -> None:
    fields["url"] = values.landing_page(cells.links())
    fields["doi"] = values.doi_of_links(cells.links())


def _doi(cells: Cells, fields: Fields) -> None:
    fields["doi"] = values.doi(cells.all("doi")) or fields.get("doi")


def _identifiers(cells: Cells, fields: Fields) -> None:
    found: dict[str, str] = fields["ids"]
    for part in cells.one("ids").split(";"):
        if hit := _SCHEME.fullmatch(part):
            found.setdefault(hit[1], hit[2])
    pmid = _whole(cells.one("pmid").partition(";")[0].strip())
    labelled = [*([f"PMID {pmid}"] if pmid else []), *cells.all("pmcid")]
    for scheme, value in values.identifiers((), (), labelled).items():
        found.setdefault(scheme, value)
    if arxiv := values.first_text(cells.all("arxiv")):
        found.setdefault("arxiv", arxiv)


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
    fields["source_id"] = next(iter(values.texts(cells.all("key", "number", "pmid"))), "")[:200]
    fields["edition"] = values.first_text(cells.all("edition"))
    fields["language"] = values.language(cells.all("language"))
    fields["abstract"] = values.abstract(cells.all("abstract")[:1])
    fields["keywords"] = values.keywords(_apart(cells.all("keywords")))
    fields["citations"] = _count(cells.one("citations"))
    fields["subjects"] = values.keywords(_apart(cells.all("subjects")))
    fields["version"] = values.first_text(cells.all("version"))
    fields["licence"] = values.first_text(cells.all("licence"))
    fields["retracted"] = converters.said_true(cells.one("retracted"))
    fields["open_access"] = converters.open_access(
        [part for cell in cells.all("open_access") for part in cell.split(";")]
    )
    fields["pdf_url"] = next(iter(values.links(cells.all("pdf_url"))), None)


def _kind(cells: Cells, fields: Fields) -> None:
    words = cells.all("type")
    # "proceedings" in a table of another program is a paper in them; in ours, the whole.
    is_ours = cells.has("ids", "retracted") and words[:1] and words[0] in TYPES
    fields["type"] = words[0] if is_ours else type_of(words)


def _said(cells: Cells, fields: Fields) -> None:
    """The database that a column names; of a merged record's several, none is the one."""
    said = cells.one("database")
    fields["database"] = values.database([said], (), (), ()) if said and ";" not in said else None


#: Columns -> what reads them; in this order, because some look at what is there already.
_PARTS: tuple[tuple[tuple[str, ...], Callable[[Cells, Fields], None]], ...] = (
    (("title", "original_title", "translated_title", "titles", "subtitle"), _titles),
    (("authors", "editors"), _people),
    (("year", "date", "citation"), _when),
    (("type",), _kind),
    (("venue", "publisher", "institution"), _venue),
    (("volume", "issue", "pages", "first", "article", "citation"), _place),
    (("isbn", "issn"), _standard_numbers),
    (("url",), _links),
    (("doi",), _doi),
    (("ids", "pmid", "pmcid", "arxiv"), _identifiers),
    (("extra",), _extra),
    (("database",), _said),
    (
        tuple(
            "key number pmid edition language abstract keywords subjects citations pdf_url "
            "version licence retracted "
            "open_access".split()
        ),
        _rest,
    ),
)


def _database(cells: Cells, fields: Fields) -> str | None:
    return values.database((), (), cells.links(), cells.all("number"))


def _apart(cells: list[str]) -> Iterator[str]:
    for cell in cells:
        yield from cell.split("|") if "|" in cell and ";" not in cell else [cell]


def _whole(value: str | None) -> str | None:
    """A number without what spreadsheets make of it: "12.0" is 12."""
    return value[:-2] if value and value.endswith(".0") and value[:-2].isdecimal() else value


def _count(cell: str) -> int | None:
    value = _whole(cell) or ""
    return int(value) if value.isdecimal() and value.isascii() and len(value) < 10 else None
