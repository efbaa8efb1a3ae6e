"""What the document says of a server with a workspace."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import orjson

from metasearch.review import openapi as workspace_shapes
from metasearch.review.alerts import api
from metasearch.review.openapi import TAG
from metasearch.review.projects import openapi
from metasearch.review.works import openapi as workspace_works
from metasearch.server.protocols.openapi.operation import Chapter

#: Where `tools/openapi_examples.py` writes them: package, file.
_EXAMPLES = "metasearch.review", "openapi_examples.json"
_TAGS = {TAG: "Projects with their strategies, runs, works and reports; saved searches."}
_TAGS_OF_USERS = {
    "Users": "Who works on a project, on a server with users.",
    "Account": "Of the user who asks, on a server with users.",
    "Administration": "Users, sources and the audit log, for administrators.",
}


@cache
def chapter(*, users: bool) -> Chapter:
    """The chapter.

    Args:
        users: Whether the server has users; the modules about them are not loaded otherwise.
    """
    operations = [
        *openapi.operations(),
        *workspace_works.operations(),
        *openapi.more_operations(),
    ]
    schemas = {**workspace_shapes.SCHEMAS, **api.SCHEMAS}
    if users:
        from metasearch.review.screening import openapi as workspace_team
        from metasearch.review.users import openapi as accounts

        for module in (workspace_team, accounts):
            operations.extend(module.operations())
            schemas |= module.SCHEMAS
    operations.extend(api.operations())
    return Chapter(
        tags={**_TAGS, **(_TAGS_OF_USERS if users else {})},
        operations=operations,
        schemas=schemas,
        examples=orjson.loads((files(_EXAMPLES[0]) / _EXAMPLES[1]).read_bytes()),
    )
