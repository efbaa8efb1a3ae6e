"""adapter_specs/sru.toml: what is read from the answers of library catalogues."""

from __future__ import annotations

from html import escape

import pytest

from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import AccessDenied, NotParsable, SourceSaysError
from metasearch.record import Author, Record
from metasearch.settings import Settings
from tests import cases

SPEC = Registry(
    Settings(sources={"catalogue": {"extends": "sru", "url": "http://127.0.0.1:210/x"}})
).spec("catalogue")
SRW = "http://www.loc.gov/zing/srw/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"


def _parse(body: str, **bookkeeping: int) -> PageContent:
    request = Request(
        source="catalogue",
        url="http://127.0.0.1:210/x",
        params=(("startRecord", "1"),),
        **bookkeeping,
    )  # type: ignore[arg-type]
    return parse(Page(request=request, body=body.encode()), SPEC)


def _answer(*records: str, total: int | None = None, namespace: str = SRW, extra: str = "") -> str:
    each = "".join(f"<record><recordData>{data}</recordData></record>" for data in records)
    count = f"<numberOfRecords>{len(records) if total is None else total}</numberOfRecords>"
    return (
        f"<searchRetrieveResponse "
        f'xmlns="{namespace}">{count}<records>{each}</records>{extra}</searchRetrieveResponse>'
    )


def _marc(
    fields: str, leader: str = "00000nam a2200000 a 4500", date: str = "1999", language: str = "eng"
) -> str:
    fixed = f"990101s{date}    xx " + " " * 17 + f"{language}  "
    return (
        f'<record xmlns="http://www.loc.gov/MARC21/slim"><leader>{leader}</leader>'
        '<controlfield tag="001">id1</controlfield>'
        f'<controlfield tag="008">{fixed}</controlfield>{fields}</record>'
    )


def _field(tag: str, *subfields: str, ind: str = "  ") -> str:
    inner = "".join(f'<subfield code="{s[0]}">{escape(s[1:])}</subfield>' for s in subfields)
    return f'<datafield tag="{tag}" ind1="{ind[0]}" ind2="{ind[1]}">{inner}</datafield>'


TITLE = _field("245", "aA title")


def _record(fields: str, **fixed: str) -> Record:
    parsed = _parse(_answer(_marc(fields, **fixed)))
    assert not parsed.unread
    return parsed.records[0]


# --------------------------------------------------------------------------- MARC 21


def test_titles_lose_their_isbd_punctuation() -> None:
    """Title proper with number and name of a part; the rest of the title apart; the responsibility
    left out."""
    record = _record(
        _field("245", "aAnnals of x.", "nPart B,", "pMethods :", "ba quarterly /", "cby N. N.")
    )

    assert record.title == "Annals of x. Part B, Methods"
    assert record.subtitle == "a quarterly"


@cases.each("title", ["<<Der>> Prozess", "¬Der¬ Prozess", "\x98Der\x9c Prozess"])
def test_marks_around_an_article_are_taken_off(title: str) -> None:
    """Three ways of German catalogues to say that an article does not sort."""
    assert _record(_field("245", "a" + title)).title == "Der Prozess"


@cases.each(
    ("fields", "year"),
    [
        (_field("264", "c©2002", ind=" 4") + _field("264", "c[2001?]", ind=" 1"), 2001),
        (_field("260", "cc1985."), 1985),
        (_field("260", "c2024 [1967]"), 1967),
        (_field("260", "c民國88 [1999]"), 1999),
        (_field("260", "c1975 [i.e. 1976]"), 1976),
        (_field("264", "c1949-1980"), 1949),
        ("", 1999),
        (_field("260", "c[19--?]"), 1999),
    ],
)
def test_years_are_those_of_publication(fields: str, year: int) -> None:
    """264 with indicator 1, then other dates in words, then the coded date of 008."""
    assert _record(TITLE + fields).year == year


def test_an_unknown_coded_date_is_no_year() -> None:
    """008 says "198u" where only the decade is known."""
    assert _record(TITLE, date="198u").year is None


def test_identifiers_are_bare() -> None:
    """ISBN without binding, LCCN and OCLC numbers without blanks and prefixes, DOI from 024 with
    its code."""
    record = _record(
        TITLE
        + _field("010", "a   85-2 ")
        + _field("020", "a0393310728 (pbk.) :", "c$4.95")
        + _field("020", "a9783161484100")
        + _field("022", "a2049-3630")
        + _field("024", "aurn:nbn:x", "2urn", ind="7 ")
        + _field("024", "a10.5555/ABC", "2doi", ind="7 ")
        + _field("035", "a(DLC)123")
        + _field("035", "a(OCoLC)ocm00028494")
    )

    assert record.source_id == "id1"
    assert record.ids == {"lccn": "85000002", "oclc": "28494"}
    assert record.isbn == ("9780393310726", "9783161484100")
    assert record.issn == ("2049-3630",)
    assert record.doi == "10.5555/abc"


def test_a_doi_may_hide_behind_a_proxy() -> None:
    """Libraries link through their proxies; URLs that merely contain something like a DOI are not
    trusted."""
    proxied = _field(
        "856", "uhttp://proxy.example/login?url=http://dx.doi.org/10.1007/3-540-33077-1"
    )
    lookalike = _field("856", "uhttps://press.example/document/10.1515/9783110426298/html")

    assert _record(TITLE + proxied).doi == "10.1007/3-540-33077-1"
    assert _record(TITLE + lookalike).doi is None


def test_the_link_leads_to_the_work() -> None:
    """Second indicator 0 before 1 before none; 2, a related resource such as a table of contents,
    is no link to it."""
    related, version, resource = (
        _field("856", f"uhttp://{n}.example/", ind=f"4{n}") for n in "210"
    )

    assert _record(TITLE + related + version + resource).url == "http://0.example/"
    assert _record(TITLE + related + version).url == "http://1.example/"
    assert _record(TITLE + related).url is None


def test_an_article_lies_in_its_host() -> None:
    """773 gives journal, volume, issue, pages and ISSN; a series in 490 is no venue."""
    record = _record(
        TITLE
        + _field("490", "aA series ;", "v7")
        + _field(
            "773",
            "tJournal of tests.",
            "gVol. 12, no. 3 (2019), p. 123-145",
            "x2049-3630",
            ind="0 ",
        ),
        leader="00000nab a2200000 a 4500",
    )

    assert (record.venue, record.volume, record.issue, record.pages) == (
        "Journal of tests",
        "12",
        "3",
        "123-145",
    )
    assert record.issn == ("2049-3630",)
    assert record.type == "article"


def test_the_year_of_a_part_is_that_of_its_issue() -> None:
    """Not that in which it was online, or printed apart; a whole in a series keeps its own. The
    pages of a part stand in 300, too."""
    fields = (
        TITLE
        + _field("264", "c2018", ind=" 1")
        + _field("300", "aS. [4]-9")
        + _field("773", "tKites", "gBd. 12 (2019), 3")
    )
    part = _record(fields, leader="00000naa a2200000 a 4500")
    whole = _record(fields)

    assert (part.year, part.volume, part.pages) == (2019, "12", "4-9")
    assert (whole.year, whole.pages) == (2018, None)


def test_a_package_of_e_books_is_no_venue() -> None:
    """A book with a bare 773 $t was bought in a package; that does not make it an article."""
    record = _record(TITLE + _field("773", "tSpringer e-books"))

    assert record.venue is None
    assert record.type == "book"


@cases.each(
    ("leader", "fields", "kind"),
    [
        ("nam", "", "book"),
        ("nas", "", "journal"),
        ("naa", "", "chapter"),
        ("nab", "", "article"),
        ("ncm", "", "score"),
        ("njm", "", "audio"),
        ("nim", "", "audio"),
        ("nem", "", "map"),
        ("ngm", "", "video"),
        ("nkm", "", "image"),
        ("nmm", "", "other"),
        ("nmm", _field("020", "a9783161484100"), "book"),
        ("nam", _field("502", "aThesis (Ph.D.)--University of x, 1999."), "thesis"),
        ("njm", _field("773", "tAn album", "gtrack 3"), "audio"),
        ("naa", _field("773", "tA book", "z9783161484100", "gp. 3-9"), "chapter"),
    ],
)
def test_types_come_from_the_leader(leader: str, fields: str, kind: str) -> None:
    """Type of record and bibliographic level, and what notes and host say beyond them."""
    assert _record(TITLE + fields, leader=f"00000{leader} a2200000 a 4500").type == kind


def test_the_rest_of_a_record_is_tidied() -> None:
    """Publisher, edition, subjects, abstract and language; 880, in another script, does no harm."""
    record = _record(
        TITLE
        + _field("041", "aengfre")
        + _field("250", "a1st ed.")
        + _field("264", "a[S.l.] :", "bA press,", "c1999.", ind=" 1")
        + _field("520", "aSummary: What it is about.")
        + _field("650", "aStatistics.", "xMethods.")
        + _field("650", "aStatistics.")
        + _field("651", "aParis (France)")
        + _field("880", "6245-01", "a哥德堡變奏曲"),
        language="mul",
    )

    assert record.publisher == "A press"
    assert record.edition == "1st ed."
    assert record.subjects == ("Statistics", "Paris (France)")
    assert record.abstract == "What it is about."
    assert record.language == "en"


# --------------------------------------------------------------------------- envelopes


@cases.each(
    "namespace",
    [SRW, "http://www.loc.gov/zing/srw", "http://docs.oasis-open.org/ns/search-ws/sruResponse"],
)
def test_versions_differ_in_their_namespaces_only(namespace: str) -> None:
    """SRU 1.1, 1.2 and 2.0, and a server that forgot the slash."""
    assert _parse(_answer(_marc(TITLE), namespace=namespace, total=7)).total == 7


def test_soap_is_unwrapped() -> None:
    """SRW is the same answer in a SOAP envelope."""
    soap = "http://schemas.xmlsoap.org/soap/envelope/"
    envelope = (
        f"<e:Envelope "
        f'xmlns:e="{soap}"><e:Body>{_answer(_marc(TITLE), total=3)}</e:Body></e:Envelope>'
    )
    parsed = _parse(envelope)

    assert [r.title for r in parsed.records] == ["A title"]
    assert parsed.total == 3


def test_packed_records_are_unpacked() -> None:
    """recordPacking=string: the record is escaped XML, maybe with a declaration of its own."""
    packed = escape(
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + _marc(_field("245", "aÉtudes"))
    )

    assert [r.title for r in _parse(_answer(packed)).records] == ["Études"]


def test_a_record_that_cannot_be_unpacked_keeps_its_place() -> None:
    """It is counted as unread, and the next one stands second."""
    parsed = _parse(_answer(escape("<record><broken"), _marc(TITLE)))

    assert [r.position for r in parsed.records] == [2]
    assert [u.position for u in parsed.unread] == [1]


def test_a_diagnostic_in_the_place_of_a_record_is_told() -> None:
    """A surrogate diagnostic costs its record only, and its message is a note."""
    surrogate = (
        "<diagnostic "
        'xmlns="http://www.loc.gov/zing/srw/diagnostic/"><uri>info:srw/diagnostic/1/64</uri>'
        "<details>9</details><message>Record does not exist</message></diagnostic>"
    )
    parsed = _parse(_answer(surrogate, _marc(TITLE)))

    assert len(parsed.records) == len(parsed.unread) == 1
    assert parsed.notes == ("Record does not exist: 9",)


def _diagnostics(*each: str) -> str:
    inner = "".join(
        f'<d:diagnostic xmlns:d="http://www.loc.gov/zing/srw/diagnostic/">{e}</d:diagnostic>'
        for e in each
    )
    return f"<diagnostics>{inner}</diagnostics>"


@cases.each(
    ("diagnostics", "message"),
    [
        (
            ["<d:details>dc.x</d:details><d:message>Unsupported index</d:message>"],
            "Unsupported index: dc.x",
        ),
        (["<d:message>Query syntax error</d:message>"], "Query syntax error"),
        (["<d:uri>info:srw/diagnostic/1/10</d:uri><d:details/>"], "Query syntax error"),
        (["<d:message>One</d:message>", "<d:message>Two</d:message>"], "One; Two"),
    ],
)
def test_diagnostics_without_records_are_errors(diagnostics: list[str], message: str) -> None:
    """They come with status 200; message and details are said together."""
    with pytest.raises(SourceSaysError, match=message):
        _parse(
            f"<searchRetrieveResponse "
            f'xmlns="{SRW}">{_diagnostics(*diagnostics)}</searchRetrieveResponse>'
        )


def test_authentication_is_told_as_such() -> None:
    """A catalogue that wants to know who asks denies access, whatever its status."""
    body = _diagnostics("<d:uri>info:srw/diagnostic/1/3</d:uri><d:details>no session</d:details>")

    with pytest.raises(AccessDenied, match="Authentication error: no session"):
        _parse(f'<searchRetrieveResponse xmlns="{SRW}">{body}</searchRetrieveResponse>')


def test_nothing_found_is_no_error() -> None:
    """Some servers say of no hits that the first one is out of range."""
    diagnostics = _diagnostics("<d:uri>info:srw/diagnostic/1/61</d:uri>")

    assert _parse(_answer(total=0, extra=diagnostics)).total == 0
    with pytest.raises(SourceSaysError, match="First record position out of range"):
        _parse(_answer(total=9, extra=diagnostics))


def test_diagnostics_alone_and_nothing_but_surrogates_are_errors() -> None:
    """Without an envelope, and where every record is replaced by one."""
    alone = _diagnostics("<d:uri>info:srw/diagnostic/1/7</d:uri><d:details>query</d:details>")
    surrogate = (
        "<diagnostic "
        'xmlns="http://www.loc.gov/zing/srw/diagnostic/"><uri>info:srw/diagnostic/1/67</uri></diagnostic>'
    )

    with pytest.raises(SourceSaysError, match="Mandatory parameter not supplied: query"):
        _parse(alone)
    with pytest.raises(SourceSaysError, match="Record not available in this schema"):
        _parse(_answer(surrogate, surrogate))


@cases.each("root", ["records", "collection", "x"])
def test_marc_without_an_envelope_is_read(root: str) -> None:
    """Saved records come in a collection, or as one record alone."""
    each = _marc(TITLE)
    body = each if root == "x" else f"<{root}>{each}{each}</{root}>"

    assert {"A title"} == {record.title for record in _parse(body).records}


def test_diagnostics_beside_records_are_notes() -> None:
    """A server that ignored something says so and answers all the same."""
    parsed = _parse(
        _answer(_marc(TITLE), extra=_diagnostics("<d:message>Sort ignored</d:message>"))
    )

    assert len(parsed.records) == 1
    assert parsed.notes == ("Sort ignored",)


@cases.each("root", ["explainResponse", "scanResponse"])
def test_other_operations_are_no_lists_of_records(root: str) -> None:
    """The error names what came instead."""
    terms = "<terms><term><numberOfRecords>3</numberOfRecords></term></terms>"
    body = f'<{root} xmlns="{SRW}"><version>1.1</version>{terms}</{root}>'

    with pytest.raises(NotParsable, match=root):
        _parse(body)


def test_no_hits_are_no_error_and_hits_without_records_are_told() -> None:
    """numberOfRecords 0 is an answer; 498 with no record is odd."""
    assert _parse(_answer(total=0)) == PageContent(total=0)
    assert "498" in _parse(_answer(total=498)).notes[0]


def test_paging_goes_on_behind_the_last_record_that_came() -> None:
    """A server may send fewer than it was asked for; the next page begins where this one ended."""
    parsed = _parse(_answer(_marc(TITLE), _marc(TITLE), total=9), size=50, wanted=9)

    assert parsed.next is not None
    assert dict(parsed.next.params)["startRecord"] == "3"
    assert _parse(_answer(_marc(TITLE), total=1), size=50, wanted=9).next is None


# --------------------------------------------------------------------------- other schemas


def test_dublin_core_in_any_wrapping() -> None:
    """srw_dc, oai_dc, oclcdcs or bare: elements are found by local name."""
    for wrapper in ("srw_dc:dc", "oai_dc:dc", "oclcdcs", "x"):
        declared = f' xmlns:{wrapper.partition(":")[0]}="urn:x"' if ":" in wrapper else ""
        data = (
            f'<{wrapper}{declared} xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="{XSI}">'
            "<dc:title>A title : and more /</dc:title><dc:creator>Heath, Percy,1923-</dc:creator>"
            "<dc:date>c1999.</dc:date><dc:type>sound "
            "recording</dc:type><dc:language>fre</dc:language>"
            '<dc:identifier xsi:type="tel:ISBN">978-3-16-148410-0 : EUR 1</dc:identifier>'
            "<dc:identifier>https://a.example/1</dc:identifier><dc:identifier>doi:10.5555/X</dc:identifier>"
            f'<dc:identifier xsi:type="dnb:IDN">1091078653</dc:identifier></{wrapper}>'
        )
        record = _parse(_answer(data)).records[0]

        assert record.title == "A title : and more"
        assert record.authors == (Author("Percy Heath", "Heath", "Percy"),)
        assert (record.year, record.type, record.language) == (1999, "audio", "fr")
        assert (record.isbn, record.doi, record.url) == (
            ("9783161484100",),
            "10.5555/x",
            "https://a.example/1",
        )
        assert record.source_id == "1091078653"


def test_mods() -> None:
    """Non-sorting words, parts of a name that are no name, the host with its part, coded dates
    first."""
    data = (
        '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo '
        'type="uniform"><title>No</title></titleInfo>'
        "<titleInfo><nonSort>The  </nonSort><title>Rails view</title><subTitle>a "
        "guide</subTitle></titleInfo>"
        '<name type="personal"><namePart>Williams, Bruce</namePart>'
        "<namePart "
        'type="termsOfAddress">(Engineer)</namePart></name><typeOfResource>text</typeOfResource>'
        "<originInfo><publisher>Shelf,</publisher><dateIssued>[2013?]</dateIssued></originInfo>"
        '<originInfo><dateIssued encoding="marc">2012</dateIssued></originInfo><abstract>About '
        "it.</abstract>"
        '<relatedItem type="host"><titleInfo><title>Journal</title></titleInfo>'
        '<part><detail type="volume"><number>4</number></detail>'
        '<extent unit="pages"><start>1</start><end>9</end></extent></part></relatedItem>'
        '<identifier type="isbn">9783161484100 (pbk.)</identifier><identifier '
        'type="oclc">ocn641973755</identifier>'
        "<recordInfo><recordIdentifier>m1</recordIdentifier></recordInfo></mods>"
    )
    record = _parse(_answer(data)).records[0]

    assert (record.title, record.subtitle) == ("The Rails view", "a guide")
    assert record.authors == (Author("Bruce Williams", "Williams", "Bruce"),)
    assert (record.year, record.publisher, record.source_id) == (2012, "Shelf", "m1")
    assert (record.venue, record.volume, record.pages, record.type) == (
        "Journal",
        "4",
        "1-9",
        "article",
    )
    assert (record.isbn, record.ids) == (("9783161484100",), {"oclc": "641973755"})


def test_names_of_mods_are_in_parts_or_whole() -> None:
    """Family and given names lie apart or together; publishers are no authors."""
    data = (
        '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>A '
        'title</title></titleInfo><name type="personal">'
        '<namePart type="given">Ada</namePart><namePart type="family">Writer</namePart>'
        '<namePart type="date">1975-</namePart>'
        '<role><roleTerm type="code">aut</roleTerm></role></name>'
        '<name type="personal"><namePart>Doe, Jane, 1950-2000</namePart></name>'
        '<name type="corporate"><namePart>A '
        "house</namePart><role><roleTerm>pbl</roleTerm></role></name></mods>"
    )
    authors = (Author("Ada Writer", "Writer", "Ada"), Author("Jane Doe", "Doe", "Jane"))

    for body in (
        _answer(data),
        data,
        f'<modsCollection xmlns="http://www.loc.gov/mods/v3">{data}</modsCollection>',
    ):
        assert [authors] == [record.authors for record in _parse(body).records]


def test_title_statements_of_dublin_core_name_no_authors() -> None:
    """What catalogues write behind " / " repeats the authors; their roles are no part of their
    names."""
    data = (
        '<dc xmlns="http://purl.org/dc/elements/1.1/"><title>Faust : eine Tragödie / von '
        "Goethe</title>"
        "<creator>Goethe, Johann Wolfgang von [Verfasser]</creator><date>2001</date></dc>"
    )
    record = _parse(_answer(data)).records[0]

    assert record.title == "Faust : eine Tragödie"
    assert record.authors == (
        Author("Johann Wolfgang von Goethe", "Goethe", "Johann Wolfgang von"),
    )


def test_pica_xml() -> None:
    """Tags of four characters, names in parts or linked, and a mark before the word that a title is
    sorted by."""
    fields = [
        ("002@", "0Aau"), ("003@", "012345X"), ("004A", "0978-3-16-148410-0"), ("010@", "ager"),
        ("011@", "a2005"),
        ("021A", "aDie @Vermessung der Welt", "dRoman"), ("028A", "dDaniel", "aKehlmann"), ("028B",
        "8Doe, Jane"),
        ("029A", "aEine Gesellschaft"), ("033A", "pReinbek", "nRowohlt"),
    ]  # fmt: skip
    inner = "".join(_field(tag, *subfields) for tag, *subfields in fields)
    data = f'<record xmlns="info:srw/schema/5/picaXML-v1.0">{inner}</record>'
    record = _parse(_answer(data)).records[0]

    assert (record.title, record.subtitle, record.source_id) == (
        "Die Vermessung der Welt",
        "Roman",
        "12345X",
    )
    assert [a.name for a in record.authors] == ["Daniel Kehlmann", "Jane Doe", "Eine Gesellschaft"]
    assert (record.year, record.publisher, record.language, record.type) == (
        2005,
        "Rowohlt",
        "de",
        "book",
    )
    assert record.isbn == ("9783161484100",)


def test_unimarc_is_told_by_its_title_field() -> None:
    """200 is the title in UNIMARC, 700 $a and $b the first author, 210 $d the year."""
    data = (
        '<mxc:record xmlns:mxc="info:lc/xmlns/marcxchange-v2"><mxc:leader>00000cam  '
        "2200000</mxc:leader>"
        '<mxc:controlfield tag="001">FRBNF1</mxc:controlfield>'
        + "".join(
            f'<mxc:datafield tag="{tag}" ind1=" " ind2=" ">'
            + "".join(f'<mxc:subfield code="{s[0]}">{s[1:]}</mxc:subfield>' for s in subfields)
            + "</mxc:datafield>"
            for tag, *subfields in [
                ("010", "a978-3-16-148410-0"),
                ("101", "afre"),
                ("200", "aLes misérables", "eroman", "fVictor Hugo"),
                ("210", "aParis", "cHachette", "dDL 1999"),
                ("700", "aHugo", "bVictor", "f1802-1885", "4070"),
                ("712", "aHachette", "4650"),
            ]
        )
        + "</mxc:record>"
    )
    record = _parse(_answer(data)).records[0]

    assert (record.title, record.subtitle, record.source_id) == (
        "Les misérables",
        "roman",
        "FRBNF1",
    )
    assert record.authors == (Author("Victor Hugo", "Hugo", "Victor"),)
    assert (record.year, record.publisher, record.language, record.type) == (
        1999,
        "Hachette",
        "fr",
        "book",
    )
    assert record.isbn == ("9783161484100",)


def test_a_schema_that_is_like_nothing_known_loses_what_has_no_title() -> None:
    """Archival descriptions have a title and a date by local name; what has neither is told as
    unread."""
    isad = (
        "<a:description xmlns:a='urn:isad'><a:reference>MM 24</a:reference><a:title>Act</a:title>"
        "<a:date>09.05.1966</a:date></a:description>"
    )
    pica = (
        '<record xmlns="info:srw/schema/5/picaXML-v1.0"><datafield tag="021A">'
        '<subfield code="a">x</subfield></datafield></record>'
    )

    assert [(r.title, r.year, r.source_id) for r in _parse(_answer(isad)).records] == [
        ("Act", 1966, "MM24")
    ]
    assert len(_parse(_answer(pica)).unread) == 1
