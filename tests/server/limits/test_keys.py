"""API keys: who has one may ask, and nobody learns any."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from metasearch.errors import SettingsError
from metasearch.server.limits.client_limits import ApiKeys
from metasearch.settings import ServerSettings, Settings
from tests.cases import each

KEY, OTHER = "correct-horse-battery", "staple.0123456789=="


def settings(folder: Path, lines: str | None = None, **env: str) -> Settings:
    """A server whose keys are in the variables that are given, and in a file of these lines."""
    file = folder / "keys.txt"
    if lines is not None:
        file.write_text(lines, encoding="utf-8")
    server = ServerSettings(keys=tuple(env), keys_file=file if lines is not None else None)
    return Settings(
        server=server, env={name: value for name, value in env.items() if value != "unset"}
    )


@each("scheme", ["Bearer", "bearer", "BEARER"])
@each("key", [KEY, OTHER])
async def test_who_has_a_key_may_ask(serve, key, scheme):
    """Each of the keys opens, under the scheme of RFC 6750 in any spelling."""
    client = await serve(keys=[KEY, OTHER])
    response = await client.get(
        "/search?q=mice&format=json", headers={"Authorization": f"{scheme} {key}"}
    )

    assert response.status == 200


@each(
    "path",
    [
        "/",
        "/search?q=mice",
        "/plan?q=mice",
        "/sources",
        "/suggest?q=m",
        "/opensearch.xml",
        "/metrics",
        "/x",
    ],
)
@each(
    ("header", "challenge"),
    [
        (None, 'Bearer realm="metasearch"'),
        ("Bearer ", 'Bearer realm="metasearch"'),
        (f"Basic {KEY}", 'Bearer realm="metasearch"'),
        (f"Bearer {KEY}x", 'Bearer realm="metasearch", error="invalid_token"'),
        (f"Bearer {KEY[:-1]}", 'Bearer realm="metasearch", error="invalid_token"'),
        ("Bearer schlüssel", 'Bearer realm="metasearch", error="invalid_token"'),
    ],
)
async def test_nobody_else_may(serve, engine, path, header, challenge):
    """401 with a challenge, before anything is searched; what was sent is not said back."""
    client = await serve(engine, keys=[KEY])
    response = await client.get(path, headers={"Authorization": header} if header else {})
    body = await response.text()

    assert (response.status, response.headers["WWW-Authenticate"]) == (401, challenge)
    assert "urn:metasearch:problem:key-needed" in body
    assert KEY[:-1] not in body
    assert "schl" not in body
    assert engine.asked == []


@each("path", ["/healthz", "/readyz", "/static/style.css", "/favicon.ico"])
async def test_health_and_files_are_open(serve, path):
    """Who watches the server needs no key, and the page that asks for one has its style."""
    client = await serve(keys=[KEY])

    assert (await client.get(path)).status == 200


@pytest.mark.parametrize("name", ["key", "api_key", "API-KEY", "access_token"])
async def test_a_key_in_the_address_is_refused(serve, engine, name, caplog):
    """Even a right one, and even beside a right header: it is in a log by now; it is not said
    back."""
    client = await serve(engine, keys=[KEY])
    with caplog.at_level(logging.DEBUG):
        response = await client.get(
            f"/search?q=mice&{name}={KEY}", headers={"Authorization": f"Bearer {KEY}"}
        )
    body = await response.text()

    assert response.status == 400
    assert "urn:metasearch:problem:key-in-address" in body
    assert "Authorization: Bearer KEY" in body
    assert KEY not in body
    assert not any(
        KEY in it.getMessage() for it in caplog.records if it.name.startswith("metasearch")
    )
    assert engine.asked == []


async def test_without_keys_everybody_may_ask(serve):
    """Then `key` is a parameter as any other that nobody knows."""
    client = await serve()

    assert (await client.get("/search?q=mice&key=abc&format=json")).status == 200


async def test_guesses_are_counted(serve):
    """Who guesses keys is told to slow down, as everybody is; this machine's own requests come with
    a proxy's mark."""
    client = await serve(keys=[KEY], rate_limit=3)
    headers = {"Authorization": "Bearer nonsense", "Via": "1.1 proxy"}
    statuses = [(await client.get("/sources", headers=headers)).status for _ in range(4)]

    assert statuses == [401, 401, 401, 429]


def test_keys_come_from_variables_and_from_a_file(tmp_path):
    """Blank lines and comments are none."""
    keys = ApiKeys.load(settings(tmp_path, f"# ours\n\n  {OTHER}  \n", MY_KEY=KEY))

    assert keys
    assert keys._is_key(KEY)
    assert keys._is_key(OTHER)
    assert not keys._is_key("# ours")
    assert not keys._is_key("")


def test_no_settings_no_keys(tmp_path):
    """A server without keys is open."""
    assert not ApiKeys.load(Settings())


@pytest.mark.parametrize(
    "weak", ["short", "with blanks in the middle", "line\nbreak-0123456789", "é" * 20, "x" * 600]
)
def test_a_weak_key_is_told_and_never_shown(tmp_path, weak):
    """All problems at once, by place."""
    with pytest.raises(SettingsError) as raised:
        ApiKeys.load(settings(tmp_path, f"# one\n{KEY} {KEY}\n", MY_KEY=weak, GONE="unset"))
    told = str(raised.value)

    assert "the variable MY_KEY: must have 16 to 512" in told
    assert "the variable GONE is not set" in told
    assert "keys_file: line 2 of " in told
    assert weak not in told
    assert KEY not in told


@pytest.mark.parametrize(
    ("lines", "problem"), [("# nothing\n", "holds no key"), (None, "cannot be read")]
)
def test_a_file_without_keys_lets_nobody_in_by_mistake(tmp_path, lines, problem):
    """An empty or missing file is no open door."""
    given = settings(tmp_path, "")
    assert given.server.keys_file
    if lines is None:
        given.server.keys_file.unlink()
    else:
        given.server.keys_file.write_text(lines)

    with pytest.raises(SettingsError, match=problem):
        ApiKeys.load(given)


def test_nothing_of_a_key_is_kept(tmp_path):
    """Only hashes: not even a debugger's view of the object has one."""
    keys = ApiKeys([KEY])

    assert KEY not in repr(keys)
    assert KEY.encode() not in b"".join(keys._digests)
