"""The floor: a bare aiohttp fan-out that decodes the bodies and merges equal DOIs, and does nothing
else.

What a meta-search costs is told as a multiple of this, measured in the same run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import aiohttp
import orjson

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV_DOI = "{http://arxiv.org/schemas/atom}doi"
_MARC = "{http://www.loc.gov/MARC21/slim}"


def urls(base: str, shapes: Sequence[str], query: str, rows: int) -> list[tuple[str, str]]:
    """(shape, URL) of each database's answer to a query of plain words."""
    words = query.replace(" ", "+")
    path = {
        "crossref": f"search?query={words}&rows={rows}",
        "arxiv": f"atom?search_query=all:{words}&max_results={rows}",
        "sru": "sru?version=1.2&operation=searchRetrieve"
        f"&query={words.replace('+', '%20')}&maximumRecords={rows}"
        "&recordSchema=marcxml",
    }
    return [(shape, f"{base}/db/{number}/{path[shape]}") for number, shape in enumerate(shapes)]


def dois(shape: str, body: bytes) -> list[str | None]:
    """The DOI of each record of a body, or None."""
    if shape == "crossref":
        return [item.get("DOI") for item in orjson.loads(body)["message"]["items"]]
    from lxml import etree  # not where only JSON is read

    root = etree.fromstring(body)
    if shape == "arxiv":
        return [entry.findtext(_ARXIV_DOI) for entry in root.iter(f"{_ATOM}entry")]
    found: list[str | None] = []
    for record in root.iter(f"{_MARC}record"):
        fields = (f for f in record.iter(f"{_MARC}datafield") if f.get("tag") == "024")
        found.append(next((f.findtext(f"{_MARC}subfield") for f in fields), None))
    return found


async def fan_out(session: aiohttp.ClientSession, asked: Sequence[tuple[str, str]]) -> int:
    """Ask all at once; the number of distinct DOIs and records without one."""

    async def one(shape: str, url: str) -> list[str | None]:
        async with session.get(url) as response:
            return dois(shape, await response.read())

    answers = await asyncio.gather(*(one(shape, url) for shape, url in asked))
    merged = {doi.lower() for answer in answers for doi in answer if doi}
    return len(merged) + sum(doi is None for answer in answers for doi in answer)
