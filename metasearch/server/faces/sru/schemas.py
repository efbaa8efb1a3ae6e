"""The record schemas: what a client may ask for, and how a hit is written in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree

from metasearch.formats import dublin_core, mods
from metasearch.formats.marc import write_xml as marcxml
from metasearch.formats.marc.fields import marc_data
from metasearch.record import Hit

#: The schema of a request that names none: library software expects it.
DEFAULT = "marcxml"


@dataclass(frozen=True, slots=True)
class Schema:
    """A record schema. `others`: further identifiers that clients send for it. `write`: hit -> the
    element of its merged record. ValueError: The record cannot be written.
    """

    name: str
    uri: str
    title: str
    others: tuple[str, ...]
    write: Callable[[Hit], etree._Element]


def _marcxml(hit: Hit) -> etree._Element:
    record = marc_data(hit, answering=True)
    return _parsed(marcxml.element(record, namespace=marcxml.NAMESPACE))


def _mods(hit: Hit) -> etree._Element:
    return _parsed(mods.element(hit, namespace=mods.NAMESPACE, answering=True))


def _dublin_core(hit: Hit) -> etree._Element:
    return _parsed(dublin_core.element(hit))


def _parsed(text: str) -> etree._Element:
    """The element that a writer of `formats` wrote; our own text may be of any size. Raises
    ValueError: the text is no XML.
    """
    try:
        return etree.fromstring(text, etree.XMLParser(huge_tree=True, remove_blank_text=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(f"a record is no XML: {error}") from error


SCHEMAS: Mapping[str, Schema] = {
    schema.name: schema
    for schema in (
        Schema(
            "marcxml",
            "info:srw/schema/1/marcxml-v1.1",
            "MARC 21 in XML",
            ("marc", "marc21", "info:srw/schema/1/marcxml-1.1", marcxml.NAMESPACE),
            _marcxml,
        ),
        Schema(
            "mods",
            "info:srw/schema/1/mods-v3.7",
            "MODS 3.7",
            (mods.NAMESPACE, *(f"info:srw/schema/1/mods-v3.{minor}" for minor in range(9))),
            _mods,
        ),
        Schema(
            "dc",
            "info:srw/schema/1/dc-v1.1",
            "Dublin Core",
            (dublin_core.SRW_DC, dublin_core.NAMESPACE, "oai_dc"),
            _dublin_core,
        ),
    )
}
_BY_NAME = {
    name.lower(): schema
    for schema in SCHEMAS.values()
    for name in (schema.name, schema.uri, *schema.others)
}


def schema_of(name: str) -> Schema | None:
    """The schema of a short name or an identifier; None for one that does not exist here."""
    return _BY_NAME.get(name.strip().lower())
