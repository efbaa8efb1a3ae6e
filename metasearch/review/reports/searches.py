"""What was searched: each answer of a source in the runs of a project, with its step and strategy,
and each strategy as typed. What databases were sent is here word for word.
The appendix is made of it, and what a report warns of.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from metasearch.errors import UsageError
from metasearch.message import N_, message_in
from metasearch.review.press import peer_review
from metasearch.review.projects.projects import Project
from metasearch.review.reports import estimate as missed_section
from metasearch.review.reports import overlap, press_form
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    FieldRows,
    Heading,
    Items,
    Language,
    Paragraph,
    Phrase,
    Remark,
    Table,
    Text,
    in_words,
    moment,
    name_list,
    number,
    speaker,
)
from metasearch.review.reports.flow import kind_of_other
from metasearch.review.reports.numbers import ReportNumbers
from metasearch.review.runs import other_sources, runs
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.runs.plan import SourceQuestion
from metasearch.review.runs.runs import StoredAnswer
from metasearch.review.store.table import from_row
from metasearch.review.strategies import steps
from metasearch.review.strategies import strategies as strategy_rows
from metasearch.review.strategies.resolve import resolve_all
from metasearch.review.strategies.strategies import Step, Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer(StoredAnswer):
    """One answer, with its run.

    Attributes:
        run_id: Of the row of the run; `mode` "records", "counts",
            "import" or "citations".
        tool: The program that asked; `years` those that the search was limited to, as typed.
        file: Of an import: its name; "" of a search. `note` says how it was searched.
        date: When its pages were fetched, or the search by hand was done; "" where not known.
    """

    run_id: int
    mode: str
    tool: str
    years: str
    strategy: int
    strategy_name: str
    typed: str
    file: str
    note: str
    date: str

    @property
    def by_hand(self) -> bool:
        """Whether a person searched, and brought a file."""
        return self.mode == "import"

    @property
    def short(self) -> bool:
        """Whether the source says that it has more than it gave."""
        return (
            self.mode != "citations"  # citations, of which several lead to one record
            and self.claimed is not None
            and self.fetched is not None
            and self.fetched + (self.filtered or 0) + (self.unread or 0) < self.claimed
        )

    @property
    def place_in_strategy(self) -> tuple[int, int, str, int]:
        """What a later answer to the same question has in common with it. Each run along citations
        has questions of its own.
        """
        return self.strategy, self.step, self.source, self.run * (self.mode == "citations")


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedStrategy(Strategy):
    """A strategy with its steps, as typed."""

    steps: tuple[Step, ...]


def search_answers(project: Project, phrase: Phrase, since: int = 0) -> list[SearchAnswer]:
    """The answers of all runs that came after one, by its id; counts too. The oldest first.
    `phrase`: says the names of databases in the language of the reader.
    """
    rows = project.db.all(
        "SELECT answer.*, run.number AS run_number, run.mode, run.tool, run.options,"
        " step.number AS step_number, step.text AS typed, step.kind, step.details AS about,"
        " strategy.id AS strategy, strategy.name AS strategy_name, strategy.years AS years"
        " FROM run JOIN answer ON answer.run = run.id JOIN step ON step.id = answer.step"
        " JOIN strategy ON strategy.id = step.strategy"
        " WHERE run.project = ? AND run.id > ?"
        " ORDER BY run.number, strategy.id, step.number, answer.label, answer.source",
        project.id,
        since,
    )
    answers = (_search_answer(row) for row in rows)
    return [replace(one, label=phrase(one.label)) for one in answers]


def newest(answers: Iterable[SearchAnswer]) -> list[SearchAnswer]:
    """Of each step and source the newest answer: one that is whole where there is any, else one
    with a part of the records, else the failure. In the order of strategies, steps and labels.
    """
    chosen: dict[tuple[int, int, str, int], SearchAnswer] = {}
    for one in answers:
        old = chosen.get(one.place_in_strategy)
        if old is None or _rank(one) >= _rank(old):
            chosen[one.place_in_strategy] = one
    return sorted(
        chosen.values(),
        key=lambda one: (one.strategy, one.step, one.label.casefold(), one.source),
    )


def strategies(project: Project) -> list[TypedStrategy]:
    rows = project.db.all("SELECT * FROM strategy WHERE project = ? ORDER BY id", project.id)
    found = [from_row(TypedStrategy, row, steps=()) for row in rows]
    return [replace(one, steps=tuple(steps.of(project.db, one))) for one in found]


def stale_steps(project: Project, answers: Iterable[SearchAnswer]) -> list[str]:
    """The steps whose records are of another query than that of now: "main #3"."""
    asked = {
        (one.strategy, one.step): (one.strategy_name, one.digest)
        for one in answers
        if one.mode == "records" and one.fetched is not None
    }
    found = []
    for strategy in strategy_rows.of(project):
        known = resolve_all(steps.of(project.db, strategy))
        for (of, step_number), (name, digest) in asked.items():
            step = known.get(step_number)
            if of != strategy.id or step is None:
                continue  # a removed step is no part of the strategy any more
            if (
                isinstance(step, UsageError)
                or SourceQuestion.of(step, strategy.years).digest != digest
            ):
                found.append(f"{name} #{step_number}")
    return found


def _rank(one: SearchAnswer) -> int:
    if one.mode != "counts" and one.fetched is None:
        return 0
    return 2 if one.answered else 1


def _search_answer(row: sqlite3.Row) -> SearchAnswer:
    about, options = _object(row["about"]), _object(row["options"])
    by_hand = row["mode"] == "import"
    # What the run has noted is of this file; the step has that of the newest one.
    told: Mapping[str, Any] = {**about, **options} if by_hand else {}
    return runs.answer_of(
        SearchAnswer,
        row,
        run_id=row["run"],
        years=str((told if by_hand else options).get("years") or ""),
        file=str(told.get("file") or ""),
        note=str(told.get("by_hand") or ""),
        sent=row["sent"] or (row["typed"] if by_hand else ""),
        date=str(told.get("searched") or row["asked_at"] or ""),
    )


def _object(text: str) -> Mapping[str, Any]:
    """An object of the store; {} for anything else, which an archive may have brought."""
    found = orjson.loads(text)
    return found if isinstance(found, dict) else {}


#: Requests of one answer that are printed; the archive of the project has all.
_MOST_REQUESTS = 3
#: Databases side by side in one table.
_MOST_COLUMNS = 5


def step_blocks(
    strategy: TypedStrategy, answers: Sequence[SearchAnswer], phrase: Phrase
) -> Iterator[Block]:
    """The lines of a strategy, and the hits of each database for each line."""
    if not strategy.steps:
        yield Paragraph(text=phrase("The strategy has no steps."))
        return
    rows: list[tuple[Text, ...]] = []
    for step in strategy.steps:
        note = f"\n{step.note}" if step.note else ""
        rows.append((f"#{step.number}", f"{step.text}{note}", step.syntax))
    yield Table(
        caption=phrase("Steps, as typed"),
        head=(phrase("Step"), phrase("Search string"), phrase("Syntax")),
        rows=tuple(rows),
        widths=(9, 74, 17),
    )
    own = [one for one in answers if one.strategy == strategy.id and one.mode != "citations"]
    labels = list(dict.fromkeys(one.label for one in own))
    for start in range(0, len(labels), _MOST_COLUMNS):
        some = labels[start : start + _MOST_COLUMNS]
        cells = {(one.step, one.label): one for one in own}
        asked = {one.step for one in own if one.label in some}
        yield Table(
            caption=phrase("Hits of each database") if not start else "",
            head=(phrase("Step"), *some),
            rows=tuple(
                (
                    f"#{step.number}",
                    *(_hits(cells.get((step.number, label)), phrase) for label in some),
                )
                for step in strategy.steps
                if step.number in asked
            ),
            numbers=tuple(range(1, len(some) + 1)),
            widths=(9, *(91 / len(some) for _ in some)),
        )


def _hits(one: SearchAnswer | None, phrase: Phrase) -> str:
    """The hits that a database told, or the records that it gave; a failure is none of them."""
    if one is None:
        return "–"
    if one.failed:
        return phrase("failed")
    shown = one.fetched if one.claimed is None else one.claimed
    about = "" if one.exact or one.claimed is None else phrase("about ")
    return about + number(shown, phrase)


def sent_blocks(answers: Iterable[SearchAnswer], phrase: Phrase, *, level: int) -> Iterator[Block]:
    """What each database was sent, and what came back: a heading for each answer."""
    for one in answers:
        yield Heading(text=f"{one.label}, #{one.step}", level=level)
        yield FieldRows(rows=tuple(_facts(one, phrase)))
        if one.sent:
            label = phrase("As typed in the database")
            if not one.by_hand:
                label = phrase("Query as the database received it")
            yield Code(text=one.sent, label=label)
        if one.query and one.query != one.sent:
            yield Code(text=one.query, label=phrase("The same in metasearch's syntax"))
        yield from _requests(one, phrase)
        if one.notes:
            yield Paragraph(text=phrase("What of the query was lost, and what the database said:"))
            yield Items(items=tuple(in_words(note, phrase) for note in one.notes))
        if one.failed:
            why = phrase("The database failed")
            failed = phrase("{sentence} ({detail})", sentence=why, detail=one.status)
            yield Remark(text=f"{failed}{phrase(': ')}{in_words(one.error, phrase)}", warning=True)
        elif one.short:
            yield Remark(
                text=phrase(
                    "{fetched} of {claimed} records were obtained.",
                    fetched=one.fetched,
                    claimed=one.claimed,
                ),
                warning=True,
            )


def _facts(one: SearchAnswer, phrase: Phrase) -> Iterator[tuple[str, Text]]:
    if one.by_hand:
        yield phrase("Searched"), phrase("by hand, from a file")
        yield phrase("File"), one.file
        if one.note:
            yield phrase(message_in("report", "How")), one.note
    else:
        yield phrase("Searched"), phrase("by {tool}", tool=one.tool)
    date = moment(one.date)
    if one.cached:
        date += phrase(" (page kept from then)")
    yield phrase("Date"), date or phrase("not known")
    if one.years:
        yield phrase("Years"), one.years
    claimed = number(one.claimed, phrase)
    if one.claimed is not None and not one.exact:
        claimed = phrase("about {claimed} (of a part of the query)", claimed=claimed)
    if one.mode == "citations":
        yield phrase("Citations named"), claimed
    else:
        yield phrase("Hits by its own count"), claimed
    if one.mode != "counts":
        obtained = phrase("none: it failed") if one.fetched is None else f"{one.fetched:,}"
        yield phrase("Records obtained"), obtained
    if one.filtered:
        yield (
            phrase("Left out by metasearch"),
            phrase(
                "{filtered}, by conditions that the database cannot search for",
                filtered=one.filtered,
            ),
        )
    if one.unread:
        yield phrase("Could not be read"), f"{one.unread:,}"


def _requests(one: SearchAnswer, phrase: Phrase) -> Iterator[Block]:
    if not one.requests:
        return
    lines = [_request(request) for request in one.requests[:_MOST_REQUESTS]]
    yield Code(text="\n".join(lines), label=phrase("Requests, without keys"))
    more = len(one.requests) - len(lines)
    if more > 0:
        yield Paragraph(text=phrase("Requests for further pages: {more}.", more=more))


def _request(request: Any) -> str:
    parts = [str(request.get("method") or "GET"), str(request.get("url") or "")]
    body = str(request.get("body") or "")
    return " ".join(parts) + (f"\n{body}" if body else "")


# What is wrong with a report: cautions, and why it is a draft. What readers of a report should know
# of its searches: sources that failed or gave a part, and what has changed since an earlier report.
# It stays in finished reports.


def of_searches(answers: Iterable[SearchAnswer], phrase: Phrase) -> Iterator[Remark]:
    """What failed, and which sources gave fewer records than they have."""
    for text in _of_searches([one for one in answers if one.mode != "counts"], phrase):
        yield Remark(text=text, warning=True)


def _of_searches(answers: list[SearchAnswer], phrase: Phrase) -> Iterator[str]:
    failed = [one for one in answers if one.failed]
    if failed:
        names = name_list(dict.fromkeys(one.label for one in failed), phrase)
        yield phrase(
            "Sources that failed or answered in part: {names}. Their records are missing.",
            names=names,
        )
    short = [one for one in answers if one.short and not one.failed]
    if short:
        names = name_list(
            [
                phrase(
                    "{label} {fetched} of {claimed}",
                    label=one.label,
                    fetched=one.fetched,
                    claimed=one.claimed,
                )
                for one in short
            ],
            phrase,
        )
        yield phrase(
            "Sources that gave fewer records than they say they have: {names}. The "
            "number identified counts the records that were obtained.",
            names=names,
        )


def of_strategies(
    strategies: Iterable[TypedStrategy], answers: Iterable[SearchAnswer], phrase: Phrase
) -> Iterator[Remark]:
    asked = {one.strategy for one in answers if one.mode != "counts"}
    names = [one.name for one in strategies if one.steps and one.id not in asked]
    if names:
        shown = name_list(names, phrase)
        text = phrase("Strategies that were never run: {shown}.", shown=shown)
        yield Remark(text=text, warning=True)


_HIGHER = N_(
    "Of the works of the earlier report, the number that is included now is {changed} higher than "
    "when it was finished; this report counts them as that report does."
)
_LOWER = N_(
    "Of the works of the earlier report, the number that is included now is {changed} lower than "
    "when it was finished; this report counts them as that report does."
)


def of_earlier(n: ReportNumbers, phrase: Phrase) -> Iterator[Remark]:
    """Decisions on works of the earlier report that were changed since."""
    if n.changed:
        template = _HIGHER if n.changed > 0 else _LOWER
        yield Remark(text=phrase(template, changed=abs(n.changed)), warning=True)


# Why a report is a draft: what is not decided, not searched to the end, or contradicts itself.


def lacks_of_screening(numbers: ReportNumbers, phrase: Phrase) -> Iterator[str]:
    """What of screening is open or contradicts itself."""
    n = numbers
    if n.last_run is None and n.previous is None:
        yield phrase("No search has brought records yet.")
    if n.previous and n.last_run is None:
        yield phrase("No search was run since the earlier report.")
    along = n.citations
    not_screened = n.not_screened + (along.not_screened if along else 0)
    not_assessed = n.not_assessed + (along.not_assessed if along else 0)
    contradictory = n.contradictory + (along.contradictory if along else 0)
    if not_screened:
        yield phrase("Records not yet screened: {count}.", count=not_screened)
    if not_assessed:
        yield phrase("Reports not yet assessed in full text: {count}.", count=not_assessed)
    if unsaid := n.reasons.get("", 0) + (along.excluded.get("", 0) if along else 0):
        yield phrase(
            "Reports excluded in full text without a reason: {count}.", count=f"{unsaid:,}"
        )
    if contradictory:
        yield phrase(
            "Works excluded by title and abstract that have a decision on their full "
            "text all the same: {contradictory}; they are counted as excluded by "
            "title.",
            contradictory=contradictory,
        )
    for one in n.other:
        if one.identified is None or one.sought is None:
            name = f"{kind_of_other(one.kind, phrase)}: {one.name}"
            yield phrase(
                "{name}: the numbers of records found and reports sought are not stated.", name=name
            )


def lacks_of_steps(
    answers: Iterable[SearchAnswer], stale: Sequence[str], phrase: Phrase
) -> Iterator[str]:
    """What is still being searched, and steps that were edited since they were run. `stale`: names
    of the steps, by `searched.stale_steps`.
    """
    running = sum(one.status == "running" for one in answers)
    if running:
        yield phrase("Sources still being asked: {running}.", running=running)
    if stale:
        names = name_list(stale, phrase)
        yield phrase("Steps whose query has changed since they were run: {names}.", names=names)


# The search appendix: every strategy as typed, and for every database what it was sent, when, and
# what came back; other ways of searching; an estimate of what was missed.

KIND = "appendix"


def document(project: Project, *, language: Language = "en") -> Document:
    phrase = speaker(language)
    with project.db.snapshot():
        known = strategies(project)
        answers = search_answers(project, phrase)
        chosen = newest(one for one in answers if one.mode != "counts")
        stale = stale_steps(project, chosen)
        other = other_sources.of(project)
        missed = (*overlap.section(project, phrase), *missed_section.section(project, phrase))
    blocks: list[Block] = [
        *of_searches(chosen, phrase),
        *of_strategies(known, answers, phrase),
    ]
    counted = newest(answers)
    for strategy in known:
        blocks += _strategy(strategy, counted, chosen, phrase)
    blocks += _runs(answers, phrase)
    if other:
        blocks += _other(other, phrase)
    draft = list(lacks_of_steps(answers, stale, phrase))
    if not chosen:
        draft.append(phrase("No search has brought records yet."))
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=phrase("Search appendix"),
        language=language,
        blocks=(*blocks, *missed),
        draft=tuple(draft),
    )


def _strategy(
    strategy: TypedStrategy,
    counted: Sequence[SearchAnswer],
    chosen: Sequence[SearchAnswer],
    phrase: Phrase,
) -> Iterator[Block]:
    yield Heading(text=phrase(strategy.heading))
    if strategy.note:
        yield Paragraph(text=strategy.note)
    if strategy.years:
        yield FieldRows(rows=((phrase("Years"), strategy.years),))
    yield from step_blocks(strategy, counted, phrase)
    if review := peer_review.of(strategy, strategy.steps):
        yield from press_form.section(review, phrase, level=2)
    own = [one for one in chosen if one.strategy == strategy.id]
    if own:
        yield Heading(text=phrase("As sent to each database"), level=2)
        yield from sent_blocks(own, phrase, level=3)


def _runs(answers: Sequence[SearchAnswer], phrase: Phrase) -> Iterator[Block]:
    """Every search of every run, older ones too."""
    listed = [one for one in answers if one.mode != "counts"]
    if not listed:
        return
    yield Heading(text=phrase("All searches"))
    rows: list[tuple[Text, ...]] = [
        (
            str(one.run),
            f"{one.strategy_name} #{one.step}",
            one.label + (phrase(" (by hand)") if one.by_hand else ""),
            moment(one.date) or "–",
            number(one.claimed, phrase),
            phrase("failed") if one.fetched is None else f"{one.fetched:,}",
        )
        for one in listed
    ]
    yield Table(
        head=(
            phrase(message_in("report", "Run")),
            phrase("Step"),
            phrase("Source"),
            phrase("Date"),
            phrase("Hits"),
            phrase(message_in("report", "Records")),
        ),
        rows=tuple(rows),
        numbers=(4, 5),
        widths=(8, 19, 27, 22, 12, 12),
        row_heads=False,
    )


def _other(other: Sequence[OtherSource], phrase: Phrase) -> Iterator[Block]:
    yield Heading(text=phrase(message_in("report", "Other ways of searching")))
    for one in other:
        rows: list[tuple[str, Text]] = [(phrase("How"), one.how or phrase("not stated"))]
        rows.append((phrase("Date"), one.date or phrase("not stated")))
        rows.append((phrase(message_in("report", "Records found")), number(one.identified, phrase)))
        yield Heading(text=f"{kind_of_other(one.kind, phrase)}: {one.name}", level=2)
        yield FieldRows(rows=tuple(rows))
