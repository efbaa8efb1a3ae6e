"""Selectors of an envelope that look into MARC records, and such that do not."""

from __future__ import annotations

import pytest

from metasearch.adapters.select.xml import tag_of_when
from metasearch.adapters.specs.registry import Registry
from metasearch.settings import Settings
from tests.cases import each

FIELD = "//*[local-name()='datafield'][@tag='245']"


@each(
    "when, tag",
    [
        ("", ""),
        ("//mods:mods", ""),
        ("/*[local-name()='collection']", ""),
        (FIELD, "245"),
        (f"//*[local-name()='records']{FIELD}", "245"),
        (f"(/records/*[position() <= 5] | /*[local-name()='record']){FIELD}", "245"),
        (f"{FIELD}/*", None),
        (f"{FIELD} | //@code", None),
        ("//*[local-name()='subfield']", None),
        ("//*[@code='a']", None),
        ("//*[local-name()='record'][not(*)]", None),
        ("//*[local-name()='record']/*", None),
        ("/*", None),
        ("//*", None),
        ("count(//record)", None),
        ("'x'", None),
        ("//text()", None),
        ("record", None),
    ],
)
def test_a_shape_is_told_by_one_field_or_by_what_is_outside(when: str, tag: str | None) -> None:
    assert tag_of_when({"when": when}) == tag


@pytest.mark.parametrize("key", ["records", "total", "unescape"])
@each(
    "path, outside",
    [
        ("/*[local-name()='x']/*[local-name()='record'] | /y", True),
        (
            "/descendant-or-self::*[local-name()='records'][1]/*/*[local-name()='data'][not(*)]",
            True,
        ),
        ("/x/*/*", False),
        ("/x//*", False),
        ("/x | //*[local-name()='leader']", False),
        ("string(/x)", False),
    ],
)
def test_all_selectors_of_the_envelope_count(key: str, path: str, outside: bool) -> None:
    assert (tag_of_when({key: path}) == "") == outside


@each("key", ["next", "warning", "bare"])
def test_what_is_read_beside_records_may_be_anything(key: str) -> None:
    assert tag_of_when({key: "/x"}) is None


def test_the_shapes_of_sru_are_known() -> None:
    """MARC 21, MODS, UNIMARC, PICA and Dublin Core, in the order in which they are tried."""
    sources = {"library": {"extends": "sru", "url": "http://127.0.0.1/sru"}}
    spec = Registry(Settings(sources=sources)).spec("library")

    assert [shape.shape().told_by for shape in spec.shapes] == ["245", "", "200", "003@", ""]
