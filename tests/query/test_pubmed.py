"""PubMed's syntax: what is read, what is told, what is refused."""

from __future__ import annotations

from datetime import date
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.errors import QuerySyntaxError
from metasearch.query import And, Or, Query, Term, Years, read, to_text
from metasearch.query.pubmed import TAGS, target_of_tag
from metasearch.query.tree import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, terms
from tests.cases import each

parse_pubmed = partial(read, syntax="pubmed")
#: What a tag of such a field may hold.
VALUES = {"year": "2015", "language": "english", "type": "review"}
#: What is told of a heading that is taken with all narrower ones.
HEADING = ["headings are looked for among keywords", "narrower headings are not added"]


def error_of(text: str) -> QuerySyntaxError | None:
    """What reading it raises, if anything."""
    try:
        parse_pubmed(text)
    except QuerySyntaxError as error:
        return error
    return None


def refused(text: str) -> QuerySyntaxError:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_pubmed(text)
    assert caught.value.syntax == "pubmed"
    return caught.value


def phrase(text: str, field: str = "any") -> Term:
    return Term(text, field, phrase=True)


@each(
    ("text", "shown"),
    [
        (
            '"heart attack"[tiab] AND smith j[au] NOT review[pt] AND 2015:2020[dp]',
            (
                '(title:"heart attack" OR abstract:"heart attack") AND author:(smith j) AND NOT '
                "type:review "
                "AND year:2015-2020"
            ),
        ),
        ("a OR b AND c", "(a OR b) AND c"),
        ("a AND b OR c", "a AND b OR c"),
        ("a OR (b AND c)", "a OR b AND c"),
        ("a b[ti] c", "title:(a b) AND c"),
        ("a AND NOT b", "a AND NOT b"),
        ("NOT a AND b", "NOT a AND b"),
        ("cats and dogs", "cats and dogs"),
        ("Cats（dogs OR mice）", "Cats AND (dogs OR mice)"),
    ],
)
def test_booleans_are_read_from_left_to_right(text: str, shown: str) -> None:
    """Without precedence, in capitals; words side by side are joined with AND."""
    assert to_text(parse_pubmed(text).query) == shown


@each(
    ("text", "query"),
    [
        ("gene[ti]", Term("gene", "title")),
        ("gene [TI]", Term("gene", "title")),
        ("gene[Title]", Term("gene", "title")),
        ("gene[Title/Abstract]", Or((Term("gene", "title"), Term("gene", "abstract")))),
        ("gene[ab]", Term("gene", "abstract")),
        ("gene[tw]", Term("gene")),
        ("gene[all]", Term("gene")),
        ("smith ja[au]", Term("smith ja", "author")),
        ("lancet[ta]", Term("lancet", "venue")),
        ("gene[ot]", Term("gene", "subject")),
        ('"gene drive"', phrase("gene drive")),
        ("“gene drive”", phrase("gene drive")),
        ('"gene"[ti]', phrase("gene", "title")),
        ("gene*", Term("gene", truncated=True)),
        ("gene driv*[ti]", And((Term("gene", "title"), Term("driv", "title", truncated=True)))),
        ("10.1000/X[doi]", Term("10.1000/x", "doi")),
        ("10.1000/x[aid]", Term("10.1000/x", "doi")),
        ("0028-0836[is]", Term("0028-0836", "issn")),
        ("AND[ti]", Term("AND", "title")),
    ],
)
def test_tags(text: str, query: Query) -> None:
    """Short and long names, in any case, each for the words directly before it."""
    found = parse_pubmed(text)

    assert found.query == query
    assert found.notes == ()


@each(
    ("text", "years"),
    [
        ("2015[dp]", Years(2015, 2015)),
        ("2015:2020[dp]", Years(2015, 2020)),
        ("2015:3000[pdat]", Years(2015, None)),
        ("2015[dp]:2020[dp]", Years(2015, 2020)),
        ('"2015"[dp] : "2020"[dp]', Years(2015, 2020)),
        ('"2015/01/01"[Date - Publication] : "2020/12/31"[Date - Publication]', Years(2015, 2020)),
        ("2015/01/01:2020[dp]", Years(2015, 2020)),
    ],
)
def test_dates(text: str, years: Years) -> None:
    """Whole years are kept exactly, however the range is written."""
    found = parse_pubmed(f"gene AND {text}")

    assert found.query == And((Term("gene"), years))
    assert found.notes == ()


@each(
    ("text", "shown", "told"),
    [
        ("smith j[1au]", "author:(smith j)", "[1au] is looked for among all authors"),
        ("smith j[lastau]", "author:(smith j)", "[lastau] is looked for among all authors"),
        ("abc[aid]", "abc", "[aid] is looked for everywhere"),
        (
            '"gene drive"[Title:~2]',
            "title:gene NEAR/2 title:drive",
            "[Title:~2]: sources cannot be asked how near",
        ),
        ('"gen* drive"[ti]', "title:gen* PRE/0 title:drive", "gen* drive: sources cannot"),
        ("gene 2015/06[dp]", None, None),
        ("gene AND 2015/06[dp]", "gene AND year:2015", "only the year of a date"),
        (
            "gene AND 2015[edat]",
            "gene AND year:2015",
            "[edat] is read as the date of publication",
        ),
        (
            "gene AND case reports[pt]",
            "gene AND type:article",
            '[pt] "case reports" is read as type:article',
        ),
    ],
)
def test_what_is_not_kept_is_told(text: str, shown: str | None, told: str | None) -> None:
    """One note a thing; where there is nothing to keep, an error."""
    if shown is None or told is None:
        assert "four digits" in refused(text).reason
        return
    found = parse_pubmed(text)

    assert to_text(found.query) == shown
    (note,) = found.notes
    assert note.startswith(told)


@each(
    ("text", "shown", "notes"),
    [
        ("x NOT (case reports[pt] OR letter[pt])", "x AND NOT type:letter", ["which includes more",
                                                                            "less is excluded"]),
        ("x[ti] AND (y[ti] OR z[ad])", "title:x", ["z[ad]: ignored", "one of these alternatives"]),
        ("x NOT (y OR z[ad])", "x AND NOT y",
         ["z[ad]: ignored", "less is excluded"]),
        ('"heart attack"[mh]', 'subject:"heart attack"', ["[mh]: headings", "[mh]: narrower"]),
        ("heart attack[MeSH Terms]", 'subject:"heart attack"', HEADING),
        ("gene[majr]", "subject:gene", ["[majr]: sources cannot be asked for the main", *HEADING]),
        ("gene[mh:noexp]", "subject:gene", ["[mh:noexp]: headings are looked for among keywords"]),
        ("x NOT medline[sb]", "x", ["medline[sb]: ignored", "less is excluded"]),
        ("x AND (clinicaltrial[Filter] OR review[Filter])",
         'x AND (subject:"clinical trial" OR type:review)', ["no type of works as narrow"]),
        ("x AND systematic[sb]", "x AND type:review", ["a type that includes more"]),
        ("x NOT systematic[sb]", "x", ["a type that includes more", "less is excluded"]),
        ("x AND (humans[Filter]) AND (english[Filter])", "x AND language:en", ["humans[Filter]"]),
        ("x AND excludepreprints[Filter]", "x AND NOT type:preprint", []),
        ("x AND has abstract[FILT]", "x", ["has abstract[FILT]: ignored"]),
        ("x AND hasabstract[text]", "x", ["hasabstract[text]: ignored"]),
        ("(x OR y[ab])[ti]", "title:x OR abstract:y", ["[ti] behind a bracket"]),
        ("x AND (2019 OR 2020)[dp]", "x AND (year:2019 OR year:2020)", ["[dp] behind a bracket"]),
        ('"asthma/drug therapy"[MeSH]', 'subject:"asthma"', ["/drug therapy: sources", *HEADING]),
        ("x NOT asthma/therapy[mh]", "x", ["/therapy: sources", *HEADING, "less is excluded"]),
        ("x NOT asthma[majr]", "x", ["for the main topic", *HEADING, "less is excluded"]),
        ("eye diseases/chemically induced AND x", 'subject:"eye diseases" AND x',
         ["/chemically induced: sources", *HEADING]),
        ("injuries/prevention and control AND x", "subject:injuries AND x",
         ["and: read as words", "/prevention and control: sources", *HEADING]),
        ("cats/dogs AND x", "cats/dogs AND x", []),
        ("what is gene drive?", "what is gene drive", []),
        ("wom?n[ti] ANDNOT x", "title:wom* AND NOT x", ["wom?n: a sign that stands for some"]),
        ("x AND 2019/01/01:2020/12/31[edat]", "x AND year:2019-2020", ["date of publication"]),
        ('x AND ("2019/01/01"[Date - Entry] : "3000"[Date - Entry])', "x AND year:2019-",
         ["date of publication"]),
        ('"x y"[tiab:~3]', "(title:x OR abstract:x) NEAR/3 (title:y OR abstract:y)", ["how near"]),
    ],
)  # fmt: skip
def test_what_no_tree_holds_finds_more(text: str, shown: str, notes: list[str]) -> None:
    """Never less, whatever stands round it; and each of it is told."""
    found = parse_pubmed(text)

    assert to_text(found.query) == shown
    assert len(found.notes) == len(notes)
    for note in notes:
        assert any(note in sentence for sentence in found.notes), note


@each(
    ("text", "heading"),
    [("x[mh]", "exploded"), ("x[mh:noexp]", "exact"), ('"x"[Majr:NoExp]', "exact"),
     ("x/therapy[MeSH Terms]", "exploded"), ("x[nm]", "exact"), ("x[ot]", ""), ("x[ti]", "")],
)  # fmt: skip
def test_how_a_heading_is_named(text: str, heading: str) -> None:
    """With all narrower ones, unless its tag says otherwise."""
    (term,) = terms(parse_pubmed(text).query)

    assert term.heading == heading


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ('"last 5 years"[dp]', "year:2019-"),
        ('"last 10 years"[PDat]', "year:2014-"),
        ('"last 2 months"[dp]', "year:2023-"),
        ('"last 90 days"[edat]', "year:2023-"),
        ("y_1[Filter]", "year:2023-"),
    ],
)
def test_dates_that_count_back_from_today(
    text: str, years: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their first year is meant in part, so that nothing is lost; it is not excluded therefore. The
    day is that of the search.
    """
    monkeypatch.setattr("metasearch.query.values.today", lambda: date(2024, 2, 15))
    found = parse_pubmed(f"x AND {text}")

    assert to_text(found.query) == f"x AND {years}"
    assert any(f"read as {years}, counted back from today" in note for note in found.notes)
    since = int(years[5:9]) + 1
    assert to_text(parse_pubmed(f"x NOT {text}").query) == f"x AND NOT year:{since}-"


@each(
    ("text", "shown"),
    [
        ("(x) AND y[ti] Filters: Review, English, from 2010 - 2020",
         "x AND title:y AND type:review AND language:en AND year:2010-2020"),
        ("Search: x Filters applied: Humans, Clinical Trial Sort by: Most Recent",
         'x AND subject:"clinical trial"'),
        ("x Filters: Review, Clinical Trial, English, French, Exclude preprints",
         ('x AND (type:review OR subject:"clinical trial") AND (language:en OR language:fr) '
         "AND NOT type:preprint")),
        ("x OR y Filters: Publication date from 2010/01/01 to 2019/12/31; English",
         "(x OR y) AND year:2010-2019 AND language:en"),
        ("x Filters activated: Meta-Analysis, Exclude preprints. Clear all",
         "x AND type:review AND NOT type:preprint"),
        ("#1\tSearch: x[ti] Filters: English\t1,234\t10:11:12\n#2\tSearch: #1 AND y\t12\t10:12:12",
         "title:x AND language:en AND y"),
        (("Search number,Query,Sort By,Filters,Search Details,Results,Time\n"
         '2,"#1 AND ""y z""[ti]",,"Review, English",d,"1,234",10:00:00\n1,xx*[ti],,,d,5,09:00:00'),
         'title:xx* AND title:"y z" AND type:review AND language:en'),
        ("Search number,Query\n1,x[ti]", "title:x"),
    ],
)  # fmt: skip
def test_what_pubmed_prints_round_a_query(text: str, shown: str) -> None:
    """Its filters are limits, and its history is a strategy; nothing of it becomes a word."""
    found = parse_pubmed(text)

    assert to_text(found.query) == shown
    assert "Filters" not in text or any("as limits" in note for note in found.notes)
    assert "\n" not in text or read(text).syntax == "pubmed"


#: https://pubmed.ncbi.nlm.nih.gov/help/#search-tags, by its short and long names.
HELP = (
    "Affiliation [ad]|All Fields [all]|Article Identifier [aid]|Author [au]|Author Identifier "
    "[auid]|Book [book]|Completion Date [dcom]|Conflict of Interest Statement [cois]|"
    "Corporate Author [cn]|Create Date [crdt]|EC/RN Number [rn]|Editor [ed]|Entry Date [edat]|"
    "Filter [filter]|First Author Name [1au]|Full Author Name [fau]|Full Investigator Name [fir]|"
    "Grants and Funding [gr]|Investigator [ir]|ISBN [isbn]|Issue [ip]|Journal [ta]|Language [la]|"
    "Last Author Name [lastau]|Location ID [lid]|MeSH Date [mhda]|MeSH Major Topic [majr]|"
    "MeSH Subheadings [sh]|MeSH Terms [mh]|Modification Date [lr]|NLM Unique ID [jid]|"
    "Other Term [ot]|Pagination [pg]|Personal Name as Subject [ps]|Pharmacological Action [pa]|"
    "Place of Publication [pl]|PMID [pmid]|Publication Date [dp]|Publication Type [pt]|"
    "Publisher [pubn]|Secondary Source ID [si]|Subset [sb]|Supplementary Concept [nm]|"
    "Text Words [tw]|Title [ti]|Title/Abstract [tiab]|Transliterated Title [tt]|Volume [vi]"
)
#: What the advanced search writes.
BUILDER = (
    "Affiliation|All Fields|Author|Author - Corporate|Author - First|Author - Identifier|"
    "Author - Last|Book|Conflict of Interest Statements|Date - Completion|Date - Create|"
    "Date - Entry|Date - MeSH|Date - Modification|Date - Publication|EC/RN Number|Editor|Filter|"
    "Grants and Funding|ISBN|Investigator|Issue|Journal|Language|Location ID|MeSH Major Topic|"
    "MeSH Subheading|MeSH Terms|Other Term|Pagination|Pharmacological Action|Publication Type|"
    "Publisher|Secondary Source ID|Subject - Personal Name|Supplementary Concept|Text Word|Title|"
    "Title/Abstract|Transliterated Title|Volume"
)
#: The names of the Entrez utilities.
ENTREZ = (
    "ALL UID FILT TITL MESH MAJR JOUR AFFL ECNO SUBS PDAT EDAT VOL PAGE PTYP LANG ISS SUBH SI MHDA "
    "TIAB OTRM COLN CNTY PAPX GRNT MDAT CDAT PID FAUT FULL FINV TT LAUT PPDT EPDT LID CRDT BOOK ED "
    "ISBN PUBN AUCL EID DSO AUID PS COIS WORD AUTH INVR"
)


@each(
    "name",
    [
        *(name.strip(" ]") for row in HELP.split("|") for name in row.split("[")),
        *BUILDER.split("|"),
        *ENTREZ.split(),
        *("MeSH:NoExp", "mh:noexp", "Majr:NoExp", "MeSH Terms:noexp", "tiab:~3", "Title:~10"),
    ],
)
def test_every_tag_of_pubmed_is_known(name: str) -> None:
    """Its words are looked for, or told as ignored."""
    tag = target_of_tag(name)

    assert tag is not None
    value = VALUES.get(tag.fields[0] if tag.fields else "", "gene")
    found = parse_pubmed(f"{value}[{name}] AND x")
    assert to_text(found.query) == "x" or to_text(found.query).endswith("AND x")
    assert tag.fields or found.notes


#: https://www.nlm.nih.gov/mesh/pubtypes.html
PUBLICATION_TYPES = (
    "Adaptive Clinical Trial|Address|Autobiography|Bibliography|Biography|Case Reports|"
    "Classical Article|Clinical Conference|Clinical Study|Clinical Trial|Clinical Trial Protocol|"
    "Clinical Trial, Phase I|Clinical Trial, Phase II|Clinical Trial, Phase III|"
    "Clinical Trial, Phase IV|Clinical Trial, Veterinary|Collected Work|Comment|Comparative Study|"
    "Congress|Consensus Development Conference|Consensus Development Conference, NIH|"
    "Controlled Clinical Trial|Corrected and Republished Article|Dataset|Dictionary|Directory|"
    "Duplicate Publication|Editorial|Electronic Supplementary Materials|English Abstract|"
    "Equivalence Trial|Evaluation Study|Expression of Concern|Festschrift|Government Publication|"
    "Guideline|Historical Article|Interactive Tutorial|Interview|Introductory Journal Article|"
    "Journal Article|Lecture|Legal Case|Legislation|Letter|Meta-Analysis|Multicenter Study|"
    "Network Meta-Analysis|News|Newspaper Article|Observational Study|"
    "Observational Study, Veterinary|Overall|Patient Education Handout|Periodical Index|"
    "Personal Narrative|Portrait|Practice Guideline|Pragmatic Clinical Trial|Preprint|"
    "Published Erratum|Randomized Controlled Trial|Randomized Controlled Trial, Veterinary|"
    "Research Support, Non-U.S. Gov't|Research Support, U.S. Gov't, P.H.S.|"
    "Retracted Publication|Retraction of Publication|Review|Scientific Integrity Review|"
    "Scoping Review|Systematic Review|Technical Report|Twin Study|Validation Study|"
    "Video-Audio Media|Webcast"
)


@each("name", PUBLICATION_TYPES.split("|"))
def test_every_publication_type_of_pubmed_is_known(name: str) -> None:
    """As a type of works or as a keyword, also as its filters write them."""
    squeezed = "".join(filter(str.isalpha, name.lower()))
    by_tag = parse_pubmed(f"x AND {name}[pt]").query

    assert "type:" in to_text(by_tag) or "subject:" in to_text(by_tag)
    assert to_text(parse_pubmed(f"x AND {squeezed}[Filter]").query).lower() == (
        to_text(by_tag).lower()
    )


@each("name", [name for name, tag in TAGS.items() if tag.fields])
def test_every_tag_can_be_searched(name: str) -> None:
    """With a value of its kind."""
    value = VALUES.get(TAGS[name].fields[0], "gene")

    assert parse_pubmed(f"{value}[{name}] AND x")


@each("name", [name for name, tag in TAGS.items() if not tag.fields])
def test_tags_that_nothing_here_holds(name: str) -> None:
    """The error names those that there are, and suggests the query without it."""
    error = refused(f"gene[{name}]")

    assert "cannot be searched here" in error.reason
    assert "[tiab]" in error.reason
    assert error.suggestion == "gene"


@each(
    ("text", "position", "reason", "suggestion"),
    [
        ("", 0, "empty", None),
        ("gene[tib]", 4, "near it are [tiab]", "gene[tiab]"),
        ("gene[zzzzzz]", 4, "there are [ti]", "gene"),
        ("gene AND", 5, "after it", "gene"),
        ("OR gene", 0, "before it", "gene"),
        ("gene AND OR drive", 5, "after it", "gene OR drive"),
        ("(gene", 0, "never closed", "(gene)"),
        ("gene)", 4, "no opening bracket", "gene"),
        ("gene ()", 5, "nothing between", "gene"),
        ('"gene', 0, "quote is never closed", '"gene"'),
        ('""', 0, "nothing between", None),
        ("[ti]", 0, "directly after", None),
        ("g*ne", 0, "only at the end of a word", "gne"),
        ("#1 AND gene", 0, "earlier search", "gene"),
        ("gene AND 2020:2015[dp]", 9, "ends before it begins", "gene AND 2015:2020[dp]"),
        ("2015[ti]:2020[ti] gene", 0, "cannot be a range of years", '"2015:2020"[ti] gene'),
        ("klingonish[la] AND gene", 0, "no known language", None),
        ("sonnet[pt] AND gene", 0, "no known type", None),
        ("Search number,Query\n1,x\n2,y", 0, "several searches", None),
        ("NOT gene", 0, "only what is excluded", None),
        ("2015[dp]", 0, "only years", None),
    ],
)
def test_errors_say_where_and_why(
    text: str, position: int, reason: str, suggestion: str | None
) -> None:
    """With a corrected query where one can be guessed, which can be read."""
    error = refused(text)

    assert error.position == position
    assert reason in error.reason
    assert error.suggestion == suggestion
    if error.suggestion:
        assert parse_pubmed(error.suggestion)
    assert error.advice


def test_the_caps_are_those_of_our_own_syntax() -> None:
    """Length, depth of brackets, terms."""
    flat = "(" * MAX_DEPTH * 2 + "gene" + ")" * MAX_DEPTH * 2
    deep = "(x OR (y AND " * (MAX_DEPTH // 2) + "gene" + "))" * (MAX_DEPTH // 2)

    assert parse_pubmed(flat).query == Term("gene")
    assert parse_pubmed(deep).query
    assert "nested" in refused(f"z OR (y AND {deep})").reason
    assert str(MAX_TERMS) in refused(" OR ".join(["gene"] * (MAX_TERMS + 1))).reason
    assert "longer" in refused("a" * (MAX_LENGTH + 1)).reason
    assert "alternate" in refused("a" + " OR b AND c" * (MAX_DEPTH + 1)).reason


PIECES = [
    *'()（）[]"“”*:/# ',
    "[ti]",
    "[dp]",
    "[tiab]",
    "2015",
    "gene",
    " AND ",
    " NOT ",
    "[Title:~2]",
    "[la]",
    "[mh:noexp]",
    "[filter]",
    "Filters: ",
    "gene/therapy",
    '"last 5 years"',
    "en",
]


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_nothing_but_a_syntax_error_is_raised(text: str) -> None:
    """Whatever the text; and a suggestion can be read."""
    error = error_of(text)

    assert error is None or 0 <= error.position <= len(text)
    assert error is None or error.suggestion is None or read(error.suggestion, "pubmed")


@each(
    ("text", "shown", "told"),
    [
        (
            "x[ti,ab] OR y[title or abstract]",
            "title:x OR abstract:x OR title:y OR abstract:y",
            "[ti,ab]",
        ),
        ("x[ti] | y[ti]", "title:x OR title:y", ""),
        ("x[ti] & y[ti]", "title:x AND title:y", ""),
        ("x[ti]; y[ti]", "title:x AND title:y", ""),
        ("x[ti] NEAR/3 y[ti]", "title:x AND title:y", "NEAR/3"),
        ("gen$[ti]", "title:gen*", "gen$"),
        ("x[mh]/therapy OR y[mh]/DT", "subject:x OR subject:y", "/therapy"),
        ("exp X/ OR y[ti]", 'subject:"X" OR title:y', "exp X/ is read as X[mh]"),
        ("x AND 2010:2020", "x AND year:2010-2020", "2010:2020"),
        ('x AND "2020 May"[dp]', "x AND year:2020", "2020 May"),
        ("1234,5678[uid]", "pmid:1234 OR pmid:5678", ""),
        ("x AND jsubsetaim[text]", "x", "jsubsetaim"),
        ('"Smith J*"[au]', 'author:"Smith J"', ""),
        ("x Filters: English, in the last 5 years", "", "Filters"),
        ("x AND hasabstract", "x", "hasabstract"),
    ],
)
def test_forms_of_other_databases_and_of_its_pages(text: str, shown: str, told: str) -> None:
    found = read(text, "pubmed" if "[" in text or "/" in text or ":2" in text else "auto")

    assert found.syntax == "pubmed"
    assert to_text(found.query) == shown or not shown
    assert any(told in note for note in found.notes) or not told


@each(
    ("text", "shown"),
    [
        ('"2020/06/01"[dp] : "3000"[dp]', "x AND NOT year:2021-"),
        ('"2020/01/01"[dp] : "3000"[dp]', "x AND NOT year:2020-"),
        ('"2019/06/01"[dp] : "2021/12/12"[dp]', "x AND NOT year:2020"),
        ('"2020/06/01"[dp] : "2020/12/31"[dp]', "x"),
    ],
)
def test_of_dates_that_are_excluded_whole_years_are(text: str, shown: str) -> None:
    """A year that is meant in part is not."""
    assert to_text(read(f"x NOT ({text})", "pubmed").query) == shown


def test_mere_numbers_name_lines() -> None:
    """Beside other words, too; a note says so. A number that names none is a word."""
    found = read("1. x[ti]\n2. y[ti]\n3. 1 OR 2\n4. 3 AND (z[ti] OR 9)", "pubmed")

    assert to_text(found.query) == "(title:x OR title:y) AND (title:z OR 9)"
    assert any(note.startswith("3: read as the number of a line") for note in found.notes)


@each(
    ("text", "shown"),
    [
        ("PubMed\n(x[ti])\nAND\n(y[ti])", "title:x AND title:y"),
        ("x[ti] AND Filters applied: English.", "title:x AND language:en"),
        ("x [all fields]", "x"),
        ("gene? [tw] AND x [ti]", "gene* AND title:x"),
    ],
)
def test_what_stands_round_a_search(text: str, shown: str) -> None:
    """The name of the database, an operator before the filters."""
    found = read(text)

    assert (found.syntax, to_text(found.query)) == ("pubmed", shown)
