"""The form of PRESS, the peer review of a search strategy, filled in with what the rules find.

    McGowan, J. et al. (2016). PRESS Peer Review of Electronic Search Strategies: 2015 Guideline
    Statement. Journal of Clinical Epidemiology 75, 40-46.

What only a person can judge is left open, to be filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from metasearch import __version__
from metasearch.message import N_, message_in
from metasearch.query.syntaxes import NAMES
from metasearch.review.press.findings import ELEMENTS, Severity
from metasearch.review.press.peer_review import PeerReview, ReviewRow
from metasearch.review.press.reading import ReviewedStrategy
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    Fields,
    Heading,
    Language,
    Paragraph,
    Phrase,
    Remark,
    Signatures,
    Table,
    in_words,
    moment,
    speaker,
)

KIND = "press"

#: Severity -> what it is called in a table.
_SEVERITIES: dict[Severity, str] = {
    "error": N_("error"),
    "warning": N_("warning"),
    "hint": N_("hint"),
}
_NO_REVISIONS = N_("No revisions")
#: What the gravest finding of an element asks for; the gravest first.
_REVISIONS: dict[Severity, str] = {
    "error": N_("Revisions required"),
    "warning": N_("Revisions suggested"),
    "hint": _NO_REVISIONS,
}


def document(
    strategy: ReviewedStrategy, found: Sequence[ReviewRow], *, name: str, language: Language = "en"
) -> Document:
    """The form. `name`: what the strategy is called."""
    phrase = speaker(language)
    blocks = [*_submission(strategy, name, phrase), *_assessment(found, phrase)]
    return Document(
        kind=KIND,
        title=phrase("Peer review of a search strategy"),
        subtitle=phrase("The form of PRESS 2015"),
        language=language,
        blocks=tuple(blocks),
    )


def _submission(strategy: ReviewedStrategy, name: str, phrase: Phrase) -> Iterator[Block]:
    yield Heading(text=phrase("Submission"))
    yield Signatures(
        lines=tuple(
            (phrase(label), "")
            for label in (
                N_("Who has searched"),
                N_("E-mail"),
                N_("Date of submission"),
                N_("Title of the review"),
                N_("Question (population, intervention, comparison, outcome)"),
                N_("Criteria of inclusion and exclusion"),
            )
        )
    )
    yield Fields(
        rows=(
            (phrase("Strategy"), name),
            (phrase("Database or platform"), phrase(NAMES[strategy.syntax].in_sentence)),
            (phrase("Lines"), f"{len(strategy.lines):,}"),
        )
    )
    yield Code(text=strategy.original or strategy.text, label=phrase("The strategy, as submitted"))


def _assessment(found: Sequence[ReviewRow], phrase: Phrase) -> Iterator[Block]:
    yield Heading(text=phrase("Assessment"))
    yield Paragraph(
        text=phrase(
            "metasearch {version} has filled in what rules can find. The reviewer decides on it, "
            "and adds what they cannot.",
            version=__version__,
        )
    )
    for number, title in ELEMENTS.items():
        own = [row for row in found if row.about.element == number]
        yield Heading(text=phrase(title), level=2, number=f"{number}.")
        if number != 1 or own:
            yield Fields(rows=((phrase("By rule"), _revisions(own, phrase)),))
        if number == 1:
            text = phrase(
                "Whether the concepts are those of the question, and whether one is missing or "
                "needless, no rule can say."
            )
            yield Remark(text=text)
        yield from table(own, phrase)
        yield Signatures(lines=((phrase("The reviewer's judgement"), ""),))
    yield Heading(text=phrase("Evaluation of the whole"))
    yield Fields(rows=((phrase("By rule"), _revisions(found, phrase)),))
    yield Signatures(
        lines=tuple(
            (phrase(label), "")
            for label in (
                N_("The reviewer's judgement"),
                N_("Comments"),
                N_("Who has reviewed"),
                N_("E-mail"),
                N_("Date of review"),
            )
        )
    )


def _revisions(found: Iterable[ReviewRow], phrase: Phrase) -> str:
    """What the gravest of the findings asks for."""
    severities = {row.about.severity for row in found}
    gravest = (text for severity, text in _REVISIONS.items() if severity in severities)
    return phrase(next(gravest, _NO_REVISIONS))


def table(found: Sequence[ReviewRow], phrase: Phrase) -> Iterator[Block]:
    """The findings, one in a row; nothing where there are none."""
    if not found:
        return
    yield Table(
        head=(
            phrase(message_in("report", "Line")),
            phrase("What stands there"),
            phrase("What the rule says"),
            phrase(message_in("report", "Mend")),
        ),
        rows=tuple(
            (
                "–" if row.line is None else str(row.line),
                row.text,
                phrase(
                    "{severity}, {code}: {message}",
                    severity=phrase(_SEVERITIES[row.about.severity]),
                    code=row.code,
                    message=in_words(row.message, phrase),
                ),
                _mend(row, phrase),
            )
            for row in found
        ),
        widths=(7, 25, 48, 20),
    )


def _mend(row: ReviewRow, phrase: Phrase) -> str:
    if row.mend is None:
        return "–"
    return row.mend.strip() or phrase("leave it out")


def section(review: PeerReview, phrase: Phrase, *, level: int) -> Iterator[Block]:
    """The review of a project's strategy, as a section of another report."""
    yield Heading(text=phrase("Peer review by rule (PRESS 2015)"), level=level)
    about = [(phrase("Date"), moment(review.at)), (phrase("Reviewed by"), review.tool)]
    yield Fields(rows=(*about, (phrase("Evaluation"), _revisions(review.rows, phrase))))
    if review.changed:
        yield Remark(text=phrase("The strategy has changed since it was reviewed."), warning=True)
    if not review.rows:
        yield Paragraph(text=phrase("The rules found nothing."))
    yield from table(review.rows, phrase)
