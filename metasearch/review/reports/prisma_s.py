"""The report `prisma-s`: how the literature was searched.

How duplicates were recognised: a project's rules and pins, and how often each rule joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from metasearch.message import N_, message_in, message_n
from metasearch.review.press import peer_review
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import citations, searches
from metasearch.review.reports import questions as asked
from metasearch.review.reports.citations import CitationRun
from metasearch.review.reports.document import (
    Block,
    Document,
    Heading,
    Items,
    Language,
    Paragraph,
    Phrase,
    Remark,
    Table,
    Text,
    moment,
    name_list,
    number,
    speaker,
)
from metasearch.review.reports.flow import kind_of_other, records_of
from metasearch.review.reports.numbers import ReportNumbers, numbers
from metasearch.review.reports.questions import Value
from metasearch.review.reports.searches import (
    SearchAnswer,
    TypedStrategy,
    newest,
    search_answers,
    stale_steps,
    strategies,
)
from metasearch.review.runs.other_sources import OtherSource


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRules:
    """How the works of a project were made.

    Attributes:
        strategy: Name of the strategy of deduplication.
        versions: What becomes of preprint and article: "separate" are a work each.
        pins: Pairs of records that a person has decided on.
        reasons: Name of a rule -> pairs of records that it joined, the most frequent first.
    """

    strategy: str
    versions: str
    pins: int
    reasons: Mapping[str, int]


def merge_rules(project: Project) -> MergeRules:
    # As works/groups.py writes it: a shape, the strategy, what becomes of versions.
    rules = project.db.value("SELECT rules FROM works_made WHERE project = ?", project.id) or ""
    _, strategy, versions = (*rules.split(" "), "", "", "")[:3]
    reasons = project.db.all(
        # Bodies of works of one record are not read: nothing was joined.
        "SELECT json_extract(matches.value, '$.matcher') AS matcher, count(*) AS pairs"
        " FROM work_body JOIN json_each(CAST(work_body.hit AS TEXT), '$.matches') AS matches"
        " WHERE work_body.work IN (SELECT work FROM work_record JOIN work ON work.id = work"
        "  WHERE work.project = ? GROUP BY work HAVING count(*) > 1)"
        " AND json_extract(matches.value, '$.verdict') <> 'different'"
        " GROUP BY matcher ORDER BY pairs DESC, matcher",
        project.id,
    )
    return MergeRules(
        strategy=strategy or "default",
        versions=versions or "separate",
        pins=project.db.value("SELECT count(*) FROM pin WHERE project = ?", project.id),
        reasons={row["matcher"]: row["pairs"] for row in reasons},
    )


# PRISMA-S: the sixteen items of how the literature was searched. What the runs know is written
# from them; what only a person knows is the answer to a question (questions.py).
#
#     Rethlefsen, M. L. et al. (2021). PRISMA-S: an extension to the PRISMA statement for reporting
#     literature searches in systematic reviews. Systematic Reviews 10, 39.

KIND = asked.PRISMA_S


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What the items are written from."""

    phrase: Phrase
    numbers: ReportNumbers
    citations: Sequence[CitationRun]
    answers: Sequence[SearchAnswer]
    chosen: Sequence[SearchAnswer]
    strategies: Sequence[TypedStrategy]
    other: Sequence[OtherSource]
    merging: MergeRules
    answered: Mapping[str, Value]

    def of_place(self, place: str) -> list[SearchAnswer]:
        return [one for one in self.searched if one.place == place]

    @property
    def searched(self) -> list[SearchAnswer]:
        """Those that are of no run along citations."""
        return [one for one in self.chosen if one.mode != "citations"]

    def others(self, *kinds: str) -> list[OtherSource]:
        return [one for one in self.other if one.kind in kinds]


def document(project: Project, *, language: Language = "en") -> Document:
    phrase = speaker(language)
    with project.db.snapshot():
        project = project.fresh()  # with the answers of now
        answers = search_answers(project, phrase)
        chosen = newest(one for one in answers if one.mode != "counts")
        counted = numbers(project)
        known = _Facts(
            phrase=phrase,
            numbers=counted,
            citations=citations.citation_runs(project, answers),
            answers=answers,
            chosen=chosen,
            strategies=strategies(project),
            other=counted.other,
            merging=merge_rules(project),
            answered=projects.answers(project),
        )
        stale = stale_steps(project, chosen)
    blocks: list[Block] = [*searches.of_searches(chosen, phrase)]
    for item in _ITEMS:
        if item.number in _GROUPS:
            blocks.append(Heading(text=phrase(_GROUPS[item.number])))
        title = Heading(text=phrase(item.title), level=2, number=f"{item.number}.")
        blocks += (title, *item.write(known))
        blocks += _answers(known, item.number)
    draft = list(searches.lacks_of_steps(answers, stale, phrase))
    if not chosen:
        draft.append(phrase("No search has brought records yet."))
    draft += _open_items(project, known.numbers.others, phrase)
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=phrase("How the literature was searched, by PRISMA-S"),
        language=language,
        blocks=tuple(blocks),
        draft=tuple(draft),
    )


def _answers(known: _Facts, item: int) -> Iterator[Block]:
    """The answers for an item, or that there is none."""
    for question in asked.PRISMA_S_QUESTIONS:
        if asked.ITEMS[question.name] != item:
            continue
        answer = known.answered.get(question.key)
        if answer:
            yield Paragraph(text=str(answer))
        elif question.required and not _covers(known.numbers.others, item):
            yield Remark(text=known.phrase("Not stated."), warning=True)


#: Item -> the kinds of other sources that answer it, too.
_KINDS = {
    4: ("website", "organisation", "browse"),
    5: ("citation",),
    6: ("contact",),
    7: ("other",),
}


def _covers(other: Sequence[OtherSource], item: int) -> bool:
    """Whether another source says what the item asks for."""
    return any(one.kind in _KINDS.get(item, ()) for one in other)


def _open_items(project: Project, other: Sequence[OtherSource], phrase: Phrase) -> Iterator[str]:
    missing = [asked.ITEMS[question.name] for question in projects.open_questions(project, KIND)]
    items = [
        phrase("{sentence} ({detail})", sentence=str(item), detail=_title(item, phrase))
        for item in missing
        if not _covers(other, item)
    ]
    if items:
        names = phrase(message_in("report", ", ")).join(items)
        yield phrase("Not stated: item {names}.", names=names)


def _title(number: int, phrase: Phrase) -> str:
    return next(phrase(item.title) for item in _ITEMS if item.number == number)


def _databases(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    found = [one for one in known.chosen if one.place == "database"]
    if not found:
        yield Paragraph(text=phrase("No database was searched."))
        return
    yield Paragraph(
        text=phrase(
            "Databases searched, each by its own interface; those searched by hand "
            "were imported as files."
        )
    )
    yield _sources_table(found, phrase)


def _sources_table(found: Sequence[SearchAnswer], phrase: Phrase) -> Table:
    """A row for each source, with the days on which it was searched."""
    rows: dict[str, list[SearchAnswer]] = {}
    for one in found:
        rows.setdefault(one.source, []).append(one)
    cells: list[tuple[Text, ...]] = []
    for answers in rows.values():
        dates = sorted({one.date[:10] for one in answers if one.date})
        hosts = dict.fromkeys(host for one in answers for host in _hosts(one))
        how = name_list(hosts, phrase) or answers[0].tool
        if answers[-1].by_hand:
            how = phrase("by hand, files: ") + name_list(
                dict.fromkeys(one.file for one in answers), phrase
            )
        shown = "–".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "–"
        cells.append((answers[-1].label, how, shown))
    return Table(
        head=(phrase("Database"), phrase("Searched through"), phrase("Date")),
        rows=tuple(cells),
        widths=(32, 44, 24),
    )


def _hosts(one: SearchAnswer) -> Iterator[str]:
    for request in one.requests:
        host = str(request.get("url") or "").partition("://")[2].partition("/")[0]
        if host:
            yield host.rpartition("@")[2]


def _multi(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    sent = [one for one in known.searched if not one.by_hand]
    tools = name_list(dict.fromkeys(one.tool for one in sent), phrase)
    labels = name_list(dict.fromkeys(one.label for one in sent), phrase)
    if not labels:
        yield Paragraph(text=phrase("No databases were searched together."))
        return
    yield Paragraph(
        text=phrase(
            "{tools} sent each strategy to the following databases, in the syntax of "
            "each: {labels}.",
            tools=tools,
            labels=labels,
        )
    )


def _registries(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    found, by_hand = known.of_place("register"), known.others("register")
    if not found and not by_hand:
        yield Paragraph(text=phrase("No study registry was searched."))
    if found:
        yield _sources_table(found, phrase)
    yield from _others(by_hand, phrase)


def _by_others(known: _Facts, item: int) -> Iterator[Block]:
    yield from _others(known.others(*_KINDS[item]), known.phrase)


def _other_methods(known: _Facts) -> Iterator[Block]:
    yield from _by_others(known, 7)
    files = known.of_place("other")
    if files:
        yield _sources_table(files, known.phrase)


def _citation_searching(known: _Facts) -> Iterator[Block]:
    yield from citations.section(known.citations, known.numbers.citations, known.phrase)
    yield from _by_others(known, 5)


def _others(other: Sequence[OtherSource], phrase: Phrase) -> Iterator[Block]:
    if not other:
        return
    yield Items(
        items=tuple(
            phrase(
                "{kind}: {name}. {how} Date: {date}. Records: {count}.",
                kind=kind_of_other(one.kind, phrase),
                name=one.name,
                how=one.how,
                date=one.date or phrase("not stated"),
                count=number(one.identified, phrase),
            )
            for one in other
        )
    )


def _full(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    counted = newest(known.answers)
    for strategy in known.strategies:
        yield Heading(text=phrase(strategy.heading), level=3)
        if strategy.note:
            yield Paragraph(text=strategy.note)
        yield from searches.step_blocks(strategy, counted, phrase)
        own = [one for one in known.chosen if one.strategy == strategy.id]
        yield from searches.sent_blocks(own, phrase, level=4)
    if not known.strategies:
        yield Paragraph(text=phrase("There is no search strategy yet."))


def _limits(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    years = [(one.name, one.years) for one in known.strategies if one.years]
    for name, limit in years:
        yield Paragraph(
            text=phrase("Strategy {name}: limited to the years {limit}.", name=name, limit=limit)
        )
    if not years:
        yield Paragraph(text=phrase("No strategy was limited to years beside what its steps say."))
    filtered = sum(one.filtered or 0 for one in known.chosen)
    if filtered:
        yield Paragraph(
            text=phrase(
                "Records that metasearch left out, because they did not fulfil a "
                "condition that their database cannot search for: {filtered}.",
                filtered=filtered,
            )
        )


def _nothing(known: _Facts) -> Iterator[Block]:
    yield from ()


def _peer_reviews(known: _Facts) -> Iterator[Block]:
    """Those that are kept with the strategies; the appendix has their findings."""
    for one in known.strategies:
        if review := peer_review.of(one, one.steps):
            yield Paragraph(
                text=known.phrase(
                    "Strategy {name} was reviewed by the rules of {tool} after PRESS 2015 "
                    "({date}): {findings}.",
                    name=one.name,
                    tool=review.tool,
                    date=moment(review.at),
                    findings=known.phrase(
                        message_n("{count} finding", "{count} findings", len(review.rows))
                    ),
                )
            )


def _prior(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    for one in known.strategies:
        origin = one.details.get("derived_from")
        name = origin.get("strategy") if isinstance(origin, Mapping) else origin
        if name:
            yield Paragraph(
                text=phrase(
                    "Strategy {name} was derived from {origin}.", name=one.name, origin=name
                )
            )


def _updates(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    runs: dict[int, list[SearchAnswer]] = {}
    for one in known.answers:
        if one.mode in ("records", "citations"):
            runs.setdefault(one.run, []).append(one)
    if not runs:
        yield Paragraph(text=phrase("The search has not been run yet."))
        return
    rows: list[tuple[Text, ...]] = []
    for run, answers in runs.items():
        dates = sorted(one.date for one in answers if one.date)
        names = name_list(dict.fromkeys(one.strategy_name for one in answers), phrase)
        fetched = sum(one.fetched or 0 for one in answers)
        rows.append((str(run), names, moment(dates[-1]) if dates else "–", f"{fetched:,}"))
    yield Paragraph(text=phrase("Each time that the searches were run:"))
    yield Table(
        head=(
            phrase(message_in("report", "Run")),
            phrase("Strategy"),
            phrase("Date"),
            phrase("Records obtained"),
        ),
        rows=tuple(rows),
        numbers=(3,),
        widths=(10, 45, 25, 20),
    )


def _dates(known: _Facts) -> Iterator[Block]:
    phrase = known.phrase
    rows: list[tuple[Text, ...]] = [
        (
            one.label,
            f"{one.strategy_name} #{one.step}",
            moment(one.date) or phrase("not known"),
            phrase("page kept from then") if one.cached else "",
        )
        for one in known.chosen
    ]
    if rows:
        yield Table(
            caption=phrase("The last search of each database"),
            head=(phrase("Database"), phrase("Step"), phrase("Date"), ""),
            rows=tuple(rows),
            widths=(35, 20, 27, 18),
        )


def _total(known: _Facts) -> Iterator[Block]:
    phrase, n = known.phrase, known.numbers
    claimed: dict[str, list[int | None]] = {}
    for one in known.chosen:
        claimed.setdefault(one.source, []).append(one.claimed)
    rows: list[tuple[Text, ...]] = [
        (one.label, _claims(claimed.get(one.source, []), phrase), records_of(one, phrase))
        for one in n.sources
    ]
    rows.append((phrase("Sum"), "", f"{n.identified:,}"))
    yield Table(
        head=(
            phrase("Database"),
            phrase("Hits by its own count"),
            phrase("Records obtained"),
        ),
        rows=tuple(rows),
        numbers=(1, 2),
        widths=(50, 26, 24),
    )
    yield Paragraph(
        text=phrase(
            "A record that several steps or runs of one database returned is counted "
            "once; hits are listed for each step."
        )
    )


def _claims(claims: Sequence[int | None], phrase: Phrase) -> str:
    return " + ".join(number(one, phrase) for one in claims) or "–"


def _deduplication(known: _Facts) -> Iterator[Block]:
    phrase, n, merged = known.phrase, known.numbers, known.merging
    tools = name_list(dict.fromkeys(one.tool for one in known.chosen), phrase) or "metasearch"
    yield Paragraph(
        text=phrase(
            "Duplicates were recognised by {tools}, strategy “{strategy}”, preprints "
            "and articles: {versions}. Of {identified} records, {duplicates} were "
            "duplicates; {works} works were left. Pairs decided by hand: {pins}.",
            tools=tools,
            strategy=merged.strategy,
            versions=merged.versions,
            identified=n.identified,
            duplicates=n.duplicates,
            works=n.works,
            pins=merged.pins,
        )
    )
    if merged.reasons:
        yield Table(
            caption=phrase("Why records were joined"),
            head=(phrase("Rule"), phrase("Pairs of records")),
            rows=tuple((name, f"{count:,}") for name, count in merged.reasons.items()),
            numbers=(1,),
            widths=(75, 25),
        )


@dataclass(frozen=True, slots=True)
class _Item:
    """An item: its number, its title, and what writes it."""

    number: int
    title: str
    write: Callable[[_Facts], Iterator[Block]]


_GROUPS = {
    1: N_("Information sources and methods"),
    8: N_("Search strategies"),
    14: N_("Peer review"),
    15: N_("Managing records"),
}
_ITEMS = (
    _Item(1, N_("Database name"), _databases),
    _Item(2, N_("Multi-database searching"), _multi),
    _Item(3, N_("Study registries"), _registries),
    _Item(4, N_("Online resources and browsing"), partial(_by_others, item=4)),
    _Item(5, N_("Citation searching"), _citation_searching),
    _Item(6, N_("Contacts"), partial(_by_others, item=6)),
    _Item(7, N_("Other methods"), _other_methods),
    _Item(8, N_("Full search strategies"), _full),
    _Item(9, N_("Limits and restrictions"), _limits),
    _Item(10, N_("Search filters"), _nothing),
    _Item(11, N_("Prior work"), _prior),
    _Item(12, N_("Updates"), _updates),
    _Item(13, N_("Dates of searches"), _dates),
    _Item(14, N_("Peer review"), _peer_reviews),
    _Item(15, N_("Total records"), _total),
    _Item(16, N_("Deduplication"), _deduplication),
)
