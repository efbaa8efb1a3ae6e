"""The shape of a problem (RFC 9457): what `server.problem` writes."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.faces.openapi.schema import (
    Schema,
    by_name,
    listed,
    nullable,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.problem import KINDS

_PROBLEM = thing(
    {
        "type": one_of(
            ["about:blank", *(f"urn:metasearch:problem:{kind}" for kind in KINDS)],
            description="Which kind of error it is.",
        ),
        "title": text(description="The kind in words."),
        "status": whole(description="The HTTP status."),
        "detail": text(description="This case."),
        "instance": text(description="The path of the request."),
        "errors": listed(ref("ParameterError"), description="What is wrong with parameters."),
        "query": text(description="The query that cannot be read, or was asked."),
        "position": whole(description="Where in the query the error begins, in characters."),
        "length": whole(description="How many characters are wrong."),
        "suggestion": nullable(text(description="A query that was probably meant.")),
        "advice": nullable(text(description="What can be done.")),
        "syntax": nullable(text(description="The syntax in which the query was read.")),
        "near_misses": listed(text(), description="Names of sources that may have been meant."),
        "allowed": listed(ref("OfferedFormat"), description="The formats that there are."),
        "complete": yes_or_no(description="Always false."),
        "sources": listed(
            {"anyOf": [ref("SourceReport"), ref("SourceStanding")]},
            description="Each source with its reason; that of /readyz has two members only.",
        ),
        "yours": by_name({}, description="What was sent, where that is otherwise than `theirs`."),
        "theirs": nullable(
            by_name({}, description="What stands now, with its `version`; null where nothing does.")
        ),
        "search_id": text(description="Under this id the log of the server has the details."),
    },
    optional=(
        *("detail", "errors", "query", "position", "length", "suggestion", "advice", "syntax"),
        *("near_misses", "allowed", "complete", "sources", "yours", "theirs", "search_id"),
    ),
    description="An error, as RFC 9457 writes it.",
)
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "Problem": _PROBLEM,
    "ParameterError": thing({"parameter": text(), "reason": text()}),
    "OfferedFormat": thing({"format": text(), "media_type": text()}),
    "SourceStanding": thing({"source": text(), "status": text()}),
}
