"""MODS, read by the rules that our SRU sources have for it."""

from __future__ import annotations

from lxml import etree

from metasearch.adapters.parse.parse import record_of
from metasearch.adapters.specs.specfile import build, shipped_table
from metasearch.bib.field_limits import Cuts
from metasearch.formats.mods import element
from metasearch.record import TYPES, Author, Record
from tests.formats.exported import hits_of, written
from tests.formats.samples import MERGED

M = {"m": "http://www.loc.gov/mods/v3"}


def read(data: bytes) -> list[Record]:
    spec = build(shipped_table("sru"), "sru.toml", shipped_table)
    shape = next(it.shape() for it in spec.shapes if it.body == "xml")  # that of MODS
    root = etree.fromstring(data)
    found = [record_of(shape, node, number, spec, Cuts()) for number, node in enumerate(root, 1)]
    assert all(isinstance(record, Record) for record in found)
    return [record for record in found if isinstance(record, Record)]


def test_our_rules_for_mods_read_it() -> None:
    (record,) = read(written("mods", [MERGED]))
    ours = MERGED.record

    assert record.source_id == MERGED.id
    for name in "title authors year venue publisher volume issue doi issn language".split():
        if name == "authors":
            assert [it.name for it in record.authors] == [it.name for it in ours.authors]
        else:
            assert getattr(record, name) == getattr(ours, name), name
    assert (record.abstract or "").split() == (ours.abstract or "").split()
    assert (record.url, record.keywords) == (ours.url, ours.keywords)


def test_our_rules_for_mods_tell_editors_and_translators() -> None:
    """By their roles, whoever wrote the record; a suffix is no part of a given name."""
    people = {
        "authors": (Author("F. Cobb Jr.", "Cobb", "F.", suffix="Jr."),),
        "editors": (Author("Ann Green", "Green", "Ann"),),
        "translators": (Author("Eva Hofmann", "Hofmann", "Eva"),),
    }
    data = written("mods", hits_of([Record(source="db", title="Wells", **people)]))  # type: ignore[arg-type]

    for text in (data, data.replace(b'source="metasearch"', b'source="another"')):
        (record,) = read(text)
        assert {role: getattr(record, role) for role in people} == people


def test_zotero_reads_the_type_in_a_local_genre() -> None:
    hits = hits_of([Record(source="db", title=kind, type=kind) for kind in TYPES])
    root = etree.fromstring(written("mods", hits))

    genres = {
        one.findtext("m:titleInfo/m:title", namespaces=M): one.findtext(
            "m:genre[@authority='local']", namespaces=M
        )
        for one in root
    }

    assert len(genres) == len(TYPES)
    assert (genres["article"], genres["preprint"]) == ("journalArticle", "preprint")
    assert (genres["dataset"], genres["patent"]) == ("dataset", "patent")


def test_a_series_is_no_host() -> None:
    record = Record(source="db", title="A", type="book", venue="Series of books", issn=("1", "2"))
    root = etree.fromstring(written("mods", hits_of([record])))

    assert root.xpath("//m:relatedItem/@type", namespaces=M) == ["series"]
    assert root.xpath("/m:modsCollection/m:mods/m:identifier/text()", namespaces=M) == ["1", "2"]


def publishers(**fields: str) -> list[str]:
    """The texts of the publishers of a record; no name of a body is written."""
    root = etree.fromstring(written("mods", hits_of([Record(source="db", title="A", **fields)])))  # type: ignore[arg-type]
    assert root.xpath("//m:name", namespaces=M) == []
    return [str(text) for text in root.xpath("//m:publisher/text()", namespaces=M)]


def test_zotero_reads_the_first_publisher() -> None:
    """The university of a thesis and the institution of a report; the repository of a preprint."""
    bodies = {"institution": "Isle University", "publisher": "Isle Press", "venue": "arXiv"}

    assert publishers(type="thesis", **bodies) == ["Isle University", "Isle Press"]
    assert publishers(type="report", **bodies) == ["Isle University", "Isle Press"]
    assert publishers(type="article", **bodies) == ["Isle Press", "Isle University"]
    assert publishers(type="preprint", venue="arXiv") == ["arXiv"]
    assert publishers(type="article", venue="Journal of Islands") == []


def test_hostile_text_stays_text() -> None:
    record = Record(
        source="db",
        title="a</title><genre>x\x00\ufffe\ud800",
        authors=(Author('"&<', '"&<', "]]>"),),
        ids={'a" b="': "&"},
        url="javascript:alert(1)",
    )
    root = etree.fromstring(written("mods", hits_of([record])))

    assert root.findtext(".//m:title", namespaces=M) == "a</title><genre>x"
    assert root.xpath("//m:genre[not(@authority)]", namespaces=M) == []
    assert root.xpath("//m:url", namespaces=M) == []
    alone = etree.fromstring(element(hits_of([record])[0], namespace=M["m"]))
    assert alone.tag == "{http://www.loc.gov/mods/v3}mods"
