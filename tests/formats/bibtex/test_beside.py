"""What a record has no place for: it is kept beside the record, told, and written again."""

from __future__ import annotations

from dataclasses import replace

from metasearch.formats import bibtex
from metasearch.formats.origins import Beside
from metasearch.record import Author
from tests.cases import each
from tests.formats.reading.samples import read, told
from tests.formats.samples import hit


def again(text: str) -> str:
    """What we write of the only entry of a text, without what tells where it comes from."""
    (entry,) = read(text, "bibtex").entries
    found = replace(hit(), record=entry.record)
    written = bibtex.write([found], beside={found.id: Beside(fields=entry.given)}).decode()
    (back,) = read(written, "bibtex").entries
    drop = {"source": "", "source_id": "", "position": 0}
    assert replace(back.record, **drop) == replace(entry.record, **drop)
    assert set(back.given) == set(entry.given)
    return written


@each(
    ("field", "year"),
    [
        ("year = {in press}", None),
        ("year = {forthcoming}", None),
        ("year = {n.d.}", None),
        ("date = {199X}", None),
        ("year = {2019/2020}", 2019),
        ("year = {c. 1850}", 1850),
        ("year = {2020a}", 2020),
        ("date = {2019~}", 2019),
        ("date = {2019/..}", 2019),
        ("date = {2004-21}", 2004),
        ("date = {2019-03-12/2019-04}", 2019),
    ],
)
def test_a_year_that_is_more_than_a_year(field: str, year: int | None) -> None:
    """Also one that is none, which is told."""
    text = f"@article{{a, title = {{A}}, {field}}}\n"
    reading = read(text, "bibtex")
    name, _, value = field.partition(" = ")

    assert reading.records[0].year == year
    assert told(reading) == (
        [(1, f'{name} holds no year: "{value[1:-1]}"; kept beside the record')]
        if year is None
        else []
    )
    assert f"  {name} = {{{value[1:-1]}}}" in again(text)


def test_years_of_other_records_of_the_work_are_not_written() -> None:
    """The work has the year that most of its records have."""
    beside = Beside(fields=(("year", "2018/2019"), ("year", "in press"), ("date", "2018~")))
    written = bibtex.write([hit(year=2019)], beside={"crossref:1": beside}).decode()

    assert "year = {2019}" in written
    assert "in press" not in written
    assert "date" not in written


@each(
    ("field", "date"),
    [
        ("month = {Spring}", None),
        ('month = jan # "/" # feb', "2019-01"),
        ("month = {March--April}", "2019-03"),
    ],
)
def test_a_month_that_is_more_than_a_month(field: str, date: str | None) -> None:
    """A season, and two months."""
    text = f"@article{{a, title = {{A}}, year = 2019, {field}}}\n"

    assert read(text, "bibtex").records[0].date == date
    assert "month = {" in again(text)


@each("role", ["author", "editor", "translator"])
def test_others_are_written_again(role: str) -> None:
    """ "and others" names nobody, but says that there are more."""
    text = f"@book{{a, title = {{A}}, {role} = {{Falk, Greta and Osei, Kofi and others}}}}\n"

    assert f"  {role} = {{Falk, Greta and Osei, Kofi and others}},\n" in again(text)

    beside = Beside(fields=((role, "Falk, Greta and others"),))
    people = (Author("Greta Falk", "Falk", "Greta"), Author("Kofi Osei", "Osei", "Kofi"))
    written = bibtex.write([hit(**{f"{role}s": people})], beside={"crossref:1": beside})
    assert b"others" not in written


@each(
    ("kind", "fields"),
    [
        ("article", "number = {4}, issue = {Spring}"),
        ("incollection", "booktitle = {Mud}, journal = {Clay}"),
        ("article", "journal = {Clay}, booktitle = {Mud}"),
        ("phdthesis", "school = {MIT}, publisher = {ProQuest}"),
        ("phdthesis", "school = {MIT}, institution = {Mud Lab}"),
        ("techreport", "institution = {NASA}, publisher = {GPO}"),
        ("book", "address = {Bonn}, location = {Ulm}, publisher = {Mud}"),
        ("article", "pages = {1--9}, page = {5}"),
    ],
)
def test_of_two_fields_for_one_thing_both_are_kept(kind: str, fields: str) -> None:
    """The second one stands beside the record, unless the record has a place for it."""
    written = again(f"@{kind}{{a, title = {{A}}, {fields}}}\n")

    assert all(f"  {field}" in written for field in fields.split(", "))


def test_a_doi_that_is_none_is_told() -> None:
    """And stays."""
    text = "@article{a, title = {A}, doi = {forthcoming}}\n"

    assert told(read(text, "bibtex")) == [
        (1, 'doi holds no DOI: "forthcoming"; kept beside the record')
    ]
    assert "doi = {forthcoming}" in again(text)


def test_commands_that_stand_for_an_unknown_text_are_counted() -> None:
    """Those with a text in braces lose nothing."""
    text = (
        "@article{a, title = {A \\msun\\ \\ion{H}{2} {\\it b} \\v{c} \\muddy}, year = 2019}\n"
        "@article{b, title = {B}, journal = {\\muddy}, url = {C:\\tmp}}\n"
    )
    reading = read(text, "bibtex")

    assert [record.venue for record in reading.records] == [None, "muddy"]
    assert told(reading) == [
        (1, "this line holds the command \\msun, which is not known"),
        (1, "2 lines, first this one, hold the command \\muddy, which is not known"),
    ]


def test_where_a_patent_holds_is_no_place_of_publication() -> None:
    """BibLaTeX has the country there."""
    text = "@patent{a, title = {A}, location = {countryus}}\n"
    (entry,) = read(text, "bibtex").entries

    assert (entry.record.place, entry.given) == (None, (("location", "countryus"),))
