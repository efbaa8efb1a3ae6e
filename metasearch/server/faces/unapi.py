"""unAPI (version 1): how Zotero reads the work of a record page, in a format that it chooses.

Zotero asks for every id of a page before its user has chosen, and takes the first format of its own
order that is offered. So only record pages have an id, and MARC is not offered, which Zotero would
prefer to MODS and in which types are lost.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from aiohttp import web

from metasearch.formats import WRITABLE
from metasearch.formats.text import clean
from metasearch.message import message
from metasearch.server.faces.works import is_large, written
from metasearch.server.problem import Problem
from metasearch.server.received import only
from metasearch.server.site import SHARED

#: Name of the format -> where it is described.
FORMATS = {
    "mods": "http://www.loc.gov/standards/mods/",
    "ris": "https://en.wikipedia.org/wiki/RIS_(file_format)",
    "bibtex": "https://ctan.org/pkg/bibtex",
}


async def answer(request: web.Request) -> web.Response:
    """`/unapi`: the formats; with `id` those of a work (300); with `format`, too, the work.

    Works are those whose pages were shown in the last day; no source is asked.
    """
    name, form = only(request.query, "id"), only(request.query, "format")
    if not name:
        return _formats("")
    shared = request.app[SHARED]
    async with shared.admission.brief():
        hit = await shared.engine.works.find(name)
    if hit is None:
        raise Problem(
            404, "no-such-work", message("No work is known here as {name}.", name=repr(name[:100]))
        )
    if not form:
        return _formats(hit.id)
    if form not in FORMATS:
        offered = [(known, WRITABLE[known].media_type) for known in FORMATS]
        raise Problem.unacceptable(
            message("There is no format {name} here.", name=repr(form[:40])), offered
        )
    body = await shared.admission.written(lambda: written(hit, form), large=is_large(hit))
    return web.Response(
        body=body, content_type=WRITABLE[form].media_type, headers={"Cache-Control": "no-store"}
    )


def _formats(name: str) -> web.Response:
    """The list of formats: of every work, or with 300 of the one that is named."""
    of_work = f" id={quoteattr(clean(name))}" if name else ""
    rows = "".join(
        f"<format name={quoteattr(form)} type={quoteattr(WRITABLE[form].media_type)}"
        f" docs={quoteattr(docs)}/>\n"
        for form, docs in FORMATS.items()
    )
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<formats{of_work}>\n{rows}</formats>\n'
    return web.Response(
        status=300 if name else 200,
        body=body.encode(),
        content_type="application/xml",
        headers={"Cache-Control": "no-store"},
    )
