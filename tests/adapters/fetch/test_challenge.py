from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.status import challenge
from tests.cases import each
from tests.growth import MOST, growth

HTML = "text/html; charset=utf-8"


def page(title: str = "", body: str = "", head: str = "") -> bytes:
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    ).encode()


LONG = "<p>" + "An ordinary sentence about libraries. " * 80 + "</p>"


@each(
    ("body", "name"),
    [
        (page("Making sure you&#39;re not a bot!", "<p>Loading...</p>"), "Anubis"),
        (
            page("x", '<script id="anubis_challenge" type="application/json">{}</script>' + LONG),
            "Anubis",
        ),
        (page("x", '<img src="/.within.website/x/cmd/anubis/static/img/happy.webp">'), "Anubis"),
        (
            page(
                "Just a moment...", "<noscript>Enable JavaScript and cookies to continue</noscript>"
            ),
            "Cloudflare",
        ),
        (page("x", "<script>window._cf_chl_opt={};</script>" + LONG), "Cloudflare"),
        (page("Attention Required! | Cloudflare", "Sorry"), "Cloudflare"),
        (page("x", '<div class="cf-turnstile"></div>'), "Cloudflare"),
        (page("x", '<div class="h-captcha" data-sitekey="x"></div>'), "hCaptcha"),
        (
            page("x", '<script src="https://www.google.com/recaptcha/api.js"></script>Please'),
            "reCAPTCHA",
        ),
        (
            page(
                "Sorry",
                "Our systems have detected unusual traffic from your computer network." + LONG,
            ),
            "unusual",
        ),
        (page("Are you a robot?", "<div id='captcha'>Please verify.</div>"), "captcha"),
        (page("x", "<p>Please complete the CAPTCHA to go on.</p>"), "captcha"),
        (page("x", '<form><input name="captcha_answer"></form>'), "captcha"),
        (page("Verify you are human"), "captcha"),
        (
            page("Access Denied", "You don't have permission to access this server."),
            "access denied",
        ),
        (page("安全验证", "请输入验证码"), "captcha"),
        (page("安全验证").decode().encode("gbk"), "captcha"),
        (b"\xef\xbb\xbf\r\n<!-- x --><HTML><TITLE>Robot Check</TITLE>", "captcha"),
    ],
)
def test_bot_walls_are_named(body: bytes, name: str) -> None:
    """Each kind of wall is recognised and called what it is."""
    assert name.lower() in (challenge(body, HTML) or "").lower()


@each(
    "body",
    [
        page("1 result", "<ol><li>CAPTCHA: Using hard AI problems for security</li></ol>"),
        page(
            "captcha - search",
            "<p>No results for captcha.</p><form action='/s'><input name='q' "
            "value='captcha'></form>",
        ),
        page("Results", "<li>I'm not a robot: breaking reCAPTCHA</li>" + LONG),
        page("Results", LONG + '<script src="https://www.google.com/recaptcha/api.js"></script>'),
        page(
            "Results",
            LONG + '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>',
        ),
        page("403 Forbidden", "<h1>403 Forbidden</h1><hr>nginx"),
        page("429 Too Many Requests", "<h1>Too Many Requests</h1>"),
        page("Internal Server Error", "<h1>500</h1>"),
        b"",
    ],
)
def test_plain_pages_are_not(body: bytes) -> None:
    """Results about captchas, pages that merely load a captcha's script, and plain error pages are
    no walls."""
    assert challenge(body, HTML) is None


@each(
    ("body", "content_type"),
    [
        (b'{"title": "Are you a robot?"}', "application/json"),
        (b'{"title": "Are you a robot?"}', HTML),
        (b'<?xml version="1.0"?><feed><title>Access denied</title></feed>', "application/atom+xml"),
        (b'<?xml version="1.0"?><feed><title>Access denied</title></feed>', HTML),
        (b"<records><title>Are you a robot?</title></records>", "text/xml"),
        (b"Just a moment...", "text/plain"),
        (b"TY  - JOUR\r\nTI  - Are you human?", HTML),
    ],
)
def test_what_is_not_html_is_no_challenge(body: bytes, content_type: str) -> None:
    """JSON, XML and plain text are left to their parsers, also under a wrong content type."""
    assert challenge(body, content_type) is None


@each("content_type", ["application/json", "text/xml", ""])
def test_a_wall_under_a_wrong_content_type_is_found(content_type: str) -> None:
    """What counts is the body."""
    assert challenge(page("Just a moment..."), content_type)


@given(st.binary(max_size=300), st.text(max_size=20))
def test_nothing_breaks_it(body: bytes, content_type: str) -> None:
    """Any bytes give a name or None."""
    assert challenge(b"<html>" + body, content_type) in (None, challenge(b"<html>" + body, HTML))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        b"<",
        b"<script",
        b"<script>",
        b"<!--",
        b"<a id=",
        b"id='",
        b"captcha",
        b"complete ",
        b"<style></style",
    ],
)
def test_hostile_pages_cost_little(piece: bytes) -> None:
    """Time is linear in the first 64 KB, and what lies behind them is not looked at."""
    body = b"<html>" + piece * (400_000 // len(piece))

    assert growth(lambda size: partial(challenge, body[:size], HTML), 15_000) <= MOST
    assert growth(lambda size: partial(challenge, body[:size], HTML), 100_000) <= MOST
