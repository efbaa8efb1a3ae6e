"""The columns of tables: what Zotero, Scopus, Web of Science, PubMed, Embase, Rayyan, Covidence,
... call the fields.

Names are compared without case, blanks and marks: "Source title", "source_title" and "SourceTitle"
are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from metasearch.bib import normalise
from metasearch.formats.registry import READABLE

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
