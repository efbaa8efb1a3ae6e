"""Pages of MARC records that are read without a tree of their records give what the tree gives."""

from __future__ import annotations

import gc
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.adapters.parse import cut_pages
from metasearch.adapters.parse.cut_pages import cut_page
from metasearch.adapters.parse.parse import PageContent, PageReading, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.select.marc import CutRecord, MarcText, form_of
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.specs.registry import Registry
from metasearch.bib.marc import MarcRecord
from metasearch.errors import SourceError
from metasearch.settings import Settings
from tests.cases import each
from tests.examples import examples

CASSETTES = Path(__file__).resolve().parents[3] / "cassettes"
REGISTRY = Registry(
    Settings(sources={"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}})
)
LIBRARY: AdapterSpec = REGISTRY.spec("library")
#: The real answers of catalogues that hold MARC.
REAL = {
    path.parts[-3]: path.read_bytes().strip()
    for path in sorted(CASSETTES.rglob("body.xml"))
    if b"datafield" in path.read_bytes()
}
SLIM = ' xmlns="http://www.loc.gov/MARC21/slim"'


def page(body: bytes, spec: AdapterSpec = LIBRARY) -> Page:
    request = Request(source=spec.name, url="https://example.org/sru", size=100, wanted=100)
    return Page(request=request, body=body, content_type="text/xml")


def read(body: bytes, spec: AdapterSpec = LIBRARY) -> PageContent | str:
    """What a body says, or why nothing."""
    try:
        return parse(page(body, spec), spec)
    except SourceError as error:
        return f"{type(error).__name__}: {error}"


def by_tree(body: bytes, spec: AdapterSpec = LIBRARY) -> PageContent | str:
    """The same, with a tree of the whole body."""
    with mock.patch.object(cut_pages, "cut_page", return_value=None):
        return read(body, spec)


def cut(body: bytes, spec: AdapterSpec = LIBRARY) -> list[bool] | None:
    """Of each record whether it is read from its text; None where the tree is needed."""
    found = cut_page(body, [shape for shape in spec.shapes if shape.body in ("xml", "marcxml")])
    return None if found is None else [isinstance(node, CutRecord) for node in found.nodes]


def field(tag: str, *subfields: str, ind: str = "  ", prefix: str = "") -> str:
    """A data field; each subfield is its code and its text."""
    inside = "".join(
        f'<{prefix}subfield code="{sub[0]}">{sub[1:]}</{prefix}subfield>' for sub in subfields
    )
    start = f'<{prefix}datafield tag="{tag}" ind1="{ind[0]}" ind2="{ind[1]}">'
    return f"{start}{inside}</{prefix}datafield>"


def record(*fields: str, prefix: str = "", declared: str = SLIM) -> str:
    head = f"<{prefix}leader>00000nam a2200000 a 4500</{prefix}leader>"
    number = f'<{prefix}controlfield tag="001">n1</{prefix}controlfield>'
    return f"<{prefix}record{declared}>{head}{number}{''.join(fields)}</{prefix}record>"


def answer(*records: str, before: str = "", total: str = "7") -> bytes:
    """An answer of SRU."""
    each_one = "".join(
        f"<z:record><z:recordData>{one}</z:recordData></z:record>" for one in records
    )
    return (
        f'{before}<z:searchRetrieveResponse xmlns:z="http://www.loc.gov/zing/srw/">'
        f"<z:numberOfRecords>{total}</z:numberOfRecords><z:records>{each_one}</z:records>"
        "</z:searchRetrieveResponse>"
    ).encode()


TITLE = field("245", "aA title :", "bthe rest /", ind="10")
PLAIN = record(TITLE, field("100", "aByron, Ada,", "d1815-1852."))


@each("source", REAL)
def test_records_of_real_catalogues_are_read_from_their_text(source: str) -> None:
    """Each catalogue writes another prefix, order or white space, and none needs a tree."""
    spec = REGISTRY.spec(source)

    assert any(cut(REAL[source], spec) or ())
    assert read(REAL[source], spec) == by_tree(REAL[source], spec)


REFERENCES = "&lt;i&gt; &#169; &#xE9;&#32; &quot;A&apos; &amp;amp;"


@each(
    "body, plain",
    [
        pytest.param(answer(PLAIN), [True], id="one"),
        pytest.param(answer(*[PLAIN] * 8), [True] * 8, id="eight"),
        pytest.param(answer(record(field("245", f"a{REFERENCES}"))), [True], id="references"),
        pytest.param(answer(record(field("200", "aTitre"))), [True], id="UNIMARC"),
        pytest.param(answer(PLAIN).replace(b">", b">\r\n"), [True], id="white space"),
        pytest.param(
            answer(record(field("245", "aT", prefix="m:"), prefix="m:", declared=' xmlns:m="x"')),
            [True],
            id="prefix",
        ),
        pytest.param(
            answer(PLAIN).replace(b'tag="245" ind1="1" ind2="0"', b'ind2="0" ind1="1" tag="245"'),
            None,
            id="a field in another order",
        ),
        pytest.param(
            answer(PLAIN, record("<!-- c -->", TITLE), PLAIN), [True, False, True], id="comment"
        ),
        pytest.param(
            answer(PLAIN, record(field("245", "a&nbsp;"), TITLE)), None, id="unknown reference"
        ),
        pytest.param(
            answer(PLAIN, record(field("245", "aA <b>bold</b> title"))),
            [True, False],
            id="elements in a text",
        ),
        pytest.param(
            answer(PLAIN, record(TITLE.replace(' ind1="1"', ""))), [True, False], id="no indicator"
        ),
        pytest.param(answer(PLAIN, record(TITLE, field("500", "a&#0;"))), None, id="no character"),
        pytest.param(answer(PLAIN, record(TITLE, field("500", "a\x0b"))), None, id="a control"),
        pytest.param(answer(PLAIN, record(TITLE, field("500", "aa ]]> b"))), None, id="]]>"),
        pytest.param(
            answer(PLAIN, record(field("245", "a<![CDATA[x]]>"))), None, id="CDATA section"
        ),
        pytest.param(answer(f"<!-- {PLAIN} -->", PLAIN), None, id="a record in a comment"),
        pytest.param(answer(f"<!-- {PLAIN} -->{PLAIN}"), None, id="a comment before a record"),
        pytest.param(answer(PLAIN, f"<?x {PLAIN} ?>"), None, id="a record in an instruction"),
        pytest.param(answer(PLAIN + PLAIN), None, id="two records in one"),
        pytest.param(answer(PLAIN, "", PLAIN), [True, False, True], id="none in one"),
        pytest.param(answer(PLAIN, "<r>&lt;r/&gt;</r>"), [True, False], id="packed elsewhere"),
        pytest.param(answer(PLAIN, "&lt;r/&gt;"), None, id="packed"),
        pytest.param(answer(PLAIN, total=f"1{PLAIN}"), None, id="a record in the number of hits"),
        pytest.param(answer(PLAIN, record(field("245", "aA\rB"))), None, id="a lone return"),
        pytest.param(answer(PLAIN, before="<!DOCTYPE x>"), None, id="DOCTYPE"),
        pytest.param(
            answer(PLAIN, before='<?xml version="1.0" encoding="latin1"?>'), None, id="Latin-1"
        ),
        pytest.param(answer(PLAIN).replace(b"rest", b"rest\xe9"), None, id="not UTF-8"),
        pytest.param(answer(PLAIN)[:-9], None, id="cut short"),
        pytest.param(answer(PLAIN.replace("245", "246")), None, id="no shape of MARC"),
        pytest.param(
            answer(*[PLAIN.replace("245", "246")] * 5, PLAIN), None, id="the sixth has a title"
        ),
        pytest.param(
            answer("<x>" * 60 + PLAIN + "</x>" * 60), None, id="deep"
        ),
        pytest.param(
            answer(PLAIN.replace("</record>", "</record><metasearch-cut-leader/>")),
            None,
            id="a mark of ours",
        ),
    ],
)  # fmt: skip
def test_what_is_not_in_plain_form_is_left_to_the_parser(
    body: bytes, plain: list[bool] | None
) -> None:
    """Of each record it is known which way it is read; what is read is the same."""
    assert cut(body) == plain
    assert read(body) == by_tree(body)


def test_selectors_that_look_into_records_need_the_tree() -> None:
    """A source may find its records, their number or its shape by anything."""
    parsing_tables = [
        {"records": "//*[local-name()='datafield'][@tag='245']/.."},
        {"total": "//*[@code='b']"},
        {"when": "//*[@code='b']"},
        {"when": "count(//*[local-name()='subfield']) > 3"},
        {"records": "//*[local-name()='recordData']/*/*/.."},
        {"warning": "//*[@code='b']"},
        {"total": "//*[local-name()='recordData']"},
    ]
    body = answer(record(TITLE, field("500", "b12")), PLAIN)
    for number, table in enumerate(parsing_tables):
        source = {"extends": "sru", "url": "http://127.0.0.1/sru", "parse": table}
        spec = Registry(Settings(sources={"other": source})).spec("other")

        assert cut(body, spec) is None, number
        assert read(body, spec) == by_tree(body, spec)


def test_a_field_that_tells_the_shape_may_stand_in_any_record() -> None:
    """Of the sixth record and those behind it, the envelope has no field by which to tell."""
    when = "//*[local-name()='datafield'][@tag='245']"
    source = {"extends": "sru", "url": "http://127.0.0.1/sru", "parse": {"when": when}}
    spec = Registry(Settings(sources={"other": source})).spec("other")
    french = record(field("200", "aTitre"))
    both = record(field("200", "aTitre"), TITLE)

    assert cut(answer(both, french), spec) == [True, True]
    assert cut(answer(*[french] * 5, both), spec) is None
    assert cut(answer(*[french] * 6), spec) == [True] * 6


#: Fields in plain form, and what is not.
FIELDS = st.sampled_from(
    (
        TITLE, field("245", "aAnother title", "cby somebody."), field("100", "aDavis, Miles."),
        field("700", "aDoe, Jane,", "eeditor."), field("024", "a10.1000/x", "2doi", ind="7 "),
        field("856", "uhttp://x.org/a?b=1&amp;c=2", ind="40"), field("020", "a0393310728 (pbk.)"),
        field("245", "aA &#x26; B &lt;i&gt;", ind="00"), field("650", "aJazz.", "xHistory"),
        field("264", "aParis :", "bGallimard,", "c2004.", ind=" 1"), field("500"),
        field("500", "a "), field("245", "a&#152;Le&#156; \u2028\u00a0T &#32;"), "\r\n", "\n  ",
        field("245", "a" + "long " * 2_000), field("100", "a" + "x" * 6_000),
        field("773", "tJournal", "gVol. 1, no. 2 (2003), p. 4-5"), field("200", "aTitre"),
    )
)  # fmt: skip
ODD = st.sampled_from(
    (
        field("245", "a<sub>x</sub>"), '<datafield tag="500"/>', "<leader/>", "<!-- c -->",
        "<?p i?>", "<![CDATA[x]]>", "&amp;", "text", "&#152;", "&nbsp;", field("500", "a&#1;"),
        "<leader>00000njm a2200000 a 4500</leader>", "<subfield code='a'>x</subfield>",
        '<controlfield tag="008">990507s1984    oncuuu              eng d</controlfield>',
        field("245", "aT", prefix="x:"), "</record><record>", field("245", "a]]>", "b\r"),
        TITLE.replace(' ind1="1"', ""), TITLE.replace('tag="245"', 'tag="24"'),
    )
)  # fmt: skip
DECLARED = st.sampled_from((SLIM, SLIM, "", ' xmlns:x="urn:x"', SLIM + ' type="Bibliographic"'))


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A page of records of which a few have something odd in them."""
    records = []
    for _ in range(draw(st.integers(1, 8))):
        fields = draw(st.lists(FIELDS, min_size=1, max_size=7))
        if draw(st.integers(0, 5)) == 0:
            fields.insert(draw(st.integers(0, len(fields))), draw(ODD))
        records.append(record(*fields, declared=draw(DECLARED)))
    return answer(*records)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Such a page, or a real one, now and then with bytes changed."""
    body: bytes = draw(st.one_of(pages(), pages(), st.sampled_from([*REAL.values()])))
    for _ in range(max(0, draw(st.integers(-3, 2)))):
        at = draw(st.integers(0, len(body)))
        until = at + draw(st.integers(0, 30))
        new = draw(
            st.sampled_from((b"", b"<", b"&", b'"', b" ", b"<!--", b"-->", b"\x00", b"\xc3", b"x"))
        )
        body = body[:at] + new + body[until:]
    return body


def contents(marc: MarcRecord) -> tuple[object, ...]:
    """All that selectors see of a record."""
    fields = [
        (each_one.tag, each_one.ind1, each_one.ind2, each_one.subfields)
        for tag in marc.tags
        for each_one in marc.fields(tag)
    ]
    return marc.leader, marc.control, {**marc.there}.keys(), fields


@given(fields=st.lists(FIELDS, min_size=1, max_size=9), prefix=st.sampled_from(("", "m:")))
def test_a_text_has_the_fields_of_its_tree(fields: list[str], prefix: str) -> None:
    """Leader, control fields and data fields with indicators and subfields, blanks and references
    included."""
    text = record(TITLE, *fields).replace("\r\n", "\n").replace("n1<", "n &amp;1<")
    if prefix:
        text = text.replace("</", "</m:").replace("<", "<m:").replace("<m:/m:", "</m:")
        text = text.replace(SLIM, ' xmlns:m="x"')
    form = form_of(text)
    assert form is not None
    found = form.record.match(text)
    assert found is not None

    assert contents(MarcText(found[2], form)) == contents(MarcRecord(etree.fromstring(text)))


@examples(2)
@given(body=mutated(), source=st.sampled_from(["library", *REAL]))
def test_the_text_of_a_page_says_what_its_tree_says(body: bytes, source: str) -> None:
    """Records, totals, notes on what was cut, and errors are the same, whatever the page is."""
    spec = REGISTRY.spec(source)

    assert read(body, spec) == by_tree(body, spec)


def elements_alive(body: bytes) -> int:
    """Elements of trees that exist when the first records of a page were read."""
    reading = iter(PageReading(page(body), LIBRARY))
    next(reading)
    gc.collect()
    return sum(1 for each_one in gc.get_objects() if etree.iselement(each_one))


def test_no_tree_is_alive_while_records_are_read() -> None:
    """Thirty searches that wait for their turns would hold a hundred trees."""
    before = sum(1 for each_one in gc.get_objects() if etree.iselement(each_one))
    body = answer(*[PLAIN] * 40)

    from_text = elements_alive(body) - before
    with mock.patch.object(cut_pages, "cut_page", return_value=None):
        from_tree = elements_alive(body) - before

    assert from_text <= 2
    assert from_tree > 30
