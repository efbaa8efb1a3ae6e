"""One small file of each structured format, written by us in the shape of the real thing, and how
its records begin."""

from __future__ import annotations

import re

from pymarc import Field, Indicators, Record, Subfield

from tests.formats.reading.samples import Sample

BIBTEX = r"""% Encoding: UTF-8
@string{mud = "Journal of " # {Mud}}

@article{musterfrau2019,
  author  = {Musterfrau, Erika and Byron, Ada A. and {Lake Group}},
  title   = {Iron in {Lakes}: {\"U}ber \'{e}t\'{e}s},
  journal = mud,
  year    = 2019, month = mar # "~12",
  volume  = {12}, number = {3}, pages = {101--109},
  doi     = {10.1000/mud.1},
}

@Book{byron2001,
  author = "Ada Byron", title = "A book of mud",
  publisher = "Shore Press", year = "2001", isbn = "0-19-852663-6"
}
"""

ENDNOTE_XML = """<?xml version="1.0" encoding="UTF-8" ?><xml><records>
<record><database name="My.enl" path="My.enl">My.enl</database><rec-number>1</rec-number>
<ref-type name="Journal Article">17</ref-type><contributors><authors>
<author><style face="normal" font="default" size="100%">Musterfrau, E.</style></author><author>Byron, Ada</author>
<author>Lake Group,</author></authors></contributors>
<titles><title><style face="normal">Iron in </style><style face="italic">lakes</style></title>
<secondary-title>Journal of Mud</secondary-title></titles><pages>101-9</pages><volume>12</volume><number>3</number>
<keywords><keyword>Lakes</keyword><keyword>rust</keyword></keywords>
<dates><year>2019</year><pub-dates><date>Mar 12</date></pub-dates></dates><isbn>1234-5679</isbn>
<accession-num>10000001</accession-num><electronic-resource-num>10.1000/mud.1</electronic-resource-num>
<urls><related-urls><url>https://example.org/1</url></related-urls></urls>
<remote-database-name>PubMed</remote-database-name></record>
<record><rec-number>2</rec-number><ref-type name="Book">6</ref-type><contributors><authors><author>Byron, Ada</author>
</authors></contributors><titles><title>A book of mud</title></titles><dates><year>2001</year></dates>
<publisher>Shore Press</publisher><isbn>0-19-852663-6</isbn></record>
</records></xml>
"""

CSV = """\
Authors,Title,Year,Source title,Volume,Issue,Page start,Page end,DOI,ISSN,Abstract,Document Type,EID
"Musterfrau E.; Byron A.A.",Iron in lakes,2019,Journal of Mud,12,3,101,109,10.1000/mud.1,12345679,"Lakes
rust.",Article,2-s2.0-1
Byron A.,"A ""book"" of mud",2001,,,,,,,,,Book,2-s2.0-2
"""

MARCXML = """<?xml version="1.0" encoding="UTF-8"?>
<marc:collection xmlns:marc="http://www.loc.gov/MARC21/slim">
<marc:record><marc:leader>00000nam a2200000 i 4500</marc:leader><marc:controlfield tag="001">1</marc:controlfield>
<marc:datafield tag="100" ind1="1" ind2=" "><marc:subfield code="a">Musterfrau, Erika,</marc:subfield></marc:datafield>
<marc:datafield tag="245" ind1="1" ind2="0"><marc:subfield code="a">Eisen in Seen :</marc:subfield>
<marc:subfield code="b">ein Überblick /</marc:subfield></marc:datafield>
<marc:datafield tag="264" ind1=" " ind2="1"><marc:subfield code="b">Ufer,</marc:subfield>
<marc:subfield code="c">2019</marc:subfield></marc:datafield></marc:record>
<marc:record><marc:leader>00000nam a2200000 i 4500</marc:leader><marc:controlfield tag="001">2</marc:controlfield>
<marc:datafield tag="100" ind1="1" ind2=" "><marc:subfield code="a">Byron, Ada.</marc:subfield></marc:datafield>
<marc:datafield tag="245" ind1="1" ind2="0"><marc:subfield code="a">A book of mud.</marc:subfield></marc:datafield>
<marc:datafield tag="260" ind1=" " ind2=" "><marc:subfield code="c">2001.</marc:subfield></marc:datafield></marc:record>
</marc:collection>
"""

MODS = """<?xml version="1.0" encoding="UTF-8"?>
<modsCollection xmlns="http://www.loc.gov/mods/v3">
<mods><titleInfo><nonSort>The</nonSort><title>iron in lakes</title></titleInfo>
<name type="personal"><namePart type="family">Musterfrau</namePart><namePart type="given">Erika</namePart>
<role><roleTerm type="code">aut</roleTerm></role></name><genre>journal article</genre>
<relatedItem type="host"><titleInfo><title>Journal of Mud</title></titleInfo><identifier type="issn">1234-5679</identifier>
<part><detail type="volume"><number>12</number></detail><extent unit="pages"><start>101</start><end>109</end></extent>
</part></relatedItem><originInfo><dateIssued>2019</dateIssued></originInfo><identifier type="doi">10.1000/mud.1</identifier>
<location><url>https://example.org/1</url></location><abstract>Lakes rust.</abstract><note>A remark</note></mods>
<mods><titleInfo><title>A book of mud</title></titleInfo><name><namePart>Byron, Ada</namePart></name>
<originInfo><publisher>Shore Press</publisher><place><placeTerm type="text">Shore</placeTerm></place>
<dateIssued>2001</dateIssued></originInfo><identifier type="isbn">0-19-852663-6</identifier></mods>
</modsCollection>
"""

ZOTERO_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType><dcterms:isPartOf rdf:resource="urn:issn:1234-5679"/>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Musterfrau</foaf:surname><foaf:givenName>Erika</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></bib:authors><dc:subject>rust</dc:subject><dc:title>Iron in lakes</dc:title>
<dcterms:abstract>Lakes rust.</dcterms:abstract><dc:date>2019</dc:date><bib:pages>101-109</bib:pages>
<dc:description>PMID: 10000001</dc:description><z:shortTitle>Iron</z:shortTitle></bib:Article>
<bib:Journal rdf:about="urn:issn:1234-5679"><prism:volume>12</prism:volume><dc:title>Journal of Mud</dc:title>
<dc:identifier>DOI 10.1000/mud.1</dc:identifier><prism:number>3</prism:number></bib:Journal>
<bib:Book rdf:about="#item_2"><z:itemType>book</z:itemType><bib:authors><rdf:Seq><rdf:li><foaf:Person>
<foaf:surname>Byron</foaf:surname></foaf:Person></rdf:li></rdf:Seq></bib:authors><dc:title>A book of mud</dc:title>
<dc:date>2001</dc:date></bib:Book>
</rdf:RDF>
"""

CSL_JSON = """[
  {"id": "a", "type": "article-journal", "title": "Iron in lakes", "container-title": "Journal of Mud",
   "author": [{"family": "Musterfrau", "given": "Erika"}, {"literal": "Lake Group"}],
   "issued": {"date-parts": [["2019", 3, 12]]}, "volume": 12, "issue": "3", "page": "101-109",
   "DOI": "10.1000/MUD.1", "ISSN": "1234-5679", "source": "PubMed", "PMID": "10000001"},
  {"id": "b", "type": "book", "title": "A book of mud", "publisher": "Shore Press",
   "author": [{"family": "Byron", "given": "Ada", "non-dropping-particle": "von"}], "issued": {"raw": "2001"}}
]
"""

OWN = """\
{"source":"crossref","source_id":"1","position":1,"title":"Iron in lakes","authors":[{"name":"E. Muster"}],"year":2019}
{"source":"pubmed","source_id":"2","position":7,"title":"A book of mud","authors":[{"name":"Ada Byron"}],"year":2001}
"""


def marc(number: str, title: str, author: str, year: str) -> bytes:
    """A record as ISO 2709, in UTF-8."""
    record = Record(leader="00000nam a2200000 i 4500")
    record.add_field(Field(tag="001", data=number))
    for tag, code, value in (("100", "a", author), ("245", "a", title), ("260", "c", year)):
        record.add_field(
            Field(tag=tag, indicators=Indicators("1", "0"), subfields=[Subfield(code, value)])
        )
    return bytes(record.as_marc())


MARC = marc("1", "Eisen in Seen", "Müsterfrau, Erika", "2019") + marc(
    "2", "A book of mud", "Byron, Ada", "2001"
)

PUBMED_XML = """\
<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN"
 "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID Version="1">10000001</PMID>
<Article PubModel="Print-Electronic"><Journal><ISSN IssnType="Electronic">1234-5679</ISSN>
<JournalIssue><Volume>12</Volume><Issue>3</Issue>
<PubDate><Year>2019</Year><Month>Mar</Month><Day>12</Day></PubDate></JournalIssue>
<Title>Journal of mud</Title></Journal><ArticleTitle>Iron in <i>lakes</i>.</ArticleTitle>
<Pagination><MedlinePgn>101-9</MedlinePgn></Pagination>
<AuthorList><Author><LastName>Musterfrau</LastName><ForeName>Erika</ForeName></Author></AuthorList>
<Language>eng</Language></Article></MedlineCitation></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID>10000002</PMID>
<AuthorList Type="authors"><Author><LastName>Byron</LastName><ForeName>Ada</ForeName></Author>
</AuthorList><Book><PubDate><Year>2018</Year></PubDate>
<BookTitle>A book of mud</BookTitle></Book></BookDocument></PubmedBookArticle>
</PubmedArticleSet>
"""

#: ISO 2709 as text in Latin-1, byte for byte.
SAMPLES = {
    "bibtex": Sample(BIBTEX, re.compile(r"^@(?:article|Book)\{\w+,", re.MULTILINE), 2),
    "endnote-xml": Sample(ENDNOTE_XML, re.compile(r"<record>"), 2),
    "csv": Sample(CSV, re.compile(r"^(?:\"Musterfrau|Byron)", re.MULTILINE), 2),
    "pubmed-xml": Sample(PUBMED_XML, re.compile(r"<Pubmed(?:Book)?Article>"), 2),
    "marcxml": Sample(MARCXML, re.compile(r"<marc:record>(?=<marc:leader>)"), 2),
    "mods": Sample(MODS, re.compile(r"<mods>"), 2),
    "zotero-rdf": Sample(ZOTERO_RDF, re.compile(r"<bib:(?:Article|Book) "), 2),
    "marc": Sample(
        MARC.decode("latin-1"), re.compile(r"(?:^|\x1d)(?=\d{5}nam a22\d{5} i 4500)"), 2
    ),
    "csl-json": Sample(CSL_JSON, re.compile(r"\{\"id\":"), 2),
    "ndjson": Sample(OWN, re.compile(r"^\{\"source\":", re.MULTILINE), 2),
}


def raw(name: str) -> bytes:
    """The bytes of a sample."""
    return SAMPLES[name].text.encode("latin-1" if name == "marc" else "utf-8")
