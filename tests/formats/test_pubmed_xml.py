"""PubMed's XML."""

from __future__ import annotations

import gzip

from metasearch.formats.marc import looks_like as looks_like_marc
from metasearch.formats.pubmed_xml import looks_like
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import one, read, told
from tests.formats.reading.structured import PUBMED_XML

ARTICLE = """\
<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">10000001</PMID>
<Article PubModel="Print"><Journal><ISSN IssnType="Electronic">2345-6786</ISSN>
<JournalIssue><Volume>12</Volume><Issue>3</Issue>
<PubDate><MedlineDate>2019 Mar-Apr</MedlineDate></PubDate></JournalIssue>
<Title>Journal of mud.</Title></Journal>
<ArticleTitle>[Iron<sub>2</sub> in <i>lakes</i>: <mml:math><mml:mi>x</mml:mi></mml:math> &amp; y].\
</ArticleTitle>
<Pagination><MedlinePgn>pii: E139. doi: 10.1000/mud.1</MedlinePgn></Pagination>
<ELocationID EIdType="doi" ValidYN="Y">10.1000/mud.1</ELocationID>
<Abstract><AbstractText Label="AIM" NlmCategory="OBJECTIVE">Lakes.</AbstractText>
<AbstractText Label="RESULT">They rust.</AbstractText></Abstract>
<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Lake</LastName>
<ForeName>Fields W</ForeName>
<Initials>FW</Initials><Suffix>Jr</Suffix>
<Identifier Source="ORCID">https://orcid.org/0000-0002-1825-0097</Identifier>
<AffiliationInfo><Affiliation>Institute of Mud.</Affiliation></AffiliationInfo></Author>
<Author ValidYN="Y"><CollectiveName>Mud Group</CollectiveName></Author>
<Author ValidYN="Y"><LastName>Byron</LastName><Initials>A</Initials></Author></AuthorList>
<Language>ger</Language><DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName>
<AccessionNumberList><AccessionNumber>NCT01234567</AccessionNumber></AccessionNumberList></DataBank>
</DataBankList><PublicationTypeList><PublicationType>Journal Article</PublicationType>
<PublicationType>Retracted Publication</PublicationType></PublicationTypeList>
<VernacularTitle>Eisen in Seen.</VernacularTitle></Article>
<MedlineJournalInfo><Country>Netherlands</Country><ISSNLinking>1234-5679</ISSNLinking>
</MedlineJournalInfo><MeshHeadingList><MeshHeading><DescriptorName>Lakes</DescriptorName>
<QualifierName>chemistry</QualifierName></MeshHeading></MeshHeadingList>
<KeywordList><Keyword>rust</Keyword></KeywordList>
<InvestigatorList><Investigator><LastName>Nobody</LastName></Investigator></InvestigatorList>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">10000001</ArticleId>
<ArticleId IdType="pmc">PMC100</ArticleId></ArticleIdList>
<ReferenceList><Reference><ArticleIdList><ArticleId IdType="doi">10.1000/other</ArticleId>
<ArticleId IdType="pmc">PMC999</ArticleId></ArticleIdList></Reference></ReferenceList>
</PubmedData></PubmedArticle>"""


def a_set(*records: str) -> str:
    return f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>"


def test_a_whole_record() -> None:
    """Every field, hand-checked; what references and investigators have is not the article's."""
    assert one(a_set(ARTICLE)) == Record(
        source="a.txt",
        source_id="10000001",
        position=1,
        url="https://pubmed.ncbi.nlm.nih.gov/10000001/",
        title="Iron2 in lakes: x & y",
        original_title="Eisen in Seen",
        authors=(
            Author(
                "Fields W Lake Jr.",
                "Lake",
                "Fields W",
                "0000-0002-1825-0097",
                "Institute of Mud.",
                suffix="Jr.",
            ),
            Author("Mud Group", collective=True),
            Author("A Byron", "Byron", "A"),
        ),
        year=2019,
        date="2019",
        venue="Journal of mud",
        place="Netherlands",
        volume="12",
        issue="3",
        pages="E139",
        doi="10.1000/mud.1",
        ids={"pmid": "10000001", "pmcid": "PMC100", "nct": "NCT01234567"},
        issn=("2345-6786", "1234-5679"),
        type="article",
        language="de",
        abstract="AIM: Lakes. RESULT: They rust.",
        keywords=("rust",),
        subjects=("Lakes/chemistry",),
        retracted=True,
    )


def test_the_database_is_pubmed_and_lines_are_counted() -> None:
    assert [(entry.database, entry.line) for entry in read(PUBMED_XML).entries] == [
        ("PubMed", 5),
        ("PubMed", 13),
    ]


@each("text", [ARTICLE, f'<?xml version="1.0"?>\n{ARTICLE}', a_set(ARTICLE)])
def test_a_record_alone_or_in_a_set(text: str) -> None:
    assert one(text).title == "Iron2 in lakes: x & y"


def test_medline_as_it_was_until_2015() -> None:
    citation = ARTICLE[ARTICLE.index("<MedlineCitation") : ARTICLE.index("<PubmedData>")]
    record = one(f"<MedlineCitationSet>\n{citation}\n</MedlineCitationSet>")

    assert (record.title, record.ids["pmid"]) == ("Iron2 in lakes: x & y", "10000001")


def test_books_and_chapters() -> None:
    """Editors stay editors, also where a book has no authors."""
    book = (
        "<Book><Publisher><PublisherName>Shore Press</PublisherName>"
        "<PublisherLocation>Seattle (WA)</PublisherLocation></Publisher>"
        "<BookTitle>The book of mud</BookTitle><PubDate><Year>1993</Year></PubDate>"
        '<AuthorList Type="editors"><Author><LastName>Adler</LastName><ForeName>Max</ForeName>'
        "</Author></AuthorList><Isbn>9780198526636</Isbn></Book>"
    )
    authors = (
        '<AuthorList Type="authors"><Author><LastName>Byron</LastName><ForeName>Ada</ForeName>'
        "</Author></AuthorList>"
    )
    chapter, whole = read(
        "<PubmedBookArticleSet>"
        f"<PubmedBookArticle><BookDocument><PMID>1</PMID>{book}<ArticleTitle>Lakes</ArticleTitle>"
        f"{authors}</BookDocument></PubmedBookArticle>"
        f"<PubmedBookArticle><BookDocument><PMID>2</PMID>{book}</BookDocument></PubmedBookArticle>"
        "</PubmedBookArticleSet>"
    ).records

    assert (chapter.title, chapter.venue, chapter.type) == ("Lakes", "The book of mud", "chapter")
    assert [author.name for author in chapter.authors] == ["Ada Byron"]
    assert (whole.title, whole.venue, whole.type, whole.authors) == (
        "The book of mud", None, "book", (),
    )  # fmt: skip
    for record in (chapter, whole):
        assert [editor.name for editor in record.editors] == ["Max Adler"]
        assert (record.publisher, record.place, record.isbn) == (
            "Shore Press",
            "Seattle (WA)",
            ("9780198526636",),
        )


def test_a_broken_record_costs_itself() -> None:
    broken = ARTICLE.replace("</AuthorList>", "").replace("10000001", "10000002")
    reading = read(a_set(broken, ARTICLE))

    assert [record.source_id for record in reading.records] == ["10000001"]
    assert reading.lost == 1


def test_a_file_that_breaks_off_keeps_what_was_whole() -> None:
    reading = read(f"<PubmedArticleSet>\n{ARTICLE}\n{ARTICLE[:900]}")

    assert (len(reading.records), reading.lost) == (1, 1)
    assert "the file breaks off inside this record" in told(reading)[0][1]


def test_deleted_records_are_told() -> None:
    deleted = "".join(f"<PMID Version='1'>{number}</PMID>" for number in range(20, 32))
    text = a_set(f"{ARTICLE}\n", f"<DeleteCitation>\n{deleted}</DeleteCitation>")
    reading = read(gzip.compress(text.encode()), name="a.xml.gz")

    assert len(reading.records) == 1
    what = "PubMed has deleted records that older files may hold; none was deleted here"
    named = ", ".join(map(str, range(20, 30)))
    assert told(reading) == [(ARTICLE.count("\n") + 2, f"{what}: {named} and 2 more")]


@each(
    ("head", "yes"),
    [
        (PUBMED_XML[:100], True),
        ("<PubmedBookArticleSet>", True),
        ("<PubmedArticle>", True),
        ("<MedlineCitationSet>", True),
        ("<eSearchResult>", False),
        ("<collection><record><leader>", False),
    ],
)
def test_looks_like(head: str, *, yes: bool) -> None:
    assert looks_like(head) is yes
    assert not yes or not looks_like_marc(head)


def test_what_no_field_holds_stays_beside() -> None:
    """By the tags of PubMed's other format; what only references name is left out."""
    more = (
        "<OtherAbstract><AbstractText>Eisen.</AbstractText></OtherAbstract>"
        '<CommentsCorrectionsList><CommentsCorrections RefType="ErratumIn"><RefSource>J Mud. 2020'
        "</RefSource><PMID>9</PMID></CommentsCorrections></CommentsCorrectionsList>"
        "</MedlineCitation>"
    )
    reading = read(a_set(ARTICLE.replace("</MedlineCitation>", more)))

    assert reading.entries[0].given == (
        ("IR", "Nobody"), ("OAB", "Eisen."), ("EIN", "J Mud. 2020 9"),
    )  # fmt: skip
