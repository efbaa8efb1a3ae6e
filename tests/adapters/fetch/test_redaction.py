"""Secrets in bodies that are searched a stretch at a time: nothing depends on where a stretch
ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters import request as module
from metasearch.adapters.request import (
    Page,
    Request,
    Secret,
    _spellings,
    redact,
    secrets_of,
)
from tests.cases import each

STRETCH = module._STRETCH
SECRETS = ("s3cr3tk3y", "+jane.doe@", "Zm9v/YmFy+==", "@@@@@@", "a b&<c>é")
PARTS = (
    "***",
    "x",
    "@",
    "é",
    "%2540",
    "&#0064;",
    "&amp;#x40;",
    "&amp;amp;",
    "\\u0040",
    "\\\\/",
    "%2B",
    "+",
)


def page(body: bytes, secret: str) -> Page:
    return Page(
        request=Request(source="db", url="https://x.example/", params=(("k", Secret(secret)),)),
        body=body,
    )


@each("codec", ["utf-8", "utf-16"])
@each("secret", SECRETS)
@each("shift", [-30, -5, -1, 0, 1])
def test_a_secret_on_an_edge_is_found(secret: str, codec: str, shift: int) -> None:
    """Before, across and behind the end of a stretch."""
    text = "-" * (STRETCH + shift) + secret + "-" * STRETCH + secret
    found = redact(page(text.encode(codec), secret)).body.decode(codec)

    assert found == text.replace(secret, "***")


@given(st.sampled_from(SECRETS), st.data())
def test_stretches_find_what_one_search_finds(secret: str, data: st.DataObject) -> None:
    """Whole secrets, parts and spellings of them, in any order, with stretches of any length."""
    pieces = st.one_of(
        st.sampled_from((*PARTS, secret, secret[:-1], secret[1:])), st.sampled_from(secret)
    )
    body = "".join(data.draw(st.lists(pieces, max_size=60))).encode()
    expected = body
    for told in secrets_of(page(body, secret).request):
        expected = re.sub(_spellings(told).encode(), b"***", expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_STRETCH", data.draw(st.integers(1, 40)))

        assert redact(page(body, secret)).body == expected


def test_a_body_without_them_is_left_as_it_is() -> None:
    """The page is the same object: nothing is copied."""
    for body in (b"x" * (2 * STRETCH + 1), "x".encode("utf-16") * STRETCH):
        asked = page(body, "+jane.doe@")

        assert redact(asked) is asked
