"""BibTeX and biblatex as people, databases and reference managers write them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.bib import identifiers, normalise, texts
from metasearch.bib.field_limits import LIMITS
from metasearch.formats import bibtex
from metasearch.formats.bibtex import BIBTEX_TYPES, MOST_REPEATED, looks_like
from metasearch.formats.reading import read_bytes
from metasearch.record import Author, Record
from tests.cases import each
from tests.formats.reading.samples import one, read, told
from tests.formats.reading.structured import BIBTEX
from tests.formats.samples import MERGED, hit


def entry(fields: str, kind: str = "article") -> Record:
    """The record of an entry with these fields."""
    return one(f"@{kind}{{key,\n  title = {{T}},\n  {fields}\n}}\n", "bibtex")


def test_a_whole_file() -> None:
    """Macros, LaTeX, months, both delimiters; lines and keys."""
    reading = read(BIBTEX)
    first, second = reading.records

    assert not reading.problems
    assert [it.line for it in reading.entries] == [4, 13]
    assert first == Record(
        source="a.txt",
        source_id="musterfrau2019",
        position=1,
        title="Iron in Lakes: Über étés",
        authors=(
            Author("Erika Musterfrau", "Musterfrau", "Erika"),
            Author("Ada A. Byron", "Byron", "Ada A."),
            Author("Lake Group"),
        ),
        year=2019,
        date="2019-03-12",
        venue="Journal of Mud",
        volume="12",
        issue="3",
        pages="101-109",
        doi="10.1000/mud.1",
        type="article",
    )
    assert (second.authors, second.publisher, second.isbn, second.type) == (
        (Author("Ada Byron", "Byron", "Ada"),),
        "Shore Press",
        ("9780198526636",),
        "book",
    )


@each(
    ("written", "names"),
    [
        ("Smith, John", [("John Smith", "Smith", "John")]),
        ("John Smith", [("John Smith", "Smith", "John")]),
        ("John A. Smith-Jones and Mary~Roe", [("John A. Smith-Jones", "Smith-Jones", "John A."),
            ("Mary Roe", "Roe", "Mary")]),
        ("Jean de la Fontaine and Plato", [("Jean de la Fontaine", "de la Fontaine", "Jean"),
            ("Plato", "Plato", None)]),
        (r"{\'E}lodie Brun and Y.~P. {van den Hoek}", [("Élodie Brun", "Brun", "Élodie"),
            ("Y. P. van den Hoek", "van den Hoek", "Y. P.")]),
        ("Wei Wang 0001 and Li Na", [("Wei Wang", "Wang", "Wei"), ("Li Na", "Na", "Li")]),
        ("Smith JA and Jones K.L.", [("Smith JA", None, None), ("Jones K.L.", None, None)]),
        ("the Mud Collaboration", [("the Mud Collaboration", None, None)]),
        ("A. Smith, B. Jones and C. Brown", [("A. Smith", "Smith", "A."),
            ("B. Jones", "Jones", "B."), ("C. Brown", "Brown", "C.")]),
        ("Ludwig van Beethoven", [("Ludwig van Beethoven", "van Beethoven", "Ludwig")]),
        ("van Beethoven, Ludwig", [("Ludwig van Beethoven", "van Beethoven", "Ludwig")]),
        ("Knuth, Jr., Donald E.", [("Donald E. Knuth Jr.", "Knuth", "Donald E.")]),
        ((r"M{\"u}ller, J{\"o}rg and Ng, "
         r"A."), [("Jörg Müller", "Müller", "Jörg"), ("A. Ng", "Ng", "A.")]),
        ("{World Health Organization}", [("World Health Organization", None, None)]),
        ("World health organization", [("World health organization", None, None)]),
        (("{Barnes and Noble} and Doe, "
         "Jane"), [("Barnes and Noble", None, None), ("Jane Doe", "Doe", "Jane")]),
        ("Maria {de la Cruz}", [("Maria de la Cruz", "de la Cruz", "Maria")]),
        (("Doe, Jane AND Roe, Max\n  and "
         "others"), [("Jane Doe", "Doe", "Jane"), ("Max Roe", "Roe", "Max")]),
        (
            "family=Beethoven, given=Ludwig, prefix=van, useprefix=true",
            [("Ludwig van Beethoven", "van Beethoven", "Ludwig")],
        ),
        ("张三;李四", [("张三", None, None), ("李四", None, None)]),
        ("张三, 李四, 王五", [("张三", None, None), ("李四", None, None), ("王五", None, None)]),
        ("Smith, J.; Jones, K.", [("J. Smith", "Smith", "J."), ("K. Jones", "Jones", "K.")]),
        (("J. Smith, K. Ng, Bo "
         "Lee"), [("J. Smith", "Smith", "J."), ("K. Ng", "Ng", "K."), ("Bo Lee", None, None)]),
        ("others", []),
        ("", []),
    ],
)  # fmt: skip
def test_names(written: str, names: list[tuple[str, str | None, str | None]]) -> None:
    """The forms of BibTeX and biblatex, bodies in braces, and lists that are not apart by "and"."""
    record = entry(f"author = {{{written}}}")

    assert [(a.name, a.family, a.given) for a in record.authors] == names


@each(
    ("fields", "expected"),
    [
        (("journaltitle = {J}, date = "
         "{2019-03-12/2019-04}"), {"venue": "J", "year": 2019, "date": "2019-03-12"}),
        ("year = {in press, 2020}, month = {March}", {"year": 2020}),
        ("year = 2020, month = 3, day = 5", {"date": "2020-03-05"}),
        ("year = 2020, month = nov", {"date": "2020-11"}),
        ("pages = {123 -- 8}", {"pages": "123-8"}),
        ("eid = {e1001}", {"pages": "e1001"}),
        ("number = {4}, issue = {Spring}", {"issue": "4"}),
        ("issue = {Spring}", {"issue": "Spring"}),
        (r"doi = {https://doi.org/10.1000/A\_b}", {"doi": "10.1000/a_b"}),
        ("url = {https://dx.doi.org/10.1000/ab}", {"doi": "10.1000/ab"}),
        (r"url = {\url{https://example.org/a\_b}}", {"url": "https://example.org/a_b"}),
        (("eprint = {1706.03762v5}, archiveprefix = "
         "{arXiv}"), {"ids": {"arxiv": "1706.03762"}, "type": "preprint"}),
        ("eprint = {1706.03762}", {"ids": {"arxiv": "1706.03762"}}),
        (("journal = {arXiv preprint "
         "arXiv:1706.03762}"), {"ids": {"arxiv": "1706.03762"}, "type": "preprint"}),
        (("eprint = {31000000}, eprinttype = {pubmed}, journal = "
         "{J}"), {"ids": {"pmid": "31000000"}, "type": "article"}),
        (("issn = {1234-5679}, isbn = "
         "{978-0-19-852663-6}"), {"issn": ("1234-5679",), "isbn": ("9780198526636",)}),
        ("keywords = {a, b}", {"keywords": ("a", "b")}),
        ("keywords = {a, b; c}", {"keywords": ("a, b", "c")}),
        ("language = {english}", {"language": "en"}),
        ("editor = {Doe, Jane}", {"editors": (Author("Jane Doe", "Doe", "Jane"),), "authors": ()}),
        ("translator = {Doe, Jane}", {"translators": (Author("Jane Doe", "Doe", "Jane"),)}),
        ("address = {Bonn}, publisher = {Mud}", {"place": "Bonn", "publisher": "Mud"}),
        ("location = {Bonn}", {"place": "Bonn"}),
        ("publisher = {New York: Mud}", {"place": "New York", "publisher": "Mud"}),
        ("publisher = {北京：泥出版社}", {"place": "北京", "publisher": "泥出版社"}),
        ("publisher = {Mud Press: Imprint}", {"place": None, "publisher": "Mud Press: Imprint"}),
        ("note = {PMID: 31000000}", {"ids": {"pmid": "31000000"}}),
        (r"journal = {\apj}", {"venue": "The Astrophysical Journal"}),
        (r"journal = {{\pasj}}", {"venue": "Publications of the Astronomical Society of Japan"}),
        (r'journal = "\nat"', {"venue": "Nature"}),
        (r"journal = {\apj\ Letters}", {"venue": "The Astrophysical Journal Letters"}),
        (r"booktitle = {\baas}", {"venue": "Bulletin of the American Astronomical Society"}),
        ("howpublished = {https://example.org/x}", {"url": "https://example.org/x", "venue": None}),
        ("origtitle = {Der Titel}", {"titles": ("Der Titel",)}),
        ("subtitle = {A study}", {"subtitle": "A study"}),
        (('abstract = "He said {"}yes{"} twice", volume = '
         '1'), {"abstract": 'He said "yes" twice', "volume": "1"}),
    ],
)  # fmt: skip
def test_fields(fields: str, expected: dict[str, object]) -> None:
    """What the fields of both dialects say."""
    record = entry(fields)

    assert {name: getattr(record, name) for name in expected} == expected


@each(
    ("school", "venue", "publisher"),
    [("北京大学", "北京大学学位论文", "北京大学"), ("MIT", None, "MIT")],
)
def test_theses(school: str, venue: str | None, publisher: str) -> None:
    """A Chinese thesis has a container as Chinese catalogues name it; others have the institution
    alone."""
    record = entry(f"school = {{{school}}}", "phdthesis")

    assert (record.type, record.venue, record.publisher) == ("thesis", venue, publisher)


def test_a_paper_takes_from_its_proceedings() -> None:
    """Container, year and publisher come by `crossref`, wherever it stands; never what names the
    volume itself."""
    text = (
        "@inproceedings{p, title={Paper}, author={Doe, Jane}, crossref={V}, pages={1--2}}\n"
        "@proceedings{v, title={Proceedings of X}, year=1999, publisher={ACM}, doi={10.1000/v}, "
        "isbn={9780198526636}}\n"
        "@article{self, title={S}, crossref={self}}\n@article{lone, title={L}, crossref={nobody}}\n"
    )
    paper, volume, *_ = read(text, "bibtex").records

    assert (paper.venue, paper.year, paper.publisher, paper.doi, paper.isbn) == (
        "Proceedings of X",
        1999,
        "ACM",
        None,
        (),
    )
    assert (volume.doi, volume.type) == ("10.1000/v", "proceedings")


@each(
    ("broken", "why"),
    [
        ("@article{bad, title = {never closed, year = 2000\n", "'bad' could not be read"),
        ('@article{bad, title = "never closed}\n', "'bad' could not be read"),
        ("@article{bad, title {no sign}}\n", "has no fields"),
        ("@article{bad, title {no sign}, year = {2000}}\n", "'bad' could not be read"),
        ("article{bad, title = {a},\n  year = {2000}}\n", "does not begin as one"),
        ("@misc{bad}\n", "has no fields"),
        ("@misc{bad, note = {x}}\n", "no field that identifies a work"),
    ],
)
def test_a_broken_entry_is_told_and_costs_no_other(broken: str, why: str) -> None:
    """Line and reason; the entries before and behind are read."""
    reading = read(
        f"@article{{a, title={{A}}}}\n{broken}@article{{b, title={{B}}, year={{2001}}}}\n", "bibtex"
    )

    assert [record.title for record in reading.records] == ["A", "B"]
    assert [(problem.line, problem.lost) for problem in reading.problems] == [(2, 1)]
    assert why in reading.problems[0].message


def test_entries_that_a_broken_one_swallowed_are_found() -> None:
    """In one long line no parser can tell where the next entry begins."""
    reading = read(
        "@article{a, title={A}} @article{b, title={B {x}} @article{c, title={C}} @book{d, "
        "title={D}}",
        "bibtex",
    )

    assert [record.title for record in reading.records] == ["A", "C", "D"]
    assert reading.lost == 1


def test_what_is_odd_but_whole_is_told() -> None:
    """Keys and fields that are given twice, unknown macros, fields behind an end; nothing is lost
    by them."""
    text = (
        "@article{k, title={A}, title={Z}}\n@article{k, title={B}, journal=nowhere}\n"
        "@article{c, title={C}},\n  year = {2000}}\n% a comment of somebody, with = and {braces}\n"
    )
    reading = read(text, "bibtex")

    assert [record.title for record in reading.records] == ["A", "B", "C"]
    assert [record.source_id for record in reading.records] == ["k", "", "c"]
    assert reading.lost == 0
    assert told(reading) == [
        (1, "given twice, the first with a text was taken: title"),
        (2, "the key 'k' is that of the entry in line 1, too; both were kept"),
        (2, "the macro 'nowhere' is defined nowhere; its name stands for it"),
        (3, "fields behind the end of an entry were left out"),
    ]


def test_a_missing_comma_is_put_in() -> None:
    """The commonest slip of the hand; "=" within braces is text."""
    reading = read(
        '@article{a, title={A: x = {1}}\n  year = "2000"\n  number = 7, volume = 3 }\n', "bibtex"
    )
    record = reading.records[0]

    assert (record.title, record.year, record.issue, record.volume) == ("A: x = 1", 2000, "7", "3")
    assert [problem.message.partition(";")[0] for problem in reading.problems] == [
        "a comma is missing before year",
        "a comma is missing before number",
    ]


def test_comments_and_preambles_are_no_records() -> None:
    """Nor are groups of JabRef and sets of biblatex."""
    text = (
        '@preamble{"x"}\n@comment{jabref-meta: a;}\n@set{s, entryset={a}}\n@string{x = '
        "{y}}\n@misc{a, title={A}}\n"
    )

    assert [record.title for record in read(text, "bibtex").records] == ["A"]


def test_macros_do_not_grow_without_end() -> None:
    """A macro of macros that doubles at every step stops at what may be repeated, and the venue at
    its own limit."""
    bomb = "".join(f"@string{{m{i} = m{i - 1} # m{i - 1}}}\n" for i in range(1, 60))
    reading = read(
        f"@string{{m0 = {{ha}}}}\n{bomb}@article{{a, title={{A}}, journal=m59}}\n", "bibtex"
    )

    assert len(reading.records[0].venue or "") == LIMITS["venue"].text < MOST_REPEATED
    assert [problem.message for problem in reading.problems] == [
        "1 venue was cut at 1,000 characters"
    ]


def test_one_entry_does_not_make_all_others_long() -> None:
    """What is inherited is cut, too: a short file must not be able to take hours."""
    children = "".join(f"@inproceedings{{c{i}, title={{C}}, crossref={{v}}}}\n" for i in range(50))
    reading = read(
        f"{children}@proceedings{{v, title={{{'V' * 1_000_000}}}, year=1999}}\n", "bibtex"
    )

    assert {len(record.venue or "") for record in reading.records} == {LIMITS["venue"].text, 0}


def test_nesting_is_no_matter() -> None:
    """Fifty thousand braces are neither recursion nor slow."""
    title = "{" * 50_000 + "A" + "}" * 50_000

    assert entry(f"booktitle = {{{title}}}").venue == "A"


@each("kind", sorted(set(BIBTEX_TYPES.values())))
def test_what_we_write_comes_back(kind: str) -> None:
    """Title, authors, year, DOI, container, volume, issue and pages, in every type of entry."""
    record_type = next(ours for ours, theirs in BIBTEX_TYPES.items() if theirs == kind)
    ours = {
        **{
            f: getattr(MERGED.record, f)
            for f in ("title", "authors", "year", "date", "venue", "doi", "ids", "issn")
        }
    }
    written = bibtex.write(
        [
            hit(
                **ours,
                type=record_type,
                volume="87",
                issue="7",
                pages="1208-1227",
                keywords=("a", "b"),
            )
        ]
    )
    record = read_bytes(written, "a.bib").records[0]

    for name in ("title", "year", "date", "venue", "doi", "ids", "issn", "keywords"):
        assert getattr(record, name) == ours.get(name, ("a", "b"))
    assert (record.volume, record.issue, record.pages) == ("87", "7", "1208-1227")
    assert [(a.name, a.family, a.given) for a in record.authors] == [
        (a.name, a.family, a.given) for a in MERGED.record.authors
    ]


_WORDS = st.lists(
    st.sampled_from(
        [
            "Iron",
            "in",
            "lakes",
            "10%",
            "R&D",
            "a_b",
            "{x}",
            "$5",
            "C#",
            "Ünï",
            "中文",
            "p",
            "~",
            "^",
            "\\",
            "DNA",
        ]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@given(title=_WORDS, venue=_WORDS)
def test_special_characters_come_back(title: str, venue: str) -> None:
    """What our writer escapes is read as it was."""
    record = read_bytes(
        bibtex.write([hit(title=title, venue=venue, type="article")]), "a.bib", format="bibtex"
    ).records[0]

    assert (record.title, record.venue) == (title, venue)


@each(
    ("head", "is_one"),
    [
        (BIBTEX, True),
        ("% comment\n\n@Article {key,\n", True),
        ("@article{,\n  title = {without a key}}", True),
        ("@article{Doe A title 2019,\n", True),
        ("@string{a = {b}}", True),
        ("mail me @ home {a, b}", False),
        ("TY  - JOUR\n", False),
    ],
)
def test_detection(head: str, is_one: bool) -> None:
    """An entry or a macro gives the format away."""
    assert looks_like(head) is is_one


@pytest.mark.shared
def test_real_records_survive_our_bibtex(shared: Path) -> None:
    """Titles, DOIs and years of a real set come back from what we write of them."""
    data = gzip.decompress((shared / "data/dedup/sra_tafenoquine/records.jsonl.gz").read_bytes())
    rows = [json.loads(row) for row in data.splitlines()]
    hits = [
        hit(row["id"], title=row["title"], year=row.get("year"), doi=row.get("doi"),
        venue=row.get("container"),
            authors=tuple(Author(a) for a in row.get("authors", ()) if a != "et al.,"),
            type="article")
        for row in rows
    ]  # fmt: skip
    reading = read_bytes(bibtex.write(hits), "a.bib")

    assert not reading.problems
    assert [r.year for r in reading.records] == [h.record.year for h in hits]
    assert [r.doi for r in reading.records] == [identifiers.doi(h.record.doi) for h in hits]
    assert [len(r.authors) for r in reading.records] == [len(h.record.authors) for h in hits]
    # "--" is a dash to TeX, and markup is no text
    assert [normalise.words(r.title) for r in reading.records] == [
        normalise.words(texts.without_markup(h.record.title)) for h in hits
    ]


@each(
    "written",
    [
        "Roe, Jr., Max Erik",
        "Roe, Max Erik, Jr.",
        "Roe, Max Erik Jr.",
        "{Roe, Jr.}, Max Erik",
        "{Roe Jr.}, Max Erik",
        "Max Erik Roe, Jr.",
        "Max Erik Roe Jr.",
        "Max~Erik {Roe, Jr.}",
        "family=Roe, given=Max Erik, suffix=Jr.",
    ],
)
def test_a_suffix_is_found_wherever_it_stands(written: str) -> None:
    """BibTeX's own form is the first one; it is the one that is written."""
    author = Author("Max Erik Roe Jr.", "Roe", "Max Erik", suffix="Jr.")

    assert entry(f"author = {{{written} and Li, Na}}").authors[0] == author
    assert b"author = {Roe, Jr., Max Erik}" in bibtex.write([hit(authors=(author,))])


@each(
    ("written", "family", "given"),
    [
        (r"Ch. J. de la Vall\'{e}e Poussin", "de la Vallée Poussin", "Ch. J."),
        (r"Per {\AA}ke Br{\"a}nn", "Bränn", "Per Åke"),
        (r"Tom\'{a}s \v{S}ev\v{c}ik Nov{\'a}k", "Novák", "Tomás Ševčik"),
        ("Ada {van} Os", "Os", "Ada van"),
        ("Ann Mc{D}onald", "McDonald", "Ann"),
        (r"{\relax Ch}arles Babbage", "Babbage", "Charles"),
        ("ada van byron", "van byron", "ada"),
        ("{van der Waals}, Johannes", "van der Waals", "Johannes"),
    ],
)
def test_small_letters_begin_a_family_name(written: str, family: str, given: str) -> None:
    """An accent is no small letter, and what is in braces is a capital one."""
    (author,) = entry(f"author = {{{written}}}").authors

    assert (author.family, author.given) == (family, given)


def test_an_ampersand_parts_names_of_several_words() -> None:
    """But not the name of a firm, or of a body."""
    names = [
        [author.name for author in entry(f"author = {{{written}}}").authors]
        for written in (r"Ann Roe \& Max Os", "Clay & Sons", r"Institute of Mud \& Clay Works")
    ]

    assert names == [["Ann Roe", "Max Os"], ["Clay & Sons"], ["Institute of Mud & Clay Works"]]


@each(
    ("written", "names"),
    [
        (r"Falk, G and \'Elan, B", [("Falk", "G"), ("Élan", "B")]),
        (r"{\"O}zt{\"u}rk, A and {\'E}lan, B", [("Öztürk", "A"), ("Élan", "B")]),
        (r"{\O}stby, A and \O stby, B AND \v{S}imek, C", [
            ("Østby", "A"), ("Østby", "B"), ("Šimek", "C")]),
        ("and Falk, G and", [("Falk", "G")]),
        ("Anderson, Andy and Brandand, B", [("Anderson", "Andy"), ("Brandand", "B")]),
    ],
)  # fmt: skip
def test_a_command_behind_and_belongs_to_its_name(
    written: str, names: list[tuple[str, str]]
) -> None:
    """Only blanks are around "and"."""
    found = entry(f"author = {{{written}}}").authors
    assert [(author.family, author.given) for author in found] == names


@each("end", [" and others", " and {others}", ", et al.", " et al", " and et.al.", " and {et al.}"])
def test_others_are_no_author_and_are_kept_beside(end: str) -> None:
    """However a file says that there are more."""
    (found,) = read(f"@article{{a, title={{T}}, author={{Falk, G{end}}}}}", "bibtex").entries
    assert [author.name for author in found.record.authors] == ["G Falk"]
    assert found.given == (("author", f"Falk, G{end}"),)


def test_others_in_chinese() -> None:
    """Behind a whole name; a given name may be one character."""
    assert [author.name for author in entry("author = {王伟 and 李明等}").authors] == [
        "王伟",
        "李明",
    ]
    assert [author.name for author in entry("author = {王等}").authors] == ["王等"]


def test_names_with_initials_behind_and_no_and() -> None:
    """Both are whole names; one that ends with an initial is no list."""
    assert [author.name for author in entry("author = {Falk G., Osei K.}").authors] == [
        "G. Falk",
        "K. Osei",
    ]
    assert [author.name for author in entry("author = {Falk G., Ada}").authors] == ["Ada Falk G."]


@each(
    ("raw", "names"),
    [
        ("김민수, 이서연", ["김민수", "이서연"]),
        ("王，小明", ["王小明"]),
        ("王, 小明", ["王小明"]),
        ("family=王, given=小明", ["王小明"]),
        ("{김민수, 이서연}", ["김민수, 이서연"]),
    ],
)
def test_names_in_characters_without_and(raw: str, names: list[str]) -> None:
    """A comma stands between the parts of a name, or between names: see `names_in_field.py`."""
    assert [author.name for author in entry(f"author = {{{raw}}}").authors] == names


@each(
    ("fields", "ids"),
    [
        ("note = {PMID: 123; PMCID: PMC45}", {"pmid": "123", "pmcid": "PMC45"}),
        ("annote = {PubMed PMID: 123.}", {"pmid": "123"}),
        ("note = {Comment on PMID: 123}", {}),
        ("pmid = {PMID: 123}, pmcid = {45}", {"pmid": "123", "pmcid": "PMC45"}),
        ("pmid = {https://pubmed.ncbi.nlm.nih.gov/123/}", {"pmid": "123"}),
        ("eprint = {PMC45}, eprinttype = {pmc}", {"pmcid": "PMC45"}),
        ("eprint = {https://www.ncbi.nlm.nih.gov/pubmed/123}", {"pmid": "123"}),
    ],
)
def test_identifiers_in_any_field_that_holds_nothing_else(fields: str, ids: dict[str, str]) -> None:
    """A note that says more may name another work."""
    assert entry(fields).ids == ids


def test_the_number_of_a_patent_identifies_it() -> None:
    """Whoever holds it stands beside; a short number is none of a patent."""
    (found,) = read(
        "@patent{a, title={T}, number={US1234567B2}, holder={Kite Works}}", "bibtex"
    ).entries
    assert (found.record.ids, found.record.issue) == ({"patent": "US1234567B2"}, None)
    assert found.given == (("holder", "Kite Works"),)
    assert entry("number = {3}", "patent").issue == "3"


def test_the_date_of_biblatex_counts_before_the_year() -> None:
    """A range begins the date of a record, and is kept."""
    (found,) = read(
        "@article{a, title={T}, date={2020-03/2020-05}, year={1998}, origdate={1950}}", "bibtex"
    ).entries
    assert (found.record.year, found.record.date) == (2020, "2020-03")
    assert dict(found.given) == {"date": "2020-03/2020-05", "year": "1998", "origdate": "1950"}


def test_what_stands_for_nothing_in_a_record_is_kept() -> None:
    """Addresses and languages of which a record has one, words of others for the kind."""
    fields = {
        "url": "http://example.org/a http://example.org/b",
        "language": "engfre",
        "eprint": "https://example.org/a.pdf",
        "entrysubtype": "magazine",
    }
    text = ", ".join(f"{name} = {{{value}}}" for name, value in fields.items())
    (found,) = read(f"@article{{a, title={{T}}, {text}}}", "bibtex").entries
    assert (found.record.url, found.record.language) == ("http://example.org/a", "en")
    assert dict(found.given) == fields


def test_entries_are_followed_to_the_ones_behind_them() -> None:
    """Also in a circle; one that is not there is told."""
    reading = read(
        "@article{a, title={T}, xdata={x}}\n@xdata{x, volume={3}, xdata={y}}\n"
        "@xdata{y, journal={Kites}, xdata={x}}\n@book{b, title={B}, crossref={nowhere}}\n",
        "bibtex",
    )
    assert [(one.volume, one.venue) for one in reading.records] == [("3", "Kites"), (None, None)]
    assert told(reading) == [(4, "the entry 'nowhere', named in crossref, is not in the file")]
