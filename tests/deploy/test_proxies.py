"""The examples for nginx and Caddy: bounds that fit those of the server, and, where the programs
are installed, what they do with a stream and with the address of a client."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from metasearch.review.projects.pages import MOST_BYTES
from metasearch.settings import Settings
from tests.cases import each
from tests.deploy.files import DEPLOY, Directive, caddy, nginx, seconds, size
from tests.deploy.server import OPTIONS, PORT, SILENT_STREAM

NGINX = DEPLOY / "proxies" / "nginx.conf"
CADDY = DEPLOY / "proxies" / "Caddyfile"
COMPOSE = DEPLOY / "compose" / "Caddyfile"
#: Seconds for a proxy to start, and to pass something on.
PATIENCE = 30.0


def test_nginx_waits_for_the_longest_search_and_no_connection_is_closed_under_it() -> None:
    """Its times, and the server's."""
    config = nginx(NGINX)
    (_, read), (_, kept) = (
        config.one(name).words for name in ("proxy_read_timeout", "keepalive_timeout")
    )

    assert seconds(read) > max(OPTIONS.max_timeout, SILENT_STREAM)
    assert seconds(kept) < OPTIONS.keepalive


def test_nginx_passes_streams_on_and_says_who_asks() -> None:
    """No buffer, no compression of streams; the header of a client is replaced, not continued."""
    config = nginx(NGINX)
    types = config.one("gzip_types").words

    assert config.one("proxy_buffering").words[1:] == ("off",)
    assert not {"text/event-stream", "application/x-ndjson", "text/*", "*"} & set(types)
    assert config.one("proxy_set_header", "X-Forwarded-For").words[2:] == ("$remote_addr",)
    assert config.one("proxy_http_version").words[1:] == ("1.1",)


def test_nginx_asks_the_server_of_the_unit() -> None:
    """At its port on this machine, which the configuration of the unit trusts."""
    server = nginx(NGINX).one("upstream").one("server")
    trusted = Settings.load(DEPLOY / "systemd" / "config.toml", {}).server.trusted_proxies

    assert server.words[1] == f"127.0.0.1:{PORT}"
    assert "127.0.0.1" in trusted


def test_nginx_takes_the_largest_upload_and_little_more() -> None:
    """An archive of a project; a larger one is refused before it is sent on."""
    bound = size(nginx(NGINX).one("client_max_body_size").words[1])

    assert MOST_BYTES < bound < 1.2 * MOST_BYTES


@each("file", [CADDY, COMPOSE], ids=["own", "compose"])
def test_caddy_has_the_same_bounds(file: Path) -> None:
    """Times, uploads, streams."""
    config = caddy(file)
    proxy = config.one("reverse_proxy")

    assert proxy.one("flush_interval").words[1:] == ("-1",)
    assert seconds(proxy.one("response_header_timeout").words[1]) > OPTIONS.max_timeout
    assert seconds(proxy.one("keepalive").words[1]) < OPTIONS.keepalive
    assert MOST_BYTES < size(config.one("max_size").words[1]) < 1.2 * MOST_BYTES


def test_caddy_compresses_no_stream() -> None:
    """Only types that are named, none of which is a stream."""
    matched = caddy(COMPOSE).one("encode").one("match").all("header", "Content-Type")
    types = [it.words[2] for it in matched]

    assert types
    assert not any("event-stream".startswith(it.rstrip("*").split("/")[1]) for it in types)
    assert not any("x-ndjson".startswith(it.rstrip("*").split("/")[1]) for it in types)


@pytest.mark.parametrize("read", [nginx, caddy])
def test_our_readers_refuse_what_does_not_end(tmp_path: Path, read) -> None:
    """A brace too many or too few."""
    for text in ("a {\n b 1;\n", "a {\n b 1;\n}\n}\n"):
        file = tmp_path / "file"
        file.write_text(text)
        with pytest.raises(ValueError):
            read(file)


def test_our_reader_of_nginx_reads_what_stands_there() -> None:
    """Words, blocks, and no comments."""
    assert nginx(NGINX).one("location", "=").words == ("location", "=", "/metrics")
    assert isinstance(nginx(NGINX).one("upstream"), Directive)
    assert len(nginx(NGINX).all("server")) == 3  # two servers, and the one asked


def program(name: str) -> str:
    """The program; the test is skipped where it is not installed."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def nginx_here(folder: Path, port: int, upstream: int) -> list[str]:
    """nginx with our example, as an ordinary user: other ports, a certificate of its own."""
    binary, openssl = program("nginx"), program("openssl")
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test"),
            *("-keyout", str(folder / "key"), "-out", str(folder / "crt")),
        ],
        check=True,
        capture_output=True,
    )
    text = re.sub(r"(?m)^.*listen \[::\].*\n", "", NGINX.read_text("utf-8"))
    text = text.replace("listen 443 ", f"listen 127.0.0.1:{port} ")
    text = text.replace("listen 80;", f"listen 127.0.0.1:{free_port()};")
    text = re.sub(r"/etc/ssl/\S+\.(crt|key);", lambda it: f"{folder / it[1]};", text)
    text = text.replace(f"127.0.0.1:{PORT}", f"127.0.0.1:{upstream}")
    (folder / "site.conf").write_text(text)
    places = "".join(
        f"{name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; worker_processes 1; events {{}}\n"
        f"http {{ access_log off; {places} include {folder}/site.conf; }}\n"
    )
    return [binary, "-e", "stderr", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy_here(file: Path, folder: Path, port: int, upstream: int) -> list[str]:
    """Caddy with one of our examples, at other ports and without certificates."""
    binary = program("caddy")
    text = re.sub(
        r"(?m)^(search\.example\.org|\{\$METASEARCH_SITE.*\}) \{", "SITE {", file.read_text()
    )
    text = text.replace("SITE", f"http://127.0.0.1:{port}")
    text = re.sub(r"(reverse_proxy) .* \{", rf"\1 127.0.0.1:{upstream} {{", text)
    if "admin off" not in text:
        text = "{\n\tadmin off\n}\n" + text
    (folder / "Caddyfile").write_text(text)
    return [binary, "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


@pytest.mark.slow
def test_nginx_understands_it(tmp_path: Path) -> None:
    """`nginx -t` has no complaint."""
    tested = subprocess.run(
        [*nginx_here(tmp_path, free_port(), 1), "-t"], capture_output=True, text=True
    )

    assert tested.returncode == 0, tested.stderr
    assert "[warn]" not in tested.stderr or "http2" in tested.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", [CADDY, COMPOSE], ids=["own", "compose"])
def test_caddy_understands_it(file: Path, tmp_path: Path) -> None:
    """`caddy validate` has no complaint, with the file as it is."""
    tested = subprocess.run(
        [program("caddy"), "validate", "--adapter", "caddyfile", "--config", str(file)],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )

    assert tested.returncode == 0, tested.stderr


class Upstream:
    """A server whose stream sends its second event when the first one has arrived."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self.clients: list[str | None] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """`/stream/TYPE/SUBTYPE`: two lines; everything else: "OK"."""
        self.clients.append(request.headers.get("X-Forwarded-For"))
        if not request.path.startswith("/stream/"):
            return web.Response(text="OK")
        response = web.StreamResponse()
        response.content_type = request.path.removeprefix("/stream/")
        await response.prepare(request)
        await response.write(b"data: first\n")
        await self.arrived.wait()
        await response.write(b"data: second\n")
        return response

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[int]:
        """Serves; gives the port."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        async with TestServer(app) as server:
            assert server.port is not None
            yield server.port


@asynccontextmanager
async def running(
    command: list[str], folder: Path, url: str, session: aiohttp.ClientSession
) -> AsyncIterator[None]:
    """A proxy that answers."""
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
            stdout=log,
            stderr=log,
        )
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                assert process.returncode is None, (folder / "log").read_text()
                try:
                    async with session.get(url + "/"):
                        break
                except aiohttp.ClientConnectionError:
                    await asyncio.sleep(0.05)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nginx", "caddy", "caddy-compose"])
async def test_through_a_proxy(name: str, tmp_path: Path) -> None:
    """Each event of a stream leaves the proxy before the next one is made, in both forms; the
    server sees the address of the client and nothing that the client claims; counts are not for
    everybody."""
    upstream, port = Upstream(), free_port()
    connector = aiohttp.TCPConnector(ssl=False)
    forged = {"X-Forwarded-For": "6.6.6.6", "Accept-Encoding": "gzip"}
    async with (
        upstream.serving() as behind,
        aiohttp.ClientSession(connector=connector, headers=forged) as session,
    ):
        if name == "nginx":
            command, url = nginx_here(tmp_path, port, behind), f"https://127.0.0.1:{port}"
        else:
            file = CADDY if name == "caddy" else COMPOSE
            command, url = caddy_here(file, tmp_path, port, behind), f"http://127.0.0.1:{port}"
        async with running(command, tmp_path, url, session), asyncio.timeout(PATIENCE):
            for form in ("text/event-stream", "application/x-ndjson"):
                upstream.arrived.clear()
                async with session.get(f"{url}/stream/{form}") as response:
                    assert await response.content.readline() == b"data: first\n"
                    upstream.arrived.set()
                    assert await response.content.readline() == b"data: second\n"
            async with session.get(f"{url}/metrics") as response:
                refused = response.status

    assert refused == 404
    # The checks of Caddy itself come from nobody.
    assert set(upstream.clients) - {None} == {"127.0.0.1"}
