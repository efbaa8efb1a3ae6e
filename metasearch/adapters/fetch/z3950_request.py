"""A request in the terms of ZOOM: host, query, and the options that a spec may set. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import unquote

from yarl import URL

from metasearch.adapters.request import Pairs, Request, Secret
from metasearch.errors import NotAllowed
from metasearch.message import message

PORT, DATABASE = 210, "Default"
#: The options of ZOOM that a spec may set. Not among them is what leads elsewhere, such as "proxy"
#: and "host".
OPTIONS = frozenset(
    (
        "user group password preferredRecordSyntax elementSetName schema presentChunk piggyback "
        "charset lang rpnCharset"
    ).split()
)
#: Parameters that are no options of ZOOM; the first three are SRU's.
_QUERY, _START, _COUNT, _FORM = "query", "startRecord", "maximumRecords", "record"


@dataclass(frozen=True, slots=True)
class ZoomRequest:
    """A request as ZOOM takes it. What may contain a secret is not shown. `form`: what ZOOM writes
    each record as, such as "xml". `start`: position of the first record, from 0.
    """

    host: str
    port: int
    query: str
    form: str
    start: int
    count: int
    options: dict[str, str] = field(repr=False)


def zoom_request(request: Request) -> ZoomRequest:
    """The request in ZOOM's terms. Raises NotAllowed: the URL cannot be used, or a parameter is one
    that we do not pass on.
    """
    try:
        url = URL(request.url, encoded=True)
        host, port, database = url.raw_host, url.port or PORT, unquote(url.raw_path.strip("/"))
        authority = url.raw_authority
    except ValueError as exc:
        raise refusal(request, message("the URL cannot be read")) from exc
    if not host or "@" in authority:
        raise refusal(
            request,
            message("the URL has no host")
            if not host
            else message("a URL with user information is not followed"),
        )
    values = _plain(request.params)
    query, form = values.pop(_QUERY, ""), values.pop(_FORM, "xml")
    try:
        start, count = int(values.pop(_START, "1")) - 1, int(values.pop(_COUNT, str(request.size)))
    except ValueError as exc:
        raise refusal(
            request,
            message("{start} and {count} must be whole numbers", start=_START, count=_COUNT),
        ) from exc
    if unknown := sorted(set(values) - OPTIONS):
        raise refusal(
            request,
            message(
                "request.params.{unknown} is no option; allowed are {names}",
                unknown=unknown[0],
                names=", ".join(sorted(OPTIONS)),
            ),
        )
    if any("\0" in text for text in (query, form, database, *values.values())):
        raise refusal(request, message("the request holds a character that cannot be sent"))
    options = {
        **values,
        "databaseName": database or DATABASE,
        "start": str(max(0, start)),
        "count": str(max(1, count)),
    }
    return ZoomRequest(host, port, query, form, max(0, start), max(1, count), options)


def _plain(pairs: Pairs) -> dict[str, str]:
    return {name: value.reveal() if isinstance(value, Secret) else value for name, value in pairs}


def refusal(request: Request, why: str) -> NotAllowed:
    """The error for a request that cannot be sent by Z39.50."""
    return NotAllowed(
        request.source,
        why,
        url=request.shown,
        advice=message("Mend the source's spec: see docs/z3950.md."),
    )
