"""The record schemas: what a client may ask for, and how a hit is written in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree

from metasearch.record import Hit
from metasearch.server.faces.sru import dublin_core, marcxml, mods

#: The schema of a request that names none: library software expects it.
DEFAULT = "marcxml"


@dataclass(frozen=True, slots=True)
class Schema:
    """A record schema.

    Attributes:
        name: As in `recordSchema=`.
        uri: Its identifier in answers.
        title: For people.
        others: Further identifiers that clients send for it.
        write: Hit -> the element of its merged record.
    """

    name: str
    uri: str
    title: str
    others: tuple[str, ...]
    write: Callable[[Hit], etree._Element]


SCHEMAS: Mapping[str, Schema] = {
    schema.name: schema
    for schema in (
        Schema(
            "marcxml",
            "info:srw/schema/1/marcxml-v1.1",
            "MARC 21 in XML",
            ("marc", "marc21", "info:srw/schema/1/marcxml-1.1", marcxml.MARC),
            marcxml.record_element,
        ),
        Schema(
            "mods",
            "info:srw/schema/1/mods-v3.7",
            "MODS 3.7",
            (mods.MODS, *(f"info:srw/schema/1/mods-v3.{minor}" for minor in range(9))),
            mods.record_element,
        ),
        Schema(
            "dc",
            "info:srw/schema/1/dc-v1.1",
            "Dublin Core",
            (dublin_core.SRW_DC, dublin_core.DC, "oai_dc"),
            dublin_core.record_element,
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
