"""What must be told of a database with a fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchmarks import upstreams


class Told(NamedTuple):
    """What a report must say: status, and words of its reason and its advice."""

    status: str
    reason: str = ""
    advice: str = ""


WAIT = Told("timeout", "no whole answer", "limits.timeout")
LATER = "ry again later"
FINE = Told("ok")
EXPECTED: Mapping[str, Told] = {
    "hang": WAIT,
    "hang_body": WAIT,
    "trickle:64,100": WAIT,
    "slow_headers:10": FINE,
    "500": Told("error", "answered 500", LATER),
    "502": Told("error", "answered 502", LATER),
    "503": Told("error", "answered 503", LATER),
    "404": Told("error", "404", "Check the source's `url`"),
    "403": Told("error", "access denied (403)", "does not let this address in"),
    "429:30": Told("limited", "too many requests: asked to wait for 30 s", "left alone for 30 s"),
    "429date:30": Told("limited", "too many requests: asked to wait for", "left alone for"),
    "malformed": Told("error", "breaks off before its end", LATER),
    "short": Told("error", "broke off", LATER),
    "empty": Told("error", "body is empty", LATER),
    "html": Told("blocked", "captcha", "human check"),
    "drift": FINE,
    "huge:16": Told("error", "larger than", "limits.max_bytes"),
    "endless": Told("error", "larger than", "limits.max_bytes"),
    "gzipbomb:16": Told("error", "larger than", "limits.max_bytes"),
    "deep:100000": Told("error", "nested too deeply", "changed its interface"),
    "reset": Told("error", "connection broke", LATER),
    "reset_mid": Told("error", "broke off", LATER),
    "close": Told("error", "closed the connection without an answer", LATER),
    "redirect": Told("error", "redirects to 127.0.0.1:", "Nothing was sent there"),
    "redirect_loop": Told("error", "redirects more than 5 times", "changed its interface"),
    "gbk": FINE,
    "gbk_declared": FINE,
    "latin1": FINE,
    "bom": FINE,
    "xxe": FINE,
    "xmlbomb": Told("error", "entities expand to too much text", "changed its interface"),
}
#: Faults of XML; a database that speaks JSON is well with them.
_OF_XML = frozenset(("xxe", "xmlbomb"))


def shape_of(number: int) -> str:
    """The shape of a database: by turns, so that ten hold each at least three times."""
    return upstreams.SHAPES[number % len(upstreams.SHAPES)]


def told(fault: str, shape: str) -> Told:
    """What must be said of a database of this shape with this fault."""
    return FINE if fault in _OF_XML and shape == "crossref" else EXPECTED[fault]
