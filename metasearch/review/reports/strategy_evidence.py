"""The evidence of a strategy, and the words suggested for it, as a document: what the page shows,
and the command line.
"""

from __future__ import annotations

from collections.abc import Iterator

from metasearch.message import message_in
from metasearch.review.reports.document import (
    Block,
    Document,
    Heading,
    Items,
    Language,
    Paragraph,
    Phrase,
    Remark,
    Span,
    Table,
    Text,
    in_words,
    name_list,
    number,
    speaker,
)
from metasearch.review.runs.evidence import LineContribution, LineEvidence, StrategyEvidence
from metasearch.review.runs.known_works import MissedWork
from metasearch.review.runs.suggestions import Suggestion, Suggestions

KIND = "strategy-evidence"
#: Characters of a line, an alternative or a title; works of a suggestion that are named.
_LONGEST, _NAMED = 200, 3


def document(
    name: str,
    shown: StrategyEvidence | None,
    words: Suggestions | None,
    *,
    language: Language = "en",
    more: tuple[Block, ...] = (),
) -> Document:
    """What there is of both; `name` of the strategy. `more`: further blocks."""
    phrase = speaker(language)
    blocks: list[Block] = [] if shown is None else list(_evidence(shown, phrase))
    blocks += more
    blocks += [] if words is None else list(_words(words, phrase))
    return Document(
        kind=KIND,
        title=phrase("Evidence of the strategy"),
        subtitle=name,
        language=language,
        blocks=tuple(blocks),
    )


def _evidence(shown: StrategyEvidence, phrase: Phrase) -> Iterator[Block]:
    yield Paragraph(
        text=phrase(
            "The strategy finds {works} works, of which {included} are relevant as far as it is "
            "decided, by {records} records. What would be lost is computed from these records.",
            works=shown.works,
            included=shown.included,
            records=shown.records,
        )
    )
    for source, works in shown.unexplained.items():
        if works:
            yield Remark(
                text=phrase(
                    "{source}: works that it gave although their records do not fit the query: "
                    "{works}. It has found them by what only it sees; no loss of them is told.",
                    source=shown.sources[source],
                    works=works,
                )
            )
    yield Heading(text=phrase("What each line brings"))
    yield _lines(shown, phrase)
    if any(line.alternatives for line in shown.lines):
        yield Heading(text=phrase("What each alternative brings"))
        yield _alternatives(shown, phrase)
    if left_out := [f"#{line.step.number}" for line in shown.lines if line.alternatives is None]:
        yield Remark(
            text=phrase(
                "The strategy is too large for the alternatives of {lines}.",
                lines=name_list(left_out, phrase),
            )
        )
    if shown.missed:
        yield Heading(text=phrase("Known works that are missed"))
        yield Items(items=tuple(_missed(one, phrase) for one in shown.missed))


def _lines(shown: StrategyEvidence, phrase: Phrase) -> Table:
    rows: list[tuple[Text, ...]] = []
    for line in shown.lines:
        rows.append(_line(line, phrase("all databases"), line.all, phrase))
        for source, one in line.sources.items():
            if one.given or one.works or one.hits is not None:
                rows.append(_line(line, shown.sources[source], one, phrase, again=True))
    return Table(
        head=(
            phrase(message_in("report", "Line")),
            phrase("Database"),
            phrase("Hits"),
            phrase(message_in("report", "Works")),
            phrase("Only here"),
            phrase(message_in("report", "Relevant")),
            phrase("Lost without it"),
            phrase("Relevant, lost"),
        ),
        rows=tuple(rows),
        numbers=(2, 3, 4, 5, 6, 7),
        widths=(30, 18, 9, 9, 9, 9, 8, 8),
    )


def _line(
    line: LineEvidence, place: str, one: LineContribution, phrase: Phrase, *, again: bool = False
) -> tuple[Text, ...]:
    number_of_line = Span(text=f"#{line.step.number} ")
    return (
        (number_of_line,) if again else (number_of_line, _code(line.step.text)),
        place,
        number(one.hits, phrase),
        f"{one.works:,}",
        f"{one.only:,}",
        f"{one.included:,}",
        f"{one.lost:,}",
        f"{one.lost_included:,}",
    )


def _code(text: str) -> Span:
    return Span(text=text[:_LONGEST], code=True)


def _alternatives(shown: StrategyEvidence, phrase: Phrase) -> Table:
    rows: list[tuple[Text, ...]] = [
        (
            f"#{line.step.number}",
            (_code(one.text),),
            f"{one.all.works:,}",
            f"{one.all.included:,}",
            f"{one.all.lost:,}",
            f"{one.all.lost_included:,}",
        )
        for line in shown.lines
        for one in line.alternatives or ()
    ]
    return Table(
        head=(
            phrase(message_in("report", "Line")),
            phrase("Alternative"),
            phrase(message_in("report", "Works")),
            phrase(message_in("report", "Relevant")),
            phrase("Lost without it"),
            phrase("Relevant, lost"),
        ),
        rows=tuple(rows),
        numbers=(2, 3, 4, 5),
        widths=(8, 44, 12, 12, 12, 12),
    )


def _missed(one: MissedWork, phrase: Phrase) -> str:
    known = one.check.known
    title = known.record.title or known.name
    reason = in_words(one.reason, phrase)
    if not one.clauses:
        return phrase("{title}: {reason}", title=title, reason=reason)
    clauses = (f"#{line} {part}" for line, parts in one.clauses.items() for part in parts or ("",))
    return phrase(
        "{title}: it does not fit {clauses}", title=title, clauses=name_list(clauses, phrase)
    )


def _words(shown: Suggestions, phrase: Phrase) -> Iterator[Block]:
    yield Heading(text=phrase("Words that the strategy does not look for"))
    yield Paragraph(
        text=phrase(
            "{relevant} relevant and known works, of which the strategy has missed {missed}, were "
            "compared with {others} other works by the log-likelihood ratio (Dunning 1993). "
            "Nothing is added by itself.",
            relevant=shown.relevant,
            missed=shown.missed,
            others=shown.others,
        )
    )
    if not shown.words:
        yield Paragraph(text=phrase("No further word belongs to the relevant works."))
        return
    yield Table(
        head=(
            phrase(message_in("report", "Word")),
            phrase("Alternative in"),
            phrase(message_in("report", "Relevant")),
            phrase("Others"),
            phrase("Ratio"),
            phrase("Would bring"),
            phrase("Would cost"),
            phrase("In the other language"),
        ),
        rows=tuple(_word(one) for one in shown.words),
        numbers=(2, 3, 4, 6),
        widths=(20, 18, 8, 8, 8, 20, 8, 14),
    )


def _word(one: Suggestion) -> tuple[Text, ...]:
    titles = "; ".join(title[:_LONGEST] or name for name, title in one.brings[:_NAMED])
    hits = "".join(
        f"; {label} {'–' if more is None else f'{more:+,}'}" for label, more in one.hits.items()
    )
    return (
        (_code(one.query),),
        "–" if one.line is None else (Span(text=f"#{one.line} "), _code(one.beside)),
        f"{one.relevant:,}",
        f"{one.others:,}",
        f"{one.score:.1f}",
        f"{one.brought:,}{f': {titles}' if titles else ''}",
        f"{one.cost:,}{hits}",
        one.counterpart or "–",
    )
