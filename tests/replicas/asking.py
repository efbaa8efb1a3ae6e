"""A replica in a process of its own that fetches pages, for tests.

    python -m tests.replicas.asking SHARED_URL SOURCE_URL SECONDS QUERY...

fetches the page for each query at the same time, prints "asking" before and then, as JSON, for each
its body, or the name of the error, and whether it came from a cache. SECONDS is the deadline.
"""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.parse import urlsplit

from metasearch.adapters.fetch.fetch import Fetcher
from metasearch.adapters.fetch.transport import HttpTransport
from metasearch.adapters.request import Request
from metasearch.adapters.spec import Limits
from metasearch.cache import MemoryStore
from metasearch.errors import SourceError
from metasearch.replicas.connection import KeyNames, RedisConnection
from metasearch.replicas.pages import RedisPages
from metasearch.replicas.redis import RedisSharing

SECRET = b"a secret of tests"
LIMITS = Limits(requests=1000, concurrency=20, timeout=20, ttl=3600)


def replica(shared: str, source: str) -> Fetcher:
    """A fetcher of this process, which may ask a server of this machine."""
    connection, names = RedisConnection(shared), KeyNames(SECRET)
    pages = RedisPages(connection, names)
    sharing = RedisSharing(connection, names, sources=lambda: ("db",), pages=pages)
    transport = HttpTransport(allow=frozenset({urlsplit(source).netloc}))
    return Fetcher(transport, MemoryStore(), sharing=sharing)


async def fetched(it: Fetcher, source: str, query: str, seconds: float) -> tuple[str, bool]:
    """The body of one page, or the name of the error, and whether it came from a cache."""
    request = Request(source="db", url=source, params=(("q", query),))
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        page = await it.fetch(request, LIMITS, deadline=deadline)
    except SourceError as exc:
        return type(exc).__name__, False
    return page.body.decode(), page.cached


async def main(shared: str, source: str, seconds: str, *queries: str) -> None:
    """Fetches all, and prints what came."""
    it = replica(shared, source)
    print("asking", flush=True)
    found = await asyncio.gather(*(fetched(it, source, each, float(seconds)) for each in queries))
    await it.close()
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
