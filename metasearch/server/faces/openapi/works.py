"""What can be asked about one work: its page, and its formats by unAPI."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.formats import WRITABLE, needed_extras
from metasearch.server.faces.openapi.operation import (
    BRIEF,
    JSON,
    SEARCHED,
    UNCHANGED,
    Operation,
)
from metasearch.server.faces.openapi.parameters import parameter
from metasearch.server.faces.openapi.schema import Schema, one_of, ref, text
from metasearch.server.faces.works import OFFERED

_BY_UNAPI = ("mods", "ris", "bibtex")


def operations() -> Iterator[Operation]:
    """Both of them."""
    content: dict[str, Schema] = {media_type: {} for media_type in OFFERED.values()}
    content[JSON] = ref("Hit")
    yield Operation(
        path="/work/{id}",
        id="work",
        tag="Works",
        summary="One work, as a page or in the format of an export",
        description="An id is known for a day after a list has shown it; later, `q` makes the "
        "search again. An identifier is searched for: `/work/doi:10.1000/abc`.",
        parameters=(
            parameter("id", text(), "The id of a hit, or an identifier.", place="path"),
            parameter(
                "format",
                one_of(OFFERED),
                f"How it is written; wins over `Accept`. {needed_extras(OFFERED)}",
            ),
            parameter("q", text(), "The search that finds it; its other parameters count, too."),
        ),
        answer=content,
        headers=("ETag", "Cache-Control", "Link", "Content-Disposition"),
        without_content=UNCHANGED,
        errors=(*SEARCHED, 404, 406),
    )
    yield Operation(
        path="/unapi",
        id="unapi",
        tag="Works",
        summary="The formats of a work, or the work in one of them (unAPI)",
        parameters=(
            parameter("id", text(), "The id of a work that a page has shown."),
            parameter("format", one_of(_BY_UNAPI), "Without it, the formats of the work."),
        ),
        answer={
            "application/xml": {},
            **{WRITABLE[name].media_type: {} for name in _BY_UNAPI},
        },
        without_content={300: "The formats of the work that `id` names."},
        errors=(*BRIEF, 400, 404, 406),
    )
