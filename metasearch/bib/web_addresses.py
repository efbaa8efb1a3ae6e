"""Web addresses: one that may become a link, and the key by which two are compared.

Every function is pure and never raises on odd input: what cannot be normalised is None or "".
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from metasearch.late_pattern import late_pattern

_NOT_IN_URL = late_pattern(r'[\x00-\x20<>"`{}|\\^\x7f-\x9f]')
_CONTROLS = late_pattern(r"[\x00-\x1f\x7f-\x9f]")
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?#][!#-;=?-Z\[\]_a-z~%]*)?")


def web_url(value: str | None) -> str | None:
    """An absolute http(s) URL without user info, else None: nothing else may become a link."""
    if not value:
        return None
    value = value.strip()
    if len(value) > 4000:
        return None
    if _PLAIN_URL.fullmatch(value) and "@" not in value:
        return value
    if not value.lower().startswith(("http://", "https://")):
        return None
    if _NOT_IN_URL.search(value):
        value = _CONTROLS.sub("", value)
        value = _NOT_IN_URL.sub(lambda m: f"%{ord(m.group()):02X}", value)
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not host:
        return None
    return (
        parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        if "@" in parts.netloc
        else value
    )


_TRACKING = late_pattern(
    r"^(?:utm_\w+|fbclid|gclid|ref|source|via|casa_token|jsessionid)$", re.IGNORECASE
)
# The usual landing page, for which taking the URL apart and putting it together again changes
# nothing.
_PLAIN_LANDING = re.compile(
    r"https?://(?:www\.)?((?!www\.)[a-z0-9.-]+)((?:/[\w.~-]+)+)/?", re.ASCII
)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def url_key(value: str | None) -> str | None:
    """The same for every spelling of one address: no scheme, www, default port, fragment, tracking
    or final slash.

    A DOI resolver's URL gives None, because it is a DOI and compared as one; a bare host gives
    None, because it is the landing page of no work.
    """
    if not value:
        return None
    if value.startswith(
        ("https://doi.org/", "http://dx.doi.org/", "https://dx.doi.org/", "http://doi.org/")
    ):
        return None
    plain_one = _PLAIN_LANDING.fullmatch(value)
    if plain_one:
        return plain_one.group(1) + plain_one.group(2)
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        return None
    if parts.scheme.lower() not in ("http", "https") or not parts.netloc:
        return None
    host = (
        parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS[parts.scheme.lower()])
    )
    host = host.removeprefix("www.")
    if host in ("doi.org", "dx.doi.org"):
        return None
    path = unquote(parts.path).rstrip("/")
    query = (
        urlencode(sorted((k, v) for k, v in parse_qsl(parts.query) if not _TRACKING.match(k)))
        if parts.query
        else ""
    )
    if not path and not query:
        return None
    return f"{host}{path}?{query}" if query else f"{host}{path}"
