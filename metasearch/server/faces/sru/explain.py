"""explain: the server, its indexes and its schemas, as a ZeeRex record."""

from __future__ import annotations

from urllib.parse import urlsplit

from lxml import etree

from metasearch.listing.facets import FACETS
from metasearch.server.faces.sru.indexes import SETS, SORTED, TITLES, names
from metasearch.server.faces.sru.parameters import DEFAULT_RECORDS
from metasearch.server.faces.sru.schemas import DEFAULT, SCHEMAS
from metasearch.server.faces.sru.versions import Version
from metasearch.server.faces.sru.xml import add
from metasearch.server.site import Site

#: Clients take the text of `recordSchema` for the namespace of the record.
ZEEREX = "http://explain.z3950.org/dtd/2.0/"
_RELATIONS = "= == <> < <= > >= any all adj exact within encloses".split()
#: Fields whose terms are few and known.
SCANNED = frozenset({"type", "language"})
_PORTS = {"http": 80, "https": 443}


def explanation(
    site: Site, database: str, version: Version, *, most: int, suggests: bool
) -> etree._Element:
    """The ZeeRex record. `database`: the part of the path behind /sru/; "" for all sources. `most`:
    records of an answer at most.
    """
    root = etree.Element(f"{{{ZEEREX}}}explain", nsmap={None: ZEEREX})  # type: ignore[dict-item]
    parts = urlsplit(site.base)
    server = add(
        root, ZEEREX, "serverInfo",
        protocol="SRU", version=version.name, transport=parts.scheme, method="GET POST SOAP",
    )  # fmt: skip
    add(server, ZEEREX, "host", parts.hostname or "localhost")
    add(server, ZEEREX, "port", str(parts.port or _PORTS.get(parts.scheme, 80)))
    path = site.path("/sru").strip("/")
    add(server, ZEEREX, "database", f"{path}/{database}" if database else path)
    about = add(root, ZEEREX, "databaseInfo")
    add(
        about,
        ZEEREX,
        "title",
        f"metasearch: {database}" if database else "metasearch",
        primary="true",
    )
    add(
        about, ZEEREX, "description",
        "One query to many scholarly databases at once: one merged, ranked list.", primary="true",
    )  # fmt: skip
    _indexes(root, suggests=suggests)
    _schemas(root)
    _config(root, version, most)
    return root


def _indexes(root: etree._Element, *, suggests: bool) -> None:
    info = add(root, ZEEREX, "indexInfo")
    for name, uri in SETS.items():
        add(info, ZEEREX, "set", name=name, identifier=uri)
    for field, listed in names():
        scanned = field in SCANNED or (suggests and field in ("any", "title"))
        index = add(
            info, ZEEREX, "index",
            search="true", scan=_true(scanned), sort=_true(field in SORTED),
        )  # fmt: skip
        add(index, ZEEREX, "title", TITLES[field], primary="true")
        for context_set, name in listed:
            add(add(index, ZEEREX, "map"), ZEEREX, "name", name, set=context_set)
    for field in sorted(SORTED - set(TITLES)):
        index = add(info, ZEEREX, "index", search="false", scan="false", sort="true")
        add(index, ZEEREX, "title", field.capitalize(), primary="true")
        add(add(index, ZEEREX, "map"), ZEEREX, "name", field, set="metasearch")


def _schemas(root: etree._Element) -> None:
    info = add(root, ZEEREX, "schemaInfo")
    for schema in SCHEMAS.values():
        element = add(
            info, ZEEREX, "schema",
            identifier=schema.uri, name=schema.name, sort="false", retrieve="true",
        )  # fmt: skip
        add(element, ZEEREX, "title", schema.title, primary="true")


def _config(root: etree._Element, version: Version, most: int) -> None:
    info = add(root, ZEEREX, "configInfo")
    add(info, ZEEREX, "default", str(min(DEFAULT_RECORDS, most)), type="numberOfRecords")
    add(info, ZEEREX, "default", DEFAULT, type="retrieveSchema")
    add(info, ZEEREX, "setting", str(most), type="maximumRecords")
    for relation in _RELATIONS:
        add(info, ZEEREX, "supports", relation, type="relation")
    for operator in ("and", "or", "not"):
        add(info, ZEEREX, "supports", operator, type="booleanOperator")
    add(info, ZEEREX, "supports", "*", type="maskingCharacter")
    for name in ("x-sources", "x-filter", "x-timeout"):
        add(info, ZEEREX, "supports", name, type="extraSearchData")
    if version.newest:
        for facet in FACETS:
            add(info, ZEEREX, "supports", facet, type="facet")


def _true(value: bool) -> str:
    return "true" if value else "false"
