"""What is sent to a database and what comes back: `Request`, `Page`, and `Secret` values that never
show.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

#: What a source's URL may begin with.
SCHEMES = ("https://", "http://", "z3950://")
#: The content type of JSON.
JSON = "application/json"


class Secret:
    """A key or token. Prints as `***`; only `reveal()` returns the value, for the wire and to find
    it in texts.

    Args:
        value: What is sent.
        made_of: Secrets that the value holds in another spelling, which must not show either.
    """

    __slots__ = ("_made_of", "_value")

    def __init__(self, value: str, made_of: tuple[str, ...] = ()) -> None:
        self._value = value
        self._made_of = made_of

    def reveal(self) -> str:
        """The value itself, for the wire only."""
        return self._value

    def texts(self) -> tuple[str, ...]:
        """All that must not show; of "Bearer abc" also the bare "abc", the form in which a server
        repeats it.
        """
        words = self._value.split()
        return (
            tuple(dict.fromkeys((self._value, words[-1], *self._made_of)))
            if words
            else self._made_of
        )

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
    """One HTTP request, planned but not sent.

    Attributes:
        source: Name of the source.
        url: Absolute, without the query string of `params`; path parts are already percent-encoded.
        method: "GET" or "POST".
        params: Query parameters in order; a value may be a `Secret`.
        headers: Request headers; a value may be a `Secret`.
        body: Form fields of a POST, in order, or the members of one JSON object if `content_type`
            says so; else empty.
        content: What a POST sends in place of a form: JSON or plain text; "" for a form.
        content_type: Of the body of a POST; "" for a form.
        values: What the query gave for the placeholders of the spec's templates, for the pages that
            follow.
        step: What the answer is parsed as, where one search takes several requests ("esearch",
            "efetch"); "" else.
        start: Position of the first record of this page, from 0.
        size: How many records the page is asked for.
        cursor: Cursor or link that the page was asked with, or None.
        wanted: How many records the search may want from this source in the end.
        after: What is asked when this and all that follows from it is done, where a page takes
            several requests.
        total_header: The header of the answer that holds the number of hits; "" where the body
            does.
        redirects: "host:port" of allowed private servers, beside its own, to which it may be
            redirected.
        private: Whether the answer is a secret, which is never kept: a login.
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
    def key(self) -> str:
        """Names the request in cache and cassettes: a hash over everything but secrets and
        bookkeeping.

        Each part stands behind its length, and each list behind its number of members, so that no
        two requests that differ are written in one way.
        """
        parts = [self.source, self.method, self.url, self.content_type, self.content]
        for pairs in (self.params, self.headers, self.body):
            shown = list(public(pairs))
            parts.append(str(len(shown)))
            for pair in shown:
                parts += pair
        written = hashlib.sha256()
        for part in parts:
            data = part.encode(errors="surrogatepass")
            written.update(b"%d:" % len(data))
            written.update(data)
        return written.hexdigest()

    @property
    def shown(self) -> str:
        """The URL with its parameters and without secrets, for reports and logs."""
        query = urlencode(list(public(self.params)), quote_via=quote, errors="replace")
        base = re.sub(
            r"//[^/?#]*@", "//", self.url, count=1
        )  # not urlsplit, which fails on odd URLs
        return f"{base}{'&' if '?' in base else '?'}{query}" if query else base

    def with_params(self, **values: str) -> Request:
        """A copy in which the named parameters have other values, added at the end where absent."""
        kept = tuple((n, values.pop(n, v)) for n, v in self.params)
        return replace(self, params=kept + tuple(values.items()))


class Grant(Secret):
    """A token that is fetched when it is needed (tokens.py): until then it reveals nothing.

    Attributes:
        login: The request that fetches it, with our credentials.
        prefix: What stands before the token where it is sent ("Bearer ").
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
    """Every secret text of a request, see `Secret.texts`."""
    values = (value for _, value in request.params + request.headers + request.body)
    return tuple(text for value in values if isinstance(value, Secret) for text in value.texts())


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One answer, bytes only.

    Attributes:
        request: What was asked.
        status: HTTP status.
        content_type: As the server sent it; may be empty or wrong.
        body: Decompressed.
        fetched_at: Unix time in seconds.
        cached: Whether it came from the cache.
        note: For people: how old it is and why it is the answer, where it is older than it should
            be; "" else.
        spare: Whether it is an old one that stands in, because the source could not be asked.
        seconds: How long the exchange took; 0.0 for a cached page.
        retry_after: Seconds that the server asks to wait (`Retry-After` on an error); None where it
            does not.
        total: The number of hits, where the request's `total_header` holds it; None else.
        most: How many of its records are read; None reads all.
        slim: Whether it is known to hold no record that takes long to read.
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
    total: int | None = None
    most: int | None = None
    slim: bool = False
