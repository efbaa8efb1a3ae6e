"""What can be asked of the workspace, on a server that has one: projects, strategies and runs."""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.review.openapi import body, operation, query
from metasearch.review.press import api as press
from metasearch.review.projects import api
from metasearch.review.reports import api as reports
from metasearch.review.runs import api as runs
from metasearch.review.strategies import api as strategies
from metasearch.server.protocols.openapi.operation import JSON, Operation, ref, whole
from metasearch.server.protocols.openapi.parameters import parameter


def operations() -> Iterator[Operation]:
    yield from _projects()
    yield from _strategies()
    yield from _runs()
    yield from _rest()


def _projects() -> Iterator[Operation]:
    yield operation("", "newProject", "Make a project", "Project", body=body(api.NEW), status=201)
    yield operation(
        "",
        "projects",
        "All projects",
        "Projects",
        description="The newest first; those that are archived last.",
    )
    yield operation("/{project}", "project", "A project, and what it holds", "Project")
    yield operation(
        "/{project}",
        "changeProject",
        "Change a project",
        "Project",
        body=body(api.CHANGES),
        further=(409,),
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
    yield operation(
        place,
        "newStrategy",
        "Make a search strategy",
        "Strategy",
        body=body(strategies.NEW),
        status=201,
    )
    yield operation(place, "strategies", "The search strategies of a project", "Strategies")
    yield operation(
        f"{one}/steps",
        "newStep",
        "Add a step",
        "Step",
        body=body(strategies.NEW_STEP),
        status=201,
        description="A query in any syntax, or a combination of other steps. Its number never "
        "changes and is never used again.",
    )
    yield operation(
        f"{one}/citations",
        "newCitationSearch",
        "Add a step that follows citations",
        "Step",
        body=body(runs.CITATIONS),
        status=201,
        description="A run of it brings the works that its seeds cite, and those that cite them. "
        "The step that is there is the answer where it asks for the same.",
    )
    yield operation(one, "strategy", "A search strategy with its steps", "Strategy")
    yield operation(
        one,
        "changeStrategy",
        "Change the name, sources, years or note of a strategy",
        "Strategy",
        body=body(strategies.CHANGES),
        further=(409,),
    )
    yield operation(
        f"{one}/steps/{{step}}",
        "changeStep",
        "Change or remove a step",
        "",
        content={JSON: {"anyOf": [ref("Step"), ref("RemovedStep")]}},
        body=body(strategies.CHANGED_STEP),
        further=(409,),
        description="Steps that name it change with it, and their numbers are stale then.",
    )


def _runs() -> Iterator[Operation]:
    place = "/{project}/runs"
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
    )
    yield operation(place, "runs", "The runs of a project, the newest first", "Runs")
    yield operation(f"{place}/{{run}}", "run", "A run with its answers", "RunWithAnswers")
    yield operation(
        f"{place}/{{run}}/stop",
        "stopRun",
        "Stop a run",
        "RunWithAnswers",
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
    )


def _rest() -> Iterator[Operation]:
    yield operation(
        "/{project}/log",
        "log",
        "Who changed what, the newest first",
        "Changes",
        *query(api.LOG),
        further=(400,),
    )


# What can be asked of the workspace: known works, other sources, strategies as texts, archives.

_STRATEGIES = "/{project}/strategies/{strategy}"


def more_operations() -> Iterator[Operation]:
    yield from _known_works()
    yield from _texts()
    yield from _other_sources()
    yield from _archives()


def _known_works() -> Iterator[Operation]:
    yield operation(
        "/{project}/known",
        "addKnownWorks",
        "Add works that the searches are expected to find",
        "AddedKnownWorks",
        body=body(runs.ADD_KNOWN),
        description="As lines, or as a file of references. What is there already adds nothing.",
    )
    yield operation(
        "/{project}/known",
        "knownWorks",
        "The works that the searches are expected to find",
        "KnownWorks",
    )
    yield operation(
        f"{_STRATEGIES}/validation",
        "validation",
        "Which step and source finds or misses each known work",
        "Validation",
    )
    yield operation(
        f"{_STRATEGIES}/evidence",
        "evidence",
        "What each line, each alternative and each database has brought",
        "Evidence",
        description="Computed from the records that the runs have kept, and what would be lost "
        "without it; no database is asked.",
    )
    yield operation(
        f"{_STRATEGIES}/words",
        "suggestedWords",
        "Words that relevant works have and the strategy does not look for",
        "SuggestedWords",
        *query(reports.WORDS),
        further=(400,),
        description="By the log-likelihood ratio; with what each would bring and cost. Nothing is "
        "added.",
    )
    yield operation(
        "/{project}/known/remove",
        "removeKnownWorks",
        "Remove known works",
        "RemovedKnownWorks",
        body=body(runs.REMOVE_KNOWN),
        description="By their names; all that are named, or none where there is none of a name.",
    )


def _texts() -> Iterator[Operation]:
    yield operation(
        f"{_STRATEGIES}/copy",
        "copyStrategy",
        "Copy a strategy",
        "Strategy",
        body=body(strategies.COPY),
        status=201,
        description="With the same numbers, or with its steps in another order and new numbers, "
        "which are put into what names them. Imported files are not copied.",
    )
    yield operation(
        f"{_STRATEGIES}/paste",
        "pasteSteps",
        "Add a step for each line of a strategy of another database",
        "PastedSteps",
        body=body(strategies.PASTE),
        status=201,
        description="All lines are added, or none where one cannot be read. They keep their "
        "numbers where these are free; the hits that they show are kept in `details`.",
    )
    yield operation(
        f"{_STRATEGIES}/written",
        "writtenStrategy",
        "A strategy in the syntax of a database that is searched by hand",
        "WrittenStrategy",
        *query(strategies.WRITE),
        further=(400,),
        description="`notes` say what that syntax cannot say.",
    )
    yield operation(
        f"{_STRATEGIES}/search-file",
        "searchFile",
        "A strategy as a JSON search file",
        "SearchFile",
        *query(strategies.WRITE_FILE),
        headers=("Content-Disposition",),
        further=(400,),
        description="As search-query and searchRxiv have them: the search string of one step, and "
        "beside it all steps as they are.",
    )
    yield operation(
        f"{_STRATEGIES}/review",
        "reviewStrategy",
        "What is wrong with a strategy, by the rules of PRESS",
        "StrategyReview",
        *query(press.REVIEW),
        further=(400,),
        description="Findings in the order of the text, each with its place in `text` and, where "
        "there is one, a mend.",
    )
    yield operation(
        "/{project}/review",
        "reviewText",
        "What is wrong with a text that is a strategy",
        "StrategyReview",
        body=body(press.TEXT),
        description="Nothing of the text is kept. What cannot be read is a finding.",
    )
    yield operation(
        "/{project}/search-files",
        "readSearchFile",
        "Make a strategy of each search of a JSON search file",
        "ReadSearchFile",
        body=body(strategies.READ_FILE),
        status=201,
        description="All of them, or none where one cannot be read.",
    )


def _other_sources() -> Iterator[Operation]:
    place = "/{project}/other-sources"
    yield operation(
        place,
        "addOtherSource",
        "Add another way of searching",
        "OtherSource",
        body=body(runs.NEW_OTHER_SOURCE),
        status=201,
        description="Websites, organisations, citations, contacts: reports count them in a column "
        "of their own. The numbers are yours, and must not contradict one another.",
    )
    yield operation(place, "otherSources", "Other ways of searching", "OtherSources")
    yield operation(
        f"{place}/{{number}}",
        "changeOtherSource",
        "Change or remove another way of searching",
        "",
        parameter("number", whole(minimum=1), "Its `id` in the list.", place="path"),
        content={JSON: {"anyOf": [ref("OtherSource"), ref("RemovedOtherSource")]}},
        body=body(runs.CHANGED_OTHER_SOURCE),
        further=(409,),
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
