"""What can be asked about the server itself: its descriptions and its health."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.server.faces.openapi.operation import (
    GUARDED,
    HTML,
    JSON,
    UNCHANGED,
    Example,
    Operation,
)
from metasearch.server.faces.openapi.schema import ref
from metasearch.server.metrics import MEDIA_TYPE as METRICS
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH

PLAIN = "text/plain"
#: A set of links in JSON (RFC 9264).
LINKSET = "application/linkset+json"


def operations() -> Iterator[Operation]:
    """All of them."""
    yield from _descriptions()
    yield from _health()


def _descriptions() -> Iterator[Operation]:
    yield Operation(
        path="/openapi.json",
        id="openapi",
        tag="Descriptions",
        summary="This document",
        answer={JSON: {"type": "object"}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
    )
    yield Operation(
        path="/docs",
        id="docs",
        tag="Descriptions",
        summary="This document as a page",
        answer={HTML: {}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
    )
    yield Operation(
        path="/.well-known/api-catalog",
        id="apiCatalog",
        tag="Descriptions",
        summary="All interfaces of this server",
        description="As RFC 9727 has it: a set of links to interfaces and their descriptions.",
        answer={LINKSET: ref("Linkset")},
        headers=("ETag", "Cache-Control", "Link"),
        without_content=UNCHANGED,
        errors=(429, 414, 500, 503),
        open=True,
        examples=(
            Example(
                name="api-catalog",
                summary="The interfaces of the demo",
                address="/.well-known/api-catalog",
            ),
        ),
    )
    yield Operation(
        path="/opensearch.xml",
        id="opensearch",
        tag="Descriptions",
        summary="The OpenSearch description document, for browsers and feed readers",
        answer={OPENSEARCH: {}},
        headers=("ETag", "Cache-Control"),
        without_content=UNCHANGED,
    )


def _health() -> Iterator[Operation]:
    yield Operation(
        path="/healthz",
        id="health",
        tag="Monitoring",
        summary="Whether the process runs",
        answer={PLAIN: {}},
        errors=(414, 500),
        open=True,
        examples=(Example(name="health", summary="It runs", address="/healthz"),),
    )
    yield Operation(
        path="/readyz",
        id="ready",
        tag="Monitoring",
        summary="Whether a search would find a usable source",
        answer={JSON: ref("Ready")},
        errors=(414, 500, 503),
        open=True,
        examples=(Example(name="ready", summary="The sources of the demo", address="/readyz"),),
    )
    yield Operation(
        path="/metrics",
        id="metrics",
        tag="Monitoring",
        summary="Counts for Prometheus",
        answer={METRICS.partition(";")[0]: {}},
        errors=(*(status for status in GUARDED if status != 429), 414, 500),
    )
