"""Requests to a repository by OAI-PMH;
https://www.openarchives.org/OAI/openarchivesprotocol.html.

The client waits as long as a repository requests (503 or 429 with `Retry-After`), and repeats a
request after a temporary failure. Errors of the protocol arrive with status 200, in the body.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from metasearch.adapters.fetch.status import objection
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.bodies import load, unmarked
from metasearch.adapters.request import Page, Request
from metasearch.adapters.spec import AdapterSpec
from metasearch.bib.markup import plain
from metasearch.collections.harvest.answers import (
    LONGEST_TOKEN,
    Identity,
    OaiError,
    OaiPage,
    local_name,
    read_items,
    read_token,
)
from metasearch.errors import (
    NotParsable,
    RateLimited,
    SourceError,
    SourceSaysError,
    Unreachable,
)

#: Tries of one request, the first one included.
TRIES = 6
#: Seconds before the second try where the repository does not say; doubled for each further one.
BACKOFF = 2.0
#: Seconds of the longest pause. A harvest ends where the repository requests a longer one: its
#: records are kept, and another run resumes.
LONGEST_WAIT = 900.0
#: More records than any page holds, so that none is cut off.
PLENTY = 1_000_000

Sleep = Callable[[float], Awaitable[None]]
Report = Callable[[str], None]


class OaiClient:
    """Asks one repository. `spec`: the family `oai` under the collection's name: how its records
    are read. `report`: called with a sentence before every wait.
    """

    def __init__(
        self,
        url: str,
        spec: AdapterSpec,
        transport: Transport,
        report: Report,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._url = url
        self._spec = spec
        self._transport = transport
        self._report = report
        self._sleep = sleep

    async def identify(self) -> Identity:
        """What a repository says of itself. Raises SourceError: no answer, or no repository."""
        try:
            root, _, _ = await self._asked({"verb": "Identify"})
        except OaiError as exc:
            raise self._says(exc) from exc
        said = next(root.iter("{*}Identify"), ())
        facts = {local_name(element): plain(element.text or "") for element in said}
        if not facts:
            raise NotParsable(
                self._spec.name,
                "it does not say who it is",
                advice="Is this the base URL of OAI-PMH?",
            )
        return Identity(
            facts.get("repositoryName", ""),
            "hh" in facts.get("granularity", ""),
            facts.get("deletedRecord", "no"),
        )

    async def records(self, arguments: dict[str, str]) -> OaiPage:
        """One page of ListRecords.

        `arguments`: `metadataPrefix`, `from`, `until` and `set`, or `resumptionToken` alone. Raises
        OaiError: the repository says that there are none, or what is wrong; SourceError: it cannot
        be asked, or its answer cannot be read.
        """
        root, page, notes = await self._asked({"verb": "ListRecords"} | arguments)
        found = next(root.iter("{*}ListRecords"), None)
        if found is None:
            raise NotParsable(
                self._spec.name, "it has no element ListRecords", url=page.request.shown
            )
        token, size = read_token(found)
        if len(token) > LONGEST_TOKEN:
            raise NotParsable(
                self._spec.name, "its resumption token is too long", url=page.request.shown
            )
        items, unread, there = read_items(found, page, self._spec)
        date = next((plain(date.text or "") for date in root.iter("{*}responseDate")), "")
        return OaiPage(tuple(items), tuple(unread), tuple(there), token, size, date, tuple(notes))

    async def _asked(self, arguments: dict[str, str]) -> tuple[Any, Page, list[str]]:
        """The tree of an answer, the page, and what had to be mended in it."""
        request = Request(
            source=self._spec.name,
            url=self._url,
            params=tuple(arguments.items()),
            size=PLENTY,
            wanted=PLENTY,
        )
        page = await self._answered(request)
        page = replace(page, body=unmarked(page.body).strip())
        if page.status >= 400 and b"OAI-PMH" not in page.body[:2000]:
            raise SourceSaysError(
                self._spec.name,
                f"HTTP {page.status}",
                url=request.shown,
                advice="Check that this is the base URL of a repository.",
            )
        if not page.body.startswith(b"<"):
            start = page.body[:80].decode("utf-8", "replace")
            raise NotParsable(self._spec.name, "it is not XML", url=request.shown, body_start=start)
        root, notes = load("xml", page.body, page, self._spec)
        if local_name(root) != "OAI-PMH":
            advice = "Check that this is the base URL of a repository."
            raise NotParsable(
                self._spec.name,
                f"not OAI-PMH but {local_name(root)}",
                url=request.shown,
                advice=advice,
            )
        for error in root.iterchildren("{*}error"):
            raise OaiError(error.get("code", "error"), plain("".join(error.itertext()))[:300])
        return root, page, notes

    async def _answered(self, request: Request) -> Page:
        """The answer, after as much patience as the repository asks for."""
        limits = self._spec.limits
        for tries in range(1, TRIES + 1):
            try:
                page = await self._transport.send(
                    request, timeout=limits.timeout, max_bytes=limits.max_bytes
                )
                error = objection(page)
            except Unreachable as exc:
                error = exc
            if error is None:
                return page
            requested = getattr(error, "retry_after", None)
            wait = BACKOFF * 2 ** (tries - 1) if requested is None else requested
            if (
                not isinstance(error, Unreachable | RateLimited)
                or tries == TRIES
                or wait > LONGEST_WAIT
            ):
                raise error
            reason = str(error) if requested is None else "the repository requests a pause"
            self._report(f"{reason}: waiting for {wait:g} s")
            await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _says(self, error: OaiError) -> SourceError:
        return SourceSaysError(self._spec.name, f"the repository answered: {error}", url=self._url)
