"""What can be asked of the workspace, on a server that has one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metasearch.server.faces.openapi.operation import BRIEF, JSON, Example, Operation
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
from metasearch.server.faces.workspace import projects, runs, strategies
from metasearch.server.faces.workspace.members import Member, Members
from metasearch.server.workspace_routes import BASE

TAG = "Workspace"
#: What stands in the examples; made by the first of them.
_PROJECT, _STRATEGY = "gambling", "main"
#: Errors of what reads, and of what changes.
_READ = (*BRIEF, 403, 404, 421)
_CHANGED = (*_READ, 400, 408, 413, 415)
_OF_PROJECT = parameter("project", text(), "Its uid or its name.", place="path")
_OF_STRATEGY = parameter("strategy", text(), "Its name.", place="path")
_OF_STEP = parameter("step", whole(minimum=1), "Its number.", place="path")
_OF_RUN = parameter("run", whole(minimum=1), "Its number.", place="path")


def operations() -> Iterator[Operation]:
    """All of them. An example may need what those before it have made."""
    yield from _projects()
    yield from _strategies()
    yield from _runs()
    yield from _rest()


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
        case _:
            bound = {} if member.choices else {"maxLength": member.most}
            return one_of(member.choices, **said) if member.choices else text(**bound, **said)


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
    """The parameters of a GET."""
    return tuple(
        parameter(
            name,
            {k: v for k, v in schema_of(member).items() if k != "description"},
            member.help,
            required=member.required,
        )
        for name, member in members.items()
    )


def _operation(
    path: str, id_: str, summary: str, answer: str, *more: Schema, **kwargs: Any
) -> Operation:
    """An operation of the workspace; those with a body change something."""
    changes = kwargs.get("body") is not None
    return Operation(
        path=f"{BASE}{path}",
        id=id_,
        tag=TAG,
        summary=summary,
        parameters=(*((_OF_PROJECT,) if path else ()), *more),
        answer={JSON: ref(answer)},
        method="post" if changes else "get",
        errors=(*(_CHANGED if changes else _READ), *kwargs.pop("further", ())),
        **kwargs,
    )


def _projects() -> Iterator[Operation]:
    yield _operation(
        "",
        "newProject",
        "Make a project",
        "Project",
        body=body(projects.NEW),
        status=201,
        examples=(
            Example(
                name="project-new",
                summary="A systematic review",
                address=BASE,
                json={"name": _PROJECT, "kind": "review", "title": "Gambling harms"},
                status=201,
            ),
        ),
    )
    yield _operation(
        "",
        "projects",
        "All projects",
        "Projects",
        description="The newest first; those that are put away last.",
        examples=(Example(name="projects", summary="One project", address=BASE),),
    )
    yield _operation(
        "/{project}",
        "project",
        "A project, and what it holds",
        "Project",
        examples=(
            Example(name="project", summary="By its name", address=f"{BASE}/{_PROJECT}"),
            Example(
                name="project-unknown",
                summary="There is none of this name",
                address=f"{BASE}/gambing",
                status=404,
            ),
        ),
    )
    yield _operation(
        "/{project}",
        "changeProject",
        "Change a project",
        "Project",
        body=body(projects.CHANGES),
        examples=(
            Example(
                name="project-change",
                summary="A new title",
                address=f"{BASE}/{_PROJECT}",
                json={"title": "Harms of gambling"},
            ),
        ),
    )
    yield _operation(
        "/{project}/delete",
        "deleteProject",
        "Delete a project with all that belongs to it",
        "DeletedProject",
        body=body(projects.DELETE),
    )
    yield _operation(
        "/{project}/questions",
        "questions",
        "What reports ask and only a person knows, with the answers",
        "Questions",
    )
    yield _operation(
        "/{project}/questions",
        "answerQuestions",
        "Answer questions of reports",
        "Questions",
        body=body(projects.ANSWERS),
        description="All answers are kept, or none where one cannot be kept.",
    )


def _strategies() -> Iterator[Operation]:
    place = "/{project}/strategies"
    one = f"{place}/{{strategy}}"
    in_example = f"{BASE}/{_PROJECT}/strategies"
    yield _operation(
        place,
        "newStrategy",
        "Make a search strategy",
        "Strategy",
        body=body(strategies.NEW),
        status=201,
        examples=(
            Example(
                name="strategy-new",
                summary="Two databases of the demo",
                address=in_example,
                json={"name": _STRATEGY, "sources": ["demo-pubmed"]},
                status=201,
            ),
        ),
    )
    yield _operation(
        place,
        "strategies",
        "The search strategies of a project",
        "Strategies",
        examples=(Example(name="strategies", summary="One strategy", address=in_example),),
    )
    yield _operation(
        f"{one}/steps",
        "newStep",
        "Add a step",
        "Step",
        _OF_STRATEGY,
        body=body(strategies.NEW_STEP),
        status=201,
        description="A query in any syntax, or a combination of other steps. Its number never "
        "changes and is never used again.",
        examples=(
            Example(
                name="step-new",
                summary="A query",
                address=f"{in_example}/{_STRATEGY}/steps",
                json={"text": "gambling OR betting"},
                status=201,
            ),
            Example(
                name="step-combination",
                summary="Another one, which narrows it",
                address=f"{in_example}/{_STRATEGY}/steps",
                json={"text": "#1 AND harm*"},
                status=201,
            ),
            Example(
                name="step-unknown",
                summary="There is no step 7",
                address=f"{in_example}/{_STRATEGY}/steps",
                json={"text": "#7 AND harm*"},
                status=400,
            ),
        ),
    )
    yield _operation(
        one,
        "strategy",
        "A search strategy with its steps",
        "Strategy",
        _OF_STRATEGY,
        examples=(
            Example(
                name="strategy",
                summary="Its steps, and what sources are asked",
                address=f"{in_example}/{_STRATEGY}",
            ),
        ),
    )
    yield _operation(
        one,
        "changeStrategy",
        "Change the name, sources, years or note of a strategy",
        "Strategy",
        _OF_STRATEGY,
        body=body(strategies.CHANGES),
        examples=(
            Example(
                name="strategy-change",
                summary="Only works since 2000",
                address=f"{in_example}/{_STRATEGY}",
                json={"years": "2000-"},
            ),
        ),
    )
    yield Operation(
        path=f"{BASE}{one}/steps/{{step}}",
        id="changeStep",
        tag=TAG,
        summary="Change or remove a step",
        description="Steps that name it change with it, and their numbers are stale then.",
        parameters=(_OF_PROJECT, _OF_STRATEGY, _OF_STEP),
        answer={JSON: {"anyOf": [ref("Step"), ref("RemovedStep")]}},
        method="post",
        body=body(strategies.CHANGED_STEP),
        errors=_CHANGED,
        examples=(
            Example(
                name="step-change",
                summary="Another text",
                address=f"{in_example}/{_STRATEGY}/steps/2",
                json={"text": "#1 AND (harm* OR debt)"},
            ),
        ),
    )


def _runs() -> Iterator[Operation]:
    place = "/{project}/runs"
    in_example = f"{BASE}/{_PROJECT}/runs"
    yield _operation(
        place,
        "beginRun",
        "Begin a run",
        "Run",
        body=body(runs.BEGIN),
        status=202,
        further=(409, 422),
        description="It goes on in the background. `Location` is its address; a GET of it has the "
        "answers that have come, until its `status` is no longer `running`.",
        examples=(
            Example(
                name="run-begin",
                summary="How many hits a database has for each step",
                address=in_example,
                json={"mode": "counts"},
                status=202,
            ),
        ),
    )
    yield _operation(
        place,
        "runs",
        "The runs of a project, the newest first",
        "Runs",
        examples=(Example(name="runs", summary="One run", address=in_example),),
    )
    yield _operation(
        f"{place}/{{run}}",
        "run",
        "A run with its answers",
        "RunWithAnswers",
        _OF_RUN,
        examples=(Example(name="run", summary="Its counts", address=f"{in_example}/1"),),
    )
    yield _operation(
        f"{place}/{{run}}/stop",
        "stopRun",
        "Stop a run",
        "RunWithAnswers",
        _OF_RUN,
        body=body({}),
        further=(409,),
        description="What its sources have answered is kept.",
    )
    yield _operation(
        "/{project}/strategies/{strategy}/counts",
        "counts",
        "What is known of each step at each source",
        "Figures",
        _OF_STRATEGY,
        examples=(
            Example(
                name="counts",
                summary="After a run of counts",
                address=f"{BASE}/{_PROJECT}/strategies/{_STRATEGY}/counts",
            ),
        ),
    )


def _rest() -> Iterator[Operation]:
    yield _operation(
        "/{project}/log",
        "log",
        "Who changed what, the newest first",
        "Changes",
        *query(projects.LOG),
        further=(400,),
        examples=(
            Example(
                name="log", summary="The newest change", address=f"{BASE}/{_PROJECT}/log?count=1"
            ),
        ),
    )
