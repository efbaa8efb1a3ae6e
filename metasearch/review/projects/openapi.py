"""What can be asked of the workspace, on a server that has one: projects, strategies and runs."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.server.faces.openapi.operation import JSON, Example, Operation
from metasearch.server.faces.openapi.parameters import parameter
from metasearch.server.faces.openapi.schema import ref, whole
from metasearch.server.faces.openapi.workspace_operation import (
    CHANGED,
    OF_PROJECT,
    OF_STRATEGY,
    PROJECT,
    STRATEGY,
    TAG,
    body,
    operation,
    query,
)
from metasearch.server.faces.workspace import projects, runs, strategies
from metasearch.server.workspace_routes import BASE

_OF_STEP = parameter("step", whole(minimum=1), "Its number.", place="path")
_OF_RUN = parameter("run", whole(minimum=1), "Its number.", place="path")


def operations() -> Iterator[Operation]:
    """All of them. An example may need what those before it have made."""
    yield from _projects()
    yield from _strategies()
    yield from _runs()
    yield from _rest()


def _projects() -> Iterator[Operation]:
    yield operation(
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
                json={"name": PROJECT, "kind": "review", "title": "Gambling harms"},
                status=201,
            ),
        ),
    )
    yield operation(
        "",
        "projects",
        "All projects",
        "Projects",
        description="The newest first; those that are put away last.",
        examples=(Example(name="projects", summary="One project", address=BASE),),
    )
    yield operation(
        "/{project}",
        "project",
        "A project, and what it holds",
        "Project",
        examples=(
            Example(name="project", summary="By its name", address=f"{BASE}/{PROJECT}"),
            Example(
                name="project-unknown",
                summary="There is none of this name",
                address=f"{BASE}/gambing",
                status=404,
            ),
        ),
    )
    yield operation(
        "/{project}",
        "changeProject",
        "Change a project",
        "Project",
        body=body(projects.CHANGES),
        further=(409,),
        examples=(
            Example(
                name="project-change",
                summary="A new title",
                address=f"{BASE}/{PROJECT}",
                json={"title": "Harms of gambling"},
            ),
        ),
    )
    yield operation(
        "/{project}/delete",
        "deleteProject",
        "Delete a project with all that belongs to it",
        "DeletedProject",
        body=body(projects.DELETE),
    )
    yield operation(
        "/{project}/questions",
        "questions",
        "What reports ask and only a person knows, with the answers",
        "Questions",
    )
    yield operation(
        "/{project}/questions",
        "answerQuestions",
        "Answer questions of reports",
        "Questions",
        body=body(projects.ANSWERS),
        further=(409,),
        description="All answers are kept, or none where one cannot be kept.",
    )


def _strategies() -> Iterator[Operation]:
    place = "/{project}/strategies"
    one = f"{place}/{{strategy}}"
    in_example = f"{BASE}/{PROJECT}/strategies"
    yield operation(
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
                json={"name": STRATEGY, "sources": ["demo-pubmed"]},
                status=201,
            ),
        ),
    )
    yield operation(
        place,
        "strategies",
        "The search strategies of a project",
        "Strategies",
        examples=(Example(name="strategies", summary="One strategy", address=in_example),),
    )
    yield operation(
        f"{one}/steps",
        "newStep",
        "Add a step",
        "Step",
        OF_STRATEGY,
        body=body(strategies.NEW_STEP),
        status=201,
        description="A query in any syntax, or a combination of other steps. Its number never "
        "changes and is never used again.",
        examples=(
            Example(
                name="step-new",
                summary="A query",
                address=f"{in_example}/{STRATEGY}/steps",
                json={"text": "gambling OR betting"},
                status=201,
            ),
            Example(
                name="step-combination",
                summary="Another one, which narrows it",
                address=f"{in_example}/{STRATEGY}/steps",
                json={"text": "#1 AND harm*"},
                status=201,
            ),
            Example(
                name="step-unknown",
                summary="There is no step 7",
                address=f"{in_example}/{STRATEGY}/steps",
                json={"text": "#7 AND harm*"},
                status=400,
            ),
        ),
    )
    yield operation(
        one,
        "strategy",
        "A search strategy with its steps",
        "Strategy",
        OF_STRATEGY,
        examples=(
            Example(
                name="strategy",
                summary="Its steps, and what sources are asked",
                address=f"{in_example}/{STRATEGY}",
            ),
        ),
    )
    yield operation(
        one,
        "changeStrategy",
        "Change the name, sources, years or note of a strategy",
        "Strategy",
        OF_STRATEGY,
        body=body(strategies.CHANGES),
        further=(409,),
        examples=(
            Example(
                name="strategy-change",
                summary="Only works since 2000",
                address=f"{in_example}/{STRATEGY}",
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
        parameters=(OF_PROJECT, OF_STRATEGY, _OF_STEP),
        answer={JSON: {"anyOf": [ref("Step"), ref("RemovedStep")]}},
        method="post",
        body=body(strategies.CHANGED_STEP),
        errors=(*CHANGED, 409),
        examples=(
            Example(
                name="step-change",
                summary="Another text",
                address=f"{in_example}/{STRATEGY}/steps/2",
                json={"text": "#1 AND (harm* OR debt)", "version": 1},
            ),
            Example(
                name="step-conflict",
                summary="It was changed since",
                address=f"{in_example}/{STRATEGY}/steps/2",
                json={"text": "#1 AND loss*", "version": 1},
                status=409,
            ),
        ),
    )


def _runs() -> Iterator[Operation]:
    place = "/{project}/runs"
    in_example = f"{BASE}/{PROJECT}/runs"
    yield operation(
        place,
        "beginRun",
        "Begin a run",
        "Run",
        body=body(runs.BEGIN),
        status=202,
        further=(409, 422),
        description="It goes on in the background. `Location` is its address; a GET of it has the "
        "answers that have come, until its `status` is no longer `running`. `interrupted`: "
        "its process ended; it can be resumed or stopped.",
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
    yield operation(
        place,
        "runs",
        "The runs of a project, the newest first",
        "Runs",
        examples=(Example(name="runs", summary="One run", address=in_example),),
    )
    yield operation(
        f"{place}/{{run}}",
        "run",
        "A run with its answers",
        "RunWithAnswers",
        _OF_RUN,
        examples=(Example(name="run", summary="Its counts", address=f"{in_example}/1"),),
    )
    yield operation(
        f"{place}/{{run}}/stop",
        "stopRun",
        "Stop a run",
        "RunWithAnswers",
        _OF_RUN,
        body=body({}),
        further=(409,),
        description="One that is under way, in whichever process, or was interrupted. What its "
        "sources have answered is kept. A run of another process may be running in the answer: "
        "it ends within seconds.",
    )
    yield operation(
        f"{place}/{{run}}/resume",
        "resumeRun",
        "Resume a run that was interrupted",
        "RunWithAnswers",
        _OF_RUN,
        body=body({}),
        status=202,
        further=(409, 422),
        description="Each source is asked, with the options of the run, about each step of which "
        "the run has no answer, or only a part of one.",
    )
    yield operation(
        "/{project}/strategies/{strategy}/counts",
        "counts",
        "What is known of each step at each source",
        "Figures",
        OF_STRATEGY,
        examples=(
            Example(
                name="counts",
                summary="After a run of counts",
                address=f"{BASE}/{PROJECT}/strategies/{STRATEGY}/counts",
            ),
        ),
    )


def _rest() -> Iterator[Operation]:
    yield operation(
        "/{project}/log",
        "log",
        "Who changed what, the newest first",
        "Changes",
        *query(projects.LOG),
        further=(400,),
        examples=(
            Example(
                name="log", summary="The newest change", address=f"{BASE}/{PROJECT}/log?count=1"
            ),
        ),
    )
