"""Which pages of other sites may read answers: those of the configured origins, and no other."""

from __future__ import annotations

from metasearch.server.limits import Options
from metasearch.settings import Settings
from metasearch.settings.server import ServerSettings
from tests.cases import each

READER = "https://reader.example.org"
OTHERS = (
    "https://evil.example",
    "http://reader.example.org",
    "https://reader.example.org:8443",
    "https://reader.example.org.evil.example",
    "https://reader.example.org/",
    "null",
    "*",
    "",
)
ASKED = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}


def allowing(response) -> dict[str, str]:
    """The headers of an answer that allow something."""
    return {
        name: value
        for name, value in response.headers.items()
        if name.lower().startswith("access-control-")
    }


@each(
    "path",
    ["/search?q=mice&format=json", "/search?q=mice&format=sse", "/searxng/?q=mice&format=json"],
)
async def test_a_configured_origin_reads_answers(serve, path):
    """Streams too; credentials are never allowed, and caches tell origins apart."""
    client = await serve(cors=(READER,))
    response = await client.get(path, headers={"Origin": READER})

    assert response.status == 200
    assert response.headers["Access-Control-Allow-Origin"] == READER
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in response.headers
    assert "Origin" in response.headers["Vary"]


async def test_errors_can_be_read(serve):
    """A page can show why it got nothing."""
    client = await serve(cors=(READER,))
    response = await client.get("/search?q=&format=json", headers={"Origin": READER})

    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (400, READER)
    assert response.headers["Vary"] == "Accept, Origin"


@each("origin", OTHERS)
async def test_other_origins_read_nothing(serve, origin):
    """Neither one that looks alike nor a wildcard; the answer still varies by origin."""
    client = await serve(cors=(READER,))
    response = await client.get("/search?q=mice&format=json", headers={"Origin": origin})
    before = await client.options("/search", headers={"Origin": origin, **ASKED})

    assert allowing(response) == allowing(before) == {}
    assert "Origin" in response.headers["Vary"]
    assert before.status == 405


async def test_without_configuration_there_is_no_cors(client):
    """No header, no preflight, and no `Vary` that caches would have to heed."""
    response = await client.get("/search?q=mice&format=json", headers={"Origin": READER})
    before = await client.options("/search", headers={"Origin": READER, **ASKED})

    assert allowing(response) == allowing(before) == {}
    assert response.headers["Vary"] == "Accept"
    assert before.status == 405


async def test_preflights(serve, engine):
    """They need no key and count in no quota, because a browser sends them without one; what may
    be sent depends on the route."""
    client = await serve(engine, cors=(READER,), keys=["0123456789abcdef"], rate_limit=1)
    headers = {"Origin": READER, "X-Forwarded-For": "203.0.113.7", **ASKED}
    for _ in range(3):
        search = await client.options("/search", headers=headers)
    sources = await client.options("/sources", headers=headers)

    assert search.status == sources.status == 204
    assert allowing(search) == {
        "Access-Control-Allow-Origin": READER,
        "Access-Control-Allow-Methods": "GET, HEAD, POST",
        "Access-Control-Allow-Headers": (
            "Authorization, Content-Type, If-None-Match, Last-Event-ID, X-Requested-With, "
            "MCP-Protocol-Version, Mcp-Method, Mcp-Name"
        ),
        "Access-Control-Expose-Headers": search.headers["Access-Control-Expose-Headers"],
        "Access-Control-Max-Age": "600",
    }
    assert sources.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert engine.asked == []


async def test_a_preflight_opens_nothing(serve):
    """The request itself needs its key; an address that is not there stays a 404."""
    closed = await serve(cors=(READER,), keys=["0123456789abcdef"])
    stranger = await closed.get("/search?q=mice", headers={"Origin": READER})
    client = await serve(cors=(READER,))
    nowhere = await client.options("/nowhere", headers={"Origin": READER, **ASKED})
    no_preflight = await client.options("/healthz", headers={"Origin": READER})

    assert (stranger.status, nowhere.status, no_preflight.status) == (401, 404, 405)


def test_origins_come_from_the_configuration():
    """The table [server] names them."""
    settings = Settings(server=ServerSettings(cors=(READER,)))

    assert Options.of(settings).cors == (READER,)
