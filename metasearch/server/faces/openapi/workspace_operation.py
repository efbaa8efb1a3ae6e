"""What the operations of the workspace have in common, and how members are described."""

from __future__ import annotations

from typing import Any

from metasearch.server.faces.openapi.operation import BRIEF, JSON, Operation
from metasearch.server.faces.openapi.parameters import parameter
from metasearch.server.faces.openapi.schema import (
    Schema,
    by_name,
    listed,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.faces.workspace.members import Member, Members
from metasearch.server.workspace_routes import BASE

TAG = "Workspace"
#: What stands in the examples; made by the first of them.
PROJECT, STRATEGY = "gambling", "main"
#: Errors of what reads, and of what changes.
READ = (*BRIEF, 403, 404, 421, 507)
CHANGED = (*READ, 400, 408, 413, 415)
OF_PROJECT = parameter("project", text(), "Its uid or its name.", place="path")
OF_STRATEGY = parameter("strategy", text(), "Its name.", place="path")


def schema_of(member: Member) -> Schema:
    """The schema of a member or a parameter."""
    said: dict[str, Any] = {"description": member.help}
    match member.kind:
        case "whole":
            return whole(minimum=member.least, maximum=member.most, **said)
        case "flag":
            return yes_or_no(**said)
        case "texts":
            item = one_of(member.choices) if member.choices else text(maxLength=member.longest)
            return listed(item, maxItems=member.most, **said)
        case "wholes":
            return listed(whole(minimum=member.least), maxItems=member.most, **said)
        case "object":
            return by_name({}, **said)
    return one_of(member.choices, **said) if member.choices else text(maxLength=member.most, **said)


def body(members: Members) -> dict[str, Schema]:
    """The body of a POST of these members."""
    schema = thing(
        {name: schema_of(member) for name, member in members.items()},
        optional=[name for name, member in members.items() if not member.required],
        additionalProperties=False,
    )
    examples = {
        name: member.example for name, member in members.items() if member.example is not None
    }
    return {JSON: {**schema, "example": examples} if examples else schema}


def query(members: Members) -> tuple[Schema, ...]:
    """The parameters of a GET; lists have commas."""
    made = []
    for name, member in members.items():
        schema = schema_of(member)
        del schema["description"]
        one = parameter(name, schema, member.help, required=member.required)
        if member.kind in ("texts", "wholes"):
            one |= {"style": "form", "explode": False}
        made.append(one)
    return tuple(made)


def operation(
    path: str, name: str, summary: str, answer: str, *more: Schema, **kwargs: Any
) -> Operation:
    """An operation of the workspace; those with a body change something. `path`: behind `BASE`.
    `kwargs`: as of `Operation`; `further` are further statuses of errors.
    """
    changes = kwargs.get("body") is not None
    errors = (*(CHANGED if changes else READ), *kwargs.pop("further", ()))
    return Operation(
        path=f"{BASE}{path}",
        id=name,
        tag=TAG,
        summary=summary,
        parameters=(*((OF_PROJECT,) if "{project}" in path else ()), *more),
        answer=kwargs.pop("content", None) or {JSON: ref(answer)},
        method="post" if changes else "get",
        errors=errors,
        **kwargs,
    )
