"""select/marc.py: MARC 21 in the words that librarians use."""

from __future__ import annotations

import pytest
from lxml import etree

from metasearch.adapters.select.marc import MarcRecord, compile_marc
from tests.cases import each


def _field(tag: str, indicators: str, *subfields: str) -> str:
    inner = "".join(f'<subfield code="{s[0]}">{s[1:]}</subfield>' for s in subfields)
    return (
        f'<datafield tag="{tag}" ind1="{indicators[0]}" ind2="{indicators[1]}">{inner}</datafield>'
    )


RECORD = (
    '<record xmlns="http://www.loc.gov/MARC21/slim"><leader>00714cam a2200205 a 4500</leader>'
    '<controlfield tag="001"> 2524120 </controlfield>'
    '<controlfield tag="008">930702s1993    nyuab         000 0 eng  </controlfield>'
    + _field("024", "7 ", "aurn:x", "2urn")
    + _field("024", "7 ", "a10.5555/12345678", "2DOI")
    + _field("100", "1 ", "aHuff, Darrell.")
    + _field("245", "10", "aHow to lie", "pPart", "brest", "n2")
    + _field("700", "1 ", "aGeis, Irving.")
    + _field("700", "12", "aOther, A.", "tWork")
    + _field("600", "10", "aBoole", "bGeorge")
    + _field("880", "10", "6245-01/$1", "a如何说谎")
    + _field("880", "1 ", "6710-00/$1", "a学会")
    + _field("856", "42", "uhttp://a.example")
    + _field("856", "40", "uhttp://b.example")
    + "</record>"
)


@pytest.fixture
def record() -> MarcRecord:
    return MarcRecord(etree.fromstring(RECORD))


@each(
    ("selector", "found"),
    [
        ("245$a", ["How to lie"]),
        ("245$anp", ["How to lie Part 2"]),
        ("600$a,b", ["Boole, George"]),
        ("880/245$a", ["如何说谎"]),
        ("245|880/245$a", ["How to lie", "如何说谎"]),
        ("710$a", ["学会"]),
        ("100|700$a", ["Huff, Darrell.", "Geis, Irving.", "Other, A."]),
        ("700|100$a", ["Geis, Irving.", "Other, A.", "Huff, Darrell."]),
        ("001", [" 2524120 "]),
        ("008/35-37", ["eng"]),
        ("008/7-10", ["1993"]),
        ("008/0", ["9"]),
        ("LDR/6-7", ["am"]),
        ("LDR/6", ["a"]),
        ("024[$2=doi]$a", ["10.5555/12345678"]),
        ("024[$2!=doi]$a", ["urn:x"]),
        ("700[$t=]$a", ["Geis, Irving."]),
        ("700[$t!=]$a", ["Other, A."]),
        ("856[2=0]$u", ["http://b.example"]),
        ("856[1=4][2=2]$u", ["http://a.example"]),
        ("245[LDR/7=ms]$a", ["How to lie"]),
        ("245[LDR/7=s]$a", []),
        ("700[LDR/6=a][$t!=]$t", ["Work"]),
        ("245[001= 2524120 ]$a", ["How to lie"]),
        ("245[001=2524120]$a", []),
        ("700[003=x][$t!=]$t", []),
        ("999$a", []),
        ("245$z", []),
        ("003", []),
        ("008/90-99", [""]),
    ],
)
def test_selectors_find_what_they_name(record: MarcRecord, selector: str, found: list[str]) -> None:
    """Each form of the module's docstring finds its part of the record, and nothing where there is
    none."""
    assert compile_marc(selector)(record) == found


def test_without_subfields_the_fields_themselves_are_found(record: MarcRecord) -> None:
    """`each` gets whole fields, from which `$a` selects."""
    fields = compile_marc("700[$t=]")(record)

    assert [field.tag for field in fields] == ["700"]
    assert fields[0].ind1 == "1"
    assert compile_marc("$a")(fields[0]) == ["Geis, Irving."]


@each("selector", ["", "title", "245", "$a"])
def test_plain_forms_compile_or_are_refused(selector: str) -> None:
    """A tag alone and a subfield alone are selectors; words are not."""
    if selector in ("245", "$a"):
        assert callable(compile_marc(selector))
    else:
        with pytest.raises(ValueError, match="not a MARC selector"):
            compile_marc(selector)


@each(
    "selector",
    [
        "245$A",
        "24$a",
        "245[$2~x]$a",
        "245[LDR/7=]$a",
        "245[010=x]$a",
        "008/",
        "245$a|246$a",
        "245$a ",
    ],
)
def test_other_forms_are_refused(selector: str) -> None:
    """What is not in the docstring is no selector; white space around one does no harm."""
    if selector == "245$a ":
        assert callable(compile_marc(selector))
    else:
        with pytest.raises(ValueError, match="allowed are"):
            compile_marc(selector)


@each(
    "namespace",
    ["http://www.loc.gov/MARC21/slim", "info:lc/xmlns/marcxchange-v2", ""],
    ids=["slim", "marcxchange", "none"],
)
def test_any_namespace_and_any_wrapping_is_read(namespace: str) -> None:
    """The record is found inside what wraps it, and its elements by local name."""
    declared = f' xmlns="{namespace}"' if namespace else ""
    wrapped = etree.fromstring(
        f"<x><recordSchema>marcxml</recordSchema><recordData><collection{declared}><record><leader>00000nam</leader>"
        '<datafield tag="245" ind1="0" ind2="0"><subfield code="a"> A title </subfield></datafield>'
        "</record></collection></recordData></x>"
    )

    assert compile_marc("245$a")(MarcRecord(wrapped)) == ["A title"]
    assert compile_marc("LDR/6-7")(MarcRecord(wrapped)) == ["am"]


def test_odd_records_are_read_as_far_as_they_go() -> None:
    """Missing attributes, empty subfields and fields without subfields are nothing, not an
    error."""
    odd = etree.fromstring(
        '<record><leader/><controlfield>x</controlfield><datafield tag="245"><subfield>no '
        "code</subfield>"
        '<subfield code="a"/><subfield code="a">  '
        "</subfield></datafield><datafield/><other>text</other></record>"
    )
    record = MarcRecord(odd)

    assert compile_marc("245$a")(record) == []
    assert compile_marc("245[1= ]$a")(record) == []
    assert compile_marc("LDR/6")(record) == [""]
    assert MarcRecord(etree.fromstring("<empty/>")).fields("245") == []
