"""SRU in SOAP envelopes, as YAZ sends it unless told otherwise."""

from __future__ import annotations

import asyncio

from aiohttp import web
from lxml import etree
from multidict import MultiDict

from metasearch.adapters.select.xml import parse_xml
from metasearch.server.faces.sru.versions import RESPONSES
from metasearch.server.options import Options
from metasearch.server.problem import Problem

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
MEDIA_TYPES = frozenset({"text/xml", "application/xml", "application/soap+xml"})
#: Bytes of an envelope besides its query, and of each character of the query.
_REST, _WIDEST = 16_384, 6
_MOST_PARAMETERS = 100


async def read(request: web.Request, options: Options) -> MultiDict[str]:
    """The parameters in the envelope, `operation` among them."""
    most = _WIDEST * options.max_query + _REST
    body = bytearray()
    try:
        async with asyncio.timeout(options.head_timeout):
            async for chunk in request.content.iter_chunked(65_536):
                body += chunk
                if len(body) > most:
                    raise Problem(413, None, f"The body has more than {most:,} bytes.")
    except TimeoutError:
        raise Problem(408, None, "The body of the request did not come in time.") from None
    try:
        root = parse_xml(bytes(body))
    except ValueError as error:
        raise _no_envelope() from error
    requests = [child for part in root if _name(part) == "Body" for child in part]
    operation = _name(requests[0]).removesuffix("Request") if requests else ""
    if _name(root) != "Envelope" or operation not in RESPONSES:
        raise _no_envelope()
    parameters = MultiDict({"operation": operation})
    for element in requests[0][:_MOST_PARAMETERS]:
        parameters.add(_name(element), element.text or "")
    return parameters


def wrapped(root: etree._Element) -> etree._Element:
    """The answer in an envelope."""
    envelope = etree.Element(f"{{{SOAP}}}Envelope", nsmap={"SOAP": SOAP})
    etree.SubElement(envelope, f"{{{SOAP}}}Body").append(root)
    return envelope


def _name(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _no_envelope() -> Problem:
    return Problem(
        400,
        None,
        "The body is no SOAP envelope with a request of SRU. Clients of YAZ send GET after "
        "`sru GET 1.2` (yaz-client) or with the option sru=get (ZOOM).",
    )
