"""Europe PMC, the ACM Digital Library and LILACS: what is read, what is told, what is refused."""

from __future__ import annotations

import pytest

from metasearch.errors import QuerySyntaxError
from metasearch.query import Term, read, to_text
from metasearch.query.acm import ACM, in_round_brackets
from metasearch.query.detect import detect
from metasearch.query.europepmc import EUROPEPMC
from metasearch.query.tree import Near
from metasearch.query.vhl import VHL
from metasearch.query.writer import translate
from tests.cases import each

#: The indexed fields that Europe PMC lists for its web service (version 6.9), and those of its
#: page on the syntax.
EUROPEPMC_FIELDS = """
ABBR ABSTRACT ACCESSION_ID ACCESSION_TYPE ACK_FUND AFF ANNOTATION_TYPE APPENDIX ARXPR_PUBS AUTH
AUTHORID AUTHORID_TYPE AUTH_CON AUTH_EXACT AUTH_FIRST AUTH_LAST AUTH_MAN AUTH_MAN_ID BODY BOOK_ID
CASE CHEBITERM CHEBI_PUBS CHEM CHEMBL_PUBS CITED CITES COMP_INT CONCL CRD_LINKS CREATION_DATE
CREATION_DATE_NUM DISCUSS DISEASE DOI ED EFO EFO_ID EMBARGO_DATE EMBARGOED_MAN EMBL_PUBS
EPMC_AUTH_MAN ESSN EUROFIR_KW EXT_ID E_PDATE FIG FIRST_IDATE FIRST_PDATE FULLTEXT_SITE GENE_PROTEIN
GOTERM GRANT_AGENCY GRANT_ID HAS_ABSTRACT HAS_ARXPR HAS_BOOK HAS_CHEBI HAS_CHEMBL HAS_CRD HAS_DATA
HAS_DOI HAS_EMBL HAS_FREE_FULLTEXT HAS_FT HAS_FULLTEXT HAS_FULLTEXTDATA HAS_INTACT HAS_INTERPRO
HAS_LABSLINKS HAS_OMIM HAS_PDB HAS_PDF HAS_PREPRINT HAS_PUBLISHED_VERSION HAS_REFLIST HAS_SUPPL
HAS_TM HAS_UNIPROT HAS_VERSION_EVALUATIONS HAS_XREFS INTACT_PUBS INTERPRO_PUBS INTRO INVESTIGATOR
IN_EPMC IN_PMC ISBN ISSN ISSUE IS_SCANNED JOURNAL JRNL_ISS_ID KEYWORD KW LABS_PUBS LANG LICENSE
MESH METHODS NIH_AUTH_MAN OMIM_PUBS OPEN_ACCESS ORGANISM ORG_ID OTHER PAGE_INFO PDB_PUBS PDF PMCID
PUBLIC_ACCESS PUBLISHER PUB_TYPE PUB_YEAR P_PDATE REF REFFED_BY RESULTS SB SORT_DATE SPAGE SRC SUPPL
TABLE TITLE TITLE_ABS TS_LASTUPDATE UNIPROT_PUBS UPDATE_DATE UPDATE_DATE_NUM VOLUME
""".split()
#: What the form of the ACM Digital Library has, as its queries print and as one types them.
ACM_FIELDS = [
    *("All", "AllField", "Anywhere", "Title", "Abstract", "Keyword", "Keywords", "Author Keyword"),
    *("Full Text", "Fulltext", "Publication Title", "Author", "ContribAuthor", "Names", "DOI"),
    *("ISBN", "ISSN", "CCS 2012", "Affiliation", "Affiliations", "Author Affiliation"),
    *("Conference Location", "Conference Sponsor", "Conference Sponsors", "Publisher", "Editor"),
    *("E-Publication Date", "Publication Date", "ACM Content", "VirtualContent", "Content Type"),
    *("Article Type", "Media Format", "Funder", "Reviewer"),
]
#: The indexes of the Virtual Health Library's portal, and the codes of the interface before it.
VHL_FIELDS = """
tw ti ti_en ti_es ti_pt ab ab_en ab_es ab_pt mh mh_cluster mj mj_cluster ex sh kw au ta ta_cluster
la type pt type_of_study year_cluster dp da entry_date db instance collection fulltext is issn isbn
doi id limit clinical_aspect pais_assunto pais_afiliacao cp afiliacao_autor ct cc network
""".split()

VALUES = {"year": "2015", "language": "english", "type": "review", "issn": "0028-0836"}


def told(text: str, syntax: str) -> str:
    return " | ".join(read(text, syntax).notes)


@each(
    ("syntax", "text", "shown"),
    [
        ("europepmc", "TITLE:lung cancer", "title:lung AND cancer"),
        ("europepmc", 'TITLE_ABS:("lung cancer" OR x)', ('title:"lung cancer" OR abstract:"lung '
                                                        'cancer" OR title:x OR abstract:x')),
        ("europepmc", "x PUB_YEAR:[2015 TO 2020]", "x AND year:2015-2020"),
        ("europepmc", "x AND FIRST_PDATE:[2015-01-01 TO 3000-12-31]", "x AND year:2015-"),
        ("europepmc", "x AND PUB_YEAR:[* TO 2020]", "x AND year:-2020"),
        ("europepmc", "x AND E_PDATE:[20150101 TO 20201231]", "x AND year:2015-2020"),
        ("europepmc", 'x (LANG:"eng" OR LANG:"en" OR LANG:"us")', "x AND language:en"),
        ("europepmc", "x NOT SRC:PPR", "x AND NOT type:preprint"),
        ("europepmc", "x -y", "x AND NOT y"),
        ("europepmc", 'x NOT y "z z"', 'x AND NOT y AND "z z"'),
        ("europepmc", "x && (y || z)", "x AND (y OR z)"),
        ("europepmc", r'DOI:10.1007/bf00197367 OR TITLE:a\-b', ("doi:10.1007/bf00197367 OR "
                                                              "title:a-b")),
        ("europepmc", "see https://example.org/x", "see https://example.org/x"),
        ("acm", ("[[Title: x] OR [Abstract: y z]] AND [E-Publication Date: (01/01/2010 TO "
                "12/31/2020)]"), "(title:x OR abstract:(y z)) AND year:2010-2020"),
        ("acm", "[E-Publication Date: (* TO 31/12/2020)] AND [All: x]", "year:-2020 AND x"),
        ("acm", '[[Abstract: "a b" OR x]] AND [NOT [Title: y]]', ('(abstract:"a b" OR abstract:x) '
                                                                 "AND NOT title:y")),
        ("acm", "[Publication Title: 'child health'] AND Keyword:(x)", ('venue:"child health" AND '
                                                                       "subject:x")),
        ("acm", 'Title:("x[ti]")', r'title:"x[ti]"'),
        ("vhl", "tw:(x) AND NOT ti:(y OR zz$)", ("(title:x OR abstract:x OR subject:x) AND NOT "
                                               "(title:y OR title:zz*)")),
        ("vhl", "ti: heat stress", "title:(heat stress)"),
        ("vhl", 'ti:x AND la:("pt" OR "es") AND year_cluster:("2015" OR "2016")',
         "title:x AND (language:pt OR language:es) AND (year:2015 OR year:2016)"),
        ("vhl", "Ti asma$ or Au silva", "title:asma* OR author:silva"),
        ("vhl", 'asma$ [Palavras do título] or "x y" [Title words]', 'title:asma* OR title:"x y"'),
    ],
)  # fmt: skip
def test_what_can_be_said_is_read(syntax: str, text: str, shown: str) -> None:
    """Fields before a word, phrase or bracket; ranges; and what ACM and LILACS print."""
    found = read(text, syntax)

    assert to_text(found.query) == shown
    assert found.notes == ()


@each(
    ("syntax", "text", "shown", "note"),
    [
        ("europepmc", "x AND OPEN_ACCESS:Y", "x", "OPEN_ACCESS Y: ignored"),
        ("europepmc", "x AND CITED:[100 TO *]", "x", "CITED 100 to: ignored"),
        ("europepmc", "x AND (y OR HAS_PDF:y)", "x", "one of these alternatives cannot be asked"),
        ("europepmc", "x NOT OPEN_ACCESS:N", "x", "so less is excluded"),
        ("europepmc", "x sort_date:y", "x", "settings of a database"),
        ("europepmc", "METHODS:x", "x", "METHODS is looked for everywhere"),
        ("europepmc", "x AND CREATION_DATE:[2019-01-01 TO 2020-12-31]", "x AND year:2019-2020",
         "CREATION_DATE is read as the date of publication"),
        ("europepmc", "x~ AND y^2", "x AND y", "x~, y^2: settings"),
        ("acm", "12 Results for: [Title: x]", "title:x", "settings of a database"),
        ("acm", ('"query": { Title:(x) } "filter": { Publication Date: (01/01/2010 TO 12/31/2020), '
                "ACM Content: DL }"), "title:x AND year:2010-2020", "ACM Content DL: ignored"),
        ("acm", "[Title: x] AND [E-Publication Date: (10/01/2021 TO 12/31/2023)]",
         "title:x AND year:2021-2023", "only the year of a date"),
        ("vhl", 'tw:x AND (db:("LILACS")) AND instance:"regional"',
         "title:x OR abstract:x OR subject:x", "db LILACS, instance regional: ignored"),
        ("vhl", 'ti:x NOT mh:"Asthma/drug therapy"', "title:x", "/drug therapy: sources cannot"),
        ("vhl", "ti:x NOT mj:Asthma", "title:x", "main topic"),
        ("vhl", "ti:x AND ex:C08.127$", "title:x", "ex C08.127$: ignored"),
        ("vhl", "mh:x OR ex:C08.127$", "subject:x", "narrower headings are not added"),
        ("vhl", "ti:y AND (ex:C08.127$ OR mh:C09$)", "title:y", "ex C08.127$, mh C09$: ignored"),
        ("acm", "Searched for [Title: x] AND Year:2015", "title:x AND year:2015", "Searched for"),
        ("acm", '"query": { x } "filter": {ACM Pub type: Journals }', "x", "Pub type"),
        ("acm", ('"query": { Title:(x) } "filter": {Article Type: Research Article, '
                "NOT VirtualContent: true }"), "title:x AND type:article", "VirtualContent true"),
        ("vhl", 'ti:x AND type_of_study:("clinical_trials" OR "systematic_reviews")',
         'title:x AND (subject:"clinical trial" OR type:review)', "no type of works as narrow"),
    ],
)  # fmt: skip
def test_what_is_not_kept_is_told(syntax: str, text: str, shown: str, note: str) -> None:
    """And never finds less than was asked for."""
    assert to_text(read(text, syntax).query) == shown
    assert note in told(text, syntax)


def test_words_near_one_another() -> None:
    """A distance behind a phrase holds for its words in any order."""
    near = Near((Term("gene"), Term("drive")), 3)

    assert read('"gene drive"~3', "europepmc").query == near
    assert read('"gene drive"~3', "vhl").query == near
    assert "sources cannot be asked how near" in told('"gene drive"~3', "europepmc")


@each(
    ("syntax", "text", "position", "reason", "suggestion"),
    [
        ("europepmc", "TITLE_AB:x", 0, "near it are title_abs", "x"),
        ("europepmc", "x AND TITLE:[2015 TO 2016]", 12, "cannot be a range of years", "x"),
        ("europepmc", "x [2015 TO 2016]", 2, "cannot be a range of years", "x"),
        ("acm", "[Titel: x]", 0, "near it are title", "( x)"),
        ("acm", "[Title: x", 6, "never closed", "Title:( x)"),
        ("vhl", "tx:(x)", 0, "near it are tw", "(x)"),
        ("vhl", "x [Foo]", 1, "no field [Foo]", "x"),
        ("vhl", "db:x", 3, "cannot be searched here", None),
    ],
)
def test_errors_say_where_and_why(
    syntax: str, text: str, position: int, reason: str, suggestion: str | None
) -> None:
    """An unknown field never becomes a word."""
    with pytest.raises(QuerySyntaxError) as caught:
        read(text, syntax)

    assert caught.value.position == position
    assert reason in caught.value.reason
    assert caught.value.suggestion == suggestion


def listed_fields() -> list[tuple[str, str, tuple[str, ...]]]:
    """(Syntax, a text that begins with a field of a vendor's list, where that looks)."""
    found = []
    for syntax, grammar, names in (
        ("europepmc", EUROPEPMC, EUROPEPMC_FIELDS),
        ("acm", ACM, ACM_FIELDS),
        ("vhl", VHL, VHL_FIELDS),
    ):
        for name in names:
            fields = grammar.codes[name.casefold()].fields
            value = VALUES.get(fields[0] if fields else "", "salt")
            text = f"[{name}: {value}]" if syntax == "acm" else f"{name}:{value}"
            found.append((syntax, f"{text} AND marsh", fields))
    return found


@each(("syntax", "text", "fields"), listed_fields())
def test_every_field_of_the_vendors_lists(syntax: str, text: str, fields: tuple[str, ...]) -> None:
    """It is searched where its words are, or told; its name is never a word."""
    shown = to_text(read(text, syntax).query)

    assert text.split(":")[0].strip("[").casefold() not in shown.casefold().split()
    if not fields:
        assert shown == "marsh"
        assert told(text, syntax)
    else:
        assert shown.endswith("AND marsh")


@each(
    ("text", "syntax"),
    [
        ("TITLE_ABS:(asthma) AND PUB_YEAR:2015", "europepmc"),
        ('KW:"x" AND HAS_ABSTRACT:y', "europepmc"),
        ("covid NOT SRC:PPR", "europepmc"),
        ("[[Title: x] OR [Abstract: y]]", "acm"),
        ("x AND [E-Publication Date: (01/01/2010 TO 12/31/2020)]", "acm"),
        ("AllField:(x) AND y", "acm"),
        ("tw:(x OR y)", "vhl"),
        ('mh:"Asthma" AND db:("LILACS")', "vhl"),
        ("asma$ [Palavras]", "vhl"),
        ("title:x AND author:y", "simple"),
        ("DOI:10.1000/x", "simple"),
        ("for instance: a study", "simple"),
        ("MY_NAME:x", "simple"),
        ("the SRC:FAK complex", "simple"),
        ("ratio 1:2 [sic]", "simple"),
    ],
)
def test_their_marks(text: str, syntax: str) -> None:
    """Names that nobody writes otherwise."""
    assert detect(text) == syntax


def test_what_acm_prints_keeps_its_places() -> None:
    """Each character stands where it stood, so that an error points to it."""
    text = '"query": { [[Title: "[x]"] OR y] }  "filter": { A: (b), C: d }'

    assert in_round_brackets(text) == (
        '         ( (Title:( "[x]") OR y) )  AND       ( A: (b)  C:(d))'
    )
    assert len(in_round_brackets(text)) == len(text)


@each(
    ("query", "to", "text"),
    [
        ("title:x OR abstract:x", "europepmc", "TITLE_ABS:(x)"),
        ("x lang:pt year:2018-", "europepmc", "x AND LANG:(por) AND PUB_YEAR:[2018 TO 3000]"),
        ("subject:x NOT type:review", "europepmc", "KW:(x) NOT PUB_TYPE:(Review)"),
        ("title:x OR abstract:yy*", "acm", "Title:(x) OR Abstract:(yy*)"),
        ("title:x OR abstract:x OR subject:x", "vhl", "tw:(x)"),
        ("subject:x lang:pt year:2018", "vhl", "mh:(x) AND la:(pt) AND year_cluster:(2018)"),
    ],
)
def test_what_is_written(query: str, to: str, text: str) -> None:
    """By the names that each database has."""
    assert translate(query, to=to).text == text


def test_acm_sets_years_in_its_form() -> None:
    """So they are left out of the text, which is told."""
    written = translate("x year:2018-2020", to="acm")

    assert written.text == "AllField:(x)"
    assert "year:2018-2020 is left out" in written.notes[0]
