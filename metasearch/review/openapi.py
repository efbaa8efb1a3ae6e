"""What the OpenAPI document says of this wing in all its parts: how operations are declared, and
the shapes of what they answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from metasearch.events import Status
from metasearch.query.writer import TARGETS
from metasearch.review.api import Member, Members
from metasearch.review.projects.archive_reader import ImportedProject
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import KINDS, Overview, Project
from metasearch.review.reports.questions import KINDS as QUESTION_KINDS
from metasearch.review.reports.questions import Question
from metasearch.review.reports.reports import Report
from metasearch.review.routes import PROJECTS as BASE
from metasearch.review.runs.known_works import Finder, StepVerdict, Validated
from metasearch.review.runs.other_sources import KINDS as OTHER_KINDS
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.runs.runs import PLACES, Mode, Run, RunStatus, SourceAnswer
from metasearch.review.strategies.paste import CopiedIn, WrittenLine
from metasearch.review.strategies.paste import Written as WrittenText
from metasearch.review.strategies.strategies import STEP_KINDS, Step, Strategy
from metasearch.review.works.decisions import Changed
from metasearch.review.works.decisions_file import ImportedDecisions, NotImported
from metasearch.review.works.pins import ProjectPin
from metasearch.review.works.works import VERDICTS, Decision, Work
from metasearch.server.protocols.openapi.operation import (
    BRIEF,
    JSON,
    Operation,
    Schema,
    by_name,
    explained,
    listed,
    nullable,
    number,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.openapi.parameters import parameter

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


_MOMENT = text(description="UTC: `2026-11-23T05:40:00Z`.")
_ANYTHING: Schema = {}
_PROJECT: Mapping[str, Schema] = explained(
    {
        "uid": text(),
        "name": text(),
        "kind": one_of(KINDS),
        "title": text(),
        "created": text(),
        "archived": yes_or_no(),
        "version": whole(),
        "holds": ref("Holds"),
        "details": by_name(_ANYTHING, description="The answers to the questions of its reports."),
    },
    Project,
)
_STRATEGY = explained(
    {
        "name": text(),
        "note": text(),
        "sources": listed(text()),
        "years": text(),
        "details": by_name(_ANYTHING),
        "created": text(),
        "version": whole(),
    },
    Strategy,
)
_STEP = explained(
    {
        "number": whole(),
        "kind": one_of(STEP_KINDS),
        "text": text(),
        "syntax": text(),
        "note": text(),
        "parents": listed(whole()),
        "details": by_name(_ANYTHING),
        "edited": text(),
        "version": whole(),
    },
    Step,
)
_RUN = explained(
    {
        "number": whole(),
        "strategy": text(description="Its name."),
        "mode": one_of(get_args(Mode)),
        "status": one_of(get_args(RunStatus)),
        "by": text(),
        "started": text(),
        "ended": nullable(text()),
        "tool": text(),
        "options": by_name(_ANYTHING),
        "recorded": yes_or_no(description="Whether the pages of its sources are kept."),
    },
    Run,
)
_ANSWER = explained(
    {
        "run": whole(),
        "step": whole(),
        "source": text(),
        "label": text(),
        "place": one_of(PLACES),
        "status": one_of(get_args(Status)),
        "error": text(),
        "advice": text(),
        "claimed": nullable(whole()),
        "exact": yes_or_no(),
        "fetched": nullable(whole()),
        "filtered": nullable(whole()),
        "unread": nullable(whole()),
        "asked_at": nullable(text()),
        "cached": yes_or_no(),
        "seconds": nullable(number()),
        "query": text(),
        "sent": text(),
        "requests": listed(by_name(_ANYTHING)),
        "notes": listed(text()),
    },
    SourceAnswer,
)
_WORK = explained(
    {
        "uid": text(),
        **dict.fromkeys(("title", "author"), text()),
        "year": nullable(whole()),
        **dict.fromkeys(("type", "venue", "language", "doi"), text()),
        "citations": nullable(whole()),
        "open_access": text(),
        "retracted": yes_or_no(),
        "sources": listed(text()),
        "decisions": by_name(ref("Decision"), description="By the stage."),
        "votes": by_name(
            ref("Decision"), description="By the stage: your votes, where a team screens it."
        ),
        "tags": listed(text()),
        "note": text(),
        "note_version": whole(),
        "first_run": whole(),
        "added": text(),
    },
    Work,
)
_FINDER = explained(
    {
        "run": whole(),
        "step": whole(),
        "source": text(),
        "position": whole(description="In the answer, from 1; 0 is unknown."),
        "asked_at": nullable(text()),
    },
    Finder,
)
_VERDICT = explained(
    {
        "step": whole(),
        "sources": listed(text()),
        "fits": nullable(yes_or_no()),
        "lacks": listed(text()),
    },
    StepVerdict,
)
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "Projects": thing({"projects": listed(ref("Project"))}),
    "Project": thing(
        _PROJECT, optional=("holds", "details"), description="A project of the workspace."
    ),
    "Holds": thing(
        explained(
            {
                **dict.fromkeys(("strategies", "steps", "runs", "records"), whole()),
                **dict.fromkeys(("works", "undecided", "reports"), whole()),
                "last_run": nullable(text()),
            },
            Overview,
        ),
        description="The numbers of a project.",
    ),
    "DeletedProject": thing({"deleted": text(description="The uid that it had.")}),
    "Changes": thing({"changes": listed(ref("Change"))}),
    "Change": thing(
        explained(
            {
                "id": whole(),
                "at": _MOMENT,
                "by": text(description="Who; empty where there are no users."),
                "action": text(),
                "object": text(),
                "before": _ANYTHING,
                "after": _ANYTHING,
                "undoes": nullable(whole()),
            },
            Change,
        ),
        description="One line of the log.",
    ),
    "Questions": thing(
        {
            "questions": listed(ref("Question")),
            "version": whole(description="Of the project, larger after each change of answers."),
        }
    ),
    "Question": thing(
        explained(
            {
                "key": text(),
                "label": text(),
                "help": text(),
                "kind": one_of(QUESTION_KINDS),
                "group": text(),
                "reports": listed(text()),
                "required": listed(text()),
                "choices": listed(text()),
                "several": yes_or_no(),
                "answer": _ANYTHING,
            },
            Question,
        ),
        description="What a report needs and only a person knows, with the answer.",
    ),
    "Strategies": thing({"strategies": listed(ref("StrategyLine"))}),
    "StrategyLine": thing({**_STRATEGY, "steps": whole(description="How many it has.")}),
    "Strategy": thing(
        {**_STRATEGY, "steps": listed(ref("ResolvedStep"))},
        optional=("steps",),
        description="A search strategy.",
    ),
    "Step": thing(_STEP, description="A step as typed."),
    "ResolvedStep": thing(
        {
            **_STEP,
            "query": nullable(text(description="The one query that sources see.")),
            "problem": nullable(text(description="Why it cannot be searched for.")),
        },
        description="A step, and what is searched for with the steps that it names.",
    ),
    "RemovedStep": thing({"removed": whole(description="The number that it had.")}),
    "Figures": thing(
        {
            "sources": listed(thing({"source": text(), "label": text()})),
            "steps": listed(ref("StepFigures")),
        },
        description="What is known of each step at each source.",
    ),
    "StepFigures": thing(
        {
            "number": whole(),
            "kind": one_of(STEP_KINDS),
            "text": text(),
            "query": nullable(text()),
            "problem": nullable(text()),
            "stale": yes_or_no(description="Whether a number is of another query."),
            "claimed": nullable(whole(description="Hits of all sources that answered.")),
            "fetched": nullable(whole(description="Records that are kept.")),
            "missing": listed(text(), description="Sources that the sum of the hits lacks."),
            "notes": listed(text(), description="What cannot be right of the numbers."),
            "first": nullable(text(description="When the oldest of the numbers was asked for.")),
            "last": nullable(text(description="The newest.")),
            "counts": listed(ref("Count")),
        }
    ),
    "Count": thing(
        {
            "source": text(),
            "run": whole(),
            "status": one_of(get_args(Status)),
            "error": text(),
            "claimed": nullable(whole(description="Null where it is not known; never 0 then.")),
            "exact": yes_or_no(),
            "fetched": nullable(whole()),
            "asked_at": nullable(text()),
            "cached": yes_or_no(),
            "stale": yes_or_no(),
        },
        description="What is known of one step at one source.",
    ),
    "Runs": thing({"runs": listed(ref("Run"))}),
    "Run": thing(_RUN, description="A run of a strategy."),
    "RunWithAnswers": thing(
        {
            **_RUN,
            "answers": listed(ref("RunAnswer"), description="Those that have come."),
            "error": nullable(text(description="Why the run was broken off.")),
        },
    ),
    "RunAnswer": thing(_ANSWER, description="What one source said to one step."),
    "Imported": thing(
        {
            "step": ref("Step"),
            "run": ref("Run"),
            "answer": ref("RunAnswer"),
            "format": text(description="That the file was read as."),
            "encoding": text(),
            "again": yes_or_no(description="Whether the same file was imported before."),
            "problems": listed(
                thing({"line": nullable(whole()), "reason": text(), "lost": yes_or_no()}),
                description="What of the file could not be read.",
            ),
        }
    ),
    "WorksPage": thing(
        {
            "total": whole(description="Works of the whole list."),
            "start": whole(),
            "works": listed(ref("WorkLine")),
            "facets": listed(
                thing(
                    {
                        "name": text(description="The parameter that narrows by it."),
                        "values": listed(thing({"value": text(), "count": whole()})),
                        "more": whole(description="Values that are not among them."),
                    }
                )
            ),
        }
    ),
    "WorkLine": thing(_WORK, optional=("votes",), description="A work as a list shows it."),
    "ProjectWork": thing(
        {
            **_WORK,
            "hit": ref("Hit"),
            "found_by": listed(
                thing(
                    {
                        "run": whole(),
                        "step": whole(),
                        "source": text(),
                        "position": whole(description="In the answer, from 1; 0 is unknown."),
                        "asked_at": nullable(text()),
                    }
                )
            ),
        },
        optional=("votes",),
        description="A work of a project.",
    ),
    "Decision": thing(
        explained(
            {"verdict": one_of(VERDICTS), "reason": text(), "by": text(), "at": text()}, Decision
        )
        | {"version": whole(description="Names just this decision; 0 stands for none.")}
    ),
    "ChangedWorks": thing(
        explained({"works": whole(), "unchanged": whole(), "change": nullable(whole())}, Changed),
        description="What a decision has changed.",
    ),
    "ImportedDecisions": thing(
        explained(
            {
                **dict.fromkeys(("lines", "matched", "undecided", "changed", "unchanged"), whole()),
                "not_imported": listed(ref("NotImported")),
                "change": nullable(whole()),
            },
            ImportedDecisions,
        ),
        description="What came of a file of decisions.",
    ),
    "NotImported": thing(
        explained({"line": whole(), "name": text(), "reason": text()}, NotImported)
    ),
    "Pins": thing({"pins": listed(ref("ProjectPin"))}),
    "ProjectPin": thing(
        explained(
            {
                "id": whole(),
                "verdict": one_of(("same", "different")),
                **dict.fromkeys(("a", "b", "note", "by", "at"), text()),
            },
            ProjectPin,
        )
    ),
    "Reassigned": thing(
        {
            "joined": listed(thing({"kept": text(), "was": text()})),
            "divided": listed(thing({"work": text(), "part": text()})),
            "new": whole(),
            "conflicts": listed(
                text(), description="Works with decisions that contradict one another."
            ),
        },
        description="What became of the works.",
    ),
    "Undone": thing({"undone": whole(), "change": whole(description="The line that says so.")}),
    "KnownWorks": thing({"known": listed(ref("KnownWork"))}),
    "AddedKnownWorks": thing(
        {"new": listed(ref("KnownWork"), description="Those that were not there.")}
    ),
    "RemovedKnownWorks": thing({"removed": listed(text(description="The name that it had."))}),
    "KnownWork": thing(
        {
            "name": text(description="`doi:10.1000/182`, `pmid:1`, or its title."),
            "title": text(description="Empty where only an identifier is known."),
            "year": nullable(whole()),
        },
        description="A work that the searches are expected to find.",
    ),
    "Validation": thing(
        {
            "strategy": text(description="Its name."),
            "found": whole(description="How many of them it has found."),
            "known": whole(description="How many there are."),
            "works": listed(ref("ValidatedWork")),
        }
    ),
    "ValidatedWork": thing(
        {
            "name": text(),
            "title": text(),
            "found": yes_or_no(description="Whether this strategy has found it."),
            **explained(
                {
                    "works": listed(text()),
                    "finders": listed(thing(_FINDER)),
                    "steps": listed(thing(_VERDICT)),
                },
                Validated,
            ),
        },
        description="A known work, and what became of it.",
    ),
    "PastedSteps": thing(
        {
            "strategy": text(description="Its name."),
            **explained(
                {"syntax": text(), "steps": listed(ref("Step")), "notes": listed(text())}, CopiedIn
            ),
        }
    ),
    "WrittenStrategy": thing(
        {
            "strategy": text(description="Its name."),
            **explained(
                {
                    "syntax": one_of(tuple(TARGETS)),
                    "lines": listed(
                        thing(
                            explained(
                                {"label": text(), "step": whole(), "text": text()}, WrittenLine
                            )
                        )
                    ),
                    "notes": listed(text()),
                },
                WrittenText,
            ),
        }
    ),
    "SearchFile": by_name(_ANYTHING, description="A search after Haddaway et al. 2022."),
    "ReadSearchFile": thing(
        {
            "strategies": listed(ref("Strategy")),
            "notes": listed(text(), description="What of the file does not hold for them."),
        }
    ),
    "OtherSources": thing({"other_sources": listed(ref("OtherSource"))}),
    "OtherSource": thing(
        explained(
            {
                "id": whole(),
                "kind": one_of(OTHER_KINDS),
                **dict.fromkeys(("name", "how", "date"), text()),
                **dict.fromkeys(("identified", "sought", "not_retrieved"), nullable(whole())),
                "excluded": by_name(whole()),
                "version": whole(),
            },
            OtherSource,
        ),
        description="Another way of searching. A number that is not known is null, never 0.",
    ),
    "RemovedOtherSource": thing({"removed": whole(description="The id that it had.")}),
    "ImportedProject": thing(
        {
            **{name: _PROJECT[name] for name in _PROJECT if name not in ("holds", "details")},
            **explained({"rows": by_name(whole()), "pages": whole()}, ImportedProject),
            "new_uids": whole(description="Works that got another uid."),
        },
        description="A project that came of an archive.",
    ),
    "Reports": thing(
        {
            "kinds": listed(thing({"kind": text(), "label": text(), "languages": listed(text())})),
            "finished": listed(ref("Report")),
        }
    ),
    "Report": thing(
        explained(
            {
                "kind": text(),
                "number": text(),
                "title": text(),
                "language": nullable(text()),
                "draft": yes_or_no(description="Whether something was missing in it."),
                "digest": text(),
                "frozen": text(),
                "numbers": by_name(_ANYTHING, description="What it was made of."),
            },
            Report,
        ),
        description="A finished report.",
    ),
    "ReportDocument": by_name(_ANYTHING, description="A report as data: blocks of text."),
}
