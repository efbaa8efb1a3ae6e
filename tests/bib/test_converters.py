"""Converters: what a selector found becomes the value of a field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.select.json import find_json_people
from metasearch.bib import authors as people
from metasearch.bib import converters, identifiers, isbd, texts
from metasearch.bib.bylines import without_degrees
from metasearch.record import Author
from tests.cases import each, sample
from tests.examples import examples

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6) | st.just("name"), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "name", sample(sorted({*converters.CONVERTERS} - converters.NODE_CONVERTERS), 4)
)
@given(found=ANYTHING)
@examples(0.3)
def test_never_raises(name: str, found: Any) -> None:
    """Whatever a database sends, a converter gives a value or None; an odd field costs no
    record."""
    value = converters.CONVERTERS[name](found)

    assert value is None or isinstance(value, (str, int, tuple))


@each(
    ("name", "found", "expected"),
    [
        ("text", ["", "  ", "A <i>b</i> &amp; c"], "A b & c"),
        ("text", {"@pid": "1", "text": "A"}, "A"),
        ("text", 12, "12"),
        ("text", [], None),
        ("text", True, None),
        ("joined", ["One.", None, "Two."], "One. Two."),
        ("commas", ["A", "B"], "A, B"),
        ("list", ["a", "b", "a", ""], ("a", "b")),
        ("split-list", "a; b|c", ("a", "b", "c")),
        ("abstract", "<jats:title>Abstract</jats:title><jats:p>We show.</jats:p>", "We show."),
        ("abstract", "ABSTRACT we show", "we show"),
        ("abstract", "Summary: we show", "we show"),
        ("abstract", "摘要：本文", "本文"),
        ("abstract", "Abstract machines are studied.", "Abstract machines are studied."),
        ("abstract", "AbstractWe show.", "We show."),
        ("abstract", "ABSTRACTS of the meeting.", "ABSTRACTS of the meeting."),
        ("abstract", "Summaries help.", "Summaries help."),
        ("inverted-index", {"b": [1], "a": [0, 2], "odd": "x", "odder": [None]}, "a b a"),
        ("inverted-index", "text", None),
        ("date", "200506", "2005-06"),
        ("date", "20110000", "2011"),
        ("date-printed", "Tue, 05 Mar 2019 10:00:00 GMT", "2019-03-05"),
        ("language", "/languages/dan", "da"),
        ("oclc", ["UOM:39015012345678", "OCLC:1234567"], "1234567"),
        ("citation-venue", "The Lancet, June 10, 2017, Vol.389(10086), p.2280(2)", "The Lancet"),
        (
            "citation-venue",
            "Community, Work & Family, 01 April 2001, Vol.4(1)",
            "Community, Work & Family",
        ),
        ("citation-issue", "The Lancet, June 10, 2017, Vol.389(10086), p.2280(2)", "10086"),
        ("citation-issue", "Vol. 12 (2019)", None),
        ("citation-venue", "Uncut, Issue 215, p.93", "Uncut"),
        ("citation-venue", "A Dictionary of Bells", "A Dictionary of Bells"),
        ("no-final-stop", "On graphs.", "On graphs"),
        ("no-final-stop", "Web 2.0.", "Web 2.0"),
        ("no-final-stop", "Apples etc.", "Apples etc."),
        ("no-final-stop", "And then...", "And then..."),
        ("no-final-stop", "Why?", "Why?"),
        ("bracketed", "[Ein Titel].", "Ein Titel"),
        ("bracketed", "[A] and [B].", "[A] and [B]"),
        ("date", "20200423", "2020-04-23"),
        ("date", "20200400", "2020-04"),
        ("date-printed", "28 August 2015", "2015-08-28"),
        ("date-printed", "Aug. 15, 2011", "2011-08-15"),
        ("date-printed", "SEP 9 2023", "2023-09-09"),
        ("date-printed", ["APR 12", 2022], "2022-04-12"),
        ("date-printed", "November 1951", "1951-11"),
        ("date-printed", "11-12 July 2018", "2018-07"),
        ("date-printed", "31 Jan.-2 Feb. 2018", "2018"),
        ("date-printed", "Jan-Feb 2016", "2016"),
        ("date-printed", "Spring 2010", "2010"),
        ("date-printed", "2015-08-28", "2015-08-28"),
        ("date-printed", "12 Marble Street", None),
        ("day-first-date", "12/11/2024", "2024-11-12"),
        ("day-first-date", "1.2.1999", "1999-02-01"),
        ("day-first-date", "11/13/2024", "2024"),
        ("day-first-date", "01/01/1987", "1987"),
        ("day-first-date", "2024-11-12", "2024-11-12"),
        ("pmid", "MEDLINE:37689792", "37689792"),
        ("pmid", "https://pubmed.ncbi.nlm.nih.gov/37689792/", "37689792"),
        ("pmid", 37689792, "37689792"),
        ("pmid", "PMC6422012", None),
        ("article-number", "ARTN 15", "15"),
        ("article-number", "e1001", "e1001"),
        ("pages", r"371\u2013372", "371-372"),
        ("integer", "1,204", 1204),
        ("integer", 7.0, 7),
        ("integer", 7.5, None),
        ("size-pages", "Medium: X; Size: Pages 2448 to 2455", "2448-2455"),
        ("size-pages", "Medium: ED; Size: p. 228-229", "228-229"),
        ("size-pages", "Medium: ED; Size: L35", "L35"),
        ("size-pages", "Medium: X; Size: e1004334 - end of article", "e1004334"),
        ("size-pages", "Medium: ED; Size: 19 pages", None),
        ("size-pages", "Medium: ED; Size: Pages: 133", None),
        ("size-pages", "Medium: ED; Size: PDF-file: 29 pages; size: 0.5 Mb", None),
        ("integer", "1,5", None),
        ("year", "c1999.", 1999),
        ("year", "[2001?]", 2001),
        ("year", "1998 Dec-1999 Jan", 1998),
        ("year", 2004, 2004),
        ("year", "20040301", 2004),
        ("year", 2549, None),
        ("year", "no year", None),
        ("date", "2020-03-05T10:00:00Z", "2020-03-05"),
        ("date", "2020-3", "2020-03"),
        ("date", "1993-00-00", "1993"),
        ("date", "2020-13-01", "2020"),
        ("date", "2014--", "2014"),
        ("date", ["2020", "Mar", "5"], "2020-03-05"),
        ("date", ["2011", None], "2011"),
        ("date", [2020, 3], "2020-03"),
        ("date", "spring 2020", None),
        ("date-parts", [[2020, 3, 5]], "2020-03-05"),
        ("date-parts", [[None]], None),
        ("date-parts", [["1998"]], "1998"),
        ("padded-date", "2001-01-01", "2001"),
        ("padded-date", "2001-01-02", "2001-01-02"),
        ("precise-date", {"time": "+2015-03-05T00:00:00Z", "precision": 11}, "2015-03-05"),
        ("precise-date", [{"time": "+2015-03-00T00:00:00Z", "precision": 10}], "2015-03"),
        ("precise-date", {"time": "+2015-01-01T00:00:00Z", "precision": 9}, "2015"),
        ("precise-date", {"time": "+1900-01-01T00:00:00Z", "precision": 7}, None),
        ("precise-date", [None, {"time": None, "precision": "11"}, "2015"], None),
        ("pages", "343 - 384", "343-384"),
        ("pages", "\n 347\u2013351 \n", "347-351"),
        ("pages", ["533", "536"], "533-536"),
        ("pages", ["7", "7"], "7"),
        ("pages", ["1e5", None], "1e5"),
        ("pages", "2250057:1-2250057:45", "2250057:1-2250057:45"),
        ("doi", ["1234-5678", "https://doi.org/10.1000/ABC."], "10.1000/abc"),
        ("url", ["ftp://a", "https://a.org/x y"], "https://a.org/x%20y"),
        ("url", "javascript:alert(1)", None),
        ("isbn", ["3-540-12345-9; 9783161484100"], ("9783161484100",)),
        ("isbn", "0-306-40615-2", ("9780306406157",)),
        ("issn", ["0028-0836, 14764687", "0028-0836"], ("0028-0836", "1476-4687")),
        ("arxiv", "http://arxiv.org/abs/cs/0102003v1", "cs/0102003"),
        (
            "arxiv-url",
            ["https://example.org/pdf/2101.00001", "https://arxiv.org/pdf/2101.00002v3"],
            "2101.00002",
        ),
        ("arxiv-url", "10.48550/arXiv.2101.00003", "2101.00003"),
        ("pmcid", "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC0123/", "PMC123"),
        ("pmcid", "9001823", "PMC9001823"),
        ("pmcid", "none", None),
        ("last-segment", "https://openalex.org/W1", "W1"),
        ("identifier", " a b ", "ab"),
        ("integer", 0, 0),
        ("integer", "12", 12),
        ("integer", "-1", None),
        ("integer", 1.5, None),
        ("language", "ger", "de"),
        ("language", "freger", "fr"),
        ("language", "eng fre gre", "en"),
        ("language", "slovenian", "sl"),
        ("language", "en-US", "en"),
        ("language", "und", None),
        ("sole-language", ["English"], "en"),
        ("sole-language", ["EN", "eng"], "en"),
        ("sole-language", ["EN", "PT"], None),
    ],
)
def test_value(name: str, found: Any, expected: Any) -> None:
    """Each form that a database writes gives the one form that a record holds."""
    assert expected == converters.CONVERTERS[name](found)


def test_pdf_url() -> None:
    """A DOI leads to a page and not to a file."""
    assert "https://a.org/1.pdf" == converters.DEFAULTS["pdf_url"](
        ["https://doi.org/10.1/x", "https://a.org/1.pdf"]
    )
    assert converters.DEFAULTS["pdf_url"]("http://dx.doi.org/10.1/x") is None


@each(
    ("name", "found", "expected"),
    [
        ("names", "Doe, Jane", [Author("Jane Doe", "Doe", "Jane")]),
        ("names", "Jane Doe", [Author("Jane Doe")]),
        ("names", "Invented Computer, Inc.", [Author("Invented Computer, Inc.")]),
        ("names", "Inc, Ada", [Author("Ada Inc", "Inc", "Ada")]),
        (
            "names",
            "King, Martin Luther, Jr.",
            [Author("Martin Luther King Jr.", "King", "Martin Luther", suffix="Jr.")],
        ),
        (
            "names",
            "Institute of Ice and of Snow, University of Invention",
            [Author("Institute of Ice and of Snow, University of Invention")],
        ),
        ("names", ["et al.", ""], []),
        (
            "names-semicolon",
            "Byron, Ada, 0000-0002-1825-0097; Fern-Moss, Bea",
            [
                Author("Ada Byron", "Byron", "Ada", "0000-0002-1825-0097"),
                Author("Bea Fern-Moss", "Fern-Moss", "Bea"),
            ],
        ),
        (
            "names",
            ["(:unav)", "(:unkn) Unknown", "Byron, Ada"],
            [Author("Ada Byron", "Byron", "Ada")],
        ),
        (
            "names-semicolon",
            "Doe, Jane; 王伟；Roe, R.",
            [Author("Jane Doe", "Doe", "Jane"), Author("王伟"), Author("R. Roe", "Roe", "R.")],
        ),
        (
            "names-comma",
            "da Silva CS, O'Neill J-P, Group.",
            [
                Author("CS da Silva", "da Silva", "CS"),
                Author("J-P O'Neill", "O'Neill", "J-P"),
                Author("Group"),
            ],
        ),
        (
            "names-comma",
            "Falk G, Jr., Osei KA 3rd, u.a.",
            [
                Author("G Falk Jr.", "Falk", "G", suffix="Jr."),
                Author("KA Osei III", "Osei", "KA", suffix="III"),
            ],
        ),
        (
            "names-and",
            "G. Falk, Jr., K. Osei and M. Lind",
            [Author("G. Falk Jr.", suffix="Jr."), Author("K. Osei"), Author("M. Lind")],
        ),
        (
            "names-bracketed",
            "Falk, G., Jr.; Osei, K. A., III",
            [
                Author("G. Falk Jr.", "Falk", "G.", suffix="Jr."),
                Author("K. A. Osei III", "Osei", "K. A.", suffix="III"),
            ],
        ),
        (
            "names-initials-and",
            "<span> Byron AM, van Galen M and Ek P <em>et al.</em></span>",
            [
                Author("AM Byron", "Byron", "AM"),
                Author("M van Galen", "van Galen", "M"),
                Author("P Ek", "Ek", "P"),
            ],
        ),
        (
            "names-initials",
            ["Sumithra M.G.", "Smith J. A."],
            [Author("M.G. Sumithra", "Sumithra", "M.G."), Author("Smith J. A.")],
        ),
        (
            "names-homonym",
            [{"@pid": "1", "text": "Wei Wang 0001"}, "Al Roe"],
            [Author("Wei Wang", "Wang", "Wei"), Author("Al Roe", "Roe", "Al")],
        ),
    ],
)
def test_names(name: str, found: Any, expected: list[Author]) -> None:
    """Names are shown as "Given Family", and taken apart only where the source does."""
    assert tuple(expected) == converters.CONVERTERS[name](found)


def test_names_with_affiliations_in_brackets() -> None:
    """Affiliation and ORCID are taken out of the name, mail addresses and what stands for no name
    are left out."""
    read = converters.CONVERTERS["names-bracketed"]

    assert read(
        ["Byron, Ada M. [Lab A; Somewhere] (ORCID:0000000218250097)", "STAR Collaboration"]
    ) == (
        Author("Ada M. Byron", "Byron", "Ada M.", "0000-0002-1825-0097", "Lab A; Somewhere"),
        Author("STAR Collaboration", collective=True),
    )
    assert read(
        "Byron, Ada, Email: ada@example.org, (ORCID: 12) [Lab B]; /SLAC; Tanaka, Ken /KIPAC; "
        "None; , "
    ) == (
        Author("Ada Byron", "Byron", "Ada", None, "Lab B"),
        Author("Ken Tanaka", "Tanaka", "Ken"),
    )
    assert read("none, ") == ()


def from_objects(**kinds: str) -> converters.Converter:
    parts = {part: (lambda item, key=key: item.get(key)) for part, key in kinds.items()}
    return people.people(find_json_people(lambda node: node, parts, people.MOST["authors"]), parts)


def test_people() -> None:
    """Authors that are objects keep their parts; a corporate name is never taken apart; each comes
    once."""
    read = from_objects(
        name="name", family="family", given="given", orcid="orcid", corporate="body"
    )

    found = read(
        [
            {
                "name": "Doe, Jane",
                "family": "Doe",
                "given": "Jane",
                "orcid": "https://orcid.org/0000-0002-1825-0097",
            },
            {"body": "Institute of Ice, Invented University"},
            {"family": "Roe"},
            {"family": "Roe"},
            "Plain, Text",
            {},
        ]
    )

    assert (
        Author("Jane Doe", "Doe", "Jane", "0000-0002-1825-0097"),
        Author("Institute of Ice, Invented University", collective=True),
        Author("Roe", "Roe"),
        Author("Text Plain", "Plain", "Text"),
    ) == found


def test_one_person_without_a_list() -> None:
    """ "One or many" sources write a single author without a list."""
    assert (Author("Jane Doe"),) == from_objects(name="name")({"name": "Jane Doe"})
    assert () == from_objects(name="name")(None)


def test_large_collaborations() -> None:
    """Thousands of authors are read in time that grows with their number, not with its square."""
    many = [{"name": f"Author {number}"} for number in range(20_000)]

    assert 20_000 == len(from_objects(name="name")(many))


@each(
    ("given", "family", "name"),
    [
        ("Ada", "Byron", "Ada Byron"),
        ("征", "王", "王征"),
        ("영희", "김", "김영희"),
        ("Wei", "王", "Wei 王"),
        ("", "王", "王"),
    ],
)
def test_names_are_shown_as_they_are_read(given: str, family: str, name: str) -> None:
    """The given name comes first, except where both parts are Han or Hangul."""
    author = people.person("", family, given or None)

    assert author is not None
    assert author.name == name


def test_a_name_of_nothing_but_markup_is_no_author() -> None:
    """Parts that are empty once their tags are gone name nobody; one that is left names
    somebody."""
    assert people.person("", "<i></i>", "&nbsp;") is None
    assert people.person("", "<i>Berg</i>", "&nbsp;") == Author("Berg", "Berg")


def test_a_statement_of_responsibility_names_its_first_people() -> None:
    """Those before the first ";", without "by": translators and illustrators come behind it."""
    found = converters.CONVERTERS["names-statement"]

    assert found("by Ada Byron and Ken Tanaka ; illustrated by X. Y.") == (
        Author("Ada Byron"),
        Author("Ken Tanaka"),
    )
    assert found("Bybee Smith.") == (Author("Bybee Smith"),)
    assert found(None) == ()


@each(
    ("name", "expected"),
    [
        ("Ada Byron, MD, PhD", "Ada Byron"),
        ("Ada Byron, M.D., Ph.D., M.P.H.", "Ada Byron"),
        ("Ada Byron, Prof. Dr. med.", "Ada Byron"),
        ("Byron, Ada", "Byron, Ada"),
        ("van Galen, Marc", "van Galen, Marc"),
        ("Ada Byron", "Ada Byron"),
    ],
)
def test_degrees_are_no_part_of_a_name(name: str, expected: str) -> None:
    """Registers of studies write the degrees of a person behind the name."""
    assert expected == without_degrees(name)


@each(
    ("found", "expected"),
    [
        ("MEDLINE Abstract: We show.", "We show."),
        ("Publisher's Summary: We show.", "We show."),
        ("Abstract in English: We show.", "We show."),
        ("[English Abstract] We show.", "We show."),
        ("ABSTRACT. We show.", "We show."),
        ("Abstract: abstract: we show", "abstract: we show"),
        ("MEDLINE abstracts were read: few.", "MEDLINE abstracts were read: few."),
        ("Reading The Abstract is quick.", "Reading The Abstract is quick."),
        ("Background: Abstract: no.", "Background: Abstract: no."),
        ("MEDLINE Abstract:", "MEDLINE Abstract:"),
    ],
)
def test_issue_14_19_labels_of_aggregators_before_abstracts_are_taken_off(
    found: str, expected: str
) -> None:
    """EBSCOhost's "MEDLINE Abstract:" and the like; a sentence that begins so stays."""
    assert texts.abstract(found) == expected


@each(
    ("found", "expected"),
    [
        ("Stockholm : Klockan", "Klockan"),
        ("Stockholm ; Lund : Klockan, 1990", "Klockan"),
        ("Paris : Seuil ; Arles : Actes Sud, cop. 2001", "Seuil"),
        ("[London : Belfry Books]", "Belfry Books"),
        ("[S.l. : s.n.], 1990", None),
        ("Klockan", "Klockan"),
        ("Media: the publisher", "Media: the publisher"),
        ("1843 Press, London", "1843 Press, London"),
    ],
)
def test_issue_14_19_publishers_stand_without_their_town(found: str, expected: str | None) -> None:
    """As Libris and Dublin Core made from catalogues have them; a colon without a blank belongs to
    a name."""
    assert isbd.publisher(found) == expected


_LEAVES = st.sampled_from((
    *(0, 1, 3, 31, 2020, -1, True, 10**15, 2.0, None, "", " ", "a", " b ", "a", "c  d", "<i>e</i>"),
    *("\x1f", "é", "f" * 60),
))  # fmt: skip
_FOUND = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@given(st.one_of(_FOUND, st.lists(st.lists(_LEAVES, min_size=3, max_size=3), max_size=2)))
def test_what_is_ordinary_is_converted_as_all_else(found: Any) -> None:
    """The short way gives the same, or nothing; and nothing where that is larger than allowed."""
    for convert, ordinary in converters.ORDINARY.items():
        value = ordinary(found, 100)
        assert value is None or (type(value), value) == (type(convert(found)), convert(found))
    for most in range(4):
        assert texts.plain_text_list(["ab"], most) == (("ab",) if most > 2 else None)


@each(
    ("address", "is_file"),
    [
        ("https://d-nb.info/1190553870/34", True),
        ("https://d-nb.info/1190553870", False),
        ("https://nbn-resolving.org/urn:nbn:de:101:1-2", False),
        ("https://hdl.handle.net/1/2", False),
        ("https://archive.example/xmlui/handle/10045/1308", False),
        ("https://archive.example/bitstream/handle/10045/1308/a.pdf", True),
        ("http://urn.example.se/resolve?urn=urn:nbn:se:x-1", False),
        ("https://archive.example/urn-3:Inst.Repos:122", False),
        ("https://europepmc.org/articles/PMC6286148", False),
        ("https://europepmc.org/articles/PMC6286148?pdf=render", True),
        ("https://arxiv.org/abs/1707.08567", False),
        ("https://www.osti.gov/servlets/purl/1165967", True),
    ],
)
def test_a_resolver_leads_to_a_page_and_not_to_a_file(address: str, is_file: bool) -> None:
    """What a catalogue calls a PDF may be its page."""
    assert (identifiers.pdf_url(address) is not None) is is_file
