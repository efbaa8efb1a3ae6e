"""A case of cassettes/ from a live answer: what was asked, what came, and what was read of it;
without secrets.

The layout is that of docs/adapters.md, which tests/test_cassettes.py reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.transport import Transport
from metasearch.adapters.parse.bodies import kind_of
from metasearch.adapters.parse.parse import parse
from metasearch.adapters.redaction import redacted
from metasearch.adapters.request import JSON, Page, Request, public
from metasearch.adapters.spec import AdapterSpec
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.engine.engine import transport_of
from metasearch.errors import SourceError
from metasearch.formats.records import record_object
from metasearch.query import parse as read_query
from metasearch.settings import Settings

#: What stands in a case for each secret that was used.
DUMMY = "dummy-value"


class _Watched:
    """Sends through another transport, and remembers what came back, whatever becomes of it."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.pages: list[Page] = []

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:  # noqa: ASYNC109
        """See `Transport.send`."""
        page = await self._inner.send(request, timeout=timeout, max_bytes=max_bytes)
        if not request.private:
            self.pages.append(redacted(page))
        return page

    async def close(self) -> None:
        """See `Transport.close`."""
        await self._inner.close()


async def ask(
    query: str, spec: AdapterSpec, wanted: int, settings: Settings
) -> tuple[list[Page], SourceError | None]:
    """The pages that a search for so many records brings first, and what went wrong.

    A second page is there where a search takes two requests: ids first, their records then. An
    answer that is an error is a page, too.
    """
    watched = _Watched(transport_of(settings))
    fetcher = Fetcher(watched)
    try:
        request: Request | None = plan(read_query(query), spec, wanted, settings.env).request
        step = None
        while request is not None and request.step != step:
            step = request.step
            page = await fetcher.fetch(request, spec.limits, use_cache=False, env_name=spec.key_env)
            request = parse(page, spec).next
    except SourceError as error:
        return _last_of_each(watched.pages), error
    finally:
        await fetcher.close()
    return _last_of_each(watched.pages), None


def _last_of_each(pages: list[Page]) -> list[Page]:
    """One page a step: of several tries the last."""
    return list({page.request.step: page for page in pages}.values())


def keep(
    folder: Path, query: str, spec: AdapterSpec, wanted: int, settings: Settings, pages: list[Page]
) -> int:
    """Writes the case, each page after the first into step2; how many records are in it. `folder`:
    is made. `query`: as it was given to `ask`, and so the following ones.
    """
    env = {name: DUMMY for auth in spec.auth for name in auth.variables if settings.env.get(name)}
    planned = plan(read_query(query), spec, wanted, env)
    about: dict[str, Any] = {"query": query, "wanted": wanted, "env": env}
    count = 0
    for number, page in enumerate(pages):
        place = folder.joinpath(*["step2"] * number)
        place.mkdir(parents=True)
        count = _keep(
            place, about if number == 0 else {}, planned if number == 0 else None, page, spec
        )
    return count


def _keep(
    place: Path, about: dict[str, Any], planned: Plan | None, page: Page, spec: AdapterSpec
) -> int:
    request = page.request
    table: dict[str, Any] = about | {
        "method": request.method,
        "url": request.url,
        "params": list(public(request.params)),
    }
    if request.body:
        table["body"] = list(public(request.body))
    if request.content:
        as_json = request.content_type == JSON
        table["json" if as_json else "text"] = (
            json.loads(request.content) if as_json else request.content
        )
    if planned is not None:
        table |= {"sent": planned.sent, "notes": list(planned.notes)}
    if page.status != 200:
        table["status"] = page.status
    _write(place / "request.json", table)
    (place / f"body.{kind_of(page.body.strip()) or 'txt'}").write_bytes(page.body)
    try:
        records = parse(page, spec).records
    except SourceError as error:
        _write(place / "error.json", {"type": type(error).__name__, "message": str(error)})
        return 0
    _write(place / "records.json", [record_object(record) for record in records])
    return len(records)


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
