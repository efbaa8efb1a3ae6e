"""Takes a request's secrets out of texts and pages: a server may repeat the key it was sent."""

from __future__ import annotations

import html
import re
import string
from collections.abc import Iterator
from dataclasses import replace
from typing import AnyStr

from metasearch.adapters.request import Page, Request, secrets_of
from metasearch.late_pattern import late_pattern

#: Bodies are not searched for shorter secrets, which would match other text by accident.
SHORTEST_SECRET = 6
#: Characters that are spelled in one way everywhere.
_UNRESERVED = frozenset(string.ascii_letters + string.digits + "-._~")
_UNRESERVED_RUN = late_pattern(r"[A-Za-z0-9._~-]+")
#: The most characters with which one character of a secret is spelled.
_LONGEST_SPELLING = 24
#: Characters of a body that are searched in one step; between two steps another thread can run.
_STRETCH = 65_536


def without_secrets(text: str, request: Request) -> str:
    """Returns a text of a server with `***` in the place of each secret of the request."""
    for secret in secrets_of(request):
        # Servers write the names of hosts in lower case.
        text = re.sub(_spellings(secret), "***", text, flags=re.IGNORECASE)
    return text


def redacted(page: Page) -> Page:
    """Returns the page with `***` in the place of each secret of its request.

    So no secret is kept in a cache or cassette, parsed, or shown.
    """
    secrets = [secret for secret in secrets_of(page.request) if len(secret) >= SHORTEST_SECRET]
    if not secrets:
        return page
    body = page.body
    for secret in secrets:
        body = _redacted_body(body, secret)
    kind = without_secrets(page.content_type, page.request) if page.content_type else ""
    if body == page.body and kind == page.content_type:
        return page
    return replace(page, body=body, content_type=kind)


def _spellings(secret: str) -> str:
    """A pattern for a secret as URLs, JSON and markup write it, also one within another."""
    plain = re.escape(secret)
    if _UNRESERVED.issuperset(secret):
        return plain
    characters = (
        re.escape(char) if char in _UNRESERVED else _spellings_of_a_char(char) for char in secret
    )
    return f"{plain}|{''.join(characters)}"


def _spellings_of_a_char(char: str) -> str:
    """A pattern for one character.

    The pattern is atomic and takes at most three backslashes (JSON within JSON), so that no body
    makes the search slow.
    """
    number, named = ord(char), html.escape(char)
    forms = [
        "".join(f"%(?:25)?(?i:{byte:02x})" for byte in char.encode("utf-8", "replace")),
        rf"\\{{1,2}}u(?i:{number:04x})",
        rf"&(?:amp;)?#(?:0{{0,4}}{number}|(?i:x0{{0,4}}{number:x}));",
        re.escape(html.escape(named)),
        re.escape(named),
        rf"\\{{0,3}}{re.escape(char)}",
    ]
    return f"(?>{'|'.join(forms)}{'|[+]' if char == ' ' else ''})"


def _redacted_body(body: bytes, secret: str) -> bytes:
    """The body with `***` for each spelling of the secret, in UTF-16 or in an encoding that writes
    ASCII as UTF-8 does.
    """
    pattern, runs = _spellings(secret), _UNRESERVED_RUN.findall(secret)
    reach = _LONGEST_SPELLING * len(secret)
    if b"\0" in body[:64]:
        codec = "utf-16-be" if body[:1] in (b"\0", b"\xfe") else "utf-16-le"
        text = body.decode(codec, "surrogatepass") if len(body) % 2 == 0 else ""
        if not all(run in text for run in runs):
            return body
        masked = "".join(_masked(text, re.compile(pattern), "***", reach))
        return body if masked == text else masked.encode(codec, "surrogatepass")
    # Every spelling contains these runs, and a search for them is fast.
    if not all(run.encode() in body for run in runs):
        return body
    return b"".join(_masked(body, re.compile(pattern.encode("utf-8", "replace")), b"***", reach))


def _masked(
    text: AnyStr, pattern: re.Pattern[AnyStr], mask: AnyStr, reach: int
) -> Iterator[AnyStr]:
    """Yields the parts of a text, with the mask for each match; no match is longer than `reach`."""
    kept = 0
    for start in range(0, len(text), _STRETCH):
        end = start + _STRETCH
        for match in pattern.finditer(text, max(start, kept), end + reach):
            if match.start() >= end:
                break
            yield text[kept : match.start()]
            yield mask
            kept = match.end()
    yield text[kept:]
