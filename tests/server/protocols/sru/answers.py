"""Answers of SRU, read for tests."""

from __future__ import annotations

from typing import Any

from lxml import etree

ZING = "http://www.loc.gov/zing/srw/"
OASIS = "http://docs.oasis-open.org/ns/search-ws/"
NAMESPACES = {
    "zs": ZING,
    "diag": f"{ZING}diagnostic/",
    "s2": f"{OASIS}sruResponse",
    "diag2": f"{OASIS}diagnostic",
    "fr": f"{OASIS}facetedResults",
    "marc": "http://www.loc.gov/MARC21/slim",
    "mods": "http://www.loc.gov/mods/v3",
    "dc": "http://purl.org/dc/elements/1.1/",
    "zr": "http://explain.z3950.org/dtd/2.0/",
    "ms": "urn:metasearch:sru:1",
    "soap": "http://schemas.xmlsoap.org/soap/envelope/",
}


def texts(root: Any, path: str) -> list[str]:
    """What an XPath finds: texts of elements, or values of attributes."""
    found = root.xpath(path, namespaces=NAMESPACES)
    return [each if isinstance(each, str) else (each.text or "") for each in found]


def reported(root: Any) -> list[tuple[int, str]]:
    """Number and details of each diagnostic, of any version."""
    listed = root.xpath("//*[local-name()='diagnostic']")
    return [
        (
            int(each.xpath("string(*[local-name()='uri'])").removeprefix("info:srw/diagnostic/1/")),
            each.xpath("string(*[local-name()='details'])"),
        )
        for each in listed
    ]


async def get(client: Any, path: str = "/sru", **parameters: Any) -> Any:
    """The root of an answer; it is always a 200 of XML."""
    response = await client.get(
        path, params={k.replace("__", "-"): v for k, v in parameters.items()}
    )
    assert response.status == 200, await response.text()
    assert response.headers["Content-Type"] == "text/xml; charset=utf-8"
    return etree.fromstring(await response.read())
