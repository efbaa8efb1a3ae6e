"""What we write, read by libraries that are not ours: title, names, year, venue, DOI and type of
ordinary works and of hostile ones."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from metasearch.record import Author, Record
from tests.formats import foreign
from tests.formats.exported import hits_of, written

HOSTILE = 'Growth & decay: 50% of $x_1$ {DNA} <b>#1</b> \\input{y} "~^" €\nER  - \nTY  - BOOK\n%T x'


def _person(family: str, given: str) -> Author:
    return Author(f"{given} {family}", family, given)


WORKS = (
    Record(
        source="crossref",
        title=HOSTILE,
        authors=(
            _person("van der Berg", "Jan Pieter"),
            _person("O’Neil", "Ann-Marie"),
            Author("Ministry of Water and Power, Lakes; Dams", collective=True),
        ),
        year=2021,
        date="2021-03-15",
        venue="Journal of A & B: {C}_#",
        volume="5",
        pages="11-19",
        doi="10.1002/(sici)1097<1::aid-x>3.0.co;2-#_%",
        type="article",
        language="en",
        abstract=f"Read: {HOSTILE}",
        keywords=("rivers", "dams"),
    ),
    Record(
        source="wanfang",
        title="湖泊沉积物研究",
        authors=(Author("王小明"), Author("李雷")),
        year=2012,
        venue="科学通报",
        volume="55",
        pages="32-39",
        type="article",
        language="zh",
    ),
    Record(
        source="crossref",
        title="Lakes in winter",
        authors=(_person("Green", "Ann"),),
        editors=(_person("Rossi", "Paolo"),),
        year=2010,
        venue="Handbook of limnology",
        publisher="Elsevier",
        pages="45-67",
        doi="10.1000/c",
        type="chapter",
    ),
    Record(
        source="dblp",
        title="Attention to rivers",
        authors=(_person("Müller", "Jürgen"),),
        year=2017,
        venue="Proceedings of the 31st Conference on Water",
        doi="10.1000/p",
        type="conference-paper",
    ),
    Record(
        source="oatd",
        title="Dams and people",
        authors=(_person("Harris", "Lisa"),),
        year=2014,
        institution="University of Virginia",
        type="thesis",
    ),
)
HITS = hits_of(list(WORKS))
#: What each reader says of a work: title, family names, year, DOI, type.
Said = tuple[str, list[str], str, str, str]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def expected(*types: str) -> list[Said]:
    """What a reader has to say, with its own words for the types of the works."""
    return [
        (
            _one_line(record.title),
            [author.family or author.name for author in record.authors],
            f"{record.year}",
            record.doi or "",
            kind,
        )
        for record, kind in zip(WORKS, types, strict=True)
    ]


def of_names(names: list[str]) -> list[str]:
    """Family names of "Family, Given"; the body has a comma of its own."""
    return [name if "Ministry" in name else name.partition(",")[0] for name in names]


def of_latex(text: str) -> str:
    """Plain text of LaTeX, by pylatexenc, which has an accent for the circumflex of ASCII."""
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="verbatim").latex_to_text(text).replace("ˆ", "^")


#: Venues of those works that have one.
VENUES = [_one_line(record.venue or "") for record in WORKS]

# --------------------------------------------------------------------------- RIS


def ris() -> list[dict[str, Any]]:
    rispy = pytest.importorskip("rispy", reason="rispy is not installed (group test)")
    found: list[dict[str, Any]] = rispy.loads(written("ris", HITS).decode())
    return found


def test_rispy() -> None:
    found = ris()

    assert [
        (
            e["title"],
            of_names([name.rstrip(",") for name in e["authors"]]),  # EndNote's mark of a body
            e["year"],
            e.get("doi", ""),
            e["type_of_reference"],
        )
        for e in found
    ] == expected("JOUR", "JOUR", "CHAP", "CPAPER", "THES")
    assert [e.get("secondary_title", "") for e in found] == VENUES
    assert found[0]["urls"] == [
        "https://doi.org/10.1002/(sici)1097%3C1::aid-x%3E3.0.co%3B2-%23_%25"
    ]
    assert [e for e in found if "unknown_tag" in e] == []


def test_what_asreview_looks_for_in_ris() -> None:
    """It reads RIS by rispy, and takes title, abstract, keywords and DOI from these names alone."""
    first, *others = ris()

    assert first["abstract"] == _one_line(f"Read: {HOSTILE}")
    assert first["keywords"] == ["rivers", "dams"]
    assert all("title" in entry or "primary_title" in entry for entry in others)


# --------------------------------------------------------------------------- BibTeX

BIBTEX = expected("article", "article", "incollection", "inproceedings", "phdthesis")


def test_pybtex() -> None:
    """It stops at a repeated key, and reads macros of months."""
    database = pytest.importorskip("pybtex.database", reason="pybtex is not installed (group test)")
    entries = database.parse_string(written("bibtex", HITS).decode(), "bibtex").entries

    assert [
        (
            of_latex(entry.fields["title"]),
            [
                " ".join([*one.prelast_names, *one.last_names]).strip("{}")
                for one in entry.persons["author"]
            ],
            entry.fields["year"],
            entry.fields.get("doi", ""),
            entry.type,
        )
        for entry in entries.values()
    ] == BIBTEX
    assert entries[next(iter(entries))].fields["month"] == "March"


def test_bibtexparser() -> None:
    import bibtexparser

    library = bibtexparser.parse_string(written("bibtex", HITS).decode())

    assert library.failed_blocks == []
    assert [
        (of_latex(entry["title"]), entry["year"], entry.get("doi", _NO_FIELD).value)
        for entry in library.entries
    ] == [(title, year, doi) for title, _, year, doi, _ in BIBTEX]
    assert [entry.entry_type for entry in library.entries] == [kind for *_, kind in BIBTEX]
    assert len({entry.key for entry in library.entries}) == len(WORKS)


class _NoField:
    value = ""


_NO_FIELD = _NoField()

# --------------------------------------------------------------------------- MARC


def of_marc(found: list[Any]) -> list[Said]:
    def names(record: Any) -> list[str]:
        people = [
            one for one in record.get_fields("100", "700") if "edt" not in one.get_subfields("4")
        ]
        bodies = record.get_fields("110", "710")
        return of_names([field["a"].rstrip(",") for field in (*people, *bodies)])

    def doi(record: Any) -> str:
        return next((f["a"] for f in record.get_fields("024") if f.get("2") == "doi"), "")

    return [
        (record["245"]["a"], names(record), record.pubyear[:4], doi(record), record["380"]["a"])
        for record in found
    ]


MARC = expected("article", "article", "chapter", "conference-paper", "thesis")


def test_pymarc_reads_iso_2709() -> None:
    import pymarc

    found = list(pymarc.MARCReader(written("marc", HITS)))

    assert of_marc(found) == MARC
    assert [record["773"]["t"] if "773" in record else "" for record in found] == VENUES


def test_pymarc_reads_marcxml() -> None:
    import pymarc

    assert of_marc(pymarc.parse_xml_to_array(io.BytesIO(written("marcxml", HITS)))) == MARC


@pytest.mark.slow
@pytest.mark.parametrize("name", ["marc", "marcxml"])
def test_yaz_marcdump(tmp_path: Path, name: str) -> None:
    """It writes a comment into its output where a record is not as it should be."""
    program = shutil.which("yaz-marcdump")
    if program is None:
        pytest.skip("yaz-marcdump is not installed (package yaz)")
    path = tmp_path / "works"
    path.write_bytes(written(name, HITS))

    form = ("-f", "utf8", "-t", "utf8") if name == "marc" else ("-i", "marcxml")
    done = subprocess.run(
        [program, *form, str(path)], capture_output=True, check=True, timeout=60, encoding="utf-8"
    )

    titles = re.findall(r"^245 .. \$a (.*)$", done.stdout, re.MULTILINE)
    assert [_one_line(title) for title in titles] == [title for title, *_ in MARC]
    assert "<!--" not in done.stdout
    assert done.stderr == ""


# --------------------------------------------------------------------------- CSL-JSON


def test_citeproc() -> None:
    """It warns of a member that is no variable of CSL; a warning fails the test."""
    source = pytest.importorskip("citeproc.source.json", reason="citeproc-py is not installed")
    found = source.CiteProcJSON(json.loads(written("csl-json", HITS)))

    assert [
        (
            _one_line(f"{item.title}"),
            [name.get("family") or name["literal"] for name in item.author],
            f"{item.issued.year}",
            f"{item.get('DOI', '')}",
            item.type,
        )
        for item in found.values()
    ] == expected("article-journal", "article-journal", "chapter", "paper-conference", "thesis")
    assert [_one_line(f"{item.get('container_title', '')}") for item in found.values()] == VENUES


# --------------------------------------------------------------------------- Excel


def test_openpyxl() -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed (extra xlsx)")
    sheet = openpyxl.load_workbook(io.BytesIO(written("xlsx", HITS))).worksheets[0]
    heading, *rows = sheet.iter_rows(values_only=True)
    found = [dict(zip(heading, row, strict=True)) for row in rows]

    assert [
        (
            _one_line(f"{row['title']}"),
            of_names(f"{row['authors']}".split("; ", 2)),
            f"{row['year']}",
            row["doi"] or "",
            row["type"],
        )
        for row in found
    ] == expected("article", "article", "chapter", "conference-paper", "thesis")
    assert [_one_line(row["venue"] or "") for row in found] == VENUES


# --------------------------------------------------------------------------- XML, by lxml alone


def test_lxml_reads_endnote_xml() -> None:
    """As EndNote and Zotero read it: no `style` element, so that no text stands outside of one."""
    root = etree.fromstring(written("endnote-xml", HITS))

    assert not root.xpath("//style")
    assert [
        (
            record.findtext("titles/title"),
            of_names(
                [
                    f"{one}".rstrip(",").replace(",,", ",")
                    for one in record.xpath("contributors/authors/author/text()")
                ]
            ),
            record.findtext("dates/year"),
            record.findtext("electronic-resource-num") or "",
            record.find("ref-type").get("name"),
        )
        for record in root.iterfind("records/record")
    ] == expected(
        "Journal Article", "Journal Article", "Book Section", "Conference Proceedings", "Thesis"
    )
    assert [
        record.findtext("periodical/full-title") or record.findtext("titles/secondary-title") or ""
        for record in root.iterfind("records/record")
    ] == VENUES


def test_lxml_reads_mods() -> None:
    root = etree.fromstring(written("mods", HITS))
    names = {"m": "http://www.loc.gov/mods/v3"}

    def texts(record: Any, path: str) -> list[str]:
        return [_one_line(f"{text}") for text in record.xpath(path, namespaces=names)]

    found = [
        (
            texts(record, "m:titleInfo[not(@type)]/m:title/text()")[0],
            texts(record, "m:name[m:role/m:roleTerm='author' or m:role/m:roleTerm='aut']"
                  "/m:namePart[not(@type) or @type='family']/text()"),
            texts(record, ".//m:dateIssued/text()")[0][:4],
            "".join(texts(record, "m:identifier[@type='doi']/text()")),
        )
        for record in root
    ]  # fmt: skip
    assert found == [said[:4] for said in MARC]


# --------------------------------------------------------------------------- NBIB

#: A tag of at most four letters, blanks up to the fifth column, a hyphen.
_NBIB_LINE = re.compile(r"([A-Z]{2,4}) *- ?(.*)")
#: What synthesisr, revtools and Rayyan take for title, names, abstract, DOI, journal, type.
_NBIB_READ = ("TI", "FAU", "AB", "LID", "JT", "PT")


def read_as_synthesisr_does(text: str) -> list[dict[str, list[str]]]:
    """Records begin with PMID; a line without a tag goes on with the line before."""
    found: list[dict[str, list[str]]] = []
    tag = ""
    for line in text.splitlines():
        hit = _NBIB_LINE.fullmatch(line)
        if hit and hit[1] == "PMID":
            found.append({})
        if hit:
            tag = hit[1]
            found[-1].setdefault(tag, []).append(hit[2].strip())
        elif line.strip():
            found[-1][tag][-1] += f" {line.strip()}"
    return found


def test_nbib_as_screening_programs_read_it() -> None:
    found = read_as_synthesisr_does(written("nbib", HITS).decode())

    def doi(record: dict[str, list[str]]) -> str:
        numbers = [*record.get("LID", ()), *record.get("AID", ())]
        return next((n.removesuffix(" [doi]") for n in numbers if n.endswith(" [doi]")), "")

    assert [
        (
            record["TI"][0],
            of_names([*record["FAU"], *record.get("CN", ())]),
            record["DP"][0][:4],
            doi(record),
        )
        for record in found
    ] == [said[:4] for said in MARC]
    assert found[0]["AB"] == [_one_line(f"Read: {HOSTILE}")]
    assert [record.get("JT", [""])[0] for record in found[:2]] == VENUES[:2]
    assert [record["PT"][0] for record in found if "PT" in record][:2] == ["Journal Article"] * 2


# --------------------------------------------------------------------------- hostile works


@pytest.mark.slow
@pytest.mark.parametrize("name", foreign.PROGRAMS)
def test_no_program_reads_less_of_the_hostile_works_than_the_page_says(name: str) -> None:
    program, table = foreign.PROGRAMS[name], foreign.rows()
    if not program.is_there:
        pytest.skip(f"{name} is not installed ({program.needs})")

    assert name in table, "run `python -m tests.formats.foreign`"
    found = foreign.counts(name)
    assert all(read >= told for read, told in zip(found, table[name], strict=True)), found


@pytest.mark.slow
def test_the_page_has_no_other_programs() -> None:
    assert foreign.rows().keys() <= foreign.PROGRAMS.keys()


def test_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reader skips where its library is absent, and says which."""
    readers: dict[str, Callable[[], None]] = {"rispy": test_rispy, "pybtex.database": test_pybtex}
    for name, test in readers.items():
        with monkeypatch.context() as patch:
            patch.setitem(__import__("sys").modules, name, None)
            with pytest.raises(pytest.skip.Exception, match=name.partition(".")[0]):
                test()
