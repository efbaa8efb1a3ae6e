"""What programs are shown of a workspace, by `--json` and by the JSON interface: objects for JSON.

Members may be added; those that are here keep their names and their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from metasearch.formats.answer import hit_object
from metasearch.record import Hit
from metasearch.review.alerts.news import Kind, News, SavedSearchRun
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.projects.log import Change
from metasearch.review.projects.projects import Overview, ProjectRow
from metasearch.review.reports.questions import ReportQuestion, Value
from metasearch.review.reports.reports import Report, Signature
from metasearch.review.runs.evidence import Contribution, LineContribution, StrategyEvidence
from metasearch.review.runs.figures import Figures
from metasearch.review.runs.known_works import KnownWorkCheck, MissedWork, Validation
from metasearch.review.runs.runs import Run, StoredAnswer
from metasearch.review.runs.suggestions import Suggestion, Suggestions
from metasearch.review.strategies.strategies import Step, Strategy
from metasearch.review.works.lists import WorksPage
from metasearch.review.works.work_checks import CheckSummary, WorkCheck
from metasearch.review.works.works import CitationLink, Decision, Finding, Stage, Work

if TYPE_CHECKING:
    from metasearch.review.projects.archive_reader import ProjectImport
    from metasearch.review.runs.imports import FileImport
    from metasearch.review.runs.known_works import KnownWork
    from metasearch.review.store.database import Database
    from metasearch.review.strategies.paste import PasteResult
    from metasearch.review.strategies.search_file import FileIn
    from metasearch.review.strategies.writer import StrategyInSyntax
    from metasearch.review.works.groups import WorkChanges

T = TypeVar("T")
Moment = Annotated[str, "UTC: `2026-11-23T05:40:00Z`."]
#: An object for JSON.
Object = dict[str, Any]


class Excerpt(Generic[T]):
    """What is shown of a thing: some of its attributes, as an object for JSON. This is all that
    declares it: the OpenAPI document has the same names, with the types and texts of the class.

    `types`: of members that are otherwise than the class has them, or not of it; `Annotated` with
    what the document says of them. Whoever makes the object gives their values.
    """

    def __init__(self, kind: type[T], names: str, /, **types: Any) -> None:
        self.kind, self.names, self.types = kind, names, types

    def __call__(self, thing: T, /, **others: Any) -> Object:
        return {
            name: others[name] if name in others else _plain(getattr(thing, name))
            for name in self.names.split()
        }


def _plain(value: Any) -> Any:
    """The same without types that only our code has."""
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


PROJECT = Excerpt(ProjectRow, "uid name kind title created archived version")


def project(shown: ProjectRow, numbers: Overview | None = None) -> Object:
    """A project, and how much it holds where that is known."""
    made = PROJECT(shown)
    return made if numbers is None else made | {"holds": asdict(numbers)}


def file_import(made: FileImport, strategy: Strategy) -> Object:
    return {
        "step": step(made.step),
        "run": run(made.run, strategy.name),
        "answer": answer(made.answer),
        "format": made.format,
        "encoding": made.encoding,
        "again": made.again,
        "new": made.new,
        "known": made.known,
        "problems": [
            {"line": each.line, "reason": each.message, "lost": each.lost} for each in made.problems
        ],
    }


def work_changes(made: WorkChanges) -> Object:
    """What became of works that were joined or kept apart by hand."""
    return {
        "joined": [{"kept": kept, "was": was} for kept, was in made.joined],
        "divided": [{"work": work, "part": part} for work, part in made.divided],
        "new": made.new,
        "conflicts": list(made.conflicts),
    }


def archive_import(made: ProjectImport) -> Object:
    """A project that came of an archive, and what was in it."""
    return project(made.project) | {
        "rows": dict(made.rows),
        "pages": made.pages,
        "new_uids": made.new_uids,
    }


def with_name(made: Object, names: Mapping[str, str] | None) -> Object:
    """An object with the name of the user in its `by`; unchanged where there are no users."""
    return made if names is None else made | {"by_name": names.get(made["by"], "")}


#: A line of the log.
change = Excerpt(
    Change,
    "id at by action object before after undoes",
    at=Moment,
    by=Annotated[str, "Who; empty where there are no users."],
)


QUESTION = Excerpt(
    ReportQuestion,
    "key label help kind group reports required choices several answer",
    choices=Annotated[list[str], "What may be chosen; one of them, or any number where several."],
    answer=Any,
)


def question(asked: ReportQuestion, given: Mapping[str, Value]) -> Object:
    """A question of a report, with its answer of all that were given."""
    choices = [choice.key for choice in asked.choices]
    return QUESTION(asked, choices=choices, answer=given.get(asked.key))


#: A search strategy, without its steps.
strategy = Excerpt(Strategy, "name note sources years details created version")


#: A step as typed.
step = Excerpt(Step, "number kind text syntax note parents details edited version")


def paste_result(strategy: Strategy, made: PasteResult) -> Object:
    """The steps that came of the lines of a text."""
    return {
        "strategy": strategy.name,
        "syntax": made.syntax,
        "steps": list(map(step, made.steps)),
        "notes": list(made.notes),
    }


def strategy_text(strategy: Strategy, made: StrategyInSyntax) -> Object:
    """A strategy in the syntax of another database."""
    return {"strategy": strategy.name, **asdict(made)}


def search_file(made: FileIn) -> Object:
    return {
        "strategies": [strategy(each) for each in made.strategies],
        "notes": list(made.notes),
    }


RUN = Excerpt(
    Run,
    "number strategy mode status by started ended tool options recorded",
    strategy=Annotated[str, "Its name."],
    recorded=Annotated[bool, "Whether the pages of its sources are kept."],
)


def run(shown: Run, strategy: str = "") -> Object:
    """A run, without its answers; `strategy` is the name of its strategy."""
    return RUN(shown, strategy=strategy, recorded=bool(shown.recorded))


#: What one source said to one step. A number that is not known is null, never 0.
answer = Excerpt(
    StoredAnswer,
    "run step source label place status error advice claimed exact fetched filtered unread "
    "asked_at cached seconds query sent requests notes",
)


def figures(shown: Figures) -> Object:
    """The table of a strategy: what is known of each step at each source."""
    return {
        "sources": [{"source": name, "label": label} for name, label in shown.sources.items()],
        "steps": [
            {
                "number": line.step.number,
                "kind": line.step.kind,
                "text": line.step.text,
                "query": None if line.question is None else line.question.text,
                "problem": None if line.error is None else str(line.error),
                "stale": line.stale,
                "claimed": line.claimed,
                "fetched": line.fetched,
                "missing": list(line.missing),
                "notes": list(line.notes),
                "contradictions": [asdict(one) for one in line.contradictions],
                "first": line.first,
                "last": line.last,
                "counts": [
                    {
                        "source": source,
                        "run": figure.newest.run,
                        "status": figure.newest.status,
                        "error": figure.newest.error,
                        "claimed": figure.claimed,
                        "exact": figure.newest.exact,
                        "fetched": None if figure.kept is None else figure.kept.fetched,
                        "asked_at": figure.newest.asked_at,
                        "cached": figure.newest.cached,
                        "stale": figure.stale,
                    }
                    for source, figure in line.figures.items()
                ],
            }
            for line in shown.steps
        ],
    }


REPORT = Excerpt(
    Report,
    "kind number title language draft digest frozen numbers",
    language=str | None,
    draft=Annotated[bool, "Whether something was missing in it."],
    numbers=Annotated[Object, "What it was made of."],
)


def report(shown: Report) -> Object:
    """A finished report, without its document."""
    data = shown.data
    return REPORT(
        shown,
        language=data.get("language"),
        draft=bool(data.get("draft")),
        numbers=data.get("numbers"),
    )


#: Who has signed a finished report.
signature = Excerpt(Signature, "role by name digest at")


VALIDATED = Excerpt(
    KnownWorkCheck,
    "name title found works finders steps",
    name=str,
    title=str,
    found=Annotated[bool, "Whether this strategy has found it."],
)


def known_work_check(shown: KnownWorkCheck) -> Object:
    """A known work, and which step and source found it."""
    return VALIDATED(
        shown,
        name=shown.known.name,
        title=shown.known.record.title,
        finders=[asdict(finder) for finder in shown.finders],
        steps=[asdict(verdict) for verdict in shown.steps],
    )


def known_work(shown: KnownWork) -> Object:
    return {"name": shown.name, "title": shown.record.title, "year": shown.record.year}


def validation(strategy: Strategy, made: Validation) -> Object:
    return {
        "strategy": strategy.name,
        "found": made.found,
        "known": len(made.works),
        "works": [known_work_check(each) for each in made.works],
    }


CONTRIBUTION = Excerpt(Contribution, "works included lost lost_included")
LINE_CONTRIBUTION = Excerpt(
    LineContribution, "hits given works only included only_included lost lost_included"
)
MISSED = Excerpt(
    MissedWork,
    "name title fits reason clauses",
    name=str,
    title=str,
    clauses=Annotated[list[Object], "Parts of lines that it does not fit."],
)


def evidence(strategy: Strategy, made: StrategyEvidence, databases: Object) -> Object:
    """What lines, alternatives and databases have brought. `databases`: what the project has of
    them.
    """
    return {
        "strategy": strategy.name,
        "records": made.records,
        "works": made.works,
        "included": made.included,
        "sources": [
            {"source": source, "label": label, "unexplained": made.unexplained[source]}
            for source, label in made.sources.items()
        ],
        "lines": [
            {
                "line": line.step.number,
                "kind": line.step.kind,
                "text": line.step.text,
                "final": line.final,
                "all": LINE_CONTRIBUTION(line.all),
                "sources": _by_source(LINE_CONTRIBUTION, line.sources),
                "alternatives": None
                if line.alternatives is None
                else [
                    {
                        "text": one.text,
                        "all": CONTRIBUTION(one.all),
                        "sources": _by_source(CONTRIBUTION, one.sources),
                    }
                    for one in line.alternatives
                ],
            }
            for line in made.lines
        ],
        "missed": [
            MISSED(
                one,
                name=one.check.known.name,
                title=one.check.known.record.title,
                clauses=[
                    {"line": line, "parts": list(parts)} for line, parts in one.clauses.items()
                ],
            )
            for one in made.missed
        ],
        **databases,
    }


def _by_source(excerpt: Excerpt[Any], of: Mapping[str, Any]) -> list[Object]:
    return [{"source": source, **excerpt(one)} for source, one in of.items()]


SUGGESTION = Excerpt(
    Suggestion,
    "text kind query line beside relevant others score brought brings cost hits counterpart pairs",
    query=Annotated[str, "As it is typed, in metasearch's syntax."],
    brings=Annotated[list[Object], "Works, at most 20."],
)


def suggestions(strategy: Strategy, made: Suggestions) -> Object:
    """Words for a strategy, with what each would bring and cost."""
    return {
        "strategy": strategy.name,
        "relevant": made.relevant,
        "others": made.others,
        "missed": made.missed,
        "words": [
            SUGGESTION(
                one,
                query=one.query,
                brings=[{"name": name, "title": title} for name, title in one.brings],
            )
            for one in made.words
        ],
    }


DECISION = Excerpt(
    Decision,
    "verdict reason by at version",
    version=Annotated[int, "Names just this decision; 0 stands for none."],
)
WORK = Excerpt(
    Work,
    "uid title author year type venue language doi citations open_access retracted sources "
    "decisions tags note note_version first_run added",
    decisions=Annotated[Mapping[Stage, Decision], "By the stage."],
)


def work_line(shown: Work) -> Object:
    """A work as a list shows it; with the votes of who asks, where there are any."""
    made = WORK(shown, decisions=_decisions(shown.decisions))
    return made | {"votes": _decisions(shown.votes)} if shown.votes else made


def _decisions(by_stage: Mapping[Stage, Decision]) -> Object:
    return {stage: DECISION(one) for stage, one in by_stage.items()}


def work(shown: Work, findings: Sequence[Finding], links: Sequence[CitationLink]) -> Object:
    """A work with its merged record, its records, who found it, and what led to it."""
    return work_line(shown) | {
        "hit": hit_object(shown.hit),
        "found_by": [found._asdict() for found in findings],
        "led_to_by": [link._asdict() for link in links],
    }


def names(db: Database, uids: Iterable[str]) -> dict[str, str]:
    from metasearch.review.users.accounts import names_for_people as shown

    return shown(db, uids)


def works_page(shown: WorksPage) -> Object:
    return {
        "total": shown.total,
        "start": shown.start,
        "works": [work_line(each) for each in shown.works],
        "facets": [asdict(facet) for facet in shown.facets],
    }


WORK_CHECK = Excerpt(
    WorkCheck, "uid title doi verdict serious reason differences asked at", at=Moment
)
CHECKS = Excerpt(
    CheckSummary,
    "included checked serious verdicts first last databases warning",
    warning=Annotated[str | None, "What is to be done before a report is finished."],
)


def work_checks(shown: CheckSummary, listed: Iterable[WorkCheck]) -> Object:
    """What is known of the included works, and what was said of some of them."""
    return CHECKS(shown) | {"works": [WORK_CHECK(each) for each in listed]}


SAVED_SEARCH = Excerpt(
    SavedSearch,
    "uid name query syntax sources years per_source schedule next_run paused email feed created "
    "version",
    paused=Annotated[str, "Why none is planned any more; empty where it is not paused."],
    created=Moment,
)


def saved_search(shown: SavedSearch, base: str = "") -> Object:
    """A saved search, with the addresses of its feed. `base`: absolute address of the server,
    without a slash at its end; "" where it is not known.
    """
    feed = {ending: f"{base}/feeds/{shown.feed}.{ending}" for ending in ("atom", "json")}
    return SAVED_SEARCH(shown, feed=feed)


#: A run of a saved search.
saved_run = Excerpt(
    SavedSearchRun,
    "number status baseline started ended works told waiting passed_over error sources",
    started=Moment,
    ended=Annotated[str | None, "Null while it runs."],
    error=Annotated[str, "Why it failed; empty where it did not."],
)


NEWS = Excerpt(
    News,
    "id uid kind run at work",
    kind=Annotated[
        Kind,
        "A new work; the article of a known preprint; a known work that was retracted or "
        "corrected; an older work of a source that had not answered in the run before.",
    ],
    at=Moment,
    work=Hit,
)


def saved_news(shown: News) -> Object:
    return NEWS(shown, work=hit_object(shown.hit))
