"""An OAI-PMH repository on a loopback socket, which a test fills, changes between two harvests, and
lets fail.

It runs in a thread of its own, so that a command line that blocks the test can talk to it.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "{}</oai_dc:dc>"
)
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
    "<responseDate>{}</responseDate><request>http://repository.example.org/oai</request>{}</OAI-PMH>"
)


def dublin_core(**elements: str | list[str]) -> str:
    """The metadata of a record: `title="x"`, `creator=["Doe, Jane", ...]`."""
    parts = []
    for name, value in elements.items():
        parts += [
            f"<dc:{name}>{escape(text)}</dc:{name}>"
            for text in ([value] if isinstance(value, str) else value)
        ]
    return DC.format("".join(parts))


@dataclass
class Item:
    """A record: its datestamp, its metadata as XML (None: it was deleted), its sets."""

    datestamp: str
    metadata: str | None
    sets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reply:
    """An answer in the place of the proper one."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Repository:
    """`with Repository() as repository`: `repository.items`, `repository.url`, `repository.seen`.

    Attributes:
        items: Identifier -> record.
        now: The clock that answers bear.
        page: Records of a page.
        seen: The arguments of every request, in order.
        replies: Given once each, in the place of the next answers to ListRecords.
        expired: Tokens that are no longer known.
    """

    def __init__(
        self, *, page: int = 2, granularity: str = "YYYY-MM-DDThh:mm:ssZ", compress: bool = False
    ) -> None:
        self.items: dict[str, Item] = {}
        self.now = "2024-05-01T12:00:00Z"
        self.page = page
        self.granularity = granularity
        self.compress = compress
        self.seen: list[dict[str, str]] = []
        self.replies: list[Reply] = []
        self.expired: set[str] = set()
        self.decorate: Callable[[str], str] = lambda body: body

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.netloc}/oai"

    @property
    def lists(self) -> list[dict[str, str]]:
        """The arguments of every ListRecords, without the verb."""
        return [
            {k: v for k, v in it.items() if k != "verb"}
            for it in self.seen
            if it["verb"] == "ListRecords"
        ]

    def fill(self, count: int, datestamp: str = "2024-01-01T00:00:00Z") -> None:
        """So many records, `oai:x:1` and so on."""
        for number in range(1, count + 1):
            metadata = dublin_core(
                title=f"Work number {number}",
                creator=["Doe, Jane", "Roe, Richard"],
                date="2020",
                identifier=f"doi:10.1000/{number}",
            )
            self.items[f"oai:x:{number}"] = Item(datestamp, metadata)

    def answer(self, arguments: dict[str, str]) -> Reply:
        self.seen.append(arguments)
        verb = arguments.get("verb")
        if verb == "ListRecords" and self.replies:
            return self.replies.pop(0)
        if verb == "Identify":
            inner = (
                "<Identify><repositoryName>A "
                "repository</repositoryName><deletedRecord>persistent</deletedRecord>"
                f"<granularity>{self.granularity}</granularity></Identify>"
            )
        else:
            inner = self._list(arguments)
        return Reply(body=self.decorate(HEAD.format(self.now, inner)).encode())

    def _list(self, arguments: dict[str, str]) -> str:
        token = arguments.get("resumptionToken")
        if token is not None:
            if set(arguments) != {"verb", "resumptionToken"}:
                return '<error code="badArgument">a token stands alone</error>'
            if token in self.expired:
                return '<error code="badResumptionToken">it has expired</error>'
            start, first, until, set_ = token.split("!")
        else:
            start, first = "0", arguments.get("from", "")
            until, set_ = arguments.get("until", ""), arguments.get("set", "")
            if arguments.get("metadataPrefix") != "oai_dc":
                return '<error code="cannotDisseminateFormat"/>'
            if "h" not in self.granularity and "T" in first + until:
                return '<error code="badArgument">wrong granularity</error>'
        found = [
            (key, it)
            for key, it in self.items.items()
            if it.datestamp >= first
            and (not until or it.datestamp <= until)
            and (not set_ or set_ in it.sets)
        ]
        if not found:
            return '<error code="noRecordsMatch"/>'
        begin = int(start)
        shown = found[begin : begin + self.page]
        end = begin + len(shown)
        following = f"{end}!{first}!{until}!{set_}" if end < len(found) else ""
        tail = (
            f'<resumptionToken completeListSize="{len(found)}" '
            f'cursor="{begin}">{following}</resumptionToken>'
        )
        records = "".join(_record(key, it) for key, it in shown)
        return f"<ListRecords>{records}{tail if len(found) > self.page else ''}</ListRecords>"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        repository = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = {
                    k: v[0]
                    for k, v in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()
                }
                reply = repository.answer(found)
                body = reply.body
                self.send_response(reply.status)
                if repository.compress:
                    body = gzip.compress(body)
                    self.send_header("Content-Encoding", "gzip")
                for name, value in {"Content-Type": "text/xml", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


def _record(key: str, it: Item) -> str:
    deleted = ' status="deleted"' if it.metadata is None else ""
    sets = "".join(f"<setSpec>{name}</setSpec>" for name in it.sets)
    names = f"<identifier>{escape(key)}</identifier><datestamp>{it.datestamp}</datestamp>{sets}"
    metadata = "" if it.metadata is None else f"<metadata>{it.metadata}</metadata>"
    return f"<record><header{deleted}>{names}</header>{metadata}</record>"
