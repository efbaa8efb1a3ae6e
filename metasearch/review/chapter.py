"""What the document says of a server with a workspace."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import orjson

from metasearch.server.faces.openapi import (
    saved,
    workspace,
    workspace_more,
    workspace_shapes,
    workspace_works,
)
from metasearch.server.faces.openapi.operation import Chapter
from metasearch.server.faces.openapi.workspace_operation import TAG

#: Where `tools/openapi_examples.py` writes them: package, file.
_EXAMPLES = "metasearch.workspace", "openapi_examples.json"
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
        *workspace.operations(),
        *workspace_works.operations(),
        *workspace_more.operations(),
    ]
    schemas = {**workspace_shapes.SCHEMAS, **saved.SCHEMAS}
    if users:
        from metasearch.server.faces.openapi import accounts, workspace_team

        for module in (workspace_team, accounts):
            operations.extend(module.operations())
            schemas |= module.SCHEMAS
    operations.extend(saved.operations())
    return Chapter(
        tags={**_TAGS, **(_TAGS_OF_USERS if users else {})},
        operations=operations,
        schemas=schemas,
        examples=orjson.loads((files(_EXAMPLES[0]) / _EXAMPLES[1]).read_bytes()),
    )
