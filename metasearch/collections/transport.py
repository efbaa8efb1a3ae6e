"""Asking a shelf as any database is asked: requests to `shelf:NAME` are answered from its file.

The file is read in a thread, with a connection of its own. Nothing of it reaches a place outside
the folder of shelves, because a name is all that such a URL can hold.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from metasearch.adapters.request import Page, Request, public
from metasearch.adapters.specs.collections import shelf_file
from metasearch.adapters.specs.specfile import SHELF_URL
from metasearch.collections.search import Stopped, TooMuch, Wanted, search
from metasearch.errors import BadAnswer, NotAllowed, ShelfError, TimedOut, TooLarge

#: Most records of a page, and the furthest place, whatever is asked for.
LARGEST_PAGE, LAST_PLACE = 1_000, 1_000_000


class ShelfTransport:
    """A `Transport` for requests to shelves.

    Args:
        folder: Where the shelves lie; None where there are none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<ShelfTransport over {self._folder}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`."""
        if self._folder is None or not SHELF_URL.fullmatch(request.url):
            raise NotAllowed(
                request.source, "the URL names no shelf", advice="Write it like shelf:my-refs."
            )
        began = time.perf_counter()
        given_up = threading.Event()
        try:
            async with asyncio.timeout(timeout):
                body = await asyncio.to_thread(_read, self._folder, request, given_up, max_bytes)
        except (TimeoutError, Stopped) as exc:
            raise TimedOut(
                request.source, f"no whole answer within {timeout:g} s", url=request.shown
            ) from exc
        except TooMuch as exc:
            raise TooLarge(request.source, max_bytes, url=request.shown) from exc
        except (
            ShelfError
        ) as exc:  # its text names a path, which is nobody's business but the owner's
            raise BadAnswer(
                request.source, exc.reason, url=request.shown, advice=exc.advice
            ) from None
        finally:
            given_up.set()  # the thread looks there, and ends
        return Page(
            request=request,
            content_type="application/json",
            body=body,
            fetched_at=time.time(),
            seconds=time.perf_counter() - began,
        )

    async def close(self) -> None:
        """Nothing is held between two requests."""


def _read(folder: Path, request: Request, given_up: threading.Event, max_bytes: int) -> bytes:
    path = shelf_file(folder, request.url.removeprefix("shelf:"))
    return search(
        path, wanted(dict(public(request.params))), stop=given_up.is_set, max_bytes=max_bytes
    )


def wanted(params: Mapping[str, str]) -> Wanted:
    """What the parameters of a request ask for; what cannot be read of them counts as not said."""
    first, hyphen, last = params.get("years", "").partition("-")
    return Wanted(
        words=params.get("query", ""),
        first=_number(first, 9_999),
        last=_number(last if hyphen else first, 9_999),
        start=_number(params.get("start", ""), LAST_PLACE) or 0,
        size=_number(params.get("size", ""), LARGEST_PAGE) or 20,
    )


def _number(text: str, most: int) -> int | None:
    return min(int(text), most) if text.isascii() and text.isdecimal() and len(text) < 12 else None
