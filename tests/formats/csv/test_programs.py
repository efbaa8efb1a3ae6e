"""What databases and programs call the columns of their tables, and what stands in the cells."""

from __future__ import annotations

import csv
import io
from typing import Any

from metasearch.formats import csv_cells
from metasearch.formats.csv_columns import CsvColumns
from metasearch.formats.reading.result import Entry
from tests.cases import each
from tests.formats.reading.samples import read

#: All columns of a program, as it writes them.
COLUMNS = {
    "ClinicalTrials.gov": "NCT Number,Study Title,Study URL,Acronym,Study Status,Brief Summary,"
    "Study Results,Conditions,Interventions,Primary Outcome Measures,Secondary Outcome Measures,"
    "Other Outcome Measures,Sponsor,Collaborators,Sex,Age,Phases,Enrollment,Funder Type,Study Type,"
    "Study Design,Other IDs,Start Date,Primary Completion Date,Completion Date,First Posted,"
    "Results First Posted,Last Update Posted,Locations,Study Documents",
    "ClinicalTrials.gov until 2024": "Rank,NCT Number,Title,Acronym,Status,Study Results,"
    "Conditions,Interventions,Outcome Measures,Sponsor/Collaborators,Gender,Age,Phases,Enrollment,"
    "Funded Bys,Study Type,Study Designs,Other IDs,Start Date,Primary Completion Date,"
    "Completion Date,First Posted,Results First Posted,Last Update Posted,Locations,"
    "Study Documents,URL",
    "Dimensions": "Rank,Publication ID,DOI,PMID,PMCID,Title,Abstract,Acknowledgements,Source title,"
    "Anthology title,Publisher,ISSN,MeSH terms,Publication Date,PubYear,Volume,Issue,Pagination,"
    "Open Access,Publication Type,Authors,Authors (Raw Affiliation),Corresponding Author,"
    "Authors Affiliations,Research Organizations - standardized,GRID IDs,"
    "Country of Research organization,Funder,Times cited,Recent citations,RCR,FCR,Altmetric,"
    "Source Linkout,Dimensions URL,FOR (ANZSRC) Categories,Sustainable Development Goals,"
    "Publication Date (print),Publication Date (online)",
    "Publish or Perish": "Cites,Authors,Title,Year,Source,Publisher,ArticleURL,CitesURL,GSRank,"
    "QueryDate,Type,DOI,ISSN,CitationURL,Volume,Issue,StartPage,EndPage,ECC,CitesPerYear,"
    "CitesPerAuthor,AuthorCount,Age,Abstract,FullTextURL,RelatedURL",
    "Google Scholar": "Authors,Title,Publication,Volume,Number,Pages,Year,Publisher",
    "SpringerLink": "Item Title,Publication Title,Book Series Title,Journal Volume,Journal Issue,"
    "Item DOI,Authors,Publication Year,URL,Content Type",
    "ProQuest": "Title,Abstract,StoreId,ArticleType,AlternateTitle,AuthorAffiliation,Authors,"
    "companies,copyright,documentType,DOI,entryDate,FindACopy,identifierKeywords,isbn,issn,issue,"
    "language,languageOfSummary,pages,placeOfPublication,pubdate,publisher,pubtitle,startPage,"
    "subjectTerms,subjects,volume,year,documentURL,database",
    "Embase": "Title,Original Title,Author Names,Correspondence Address,Editors,Source,Abstract,"
    "Original Abstract,Emtree Drug Index Terms (Major Focus),Emtree Drug Index Terms,"
    "Emtree Medical Index Terms (Major Focus),Emtree Medical Index Terms,keywords,Drug Tradenames,"
    "Drug Manufacturer,Device Tradenames,Device Manufacturer,Clinical Trial Numbers,Open URL Link,"
    "Copyright",
    "Zotero": "Key,Item Type,Publication Year,Author,Title,Publication Title,ISBN,ISSN,DOI,Url,"
    "Abstract Note,Date,Date Added,Date Modified,Access Date,Pages,Num Pages,Issue,Volume,"
    "Number Of Volumes,Journal Abbreviation,Short Title,Series,Series Number,Series Text,"
    "Series Title,Publisher,Place,Language,Rights,Type,Archive,Archive Location,Library Catalog,"
    "Call Number,Extra,Notes,File Attachments,Link Attachments,Manual Tags,Automatic Tags,Editor,"
    "Series Editor,Translator,Contributor,Attorney Agent,Book Author,Cast Member,Commenter,"
    "Composer,Cosponsor,Counsel,Interviewer,Producer,Recipient,Reviewed Author,Scriptwriter,"
    "Words By,Guest,Number,Edition,Running Time,Scale,Medium,Artwork Size,Filing Date,"
    "Application Number,Assignee,Issuing Authority,Country,Meeting Name,Conference Name,Court,"
    "References,Reporter,Legal Status,Priority Numbers,Programming Language,Version,System,Code,"
    "Code Number,Section,Session,Committee,History,Legislative Body",
    "Scopus": "Authors,Author full names,Author(s) ID,Title,Year,Source title,Volume,Issue,"
    "Art. No.,Page start,Page end,Page count,Cited by,DOI,Link,Affiliations,"
    "Authors with affiliations,Abstract,Author Keywords,Index Keywords,"
    "Molecular Sequence Numbers,Chemicals/CAS,Tradenames,Manufacturers,Funding Details,"
    "Funding Texts,References,Correspondence Address,Editors,Publisher,Sponsors,Conference name,"
    "Conference date,Conference location,Conference code,ISSN,ISBN,CODEN,PubMed ID,"
    "Language of Original Document,Abbreviated Source Title,Document Type,Publication Stage,"
    "Open Access,Source,EID",
    "Web of Science": "Publication Type,Authors,Book Authors,Book Editors,Book Group Authors,"
    "Author Full Names,Book Author Full Names,Group Authors,Article Title,Source Title,"
    "Book Series Title,Book Series Subtitle,Language,Document Type,Conference Title,"
    "Conference Date,Conference Location,Conference Sponsor,Conference Host,Author Keywords,"
    "Keywords Plus,Abstract,Addresses,Affiliations,Reprint Addresses,Email Addresses,"
    "Researcher Ids,ORCIDs,Funding Orgs,Funding Name Preferred,Funding Text,Cited References,"
    'Cited Reference Count,"Times Cited, WoS Core","Times Cited, All Databases",'
    "180 Day Usage Count,Since 2013 Usage Count,Publisher,Publisher City,Publisher Address,ISSN,"
    "eISSN,ISBN,Journal Abbreviation,Journal ISO Abbreviation,Publication Date,Publication Year,"
    "Volume,Issue,Part Number,Supplement,Special Issue,Meeting Abstract,Start Page,End Page,"
    "Article Number,DOI,DOI Link,Book DOI,Early Access Date,Number of Pages,WoS Categories,"
    "Web of Science Index,Research Areas,IDS Number,Pubmed Id,Open Access Designations,"
    "Highly Cited Status,Hot Paper Status,Date of Export,UT (Unique WOS ID),Web of Science Record",
    "PubMed": "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,"
    "PMCID,NIHMS ID,DOI",
    "Europe PMC": "id,source,pmid,pmcid,doi,title,authorString,journalTitle,issue,journalVolume,"
    "pubYear,journalIssn,pageInfo,pubType,isOpenAccess,citedByCount,firstPublicationDate",
    "IEEE Xplore": "Document Title,Authors,Author Affiliations,Publication Title,"
    "Date Added To Xplore,Publication Year,Volume,Issue,Start Page,End Page,Abstract,ISSN,ISBNs,"
    "DOI,Funding Information,PDF Link,Author Keywords,IEEE Terms,INSPEC Controlled Terms,"
    "INSPEC Non-Controlled Terms,Mesh_Terms,Article Citation Count,Reference Count,License,"
    "Online Date,Issue Date,Meeting Date,Publisher,Document Identifier",
    "Lens": "Lens ID,Title,Date Published,Publication Year,Publication Type,Source Title,ISSNs,"
    "Publisher,Source Country,Author/s,Abstract,Volume,Issue Number,Start Page,End Page,"
    "Fields of Study,Keywords,MeSH Terms,Chemicals,Funding,Source URLs,External URL,PMID,DOI,"
    "Microsoft Academic ID,PMCID,Citing Patents Count,References,Citing Works Count,"
    "Is Open Access,Open Access License,Open Access Colour",
    "Lens, patents": "#,Jurisdiction,Kind,Display Key,Lens ID,Publication Date,Publication Year,"
    "Application Number,Application Date,Priority Numbers,Earliest Priority Date,Title,Abstract,"
    "Applicants,Inventors,Owners,URL,Document Type,Has Full Text,Cites Patent Count,"
    "Cited by Patent Count,Simple Family Size,Extended Family Size,Sequence Count,"
    "CPC Classifications,IPCR Classifications,US Classifications,NPL Citation Count,"
    "NPL Resolved Citation Count,NPL Resolved Lens ID(s),NPL Resolved External ID(s),"
    "NPL Citations,Legal Status",
    "OpenAlex": "id,doi,title,display_name,publication_year,publication_date,"
    "primary_location.source.display_name,primary_location.source.issn,"
    "primary_location.landing_page_url,type,open_access.is_oa,open_access.oa_status,"
    "authorships.author.display_name,authorships.institutions.display_name,authorships.countries,"
    "cited_by_count,biblio.volume,biblio.issue,biblio.first_page,biblio.last_page,ids.pmid,"
    "ids.pmcid,language,abstract,keywords.display_name,primary_topic.display_name,"
    "counts_by_year.year,is_retracted",
    "Cochrane Library": "Cochrane Review ID,Author(s),Title,Source,Year,Abstract,Issue,Publisher,"
    "ISSN,Keywords,DOI,URL,Cochrane Review Group Code",
    "Rayyan": "key,title,year,month,day,journal,issn,volume,issue,pages,authors,url,language,"
    "publisher,location,abstract,notes,doi,keywords,pubmed_id,pmc_id",
    "Covidence": "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,"
    "Accession Number,DOI,Ref,Covidence #,Study,Notes,Tags",
    "EPPI-Reviewer": "ItemId,TypeName,Title,ShortTitle,Authors,ParentTitle,ParentAuthors,Year,"
    "Month,StandardNumber,City,Country,Publisher,Institution,Volume,Pages,Edition,Issue,"
    "Availability,URL,OldItemId,Abstract,Comments,DOI,Keywords",
    "ASReview": "record_id,title,abstract,authors,keywords,year,doi,url,included,asreview_ranking,"
    "asreview_label,asreview_prior,exported_notes_1",
    "JSTOR": "id,title,isPartOf,publicationYear,doi,docType,docSubType,provider,collection,"
    "datePublished,issueNumber,volumeNumber,url,creator,publisher,language,pageStart,pageEnd,"
    "placeOfPublication,keyphrase,wordCount,pageCount,outputFormat",
    "Paperpile": "Item type,Authors,Title,Full journal,Journal,Publication year,Volume,Issue,Pages,"
    "Folders filed in,Labels filed in,Date published,ISSN,DOI,PMID,URLs,Abstract,Notes,"
    "Citation key,Attachments",
    "Wanfang and VIP": "题名,作者,作者单位,机构,刊名,年,卷,期,页码,ISSN,CN号,关键词,分类号,文摘,"
    "基金",
}  # fmt: skip


@each("program", COLUMNS)
def test_every_column_of_a_program_is_known(program: str) -> None:
    names = next(csv.reader([COLUMNS[program]]))
    columns = CsvColumns(names)

    assert columns.usable
    assert columns.unknown == []


def entry(program: str, **cells: str) -> Entry:
    """The work of a row that has these cells, by the names of the columns without blanks."""
    names = next(csv.reader([COLUMNS.get(program, program)]))
    row = dict.fromkeys(names, "")
    for name, cell in cells.items():
        row[next(it for it in names if "".join(filter(str.isalnum, it)) == name)] = cell
    out = io.StringIO()
    csv.writer(out).writerows([names, row.values()])
    (found,) = read(out.getvalue(), "csv").entries
    return found


def fields(found: Entry, *names: str) -> dict[str, Any]:
    return {name: getattr(found.record, name) for name in names}


def people(found: Entry) -> list[str]:
    return [author.name for author in found.record.authors]


@each(
    ("program", "title", "link", "posted"),
    [
        ("ClinicalTrials.gov", "StudyTitle", "StudyURL", "2015-11-30"),
        ("ClinicalTrials.gov until 2024", "Title", "URL", "November 30, 2015"),
    ],
)
def test_a_registration(program: str, title: str, link: str, posted: str) -> None:
    """It has its number, and the day on which it was published; its trial began on another."""
    address = "https://clinicaltrials.gov/study/NCT07654321"
    cells = {title: "Tea for Gout", link: address, "FirstPosted": posted}
    found = entry(
        program, NCTNumber="NCT07654321", Conditions="Gout|Sleep", StartDate="2016-02-01", **cells
    )

    assert found.database == "ClinicalTrials.gov"
    assert fields(found, "title", "ids", "type", "date", "keywords", "url") == {
        "title": "Tea for Gout",
        "ids": {"nct": "NCT07654321"},
        "type": "other",
        "date": "2015-11-30",
        "keywords": ("Gout", "Sleep"),
        "url": "https://clinicaltrials.gov/study/NCT07654321",
    }
    assert "Start Date" in dict(found.given)


def test_dimensions() -> None:
    """A chapter: the book is the anthology."""
    found = entry(
        "Dimensions", Title="Tides", Anthologytitle="Book of Tides", Pagination="3-9",
        PubYear="2019", PublicationType="Chapter", MeSHterms="Tides; Moon",
        DimensionsURL="https://app.dimensions.ai/details/publication/pub.9",
        SourceLinkout="https://doi.org/10.1000/t", OpenAccess="All OA; Green",
    )  # fmt: skip

    assert fields(found, "venue", "pages", "year", "type", "url", "keywords", "open_access") == {
        "venue": "Book of Tides",
        "pages": "3-9",
        "year": 2019,
        "type": "chapter",
        "url": "https://app.dimensions.ai/details/publication/pub.9",
        "keywords": ("Tides", "Moon"),
        "open_access": "green",
    }


def test_a_line_about_the_data_is_told() -> None:
    reading = read('"About the data: Exported today."\nTitle,Year,DOI\nTides,2019,10.1000/t\n')

    assert [record.title for record in reading.records] == ["Tides"]
    assert [(it.line, it.message) for it in reading.problems] == [
        (1, 'the line stands before the names of columns: "About the data: Exported today."')
    ]


def test_proquest() -> None:
    found = entry(
        "ProQuest", Title="Tides", StoreId="123", pubtitle="Sea Letters", pubdate="Mar 2019",
        startPage="7", subjectTerms="Tides; Moon", placeOfPublication="Cork", Authors="Roe, Ann",
        documentType="Journal Article", year="2019",
    )  # fmt: skip

    assert fields(found, "venue", "date", "pages", "keywords", "place", "type") == {
        "venue": "Sea Letters",
        "date": "2019-03",
        "pages": "7",
        "keywords": ("Tides", "Moon"),
        "place": "Cork",
        "type": "article",
    }


def test_embase() -> None:
    """Journal, year, volume, issue and pages in one cell; a link of a resolver has the DOI."""
    found = entry(
        "Embase",
        Title="Tides",
        Source="Sea (Cork) (2019) 4:SUPPL. 1 (7-9). Date of Publication: 5 Mar 2019",
        OpenURLLink="http://r.example.org/?sid=EMBASE&issn=12345679&id=doi:10.1000%2Ft%281%29",
        EmtreeDrugIndexTermsMajorFocus="tea (adverse reaction, dose), 2,4 dinitrophenol",
    )
    expected = {
        "venue": "Sea (Cork)", "year": 2019, "volume": "4", "issue": "SUPPL. 1", "pages": "7-9",
        "date": "2019-03-05", "doi": "10.1000/t(1)", "issn": ("1234-5679",), "url": None,
        "keywords": ("tea (adverse reaction, dose)", "2,4 dinitrophenol"),
    }  # fmt: skip

    assert fields(found, *expected) == expected
    assert "Open URL Link" in dict(found.given)


@each(
    ("cell", "parts"),
    [
        ("J. Mud (2019) 12:3 (101-109)", ("J. Mud", "2019", "12", "3", "101-109", "")),
        ("Mud (2018) 9:12. Date of Publication: 2018", ("Mud", "2018", "9", "12", "", "2018")),
        ("Mud (2018) (45-46)", ("Mud", "2018", "", "", "45-46", "")),
        (
            "Mud (2021) 22:1 Article Number: 345. Date of Publication: December 2021",
            ("Mud", "2021", "22", "1", "345", "2021-12"),
        ),
        (
            "Mud. Conference: 9th Day. Cork. (2018) 9 Supplement 1 (45)",
            ("Mud. Conference: 9th Day. Cork.", "2018", "9", "Supplement 1", "45", ""),
        ),
        (
            "Journal of Mud. 12(3):101-9, 2019 Mar 12.",
            ("Journal of Mud", "2019", "12", "3", "101-9", "2019-03-12"),
        ),
        ("Mud. 12:e1001, 2019.", ("Mud", "2019", "12", "", "e1001", "")),
        ("Works of the meeting (2014)", None),
        ("Journal of Harbours", None),
        ("Harbours, 2014", None),
    ],
)
def test_a_citation_in_one_cell(cell: str, parts: tuple[str, ...] | None) -> None:
    """Of Embase and of Ovid; the name of a journal is none."""
    found = csv_cells.citation(cell)

    assert (None if found is None else tuple(found)) == parts


@each(
    "names",
    [
        ["Eva Lind", "Tom A. Roe"],
        ["Eva McDonald", "Jane DeLong", "Bob Ray"],
        ["Eva Wei", "Xiao (Luke) Lin", "Ann Roe"],
        ["Eva Lindt", "Jan van Dieken", "Jürgen Döll"],
        ["A.B. Lind", "C.D. Roe"],
        ["Tom Roe Jr.", "Ann Bell"],
        ["Wei Li", "Yang Chen"],
        ["Ann McDonald King", "Bob Ray"],
        ["D’Arcy O’Connor", "Ann Roe"],
        ["Jiun-Yi Yang", "Ana Ariza-Porras"],
        ["LaTeX Team"],
        ["Team LaTeX"],
        ["Łukasz Żurek", "Åsa Öberg"],
    ],
)
def test_names_of_springerlink_are_parted(names: list[str]) -> None:
    """Only where one whole name ends and another begins."""
    assert list(csv_cells.names_apart("".join(names))) == names


def test_springerlink() -> None:
    found = entry(
        "SpringerLink", ItemTitle="Tides", PublicationTitle="Sea Letters", JournalVolume="4",
        JournalIssue="2", ItemDOI="10.1007/t", Authors="Eva LindTom A. Roe", PublicationYear="2019",
        ContentType="Article", URL="http://link.springer.com/article/10.1007/t",
    )  # fmt: skip

    assert [(it.family, it.given) for it in found.record.authors] == [
        ("Lind", "Eva"),
        ("Roe", "Tom A."),
    ]
    assert fields(found, "title", "venue", "volume", "issue", "doi", "year", "type") == {
        "title": "Tides",
        "venue": "Sea Letters",
        "volume": "4",
        "issue": "2",
        "doi": "10.1007/t",
        "year": 2019,
        "type": "article",
    }


def test_zotero() -> None:
    """Translators, place, and both kinds of tags."""
    found = entry(
        "Zotero", Title="Tides", ItemType="book", Author="Roe, Ann", Translator="Lind, Eva",
        Place="Cork", NumPages="300", Series="Seas", ManualTags="sea; tide", AutomaticTags="Moon",
        Editor="Bell, Tom", Number="7",
    )  # fmt: skip

    assert fields(found, "place", "keywords", "pages", "type") == {
        "place": "Cork",
        "keywords": ("sea", "tide", "Moon"),
        "pages": None,
        "type": "book",
    }
    assert [it.name for it in found.record.translators] == ["Eva Lind"]
    assert [it.name for it in found.record.editors] == ["Tom Bell"]
    assert {"Num Pages": "300", "Series": "Seas"}.items() <= dict(found.given).items()


def test_editors_without_authors_stay_editors() -> None:
    found = entry("Zotero", Title="Tides", ItemType="book", Editor="Bell, Tom")

    assert found.record.authors == ()
    assert [it.name for it in found.record.editors] == ["Tom Bell"]


def test_openalex() -> None:
    found = entry(
        "OpenAlex", id="https://openalex.org/W99", title="Tides", publicationyear="2019",
        authorshipsauthordisplayname="Ann Roe|Eva Lind", bibliofirstpage="7", bibliolastpage="9",
        primarylocationsourcedisplayname="Sea Letters", openaccessisoa="true",
        doi="https://doi.org/10.1000/t", openaccessoastatus="gold",
    )  # fmt: skip

    assert people(found) == ["Ann Roe", "Eva Lind"]
    assert fields(found, "venue", "pages", "ids", "doi", "open_access") == {
        "venue": "Sea Letters",
        "pages": "7-9",
        "ids": {"openalex": "W99"},
        "doi": "10.1000/t",
        "open_access": "gold",
    }


def test_lens() -> None:
    """Works, and patents with their inventors."""
    work = entry("Lens", LensID="000-111-222-333-444", Title="Tides", Authors="Ann Roe; Eva Lind")
    patent = entry(
        "Lens, patents", LensID="000-111-222-333-445", Title="Tide mill",
        Inventors="ROE ANN;;LIND EVA", DocumentType="Granted Patent", PublicationDate="2019-05-02",
    )  # fmt: skip

    assert work.record.ids == {"lens": "000-111-222-333-444"}
    assert len(work.record.authors) == len(patent.record.authors) == 2
    assert (patent.record.type, patent.record.date) == ("patent", "2019-05-02")


def test_ieee() -> None:
    found = entry(
        "IEEE Xplore", DocumentTitle="Tides", Authors="A. Roe; E. Lind", IssueDate="15 Jan. 2020",
        PublicationYear="2020", ArticleCitationCount="4", IEEETerms="Seas;Moons",
        AuthorKeywords="tides", PDFLink="https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=9",
    )  # fmt: skip

    assert fields(found, "date", "citations", "keywords", "pdf_url") == {
        "date": "2020-01-15",
        "citations": 4,
        "keywords": ("tides", "Seas", "Moons"),
        "pdf_url": "https://ieeexplore.ieee.org/stamp/stamp.jsp?arnumber=9",
    }


def test_chinese_columns() -> None:
    found = entry(
        "Wanfang and VIP", 题名="潮汐研究", 刊名="海洋学报", 文摘="本文研究潮汐。", 年="2019"
    )

    assert fields(found, "title", "venue", "abstract", "year") == {
        "title": "潮汐研究",
        "venue": "海洋学报",
        "abstract": "本文研究潮汐。",
        "year": 2019,
    }
