"""authors.py: headings of library catalogues as names."""

from __future__ import annotations

from lxml import etree

from metasearch.adapters.select.marc import MarcRecord, compile_marc
from metasearch.bib import authors
from metasearch.bib.authors import marc_people
from metasearch.bib.converters import CONVERTERS
from metasearch.record import Author
from tests.cases import each


@each(
    ("heading", "name"),
    [
        ("Montgomery, Wes,", "Montgomery, Wes"),
        ("Davis, Miles.", "Davis, Miles"),
        ("Smith, J.", "Smith, J."),
        ("Smith, J. R.", "Smith, J. R."),
        ("Heath, Percy,1923-", "Heath, Percy"),
        ("Foucault, Michel, 1926-1984,", "Foucault, Michel"),
        ("Doe, Jane, active 1650-1700", "Doe, Jane"),
        ("Roe, Richard, b. 1901", "Roe, Richard"),
        ("Pennock, J. Roland (James Roland), 1906-1995.", "Pennock, J. Roland"),
        ("Buckley, William F., Jr., 1925-2008,", "Buckley, William F., Jr."),
        (
            "Paul Avrich Collection (Library of Congress)",
            "Paul Avrich Collection (Library of Congress)",
        ),
        ("Goethe, Johann Wolfgang von [Verfasser]", "Goethe, Johann Wolfgang von"),
        ("Kelly, Wynton.prf", "Kelly, Wynton"),
        ("Doe, Jane, author", "Doe, Jane"),
        ("Roe, Richard, 1901-1980, editor.", "Roe, Richard"),
        ("Survey of Mosses (Example), issuing body", "Survey of Mosses (Example)"),
        ("山田太郎 著", "山田太郎"),
        ("山田 太郎", "山田 太郎"),
    ],
)
def test_a_personal_heading_loses_dates_and_punctuation(heading: str, name: str) -> None:
    """Dates, fuller forms and final punctuation belong to the authority file, not to the name."""
    assert authors.personal(heading) == name


@each(
    ("heading", "name"),
    [
        ("Springer, Inc.,", "Springer, Inc."),
        ("United States. Congress.", "United States. Congress"),
        ("Warner Bros. Pictures (1969- )", "Warner Bros. Pictures"),
        ("Symposium on Catalogues (3rd : 1998 : Nowhere)", "Symposium on Catalogues"),
        ("Warner Home Video (Firm)", "Warner Home Video (Firm)"),
    ],
)
def test_a_corporate_heading_stays_whole(heading: str, name: str) -> None:
    """A comma inside a body's name does not part a family name from a given one."""
    assert authors.corporate(heading) == name


def _authors(fields: str) -> tuple[Author, ...]:
    record = MarcRecord(etree.fromstring(f"<record><leader>00000nam</leader>{fields}</record>"))
    read = marc_people(compile_marc("100|110|111|700|710|711[$t=]"), {"name": compile_marc("$a")})
    return read(record)


def _field(tag: str, text: str, ind1: str = "1", **subfields: str) -> str:
    more = "".join(
        f'<subfield code="{code[-1]}">{value}</subfield>' for code, value in subfields.items()
    )
    return (
        f'<datafield tag="{tag}" ind1="{ind1}" ind2=" "><subfield '
        f'code="a">{text}</subfield>{more}</datafield>'
    )


def test_persons_and_bodies_are_told_apart_by_their_tags() -> None:
    """100 and 700 are persons, 110, 111, 710 and 711 are bodies and meetings."""
    found = _authors(
        _field("100", "Huff, Darrell.")
        + _field("110", "France.", x_b="Ministère des catalogues.")
        + _field("710", "Acme, Inc.", "2")
        + _field("711", "Congress of X (1998 : Y)", "2")
    )

    assert found == (
        Author("Darrell Huff", "Huff", "Darrell"),
        Author("France. Ministère des catalogues", collective=True),
        Author("Acme, Inc.", collective=True),
        Author("Congress of X", collective=True),
    )


def test_works_are_no_authors() -> None:
    """A 700 with a title in $t is an analytical entry for a work."""
    assert _authors(_field("700", "Bach, Johann Sebastian,", c_t="Italienisches Konzert.")) == ()


def test_publishers_printers_and_owners_are_no_authors() -> None:
    """Relators in $e or $4, as words, codes or URIs, decide; an author who also prints is an
    author."""
    assert _authors(_field("710", "Press", "2", e_4="pbl")) == ()
    assert _authors(_field("700", "Owner, O.", e_e="former owner.")) == ()
    assert (
        _authors(_field("700", "Advisor, A.", e_4="http://id.loc.gov/vocabulary/relators/ths"))
        == ()
    )
    assert _authors(_field("700", "Writer, W.", e_e="author,", x_4="prt")) == (
        Author("W. Writer", "Writer", "W."),
    )
    assert _authors(_field("710", "Collection (Library)", "2", x_5="DLC")) == ()
    assert _authors(_field("710", "SpringerLink (Online service)", "2")) == ()


def test_contributors_are_authors_only_where_nobody_else_is() -> None:
    """Who contributes to the work of an author or editor is none; who heads a record is one."""
    contributor = _field("700", "Osei, Kofi", x_4="ctb") + _field("700", "Lind, Mia", x_4="oth")
    both = (Author("Kofi Osei", "Osei", "Kofi"), Author("Mia Lind", "Lind", "Mia"))
    falk = Author("Greta Falk", "Falk", "Greta")

    assert _authors(contributor) == both
    assert _authors(_field("100", "Falk, Greta") + contributor) == (falk,)
    assert _authors(_field("700", "Falk, Greta", x_4="edt") + contributor) == ()
    assert _authors(_field("100", "Falk, Greta", x_4="ctb") + contributor) == (falk,)


def test_forenames_are_entered_in_direct_order() -> None:
    """First indicator 0: "John Paul $b II" has no family name; catalogues that mean a surname write
    a comma."""
    assert _authors(_field("100", "John Paul", "0", x_b="II,", x_c="Pope,")) == (
        Author("John Paul II"),
    )
    for additions, name in (
        ("von Aquin, Heiliger,", "Thomas von Aquin"),
        ("Aquinas, Saint,", "Thomas Aquinas"),
        ("Preußen, König", "Thomas"),
        ("(Musician)", "Thomas"),
        ("Prior,", "Thomas Prior"),
        ("1225-1274", "Thomas"),
    ):
        assert _authors(_field("100", "Thomas", "0", x_c=additions)) == (Author(name),), additions
    assert _authors(_field("100", "Laird, Rick", "0")) == (Author("Rick Laird", "Laird", "Rick"),)


def test_unimarc_has_family_and_given_names_apart() -> None:
    """700 $a and $b of UNIMARC; 710 is a body there too."""
    record = MarcRecord(
        etree.fromstring(
            f"<record>{_field('700', 'Hugo', x_b='Victor')}"
            f"{_field('710', 'Institut, Paris', '0')}</record>"
        )
    )
    read = marc_people(
        compile_marc("700|710"), {"family": compile_marc("$a"), "given": compile_marc("$b")}
    )

    assert read(record) == (
        Author("Victor Hugo", "Hugo", "Victor"),
        Author("Institut, Paris", collective=True),
    )
    for more, name in (
        ({"x_d": "II", "x_c": "pape"}, "Jean II"),
        ({"x_c": "d'Aquin"}, "Jean d'Aquin"),
    ):
        fields = _field("700", "Jean", **more).replace('ind2=" "', 'ind2="0"')
        assert read(MarcRecord(etree.fromstring(f"<record>{fields}</record>"))) == (Author(name),)


def test_dublin_core_creators_are_headings_as_well() -> None:
    """`names-catalogue` reads what catalogues put into dc:creator."""
    found = CONVERTERS["names-catalogue"](["Heath, Percy,1923-", "Zeitgeist Films.", ""])

    assert found == (Author("Percy Heath", "Heath", "Percy"), Author("Zeitgeist Films"))
