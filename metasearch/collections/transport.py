"""Answers requests to `collection:NAME` from the file of a collection.

A thread reads the file, with a connection of its own. Such a URL can hold a name only, so no
request reaches a file outside the folder of collections.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.collections import collection_file
from metasearch.adapters.specs.specfile import COLLECTION_URL
from metasearch.collections.search import Stopped, TooMuch, Wanted, search
from metasearch.errors import BadAnswer, CollectionError, NotAllowed, TimedOut, TooLarge
from metasearch.message import message

#: Records of a page, and records to skip, at most.
LARGEST_PAGE, LAST_PLACE = 1_000, 1_000_000


class CollectionTransport:
    """A `Transport` for requests to collections in a folder; None where there is none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<CollectionTransport over {self._folder}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`."""
        if self._folder is None or not COLLECTION_URL.fullmatch(request.url):
            raise NotAllowed(
                request.source,
                message("the URL names no collection"),
                advice=message("Write it like collection:my-refs."),
            )
        began = time.perf_counter()
        given_up = threading.Event()
        try:
            async with asyncio.timeout(timeout):
                body = await asyncio.to_thread(_read, self._folder, request, given_up, max_bytes)
        except (TimeoutError, Stopped) as exc:
            raise TimedOut(
                request.source,
                message("no whole answer within {seconds} s", seconds=f"{timeout:g}"),
                url=request.shown,
            ) from exc
        except TooMuch as exc:
            raise TooLarge(request.source, max_bytes, url=request.shown) from exc
        except CollectionError as exc:
            # Its message holds a path, which a client of a server must not see.
            raise BadAnswer(
                request.source, exc.reason, url=request.shown, advice=exc.advice
            ) from None
        finally:
            given_up.set()  # ends the thread
        return Page(
            request=request,
            content_type="application/json",
            body=body,
            fetched_at=time.time(),
            seconds=time.perf_counter() - began,
        )

    async def close(self) -> None:
        """Do nothing: no connection stays open between two requests."""


def _read(folder: Path, request: Request, given_up: threading.Event, max_bytes: int) -> bytes:
    path = collection_file(folder, request.url.removeprefix("collection:"))
    return search(
        path, wanted(dict(public(request.params))), stop=given_up.is_set, max_bytes=max_bytes
    )


def wanted(params: Mapping[str, str]) -> Wanted:
    """The page that the parameters of a request ask for; values that cannot be read are ignored."""
    first, hyphen, last = params.get("years", "").partition("-")
    return Wanted(
        words=params.get("query", ""),
        first=_number(first, 9_999),
        last=_number(last if hyphen else first, 9_999),
        start=_number(params.get("start", ""), LAST_PLACE) or 0,
        size=_number(params.get("size", ""), LARGEST_PAGE) or 20,
        newest=params.get("sort") == "date",
    )


def _number(text: str, most: int) -> int | None:
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < 12 else None
