"""Exchanges on disk: `RecordTransport` writes what another transport brings, `ReplayTransport`
reads it back.

    DIR/<source>/<first 16 digits of page_key(request)>/
        request.json    method, url, params, headers, body, and content (JSON or text) where the
                        body is no form; without secrets, but with the names of those left out
        page.json       status, content_type; retry_after where the server asked for a pause, total
                        where a header held the number of hits, and fetched_at (Unix time) where
                        the pages of a search were kept (`keep`)
        body.json       as the server sent it, decompressed (body.xml, body.html, body.txt by its
                        kind)

For people to read, diff, edit and delete. Secrets are in none of the files: where a server repeats
one in its body, `***` stands instead. Logins (`Request.private`) are not recorded.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metasearch import regular_files
from metasearch.adapters.fetch.page_cache import page_key
from metasearch.adapters.request import Page, Pairs, Request, Secret, public, redact
from metasearch.errors import NotRecorded, SourceError, TooLarge
from metasearch.message import message

if TYPE_CHECKING:
    from metasearch.adapters.fetch.transport import Transport

_SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
#: Bytes of request.json and page.json.
_MOST_FACTS = 16_000_000
_KINDS = ("json", "xml", "html", "txt")
#: The answer to a login, which is never recorded: whatever follows from it is not sent either.
_NO_TOKEN = b'{"access_token": "none"}'


class RecordTransport:
    """Passes requests on, and keeps every page that comes back.

    `folder`: where the exchanges are kept; made when needed. A newer exchange replaces an older
    one. `recorded_as`: Origin of a URL -> the one that stands in its place in the recording.
    """

    def __init__(
        self, inner: Transport, folder: Path, recorded_as: Mapping[str, str] | None = None
    ) -> None:
        self._inner = inner
        self._folder = folder
        self._recorded_as = recorded_as or {}

    def __repr__(self) -> str:
        return f"<RecordTransport to {self._folder} over {self._inner!r}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`; SourceError also because the files cannot be written."""
        page = await self._inner.send(request, timeout=timeout, max_bytes=max_bytes)
        if request.private:
            return page
        try:
            named = replace(page, request=_with_origin(request, self._recorded_as))
            await asyncio.to_thread(_write, _place(self._folder, named.request), named)
        except OSError as exc:
            raise SourceError(
                request.source,
                message(
                    "its answer cannot be recorded in {folder}: {why}",
                    folder=self._folder,
                    why=regular_files.why(exc),
                ),
                url=request.log_url,
                advice=message("Name a folder that can be written to."),
            ) from exc
        return page

    async def close(self) -> None:
        await self._inner.close()


class ReplayTransport:
    """Answers from exchanges that `RecordTransport` has put into `folder`, and sends nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<ReplayTransport from {self._folder}>"

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`. Raises NotRecorded: there is no such exchange, or its files cannot
        be used; TooLarge: the recorded body is larger than `max_bytes`.
        """
        if request.private:
            return Page(request=request, body=_NO_TOKEN)
        return await asyncio.to_thread(_read, _place(self._folder, request), request, max_bytes)

    async def close(self) -> None:
        """Nothing is held."""


def keep(folder: Path, page: Page, recorded_as: Mapping[str, str] | None = None) -> None:
    """Writes one exchange as `RecordTransport` does, with the time at which the page was fetched:
    for pages that a search has used, be they from a cache. Raises OSError: the files cannot be
    written; NotRecorded: the source's name cannot be the name of a folder.
    """
    if not page.request.private:
        request = _with_origin(page.request, recorded_as or {})
        _write(_place(folder, request), replace(page, request=request), dated=True)


def _with_origin(request: Request, recorded_as: Mapping[str, str]) -> Request:
    scheme, _, rest = request.url.partition("://")
    host, slash, path = rest.partition("/")
    origin = recorded_as.get(f"{scheme}://{host}")
    return request if origin is None else replace(request, url=f"{origin}{slash}{path}")


def _place(folder: Path, request: Request) -> Path:
    """The folder of an exchange; always below `folder`."""
    if not _SAFE_NAME.fullmatch(request.source):
        raise NotRecorded(
            request.source,
            str(folder),
            why=message("the source's name cannot be the name of a folder"),
        )
    return folder / request.source / page_key(request)[:16]


def _write(place: Path, answered: Page, *, dated: bool = False) -> None:
    page = redact(answered)
    place.mkdir(parents=True, exist_ok=True)
    for kind in _KINDS:
        (place / f"body.{kind}").unlink(missing_ok=True)
    request = page.request
    asked: dict[str, Any] = {
        "source": request.source,
        "method": request.method,
        "url": request.url,
        "params": list(public(request.params)),
        "headers": list(public(request.headers)),
        "body": list(public(request.body)),
        "secrets": _secret_names(request.params + request.headers + request.body),
        "key": page_key(request),
    }
    if request.content:
        asked |= {"content": request.content, "content_type": request.content_type}
    _dump(place / "request.json", asked)
    (place / f"body.{_kind(page)}").write_bytes(page.body)
    facts: dict[str, Any] = {"status": page.status, "content_type": page.content_type}
    if page.retry_after is not None:
        facts["retry_after"] = page.retry_after
    if page.total is not None:
        facts["total"] = page.total
    if dated:
        facts["fetched_at"] = page.fetched_at
    _dump(place / "page.json", facts)


def _read(place: Path, request: Request, max_bytes: int) -> Page:
    try:
        asked = json.loads(regular_files.read(place / "request.json", _MOST_FACTS))
        facts = json.loads(regular_files.read(place / "page.json", _MOST_FACTS))
        if asked["key"] != page_key(request):
            raise NotRecorded(
                request.source,
                str(place),
                url=request.log_url,
                why=message("it is of another request"),
            )
        body = next(path for kind in _KINDS if (path := place / f"body.{kind}").is_file())
        try:
            content = regular_files.read(body, max_bytes)
        except regular_files.TooLargeToRead as exc:
            raise TooLarge(request.source, max_bytes, url=request.log_url) from exc
        pause, total = facts.get("retry_after"), facts.get("total")
        fetched_at = facts.get("fetched_at")
        return Page(
            request=request,
            status=int(facts["status"]),
            content_type=str(facts["content_type"]),
            body=content,
            fetched_at=time.time() if fetched_at is None else float(fetched_at),
            retry_after=None if pause is None else float(pause),
            total=None if total is None else int(total),
        )
    except FileNotFoundError as exc:
        raise NotRecorded(request.source, str(place), url=request.log_url) from exc
    except StopIteration as exc:
        raise NotRecorded(
            request.source, str(place), url=request.log_url, why=message("it has no body file")
        ) from exc
    except OSError as exc:
        why = message("its files cannot be read: {why}", why=regular_files.why(exc))
        raise NotRecorded(request.source, str(place), url=request.log_url, why=why) from exc
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise NotRecorded(
            request.source, str(place), url=request.log_url, why=message("its files cannot be read")
        ) from exc


def _dump(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _secret_names(pairs: Pairs) -> list[str]:
    return [name for name, value in pairs if isinstance(value, Secret)]


def _kind(page: Page) -> str:
    """The extension for the body, by its first character before its content type, which may err."""
    start = page.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"{", b"[")):
        return "json"
    if start.startswith((b"<!doctype html", b"<html")) or (
        start.startswith(b"<") and "/html" in page.content_type
    ):
        return "html"
    if start.startswith(b"<"):
        return "xml"
    return "txt"
