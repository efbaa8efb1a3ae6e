"""The functions that are written of shapes of XML and of MARC read what their attempts read."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.adapters.parse.bodies import without_namespaces
from metasearch.adapters.parse.compiler import ReadFunction, compile_reader
from metasearch.adapters.parse.parse import record_of, view
from metasearch.adapters.select.marc import CutRecord, MarcPath, compile_marc, form_of
from metasearch.adapters.select.xml import compile_xml_record, parse_xml
from metasearch.adapters.spec import Always, FieldRule, LateShape, RecordReader, Selector, Shape
from metasearch.adapters.specs.registry import Registry
from metasearch.bib import converters, identifiers, isbd, numbering, texts
from metasearch.settings import Settings
from tests.adapters.parse.test_written import outcome
from tests.cases import sample
from tests.examples import examples

CASSETTES = Path(__file__).resolve().parents[3] / "cassettes"
REGISTRY = Registry(
    Settings(sources={"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}})
)
SPEC = REGISTRY.spec("library")
LARGEST = 300_000


def by_attempts(shape: Shape) -> Shape:
    """The same shape, of which no function is written yet."""
    return replace(shape, reader=RecordReader())


@cache
def compiled(late: LateShape) -> Shape:
    return by_attempts(late.shape())


def shapes(body: str) -> list[Any]:
    return [
        pytest.param(late, id=f"{name}-{number}")
        for name in REGISTRY.names()
        for number, late in enumerate(REGISTRY.spec(name).shapes)
        if late.body == body
    ]


@cache
def function(shape: int) -> ReadFunction:
    read = compile_reader(KEPT[shape])
    assert read is not None
    return read


KEPT: dict[int, Shape] = {}


def assert_reads_the_same(shape: Shape, node: Any) -> None:
    KEPT[id(shape)] = shape
    read = function(id(shape))
    expected = outcome(lambda cuts: record_of(shape, node, 7, SPEC, cuts))
    found = outcome(lambda cuts: read(view(node, shape.body), 7, SPEC.name, cuts))

    assert expected == found


# ------------------------------------------------------------------------------------------- MARC

TEXTS = st.sampled_from([
    "", " ", "A title :", "the rest /", "x  y ", "doi", "DOI", "10.1000/x", "pmid", "openalex",
    "https://doi.org/10.1000/x.", "(OCoLC)123", "2004.", "c2004", "Byron, Ada,", "Davis, Miles.",
    "editor.", "edt", "pbl", "0393310728 (pbk.)", "1234-5679", "eng", "engfre", "a&b <i>c</i>",
    "Vol. 1, no. 2 (2003), p. 4-5", "http://a.b/c", "application/pdf", "retracted", "Paris :",
    "245-02/$1", "245-00/$1", "700-01", "880-01", "a01", "c by Ann Lee ; edited by Bo Li",
    "open access (gold)", "T" * 101, "z" * 10_001, "p" * 2_001, "\u2003wide\u2003", "¬Der¬ Prozess",
])  # fmt: skip
LEADERS = st.sampled_from(["", "00000nam a2200000 a 4500", "00000naa a", "00000nab a", "00000njm"])
HEADS = st.sampled_from(
    ["n1", "metasearch", "990507s1984    oncuuu              eng d", "", "DE-604", "http://a.b/c"]
)


def asked(shape: Shape) -> tuple[list[str], list[str]]:
    """Tags and codes that a shape's selectors ask for."""
    selects = [select for rule in shape.rules for select in rule.selectors]
    tags = {tag for select in selects for tag in select.needs or ()}
    paths = [select.tree for select in selects if isinstance(select.tree, MarcPath)]
    codes = {code for path in paths for code in path.codes or ""}
    tests = {what[1:] for path in paths for what, _, _ in path.tests if what.startswith("$")}
    tags = {"880" if tag.startswith("880/") else tag for tag in tags - {"LDR"}}
    return sorted(tags), sorted((codes | tests | {"a", "b", "e", "4", "0", "6"}) - {","})


def marc(draw: st.DrawFn, tags: list[str], codes: list[str]) -> str:
    """A record with some of these tags and codes, in plain form."""
    parts = [
        f'<controlfield tag="{tag}">{draw(HEADS)}</controlfield>'
        for tag in draw(st.lists(st.sampled_from([*tags, "003", "999"]), max_size=14))
        if tag < "010"
    ]
    for tag in draw(st.lists(st.sampled_from([*tags, "245"]), min_size=1, max_size=14)):
        inside = "".join(
            f'<subfield code="{draw(st.sampled_from(codes))}">{escaped(draw(TEXTS))}</subfield>'
            for _ in range(draw(st.integers(0, 4)))
        )
        ind = draw(st.sampled_from(["  ", "10", "0 ", "40", "42", " 1"]))
        parts.append(f'<datafield tag="{tag}" ind1="{ind[0]}" ind2="{ind[1]}">{inside}</datafield>')
    return f"<record><leader>{draw(LEADERS)}</leader>{''.join(parts)}</record>"


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


@pytest.mark.parametrize("late", sample(shapes("marcxml"), 6))
@given(data=st.data())
@examples(0.5)
def test_a_function_reads_a_marc_record_as_the_attempts_do(
    late: LateShape, data: st.DataObject
) -> None:
    """Whatever fields it has, and whether it is a tree or a text."""
    shape = compiled(late)
    text = data.draw(st.composite(marc)(*asked(shape)))
    assert_reads_the_same(shape, etree.fromstring(text))

    form = form_of(text)
    assert form is not None
    found = form.record.search(text)
    assert found is not None
    assert_reads_the_same(shape, CutRecord(found[2], form))


MARC_SELECTORS = st.sampled_from([
    "001", "003", "008/7-10", "008/0", "LDR/6", "LDR/6-7", "LDR", "245$a", "245$anp", "245|246$a",
    "245", "100|245", "245[2=0]$a", "245[$2=doi]$a", "245[$b=]$a", "245[1!=0]$a", "245/0-2",
    "245[LDR/7=am]$a", "245[003=metasearch]$a", "245[003=x'\"\\]$a", "001[LDR/6=n]", "008$a",
    "245[003=metasearch][LDR/6=a][2=0]$a", "245|880/245$a,b", "880/245", "880$6",
])  # fmt: skip


@given(data=st.data())
@examples(3)
def test_every_form_of_a_marc_selector_is_written(data: st.DataObject) -> None:
    """Also those that no shipped source has."""
    library = SPEC.shapes[0].shape()
    convert = st.sampled_from([
        texts.text, isbd.texts, isbd.without_marks, converters.year, len,
        identifiers.identifier, lambda found: found, lambda _: 0,
    ])  # fmt: skip
    rules = [
        FieldRule(
            data.draw(st.sampled_from(["title", "venue", "doi", "year", "subjects", "ids.x"])),
            tuple(compile_marc(data.draw(MARC_SELECTORS)) for _ in range(2)),
            data.draw(convert),
        )
        for _ in range(3)
    ]
    shape = of_rules(library, rules)
    text = data.draw(
        st.composite(marc)(["001", "003", "008", "245", "880"], ["a", "b", "2", "n", "6"])
    )
    read = compile_reader(shape)
    assert read is not None
    node = etree.fromstring(text)

    assert outcome(lambda cuts: record_of(shape, node, 7, SPEC, cuts)) == outcome(
        lambda cuts: read(view(node, "marcxml"), 7, SPEC.name, cuts)
    )


def of_rules(some: Shape, rules: list[FieldRule]) -> Shape:
    """A shape with these rules; its attempts are made as those of specs are."""
    from metasearch.adapters.specs.spec_tables import _attempts

    of_fields, of_ids = _attempts([*rules], some.body)
    return replace(
        by_attempts(some),
        rules=tuple(rules),
        attempts=of_fields,
        id_attempts=of_ids,
        by_tag=None,
    )


# -------------------------------------------------------------------------------------------- XML


@cache
def real_records(name: str) -> list[tuple[Shape, Any]]:
    """Records of a source's cassettes, each with the shape that finds it."""
    found: list[tuple[Shape, Any]] = []
    for path in sorted((CASSETTES / name).rglob("body.xml")):
        if path.stat().st_size > LARGEST:
            continue
        for late in REGISTRY.spec(name).shapes:
            if late.body not in ("xml", "marcxml"):
                continue
            shape = late.shape()
            root = parse_xml(path.read_bytes().strip())
            if shape.bare:
                without_namespaces(root)
            if shape.when is None or shape.when.find(root):
                found += [(by_attempts(shape), node) for node in shape.records.find(root)[:3]]
    return found


SOURCES = [name for name in REGISTRY.names() if any((CASSETTES / name).rglob("body.xml"))]
WORDS = st.sampled_from([
    "", " ", "A title", "x  y", "2020-03-05", "10.1000/x", "http://a.b/c.pdf", "Byron, Ada",
    "Ada Byron", "cond-mat/9901001v2", "eng", "T" * 101, "w" * 10_001, "\n two \n lines",
    "<b>x</b>",
])  # fmt: skip


@st.composite
def changed(draw: st.DrawFn, node: Any) -> Any:
    """A record of which a few elements are twice, gone, empty, or have another text."""
    node = copy.deepcopy(node)
    for _ in range(draw(st.integers(1, 6))):
        inside = list(node.iterdescendants())
        if not inside:
            break
        one = draw(st.sampled_from(inside))
        match draw(st.sampled_from(("twice", "gone", "text", "attribute", "nested"))):
            case "twice":
                one.addnext(copy.deepcopy(one))
            case "gone":
                one.getparent().remove(one)
            case "text":
                one.text = draw(WORDS)
            case "attribute":
                for key in one.attrib:
                    one.set(key, draw(WORDS))
            case _:
                one.append(etree.fromstring("<i>nested<b/>tail</i>"))
    return node


@pytest.mark.parametrize("source", sample(SOURCES, 6))
@given(data=st.data())
@examples(0.5)
def test_a_function_reads_real_xml_as_the_attempts_do(source: str, data: st.DataObject) -> None:
    """As the records are, and changed in a few places."""
    if not (records := real_records(source)):
        pytest.skip("its cassettes hold no records")
    shape, node = data.draw(st.sampled_from(records))

    assert_reads_the_same(shape, node)
    assert_reads_the_same(shape, data.draw(changed(node)))


XML_SELECTORS = st.sampled_from([
    "t", "u", "t[@k]", "t/@k", "t[@k='1']/@k", ".//t", "string(t)", "count(t)", "boolean(t)",
    "t | u", "*[local-name()='t']", "t[2]", "number(t)", "@k", "normalize-space(t)", "t/u",
])  # fmt: skip
XML_RECORDS = st.sampled_from([
    "<r/>", "<r k='1'><t>A</t></r>", "<r><t k='1'>A<u>B</u>C</t><t>D</t><u/></r>", "<r><t/></r>",
    "<r><t k='2'> A </t><t k='1'>2</t><u>3</u></r>", f"<r><t>{'x' * 10_001}</t></r>",
    "<r><t>0</t></r>",
])  # fmt: skip


@given(data=st.data())
@examples(3)
def test_every_result_of_xpath_is_read(data: st.DataObject) -> None:
    """Elements, texts, numbers and booleans, whatever the converter; and what every record has."""
    arxiv = REGISTRY.spec("arxiv").shapes[0].shape()
    convert = st.sampled_from([
        texts.text, isbd.texts, numbering.integer, texts.labelled,
        texts.true_or_none, identifiers.first_url, lambda found: found and len(str(found)),
    ])  # fmt: skip
    rules = []
    for _ in range(3):
        one = data.draw(convert)
        rules.append(
            FieldRule(
                data.draw(st.sampled_from(["title", "venue", "url", "year", "subjects", "ids.x"])),
                tuple(compile_xml_record(data.draw(XML_SELECTORS)) for _ in range(2)),
                one,
                nodes=one is texts.labelled,
            )
        )
    always = data.draw(
        st.sampled_from(["article", "", " ", "no", True, 0, 7, "y" * 10_001, "2020"])
    )
    convert = st.sampled_from([
        texts.text, texts.open_access, converters.year, texts.text_list, len, int,
    ])  # fmt: skip
    everywhere = (Selector(lambda _: ""), Selector(Always(always)), Selector(Always("later")))
    rules.append(FieldRule("type", everywhere, data.draw(convert)))
    shape = of_rules(arxiv, rules)
    read = compile_reader(shape)
    assert read is not None
    node = etree.fromstring(data.draw(XML_RECORDS))

    assert outcome(lambda cuts: record_of(shape, node, 7, SPEC, cuts)) == outcome(
        lambda cuts: read(view(node, "xml"), 7, SPEC.name, cuts)
    )
