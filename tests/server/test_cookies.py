"""Cookies are signed; forms have tokens of their own visitor."""

from __future__ import annotations

import logging
import multiprocessing
import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from hypothesis import example, given
from hypothesis import strategies as st

from metasearch.server.cookies import LARGEST, Cookies, load_key
from tests.cases import each

HTTP, HTTPS = "http://127.0.0.1:8080", "https://search.example.org/meta"
COOKIES = Cookies(b"k" * 32)


def written(value, name="a", site=HTTP, cookies=COOKIES):
    """The morsel that the browser gets."""
    response = web.Response()
    cookies.write(response, name, value, site)
    return response.cookies[name]


def read(text, name="a", cookies=COOKIES):
    """What the server reads from a header."""
    request = make_mocked_request("GET", "/", headers={"Cookie": text})
    return cookies.read(request, name)


@each("value", [[], {"language": "zh-Hans"}, "häß\n;,=", [1, None, True], 0])
def test_a_cookie_comes_back_as_it_was(value):
    assert read(f"a={written(value).value}") == value


def test_flags():
    """No script reads it, other sites do not send it, and with HTTPS it stays there; it holds for
    the path of this server alone.
    """
    plain, tls = written(1), written(1, site=HTTPS)

    assert (plain["httponly"], plain["samesite"], plain["path"]) == (True, "Lax", "/")
    assert (bool(plain["secure"]), bool(tls["secure"])) == (False, True)
    assert (tls["httponly"], tls["samesite"], tls["path"]) == (True, "Lax", "/meta")
    assert int(tls["max-age"]) == 365 * 24 * 3600
    assert not tls["domain"]


def test_a_deleted_cookie_has_the_same_path():
    """Else a browser would keep it."""
    response = web.Response()
    COOKIES.delete(response, "a", HTTPS)
    gone = response.cookies["a"]

    assert (gone["path"], int(gone["max-age"]), gone.value) == ("/meta", 0, "")
    assert (gone["secure"], gone["httponly"], gone["samesite"]) == (True, True, "Lax")


def test_what_is_changed_foreign_or_another_cookie_is_not_read():
    value = written(["h1"]).value
    payload, _, mark = value.rpartition(".")

    assert read(f"a={value}") == ["h1"]
    for changed in (f"{payload}x.{mark}", f"{payload}.{mark[:-1]}", payload, mark, f"{value}.", ""):
        assert read(f"a={changed}") is None
    assert read(f"a={value}", cookies=Cookies(b"l" * 32)) is None
    assert read(f"a={value}", cookies=Cookies()) is None
    assert read(f"b={value}", "b") is None


def test_what_is_too_large_is_neither_read_nor_written():
    noise = os.urandom(LARGEST).hex()  # it cannot be compressed
    with pytest.raises(ValueError, match="more than 4,000"):
        written(noise)
    signed = COOKIES._serializer("a").dumps(noise)
    assert read(f"a={signed}") is None


@given(st.text(max_size=200) | st.text('a.-_"\\ \t,\x00\udcff', max_size=200))
@example("\udcff.x")
def test_no_value_breaks_it(text):
    """Bytes that are no UTF-8 arrive as lone surrogates."""
    request = SimpleNamespace(cookies={"a": text})
    assert COOKIES.read(request, "a") is None  # type: ignore[arg-type]


# --------------------------------------------------------------------------- tokens


def test_a_token_is_another_text_each_time():
    """So that compression of the page does not reveal it."""
    tokens = {COOKIES.token("visitor") for _ in range(50)}

    assert len(tokens) == 50
    assert all(COOKIES.is_token(token, "visitor") for token in tokens)
    for place in range(0, 64, 8):  # no part of it stands still
        assert len({token[place : place + 8] for token in tokens}) > 40


def test_a_token_belongs_to_one_visitor_of_one_server():
    token = COOKIES.token("visitor")

    assert not COOKIES.is_token(token, "another")
    assert not COOKIES.is_token(token, "")
    assert not COOKIES.is_token(COOKIES.token(""), "")
    assert not Cookies(b"l" * 32).is_token(token, "visitor")


@given(st.text(max_size=80) | st.text("0123456789abcdef \n", min_size=62, max_size=66))
def test_no_made_up_text_is_a_token(text):
    assert not COOKIES.is_token(text, "visitor")


# --------------------------------------------------------------------------- the key


def test_the_key_is_kept_for_one_account(tmp_path: Path):
    folder = tmp_path / "cache"
    key = load_key(folder)

    assert key is not None
    assert len(key) == 32
    assert load_key(folder) == key
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_key(tmp_path / "other") != key
    assert load_key(None) is None


@pytest.mark.slow
def test_processes_that_begin_together_share_it(tmp_path: Path):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        keys = pool.map(load_key, [tmp_path] * 16, chunksize=1)

    assert len(set(keys)) == 1
    assert keys[0] is not None
    assert [file.name for file in tmp_path.iterdir()] == ["cookie-key"]


@pytest.mark.parametrize("content", [b"", b"short", b"k" * 33])
def test_a_damaged_key_is_reported_and_not_used(tmp_path, caplog, content):
    (tmp_path / "cookie-key").write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert load_key(tmp_path) is None
    assert "is no key of 32 bytes" in caplog.text


def test_what_is_no_file_is_not_waited_for(tmp_path, caplog):
    """A pipe would hold up the start of the server."""
    os.mkfifo(tmp_path / "cookie-key")
    with caplog.at_level(logging.WARNING):
        assert load_key(tmp_path) is None
    assert "cookies end with the server" in caplog.text


def test_a_folder_that_cannot_be_made_is_reported(tmp_path, caplog):
    (tmp_path / "file").touch()
    with caplog.at_level(logging.WARNING):
        assert load_key(tmp_path / "file" / "cache") is None
    assert "cookies end with the server" in caplog.text
