"""A database that is always overloaded, in Semantic Scholar's shape: 503 with Retry-After."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.demo.catalogue import Work
from metasearch.demo.databases.reply import Database, Reply, json_reply
from metasearch.demo.shelf import Shelf


def answer(path: str, params: Mapping[str, str], shelf: Shelf) -> Reply:
    return json_reply({"message": "Service Unavailable"}, 503, {"Retry-After": "30"})


def fits(work: Work) -> bool:
    return False


def tell(work: Work) -> Work:
    return work


DATABASE = Database(
    name="demo-failing",
    label="Semantic Scholar (simulated, failing)",
    extends="semanticscholar",
    path="/graph/v1/paper/search",
    latency=0.03,
    share=0.0,
    fits=fits,
    tell=tell,
    answer=answer,
)
