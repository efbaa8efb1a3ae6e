from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metasearch.adapters.fetch.guard import first_hop, next_hop
from metasearch.adapters.request import Request, Secret
from metasearch.errors import NotAllowed
from tests.cases import each

KEY = "s3cr3t/key+1"


def request(url: str = "https://api.example.org/works", **rest: Any) -> Request:
    return Request(source="example", url=url, **rest)


def keyed(url: str = "https://api.example.org/works", **rest: Any) -> Request:
    """A request with a secret in a parameter and in a header."""
    secrets = {
        "params": (("q", "x"), ("key", Secret(KEY))),
        "headers": (("X-Api-Key", Secret(KEY)), ("Accept", "a/b")),
    }
    return request(url, **(secrets | rest))


text = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(st.lists(st.tuples(text.filter(bool), text), min_size=1, max_size=4))
def test_parameters_arrive_as_they_were_meant(pairs: list[tuple[str, str]]) -> None:
    """Whatever a value holds (braces, quotes, colons, line feeds), decoding the URL gives it back
    unchanged."""
    url = first_hop(request(params=tuple(pairs))).url

    assert parse_qsl(url.raw_query_string, keep_blank_values=True) == pairs
    assert str(url).isascii()
    assert not set(str(url)) & set(' {}"<>\r\n')


def test_parameters_join_a_query_that_the_url_already_has() -> None:
    """A URL that ends in its own parameters keeps them."""
    url = first_hop(
        request("https://x.example/sru?version=1.1#top", params=(("query", 'dc.title="a b"'),))
    ).url

    assert str(url) == "https://x.example/sru?version=1.1&query=dc.title%3D%22a%20b%22"


def test_legal_urls_are_sent_to_the_letter() -> None:
    """Nothing that is already encoded is encoded or decoded again; a signed URL stays valid."""
    url = "https://x.example/a%2Fb%20c/%7Ed;v=1?sig=a%2Bb%3D&x=%41"

    assert str(first_hop(request(url)).url) == url


@each(
    "url",
    [
        "ftp://x.example/",
        "file:///etc/passwd",
        "//x.example/",
        "works",
        "",
        "http:///x",
        "https://u:p@x.example/",
        "https://@x.example/",
        "http://x.example:99999/",
        "http://[::1/",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    """Only http and https, with a host and without user information."""
    with pytest.raises(NotAllowed):
        first_hop(request(url))


def test_a_post_sends_its_body_as_a_form() -> None:
    """Form fields are encoded like parameters, and the content type says so."""
    hop = first_hop(request(method="POST", body=(("term", "a b"), ("key", Secret(KEY)))))

    assert hop.data == b"term=a%20b&key=s3cr3t%2Fkey%2B1"
    assert hop.headers["Content-Type"] == "application/x-www-form-urlencoded"


def test_secrets_follow_within_the_origin() -> None:
    """A redirect to the same scheme, host and port gets the headers as before."""
    asked = keyed()
    hop = next_hop(asked, first_hop(asked), 302, f"/v2/works?key={KEY}")

    assert str(hop.url) == f"https://api.example.org/v2/works?key={KEY}"
    assert hop.headers == {"X-Api-Key": KEY, "Accept": "a/b"}


@each("there", ["https://api.example.com", "https://api.example.org:8443", "https://example.org"])
def test_secrets_do_not_cross_to_another_origin(there: str) -> None:
    """Another host, a parent domain or another port gets neither header nor parameter, however it
    is spelled."""
    asked = keyed(
        headers=(("X-Api-Key", Secret(KEY)), ("authorization", "Basic abc"), ("Accept", "a/b"))
    )
    hop = next_hop(
        asked, first_hop(asked), 302, f"{there}/w?q=x&key=s3cr3t%2Fkey%2B1&again={KEY}&z=1"
    )

    assert hop.headers == {"Accept": "a/b"}
    assert str(hop.url) == f"{there}/w?q=x&z=1"


def test_secrets_do_not_come_back() -> None:
    """A chain that left the origin and returns to it is still without secrets: the other side chose
    the URL."""
    asked = keyed()
    away = next_hop(asked, first_hop(asked), 302, "https://evil.example/")
    back = next_hop(asked, away, 302, "https://api.example.org/works?everything")

    assert "X-Api-Key" not in back.headers


def test_a_secret_in_the_path_of_another_origin_is_refused() -> None:
    """What cannot be taken out of a URL is not sent."""
    asked = keyed(params=(("key", Secret("abcdef123")),))
    with pytest.raises(NotAllowed) as caught:
        next_hop(asked, first_hop(asked), 302, "https://evil.example/abcdef123/")

    assert "abcdef123" not in str(caught.value)


def test_the_bare_token_of_a_prefixed_secret_counts_as_the_secret() -> None:
    """Of "Bearer abc" a server may repeat "abc" alone."""
    asked = request(headers=(("Authorization", Secret("Bearer abcdef123")),))
    hop = next_hop(asked, first_hop(asked), 302, "https://other.example/?token=abcdef123&q=1")

    assert str(hop.url) == "https://other.example/?q=1"


def test_leaving_https_with_a_secret_is_refused() -> None:
    """A request with a key never steps down to http, on any host; one without a key may."""
    with pytest.raises(NotAllowed, match="https"):
        next_hop(keyed(), first_hop(keyed()), 302, "http://api.example.org/works")

    assert next_hop(request(), first_hop(request()), 302, "http://x.example/").url.scheme == "http"


def test_the_usual_step_to_https_keeps_secrets() -> None:
    """From http on port 80 to https on port 443 of the same host is the same party."""
    asked = keyed("http://api.example.org/works")
    hop = next_hop(asked, first_hop(asked), 301, "https://API.example.org/works")

    assert hop.headers["X-Api-Key"] == KEY


@each(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_a_post_becomes_a_get_unless_the_status_keeps_it(status: int, method: str) -> None:
    """RFC 9110: 307 and 308 repeat the method and body, the others fetch."""
    asked = request(method="POST", body=(("a", "1"),))
    hop = next_hop(asked, first_hop(asked), status, "/next")

    assert hop.method == method
    assert (hop.data == b"a=1") is (method == "POST")
    assert ("Content-Type" in hop.headers) is (method == "POST")


def test_a_repeated_post_leaves_its_secrets_at_home() -> None:
    """A 307 to another origin carries the public form fields only."""
    asked = request(method="POST", body=(("a", "1"), ("key", Secret(KEY))))

    assert next_hop(asked, first_hop(asked), 307, "https://other.example/").data == b"a=1"


@each(
    "location",
    [
        "file:///etc/passwd",
        "ftp://x.example/",
        "javascript:x",
        "https://u@x.example/",
        "https://[::1/",
    ],
)
def test_redirects_to_odd_places_are_refused(location: str) -> None:
    """Redirects are held to the same rules as first URLs."""
    with pytest.raises(NotAllowed):
        next_hop(request(), first_hop(request()), 302, location)


@given(st.text(max_size=60))
def test_no_location_breaks_the_client(location: str) -> None:
    """Any text as a Location gives a URL that can be written on one line, or a refusal."""
    try:
        url = next_hop(request(), first_hop(request()), 302, location).url
    except NotAllowed:
        return

    assert url.scheme in ("http", "https")
    assert not set(str(url)) & set(" \r\n")
