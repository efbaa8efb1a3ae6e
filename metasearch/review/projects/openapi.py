"""What can be asked of the workspace, on a server that has one: projects, strategies and runs."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.review.openapi import (
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
from metasearch.review.projects import api
from metasearch.review.routes import PROJECTS
from metasearch.review.runs import api as known
from metasearch.review.runs import api as other_sources
from metasearch.review.runs import api as runs
from metasearch.review.strategies import api as strategies
from metasearch.review.strategies import api as strategy_texts
from metasearch.server.protocols.openapi.operation import JSON, Example, Operation, ref, whole
from metasearch.server.protocols.openapi.parameters import parameter

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
        body=body(api.NEW),
        status=201,
        examples=(
            Example(
                name="project-new",
                summary="A systematic review",
                address=PROJECTS,
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
        examples=(Example(name="projects", summary="One project", address=PROJECTS),),
    )
    yield operation(
        "/{project}",
        "project",
        "A project, and what it holds",
        "Project",
        examples=(
            Example(name="project", summary="By its name", address=f"{PROJECTS}/{PROJECT}"),
            Example(
                name="project-unknown",
                summary="There is none of this name",
                address=f"{PROJECTS}/gambing",
                status=404,
            ),
        ),
    )
    yield operation(
        "/{project}",
        "changeProject",
        "Change a project",
        "Project",
        body=body(api.CHANGES),
        further=(409,),
        examples=(
            Example(
                name="project-change",
                summary="A new title",
                address=f"{PROJECTS}/{PROJECT}",
                json={"title": "Harms of gambling"},
            ),
        ),
    )
    yield operation(
        "/{project}/delete",
        "deleteProject",
        "Delete a project with all that belongs to it",
        "DeletedProject",
        body=body(api.DELETE),
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
        body=body(api.ANSWERS),
        further=(409,),
        description="All answers are kept, or none where one cannot be kept.",
    )


def _strategies() -> Iterator[Operation]:
    place = "/{project}/strategies"
    one = f"{place}/{{strategy}}"
    in_example = f"{PROJECTS}/{PROJECT}/strategies"
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
        path=f"{PROJECTS}{one}/steps/{{step}}",
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
    in_example = f"{PROJECTS}/{PROJECT}/runs"
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
                address=f"{PROJECTS}/{PROJECT}/strategies/{STRATEGY}/counts",
            ),
        ),
    )


def _rest() -> Iterator[Operation]:
    yield operation(
        "/{project}/log",
        "log",
        "Who changed what, the newest first",
        "Changes",
        *query(api.LOG),
        further=(400,),
        examples=(
            Example(
                name="log", summary="The newest change", address=f"{PROJECTS}/{PROJECT}/log?count=1"
            ),
        ),
    )


# What can be asked of the workspace: known works, other sources, strategies as texts, archives.

_HERE = f"{PROJECTS}/{PROJECT}"
_STRATEGIES = "/{project}/strategies/{strategy}"
_COPY = "second"


def more_operations() -> Iterator[Operation]:
    """All of them. An example may need what those before it have made."""
    yield from _known()
    yield from _texts()
    yield from _other_sources()
    yield from _archives()


def _known() -> Iterator[Operation]:
    yield operation(
        "/{project}/known",
        "addKnownWorks",
        "Add works that the searches are expected to find",
        "AddedKnownWorks",
        body=body(known.ADD_KNOWN),
        description="As lines, or as a file of references. What is there already adds nothing.",
        examples=(
            Example(
                name="known-add",
                summary="By a DOI and by a title",
                address=f"{_HERE}/known",
                json={"lines": "10.1000/182\nBetting at night (2021)"},
            ),
            Example(
                name="known-wrong",
                summary="A line that is no DOI",
                address=f"{_HERE}/known",
                json={"lines": "doi:182"},
                status=400,
            ),
        ),
    )
    yield operation(
        "/{project}/known",
        "knownWorks",
        "The works that the searches are expected to find",
        "KnownWorks",
        examples=(Example(name="known", summary="Two works", address=f"{_HERE}/known"),),
    )
    yield operation(
        f"{_STRATEGIES}/validation",
        "validation",
        "Which step and source finds or misses each known work",
        "Validation",
        OF_STRATEGY,
        examples=(
            Example(
                name="validation",
                summary="One is found",
                address=f"{_HERE}/strategies/{STRATEGY}/validation",
            ),
        ),
    )
    yield operation(
        "/{project}/known/remove",
        "removeKnownWorks",
        "Remove known works",
        "RemovedKnownWorks",
        body=body(known.REMOVE_KNOWN),
        description="By their names; all that are named, or none where there is none of a name.",
        examples=(
            Example(
                name="known-remove",
                summary="One work",
                address=f"{_HERE}/known/remove",
                json={"names": ["Betting at night (2021)"]},
            ),
        ),
    )


def _texts() -> Iterator[Operation]:
    in_example = f"{_HERE}/strategies"
    yield operation(
        f"{_STRATEGIES}/copy",
        "copyStrategy",
        "Copy a strategy",
        "Strategy",
        OF_STRATEGY,
        body=body(strategies.COPY),
        status=201,
        description="With the same numbers, or with its steps in another order and new numbers, "
        "which are put into what names them. Imported files are not copied.",
        examples=(
            Example(
                name="strategy-copy",
                summary="With the same numbers",
                address=f"{in_example}/{STRATEGY}/copy",
                json={"name": _COPY},
                status=201,
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/paste",
        "pasteSteps",
        "Add a step for each line of a strategy of another database",
        "PastedSteps",
        OF_STRATEGY,
        body=body(strategy_texts.PASTE),
        status=201,
        description="All lines are added, or none where one cannot be read. They keep their "
        "numbers where these are free; the hits that they show are kept in `details`.",
        examples=(
            Example(
                name="steps-paste",
                summary="Lines of Ovid",
                address=f"{in_example}/{_COPY}/paste",
                json={"text": "1. gambling.ti,ab. 120\n2. debt*.ti,ab. 45\n3. 1 and 2 7"},
                status=201,
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/written",
        "writtenStrategy",
        "A strategy in the syntax of a database that is searched by hand",
        "WrittenStrategy",
        OF_STRATEGY,
        *query(strategy_texts.WRITE),
        further=(400,),
        description="`notes` say what that syntax cannot say.",
        examples=(
            Example(
                name="strategy-written",
                summary="Lines to be typed in Ovid",
                address=f"{in_example}/{STRATEGY}/written?syntax=ovid",
            ),
        ),
    )
    yield operation(
        f"{_STRATEGIES}/search-file",
        "searchFile",
        "A strategy as a JSON search file",
        "SearchFile",
        OF_STRATEGY,
        *query(strategy_texts.WRITE_FILE),
        headers=("Content-Disposition",),
        further=(400,),
        description="As search-query and searchRxiv have them: the search string of one step, and "
        "beside it all steps as they are.",
    )
    yield operation(
        "/{project}/search-files",
        "readSearchFile",
        "Make a strategy of each search of a JSON search file",
        "ReadSearchFile",
        body=body(strategy_texts.READ_FILE),
        status=201,
        description="All of them, or none where one cannot be read.",
        examples=(
            Example(
                name="search-file-read",
                summary="One search of PubMed",
                address=f"{_HERE}/search-files",
                json={
                    "name": "search.json",
                    "text": '{"platform": "pubmed", "database": ["MEDLINE"], '
                    '"search_string": "gambling[ti] AND debt[ti]"}',
                    "strategy": "of-others",
                },
                status=201,
            ),
        ),
    )


def _other_sources() -> Iterator[Operation]:
    place = "/{project}/other-sources"
    yield operation(
        place,
        "addOtherSource",
        "Add another way of searching",
        "OtherSource",
        body=body(other_sources.NEW_OTHER_SOURCE),
        status=201,
        description="Websites, organisations, citations, contacts: reports count them in a column "
        "of their own. The numbers are yours, and must not contradict one another.",
        examples=(
            Example(
                name="other-source-new",
                summary="A website",
                address=f"{_HERE}/other-sources",
                json={
                    "kind": "website",
                    "name": "Gambling commission",
                    "date": "2026-05-03",
                    "identified": 12,
                    "sought": 3,
                    "excluded": {"wrong population": 2},
                },
                status=201,
            ),
            Example(
                name="other-source-wrong",
                summary="More were sought than identified",
                address=f"{_HERE}/other-sources",
                json={"kind": "contact", "name": "Jane Doe", "identified": 1, "sought": 2},
                status=400,
            ),
        ),
    )
    yield operation(
        place,
        "otherSources",
        "Other ways of searching",
        "OtherSources",
        examples=(Example(name="other-sources", summary="One", address=f"{_HERE}/other-sources"),),
    )
    yield Operation(
        path=f"{PROJECTS}{place}/{{number}}",
        id="changeOtherSource",
        tag=TAG,
        summary="Change or remove another way of searching",
        parameters=(
            OF_PROJECT,
            parameter("number", whole(minimum=1), "Its `id` in the list.", place="path"),
        ),
        answer={JSON: {"anyOf": [ref("OtherSource"), ref("RemovedOtherSource")]}},
        method="post",
        body=body(other_sources.CHANGED_OTHER_SOURCE),
        errors=(*CHANGED, 409),
        examples=(
            Example(
                name="other-source-change",
                summary="One report could not be had",
                address=f"{_HERE}/other-sources/1",
                json={"not_retrieved": 1},
            ),
        ),
    )


def _archives() -> Iterator[Operation]:
    yield operation(
        "/{project}/archive",
        "exportProject",
        "Everything of a project as one archive",
        "",
        content={api.ZIP: {}},
        headers=("Content-Disposition", "Lacking-Runs"),
        description="Strategies, runs, records, works, decisions, reports, the log, and recorded "
        "pages. The same project gives the same bytes.",
    )
    yield operation(
        "/import",
        "importProject",
        "Make a project of an archive",
        "ImportedProject",
        *query(api.IMPORT),
        body={api.ZIP: {}},
        status=201,
        description="The whole of it is imported, or nothing. Uids of works stay unless another "
        "project of the workspace has them.",
    )
