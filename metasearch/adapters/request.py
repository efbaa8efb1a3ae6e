"""What is sent to a source, and what returns: `Request`, `Page`, and `Secret` for keys.

A `Secret` is never shown.
"""

from __future__ import annotations

import html
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import AnyStr, NamedTuple
from urllib.parse import quote, urlencode

from metasearch.errors import LONG_WAIT, moment_in
from metasearch.late_pattern import late_pattern
from metasearch.message import Message, message

#: What the URL of a source may begin with.
SCHEMES = ("https://", "http://", "z3950://")
#: The content type of JSON.
JSON = "application/json"
#: The step of a request that asks what a source knows about some works: a 404 says nothing, and no
#: page follows.
LOOKUP = "lookup"


class Secret:
    """A key or token, printed as `***`.

    Args:
        value: What is sent.
        made_of: Secrets that the value contains in another spelling; they are not shown either.
    """

    __slots__ = ("_made_of", "_value")

    def __init__(self, value: str, made_of: tuple[str, ...] = ()) -> None:
        self._value = value
        self._made_of = made_of

    def reveal(self) -> str:
        """The value itself, only to send it."""
        return self._value

    def texts(self) -> tuple[str, ...]:
        """All texts that must not be shown: of "Bearer abc" the whole value and "abc", which a
        server may repeat alone.
        """
        words = self._value.split()
        if not words:
            return self._made_of
        return tuple(dict.fromkeys((self._value, words[-1], *self._made_of)))

    def __repr__(self) -> str:
        return "***"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))


Pairs = tuple[tuple[str, "str | Secret"], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a source, not yet sent.

    Attributes:
        source: Name of the source.
        url: Absolute, without the query string of `params`; path parts are already percent-encoded.
        method: "GET" or "POST".
        params: Query parameters in order; a value may be a `Secret`.
        headers: Request headers; a value may be a `Secret`.
        body: Form fields of a POST, in order, or the members of one JSON object if `content_type`
            says so; else empty.
        content: The JSON or plain text that a POST sends instead of a form; "" for a form.
        content_type: The type of a POST's body; "" for a form.
        values: Placeholder of the spec's templates -> its value from the query; used again for the
            requests of later pages.
        step: How the response is parsed, if one search needs several requests ("esearch",
            "efetch"), or if it is `LOOKUP`; "" otherwise.
        start: Position of the first record of this page, from 0.
        size: How many records the page should have.
        cursor: The cursor or link of this page; None if there is none.
        wanted: The most records that the search may want from this source.
        after: If a page needs several requests: the request that is sent after this one and after
            those that follow from this one.
        total_header: The header of the response with the number of hits; "" if the body has the
            number.
        redirects: "host:port" of private servers to which this request may be redirected.
        private: Whether the response is a secret (a login), which is never kept.
    """

    source: str
    url: str
    method: str = "GET"
    params: Pairs = ()
    headers: Pairs = ()
    body: Pairs = ()
    content: str = field(default="", repr=False)
    content_type: str = ""
    values: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    step: str = ""
    start: int = 0
    size: int = 20
    cursor: str | None = None
    wanted: int = 20
    after: Request | None = None
    total_header: str = ""
    redirects: tuple[str, ...] = ()
    private: bool = False

    @property
    def log_url(self) -> str:
        """The URL with its parameters and without secrets, for reports and logs."""
        query = urlencode(list(public(self.params)), quote_via=quote, errors="replace")
        # urlsplit would raise for some URLs.
        base = re.sub(r"//[^/?#]*@", "//", self.url, count=1)
        return f"{base}{'&' if '?' in base else '?'}{query}" if query else base

    def with_params(self, **values: str) -> Request:
        """A copy with other values of the named parameters; new parameters are added at the end."""
        kept = tuple((n, values.pop(n, v)) for n, v in self.params)
        return replace(self, params=kept + tuple(values.items()))


class Grant(Secret):
    """A token that is fetched when a request needs one (fetch/exchange.py); until then it is "".

    Attributes:
        login: The request that fetches the token, with our credentials.
        prefix: What is sent before the token ("Bearer ").
    """

    __slots__ = ("login", "prefix")

    def __init__(self, login: Request, prefix: str) -> None:
        super().__init__("", secrets_of(login))
        self.login = login
        self.prefix = prefix

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grant) and (other.login, other.prefix) == (self.login, self.prefix)

    def __hash__(self) -> int:
        return hash((Grant, self.login, self.prefix))


def public(pairs: Pairs) -> Iterator[tuple[str, str]]:
    """The pairs whose values may be shown or stored."""
    return ((name, value) for name, value in pairs if isinstance(value, str))


def secrets_of(request: Request) -> tuple[str, ...]:
    """Every text of a request that must not be shown: see `Secret.texts`."""
    values = (value for _, value in request.params + request.headers + request.body)
    return tuple(text for value in values if isinstance(value, Secret) for text in value.texts())


#: The share of a budget below which a user is told.
LITTLE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What is left of what a source allows; see fetch/rate_limiter.py.

    Attributes:
        left: How much is left.
        of: How much there is in all; None where the source does not say.
        unit: What is counted: "requests", "credits", "USD", or a word of the source.
        cost: How much a request took; 0.0 where the source does not say.
        renewed: Seconds until there is as much as before; None where the source does not say.
    """

    left: float
    of: float | None = None
    unit: str = "requests"
    cost: float = 0.0
    renewed: float | None = None

    @property
    def is_spent(self) -> bool:
        """Whether too little is left for one more request."""
        return self.left <= 0 or self.left < self.cost

    @property
    def in_words(self) -> Message:
        """How much is left, and until when."""
        left = message("{left} {unit} are left", left=f"{self.left:,.10g}", unit=self.unit)
        if self.of is not None:
            left = message(
                "{left} of {all} {unit} are left",
                left=f"{self.left:,.10g}",
                all=f"{self.of:,.10g}",
                unit=self.unit,
            )
        if self.renewed is None:
            return left
        return message("{left} until {until}", left=left, until=moment_in(self.renewed))

    @property
    def warning(self) -> str:
        """That little is left, for the notes of an answer; "" where much is, or it is renewed soon.
        The words are the same for all pages of a search.
        """
        if self.of is None or (self.renewed or 0.0) < LONG_WAIT or self.left > LITTLE * self.of:
            return ""
        return message(
            "less than a tenth of its {all} {unit} is left until {until}",
            all=f"{self.of:,.10g}",
            unit=self.unit,
            until=moment_in(self.renewed or 0.0),
        )


class Rate(NamedTuple):
    """How many requests a source lets start in some seconds."""

    requests: float
    per: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One response of a source, as bytes.

    Attributes:
        request: The request that was sent.
        status: HTTP status.
        content_type: As the server sent it; may be empty or wrong.
        body: The body, decompressed.
        fetched_at: Unix time in seconds.
        cached: Whether the page is from the cache.
        note: For users: how old the page is and why it is used, if it is older than it should be;
            "" otherwise.
        spare: Whether this is an old page that is used because the source could not be asked.
        seconds: How long the exchange took; 0.0 for a cached page.
        retry_after: Seconds that the server asks to wait (`Retry-After` of an error); None if it
            does not.
        budget: What is left of what the source allows, where its headers say so.
        rate: How fast the source may be asked, where its headers say so.
        total: The number of hits from the request's `total_header`; None if there is none.
        most: How many of its records are read; None reads all.
        slim: Whether it is known that no record of the page takes long to read.
    """

    request: Request
    status: int = 200
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)
    fetched_at: float = 0.0
    cached: bool = False
    note: str = ""
    spare: bool = False
    seconds: float = 0.0
    retry_after: float | None = None
    budget: Budget | None = None
    rate: Rate | None = None
    total: int | None = None
    most: int | None = None
    slim: bool = False

    @property
    def pause(self) -> float | None:
        """Seconds for which the source asks not to be asked; None where it does not."""
        if self.retry_after is None and self.budget is not None and self.budget.is_spent:
            return self.budget.renewed
        return self.retry_after


# Takes a request's secrets out of texts and pages: a server may repeat the key it was sent.

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


def redact(page: Page) -> Page:
    """The page with `***` in the place of each secret of its request, so that none is cached,
    recorded, parsed or shown.
    """
    secrets = [secret for secret in secrets_of(page.request) if len(secret) >= SHORTEST_SECRET]
    if not secrets:
        return page
    body = page.body
    for secret in secrets:
        body = _redact_body(body, secret)
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


def _redact_body(body: bytes, secret: str) -> bytes:
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
        masked = "".join(_mask(text, re.compile(pattern), "***", reach))
        return body if masked == text else masked.encode(codec, "surrogatepass")
    # Every spelling contains these runs, and a search for them is fast.
    if not all(run.encode() in body for run in runs):
        return body
    return b"".join(_mask(body, re.compile(pattern.encode("utf-8", "replace")), b"***", reach))


def _mask(text: AnyStr, pattern: re.Pattern[AnyStr], mask: AnyStr, reach: int) -> Iterator[AnyStr]:
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
