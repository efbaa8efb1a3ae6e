"""The report `prisma-flow`: the PRISMA 2020 flow.

How many people screened each work, and how far they agreed: computed from their votes.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from metasearch.message import message_in
from metasearch.review.projects.projects import Project
from metasearch.review.reports import checked_works, overlap, searches
from metasearch.review.reports import estimate as missed_section
from metasearch.review.reports.document import (
    Block,
    Document,
    Heading,
    Language,
    Paragraph,
    Phrase,
    Table,
    Text,
    number,
    speaker,
)
from metasearch.review.reports.flow import (
    figure,
    kind_of_other,
    other_sums,
    reason_text,
    records_of,
)
from metasearch.review.reports.numbers import (
    STUDY,
    CitationNumbers,
    Previous,
    ReportNumbers,
    numbers,
)
from metasearch.review.reports.reports import find_previous
from metasearch.review.reports.searches import newest, search_answers, stale_steps
from metasearch.review.runs.other_sources import OtherSource
from metasearch.review.screening.conflicts import Agreement, Kappa, agreement


def section(project: Project, phrase: Phrase) -> Iterator[Block]:
    """A paragraph and a table for each stage that a team has screened; nothing where none has.
    Screeners have letters in place of names.
    """
    found = [one for one in agreement(project).values() if one.works]
    if not found:
        return
    yield Heading(text=phrase("How works were screened"))
    for one in found:
        yield Paragraph(text=_words_of(one, phrase))
        if one.pairs:
            yield _agreement_table(one, phrase)


def _words_of(one: Agreement, phrase: Phrase) -> str:
    stage = {
        "title": phrase("Title and abstract"),
        "fulltext": phrase("Full text"),
    }[one.stage]
    how = (
        phrase("independently: nobody saw the vote of another before the work had all of them")
        if one.blind
        else phrase("who could see the votes of the others")
    )
    if one.independent == one.works:
        agreed = phrase("On {agreed} of them the votes agreed", agreed=one.agreed)
    else:
        agreed = phrase(
            "On {independent} of them two or more people had voted before they could "
            "see other votes, and on {agreed} of these the votes agreed",
            independent=one.independent,
            agreed=one.agreed,
        )
    return phrase(
        "{stage}: {works} works have the votes of {needed} or more people, "
        "{how}. {agreed}; conflicts were resolved afterwards.",
        stage=stage,
        works=one.works,
        needed=one.needed,
        how=how,
        agreed=agreed,
    )


def _agreement_table(one: Agreement, phrase: Phrase) -> Table:
    people = sorted({by for pair in one.pairs for by in (pair.first, pair.second)})
    letters = {by: _letter(place) for place, by in enumerate(people)}
    rows: list[tuple[Text, ...]] = [
        (
            f"{letters[pair.first]}, {letters[pair.second]}",
            f"{pair.kappa.n:,}",
            f"{pair.kappa.agreed:,}",
            _kappa(pair.kappa, phrase),
        )
        for pair in one.pairs
    ]
    return Table(
        caption=phrase(
            "Agreement of screeners: Cohen's kappa (Cohen 1960) with its 95 % "
            "interval (Fleiss, Cohen and Everitt 1969), by the votes before others "
            "were seen"
        ),
        head=(
            phrase(message_in("report", "Screeners")),
            phrase(message_in("report", "Works")),
            phrase(message_in("report", "Agreed")),
            phrase("Kappa"),
        ),
        rows=tuple(rows),
        numbers=(1, 2),
        widths=(20, 20, 20, 40),
    )


def _letter(place: int) -> str:
    """A, B, ... Z, A2, B2, ..."""
    again, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(again + 1) if again else "")


def _kappa(shown: Kappa, phrase: Phrase) -> str:
    if shown.kappa is not None and shown.low is not None and shown.high is not None:
        return f"{shown.kappa:.2f} ({shown.low:.2f} – {shown.high:.2f})"
    return {
        "no works": phrase("none: no work has the votes of both"),
        "one category": phrase("undefined: both have put all works into one category"),
    }[shown.undefined or "no works"]


# The PRISMA 2020 flow: the diagram, the same as a table, where records come from, the reasons, and
# an estimate of what was missed.

KIND = "prisma-flow"


def document(
    project: Project, *, language: Language = "en", previous: str | None = None
) -> Document:
    """The report as it is now.

    `previous`: number of the finished report that this one continues: the diagram of an update.
    "last" for the newest; None for a report of all runs. Raises UsageError: there is no such
    finished report.
    """
    phrase = speaker(language)
    with project.db.snapshot():
        before = find_previous(project, KIND, previous) if previous else None
        counted = numbers(project, before)
        answers = newest(search_answers(project, phrase, before.run if before else 0))
        stale = stale_steps(project, answers)
        shares = tuple(overlap.section(project, phrase))
        missed = tuple(missed_section.section(project, phrase))
        screening = tuple(section(project, phrase))
        checked = tuple(checked_works.section(project, phrase))
    return Document(
        kind=KIND,
        title=project.title,
        subtitle=phrase("PRISMA 2020 flow"),
        language=language,
        blocks=(
            *searches.of_earlier(counted, phrase),
            *searches.of_searches(answers, phrase),
            *_blocks(counted, phrase),
            *screening,
            *checked,
            *shares,
            *missed,
        ),
        draft=(
            *searches.lacks_of_screening(counted, phrase),
            *searches.lacks_of_steps(answers, stale, phrase),
        ),
    )


def _blocks(n: ReportNumbers, phrase: Phrase) -> Iterator[Block]:
    if n.previous:
        yield Paragraph(
            text=phrase(
                "This is an update: it continues report {number}, finished on {frozen}, "
                "and counts what was found since.",
                number=n.previous.number,
                frozen=n.previous.frozen[:10],
            )
        )
    yield figure(n, _table(n, phrase), phrase)
    yield Heading(text=phrase("Where the records come from"))
    yield Paragraph(
        text=phrase(
            "A record that a source gave several times, in several steps or runs, is counted once."
        )
    )
    yield _sources(n, phrase)
    if n.reasons:
        yield Heading(text=phrase("Reports excluded, with reasons"))
        yield Table(
            head=(phrase(message_in("report", "Reason")), phrase(message_in("report", "Reports"))),
            rows=tuple(
                (reason_text(text, phrase), f"{count:,}") for text, count in n.reasons.items()
            ),
            numbers=(1,),
            widths=(80, 20),
        )
    if n.others:
        yield Heading(text=phrase(message_in("diagram", "Other methods")))
        yield _other(n.others, phrase)


def _table(n: ReportNumbers, phrase: Phrase) -> Table:
    """Every number of the diagram, with how it comes about."""
    rows: list[tuple[Text, ...]] = []

    def row(label: str, count: int, how: str = "") -> None:
        rows.append((label, f"{count:,}", how))

    for place, label in (
        ("database", phrase("Records identified in databases")),
        ("register", phrase("Records identified in registers")),
        ("other", phrase("Records in other imported files")),
    ):
        sources = n.of_place(place)
        if sources or place == "database":
            row(
                label,
                sum(one.records for one in sources),
                _sum([one.records for one in sources if not one.failed]),
            )
    if n.previous:
        row(
            phrase("Removed: found by the earlier search"),
            n.known,
            phrase("covered by report {number}", number=n.previous.number),
        )
    row(
        phrase("Removed: duplicates"),
        n.duplicates,
        f"{n.identified - n.known:,} \N{MINUS SIGN} {n.works:,}",
    )
    row(
        phrase("Removed by automation tools"),
        0,
        phrase("metasearch removes nothing but duplicates"),
    )
    if n.not_screened:
        row(phrase("Not yet screened"), n.not_screened)
    row(phrase("Records screened"), n.screened, _minus(n.works, n.not_screened))
    row(phrase("Records excluded"), n.excluded)
    row(phrase(message_in("report", "Reports sought")), n.sought, _minus(n.screened, n.excluded))
    row(phrase(message_in("report", "Reports not retrieved")), n.not_retrieved)
    if n.not_assessed:
        row(phrase("Reports not yet assessed"), n.not_assessed)
    row(
        phrase(message_in("report", "Reports assessed")),
        n.assessed,
        _minus(n.sought, n.not_retrieved, n.not_assessed),
    )
    row(
        phrase("Reports excluded with a reason"), n.excluded_reports, _sum(list(n.reasons.values()))
    )
    row(phrase("Reports included"), n.included, _minus(n.assessed, n.excluded_reports))
    if n.citations:
        for label, count, how in _along_citations(n.citations, n.previous, phrase):
            row(label, count, how)
    row(
        phrase("Studies of the reports of databases and citations")
        if n.citations
        else phrase("Studies of these reports"),
        n.studies,
        phrase("reports with the same tag “{tag}…” are one study", tag=STUDY),
    )
    if n.others:
        sought, lost, _, excluded = other_sums(n.others)
        waiting = n.citations.not_assessed if n.citations else 0
        row(
            phrase("Reports included by other methods"),
            n.other_included,
            _minus(sought, lost, waiting, sum(excluded.values())),
        )
    if n.previous:
        row(phrase("Studies of the earlier review"), n.previous.studies)
        row(phrase("Reports of the earlier review"), n.previous.reports)
    if n.previous or n.others:
        before = [n.previous.studies] if n.previous else []
        row(
            phrase("Studies included in all"),
            n.total_studies,
            _sum([*before, n.studies, *([n.other_studies] if n.other else [])]),
        )
        before = [n.previous.reports] if n.previous else []
        row(
            phrase("Reports included in all"),
            n.total_reports,
            _sum([*before, n.included, *([n.other_included] if n.others else [])]),
        )
    return Table(
        caption=phrase("All numbers of the diagram"),
        head=(
            phrase("Step"),
            phrase(message_in("report", "Number")),
            phrase("How it comes about"),
        ),
        rows=tuple(rows),
        numbers=(1,),
        widths=(45, 13, 42),
    )


def _along_citations(
    along: CitationNumbers, previous: Previous | None, phrase: Phrase
) -> Iterator[tuple[str, int, str]]:
    """The rows of what citations led to: label, number, how it comes about."""
    records = [one.records for one in along.sources if not one.failed]
    yield phrase("Citation searching: records identified"), along.identified or 0, _sum(records)
    if previous:
        yield (
            phrase("Citation searching: found by the earlier search"),
            along.known,
            phrase("covered by report {number}", number=previous.number),
        )
    yield (
        phrase("Citation searching: duplicates removed"),
        along.duplicates,
        _minus((along.identified or 0) - along.known, along.works),
    )
    if along.not_screened:
        yield phrase("Citation searching: not yet screened"), along.not_screened, ""
    yield (
        phrase("Citation searching: records screened"),
        along.screened,
        _minus(along.works, along.not_screened),
    )
    yield phrase("Citation searching: records excluded"), along.left_out, ""
    yield (
        phrase("Citation searching: reports sought"),
        along.sought or 0,
        _minus(along.screened, along.left_out),
    )
    yield phrase("Citation searching: reports not retrieved"), along.not_retrieved or 0, ""
    if along.not_assessed:
        yield phrase("Citation searching: reports not yet assessed"), along.not_assessed, ""
    yield (
        phrase("Citation searching: reports assessed"),
        along.assessed,
        _minus(along.sought or 0, along.not_retrieved or 0, along.not_assessed),
    )


def _sum(parts: list[int]) -> str:
    return " + ".join(f"{part:,}" for part in parts) if len(parts) > 1 else ""


def _minus(whole: int, *parts: int) -> str:
    shown = [f"{part:,}" for part in parts if part]
    return " \N{MINUS SIGN} ".join([f"{whole:,}", *shown]) if shown else ""


def _sources(n: ReportNumbers, phrase: Phrase) -> Table:
    places = {
        "database": phrase("database"),
        "register": phrase("register"),
        "other": phrase("other file"),
    }
    known = (phrase("Found earlier"),) if n.previous else ()
    rows: list[tuple[Text, ...]] = []
    for one in n.sources:
        how = phrase("by hand, from a file") if one.by_hand else phrase("by metasearch")
        cells = (one.label, places[one.place], how, records_of(one, phrase))
        rows.append((*cells, *((f"{one.known:,}",) if n.previous else ())))
    return Table(
        head=(
            phrase("Source"),
            phrase("Kind"),
            phrase(message_in("report", "How it was searched")),
            phrase("Records"),
            *known,
        ),
        rows=tuple(rows),
        numbers=(3, 4) if n.previous else (3,),
        widths=(35, 17, 30, 15, *((15,) if n.previous else ())),
    )


def _other(other: tuple[OtherSource, ...], phrase: Phrase) -> Table:
    rows: list[tuple[Text, ...]] = []
    for one in other:
        reasons = "; ".join(
            f"{reason_text(text, phrase)} {count:,}" for text, count in one.excluded.items()
        )
        rows.append(
            (
                f"{kind_of_other(one.kind, phrase)}: {one.name}",
                one.date,
                number(one.identified, phrase),
                number(one.sought, phrase),
                number(one.not_retrieved, phrase) if one.not_retrieved else "0",
                reasons or "–",
                number(one.included, phrase),
            )
        )
    return Table(
        head=(
            phrase("Method"),
            phrase("Date"),
            phrase("Identified"),
            phrase(message_in("report", "Sought")),
            phrase("Not retrieved"),
            phrase("Excluded"),
            phrase("Included"),
        ),
        rows=tuple(rows),
        numbers=(2, 3, 4, 6),
        widths=(26, 15, 12, 10, 12, 24, 11),
    )
