"""What the OpenAPI document says of this wing in all its parts: how operations are declared, and
the shapes of what they answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, get_args

from metasearch.events import Status
from metasearch.query.syntaxes import TARGETS
from metasearch.review import objects
from metasearch.review.api import Member, Members
from metasearch.review.objects import Excerpt
from metasearch.review.paths import PROJECTS
from metasearch.review.press.findings import CODES, Severity
from metasearch.review.projects.archive_reader import ProjectImport
from metasearch.review.projects.projects import Overview
from metasearch.review.reports.overlap import DatabaseShare
from metasearch.review.reports.reports import KINDS as REPORTS
from metasearch.review.runs.contradictions import Contradiction
from metasearch.review.runs.known_works import Finder, StepVerdict
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.strategies.paste import PasteResult
from metasearch.review.strategies.strategies import STEP_KINDS
from metasearch.review.strategies.writer import StrategyInSyntax, WrittenLine
from metasearch.review.works.decisions import ChangeResult
from metasearch.review.works.decisions_file import DecisionsImport, NotImported
from metasearch.review.works.pins import ProjectPin
from metasearch.review.works.works import CitationLink, Finding
from metasearch.server.protocols.openapi.operation import (
    BRIEF,
    JSON,
    Operation,
    Schema,
    by_name,
    list_of,
    members,
    nullable,
    one_of,
    ref,
    text,
    thing,
    whole,
    yes_or_no,
)
from metasearch.server.protocols.openapi.parameters import parameter

TAG = "Workspace"
#: Errors of what reads, and of what changes.
READ = (*BRIEF, 403, 404, 421, 507)
CHANGED = (*READ, 400, 408, 413, 415)
#: Variable part of an address -> its schema, and what it is.
IN_PATH: Mapping[str, tuple[Schema, str]] = {
    "project": (text(), "Its uid or its name."),
    "strategy": (text(), "Its name."),
    **dict.fromkeys(("step", "run", "number"), (whole(minimum=1), "Its number.")),
    "kind": (one_of(REPORTS), "Which report."),
    "saved": (text(), "Its uid."),
    "user": (text(), "The uid."),
}


def schema_of_member(member: Member) -> Schema:
    said: dict[str, Any] = {"description": member.help}
    match member.kind:
        case "whole":
            return whole(minimum=member.least, maximum=member.most, **said)
        case "flag":
            return yes_or_no(**said)
        case "texts":
            item = one_of(member.choices) if member.choices else text(maxLength=member.longest)
            return list_of(item, maxItems=member.most, **said)
        case "wholes":
            return list_of(whole(minimum=member.least), maxItems=member.most, **said)
        case "object":
            return by_name({}, **said)
    return one_of(member.choices, **said) if member.choices else text(maxLength=member.most, **said)


def body(members: Members) -> dict[str, Schema]:
    schema = thing(
        {name: schema_of_member(member) for name, member in members.items()},
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
        schema = schema_of_member(member)
        del schema["description"]
        one = parameter(name, schema, member.help, required=member.required)
        if member.kind in ("texts", "wholes"):
            one |= {"style": "form", "explode": False}
        made.append(one)
    return tuple(made)


def operation(
    path: str,
    name: str,
    summary: str,
    answer: str,
    *more: Schema,
    base: str = PROJECTS,
    tag: str = TAG,
    **kwargs: Any,
) -> Operation:
    """An operation of this wing; those with a body change something.

    Args:
        path: Behind `base`. Its variable parts are parameters, by `IN_PATH` where `more` has none.
        answer: Name of the schema; `content` in `kwargs` stands for it.
        kwargs: As of `Operation`; `further` are further statuses of errors.
    """
    changes = kwargs.get("body") is not None
    errors = (*(CHANGED if changes else READ), *kwargs.pop("further", ()))
    given = {each["name"] for each in more}
    parts = [part for part in re.findall(r"{(\w+)}", path) if part not in given]
    return Operation(
        path=f"{base}{path}",
        id=name,
        tag=tag,
        summary=summary,
        parameters=(*(parameter(part, *IN_PATH[part], place="path") for part in parts), *more),
        answer=kwargs.pop("content", None) or {JSON: ref(answer)},
        method="post" if changes else "get",
        errors=errors,
        **kwargs,
    )


_ANYTHING: Schema = {}


def of(excerpt: Excerpt[Any], **others: Any) -> dict[str, Schema]:
    """The properties of an excerpt; `others` as of `members`."""
    return members(excerpt.kind, excerpt.names, **excerpt.types, **others)


_PROJECT = of(objects.PROJECT)
_STRATEGY = of(objects.strategy)
_STEP = of(objects.step)
_RUN = of(objects.RUN)
_WORK = of(objects.WORK)
_VOTES = {
    "votes": by_name(
        ref("Decision"), description="By the stage: your votes, where a team screens it."
    )
}
_POSITION = "In the answer, from 1; 0 is unknown."
#: Name in the document -> schema.
SCHEMAS: Mapping[str, Schema] = {
    "Projects": thing({"projects": list_of(ref("Project"))}),
    "Project": thing(
        _PROJECT
        | {
            "holds": ref("Holds"),
            "details": by_name(
                _ANYTHING, description="The answers to the questions of its reports."
            ),
        },
        optional=("holds", "details"),
        description="A project of the workspace.",
    ),
    "Holds": thing(members(Overview), description="The numbers of a project."),
    "DeletedProject": thing({"deleted": text(description="The uid that it had.")}),
    "Changes": thing({"changes": list_of(ref("Change"))}),
    "Change": thing(of(objects.change), description="One line of the log."),
    "Questions": thing(
        {
            "questions": list_of(ref("Question")),
            "version": whole(description="Of the project, larger after each change of answers."),
        }
    ),
    "Question": thing(
        of(objects.QUESTION),
        description="What a report needs and only a person knows, with the answer.",
    ),
    "Strategies": thing({"strategies": list_of(ref("StrategyLine"))}),
    "StrategyLine": thing({**_STRATEGY, "steps": whole(description="How many it has.")}),
    "Strategy": thing(
        {**_STRATEGY, "steps": list_of(ref("ResolvedStep"))},
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
            "sources": list_of(thing({"source": text(), "label": text()})),
            "steps": list_of(ref("StepFigures")),
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
            "missing": list_of(text(), description="Sources that the sum of the hits lacks."),
            "notes": list_of(text(), description="What cannot be right of the numbers."),
            "contradictions": list_of(ref("Contradiction")),
            "first": nullable(text(description="When the oldest of the numbers was asked for.")),
            "last": nullable(text(description="The newest.")),
            "counts": list_of(ref("Count")),
        }
    ),
    "Contradiction": thing(
        members(Contradiction), description="Two numbers of one source that cannot both be right."
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
    "Runs": thing({"runs": list_of(ref("Run"))}),
    "Run": thing(_RUN, description="A run of a strategy."),
    "RunWithAnswers": thing(
        {
            **_RUN,
            "answers": list_of(ref("RunAnswer"), description="Those that have come."),
            "error": nullable(text(description="Why the run was broken off.")),
        },
    ),
    "RunAnswer": thing(of(objects.answer), description="What one source said to one step."),
    "Imported": thing(
        {
            "step": ref("Step"),
            "run": ref("Run"),
            "answer": ref("RunAnswer"),
            "format": text(description="That the file was read as."),
            "encoding": text(),
            "again": yes_or_no(description="Whether the same file was imported before."),
            "new": whole(description="Works that it has brought."),
            "known": whole(description="Works of its records that were in the project before."),
            "problems": list_of(
                thing({"line": nullable(whole()), "reason": text(), "lost": yes_or_no()}),
                description="What of the file could not be read.",
            ),
        }
    ),
    "WorksPage": thing(
        {
            "total": whole(description="Works of the whole list."),
            "start": whole(),
            "works": list_of(ref("WorkLine")),
            "facets": list_of(
                thing(
                    {
                        "name": text(description="The parameter that narrows by it."),
                        "values": list_of(thing({"value": text(), "count": whole()})),
                        "more": whole(description="Values that are not among them."),
                    }
                )
            ),
        }
    ),
    "WorkLine": thing(_WORK | _VOTES, optional=_VOTES, description="A work as a list shows it."),
    "ProjectWork": thing(
        {
            **_WORK,
            **_VOTES,
            "hit": ref("Hit"),
            "found_by": list_of(ref("Finding")),
            "led_to_by": list_of(ref("CitationLink"), description="Citations that led to it."),
        },
        optional=_VOTES,
        description="A work of a project.",
    ),
    "CitationLink": thing(members(CitationLink)),
    "Finding": thing(members(Finding, position=Annotated[int, _POSITION])),
    "Decision": thing(of(objects.DECISION)),
    "ChangedWorks": thing(members(ChangeResult), description="What a decision has changed."),
    "ImportedDecisions": thing(
        members(DecisionsImport), description="What came of a file of decisions."
    ),
    "NotImported": thing(members(NotImported)),
    "Pins": thing({"pins": list_of(ref("ProjectPin"))}),
    "ProjectPin": thing(members(ProjectPin)),
    "Reassigned": thing(
        {
            "joined": list_of(thing({"kept": text(), "was": text()})),
            "divided": list_of(thing({"work": text(), "part": text()})),
            "new": whole(),
            "conflicts": list_of(
                text(), description="Works with decisions that contradict one another."
            ),
        },
        description="What became of the works.",
    ),
    "Undone": thing({"undone": whole(), "change": whole(description="The line that says so.")}),
    "KnownWorks": thing({"known": list_of(ref("KnownWork"))}),
    "AddedKnownWorks": thing(
        {"new": list_of(ref("KnownWork"), description="Those that were not there.")}
    ),
    "RemovedKnownWorks": thing({"removed": list_of(text(description="The name that it had."))}),
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
            "works": list_of(ref("ValidatedWork")),
        }
    ),
    "ValidatedWork": thing(
        of(objects.VALIDATED), description="A known work, and what became of it."
    ),
    "Evidence": thing(
        {
            "strategy": text(description="Its name."),
            "records": whole(description="That the runs of the strategy have kept."),
            "works": whole(description="That it finds."),
            "included": whole(description="Of them those that are relevant so far."),
            "sources": list_of(
                thing(
                    {
                        "source": text(),
                        "label": text(),
                        "unexplained": whole(
                            description="Works that it gave although their records do not fit; no "
                            "loss of them is told."
                        ),
                    }
                )
            ),
            "lines": list_of(ref("LineEvidence")),
            "missed": list_of(ref("MissedWork")),
            "databases": list_of(thing({**members(DatabaseShare), "relevant_shared": whole()})),
            "sets": list_of(
                thing({"sources": list_of(text()), "works": whole(), "relevant": whole()}),
                description="Works that exactly these databases have given.",
            ),
        }
    ),
    "LineEvidence": thing(
        {
            "line": whole(description="The number of the step."),
            "kind": one_of(STEP_KINDS),
            "text": text(),
            "final": yes_or_no(description="Whether the strategy brings its records."),
            "all": ref("LineContribution"),
            "sources": list_of(ref("LineContribution")),
            "alternatives": nullable(
                list_of(
                    thing(
                        {
                            "text": text(description="In metasearch's syntax."),
                            "all": ref("Contribution"),
                            "sources": list_of(ref("Contribution")),
                        }
                    ),
                    description="Parts of an OR; null where the strategy is too large for them.",
                )
            ),
        }
    ),
    "LineContribution": thing(
        {"source": text(), **of(objects.LINE_CONTRIBUTION)}, optional=("source",)
    ),
    "Contribution": thing({"source": text(), **of(objects.CONTRIBUTION)}, optional=("source",)),
    "MissedWork": thing(of(objects.MISSED), description="A known work that was not found."),
    "SuggestedWords": thing(
        {
            "strategy": text(description="Its name."),
            "relevant": whole(),
            "others": whole(description="Works that they were compared with."),
            "missed": whole(description="Relevant works that the strategy has not found."),
            "words": list_of(ref("SuggestedWord")),
        }
    ),
    "SuggestedWord": thing(of(objects.SUGGESTION)),
    "Finder": thing(members(Finder, position=Annotated[int, _POSITION])),
    "StepVerdict": thing(members(StepVerdict)),
    "PastedSteps": thing({"strategy": text(description="Its name."), **members(PasteResult)}),
    "WrittenStrategy": thing(
        {
            "strategy": text(description="Its name."),
            **members(StrategyInSyntax, syntax=one_of(tuple(TARGETS))),
        }
    ),
    "WrittenLine": thing(members(WrittenLine)),
    "StrategyReview": thing(
        {
            "text": text(description="The strategy as it was read; places are in it."),
            "syntax": text(description="That it is written in."),
            "findings": list_of(ref("StrategyFinding")),
        }
    ),
    "StrategyFinding": thing(
        {
            "line": nullable(whole(description="The printed number of its line.")),
            "code": one_of(CODES),
            "severity": one_of(get_args(Severity)),
            "element": whole(
                minimum=1, maximum=6, description="The element of PRESS that it belongs to."
            ),
            "message": text(description="What is wrong there, and why."),
            "place": ref("StrategyPlace"),
            "fix": nullable(ref("StrategyPlace")),
        },
        description="What is wrong with a strategy, or may be. `fix` is a mend: `text` in place of "
        "what stands there.",
    ),
    "StrategyPlace": thing(
        {
            "start": whole(description="Where it begins, in characters from 0."),
            "end": whole(description="Where it ends."),
            "text": text(),
        }
    ),
    "SearchFile": by_name(_ANYTHING, description="A search after Haddaway et al. 2022."),
    "ReadSearchFile": thing(
        {
            "strategies": list_of(ref("Strategy")),
            "notes": list_of(text(), description="What of the file does not hold for them."),
        }
    ),
    "OtherSources": thing({"other_sources": list_of(ref("OtherSource"))}),
    "OtherSource": thing(
        members(OtherSource),
        description="Another way of searching. A number that is not known is null, never 0.",
    ),
    "RemovedOtherSource": thing({"removed": whole(description="The id that it had.")}),
    "ImportedProject": thing(
        {
            **_PROJECT,
            **members(ProjectImport, "rows pages"),
            "new_uids": whole(description="Works that got another uid."),
        },
        description="A project that came of an archive.",
    ),
    "WorkChecks": thing(
        {
            **of(objects.CHECKS),
            "works": list_of(ref("WorkCheck")),
            "under_way": yes_or_no(description="In whichever process."),
            "error": nullable(text(description="Why the last one was broken off.")),
        }
    ),
    "WorkCheck": thing(
        of(objects.WORK_CHECK), description="What the last check of an included work said."
    ),
    "Reports": thing(
        {
            "kinds": list_of(
                thing({"kind": text(), "label": text(), "languages": list_of(text())})
            ),
            "finished": list_of(ref("Report")),
        }
    ),
    "Report": thing(of(objects.REPORT), description="A finished report."),
    "ReportDocument": by_name(_ANYTHING, description="A report as data: blocks of text."),
}
