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

#: ISO 2709 as text in Latin-1, byte for byte.
SAMPLES = {
    "bibtex": Sample(BIBTEX, re.compile(r"^@(?:article|Book)\{\w+,", re.MULTILINE), 2),
    "endnote-xml": Sample(ENDNOTE_XML, re.compile(r"<record>"), 2),
    "csv": Sample(CSV, re.compile(r"^(?:\"Musterfrau|Byron)", re.MULTILINE), 2),
    "marcxml": Sample(MARCXML, re.compile(r"<marc:record>(?=<marc:leader>)"), 2),
    "marc": Sample(
        MARC.decode("latin-1"), re.compile(r"(?:^|\x1d)(?=\d{5}nam a22\d{5} i 4500)"), 2
    ),
    "csl-json": Sample(CSL_JSON, re.compile(r"\{\"id\":"), 2),
    "ndjson": Sample(OWN, re.compile(r"^\{\"source\":", re.MULTILINE), 2),
}


def raw(name: str) -> bytes:
    """The bytes of a sample."""
    return SAMPLES[name].text.encode("latin-1" if name == "marc" else "utf-8")
